//! Keeps props and riders in place after retargeting: carried things follow their carriers, hands stay on them, and
//! riders stay on their mounts.
//!
//! A thing keeps its size. It follows the hand that carries it: a thing in the palm of the source is in the palm of the
//! target, and a bind point at the wrist stays at the wrist. Second hands are brought to their grips by inverse
//! kinematics. Between two ranges in which it is carried, a thing keeps its own motion, offset so that it is in place
//! where it is released and grasped.

use std::ops::Range;

use mocap_model::{Clip, Isometry3, JointId, Role, Scene, Side, UnitQuaternion, Vector3};
use mocap_retarget::{ForearmInside, TargetSurface};
use nalgebra::Translation3;

use super::carried::{Holder, is_mount, mount};
use super::contact::places;
use super::holds::{HeldProp, brought, held_by, tied};
use super::person::{Hands, Person, arm_of, is_at_wrist};
use super::second_hand::{Reach, come, hold};
use super::steady_arm::steadied;
use super::{ATTACH, with_top};
use crate::EditError;
use crate::body::Body;
use crate::metric::{back, in_metres, metres_of};
use crate::root_motion::shifted;
use crate::smoothing::smooth_step;

/// Most rounds in which the carrying hand moves towards a second hand that cannot reach its grip.
const ROUNDS: usize = 6;
/// Distance at which these rounds end \[m\].
const OFF: f64 = 0.002;

/// A scene whose things are carried as in its source, with a report.
#[derive(Clone, Debug)]
pub struct KeptBound {
    /// The scene.
    pub scene: Scene,
    /// What is carried by whom, as text.
    pub notes: Vec<String>,
    /// The largest distance of a second hand from its grip \[m\]; `None` without such hands.
    pub missing: Option<f64>,
    /// The arms whose hands hold a thing, of people with a surface.
    pub arms: Vec<HeldArm>,
}

/// An arm whose hand holds a thing, and what of it is inside the trunk.
#[derive(Clone, Debug)]
pub struct HeldArm {
    /// The person, by its number.
    pub of: usize,
    /// The side of the arm.
    pub side: Side,
    /// How far the forearm penetrates trunk, head or legs while the hand holds something \[m\].
    pub inside: ForearmInside,
}

impl KeptBound {
    /// A scene in which nobody carries anything.
    fn nothing(scene: Scene) -> KeptBound {
        KeptBound { scene, notes: Vec::new(), missing: None, arms: Vec::new() }
    }
}

