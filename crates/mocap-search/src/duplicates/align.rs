//! The alignment of two motions in time.

use super::fingerprint::Fingerprint;
use super::values::{PARTS, Row, SIZE, SWAY, WIDTH};
use super::window::squared_distance;
use super::{Copied, DuplicateOptions};
use crate::motion::POINTS;
use crate::widest::widest;
use std::ops::Range;

/// Least movement for a comparison [leg lengths]: still bodies are all alike.
const MOVEMENT: f64 = 0.01;
/// Speeds of copies.
const SPEEDS: Range<f64> = 0.85..1.18;
/// Largest squared distance of windows around the same moment of one capture.
pub(super) const NEAR: f32 = 0.8;
/// Number of alignments that are tried for a pair of motions and a side.
const TRIED: usize = 6;
/// Alignments that differ by less count as the same \[s\].
const SAME: f64 = 0.12;
/// The most samples that are compared.
const COMPARED: usize = 96;
/// A range with movement stops growing if the share of its difference is larger than this.
const HOPELESS: f64 = 0.2;
/// An alignment whose share is below the limit by this factor is accepted without trying others.
const CERTAIN: f64 = 0.2;
/// Floor of the shares of parts: smaller ones come from rounding and from filters of programs.
const LEAST: f64 = 0.002;
/// Relative uncertainty of the noise of two motions, which bounds the difference of a part from below.
const UNSURE: f64 = 0.25;

/// An alignment: the time in the second motion is `offset + speed · time` in the first.
#[derive(Clone, Copy, Debug)]
struct Map {
    offset: f64,
    speed: f64,
}

/// The fit of an alignment over a range.
struct Fit {
    distance: f64,
    share: f64,
    movement: f64,
    /// The share without subtraction of noise.
    with_noise: f64,
}

impl Map {
    fn at(&self, time: f64) -> f64 {
        self.offset + self.speed * time
    }

    /// The range of times in the first motion that both motions cover.
    fn overlap(&self, a: &Fingerprint, b: &Fingerprint) -> Range<f64> {
        (-self.offset / self.speed).max(0.0)..((b.duration - self.offset) / self.speed).min(a.duration)
    }

    /// Improves the alignment over a range by the Gauss–Newton method; returns its fit.
    fn refined(
        mut self,
        (a, b): (&Fingerprint, &Fingerprint),
        side: usize,
        range: &Range<f64>,
        compared: &mut Compared,
    ) -> (Map, Fit) {
        compared.take(a, range);
        let (mut fit, mut step) = self.fit(b, side, compared);
        for _ in 0..6 {
            let next = Map { offset: self.offset + step[0], speed: self.speed + step[1] };
            if !SPEEDS.contains(&next.speed) || !next.offset.is_finite() {
                break;
            }
            let (better, further) = next.fit(b, side, compared);
            if better.distance >= fit.distance {
                break;
            }
            (self, fit, step) = (next, better, further);
        }
        (self, fit)
    }

