//! `mocap info` for files that mocap makes from databases: indexes and example poses.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use mocap::grouped;
use mocap_poses::{MAGIC as POSES, MAX_BYTES, PosePrior};
use mocap_search::index::{Index, MAGIC as INDEX, VERSION as INDEX_VERSION};
use schemars::JsonSchema;
use serde::Serialize;

use super::indexed;
use super::poses::refused;
use crate::batch::{Input, JobContext, Report, Tally, json};
use crate::diagnostic::Diagnostic;

/// The kinds of such files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    Index,
    Poses,
}

/// The row of an index.
#[derive(Serialize, JsonSchema)]
pub(crate) struct IndexRow {
    path: String,
    format: &'static str,
    bytes: u64,
    version: u32,
    /// When the file was written, in UTC; `null` where the system does not know it.
    written: Option<String>,
    /// Clips that can be searched.
    clips: usize,
    /// The files that they were read from.
    files: usize,
    /// The duration of all clips [s].
    duration: f64,
    /// Size in bytes by second of motion.
    bytes_per_second: f64,
    /// The files and directories that it was made of.
    inputs: Vec<String>,
    /// What files of directories had to match to be taken.
    include: Vec<String>,
    /// What files of directories had to match to be left out.
    exclude: Vec<String>,
    /// The options of reading that it was made with.
    options: String,
    /// Clips that cannot be searched.
    left_out: Vec<LeftOut>,
}

/// A clip that cannot be searched, and why.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IndexLeftOut")]
struct LeftOut {
    path: String,
    reason: String,
}

/// The row of a file of example poses.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PosesRow {
    path: String,
    format: &'static str,
    bytes: u64,
    version: u16,
    /// When the file was written, in UTC; `null` where the system does not know it.
    written: Option<String>,
    poses: usize,
    /// Joints of a pose.
    pose_joints: usize,
    /// The name of the skeleton of the examples.
    skeleton: String,
    /// Joints of the skeleton, without End Sites.
    joints: usize,
    /// Clips and frames that the examples were chosen from.
    clips: usize,
    frames: usize,
    /// Greatest distance of a frame from the nearest example [leg lengths].
    spacing: f64,
    /// Sets of points for which regressions are fitted.
    fitted: usize,
}

/// The kind of such a file, by its first bytes. A pipe never is one, and is not opened: its bytes can be read
/// only once.
pub(super) fn made(input: &Input) -> Option<Made> {
    let mut start = [0; 8];
    let path = input.path().filter(|path| path.is_file())?;
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).ok()?;
    match &start {
        start if start == INDEX => Some(Made::Index),
        start if start == POSES => Some(Made::Poses),
        _ => None,
    }
}

/// Reports on such a file.
pub(super) fn report(made: Made, path: &Path, context: &JobContext) -> Result<Report, Diagnostic> {
    let shown = path.display().to_string();
    let (json, text, bytes) = match made {
        Made::Index => {
            let (index, bytes) = indexed::open_sized(path)?;
            let row = IndexRow { written: written(path), ..IndexRow::of(shown, &index, bytes) };
            (json(&row), row.text(), bytes)
        }
        Made::Poses => {
            let content = context.read_file(path, MAX_BYTES as u64)?;
            let prior = PosePrior::from_bytes(&content).map_err(|error| refused(&error).in_file(path))?;
            let bytes = content.len() as u64;
            let row = PosesRow { written: written(path), ..PosesRow::of(shown, &prior, bytes) };
            (json(&row), row.text(), bytes)
        }
    };
    Ok(Report { json, text, tally: Tally { frames: 0, bytes_in: bytes, bytes_out: 0 }, ..Report::default() })
}

/// When a file was written, as `2026-11-27T07:30:00Z`.
fn written(path: &Path) -> Option<String> {
    let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(utc(since))
}

/// A time since the start of 1970 \[s\] as UTC. Days are counted from March of the year 0, so that leap days
/// are at the end of a year and every 400 years have the same length.
fn utc(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60];
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z", era * 400 + year)
}

/// A block of facts.
fn block(path: &str, facts: &[(&str, String)]) -> String {
    let mut text = path.to_owned();
    facts.iter().for_each(|(name, value)| text += &format!("\n  {name:<10} {value}"));
    text
}

