//! What a robot goes for in each frame: as the source does, on legs of its own length.

use mocap_model::{Isometry3, Robot, RobotPose, Vector3};
use nalgebra::Point3;

use crate::anatomy::Anatomy;
use crate::cost::Goal;
use crate::kinematics::Kinematics;
use crate::landmarks::Humanoid;
use crate::sole::foot_shapes;
use crate::source::{Source, SourceFrame};

/// The goals of each frame from the source.
pub(crate) fn goals(source: &Source, humanoid: &Humanoid, ratio: f64) -> Vec<Goal> {
    let ankle = (humanoid.soles[0].ankle_height + humanoid.soles[1].ankle_height) / 2.0;
    let start = source.frames[0].hips;
    let of = |frame: &SourceFrame| {
        let moved = (frame.hips - start) * ratio;
        let height = ankle + ratio * (frame.hips.z - source.ankle_height);
        Goal {
            hips: Point3::new(start.x * ratio + moved.x, start.y * ratio + moved.y, height),
            across: frame.across,
            pelvis: frame.pelvis,
            torso: frame.torso,
            feet: frame.feet,
            head: frame.head,
            legs: frame.legs,
            arms: frame.arms,
            pins: [[None; 4]; 2],
            hands: [None; 2],
            lift: [None; 2],
            clear: [0.0; 2],
            centre: None,
            values: None,
        }
    };
    source.frames.iter().map(of).collect()
}

/// The robot with these values of joints, turned and moved to the pelvis of the first goal.
pub(crate) fn first_pose(
    kinematics: &mut Kinematics,
    goal: &Goal,
    anatomy: &Anatomy,
    values: &[f64],
) -> RobotPose {
    let Anatomy { humanoid, rest, .. } = anatomy;
    kinematics.place(&RobotPose { base: rest.base, values: values.to_vec() });
    let rotation = goal.pelvis;
    let hips =
        humanoid.legs.iter().map(|leg| leg.base.at(&kinematics.placed).coords).sum::<Vector3<f64>>() / 2.0;
    let translation = goal.hips.coords - rotation * hips;
    let base = Isometry3::from_parts(translation.into(), rotation * humanoid.upright);
    RobotPose { base, values: values.to_vec() }
}

/// Lifts soles that swing too low.
pub(crate) fn lift_swings(
    robot: &Robot,
    humanoid: &Humanoid,
    poses: &[RobotPose],
    clearances: &[[f64; 2]],
    goals: &mut [Goal],
) {
    let mut placed = Vec::new();
    for ((pose, clearances), goal) in poses.iter().zip(clearances).zip(goals) {
        robot.place_into(&pose.base, &pose.values, &mut placed);
        for (foot, sole) in humanoid.soles.iter().enumerate() {
            let heights = sole.heights(&placed);
            // The end of a round foot that points down is lower than the corners of its sole.
            let ends =
                foot_shapes(robot, sole.body).map(|shape| shape.lowest(&placed[shape.body], &Vector3::z()));
            let lowest = ends.chain(heights).fold(f64::INFINITY, f64::min);
            goal.lift[foot] = lifted(heights, lowest, clearances[foot]);
            goal.clear[foot] = clearances[foot];
        }
    }
}

/// Heights of the corners of a sole that is lifted until its `lowest` point clears the floor; `None` if it does
/// already.
fn lifted(heights: [f64; 4], lowest: f64, clearance: f64) -> Option<[f64; 4]> {
    (lowest < clearance).then(|| heights.map(|height| height + clearance - lowest))
}
