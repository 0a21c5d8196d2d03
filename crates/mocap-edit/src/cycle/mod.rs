//! Loop: cuts a cycle from a motion and makes it repeat without a visible seam.
//!
//! Around each end of the cycle, the motion is blended with the motion around the other end, half and half at the seam
//! itself. So poses and velocities are continuous without being estimated, and each side changes by half of the
//! difference. Every repetition of the root turns and travels by the same stride.
//!
//! Based on: L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", 2002 (alignment, distance of poses).

mod carry;
mod repeat;
mod row;
mod search;

use mocap_analysis::FootContacts;
use mocap_model::{Clip, FrameRange, Isometry3, JointId, Track, angle_between, log, nlerp};
use nalgebra::Translation3;

use crate::body::Body;
use crate::pose_cloud::{Clouds, align};
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, EditReport};
pub use repeat::repeat;
pub(crate) use row::cycle_held;
use search::{Found, search};

/// Lengths of the blend on each side of the seam \[s\]; shorter ones are tried where they change joints less.
const BLENDS: [f64; 4] = [0.25, 0.2, 0.15, 0.1];
/// A change of joint angles up to which no shorter blend is tried, and up to which feet are locked unless the blend
/// alone changes more [deg].
const MOST_BEND: f64 = 4.0;
/// Angles closer than this are equal \[rad\].
const ROUNDING: f64 = 1e-9;
/// Warn of a change of joint angles above this [deg].
const VISIBLE: f64 = 10.0;
/// A cycle whose ends are this close is exact, and is left unchanged [m].
const EXACT: f64 = 1e-4;
/// A blend never takes more than this share of the cycle to each side.
const MOST: f64 = 0.4;

/// Options of [`make_loop`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopOptions {
    /// The range of the cycle; `None`: the best one is searched.
    pub range: Option<FrameRange>,
    /// Whether planted feet are locked, where the body has feet. Default: true.
    pub lock_feet: bool,
}

impl Default for LoopOptions {
    fn default() -> LoopOptions {
        LoopOptions { range: None, lock_feet: true }
    }
}

