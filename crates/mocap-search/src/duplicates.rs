//! The same capture again: trimmed, mirrored, turned, resampled, faster or slower, noisy, on another body.
//!
//! Two takes of one actor may be as near as a copy with noise: a distance does not separate them. What does is time.
//! A copy follows its original by one linear map of time, in every part of the body; a second take repeats the large
//! movements, but not how head, hips and the other limbs sway. So two motions are aligned by offset and speed, and the
//! difference of each part is compared with the movement of that part. Noise is averaged out before.

use crate::descriptor::{Descriptor, Weights, descriptors, squared_distance};
use crate::motion::{Motion, POINTS};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// What is compared: the points, and the way of the hips and of the turn in a fixed time.
const SIZE: usize = 3 * POINTS + 4;
type Values = [f64; SIZE];
/// Velocities of the hips count as the way in this time \[s\].
const WAY: f64 = 0.2;

/// A motion, prepared for comparison.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    /// By side: as it is, and in the mirror.
    sides: [Vec<Values>; 2],
    coarse: [Vec<Descriptor>; 2],
    /// Samples of `coarse` with the most movement near by.
    landmarks: Vec<usize>,
    rate: f64,
    coarse_rate: f64,
    duration: f64,
}

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
    /// The share of the movement that the difference is: a ratio of variances, the mean over the parts of the body.
    pub share: f64,
}

/// Parts of the body: its points, the velocity of the hips, the turn.
const PARTS: usize = POINTS + 2;
/// Sway below this does not count: rounding and filters change it [leg lengths].
const SWAY: f64 = 0.005;
/// Samples to either side over which noise is averaged, twice.
const NOISE: usize = 2;

/// What counts as the same capture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuplicateOptions {
    /// The largest difference over 4 s and less, as a share of the variance of the movement. Default 0.048. It grows
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
        DuplicateOptions { share: 0.048, distance: 0.08, overlap: 0.5, seconds: 0.5 }
    }
}

/// An overlap of this time counts as the share says \[s\].
const SHORT: f64 = 4.0;

impl DuplicateOptions {
    /// Whether an alignment is that of a copy.
    pub fn accept(&self, copied: &Copied) -> bool {
        let seconds = copied.ranges[0].end - copied.ranges[0].start;
        let share = self.share * (seconds / SHORT).max(1.0).sqrt();
        copied.share <= share && copied.distance <= self.distance
    }
}

/// Movement of at least this separates copies from others [leg lengths]: a still body is like any other.
const MOVEMENT: f64 = 0.01;
/// Speeds of copies.
const SPEEDS: Range<f64> = 0.85..1.18;
/// Landmarks that differ by more are not of one capture [leg lengths].
const NEAR: f32 = 0.25;
/// Alignments that are tried for a pair of motions and a side.
const TRIED: usize = 6;
/// Samples that are compared, at most.
const COMPARED: usize = 96;
/// A first second that differs by more is not looked at further: a share, and a distance [leg lengths].
const HOPELESS: (f64, f64) = (0.4, 0.06);

impl Fingerprint {
    /// The fingerprint of a motion at a detailed rate.
    pub fn new(motion: &Motion) -> Fingerprint {
        let coarse = motion.coarse();
        let sides = [motion.clone(), motion.mirrored()];
        let coarse_sides = [coarse.clone(), coarse.mirrored()];
        // Bodies of other proportions turn and travel at slightly different speeds: poses count more than in a search.
        let weights = Weights { point_time: 0.1, travel_time: 0.1, turn_time: 0.1 };
        let coarse_descriptors = coarse_sides.map(|motion| descriptors(&motion, &weights));
        let landmarks = landmarks(&coarse_descriptors[0], (coarse.rate / 3.0) as usize);
        Fingerprint {
            sides: sides.map(|motion| values(&motion)),
            coarse: coarse_descriptors,
            landmarks,
            rate: motion.rate,
            coarse_rate: coarse.rate,
            duration: (motion.samples.len() - 1) as f64 / motion.rate,
        }
    }

    /// Values between samples and their change per second, by Catmull and Rom's cubic spline.
    fn at(&self, side: usize, time: f64) -> (Values, Values) {
        let samples = &self.sides[side];
        let place = (time * self.rate).clamp(0.0, (samples.len() - 1) as f64);
        let (first, t) = (place as usize, place.fract());
        let sample = |at: isize| &samples[at.clamp(0, samples.len() as isize - 1) as usize];
        let [a, b, c, d] = [-1, 0, 1, 2].map(|step| sample(first as isize + step));
        let (mut values, mut slopes) = ([0.0; SIZE], [0.0; SIZE]);
        for k in 0..SIZE {
            let (linear, square) = (c[k] - a[k], 2.0 * a[k] - 5.0 * b[k] + 4.0 * c[k] - d[k]);
            let cube = 3.0 * (b[k] - c[k]) + d[k] - a[k];
            values[k] = b[k] + 0.5 * t * (linear + t * (square + t * cube));
            slopes[k] = 0.5 * (linear + t * (2.0 * square + 3.0 * t * cube)) * self.rate;
        }
        (values, slopes)
    }
}

