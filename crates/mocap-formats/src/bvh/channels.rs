//! What the channels of one joint mean in one frame.

use super::document::Channel;
use super::reading::PositionMode;
use mocap_model::{Axis, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

/// The rotation of a joint: its rotation channels [deg] from left to right.
pub(super) fn rotation(channels: &[Channel], row: &[f64]) -> UnitQuaternion<f64> {
    let [mut w, mut i, mut j, mut k] = [1.0, 0.0, 0.0, 0.0];
    for (channel, value) in channels.iter().zip(row) {
        let Channel::Rotation(axis) = channel else { continue };
        // The product with a turn about one axis, whose other parts are zero.
        let (s, c) = (value.to_radians() / 2.0).sin_cos();
        [w, i, j, k] = match axis {
            Axis::X => [w * c - i * s, i * c + w * s, j * c + k * s, k * c - j * s],
            Axis::Y => [w * c - j * s, i * c - k * s, j * c + w * s, k * c + i * s],
            Axis::Z => [w * c - k * s, i * c + j * s, j * c - i * s, k * c + w * s],
        };
    }
    UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k))
}

/// The translation of a joint from its OFFSET and position channels.
pub(super) fn translation(
    channels: &[Channel],
    row: &[f64],
    offset: Vector3<f64>,
    mode: PositionMode,
) -> Vector3<f64> {
    let mut translation = offset;
    for (channel, value) in channels.iter().zip(row) {
        if let Channel::Position(axis) = channel {
            match mode {
                PositionMode::Replace => translation[axis.index()] = *value,
                PositionMode::Add => translation[axis.index()] += *value,
            }
        }
    }
    translation
}
