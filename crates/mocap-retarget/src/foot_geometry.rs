//! Foot geometry of the target: where toe, heel and toe tips are on a foot that stands flat.

use mocap_model::{JointId, LANES, RotationLanes, UnitQuaternion, Vector3, VectorLanes};

/// The points of a foot that touch the floor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FootGeometry {
    /// Index of the leg in the limbs of the pair.
    pub limb: usize,
    pub toe: JointId,
    /// From the ankle to the toe joint, in the frame of the ankle.
    pub toe_offset: Vector3<f64>,
    /// From the ankle straight down to the floor while the foot is flat, in the frame of the ankle.
    pub heel_offset: Vector3<f64>,
    /// Height of the toe joint above the floor while the foot is flat.
    pub toe_height: f64,
    /// The toe joint, and all others right below the ankle: some rigs have five toes.
    pub toes: Vec<Toe>,
}

/// A toe, or another point of a foot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Toe {
    pub joint: JointId,
    /// From the ankle, in the frame of the ankle.
    pub offset: Vector3<f64>,
    /// The axis about which it bends (down if positive, as knees bend back), in its frame.
    pub axis: Vector3<f64>,
    /// Points below it, in its frame; empty if it does not rotate by itself.
    pub tips: Vec<Vector3<f64>>,
}

/// Toes bend up by at most this \[rad\].
const MOST_BEND: f64 = 1.0;
/// Toes bend down by at most this \[rad\].
const MOST_PRESS: f64 = 0.5;
/// Toes that point almost straight down bend less; this is the sine at which the reduction begins.
const STEEP: f64 = 0.3;

impl Toe {
    /// The angle \[rad\] about the toe's axis that brings its lowest tip to the floor, limited to what toes
    /// bend: negative (up) for tips below the floor, positive for tips above it; 0 without tips. `at` and `toe`
    /// are position and orientation of the toe joint.
    pub(crate) fn bend_to_floor(
        &self,
        at: &Vector3<f64>,
        toe: &UnitQuaternion<f64>,
        floor: f64,
        up: &Vector3<f64>,
    ) -> f64 {
        let room = floor - at.dot(up);
        let axis = toe * self.axis;
        let bend = |tip: &Vector3<f64>| {
            let tip = toe * tip;
            // The height of a point that rotates about the axis: `along + radius · cos(angle - top)`.
            let along = axis * tip.dot(&axis);
            let (across, ahead) = (tip - along, axis.cross(&tip));
            let (c, s) = (across.dot(up), ahead.dot(up));
            let radius = (c * c + s * s).sqrt().max(f64::MIN_POSITIVE);
            let share = ((room - along.dot(up)) / radius).clamp(-1.0, 1.0);
            // Bending up is a rotation about the negative axis. It does not help a toe that points straight
            // down or back.
            let steep = (-s / radius / STEEP).clamp(0.0, 1.0);
            (s.atan2(c) + share.acos()).clamp(-MOST_BEND * steep, MOST_PRESS * steep)
        };
        self.tips.iter().map(bend).reduce(f64::min).unwrap_or(0.0)
    }

    /// How deep the tips of a toe joint are below the floor, in each frame of a block.
    pub(crate) fn tip_penetrations(
        &self,
        at: &VectorLanes,
        toe: &RotationLanes,
        floor: &[f64; LANES],
        up: &Vector3<f64>,
    ) -> [f64; LANES] {
        let mut depths = [0.0f64; LANES];
        for tip in &self.tips {
            let heights = at.plus(&toe.turn(tip)).dot(up);
            (0..LANES).for_each(|lane| depths[lane] = depths[lane].max(floor[lane] - heights[lane]));
        }
        depths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A toe of length 1 along Z that bends down about X.
    fn toe() -> Toe {
        Toe { joint: JointId(0), offset: Vector3::zeros(), axis: Vector3::x(), tips: vec![Vector3::z()] }
    }

    /// How deep the tip of the toe is below the floor at 0.
    fn depth(at: &Vector3<f64>, toe: &UnitQuaternion<f64>) -> f64 {
        let (at, toe) = (VectorLanes::same(at), RotationLanes::same(toe));
        self::toe().tip_penetrations(&at, &toe, &[0.0; LANES], &Vector3::y())[0]
    }

    #[test]
    fn toes_bend_up_until_their_tips_are_on_the_floor() {
        let (up, foot) = (Vector3::y(), toe());
        let pitched = UnitQuaternion::new(Vector3::x() * 0.5);
        let at = Vector3::new(0.0, 0.2, 0.0);
        assert!(depth(&at, &pitched) > 0.2);
        let bend = foot.bend_to_floor(&at, &pitched, 0.0, &up);
        assert!(bend < 0.0, "{bend}");
        let bent = pitched * UnitQuaternion::new(foot.axis * bend);
        assert!(depth(&at, &bent) < 1e-12);
        assert!((at + bent * foot.tips[0]).y.abs() < 1e-12);
    }

    #[test]
    fn toes_above_the_floor_press_on_it() {
        let (up, foot) = (Vector3::y(), toe());
        let level = UnitQuaternion::identity();
        let at = Vector3::new(0.0, 0.1, 0.0);
        let bend = foot.bend_to_floor(&at, &level, 0.0, &up);
        let bent = UnitQuaternion::new(foot.axis * bend);
        assert!(bend > 0.0 && (at + bent * foot.tips[0]).y.abs() < 1e-12, "{bend}");
        // Limited to the greatest bend of toes.
        assert_eq!(foot.bend_to_floor(&Vector3::new(0.0, 0.9, 0.0), &level, 0.0, &up), MOST_PRESS);
    }

    #[test]
    fn toes_straight_down_stay() {
        let (up, foot) = (Vector3::y(), toe());
        let down = UnitQuaternion::new(Vector3::x() * std::f64::consts::FRAC_PI_2);
        assert!(foot.bend_to_floor(&Vector3::new(0.0, 0.5, 0.0), &down, 0.0, &up).abs() < 1e-6);
    }
}
