//! Problems of motions in any format.

use std::fmt;

use mocap_compress::CompressError;
use mocap_formats::bvh::PositionMode;
use mocap_formats::{Finding, Remedy};
use mocap_model::{ModelError, SignedAxis, Unit};

use crate::BodySize;
use crate::digits::{readable, short, three_digits};

/// A problem of a motion file that does not belong to the reader of one format.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors.
    #[error("not a compressed clip{}", if *named { ", although its name ends in .mocz" } else { "" })]
    NotCompressed { named: bool },
    #[error("{0}")]
    Compressed(CompressError),
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("{reason}")]
    NoSkeleton { reason: String },
    #[error("{edit} leaves no frame: the motion has {frames}")]
    NoFrameLeft { edit: &'static str, frames: usize },
    #[error("{edit}: {error}")]
    Edit { edit: &'static str, error: ModelError },
    #[error("the frame rate is {} fps, that of the other motion {} fps", short(*other), short(*reference))]
    RatesDiffer { reference: f64, other: f64 },
    #[error("{0}")]
    Resample(ModelError),
    #[error(
        "the duration is {} s, that of the other motion {} s: they cannot be compared over time",
        short(*other),
        short(*reference)
    )]
    DurationsDiffer { reference: f64, other: f64 },
    #[error("unsupported output format '.{extension}'")]
    UnsupportedOutput { extension: String },
    #[error("compressed clips are written only by `mocap compress`")]
    CompressedOutput,
    #[error("the unit of lengths is unknown: the file does not state it, and {size}")]
    UnitUnknown { size: BodySize },

    #[error("{option} must be above 0, found {value}")]
    NotAboveZero { option: &'static str, value: f64 },

    #[error(
        "'{path}' is a link to a place outside the folder of the file: only files below that folder are read"
    )]
    LinkOut { path: String },
    #[error(
        "'{path}' is a Git LFS pointer, which stands for a file that was not downloaded: `git lfs pull` downloads it"
    )]
    LfsPointer { path: String },
    #[error("there is no subject '{asked}'; the file has {}", match known.len() {
        0 => "no bodies".to_owned(),
        _ => known.join(", "),
    })]
    NoSubject { asked: String, known: Vec<String> },

    #[error(
        "the number of characters differs: {} ({}), in the reference {} ({})",
        found.len(), found.join(", "), expected.len(), expected.join(", ")
    )]
    CharactersDiffer { found: Vec<String>, expected: Vec<String> },

    // Warnings.
    #[error(
        "roles, heading, planar velocity and contacts are those of '{name}', the first of several characters"
    )]
    ArraysOfFirst { name: String },
    #[error(
        "the joints are those of a robot, and neither the file nor their names say which of them bend {limbs}: these are \
         taken from lengths and axes; --explain shows them, and --map states them"
    )]
    RobotJoints { limbs: &'static str },
    #[error(
        "the joints are those of this robot, but '{}' is {} in frame {}: the motion is fitted anew, and values of joints \
         change; files that are compressed with an error of at most 0.1 mm keep them",
        off.joint,
        match off.distance > off.angle.to_radians() {
            true => format!("{:.1} mm off its place", off.distance * 1e3),
            false => format!("turned {:.1}° off the axis of its hinge", off.angle),
        },
        off.frame
    )]
    OffHinge { off: mocap_robot::OffHinge },
    #[error(
        "the robot's {} hand is off the floor in {} of the {} frames in which the source's is on it, by up to {:.1} cm: \
         the arm cannot reach it, or feet and joint limits do not allow it",
        hand.side, hand.off_frames, hand.contact_frames, hand.off_max * 100.0
    )]
    RobotHandOffFloor { hand: mocap_robot::RobotHand },
    #[error(
        "nothing shows which way the robot faces, neither names of left and right nor knees or feet: it is taken to face X \
         of its base; a map that states its knees (--map) tells left from right"
    )]
    RobotFacingAssumed,
    #[error("the file has {} subjects: {}; one of them is taken", names.len(), names.join(", "))]
    SeveralSubjects { names: Vec<String> },
    #[error(
        "the target has {} skeletons of bodies: {}; one of them moves, and meshes on the others stay at rest: bind all \
         meshes to one",
        names.len(),
        names.join(", ")
    )]
    SeveralTargets { names: Vec<String> },
    #[error(
        "half-way between frames the error reaches {:.1} mm, the limit in frames is {} mm: a joint turns by about 180° \
         between two frames",
        max * 1e3,
        short(limit * 1e3)
    )]
    FarBetweenFrames { max: f64, limit: f64 },
    #[error("the unit is assumed to be that of the other motion")]
    UnitOfOther,
    #[error("no joint matches '{glob}': its tolerance has no effect")]
    NoSuchJoint { glob: String, near: Vec<String> },
    #[error(
        "the unit is assumed to be {}, from the size of the skeleton{}",
        unit_name(unit),
        adult.as_ref().map(AdultUnit::to_string).unwrap_or_default()
    )]
    UnitGuessed { unit: Unit, adult: Option<AdultUnit> },
    #[error(
        "the unit is assumed to be {}, as in {agreeing} of {clips} inputs with the same skeleton; with other inputs \
         beside it the file may be read otherwise",
        unit_name(unit)
    )]
    UnitVoted { unit: Unit, agreeing: usize, clips: usize },
    #[error(
        "with the unit that was stated, {}, the body has a stature of about {} m",
        unit_name(unit),
        three_digits(*stature)
    )]
    UnitUnlikely { unit: Unit, stature: f64 },
    #[error("the unit is unknown: {size}; lengths in the report count {what} as {metres:.2} m")]
    UnitForReport { size: BodySize, what: &'static str, metres: f64 },
    #[error(
        "position channels {}, as in {agreeing} of {clips} inputs with the same skeleton; with other inputs beside it \
         the file may be read otherwise",
        match mode {
            PositionMode::Replace => "replace OFFSET",
            PositionMode::Add => "add to OFFSET",
        }
    )]
    PositionsVoted { mode: PositionMode, agreeing: usize, clips: usize },
    #[error("the body stands along {}, which is taken as the up axis in place of {}", signed(*body), signed(*usual))]
    UpDetected { body: SignedAxis, usual: SignedAxis },
    #[error(
        "the motion has {} frames per second, {} s each; cameras record {} to {} per second{}",
        readable(*fps),
        readable(1.0 / fps),
        short(*RATES.start()),
        short(*RATES.end()),
        match rate_as_time(*fps) {
            Some(rate) => format!(": {} looks like the rate, written as the time of a frame", short(rate)),
            None => String::new(),
        }
    )]
    RateUnlikely { fps: f64 },
    #[error(
        "the file states no forward axis: {} is assumed, with which both motions face the same way",
        signed(*forward)
    )]
    ForwardOfOther { forward: SignedAxis },
    #[error(
        "the rest pose is not a T- or A-pose; that of the VRM animation is a T-pose estimated from the motion"
    )]
    TPoseEstimated,
    #[error("the mesh is not used to keep arms out of the body: {because}")]
    SurfaceUnused { because: String },
    #[error(
        "the mesh encloses {enclosed} of {joints} joints of trunk and legs: where it is open, what is inside of it is not \
         known"
    )]
    SurfaceOpen { enclosed: usize, joints: usize },
    #[error(
        "the body is far from a person: {what} {share:.2} of its height, those of people {person:.2}; lengths that are \
         given for a person of 1.7 m are scaled by its height"
    )]
    SurfaceProportions { what: &'static str, share: f64, person: f64 },
}

