//! The alignment of two motions in time.

use super::fingerprint::Fingerprint;
use super::values::{SIZE, SWAY, Values};
use super::window::squared_distance;
use super::{Copied, DuplicateOptions};
use crate::motion::POINTS;
use std::ops::Range;

/// Parts of the body: its points, the velocity of the hips, the turn.
const PARTS: usize = POINTS + 2;
/// Movement of at least this separates copies from others [leg lengths]: a still body is like any other.
const MOVEMENT: f64 = 0.01;
/// Speeds of copies.
const SPEEDS: Range<f64> = 0.85..1.18;
/// Windows that differ by more are not around one moment of one capture; a square.
pub(super) const NEAR: f32 = 0.8;
/// Alignments that are tried for a pair of motions and a side.
const TRIED: usize = 6;
/// Alignments that differ by less are one \[s\].
const SAME: f64 = 0.12;
/// Samples that are compared, at most.
const COMPARED: usize = 96;
/// A first second that differs by more is not looked at further: a share, and a distance [leg lengths].
const HOPELESS: (f64, f64) = (0.4, 0.06);
/// Shares of parts that are less are not told apart: rounding, and filters of programs.
const LEAST: f64 = 0.002;

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
        // Of a body whose parts err independently, each by an unknown amount, this is the ratio of likelihoods: a part
        // that hardly moves, or that a retarget moves otherwise, does not outweigh the others.
        let shares = error.iter().zip(&movement).map(|(error, movement)| error / (movement + sway));
        let logs = shares.map(|share| (share + LEAST).ln());
        let fit = Fit {
            distance: (error.iter().sum::<f64>() / points).sqrt(),
            movement: (movement.iter().sum::<f64>() / points).sqrt(),
            share: (logs.sum::<f64>() / PARTS as f64).exp() - LEAST,
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

/// The best alignment of two motions, whether they are copies or not; `None` where no moment is alike.
pub(super) fn align(
    motions: [usize; 2],
    a: &Fingerprint,
    b: &Fingerprint,
    options: &DuplicateOptions,
) -> Option<Copied> {
    let mut best: Option<Copied> = None;
    for side in [0, 1] {
        for start in starts(a, b, side) {
            let Some((map, range, fit)) = grown(start, (a, b), side) else { continue };
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

/// Moments of two motions that are alike \[s\], the nearest first; of those with the same offset only the nearest.
fn starts(a: &Fingerprint, b: &Fingerprint, side: usize) -> Vec<[f64; 2]> {
    let mut near: Vec<(f32, [f64; 2])> = Vec::new();
    for time in &a.landmarks {
        // The mirror of the first is like the second where the first is like the mirror of the second.
        let own = a.window(side, *time);
        for (other, window) in b.landmarks.iter().zip(&b.windows) {
            let distance = squared_distance(&own, window);
            if distance < NEAR {
                near.push((distance, [*time, *other]));
            }
        }
    }
    near.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1[0].total_cmp(&y.1[0])).then(x.1[1].total_cmp(&y.1[1])));
    let mut starts: Vec<[f64; 2]> = Vec::new();
    for (_, start) in near {
        let offset = |[own, other]: [f64; 2]| other - own;
        if starts.iter().all(|other| (offset(start) - offset(*other)).abs() > SAME) {
            starts.push(start);
        }
        if starts.len() == TRIED {
            break;
        }
    }
    starts
}

/// An alignment that grows from a moment over all that both motions have; `None` where it turns out to be none.
fn grown(
    [at, other]: [f64; 2],
    (a, b): (&Fingerprint, &Fingerprint),
    side: usize,
) -> Option<(Map, Range<f64>, Fit)> {
    let mut map = Map { offset: other - at, speed: 1.0 };
    let mut reach = 0.5;
    loop {
        let overlap = map.overlap(a, b);
        let range = overlap.start.max(at - reach)..overlap.end.min(at + reach);
        if range.end - range.start < 0.2 {
            return None;
        }
        let (next, fit) = map.refined((a, b), side, &range);
        map = next;
        if range == overlap {
            return Some((map, range, fit));
        }
        if fit.share > HOPELESS.0 && fit.distance > HOPELESS.1 {
            return None;
        }
        reach *= 2.0;
    }
}
