//! The error of reading a file, with all other errors and warnings that were found.

use crate::place::locate;
use crate::{Finding, Remedy, text};
use std::fmt;

/// Why a file is not read: all errors that could be distinguished, and warnings about earlier repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    /// The first error.
    pub error: Box<Finding>,
    /// The errors behind it: reading continues after a value that is not a number, and stops where the structure of a
    /// file is lost. At most [`ReadError::MOST_LISTED`] with the first.
    pub more: Vec<Finding>,
    /// Errors beyond those.
    pub unlisted: usize,
    /// Warnings, as in [`crate::Parsed`].
    pub warnings: Vec<Finding>,
}

impl ReadError {
    /// The greatest number of listed errors; the others are only counted.
    pub const MOST_LISTED: usize = 100;

    /// The stable code of the first error.
    pub fn code(&self) -> &'static str {
        self.error.code()
    }

    /// The same error after warnings that were found before it.
    pub fn behind(mut self, mut warnings: Vec<Finding>) -> ReadError {
        warnings.append(&mut self.warnings);
        ReadError { warnings, ..self }
    }
}

impl ReadError {
    /// The same without errors that repair would mend, unless there are no others: with the option to repair,
    /// these are not the reason why a file was refused.
    pub fn without_repairable(mut self) -> ReadError {
        let stays = |finding: &Finding| !finding.remedy().is_some_and(Remedy::is_repair);
        if stays(&self.error) || self.more.iter().any(stays) {
            let mut errors = std::iter::once(*self.error).chain(self.more).filter(stays);
            self.error = Box::new(errors.next().expect("one stays"));
            self.more = errors.collect();
        }
        self
    }
}

impl From<Finding> for ReadError {
    fn from(error: Finding) -> ReadError {
        ReadError { error: Box::new(error), more: Vec::new(), unlisted: 0, warnings: Vec::new() }
    }
}

impl From<ReadError> for Finding {
    fn from(failed: ReadError) -> Finding {
        *failed.error
    }
}

impl From<text::Problem> for ReadError {
    fn from(problem: text::Problem) -> ReadError {
        Finding::new(problem).into()
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for ReadError {}

/// Errors of single values while reading continues: one a frame, counted, and a bounded number of them.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    listed: Vec<Finding>,
    unlisted: usize,
    /// The code and frame of the last error, of which repetitions are counted.
    last: Option<(&'static str, Option<usize>)>,
}

impl Errors {
    /// Adds an error, or counts it if its frame already has one with its code; `finding` is called only if it is
    /// listed.
    pub(crate) fn push(
        &mut self,
        code: &'static str,
        frame: Option<usize>,
        finding: impl FnOnce() -> Finding,
    ) {
        if self.last.replace((code, frame)) == Some((code, frame)) && frame.is_some() {
            if self.unlisted == 0
                && let Some(last) = self.listed.last_mut()
            {
                last.count += 1;
            }
        } else if self.listed.len() < ReadError::MOST_LISTED {
            self.listed.push(finding());
        } else {
            self.unlisted += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Counts errors that are not listed.
    pub(crate) fn count(&mut self, more: usize) {
        self.unlisted += more;
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.listed.len() + self.unlisted
    }

    /// The errors in the order of the text, followed by `last`; `None` if there are none.
    pub(crate) fn into_read_error(
        mut self,
        text: &[u8],
        last: Option<Finding>,
        warnings: &[Finding],
    ) -> Option<ReadError> {
        locate(text, self.listed.iter_mut().filter_map(|finding| finding.place.as_mut()));
        self.listed.sort_by_key(|finding| finding.place.as_ref().map(|place| place.span.start));
        let mut all = self.listed.into_iter().chain(last);
        let error = Box::new(all.next()?);
        let (more, unlisted) = (all.collect(), self.unlisted);
        Some(ReadError { error, more, unlisted, warnings: warnings.to_vec() })
    }
}
