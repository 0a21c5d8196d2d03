//! A window around a moment of a motion as a short feature vector: the movement of each part of the body, normalised by
//! its variance.

use super::values::{Row, SIZE, SWAY};
use crate::motion::POINTS;

/// Moments of a window, evenly around its middle.
const MOMENTS: usize = 5;
/// From the middle to the first and the last of them \[s\].
const REACH: f64 = 0.4;
/// Points that are compared: head, wrists, knees, ankles. The others move with them.
const SEEN: [usize; 7] = [0, 5, 6, 7, 8, 9, 10];
/// Parts of the body: these points, the velocity of the hips, the turn.
const WINDOW_PARTS: usize = SEEN.len() + 2;
/// The size of a window, padded to whole registers.
pub(super) const NUMBERS: usize = (MOMENTS * (3 * SEEN.len() + 4)).next_multiple_of(16);

/// A window. The square of the distance of two is the mean over the parts of the body of the variance of the difference
/// over that of the movement: about 0 for copies, about 2 for unrelated motions.
pub(super) type Window = [f32; NUMBERS];

/// The window around a moment of a motion; `values` gives the values at any time.
pub(super) fn around(time: f64, values: impl Fn(f64) -> Row) -> Window {
    let rows: [_; MOMENTS] = std::array::from_fn(|at| {
        let share = 2.0 * at as f64 / (MOMENTS - 1) as f64 - 1.0;
        values(time + REACH * share)
    });
    let points = SEEN.iter().map(|point| 3 * point..3 * point + 3);
    let parts = points.chain([3 * POINTS..3 * POINTS + 3, SIZE - 1..SIZE]);
    let mut window = [0.0; NUMBERS];
    let mut filled = 0;
    for part in parts {
        let mut movement = MOMENTS as f64 * SWAY * SWAY;
        let first = filled;
        for k in part {
            let mean = rows.iter().map(|row| f64::from(row[k])).sum::<f64>() / MOMENTS as f64;
            for row in &rows {
                let off = f64::from(row[k]) - mean;
                movement += off * off;
                window[filled] = off as f32;
                filled += 1;
            }
        }
        let scale = (1.0 / (movement * WINDOW_PARTS as f64).sqrt()) as f32;
        window[first..filled].iter_mut().for_each(|value| *value *= scale);
    }
    window
}

/// The square of the distance of two windows.
#[inline]
pub(super) fn squared_distance(a: &Window, b: &Window) -> f32 {
    crate::descriptor::summed::<16, NUMBERS>(a, b, |a, b| (a - b) * (a - b))
}

/// The product of two windows.
#[inline]
pub(super) fn product(a: &Window, b: &Window) -> f32 {
    crate::descriptor::summed::<16, NUMBERS>(a, b, |a, b| a * b)
}
