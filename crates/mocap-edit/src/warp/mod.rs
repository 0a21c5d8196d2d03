//! Motion warping: changes a motion to meet keys, and keeps its detail between them.
//!
//! A key changes the pose of its frame: a joint turns, an effector reaches a place by inverse kinematics, the hips move, or
//! a joint looks at a place.
//! The displacement of a joint at a key is the logarithm of the rotation from the old pose to the new one. A smooth curve
//! through the displacements, 0 at both ends of the warp, is added to the motion. In the other mode the motion since the
//! start of the warp is scaled first, and an offset adds the rest: x'(t) = a(t) x(t) + b(t).
//! Based on: A. Witkin, Z. Popović, "Motion Warping", 1995; A. Bruderlin, L. Williams, "Motion Signal Processing", 1995.

use mocap_analysis::placements;
use mocap_ik::{Goal, IkMethod, PosedChain, Solver};
use mocap_model::{Clip, Isometry3, JointId, Pose, UnitQuaternion, Vector3, exp, log};
use nalgebra::Vector4;

use crate::body::Body;
use crate::held_feet::FootReference;
use crate::legs::{Plane, exact, limb_base, object_place, orient, place_ankles};
use crate::near_joint::near_joint;
use crate::retime::{TimeMap, at_frames};
use crate::samples::Samples;
use crate::{EditError, EditReport};
use look::{GazeError, Gazes};

/// An effector misses its key if it is farther away than this [lengths of its limb].
const REACHED: f64 = 1e-6;
/// A gaze misses its target by more than this \[rad\].
const GAZE: f64 = 2e-3;
/// Limits of the scale: beyond them the offset makes up the rest.
const SCALES: [f64; 2] = [0.25, 4.0];

mod follow;
mod key;
mod look;

pub use key::{LookAt, LookShare, Warp, WarpChange, WarpIk, WarpKey, WarpMode};

/// Changes a motion to meet keys.
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
/// let (warped, report) = warp(&clip, &Warp::new(0.0, end, keys))?;
/// assert_eq!(warped.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Warp`] where a key or a time lies outside the warp or the motion, or a key names no
/// joint; [`EditError::OutOfReach`] where a limb is too short for a key; [`EditError::TimeMap`]
/// where times do not increase.
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
    let keys = keyed(&body, warp, ([from, to], fps))?;
    let times = time_map(warp, [from, to].map(|frame| frame as f64 / fps))?;
    let span = Span { from, to, mode: warp.mode };
    let (mut turns, mut moves) = turns_and_moves(clip, &body, &keys);
    if let Some(solver) = warp.body_solver() {
        follow::whole_body(clip, &body, &keys, (solver, warp), (&mut turns, &mut moves))?;
    }
    let mut warped = span.turned(clip, &turns, (body.hips, &moves))?;
    let gazes = Gazes::of((clip, &body), &keys, (to, fps))?;
    if !gazes.is_empty() {
        warped = span.turned(&warped, &gazes.turns(&warped, &body, &keys)?, (body.hips, &[]))?;
    }
    // IK of limbs comes after all other keys have moved their bases; limbs nearer to the root first.
    let mut limbs: Vec<(JointId, Keyed)> = Vec::new();
    for key in keys.iter().filter(|key| reaches(&body, key)) {
        let base = limb_base(&body, key.2);
        let none = || wrong(format!("'{}' has no limb that reaches for a place", key.1.joint));
        limbs.push((base.ok_or_else(none)?, *key));
    }
    limbs.sort_by_key(|(base, (frame, ..))| (base.index(), *frame));
    for limb in limbs.chunk_by(|a, b| a.0 == b.0) {
        let reached = reached(clip, &warped, limb, &keys)?;
        warped = span.turned(&warped, &reached, (body.hips, &[]))?;
    }
    let mut short = None;
    if warp.keep_feet && !moves.is_empty() {
        let keyed: Vec<JointId> = keys.iter().map(|(_, _, joint)| *joint).collect();
        let (kept, missing) = feet_kept(clip, &warped, &body, &keyed, from + 1..to)?;
        (warped, short) = (kept, Some(missing));
    }
    let off = keys.iter().map(|key| distance(&warped, clip, key)).fold(0.0, f64::max);
    let off = body.metres.map(|metres| off * metres);
    let left = gazes.left(&warped);
    let place = |frame: usize| match &times {
        Some(times) if (from..=to).contains(&frame) => {
            (times.at(frame as f64 / fps) * fps).clamp(0.0, last as f64)
        }
        _ => frame as f64,
    };
    if times.is_some() {
        warped = at_frames(&warped, "warp", clip.frames(), place)?;
    }
    // Feet with keys are exempt from the foot correction.
    let free: Vec<JointId> = keys.iter().map(|(_, _, joint)| *joint).collect();
    let reference = FootReference {
        before: clip,
        place: &|frame| Some(place(frame)),
        mirrored: false,
        shifted: false,
        free: &free,
    };
    let (warped, held) = reference.apply(warped, "warp")?;
    let mut report =
        EditReport::measured("warp", clip, &warped).figure("key-error", off, "m").feet_held(held);
    if let Some(short) = short {
        let short = body.metres.map(|metres| short * metres);
        report = report.figure("unreachable", short, "m");
        if let Some(short) = short.filter(|short| *short > 1e-3) {
            let message = format!("a leg is {:.1} cm too short to keep its foot in place", short * 100.0);
            report.warn("edit::unreachable", message);
        }
    }
    report = with_gazes(report, &left);
    report.warn_of_limits(&[clip], &warped);
    Ok((warped, report))
}