/// Rates at which bodies are recorded or animated: time lapses are slower, and the fastest cameras for motion capture
/// record 2000 frames per second \[1/s\].
pub(crate) const RATES: std::ops::RangeInclusive<f64> = 1.0..=2000.0;
/// Rates that cameras and engines use are whole and at least this \[1/s\].
const SLOWEST_CAMERA: f64 = 10.0;

/// The rate that was written where the time of a frame belongs, if the time of a frame is such a number.
///
/// ```
/// assert_eq!(mocap::rate_as_time(1.0 / 30.0), Some(30.0));
/// assert_eq!(mocap::rate_as_time(30.0), None);
/// ```
pub fn rate_as_time(fps: f64) -> Option<f64> {
    let time = 1.0 / fps;
    let whole = (time * 1000.0).round() / 1000.0;
    let is_rate = (SLOWEST_CAMERA..=*RATES.end()).contains(&time) && (time / whole - 1.0).abs() < 1e-6;
    is_rate.then_some(whole)
}

/// The warning about a rate at which no body is recorded.
pub(crate) fn unlikely_rate(fps: f64) -> Option<Finding> {
    (!RATES.contains(&fps)).then(|| Finding::new(Problem::RateUnlikely { fps }))
}

/// Checks an option that is a factor or length.
pub(crate) fn above_zero(option: &'static str, value: Option<f64>) -> Result<(), Finding> {
    match value {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            Err(Finding::new(Problem::NotAboveZero { option, value }))
        }
        _ => Ok(()),
    }
}

