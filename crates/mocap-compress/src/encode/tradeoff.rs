//! Chooses a lattice point by its cost: its own bits, and those of the later frames that it predicts.
//!
//! A value slightly off its target, within the tolerance, can make residuals of later frames vanish. Based on:
//! A. Ortega, K. Ramchandran, "Rate-distortion methods for image and video compression", 1998.

use crate::encode::search::LARGEST;
use crate::lattice::{FINEST, Kind, Residual};
use nalgebra::Vector3;
use std::cmp::Ordering;

/// Weight of a point's distance from the target relative to its bits; smaller on the last level, which predicts
/// nothing.
pub(crate) const NEARNESS: f64 = 3.0;
pub(crate) const NEARNESS_LAST: f64 = 2.0;

/// Weight of the bits of a later frame: they are an estimate, and depend on other frames as well.
const SHARE: f64 = 0.6;

/// Squared residuals of a later frame [steps²]: up to the first it will be zero, from the second on it will
/// not.
const VANISHES: f64 = 0.3;
const REMAINS: f64 = 1.2;

/// The largest square of the distance from the target to a point that is tried.
const REACH_CUBIC: f64 = 2.0;
const REACH_CENTRED: f64 = 1.2;
/// A third coordinate, the next one towards zero, is tried if it is at most this far from the
/// target, in multiples of the spacing.
const TOWARDS_ZERO: f64 = 1.6;

/// A later frame that a frame predicts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Later {
    /// The numbers of its residual where the frame is at its target.
    pub(crate) numbers: Vector3<f64>,
    /// By how much these numbers fall as the numbers of the frame rise.
    pub(crate) weight: f64,
    /// By axis: bits per step.
    pub(crate) slope: [f64; 3],
}

/// Bits per step of a residual for an expected magnitude.
pub(crate) fn slope(expected: f64) -> f64 {
    ((1.0 + expected) / (expected + 0.02)).log2()
}

impl Later {
    /// Weighted bits of the later residual if the frame is off its target.
    #[inline]
    fn bits(&self, off: &Vector3<f64>) -> f64 {
        let numbers = self.numbers - off * self.weight;
        let (mut bits, mut square) = (1.0, 0.0);
        for axis in 0..3 {
            let magnitude = numbers[axis].abs();
            square += magnitude * magnitude;
            bits += magnitude * self.slope[axis] + (2.0 * magnitude - 0.5).clamp(0.0, 1.0);
        }
        let remains = ((square - VANISHES) / (REMAINS - VANISHES)).clamp(0.0, 1.0);
        bits * remains * SHARE
    }
}

/// The cheapest point near `target` (in steps of the lattice) for which `holds` is true, with steps as coarse
/// as possible. `expected` are the magnitudes to which the coder is tuned; `bits` gives the actual bits of a
/// residual, which are used for `compared` of the points. `None` if no point holds even with the finest steps.
pub(crate) fn choose(
    kind: Kind,
    target: Vector3<f64>,
    expected: [f32; 3],
    nearness: f64,
    (later, compared): (&[Later], usize),
    mut bits: impl FnMut(Residual) -> f64,
    holds: impl Fn(Residual) -> bool,
) -> Option<Residual> {
    // Points of either parity of a body-centred lattice lie two steps apart.
    let (spacing, parities, reach) = match kind {
        Kind::Cubic => (1.0, 1, REACH_CUBIC),
        Kind::BodyCentred => (2.0, 2, REACH_CENTRED),
    };
    let slopes = expected.map(|expected| slope(f64::from(expected)));
    let mut points: Vec<Point> = Vec::with_capacity(54);
    for refine in 0..=FINEST {
        let scale = f64::from(1u32 << refine);
        let fine = target * scale;
        if !fine.iter().all(|value| value.abs() < LARGEST) {
            return None;
        }
        points.clear();
        for parity in 0..parities {
            let of = |axis: usize| coordinates(fine[axis], spacing, f64::from(parity), refine == 0);
            let near = [of(0), of(1), of(2)];
            for_each_combination(near, |point| {
                let off = point - fine;
                let square = off.norm_squared() / (spacing * spacing);
                if square > reach {
                    return;
                }
                let off = off / scale;
                let cost = later.iter().fold(nearness * square, |cost, later| cost + later.bits(&off));
                let own = |axis: usize| {
                    let nonzero = f64::from(u8::from(point[axis] != 0.0));
                    point[axis].abs() / scale * slopes[axis] + nonzero
                };
                points.push(Point {
                    guess: cost + own(0) + own(1) + own(2),
                    cost,
                    residual: Residual { k: [point.x as i32, point.y as i32, point.z as i32], refine },
                });
            });
        }
        let mut best: Option<(f64, Residual)> = None;
        for _ in 0..compared {
            let Some(point) = cheapest_within(&mut points, &holds) else { break };
            if compared == 1 {
                return Some(point.residual);
            }
            let cost = point.cost + bits(point.residual);
            if best.is_none_or(|best| cost < best.0) {
                best = Some((cost, point.residual));
            }
        }
        if let Some((_, residual)) = best {
            return Some(residual);
        }
    }
    None
}

