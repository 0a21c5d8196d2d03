//! The two readings of position channels, and what speaks for either.

use std::fmt;
use std::sync::OnceLock;

/// How position channels and OFFSET combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionMode {
    /// The position stands in place of OFFSET.
    #[default]
    Replace,
    /// The position is added to OFFSET.
    Add,
}

impl fmt::Display for PositionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PositionMode::Replace => "replace",
            PositionMode::Add => "add",
        })
    }
}

/// A body stands near height 0, or far from it: shares of its extent along the vertical.
const NEAR: f64 = 0.15;
const FAR: f64 = 0.35;

/// How low a body comes under either reading of its position channels \[units of the file\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowestPoints {
    /// Where position channels replace OFFSET.
    pub replace: f64,
    /// Where they add to it.
    pub add: f64,
    /// The extent of the body along the vertical.
    pub extent: f64,
}

impl LowestPoints {
    /// The reading under which the body stands near height 0, where the other one has it far away; `None` where the
    /// heights do not tell.
    pub fn mode(&self) -> Option<PositionMode> {
        if self.extent <= 0.0 {
            return None;
        }
        let is_near = |height: f64| height.abs() <= NEAR * self.extent;
        let is_far = |height: f64| height.abs() >= FAR * self.extent;
        match (self.replace, self.add) {
            (replace, add) if is_near(replace) && is_far(add) => Some(PositionMode::Replace),
            (replace, add) if is_near(add) && is_far(replace) => Some(PositionMode::Add),
            _ => None,
        }
    }
}

/// What the numbers of a file say about its position channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionDecision {
    /// The mode; `None` where it makes no difference: no joint has both position channels and an OFFSET.
    pub mode: Option<PositionMode>,
    /// Joints that speak for [`PositionMode::Replace`].
    pub replace: usize,
    /// Joints that speak for [`PositionMode::Add`].
    pub add: usize,
    /// How low the body comes under either reading; `None` where it makes no difference.
    pub lowest: Option<LowestPoints>,
    /// Whether it may well be the other one: the floor contradicts joints that are clear, or does not tell, and as many
    /// joints are for either, or none clearly for the one chosen.
    pub weak: bool,
}

/// What a document says about its position channels, found when it is first asked for: that takes all of its numbers.
#[derive(Debug, Default)]
pub(super) struct Found(OnceLock<PositionDecision>);

impl Found {
    pub(super) fn get_or_init(&self, find: impl FnOnce() -> PositionDecision) -> PositionDecision {
        *self.0.get_or_init(find)
    }
}

/// A copy is made to be changed.
impl Clone for Found {
    fn clone(&self) -> Found {
        Found::default()
    }
}

/// It follows from the rest of the document.
impl PartialEq for Found {
    fn eq(&self, _: &Found) -> bool {
        true
    }
}
