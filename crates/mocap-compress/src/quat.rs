//! Rotations as the decoder computes them: `f32`, and only operations that IEEE 754 rounds exactly
//! (`+ - × ÷ √`), so every machine decodes the same bits. No sine, no logarithm, no fused multiply-add.
//!
//! Small rotations between a prediction and a sample are modified Rodrigues parameters,
//! `r = 4·tan(angle / 4)·axis`: near zero `r` is the rotation vector, and the way back is rational.
//! Based on: T. F. Wiener, "Theoretical analysis of gimballess inertial reference equipment", 1962.

use mocap_model::UnitQuaternion;

/// A quaternion as x, y, z, w.
pub(crate) type Quat = [f32; 4];

pub(crate) const IDENTITY: Quat = [0.0, 0.0, 0.0, 1.0];

/// The rotation `a` after the rotation `b`.
#[inline(always)]
pub(crate) fn mul(a: Quat, b: Quat) -> Quat {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

#[inline(always)]
pub(crate) fn dot(a: Quat, b: Quat) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// The unit quaternion of modified Rodrigues parameters.
#[inline(always)]
pub(crate) fn from_rodrigues(r: [f32; 3]) -> Quat {
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let scale = 1.0 / (16.0 + square);
    let imag = 8.0 * scale;
    [r[0] * imag, r[1] * imag, r[2] * imag, (16.0 - square) * scale]
}

/// The normalised linear interpolation between two rotations along the shorter arc, turned by a vector.
#[inline(always)]
pub(crate) fn along(from: Quat, to: Quat, way: f32, r: [f32; 3]) -> Quat {
    let weight = if dot(from, to) < 0.0 { -way } else { way };
    let path = [0, 1, 2, 3].map(|i| from[i] * (1.0 - way) + to[i] * weight);
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let turned = mul(path, [r[0] * 8.0, r[1] * 8.0, r[2] * 8.0, 16.0 - square]);
    // One normalisation for both.
    let scale = 1.0 / (dot(path, path).sqrt() * (16.0 + square));
    turned.map(|part| part * scale)
}

/// The weighted mean of rotations, each with the sign nearest to the first.
///
/// If the sum vanishes, the first rotation.
#[inline(always)]
pub(crate) fn blend(taps: [Quat; 4], weights: [f32; 4]) -> Quat {
    let first = taps[0];
    let signed = |tap: usize| if dot(first, taps[tap]) < 0.0 { -weights[tap] } else { weights[tap] };
    let [a, b, c, d] = [weights[0], signed(1), signed(2), signed(3)];
    let sum = [0, 1, 2, 3].map(|i| first[i] * a + taps[1][i] * b + taps[2][i] * c + taps[3][i] * d);
    // Selected without a branch, so that several rotations can be blended in lanes.
    let square = dot(sum, sum);
    let cancels = square < 1e-4;
    let scale = 1.0 / square.sqrt();
    [0, 1, 2, 3].map(|i| if cancels { first[i] } else { sum[i] * scale })
}

/// A rotation as the decoder holds it.
pub(crate) fn to_f32(q: &UnitQuaternion<f64>) -> Quat {
    [q.i as f32, q.j as f32, q.k as f32, q.w as f32]
}

/// A decoded rotation in double precision, normalised exactly.
pub(crate) fn to_f64(q: Quat) -> UnitQuaternion<f64> {
    let [i, j, k, w] = q.map(f64::from);
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, i, j, k))
}

/// Modified Rodrigues parameters of a rotation by at most half a turn: the inverse of [`from_rodrigues`], in
/// double precision.
#[cfg(feature = "encode")]
pub(crate) fn rodrigues(q: &UnitQuaternion<f64>) -> mocap_model::Vector3<f64> {
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    q.imag() * (4.0 * sign / (1.0 + q.w * sign))
}
