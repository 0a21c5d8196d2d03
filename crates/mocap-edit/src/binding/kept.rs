//! Keeps what a body carries in place through an edit: a prop in a hand stays in the hand, whatever the edit does to it.
//!
//! Before the edit, the motion shows which trees of joints a joint of the body carries, and when. After it, they are put
//! back in the frame of that joint. An edit that moves frames in time moves a scalar track along, which holds the number of
//! each frame: so it is known of every new frame from which one it comes.

use std::borrow::Cow;
use std::collections::HashMap;

use mocap_model::{
    Annotations, Clip, ForwardKinematics, Isometry3, Joint, JointId, Role, ScalarTrack, Skeleton, Track,
    UnitQuaternion, Vector3,
};
use mocap_retarget::map_roles_in;
use nalgebra::Point3;

use super::carried::{CARRIERS, EXACT, Holder, MOVES, carried, scaled, within};
use super::contact::places;
use super::person::AT_WRIST;
use super::{PlaceOffset, apart, corrected, with_top};
use crate::EditError;
use crate::body::Body;
use crate::mirror::Mirror;
use crate::smoothing::smooth_step;

/// The scalar track with the number of each frame before the edit.
const FRAME_BEFORE: &str = "frame before the edit";
/// What is this near to its place is there: the rounding of numbers \[m, rad\].
const THERE: (f64, f64) = (1e-6, 1e-6);
/// Frames of the result that follow each other come from frames that are at most this many mean steps apart; a seam of a
/// loop mixes frames of both ends.
const STEPS: f64 = 3.0;

/// A joint: the number of its clip, and its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Named {
    clip: usize,
    joint: String,
}

/// Where a thing is, in the frame of the joint that carries it.
#[derive(Clone, Debug)]
struct Grasp {
    by: Named,
    seen: Isometry3<f64>,
}

/// When a thing is carried.
#[derive(Clone, Debug)]
enum When {
    Throughout(Grasp),
    /// By frame.
    Partly(Vec<Option<Grasp>>),
}

/// A tree of joints that is carried.
#[derive(Clone, Debug)]
struct Thing {
    top: Named,
    /// Its transforms before the edit, by frame.
    was: Vec<Isometry3<f64>>,
    when: When,
}

/// What is carried in clips that are edited together.
#[derive(Debug, Default)]
pub(crate) struct Carrying {
    things: Vec<Thing>,
    frames: usize,
}

/// What an edit does that matters to things.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    /// Left and right are swapped: the other hand carries.
    pub mirrored: bool,
    /// A thing that the edit moves itself is not put back.
    pub places_things: bool,
}

/// Clips with their things put back.
pub(crate) struct PutBack {
    pub clips: Vec<Clip>,
    pub notes: Vec<String>,
    /// Things that cannot be put back, as text.
    pub left: Vec<String>,
}

impl Carrying {
    /// What bodies carry. The first `people` of the clips are those of bodies, others those of props.
    pub(crate) fn of(clips: &[&Clip], people: usize) -> Carrying {
        let frames = clips.first().map_or(0, |clip| clip.frames());
        let is_one_tree = clips.len() == 1 && clips[0].skeleton().roots().count() == 1 && {
            let skeleton = clips[0].skeleton();
            skeleton.children(JointId(0)).len() < 2
        };
        if is_one_tree || frames < 2 || clips.iter().any(|clip| clip.frames() != frames) {
            return Carrying::default();
        }
        let bodies: Vec<Option<Carrier>> = clips[..people].iter().map(|clip| Carrier::of(clip)).collect();
        let mut things = Vec::new();
        for (at, clip) in clips.iter().enumerate() {
            let tops = match bodies.get(at) {
                Some(Some(body)) => body.trees_beside(clip.skeleton()),
                Some(None) => Vec::new(),
                None => clip.skeleton().roots().collect(),
            };
            for top in tops {
                let is_named = clip.skeleton().find(&clip.skeleton().joint(top).name) == Some(top);
                let was = places(clip, top);
                if !is_named || was.iter().all(|place| *place == was[0]) {
                    continue;
                }
                if let Some(when) = when_carried((clips, &bodies), &was) {
                    let joint = clip.skeleton().joint(top).name.clone();
                    things.push(Thing { top: Named { clip: at, joint }, was, when });
                }
            }
        }
        Carrying { things, frames }
    }

