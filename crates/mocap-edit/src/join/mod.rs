//! Join: concatenates motions of one skeleton, each aligned with the end of the one before.
//!
//! Based on: L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", 2002 (alignment and blend); D. Bollo, "Inertialization:
//! High-Performance Animation Transitions in Gears of War", 2018 (inertial).

mod inertial;
mod lock;
mod scene;

use std::ops::Range;
use std::str::FromStr;

use mocap_analysis::FootContacts;
use mocap_model::{Clip, Isometry3, JointId, Track, log};

use crate::blend::difference;
use crate::body::Body;
use crate::cycle::{between, moved};
use crate::held_feet::held_within;
use crate::one_space::in_space_of;
use crate::pose_cloud::{Cloud, align, clouds};
use crate::report::contact_figures;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, EditReport};

pub use scene::{JoinedCharacter, JoinedScene, join_scenes};

/// Warn of a transition between poses that differ by more than this share of the body's size.
const APART: f64 = 0.15;
/// Warn of foot skate in a transition above this speed [m/s].
const SKATE: f64 = 0.02;

/// The kind of transition from one motion to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransitionKind {
    /// Both motions are played and blended.
    #[default]
    Blend,
    /// The next motion is played; the offset to the one before decays.
    Inertial,
}

impl FromStr for TransitionKind {
    type Err = String;

    fn from_str(text: &str) -> Result<TransitionKind, String> {
        match text {
            "blend" => Ok(TransitionKind::Blend),
            "inertial" => Ok(TransitionKind::Inertial),
            _ => Err(format!("'{text}' is not blend or inertial")),
        }
    }
}

mocap_model::text_values! {
    TransitionKind "blend or inertial";
}

/// How motions are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JoinOptions {
    /// The time of a transition \[s\], above 0. Default: 0.33.
    pub transition: f64,
    /// Default: blend.
    pub kind: TransitionKind,
    /// The best place of the transition is searched over this time at the end of one motion and the start of the next
    /// \[s\], but at most over half of a motion's remaining length. Default: 0.5.
    pub search: f64,
    /// Whether an inertial transition may not overshoot. Default: false.
    pub no_overshoot: bool,
    /// Whether feet are locked in the contacts that overlap a transition, where the body has feet. Default: true.
    pub lock_feet: bool,
}

impl Default for JoinOptions {
    fn default() -> JoinOptions {
        JoinOptions {
            transition: 0.33,
            kind: TransitionKind::default(),
            search: 0.5,
            no_overshoot: false,
            lock_feet: true,
        }
    }
}

/// Joins motions of one skeleton in this order; one report per transition. Motions of another rate
/// are resampled to that of the first.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{JoinOptions, join};
///
/// let (long, reports) = join(&[clip.clone(), clip], &JoinOptions::default())?;
/// assert_eq!(reports.len(), 1);
/// println!("{} frames, {}", long.frames(), reports[0]);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Skeletons`] where joints or bones differ, [`EditError::ShortForTransition`] where a
/// motion is shorter than a transition, [`EditError::Option`] where a time is out of range,
/// [`EditError::TooShort`] without motions.
pub fn join(clips: &[Clip], options: &JoinOptions) -> Result<(Clip, Vec<EditReport>), EditError> {
    check(options)?;
    let Some((first, others)) = clips.split_first() else {
        return Err(EditError::TooShort { edit: "join", needed: 2, frames: 0 });
    };
    let mut whole = first.clone();
    let mut reports = Vec::new();
    for next in others {
        let next = as_first(&whole, next)?;
        let place = place_of(&[[&whole, &next]], options)?;
        let (joined, report) = join_two([&whole, &next], &place, options)?;
        whole = joined;
        reports.push(report);
    }
    Ok((whole, reports))
}

fn check(options: &JoinOptions) -> Result<(), EditError> {
    let (name, value) = ("the transition [s]", options.transition);
    if !(value.is_finite() && value > 0.0) {
        return Err(EditError::Option { edit: "join", name, value, expected: "above 0" });
    }
    if !(options.search.is_finite() && options.search >= 0.0) {
        let (name, value) = ("the search [s]", options.search);
        return Err(EditError::Option { edit: "join", name, value, expected: "at least 0" });
    }
    Ok(())
}

/// The next motion on the skeleton of the first, in its unit and axes, at its rate.
fn as_first(first: &Clip, next: &Clip) -> Result<Clip, EditError> {
    let next = in_space_of(first, next, "join")?;
    let next = on_one_skeleton(first, &next)?;
    if next.rate() == first.rate() { Ok(next) } else { crate::resample(&next, first.rate()) }
}

