//! A clip in two passes: first every frame is copied (root adapted, joints turned, goals of the limbs set);
//! then, once the feet are planted over time, the limbs are solved.
//!
//! Based on: C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. Here lengths
//! scale about the middle of the hip joints and not about the root joint: what lies between the two has its
//! own length on the target, and scaling it puts goals out of reach.

use crate::copy::{Copied, copied};
use crate::error::RetargetError;
use crate::ground::Setting;
use crate::limb::LimbMap;
use crate::plant::plant;
use crate::retargeter::Retargeter;
use mocap_analysis::largest_step;
use mocap_ik::{Constraint, Outcome, PosedChain, Status};
use mocap_model::{Clip, JointId, JointTracks, Pose, Track, UnitQuaternion, Vector3, angle_between};

/// A limb reaches its goal within this share of its length.
const REACHED: f64 = 1e-6;

/// A joint may turn by so much more in a frame than the source's does in any, or than it is asked to \[rad\].
pub(crate) const JUMP: f64 = 0.08;
/// To save a jump, an effector may be this share of the limb's length further from its goal.
const WORSE: f64 = 0.05;
/// A knee or elbow bent the wrong way by more than this (sine), where the source's is not, is bent the wrong way.
const WRONG: f64 = 0.1;

/// How one limb was solved in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solve {
    /// Distance of the effector from its goal [units of the target].
    pub error: f64,
    pub status: Status,
    pub iterations: u32,
    /// Whether a joint of the limb stands at a limit.
    pub at_limit: bool,
    /// Whether knee or elbow bends the wrong way.
    pub wrong_way: bool,
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
    let solves = solve(retargeter, source, &mut copied)?;
    let mut root = Track::from_samples(copied.hips);
    let tracks = copied.rotations.into_iter().zip(retargeter.target.iter()).map(|(rotation, (id, joint))| {
        let translation = if id == retargeter.target_body.hips { root.take() } else { None };
        let rotation = Track::from_samples(rotation).unwrap_or(Track::Constant(joint.rest_rotation));
        JointTracks { rotation, translation }
    });
    let clip = Clip::new(retargeter.target.clone(), source.rate(), source.frames(), tracks.collect())?;
    Ok((clip, solves))
}

fn solve(
    retargeter: &Retargeter,
    source: &Clip,
    copied: &mut Copied,
) -> Result<Vec<Vec<Solve>>, RetargetError> {
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
        let constraint = match retargeter.limits {
            true => retargeter.constraints[tip],
            false => Constraint::free(),
        };
        let mut steady = Steady::new(source, limb, &joints, retargeter.limits);
        for frame in 0..course.goal.len() {
            for joint in &joints {
                local.joints[joint.index()].rotation = copied.rotations[joint.index()][frame];
            }
            chain.read_at(course.base[frame], &local)?;
            let (goal, bend) = (course.goal[frame], course.bend[frame]);
            let solve_from =
                |chain: &mut PosedChain| limb.solve(chain, goal, bend, retargeter.options.solver, &options);
            let bent = limb.bend_sine(&chain, &bend);
            let seen = limb.upper_frame(&chain).inverse() * bend;
            let mut outcome = solve_from(&mut chain)?;
            if frame > 0 && steady.excess(chain.chain.rotations()) > 0.0 {
                outcome = steady.calm(&mut chain, outcome, &goal, solve_from)?;
            }
            steady.next(chain.chain.rotations());
            for (joint, rotation) in joints.iter().zip(chain.chain.rotations()) {
                copied.rotations[joint.index()][frame] = *rotation;
            }
            solves[i].push(Solve {
                error: outcome.position,
                status: outcome.status,
                iterations: outcome.iterations,
                at_limit: outcome.limit_contacts > 0,
                wrong_way: bent > -WRONG / 2.0
                    && limb.bend_sine(&chain, &(limb.upper_frame(&chain) * seen)) < -WRONG,
            });
            let above = chain.chain.frames()[last];
            if follows {
                let turned =
                    UnitQuaternion::new_normalize((above.inverse() * course.tip[frame]).into_inner());
                let wished = constraint.project(&turned).0;
                copied.rotations[tip][frame] = match frame.checked_sub(1) {
                    Some(before) => {
                        let before = copied.rotations[tip][before];
                        constraint.approach(&before, &wished, steady.tip)
                    }
                    None => wished,
                };
            }
        }
    }
    Ok(solves)
}

/// Keeps the joints of a limb from turning, in one frame, much further than the source's ever do: limits and
/// straight limbs leave solvers more than one way, and where the better one changes, the limb would jump.
struct Steady {
    /// By joint of the chain: the largest step of the source's joint \[rad\].
    steps: Vec<f64>,
    /// The furthest that the tip may turn \[rad\].
    tip: f64,
    /// The pose of the frame before.
    solved_before: Vec<UnitQuaternion<f64>>,
    limits: bool,
}

impl Steady {
    fn new(source: &Clip, limb: &LimbMap, joints: &[JointId], limits: bool) -> Steady {
        let step = |joint: JointId| largest_step(source, [joint]).map_or(0.0, |step| step.angle);
        let [base, middle, tip] = [limb.source.base, limb.source.middle, limb.source.tip].map(step);
        let steps = joints.iter().map(|joint| match *joint {
            joint if joint == limb.target.base => base,
            joint if joint == limb.target.middle => middle,
            _ => base.max(middle),
        });
        Steady { steps: steps.collect(), tip: tip + JUMP, solved_before: Vec::new(), limits }
    }

    fn next(&mut self, solved: &[UnitQuaternion<f64>]) {
        self.solved_before.clear();
        self.solved_before.extend_from_slice(solved);
    }

    /// How far a joint may turn in this frame.
    fn allowed(&self, joint: usize) -> f64 {
        JUMP + self.steps[joint]
    }

    /// By how much a joint of a pose has turned too far since the frame before; not above 0: none has.
    fn excess(&self, solved: &[UnitQuaternion<f64>]) -> f64 {
        let pairs = solved.iter().zip(&self.solved_before).enumerate();
        let excess = pairs.map(|(joint, (now, before))| angle_between(now, before) - self.allowed(joint));
        excess.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Solves again from the frame before: of several ways out of the limits that is the one already taken. Where
    /// it is too far for one frame, too, joints go as far as they may turn.
    fn calm(
        &self,
        chain: &mut PosedChain,
        first: Outcome,
        goal: &Vector3<f64>,
        solve_from: impl Fn(&mut PosedChain) -> Result<Outcome, RetargetError>,
    ) -> Result<Outcome, RetargetError> {
        let mut solved = chain.chain.rotations().to_vec();
        chain.chain.set_rotations(&self.solved_before);
        let other = solve_from(chain)?;
        if other.position <= first.position + WORSE * chain.chain.length(0) {
            if self.excess(chain.chain.rotations()) <= 0.0 {
                return Ok(other);
            }
            solved.copy_from_slice(chain.chain.rotations());
        }
        for (joint, (before, solved)) in self.solved_before.iter().zip(&solved).enumerate() {
            let constraint = if self.limits { chain.chain.constraints()[joint] } else { Constraint::free() };
            let rotation = constraint.approach(before, solved, self.allowed(joint));
            chain.chain.set_rotation(joint, rotation);
        }
        let position = (chain.chain.tip(0).0 - goal).norm();
        Ok(Outcome { position, status: Status::Capped, ..first })
    }
}
