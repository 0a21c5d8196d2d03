//! Errors of a solve, and warnings about repairs and doubts.

/// Why markers cannot be solved onto a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SolveError {
    #[error("the recording has no frames")]
    NoFrames,
    #[error("invalid marker table: {reason}")]
    MarkerTable { reason: String },
    #[error("no marker set is called '{name}'; there are {known}")]
    UnknownSet { name: String, known: String },
    #[error(
        "{found} of {all} labels are known, a body needs at least {least}, and the points match no known marker set: {examples}; the recording shows {segments}"
    )]
    TooFewLabels { found: usize, all: usize, least: usize, examples: String, segments: String },
    #[error("the recording shows several subjects: {names}; choose one")]
    Subjects { names: String },
    #[error(
        "no marker is on {missing}; markers are on {present}: a body needs the hips or the chest, with three markers"
    )]
    NoTrunk { missing: String, present: String },
    #[error("all markers are on the {side}: a skeleton cannot be made of one side; name one as target")]
    OneSide { side: &'static str },
    #[error(
        "markers are on {present}: a skeleton is made of two legs or two arms; name one that has what the markers show as target"
    )]
    NoPair { present: String },
    #[error("the target has no {missing} by its names and shape")]
    NotABody { missing: &'static str },
    #[error("the unit of the target skeleton is not known")]
    TargetUnit,
    #[error(
        "no frame has enough markers at once: {most} of {markers} are seen together, and {least} are needed"
    )]
    NoFrameSeen { most: usize, markers: usize, least: usize },
    #[error(
        "the markers do not fit a body: {share:.0} % of them are far from where the others put them, and at most \
         {limit} % may be left out"
    )]
    NoFit { share: f64, limit: u32 },
    #[error("the calibration lacks {missing} of {all} labels")]
    OtherCalibration { missing: usize, all: usize },
    #[error(
        "the calibration has no bones of a body, as one that was written with a target: name the target again"
    )]
    NoBones,
    #[error(
        "the target has {found} degrees of freedom between its root and the joints that carry markers, and {most} are allowed"
    )]
    TargetSize { found: usize, most: usize },
    #[error("the result is not finite")]
    NotFinite,
    #[error(transparent)]
    Model(#[from] mocap_model::ModelError),
}

impl SolveError {
    /// A stable code, such as `solve::labels`.
    pub fn code(&self) -> &'static str {
        match self {
            SolveError::NoFrames => "solve::no-frames",
            SolveError::MarkerTable { .. } => "solve::marker-table",
            SolveError::UnknownSet { .. } => "solve::unknown-set",
            SolveError::TooFewLabels { .. } => "solve::labels",
            SolveError::Subjects { .. } => "solve::subjects",
            SolveError::NoTrunk { .. } => "solve::no-trunk",
            SolveError::OneSide { .. } => "solve::one-side",
            SolveError::NoPair { .. } => "solve::no-pair",
            SolveError::NotABody { .. } => "solve::not-a-body",
            SolveError::TargetUnit => "solve::target-unit",
            SolveError::NoFrameSeen { .. } => "solve::no-frame",
            SolveError::NoFit { .. } => "solve::no-fit",
            SolveError::OtherCalibration { .. } => "solve::other-calibration",
            SolveError::NoBones => "solve::no-bones",
            SolveError::TargetSize { .. } => "solve::target-size",
            SolveError::NotFinite => "solve::not-finite",
            SolveError::Model(_) => "model::invalid",
        }
    }
}

