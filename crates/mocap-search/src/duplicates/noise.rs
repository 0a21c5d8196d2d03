//! Estimates the noise of a motion from changes between frames that are too fast for a body.
//!
//! Bodies move at up to a few hertz, while the noise of a recording is white. Differences of sixth order pass only the
//! highest frequencies, and their median ignores the few frames in which a body is that fast.

use super::values::{PARTS, SIZE, Values, WAY, smoothed, values};
use crate::motion::Motion;

/// The order of the differences.
const ORDER: usize = 6;
/// Least number of differences for an estimate.
const FEWEST: usize = 8;
/// The median of the square of a number with a normal distribution of deviation 1.
const MEDIAN: f64 = 0.4549;

/// The variance of noise in each part of the body that remains after smoothing, for white noise of the frames.
pub(super) fn noise(frames: &Motion) -> [f64; PARTS] {
    let rows: Vec<Values> = values(frames);
    let gain = Gain::at(frames.rate);
    let plain = binomial();
    let mut sloped = vec![0.0; ORDER + 3];
    plain.iter().enumerate().for_each(|(at, factor)| {
        sloped[at] += factor / 2.0;
        sloped[at + 2] -= factor / 2.0;
    });
    let sum = |factors: &[f64]| factors.iter().map(|factor| factor * factor).sum::<f64>();
    // Velocities are central differences over two frames.
    let per_second = WAY * frames.rate;
    let mut noise = [0.0; PARTS];
    for k in 0..SIZE {
        let part = if k < SIZE - 1 { k / 3 } else { PARTS - 1 };
        let square = square(&rows, k, &plain);
        noise[part] += if part < PARTS - 2 {
            square / sum(&plain) * gain.place
        } else {
            let way = if k < SIZE - 1 { 1.0 } else { 0.5 };
            square / (sum(&sloped) * (per_second * way).powi(2)) * gain.slope * (WAY * way).powi(2)
        };
    }
    noise
}

/// The factors of a difference of high order.
fn binomial() -> Vec<f64> {
    let mut factors = vec![1.0];
    for _ in 0..ORDER {
        let shifted: Vec<f64> =
            factors.iter().chain(&[0.0]).zip([0.0].iter().chain(&factors)).map(|(a, b)| a - b).collect();
        factors = shifted;
    }
    factors
}

/// The mean square of the differences of a number over time, by their median; 0 where there are too few.
fn square(rows: &[Values], k: usize, factors: &[f64]) -> f64 {
    // Without the ends, where velocities are one-sided differences.
    let inner = rows.get(1..rows.len().saturating_sub(1)).unwrap_or_default();
    let mut squares: Vec<f64> = inner
        .windows(factors.len())
        .map(|near| near.iter().zip(factors).map(|(row, factor)| row[k] * factor).sum::<f64>().powi(2))
        .collect();
    if squares.len() < FEWEST {
        return 0.0;
    }
    let middle = squares.len() / 2;
    *squares.select_nth_unstable_by(middle, f64::total_cmp).1 / MEDIAN
}

/// Shares of the variance of white noise that remain after resampling and smoothing: of positions, and of velocities.
struct Gain {
    place: f64,
    slope: f64,
}

impl Gain {
    fn at(fps: f64) -> Gain {
        const RATE: f64 = crate::motion::DETAILED;
        /// Longer than the impulse response of a frame \[s\].
        const SECONDS: f64 = 2.0;
        let count = (SECONDS * RATE) as usize + 1;
        let frames = (SECONDS * fps) as usize + 2;
        let first = frames * 3 / 8;
        // The response depends on the phase of a frame between samples: take the mean over some frames.
        let some = first..(frames * 5 / 8).max(first + 1);
        let (mut place, mut slope) = (0.0, 0.0);
        for frame in some.clone() {
            let at = |sample: usize| {
                let place = sample.min(count - 1) as f64 / RATE * fps;
                (1.0 - (place - frame as f64).abs()).max(0.0)
            };
            let places: Vec<f64> = (0..count).map(at).collect();
            let slopes: Vec<f64> = (0..count)
                .map(|sample| (at(sample + 1) - at(sample.saturating_sub(1))) / 2.0 * RATE)
                .collect();
            let left = |values: Vec<f64>| {
                let rows: Vec<[f64; 1]> = values.into_iter().map(|value| [value]).collect();
                smoothed(&rows).iter().map(|[value]| value * value).sum::<f64>()
            };
            place += left(places);
            slope += left(slopes);
        }
        // A sample has the noise of all frames near it; there are fps / RATE frames for each
        // sample.
        let share = fps / RATE / some.len() as f64;
        Gain { place: place * share, slope: slope * share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;
    use crate::motion::POINTS;

    /// Approximately standard normal numbers: sums of twelve uniform ones.
    fn normal() -> impl FnMut() -> f64 {
        let mut state = 7u64;
        move || {
            let mut even = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            };
            (0..12).map(|_| even()).sum::<f64>() - 6.0
        }
    }

    /// Long enough for a median of what depends on its neighbours.
    const SECONDS: f64 = 24.0;

    /// A body whose points swing twice a second, with noise.
    fn swinging(fps: f64, noise: f64) -> Motion {
        let mut next = normal();
        let mut sample = |frame: usize| {
            let angle = 12.6 * frame as f64 / fps;
            let mut at = |point: usize, axis: usize| {
                (0.4 * (angle + point as f64 + axis as f64).sin() + noise * next()) as f32
            };
            let points = std::array::from_fn(|point| std::array::from_fn(|axis| at(point, axis)));
            Sample { points, velocity: [0.0; 3], turn: 0.0 }
        };
        let samples: Vec<Sample> = (0..(SECONDS * fps) as usize).map(&mut sample).collect();
        Motion { samples, rate: fps, duration: SECONDS, leg: 1.0, metres: None }
    }

    #[test]
    fn noise_of_frames_is_found_at_any_rate_and_motion_is_not_noise() {
        for fps in [15.0, 30.0, 60.0, 120.0] {
            let expected = 3.0 * 0.02f64.powi(2) * Gain::at(fps).place;
            for part in &noise(&swinging(fps, 0.02))[..POINTS] {
                assert!((part / expected - 1.0).abs() < 0.4, "{fps}: {part} {expected}");
            }
            let still = noise(&swinging(fps, 0.0));
            assert!(still.iter().all(|part| *part < 0.05 * expected), "{fps}: {still:?}");
        }
    }

    #[test]
    fn what_is_left_of_noise_is_what_averaging_leaves() {
        let mut next = normal();
        for fps in [15.0, 24.0, 60.0] {
            let frames: Vec<f64> = (0..(400.0 * fps) as usize).map(|_| next()).collect();
            let rows: Vec<[f64; 1]> = (0..(399.0 * crate::motion::DETAILED) as usize)
                .map(|sample| {
                    let place = sample as f64 / crate::motion::DETAILED * fps;
                    let (first, share) = (place as usize, place.fract());
                    [frames[first] * (1.0 - share) + frames[first + 1] * share]
                })
                .collect();
            let left = smoothed(&rows);
            let variance = left.iter().map(|[value]| value * value).sum::<f64>() / left.len() as f64;
            let gain = Gain::at(fps).place;
            assert!((variance / gain - 1.0).abs() < 0.1, "{fps}: {variance} {gain}");
        }
    }

    #[test]
    fn too_few_frames_say_nothing() {
        let mut short = swinging(30.0, 0.02);
        short.samples.truncate(9);
        assert!(noise(&short).iter().all(|part| *part == 0.0));
    }
}
