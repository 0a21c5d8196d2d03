//! How good a motion is: foot skate, smoothness, and capture artifacts.

use crate::{
    ContactOptions, Foot, FootContacts, FootMeasure, LargestStep, contacts, feet_of, floor_height,
    foot_measure, largest_step, metres_per_unit, runs,
};
use mocap_model::{Clip, Isometry3, JointId, Pose, Side, Vector3, angle_between};
use std::ops::Range;

/// A joint that moves faster than this between two frames has jumped [m/s]: the hand of the fastest pitcher
/// and the head of a golf club stay below it.
const JUMP: f64 = 50.0;
/// A joint that turns by more than this and back within two frames has flicked \[rad\] ...
const FLICK: f64 = 0.5;
/// ... where back means to less than this from where it was \[rad\].
const BACK: f64 = 0.17;
/// A joint that turns faster than this between two frames [rad/s], or further than that \[rad\], has flipped: an
/// upper arm in a baseball pitch stays below 140 rad/s.
const FLIP: (f64, f64) = (150.0, 2.5);
/// A pose that stays exactly the same for longer is frozen \[s\].
const FROZEN: f64 = 0.25;

/// A kind of capture artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArtifactKind {
    /// A joint moves faster than 50 m/s from the frame before: a lost marker, a pose that is no part of the motion.
    Jump,
    /// A joint turns by more than 0.5 rad and back within two frames: a swapped or hidden marker.
    Flick,
    /// A joint turns faster than 150 rad/s, or by more than 2.5 rad between two frames: a flipped twist bone.
    Flip,
    /// No joint moves at all for longer than 0.25 s, in a clip that moves elsewhere.
    Frozen,
}

impl ArtifactKind {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ArtifactKind::Jump => "jump",
            ArtifactKind::Flick => "flick",
            ArtifactKind::Flip => "flip",
            ArtifactKind::Frozen => "frozen",
        }
    }
}

/// Frames in which no body moves like this: probably an artifact of the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Which.
    pub kind: ArtifactKind,
    /// Counted from 0.
    pub frames: Range<usize>,
    /// The joint that shows it most; `None` where all joints do.
    pub joint: Option<JointId>,
}

/// What one foot does.
#[derive(Clone, Debug, PartialEq)]
pub struct FootQuality {
    /// Left or right.
    pub side: Side,
    /// The share of frames in which heel or toe is in contact, 0 to 1.
    pub contact_share: f64,
    /// The number of contacts.
    pub contacts: usize,
    /// Foot skate, float height and penetration \[m, m/s\].
    pub measure: FootMeasure,
}

/// How good a motion is. Lengths are metres by the clip's unit, or by the one its size suggests, or units.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Metres per unit of the clip, as [`metres_per_unit`] has it.
    pub metres: f64,
    /// The height of the floor \[m\]; `None` without feet or frames.
    pub floor: Option<f64>,
    /// The feet, left before right; none without roles.
    pub feet: Vec<FootQuality>,
    /// The mean over all joints of their mean jerk [m/s³].
    pub jerk: f64,
    /// The largest change of a local rotation between two frames.
    pub largest_step: Option<LargestStep>,
    /// In the order of their first frames.
    pub artifacts: Vec<Artifact>,
}

/// Measures the quality of a motion, without a reference.
///
/// ```
/// use mocap_analysis::{ContactOptions, quality};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // Somebody stands for two seconds and waves.
/// let quality = quality(&clip, &ContactOptions::default());
/// assert_eq!(quality.feet.len(), 2);
/// assert_eq!(quality.feet[0].contact_share, 1.0);
/// assert!(quality.feet[0].measure.skate < 1e-9);
/// assert!(quality.artifacts.is_empty());
/// ```
pub fn quality(clip: &Clip, options: &ContactOptions) -> Quality {
    let metres = metres_per_unit(clip.skeleton());
    let feet = feet_of(clip.skeleton());
    let found: Vec<FootContacts> = feet.iter().map(|foot| contacts(clip, foot, options)).collect();
    let floor = floor_height(clip, &feet, &found);
    let each = feet.iter().zip(&found);
    let measured = each.map(|(foot, found)| foot_quality(clip, foot, found, floor.unwrap_or(0.0), metres));
    let feet = if clip.frames() > 0 { measured.collect() } else { Vec::new() };
    let moving = clip.skeleton().iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id);
    let (jerk, artifacts) = jerk_and_artifacts(clip, metres);
    Quality {
        metres,
        floor: floor.map(|height| height * metres),
        feet,
        jerk,
        largest_step: largest_step(clip, moving),
        artifacts,
    }
}

