//! `dataset.json`: contents of a data set, and how it was made.

use mocap_formats::arrays::{Array, Arrays, Data, Precision, Window, is_per_frame};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::DatasetOptions;

/// A clip of the set.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ClipEntry {
    pub(super) name: String,
    pub(super) source: String,
    #[serde(rename = "split", skip_serializing_if = "str::is_empty")]
    pub(super) part: &'static str,
    pub(super) file: String,
    /// Its place in the file.
    pub(super) index: usize,
    /// Its first frame in the file.
    pub(super) start: usize,
    pub(super) frames: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) windows: Option<usize>,
}

/// A file of the set.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FileEntry {
    pub(super) path: String,
    #[serde(rename = "split", skip_serializing_if = "str::is_empty")]
    pub(super) part: &'static str,
    pub(super) clips: usize,
    pub(super) frames: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) windows: Option<usize>,
}

/// The index while the set grows.
#[derive(Clone, Debug)]
pub(super) struct Index {
    options: DatasetOptions,
    pub(super) clips: Vec<ClipEntry>,
    pub(super) files: Vec<FileEntry>,
    /// Skeleton and arrays of the first file.
    described: Option<Map<String, Value>>,
}

impl Index {
    pub(super) fn new(options: &DatasetOptions) -> Index {
        Index { options: *options, clips: Vec::new(), files: Vec::new(), described: None }
    }

    /// Stores what all files have in common.
    pub(super) fn describe(&mut self, arrays: &Arrays) {
        if self.described.is_some() {
            return;
        }
        let mut described = Map::new();
        for (key, name) in
            [("fps", "fps"), ("up", "up"), ("joints", "names"), ("parents", "parents"), ("roles", "roles")]
        {
            described.insert(key.into(), arrays.get(name).map_or(Value::Null, value));
        }
        let shapes = arrays.iter().map(|(name, array)| {
            let lengths = array.shape.iter().enumerate().map(|(axis, length)| match axis {
                0 if is_per_frame(name) => json!("frames"),
                0 if name.starts_with("clip_") || name.starts_with("window_") => Value::Null,
                _ => json!(length),
            });
            let shape: Vec<Value> = lengths.collect();
            (name.to_owned(), json!({ "dtype": array.data.kind(), "shape": shape }))
        });
        described.insert("arrays".into(), Value::Object(shapes.collect()));
        self.described = Some(described);
    }

    /// The text of the file.
    pub(super) fn to_json(&self) -> String {
        let DatasetOptions { pack, format, arrays, normalise } = self.options;
        let window =
            arrays.window.map(|Window { frames, stride }| json!({ "frames": frames, "stride": stride }));
        let mut all = Map::new();
        all.insert("format".into(), json!("mocap-dataset"));
        all.insert("version".into(), json!(1));
        all.insert("file_format".into(), json!(format.extension()));
        all.insert("pack".into(), json!(pack));
        let precision = if arrays.precision == Precision::F32 { "f32" } else { "f64" };
        all.insert("dtype".into(), json!(precision));
        all.insert("rotations".into(), json!(arrays.rotations.name()));
        all.insert("window".into(), window.unwrap_or(Value::Null));
        let normalised = normalise.then(|| format!("normalise.{format}"));
        all.insert("normalise".into(), json!(normalised));
        all.extend(self.described.clone().unwrap_or_default());
        all.insert("splits".into(), self.splits());
        all.insert("files".into(), json!(self.files));
        all.insert("clips".into(), json!(self.clips));
        serde_json::to_string_pretty(&all).expect("an index has string keys") + "\n"
    }

    /// The totals of each part.
    fn splits(&self) -> Value {
        let mut parts: Vec<&str> =
            self.files.iter().map(|file| file.part).filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        parts.dedup();
        let sums = parts.into_iter().map(|part| {
            let files = || self.files.iter().filter(|file| file.part == part);
            let sum = |of: fn(&FileEntry) -> usize| files().map(of).sum::<usize>();
            let sums = json!({
                "files": files().count(),
                "clips": sum(|file| file.clips),
                "frames": sum(|file| file.frames),
                "windows": self.options.arrays.window.map(|_| sum(|file| file.windows.unwrap_or(0))),
            });
            (part.to_owned(), sums)
        });
        Value::Object(sums.collect())
    }
}

/// An array as JSON: a value, or a list of them.
fn value(array: &Array) -> Value {
    match &array.data {
        Data::Text(texts) if array.shape.is_empty() => json!(texts[0]),
        Data::Text(texts) => json!(texts),
        data if array.shape.is_empty() => json!(data.number(0)),
        data => (0..data.len()).map(|at| json!(data.number(at).map(|value| value as i64))).collect(),
    }
}