/// Removes points in the order of their estimated cost, until one holds.
fn cheapest_within(points: &mut Vec<Point>, holds: &impl Fn(Residual) -> bool) -> Option<Point> {
    let order = |a: &Point, b: &Point| a.guess.total_cmp(&b.guess).then(a.residual.k.cmp(&b.residual.k));
    loop {
        let least = (1..points.len()).fold(0, |least, at| match order(&points[at], &points[least]) {
            Ordering::Less => at,
            _ => least,
        });
        if points.is_empty() {
            return None;
        }
        let point = points.swap_remove(least);
        if holds(point.residual) {
            return Some(point);
        }
    }
}

/// A point near the target.
struct Point {
    /// Estimated total cost.
    guess: f64,
    /// Cost besides its own bits.
    cost: f64,
    residual: Residual,
}

#[inline]
fn for_each_combination([x, y, z]: [[Option<f64>; 3]; 3], mut with: impl FnMut(Vector3<f64>)) {
    for x in x.into_iter().flatten() {
        for y in y.into_iter().flatten() {
            for z in z.into_iter().flatten() {
                with(Vector3::new(x, y, z));
            }
        }
    }
}

/// The coordinates of one parity on both sides of a value; if `wide`, also the next one towards
/// zero, where it is near ([`TOWARDS_ZERO`]).
#[inline]
fn coordinates(value: f64, spacing: f64, parity: f64, wide: bool) -> [Option<f64>; 3] {
    let low = ((value - parity) / spacing).floor() * spacing + parity;
    let high = low + spacing;
    let further = match () {
        () if low > 0.0 => Some(low - spacing),
        () if high < 0.0 => Some(high + spacing),
        () => None,
    };
    let further = further.filter(|further| wide && (further - value).abs() < TOWARDS_ZERO * spacing);
    [Some(low), Some(high), further]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_holds_is_found_however_small_its_region() {
        let target = Vector3::new(3.3, -0.4, 120.7);
        for kind in [Kind::Cubic, Kind::BodyCentred] {
            for radius in [2.0, 0.5, 0.1, 0.005] {
                let distance =
                    |residual: Residual| (Vector3::from(residual.numbers().map(f64::from)) - target).norm();
                let found = choose(
                    kind,
                    target,
                    [1.0; 3],
                    NEARNESS,
                    (&[], 2),
                    |_| 0.0,
                    |point| distance(point) < radius,
                );
                assert!(found.is_some_and(|point| distance(point) < radius), "{kind:?} {radius}");
            }
        }
        assert_eq!(choose(Kind::Cubic, target, [1.0; 3], NEARNESS, (&[], 2), |_| 0.0, |_| false), None);
        assert_eq!(
            choose(Kind::Cubic, target * f64::NAN, [1.0; 3], NEARNESS, (&[], 2), |_| 0.0, |_| true),
            None
        );
    }

    #[test]
    fn bits_are_spent_where_later_frames_save_more() {
        let magnitude = |residual: Residual| f64::from(residual.k.iter().map(|k| k.abs()).sum::<i32>());
        let target = Vector3::new(0.3, 0.0, 0.0);
        let found = choose(Kind::Cubic, target, [1.0; 3], NEARNESS, (&[], 2), magnitude, |_| true);
        assert_eq!(found, Some(Residual::default()));
        // At 1 instead of 0, the frame moves the prediction of a costly neighbour to its target.
        let numbers = Vector3::new(0.4, 0.0, 0.0);
        let later = Later { numbers, weight: 0.5625, slope: [8.0; 3] };
        let two = [Later { numbers: numbers * 2.0, ..later }; 2];
        let found = choose(Kind::Cubic, target, [1.0; 3], NEARNESS, (&two, 2), magnitude, |_| true);
        assert_eq!(found, Some(Residual { k: [1, 0, 0], refine: 0 }));
    }
}
