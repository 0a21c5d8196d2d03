//! Findings while an Acclaim file is read: one per code and joint.

use crate::{Context, Finding, Problem, Warnings, text};
use std::collections::HashSet;
use std::ops::Range;

/// Collects warnings about a text. Their lines and columns are counted at the end, in one pass.
pub(crate) struct Report<'t> {
    text: &'t [u8],
    warnings: Warnings,
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Report<'t> {
        Report { text, warnings: Warnings::default() }
    }

    pub(crate) fn error(&self, problem: impl Problem, span: Range<usize>) -> Finding {
        Finding::new(problem).at(self.text, span)
    }

    pub(crate) fn warn(&mut self, problem: impl Problem, span: Range<usize>, joint: Option<&str>) {
        self.warn_counted(problem, span, joint, None, 1);
    }

    pub(crate) fn warn_in_frame(
        &mut self,
        problem: impl Problem,
        span: Range<usize>,
        joint: Option<&str>,
        frame: Option<usize>,
    ) {
        self.warn_counted(problem, span, joint, frame, 1);
    }

    pub(crate) fn warn_counted(
        &mut self,
        problem: impl Problem,
        span: Range<usize>,
        joint: Option<&str>,
        frame: Option<usize>,
        count: usize,
    ) {
        let context = Context { joint: joint.map(str::to_owned), channel: None, frame };
        self.warnings.add(problem, span, context, count);
    }

    /// The characters of a name, with a warning where they are not UTF-8.
    pub(crate) fn name(&mut self, span: Range<usize>) -> String {
        let (name, encoding) = text::decode_name(&self.text[span.clone()]);
        let name = name.into_owned();
        if let Some(encoding) = encoding {
            self.warn(text::Problem::NameEncoding { encoding, name: name.clone() }, span, Some(&name));
        }
        name
    }

    /// The start of a piece of the text, as a message can show it.
    pub(crate) fn quote(&self, span: Range<usize>) -> String {
        text::quote(&self.text[span])
    }

    /// Removes all warnings about these joints: see [`Warnings::forget`].
    pub(crate) fn forget(&mut self, joints: &HashSet<String>) {
        self.warnings.forget(joints);
    }

    pub(crate) fn into_warnings(self) -> Vec<Finding> {
        self.warnings.into_vec_in(self.text)
    }
}