    /// The fit to the compared samples of the first motion, and the Gauss–Newton step.
    fn fit(&self, b: &Fingerprint, side: usize, compared: &mut Compared) -> (Fit, [f64; 2]) {
        let sums = widest(
            #[inline(always)]
            || compared.sums(self, b, side),
        );
        let (mut error, mut movement) = ([0.0; PARTS], [0.0; PARTS]);
        // Normal equations of the offset at the middle and of the speed.
        let (mut normal, mut right) = ([[0.0; 2]; 2], [0.0; 2]);
        for k in 0..SIZE {
            let of = |sum: &Row| f64::from(sum[k]);
            let part = if k < SIZE - 1 { k / 3 } else { PARTS - 1 };
            error[part] += of(&sums.error);
            movement[part] += of(&sums.movement);
            for i in 0..2 {
                right[i] += of(&sums.right[i]);
                normal[i][i] += of(&sums.normal[i]);
            }
            normal[0][1] += of(&sums.normal[2]);
        }
        normal[1][0] = normal[0][1];
        let count = compared.times.len();
        let points = (count * POINTS) as f64;
        let sway = count as f64 * SWAY * SWAY;
        // The geometric mean of the shares is a likelihood ratio if the parts of the body have independent errors of
        // unknown size: a part that hardly moves, or that retargeting changes, does not outweigh the others. A part
        // that moves less than its noise has no weight.
        let (mut logs, mut weights, mut with_noise) = (0.0, 0.0, 0.0);
        for (part, error) in error.iter_mut().enumerate() {
            with_noise += (*error / (movement[part] + sway) + LEAST).ln() / PARTS as f64;
            let own = count as f64 * compared.noise[part];
            let noise = own + count as f64 * b.noise[side][part];
            let movement = (movement[part] - own).max(0.0) + sway;
            *error = (*error - noise).max(UNSURE * noise);
            let weight = movement / (movement + noise);
            logs += weight * (*error / movement + LEAST).ln();
            weights += weight;
        }
        let fit = Fit {
            distance: (error.iter().sum::<f64>() / points).sqrt(),
            movement: (movement.iter().sum::<f64>() / points).sqrt(),
            share: (logs / weights).exp() - LEAST,
            with_noise: with_noise.exp() - LEAST,
        };
        let determinant = normal[0][0] * normal[1][1] - normal[0][1] * normal[1][0];
        let step = if determinant > 1e-6 * normal[0][0] * normal[1][1] {
            let middle_step = (right[0] * normal[1][1] - right[1] * normal[0][1]) / determinant;
            let speed_step = (normal[0][0] * right[1] - normal[1][0] * right[0]) / determinant;
            [middle_step - speed_step * compared.middle, speed_step]
        } else {
            [0.0; 2]
        };
        (fit, step)
    }
}

/// The compared samples of two motions; those of the first stay the same while the alignment is improved.
struct Compared {
    /// \[s\]
    times: Vec<f64>,
    middle: f64,
    first: Vec<Row>,
    /// The means of these.
    level: Row,
    /// Their noise, by part of the body.
    noise: [f64; PARTS],
    /// The values of the second motion, and their rates of change.
    second: Vec<Row>,
    slopes: Vec<Row>,
}

/// Sums over the moments for each number: squares of difference and movement, and the normal equations (offset ·
/// offset, speed · speed, offset · speed) with their right-hand side.
struct Sums {
    error: Row,
    movement: Row,
    normal: [Row; 3],
    right: [Row; 2],
}

impl Compared {
    fn new() -> Compared {
        Compared {
            times: Vec::new(),
            middle: 0.0,
            first: Vec::new(),
            level: [0.0; WIDTH],
            noise: [0.0; PARTS],
            second: Vec::new(),
            slopes: Vec::new(),
        }
    }

    /// Takes moments of a range of the first motion.
    fn take(&mut self, a: &Fingerprint, range: &Range<f64>) {
        let seconds = range.end - range.start;
        let count = ((seconds * a.rate) as usize + 1).clamp(3, COMPARED);
        self.times.clear();
        self.times.extend((0..count).map(|at| range.start + seconds * at as f64 / (count - 1) as f64));
        self.middle = (range.start + range.end) / 2.0;
        self.first.clear();
        let (times, first) = (&self.times, &mut self.first);
        widest(
            #[inline(always)]
            || {
                for time in times {
                    first.push(a.at(0, *time).0);
                }
            },
        );
        self.level = mean(self.first.iter());
        self.noise = a.noise[0];
    }

