//! Captured claps are still claps on bodies with other shoulders, arms and hands.

use crate::clip::real;
use mocap_analysis::trajectories;
use mocap_model::{Clip, Role};
use mocap_retarget::{RetargetOptions, Retargeter, estimate_rest_pose, map_roles_in};

/// The distance between the wrists in each frame, in arms.
fn apart(clip: &Clip) -> Vec<f64> {
    let roles = map_roles_in(clip);
    let joints = [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand, Role::RightHand];
    let places = trajectories(clip, &joints.map(|role| roles.joint(role).unwrap()));
    let arm = (places[0][0] - places[1][0]).norm() + (places[1][0] - places[2][0]).norm();
    places[2].iter().zip(&places[3]).map(|(left, right)| (left - right).norm() / arm).collect()
}

pub(crate) fn claps_of_a_capture_clap() {
    let claps = real("misc/makehuman_doubleclap.bvh", 0);
    let was = apart(&claps);
    for path in ["characters/ortiz_salsa.bvh", "characters/mousey_salsa.bvh", "cmu/12_01_walk.bvh"] {
        let target = real(path, 0);
        let target_rest = Some(estimate_rest_pose(&target).unwrap());
        let options = RetargetOptions { target_rest, ..RetargetOptions::default() };
        let retargeter = Retargeter::new(claps.skeleton(), target.skeleton(), &options).unwrap();
        let (motion, report) = retargeter.retarget(&claps).unwrap();
        let is = apart(&motion);
        for frame in [4, 16] {
            assert!(was[frame] < 0.46 && is[frame] <= 0.5, "{path}: {} {}", was[frame], is[frame]);
        }
        assert!(report.largest_step.excess <= 5.0, "{path}: {:?}", report.largest_step);
    }
}