    /// Only things in another clip than those who carry them.
    pub(crate) fn across(mut self) -> Carrying {
        self.things.retain(|thing| thing.grasps().iter().all(|grasp| grasp.by.clip != thing.top.clip));
        self
    }

    /// Whether somebody carries something.
    pub(crate) fn is_any(&self) -> bool {
        !self.things.is_empty()
    }

    /// Removes the things that are carried otherwise in a motion that the edit brings in; returns their names.
    pub(crate) fn without_unlike(&mut self, others: &[Carrying]) -> Vec<String> {
        let is_like = |thing: &Thing| others.iter().all(|other| other.carries_as(thing));
        let (like, unlike) = std::mem::take(&mut self.things).into_iter().partition(is_like);
        self.things = like;
        let unlike: Vec<Thing> = unlike;
        unlike.into_iter().map(|thing| thing.top.joint).collect()
    }

    /// Whether a thing is carried throughout, here and there, by the same joint.
    fn carries_as(&self, thing: &Thing) -> bool {
        let When::Throughout(grasp) = &thing.when else { return false };
        let own = self.things.iter().find(|own| own.top == thing.top);
        own.is_some_and(|own| matches!(&own.when, When::Throughout(own) if own.by == grasp.by))
    }

    /// The clip with the numbers of its frames, if they will be asked for.
    pub(crate) fn marked<'c>(&self, clip: &'c Clip) -> Cow<'c, Clip> {
        if self.things.iter().all(|thing| matches!(thing.when, When::Throughout(_))) {
            return Cow::Borrowed(clip);
        }
        let mut annotations = clip.annotations().clone();
        let values = (0..clip.frames()).map(|frame| frame as f64).collect();
        annotations
            .scalars
            .push(ScalarTrack { name: FRAME_BEFORE.to_owned(), values: Track::Sampled(values) });
        clip.clone().with_annotations(annotations).map_or(Cow::Borrowed(clip), Cow::Owned)
    }

    /// Puts things back after an edit. `before` are the clips before it, of which the first was [`Carrying::marked`].
    pub(crate) fn put_back(
        &self,
        before: &[&Clip],
        after: Vec<Clip>,
        change: Change,
    ) -> Result<PutBack, EditError> {
        let mut done = PutBack { clips: after, notes: Vec::new(), left: Vec::new() };
        let Some(first) = done.clips.first_mut() else { return Ok(done) };
        let sources = sources(first, self.frames)?;
        let frames = first.frames();
        if done.clips.iter().any(|clip| clip.frames() != frames) {
            return Ok(done);
        }
        let mirrors: Option<Vec<Mirror>> =
            change.mirrored.then(|| before.iter().map(|clip| Mirror::of(clip, &Body::of(clip))).collect());
        for thing in &self.things {
            let is_partly = matches!(thing.when, When::Partly(_));
            if is_partly && sources.is_none() && frames != self.frames {
                done.left.push(thing.top.joint.clone());
                continue;
            }
            let moved = match &mirrors {
                Some(mirrors) => thing.mirrored((before, &done.clips), mirrors),
                None => thing.moved(&done.clips, sources.as_deref()),
            };
            let Some(Moved { clip, top, own, places }) = moved else { continue };
            if (change.places_things && own != thing.was) || is_there((&own, &places), &done.clips[clip]) {
                continue;
            }
            done.clips[clip] = with_top(&done.clips[clip], top, &places)?;
            let name = &done.clips[clip].skeleton().joint(top).name;
            done.notes.push(format!("'{name}' is kept where it is carried"));
        }
        Ok(done)
    }
}

/// By frame: the one from which it comes, where frames were numbered. Takes the numbers out. A frame that mixes others far
/// from each other, as the seam of a loop does, has the number of the nearest one that does not.
fn sources(clip: &mut Clip, frames: usize) -> Result<Option<Vec<usize>>, EditError> {
    let Annotations { name, scalars, events } = clip.annotations().clone();
    let (mut own, others): (Vec<ScalarTrack>, Vec<ScalarTrack>) =
        scalars.into_iter().partition(|track| track.name == FRAME_BEFORE);
    let Some(track) = own.pop() else { return Ok(None) };
    let failed = |error| EditError::model("attach", error);
    *clip = clip.clone().with_annotations(Annotations { name, scalars: others, events }).map_err(failed)?;
    let last = frames.saturating_sub(1) as f64;
    let at: Vec<f64> = (0..clip.frames()).map(|frame| track.values.at(frame).clamp(0.0, last)).collect();
    let mut steps: Vec<f64> = at.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    steps.sort_by(f64::total_cmp);
    let most = steps.get(steps.len() / 2).map_or(f64::INFINITY, |middle| STEPS * middle.max(1.0));
    let is_known = |frame: usize| {
        let near = [frame.checked_sub(1), Some(frame + 1).filter(|next| *next < at.len())];
        near.into_iter().flatten().any(|other| (at[frame] - at[other]).abs() <= most)
    };
    let known: Vec<usize> = (0..at.len()).filter(|frame| is_known(*frame)).collect();
    let nearest = |frame: usize| {
        let next = known.partition_point(|other| *other < frame);
        let both = [next.checked_sub(1), Some(next)].into_iter().flatten();
        both.filter_map(|number| known.get(number)).min_by_key(|other| other.abs_diff(frame)).copied()
    };
    Ok(Some((0..at.len()).map(|frame| at[nearest(frame).unwrap_or(frame)].round() as usize).collect()))
}

