//! The collision shapes of a robot. Parts that penetrate each other at rest, or in the reference stance of people, do so
//! by design.

use mocap_model::{Robot, RobotPose};

use crate::anatomy::Anatomy;
use crate::cost::{Costs, Goal, WEIGHTS};
use crate::first_fit::FIRST_SWEEPS;
use crate::goals::first_pose;
use crate::kinematics::Kinematics;
use crate::landmarks::Humanoid;
use crate::limb::Limb;
use crate::sole::is_on;
use crate::solids::Solids;
use crate::solve::fit_frames;

/// The shapes that a fit keeps apart, of a robot that is placed at rest, and its reference stance.
pub(crate) fn kept_apart(kinematics: &mut Kinematics, anatomy: &Anatomy) -> (Solids, RobotPose) {
    let robot = kinematics.robot;
    let mut solids = Solids::of(robot);
    solids.allow(&kinematics.placed);
    let reference = [Goal::reference(&anatomy.humanoid)];
    let first = first_pose(kinematics, &reference[0], anatomy, &anatomy.rest.values);
    let costs = Costs { anatomy, solids: &solids, weights: WEIGHTS };
    let stance = fit_frames(kinematics, &costs, &reference, first, FIRST_SWEEPS, 0).0.remove(0);
    solids.allow(&robot.place(&stance.base, &stance.values));
    solids.allow_in_range(robot, &anatomy.rest.values, &limbs(robot, &anatomy.humanoid));
    (solids, stance)
}

/// The shapes whose depths are measured, given the reference stance.
pub(crate) fn measured(robot: &Robot, anatomy: &Anatomy, stance: &RobotPose) -> Solids {
    let mut solids = Solids::of(robot);
    for pose in [&anatomy.rest, stance] {
        solids.allow(&robot.place(&pose.base, &pose.values));
    }
    solids.allow_in_range(robot, &anatomy.rest.values, &limbs(robot, &anatomy.humanoid));
    solids
}

/// By body: the leg or arm that it is a part of.
fn limbs(robot: &Robot, humanoid: &Humanoid) -> Vec<Option<usize>> {
    let limbs: Vec<&Limb> = humanoid.legs.iter().chain(humanoid.arms.iter().flatten()).collect();
    let first = |limb: &Limb| limb.joints.first().map(|joint| robot.joints()[*joint].body);
    let is_of = |limb: &Limb, body: usize| first(limb).is_some_and(|first| is_on(robot, first, body));
    (0..robot.bodies().len()).map(|body| limbs.iter().position(|limb| is_of(limb, body))).collect()
}