/// The next motion on the skeleton of the first: the same names and parents, and bones of the same lengths and
/// directions. Offsets above the hips are not compared: they are the actor's place in the studio, and are kept.
fn on_one_skeleton(first: &Clip, next: &Clip) -> Result<Clip, EditError> {
    let fail = |reason: String| Err(EditError::Skeletons { reason });
    let (a, b) = (first.skeleton(), next.skeleton());
    if let Some(difference) = difference(a, b) {
        return fail(difference);
    }
    let size = mocap_analysis::tree_diameter(a).max(f64::MIN_POSITIVE);
    let hips = Body::of(first).hips;
    let mut tracks = next.tracks().to_vec();
    for ((id, ours), theirs) in a.iter().zip(b.joints()) {
        let place = &mut tracks[id.index()].translation;
        if a.is_in_subtree(hips, id) {
            // A different offset becomes a constant translation.
            let stays = Track::Constant(theirs.offset);
            *place = place.take().or((ours.offset != theirs.offset).then_some(stays));
            continue;
        }
        // A translation replaces the offset. An end site moves nothing.
        let bone = |clip: &Clip| clip.local(id, 0).translation.vector;
        if !ours.end_site && (bone(first) - bone(next)).norm() > 0.02 * size {
            return fail(format!("the bone to '{}' has another length or direction", ours.name));
        }
    }
    let model = |error| EditError::model("join", error);
    let annotations = next.annotations().clone();
    let moved = Clip::new(a.clone(), next.rate(), next.frames(), tracks).map_err(model)?;
    moved.with_annotations(annotations).map_err(model)
}

/// The frames of a transition.
fn steps_of(clip: &Clip, options: &JoinOptions) -> usize {
    ((options.transition * clip.rate().fps()).round() as usize).max(2)
}

/// The frames at which one motion is left and the next entered, the same for all characters so that they stay together.
/// Each pair is one character in both motions.
fn place_of(pairs: &[[&Clip; 2]], options: &JoinOptions) -> Result<Place, EditError> {
    let [a, b] = pairs[0];
    let steps = steps_of(a, options);
    for (clip, which) in [(a, "before"), (b, "after")] {
        if clip.frames() <= steps {
            let (seconds, frames, needed) = (options.transition, clip.frames(), steps.saturating_add(1));
            return Err(EditError::ShortForTransition { which, frames, needed, seconds });
        }
    }
    let (mut from, mut to) = (clouds(a), clouds(b));
    for [a, b] in &pairs[1..] {
        let others = [(&mut from, clouds(a)), (&mut to, clouds(b))];
        others
            .into_iter()
            .for_each(|(all, own)| all.iter_mut().zip(own).for_each(|(all, own)| all.extend(own)));
    }
    let search = (options.search * a.rate().fps()).round() as usize;
    Ok(best_place(&Body::of(a), (&from, &to), steps, search))
}

