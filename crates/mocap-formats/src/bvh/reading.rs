//! The two modes of position channels, and the result of choosing one.

use std::fmt;
use std::sync::OnceLock;

/// How position channels and OFFSET combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionMode {
    /// The position replaces OFFSET.
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

/// A body is on the floor if its lowest point is within this share of its vertical extent from height 0.
const NEAR: f64 = 0.15;
/// It is far from the floor beyond this share.
const FAR: f64 = 0.35;

/// The lowest height of a body in either mode of its position channels \[units of the file\].
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
    /// The mode in which the body stands near height 0, if it is far from 0 in the other; else `None`.
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

/// The mode of the position channels of a file, decided from its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionDecision {
    /// The mode; `None` where it makes no difference: no joint has both position channels and an OFFSET.
    pub mode: Option<PositionMode>,
    /// Number of joints that vote for [`PositionMode::Replace`].
    pub replace: usize,
    /// Number of joints that vote for [`PositionMode::Add`].
    pub add: usize,
    /// The lowest heights in both modes; `None` where the mode makes no difference.
    pub lowest: Option<LowestPoints>,
    /// Whether the decision is uncertain: the floor test contradicts clear votes, or is undecided while the votes are
    /// tied or none for the chosen mode is clear.
    pub weak: bool,
}

/// The [`PositionDecision`] of a document, computed on first use because it needs all numbers.
#[derive(Debug, Default)]
pub(super) struct Found(OnceLock<PositionDecision>);

impl Found {
    pub(super) fn get_or_init(&self, find: impl FnOnce() -> PositionDecision) -> PositionDecision {
        *self.0.get_or_init(find)
    }
}

/// A clone starts empty, because its numbers may be changed.
impl Clone for Found {
    fn clone(&self) -> Found {
        Found::default()
    }
}

/// It is computed from the rest of the document, so it does not count in comparisons.
impl PartialEq for Found {
    fn eq(&self, _: &Found) -> bool {
        true
    }
}
