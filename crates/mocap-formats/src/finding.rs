//! What readers have to say about a file: errors and warnings with their place.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Range;

use crate::{LimitExceeded, bvh, text};

/// What was found, by the format that found it. Every kind has a stable code and a one-sentence message.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
#[allow(missing_docs, reason = "each holds the problems of the module of its name")]
pub enum Kind {
    Text(#[from] text::Problem),
    Limit(#[from] LimitExceeded),
    Asf(#[from] crate::asf::Problem),
    Amc(#[from] crate::amc::Problem),
    Bvh(#[from] bvh::Problem),
    Skel(#[from] crate::skel::Problem),
    Json(#[from] crate::json::Problem),
    Map(#[from] crate::map::Problem),
}

impl Kind {
    /// The stable code, such as `bvh::row-length`.
    pub fn code(&self) -> &'static str {
        match self {
            Kind::Text(problem) => problem.code(),
            Kind::Limit(_) => "limit",
            Kind::Asf(problem) => problem.code(),
            Kind::Amc(problem) => problem.code(),
            Kind::Bvh(problem) => problem.code(),
            Kind::Skel(problem) => problem.code(),
            Kind::Json(problem) => problem.code(),
            Kind::Map(problem) => problem.code(),
        }
    }
}

/// A place in the text of a file (see [`text::decode`] for files that are not UTF-8).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The bytes in question.
    pub span: Range<usize>,
    /// 1-based line of the first byte.
    pub line: usize,
    /// 1-based column of the first byte, counted in characters.
    pub column: usize,
}

impl Place {
    /// The place of a span of `text`. CR, LF and CR LF end a line.
    pub fn of(text: &[u8], span: Range<usize>) -> Place {
        Lines::new(text).place(span)
    }
}

/// Counts the lines of a text up to places that come in ascending order.
struct Lines<'a> {
    text: &'a [u8],
    counted: usize,
    line: usize,
    column: usize,
}

impl Lines<'_> {
    fn new(text: &[u8]) -> Lines<'_> {
        Lines { text, counted: 0, line: 1, column: 1 }
    }

    fn place(&mut self, span: Range<usize>) -> Place {
        let end = span.start.min(self.text.len());
        for i in self.counted..end {
            let byte = self.text[i];
            // A CR LF pair is one end, counted at the LF.
            if byte == b'\n' || (byte == b'\r' && self.text.get(i + 1) != Some(&b'\n')) {
                self.line += 1;
                self.column = 1;
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes of UTF-8 are no characters of their own.
                self.column += 1;
            }
        }
        self.counted = self.counted.max(end);
        Place { column: self.column, line: self.line, span }
    }
}

/// Counts line and column of places of which only the span is known, in one pass over the text.
pub(crate) fn locate<'p>(text: &[u8], places: impl Iterator<Item = &'p mut Place>) {
    let mut places: Vec<&mut Place> = places.collect();
    places.sort_by_key(|place| place.span.start);
    let mut lines = Lines::new(text);
    for place in places {
        *place = lines.place(place.span.clone());
    }
}

/// What part of a file a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The joint, bone or end site.
    pub joint: Option<String>,
    /// The channel, such as `Zrotation`.
    pub channel: Option<String>,
    /// The 0-based frame.
    pub frame: Option<usize>,
}

/// An error or a warning about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// Where; of a counted warning, where first. `None`: it is about the whole file.
    pub place: Option<Place>,
    /// In which joint, channel, frame.
    pub context: Context,
    /// How often it was found.
    pub count: usize,
}

impl Finding {
    /// A finding about the whole file.
    pub fn new(kind: impl Into<Kind>) -> Finding {
        Finding { kind: kind.into(), place: None, context: Context::default(), count: 1 }
    }

    /// The same finding at a span of the text.
    pub fn at(mut self, text: &[u8], span: Range<usize>) -> Finding {
        self.place = Some(Place::of(text, span));
        self
    }

    /// The same finding at a span whose line is counted later: see [`Warnings::into_vec_in`].
    pub(crate) fn spanning(mut self, span: Range<usize>) -> Finding {
        self.place = Some(Place { span, line: 0, column: 0 });
        self
    }

    /// The same finding about a joint.
    pub fn in_joint(mut self, joint: impl Into<String>) -> Finding {
        self.context.joint = Some(joint.into());
        self
    }

    /// The same finding about a channel.
    pub fn in_channel(mut self, channel: impl Into<String>) -> Finding {
        self.context.channel = Some(channel.into());
        self
    }

    /// The same finding about a frame, 0-based.
    pub fn in_frame(mut self, frame: usize) -> Finding {
        self.context.frame = Some(frame);
        self
    }

    /// The stable code of its kind.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "line {}, column {}: ", place.line, place.column)?;
        }
        write!(f, "{}", self.kind)?;
        let Context { joint, channel, frame } = &self.context;
        let parts = [
            joint.as_ref().map(|joint| format!("joint '{joint}'")),
            channel.as_ref().map(|channel| format!("channel {channel}")),
            frame.map(|frame| format!("frame {frame}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            write!(f, " ({})", parts.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Finding {}

/// A value read from a file, and what the reader repaired to get it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// One per code and joint, in the order in which they were first found.
    pub warnings: Vec<Finding>,
}

/// Warnings while a file is read; findings of one code and joint are counted, not repeated.
#[derive(Debug, Default)]
pub struct Warnings {
    found: Vec<Finding>,
    /// Where in `found` the warning of a code and joint is.
    places: HashMap<(&'static str, Option<String>), usize>,
}

impl Warnings {
    /// Adds a warning, or counts it where one of its code and joint is there.
    pub fn push(&mut self, finding: Finding) {
        match self.places.entry((finding.code(), finding.context.joint.clone())) {
            Entry::Occupied(place) => self.found[*place.get()].count += finding.count,
            Entry::Vacant(place) => {
                place.insert(self.found.len());
                self.found.push(finding);
            }
        }
    }

    /// The warnings in the order in which they were first found.
    pub fn into_vec(self) -> Vec<Finding> {
        self.found
    }

    /// As [`Warnings::into_vec`], with the lines of all places counted in one pass over the text.
    pub(crate) fn into_vec_in(mut self, text: &[u8]) -> Vec<Finding> {
        locate(text, self.found.iter_mut().filter_map(|finding| finding.place.as_mut()));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_code_in_one_joint_is_counted_however_many_joints_there_are() {
        let mut warnings = Warnings::default();
        for _ in 0..2 {
            for joint in 0..200 {
                warnings.push(Finding::new(text::Problem::Empty).in_joint(joint.to_string()));
            }
        }
        let found = warnings.into_vec();
        assert_eq!((found.len(), found.iter().map(|finding| finding.count).max()), (200, Some(2)));
    }
}
