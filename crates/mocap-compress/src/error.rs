//! Errors of this crate.

use crate::wire::Malformed;
use std::fmt;

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Section {
    /// Profile, tolerance, rate and the table of all others.
    Header,
    /// Names, tree and rest pose.
    Skeleton,
    /// Which joints move.
    Plan,
    /// Name, events, numbers over time, scales.
    Extras,
    /// The motion from this frame on.
    Block(usize),
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Section::Header => f.write_str("header"),
            Section::Skeleton => f.write_str("skeleton"),
            Section::Plan => f.write_str("plan"),
            Section::Extras => f.write_str("section of numbers and names"),
            Section::Block(frame) => write!(f, "block at frame {frame}"),
        }
    }
}

/// Why a clip cannot be compressed as asked, or a file cannot be opened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The unit of the clip is unknown.
    #[error("the unit of the clip is unknown: state how many metres one unit is")]
    Unit,
    /// A length or an angle is not above zero.
    #[error("{what} is {value}; it must be above 0 and finite")]
    NotPositive {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// Single precision cannot hold this motion within the tolerance.
    #[error(
        "a tolerance of {:e} m is too fine for this motion in single precision; {}",
        *tolerance as f32,
        what_works(*smallest)
    )]
    TooFine {
        /// What was asked for \[m\].
        tolerance: f64,
        /// The smallest tolerance that works \[m\]; infinite where none does.
        smallest: f64,
    },
    /// Single precision cannot hold local rotations within the bound.
    #[error(
        "a local error of {} degrees is too fine for rotations in single precision; the smallest that works is {:e} degrees",
        bound.to_degrees(), rounded_up(smallest.to_degrees())
    )]
    TooFineTurn {
        /// What was asked for \[rad\].
        bound: f64,
        /// The smallest bound that works \[rad\].
        smallest: f64,
    },
    /// A joint that is given a tolerance is not in the skeleton.
    #[error("the skeleton has no joint '{joint}'")]
    NoSuchJoint {
        /// The name.
        joint: String,
    },
    /// A joint has no name.
    #[error("joint {joint} has no name; joints of a compressed clip need one")]
    NoName {
        /// Its index.
        joint: usize,
    },
    /// The motion is larger than a file can hold.
    #[error("the clip has {found} {what}; a file holds {limit}")]
    TooLarge {
        /// Of what there is too much.
        what: &'static str,
        /// How much.
        found: usize,
        /// How much a file holds.
        limit: usize,
    },
    /// The bound was not reached: a fault of the encoder.
    #[error(
        "the encoder did not reach {bound}: {reached:.3} times the requested bound; please report this clip"
    )]
    NotReached {
        /// Which bound.
        bound: &'static str,
        /// The best it came to, as a share of what was asked for.
        reached: f64,
    },
    /// Translations multiplied by the scales of the joints above them are not finite.
    #[error("the scales of the clip make translations overflow")]
    ScaleOverflow,
    /// The bound holds in frames, but not half-way between them.
    #[error(
        "half-way between frames the tolerance was not reached: {reached:.3e} m there instead of {tolerance} m"
    )]
    NotReachedBetween {
        /// What was asked for \[m\].
        tolerance: f64,
        /// The best it came to half-way between frames \[m\].
        reached: f64,
    },
    /// Not a `.mocz` file.
    #[error("the file starts with {found:02x?}, a compressed clip with 'MOCZ'")]
    Magic {
        /// The first bytes.
        found: Vec<u8>,
    },
    /// A newer version.
    #[error("the file is of version {found}, this program reads up to version {known}")]
    Version {
        /// The file's.
        found: u16,
        /// The newest that is read.
        known: u16,
    },
    /// The file is shorter than its table says, or longer.
    #[error("the {section} should end at byte {expected}, the file has {found}")]
    Length {
        /// The part that is cut off, or the last one.
        section: Section,
        /// Where it should end.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// The checksum of a part is wrong: the file is damaged.
    #[error("the {section} (bytes {from} to {to}) is damaged: its checksum differs")]
    Checksum {
        /// The part.
        section: Section,
        /// Its first byte.
        from: usize,
        /// The byte behind it.
        to: usize,
    },
    /// A part does not hold what it should.
    #[error("the {section} does not hold {expected} at byte {at}")]
    Malformed {
        /// The part.
        section: Section,
        /// The byte of the file.
        at: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// The file exceeds a limit.
    #[error("the file has {found} {what}, more than the limit of {limit}")]
    Limit {
        /// Of what there is too much.
        what: &'static str,
        /// How much.
        found: u64,
        /// How much is allowed.
        limit: u64,
    },
    /// The skeleton is in another file.
    #[error("the file has no skeleton: supply the one it was compressed with")]
    SkeletonElsewhere,
    /// The given skeleton is a different one.
    #[error("the clip was compressed with another skeleton")]
    WrongSkeleton,
}

impl CompressError {
    /// The stable code: `compress::…` of a clip that cannot be compressed, `mocz::…` of a file.
    pub fn code(&self) -> &'static str {
        match self {
            CompressError::Unit => "compress::unit",
            CompressError::NotPositive { .. } => "compress::not-positive",
            CompressError::TooFine { .. } => "compress::too-fine",
            CompressError::TooFineTurn { .. } => "compress::too-fine-turn",
            CompressError::NoSuchJoint { .. } => "compress::no-such-joint",
            CompressError::NoName { .. } => "compress::no-name",
            CompressError::TooLarge { .. } => "compress::too-large",
            CompressError::NotReached { .. } => "compress::not-reached",
            CompressError::NotReachedBetween { .. } => "compress::not-reached-between",
            CompressError::ScaleOverflow => "compress::scale-overflow",
            CompressError::Magic { .. } => "mocz::magic",
            CompressError::Version { .. } => "mocz::version",
            CompressError::Length { .. } => "mocz::length",
            CompressError::Checksum { .. } => "mocz::checksum",
            CompressError::Malformed { .. } => "mocz::malformed",
            CompressError::Limit { .. } => "mocz::limit",
            CompressError::SkeletonElsewhere => "mocz::skeleton-elsewhere",
            CompressError::WrongSkeleton => "mocz::wrong-skeleton",
        }
    }

    pub(crate) fn malformed(section: Section, start: usize, found: Malformed) -> CompressError {
        CompressError::Malformed { section, at: start + found.at, expected: found.expected }
    }
}

fn what_works(smallest: f64) -> String {
    match smallest.is_finite() {
        true => format!("the smallest that works is {:e} m", rounded_up(smallest)),
        false => "no tolerance works, because a position is too large".into(),
    }
}

/// At two digits, and never below the value: the printed number has to work.
fn rounded_up(value: f64) -> f64 {
    let place = value.log10().floor() as i32 - 1;
    // Powers of ten below 1 are not exact; dividing by those above is rounded once, as reading the text is.
    match place {
        ..0 => (value * 10f64.powi(-place)).ceil() / 10f64.powi(-place),
        _ => (value / 10f64.powi(place)).ceil() * 10f64.powi(place),
    }
}
