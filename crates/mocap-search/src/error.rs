//! Why a motion cannot be searched.

use mocap_model::Role;
use thiserror::Error;

/// Why a motion cannot be searched.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A skeleton without the joints that descriptors need.
    #[error("the skeleton has no {}; a search compares human bodies", list(.missing))]
    Unmapped {
        /// The roles that no joint has.
        missing: Vec<Role>,
    },
    /// A robot.
    #[error("the skeleton is a robot; a search compares human bodies")]
    Robot,
    /// A body on four legs.
    #[error("the skeleton stands on four legs; a search compares human bodies")]
    FourLegs,
    /// A skeleton whose legs have no length.
    #[error("the legs have no length in frame {frame}")]
    NoLegs {
        /// The frame, from 0.
        frame: usize,
    },
    /// A clip without motion.
    #[error("a motion needs at least 2 frames; frames of the clip: {frames}")]
    TooFewFrames {
        /// The frames of the clip.
        frames: usize,
    },
    /// Frames that are too far apart to be a motion.
    #[error("the clip has {fps} frames per second; a search needs at least 1")]
    Slow {
        /// Its frame rate.
        fps: f64,
    },
    /// Positions that are not finite.
    #[error("the positions of frame {frame} are not finite")]
    NotFinite {
        /// The frame, from 0.
        frame: usize,
    },
    /// A query that is too short.
    #[error("the query lasts {found:.2} s; a search needs at least {least:.1} s")]
    ShortQuery {
        /// The duration of the query \[s\].
        found: f64,
        /// The shortest duration \[s\].
        least: f64,
    },
    /// A range outside the clip.
    #[error("the range {from:.2} s to {to:.2} s is outside the clip, which lasts {duration:.2} s")]
    RangeOutside {
        /// Start of the range \[s\].
        from: f64,
        /// End of the range \[s\].
        to: f64,
        /// Duration of the clip \[s\].
        duration: f64,
    },
    /// An expression of labels that cannot be read.
    #[error("{}, character {place}: {reason}", shortened(.text))]
    Expression {
        /// The text.
        text: String,
        /// From 1.
        place: usize,
        /// What is wrong.
        reason: String,
    },
    /// A label that does not exist.
    #[error("'{label}' is not a label; the nearest is '{nearest}'")]
    UnknownLabel {
        /// The text.
        label: String,
        /// The label that is spelled most like it.
        nearest: String,
    },
    /// A side that does not exist.
    #[error("'{side}' is not a side; a label has left or right behind its comma")]
    UnknownSide {
        /// The text.
        side: String,
    },
}

/// A text in quotes; the start of a long one.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("'{} …'", &text[..end]),
        None => format!("'{text}'"),
    }
}

fn list(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}
