//! A clip in two passes: first every frame is copied (root adapted, joints turned, goals of the limbs set);
//! then, once the feet are planted over time, the limbs are solved.
//!
//! Based on: C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. Here lengths
//! scale about the middle of the hip joints and not about the root joint: what lies between the two has its
//! own length on the target, and scaling it puts goals out of reach.

use crate::body::LimbKind;
use crate::copy::{Copied, copied};
use crate::error::RetargetError;
use crate::ground::Setting;
use crate::limb::LimbMap;
use crate::options::{Hands, Method};
use crate::plant::plant;
use crate::retargeter::Retargeter;
use crate::swivel::{Misses, planned};
use crate::touch::{Touches, touch};
use mocap_analysis::largest_step;
use mocap_ik::{Constraint, PosedChain, SolveOutcome, SolveStatus};
use mocap_model::{Clip, JointId, JointTracks, Pose, Track, UnitQuaternion, Vector3, angle_between};
use std::f64::consts::PI;

/// A limb reaches its goal within this share of its length.
const REACHED: f64 = 1e-6;

/// A joint may turn by so much more in a frame than the source's does in any, or than it is asked to \[rad\].
pub(crate) const JUMP: f64 = 0.08;
/// To save a jump, an effector may be this share of the limb's length further from its goal.
const WORSE: f64 = 0.05;
/// A limb whose swivel was planned is not turned further from the plan than this \[rad\].
const ASTRAY: f64 = 0.13;
/// A knee or elbow bent the wrong way by more than this (sine), where the source's is not, is bent the wrong way.
const WRONG: f64 = 0.1;

/// How one limb was solved in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solve {
    /// Distance of the effector from its goal [units of the target].
    pub error: f64,
    pub status: SolveStatus,
    pub iterations: u32,
    /// Whether a joint of the limb stands at a limit.
    pub at_limit: bool,
    /// Whether knee or elbow bends the wrong way.
    pub wrong_way: bool,
}

/// A motion of the target and how it came about.
pub(crate) struct Done {
    pub clip: Clip,
    /// By limb of the retargeter, then by frame; nothing where the method or the options leave a limb alone.
    pub solves: Vec<Vec<Solve>>,
    pub touches: Touches,
}

/// The motion of the target.
pub(crate) fn frames(
    retargeter: &Retargeter,
    source: &Clip,
    setting: &Setting,
) -> Result<Done, RetargetError> {
    let mut copied = copied(retargeter, source, setting);
    if setting.lock {
        plant(retargeter, setting, source.rate(), &mut copied);
    }
    let arms = retargeter.options.method == Method::Scale && retargeter.options.hands != Hands::Off;
    let touches = match retargeter.options.touch && arms {
        true => touch(retargeter, source, &mut copied),
        false => Touches::default(),
    };
    let solves = solve(retargeter, source, &mut copied)?;
    let mut root = Track::from_samples(copied.hips);
    let mut carriers = copied.carriers;
    let tracks = copied.rotations.into_iter().zip(retargeter.target.iter()).map(|(rotation, (id, joint))| {
        let carrier = carriers.iter_mut().find(|(carrier, _)| *carrier == id);
        let translation = match carrier {
            Some((_, course)) => Track::from_samples(std::mem::take(course)),
            None if id == retargeter.target_body.hips => root.take(),
            None => None,
        };
        let rotation = Track::from_samples(rotation).unwrap_or(Track::Constant(joint.rest_rotation));
        JointTracks { rotation, translation }
    });
    let clip = Clip::new(retargeter.target.clone(), source.rate(), source.frames(), tracks.collect())?;
    Ok(Done { clip, solves, touches })
}

fn solve(
    retargeter: &Retargeter,
    source: &Clip,
    copied: &mut Copied,
) -> Result<Vec<Vec<Solve>>, RetargetError> {
    let options = mocap_ik::SolveOptions {
        position_tolerance: REACHED,
        limits: retargeter.limits,
        restart: false,
        ..mocap_ik::SolveOptions::default()
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
        // A leg that swivels turns its foot: it meets its goal first.
        let bounded = limb.target.kind == LimbKind::Arm
            && retargeter.limits
            && joints.iter().any(|joint| !retargeter.constraints[joint.index()].is_free());
        let mut steady = Steady::new(source, limb, &joints, retargeter.limits);
        let swivels = match bounded {
            true => planned(
                &misses(limb, &mut chain, copied, i, &mut local, &options)?,
                source.rate().fps(),
                steady.allowed[0],
            ),
            false => Vec::new(),
        };
        let mut start = Vec::new();
        for frame in 0..course.goal.len() {
            for joint in &joints {
                local.joints[joint.index()].rotation = copied.rotations[joint.index()][frame];
            }
            chain.read_at(course.base[frame], &local)?;
            let (goal, bend) = (course.goal[frame], course.bend[frame]);
            let bend = match swivels.get(frame) {
                Some(swivel) => limb.pose_swivelled(&mut chain, goal, bend, &options, *swivel)?,
                None => bend,
            };
            let solve_from =
                |chain: &mut PosedChain| limb.solve(chain, goal, bend, retargeter.options.solver, &options);
            let usual = !limb.bends_back(&chain, &bend, WRONG / 2.0);
            let seen = limb.upper_frame(&chain).inverse() * bend;
            start.clear();
            start.extend_from_slice(chain.chain.rotations());
            let mut outcome = solve_from(&mut chain)?;
            if !swivels.is_empty() && greatest_step(chain.chain.rotations(), &start) > ASTRAY {
                // The goal can be met elsewhere only, where the plan could not go in time.
                chain.chain.set_rotations(&start);
                let position = (chain.chain.tip_position(0) - goal).norm();
                outcome = SolveOutcome {
                    status: SolveStatus::NotConverged,
                    position,
                    limit_contacts: 1,
                    ..outcome
                };
            }
            if frame > 0 && steady.jumps(chain.chain.rotations()) {
                outcome = steady.calm(&mut chain, outcome, &start, &goal, solve_from)?;
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
                wrong_way: usual && limb.bends_back(&chain, &(limb.upper_frame(&chain) * seen), WRONG),
            });
            let above = chain.chain.frames()[last];
            if follows {
                let turned =
                    UnitQuaternion::new_normalize((above.inverse() * course.tip[frame]).into_inner());
                let wished = constraint.project(&turned).0;
                copied.rotations[tip][frame] = match frame.checked_sub(1) {
                    Some(before) => {
                        let before = copied.rotations[tip][before];
                        constraint.slerp_towards(&before, &wished, steady.tip)
                    }
                    None => wished,
                };
            }
        }
    }
    Ok(solves)
}

