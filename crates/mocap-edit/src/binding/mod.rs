//! Props in hands, riders on mounts: a bind point of one skeleton follows one of another.
//!
//! While it is bound, child = parent bone × offset × inverse of the child's own bind point, in object space; the offset
//! is that of the first bound frame. If somebody else carries the child already, it stays there, and inverse kinematics
//! brings the parent's hand to it.

mod bind_point;
pub(crate) mod carried;
mod contact;
pub(crate) mod extent;
mod follow;
mod holds;
pub(crate) mod kept;
mod person;
mod prop;
mod second_hand;
mod steady_arm;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_kept;
mod text;

use std::ops::Range;

use mocap_model::{
    Character, Clip, Isometry3, JointId, Pose, Role, Scene, Skeleton, UnitQuaternion, Vector3,
};

use crate::arms::{HandGoals, place_hand};
use crate::body::Body;
use crate::legs::{Plane, limb_base, place_ankles};
use crate::samples::Samples;
use crate::smoothing::smooth_step;
use crate::{EditError, EditReport};
use bind_point::{Place, everyone, find};
pub use carried::is_carried;
pub(crate) use contact::places;
use contact::{NoGrasp, carrier, moves, size, time_of_contact};
pub use follow::{HeldArm, KeptBound, keep_bound};
use person::arm_of;
pub(crate) use prop::with_prop;
pub use text::{BindPoint, Binding, Bound, HoldAs};

const ATTACH: &str = "attach";
const DETACH: &str = "detach";
/// A blend is long enough if its steps are at most this factor above those of the motions.
const FASTER: f64 = 1.02;
/// A hand does not reach if it misses by more than this share of the scene's size.
const MISSED: f64 = 1e-6;

/// Applies a binding. `blend` is the time over which the child or the hand is blended in and out, outside the bound
/// frames \[s\].
///
/// After release, a child that moves by itself returns to its own motion; one that does not stays where it was put.
///
/// # Errors
/// [`EditError::BindPoint`] where there is no such joint, [`EditError::Cycle`] where the parent moves with the child,
/// [`EditError::NoContact`] where they never touch, [`EditError::TooShort`] without frames.
pub fn attach(
    scene: &Scene,
    binding: &Binding,
    hold: HoldAs,
    blend: f64,
) -> Result<(Scene, EditReport), EditError> {
    let child = find(scene, &binding.child, ATTACH)?;
    let parent = find(scene, &binding.parent, ATTACH)?;
    crate::scene::check_frames(scene, ATTACH)?;
    if one(scene, &child).clip.frames() == 0 {
        return Err(EditError::TooShort { edit: ATTACH, needed: 1, frames: 0 });
    }
    let skeleton = |place: &Place| one(scene, place).skeleton();
    if child.owner == parent.owner && skeleton(&child).is_in_subtree(parent.joint, child.top) {
        return Err(EditError::Cycle {
            child: binding.child.to_string(),
            parent: binding.parent.to_string(),
        });
    }
    let range = bound_frames(scene, binding, &child, &parent)?;
    let frames = (blend * one(scene, &child).clip.rate().fps()).round() as usize;
    let leader = whole_tree(scene, &parent);
    let holds = |by: Place| by.owner == child.owner && skeleton(&child).is_in_subtree(by.joint, child.top);
    // What hangs at the hips of a person keeps its place to the whole person, and does not carry it.
    let hangs = is_person(scene, &leader) && !may_carry(scene, &child);
    if !hangs && carrier(scene, &leader, &range, &leader).is_some_and(holds) {
        return Err(EditError::Cycle {
            child: binding.child.to_string(),
            parent: binding.parent.to_string(),
        });
    }
    if let Some(by) = carrier(scene, &child, &range, &parent) {
        // Fingers that do not move carry it as the hand does, which is what carries it.
        let tip = tip_of(&Body::of(&one(scene, &by).clip), skeleton(&by), by.joint);
        let led = skeleton(&by).joint(tip).name.clone();
        let done = reach(scene, (binding, &child, &parent), (hold, frames), range.clone(), &led);
        return done.map(|done| with_end_said(done, binding, range, one(scene, &child).clip.frames()));
    }
    let done = carry(scene, (binding, &child, &parent), (hold, frames), range.clone());
    done.map(|done| with_end_said(done, binding, range, one(scene, &child).clip.frames()))
}

