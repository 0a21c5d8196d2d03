//! Motion warping: a motion that meets keys, and keeps its detail between them.
//!
//! At each key the pose is changed (a joint is turned, an effector is brought to a place by inverse kinematics, the hips
//! are moved). The difference of a joint from its motion there is a displacement, a logarithm of a rotation; a smooth
//! curve goes through the displacements of a joint, from 0 at the start of the warp to 0 at its end, and is added to
//! the motion.
//! Based on: A. Witkin, Z. Popović, "Motion Warping", 1995; A. Bruderlin, L. Williams, "Motion Signal Processing", 1995.

use mocap_analysis::placements;
use mocap_ik::{Goal, IkMethod, PosedChain, Solver};
use mocap_model::{Clip, JointId, Pose, UnitQuaternion, Vector3, exp, log};

use crate::body::Body;
use crate::legs::{exact, limb_base, object_place, orient, place_ankles};
use crate::samples::Samples;
use crate::{EditError, EditReport};

/// An effector that is farther from its key than this is not there [leg lengths of the chain].
const REACHED: f64 = 1e-6;

/// Keys, and the part of the motion that they change.
#[derive(Clone, Debug, PartialEq)]
pub struct Warp {
    /// Before this time nothing changes \[s\].
    pub from: f64,
    /// After this time nothing changes \[s\].
    pub to: f64,
    /// In any order.
    pub keys: Vec<WarpKey>,
    /// Whether feet that have no key keep their paths where the hips are moved. Default: true.
    pub keep_feet: bool,
}

/// What a joint does at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpKey {
    /// The nearest frame is changed \[s\].
    pub time: f64,
    /// The name or role of the joint.
    pub joint: String,
    /// What it does.
    pub change: WarpChange,
}

impl WarpKey {
    /// A key for each joint below the root: its rotation in the first frame of `pose`, a clip of the same skeleton.
    ///
    /// ```
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let keys: Vec<_> = mocap_edit::WarpKey::of_pose(&clip, 0.5).collect();
    /// assert!(keys.iter().all(|key| key.time == 0.5));
    /// ```
    pub fn of_pose(pose: &Clip, time: f64) -> impl Iterator<Item = WarpKey> {
        let joints = pose.skeleton().iter().filter(|(_, joint)| !joint.end_site && joint.parent.is_some());
        joints.map(move |(id, joint)| {
            let change = WarpChange::To(pose.track(id).rotation.at(0));
            WarpKey { time, joint: joint.name.clone(), change }
        })
    }
}

/// A change of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WarpChange {
    /// Has a local rotation.
    To(UnitQuaternion<f64>),
    /// Turns by a rotation in the space of the joint, given as axis times angle \[rad\].
    Turn(Vector3<f64>),
    /// Is at a place in object space \[units of the clip\]: the hips are moved, other joints are reached for.
    At(Vector3<f64>),
    /// Is moved along the axes of object space \[units of the clip\].
    By(Vector3<f64>),
}

