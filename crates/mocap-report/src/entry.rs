//! The entry of an input in the index of a gallery.

use serde::{Deserialize, Serialize};

/// The index entry of a motion. A figure that was not measured is `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its path, as in copied lists.
    pub path: String,
    /// Joints, without the ends of bones.
    pub joints: usize,
    /// Whether its joints are markers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub markers: bool,
    /// The number of frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Its duration \[s\].
    pub seconds: f64,
    /// How the unit is known: `file`, `guessed` or `unknown`.
    pub unit: String,
    /// How tall the body is \[m\], by its mesh where it has one; `None` without a unit or without the roles of a body.
    pub height: Option<f64>,
    /// The mean speed of the hips over the floor \[m/s\]; `None` without a unit.
    pub speed: Option<f64>,
    /// The length of the path of the hips over the floor \[m\]; `None` without a unit.
    pub travel: Option<f64>,
    /// Words such as `walk`, `run`, `jump`, `still`, `turn`.
    pub styles: Vec<String>,
    /// The number of suspicious spans.
    pub findings: usize,
    /// The kind of the worst of them.
    pub worst: Option<String>,
    /// Equal for motions with equal positions in equal frames.
    pub same: String,
    /// Path data of the strip: left, middle, right, heads.
    pub strip: [String; 4],
    /// What a run made of it; `None` in a gallery of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// What a run made of a clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The size of the input \[bytes\].
    pub bytes_in: u64,
    /// The size of all outputs \[bytes\].
    pub bytes_out: u64,
    /// What its steps measured.
    pub figures: Vec<Figure>,
    /// The gates that it missed, in words.
    pub missed: Vec<String>,
}

/// A figure that a step measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The step.
    pub step: String,
    /// Its name.
    pub name: String,
    /// Its unit; empty for ratios and counts.
    pub unit: String,
    /// Its meaning in a few words; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Its value.
    pub value: f64,
    /// Whether a greater value is the better one, as of a compression ratio.
    pub greater_is_better: bool,
    /// The limit of its gate.
    pub limit: Option<f64>,
    /// The frame of the value in the motion that the index describes, where it has one.
    pub frame: Option<usize>,
}

/// An input without an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// Its path.
    pub path: String,
    /// Why.
    pub message: String,
}