fn foot_quality(clip: &Clip, foot: &Foot, found: &FootContacts, floor: f64, metres: f64) -> FootQuality {
    let on: Vec<bool> = found.toe.iter().zip(&found.heel).map(|(toe, heel)| *toe || *heel).collect();
    FootQuality {
        side: foot.side,
        contact_share: on.iter().filter(|on| **on).count() as f64 / on.len().max(1) as f64,
        contacts: runs(&on).len(),
        measure: foot_measure(clip, foot, found, floor, metres),
    }
}

/// The mean jerk [m/s³] and the artifacts of a clip, in one pass over its frames.
fn jerk_and_artifacts(clip: &Clip, metres: f64) -> (f64, Vec<Artifact>) {
    let (skeleton, frames, fps) = (clip.skeleton(), clip.frames(), clip.rate().fps());
    let joints: Vec<JointId> = skeleton.iter().filter(|(_, j)| !j.end_site).map(|(id, _)| id).collect();
    // The frames before this one: object-space positions and local poses, the newest first.
    let mut places: [Vec<Vector3<f64>>; 4] = Default::default();
    let mut locals: [Pose; 3] = Default::default();
    let mut object = Pose::default();
    let (mut jerk, mut artifacts) = (0.0, Vec::new());
    let mut still = vec![false; frames];
    for frame in 0..frames {
        places.rotate_right(1);
        locals.rotate_right(1);
        clip.local_pose(frame, &mut locals[0]);
        locals[0].to_object(skeleton, &mut object);
        places[0].clear();
        places[0].extend(joints.iter().map(|joint| object.joints[joint.index()].translation.vector));
        if frame >= 1 {
            still[frame] = locals[0] == locals[1];
            let speeds = places[0].iter().zip(&places[1]).map(|(a, b)| (a - b).norm() * metres * fps);
            let fastest = largest(speeds);
            if let Some((i, _)) = fastest.filter(|(_, speed)| *speed > JUMP) {
                add(&mut artifacts, ArtifactKind::Jump, frame, Some(joints[i]));
            }
        }
        let turned = |a: &Isometry3<f64>, b: &Isometry3<f64>| angle_between(&a.rotation, &b.rotation);
        let [after, at, before] = &locals;
        if frame >= 1 {
            let turns =
                joints.iter().map(|joint| turned(&at.joints[joint.index()], &after.joints[joint.index()]));
            let most = (FLIP.0 / fps).clamp(FLICK, FLIP.1);
            if let Some((i, _)) = largest(turns).filter(|(_, turn)| *turn > most) {
                add(&mut artifacts, ArtifactKind::Flip, frame, Some(joints[i]));
            }
        }
        if frame >= 2 {
            let flicks = joints.iter().map(|joint| {
                let [after, at, before] = [after, at, before].map(|pose| &pose.joints[joint.index()]);
                let out = turned(before, at).min(turned(at, after));
                if out > FLICK && turned(before, after) < BACK { out } else { 0.0 }
            });
            if let Some((i, _)) = largest(flicks).filter(|(_, out)| *out > 0.0) {
                add(&mut artifacts, ArtifactKind::Flick, frame - 1, Some(joints[i]));
            }
        }
        if frame >= 3 {
            let [d, c, b, a] = &places;
            jerk += (0..joints.len()).map(|i| (d[i] - c[i] * 3.0 + b[i] * 3.0 - a[i]).norm()).sum::<f64>();
        }
    }
    jerk *= metres * fps.powi(3) / (joints.len() * frames.saturating_sub(3)).max(1) as f64;
    for run in runs(&still) {
        let whole = run.len() + 1 >= frames;
        if run.len() as f64 / fps > FROZEN && !whole {
            artifacts.push(Artifact {
                kind: ArtifactKind::Frozen,
                frames: run.start - 1..run.end,
                joint: None,
            });
        }
    }
    artifacts.sort_by_key(|artifact| artifact.frames.start);
    (jerk, artifacts)
}

