//! The same capture again: trimmed, mirrored, turned, resampled, faster or slower, noisy, on another body.
//!
//! Two takes of one actor may be as near as a copy with noise: a distance does not separate them. What does is time.
//! A copy follows its original by one linear map of time, in every part of the body; a second take repeats the large
//! movements, but not how head, hips and the other limbs sway. So two motions are aligned by offset and speed, and the
//! difference of each part is compared with the movement of that part. Noise is averaged out before.
//!
//! Of many motions, few pairs are aligned: those that have a moment in common, as `candidates.rs` finds them.

mod align;
mod candidates;
mod fingerprint;
mod forest;
mod noise;
mod values;
mod window;

pub use fingerprint::Fingerprint;

use align::align;
use candidates::{Candidates, pairs};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::Range;

/// A range of one motion that is a range of another again.
#[derive(Clone, Debug, PartialEq)]
pub struct Copied {
    /// The motions, by their places in the database.
    pub motions: [usize; 2],
    /// The ranges \[s\].
    pub ranges: [Range<f64>; 2],
    /// Whether the second is the first in a mirror.
    pub mirrored: bool,
    /// How much faster the second is.
    pub speed: f64,
    /// The root mean square difference, without a constant one [leg lengths].
    pub distance: f64,
    /// The share of the movement that the difference is: a ratio of variances, the geometric mean over the parts of the
    /// body. The noise of both motions does not count, nor do parts that move less than it.
    pub share: f64,
    /// The same with the noise, over all parts.
    pub with_noise: f64,
}

/// What counts as the same capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicateOptions {
    /// The largest difference over 4 s and less, as a share of the variance of the movement. Default 0.032. It grows
    /// with the square root of the time: the longer an overlap, the less likely is it by chance.
    pub share: f64,
    /// The largest difference [leg lengths]. Default 0.08.
    pub distance: f64,
    /// The shortest overlap, as a share of the shorter motion. Default 0.5.
    pub overlap: f64,
    /// The shortest overlap \[s\]. Default 0.5.
    pub seconds: f64,
}

impl Default for DuplicateOptions {
    fn default() -> DuplicateOptions {
        DuplicateOptions { share: 0.032, distance: 0.08, overlap: 0.5, seconds: 0.5 }
    }
}

/// Motions that are alike only without their noise have to be so much more alike: noise hides what differs.
const NOISY: f64 = 0.6;
/// An overlap of this time counts as the share says \[s\].
const SHORT: f64 = 4.0;

impl DuplicateOptions {
    /// Whether an alignment is that of a copy, if its share is as given.
    fn accept(&self, copied: &Copied, share: f64) -> bool {
        let seconds = copied.ranges[0].end - copied.ranges[0].start;
        share <= self.share * (seconds / SHORT).max(1.0).sqrt() && copied.distance <= self.distance
    }
}

/// Who does pieces of work that do not depend on each other.
pub trait Workers {
    /// Why not all of them were done.
    type Stopped;

    /// Does the pieces by their numbers; the results are in that order.
    ///
    /// # Errors
    /// If they are stopped before the end.
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, Self::Stopped>;
}

/// One piece after the other, in this thread.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;

impl Workers for InOrder {
    type Stopped = Infallible;

    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, Infallible> {
        Ok((0..count).map(work).collect())
    }
}

/// All copies among some motions, by place. With `split`, only pairs of a motion before that place and one from there on.
///
/// # Errors
/// If the workers are stopped.
pub fn copies<W: Workers>(
    motions: &[&Fingerprint],
    split: Option<usize>,
    options: &DuplicateOptions,
    workers: &W,
) -> Result<Vec<Copied>, W::Stopped> {
    let trees = workers.each(Candidates::TREES, |tree| Candidates::tree(motions, tree))?;
    let candidates = Candidates::new(motions, split, trees);
    let pairs = pairs(workers.each(motions.len(), |motion| candidates.of(motion))?);
    let found = workers.each(pairs.len(), |at| {
        let [a, b] = pairs[at];
        align([a, b], motions[a], motions[b], options).filter(|copied| options.accept(copied, copied.share))
    })?;
    let found: Vec<Copied> = found.into_iter().flatten().collect();
    Ok(without_guesses(motions, found, options))
}

/// Copies without those that only noise makes alike: where it hides what differs, a motion is a copy of the one that it is
/// most like, not also of other takes of it.
fn without_guesses(motions: &[&Fingerprint], found: Vec<Copied>, options: &DuplicateOptions) -> Vec<Copied> {
    let mut least: BTreeMap<usize, f64> = BTreeMap::new();
    for copied in &found {
        for motion in copied.motions {
            let best = least.entry(motion).or_insert(copied.share);
            *best = best.min(copied.share);
        }
    }
    let is_sure = |copied: &Copied| {
        let [a, b] = copied.motions;
        let noisy = if motions[a].total_noise() > motions[b].total_noise() { a } else { b };
        let is_best = least.get(&noisy).is_none_or(|least| copied.share <= *least);
        options.accept(copied, copied.with_noise) || is_best && options.accept(copied, copied.share / NOISY)
    };
    found.into_iter().filter(is_sure).collect()
}

/// Motions that are copies of each other, directly or by others; each cluster and the list are in order of place.
pub fn clusters(copies: &[Copied]) -> Vec<Vec<usize>> {
    let places = copies.iter().flat_map(|copied| copied.motions);
    // By motion one that comes before it in its cluster, or itself.
    let mut before: Vec<usize> = (0..places.clone().max().map_or(0, |last| last + 1)).collect();
    for copied in copies {
        let [a, b] = copied.motions.map(|motion| first_of(&mut before, motion));
        before[a.max(b)] = a.min(b);
    }
    let mut clusters: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for motion in places {
        clusters.entry(first_of(&mut before, motion)).or_default().insert(motion);
    }
    clusters.into_values().map(|cluster| cluster.into_iter().collect()).collect()
}

/// The first motion of a cluster. The way to it becomes shorter with each question.
fn first_of(before: &mut [usize], mut motion: usize) -> usize {
    while before[motion] != motion {
        before[motion] = before[before[motion]];
        motion = before[motion];
    }
    motion
}
