//! Duplicates of a capture: trimmed, mirrored, rotated, resampled, faster or slower, noisy, or on another body.
//!
//! Two takes of one actor may be as close as a noisy copy, so a distance alone does not separate them; timing does. A
//! copy follows its original by one linear map of time in every part of the body, while a second take repeats only the
//! large movements, not the sway of head, hips and other limbs. So two motions are aligned by offset and speed, and the
//! difference of each part of the body is related to the movement of that part. Noise is smoothed before.
//!
//! Only pairs with similar moments are aligned, which `candidates.rs` finds.

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

/// A range of one motion that is a copy of a range of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Copied {
    /// The indices of the motions in the database.
    pub motions: [usize; 2],
    /// The ranges \[s\].
    pub ranges: [Range<f64>; 2],
    /// Whether the second is a mirror image of the first.
    pub mirrored: bool,
    /// The speed of the second relative to the first.
    pub speed: f64,
    /// The root mean square difference, after subtraction of a constant one [leg lengths].
    pub distance: f64,
    /// The variance of the difference over that of the movement: the geometric mean over the parts of the body. The
    /// noise of both motions is subtracted, and parts that move less than it do not count.
    pub share: f64,
    /// As `share`, but without subtraction of noise, and over all parts.
    pub with_noise: f64,
}

/// Thresholds of a duplicate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicateOptions {
    /// The largest share ([`Copied::share`]) for an overlap of up to 4 s. Default 0.032. It grows with the square root
    /// of the time, because a longer overlap is less likely by chance.
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

/// Factor on the limit for motions that are similar only after subtraction of noise, which may hide differences.
const NOISY: f64 = 0.6;
/// Overlaps up to this time have the limit of [`DuplicateOptions::share`] \[s\].
const SHORT: f64 = 4.0;

impl DuplicateOptions {
    /// Whether an alignment is a duplicate, with the given share.
    fn accept(&self, copied: &Copied, share: f64) -> bool {
        let seconds = copied.ranges[0].end - copied.ranges[0].start;
        share <= self.share * (seconds / SHORT).max(1.0).sqrt() && copied.distance <= self.distance
    }
}

/// Runs independent pieces of work.
pub trait Workers {
    /// The reason for an early stop.
    type Stopped;

    /// Runs the pieces 0 to `count`; the results are in that order.
    ///
    /// # Errors
    /// If they are stopped before the end.
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, Self::Stopped>;
}

/// Runs the pieces one after the other in this thread.
#[derive(Clone, Copy, Debug)]
pub struct InOrder;

impl Workers for InOrder {
    type Stopped = Infallible;

    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, Infallible> {
        Ok((0..count).map(work).collect())
    }
}

/// All duplicates among motions, sorted by index. With `split`, only pairs of a motion before that index and one from
/// it on.
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

/// Removes uncertain duplicates: where noise may hide differences, a motion is a duplicate of the most similar one
/// only, and not of its other takes.
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

/// Clusters of duplicates (connected components); each cluster and the list are sorted by index.
pub fn clusters(copies: &[Copied]) -> Vec<Vec<usize>> {
    let places = copies.iter().flat_map(|copied| copied.motions);
    // Union–find: by motion, an earlier one of its cluster, or itself.
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

/// The first motion of a cluster, with path compression.
fn first_of(before: &mut [usize], mut motion: usize) -> usize {
    while before[motion] != motion {
        before[motion] = before[before[motion]];
        motion = before[motion];
    }
    motion
}