fn join_two(
    [a, b]: [&Clip; 2],
    place: &Place,
    options: &JoinOptions,
) -> Result<(Clip, EditReport), EditError> {
    let steps = steps_of(a, options);
    let body = Body::of(a);
    let Place { leave, enter, placement, distance } = *place;
    let (mut x, mut y) = (Samples::of(a), Samples::of(b));
    let mut root_motion = RootMotionJoint::of(a, &body);
    if RootMotionJoint::of(b, &body).joint != root_motion.joint {
        // The motions have different root-motion joints: use the hips for both.
        root_motion = RootMotionJoint::hips(a, &body);
        let pose = x.clone();
        root_motion.hold_above(&mut x, &pose);
        root_motion.hold_above(&mut y, &pose);
    }
    if options.kind == TransitionKind::Inertial {
        // A difference of the joints above would decay about the origin, with the body far from it.
        root_motion.hold_above(&mut y, &x);
    }
    moved(&mut y, &root_motion, &placement);
    let whole = match options.kind {
        TransitionKind::Blend => blend(x, &y, &root_motion, (leave, enter), steps),
        TransitionKind::Inertial => inertial::join(x, &y, (leave, enter), steps, options.no_overshoot),
    };
    let free = whole.into_clip("join")?;
    let transition = leave..leave + steps + 1;
    let locks = options.lock_feet && body.locks_feet();
    let locked = match locks.then(|| contacts(&body, (a, b), (leave, enter), steps, options.kind)) {
        Some(Some(contacts)) => lock::lock(&free, &contacts, &transition),
        _ => Ok(free.clone()),
    };
    let (joined, failed) = match locked {
        Ok(locked) => (locked, None),
        Err(error) => (free, Some(error)),
    };
    let (joined, held) = match options.lock_feet && failed.is_none() {
        true => held_within(&[a, b], joined, "join", transition.clone())?,
        false => (joined, None),
    };
    let mut report = report(a, b, &joined, &body, &transition).feet_held(held);
    let skate = report.figures.iter().find(|figure| figure.name == "transition-skate");
    let skate = skate.and_then(|figure| figure.value).unwrap_or(0.0);
    if let Some(error) = failed {
        report.warn("edit::feet-free", format!("feet are not locked in the transition: {error}"));
    } else if options.lock_feet && skate > SKATE {
        let skate = skate * 100.0;
        let why = "a foot stands too far away from where it stands in the other motion; a longer search range or another transition may fit";
        report.warn(
            "edit::transition-skate",
            format!("feet slide by {skate:.1} cm/s in the transition: {why}"),
        );
    }
    if distance > APART * mocap_analysis::tree_diameter(&body.skeleton) {
        let apart = body.metres.map_or(format!("{distance:.2} units"), |m| format!("{:.2} m", distance * m));
        let why = "the motions have no poses alike where they meet; a longer search range finds more";
        report.warn("edit::poses-apart", format!("joints are {apart} apart in the transition: {why}"));
    }
    let metres = body.metres.map(|metres| metres * distance);
    let turn = log(&placement.rotation).dot(&body.up).to_degrees();
    let report = report
        .figure("alignment-error", metres, "m")
        .figure("turn", turn, "deg")
        .note(format!("leaves frame {leave}, enters frame {enter}, {steps} frames"));
    Ok((joined, report))
}

/// The contacts of a joined motion, taken from the motion with the larger weight in each frame, because feet may skate
/// in a transition and so have no detectable contact. `None` without feet or unit.
fn contacts(
    body: &Body,
    (a, b): (&Clip, &Clip),
    (leave, enter): (usize, usize),
    steps: usize,
    kind: TransitionKind,
) -> Option<Vec<FootContacts>> {
    let step = match kind {
        TransitionKind::Blend => steps.div_ceil(2),
        TransitionKind::Inertial => 0,
    };
    let both = body.contacts(a)?.into_iter().zip(body.contacts(b)?);
    let joined = both.map(|((_, own), (_, next))| {
        let flags = |own: &[bool], next: &[bool]| [&own[..leave + step], &next[enter + step..]].concat();
        FootContacts { toe: flags(&own.toe, &next.toe), heel: flags(&own.heel, &next.heel) }
    });
    Some(joined.collect())
}

/// Where one motion is left and the next entered.
struct Place {
    leave: usize,
    enter: usize,
    placement: Isometry3<f64>,
    distance: f64,
}

/// The pair of windows with the least distance after alignment; both have the length of the transition.
fn best_place(body: &Body, (from, to): (&[Cloud], &[Cloud]), steps: usize, search: usize) -> Place {
    let latest = from.len() - 1 - steps;
    let most = to.len() - 1 - steps;
    // Windows are compared at a few frames, first on a grid, then around its best place.
    let stride = (steps / 6).max(1);
    let window = |cloud: &[Cloud], start: usize| {
        (start..=start + steps)
            .step_by(stride)
            .flat_map(|frame| cloud[frame].iter().copied())
            .collect::<Vec<_>>()
    };
    let look = |leaves: Vec<usize>, enters: Vec<usize>| {
        let mut best: Option<Place> = None;
        let entered: Vec<(usize, Cloud)> =
            enters.into_iter().map(|enter| (enter, window(to, enter))).collect();
        for leave in leaves {
            let left = window(from, leave);
            for (enter, cloud) in &entered {
                let (placement, distance) = align(body, &left, cloud);
                if best.as_ref().is_none_or(|best| distance < best.distance) {
                    best = Some(Place { leave, enter: *enter, placement, distance });
                }
            }
        }
        best.expect("there is one place at least")
    };
    let step = (search / 12).max(1);
    // At most half of the remaining length is searched, so that a short motion is not cut away.
    let earliest = latest - search.min(latest / 2);
    let last_enter = search.min(most / 2);
    let grid = |from: usize, to: usize| {
        let mut places: Vec<usize> = (from..=to).step_by(step).collect();
        places.push(to);
        places
    };
    let coarse = look(grid(earliest, latest), grid(0, last_enter));
    let around = |at: usize, low: usize, high: usize| {
        (at.saturating_sub(step).max(low)..=(at + step).min(high)).collect::<Vec<_>>()
    };
    look(around(coarse.leave, earliest, latest), around(coarse.enter, 0, last_enter))
}

