//! A text that is read piece by piece, with what was found so far.

use super::{Problem, grammar};
use crate::read_error::Errors;
use crate::{Context, Finding, Warnings, text};
use nom::Parser;
use std::ops::Range;

/// Why reading stopped.
pub(super) enum ParseError {
    /// The file is wrong.
    Error(Box<Finding>),
    /// There is a comma among the numbers: parse again without commas.
    Comma,
}

impl ParseError {
    pub(super) fn in_joint(self, joint: &str) -> ParseError {
        self.map(|finding| finding.in_joint(joint))
    }

    pub(super) fn in_channel(self, channel: &str) -> ParseError {
        self.map(|finding| finding.in_channel(channel))
    }

    fn map(self, change: impl FnOnce(Finding) -> Finding) -> ParseError {
        match self {
            ParseError::Error(finding) => ParseError::Error(Box::new(change(*finding))),
            ParseError::Comma => ParseError::Comma,
        }
    }
}

/// A text, how far it is read, and what was repaired so far.
pub(super) struct Reader<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) warnings: Warnings,
    /// Errors of values that are not numbers: reading continues after them.
    pub(super) errors: Errors,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8], warnings: Warnings) -> Reader<'a> {
        Reader { text, at: 0, warnings, errors: Errors::default() }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Applies a parser at the current position and moves past what it takes.
    pub(super) fn take<T>(&mut self, mut parser: impl Parser<&'a [u8], Output = T, Error = ()>) -> Option<T> {
        let (rest, found) = parser.parse(self.rest()).ok()?;
        self.at = self.text.len() - rest.len();
        Some(found)
    }

    pub(super) fn take_byte(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sees<T>(&self, mut parser: impl Parser<&'a [u8], Output = T, Error = ()>) -> bool {
        parser.parse(self.rest()).is_ok()
    }

    /// Skips white space and comments.
    pub(super) fn skip_space(&mut self) {
        loop {
            self.take(grammar::space);
            let start = self.at;
            match self.take(grammar::comment) {
                Some(_) => self.warn(Problem::Comment, start..self.at),
                None => return,
            }
        }
    }

    pub(super) fn warn(&mut self, problem: impl crate::Problem, span: Range<usize>) {
        self.warnings.add(problem, span, Context::default(), 1);
    }

    pub(super) fn warn_in(&mut self, problem: impl crate::Problem, span: Range<usize>, joint: &str) {
        let context = Context { joint: Some(joint.to_owned()), ..Context::default() };
        self.warnings.add(problem, span, context, 1);
    }

    pub(super) fn error(&self, problem: impl crate::Problem, span: Range<usize>) -> ParseError {
        ParseError::Error(Box::new(Finding::new(problem).at(self.text, span)))
    }

    /// The error for other text than expected at the current position.
    pub(super) fn unexpected(&self, expected: &'static str) -> ParseError {
        let word = match grammar::word(self.rest()) {
            Ok((_, word)) => word,
            Err(_) => &self.rest()[..self.rest().len().min(1)],
        };
        if is_numeric_with_comma(word) {
            return ParseError::Comma;
        }
        let found =
            if word.is_empty() { "the end of the file".into() } else { format!("'{}'", text::quote(word)) };
        self.error(Problem::Syntax { found, expected }, self.at..self.at + word.len())
    }
}

/// Whether there is a comma directly behind a number, or in its place.
pub(super) fn is_numeric_with_comma(word: &[u8]) -> bool {
    word.contains(&b',') && word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE,".contains(byte))
}
