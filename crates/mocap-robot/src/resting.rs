//! Frames in which the source rests on other parts than its feet: it is not balanced over them.

use mocap_analysis::{JointHeights, rests_off_feet};
use mocap_model::{Robot, RobotPose};

use crate::landmarks::Humanoid;
use crate::source::Source;

/// By frame: whether the source sits, kneels or lies, or the robot that follows it leans on a hand.
pub(crate) fn rests(source: &Source, robot: &Robot, humanoid: &Humanoid, poses: &[RobotPose]) -> Vec<bool> {
    let leg = source.leg_length;
    let to_source = leg / humanoid.leg_length();
    let mut placed = Vec::new();
    let mut of_frame = |(frame, pose): (&crate::source::SourceFrame, &RobotPose)| {
        robot.place_into(&pose.base, &pose.values, &mut placed);
        // Half the line of the hips is up to the left one; a thigh is about half a leg.
        let hip = |side: f64| frame.hips.z + side * frame.across.z / 2.0;
        let knee = |side: f64, leg_of: usize| hip(side) + frame.legs[leg_of][0].z * leg / 2.0;
        // The source's arms may have any length: hands are those of the robot.
        let hands = match &humanoid.arms {
            Some(arms) => arms.each_ref().map(|arm| arm.end.at(&placed).z * to_source),
            None => [f64::INFINITY; 2],
        };
        let heights = JointHeights { hips: frame.hips.z, knees: [knee(1.0, 0), knee(-1.0, 1)], hands };
        rests_off_feet(&heights, leg)
    };
    source.frames.iter().zip(poses).map(&mut of_frame).collect()
}