/// The keys with their frames and joints, in the order of the frames.
fn keyed<'k>(
    body: &Body,
    warp: &'k Warp,
    ([from, to], fps): ([usize; 2], f64),
) -> Result<Vec<Keyed<'k>>, EditError> {
    let wrong = |reason: String| EditError::Warp { reason };
    let mut keys: Vec<Keyed> = Vec::new();
    for key in &warp.keys {
        let joint = body.skeleton.find_by_name_or_role(&key.joint);
        let joint = joint.ok_or_else(|| wrong(unknown(body, key)))?;
        let frame = (key.time * fps).round();
        if !(frame > from as f64 && frame < to as f64) {
            let (key, from, to) = (key.time, warp.from, warp.to);
            return Err(wrong(format!("the key at {key} s is not between {from} s and {to} s")));
        }
        keys.push((frame as usize, key, joint));
    }
    keys.sort_by_key(|(frame, ..)| *frame);
    Ok(keys)
}

/// The report with the errors of gazes.
fn with_gazes(report: EditReport, left: &[GazeError]) -> EditReport {
    let Some(most) = left.iter().map(|left| left.angle).reduce(f64::max) else { return report };
    let mut report = report.figure("gaze-error", most.to_degrees(), "deg");
    for GazeError { time, joint, angle } in left.iter().filter(|left| left.angle > GAZE) {
        let message = format!("'{joint}' misses its target at {time} s by {:.1}°", angle.to_degrees());
        report.warn("edit::gaze", message);
    }
    report
}

/// The message for a key whose joint does not exist.
fn unknown(body: &Body, key: &WarpKey) -> String {
    format!("the key at {} s: {}", key.time, unknown_joint(body, &key.joint))
}

fn unknown_joint(body: &Body, name: &str) -> String {
    let near = near_joint(&body.skeleton, name);
    let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    format!("no joint is called '{name}'{near}")
}

/// The time map, if times move; both ends are fixed.
fn time_map(warp: &Warp, [from, to]: [f64; 2]) -> Result<Option<TimeMap>, EditError> {
    if warp.times.is_empty() {
        return Ok(None);
    }
    let inside = |time: f64| time > from && time < to;
    if let Some((at, moved)) = warp.times.iter().find(|(at, moved)| !inside(*at) || !inside(*moved)) {
        let reason = format!("the time {at} s, moved to {moved} s, is not between {from} s and {to} s");
        return Err(EditError::Warp { reason });
    }
    let mut keys: Vec<(f64, f64)> = warp.times.iter().map(|(at, moved)| (*moved, *at)).collect();
    keys.sort_by(|a, b| a.1.total_cmp(&b.1));
    keys.insert(0, (from, from));
    keys.push((to, to));
    TimeMap::new(keys).map(Some)
}

