//! What readers report about a file: errors and warnings with their place.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::{Place, Problem, Remedy};

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
#[derive(Clone, Debug)]
pub struct Finding {
    /// What it is.
    pub problem: Arc<dyn Problem>,
    /// Where; for a counted warning, the first place. `None`: it is about the whole file.
    pub place: Option<Place>,
    /// In which joint, channel, frame.
    pub context: Context,
    /// How often it was found.
    pub count: usize,
}

impl Finding {
    /// A finding about the whole file.
    pub fn new(problem: impl Problem) -> Finding {
        Finding { problem: Arc::new(problem), place: None, context: Context::default(), count: 1 }
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

    /// The stable code of its problem.
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// The typed problem, where it is one of type `P`, such as [`bvh::Problem`](crate::bvh::Problem).
    pub fn problem_as<P: Problem>(&self) -> Option<&P> {
        let problem: &dyn Any = self.problem.as_ref();
        problem.downcast_ref()
    }

    /// The option of the reader that resolves it. Those that repair are given for values over time only.
    pub fn remedy(&self) -> Option<Remedy> {
        self.problem.remedy().filter(|remedy| !remedy.is_repair() || self.context.frame.is_some())
    }
}

impl PartialEq for Finding {
    /// Problems are equal where code and message are.
    fn eq(&self, other: &Finding) -> bool {
        self.code() == other.code()
            && self.problem.to_string() == other.problem.to_string()
            && (&self.place, &self.context, self.count) == (&other.place, &other.context, other.count)
    }
}

/// A text of a file for a message: a long one is shortened to its start and end.
fn shortened(text: String) -> String {
    const MOST: usize = 1024;
    if text.len() <= MOST {
        return text;
    }
    let start = (0..=MOST / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (text.len() - MOST / 2..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}…{}", &text[..start], &text[end..])
}

/// At most 3 kB, whatever the file holds.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "line {}, column {}: ", place.line, place.column)?;
        }
        f.write_str(&shortened(self.problem.to_string()))?;
        let Context { joint, channel, frame } = &self.context;
        let parts = [
            joint.as_ref().map(|joint| format!("joint '{}'", shortened(joint.clone()))),
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

/// A value read from a file, with warnings about what the reader repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<T> {
    /// The value.
    pub value: T,
    /// One per code and joint, in the order in which they were first found.
    pub warnings: Vec<Finding>,
}