/// Restores what is carried in a scene after its people were retargeted. Characters and props of both scenes are in the
/// same order. The props of `result` still have their places in the source, converted to the space of the result.
/// `surfaces` are those of the people, in metres with Y up and Z forward: arms whose hands hold something go around the
/// trunk by the swivel of the elbow; people without one are not measured.
///
/// # Errors
/// Where the unit of the first character is not known, or frames differ.
pub fn keep_bound(
    source: &Scene,
    result: Scene,
    surfaces: &[Option<TargetSurface>],
) -> Result<KeptBound, EditError> {
    let (Some(first), Some(after)) = (source.characters.first(), result.characters.first()) else {
        return Ok(KeptBound::nothing(result));
    };
    let frames = first.clip.frames();
    let all = source.characters.iter().chain(&source.props).chain(&result.characters).chain(&result.props);
    if frames == 0 || result.props.is_empty() || all.clone().any(|one| one.clip.frames() != frames) {
        return Ok(KeptBound::nothing(result));
    }
    let metres = [metres_of(&first.clip, ATTACH)?, metres_of(&after.clip, ATTACH)?];
    let mut people = Vec::with_capacity(source.characters.len());
    for (one, other) in source.characters.iter().zip(&result.characters) {
        let was = in_metres(&one.clip, metres[0], ATTACH)?;
        let clip = in_metres(&other.clip, metres[1], ATTACH)?;
        people.push(Person { source: Holder::of(&was), target: Holder::of(&clip), was, clip });
    }
    let space = *after.clip.skeleton().space();
    let mut kept = KeptBound::nothing(result);
    let names: Vec<String> = kept.scene.characters.iter().map(|one| one.name.clone()).collect();
    let mut props = Vec::new();
    for (at, prop) in source.props.iter().enumerate() {
        let was = in_metres(&prop.clip, metres[0], ATTACH)?;
        if is_mount(&was) && ride(&mut people, (&prop.name, &was), &names, &mut kept.notes)? {
            continue;
        }
        props.extend(HeldProp::of((at, prop), was, metres[0], &holders_of(&people)));
    }
    steady(&mut people, &props)?;
    for prop in &props {
        bring_hands(&mut people, &props, prop, &names, &mut kept)?;
    }
    // A hand that came towards a second hand takes all that it carries along.
    for prop in &props {
        let clip = with_top(&prop.was, JointId(0), &carry(prop, &people))?;
        kept.scene.props[prop.at].clip = back(&clip, (space, metres[1]), ATTACH)?;
    }
    for (at, person) in people.iter_mut().enumerate() {
        let Some(surface) = surfaces.get(at).and_then(Option::as_ref) else { continue };
        for (side, hand) in [(Side::Left, Role::LeftHand), (Side::Right, Role::RightHand)] {
            let held = held_by(&props, (at, hand), frames);
            let swivelled = surface.swivel_out(person.clip.clone(), side, &held);
            let (clip, inside) = swivelled.map_err(|error| EditError::model(ATTACH, error))?;
            person.clip = clip;
            kept.arms.extend(inside.map(|inside| HeldArm { of: at, side, inside }));
        }
    }
    for (character, person) in kept.scene.characters.iter_mut().zip(people) {
        let own = *character.clip.skeleton().space();
        character.clip = back(&person.clip, (own, metres[1]), ATTACH)?;
    }
    Ok(kept)
}

/// Brings second hands to their grips on a prop; the carrying hand comes towards one that cannot reach its grip.
fn bring_hands(
    people: &mut [Person],
    props: &[HeldProp],
    prop: &HeldProp,
    names: &[String],
    kept: &mut KeptBound,
) -> Result<(), EditError> {
    let frames = prop.own.len();
    let said = |range: &Range<usize>| format!("in frames {} to {}", range.start, range.end - 1);
    for (one, hands) in prop.times.iter().zip(&prop.seconds) {
        let (name, who) = (&prop.name, &names[one.by]);
        kept.notes.push(format!("{name} stays with {who}, {}, {}", one.role, said(&one.frames)));
        for hand in hands {
            let (who, own) = (&names[hand.by], (hand.by, hand.role));
            let free = held_by(props, own, frames).iter().map(|held| !held).collect();
            let Some(reach) = Reach::of(&people[hand.by], hand, prop, free) else {
                kept.notes.push(format!("{who}, {}, has no arm to hold it with", hand.role));
                continue;
            };
            let tied = tied(props, prop.at, ((one.by, one.role), own), frames);
            let mut missing = 0.0;
            for round in 0..ROUNDS {
                let moved = carry(prop, people);
                let off = hold(&mut people[hand.by], &reach, (&prop.own, &moved))?;
                missing = off.iter().map(Vector3::norm).fold(0.0, f64::max);
                if missing < OFF || round + 1 == ROUNDS {
                    break;
                }
                come(&mut people[one.by], one, (&off, &hand.frames), &tied)?;
            }
            kept.missing = Some(kept.missing.map_or(missing, |most| most.max(missing)));
            kept.notes.push(format!("{who}, {}, holds it {}", hand.role, said(&hand.frames)));
        }
    }
    Ok(())
}

/// Steadies the arms whose hands carry a thing or hold it as second hands, around these times.
fn steady(people: &mut [Person], props: &[HeldProp]) -> Result<(), EditError> {
    for (by, person) in people.iter_mut().enumerate() {
        for role in [Role::LeftHand, Role::RightHand] {
            let frames = person.clip.frames();
            let held = held_by(props, (by, role), frames);
            let arms = arm_of(&person.clip, role).zip(arm_of(&person.was, role));
            let Some((arm, own)) = arms.filter(|_| held.contains(&true)) else { continue };
            let brought = brought(props, (by, role), frames);
            let clip = person.clip.clone();
            person.clip = steadied(clip, arm, (&person.was, own), (&held, &brought))?;
            person.target = Holder::of(&person.clip);
        }
    }
    Ok(())
}