/// Turns a motion into a loop: its last frame has the pose of its first, with the root one stride further.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{LoopOptions, make_loop};
///
/// let (looped, report) = make_loop(&walk, &LoopOptions::default())?;
/// println!("{} frames: {report}", looped.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::NoCycle`] where no part of the motion ends as it begins, [`EditError::NoFrameLeft`] where the range is
/// outside the motion, [`EditError::Option`] where it has fewer than five frames, [`EditError::TooShort`] where the motion
/// is too short for a search.
pub fn make_loop(clip: &Clip, options: &LoopOptions) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    let fps = clip.rate().fps();
    let frames_of = |seconds: f64| ((seconds * fps).round() as usize).max(1);
    let margin = frames_of(BLENDS[0]);
    let root_motion = RootMotionJoint::of(clip, &body);
    let posed = posed(clip, &root_motion);
    let cycles = match options.range {
        None => search(clip, &body, &posed, margin)?,
        Some(range) => {
            let (frames, seconds) = (clip.frames(), clip.duration());
            let found = range.frames(frames, fps);
            let range = found.ok_or(EditError::NoFrameLeft { edit: "loop", frames, seconds })?;
            let (start, end) = (range.start, range.end.min(frames - 1));
            if end < start + 4 {
                let (name, value) = ("the number of frames of the range", range.len() as f64);
                return Err(EditError::Option { edit: "loop", name, value, expected: "at least 5" });
            }
            let mut clouds = Clouds::of(clip, body.hips);
            let [first, last] = [start, end].map(|frame| clouds.at(frame));
            vec![Found { start, end, distance: align(&body, &first, &last).1 }]
        }
    };
    let mut least = f64::INFINITY;
    let mut chosen = None;
    'closed: for found in &cycles {
        for blend in BLENDS {
            let Closed { samples, stride } = close(clip, &body, &root_motion, *found, frames_of(blend))?;
            let looped = samples.into_clip("loop")?;
            let bend = deviation(clip, &looped, &posed, found.start);
            if bend < least {
                (least, chosen) = (bend, Some((looped, stride, *found)));
            }
            if bend.to_degrees() <= MOST_BEND {
                break 'closed;
            }
        }
    }
    let (mut looped, mut stride, Found { start, end, distance }) =
        chosen.expect("a blend of finite rotations");
    let (mut feet_locked, mut not_locked) = (0.0, None);
    if options.lock_feet && body.locks_feet() && body.metres.is_some_and(|metres| distance * metres > EXACT) {
        (looped, stride) = carry::carried(&looped, &body, &stride)?;
        match lock_feet(&looped, &body, &stride, None) {
            Ok(locked) => (looped, feet_locked) = as_far_as_allowed(clip, looped, &locked, &posed, start)?,
            Err(error) => not_locked = Some(error),
        }
    }
    let mut held = None;
    if options.lock_feet && not_locked.is_none() {
        (looped, held) = cycle_held(&[clip], looped, &body, &stride, "loop")?;
    }
    let bend = deviation(clip, &looped, &posed, start).to_degrees();
    let mut report = report(clip, &looped, (start, end), &body, &stride, &posed)
        .figure("deviation", bend, "deg")
        .figure("alignment-error", body.metres.map(|metres| distance * metres), "m")
        .figure("feet-locked", feet_locked, "")
        .feet_held(held);
    if let Some(error) = not_locked {
        report.warn("edit::feet-free", format!("feet are not locked: {error}"));
    }
    if options.lock_feet && body.has_hinges() {
        let why = "the joints of a robot turn about fixed axes only";
        report.warn("edit::feet-free", format!("feet are not locked: {why}"));
    }
    if bend > VISIBLE {
        let why = "no part of the motion ends quite as it begins";
        report.warn("edit::bent-loop", format!("closing the loop bends a joint by {bend:.1}°: {why}"));
    }
    Ok((looped, report))
}

/// A cycle that closes.
struct Closed {
    samples: Samples,
    /// From one repetition to the next.
    stride: Isometry3<f64>,
}

/// A cycle from its first to its last frame, both included, blended over the seam.
fn close(
    clip: &Clip,
    body: &Body,
    root_motion: &RootMotionJoint,
    Found { start, end, .. }: Found,
    margin: usize,
) -> Result<Closed, EditError> {
    let (length, last) = (end - start, clip.frames() - 1);
    let most = ((length as f64 * MOST) as usize).max(1);
    let wanted = margin.min(most);
    // Available frames before the start and after the end, with which the other end is blended.
    let (before, after) = (start.min(wanted), (last - end).min(wanted));
    let mut clouds = Clouds::of(clip, body.hips);
    let window = before.min(after);
    let mut points = |middle: usize| {
        let frames = middle - window.min(middle)..=(middle + window).min(last);
        frames.flat_map(|frame| clouds.at(frame)).collect::<Vec<_>>()
    };
    let (stride, _) = align(body, &points(end), &points(start));
    // Copies only the frames that the loop needs, in case the clip is long.
    let cut = clip.trimmed(start - before..end + after + 1);
    let cut = cut.map_err(|error| EditError::model("loop", error))?;
    let all = Samples::of(&cut);
    let (start, end, last) = (before, before + length, before + length + after);
    let mut samples = part(&all, start..end + 1);
    for (own, whole) in samples.annotations.scalars.iter_mut().zip(&all.annotations.scalars) {
        if whole.values.is_sampled() {
            own.values = Track::Sampled((start..=end).map(|frame| whole.values.at(frame)).collect());
        }
    }
    let inverse = stride.inverse();
    // Near the ends of the clip the blend is one-sided: the share at the seam depends on the frames of both sides.
    let share = match before + after {
        0 => 0.5,
        both => after as f64 / both as f64,
    };
    let fade = |step: usize, of: usize| if of == 0 { 0.0 } else { ease(1.0 - step as f64 / of as f64) };
    for step in 0..after.max(1).min(length / 2) {
        let other = (end + step).min(last);
        let weight = share * fade(step, after.max(1));
        mix(&mut samples, step, &all, (start + step, other), root_motion, &inverse, weight);
    }
    for step in 0..before.max(1).min(length / 2) {
        let other = start.saturating_sub(step);
        let weight = (1.0 - share) * fade(step, before.max(1));
        mix(&mut samples, length - step, &all, (end - step, other), root_motion, &stride, weight);
    }
    // Both ends are the same blend: the last frame gets the exact bits of the first.
    for joint in 0..samples.rotations.len() {
        samples.rotations[joint][length] = samples.rotations[joint][0];
        if let Some(values) = &mut samples.translations[joint] {
            values[length] = values[0];
        }
    }
    for track in &mut samples.annotations.scalars {
        if let Track::Sampled(values) = &mut track.values {
            values[length] = values[0];
        }
    }
    let place = stride * root_motion.at(&samples, 0);
    root_motion.put(&mut samples, length, &place);
    Ok(Closed { samples, stride })
}

