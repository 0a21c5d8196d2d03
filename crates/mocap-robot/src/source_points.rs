//! Where the limbs of a robot that is a source have their hips, knees and ankles: between the axes of their hinges, as
//! those of a target.

use mocap_model::{Clip, JointId, Robot, Role, Vector3};

use crate::hinges::Hinges;
use crate::landmarks::Humanoid;
use crate::limb::{BodyPoint, Limb};
use crate::own_motion::OwnSkeleton;
use crate::source::{LimbPoints, Place};

/// The joint of the clip of a joint of a robot's skeleton, and a point of that in its frame.
type OnClip<'a> = &'a dyn Fn(JointId, Vector3<f64>) -> (JointId, Vector3<f64>);

/// The points of the limbs of a clip of the robot that is the target, of a known robot, or of one that only its hinges
/// show; `None` for people, and where roles say otherwise.
pub(crate) fn limb_points(
    clip: &Clip,
    metres: f64,
    (target, humanoid, own): (&Robot, &Humanoid, Option<&OwnSkeleton>),
) -> Option<LimbPoints> {
    if let Some(own) = own {
        return points(clip, target, humanoid, &|joint, at| own.point(joint, &at));
    }
    if let Some(robot) = clip.skeleton().robot() {
        return points(clip, robot, &Humanoid::find(robot).ok()?, &|joint, at| (joint, at));
    }
    let Hinges { robot, humanoid, turn, .. } = Hinges::of(clip, Some(metres))?;
    let back = turn.inverse();
    points(clip, &robot, &humanoid, &|joint, at| (joint, if joint.index() == 0 { back * at } else { at }))
}

fn points(clip: &Clip, robot: &Robot, humanoid: &Humanoid, on_clip: OnClip) -> Option<LimbPoints> {
    let bodies = robot.body_joints();
    let place = |point: &BodyPoint| {
        let (joint, origin) = bodies[point.body];
        let (joint, local) = on_clip(joint, origin + point.local.coords);
        Place { joint, local }
    };
    let of = |limb: &Limb| [&limb.base, &limb.middle, &limb.end].map(place);
    let mut found = LimbPoints {
        legs: humanoid.legs.each_ref().map(of),
        arms: humanoid.arms.as_ref().map(|arms| arms.each_ref().map(of)),
    };
    let roles = humanoid.roles(robot);
    let knee = |role: Role| {
        let joint = roles.iter().find(|(_, other)| *other == role).map(|(joint, _)| *joint)?;
        Some(on_clip(joint, Vector3::zeros()).0)
    };
    let [left, right] = [Role::LeftLowerLeg, Role::RightLowerLeg].map(knee);
    let stated = clip.skeleton().with_role(Role::LeftLowerLeg);
    match stated {
        _ if stated == left => {}
        // The names of joints do not say which side is left.
        _ if stated == right => {
            found.legs.reverse();
            found.arms.iter_mut().for_each(|arms| arms.reverse());
        }
        _ => return None,
    }
    Some(found)
}
