//! The rotation that turns a body upright.

use mocap_model::Vector3;
use mocap_rig::{BodyFrame, Matrix3};

/// Up becomes Y; the axis of the file that is nearest to the facing direction becomes Z.
pub(super) fn turn(frame: &BodyFrame) -> Matrix3<f64> {
    let is_axis = frame.up.iter().filter(|value| value.abs() > 1e-9).count() == 1;
    let mut forward = frame.forward;
    if is_axis {
        let axis = forward.iamax();
        let mut unit = Vector3::zeros();
        unit[axis] = forward[axis].signum();
        forward = unit;
    }
    let left = frame.up.cross(&forward);
    Matrix3::from_columns(&[left, frame.up, forward]).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_becomes_y_and_front_z() {
        let frame = BodyFrame {
            up: Vector3::x(),
            left: Vector3::z(),
            forward: Vector3::new(0.0, -0.99, 0.14),
            floor: Vector3::zeros(),
            height: 1.7,
            facing_confidence: 1.0,
            is_mirrored: false,
        };
        let turn = turn(&frame);
        assert_eq!(turn * Vector3::x(), Vector3::y());
        assert_eq!(turn * -Vector3::y(), Vector3::z());
        assert!((turn.determinant() - 1.0).abs() < 1e-12);
    }
}