/// Where a thing belongs after an edit.
struct Moved {
    clip: usize,
    top: JointId,
    /// Where the edit left it, by frame.
    own: Vec<Isometry3<f64>>,
    places: Vec<Isometry3<f64>>,
}

impl Thing {
    fn grasps(&self) -> Vec<&Grasp> {
        match &self.when {
            When::Throughout(grasp) => vec![grasp],
            When::Partly(frames) => frames.iter().flatten().collect(),
        }
    }

    /// Its joints in the frame of the first one, at its first frame.
    fn points(&self, clip: &Clip) -> Vec<Vector3<f64>> {
        let Some(top) = clip.skeleton().find(&self.top.joint) else { return Vec::new() };
        let joints = clip.skeleton().subtree(top);
        let mut placed = ForwardKinematics::of_joints(clip, &joints);
        placed.place(0);
        let back = placed.at(top).inverse();
        joints.iter().map(|joint| (back * placed.at(*joint)).translation.vector).collect()
    }

    /// The grasp in a frame before the edit.
    fn grasp(&self, frame: usize) -> Option<&Grasp> {
        match &self.when {
            When::Throughout(grasp) => Some(grasp),
            When::Partly(frames) => frames.get(frame)?.as_ref(),
        }
    }

    /// Where it is in the same frame of the same joint. `sources` are the frames before the edit, by frame after it.
    fn moved(&self, clips: &[Clip], sources: Option<&[usize]>) -> Option<Moved> {
        let Named { clip, joint } = &self.top;
        let top = clips[*clip].skeleton().find(joint)?;
        let own = places(&clips[*clip], top);
        let mut hands = Hands::default();
        let held = |frame: usize| {
            let grasp = self.grasp(sources.map_or(frame, |sources| sources[frame]))?;
            Some(hands.of(&clips[grasp.by.clip], &grasp.by)?[frame] * grasp.seen)
        };
        let held: Vec<Option<Isometry3<f64>>> = (0..own.len()).map(held).collect();
        let places = between_grasps(&own, &held);
        Some(Moved { clip: *clip, top, own, places })
    }

    /// Where it is beside the mirrored joint, as the reflected thing is beside the joint before. Its bones are not reflected: a
    /// bind point at the joint is there again.
    fn mirrored(&self, (before, after): (&[&Clip], &[Clip]), mirrors: &[Mirror]) -> Option<Moved> {
        let other = |named: &Named| {
            let skeleton = before[named.clip].skeleton();
            let joint = skeleton.find(&named.joint)?;
            let partner = mirrors[named.clip].partners[joint.index()].unwrap_or(joint);
            Some(Named { clip: named.clip, joint: skeleton.joint(partner).name.clone() })
        };
        let Named { clip, joint } = other(&self.top)?;
        let top = after[clip].skeleton().find(&joint)?;
        let own = places(&after[clip], top);
        let is_paired = joint != self.top.joint;
        let points = if is_paired { Vec::new() } else { self.points(before[self.top.clip]) };
        let near = AT_WRIST / Body::of(before[0]).metres_or_one();
        let (mut hands, mut hands_before) = (Hands::default(), Hands::default());
        let held = |frame: usize| {
            let grasp = self.grasp(frame)?;
            let hand = hands_before.of(before[grasp.by.clip], &grasp.by)?[frame];
            let by = other(&grasp.by)?;
            let seen = grasp.seen.inverse().translation.vector;
            let apart = |point: &&Vector3<f64>| (*point - seen).norm();
            let nearest = points.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)));
            let grip = nearest.filter(|point| apart(point) < near).copied().unwrap_or_default();
            let at = self.was[frame] * Point3::from(grip);
            let way = mirrors[grasp.by.clip].reflect(&(at.coords - hand.translation.vector));
            let (hand, turn) = (hands.of(&after[by.clip], &by)?[frame], own[frame].rotation);
            let place = hand.translation.vector + way - turn * grip;
            Some(Isometry3::from_parts(place.into(), turn))
        };
        let held: Vec<Option<Isometry3<f64>>> = (0..own.len()).map(held).collect();
        let places = between_grasps(&own, &held);
        Some(Moved { clip, top, own, places })
    }
}

