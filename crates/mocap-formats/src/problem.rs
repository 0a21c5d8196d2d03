//! The interface of problems: a stable code and a message.

use std::any::Any;
use std::fmt;

/// A kind of problem that a reader or writer reports: a stable code and a one-sentence message.
///
/// Each format has one enum of its problems. [`Finding::problem_as`](crate::Finding::problem_as) gives the typed
/// problem back.
pub trait Problem: fmt::Display + fmt::Debug + Any + Send + Sync {
    /// The stable code, such as `bvh::row-length`.
    fn code(&self) -> &'static str;

    /// The option of the reader that resolves the problem, if any does.
    fn remedy(&self) -> Option<Remedy> {
        None
    }
}

/// An option that resolves a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Interpolate over values that are not finite.
    Repair,
    /// Leave out positions that are not finite: they become gaps.
    RepairToGaps,
    /// State the frame rate.
    StateRate,
    /// State what position channels mean.
    StatePositionChannels,
    /// Pick one of several bodies.
    PickSubject,
    /// Drop the first frame: it is a rest pose.
    DropFirstFrame,
    /// State the axis that points up.
    StateUp,
    /// State the unit of lengths.
    StateUnit,
    /// Name the skeleton file that an AMC file moves.
    NameSkeleton,
    /// Write names that every reader takes.
    SafeNames,
    /// Write the document as it was read.
    KeepDocument,
    /// Draw a body that is bound to the joints.
    DrawBody,
    /// Retarget the motion to a character whose rest pose is a T-pose.
    RetargetToTPose,
}

impl Remedy {
    /// Whether it is the option to repair, whatever becomes of the values.
    pub fn is_repair(self) -> bool {
        matches!(self, Remedy::Repair | Remedy::RepairToGaps)
    }
}
