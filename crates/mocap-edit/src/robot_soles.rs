//! How low the soles of a robot's feet are: below its ankles are shapes, not joints.

use mocap_analysis::{Foot, FootContacts};
use mocap_model::{Clip, ForwardKinematics, JointId, RobotShape, Vector3};
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
            let heights =
                sole.iter().map(|part| part.shape.lowest(&(kinematics.at(part.joint) * part.body), up));
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
    /// The frame of its body in that of the joint.
    body: Translation3<f64>,
    shape: &'r RobotShape,
}

/// By foot: its shapes; `None` where a foot has none.
fn soles<'c>(clip: &'c Clip, feet: &[Foot]) -> Option<Vec<Vec<SolePart<'c>>>> {
    let robot = clip.skeleton().robot()?;
    let bodies = robot.body_joints();
    let parts = |foot: &Foot| {
        let own = robot.shapes().iter().filter_map(|shape| {
            let (joint, origin) = bodies[shape.body];
            let body = Translation3::from(origin);
            foot.points.contains(&joint).then_some(SolePart { joint, body, shape })
        });
        Some(own.collect::<Vec<_>>()).filter(|own| !own.is_empty())
    };
    feet.iter().map(parts).collect()
}