/// Changes a motion such that it meets keys.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{Warp, WarpChange, WarpKey, warp};
/// use mocap_model::Vector3;
///
/// let end = clip.duration();
/// let change = WarpChange::Turn(Vector3::x() * 0.3);
/// let joint = clip.skeleton().joints()[0].name.clone();
/// let keys = vec![WarpKey { time: end / 2.0, joint, change }];
/// let (warped, report) = warp(&clip, &Warp { from: 0.0, to: end, keys, keep_feet: true })?;
/// assert_eq!(warped.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Warp`] where a key lies outside the warp or the motion, names no joint, or cannot be reached.
pub fn warp(clip: &Clip, warp: &Warp) -> Result<(Clip, EditReport), EditError> {
    let wrong = |reason: String| EditError::Warp { reason };
    let fps = clip.rate().fps();
    let last = clip.frames().saturating_sub(1);
    let frame_of = |time: f64| (time * fps).round();
    let [from, to] = [warp.from, warp.to].map(frame_of);
    if !(from >= 0.0 && to <= last as f64 + 1.0 && from + 2.0 <= to) {
        return Err(wrong(format!(
            "it goes from {} s to {} s, and the motion lasts {:.3} s",
            warp.from,
            warp.to,
            clip.duration()
        )));
    }
    let (from, to) = (from as usize, (to as usize).min(last));
    let body = Body::of(clip);
    let mut keys: Vec<(usize, &WarpKey, JointId)> = Vec::new();
    for key in &warp.keys {
        let joint = body.skeleton.find_by_name_or_role(&key.joint);
        let joint = joint.ok_or_else(|| wrong(format!("no joint is called '{}'", key.joint)))?;
        let frame = frame_of(key.time);
        if !(frame > from as f64 && frame < to as f64) {
            let (key, from, to) = (key.time, warp.from, warp.to);
            return Err(wrong(format!("the key at {key} s is not between {from} s and {to} s")));
        }
        keys.push((frame as usize, key, joint));
    }
    keys.sort_by_key(|(frame, ..)| *frame);
    let displaced = displacements(clip, &body, &keys)?;
    let mut samples = Samples::of(clip);
    for (joint, knots) in displaced.turns.iter().enumerate().filter(|(_, knots)| !knots.is_empty()) {
        let curve = Curve::through(knots, from, to);
        for frame in from..=to {
            samples.rotations[joint][frame] *= exp(&curve.at(frame));
        }
    }
    if !displaced.moves.is_empty() {
        let (joint, curve) = (body.hips, Curve::through(&displaced.moves, from, to));
        let offset = samples.skeleton.joint(joint).offset;
        let values = samples.translations[joint.index()].get_or_insert_with(|| vec![offset; last + 1]);
        for frame in from..=to {
            values[frame] += curve.at(frame);
        }
    }
    let mut warped = samples.into_clip("warp")?;
    let mut short = None;
    if warp.keep_feet && !displaced.moves.is_empty() {
        let keyed: Vec<JointId> = keys.iter().map(|(_, _, joint)| *joint).collect();
        let (kept, missing) = feet_kept(clip, &warped, &body, &keyed, from..=to)?;
        (warped, short) = (kept, Some(missing));
    }
    let off = keys.iter().map(|key| distance(&warped, clip, key)).fold(0.0, f64::max);
    let off = body.metres.map(|metres| off * metres);
    let report = EditReport::measured("warp", clip, &warped).figure("key-error", off, "m");
    let short = short.zip(body.metres).map(|(short, metres)| short * metres);
    Ok((warped, if short.is_some() { report.figure("unreachable", short, "m") } else { report }))
}

/// Feet without keys keep the paths and orientations that they have in the motion. The second value is how much of a leg
/// was missing at most \[units\].
fn feet_kept(
    clip: &Clip,
    warped: &Clip,
    body: &Body,
    keyed: &[JointId],
    frames: std::ops::RangeInclusive<usize>,
) -> Result<(Clip, f64), EditError> {
    let free = body.feet.iter().filter(|foot| !keyed.iter().any(|joint| foot.points.contains(joint)));
    let ankles: Vec<_> = free
        .map(|foot| {
            let mut places = vec![None; clip.frames()];
            let paths = placements(clip, &[foot.ankle]);
            frames.clone().for_each(|frame| places[frame] = Some(paths[0][frame]));
            (foot.ankle, places)
        })
        .collect();
    place_ankles(warped, body, &ankles, "warp")
}

/// Knots of the curves: frames and displacements.
struct Displacements {
    /// By joint.
    turns: Vec<Vec<(usize, Vector3<f64>)>>,
    /// Of the hips, in the space of their parent.
    moves: Vec<(usize, Vector3<f64>)>,
}