/// The share of the first motion at a step of `steps`: 2p³ - 3p² + 1.
fn share(step: usize, steps: usize) -> f64 {
    let p = (step + 1) as f64 / (steps + 1) as f64;
    p * p * (2.0 * p - 3.0) + 1.0
}

fn blend(
    mut x: Samples,
    y: &Samples,
    root_motion: &RootMotionJoint,
    (leave, enter): (usize, usize),
    steps: usize,
) -> Samples {
    for step in 0..=steps {
        let (own, other) = (leave + step, enter + step);
        let weight = 1.0 - share(step, steps + 1);
        let place = between(&root_motion.at(&x, own), &root_motion.at(y, other), weight);
        for joint in 0..x.rotations.len() {
            let id = JointId::from(joint);
            let local = between(&x.local(id, own), &y.local(id, other), weight);
            x.set_local(id, own, &local);
        }
        root_motion.put(&mut x, own, &place);
    }
    x.cut(0..leave + steps + 1);
    let mut rest = y.clone();
    rest.cut(enter + steps + 1..y.frames);
    x.append(rest);
    x
}

fn report(a: &Clip, b: &Clip, joined: &Clip, body: &Body, transition: &Range<usize>) -> EditReport {
    let mut report = EditReport::measured("join", a, joined);
    (report.rms_deg, report.max_deg, report.rms_m, report.max_m, report.worst) =
        (None, None, None, None, None);
    report.frames_before = a.frames() + b.frames();
    let own = peak_acceleration(a, 0..a.frames()).max(peak_acceleration(b, 0..b.frames()));
    let within = transition.start.saturating_sub(2)..(transition.end + 2).min(joined.frames());
    let ratio = (own > 0.0).then(|| peak_acceleration(joined, within) / own);
    let skate = contact_figures(&Body::of(b), b).and_then(|contacts| contacts.skate);
    let before = report.contacts_before.and_then(|contacts| contacts.skate);
    report.warn_of_skate_above([before, skate].into_iter().flatten().reduce(f64::max));
    let skate = lock::skate(body, joined, transition);
    report.figure("peak-acceleration", ratio, "").figure("transition-skate", skate, "m/s")
}

