//! Gazes: joints share the rotation that points one of them at a target.

use mocap_ik::{Aim, LookJoint, look_at};
use mocap_model::{Clip, JointId, Pose, Role, Skeleton, UnitQuaternion, Vector3, log};
use mocap_retarget::estimate_rest_pose_with_source;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::{Body, Keyed, Knots, LookAt, WarpChange, WarpKey, add, hold_turns, unknown_joint};
use crate::EditError;
use crate::legs::object_place;

/// The default limits of rotation [degrees]: of an eye, a head, a neck, a joint of the spine.
const EYE: f64 = 35.0;
const HEAD: f64 = 60.0;
const NECK: f64 = 40.0;
const SPINE: f64 = 20.0;

/// A gaze and the frames in which it is on its target.
struct Gaze<'k> {
    key: &'k WarpKey,
    look: &'k LookAt,
    /// The joint that looks, and its pointing direction in its own space.
    eye: (JointId, Vector3<f64>),
    joints: Vec<LookJoint>,
}

/// The gazes of a warp, by frame.
pub(super) struct Gazes<'k>(BTreeMap<usize, Vec<Gaze<'k>>>);

/// The remaining error of a gaze, due to limits or to joints that another gaze uses.
pub(super) struct GazeError {
    /// The time and the joint of the key.
    pub(super) time: f64,
    pub(super) joint: String,
    /// The greatest angle from the target \[rad\].
    pub(super) angle: f64,
}

impl<'k> Gazes<'k> {
    /// The gazes of keys. `to` is the last frame of the warp.
    pub(super) fn of(
        (clip, body): (&Clip, &Body),
        keys: &[Keyed<'k>],
        (to, fps): (usize, f64),
    ) -> Result<Gazes<'k>, EditError> {
        let mut frames: BTreeMap<usize, Vec<Gaze<'k>>> = BTreeMap::new();
        for (at, (frame, key, joint)) in keys.iter().enumerate() {
            let WarpChange::LookAt(look) = &key.change else { continue };
            let wrong = |reason: String| {
                let reason = format!("the key of '{}' at {} s: {reason}", key.joint, key.time);
                EditError::Warp { reason }
            };
            let last = look.until.map_or(*frame as f64, |until| (until * fps).round());
            if !(last >= *frame as f64 && last < to as f64) {
                let until = look.until.unwrap_or(key.time);
                return Err(wrong(format!(
                    "it looks until {until} s, which is not between its time and the end"
                )));
            }
            // The joint's next gaze starts here.
            let next = keys[at + 1..].iter().find(|(start, other, by)| {
                by == joint && matches!(other.change, WarpChange::LookAt(_)) && start > frame
            });
            let last = next.map_or(last as usize, |(start, ..)| (last as usize).min(start - 1));
            let joints = taking_part(body, *joint, look).map_err(wrong)?;
            let direction = look.direction.unwrap_or_else(|| forward_of(clip, body, *joint));
            if direction.norm() <= 0.0 {
                return Err(wrong("its direction has no length".into()));
            }
            if let Some(other) = turned_within(keys, *frame..=last, &joints) {
                let name = &body.skeleton.joint(other.2).name;
                return Err(wrong(format!(
                    "the gaze turns '{name}' up to {:.3} s, and a key turns it at {} s",
                    last as f64 / fps,
                    other.1.time
                )));
            }
            for frame in *frame..=last {
                let gaze = Gaze { key, look, eye: (*joint, direction), joints: joints.clone() };
                let all = frames.entry(frame).or_default();
                // A later key of the same frame replaces an earlier one.
                all.retain(|other| other.eye.0 != *joint);
                all.push(gaze);
            }
        }
        frames.values_mut().for_each(|gazes| share_joints(gazes, &body.skeleton));
        Ok(Gazes(frames))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rotations of joints that point the gazes of a motion at their targets.
    pub(super) fn turns(&self, clip: &Clip, body: &Body, keys: &[Keyed]) -> Result<Vec<Knots>, EditError> {
        let mut turns = vec![Knots::new(); clip.skeleton().len()];
        let (mut pose, mut before) = (Pose::default(), Pose::default());
        for (frame, gazes) in &self.0 {
            clip.local_pose(*frame, &mut pose);
            before.clone_from(&pose);
            for Gaze { key, look, eye, joints } in gazes.iter().filter(|gaze| !gaze.joints.is_empty()) {
                look_at(&body.skeleton, &mut pose, joints, *eye, &look.at).map_err(|error| {
                    EditError::Warp { reason: format!("'{}' at {} s: {error}", key.joint, key.time) }
                })?;
            }
            let mut turned: Vec<JointId> =
                gazes.iter().flat_map(|gaze| gaze.joints.iter().map(|own| own.joint)).collect();
            turned.sort();
            turned.dedup();
            for joint in turned {
                let [before, after] = [&before, &pose].map(|pose| pose.joints[joint.index()].rotation);
                add(&mut turns[joint.index()], *frame, log(&(before.inverse() * after)));
            }
        }
        hold_turns(&mut turns, keys);
        Ok(turns)
    }

    /// The remaining error of each gaze in a motion, over its frames.
    pub(super) fn left(&self, clip: &Clip) -> Vec<GazeError> {
        let mut left: Vec<GazeError> = Vec::new();
        let mut pose = Pose::default();
        for (frame, gazes) in &self.0 {
            clip.local_pose(*frame, &mut pose);
            for gaze in gazes {
                let placed = object_place(clip, &pose, gaze.eye.0);
                let aim = Aim { direction: gaze.eye.1, at: gaze.look.at, weight: 1.0 };
                let angle = aim.angle(&placed.translation.vector, &placed.rotation);
                let same =
                    |other: &&mut GazeError| other.time == gaze.key.time && other.joint == gaze.key.joint;
                match left.iter_mut().find(same) {
                    Some(own) => own.angle = own.angle.max(angle),
                    None => {
                        left.push(GazeError { time: gaze.key.time, joint: gaze.key.joint.clone(), angle });
                    }
                }
            }
        }
        left
    }
}

/// The key within some frames that turns one of the joints of a gaze.
fn turned_within<'a, 'k>(
    keys: &'a [Keyed<'k>],
    frames: RangeInclusive<usize>,
    joints: &[LookJoint],
) -> Option<&'a Keyed<'k>> {
    keys.iter().find(|(frame, key, joint)| {
        frames.contains(frame)
            && matches!(key.change, WarpChange::Turn(_) | WarpChange::To(_))
            && joints.iter().any(|own| own.joint == *joint)
    })
}