fn values(motion: &Motion) -> Vec<Values> {
    let row = |sample: &crate::Sample| {
        let mut values = [0.0; SIZE];
        for (value, point) in values.iter_mut().zip(sample.points.as_flattened()) {
            *value = f64::from(*point);
        }
        for axis in 0..3 {
            values[3 * POINTS + axis] = f64::from(sample.velocity[axis]) * WAY;
        }
        values[SIZE - 1] = f64::from(sample.turn) * WAY * 0.5;
        values
    };
    let rows: Vec<Values> = motion.samples.iter().map(row).collect();
    averaged(&averaged(&rows))
}

/// Means over a few samples; a symmetric and smaller number of them at the ends.
fn averaged(rows: &[Values]) -> Vec<Values> {
    (0..rows.len())
        .map(|at| {
            let radius = NOISE.min(at).min(rows.len() - 1 - at);
            let near = &rows[at - radius..=at + radius];
            std::array::from_fn(|k| near.iter().map(|row| row[k]).sum::<f64>() / near.len() as f64)
        })
        .collect()
}

/// Samples with more movement than all within `radius`; the one with the most where there is none.
fn landmarks(descriptors: &[Descriptor], radius: usize) -> Vec<usize> {
    let movement: Vec<f32> =
        descriptors.iter().map(|d| d[3 * POINTS..].iter().map(|value| value * value).sum()).collect();
    let near = |at: usize| at.saturating_sub(radius)..(at + radius + 1).min(movement.len());
    let is_first = |at: &usize| {
        near(*at).all(|other| {
            movement[other] < movement[*at] || (movement[other] == movement[*at] && other >= *at)
        })
    };
    (0..movement.len()).filter(is_first).collect()
}

/// An alignment: the time in the second motion is `offset + speed · time` in the first.
#[derive(Clone, Copy, Debug)]
struct Map {
    offset: f64,
    speed: f64,
}

/// How well an alignment fits over a range.
struct Fit {
    distance: f64,
    share: f64,
    movement: f64,
}

impl Map {
    fn at(&self, time: f64) -> f64 {
        self.offset + self.speed * time
    }

    /// The times in the first motion that both have.
    fn overlap(&self, a: &Fingerprint, b: &Fingerprint) -> Range<f64> {
        (-self.offset / self.speed).max(0.0)..((b.duration - self.offset) / self.speed).min(a.duration)
    }

    /// Improves the alignment over a range by Gauss and Newton's method, and says how well it fits.
    fn refined(
        mut self,
        (a, b): (&Fingerprint, &Fingerprint),
        side: usize,
        range: &Range<f64>,
    ) -> (Map, Fit) {
        let (mut fit, mut step) = self.fit((a, b), side, range);
        for _ in 0..6 {
            let next = Map { offset: self.offset + step[0], speed: self.speed + step[1] };
            if !SPEEDS.contains(&next.speed) || !next.offset.is_finite() {
                break;
            }
            let (better, further) = next.fit((a, b), side, range);
            if better.distance >= fit.distance {
                break;
            }
            (self, fit, step) = (next, better, further);
        }
        (self, fit)
    }

