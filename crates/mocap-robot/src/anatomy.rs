//! Anatomy of a robot: limbs, masses and rest pose, as retargeting needs them.

use mocap_model::{Isometry3, Robot, RobotPose, UnitQuaternion, Vector3};

use crate::RobotError;
use crate::kinematics::Kinematics;
use crate::landmarks::Humanoid;
use crate::limb::{Bends, Limb};
use crate::masses::Masses;
use crate::rest::rest_values;
use crate::sole::is_on;

/// A robot's limbs, masses and rest.
pub(crate) struct Anatomy {
    pub(crate) humanoid: Humanoid,
    pub(crate) masses: Masses,
    /// The rest pose, upright.
    pub(crate) rest: RobotPose,
    /// Rotations of pelvis, torso, left foot, right foot at rest; those of feet with the sole on the floor.
    pub(crate) at_rest: [UnitQuaternion<f64>; 4],
    /// Rotation of the head at rest.
    pub(crate) head_at_rest: UnitQuaternion<f64>,
    /// By joint: weight of the pull towards rest.
    pub(crate) postures: Vec<f64>,
    /// By arm: how much the direction of the forearm counts.
    pub(crate) forearms: [f64; 2],
    /// By arm: the shapes of its hand.
    pub(crate) hands: [Vec<usize>; 2],
    /// By body: the foot that it is or belongs to.
    pub(crate) feet: Vec<Option<usize>>,
}

impl Anatomy {
    /// Leaves the robot in its rest pose.
    pub(crate) fn of(kinematics: &mut Kinematics, bends: &Bends) -> Result<Anatomy, RobotError> {
        let robot = kinematics.robot;
        let humanoid = Humanoid::find_bending(robot, bends)?;
        let base = Isometry3::from_parts(Vector3::zeros().into(), humanoid.upright);
        let rest = RobotPose { base, values: rest_values(robot) };
        kinematics.place(&rest);
        let turn = |body: usize| kinematics.placed[body].rotation;
        let [left, right] = humanoid.soles.each_ref().map(|sole| sole.level * turn(sole.body));
        Ok(Anatomy {
            at_rest: [turn(humanoid.pelvis), turn(humanoid.torso), left, right],
            head_at_rest: humanoid
                .head
                .as_ref()
                .map_or_else(UnitQuaternion::identity, |head| turn(head.body)),
            postures: postures(robot, &humanoid),
            forearms: humanoid
                .arms
                .as_ref()
                .map_or([0.0; 2], |arms| arms.each_ref().map(|arm| forearm(robot, arm))),
            hands: humanoid.arms.as_ref().map_or_else(Default::default, |arms| {
                arms.each_ref().map(|arm| {
                    let shapes = robot.shapes().iter().enumerate();
                    let of_hand = shapes.filter(|(_, shape)| is_on(robot, arm.end.body, shape.body));
                    of_hand.map(|(index, _)| index).collect()
                })
            }),
            feet: (0..robot.bodies().len())
                .map(|body| (0..2).find(|foot| is_on(robot, humanoid.soles[*foot].body, body)))
                .collect(),
            masses: Masses::of(robot),
            humanoid,
            rest,
        })
    }
}

/// Two directions of an arm need four hinges. With fewer, the upper arm follows: a forearm that cannot must not turn the
/// body instead.
fn forearm(robot: &Robot, arm: &Limb) -> f64 {
    const HINGES: usize = 4;
    // Of .2 to 1, with which arms of three hinges about oblique axes still follow both a little.
    const FEW: f64 = 0.45;
    let last = arm.joints.iter().rposition(|joint| robot.joints()[*joint].body == arm.end.body);
    if last.is_some_and(|last| last + 1 < HINGES) { FEW } else { 1.0 }
}

/// Weights of the pull towards rest: small for all joints, larger for toes, so that a sole keeps its shape.
fn postures(robot: &Robot, humanoid: &Humanoid) -> Vec<f64> {
    const ALL: f64 = 0.03;
    const TOES: f64 = 3.0;
    let is_toe =
        |body: usize| humanoid.soles.iter().any(|sole| body != sole.body && is_on(robot, sole.body, body));
    robot.joints().iter().map(|joint| if is_toe(joint.body) { TOES } else { ALL }).collect()
}
