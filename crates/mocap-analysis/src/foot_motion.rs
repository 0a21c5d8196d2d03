//! Trajectories of feet, computed in one pass over the clip, for floor, contacts and foot measures.

use crate::ground::rises;
use crate::trajectory::Trajectory;
use crate::{ContactOptions, Foot};
use mocap_model::{Clip, ClipFrames, JointId, LANES, PlacedJoints, PlacedWindows, Role, Skeleton, Vector3};

/// An ankle that is further than this above the hips is raised [leg lengths]: more than one of somebody who lies flat.
const RAISED: f64 = 0.25;

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
    /// Whether the foot stands on nothing, by frame: it is above the hips, as in a handstand, or held up above where the
    /// other one stands.
    pub raised: Vec<bool>,
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
        let mut motions = FootMotions::new(clip.into(), feet);
        PlacedWindows::new(clip.into(), FootMotion::joints(clip.skeleton(), feet), [])
            .each(|placed| motions.append(placed));
        motions.finish()
    }

    /// The joints whose positions make the motions of some feet.
    pub fn joints(skeleton: &Skeleton, feet: &[Foot]) -> Vec<JointId> {
        let points = feet.iter().flat_map(|foot| foot.points.iter().copied());
        points.chain(skeleton.with_role(Role::Hips)).collect()
    }
}

/// The motions of feet while the frames of a clip are placed, one window after the other.
pub struct FootMotions<'a> {
    feet: &'a [Foot],
    motions: Vec<FootMotion>,
    hips: Option<(JointId, Trajectory)>,
    up: Vector3<f64>,
}