/// Says that what was found by contact is held up to the last frame.
fn with_end_said(
    (scene, mut report): (Scene, EditReport),
    binding: &Binding,
    range: Range<usize>,
    frames: usize,
) -> (Scene, EditReport) {
    if binding.when == Bound::Contact && range.end == frames {
        let (child, parent) = (&binding.child, &binding.parent);
        let message = format!(
            "no contact shows that {parent} lets go of {child}: it is held from frame {} to the end; ,FROM:TO states when",
            range.start
        );
        report.warn("edit::held-to-end", message);
    }
    (scene, report)
}

/// Whether hips are among what moves with a joint.
fn is_person(scene: &Scene, place: &Place) -> bool {
    let clip = &one(scene, place).clip;
    let hips = mocap_retarget::map_roles_in(clip).certain().joint(Role::Hips);
    hips.is_some_and(|hips| clip.skeleton().is_in_subtree(hips, place.top))
}

/// Whether so many joints move with one that they may be a mount.
fn may_carry(scene: &Scene, place: &Place) -> bool {
    let skeleton = one(scene, place).skeleton();
    carried::are_of_a_mount(skeleton.subtree(place.top).into_iter().map(|id| skeleton.joint(id)))
}

/// The whole tree of a joint.
fn whole_tree(scene: &Scene, parent: &Place) -> Place {
    let skeleton = one(scene, parent).skeleton();
    let up = |id: JointId| skeleton.joint(id).parent;
    let top = std::iter::successors(Some(parent.joint), |id| up(*id)).last().unwrap_or(parent.joint);
    Place { top, ..*parent }
}

/// Metres per unit of a scene, which people show; `None` if no unit is stated or guessed.
fn scene_metres(scene: &Scene) -> Option<f64> {
    scene.characters.first().and_then(|person| Body::of(&person.clip).metres)
}

fn one<'s>(scene: &'s Scene, place: &Place) -> &'s Character {
    everyone(scene).nth(place.owner).expect("it was found there")
}

fn bound_frames(
    scene: &Scene,
    binding: &Binding,
    child: &Place,
    parent: &Place,
) -> Result<Range<usize>, EditError> {
    let clip = &one(scene, child).clip;
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    match binding.when {
        Bound::Always => Ok(0..frames),
        Bound::In(range) => range.frames(frames, fps).ok_or(EditError::NoFrameLeft {
            edit: ATTACH,
            frames,
            seconds: clip.duration(),
        }),
        Bound::Contact => time_of_contact(scene, child, parent).map_err(|why| {
            let (child, parent) = (binding.child.to_string(), binding.parent.to_string());
            match why {
                NoGrasp::Apart { distance, frame } => EditError::NoContact { child, parent, distance, frame },
                NoGrasp::Short { seconds, frame } => {
                    EditError::ShortContact { child, parent, seconds, frame }
                }
            }
        }),
    }
}

