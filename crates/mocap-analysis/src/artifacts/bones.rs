//! Artifacts: bones that change their length.

use super::{Artifact, ArtifactKind, worst_of_overlapping};
use crate::percentile::percentile;
use crate::{Lengths, runs};
use mocap_model::{Clip, JointId, Role, Skeleton, Track};

/// Greatest deviation of a bone from its usual length, as a share of it.
const SHARE: f64 = 0.03;
/// Least deviation that counts [leg lengths]: positions in files are rounded.
const ROUNDING: f64 = 0.0025;
/// A joint without a role that deviates in more than this share of the frames is animated on purpose: a prop, a
/// face.
const MOVED: f64 = 0.5;

pub(super) fn find(clip: &Clip, lengths: &Lengths) -> Vec<Artifact> {
    let skeleton = clip.skeleton();
    let found = bones(skeleton).into_iter().flat_map(|bone| stretches(clip, bone, lengths));
    worst_of_overlapping(found.collect())
}

/// The joints at the ends of bones: those below the hips, or below a root. Hips and joints above them move freely.
fn bones(skeleton: &Skeleton) -> Vec<JointId> {
    let below = skeleton.with_role(Role::Hips).map(|hips| skeleton.subtree(hips).split_off(1));
    let all = || skeleton.iter().filter(|(_, joint)| joint.parent.is_some()).map(|(id, _)| id).collect();
    let joints: Vec<JointId> = below.unwrap_or_else(all);
    joints.into_iter().filter(|joint| !skeleton.joint(*joint).end_site).collect()
}

fn stretches(clip: &Clip, bone: JointId, lengths: &Lengths) -> Vec<Artifact> {
    let Some(Track::Sampled(translations)) = &clip.track(bone).translation else { return Vec::new() };
    let sizes: Vec<f64> = translations.iter().map(|translation| translation.norm()).collect();
    let usual = percentile(&mut sizes.clone(), 0.5).unwrap_or(0.0);
    let limit = (SHARE * usual).max(ROUNDING * lengths.leg);
    let off: Vec<bool> = sizes.iter().map(|size| (size - usual).abs() > limit).collect();
    let share = off.iter().filter(|off| **off).count() as f64 / off.len().max(1) as f64;
    if clip.skeleton().joint(bone).role.is_none() && share > MOVED {
        return Vec::new();
    }
    let whole = usual.max(limit);
    let artifact = |frames: std::ops::Range<usize>| {
        let most = frames.clone().map(|frame| (sizes[frame] - usual).abs()).fold(0.0, f64::max);
        Artifact {
            kind: ArtifactKind::Stretch,
            frames,
            joint: Some(bone),
            value: most / whole,
            limit: limit / whole,
        }
    };
    runs(&off).into_iter().map(artifact).collect()
}