/// By frame, what each swivel of a limb leaves of the way to its goal.
fn misses(
    limb: &LimbMap,
    chain: &mut PosedChain,
    copied: &Copied,
    i: usize,
    local: &mut Pose,
    options: &mocap_ik::SolveOptions,
) -> Result<Vec<Misses>, RetargetError> {
    let course = &copied.limbs[i];
    let joints = chain.joints().to_vec();
    let mut misses = Vec::with_capacity(course.goal.len());
    for frame in 0..course.goal.len() {
        for joint in &joints {
            local.joints[joint.index()].rotation = copied.rotations[joint.index()][frame];
        }
        chain.read_at(course.base[frame], local)?;
        misses.push(limb.swivels(chain, course.goal[frame], course.bend[frame], options)?);
    }
    Ok(misses)
}

/// The largest angle between the rotations of two poses of a chain.
fn greatest_step(a: &[UnitQuaternion<f64>], b: &[UnitQuaternion<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| angle_between(a, b)).fold(0.0, f64::max)
}

/// Keeps the joints of a limb from turning, in one frame, much further than the source's ever do: limits and
/// straight limbs leave solvers more than one way, and where the better one changes, the limb would jump.
struct Steady {
    /// By joint of the chain: how far it may turn in a frame \[rad\], and the cosine of half of that.
    allowed: Vec<f64>,
    cosines: Vec<f64>,
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
        let allowed: Vec<f64> = steps.map(|step| step + JUMP).collect();
        let cosine = |angle: &f64| if *angle < PI { (angle / 2.0).cos() } else { -1.0 };
        let cosines = allowed.iter().map(cosine).collect();
        Steady { allowed, cosines, tip: tip + JUMP, solved_before: Vec::new(), limits }
    }

    fn next(&mut self, solved: &[UnitQuaternion<f64>]) {
        self.solved_before.clear();
        self.solved_before.extend_from_slice(solved);
    }

    /// Whether a joint of a pose has turned too far since the frame before.
    fn jumps(&self, solved: &[UnitQuaternion<f64>]) -> bool {
        let pairs = solved.iter().zip(&self.solved_before).zip(&self.cosines);
        // The cosine of half the angle between two rotations.
        pairs.into_iter().any(|((now, before), least)| now.coords.dot(&before.coords).abs() < *least)
    }

    /// Solves again from the frame before: of several ways out of the limits that is the one already taken. Where
    /// it is too far for one frame, too, joints go as far as they may turn towards what brings the effector nearest:
    /// one of both solutions, or the pose they were solved from.
    fn calm(
        &self,
        chain: &mut PosedChain,
        first: SolveOutcome,
        start: &[UnitQuaternion<f64>],
        goal: &Vector3<f64>,
        solve_from: impl Fn(&mut PosedChain) -> Result<SolveOutcome, RetargetError>,
    ) -> Result<SolveOutcome, RetargetError> {
        let solved = chain.chain.rotations().to_vec();
        chain.chain.set_rotations(&self.solved_before);
        let other = solve_from(chain)?;
        let near = first.position + WORSE * chain.chain.length(0);
        if other.position <= near && !self.jumps(chain.chain.rotations()) {
            return Ok(other);
        }
        let resolved = chain.chain.rotations().to_vec();
        let mut best: Option<(f64, Vec<UnitQuaternion<f64>>)> = None;
        for towards in [&solved[..], &resolved, start] {
            for (joint, (before, wished)) in self.solved_before.iter().zip(towards).enumerate() {
                let constraint =
                    if self.limits { chain.chain.constraints()[joint] } else { Constraint::free() };
                let allowed = constraint.project(wished).0;
                let rotation = constraint.slerp_towards(before, &allowed, self.allowed[joint]);
                chain.chain.set_rotation(joint, rotation);
            }
            let missed = (chain.chain.tip_position(0) - goal).norm();
            if best.as_ref().is_none_or(|(least, _)| missed < *least) {
                best = Some((missed, chain.chain.rotations().to_vec()));
            }
        }
        let (position, rotations) = best.expect("three ways to go");
        chain.chain.set_rotations(&rotations);
        Ok(SolveOutcome { position, status: SolveStatus::NotConverged, ..first })
    }
}