/// The pose of each key, and its difference from the motion.
fn displacements(
    clip: &Clip,
    body: &Body,
    keys: &[(usize, &WarpKey, JointId)],
) -> Result<Displacements, EditError> {
    let joints = clip.skeleton().len();
    let mut found = Displacements { turns: vec![Vec::new(); joints], moves: Vec::new() };
    for group in keys.chunk_by(|a, b| a.0 == b.0) {
        let frame = group[0].0;
        let mut motion = Pose { joints: Vec::new() };
        clip.local_pose(frame, &mut motion);
        let mut pose = motion.clone();
        // Turns and moves of the hips come before what is reached for from there.
        let reaches = |(_, key, joint): &&(usize, &WarpKey, JointId)| {
            matches!(key.change, WarpChange::At(_) | WarpChange::By(_)) && *joint != body.hips
        };
        for (_, key, joint) in group.iter().filter(|key| !reaches(key)) {
            let placed = object_place(clip, &motion, *joint);
            let local = &mut pose.joints[joint.index()];
            let by = match key.change {
                WarpChange::Turn(turn) => {
                    local.rotation *= exp(&turn);
                    continue;
                }
                WarpChange::To(rotation) => {
                    local.rotation = rotation;
                    continue;
                }
                WarpChange::At(place) => place - placed.translation.vector,
                WarpChange::By(by) => by,
            };
            // Object space to that of the parent.
            let parent = placed.rotation * motion.joints[joint.index()].rotation.inverse();
            local.translation.vector += parent.inverse() * by;
        }
        for (_, key, joint) in group.iter().filter(reaches) {
            reach(clip, body, key, *joint, &motion, &mut pose)?;
        }
        for joint in 0..joints {
            let (old, new) = (&motion.joints[joint], &pose.joints[joint]);
            let turn = log(&(old.rotation.inverse() * new.rotation));
            if turn.norm() > 0.0 {
                found.turns[joint].push((frame, turn));
            }
            if joint == body.hips.index() && new.translation != old.translation {
                found.moves.push((frame, new.translation.vector - old.translation.vector));
            }
        }
    }
    Ok(found)
}

/// Brings a joint to its key by the limb above it; the joint keeps its orientation.
fn reach(
    clip: &Clip,
    body: &Body,
    key: &WarpKey,
    joint: JointId,
    motion: &Pose,
    pose: &mut Pose,
) -> Result<(), EditError> {
    let wrong = |reason: String| EditError::Warp { reason };
    let before = object_place(clip, motion, joint);
    let goal = match key.change {
        WarpChange::At(place) => place,
        WarpChange::By(by) => before.translation.vector + by,
        WarpChange::Turn(_) | WarpChange::To(_) => return Ok(()),
    };
    let base = limb_base(body, joint);
    let base = base.ok_or_else(|| wrong(format!("'{}' has no limb that reaches for a place", key.joint)))?;
    let failed = |error: mocap_ik::IkError| wrong(format!("'{}': {error}", key.joint));
    let mut limb = PosedChain::limb(clip.skeleton(), base, joint).map_err(failed)?;
    limb.read(clip.skeleton(), pose).map_err(failed)?;
    let outcome = IkMethod::TwoBone.solve(&mut limb.chain, &[Goal::at(goal)], &exact()).map_err(failed)?;
    if outcome.position > REACHED * limb.chain.length(0) {
        let time = key.time;
        let short = outcome.position * body.metres_or_one();
        let unit = if body.metres.is_some() { "m" } else { "units" };
        return Err(wrong(format!(
            "'{}' cannot reach its key at {time} s: {short:.3} {unit} are missing",
            key.joint
        )));
    }
    limb.write(pose).map_err(failed)?;
    orient(clip, pose, joint, &before.rotation);
    Ok(())
}

/// How far a key was missed [units].
fn distance(warped: &Clip, clip: &Clip, (frame, key, joint): &(usize, &WarpKey, JointId)) -> f64 {
    let place = |clip: &Clip| {
        let mut pose = Pose { joints: Vec::new() };
        clip.local_pose(*frame, &mut pose);
        object_place(clip, &pose, *joint).translation.vector
    };
    match key.change {
        WarpChange::Turn(_) | WarpChange::To(_) => 0.0,
        WarpChange::At(goal) => (place(warped) - goal).norm(),
        WarpChange::By(by) => (place(warped) - place(clip) - by).norm(),
    }
}

/// A curve of displacements: cubic between its knots, with no change of value or speed at both ends.
struct Curve {
    knots: Vec<(f64, Vector3<f64>)>,
    speeds: Vec<Vector3<f64>>,
}

impl Curve {
    fn through(knots: &[(usize, Vector3<f64>)], from: usize, to: usize) -> Curve {
        let zero = Vector3::zeros();
        let inner = knots.iter().map(|(frame, value)| (*frame as f64, *value));
        let knots: Vec<(f64, Vector3<f64>)> =
            [(from as f64, zero)].into_iter().chain(inner).chain([(to as f64, zero)]).collect();
        let mut speeds = vec![zero; knots.len()];
        for i in 1..knots.len() - 1 {
            speeds[i] = (knots[i + 1].1 - knots[i - 1].1) / (knots[i + 1].0 - knots[i - 1].0);
        }
        Curve { knots, speeds }
    }

