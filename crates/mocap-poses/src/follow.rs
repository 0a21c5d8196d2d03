//! How a body follows where some of its joints are moved.

use crate::examples::Examples;
use crate::goals::Goal;
use crate::predict::Predictor;
use crate::{Placed, PosesError, Quat, Vec3};
use mocap_model::{JointId, Pose};

/// A joint that is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The joint.
    pub joint: JointId,
    /// Where it goes, in object space [units of the skeleton].
    pub to: Vec3,
}

/// How the joints of a pose change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Followed {
    /// By joint that turns: its turn, in its own space.
    pub turns: Vec<(JointId, Quat)>,
    /// How the hips move, in object space [units of the skeleton].
    pub hips: Vec3,
}

/// How a body follows joints that are moved, while some joints are held in place and orientation. It is the difference
/// between the poses that the examples lead one to expect before and after, so what is special about the pose stays.
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
) -> Result<Followed, PosesError> {
    let body = &examples.body;
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
    let before = with(&|moved| pose.joints[moved.joint.index()].translation.vector);
    let after = with(&|moved| moved.to);
    let predictor = Predictor::fit(examples, &before)?;
    let [before, after] = [before, after].map(|goals| {
        let mut at: Vec<Placed> = Vec::new();
        predictor.pose(&goals, &mut at);
        at
    });
    let local = |at: &[Placed], joint: JointId| {
        let own = at[joint.index()].rotation;
        let parent = body.skeleton.joint(joint).parent.filter(|_| joint != body.hips);
        parent.map_or(own, |parent| at[parent.index()].rotation.inverse() * own)
    };
    let turn = |joint: &JointId| (*joint, local(&before, *joint).inverse() * local(&after, *joint));
    let hips = body.hips.index();
    Ok(Followed {
        turns: body.joints.iter().map(turn).collect(),
        hips: after[hips].translation.vector - before[hips].translation.vector,
    })
}
