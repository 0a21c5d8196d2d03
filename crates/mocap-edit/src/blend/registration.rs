//! Registration curves: which time of a motion belongs to which time of another.
//!
//! Dynamic time warping finds the path through the distances of all pairs of poses whose mean distance is least; it
//! never stays in one of the motions for long. A monotone C¹ spline is fitted to the path and refined until the mean
//! distance along it is least, because the path has only the resolution of frames.
//!
//! Based on: L. Kovar, M. Gleicher, "Flexible Automatic Motion Blending with Registration Curves", 2003.

use super::poses::{Centred, Poses};
use crate::body::Body;
use crate::{EditError, TimeMap};

/// Poses per motion that are compared, at most.
const MOST_POSES: usize = 1000;
/// Most steps in a row in one motion only: speeds change by at most a factor of three.
const MOST_RUN: usize = 2;
/// Bounds of the slope of the curve, to match.
const SLOPES: [f64; 2] = [1.0 / 3.0, 3.0];
/// The path stays within this share of the motions from the straight line.
const BAND: f64 = 0.3;
/// Time between the knots of the curve \[s\].
const KNOTS: f64 = 0.12;
/// How often the knots are moved, by half as much each time.
const ROUNDS: usize = 8;

/// The time of another motion at each time of the reference.
pub(super) struct Registration {
    /// Both \[s\].
    pub(super) times: TimeMap,
    /// The mean distance along the path of the time warping \[units\].
    pub(super) path_distance: f64,
}

/// Registers a part of a motion to a part of the reference; parts are in seconds, and their ends belong together.
pub(super) fn register(
    body: &Body,
    (reference, own): (&Poses, [f64; 2]),
    (other, theirs): (&Poses, [f64; 2]),
    fps: f64,
) -> Result<Registration, EditError> {
    let longest = (own[1] - own[0]).max(theirs[1] - theirs[0]);
    let count = ((longest * fps).ceil() as usize).clamp(4, MOST_POSES);
    let clouds = |poses: &Poses, [from, to]: [f64; 2]| -> Vec<Centred> {
        let time = |i: usize| from + (to - from) * i as f64 / count as f64;
        (0..=count).map(|i| poses.centred(body, time(i))).collect()
    };
    let (a, b) = (clouds(reference, own), clouds(other, theirs));
    let (path, path_distance) = warped(&a, &b);
    let knots = ((longest / KNOTS).round() as usize).clamp(1, count / 2);
    let mut curve = Curve::through(&path, count, knots);
    curve.refine(&a, &b);
    let time = |[from, to]: [f64; 2], share: f64| from + (to - from) * share / count as f64;
    let keys = curve.keys().map(|(x, y)| (time(own, x), time(theirs, y))).collect();
    Ok(Registration { times: TimeMap::new(keys)?, path_distance })
}

/// The path of least mean distance from the first pair of poses to the last, and that distance. A step in both motions
/// counts twice.
fn warped(a: &[Centred], b: &[Centred]) -> (Vec<(usize, usize)>, f64) {
    let last = a.len() - 1;
    let band = ((BAND * last as f64).ceil() as usize).max(MOST_RUN + 1).min(last);
    let (width, states) = (2 * band + 1, 2 * MOST_RUN + 1);
    // By column of the band and by state: 0 after a step in both, then runs in the first, then runs in the second.
    let none = vec![f64::INFINITY; width * states];
    let (mut before, mut now) = (none.clone(), none.clone());
    let mut from: Vec<u8> = vec![0; (last + 1) * width * states];
    let column = |i: usize, j: usize| (j + band).checked_sub(i).filter(|column| *column < width);
    for i in 0..=last {
        std::mem::swap(&mut before, &mut now);
        now.copy_from_slice(&none);
        for j in i.saturating_sub(band)..=(i + band).min(last) {
            let here = column(i, j).expect("within the band");
            if (i, j) == (0, 0) {
                now[here * states] = 0.0;
                continue;
            }
            let cost = a[i].distance(&b[j]);
            let mut reach = |state: usize, origin: usize, total: f64, now: &mut Vec<f64>| {
                let slot = here * states + state;
                if total < now[slot] {
                    now[slot] = total;
                    from[(i * width + here) * states + state] = origin as u8;
                }
            };
            if i > 0 && j > 0 {
                let there = column(i - 1, j - 1).expect("the same column");
                for origin in 0..states {
                    reach(0, origin, before[there * states + origin] + 2.0 * cost, &mut now);
                }
            }
            for run in 1..=MOST_RUN {
                let origin = |first: usize| if run == 1 { 0 } else { first + run - 1 };
                if let Some(there) = i.checked_sub(1).and_then(|i| column(i, j)) {
                    reach(run, origin(0), before[there * states + origin(0)] + cost, &mut now);
                }
                if let Some(there) = j.checked_sub(1).and_then(|j| column(i, j)) {
                    let origin = origin(MOST_RUN);
                    reach(MOST_RUN + run, origin, now[there * states + origin] + cost, &mut now);
                }
            }
        }
    }
    let end = column(last, last).expect("the diagonal") * states;
    let mut state = (0..states).min_by(|x, y| now[end + x].total_cmp(&now[end + y])).expect("states");
    let mean = now[end + state] / (2 * last) as f64;
    let (mut i, mut j) = (last, last);
    let mut path = vec![(i, j)];
    while (i, j) != (0, 0) {
        let here = column(i, j).expect("within the band");
        let origin = from[(i * width + here) * states + state] as usize;
        (i, j) = match state {
            0 => (i - 1, j - 1),
            run if run <= MOST_RUN => (i - 1, j),
            _ => (i, j - 1),
        };
        state = origin;
        path.push((i, j));
    }
    path.reverse();
    (path, mean)
}

