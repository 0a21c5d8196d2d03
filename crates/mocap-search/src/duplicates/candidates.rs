//! Finds pairs of motions that may be copies: those with similar moments.

use super::align::NEAR;
use super::fingerprint::Fingerprint;
use super::forest::{Tree, near};
use super::window::{Window, squared_distance};
use std::collections::BTreeMap;

/// Candidates per motion, in addition to motions for which it is a candidate itself.
const COMPARED: usize = 24;

/// Moments of many motions, prepared for the search of pairs that may be copies. The work grows with the moments, not
/// with the pairs.
#[derive(Debug)]
pub(super) struct Candidates<'a> {
    motions: &'a [&'a Fingerprint],
    split: Option<usize>,
    windows: Vec<&'a Window>,
    /// The motion of each window.
    owners: Vec<usize>,
    trees: Vec<Tree>,
}

fn windows<'a>(motions: &[&'a Fingerprint]) -> Vec<&'a Window> {
    motions.iter().flat_map(|motion| &motion.windows).collect()
}

impl<'a> Candidates<'a> {
    /// Number of trees for a search.
    pub(super) const TREES: usize = 6;

    /// One of the trees, by its number: they can be built in parallel.
    pub(super) fn tree(motions: &[&Fingerprint], number: usize) -> Tree {
        Tree::new(&windows(motions), number)
    }

    /// A search among motions with their trees. With `split`, only pairs of a motion before that index and one from it
    /// on are found.
    pub(super) fn new(
        motions: &'a [&'a Fingerprint],
        split: Option<usize>,
        trees: Vec<Tree>,
    ) -> Candidates<'a> {
        let owners = motions.iter().enumerate();
        let owners = owners.flat_map(|(at, motion)| std::iter::repeat_n(at, motion.windows.len())).collect();
        Candidates { motions, split, windows: windows(motions), owners, trees }
    }

    /// The pairs of a motion with those most similar to it, each sorted by index.
    pub(super) fn of(&self, motion: usize) -> Vec<[usize; 2]> {
        // Similarity by the other motion and side.
        let mut common: BTreeMap<(usize, usize), f32> = BTreeMap::new();
        for time in &self.motions[motion].landmarks {
            for side in [0, 1] {
                let own = self.motions[motion].window(side, *time);
                let mut nearest: BTreeMap<usize, f32> = BTreeMap::new();
                for at in near(&own, &self.windows, &self.trees) {
                    let other = self.owners[at as usize];
                    if !self.may_pair(motion, other) {
                        continue;
                    }
                    let distance = squared_distance(&own, self.windows[at as usize]);
                    let best = nearest.entry(other).or_insert(NEAR);
                    *best = best.min(distance);
                }
                for (other, distance) in nearest.into_iter().filter(|(_, distance)| *distance < NEAR) {
                    *common.entry((other, side)).or_default() += NEAR - distance;
                }
            }
        }
        let mut most: BTreeMap<usize, f32> = BTreeMap::new();
        for ((other, _), common) in common {
            let best = most.entry(other).or_insert(common);
            *best = best.max(common);
        }
        let mut most: Vec<(usize, f32)> = most.into_iter().collect();
        most.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        most.truncate(COMPARED);
        most.into_iter().map(|(other, _)| [motion.min(other), motion.max(other)]).collect()
    }

    fn may_pair(&self, a: usize, b: usize) -> bool {
        a != b && self.split.is_none_or(|split| (a < split) != (b < split))
    }
}

/// Merges the pairs of all motions: sorted, each once.
pub(super) fn pairs(found: Vec<Vec<[usize; 2]>>) -> Vec<[usize; 2]> {
    let mut pairs: Vec<[usize; 2]> = found.into_iter().flatten().collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
