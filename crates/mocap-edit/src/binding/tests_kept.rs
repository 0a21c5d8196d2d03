//! What a body carries stays where it is carried, whatever an edit does.

use super::tests::{bind, scene};
use super::*;
use crate::edits::{self, Source};
use crate::{ApplyOptions, Edit, JoinOptions, apply, apply_to_scene, join_scenes};
use mocap_model::{Factor, Finite, FrameRate};

/// The walk with a stick in a hand, as one clip, in some frames.
fn armed(binding: &str) -> Clip {
    bind(&scene(false), binding, HoldAs::Snapped).unwrap().0.into_one().unwrap().clip
}

fn hand(clip: &Clip, role: Role) -> Vec<Isometry3<f64>> {
    places(clip, mocap_retarget::map_roles_in(clip).certain().joint(role).unwrap())
}

fn end_of_stick(clip: &Clip) -> Vec<Isometry3<f64>> {
    let near = clip.skeleton().iter().find(|(_, joint)| joint.name.ends_with("near")).map(|(id, _)| id);
    places(clip, near.unwrap())
}

/// How far the end of the stick is from a hand, and how far it turns there [units, rad], at most in some frames.
fn off(clip: &Clip, by: Role, frames: Range<usize>) -> (f64, f64) {
    let (hand, end) = (hand(clip, by), end_of_stick(clip));
    let first = hand[frames.start].inverse() * end[frames.start];
    frames.fold((0.0, 0.0), |(way, turn): (f64, f64), frame| {
        let seen = hand[frame].inverse() * end[frame];
        (way.max(seen.translation.vector.norm()), turn.max(first.rotation.angle_to(&seen.rotation)))
    })
}

fn edited(clip: &Clip, edit: Edit) -> crate::Applied {
    apply(clip.clone(), &[edit], &ApplyOptions::default()).unwrap()
}

#[test]
fn every_edit_leaves_a_stick_in_the_hand() {
    let clip = armed("stick@near=Alex@RightHand");
    let whole = |clip: &Clip| 0..clip.frames();
    assert!(off(&clip, Role::RightHand, whole(&clip)).0 < 1e-9);
    let other = || Source::held(clip.clone());
    let add = edits::Add { file: other(), weight: Some(Finite(0.5)), mask: None, space: None };
    let join = edits::Join {
        with: other(),
        transition: None,
        kind: None,
        search: None,
        no_overshoot: false,
        no_lock: false,
    };
    let all: Vec<Edit> = vec![
        edits::FixFeet {}.into(),
        edits::Loop::default().into(),
        edits::Bands { gain: "high=0,mid=2".parse().unwrap() }.into(),
        edits::Fps { fps: FrameRate::new(17.0).unwrap() }.into(),
        edits::Speed { speed: Factor(0.7) }.into(),
        add.into(),
        join.into(),
    ];
    for edit in all {
        let name = edit.name();
        let after = edited(&clip, edit).clip;
        let (way, turn) = off(&after, Role::RightHand, whole(&after));
        assert!(way < 1e-6 && turn < 1e-6, "{name}: {way} {turn}");
    }
    let mirrored = edited(&clip, edits::Mirror::default().into()).clip;
    let (way, turn) = off(&mirrored, Role::LeftHand, whole(&mirrored));
    assert!(way < 1e-6 && turn < 1e-6, "{way} {turn}");
    let scaled = edited(&clip, edits::Scale { scale: Factor(2.0) }.into());
    assert!(off(&scaled.clip, Role::RightHand, whole(&clip)).0 < 1e-6);
}

#[test]
fn joined_scenes_keep_props_in_hands_and_say_where_they_cannot() {
    let (held, _) = bind(&scene(false), "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let done = join_scenes(&[held.clone(), held.clone()], &JoinOptions::default()).unwrap();
    let whole = done.scene.into_one().unwrap().clip;
    assert!(off(&whole, Role::RightHand, 0..whole.frames()).0 < 1e-6);
    let (left, _) = bind(&scene(false), "stick@near=Alex@LeftHand", HoldAs::Snapped).unwrap();
    let done = join_scenes(&[held, left], &JoinOptions::default()).unwrap();
    let warnings = &done.characters[0].reports[0].warnings;
    assert!(warnings.iter().any(|warning| warning.code == "edit::thing-left"), "{warnings:?}");
}

#[test]
fn a_stick_that_is_let_go_is_followed_through_time() {
    let clip = armed("stick@near=Alex@RightHand,20:60");
    let frames = clip.frames();
    let slower = edited(&clip, edits::Speed { speed: Factor(0.5) }.into());
    assert!(slower.reports[0].warnings.is_empty(), "{:?}", slower.reports[0].warnings);
    assert!(off(&slower.clip, Role::RightHand, 40..118).0 < 1e-6);
    assert!(slower.clip.annotations().scalars.is_empty());
    // What lies still after it is let go does so in the result.
    let end = end_of_stick(&slower.clip);
    let last = end[2 * frames - 2];
    assert!((end[140].translation.vector - last.translation.vector).norm() < 1e-6);
    let locked = edited(&clip, edits::FixFeet {}.into()).clip;
    assert!(off(&locked, Role::RightHand, 20..60).0 < 1e-6);
    assert!(fastest(&end_of_stick(&locked))[0] < 1.2 * fastest(&end_of_stick(&clip))[0]);
}

#[test]
fn an_edit_of_one_of_several_keeps_the_props_of_the_scene() {
    let (mut held, _) = bind(&scene(false), "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let bob = Character { name: "Bob".into(), ..held.characters[0].clone() };
    held.characters.push(bob);
    let done = apply_to_scene(held, &[edits::FixFeet {}.into()], &ApplyOptions::default()).unwrap().scene;
    let alone = Scene { characters: vec![done.characters[0].clone()], ..done.clone() };
    let one = alone.into_one().unwrap().clip;
    assert!(off(&one, Role::RightHand, 0..one.frames()).0 < 1e-6);
}