/// The transforms of joints, each computed once.
#[derive(Default)]
struct Hands(HashMap<Named, Vec<Isometry3<f64>>>);

impl Hands {
    fn of(&mut self, clip: &Clip, named: &Named) -> Option<&[Isometry3<f64>]> {
        if !self.0.contains_key(named) {
            let joint = clip.skeleton().find(&named.joint)?;
            self.0.insert(named.clone(), places(clip, joint));
        }
        self.0.get(named).map(Vec::as_slice)
    }
}

/// The transforms of a thing that is held in some frames. In others it keeps its own motion, moved such that it is where it
/// is let go and grasped.
fn between_grasps(own: &[Isometry3<f64>], held: &[Option<Isometry3<f64>>]) -> Vec<Isometry3<f64>> {
    let offset = |frame: usize| Some((frame, apart(&own[frame], held[frame].as_ref()?)));
    let mut moved = Vec::with_capacity(own.len());
    let mut before: Option<(usize, PlaceOffset)> = None;
    let mut next = 0;
    for frame in 0..own.len() {
        if let Some(place) = held[frame] {
            before = offset(frame);
            moved.push(place);
            continue;
        }
        next = next.max(frame);
        while next < held.len() && held[next].is_none() {
            next += 1;
        }
        let after = if next < held.len() { offset(next) } else { None };
        let way = match (&before, after) {
            (Some((from, one)), Some((to, other))) => {
                let share = smooth_step((frame - from) as f64 / (to - from) as f64);
                let turn = one.turn.try_slerp(&other.turn, share, 1e-9).unwrap_or(one.turn);
                PlaceOffset { way: one.way + (other.way - one.way) * share, turn }
            }
            (Some((_, one)), None) => PlaceOffset { way: one.way, turn: one.turn },
            (None, Some((_, other))) => other,
            (None, None) => PlaceOffset { way: Vector3::zeros(), turn: UnitQuaternion::identity() },
        };
        moved.push(corrected(&own[frame], &way, 1.0));
    }
    moved
}

/// Whether a thing is where it belongs.
fn is_there((own, places): (&[Isometry3<f64>], &[Isometry3<f64>]), clip: &Clip) -> bool {
    let size = mocap_analysis::tree_diameter(clip.skeleton()).max(f64::MIN_POSITIVE);
    own.iter().zip(places).all(|(own, place)| within(own, place, (THERE.0 * size, THERE.1)))
}

/// A body that may carry things.
struct Carrier {
    hips: JointId,
    /// By joint: whether it is a part of the body.
    is_part: Vec<bool>,
    /// By joint: whether its role is one that carries.
    is_hand: Vec<bool>,
    metres: f64,
}

impl Carrier {
    fn of(clip: &Clip) -> Option<Carrier> {
        let (body, roles) = (Body::of(clip), map_roles_in(clip).certain());
        let skeleton = clip.skeleton();
        let hips = roles.joint(Role::Hips)?;
        let has_role = |id: JointId, roles_of: &dyn Fn(Role) -> bool| roles.role(id).is_some_and(roles_of);
        let is_part = skeleton.iter().map(|(id, _)| has_role(id, &|_| true)).collect();
        let is_hand = skeleton.iter().map(|(id, _)| has_role(id, &|role| CARRIERS.contains(&role))).collect();
        Some(Carrier { hips, is_part, is_hand, metres: body.metres_or_one() })
    }

    /// The first joints of trees that do not belong to the body and do not contain it.
    fn trees_beside(&self, skeleton: &Skeleton) -> Vec<JointId> {
        let is_above = |id: JointId| skeleton.is_in_subtree(self.hips, id);
        let is_top = |(id, joint): &(JointId, &Joint)| {
            !is_above(*id)
                && !joint.end_site
                && joint.parent.is_none_or(|parent| is_above(parent) && parent != self.hips)
        };
        let has_no_part =
            |top: &JointId| skeleton.subtree(*top).into_iter().all(|id| !self.is_part[id.index()]);
        skeleton.iter().filter(is_top).map(|(id, _)| id).filter(has_no_part).collect()
    }
}