/// The child follows the parent.
fn carry(
    scene: &Scene,
    (binding, child, parent): (&Binding, &Place, &Place),
    (hold, blend): (HoldAs, usize),
    range: Range<usize>,
) -> Result<(Scene, EditReport), EditError> {
    let owner = one(scene, child);
    let clip = &owner.clip;
    let hand = places(&one(scene, parent).clip, parent.joint);
    let (grip, top) = (places(clip, child.joint), places(clip, child.top));
    let first = range.start;
    let grasped = hand[first].inverse() * grip[first];
    let offset = offset_of(owner, child.joint, hold, grasped);
    let mut moved = top.clone();
    for frame in range.clone() {
        moved[frame] = hand[frame] * offset * (grip[frame].inverse() * top[frame]);
    }
    let size = size(scene);
    let returns = range.end < clip.frames() && moves(&top, first..clip.frames(), size);
    let most = [fastest(&hand), fastest(&grip)].into_iter().fold([0.0; 2], larger);
    // The offset from its own motion at both ends of the range, which is blended out beyond them.
    let mut blended = [0; 2];
    if first > 0 && hold == HoldAs::Snapped {
        let apart = apart(&grip[first], &(hand[first] * offset));
        blended[0] = blend_frames(blend, first, &most, |length| {
            let before = (first - length..first)
                .map(|frame| corrected(&grip[frame], &apart, falling(first - frame, length)));
            let kept = first.checked_sub(length + 1).map(|frame| grip[frame]);
            let all = kept.into_iter().chain(before).chain([hand[first] * offset]);
            fastest(&all.collect::<Vec<_>>())
        });
        for step in 1..=blended[0] {
            let frame = first - step;
            let share = falling(step, blended[0]);
            moved[frame] = corrected(&grip[frame], &apart, share) * (grip[frame].inverse() * top[frame]);
        }
    }
    let last = range.end - 1;
    if range.end < clip.frames() {
        let apart = apart(&grip[last], &(hand[last] * offset));
        blended[1] = blend_frames(blend, clip.frames() - range.end, &most, |length| {
            let end = (range.end + length + 1).min(clip.frames());
            let after =
                (range.end..end).map(|frame| corrected(&grip[frame], &apart, falling(frame - last, length)));
            let all = std::iter::once(hand[last] * offset).chain(after);
            fastest(&all.collect::<Vec<_>>())
        });
        for frame in range.end..clip.frames() {
            let step = frame - last;
            let share = match returns {
                true if step > blended[1] => break,
                true => falling(step, blended[1]),
                false => 1.0,
            };
            moved[frame] = corrected(&grip[frame], &apart, share) * (grip[frame].inverse() * top[frame]);
        }
    }
    let mut changed = scene.clone();
    let after = with_top(clip, child.top, &moved)?;
    put(&mut changed, child.owner, after);
    let after = one(&changed, child);
    let mut report = EditReport::measured_in(ATTACH, clip, &after.clip, scene_metres(scene))
        .figure("bound-frames", range.len() as f64, "")
        .note(format!("{} follows {} in frames {} to {}", binding.child, binding.parent, first, last));
    if range.end < clip.frames() {
        report = report.note(match returns {
            true => format!("it returns to its own motion within {} frames", blended[1]),
            false => "it stays where it is let go: it has no motion of its own".to_owned(),
        });
    }
    let ends =
        [first.saturating_sub(blended[0] + 1)..first + 1, last..(last + blended[1] + 2).min(moved.len())];
    let after_grip = places(&after.clip, child.joint);
    if returns && ends.into_iter().any(|range| is_faster(&fastest(&after_grip[range]), &most)) {
        let message = format!(
            "{} comes or goes faster than hand and prop move: too few frames before or after it is bound",
            binding.child
        );
        report.warn("edit::fast-blend", message);
    }
    if hold == HoldAs::Grasped {
        warn_of_afar(&mut report, scene, (binding, parent), (&grip[first], &hand[first]), first);
    }
    Ok((changed, report))
}

/// The offset of a bind point in the frame of the hand, from its transform in the first bound frame.
fn offset_of(owner: &Character, joint: JointId, hold: HoldAs, grasped: Isometry3<f64>) -> Isometry3<f64> {
    let hips = || mocap_retarget::map_roles_in(&owner.clip).certain().joint(Role::Hips);
    match hold {
        HoldAs::Grasped => grasped,
        // The axes of a hips joint do not define how a rider sits, so only positions snap.
        HoldAs::Snapped if hips() == Some(joint) => {
            Isometry3::from_parts(Vector3::zeros().into(), grasped.rotation)
        }
        HoldAs::Snapped => Isometry3::identity(),
    }
}

/// Warns where a hand grasps something further away than the length of its bone.
fn warn_of_afar(
    report: &mut EditReport,
    scene: &Scene,
    (binding, parent): (&Binding, &Place),
    (grip, hand): (&Isometry3<f64>, &Isometry3<f64>),
    frame: usize,
) {
    let far = (grip.translation.vector - hand.translation.vector).norm();
    let long = one(scene, parent).skeleton().joint(parent.joint).offset.norm();
    if far > long && long > 0.0 {
        let distance = match scene_metres(scene) {
            Some(metres) => format!("{:.2} m away from", far * metres),
            None => format!("{far:.3} units away from"),
        };
        let message = format!(
            "{} is {distance} {} in frame {frame}, further than the length of that bone; --hold snap puts it there",
            binding.child, binding.parent
        );
        report.warn("edit::bound-from-afar", message);
    }
}