/// Assigns each joint to one gaze of a frame. Gazes of joints nearer to the root come first; joints above these do not
/// rotate for later gazes, which would turn the earlier ones off their targets.
fn share_joints(gazes: &mut [Gaze<'_>], skeleton: &Skeleton) {
    gazes.sort_by_key(|gaze| gaze.eye.0);
    for at in 1..gazes.len() {
        let (earlier, later) = gazes.split_at_mut(at);
        let carries = |joint: JointId| earlier.iter().any(|gaze| skeleton.is_in_subtree(gaze.eye.0, joint));
        later[0].joints.retain(|own| !carries(own.joint));
    }
}

/// The joints that take part in a gaze, with shares and limits.
fn taking_part(body: &Body, joint: JointId, look: &LookAt) -> Result<Vec<LookJoint>, String> {
    let skeleton = &body.skeleton;
    if look.joints.is_empty() {
        let above = std::iter::successors(Some(joint), |id| skeleton.joint(*id).parent);
        let own = above.take_while(|id| *id != body.hips && skeleton.is_in_subtree(*id, body.hips));
        let mut all: Vec<LookJoint> = own
            .enumerate()
            .map(|(at, joint)| LookJoint {
                joint,
                share: 0.5f64.powi(at as i32),
                limit: usual_limit(body, joint),
            })
            .collect();
        if all.is_empty() {
            all.push(LookJoint { joint, share: 1.0, limit: usual_limit(body, joint) });
        }
        return Ok(all);
    }
    let found = look.joints.iter().map(|own| {
        let id = skeleton.find_by_name_or_role(&own.joint);
        let id = id.ok_or_else(|| unknown_joint(body, &own.joint))?;
        let limit = own.limit.unwrap_or_else(|| usual_limit(body, id));
        Ok(LookJoint { joint: id, share: own.share, limit })
    });
    found.collect()
}

fn usual_limit(body: &Body, joint: JointId) -> f64 {
    let skeleton = &body.skeleton;
    let degrees = match skeleton.joint(joint).role {
        Some(Role::Head) => HEAD,
        Some(Role::Neck) => NECK,
        _ => match skeleton.with_role(Role::Head) {
            Some(head) if skeleton.is_in_subtree(joint, head) => EYE,
            _ => SPINE,
        },
    };
    degrees.to_radians()
}

/// The forward direction in the space of a joint, in the reference pose of the body. This is the rest pose only if that
/// is a T- or A-pose, since many exporters write rest poses in which a head lies on its side. In a reference pose that
/// is estimated from the motion, rotations about the bones are unknown: then the mean facing direction of the motion is
/// used.
fn forward_of(clip: &Clip, body: &Body, joint: JointId) -> Vector3<f64> {
    let skeleton = &body.skeleton;
    let (reference, stands_at_rest) =
        estimate_rest_pose_with_source(clip).unwrap_or_else(|_| (Pose::rest(skeleton), true));
    let looks = skeleton
        .with_role(Role::Head)
        .is_some_and(|head| skeleton.is_in_subtree(joint, head) || skeleton.is_in_subtree(head, joint));
    if looks
        && !stands_at_rest
        && let Some(ahead) = ahead_on_average(clip, body, joint)
    {
        return ahead;
    }
    let mut placed = Pose::default();
    reference.to_object(skeleton, &mut placed);
    let turn: UnitQuaternion<f64> = placed.joints[joint.index()].rotation;
    let hips = hips(body);
    turn.inverse() * hips.and_then(|hips| facing(body, hips, &placed)).unwrap_or(body.forward)
}

/// Number of frames that are averaged.
const FRAMES: usize = 256;

/// The direction in the space of a joint that, on average over the motion, is the facing direction of the body.
fn ahead_on_average(clip: &Clip, body: &Body, joint: JointId) -> Option<Vector3<f64>> {
    let (mut local, mut placed) = (Pose::default(), Pose::default());
    let count = clip.frames().min(FRAMES);
    let hips = hips(body)?;
    let mut sum = Vector3::zeros();
    for at in 0..count {
        clip.local_pose(at * clip.frames() / count, &mut local);
        local.to_object(&body.skeleton, &mut placed);
        if let Some(facing) = facing(body, hips, &placed) {
            sum += placed.joints[joint.index()].rotation.inverse() * facing;
        }
    }
    sum.try_normalize(0.5 * count as f64)
}

fn hips(body: &Body) -> Option<[JointId; 2]> {
    body.skeleton.limb_roots(Role::LeftUpperLeg, Role::RightUpperLeg)
}

/// The facing direction of the hips in a pose in object space.
fn facing(body: &Body, hips: [JointId; 2], pose: &Pose) -> Option<Vector3<f64>> {
    let [left, right] = hips.map(|id| pose.joints[id.index()].translation.vector);
    // Left × up is forward.
    let across = left - right;
    across.cross(&body.up).try_normalize(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::{LookShare, Warp, warp};

    fn looking(keys: Vec<WarpKey>) -> Result<(Clip, crate::EditReport), EditError> {
        warp(&clip("alex_wave.bvh"), &Warp::new(0.5, 2.5, keys))
    }

    fn key(time: f64, joint: &str, change: WarpChange) -> WarpKey {
        WarpKey { time, joint: joint.into(), change }
    }

    /// The angle of the head to a place \[degrees\].
    fn off(clip: &Clip, at: Vector3<f64>, time: f64) -> f64 {
        let body = Body::of(clip);
        let head = body.skeleton.with_role(Role::Head).unwrap();
        let mut pose = Pose::default();
        clip.local_pose((time * clip.rate().fps()).round() as usize, &mut pose);
        let placed = object_place(clip, &pose, head);
        let aim = Aim { direction: forward_of(clip, &body, head), at, weight: 1.0 };
        aim.angle(&placed.translation.vector, &placed.rotation).to_degrees()
    }

    /// A place in front of the body, to its left, at the height of the head.
    fn beside(clip: &Clip) -> Vector3<f64> {
        let body = Body::of(clip);
        let head = body.skeleton.with_role(Role::Head).unwrap();
        let mut pose = Pose::default();
        clip.local_pose(45, &mut pose);
        let place = object_place(clip, &pose, head).translation.vector;
        place + (body.forward + body.lateral) * (1.5 / body.metres.unwrap())
    }

    #[test]
    fn a_head_looks_at_its_place_and_keeps_on_looking() {
        let wave = clip("alex_wave.bvh");
        let at = beside(&wave);
        assert!(off(&wave, at, 1.5) > 20.0, "it does not look there by itself");
        let look = LookAt { until: Some(2.0), ..LookAt::new(at) };
        let (moved, report) = looking(vec![key(1.2, "Head", WarpChange::LookAt(look))]).unwrap();
        for time in [1.2, 1.5, 1.9, 2.0] {
            assert!(off(&moved, at, time) < 1e-6, "{time}: {report}");
        }
        let body = Body::of(&wave);
        let turned = |role| {
            let joint = body.skeleton.with_role(role).unwrap();
            wave.local(joint, 45).rotation.angle_to(&moved.local(joint, 45).rotation)
        };
        assert!(turned(Role::Head) > turned(Role::Neck) && turned(Role::Neck) > turned(Role::Spine));
        assert!(turned(Role::Hips) < 1e-6 && turned(Role::LeftLowerArm) < 1e-6);
        // It turns there and back without a jump: no step is larger than the available time requires.
        let head = body.skeleton.with_role(Role::Head).unwrap();
        let steps = (1..wave.frames()).map(|frame| {
            moved.local(head, frame - 1).rotation.angle_to(&moved.local(head, frame).rotation).to_degrees()
        });
        assert!(steps.fold(0.0, f64::max) < 5.0);
    }

    #[test]
    fn shares_and_limits_are_kept_and_what_is_left_is_said() {
        let wave = clip("alex_wave.bvh");
        let at = beside(&wave);
        let shares = |head: Option<f64>| {
            let share = |joint: &str, share: f64, limit| LookShare { joint: joint.into(), share, limit };
            vec![share("Head", 3.0, head), share("Neck", 1.0, Some(0.01))]
        };
        let with = |joints| {
            looking(vec![key(1.5, "Head", WarpChange::LookAt(LookAt { joints, ..LookAt::new(at) }))]).unwrap()
        };
        let (moved, report) = with(shares(Some(0.1)));
        let body = Body::of(&wave);
        for (role, limit) in [(Role::Head, 0.1), (Role::Neck, 0.01), (Role::Spine, 0.0)] {
            let joint = body.skeleton.with_role(role).unwrap();
            let turned = wave.local(joint, 45).rotation.angle_to(&moved.local(joint, 45).rotation);
            assert!((turned - limit).abs() < 1e-6, "{role}: {turned}");
        }
        let left = off(&moved, at, 1.5);
        assert!(
            left > 10.0 && report.warnings[0].message.contains("'Head' misses its target at 1.5 s by"),
            "{report}"
        );
        let figure = report.figures.iter().find(|figure| figure.name == "gaze-error").unwrap();
        assert!((figure.value.unwrap() - left).abs() < 1e-6, "{report}");
        let (free, report) = with(shares(Some(2.0)));
        assert!(off(&free, at, 1.5) < 1e-6 && report.warnings.is_empty(), "{report}");
    }

    #[test]
    fn gazes_and_other_keys_are_met_together() {
        let wave = clip("alex_wave.bvh");
        let at = beside(&wave);
        let up = Vector3::y() * 5.0;
        let keys = vec![
            key(1.0, "LeftHand", WarpChange::By(up)),
            key(1.5, "Head", WarpChange::LookAt(LookAt::new(at))),
            key(1.5, "LeftHand", WarpChange::By(up)),
            key(2.0, "Head", WarpChange::Turn(Vector3::y() * 0.4)),
        ];
        let (moved, report) = looking(keys).unwrap();
        assert!(off(&moved, at, 1.5) < 1e-6, "{report}");
        let error = report.figures.iter().find(|figure| figure.name == "key-error").unwrap();
        assert!(error.value.unwrap() < 1e-9, "{report}");
        let head = Body::of(&wave).skeleton.with_role(Role::Head).unwrap();
        let frame = (2.0 * wave.rate().fps()).round() as usize;
        let turned = wave.local(head, frame).rotation.angle_to(&moved.local(head, frame).rotation);
        assert!((turned - 0.4).abs() < 1e-9, "{turned}");
    }

    /// A neck and the head above it look at different targets at the same time: both are met, in any order of keys.
    #[test]
    fn a_joint_turns_for_one_gaze_only() {
        let wave = clip("alex_wave.bvh");
        let body = Body::of(&wave);
        let place = beside(&wave);
        let other = place - body.lateral * (0.8 / body.metres.unwrap());
        let neck = body.skeleton.with_role(Role::Neck).unwrap();
        let spine = |at| {
            let joints = vec![
                LookShare { joint: "Neck".into(), share: 1.0, limit: Some(2.0) },
                LookShare { joint: "Spine".into(), share: 1.0, limit: Some(2.0) },
            ];
            LookAt { joints, ..LookAt::new(at) }
        };
        let free = |at| {
            let joints = vec![
                LookShare { joint: "Head".into(), share: 1.0, limit: Some(2.5) },
                LookShare { joint: "Neck".into(), share: 1.0, limit: Some(2.5) },
            ];
            LookAt { joints, ..LookAt::new(at) }
        };
        let keys = [
            key(1.5, "Head", WarpChange::LookAt(free(other))),
            key(1.5, "Neck", WarpChange::LookAt(spine(place))),
        ];
        let made = |keys: Vec<WarpKey>| looking(keys).unwrap();
        let (both, report) = made(keys.to_vec());
        assert!(report.warnings.iter().all(|warning| warning.code != "edit::gaze"), "{report}");
        assert!(off(&both, other, 1.5) < 1e-6, "{report}");
        let error = report.figures.iter().find(|figure| figure.name == "gaze-error").unwrap();
        assert!(error.value.unwrap() < 1e-6, "{report}");
        let (alone, _) = made(keys[1..].to_vec());
        assert!(alone.local(neck, 45).rotation.angle_to(&both.local(neck, 45).rotation) < 1e-9);
        let turned = made(keys.into_iter().rev().collect()).0;
        for (id, _) in wave.skeleton().iter() {
            assert_eq!(turned.local(id, 45), both.local(id, 45));
        }
    }

    #[test]
    fn gazes_that_cannot_be_are_refused() {
        let refused = |look: LookAt, joint: &str| {
            looking(vec![key(1.5, joint, WarpChange::LookAt(look))]).unwrap_err().to_string()
        };
        let at = Vector3::new(0.0, 1.0, 2.0);
        let until = |until| LookAt { until: Some(until), ..LookAt::new(at) };
        assert!(refused(until(1.0), "Head").contains("not between its time and the end"));
        assert!(refused(until(9.0), "Head").contains("not between its time and the end"));
        let share = |joint: &str, share: f64| LookShare { joint: joint.into(), share, limit: None };
        let with = |joints| LookAt { joints, ..LookAt::new(at) };
        assert!(refused(with(vec![share("Tail", 1.0)]), "Head").contains("no joint is called 'Tail'"));
        assert!(refused(with(vec![share("Nekc", 1.0)]), "Head").ends_with("did you mean 'Neck'?"));
        assert!(refused(with(vec![share("LeftHand", 1.0)]), "Head").contains("LeftHand"));
        assert!(refused(with(vec![share("Head", -1.0)]), "Head").contains("share"));
        let nowhere = LookAt { direction: Some(Vector3::zeros()), ..LookAt::new(at) };
        assert!(refused(nowhere, "Head").contains("direction has no length"));
        assert!(refused(LookAt::new(Vector3::repeat(f64::NAN)), "Head").contains("not a finite number"));
        let nod = || key(1.8, "Neck", WarpChange::Turn(Vector3::x() * 0.2));
        let both =
            |until| vec![key(1.5, "Head", WarpChange::LookAt(LookAt { until, ..LookAt::new(at) })), nod()];
        let turned = looking(both(Some(2.0))).unwrap_err().to_string();
        assert!(turned.contains("turns 'Neck' up to 2.000 s, and a key turns it at 1.8 s"), "{turned}");
        looking(both(Some(1.7))).unwrap();
        looking(both(None)).unwrap();
    }
}