/// When a thing at some transforms is carried, and by which joint.
fn when_carried((clips, bodies): (&[&Clip], &[Option<Carrier>]), thing: &[Isometry3<f64>]) -> Option<When> {
    let known = || bodies.iter().enumerate().filter_map(|(at, body)| Some((at, body.as_ref()?)));
    let mut nearest: Option<(f64, Grasp)> = None;
    for (at, body) in known() {
        for (joint, seen) in throughout(clips[at], body, thing) {
            // Hands and feet carry things; other joints count only where no hand or foot carries it.
            let rank = seen.translation.vector.norm() * body.metres
                + if body.is_hand[joint.index()] { 0.0 } else { 1e3 };
            if nearest.as_ref().is_none_or(|(other, _)| rank < *other) {
                let joint = clips[at].skeleton().joint(joint).name.clone();
                nearest = Some((rank, Grasp { by: Named { clip: at, joint }, seen }));
            }
        }
    }
    if let Some((_, grasp)) = nearest {
        return Some(When::Throughout(grasp));
    }
    let people: Vec<(usize, Holder)> =
        known().map(|(at, body)| (at, Holder::of(clips[at]).scaled(body.metres))).collect();
    let metres = known().next().map_or(1.0, |(_, body)| body.metres);
    partly((&people, metres), clips, thing)
}

/// The joints of a body in whose frames a thing does not move while they do, and where it is there.
fn throughout(clip: &Clip, body: &Carrier, thing: &[Isometry3<f64>]) -> Vec<(JointId, Isometry3<f64>)> {
    let skeleton = clip.skeleton();
    let limits = |(way, turn): (f64, f64)| (way / body.metres, turn);
    let (exact, moves) = (limits(EXACT), limits(MOVES));
    if thing.iter().all(|place| within(&thing[0], place, moves)) {
        return Vec::new();
    }
    let mut placed = ForwardKinematics::new(clip);
    placed.place(0);
    let is_candidate = |id: &JointId| skeleton.is_in_subtree(*id, body.hips) && !skeleton.joint(*id).end_site;
    let mut candidates: Vec<(JointId, Isometry3<f64>, Isometry3<f64>, bool)> = skeleton
        .iter()
        .map(|(id, _)| id)
        .filter(is_candidate)
        .map(|id| (id, *placed.at(id), placed.at(id).inverse() * thing[0], false))
        .collect();
    for (frame, place) in thing.iter().enumerate().skip(1) {
        if candidates.is_empty() {
            break;
        }
        placed.place(frame);
        candidates.retain_mut(|(id, first, seen, has_moved)| {
            let now = placed.at(*id);
            *has_moved |= !within(first, now, moves);
            within(seen, &(now.inverse() * place), exact)
        });
    }
    candidates.into_iter().filter(|one| one.3).map(|(id, _, seen, _)| (id, seen)).collect()
}

/// The frames in which people carry a thing, by the joints that carry.
fn partly(
    (people, metres): (&[(usize, Holder)], f64),
    clips: &[&Clip],
    thing: &[Isometry3<f64>],
) -> Option<When> {
    let fps = clips[people.first()?.0].rate().fps();
    let own: Vec<Isometry3<f64>> = thing.iter().map(|place| scaled(place, metres)).collect();
    let holders: Vec<&Holder> = people.iter().map(|(_, holder)| holder).collect();
    let mut frames: Vec<Option<Grasp>> = vec![None; thing.len()];
    for one in carried(&own, &holders, fps) {
        let clip = people[one.by].0;
        let Some(joint) = map_roles_in(clips[clip]).certain().joint(one.role) else { continue };
        let hand = places(clips[clip], joint);
        let by = Named { clip, joint: clips[clip].skeleton().joint(joint).name.clone() };
        let first = hand[one.frames.start].inverse() * thing[one.frames.start];
        for frame in one.frames.clone() {
            let seen = if one.exact { first } else { hand[frame].inverse() * thing[frame] };
            frames[frame] = Some(Grasp { by: by.clone(), seen });
        }
    }
    frames.iter().any(Option::is_some).then_some(When::Partly(frames))
}
