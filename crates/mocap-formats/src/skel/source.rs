//! The text of a skeleton, with warnings and errors at places in it.

use super::Problem;
use crate::Finding;
use crate::tagged::{Step, locate};
use std::ops::Range;

/// The text of a file and the path at which the skeleton starts.
pub(crate) struct Source<'t> {
    text: &'t [u8],
    prefix: &'t [Step<'t>],
    warnings: Vec<Finding>,
}

impl<'t> Source<'t> {
    pub(crate) fn new(text: &'t [u8], prefix: &'t [Step<'t>]) -> Source<'t> {
        Source { text, prefix, warnings: Vec::new() }
    }

    pub(crate) fn into_warnings(self) -> Vec<Finding> {
        self.warnings
    }

    /// Adds a warning. Repetitions are only counted, because locating each one would search the text.
    pub(super) fn warn(&mut self, steps: &[Step], problem: impl FnOnce(String) -> Problem) {
        match self.warnings.first_mut() {
            Some(earlier) => earlier.count += 1,
            None => self.warnings.push(self.error(steps, problem)),
        }
    }

    /// A path as text, and its place.
    fn path(&self, steps: &[Step]) -> (String, Range<usize>) {
        let all: Vec<Step> = self.prefix.iter().chain(steps).copied().collect();
        let mut text = String::new();
        for step in &all {
            match step {
                Step::Key(key) if text.is_empty() => text.push_str(key),
                Step::Key(key) => text.push_str(&format!(".{key}")),
                Step::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        (text, locate(self.text, &all))
    }

    pub(crate) fn error<P: crate::Problem>(
        &self,
        steps: &[Step],
        problem: impl FnOnce(String) -> P,
    ) -> Finding {
        let (path, span) = self.path(steps);
        Finding::new(problem(path)).at(self.text, span)
    }

    pub(super) fn value(&self, steps: &[Step], message: impl Into<String>) -> Finding {
        let message = message.into();
        self.error(steps, |path| Problem::Value { path, message })
    }
}
