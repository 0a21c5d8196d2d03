//! Warnings while a file is read.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::place::locate;
use crate::{Context, Finding, Problem};

/// Warnings while a file is read; findings of one code and joint are counted, not repeated.
#[derive(Debug, Default)]
pub struct Warnings {
    found: Vec<Finding>,
    /// Index into `found` by code and joint.
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

    /// Adds a warning about a span of the text whose line is counted later: see [`Warnings::into_vec_in`].
    pub(crate) fn add(&mut self, problem: impl Problem, span: Range<usize>, context: Context, count: usize) {
        match self.places.entry((problem.code(), context.joint.clone())) {
            Entry::Occupied(place) => self.found[*place.get()].count += count,
            Entry::Vacant(place) => {
                place.insert(self.found.len());
                self.found.push(Finding { context, count, ..Finding::new(problem).spanning(span) });
            }
        }
    }

    /// Removes all warnings about these joints. To be called last: later warnings of the same kinds would be lost.
    pub(crate) fn forget(&mut self, joints: &HashSet<String>) {
        let about =
            |finding: &Finding| finding.context.joint.as_ref().is_some_and(|joint| joints.contains(joint));
        self.found.retain(|finding| !about(finding));
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
                warnings.push(Finding::new(crate::text::Problem::Empty).in_joint(joint.to_string()));
            }
        }
        let found = warnings.into_vec();
        assert_eq!((found.len(), found.iter().map(|finding| finding.count).max()), (200, Some(2)));
    }
}
