//! What the channels of one joint mean in one frame.

use super::document::Channel;
use super::reading::PositionMode;
use mocap_model::{UnitQuaternion, Vector3};

/// The rotation of a joint: its rotation channels [deg] from left to right.
pub(super) fn rotation(channels: &[Channel], row: &[f64]) -> UnitQuaternion<f64> {
    let mut rotation = UnitQuaternion::identity();
    for (channel, value) in channels.iter().zip(row) {
        if let Channel::Rotation(axis) = channel {
            rotation *= UnitQuaternion::from_axis_angle(&axis.unit(), value.to_radians());
        }
    }
    rotation
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
