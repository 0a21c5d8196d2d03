//! The error of the crate.

/// Why a skeleton, a clip or a set of markers cannot be built or changed.
///
/// ```
/// use mocap_model::{ModelError, Skeleton, Space};
///
/// let error = Skeleton::new("empty", Space::default(), vec![]).unwrap_err();
/// assert_eq!(error, ModelError::NoJoints);
/// assert_eq!(error.to_string(), "a skeleton needs at least one joint");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ModelError {
    #[error("a skeleton needs at least one joint")]
    NoJoints,
    #[error("joint '{joint}' is listed before its parent; parents come first")]
    ParentAfterChild { joint: String },
    #[error("the skeleton is not that of a robot model")]
    NotRobot,
    #[error("joint '{joint}' does not move as the robot allows in frame {frame}")]
    NotOnRobot { joint: String, frame: usize },
    #[error("two joints are called '{name}'; names are unique in a skeleton")]
    DuplicateName { name: String },
    #[error("joint '{joint}' has an offset, rest rotation or limit that is not a number")]
    RestNotFinite { joint: String },
    #[error(
        "joint '{joint}' has an offset with a coordinate of {found:e}, beyond 1e12: a number or the unit is wrong"
    )]
    RestTooFar { joint: String, found: f64 },
    #[error("the end site '{joint}' has a child; only a joint can have one")]
    EndSiteWithChild { joint: String },
    #[error("joint '{joint}' has a limit from {min} to {max} rad: the smaller angle comes first")]
    EmptyLimit { joint: String, min: f64, max: f64 },
    #[error("joint '{joint}' has a highest speed, acceleration or effort of {value}, which is not above 0")]
    NotPositive { joint: String, value: f64 },
    #[error("a robot is scaled by a number above 0, not by {factor}")]
    Scale { factor: f64 },
    #[error("body {index} does not exist: the robot has {bodies} bodies")]
    NoBody { index: usize, bodies: usize },
    #[error("shape {index} does not exist: the robot has {shapes} shapes")]
    NoShape { index: usize, shapes: usize },
    #[error("body '{body}' is more than {limit} bodies away from the base; no robot is that deep")]
    TooDeep { body: String, limit: usize },
    #[error("chain '{chain}' does not run down the tree: its base is not above its tip")]
    BrokenChain { chain: String },
    #[error("coupling '{coupling}': {reason}")]
    Coupling { coupling: String, reason: String },
    #[error("{tracks} joints have tracks, the skeleton has {joints}")]
    TrackCount { tracks: usize, joints: usize },
    #[error("joint '{joint}' has {found} frames, the clip has {expected}")]
    TrackLength { joint: String, found: usize, expected: usize },
    #[error("joint '{joint}' has a value that is not a number in frame {frame}")]
    NotFinite { joint: String, frame: usize },
    #[error(
        "joint '{joint}' has a coordinate or scale of {found:e} in frame {frame}, beyond 1e12: a number or the unit is wrong"
    )]
    TooFar { joint: String, frame: usize, found: f64 },
    #[error("two scalar tracks are called '{name}'; names are unique in a clip")]
    DuplicateScalar { name: String },
    #[error("the scalar track '{name}' has {found} frames, the clip has {expected}")]
    ScalarLength { name: String, found: usize, expected: usize },
    #[error("the scalar track '{name}' has a value that is not a number in frame {frame}")]
    ScalarNotFinite { name: String, frame: usize },
    #[error("the event '{name}' has a time that is not a number")]
    EventNotFinite { name: String },
    #[error("frames {from} to {to} are not in the clip: it has {frames}")]
    FrameRange { from: usize, to: usize, frames: usize },
    #[error("at {fps:?} frames per second the clip would have more than {limit} frames")]
    TooManyFrames { fps: f64, limit: usize },
    #[error(
        "'{name}' has {found}, '{first}' has {expected}: what is written into one file shares frames, rate and unit"
    )]
    SceneApart { first: String, name: String, expected: String, found: String },
    #[error("two markers are called '{name}'; names are unique in a recording")]
    DuplicateMarker { name: String },
    #[error("{found} values were given for {frames} frames of {markers} markers")]
    MarkerLength { found: usize, frames: usize, markers: usize },
    #[error("marker '{marker}' has a position that is not a number in frame {frame}; a gap has no position")]
    MarkerNotFinite { marker: String, frame: usize },
    #[error("marker '{marker}' has a residual in frame {frame} that is negative or not a number")]
    MarkerResidual { marker: String, frame: usize },
}