    fn at(&self, frame: usize) -> Vector3<f64> {
        let x = frame as f64;
        let next = self.knots.partition_point(|knot| knot.0 <= x).clamp(1, self.knots.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.knots[next - 1], self.knots[next]);
        let width = x1 - x0;
        let t = (x - x0) / width;
        let (t2, t3) = (t * t, t * t * t);
        y0 * (2.0 * t3 - 3.0 * t2 + 1.0)
            + self.speeds[next - 1] * (width * (t3 - 2.0 * t2 + t))
            + y1 * (3.0 * t2 - 2.0 * t3)
            + self.speeds[next] * (width * (t3 - t2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::Role;

    fn key(time: f64, joint: &str, change: WarpChange) -> WarpKey {
        WarpKey { time, joint: joint.into(), change }
    }

    #[test]
    fn keys_are_met_and_nothing_else_changes() {
        let wave = clip("alex_wave.bvh");
        let up = Vector3::y() * 5.0;
        let keys = vec![
            key(1.0, "LeftHand", WarpChange::By(up)),
            key(1.5, "LeftHand", WarpChange::By(up * 2.0)),
            key(1.5, "Head", WarpChange::Turn(Vector3::y() * 0.4)),
        ];
        let (warped, report) = warp(&wave, &Warp { from: 0.5, to: 2.5, keys, keep_feet: true }).unwrap();
        let error = report.figures.iter().find(|figure| figure.name == "key-error").unwrap();
        assert!(error.value.unwrap() < 1e-9, "{report}");
        let fps = wave.rate().fps();
        let [from, to] = [0.5, 2.5].map(|time| (time * fps).round() as usize);
        for (id, _) in wave.skeleton().iter() {
            for frame in (0..=from).chain(to..wave.frames()) {
                assert_eq!(wave.local(id, frame), warped.local(id, frame));
            }
        }
        let head = Body::of(&wave).skeleton.with_role(Role::Head).unwrap();
        let at = (1.5 * fps).round() as usize;
        let turned = wave.local(head, at).rotation.angle_to(&warped.local(head, at).rotation);
        assert!((turned - 0.4).abs() < 1e-9, "{turned}");
    }

    #[test]
    fn feet_stay_when_the_hips_are_moved() {
        let wave = clip("alex_wave.bvh");
        let keys = vec![key(1.5, "Hips", WarpChange::By(Vector3::new(0.0, -6.0, 0.0)))];
        let (warped, report) = warp(&wave, &Warp { from: 0.5, to: 2.5, keys, keep_feet: true }).unwrap();
        let ankle = Body::of(&wave).skeleton.with_role(Role::LeftFoot).unwrap();
        let [before, after] = [&wave, &warped].map(|clip| mocap_analysis::trajectory(clip, ankle));
        let error = report.figures.iter().find(|figure| figure.name == "key-error").unwrap();
        assert!(error.value.unwrap() < 1e-9, "{report}");
        let most = before.iter().zip(&after).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(most < 1e-6, "{most}: {report}");
    }

    #[test]
    fn keys_that_cannot_be_met_are_refused() {
        let wave = clip("alex_wave.bvh");
        let fails = |time: f64, joint: &str, change: WarpChange| {
            let keys = vec![key(time, joint, change)];
            warp(&wave, &Warp { from: 0.5, to: 2.5, keys, keep_feet: true }).unwrap_err().to_string()
        };
        let far = WarpChange::By(Vector3::y() * 500.0);
        assert!(fails(1.0, "LeftHand", far).contains("cannot reach"));
        assert!(fails(1.0, "Tail", far).contains("no joint"));
        assert!(fails(0.2, "LeftHand", far).contains("not between"));
        let outside = warp(&wave, &Warp { from: 0.5, to: 99.0, keys: Vec::new(), keep_feet: true });
        assert!(matches!(outside, Err(EditError::Warp { .. })));
    }
}
