//! Clips as a data set for training: packs of arrays, an index, and mean and standard deviation of every
//! number.

mod index;
mod statistics;

use std::collections::BTreeMap;

use mocap_formats::arrays::{ArrayOptions, Arrays, Window, pack};
use mocap_formats::{Finding, Format};

use index::{ClipEntry, FileEntry, Index};
use statistics::Statistics;

/// How clips become a data set.
#[derive(Clone, Copy, Debug)]
pub struct DatasetOptions {
    /// Clips in a file; above 0.
    pub pack: usize,
    /// NPZ or safetensors.
    pub format: Format,
    /// How the arrays of clips were made.
    pub arrays: ArrayOptions,
    /// Whether mean and standard deviation are measured: over the clips of the part `train`, or over all clips
    /// if there are no parts.
    pub normalise: bool,
}

/// A clip of a set.
#[derive(Clone, Debug)]
pub struct DatasetClip {
    /// Its name in the set.
    pub name: String,
    /// The file that it comes from.
    pub source: String,
    /// The part of the set, such as `train`; empty without parts.
    pub part: &'static str,
    /// Its arrays, as [`of_clip`](mocap_formats::arrays::of_clip) makes them.
    pub arrays: Arrays,
}

/// A file of a set.
#[derive(Clone, Debug)]
pub struct DatasetFile {
    /// Below the folder of the set.
    pub path: String,
    /// Its arrays.
    pub arrays: Arrays,
}

/// The files that complete a data set, after its last clip.
#[derive(Clone, Debug)]
pub struct FinishedDataset {
    /// The last files, which are not full, and with [`DatasetOptions::normalise`] the statistics
    /// (`normalise.npz`, or of the other format).
    pub files: Vec<DatasetFile>,
    /// The text of `dataset.json`.
    pub index: String,
    /// Clips of the set.
    pub clips: usize,
    /// Files with clips.
    pub packs: usize,
}

/// Takes clips in any order and packs them in the order of their numbers, so that the files are the same on
/// every run.
#[derive(Debug)]
pub struct Dataset {
    options: DatasetOptions,
    /// Clips that came before their turn; `None`: the input gives no clip.
    waiting: BTreeMap<usize, Option<DatasetClip>>,
    next: usize,
    /// By part: the clips of the incomplete file, and the number of files before it.
    open: BTreeMap<&'static str, (Vec<DatasetClip>, usize)>,
    statistics: Statistics,
    index: Index,
}

impl Dataset {
    /// A set without clips.
    pub fn new(options: DatasetOptions) -> Dataset {
        let index = Index::new(&options);
        Dataset {
            options,
            waiting: BTreeMap::new(),
            next: 0,
            open: BTreeMap::new(),
            statistics: Statistics::default(),
            index,
        }
    }