/// What was repaired or is doubtful, with its marker and frames.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SolveWarning {
    #[error("unknown labels are left out: {}", names.join(", "))]
    UnknownLabels { names: Vec<String> },
    #[error("the skeleton has no segment for {}: they are left out", names.join(", "))]
    WithoutSegment { names: Vec<String> },
    #[error(
        "labels are unknown; by their places alone the points are the markers of '{set}', and small residuals do not \
         show that this is the set: {pairs}"
    )]
    Identified { set: String, pairs: String },
    #[error("left out in all frames: typically {} mm from where the others put it", mm(*off))]
    WrongThroughout { marker: String, off: f64 },
    #[error("exchanged with '{other}' in {count} frames from {first} to {last}; they are exchanged back")]
    Swap { marker: String, other: String, first: usize, last: usize, count: usize },
    #[error("{count} positions are up to {} mm off and have little weight; the first in frame {first}", mm(*off))]
    Ghosts { marker: String, count: usize, first: usize, off: f64 },
    #[error("not seen in {count} of {frames} frames; the model fills them")]
    Gaps { marker: String, count: usize, frames: usize },
    #[error("the positions have the size of {used}, the file says {stated}: they are read as {used}")]
    WrongUnit { stated: String, used: &'static str },
    #[error("frames {first} to {last} are doubtful: {reason}")]
    Doubtful { first: usize, last: usize, reason: String },
    #[error("distances between markers of the static trial differ from the take by {:.1} %: another subject?", share * 100.0)]
    OtherSubject { share: f64 },
    #[error("no usable marker is on {}: kept in the rest pose", joints.join(", "))]
    Bare { joints: Vec<String> },
    #[error("gaps are not filled from example poses: {reason}")]
    NotFilled { reason: String },
    #[error(
        "the take hardly moves ({degrees:.0} degrees at most): where markers are attached is mostly what the table says"
    )]
    Still { degrees: f64 },
    #[error(
        "the body jumps by {metres:.1} m from frame {frame} to the next, {count} times in all: frames may be out of order"
    )]
    Jumps { frame: usize, metres: f64, count: usize },
    #[error("the body stands along {body}, and the file says that {stated} is up")]
    Up { body: String, stated: String },
    #[error("the calibration has no {}: they are left out", names.join(", "))]
    NotCalibrated { names: Vec<String> },
    #[error("static trial: {warning}")]
    StaticTrial { warning: Box<SolveWarning> },
}

fn mm(metres: f64) -> f64 {
    (metres * 1e4).round() / 10.0
}

impl SolveWarning {
    /// A stable code, such as `solve::swap`.
    pub fn code(&self) -> &'static str {
        match self {
            SolveWarning::UnknownLabels { .. } => "solve::unknown-labels",
            SolveWarning::WithoutSegment { .. } => "solve::without-segment",
            SolveWarning::Identified { .. } => "solve::identified",
            SolveWarning::WrongThroughout { .. } => "solve::wrong-throughout",
            SolveWarning::Swap { .. } => "solve::swap",
            SolveWarning::Ghosts { .. } => "solve::ghosts",
            SolveWarning::Gaps { .. } => "solve::gaps",
            SolveWarning::WrongUnit { .. } => "solve::unit",
            SolveWarning::Doubtful { .. } => "solve::doubtful",
            SolveWarning::OtherSubject { .. } => "solve::other-subject",
            SolveWarning::Bare { .. } => "solve::bare",
            SolveWarning::NotFilled { .. } => "solve::not-filled",
            SolveWarning::Still { .. } => "solve::still",
            SolveWarning::Jumps { .. } => "solve::jumps",
            SolveWarning::Up { .. } => "solve::up",
            SolveWarning::NotCalibrated { .. } => "solve::not-calibrated",
            SolveWarning::StaticTrial { warning } => warning.code(),
        }
    }

    /// The marker that it is about.
    pub fn marker(&self) -> Option<&str> {
        match self {
            SolveWarning::WrongThroughout { marker, .. }
            | SolveWarning::Swap { marker, .. }
            | SolveWarning::Ghosts { marker, .. }
            | SolveWarning::Gaps { marker, .. } => Some(marker),
            _ => None,
        }
    }

    /// The first frame that it is about, from 0.
    pub fn frame(&self) -> Option<usize> {
        match self {
            SolveWarning::Swap { first, .. }
            | SolveWarning::Ghosts { first, .. }
            | SolveWarning::Jumps { frame: first, .. }
            | SolveWarning::Doubtful { first, .. } => Some(*first),
            _ => None,
        }
    }
}