    /// The fit over a range of the first motion, and the step that improves it.
    fn fit(&self, (a, b): (&Fingerprint, &Fingerprint), side: usize, range: &Range<f64>) -> (Fit, [f64; 2]) {
        let count = (((range.end - range.start) * a.rate) as usize + 1).clamp(3, COMPARED);
        let times: Vec<f64> = (0..count)
            .map(|at| range.start + (range.end - range.start) * at as f64 / (count - 1) as f64)
            .collect();
        let middle = (range.start + range.end) / 2.0;
        let first: Vec<Values> = times.iter().map(|time| a.at(0, *time).0).collect();
        let (second, slope): (Vec<Values>, Vec<Values>) =
            times.iter().map(|time| b.at(side, self.at(*time))).unzip();
        let (mut error, mut movement) = ([0.0; PARTS], [0.0; PARTS]);
        // Normal equations of the offset at the middle and of the speed.
        let (mut normal, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
        for k in 0..SIZE {
            let mean = |rows: &dyn Fn(usize) -> f64| (0..count).map(rows).sum::<f64>() / count as f64;
            let difference = |at: usize| first[at][k] - second[at][k];
            let (shift, level) = (mean(&difference), mean(&|at| first[at][k]));
            let derivative = [mean(&|at| slope[at][k]), mean(&|at| slope[at][k] * (times[at] - middle))];
            let part = if k < SIZE - 1 { k / 3 } else { PARTS - 1 };
            for at in 0..count {
                let left = difference(at) - shift;
                error[part] += left * left;
                movement[part] += (first[at][k] - level).powi(2);
                let by = [slope[at][k] - derivative[0], slope[at][k] * (times[at] - middle) - derivative[1]];
                for i in 0..2 {
                    right[i] += by[i] * left;
                    for j in 0..2 {
                        normal[i][j] += by[i] * by[j];
                    }
                }
            }
        }
        let points = (count * POINTS) as f64;
        let sway = count as f64 * SWAY * SWAY;
        let shares = error.iter().zip(&movement).map(|(error, movement)| error / (movement + sway));
        let fit = Fit {
            distance: (error.iter().sum::<f64>() / points).sqrt(),
            movement: (movement.iter().sum::<f64>() / points).sqrt(),
            share: shares.sum::<f64>() / PARTS as f64,
        };
        let determinant = normal[0][0] * normal[1][1] - normal[0][1] * normal[1][0];
        let step = if determinant > 1e-12 * normal[0][0] * normal[1][1] {
            let middle_step = (right[0] * normal[1][1] - right[1] * normal[0][1]) / determinant;
            let speed_step = (normal[0][0] * right[1] - normal[1][0] * right[0]) / determinant;
            [middle_step - speed_step * middle, speed_step]
        } else {
            [0.0; 2]
        };
        (fit, step)
    }
}

/// The best alignment of two motions, whether they are copies or not; `None` where no part is alike.
pub fn align(
    motions: [usize; 2],
    a: &Fingerprint,
    b: &Fingerprint,
    options: &DuplicateOptions,
) -> Option<Copied> {
    let mut best: Option<Copied> = None;
    for side in [0, 1] {
        // Of pairs with the same shift only the nearest is tried.
        let mut nearest: BTreeMap<isize, (f32, usize, usize)> = BTreeMap::new();
        for i in &a.landmarks {
            for (j, other) in b.coarse[side].iter().enumerate() {
                let near = squared_distance(&a.coarse[0][*i], other);
                if near < NEAR * NEAR {
                    let best = nearest.entry(j as isize - *i as isize).or_insert((near, *i, j));
                    if near < best.0 {
                        *best = (near, *i, j);
                    }
                }
            }
        }
        let mut pairs: Vec<(f32, usize, usize)> = nearest.into_values().collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut tried: Vec<isize> = Vec::new();
        for (_, i, j) in pairs {
            let shift = j as isize - i as isize;
            if tried.iter().any(|other| (shift - other).abs() <= 2) {
                continue;
            }
            if tried.len() == TRIED {
                break;
            }
            tried.push(shift);
            let at = i as f64 / a.coarse_rate;
            let mut map = Map { offset: j as f64 / b.coarse_rate - at, speed: 1.0 };
            let mut reach = 0.5;
            let found = loop {
                let overlap = map.overlap(a, b);
                let range = overlap.start.max(at - reach)..overlap.end.min(at + reach);
                if range.end - range.start < 0.2 {
                    break None;
                }
                let (next, fit) = map.refined((a, b), side, &range);
                map = next;
                if range == overlap {
                    break Some((range, fit));
                }
                if fit.share > HOPELESS.0 && fit.distance > HOPELESS.1 {
                    break None;
                }
                reach *= 2.0;
            };
            let Some((range, fit)) = found else { continue };
            let least = (options.overlap * a.duration.min(b.duration / map.speed)).max(options.seconds);
            if range.end - range.start < least.min(0.9 * a.duration.min(b.duration))
                || fit.movement < MOVEMENT
            {
                continue;
            }
            if best.as_ref().is_none_or(|best| fit.share < best.share) {
                let second = map.at(range.start)..map.at(range.end);
                best = Some(Copied {
                    motions,
                    ranges: [range, second],
                    mirrored: side == 1,
                    speed: map.speed,
                    distance: fit.distance,
                    share: fit.share,
                });
            }
        }
    }
    best
}

/// The pairs of one motion and those after it of which one is the other again, by place. With `split`, only pairs of a
/// motion before that place and one from there on.
pub fn copies_of(
    motion: usize,
    motions: &[&Fingerprint],
    split: Option<usize>,
    options: &DuplicateOptions,
) -> Vec<Copied> {
    let count = motions.len();
    let others = match split {
        Some(split) if motion < split => split..count,
        Some(_) => count..count,
        None => motion + 1..count,
    };
    others
        .filter_map(|other| align([motion, other], motions[motion], motions[other], options))
        .filter(|copied| options.accept(copied))
        .collect()
}

/// All of [`copies_of`], in parallel.
pub fn copies(motions: &[&Fingerprint], split: Option<usize>, options: &DuplicateOptions) -> Vec<Copied> {
    (0..motions.len())
        .into_par_iter()
        .flat_map_iter(|motion| copies_of(motion, motions, split, options))
        .collect()
}

/// Motions that are copies of each other, directly or by others; each cluster and the list are in order of place.
pub fn clusters(copies: &[Copied]) -> Vec<Vec<usize>> {
    let mut cluster_of: BTreeMap<usize, usize> = BTreeMap::new();
    for copied in copies {
        let [a, b] = copied.motions.map(|motion| *cluster_of.entry(motion).or_insert(motion));
        let (from, to) = (a.max(b), a.min(b));
        cluster_of.values_mut().filter(|cluster| **cluster == from).for_each(|cluster| *cluster = to);
    }
    let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (motion, cluster) in cluster_of {
        clusters.entry(cluster).or_default().push(motion);
    }
    clusters.into_values().collect()
}