    /// Adds the clip of an input by its number, or `None` if the input gives none. Returns the files that are
    /// complete now.
    ///
    /// # Errors
    /// If a clip has another skeleton than the others.
    pub fn put(&mut self, number: usize, clip: Option<DatasetClip>) -> Result<Vec<DatasetFile>, Finding> {
        self.waiting.insert(number, clip);
        let mut full = Vec::new();
        while let Some(clip) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Some(clip) = clip {
                full.extend(self.add(clip)?);
            }
        }
        Ok(full)
    }

    fn add(&mut self, clip: DatasetClip) -> Result<Option<DatasetFile>, Finding> {
        if self.options.normalise && ["", "train"].contains(&clip.part) {
            self.statistics.add(&clip.arrays);
        }
        let part = clip.part;
        let (clips, _) = self.open.entry(part).or_default();
        clips.push(clip);
        if clips.len() < self.options.pack { Ok(None) } else { self.close(part).map(Some) }
    }

    /// The file of the collected clips of a part.
    fn close(&mut self, part: &'static str) -> Result<DatasetFile, Finding> {
        let (clips, number) = self.open.get_mut(part).expect("the part has clips");
        let folder = if part.is_empty() { String::new() } else { format!("{part}/") };
        let path = format!("{folder}pack-{number:05}.{}", self.options.format);
        *number += 1;
        let clips = std::mem::take(clips);
        let (mut start, mut windows) = (0, 0);
        for (place, clip) in clips.iter().enumerate() {
            let frames = clip.arrays.get("rotations").map_or(0, |array| array.shape[0]);
            let count = self.options.arrays.window.map_or(0, |window: Window| window.starts(frames).count());
            self.index.clips.push(ClipEntry {
                name: clip.name.clone(),
                source: clip.source.clone(),
                part: clip.part,
                file: path.clone(),
                index: place,
                start,
                frames,
                windows: self.options.arrays.window.map(|_| count),
            });
            start += frames;
            windows += count;
        }
        let count = clips.len();
        let arrays = pack(clips.into_iter().map(|clip| (clip.name, clip.arrays)).collect())?;
        self.index.describe(&arrays);
        self.index.files.push(FileEntry {
            path: path.clone(),
            part,
            clips: count,
            frames: start,
            windows: self.options.arrays.window.map(|_| windows),
        });
        Ok(DatasetFile { path, arrays })
    }

    /// Completes the set. Inputs without a call of [`Dataset::put`] give no clip.
    ///
    /// # Errors
    /// Those of [`Dataset::put`].
    pub fn finish(mut self) -> Result<FinishedDataset, Finding> {
        let mut files = Vec::new();
        for clip in std::mem::take(&mut self.waiting).into_values().flatten() {
            files.extend(self.add(clip)?);
        }
        let parts: Vec<&'static str> =
            self.open.iter().filter(|(_, (clips, _))| !clips.is_empty()).map(|(part, _)| *part).collect();
        for part in parts {
            files.push(self.close(part)?);
        }
        if self.options.normalise {
            let path = format!("normalise.{}", self.options.format);
            files.push(DatasetFile { path, arrays: self.statistics.arrays(self.options.arrays.precision) });
        }
        let (clips, packs) = (self.index.clips.len(), self.index.files.len());
        Ok(FinishedDataset { files, index: self.index.to_json(), clips, packs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_formats::arrays::{Data, of_clip};
    use mocap_formats::npz;
    use mocap_model::{Clip, FrameRate, Joint, JointTracks, Skeleton, Space, Track, Vector3};

    fn arrays(frames: usize, options: &ArrayOptions) -> Arrays {
        let joints = vec![Joint::new("root", None, Vector3::zeros())];
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        let way = (0..frames).map(|frame| Vector3::x() * frame as f64).collect();
        let still = JointTracks::at_rest(&skeleton.joints()[0]);
        let tracks = vec![JointTracks { translation: Track::from_samples(way), ..still }];
        of_clip(&Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), frames, tracks).unwrap(), options)
    }

    /// The files of a set whose clips arrive in this order; the third input gives none.
    fn files(order: [usize; 6]) -> Vec<(String, Vec<u8>)> {
        let window = Some(Window { frames: 4, stride: 2 });
        let arrays_as = ArrayOptions { window, ..ArrayOptions::default() };
        let options = DatasetOptions { pack: 2, format: Format::Npz, arrays: arrays_as, normalise: true };
        let mut set = Dataset::new(options);
        let mut files = Vec::new();
        for number in order {
            let clip = (number != 2).then(|| DatasetClip {
                name: format!("clip{number}"),
                source: format!("clip{number}.bvh"),
                part: if number == 4 { "val" } else { "train" },
                arrays: arrays(3 + number, &arrays_as),
            });
            files.extend(set.put(number, clip).unwrap());
        }
        let FinishedDataset { files: last, index, clips, packs } = set.finish().unwrap();
        assert_eq!((clips, packs), (5, 3));
        files.extend(last);
        let mut files: Vec<(String, Vec<u8>)> =
            files.into_iter().map(|file| (file.path, npz::to_bytes(&file.arrays))).collect();
        files.push(("dataset.json".into(), index.into_bytes()));
        files.sort();
        files
    }

    #[test]
    fn the_files_do_not_depend_on_the_order_of_work() {
        let files_in_order = files([0, 1, 2, 3, 4, 5]);
        assert!(files_in_order == files([5, 3, 0, 4, 2, 1]));
        let names: Vec<&str> = files_in_order.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "dataset.json",
            "normalise.npz",
            "train/pack-00000.npz",
            "train/pack-00001.npz",
            "val/pack-00000.npz",
        ];
        assert_eq!(names, expected);
        let limits = mocap_formats::Limits::default();
        let archive = npz::Archive::open(&files_in_order[2].1, &limits).unwrap();
        let pack = archive.read(|_| true).unwrap();
        let integers = |name: &str| match &pack.get(name).unwrap().data {
            Data::I64(values) => values.clone(),
            other => panic!("{name} is {}", other.kind()),
        };
        // Clips of 3 and 4 frames: only the second is long enough for a window.
        assert_eq!((integers("clip_starts"), integers("window_starts")), (vec![0, 3, 7], vec![3]));
        let index: serde_json::Value = serde_json::from_slice(&files_in_order[0].1).unwrap();
        assert_eq!(index["splits"]["train"]["windows"], 6);
        assert_eq!(index["clips"][2]["start"], 0);
        assert_eq!(index["arrays"]["rotations"]["shape"], serde_json::json!(["frames", 1, 4]));
    }
}
