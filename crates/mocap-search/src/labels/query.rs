//! Queries for labels.

use super::{Label, Segment};
use crate::SearchError;
use mocap_model::Side;
use std::str::FromStr;

/// A label, and the side if it matters: `kick,left-foot`, `wave,right`, `walk`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelQuery {
    /// The label.
    pub label: Label,
    /// The side of the limb.
    pub side: Option<Side>,
}

impl LabelQuery {
    /// Whether a segment matches.
    pub fn matches(&self, segment: &Segment) -> bool {
        segment.label == self.label && (self.side.is_none() || segment.side == self.side)
    }
}

/// The limb to which the side of a label refers.
fn limb(label: Label) -> Option<&'static str> {
    match label {
        Label::Kick => Some("foot"),
        Label::Punch | Label::Wave | Label::Throw => Some("hand"),
        _ => None,
    }
}

impl FromStr for LabelQuery {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<LabelQuery, SearchError> {
        let mut words = text.split(',').map(str::trim);
        let label: Label = words.next().unwrap_or_default().parse()?;
        let mut side = None;
        for word in words {
            let (own, part) = word.split_once('-').map_or((word, None), |(own, part)| (own, Some(part)));
            side = Some(match own {
                "left" if part.is_none() || part == limb(label) => Side::Left,
                "right" if part.is_none() || part == limb(label) => Side::Right,
                _ => return Err(SearchError::UnknownSide { side: word.to_owned() }),
            });
        }
        Ok(LabelQuery { label, side })
    }
}