fn largest(values: impl Iterator<Item = f64>) -> Option<(usize, f64)> {
    values.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Adds a frame: the last artifact of this kind grows by it where it is the next one.
fn add(artifacts: &mut Vec<Artifact>, kind: ArtifactKind, frame: usize, joint: Option<JointId>) {
    let last = artifacts.iter_mut().rev().find(|artifact| artifact.kind == kind);
    match last {
        Some(last) if last.frames.end == frame => last.frames.end = frame + 1,
        _ => artifacts.push(Artifact { kind, frames: frame..frame + 1, joint }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::*;
    use std::sync::Arc;

    /// Two joints a metre apart at 100 fps; the root turns about Z and moves along X.
    fn clip(turns: &[f64], places: &[f64]) -> Clip {
        let joint = |name: &str, parent, x| Joint {
            name: name.into(),
            parent,
            offset: Vector3::new(x, 0.0, 0.0),
            rest_rotation: UnitQuaternion::identity(),
            dofs: Dofs::ball(EulerOrder::ZXY),
            role: None,
            end_site: false,
        };
        let joints = vec![joint("root", None, 0.0), joint("arm", Some(JointId(0)), 1.0)];
        let space = Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() };
        let skeleton = Arc::new(Skeleton::new("", space, joints).unwrap());
        let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        tracks[0].rotation =
            Track::Sampled(turns.iter().map(|turn| exp(&Vector3::new(0.0, 0.0, *turn))).collect());
        tracks[0].translation =
            Some(Track::Sampled(places.iter().map(|x| Vector3::new(*x, 0.0, 0.0)).collect()));
        Clip::new(skeleton, FrameRate::new(100.0).unwrap(), turns.len(), tracks).unwrap()
    }

    fn found(turns: &[f64], places: &[f64]) -> Vec<(ArtifactKind, Range<usize>)> {
        let quality = quality(&clip(turns, places), &ContactOptions::default());
        quality.artifacts.into_iter().map(|artifact| (artifact.kind, artifact.frames)).collect()
    }

    #[test]
    fn jumps_and_flicks_are_found_and_fast_motion_is_not() {
        let still = [0.0; 8];
        assert_eq!(found(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], &still), []);
        // 0.6 m in a hundredth of a second, and back two frames later.
        let jumps =
            found(&[0.0, 0.1, 0.2, 0.3, 0.2, 0.1, 0.0, 0.1], &[0.0, 0.0, 0.6, 0.6, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(jumps, [(ArtifactKind::Jump, 2..3), (ArtifactKind::Jump, 4..5)]);
        let flick = found(&[0.0, 0.01, 0.02, 0.48, 0.04, 0.05, 0.06, 0.07], &still);
        assert_eq!(flick, [], "less than half a radian");
        let flick = found(&[0.0, 0.01, 0.02, 0.7, 0.04, 0.05, 0.06, 0.07], &still);
        assert_eq!(flick, [(ArtifactKind::Jump, 3..5), (ArtifactKind::Flick, 3..4)]);
    }

    #[test]
    fn a_flip_is_found_and_a_fast_turn_is_not() {
        // 149 and 151 rad/s of a short bone; the arm's end moves too fast in both.
        let of = |turn: f64| found(&[0.0, 0.0, turn, turn, turn], &[0.0; 5]);
        assert_eq!(of(1.49), [(ArtifactKind::Jump, 2..3)]);
        assert_eq!(of(1.51), [(ArtifactKind::Jump, 2..3), (ArtifactKind::Flip, 2..3)]);
    }

    #[test]
    fn a_stop_is_found_and_a_clip_that_never_moves_is_none() {
        let mut turns = vec![0.5; 60];
        assert_eq!(found(&turns, &[0.0; 60]), []);
        (turns[0], turns[59]) = (0.48, 0.52);
        assert_eq!(found(&turns, &[0.0; 60]), [(ArtifactKind::Frozen, 1..59)]);
    }

    #[test]
    fn jerk_is_that_of_the_formula() {
        // x = t³: 6 m/s³ for both joints.
        let places: Vec<f64> = (0..20).map(|i| (f64::from(i) / 100.0).powi(3)).collect();
        let quality = quality(&clip(&[0.0; 20], &places), &ContactOptions::default());
        assert!((quality.jerk - 6.0).abs() < 1e-6, "{}", quality.jerk);
        assert_eq!((quality.floor, quality.feet.len(), quality.largest_step), (None, 0, None));
    }
}
