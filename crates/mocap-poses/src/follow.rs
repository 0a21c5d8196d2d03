//! Whole-body changes when some joints are moved.

use crate::body::Body;
use crate::chain::{BodySolver, Finish};
use crate::examples::Examples;
use crate::fitted::Known;
use crate::goals::Goal;
use crate::predict::Predictor;
use crate::project::Freedom;
use crate::{Placed, PosesError, Quat, Vec3};
use mocap_model::{JointId, Pose, Skeleton};
use std::sync::Arc;

/// Equal variance of rotations \[rad²\] and of the position of the hips [legs²], used without examples.
const UNIFORM: f64 = 0.01;

/// A joint that is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The joint.
    pub joint: JointId,
    /// Its new position in object space [units of the skeleton].
    pub to: Vec3,
}

/// The change of a pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// By rotated joint: its rotation in its own space.
    pub turns: Vec<(JointId, Quat)>,
    /// The translation of the hips in object space [units of the skeleton].
    pub hips: Vec3,
}

/// The change with which a body follows moved joints, while the held joints keep position and orientation. It is the
/// difference between the poses that the examples predict before and after, so the individual features of the pose
/// stay; the remaining distance is solved over the whole body as in [`reach`].
///
/// `pose` is in object space.
///
/// # Errors
/// Where couplings of the skeleton contradict each other or its limits.
pub fn follow(
    examples: &Examples,
    pose: &Pose,
    moved: &[Moved],
    held: &[JointId],
    solver: BodySolver,
) -> Result<Followed, PosesError> {
    let [before, goals] = goals_of(pose, moved, held);
    let predictor = Predictor::fit(examples, &before, solver)?;
    let [before, after] = [&before, &goals].map(|goals| {
        let mut at: Vec<Placed> = Vec::new();
        predictor.pose(goals, &mut at);
        at
    });
    let body = &examples.body;
    let followed = difference(body, &before, &after);
    let start = Pose { joints: changed(body, &pose.joints, &followed) };
    let rest = reached(body, &start, &goals, solver)?;
    let turns = followed.turns.iter().zip(rest.turns).map(|((joint, turn), (_, more))| (*joint, turn * more));
    Ok(Followed { turns: turns.collect(), hips: followed.hips + rest.hips })
}

/// Applies a change to a pose.
fn changed(body: &Body, pose: &[Placed], change: &Followed) -> Vec<Placed> {
    let mut at = pose.to_vec();
    for (joint, turn) in &change.turns {
        let place = joint.index();
        let parent = body.skeleton.joint(*joint).parent.filter(|_| *joint != body.hips);
        at[place] = match parent {
            Some(parent) => {
                let mut local = pose[parent.index()].inverse() * pose[place];
                local.rotation *= turn;
                at[parent.index()] * local
            }
            None => Placed::from_parts(
                (pose[place].translation.vector + change.hips).into(),
                pose[place].rotation * turn,
            ),
        };
    }
    at
}

/// The least change of all joints that moves some joints to their positions, while the held joints keep position and
/// orientation. Uses no examples.
///
/// `pose` is in object space.
///
/// # Errors
/// Where the skeleton is not one of a human body, or its couplings contradict each other or its limits.
pub fn reach(
    skeleton: &Arc<Skeleton>,
    pose: &Pose,
    moved: &[Moved],
    held: &[JointId],
    solver: BodySolver,
) -> Result<Followed, PosesError> {
    let body = Body::of(skeleton)?;
    reached(&body, pose, &goals_of(pose, moved, held)[1], solver)
}

/// The least change that brings a pose to goals.
fn reached(body: &Body, pose: &Pose, goals: &[Goal], solver: BodySolver) -> Result<Followed, PosesError> {
    let known: Vec<Known> = goals.iter().map(Known::of).collect();
    let mut freedom = Freedom { turn: vec![0.0; body.skeleton.len()], travel: UNIFORM };
    body.joints.iter().for_each(|joint| freedom.turn[joint.index()] = UNIFORM);
    let before = pose.joints.clone();
    // Limbs may be as close to each other as in this pose.
    let finish = Finish::of(body, &known, freedom, (solver, &[&before]))?;
    let mut after = before.clone();
    finish.meet(body, &mut after, goals);
    Ok(difference(body, &before, &after))
}

/// Goals before and after some joints move.
fn goals_of(pose: &Pose, moved: &[Moved], held: &[JointId]) -> [Vec<Goal>; 2] {
    let held = held.iter().filter(|joint| !moved.iter().any(|moved| moved.joint == **joint));
    let held: Vec<Goal> = held
        .map(|joint| {
            let at = &pose.joints[joint.index()];
            Goal { joint: *joint, position: Some(at.translation.vector), orientation: Some(at.rotation) }
        })
        .collect();
    let with = |place: &dyn Fn(&Moved) -> Vec3| {
        let goal =
            |moved: &Moved| Goal { joint: moved.joint, position: Some(place(moved)), orientation: None };
        let mut goals: Vec<Goal> = moved.iter().map(goal).chain(held.iter().copied()).collect();
        goals.sort_by_key(|goal| goal.joint);
        goals
    };
    [with(&|moved| pose.joints[moved.joint.index()].translation.vector), with(&|moved| moved.to)]
}

/// The change from one pose to another.
fn difference(body: &Body, before: &[Placed], after: &[Placed]) -> Followed {
    let turn = |joint: &JointId| (*joint, body.local(before, *joint).inverse() * body.local(after, *joint));
    let hips = body.hips.index();
    Followed {
        turns: body.joints.iter().map(turn).collect(),
        hips: after[hips].translation.vector - before[hips].translation.vector,
    }
}