/// The frames that a warp changes, and its mode.
struct Span {
    from: usize,
    to: usize,
    mode: WarpMode,
}

impl Span {
    /// The motion with rotations added by joint, and translations of the hips.
    fn turned(
        &self,
        clip: &Clip,
        turns: &[Knots],
        (hips, moves): (JointId, &[Knot]),
    ) -> Result<Clip, EditError> {
        let mut samples = Samples::of(clip);
        for (joint, knots) in turns.iter().enumerate().filter(|(_, knots)| !knots.is_empty()) {
            self.turn(&mut samples.rotations[joint], knots);
        }
        if !moves.is_empty() {
            let offset = samples.skeleton.joint(hips).offset;
            let values = &mut samples.translations[hips.index()];
            self.shift(values.get_or_insert_with(|| vec![offset; clip.frames()]), moves);
        }
        samples.into_clip("warp")
    }

    /// Adds displacements, given at some frames, to rotations.
    fn turn(&self, rotations: &mut [UnitQuaternion<f64>], knots: &[Knot]) {
        let start = rotations[self.from];
        let mut path: Vec<Vector3<f64>> = Vec::new();
        if self.mode == WarpMode::ScaleOffset {
            for rotation in &rotations[self.from..=self.to] {
                let turn = log(&(start.inverse() * rotation));
                path.push(nearest_turn(turn, path.last().copied().unwrap_or_default()));
            }
        }
        let curve = self.curve(knots, |frame, turn| {
            let own = path[frame - self.from];
            [own, nearest_turn(log(&(start.inverse() * rotations[frame] * exp(&turn))), own)]
        });
        for frame in self.from + 1..self.to {
            let (offset, scale) = curve.at(frame);
            match self.mode {
                WarpMode::Offset => rotations[frame] *= exp(&offset),
                WarpMode::ScaleOffset => {
                    rotations[frame] = start * exp(&(path[frame - self.from] * scale + offset));
                }
            }
        }
    }

    /// Adds displacements, given at some frames, to positions.
    fn shift(&self, places: &mut [Vector3<f64>], knots: &[Knot]) {
        let start = places[self.from];
        let curve = self.curve(knots, |frame, shift| {
            let own = places[frame] - start;
            [own, own + shift]
        });
        for frame in self.from + 1..self.to {
            let (offset, scale) = curve.at(frame);
            // In this order of operations, an offset of 0 changes no bit.
            places[frame] += (places[frame] - start) * (scale - 1.0) + offset;
        }
    }

    /// The curve through displacements; `path` gives the displacement of the motion since its start, and the target of
    /// it.
    fn curve(&self, knots: &[Knot], path: impl Fn(usize, Vector3<f64>) -> [Vector3<f64>; 2]) -> Curve {
        let knot = |(frame, displacement): &Knot| match self.mode {
            WarpMode::Offset => (*frame, displacement.push(0.0)),
            WarpMode::ScaleOffset => {
                let [own, goal] = path(*frame, *displacement);
                // The scale that best approximates the goal.
                let scale = goal.dot(&own) / own.norm_squared();
                let scale = if scale.is_finite() { scale.clamp(SCALES[0], SCALES[1]) } else { 1.0 };
                (*frame, (goal - own * scale).push(scale - 1.0))
            }
        };
        Curve::through(knots.iter().map(knot).collect(), self.from, self.to)
    }
}

/// The rotation vector of the same rotation that is nearest to another one.
fn nearest_turn(turn: Vector3<f64>, near: Vector3<f64>) -> Vector3<f64> {
    let angle = turn.norm();
    if angle == 0.0 {
        return turn;
    }
    let axis = turn / angle;
    let turns = ((near.dot(&axis) - angle) / std::f64::consts::TAU).round();
    turn + axis * (turns * std::f64::consts::TAU)
}