/// The usual name of a unit, else its length in metres.
///
/// ```
/// use mocap::{Unit, UnitSource};
///
/// assert_eq!(mocap::unit_name(&Unit { metres: 0.01, source: UnitSource::File }), "cm");
/// assert_eq!(mocap::unit_name(&Unit { metres: 0.02, source: UnitSource::File }), "0.02 m");
/// ```
pub fn unit_name(unit: &Unit) -> String {
    unit.name().map_or_else(|| format!("{} m", unit.metres), str::to_owned)
}

/// Another unit than the guessed one in which a body has the stature of an adult.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdultUnit {
    /// The other unit.
    pub unit: Unit,
    /// The stature in it \[m\].
    pub stature: f64,
    /// The stature in the guessed unit \[m\].
    pub guessed: f64,
}

impl fmt::Display for AdultUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [guessed, stature] = [self.guessed, self.stature].map(three_digits);
        let unit = unit_name(&self.unit);
        write!(f, ": a body of {guessed} m; with the unit '{unit}' it is an adult of {stature} m")
    }
}

/// With its sign, plus as well.
fn signed(axis: SignedAxis) -> String {
    if axis.negative { axis.to_string() } else { format!("+{axis}") }
}

impl mocap_formats::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NotCompressed { .. } => "mocz::magic",
            Problem::Compressed(error) => error.code(),
            Problem::TooLarge { .. } => "io::too-large",
            Problem::NoSkeleton { .. } => "amc::no-skeleton",
            Problem::NoFrameLeft { .. } => "edit::no-frames",
            Problem::Edit { error: ModelError::TooManyFrames { .. }, .. } => "edit::too-many-frames",
            Problem::Edit { error: ModelError::TooFar { .. } | ModelError::RestTooFar { .. }, .. } => {
                "edit::too-far"
            }
            Problem::Edit { .. } => "edit::not-finite",
            Problem::RatesDiffer { .. } | Problem::Resample(_) => "compare::rates",
            Problem::DurationsDiffer { .. } => "compare::different",
            Problem::UnsupportedOutput { .. } | Problem::CompressedOutput => "usage::format",
            Problem::NoSuchJoint { .. } => "compress::no-such-joint",
            Problem::FarBetweenFrames { .. } => "compress::between-frames",
            Problem::NotAboveZero { .. } => "usage::value",
            Problem::LinkOut { .. } => "io::link-out",
            Problem::LfsPointer { .. } => "io::lfs-pointer",
            Problem::UnitUnknown { .. } => "unit::unknown",
            Problem::UnitGuessed { .. } | Problem::UnitOfOther => "unit::guessed",
            Problem::UnitVoted { .. } => "unit::voted",
            Problem::UnitForReport { .. } => "unit::report",
            Problem::UnitUnlikely { .. } => "unit::unlikely",
            Problem::RateUnlikely { .. } => "rate::unlikely",
            Problem::ForwardOfOther { .. } => "space::forward-of-other",
            Problem::PositionsVoted { .. } => "bvh::positions-voted",
            Problem::UpDetected { .. } => "space::up-detected",
            Problem::NoSubject { .. } => "subject::unknown",
            Problem::RobotJoints { .. } => "robot::joints",
            Problem::OffHinge { .. } => "robot::fitted-anew",
            Problem::RobotHandOffFloor { .. } => "retarget::hand-off-floor",
            Problem::RobotFacingAssumed => "robot::facing-assumed",
            Problem::SeveralSubjects { .. } => "subject::several",
            Problem::SeveralTargets { .. } => "target::several",
            Problem::CharactersDiffer { .. } => "compare::characters",
            Problem::ArraysOfFirst { .. } => "arrays::first-character",
            Problem::TPoseEstimated => "vrma::t-pose-estimated",
            Problem::SurfaceUnused { .. } => "surface::unused",
            Problem::SurfaceOpen { .. } => "surface::open",
            Problem::SurfaceProportions { .. } => "surface::proportions",
        }
    }

    fn remedy(&self) -> Option<Remedy> {
        match self {
            Problem::NoSkeleton { .. } => Some(Remedy::NameSkeleton),
            Problem::UnitUnknown { .. }
            | Problem::UnitGuessed { .. }
            | Problem::UnitVoted { .. }
            | Problem::UnitUnlikely { .. }
            | Problem::UnitForReport { .. } => Some(Remedy::StateUnit),
            Problem::RateUnlikely { .. } => Some(Remedy::StateRate),
            Problem::PositionsVoted { .. } => Some(Remedy::StatePositionChannels),
            Problem::UpDetected { .. } => Some(Remedy::StateUp),
            Problem::SeveralSubjects { .. }
            | Problem::ArraysOfFirst { .. }
            | Problem::CharactersDiffer { .. } => Some(Remedy::PickSubject),
            _ => None,
        }
    }
}