    /// The sums of a side of a second motion.
    #[inline(always)]
    fn sums(&mut self, map: &Map, b: &Fingerprint, side: usize) -> Sums {
        self.second.clear();
        self.slopes.clear();
        for time in &self.times {
            let (values, slopes) = b.at(side, map.at(*time));
            self.second.push(values);
            self.slopes.push(slopes);
        }
        let count = self.times.len() as f32;
        let middle = |time: f64| (time - self.middle) as f32;
        let (mut shift, mut slope, mut turn) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for (at, time) in self.times.iter().enumerate() {
            let (first, second, slopes, time) =
                (&self.first[at], &self.second[at], &self.slopes[at], middle(*time));
            for k in 0..WIDTH {
                shift[k] += first[k] - second[k];
                slope[k] += slopes[k];
                turn[k] += slopes[k] * time;
            }
        }
        for k in 0..WIDTH {
            shift[k] /= count;
            slope[k] /= count;
            turn[k] /= count;
        }
        let zero = [0.0; WIDTH];
        let mut sums = Sums { error: zero, movement: zero, normal: [zero; 3], right: [zero; 2] };
        for (at, time) in self.times.iter().enumerate() {
            let (first, second, slopes, time) =
                (&self.first[at], &self.second[at], &self.slopes[at], middle(*time));
            for k in 0..WIDTH {
                let left = first[k] - second[k] - shift[k];
                let off = first[k] - self.level[k];
                let (by_offset, by_speed) = (slopes[k] - slope[k], slopes[k] * time - turn[k]);
                sums.error[k] += left * left;
                sums.movement[k] += off * off;
                sums.right[0][k] += by_offset * left;
                sums.right[1][k] += by_speed * left;
                sums.normal[0][k] += by_offset * by_offset;
                sums.normal[1][k] += by_speed * by_speed;
                sums.normal[2][k] += by_offset * by_speed;
            }
        }
        sums
    }
}

/// The mean of some rows.
fn mean<'a>(rows: impl ExactSizeIterator<Item = &'a Row>) -> Row {
    let count = rows.len() as f32;
    let mut mean = [0.0; WIDTH];
    for row in rows {
        mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value);
    }
    mean.map(|sum| sum / count)
}

/// The best alignment of two motions, whether they are copies or not; `None` if they have no similar moments.
pub(super) fn align(
    motions: [usize; 2],
    a: &Fingerprint,
    b: &Fingerprint,
    options: &DuplicateOptions,
) -> Option<Copied> {
    let mut best: Option<Copied> = None;
    let mut compared = Compared::new();
    for side in [0, 1] {
        for start in starts(a, b, side) {
            let Some((map, range, fit)) = grown(start, (a, b), side, &mut compared) else { continue };
            let least = (options.overlap * a.duration.min(b.duration / map.speed)).max(options.seconds);
            if range.end - range.start < least.min(0.9 * a.duration.min(b.duration))
                || fit.movement < MOVEMENT
            {
                continue;
            }
            if best.as_ref().is_none_or(|best| fit.share < best.share) {
                let is_certain = fit.share < CERTAIN * options.share;
                let second = map.at(range.start)..map.at(range.end);
                best = Some(Copied {
                    motions,
                    ranges: [range, second],
                    mirrored: side == 1,
                    speed: map.speed,
                    distance: fit.distance,
                    share: fit.share,
                    with_noise: fit.with_noise,
                });
                if is_certain {
                    return best;
                }
            }
        }
    }
    best
}

/// Pairs of similar moments of two motions \[s\], the most similar first; one for each offset.
fn starts(a: &Fingerprint, b: &Fingerprint, side: usize) -> Vec<[f64; 2]> {
    let mut near: Vec<(f32, [f64; 2])> = Vec::new();
    for time in &a.landmarks {
        // The mirrored first motion resembles the second where the first resembles the mirrored second.
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

/// Grows an alignment from a pair of moments over the overlap of both motions; `None` if the fit fails.
fn grown(
    [at, other]: [f64; 2],
    (a, b): (&Fingerprint, &Fingerprint),
    side: usize,
    compared: &mut Compared,
) -> Option<(Map, Range<f64>, Fit)> {
    let mut map = Map { offset: other - at, speed: 1.0 };
    let mut reach = 0.5;
    loop {
        let overlap = map.overlap(a, b);
        let range = overlap.start.max(at - reach)..overlap.end.min(at + reach);
        if range.end - range.start < 0.2 {
            return None;
        }
        let (next, fit) = map.refined((a, b), side, &range, compared);
        map = next;
        if range == overlap {
            return Some((map, range, fit));
        }
        if fit.share > HOPELESS && fit.movement > MOVEMENT {
            return None;
        }
        reach *= 2.0;
    }
}