impl IndexRow {
    fn of(path: String, index: &Index, bytes: u64) -> IndexRow {
        let left_out = index.clips.iter().filter_map(|clip| {
            let reason = clip.motion.as_ref().err()?.clone();
            let part = clip.part.as_ref().map_or(String::new(), |part| format!(" [{part}]"));
            Some(LeftOut { path: format!("{}{part}", clip.files[0].path), reason })
        });
        let files = index.clips.iter().flat_map(|clip| &clip.files).map(|file| file.path.as_str());
        let [include, exclude] = index.filters.clone();
        let duration = index.duration();
        IndexRow {
            path,
            format: "index",
            bytes,
            version: INDEX_VERSION,
            written: None,
            clips: index.motions().count(),
            files: files.collect::<std::collections::BTreeSet<_>>().len(),
            duration,
            bytes_per_second: if duration > 0.0 { bytes as f64 / duration } else { 0.0 },
            inputs: index.inputs.clone(),
            include,
            exclude,
            options: index.options.clone(),
            left_out: left_out.collect(),
        }
    }

    fn text(&self) -> String {
        let list = |items: &[String]| match items {
            [first, second, third, rest @ ..] if !rest.is_empty() => {
                format!("{first}, {second}, {third} and {} more", rest.len())
            }
            items => items.join(", "),
        };
        let mut facts = vec![
            ("format", format!("index of motions, version {} ({} bytes)", self.version, grouped(self.bytes))),
            (
                "clips",
                format!(
                    "{} of {}",
                    mocap_batch::counted(self.clips, "motion"),
                    mocap_batch::counted(self.files, "file")
                ),
            ),
            (
                "duration",
                format!("{:.1} min, {:.0} bytes a second", self.duration / 60.0, self.bytes_per_second),
            ),
            ("made of", list(&self.inputs)),
        ];
        let written = self.written.clone().unwrap_or_default();
        let given = [
            ("written", written),
            ("include", list(&self.include)),
            ("exclude", list(&self.exclude)),
            ("read with", self.options.clone()),
        ];
        facts.extend(given.into_iter().filter(|(_, value)| !value.is_empty()));
        // The rows of --json list all of them.
        let shown = self.left_out.iter().take(3);
        facts.extend(shown.map(|clip| ("left out", format!("{}: {}", clip.path, clip.reason))));
        if let Some(more) = self.left_out.len().checked_sub(3).filter(|more| *more > 0) {
            facts.push(("left out", format!("{more} more")));
        }
        block(&self.path, &facts)
    }
}

impl PosesRow {
    fn of(path: String, prior: &PosePrior, bytes: u64) -> PosesRow {
        let skeleton = prior.skeleton();
        PosesRow {
            path,
            format: "poses",
            bytes,
            version: mocap_poses::VERSION,
            written: None,
            poses: prior.poses(),
            pose_joints: prior.pose_joints(),
            skeleton: skeleton.name().to_owned(),
            joints: skeleton.joints().iter().filter(|joint| !joint.end_site).count(),
            clips: prior.clips(),
            frames: prior.frames(),
            spacing: prior.spacing(),
            fitted: prior.fitted(),
        }
    }

    fn text(&self) -> String {
        let written = self.written.as_deref().unwrap_or("unknown");
        block(
            &self.path,
            &[
                (
                    "format",
                    format!("example poses, version {} ({} bytes)", self.version, grouped(self.bytes)),
                ),
                ("poses", format!("{} of {} joints", self.poses, self.pose_joints)),
                ("skeleton", format!("'{}', {} joints", self.skeleton, self.joints)),
                (
                    "learnt from",
                    format!(
                        "{} in {}",
                        mocap_batch::counted(self.frames, "frame"),
                        mocap_batch::counted(self.clips, "clip")
                    ),
                ),
                ("written", written.to_owned()),
                (
                    "spacing",
                    format!("a frame is {:.3} leg lengths from the nearest pose at most", self.spacing),
                ),
                ("fitted", format!("{} sets of points that are often given", self.fitted)),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(utc(1_767_225_599), "2025-12-31T23:59:59Z");
    }
}
