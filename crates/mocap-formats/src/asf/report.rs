//! Findings while an Acclaim file is read: one a code and joint.

use crate::finding::locate;
use crate::{Finding, Kind, text};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Collects warnings about a text. Their lines and columns are counted at the end, in one pass.
pub(crate) struct Report<'t> {
    text: &'t [u8],
    warnings: Vec<Finding>,
    found: HashMap<(&'static str, Option<String>), usize>,
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Report<'t> {
        Report { text, warnings: Vec::new(), found: HashMap::new() }
    }

    pub(crate) fn error(&self, kind: impl Into<Kind>, span: Range<usize>) -> Finding {
        Finding::new(kind).at(self.text, span)
    }

    pub(crate) fn warn(&mut self, kind: impl Into<Kind>, span: Range<usize>, joint: Option<&str>) {
        self.warn_counted(kind, span, joint, None, 1);
    }

    pub(crate) fn warn_in_frame(
        &mut self,
        kind: impl Into<Kind>,
        span: Range<usize>,
        joint: Option<&str>,
        frame: Option<usize>,
    ) {
        self.warn_counted(kind, span, joint, frame, 1);
    }

    pub(crate) fn warn_counted(
        &mut self,
        kind: impl Into<Kind>,
        span: Range<usize>,
        joint: Option<&str>,
        frame: Option<usize>,
        count: usize,
    ) {
        let mut finding = Finding::new(kind).spanning(span);
        match self.found.entry((finding.code(), joint.map(str::to_owned))) {
            Entry::Occupied(earlier) => self.warnings[*earlier.get()].count += count,
            Entry::Vacant(entry) => {
                entry.insert(self.warnings.len());
                finding.context.joint = joint.map(str::to_owned);
                finding.context.frame = frame;
                finding.count = count;
                self.warnings.push(finding);
            }
        }
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

    /// A piece of the text as it can stand in a message.
    pub(crate) fn quote(&self, span: Range<usize>) -> String {
        text::quote(&self.text[span])
    }

    /// Takes back what was said about joints. Only for the end: what is said later is not counted.
    pub(crate) fn forget(&mut self, joints: &HashSet<String>) {
        let about =
            |finding: &Finding| finding.context.joint.as_ref().is_some_and(|joint| joints.contains(joint));
        self.warnings.retain(|finding| !about(finding));
    }

    pub(crate) fn into_warnings(mut self) -> Vec<Finding> {
        locate(self.text, self.warnings.iter_mut().filter_map(|finding| finding.place.as_mut()));
        self.warnings
    }
}