/// The largest angular acceleration of a joint in some frames [rad/s²].
pub(crate) fn peak_acceleration(clip: &Clip, frames: std::ops::Range<usize>) -> f64 {
    let fps = clip.rate().fps();
    let joints = clip.skeleton().iter().filter(|(_, joint)| !joint.end_site);
    let peak = |id: JointId| {
        let rotation = &clip.track(id).rotation;
        let velocity = |frame: usize| log(&(rotation.at(frame).inverse() * rotation.at(frame + 1))) * fps;
        let inner = frames.start..frames.end.saturating_sub(2);
        inner.map(|frame| (velocity(frame + 1) - velocity(frame)).norm() * fps).fold(0.0, f64::max)
    };
    joints.map(|(id, _)| peak(id)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{Joint, JointTracks, Skeleton, Track, UnitQuaternion, Vector3};

    #[test]
    fn parts_of_one_motion_join_to_the_motion() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let (a, b) = (walk.trimmed(0..60).unwrap(), walk.trimmed(40..walk.frames()).unwrap());
        let turned = body.turn(1.3);
        let placement = Isometry3::from_parts(nalgebra::Translation3::new(31.0, 0.0, -17.0), turned);
        let b = crate::root::place_roots(&b, "join", |_| placement).unwrap();
        let transition = 19.0 / walk.rate().fps();
        let options = JoinOptions { transition, lock_feet: false, ..JoinOptions::default() };
        let (whole, reports) = join(&[a, b], &options).unwrap();
        assert_eq!(whole.frames(), walk.frames());
        for (id, _) in walk.skeleton().iter() {
            let far = (whole.local(id, 0).inverse() * walk.local(id, 0)).translation.vector.norm();
            assert!(far < 1e-9);
            let last = walk.frames() - 1;
            let far =
                (whole.local(id, last).translation.vector - walk.local(id, last).translation.vector).norm();
            assert!(far < 1e-6, "{far}");
        }
        assert!(reports[0].figures.iter().any(|f| f.name == "alignment-error" && f.value.unwrap() < 1e-9));
    }

    #[test]
    fn feet_stand_in_a_transition_and_frames_far_from_it_stay() {
        let (walk, turn) = (clip("alex_walk.bvh"), clip("alex_turn.bvh"));
        for kind in [TransitionKind::Blend, TransitionKind::Inertial] {
            let by = |lock_feet| {
                let options = JoinOptions { kind, lock_feet, ..JoinOptions::default() };
                let (joined, mut reports) = join(&[walk.clone(), turn.clone()], &options).unwrap();
                let report = reports.remove(0);
                let skate =
                    report.figures.iter().find(|figure| figure.name == "transition-skate").unwrap().value;
                (joined, skate.unwrap())
            };
            let ((free, loose), (locked, tight)) = (by(false), by(true));
            assert!(tight < 0.02 && tight < loose, "{kind:?}: {tight} of {loose}");
            for frame in [0, 10, free.frames() - 1] {
                for (id, _) in free.skeleton().iter() {
                    assert_eq!(free.local(id, frame), locked.local(id, frame), "{kind:?} {frame}");
                }
            }
        }
    }

    #[test]
    fn a_short_motion_is_not_searched_away() {
        let walk = clip("alex_walk.bvh");
        let short = walk.trimmed(0..80).unwrap();
        let steps = (0.33 * walk.rate().fps()).round() as usize;
        let options = JoinOptions { search: 10.0, ..JoinOptions::default() };
        let (joined, _) = join(&[walk.clone(), short.clone()], &options).unwrap();
        // Half of the frames beside the transition.
        let beside = |clip: &Clip| (clip.frames() - 1 - steps) / 2;
        assert!(joined.frames() > beside(&walk) + steps + beside(&short), "{}", joined.frames());
    }

    #[test]
    fn both_kinds_are_smooth_and_other_skeletons_are_refused() {
        let (walk, turn) = (clip("alex_walk.bvh"), clip("alex_turn.bvh"));
        for kind in [TransitionKind::Blend, TransitionKind::Inertial] {
            let options = JoinOptions { kind, ..JoinOptions::default() };
            let (_, reports) = join(&[walk.clone(), turn.clone()], &options).unwrap();
            let peak = reports[0].figures.iter().find(|figure| figure.name == "peak-acceleration").unwrap();
            assert!(peak.value.unwrap() < 1.5, "{kind:?}: {}", reports[0]);
        }
        let options = JoinOptions::default();
        let other = join(&[walk.clone(), clip("robin_walk.bvh")], &options);
        assert!(matches!(other, Err(EditError::Skeletons { .. })));
        let short = join(&[walk.clone(), walk.trimmed(0..5).unwrap()], &options).unwrap_err();
        assert_eq!(short.code(), "edit::too-short");
        assert!(short.to_string().contains("after the transition has 5 frames"), "{short}");
    }

    /// The same motion below a root that is turned.
    fn below_a_turned_root(clip: &Clip, turn: UnitQuaternion<f64>) -> Clip {
        let mut joints = vec![Joint::new("Root", None, Vector3::zeros())];
        let below = |parent: Option<JointId>| JointId::from(parent.map_or(0, |parent| parent.index() + 1));
        let moved = |joint: &Joint| Joint { parent: Some(below(joint.parent)), ..joint.clone() };
        joints.extend(clip.skeleton().joints().iter().map(moved));
        let skeleton = Skeleton::new("", *clip.skeleton().space(), joints).unwrap();
        let root = JointTracks::new(Track::Constant(turn), None);
        let tracks = std::iter::once(root).chain(clip.tracks().iter().cloned()).collect();
        Clip::new(skeleton.into(), clip.rate(), clip.frames(), tracks).unwrap()
    }

    #[test]
    fn a_turn_of_the_root_does_not_fling_the_body() {
        let walk = clip("alex_walk.bvh");
        let turned = |degrees: f64| {
            let up = walk.skeleton().space().up.vector();
            let turn = UnitQuaternion::from_scaled_axis(up * degrees.to_radians());
            below_a_turned_root(&walk, turn)
        };
        let options = JoinOptions { kind: TransitionKind::Inertial, ..JoinOptions::default() };
        let fastest = |clip: &Clip| {
            let hips = mocap_analysis::trajectory(clip, JointId::from(1));
            hips.windows(2).map(|pair| (pair[1] - pair[0]).norm()).fold(0.0, f64::max)
        };
        let same = join(&[turned(0.0), turned(0.0)], &options).unwrap().0;
        let other = join(&[turned(0.0), turned(73.0)], &options).unwrap().0;
        let (same, other) = (fastest(&same), fastest(&other));
        assert!(other < 1.01 * same, "{other} for {same}");
    }
}
