//! The fingerprint of a motion for the detection of duplicates.

use mocap_model::Clip;

use super::noise::noise;
use super::values::{PARTS, Row, SIZE, Values, WIDTH, smoothed, values};
use super::window::{self, Window};
use crate::SearchError;
use crate::motion::{DETAILED, Joints, MIRRORED, Motion, POINTS};

/// A landmark is a maximum of speed within this time \[s\].
const PEAK_RADIUS: f64 = 0.2;

/// For each number, its source in the mirrored motion, and the sign.
const MIRROR: [(usize, f32); SIZE] = {
    let mut mirror = [(0, 1.0); SIZE];
    let mut k = 0;
    while k < SIZE {
        let (part, axis) = (k / 3, k % 3);
        let from = if part < POINTS { 3 * MIRRORED[part] + axis } else { k };
        // Left becomes right, also for turns.
        mirror[k] = (from, if axis == 0 { -1.0 } else { 1.0 });
        k += 1;
    }
    mirror
};

/// A motion, prepared for comparison.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    /// As it is, and mirrored.
    sides: [Vec<Row>; 2],
    /// The variance of noise in each part of the body, as it is and mirrored.
    pub(super) noise: [[f64; PARTS]; 2],
    pub(super) rate: f64,
    /// \[s\]
    pub(super) duration: f64,
    /// The landmarks: local maxima of speed \[s\].
    pub(super) landmarks: Vec<f64>,
    /// The window around each landmark.
    pub(super) windows: Vec<Window>,
}

impl Fingerprint {
    /// The fingerprint of the motion of a clip.
    ///
    /// # Errors
    /// Where the clip is not a moving human body: see [`SearchError`].
    pub fn of(clip: &Clip) -> Result<Fingerprint, SearchError> {
        let joints = Joints::of(clip)?;
        let motion = Motion::of_joints(&joints, clip, DETAILED);
        let noise = noise(&Motion::of_joints(&joints, clip, clip.rate().fps()));
        let samples = rows(&motion);
        let landmarks = landmarks(&samples, motion.rate);
        let mirror = samples.iter().map(mirrored).collect();
        let plain = Fingerprint {
            sides: [samples, mirror],
            noise: [noise, std::array::from_fn(|part| noise[MIRRORED.get(part).copied().unwrap_or(part)])],
            rate: motion.rate,
            duration: (motion.samples.len() - 1) as f64 / motion.rate,
            landmarks,
            windows: Vec::new(),
        };
        let windows = plain.landmarks.iter().map(|time| plain.window(0, *time)).collect();
        Ok(Fingerprint { windows, ..plain })
    }

    /// The variance of noise, summed over the parts of the body.
    pub(super) fn total_noise(&self) -> f64 {
        self.noise[0].iter().sum()
    }

    /// The window around a moment; `side` 1 is the mirror.
    pub(super) fn window(&self, side: usize, time: f64) -> Window {
        window::around(time, |time| self.at(side, time).0)
    }

    /// Values between samples and their rates of change, by a Catmull–Rom spline; `side` 1 is the mirror.
    #[inline(always)]
    pub(super) fn at(&self, side: usize, time: f64) -> (Row, Row) {
        let samples = &self.sides[side][..];
        let place = (time * self.rate).clamp(0.0, (samples.len() - 1) as f64);
        let (first, t, rate) = (place as usize, place.fract() as f32, self.rate as f32);
        let last = samples.len() - 1;
        let a = &samples[first.saturating_sub(1)];
        let [b, c, d] = [0, 1, 2].map(|step| &samples[(first + step).min(last)]);
        let (mut values, mut slopes) = ([0.0; WIDTH], [0.0; WIDTH]);
        for k in 0..WIDTH {
            let (a, b, c, d) = (a[k], b[k], c[k], d[k]);
            let (linear, square) = (c - a, 2.0 * a - 5.0 * b + 4.0 * c - d);
            let cube = 3.0 * (b - c) + d - a;
            values[k] = b + 0.5 * t * (linear + t * (square + t * cube));
            slopes[k] = 0.5 * (linear + t * (2.0 * square + 3.0 * t * cube)) * rate;
        }
        (values, slopes)
    }
}

fn mirrored(row: &Row) -> Row {
    let mut mirror = [0.0; WIDTH];
    for (value, (from, sign)) in mirror.iter_mut().zip(MIRROR) {
        *value = sign * row[from];
    }
    mirror
}

/// The smoothed values of a motion.
fn rows(motion: &Motion) -> Vec<Row> {
    let filled = |row: Values| {
        let mut filled = [0.0; WIDTH];
        filled.iter_mut().zip(row).for_each(|(filled, value)| *filled = value as f32);
        filled
    };
    smoothed(&values(motion)).into_iter().map(filled).collect()
}

/// The times of the local maxima of speed \[s\], at least one, refined between samples by a
/// parabola through the fastest sample and its neighbours.
fn landmarks(samples: &[Row], rate: f64) -> Vec<f64> {
    let last = samples.len() - 1;
    let movement: Vec<f64> = (0..samples.len())
        .map(|at| {
            let (before, after) = (&samples[at.saturating_sub(1)], &samples[(at + 1).min(last)]);
            before.iter().zip(after).map(|(a, b)| f64::from(b - a).powi(2)).sum::<f64>()
        })
        .collect();
    let radius = (PEAK_RADIUS * rate) as usize;
    let is_first = |at: &usize| {
        let near = at.saturating_sub(radius)..(at + radius + 1).min(movement.len());
        near.clone().all(|other| {
            movement[other] < movement[*at] || (movement[other] == movement[*at] && other >= *at)
        })
    };
    let peak = |at: usize| {
        let [a, b, c] = [at.saturating_sub(1), at, (at + 1).min(last)].map(|at| movement[at]);
        let bend = a - 2.0 * b + c;
        let off = if at > 0 && at < last && bend < 0.0 { 0.5 * (a - c) / bend } else { 0.0 };
        (at as f64 + off.clamp(-0.5, 0.5)) / rate
    };
    (0..movement.len()).filter(is_first).map(peak).collect()
}