/// Brings the parent, a hand, to the child, which somebody else carries.
fn reach(
    scene: &Scene,
    (binding, child, parent): (&Binding, &Place, &Place),
    (hold, blend): (HoldAs, usize),
    range: Range<usize>,
    led: &str,
) -> Result<(Scene, EditReport), EditError> {
    let clip = &one(scene, parent).clip;
    let body = Body::of(clip);
    let skeleton = clip.skeleton();
    let tip = tip_of(&body, skeleton, parent.joint);
    if limb_base(&body, tip).is_none() {
        return Err(EditError::Usage {
            edit: ATTACH,
            reason: format!(
                "{} is carried by '{led}' already, and {} has no two joints above it that could reach for it",
                binding.child, binding.parent
            ),
        });
    }
    let grip = places(&one(scene, child).clip, child.joint);
    let (own, tips) = (places(clip, parent.joint), places(clip, tip));
    let first = range.start;
    let held = grip[first].inverse() * own[first];
    let held = match hold {
        HoldAs::Grasped => held,
        HoldAs::Snapped => Isometry3::from_parts(Vector3::zeros().into(), held.rotation),
    };
    let share = |frame: usize| match frame {
        _ if range.contains(&frame) => 1.0,
        _ if frame < first => falling(first - frame, blend),
        _ => falling(frame + 1 - range.end, blend),
    };
    let shares: Vec<f64> = (0..clip.frames()).map(share).collect();
    let goals = shares.iter().enumerate().map(|(frame, share)| {
        let goal = grip[frame] * held * own[frame].inverse() * tips[frame];
        (*share > 0.0).then(|| between(&tips[frame], &goal, *share))
    });
    let goals: Vec<Option<Isometry3<f64>>> = goals.collect();
    // The side of an elbow is solved over frames; knees have one.
    let arm = [Role::LeftHand, Role::RightHand].into_iter().filter_map(|hand| arm_of(clip, hand));
    let (after, missing) = match arm.into_iter().find(|arm| arm.wrist == tip) {
        Some(arm) => place_hand(
            clip,
            arm,
            &HandGoals { places: &goals, weights: &shares, steady: None },
            false,
            ATTACH,
        )?,
        None => place_ankles(clip, &body, &[(tip, goals)], Plane::Usual, ATTACH)?,
    };
    let mut changed = scene.clone();
    let metres = body.metres_or_one();
    let mut report = EditReport::measured_in(ATTACH, clip, &after, scene_metres(scene))
        .figure("bound-frames", range.len() as f64, "")
        .figure("unreachable", missing * metres, "m")
        .note(format!(
            "{} stays with '{led}'; {} reaches for it in frames {first} to {}",
            binding.child,
            binding.parent,
            range.end - 1
        ));
    if missing > MISSED * size(scene) {
        let message = format!(
            "{} is too far from {}: the limb is {:.1} mm too short",
            binding.child,
            binding.parent,
            missing * metres * 1000.0
        );
        report.warn("edit::unreachable", message);
    }
    if hold == HoldAs::Grasped {
        warn_of_afar(&mut report, scene, (binding, parent), (&grip[first], &own[first]), first);
    }
    report.warn_of_limits(&[clip], &after);
    put(&mut changed, parent.owner, after);
    Ok((changed, report))
}

/// The hand above a bind point, else the bind point itself.
fn tip_of(body: &Body, skeleton: &Skeleton, joint: JointId) -> JointId {
    use Role::{LeftFoot, LeftHand, RightFoot, RightHand};
    let tips = [LeftHand, RightHand, LeftFoot, RightFoot].map(|role| body.skeleton.with_role(role));
    tips.into_iter().flatten().find(|tip| skeleton.is_in_subtree(joint, *tip)).unwrap_or(joint)
}

/// Makes a joint and all below it a separate tree with the same motion in object space.
///
/// # Errors
/// [`EditError::BindPoint`] where there is no such joint.
pub fn detach(scene: &Scene, what: &BindPoint) -> Result<(Scene, EditReport), EditError> {
    let place = find(scene, what, DETACH)?;
    let clip = &one(scene, &place).clip;
    let skeleton = clip.skeleton();
    let mut joints = skeleton.joints().to_vec();
    let own = &mut joints[place.joint.index()];
    let Some(parent) = own.parent.take() else {
        let report = EditReport::measured(DETACH, clip, clip);
        return Ok((scene.clone(), report.note(format!("{what} is bound to no joint"))));
    };
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let at = rest.joints[place.joint.index()];
    (own.offset, own.rest_rotation, own.end_site) = (at.translation.vector, at.rotation, false);
    let failed = |error| EditError::model(DETACH, error);
    let made = Skeleton::new(skeleton.name(), *skeleton.space(), joints).map_err(failed)?;
    let moved = places(clip, place.joint);
    let freed = clip.clone().with_skeleton(made.into()).map_err(failed)?;
    let freed = with_top(&freed, place.joint, &moved)?;
    let report = EditReport {
        name: DETACH,
        frames_before: clip.frames(),
        frames: freed.frames(),
        ..EditReport::default()
    }
    .note(format!("{what} moves as before, without '{}'", skeleton.joint(parent).name));
    let mut changed = scene.clone();
    put(&mut changed, place.owner, freed);
    Ok((changed, report))
}

