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
use mocap_model::{Clip, JointTracks, Pose, Track, UnitQuaternion, angle_between};

/// A limb reaches its goal within this share of its length.
const REACHED: f64 = 1e-6;

/// A joint that turns by so much more than the pose it was solved from has jumped \[rad\].
const JUMP: f64 = 0.15;
/// To save a jump, an effector may be this share of the limb's length further from its goal.
const WORSE: f64 = 0.05;

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
        let bounded =
            retargeter.limits && joints.iter().any(|joint| !retargeter.constraints[joint.index()].is_free());
        let [mut posed, mut posed_before, mut solved_before] = [const { Vec::new() }; 3];
        for frame in 0..course.goal.len() {
            posed.clear();
            for joint in &joints {
                let rotation = copied.rotations[joint.index()][frame];
                local.joints[joint.index()].rotation = rotation;
                posed.push(rotation);
            }
            chain.read_at(course.base[frame], &local)?;
            let (goal, bend) = (course.goal[frame], course.bend[frame]);
            let mut outcome = limb.solve(&mut chain, goal, bend, retargeter.options.solver, &options)?;
            if bounded && frame > 0 {
                // Limits leave the pose more than one way out: going on from the frame before may save a jump.
                let wished = greatest_step(&posed, &posed_before);
                if greatest_step(chain.chain.rotations(), &solved_before) > wished + JUMP {
                    let solved = chain.chain.rotations().to_vec();
                    chain.chain.set_rotations(&solved_before);
                    let other = limb.solve(&mut chain, goal, bend, retargeter.options.solver, &options)?;
                    let near = outcome.position + WORSE * chain.chain.length(0);
                    let step = greatest_step(chain.chain.rotations(), &solved_before);
                    if other.position <= near && step < greatest_step(&solved, &solved_before) {
                        outcome = other;
                    } else {
                        chain.chain.set_rotations(&solved);
                    }
                }
            }
            if bounded {
                std::mem::swap(&mut posed_before, &mut posed);
                solved_before.clear();
                solved_before.extend_from_slice(chain.chain.rotations());
            }
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

/// The largest angle between the rotations of two poses of a chain.
fn greatest_step(a: &[UnitQuaternion<f64>], b: &[UnitQuaternion<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| angle_between(a, b)).fold(0.0, f64::max)
}
