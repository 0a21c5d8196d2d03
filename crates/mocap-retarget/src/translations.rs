//! Translation tracks of joints other than hips and root-motion joints, which the transfer of rotations leaves out.
//!
//! On the skeleton of the source itself the motion stays as it is. On another one, joints without a role that both have,
//! such as jaws, weapons and IK bones, move from their rest as the source's do, scaled with the legs; bones of the body
//! keep the lengths of the target.

use crate::error::RetargetWarning;
use crate::pair::Pair;
use crate::source_clip::SourceClip;
use crate::transfer_rules::{JointPair, TransferRule};
use mocap_model::{Clip, JointId, JointTracks, ModelError, Track, UnitQuaternion, Vector3};

/// Joints closer to their rest than this share of a leg have not moved.
const STILL: f64 = 1e-6;
/// What is left out is said from this share of a leg on: 1 cm of a person.
const VISIBLE: f64 = 0.012;

/// The motion with the translations that it can have, and a warning where others are left out. `unchanged`: whether the
/// motion is put back on its own skeleton by a method that changes nothing there.
pub(crate) fn with_translations(
    source: &SourceClip,
    (pair, rules, unchanged): (&Pair, &[TransferRule], bool),
    clip: Clip,
) -> Result<(Clip, Option<RetargetWarning>), ModelError> {
    let Pair { source: from, target: to, .. } = pair;
    let leg = from.reference.limb_length(from.body.legs()[0]);
    let motion = source.whole();
    let mut moved: Vec<(JointId, f64)> = Vec::new();
    for (id, joint) in from.skeleton.iter().filter(|(id, _)| *id != from.body.hips) {
        let far = |track: &Track<Vector3<f64>>| {
            track.values().iter().map(|at| (at - joint.offset).norm()).fold(0.0, f64::max)
        };
        let far = motion.track(id).translation.as_ref().map_or(0.0, far);
        if far > STILL * leg {
            moved.push((id, far));
        }
    }
    if moved.is_empty() {
        return Ok((clip, None));
    }
    let mut tracks = clip.tracks().to_vec();
    if unchanged {
        tracks.clone_from_slice(motion.tracks());
        return Ok((with_tracks(clip, tracks)?, None));
    }
    for JointPair { source: own, target } in &pair.namesakes {
        let at = moved.iter().position(|(joint, _)| joint == own);
        let free = tracks[target.index()].translation.is_none();
        if let (Some(at), true, Some(turn)) = (at, free, parent_turn(pair, rules, *own, *target)) {
            moved.remove(at);
            let (rest, offset) = (from.skeleton.joint(*own).offset, to.skeleton.joint(*target).offset);
            let place = |v: &Vector3<f64>| offset + turn * (v - rest) * pair.ratios.leg;
            tracks[target.index()].translation =
                motion.track(*own).translation.as_ref().map(|track| track.map(place));
        }
    }
    // Joints above the hips move the hips, which are placed.
    moved.retain(|(joint, _)| !from.skeleton.is_in_subtree(from.body.hips, *joint));
    let most = moved.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, far)| *far > VISIBLE * leg);
    let warning = most.map(|(joint, far)| RetargetWarning::Translations {
        joint: from.skeleton.joint(*joint).name.clone(),
        joints: moved.iter().filter(|(_, far)| *far > VISIBLE * leg).count(),
        distance: far * from.metres,
    });
    Ok((with_tracks(clip, tracks)?, warning))
}

fn with_tracks(clip: Clip, tracks: Vec<JointTracks>) -> Result<Clip, ModelError> {
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks)
}

/// From the frame of the parent of a source's joint to that of the parent of its counterpart; `None` where the one parent
/// does not follow the other.
fn parent_turn(
    pair: &Pair,
    rules: &[TransferRule],
    own: JointId,
    target: JointId,
) -> Option<UnitQuaternion<f64>> {
    let parents = (pair.source.skeleton.joint(own).parent, pair.target.skeleton.joint(target).parent);
    let (above, below) = match parents {
        (Some(above), Some(below)) => (above, below),
        (None, None) => return Some(UnitQuaternion::identity()),
        _ => return None,
    };
    match rules[below.index()] {
        TransferRule::Follow { source, frame } | TransferRule::FollowPair { source, frame } => {
            (source == above).then(|| frame.inverse())
        }
        TransferRule::Hold(_) | TransferRule::Blend { .. } | TransferRule::Unpaired(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::clip;
    use crate::options::RetargetOptions;
    use crate::retargeter::Retargeter;
    use mocap_model::{Clip, Joint, JointId, JointTracks, Role, Skeleton, Track, Vector3};
    use std::sync::Arc;

    /// The clip with translations of its spine, and with a sword at its right hand that slides.
    fn sliding(clip: &Clip) -> Clip {
        let old = clip.skeleton();
        let mut tracks = clip.tracks().to_vec();
        let of_role = |role: Role| crate::map_roles(old).joint(role).unwrap();
        let wave = |joint: JointId, by: f64| -> Vec<Vector3<f64>> {
            let slide = |frame: usize| Vector3::y() * by * (frame as f64 * 0.1).sin();
            (0..clip.frames()).map(|frame| old.joint(joint).offset + slide(frame)).collect()
        };
        let spine = of_role(Role::Spine);
        tracks[spine.index()].translation = Some(Track::Sampled(wave(spine, 4.0)));
        let mut joints: Vec<Joint> = old.joints().to_vec();
        let sword = Joint::new("sword", Some(of_role(Role::RightHand)), Vector3::x() * 5.0);
        let slide = (0..clip.frames()).map(|frame| Vector3::new(5.0 + frame as f64 * 0.05, 0.0, 0.0));
        tracks.push(JointTracks {
            translation: Some(Track::Sampled(slide.collect())),
            ..JointTracks::at_rest(&sword)
        });
        joints.push(sword);
        let skeleton = Skeleton::new("", *old.space(), joints).unwrap();
        Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).unwrap()
    }

    #[test]
    fn on_its_own_skeleton_a_motion_keeps_every_translation() {
        let walk = sliding(&clip("alex_walk.bvh"));
        let retargeter =
            Retargeter::new(walk.skeleton(), walk.skeleton(), &RetargetOptions::default()).unwrap();
        let (same, report) = retargeter.retarget(&walk).unwrap();
        assert_eq!(same.tracks(), walk.tracks());
        let given_away = sliding(&clip("alex_walk.bvh"));
        assert_eq!(retargeter.retarget(given_away).unwrap().0.tracks(), walk.tracks());
        assert!(report.warnings.iter().all(|warning| warning.code() != "retarget::translations"));
    }

    #[test]
    fn what_a_body_carries_moves_on_another_one_and_stretched_bones_are_said() {
        let walk = sliding(&clip("alex_walk.bvh"));
        let robin = sliding(&clip("robin_walk.bvh"));
        let retargeter =
            Retargeter::new(walk.skeleton(), robin.skeleton(), &RetargetOptions::default()).unwrap();
        let (moved, report) = retargeter.retarget(&walk).unwrap();
        let sword = robin.skeleton().find("sword").unwrap();
        let way = moved.local(sword, 100).translation.vector - moved.local(sword, 0).translation.vector;
        assert!((way.norm() - 5.0 * retargeter.ratios().leg).abs() < 1e-9, "{way}");
        let codes: Vec<&str> = report.warnings.iter().map(|warning| warning.code()).collect();
        assert!(codes.contains(&"retarget::translations"), "{codes:?}");
    }
}