fn holders_of(people: &[Person]) -> Vec<&Holder> {
    people.iter().map(|person| &person.source).collect()
}

/// Moves riders with their mounts; the height of the hips above the bone that carries them scales with the length of
/// the legs. Returns whether anybody rides.
fn ride(
    people: &mut [Person],
    (name, horse): (&str, &Clip),
    names: &[String],
    notes: &mut Vec<String>,
) -> Result<bool, EditError> {
    let known = notes.len();
    for (person, rider) in people.iter_mut().zip(names) {
        let (Some(hips), Some(own)) = (person.source.places(Role::Hips), person.target.places(Role::Hips))
        else {
            continue;
        };
        let Some((joint, _)) = mount(hips, horse) else { continue };
        let back = places(horse, joint);
        let scale = if person.source.arm > 0.0 { person.target.arm / person.source.arm } else { 1.0 };
        let ways: Vec<Vector3<f64>> = (0..hips.len())
            .map(|frame| {
                let seat = hips[frame].translation.vector - back[frame].translation.vector;
                back[frame].translation.vector + seat * scale - own[frame].translation.vector
            })
            .collect();
        let body = Body::of(&person.clip);
        person.clip = shifted(&person.clip, &body, &ways, ATTACH)?;
        person.target = Holder::of(&person.clip);
        notes.push(format!("{rider} stays on {name}"));
    }
    Ok(notes.len() > known)
}

/// The transforms of a thing with the targets, by frame.
fn carry(HeldProp { own, times, grips, .. }: &HeldProp, people: &[Person]) -> Vec<Isometry3<f64>> {
    let mut moved = own.clone();
    // The first and last frame of each range in which it is carried, with its offset from the source there.
    let mut known: Vec<(usize, Vector3<f64>, UnitQuaternion<f64>)> = Vec::new();
    for one in times {
        let person = &people[one.by];
        let start = one.frames.start;
        let (Some(was), Some(is)) = (person.source.places(one.role), person.target.places(one.role)) else {
            continue;
        };
        let at_wrist = is_at_wrist(&was[start], &own[start], grips);
        let Some(hands) = Hands::of(person, one.role, start, at_wrist) else { continue };
        let is_hand = matches!(one.role, Role::LeftHand | Role::RightHand);
        let scale = match is_hand {
            true => 1.0,
            false => person.target.arm / person.source.arm.max(f64::MIN_POSITIVE),
        };
        let first = was[start].inverse() * own[start];
        for frame in one.frames.clone() {
            let seen = if one.exact { first } else { was[frame].inverse() * own[frame] };
            let way = hands.turn * seen.translation.vector * scale - hands.source + hands.target;
            let offset = Isometry3::from_parts(Translation3::from(way), hands.turn * seen.rotation);
            moved[frame] = is[frame] * offset;
        }
        for frame in [start, one.frames.end - 1] {
            let way = moved[frame].translation.vector - own[frame].translation.vector;
            known.push((frame, way, moved[frame].rotation * own[frame].rotation.inverse()));
        }
    }
    let is_free = |frame: usize| !times.iter().any(|one| one.frames.contains(&frame));
    for frame in (0..own.len()).filter(|frame| is_free(*frame)) {
        let before = known.iter().rev().find(|(at, ..)| *at < frame);
        let after = known.iter().find(|(at, ..)| *at > frame);
        let (way, turn) = match (before, after) {
            (Some((from, way, turn)), Some((to, next, other))) => {
                let share = smooth_step((frame - from) as f64 / (to - from) as f64);
                let turned = turn.try_slerp(other, share, 1e-9).unwrap_or(*turn);
                (way + (next - way) * share, turned)
            }
            (Some((_, way, turn)), None) | (None, Some((_, way, turn))) => (*way, *turn),
            (None, None) => continue,
        };
        let place = own[frame].translation.vector + way;
        moved[frame] = Isometry3::from_parts(place.into(), turn * own[frame].rotation);
    }
    moved
}