fn put(scene: &mut Scene, owner: usize, clip: Clip) {
    let count = scene.characters.len();
    match owner < count {
        true => scene.characters[owner].clip = clip,
        false => scene.props[owner - count].clip = clip,
    }
}

/// The motion with a joint at given transforms in object space.
fn with_top(clip: &Clip, top: JointId, moved: &[Isometry3<f64>]) -> Result<Clip, EditError> {
    let above = clip.skeleton().joint(top).parent.map(|above| places(clip, above));
    let mut samples = Samples::of(clip);
    let local = |frame: usize| match &above {
        Some(above) => above[frame].inverse() * moved[frame],
        None => moved[frame],
    };
    let mut before: Option<UnitQuaternion<f64>> = None;
    let mut translations = Vec::with_capacity(moved.len());
    for frame in 0..moved.len() {
        let place = local(frame);
        // Keeps the sign of the quaternion continuous.
        let rotation = match before {
            Some(before) if before.coords.dot(&place.rotation.coords) < 0.0 => {
                UnitQuaternion::new_unchecked(-place.rotation.into_inner())
            }
            _ => place.rotation,
        };
        before = Some(rotation);
        samples.rotations[top.index()][frame] = rotation;
        translations.push(place.translation.vector);
    }
    samples.translations[top.index()] = Some(translations);
    samples.into_clip(ATTACH)
}

/// The offset between two transforms: a translation and a rotation.
struct PlaceOffset {
    way: Vector3<f64>,
    turn: UnitQuaternion<f64>,
}

fn apart(from: &Isometry3<f64>, to: &Isometry3<f64>) -> PlaceOffset {
    PlaceOffset {
        way: to.translation.vector - from.translation.vector,
        turn: to.rotation * from.rotation.inverse(),
    }
}

/// A transform with a share of an offset applied.
fn corrected(place: &Isometry3<f64>, apart: &PlaceOffset, share: f64) -> Isometry3<f64> {
    let turn = if share == 1.0 { apart.turn } else { apart.turn.powf(share) };
    Isometry3::from_parts((place.translation.vector + apart.way * share).into(), turn * place.rotation)
}

fn between(one: &Isometry3<f64>, other: &Isometry3<f64>, share: f64) -> Isometry3<f64> {
    if share == 1.0 { *other } else { corrected(one, &apart(one, other), share) }
}

/// From 1 at step 0 to 0 beyond `length` steps, smoothly.
fn falling(step: usize, length: usize) -> f64 {
    if step > length {
        return 0.0;
    }
    let left = 1.0 - step as f64 / (length as f64 + 1.0);
    smooth_step(left)
}

/// The largest change from frame to frame \[units, rad\].
fn fastest(places: &[Isometry3<f64>]) -> [f64; 2] {
    let steps = places.windows(2).map(|pair| {
        let way = (pair[1].translation.vector - pair[0].translation.vector).norm();
        [way, pair[1].rotation.angle_to(&pair[0].rotation)]
    });
    steps.fold([0.0; 2], larger)
}

fn larger(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].max(other[0]), one[1].max(other[1])]
}

/// The length of a blend [frames]: at least `requested`, and longer until its steps are no larger than those of the motions
/// (`most`), up to the available `room`. `steps` gives the steps for a length.
fn blend_frames(requested: usize, room: usize, most: &[f64; 2], steps: impl Fn(usize) -> [f64; 2]) -> usize {
    let mut length = requested.min(room);
    while length < room && is_faster(&steps(length), most) {
        length = (length + length / 4 + 1).min(room);
    }
    length
}

/// Whether steps are larger than those of the motions.
fn is_faster(steps: &[f64; 2], most: &[f64; 2]) -> bool {
    (0..2).any(|i| steps[i] > most[i] * FASTER)
}
