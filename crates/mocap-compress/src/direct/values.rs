//! Rotations and translations of eight tracks side by side.
//!
//! Each lane is computed in the same order as a single value in [`crate::quat`] and [`crate::lanes`], with the same
//! bits as result.

use crate::lanes::{LARGEST_TURN, Quats, Vectors};
use fearless_simd::{Simd, f32x8, prelude::*};

/// Vectors, by component.
#[derive(Clone, Copy)]
pub(super) struct V<S: Simd>(pub(super) [f32x8<S>; 3]);

/// Quaternions, by component.
#[derive(Clone, Copy)]
pub(super) struct Q<S: Simd>(pub(super) [f32x8<S>; 4]);

impl<S: Simd> V<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, Vectors([x, y, z]): &Vectors) -> V<S> {
        V([f32x8::simd_from(simd, *x), f32x8::simd_from(simd, *y), f32x8::simd_from(simd, *z)])
    }

    #[inline(always)]
    pub(super) fn stored(self) -> Vectors {
        let [x, y, z] = self.0;
        Vectors([x.into(), y.into(), z.into()])
    }

    /// Vectors from numbers in a basis.
    #[inline(always)]
    pub(super) fn combined(simd: S, [x, y, z]: &[Vectors; 3], [a, b, c]: [f32x8<S>; 3]) -> V<S> {
        let (V(x), V(y), V(z)) = (V::of(simd, x), V::of(simd, y), V::of(simd, z));
        V([x[0] * a + y[0] * b + z[0] * c, x[1] * a + y[1] * b + z[1] * c, x[2] * a + y[2] * b + z[2] * c])
    }

    /// The sum; 0 where it is not finite.
    #[inline(always)]
    pub(super) fn moved(self, simd: S, by: V<S>) -> V<S> {
        let ([x, y, z], [a, b, c]) = (self.0, by.0);
        V([finite(simd, x + a), finite(simd, y + b), finite(simd, z + c)])
    }

    /// Between two vectors, moved by another.
    #[inline(always)]
    pub(super) fn along(simd: S, [from, to]: [V<S>; 2], way: f32, by: V<S>) -> V<S> {
        let part = [0, 1, 2];
        let mut path = from;
        for i in part {
            path.0[i] = from.0[i] * (1.0 - way) + to.0[i] * way;
        }
        path.moved(simd, by)
    }

    #[inline(always)]
    pub(super) fn between(self, to: V<S>, t: f32) -> V<S> {
        let mut out = self;
        for i in 0..3 {
            out.0[i] += (to.0[i] - self.0[i]) * t;
        }
        out
    }

    /// Vectors with a rotation in every lane.
    #[inline(always)]
    fn bounded(mut self, simd: S) -> V<S> {
        for part in &mut self.0 {
            *part = part.abs().simd_lt(LARGEST_TURN).select(*part, f32x8::splat(simd, 0.0));
        }
        self
    }

    #[inline(always)]
    fn square(self) -> f32x8<S> {
        let [x, y, z] = self.0;
        x * x + y * y + z * z
    }
}

/// Replaces values that are not finite: encoders write none, but a crafted file may.
#[inline(always)]
fn finite<S: Simd>(simd: S, value: f32x8<S>) -> f32x8<S> {
    value.abs().simd_le(f32::MAX).select(value, f32x8::splat(simd, 0.0))
}

impl<S: Simd> Q<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, Quats([x, y, z, w]): &Quats) -> Q<S> {
        Q([
            f32x8::simd_from(simd, *x),
            f32x8::simd_from(simd, *y),
            f32x8::simd_from(simd, *z),
            f32x8::simd_from(simd, *w),
        ])
    }

    #[inline(always)]
    pub(super) fn stored(self) -> Quats {
        let [x, y, z, w] = self.0;
        Quats([x.into(), y.into(), z.into(), w.into()])
    }

    #[inline(always)]
    fn mul(self, other: Q<S>) -> Q<S> {
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (self.0, other.0);
        Q([
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ])
    }

    #[inline(always)]
    fn dot(self, other: Q<S>) -> f32x8<S> {
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (self.0, other.0);
        ax * bx + ay * by + az * bz + aw * bw
    }

    #[inline(always)]
    fn scaled(self, scale: f32x8<S>) -> Q<S> {
        let [x, y, z, w] = self.0;
        Q([x * scale, y * scale, z * scale, w * scale])
    }

    /// Turned by vectors. `SMALL`: all are in bounds.
    #[inline(always)]
    pub(super) fn turned<const SMALL: bool>(self, simd: S, by: V<S>) -> Q<S> {
        let by = if SMALL { by } else { by.bounded(simd) };
        let square = by.square();
        let scale = f32x8::splat(simd, 1.0) / (f32x8::splat(simd, 16.0) + square);
        let imag = f32x8::splat(simd, 8.0) * scale;
        let [x, y, z] = by.0;
        self.mul(Q([x * imag, y * imag, z * imag, (f32x8::splat(simd, 16.0) - square) * scale]))
    }

    /// Between two rotations, turned by vectors. `SMALL`: all are in bounds.
    #[inline(always)]
    pub(super) fn along<const SMALL: bool>(simd: S, [from, to]: [Q<S>; 2], way: f32, by: V<S>) -> Q<S> {
        let by = if SMALL { by } else { by.bounded(simd) };
        let opposite = from.dot(to).simd_lt(0.0);
        let weight = opposite.select(f32x8::splat(simd, -way), f32x8::splat(simd, way));
        let mut path = from;
        for i in 0..4 {
            path.0[i] = from.0[i] * (1.0 - way) + to.0[i] * weight;
        }
        let square = by.square();
        let [x, y, z] = by.0;
        let turned = path.mul(Q([x * 8.0, y * 8.0, z * 8.0, f32x8::splat(simd, 16.0) - square]));
        // One normalisation for both.
        let length = path.dot(path).sqrt() * (f32x8::splat(simd, 16.0) + square);
        turned.scaled(f32x8::splat(simd, 1.0) / length)
    }
}
