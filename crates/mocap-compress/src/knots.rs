//! Scalar tracks as straight lines between knots, for curves that are smooth, or noisy below their bound.
//!
//! Each line extends as far as some line from its first knot stays within the bound of all values ("swinging
//! door": E. H. Bristol, "Swinging door trending: Adaptive trend recording?", ISA National Conference, 1990).
//! Knots are multiples of a step.

#[cfg(feature = "encode")]
use crate::wire::put_number;
use crate::wire::{Malformed, Reader};

/// Steps per bound: more of them make longer lines but larger numbers.
#[cfg(feature = "encode")]
const STEPS_IN_BOUND: f64 = 4.0;
/// Knots are at most this many steps from 0, so that lines between them are exact enough.
const MOST: f64 = 1e12;
/// Greatest number of frames of a line: limits the memory that damaged bytes can demand.
const LONGEST: usize = 256;

/// The value on the line between two knots, `at` of `run` frames from the first.
fn on_line(from: i64, to: i64, at: usize, run: usize, step: f64) -> f64 {
    (from as f64 + (to - from) as f64 * (at as f64 / run as f64)) * step
}

/// Values as knots within `error`, preceded by the step; `None` if they cannot be stored.
#[cfg(feature = "encode")]
pub(crate) fn put(values: &[f64], error: f64) -> Option<(f64, Vec<u8>)> {
    let step = error / STEPS_IN_BOUND;
    let fits = |value: &f64| (value / step).abs() < MOST;
    if step.is_nan() || step <= 0.0 || !values.iter().all(fits) {
        return None;
    }
    let zigzag = |number: i64| (number << 1 ^ number >> 63) as u64;
    let mut bytes = Vec::new();
    let mut from = (values[0] / step).round() as i64;
    put_number(&mut bytes, zigzag(from));
    let mut first = 0;
    while first + 1 < values.len() {
        let (run, to) = longest(&values[first..], from, step, error)?;
        put_number(&mut bytes, run as u64 - 1);
        put_number(&mut bytes, zigzag(to - from));
        (first, from) = (first + run, to);
    }
    Some((step, bytes))
}

/// The frames of the longest line from a knot at the first value, and the knot at its end.
#[cfg(feature = "encode")]
fn longest(values: &[f64], from: i64, step: f64, error: f64) -> Option<(usize, i64)> {
    // Rounding of the line uses a little of the bound.
    let bound = error * (1.0 - 1e-9);
    let start = from as f64 * step;
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut best = None;
    for (run, value) in values.iter().enumerate().take(LONGEST + 1).skip(1) {
        low = low.max((value - bound - start) / run as f64);
        high = high.min((value + bound - start) / run as f64);
        if low > high {
            break;
        }
        // The knot nearest to the middle of the valid slopes.
        let middle = (start + 0.5 * (low + high) * run as f64) / step;
        let to = middle.round() as i64;
        let slope = (to as f64 * step - start) / run as f64;
        if slope >= low && slope <= high {
            best = Some((run, to));
        }
    }
    // Computed as by the reader.
    best.filter(|(run, to)| {
        (1..=*run).all(|at| (on_line(from, *to, at, *run, step) - values[at]).abs() <= error)
    })
}

/// The values of knots over `frames` frames.
pub(crate) fn read(reader: &mut Reader, frames: usize, step: f64) -> Result<Vec<f64>, Malformed> {
    let signed = |code: u64| (code >> 1) as i64 ^ -((code & 1) as i64);
    let within = |whole: i64| ((whole as f64).abs() <= 2.0 * MOST).then_some(whole);
    let mut from = match within(signed(reader.number(1 << 60, "a knot")?)) {
        Some(from) => from,
        None => return reader.fail("a knot within its range"),
    };
    let mut values = Vec::new();
    if frames > 0 {
        values.push(from as f64 * step);
    }
    while values.len() < frames {
        let left = frames - values.len();
        let run = reader.number(left.min(LONGEST) as u64, "the frames of a line")? as usize + 1;
        let Some(to) = within(from.wrapping_add(signed(reader.number(1 << 60, "a knot")?))) else {
            return reader.fail("a knot within its range");
        };
        values.extend((1..=run).map(|at| on_line(from, to, at, run, step)));
        from = to;
    }
    match values.iter().all(|value| value.is_finite()) {
        true => Ok(values),
        false => reader.fail("finite numbers"),
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_within_its_bound() {
        let mut seed = 5_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for (length, noise, error) in
            [(1, 0.0, 0.1), (2, 1.0, 0.1), (500, 0.01, 0.005), (500, 1.0, 1e-6), (300, 0.0, 1e-3)]
        {
            let values: Vec<f64> =
                (0..length).map(|at| (f64::from(at) * 0.05).sin() + noise * random()).collect();
            let (step, bytes) = put(&values, error).unwrap();
            let found = read(&mut Reader::new(&bytes), values.len(), step).unwrap();
            assert_eq!(found.len(), values.len());
            assert!(found.iter().zip(&values).all(|(a, b)| (a - b).abs() <= error), "{length} {noise}");
        }
    }

    #[test]
    fn a_smooth_curve_takes_few_knots_and_a_huge_one_does_not_fit() {
        let smooth: Vec<f64> = (0..1000).map(|at| (f64::from(at) * 0.01).sin()).collect();
        assert!(put(&smooth, 0.002).unwrap().1.len() < 150);
        assert_eq!(put(&[1e300, 0.0], 1e-3), None);
        assert_eq!(put(&[1.0, 0.0], 0.0), None);
    }
}
