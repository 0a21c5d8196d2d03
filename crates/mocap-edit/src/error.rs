//! The error of the crate.

use mocap_model::ModelError;

/// A length in units of the clip as text for messages.
fn length(value: f64, metres: Option<f64>) -> String {
    match metres {
        Some(metres) => format!("{:.2} m", value * metres),
        None => format!("{value:.2} units"),
    }
}

/// Every error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum EditError {
    #[error("{edit} leaves no frame: the motion has {frames} frames, {seconds:.3} s")]
    NoFrameLeft { edit: &'static str, frames: usize, seconds: f64 },
    #[error(
        "{edit} would make a motion of {frames:.0} frames x {joints} joints, more than the limit of {limit} samples"
    )]
    TooLarge { edit: &'static str, frames: f64, joints: usize, limit: usize },
    #[error("{edit} needs at least {needed} frames, the motion has {frames}")]
    TooShort { edit: &'static str, needed: usize, frames: usize },
    #[error(
        "the motion {which} the transition has {frames} frames, and a transition of {seconds} s needs {needed} of each motion"
    )]
    ShortForTransition { which: &'static str, frames: usize, needed: usize, seconds: f64 },
    #[error("{edit}: {error}")]
    Model { edit: &'static str, error: ModelError },
    #[error("{edit}: {name} is {value}, but must be {expected}")]
    Option { edit: &'static str, name: &'static str, value: f64, expected: &'static str },
    #[error("{edit}: the body has no feet: no joint is recognised as a foot")]
    NoFeet { edit: &'static str },
    #[error("{edit}: the unit of lengths is unknown, and the size of the skeleton fits no usual unit")]
    NoUnit { edit: &'static str },
    #[error("the curve has {found} frames, the motion has {expected}")]
    CurveLength { found: usize, expected: usize },
    #[error("line {line} of the {what}: {reason}")]
    Table { what: &'static str, line: usize, reason: String },
    #[error("the root curve: {reason}")]
    Curve { reason: String },
    #[error("attach: the prop is called '{name}', as something in the scene is: bind points would mean both")]
    PropExists { name: String },
    #[error("a joint called '{name}' exists already")]
    JointExists { name: String },
    #[error("no cycle found: {reason}")]
    NoCycle { reason: String },
    #[error("the motions have different skeletons: {reason}")]
    Skeletons { reason: String },
    #[error("no joint matches '{mask}'{}", near.as_ref().map_or(String::new(), |near| format!("; did you mean '{near}'?")))]
    Mask { mask: String, near: Option<String> },
    #[error("the time map: {reason}")]
    TimeMap { reason: String },
    #[error(
        "{edit}: the motion does not travel: it moves {} over the ground, and a path needs at least {}",
        length(*moved, *metres), length(*needed, *metres)
    )]
    Still { edit: &'static str, moved: f64, needed: f64, metres: Option<f64> },
    #[error("the path: {reason}")]
    Path { reason: String },
    #[error("the steps of the motions cannot be matched: {reason}")]
    Sync { reason: String },
    #[error("the phases cannot be matched: {reason}")]
    Phases { reason: String },
    #[error("the weights: {reason}")]
    Weights { reason: String },
    #[error("the graph: {reason}")]
    Graph { reason: String },
    #[error("the warp: {reason}")]
    Warp { reason: String },
    #[error("the warp: '{joint}' cannot reach its key at {time} s: {missing:.3} {unit} are missing")]
    OutOfReach { joint: String, time: f64, missing: f64, unit: &'static str },
    #[error("the terrain: {reason}")]
    Terrain { reason: String },
    #[error("the terrain: {reason}")]
    Surface { reason: String },
    #[error("{edit}: the legs cannot be solved: {reason}")]
    Legs { edit: &'static str, reason: String },
    #[error("the blend space: {reason}")]
    Space { reason: String },
    #[error("the motion has no band '{band}': it has {levels} bands, from {slowest:.2} to {fastest:.2} Hz")]
    Band { band: String, levels: usize, slowest: f64, fastest: f64 },
    #[error("{edit}: {reason}")]
    Retarget { edit: &'static str, reason: String },
    #[error("fix-feet: {reason}")]
    FixFeet { reason: String },
    #[error("the file '{file}' of an edit was not read")]
    NotRead { file: String },
    #[error(
        "{edit} takes one character, the scene has {}: {}; --subject picks one",
        names.len(), names.join(", ")
    )]
    OneCharacter { edit: &'static str, names: Vec<String> },
    #[error("{edit}: not every motion has {}", names.join(", "))]
    Characters { edit: &'static str, names: Vec<String> },
    #[error("{edit}: {reason}")]
    Usage { edit: &'static str, reason: String },
    #[error("{edit}: nothing {what} '{name}'; there is {}", near.join(", "))]
    BindPoint { edit: &'static str, what: &'static str, name: String, near: Vec<String> },
    #[error("attach: {child} cannot follow {parent}, which moves with it")]
    Cycle { child: String, parent: String },
    #[error(
        "attach: {child} and {parent} are never in contact: they are nearest in frame {frame}, {distance:.1} times as far apart as the hand reaches"
    )]
    NoContact { child: String, parent: String, distance: f64, frame: usize },
    #[error(
        "attach: {child} and {parent} are in contact for {seconds:.2} s at most (from frame {frame}), and a grasp takes 0.25 s; ,FROM:TO states when it is held"
    )]
    ShortContact { child: String, parent: String, seconds: f64, frame: usize },
    #[error("{edit}: {reason}")]
    Unlabelled { edit: &'static str, reason: String },
    #[error("the split: {reason}")]
    Split { reason: String },
}

impl EditError {
    /// A stable code for the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            EditError::NoFrameLeft { .. } => "edit::no-frames",
            EditError::TooLarge { .. } => "limit",
            EditError::TooShort { .. } | EditError::ShortForTransition { .. } => "edit::too-short",
            EditError::Model { error: ModelError::TooManyFrames { .. }, .. } => "edit::too-many-frames",
            EditError::Model { error: ModelError::TooFar { .. } | ModelError::RestTooFar { .. }, .. } => {
                "edit::too-far"
            }
            EditError::Model { .. } => "edit::not-finite",
            EditError::Option { .. } => "edit::option",
            EditError::NoFeet { .. } => "edit::no-feet",
            EditError::NoUnit { .. } => "unit::unknown",
            EditError::CurveLength { .. } => "edit::curve-length",
            EditError::Table { .. } => "edit::table",
            EditError::Curve { .. } => "edit::curve",
            EditError::JointExists { .. } | EditError::PropExists { .. } => "edit::joint-exists",
            EditError::NoCycle { .. } => "edit::no-cycle",
            EditError::Skeletons { .. } => "edit::skeletons",
            EditError::Mask { .. } => "edit::mask",
            EditError::TimeMap { .. } => "edit::time-map",
            EditError::Still { .. } => "edit::still",
            EditError::Path { .. } => "edit::path",
            EditError::Sync { .. } => "edit::sync",
            EditError::Phases { .. } => "edit::phases",
            EditError::Weights { .. } => "edit::weights",
            EditError::Graph { .. } => "edit::graph",
            EditError::Warp { .. } | EditError::OutOfReach { .. } => "edit::warp",
            EditError::Terrain { .. } => "edit::terrain",
            EditError::Surface { .. } => "edit::surface",
            EditError::Legs { .. } => "edit::legs",
            EditError::Space { .. } => "edit::space",
            EditError::Band { .. } => "edit::band",
            EditError::Retarget { .. } => "edit::retarget",
            EditError::FixFeet { .. } => "edit::fix-feet",
            EditError::NotRead { .. } => "edit::not-read",
            EditError::Usage { edit: "terrain", .. } => "usage::terrain",
            EditError::Usage { .. } => "usage::edit",
            EditError::OneCharacter { .. } => "edit::one-character",
            EditError::Characters { .. } => "edit::characters",
            EditError::BindPoint { .. } => "edit::bind-point",
            EditError::Cycle { .. } => "edit::bind-cycle",
            EditError::NoContact { .. } | EditError::ShortContact { .. } => "edit::no-contact",
            EditError::Unlabelled { .. } => "edit::body",
            EditError::Split { .. } => "edit::split",
        }
    }
}