/// A curve of poses of the second motion over those of the first, by evenly spaced knots.
struct Curve {
    /// The number of the last pose.
    last: usize,
    values: Vec<f64>,
}

impl Curve {
    /// Near a path: each knot is the mean of the path around it.
    fn through(path: &[(usize, usize)], last: usize, knots: usize) -> Curve {
        let width = last as f64 / knots as f64;
        let knot = |k: usize| {
            let x = k as f64 * width;
            let (mut sum, mut total) = (0.0, 0.0);
            for (i, j) in path {
                let share = 1.0 - (*i as f64 - x).abs() / width;
                if share > 0.0 {
                    (sum, total) = (sum + share * (*j as f64 - *i as f64), total + share);
                }
            }
            x + sum / total
        };
        let mut curve = Curve { last, values: (0..=knots).map(knot).collect() };
        (curve.values[0], curve.values[knots]) = (0.0, last as f64);
        // Averages of a path with limited slopes may be a little steeper at the ends.
        for k in 1..knots {
            let [least, most] = SLOPES.map(|slope| slope * width);
            let left = knots - k;
            let range = [
                (curve.values[k - 1] + least).max(last as f64 - most * left as f64),
                (curve.values[k - 1] + most).min(last as f64 - least * left as f64),
            ];
            curve.values[k] = curve.values[k].clamp(range[0].min(range[1]), range[1]);
        }
        curve
    }

    fn width(&self) -> f64 {
        self.last as f64 / (self.values.len() - 1) as f64
    }

    fn keys(&self) -> impl Iterator<Item = (f64, f64)> {
        self.values.iter().enumerate().map(|(k, value)| (k as f64 * self.width(), *value))
    }

    /// Moves knots to where the mean distance is least.
    fn refine(&mut self, a: &[Centred], b: &[Centred]) {
        let knots = self.values.len() - 1;
        let width = self.width();
        let mut step = width / 4.0;
        for _ in 0..ROUNDS {
            for k in 1..knots {
                // A knot changes only the frames up to two knots to each side.
                let [from, to] = [k.saturating_sub(2), (k + 2).min(knots)].map(|k| k as f64 * width);
                let frames = from.floor() as usize..=(to.ceil() as usize).min(self.last);
                let own = self.values[k];
                let mut best = (self.cost(a, b, frames.clone()), own);
                for moved in [own - step, own + step] {
                    let slopes = [moved - self.values[k - 1], self.values[k + 1] - moved].map(|d| d / width);
                    if slopes.iter().any(|slope| !(SLOPES[0]..=SLOPES[1]).contains(slope)) {
                        continue;
                    }
                    self.values[k] = moved;
                    let cost = self.cost(a, b, frames.clone());
                    if cost < best.0 {
                        best = (cost, moved);
                    }
                }
                self.values[k] = best.1;
            }
            step /= 2.0;
        }
    }

    /// The sum of distances over some poses, where time in both motions counts alike.
    fn cost(&self, a: &[Centred], b: &[Centred], poses: std::ops::RangeInclusive<usize>) -> f64 {
        let Ok(map) = TimeMap::new(self.keys().collect()) else { return f64::INFINITY };
        let at = |place: f64| {
            let place = place.clamp(0.0, self.last as f64);
            let from = (place.floor() as usize).min(self.last - 1);
            b[from].between(&b[from + 1], place - from as f64)
        };
        let weigh = |i: usize| {
            let [before, after] =
                [-0.5, 0.5].map(|half| map.at((i as f64 + half).clamp(0.0, self.last as f64)));
            0.5 * (1.0 + after - before)
        };
        poses.map(|i| a[i].distance(&at(map.at(i as f64))) * weigh(i)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn a_warped_motion_is_found_again() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let end = (walk.frames() - 1) as f64 / walk.rate().fps();
        let keys = vec![(0.0, 0.0), (0.5 * end, 0.35 * end), (end, end)];
        let map = TimeMap::new(keys).unwrap();
        let (warped, _) = crate::map_times(&walk, &map).unwrap();
        let (a, b) = (Poses::of(&walk), Poses::of(&warped));
        let found = register(&body, (&b, [0.0, end]), (&a, [0.0, end]), walk.rate().fps()).unwrap();
        let times = (0..=20).map(|i| end * f64::from(i) / 20.0);
        let worst = times.map(|time| (found.times.at(time) - map.at(time)).abs()).fold(0.0, f64::max);
        assert!(worst < 0.05, "{worst} s");
        let mean = |times: &TimeMap| -> f64 {
            let grid = (0..=200).map(|i| end * f64::from(i) / 200.0);
            let far = grid.map(|time| b.centred(&body, time).distance(&a.centred(&body, times.at(time))));
            far.sum::<f64>() / 201.0
        };
        let straight = TimeMap::new(vec![(0.0, 0.0), (end, end)]).unwrap();
        assert!(mean(&found.times) < 0.2 * mean(&straight), "{} {}", mean(&found.times), mean(&straight));
        // The path has only frames, and counts time in both motions.
        assert!(
            mean(&found.times) <= 1.02 * found.path_distance,
            "{} {}",
            mean(&found.times),
            found.path_distance
        );
    }

    #[test]
    fn a_motion_with_itself_is_the_straight_line() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let poses = Poses::of(&walk);
        let range = [0.2, 1.4];
        let found = register(&body, (&poses, range), (&poses, range), walk.rate().fps()).unwrap();
        for i in 0..=20 {
            let time = 0.2 + 1.2 * f64::from(i) / 20.0;
            assert!((found.times.at(time) - time).abs() < 1e-6);
        }
        assert!(found.path_distance < 1e-5);
    }
}