impl<'a> FootMotions<'a> {
    /// Of no frames yet.
    pub fn new(clip: ClipFrames, feet: &'a [Foot]) -> FootMotions<'a> {
        let (skeleton, fps) = (clip.skeleton(), clip.rate().fps());
        let up = skeleton.space().up.vector();
        // Blocks are appended whole.
        let frames = clip.frames().next_multiple_of(LANES);
        let motion = |foot: &Foot| FootMotion {
            ankle: Vec::with_capacity(frames),
            toe: Vec::with_capacity(frames),
            lowest: Vec::with_capacity(frames),
            ground: Vec::new(),
            raised: Vec::new(),
            travel: Vec::new(),
            leg: leg_length(skeleton, foot.ankle),
            up,
            fps,
        };
        let hips = skeleton.with_role(Role::Hips).map(|hips| (hips, Vec::with_capacity(frames)));
        FootMotions { feet, motions: feet.iter().map(motion).collect(), hips, up }
    }

    /// Appends the frames that are placed.
    ///
    /// # Panics
    /// If one of the [`FootMotion::joints`] is not placed.
    pub fn append(&mut self, placed: &PlacedJoints) {
        for (motion, foot) in self.motions.iter_mut().zip(self.feet) {
            placed.append_positions(foot.ankle, &mut motion.ankle);
            placed.append_positions(foot.toe, &mut motion.toe);
            append_lowest(placed, &foot.points, &self.up, &mut motion.lowest);
        }
        if let Some((hips, places)) = &mut self.hips {
            placed.append_positions(*hips, places);
        }
    }

    /// The motions, with the values that need all frames.
    pub fn finish(self) -> Vec<FootMotion> {
        let FootMotions { mut motions, hips, up, .. } = self;
        let frames = motions.first().map_or(0, |foot| foot.lowest.len());
        let places = hips.as_ref().map(|(_, places)| &places[..]);
        let travel = travel(frames, places, &up);
        for foot in &mut motions {
            foot.travel.clone_from(&travel);
            foot.raised = vec![false; frames];
            for (frame, hips) in places.unwrap_or_default().iter().enumerate() {
                foot.raised[frame] = (foot.ankle[frame] - hips).dot(&up) > RAISED * foot.leg;
            }
        }
        let heights = || places.unwrap_or_default().iter().map(|at| at.dot(&up)).collect();
        let rises = rises(&motions, heights);
        motions.iter_mut().zip(rises).for_each(|(foot, ground)| foot.ground = ground);
        raise_held_up(&mut motions);
        motions
    }
}

impl FootMotion {
    /// The heights of a part of the foot.
    pub(crate) fn heights(&self, part: &Trajectory) -> Vec<f64> {
        part.iter().map(|place| place.dot(&self.up)).collect()
    }
}

/// A foot that is held up while the other one stands, as of somebody on one leg, is raised there: it is still, but its
/// usual lowest height is not that of the floor. A foot that climbs is still while the other one moves.
fn raise_held_up(motions: &mut [FootMotion]) {
    /// Of the frames in which the foot is still.
    const SHARE: f64 = 0.9;
    let options = ContactOptions::default();
    let lowest = |foot: &FootMotion| {
        let heights = foot.lowest.iter().zip(&foot.ground).map(|(lowest, ground)| lowest - ground);
        heights.fold(f64::INFINITY, f64::min)
    };
    let lowest: Vec<f64> = motions.iter().map(lowest).collect();
    let floor = lowest.iter().copied().fold(f64::INFINITY, f64::min);
    let is_high = |foot: &usize| lowest[*foot] > floor + options.height * motions[*foot].leg;
    let Some(held) = (0..motions.len()).find(is_high) else { return };
    let tall = options.height * motions[held].leg;
    let still = |foot: &FootMotion| foot.is_slow(&foot.toe, &foot.slow_steps(&options));
    let slow: Vec<Vec<bool>> = motions.iter().map(still).collect();
    let heights = |foot: usize, frame: usize| {
        let FootMotion { toe, ankle, ground, up, .. } = &motions[foot];
        [toe, ankle].map(|part| part[frame].dot(up) - ground[frame])
    };
    let stands_lower = |frame: usize| {
        let lower = |other: usize| {
            let both = heights(other, frame).into_iter().zip(heights(held, frame));
            slow[other][frame] && both.into_iter().all(|(own, held)| own < held - tall)
        };
        (0..motions.len()).any(lower)
    };
    let frames = 0..motions[held].raised.len();
    let up: Vec<bool> = frames.map(|frame| slow[held][frame] && stands_lower(frame)).collect();
    let count = |flags: &[bool]| flags.iter().filter(|is| **is).count() as f64;
    if count(&up) >= SHARE * count(&slow[held]) {
        motions[held].raised.iter_mut().zip(up).for_each(|(raised, up)| *raised |= up);
    }
}

/// Distance that the hips travel along the floor per frame. The first frame has no predecessor and takes the
/// second's.
fn travel(frames: usize, hips: Option<&[Vector3<f64>]>, up: &Vector3<f64>) -> Vec<f64> {
    let mut travel = vec![0.0; frames];
    for (travel, step) in travel.iter_mut().skip(1).zip(hips.unwrap_or_default().windows(2)) {
        let moved = step[1] - step[0];
        *travel = (moved - up * moved.dot(up)).norm();
    }
    if let [first, second, ..] = &mut travel[..] {
        *first = *second;
    }
    travel
}

/// Appends the height of the lowest of some joints along the up axis, by frame.
fn append_lowest(placed: &PlacedJoints, joints: &[JointId], up: &Vector3<f64>, lowest: &mut Vec<f64>) {
    let count = lowest.len() + placed.range().len();
    for block in placed.blocks() {
        let mut heights = [f64::INFINITY; LANES];
        for joint in joints {
            let own = placed.lanes(*joint, block).position.dot(up);
            heights = std::array::from_fn(|lane| heights[lane].min(own[lane]));
        }
        lowest.extend(heights);
    }
    lowest.truncate(count);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_that_is_held_up_does_not_stand() {
        // A toe that stays 2 cm above the floor, and one that is `high`, with a step down in some frames.
        let foot = |high: f64, down: usize| {
            let toe: Vec<f64> = (0..30).map(|frame| if frame < down { 0.02 } else { high }).collect();
            FootMotion {
                ankle: toe.iter().map(|height| Vector3::new(0.0, height + 0.08, 0.0)).collect(),
                toe: toe.iter().map(|height| Vector3::new(0.0, *height, 0.1)).collect(),
                lowest: toe,
                ground: vec![0.0; 30],
                raised: vec![false; 30],
                travel: vec![0.0; 30],
                leg: 0.9,
                up: Vector3::y(),
                fps: 30.0,
            }
        };
        let stands = |high: f64, down: usize| {
            let mut feet = [foot(0.02, 0), foot(high, down)];
            raise_held_up(&mut feet);
            feet.map(|foot| foot.contacts(&ContactOptions::default()).toe)
        };
        let [left, right] = stands(0.12, 0);
        assert!(left.iter().all(|stands| *stands) && right.iter().all(|stands| !stands));
        // A foot that is a little higher, as with a thicker sole, stands, and so does one in the frames in which it is down.
        assert!(stands(0.05, 0)[1].iter().all(|stands| *stands));
        assert_eq!(stands(0.12, 10)[1].iter().filter(|stands| **stands).count(), 10);
        // One that stands while the other one moves climbs.
        let mut feet = [foot(0.02, 0), foot(0.12, 0)];
        feet[0].toe.iter_mut().enumerate().for_each(|(frame, toe)| toe.z += 0.1 * frame as f64);
        raise_held_up(&mut feet);
        assert!(feet[1].contacts(&ContactOptions::default()).toe.iter().all(|stands| *stands));
    }
}
