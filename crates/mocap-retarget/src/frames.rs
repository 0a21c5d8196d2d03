//! A clip in two passes: first every frame is copied (root adapted, joints turned, goals of the limbs set);
//! then, once the feet are planted over time, the limbs are solved.
//!
//! Based on: C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. Here lengths
//! scale about the middle of the hip joints and not about the root joint: what lies between the two has its
//! own length on the target, and scaling it puts goals out of reach.

use crate::copy::{Copied, copied};
use crate::error::RetargetError;
use crate::ground::Setting;
use crate::plant::plant;
use crate::retargeter::Retargeter;
use mocap_ik::Status;
use mocap_model::{Clip, JointTracks, Pose, Track, UnitQuaternion};

/// A limb reaches its goal within this share of its length.
const REACHED: f64 = 1e-6;

/// How one limb was solved in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solve {
    /// Distance of the effector from its goal [units of the target].
    pub error: f64,
    pub reachable: bool,
}

/// The motion of the target and, by limb of the retargeter, how each frame was solved (nothing where the
/// method or the options leave a limb alone).
pub(crate) fn frames(
    retargeter: &Retargeter,
    source: &Clip,
    setting: &Setting,
) -> Result<(Clip, Vec<Vec<Solve>>), RetargetError> {
    let mut copied = copied(retargeter, source, setting);
    if setting.lock {
        plant(retargeter, setting, source.rate(), &mut copied);
    }
    let solves = solve(retargeter, &mut copied)?;
    let mut root = Track::from_samples(copied.hips);
    let tracks = copied.rotations.into_iter().zip(retargeter.target.iter()).map(|(rotation, (id, joint))| {
        let translation = if id == retargeter.target_body.hips { root.take() } else { None };
        let rotation = Track::from_samples(rotation).unwrap_or(Track::Constant(joint.rest_rotation));
        JointTracks { rotation, translation }
    });
    let clip = Clip::new(retargeter.target.clone(), source.rate(), source.frames(), tracks.collect())?;
    Ok((clip, solves))
}

fn solve(retargeter: &Retargeter, copied: &mut Copied) -> Result<Vec<Vec<Solve>>, RetargetError> {
    let options = mocap_ik::Options {
        position_tolerance: REACHED,
        limits: retargeter.limits,
        ..mocap_ik::Options::default()
    };
    let mut local = Pose::rest(&retargeter.target);
    let mut solves = vec![Vec::new(); retargeter.limbs.len()];
    for (i, limb) in retargeter.limbs.iter().enumerate() {
        let course = &copied.limbs[i];
        let mut chain = limb.chain.clone();
        let joints = chain.joints().to_vec();
        let last = joints.len() - 1;
        let tip = limb.target.tip.index();
        // The tip keeps the turn of the source, whatever the limb above it does.
        let follows =
            joints[last] == retargeter.target.joint(limb.target.tip).parent.unwrap_or(limb.target.tip);
        let constraint = retargeter.constraints[tip];
        let limited = retargeter.limits && !constraint.is_free();
        for frame in 0..course.goal.len() {
            for joint in &joints {
                local.joints[joint.index()].rotation = copied.rotations[joint.index()][frame];
            }
            chain.read_at(course.base[frame], &local)?;
            let (goal, bend) = (course.goal[frame], course.bend[frame]);
            let outcome = limb.solve(&mut chain, goal, bend, retargeter.options.solver, &options)?;
            for (joint, rotation) in joints.iter().zip(chain.chain.rotations()) {
                copied.rotations[joint.index()][frame] = *rotation;
            }
            let reachable = outcome.status != Status::Unreachable;
            solves[i].push(Solve { error: outcome.position, reachable });
            let above = chain.chain.frames()[last];
            if follows {
                let turned = above.inverse() * course.tip[frame];
                copied.rotations[tip][frame] = match limited {
                    true => constraint.project(&turned).0,
                    false => UnitQuaternion::new_normalize(turned.into_inner()),
                };
            }
        }
    }
    Ok(solves)
}