/// The warped motion with the original paths and orientations of feet without keys. The second value is the largest
/// distance by which a leg was too short \[units\].
fn feet_kept(
    clip: &Clip,
    warped: &Clip,
    body: &Body,
    keyed: &[JointId],
    frames: std::ops::Range<usize>,
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
    place_ankles(warped, body, &ankles, Plane::Usual, "warp")
}

/// A frame, and a displacement.
type Knot = (usize, Vector3<f64>);
type Knots = Vec<Knot>;
/// The frame of a key, and its joint.
type Keyed<'k> = (usize, &'k WarpKey, JointId);

/// Whether a key is met by IK of the limb above its joint; hips are translated instead.
fn reaches(body: &Body, (_, key, joint): &Keyed) -> bool {
    matches!(key.change, WarpChange::At(_) | WarpChange::By(_)) && *joint != body.hips
}

/// The rotations of joints, and the translations of the hips in the space of their parent, that keys state.
fn turns_and_moves(clip: &Clip, body: &Body, keys: &[Keyed]) -> (Vec<Knots>, Knots) {
    let (mut turns, mut moves) = (vec![Knots::new(); clip.skeleton().len()], Knots::new());
    for (frame, key, joint) in keys.iter().filter(|key| !reaches(body, key)) {
        let local = clip.local(*joint, *frame).rotation;
        let by = match key.change {
            WarpChange::LookAt(_) => continue,
            WarpChange::Turn(turn) => {
                add(&mut turns[joint.index()], *frame, turn);
                continue;
            }
            WarpChange::To(rotation) => {
                add(&mut turns[joint.index()], *frame, log(&(local.inverse() * rotation)));
                continue;
            }
            WarpChange::At(place) => place - placed(clip, *frame, *joint).translation.vector,
            WarpChange::By(by) => by,
        };
        // Object space to that of the parent.
        let parent = placed(clip, *frame, *joint).rotation * local.inverse();
        add(&mut moves, *frame, parent.inverse() * by);
    }
    (turns, moves)
}

/// A later key of the same frame replaces an earlier one.
fn add(knots: &mut Knots, frame: usize, displacement: Vector3<f64>) {
    match knots.last_mut() {
        Some(last) if last.0 == frame => last.1 = displacement,
        _ => knots.push((frame, displacement)),
    }
}

/// The transform of a joint in object space.
fn placed(clip: &Clip, frame: usize, joint: JointId) -> Isometry3<f64> {
    let mut pose = Pose { joints: Vec::new() };
    clip.local_pose(frame, &mut pose);
    object_place(clip, &pose, joint)
}

/// The rotations with which a limb meets its keys; `warped` is the motion with the other keys.
fn reached(
    clip: &Clip,
    warped: &Clip,
    limb: &[(JointId, Keyed)],
    keys: &[Keyed],
) -> Result<Vec<Knots>, EditError> {
    let mut turns = vec![Knots::new(); clip.skeleton().len()];
    let mut pose = Pose { joints: Vec::new() };
    for (base, (frame, key, joint)) in limb {
        warped.local_pose(*frame, &mut pose);
        let changed = reach(clip, *base, (*frame, key, *joint), &mut pose)?;
        for id in changed {
            let turn = log(&(warped.local(id, *frame).rotation.inverse() * pose.joints[id.index()].rotation));
            add(&mut turns[id.index()], *frame, turn);
        }
    }
    hold_turns(&mut turns, keys);
    Ok(turns)
}

/// Fixes the rotations of joints in frames in which they have keys themselves.
fn hold_turns(turns: &mut [Knots], keys: &[Keyed]) {
    for (frame, key, joint) in keys {
        let knots = &mut turns[joint.index()];
        let turns_it = matches!(key.change, WarpChange::Turn(_) | WarpChange::To(_));
        let at = knots.partition_point(|knot| knot.0 < *frame);
        if turns_it && !knots.is_empty() && knots.get(at).is_none_or(|knot| knot.0 != *frame) {
            knots.insert(at, (*frame, Vector3::zeros()));
        }
    }
}