/// From 0 to 1 with no speed and no acceleration at either end.
fn ease(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn part(all: &Samples, range: std::ops::Range<usize>) -> Samples {
    let mut samples = all.clone();
    samples.cut(range);
    samples
}

/// Blends one frame of `samples`, which is frame `own` of the whole, with frame `other` moved by `placement`.
fn mix(
    samples: &mut Samples,
    frame: usize,
    all: &Samples,
    (own, other): (usize, usize),
    root_motion: &RootMotionJoint,
    placement: &Isometry3<f64>,
    weight: f64,
) {
    let place = between(&root_motion.at(all, own), &(placement * root_motion.at(all, other)), weight);
    for joint in 0..all.rotations.len() {
        let id = JointId::from(joint);
        let local = between(&all.local(id, own), &all.local(id, other), weight);
        samples.set_local(id, frame, &local);
    }
    for (track, whole) in samples.annotations.scalars.iter_mut().zip(&all.annotations.scalars) {
        if let Track::Sampled(values) = &mut track.values {
            let [from, to] = [own, other].map(|frame| whole.values.at(frame));
            values[frame] = from + (to - from) * weight;
        }
    }
    root_motion.put(samples, frame, &place);
}

pub(crate) fn between(a: &Isometry3<f64>, b: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    let translation = a.translation.vector + (b.translation.vector - a.translation.vector) * share;
    Isometry3::from_parts(Translation3::from(translation), nlerp(&a.rotation, &b.rotation, share))
}

/// Three repetitions, without the final frame of the last.
fn three_times(looped: &Clip, root_motion: &RootMotionJoint, stride: &Isometry3<f64>) -> Samples {
    let samples = Samples::of(looped);
    let once = part(&samples, 0..looped.frames() - 1);
    let mut row = once.clone();
    let mut placement = Isometry3::identity();
    for _ in 0..2 {
        placement = stride * placement;
        let mut next = once.clone();
        moved(&mut next, root_motion, &placement);
        row.append(next);
    }
    row
}

/// Locks the feet of a loop across its seam: locks three repetitions and takes the middle one. `contacts` are those of
/// the three repetitions; `None`: detected.
pub(crate) fn lock_feet(
    looped: &Clip,
    body: &Body,
    stride: &Isometry3<f64>,
    contacts: Option<&[FootContacts]>,
) -> Result<Clip, EditError> {
    let root_motion = RootMotionJoint::of(looped, body);
    let length = looped.frames() - 1;
    let row = three_times(looped, &root_motion, stride);
    // The middle repetition, and the frame after it, which closes the loop.
    let locked = crate::feet::locked_in(&row.into_clip("loop")?, contacts)?;
    let mut middle = part(&Samples::of(&locked), length..2 * length + 1);
    moved(&mut middle, &root_motion, &stride.inverse());
    for joint in 0..middle.rotations.len() {
        middle.rotations[joint][length] = middle.rotations[joint][0];
        if let Some(values) = &mut middle.translations[joint] {
            values[length] = values[0];
        }
    }
    let place = stride * root_motion.at(&middle, 0);
    root_motion.put(&mut middle, length, &place);
    middle.annotations = looped.annotations().clone();
    middle.into_clip("loop")
}

/// The loop with feet as close to their locked positions as the limit on joint angles allows, and the share of the lock
/// that was applied: a nearly straight leg bends a lot to move its foot a little.
fn as_far_as_allowed(
    clip: &Clip,
    looped: Clip,
    locked: &Clip,
    posed: &[JointId],
    start: usize,
) -> Result<(Clip, f64), EditError> {
    // Joints that the lock does not move differ by the rounding of a blend.
    let allowed = MOST_BEND.to_radians().max(deviation(clip, &looped, posed, start) + ROUNDING);
    let (free, fixed) = (Samples::of(&looped), Samples::of(locked));
    let at = |share: f64| {
        let mut mixed = free.clone();
        for joint in 0..mixed.rotations.len() {
            let id = JointId::from(joint);
            for frame in 0..mixed.frames {
                let local = between(&free.local(id, frame), &fixed.local(id, frame), share);
                mixed.set_local(id, frame, &local);
            }
        }
        mixed.into_clip("loop")
    };
    if deviation(clip, locked, posed, start) <= allowed {
        return Ok((locked.clone(), 1.0));
    }
    let (mut low, mut high) = (0.0, 1.0);
    let mut best = looped;
    for _ in 0..7 {
        let middle = 0.5 * (low + high);
        let mixed = at(middle)?;
        if deviation(clip, &mixed, posed, start) <= allowed {
            (low, best) = (middle, mixed);
        } else {
            high = middle;
        }
    }
    Ok((best, low))
}

/// Moves all frames over the ground.
pub(crate) fn moved(samples: &mut Samples, root_motion: &RootMotionJoint, placement: &Isometry3<f64>) {
    for frame in 0..samples.frames {
        let place = placement * root_motion.at(samples, frame);
        root_motion.put(samples, frame, &place);
    }
}

fn report(
    clip: &Clip,
    looped: &Clip,
    (start, end): (usize, usize),
    body: &Body,
    stride: &Isometry3<f64>,
    posed: &[JointId],
) -> EditReport {
    let cut = clip.trimmed(start..end + 1).unwrap_or_else(|_| clip.clone());
    let mut report = EditReport::measured("loop", &cut, looped);
    report.frames_before = clip.frames();
    let (fps, last) = (clip.rate().fps(), looped.frames() - 1);
    let (mut pose, mut velocity) = (0.0f64, 0.0f64);
    for id in posed {
        let rotation = &looped.track(*id).rotation;
        pose = pose.max(angle_between(&rotation.at(0), &rotation.at(last)));
        let step = |from: usize| log(&(rotation.at(from).inverse() * rotation.at(from + 1))) * fps;
        velocity = velocity.max((step(last - 1) - step(0)).norm());
    }
    // Where a repetition turns, its translation depends on the origin; the way of the root does not.
    let first = RootMotionJoint::of(looped, body).at(&Samples::of(looped), 0);
    let way = (stride * first).translation.vector - first.translation.vector;
    let way = body.metres.map(|metres| body.on_ground(&way).norm() * metres);
    report
        .figure("seam-pose", pose.to_degrees(), "deg")
        .figure("seam-velocity", velocity.to_degrees(), "deg/s")
        .figure("stride", way, "m")
        .figure("turn", log(&stride.rotation).dot(&body.up).to_degrees(), "deg")
        .note(format!("frames {start} to {end}"))
}

/// The joints whose rotations define the pose: all but the root-motion joint and those above it, which turn with the
/// stride.
fn posed(clip: &Clip, root_motion: &RootMotionJoint) -> Vec<JointId> {
    let skeleton = clip.skeleton();
    let joints = skeleton.iter().filter(|(_, joint)| joint.parent.is_some() && !joint.end_site);
    joints.map(|(id, _)| id).filter(|id| !skeleton.is_in_subtree(root_motion.joint, *id)).collect()
}

/// The largest angle between the rotation of a joint in a loop and in its source frames [rad].
fn deviation(clip: &Clip, looped: &Clip, posed: &[JointId], start: usize) -> f64 {
    let bend = |id: &JointId| {
        let (own, rotation) = (&clip.track(*id).rotation, &looped.track(*id).rotation);
        let frames = 0..looped.frames();
        frames.map(|frame| angle_between(&own.at(start + frame), &rotation.at(frame))).fold(0.0, f64::max)
    };
    posed.iter().map(bend).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{UnitQuaternion, Vector3};

    #[test]
    fn a_walk_becomes_a_loop() {
        let walk = clip("alex_walk.bvh");
        let (looped, report) = make_loop(&walk, &LoopOptions::default()).unwrap();
        let figure =
            |name: &str| report.figures.iter().find(|figure| figure.name == name).unwrap().value.unwrap();
        assert!(looped.frames() < walk.frames());
        assert!(figure("seam-pose") < 1e-6, "{report}");
        assert!(figure("deviation") < 4.0, "{report}");
        assert!(figure("stride") > 0.5, "{report}");
    }

    /// The clip with its root turned about the up axis and moved.
    fn placed(clip: &Clip, degrees: f64, to: [f64; 3]) -> Clip {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
        let by = Isometry3::from_parts(Translation3::from(Vector3::from(to)), turn);
        let mut samples = Samples::of(clip);
        let root = clip.skeleton().roots().next().unwrap();
        for frame in 0..samples.frames {
            let local = by * samples.local(root, frame);
            samples.set_local(root, frame, &local);
        }
        samples.into_clip("loop").unwrap()
    }

    #[test]
    fn a_loop_is_the_same_wherever_a_motion_is() {
        // Turns by a third on its way.
        let mut samples = Samples::of(&clip("alex_walk.bvh"));
        let root = JointId(0);
        for frame in 0..samples.frames {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.007 * frame as f64);
            let local = samples.local(root, frame);
            samples.set_local(root, frame, &(turn * local));
        }
        let walk = samples.into_clip("loop").unwrap();
        let options = LoopOptions { range: Some("10:75".parse().unwrap()), lock_feet: true };
        let looped = |clip: &Clip| {
            let (_, report) = make_loop(clip, &options).unwrap();
            ["stride", "feet-locked", "deviation"]
                .map(|name| report.figures.iter().find(|figure| figure.name == name).unwrap().value.unwrap())
        };
        let here = looped(&walk);
        for (degrees, to) in [(0.0, [0.0, 0.0, -500.0]), (73.0, [0.0; 3]), (-160.0, [3000.0, 0.0, 50.0])] {
            for (here, there) in here.iter().zip(looped(&placed(&walk, degrees, to))) {
                assert!((here - there).abs() < 1e-6, "{degrees} {to:?}: {here} {there}");
            }
        }
    }

    #[test]
    fn a_given_range_closes() {
        let walk = clip("alex_walk.bvh");
        let options = LoopOptions { range: Some("10:75".parse().unwrap()), lock_feet: false };
        let (looped, _) = make_loop(&walk, &options).unwrap();
        assert_eq!(looped.frames(), 66);
        let options = LoopOptions { range: Some("5000:6000".parse().unwrap()), ..options };
        assert!(matches!(make_loop(&walk, &options), Err(EditError::NoFrameLeft { .. })));
    }
}
