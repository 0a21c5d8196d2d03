//! How low the soles of a robot's feet are: below its ankles are shapes, not joints.

use mocap_analysis::{Foot, FootContacts};
use mocap_model::{Clip, ForwardKinematics, Isometry3, JointId, Primitive, RobotShape, Vector3};
use nalgebra::Translation3;

/// The height of the floor under the soles of a robot \[units of the clip\]: the median over the frames in which a foot
/// stands on toe and heel; where none does, the lowest that a sole comes. `None` for clips of no known robot, and of one
/// whose feet have no shapes.
pub(crate) fn sole_floor(
    clip: &Clip,
    feet: &[Foot],
    contacts: &[FootContacts],
    up: &Vector3<f64>,
) -> Option<f64> {
    let soles = soles(clip, feet)?;
    let joints: Vec<JointId> = soles.iter().flatten().map(|part| part.joint).collect();
    let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
    let (mut standing, mut lowest) = (Vec::new(), f64::INFINITY);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        for (sole, contact) in soles.iter().zip(contacts) {
            let heights = sole.iter().map(|part| part.lowest(kinematics.at(part.joint), up));
            let height = heights.fold(f64::INFINITY, f64::min);
            lowest = lowest.min(height);
            if contact.toe[frame] && contact.heel[frame] {
                standing.push(height);
            }
        }
    }
    standing.sort_by(f64::total_cmp);
    standing.get(standing.len() / 2).copied().or(Some(lowest)).filter(|height| height.is_finite())
}

/// A collision shape of a foot.
struct SolePart<'r> {
    joint: JointId,
    /// In the frame of the joint.
    placement: Isometry3<f64>,
    shape: &'r RobotShape,
}

/// By foot: its shapes; `None` where a foot has none.
fn soles<'c>(clip: &'c Clip, feet: &[Foot]) -> Option<Vec<Vec<SolePart<'c>>>> {
    let robot = clip.skeleton().robot()?;
    let bodies = robot.body_joints();
    let parts = |foot: &Foot| {
        let own = robot.shapes().iter().filter_map(|shape| {
            let (joint, origin) = bodies[shape.body];
            let placement = Translation3::from(origin) * shape.placement;
            foot.points.contains(&joint).then_some(SolePart { joint, placement, shape })
        });
        Some(own.collect::<Vec<_>>()).filter(|own| !own.is_empty())
    };
    feet.iter().map(parts).collect()
}

impl SolePart<'_> {
    /// The height of the lowest point.
    fn lowest(&self, joint: &Isometry3<f64>, up: &Vector3<f64>) -> f64 {
        let placed = joint * self.placement;
        let up_here = placed.rotation.inverse() * up;
        placed.translation.vector.dot(up) - below(&self.shape.primitive, &up_here)
    }
}

/// How far a shape reaches below its origin; `up` is in its frame.
fn below(primitive: &Primitive, up: &Vector3<f64>) -> f64 {
    match primitive {
        Primitive::Sphere { radius } => *radius,
        Primitive::Capsule { radius, half_length } => half_length * up.z.abs() + radius,
        Primitive::Cylinder { radius, half_length } => half_length * up.z.abs() + radius * up.xy().norm(),
        Primitive::Box { half_sizes } => half_sizes.dot(&up.abs()),
        Primitive::Ellipsoid { radii } => radii.component_mul(up).norm(),
        Primitive::Hull(hull) => -hull.furthest(&-up).dot(up),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_reach_as_far_down_as_their_lowest_points() {
        let tilted = Vector3::new(0.6, 0.0, 0.8);
        let at = |primitive: Primitive| below(&primitive, &tilted);
        assert!((at(Primitive::Sphere { radius: 0.1 }) - 0.1).abs() < 1e-12);
        assert!((at(Primitive::Capsule { radius: 0.1, half_length: 0.5 }) - 0.5).abs() < 1e-12);
        assert!((at(Primitive::Cylinder { radius: 0.1, half_length: 0.5 }) - 0.46).abs() < 1e-12);
        assert!((at(Primitive::Box { half_sizes: Vector3::new(0.1, 0.2, 0.3) }) - 0.3).abs() < 1e-12);
        assert!((at(Primitive::Ellipsoid { radii: Vector3::repeat(0.2) }) - 0.2).abs() < 1e-12);
    }
}
