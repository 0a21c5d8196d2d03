//! Fills gaps of joints from the rest of the body and the examples.
//!
//! The rotations that the examples predict differ from those measured before and after the gap; this difference is
//! interpolated over the gap. So the filled motion is continuous with the measured one, and follows the rest of the
//! body in between.

use crate::body::{Body, Limb};
use crate::chain::BodySolver;
use crate::examples::Examples;
use crate::fitted::Known;
use crate::goals::Goal;
use crate::predict::Predictor;
use crate::{Placed, PosesError, Quat};
use mocap_model::{Clip, JointId, Pose, exp, log};
use std::collections::BTreeMap;
use std::ops::Range;

/// A gap of a joint: its rotation is unknown for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The joint.
    pub joint: JointId,
    /// The frames.
    pub frames: Range<usize>,
}

/// A gap that was filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The joint.
    pub joint: JointId,
    /// The first of the frames.
    pub first: usize,
    /// Its local rotation, by frame.
    pub rotations: Vec<Quat>,
}

/// Predicts the rotations of lost joints from the rest of the body. Gaps of the hips, and of joints outside trunk, arms
/// and legs (down to hands and feet), are left out.
///
/// # Errors
/// Where couplings of the skeleton contradict each other or its limits.
pub fn fill(examples: &Examples, clip: &Clip, lost: &[Lost]) -> Result<Vec<Filled>, PosesError> {
    let body = &examples.body;
    let lost: Vec<&Lost> = lost
        .iter()
        .filter(|lost| {
            !lost.frames.is_empty() && lost.frames.end <= clip.frames() && belongs(body, lost.joint)
        })
        .collect();
    let mut filled: Vec<Filled> = lost
        .iter()
        .map(|lost| Filled {
            joint: lost.joint,
            first: lost.frames.start,
            rotations: lost.frames.clone().map(|at| clip.track(lost.joint).rotation.at(at)).collect(),
        })
        .collect();
    let mut predictors: BTreeMap<Vec<JointId>, (Vec<Known>, Predictor<'_>)> = BTreeMap::new();
    for (frames, missing) in runs(&lost, clip.frames()) {
        if !predictors.contains_key(&missing) {
            let known = known_without(body, &missing);
            let predictor = Predictor::of(examples, &known, BodySolver::default())?;
            predictors.insert(missing.clone(), (known, predictor));
        }
        let Some((known, predictor)) = predictors.get(&missing) else { continue };
        let poses: Vec<Vec<Placed>> =
            frames.clone().map(|frame| expected(predictor, known, &placed(clip, &filled, frame))).collect();
        // The offset is measured in the frame beside the run, unless other joints are lost there and not yet filled.
        let before = frames.start.checked_sub(1);
        let of_before = before.map(|frame| expected(predictor, known, &placed(clip, &filled, frame)));
        let after = Some(frames.end).filter(|frame| *frame < clip.frames());
        let sees = |frame: &usize| {
            lost.iter().all(|lost| !lost.frames.contains(frame) || missing.contains(&lost.joint))
        };
        let of_after = after.map(|frame| match sees(&frame) {
            true => expected(predictor, known, &placed(clip, &filled, frame)),
            false => poses[poses.len() - 1].clone(),
        });
        for joint in &missing {
            let turn = |at: &Vec<Placed>| body.local(at, *joint);
            let value = |frame: usize| rotation_of(&filled, clip, *joint, frame);
            let off = |frame: usize, pose: &Vec<Placed>| log(&(turn(pose).inverse() * value(frame)));
            // If the joint is still lost after the run, the next run starts from the end of this one.
            let seen =
                |frame: &usize| !lost.iter().any(|lost| lost.joint == *joint && lost.frames.contains(frame));
            let start = before.zip(of_before.as_ref()).map(|(frame, pose)| off(frame, pose));
            let end = after.filter(seen).zip(of_after.as_ref()).map(|(frame, pose)| off(frame, pose));
            let (start, end) = (start.or(end).unwrap_or_default(), end.or(start).unwrap_or_default());
            let count = (frames.len() + 1) as f64;
            let moved = |(step, at): (usize, &Vec<Placed>)| {
                let share = (step + 1) as f64 / count;
                turn(at) * exp(&(start * (1.0 - share) + end * share))
            };
            let rotations: Vec<Quat> = poses.iter().enumerate().map(moved).collect();
            write(&mut filled, *joint, frames.start, &rotations);
        }
    }
    Ok(filled)
}

/// The pose that the examples predict from the known joints of a pose in object space.
fn expected(predictor: &Predictor<'_>, known: &[Known], placed: &[Placed]) -> Vec<Placed> {
    let goal = |known: &Known| {
        let at = &placed[known.joint.index()];
        Goal {
            joint: known.joint,
            position: known.position.then_some(at.translation.vector),
            orientation: known.orientation.then_some(at.rotation),
        }
    };
    let mut at: Vec<Placed> = Vec::new();
    predictor.pose(&known.iter().map(goal).collect::<Vec<Goal>>(), &mut at);
    at
}

/// A frame in object space, with the gaps filled so far.
fn placed(clip: &Clip, filled: &[Filled], frame: usize) -> Vec<Placed> {
    let (mut local, mut object) = (Pose::default(), Pose::default());
    clip.local_pose(frame, &mut local);
    for own in filled.iter().filter(|own| own.frames().contains(&frame)) {
        local.joints[own.joint.index()].rotation = own.rotations[frame - own.first];
    }
    local.to_object(clip.skeleton(), &mut object);
    object.joints
}

/// Whether the examples predict the rotation of a joint: those of trunk, arms and legs.
fn belongs(body: &Body, joint: JointId) -> bool {
    body.trunk.contains(&joint) || body.limbs.iter().any(|limb| limb.chain.contains(&joint))
}

/// The rotation of a joint in a frame, filled where it is lost.
fn rotation_of(filled: &[Filled], clip: &Clip, joint: JointId, frame: usize) -> Quat {
    let own = filled.iter().find(|own| own.joint == joint && own.frames().contains(&frame));
    own.map_or_else(|| clip.track(joint).rotation.at(frame), |own| own.rotations[frame - own.first])
}

fn write(filled: &mut [Filled], joint: JointId, first: usize, rotations: &[Quat]) {
    for (step, rotation) in rotations.iter().enumerate() {
        let frame = first + step;
        let own = filled.iter_mut().filter(|own| own.joint == joint && own.frames().contains(&frame));
        own.for_each(|own| own.rotations[frame - own.first] = *rotation);
    }
}

impl Filled {
    /// The frames.
    pub fn frames(&self) -> Range<usize> {
        self.first..self.first + self.rotations.len()
    }
}

/// Runs of frames in which the same joints are lost, in order.
fn runs(lost: &[&Lost], frames: usize) -> Vec<(Range<usize>, Vec<JointId>)> {
    let mut cuts: Vec<usize> = lost.iter().flat_map(|lost| [lost.frames.start, lost.frames.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let run = |pair: &[usize]| {
        let mut missing: Vec<JointId> =
            lost.iter().filter(|lost| lost.frames.contains(&pair[0])).map(|lost| lost.joint).collect();
        missing.sort();
        missing.dedup();
        (pair[0]..pair[1].min(frames), missing)
    };
    cuts.windows(2).map(run).filter(|(_, missing)| !missing.is_empty()).collect()
}

/// The known joints of a body that lacks some: hips, head, the trunk that carries limbs, hands and feet; of a lost limb,
/// the rotation of its last known joint.
fn known_without(body: &Body, missing: &[JointId]) -> Vec<Known> {
    let seen = |chain: &[JointId]| chain.iter().take_while(|joint| !missing.contains(joint)).count();
    let full = |joint| Known { joint, position: true, orientation: true };
    let turned = |joint| Known { joint, position: false, orientation: true };
    let mut known = vec![full(body.hips)];
    let trunk = seen(&body.trunk);
    if trunk == body.trunk.len() {
        known.push(full(body.trunk[trunk - 1]));
    }
    let carried = |limb: &Limb| limb.base == body.hips || body.trunk[..trunk].contains(&limb.base);
    for limb in body.limbs.iter().filter(|limb| carried(limb)) {
        if limb.base != body.hips {
            known.push(turned(limb.base));
        }
        match seen(&limb.chain) {
            0 => {}
            count if count == limb.chain.len() => known.push(full(limb.end())),
            count => known.push(turned(limb.chain[count - 1])),
        }
    }
    known.sort();
    known.dedup_by_key(|known| known.joint);
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_where_another_joint_is_lost_or_found() {
        let lost = |joint, frames| Lost { joint: JointId(joint), frames };
        let all = [lost(4, 2..8), lost(5, 4..6), lost(4, 10..12)];
        let found: Vec<(Range<usize>, Vec<u32>)> = runs(&all.iter().collect::<Vec<_>>(), 12)
            .into_iter()
            .map(|(frames, missing)| (frames, missing.iter().map(|joint| joint.0).collect()))
            .collect();
        assert_eq!(found, [(2..4, vec![4]), (4..6, vec![4, 5]), (6..8, vec![4]), (10..12, vec![4])]);
    }
}
