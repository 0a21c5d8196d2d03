//! Rotations and vectors of eight tracks in SIMD lanes.
//!
//! Each lane is computed by the same functions in the same order as a single value, with the same bits as
//! result.

use crate::quat::{self, Quat};
use fearless_simd::Level;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::Simd;

/// Number of lanes.
pub(crate) const LANES: usize = 8;

/// One number of each track.
pub(crate) type Lane = [f32; LANES];

/// Quaternions, by component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quats(pub(crate) [Lane; 4]);

/// Vectors, by component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vectors(pub(crate) [Lane; 3]);

/// A computation on lanes, also compiled for the widest registers of common processors. The bits are the same
/// for all: nothing is fused or reordered.
pub(crate) trait Kernel {
    /// Inlined, as are all functions in it.
    fn run(self);
}

/// Runs the version of a kernel for this processor.
#[inline(always)]
pub(crate) fn run(level: Level, kernel: impl Kernel) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = level.as_avx2() {
        return avx2.vectorize(
            #[inline(always)]
            || kernel.run(),
        );
    }
    // Other processors have the needed instructions, or nothing wider.
    let _ = level;
    kernel.run();
}

/// The number of groups of lanes for so many tracks.
pub(crate) fn groups(tracks: usize) -> usize {
    tracks.div_ceil(LANES)
}

impl Quats {
    pub(crate) const IDENTITY: Quats = Quats([[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]]);

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Quat {
        let [x, y, z, w] = &self.0;
        [x[lane], y[lane], z[lane], w[lane]]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, q: Quat) {
        for (part, value) in self.0.iter_mut().zip(q) {
            part[lane % LANES] = value;
        }
    }
}

impl Vectors {
    pub(crate) const ZERO: Vectors = Vectors([[0.0; LANES]; 3]);

    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> [f32; 3] {
        let [x, y, z] = &self.0;
        [x[lane], y[lane], z[lane]]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, v: [f32; 3]) {
        for (part, value) in self.0.iter_mut().zip(v) {
            part[lane % LANES] = value;
        }
    }
}

/// Weights of taps, blended between a curve and a line by a factor per track.
#[derive(Debug)]
pub(crate) struct Mix<'a> {
    pub(crate) cubic: [f32; 4],
    pub(crate) linear: [f32; 4],
    pub(crate) flat: &'a Lane,
}

impl Mix<'_> {
    #[inline(always)]
    fn weights(&self, lane: usize) -> [f32; 4] {
        let flat = self.flat[lane];
        [0, 1, 2, 3].map(|tap| self.cubic[tap] + flat * (self.linear[tap] - self.cubic[tap]))
    }
}

/// Vectors from their numbers in a basis.
#[inline(always)]
pub(crate) fn combined([x, y, z]: &[Vectors; 3], numbers: &Vectors) -> Vectors {
    let mut out = Vectors::ZERO;
    for lane in 0..LANES {
        let [a, b, c] = numbers.get(lane);
        let [x, y, z] = [x.get(lane), y.get(lane), z.get(lane)];
        out.set(lane, [0, 1, 2].map(|i| x[i] * a + y[i] * b + z[i] * c));
    }
    out
}

/// Greatest component that encoders write; a crafted file may have a larger one.
pub(crate) const LARGEST_TURN: f32 = 1e6;

/// A component limited so that every vector gives a valid rotation.
#[inline(always)]
fn bounded(part: f32) -> f32 {
    if part.abs() < LARGEST_TURN { part } else { 0.0 }
}

/// The rotation of a vector, which every vector has.
#[inline(always)]
fn turned(r: [f32; 3]) -> Quat {
    quat::from_rodrigues(r.map(bounded))
}

/// Rotations turned by vectors.
#[inline(always)]
pub(crate) fn turn(base: &Quats, by: &Vectors) -> Quats {
    let mut out = Quats::IDENTITY;
    for lane in 0..LANES {
        out.set(lane, quat::mul(base.get(lane), turned(by.get(lane))));
    }
    out
}

/// Rotations predicted from four others and turned by vectors.
#[inline(always)]
pub(crate) fn predict_and_turn(taps: [&Quats; 4], mix: &Mix<'_>, by: &Vectors) -> Quats {
    let mut out = Quats::IDENTITY;
    let [a, b, c, d] = taps;
    for lane in 0..LANES {
        let taps = [a.get(lane), b.get(lane), c.get(lane), d.get(lane)];
        let predicted = quat::blend(taps, mix.weights(lane));
        out.set(lane, quat::mul(predicted, turned(by.get(lane))));
    }
    out
}

/// Linear interpolation.
#[inline(always)]
pub(crate) fn between(from: [f32; 3], to: [f32; 3], way: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| from[i] * (1.0 - way) + to[i] * way)
}

/// Translations predicted from four others and moved by vectors.
#[inline(always)]
pub(crate) fn predict_and_move(taps: [&Vectors; 4], mix: &Mix<'_>, by: &Vectors) -> Vectors {
    let mut out = Vectors::ZERO;
    let [a, b, c, d] = taps;
    for lane in 0..LANES {
        let weights = mix.weights(lane);
        let by = by.get(lane);
        let [a, b, c, d] = [a.get(lane), b.get(lane), c.get(lane), d.get(lane)];
        let sum = [0, 1, 2].map(|i| {
            0.0 + a[i] * weights[0] + b[i] * weights[1] + c[i] * weights[2] + d[i] * weights[3] + by[i]
        });
        out.set(lane, sum.map(finite));
    }
    out
}

/// Translations moved by vectors.
#[inline(always)]
pub(crate) fn moved(base: &Vectors, by: &Vectors) -> Vectors {
    let mut out = Vectors::ZERO;
    for lane in 0..LANES {
        let (base, by) = (base.get(lane), by.get(lane));
        out.set(lane, [0, 1, 2].map(|i| finite(base[i] + by[i])));
    }
    out
}

/// Replaces values that are not finite: encoders write none, but a crafted file may.
#[inline(always)]
pub(crate) fn finite(value: f32) -> f32 {
    if value.abs() <= f32::MAX { value } else { 0.0 }
}
