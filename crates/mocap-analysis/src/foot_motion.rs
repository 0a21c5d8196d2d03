//! Trajectories of feet, computed in one pass over the clip, for floor, contacts and foot measures.

use crate::Foot;
use crate::ground::rises;
use crate::trajectory::Trajectory;
use mocap_model::{Clip, JointId, LANES, PlacedJoints, Role, Skeleton, Vector3};

/// One foot over the frames of a clip [units of the clip].
#[derive(Clone, Debug, PartialEq)]
pub struct FootMotion {
    /// The ankle.
    pub ankle: Trajectory,
    /// The toe joint.
    pub toe: Trajectory,
    /// The height of the foot's lowest joint or end site along the up axis.
    pub lowest: Vec<f64>,
    /// Height of the ground under the foot above the floor, by frame: 0 unless feet stand on stairs, a slope or
    /// a box, which only both feet together show.
    pub ground: Vec<f64>,
    /// Distance that the hips travel along the floor per frame.
    pub travel: Vec<f64>,
    /// The length of the leg from hip joint to ankle.
    pub leg: f64,
    /// The up axis of the clip.
    pub up: Vector3<f64>,
    /// Frames per second.
    pub fps: f64,
}

impl FootMotion {
    /// The motions of some feet of a clip.
    pub fn of(clip: &Clip, feet: &[Foot]) -> Vec<FootMotion> {
        FootMotion::placed(clip, &PlacedJoints::of(clip, FootMotion::joints(clip.skeleton(), feet)), feet)
    }

    /// The joints whose positions make the motions of some feet.
    pub fn joints(skeleton: &Skeleton, feet: &[Foot]) -> Vec<JointId> {
        let points = feet.iter().flat_map(|foot| foot.points.iter().copied());
        points.chain(skeleton.with_role(Role::Hips)).collect()
    }

    /// As [`FootMotion::of`], for a clip whose [`FootMotion::joints`] are placed already.
    ///
    /// # Panics
    /// If a joint is not placed.
    pub fn placed(clip: &Clip, placed: &PlacedJoints, feet: &[Foot]) -> Vec<FootMotion> {
        let (up, fps) = (clip.skeleton().space().up.vector(), clip.rate().fps());
        let travel = travel(clip, placed, &up);
        let motion = |foot: &Foot| FootMotion {
            ankle: placed.positions(foot.ankle),
            toe: placed.positions(foot.toe),
            lowest: lowest(placed, &foot.points, &up),
            ground: Vec::new(),
            travel: travel.clone(),
            leg: leg_length(clip.skeleton(), foot.ankle),
            up,
            fps,
        };
        let mut motions: Vec<FootMotion> = feet.iter().map(motion).collect();
        let hips = || match clip.skeleton().with_role(Role::Hips) {
            Some(hips) => placed.positions(hips).iter().map(|at| at.dot(&up)).collect(),
            None => Vec::new(),
        };
        let rises = rises(&motions, hips);
        motions.iter_mut().zip(rises).for_each(|(foot, ground)| foot.ground = ground);
        motions
    }
}

impl FootMotion {
    /// The heights of a part of the foot.
    pub(crate) fn heights(&self, part: &Trajectory) -> Vec<f64> {
        part.iter().map(|place| place.dot(&self.up)).collect()
    }
}

/// Distance that the hips travel along the floor per frame. The first frame has no predecessor and takes the
/// second's.
fn travel(clip: &Clip, placed: &PlacedJoints, up: &Vector3<f64>) -> Vec<f64> {
    let frames = clip.frames();
    let Some(hips) = clip.skeleton().with_role(Role::Hips) else { return vec![0.0; frames] };
    let mut travel = vec![0.0; frames];
    for (travel, step) in travel.iter_mut().skip(1).zip(placed.positions(hips).windows(2)) {
        let moved = step[1] - step[0];
        *travel = (moved - up * moved.dot(up)).norm();
    }
    if let [first, second, ..] = &mut travel[..] {
        *first = *second;
    }
    travel
}

/// The height of the lowest of some joints along the up axis, by frame.
fn lowest(placed: &PlacedJoints, joints: &[JointId], up: &Vector3<f64>) -> Vec<f64> {
    let mut lowest = Vec::with_capacity(placed.frames().next_multiple_of(LANES));
    for block in 0..placed.frames().div_ceil(LANES) {
        let mut heights = [f64::INFINITY; LANES];
        for joint in joints {
            let own = placed.lanes(*joint, block).position.dot(up);
            heights = std::array::from_fn(|lane| heights[lane].min(own[lane]));
        }
        lowest.extend(heights);
    }
    lowest.truncate(placed.frames());
    lowest
}

/// The length of the bones from the upper leg down to an ankle; without that role, of the two bones above the ankle.
fn leg_length(skeleton: &Skeleton, ankle: JointId) -> f64 {
    let is_upper = |id: JointId| {
        let role = skeleton.joint(id).role;
        matches!(role, Some(Role::LeftUpperLeg | Role::RightUpperLeg))
    };
    let above = |id: &JointId| skeleton.joint(*id).parent;
    let up_to_root = std::iter::successors(Some(ankle), above);
    let bones = up_to_root.clone().position(is_upper).unwrap_or(2);
    up_to_root.take(bones).map(|id| skeleton.joint(id).offset.norm()).sum()
}