/// Moves a joint to its key by IK of its limb; the joint keeps its orientation in the motion. Returns the joints that
/// rotate.
fn reach(
    clip: &Clip,
    base: JointId,
    (frame, key, joint): Keyed,
    pose: &mut Pose,
) -> Result<Vec<JointId>, EditError> {
    let wrong = |reason: String| EditError::Warp { reason };
    let before = placed(clip, frame, joint);
    let goal = match key.change {
        WarpChange::At(place) => place,
        WarpChange::By(by) => before.translation.vector + by,
        WarpChange::Turn(_) | WarpChange::To(_) | WarpChange::LookAt(_) => return Ok(Vec::new()),
    };
    let failed = |error: mocap_ik::IkError| wrong(format!("'{}': {error}", key.joint));
    let mut limb = PosedChain::limb(clip.skeleton(), base, joint).map_err(failed)?;
    limb.read(clip.skeleton(), pose).map_err(failed)?;
    let outcome = IkMethod::TwoBone.solve(&mut limb.chain, &[Goal::at(goal)], &exact()).map_err(failed)?;
    if outcome.position > REACHED * limb.chain.length(0) {
        let metres = Body::of(clip).metres;
        return Err(EditError::OutOfReach {
            joint: key.joint.clone(),
            time: key.time,
            missing: outcome.position * metres.unwrap_or(1.0),
            unit: if metres.is_some() { "m" } else { "units" },
        });
    }
    limb.write(pose).map_err(failed)?;
    orient(clip, pose, joint, &before.rotation);
    Ok(limb.joints().iter().copied().chain([joint]).collect())
}

/// The distance by which a key was missed [units].
fn distance(warped: &Clip, clip: &Clip, (frame, key, joint): &Keyed) -> f64 {
    let place = |clip: &Clip| placed(clip, *frame, *joint).translation.vector;
    match key.change {
        WarpChange::Turn(_) | WarpChange::To(_) | WarpChange::LookAt(_) => 0.0,
        WarpChange::At(goal) => (place(warped) - goal).norm(),
        WarpChange::By(by) => (place(warped) - place(clip) - by).norm(),
    }
}

/// A curve of offsets and scales: cubic between its knots, with no change of value or speed at both ends.
struct Curve {
    /// Frames, with offsets and scales minus 1.
    knots: Vec<(f64, Vector4<f64>)>,
    speeds: Vec<Vector4<f64>>,
}

impl Curve {
    fn through(inner: Vec<(usize, Vector4<f64>)>, from: usize, to: usize) -> Curve {
        let zero = Vector4::zeros();
        let knots: Vec<(f64, Vector4<f64>)> = [(from, zero)]
            .into_iter()
            .chain(inner)
            .chain([(to, zero)])
            .map(|(frame, value)| (frame as f64, value))
            .collect();
        let mut speeds = vec![zero; knots.len()];
        for i in 1..knots.len() - 1 {
            speeds[i] = (knots[i + 1].1 - knots[i - 1].1) / (knots[i + 1].0 - knots[i - 1].0);
        }
        Curve { knots, speeds }
    }

    /// The offset and the scale.
    fn at(&self, frame: usize) -> (Vector3<f64>, f64) {
        let x = frame as f64;
        let next = self.knots.partition_point(|knot| knot.0 <= x).clamp(1, self.knots.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.knots[next - 1], self.knots[next]);
        let width = x1 - x0;
        let t = (x - x0) / width;
        let (t2, t3) = (t * t, t * t * t);
        let value = y0 * (2.0 * t3 - 3.0 * t2 + 1.0)
            + self.speeds[next - 1] * (width * (t3 - 2.0 * t2 + t))
            + y1 * (3.0 * t2 - 2.0 * t3)
            + self.speeds[next] * (width * (t3 - t2));
        (value.xyz(), value.w + 1.0)
    }
}

#[cfg(test)]
mod tests;
