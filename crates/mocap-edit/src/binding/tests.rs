use super::*;
use crate::fixtures::clip;
use crate::{ApplyOptions, Edit, apply_to_scene, edits};
use mocap_model::{FrameRate, Joint, JointTracks, Space, Track};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A stick with a bind point at each end. It turns and travels, or lies still.
fn stick(frames: usize, rate: FrameRate, moves: bool) -> Clip {
    let space = *clip("alex_walk.bvh").skeleton().space();
    let joints = vec![
        Joint::new("stick", None, Vector3::zeros()),
        Joint::new("near", Some(JointId(0)), Vector3::new(1.0, 0.0, 0.5)),
        Joint::new("far", Some(JointId(0)), Vector3::new(-2.0, 0.3, 0.0)),
    ];
    let skeleton = Arc::new(Skeleton::new("", space, joints).unwrap());
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    if moves {
        let at = |frame: usize| frame as f64 / frames as f64 * TAU;
        let turns = (0..frames).map(|frame| UnitQuaternion::from_euler_angles(at(frame), 0.3, -0.2));
        tracks[0].rotation = Track::Sampled(turns.collect());
        let ways = (0..frames).map(|frame| Vector3::new(at(frame).sin(), 1.0, at(frame).cos()));
        tracks[0].translation = Some(Track::Sampled(ways.collect()));
    }
    Clip::new(skeleton, rate, frames, tracks).unwrap()
}

pub(super) fn scene(moves: bool) -> Scene {
    let walk = clip("alex_walk.bvh");
    let stick = stick(walk.frames(), walk.rate(), moves);
    let named = |name: &str, clip: Clip| Character { name: name.into(), ..Character::from(clip) };
    Scene { characters: vec![named("Alex", walk)], props: vec![named("stick", stick)], ..Scene::default() }
}

pub(super) fn bind(scene: &Scene, binding: &str, hold: HoldAs) -> Result<(Scene, EditReport), EditError> {
    attach(scene, &binding.parse().unwrap(), hold, 0.15)
}

fn hand(scene: &Scene, role: &str) -> Vec<Isometry3<f64>> {
    let point = BindPoint { who: "Alex".into(), joint: Some(role.into()) };
    let place = find(scene, &point, ATTACH).unwrap();
    places(&one(scene, &place).clip, place.joint)
}

fn of_stick(scene: &Scene, joint: u32) -> Vec<Isometry3<f64>> {
    places(&scene.props[0].clip, JointId(joint))
}

/// How far a transform moves and turns relative to another.
fn apart(parent: &[Isometry3<f64>], child: &[Isometry3<f64>], range: Range<usize>) -> (f64, f64) {
    let first = parent[range.start].inverse() * child[range.start];
    range.fold((0.0, 0.0), |(way, turn): (f64, f64), frame| {
        let seen = parent[frame].inverse() * child[frame];
        let off = (seen.translation.vector - first.translation.vector).norm();
        (way.max(off), turn.max((first.inverse() * seen).rotation.imag().norm() * 2.0))
    })
}

#[test]
fn what_is_bound_keeps_its_place_in_the_hand() {
    for moves in [false, true] {
        let before = scene(moves);
        let frames = before.props[0].clip.frames();
        let (after, report) = bind(&before, "stick@near=Alex@RightHand,20:60", HoldAs::Grasped).unwrap();
        let (way, turn) = apart(&hand(&after, "RightHand"), &of_stick(&after, 1), 20..60);
        assert!(way < 1e-9 && turn.to_degrees() < 1e-9, "{way} {turn}");
        assert_eq!(hand(&after, "RightHand"), hand(&before, "RightHand"));
        let (was, is) = (of_stick(&before, 1), of_stick(&after, 1));
        assert!((0..20).all(|frame| was[frame] == is[frame]));
        // Steps at grasp and release are no larger than those of the hand, the stick, and the held stick (which moves
        // further than the hand that holds its end).
        let moving = [fastest(&was), fastest(&hand(&before, "RightHand")), fastest(&is[20..60])];
        let most = moving.into_iter().fold([0.0; 2], larger);
        let least_room = [fastest(&is[15..25]), fastest(&is[55..frames])].into_iter().fold([0.0; 2], larger);
        let warned = report.warnings.iter().any(|warning| warning.code == "edit::fast-blend");
        assert!(warned || !is_faster(&least_room, &most), "{least_room:?} {most:?}");
        if !moves {
            assert!(
                (60..frames)
                    .all(|frame| (is[frame].translation.vector - is[59].translation.vector).norm() < 1e-9)
            );
        }
    }
}

#[test]
fn a_snapped_bind_point_is_on_the_hand() {
    let before = scene(true);
    let (after, report) = bind(&before, "stick@far=Alex@LeftHand", HoldAs::Snapped).unwrap();
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    for (hand, end) in hand(&after, "LeftHand").iter().zip(of_stick(&after, 2)) {
        assert!((hand.translation.vector - end.translation.vector).norm() < 1e-9);
        assert!(hand.rotation.angle_to(&end.rotation) < 1e-7);
    }
}

#[test]
fn a_second_hand_reaches_for_what_the_first_one_carries() {
    let (held, _) = bind(&scene(false), "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let (both, report) = bind(&held, "stick@near=Alex@LeftHand,30:50", HoldAs::Grasped).unwrap();
    assert_eq!(of_stick(&both, 0), of_stick(&held, 0), "the stick stays with the right hand");
    let (way, turn) = apart(&of_stick(&both, 1), &hand(&both, "LeftHand"), 30..50);
    let missing = report.figures.iter().find(|figure| figure.name == "unreachable").unwrap().value.unwrap();
    assert!(way < 1e-6 + 200.0 * missing && turn < 1e-6, "{way} {turn} {missing}");
    let (was, is) = (hand(&held, "LeftHand"), hand(&both, "LeftHand"));
    assert!(was[0] == is[0] && was[45] != is[45]);
}

#[test]
fn what_cannot_be_bound_is_named() {
    let scene = scene(true);
    let code = |binding: &str| bind(&scene, binding, HoldAs::Grasped).map(|_| ()).unwrap_err();
    let error = code("stikc@near=Alex@RightHand");
    assert!(error.code() == "edit::bind-point" && error.to_string().contains("stick"), "{error}");
    let error = code("stick@neer=Alex@RightHand");
    assert!(error.code() == "edit::bind-point" && error.to_string().contains("near"), "{error}");
    let error = code("stick@near=stick@far");
    assert_eq!(error.code(), "edit::bind-cycle");
    let error = code("stick=Alex@RightHand,900:");
    assert_eq!(error.code(), "edit::no-frames");
    // The right hand holds the stick, so it cannot be bound to the stick as well.
    let (held, _) = bind(&scene, "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let error = bind(&held, "Alex=stick@far", HoldAs::Grasped).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "edit::bind-cycle");
}

#[test]
fn times_come_from_contact() {
    let walk = clip("alex_walk.bvh");
    let before = scene(false);
    let (held, _) = bind(&before, "stick@near=Alex@RightHand,10:40", HoldAs::Snapped).unwrap();
    // `auto` finds the frames in which the hand held the stick: it moves with the hand, then stays where it was put.
    let (_, report) = bind(&held, "stick@near=Alex@RightHand,auto", HoldAs::Grasped).unwrap();
    let bound = report.figures.iter().find(|figure| figure.name == "bound-frames").unwrap().value.unwrap();
    assert!((30.0..60.0).contains(&bound), "{bound}");
    let far = walk.skeleton().joints().iter().map(|joint| joint.offset.norm()).sum::<f64>() * 10.0;
    let mut away = before;
    let places = vec![Isometry3::translation(far, 0.0, 0.0); walk.frames()];
    away.props[0].clip = with_top(&away.props[0].clip, JointId(0), &places).unwrap();
    let error = bind(&away, "stick@near=Alex@RightHand,auto", HoldAs::Grasped).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "edit::no-contact");
}

#[test]
fn what_is_freed_moves_as_it_did() {
    let walk = clip("alex_walk.bvh");
    let named = Character { name: "Alex".into(), ..Character::from(walk.clone()) };
    let before = Scene::from(named);
    let point = BindPoint { who: "Alex".into(), joint: Some("RightHand".into()) };
    let joint = find(&before, &point, DETACH).unwrap().joint;
    let (after, _) = detach(&before, &point).unwrap();
    let clip = &after.characters[0].clip;
    assert!(clip.skeleton().joint(joint).parent.is_none());
    for below in clip.skeleton().subtree(joint) {
        for (was, is) in places(&walk, below).iter().zip(places(clip, below)) {
            assert!((was.inverse() * is).translation.vector.norm() < 1e-9);
        }
    }
}

#[test]
fn a_prop_of_a_file_takes_the_rate_and_length_of_the_scene() {
    let walk = clip("alex_walk.bvh");
    let alone = Scene::from(Character { name: "Alex".into(), ..Character::from(walk.clone()) });
    let other = stick(20, FrameRate::new(24.0).unwrap(), true);
    let attach = edits::Attach {
        bind: "stick@near=Alex@RightHand".parse().unwrap(),
        hold: Some(HoldAs::Snapped),
        blend_time: None,
        prop_unit: None,
        prop: Some(crate::Source::held(other.into())),
    };
    let ground = edits::Mirror::default();
    let done = apply_to_scene(alone, &[Edit::from(attach), ground.into()], &ApplyOptions::default()).unwrap();
    let codes: Vec<&str> = done.characters[0].reports[0].warnings.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["edit::prop-resampled", "edit::prop-length"]);
    assert_eq!(done.scene.props[0].clip.frames(), walk.frames());
    assert_eq!(done.scene.props[0].clip.skeleton().space(), walk.skeleton().space() as &Space);
    let whole = done.scene.into_one().unwrap();
    assert!(whole.clip.skeleton().find("near").is_some());
}

/// The stick with an end site below each bind point, as BVH files have them.
fn with_end_sites(stick: &Clip) -> Clip {
    let mut joints = stick.skeleton().joints().to_vec();
    for (name, parent) in [("near_End", 1), ("far_End", 2)] {
        let end = Joint::new(name, Some(JointId(parent)), Vector3::new(0.0, 0.1, 0.0));
        joints.push(Joint { end_site: true, ..end });
    }
    let skeleton = Arc::new(Skeleton::new("", *stick.skeleton().space(), joints).unwrap());
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    tracks[..3].clone_from_slice(stick.tracks());
    Clip::new(skeleton, stick.rate(), stick.frames(), tracks).unwrap()
}

#[test]
fn a_prop_with_end_sites_is_carried_and_is_no_mount() {
    let mut before = scene(false);
    before.props[0].clip = with_end_sites(&before.props[0].clip);
    let (held, _) = bind(&before, "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let (person, thing) = (&held.characters[0].clip, &held.props[0].clip);
    assert!(is_carried(person, thing, 0.01));
    let kept = keep_bound(&held, held.clone(), &[]).unwrap();
    assert!(kept.notes[0].contains("stick stays with Alex"), "{:?}", kept.notes);
}

#[test]
fn somebody_put_on_a_saddle_keeps_their_turn() {
    let before = scene(true);
    let hips = BindPoint { who: "Alex".into(), joint: Some("Hips".into()) };
    let hips = |scene: &Scene| {
        let place = find(scene, &hips, ATTACH).unwrap();
        places(&one(scene, &place).clip, place.joint)
    };
    let (after, _) = bind(&before, "Alex@Hips=stick@near", HoldAs::Snapped).unwrap();
    let (was, is, saddle) = (hips(&before), hips(&after), of_stick(&after, 1));
    assert!(was[0].rotation.angle_to(&is[0].rotation) < 1e-7);
    let (way, turn) = apart(&saddle, &is, 0..is.len());
    assert!(way < 1e-9 && turn < 1e-7, "{way} {turn}");
    assert!((saddle[0].translation.vector - is[0].translation.vector).norm() < 1e-9);
}

/// A prop in metres beside a walk in centimetres that states no unit, and a walk in centimetres as a prop in metres.
#[test]
fn props_keep_their_size_beside_people_of_other_units() {
    let walk = clip("alex_walk.bvh");
    let unit = |metres: f64| Some(mocap_model::Unit { metres, source: mocap_model::UnitSource::File });
    let stated = |clip: &Clip, metres: f64| {
        let space = Space { unit: unit(metres), ..*clip.skeleton().space() };
        clip.clone().with_skeleton(clip.skeleton().with_space(space).into()).unwrap()
    };
    assert!(walk.skeleton().space().unit.is_none(), "BVH states none");
    let length = |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.offset.norm()).sum::<f64>();
    let stick = stated(&stick(10, walk.rate(), false), 1.0);
    let mut report = EditReport::default();
    let with =
        with_prop(&Scene::from(walk.clone()), &Character::from(stick.clone()), None, &mut report).unwrap();
    assert!((length(&with.props[0].clip) / length(&stick) / 100.0 - 1.0).abs() < 1e-9);
    let stick = Scene::from(stick);
    let with = with_prop(&stick, &Character::from(walk.clone()), None, &mut report).unwrap();
    let shown = (length(&with.props[0].clip), length(&walk), with.props[0].skeleton().space().unit);
    assert!((shown.0 / shown.1 * 100.0 - 1.0).abs() < 1e-9, "{shown:?}");
    assert!(report.warnings.iter().any(|warning| warning.code == "edit::prop-unit"), "{report:?}");
}

/// A stick that hangs at the hips, and a hand that goes to it.
#[test]
fn a_hand_reaches_for_what_hangs_at_the_hips() {
    let (hung, _) = bind(&scene(false), "stick=Alex@Hips", HoldAs::Grasped).unwrap();
    let (held, _) = bind(&hung, "stick@near=Alex@LeftHand,20:60", HoldAs::Snapped).unwrap();
    assert_eq!(of_stick(&hung, 0), of_stick(&held, 0), "it stays at the hips");
    // Two things cannot hold each other.
    let error = bind(&hung, "Alex@Hips=stick@near", HoldAs::Grasped).unwrap_err();
    assert!(matches!(error, EditError::Cycle { .. }), "{error}");
}

#[test]
fn a_scene_without_frames_is_refused() {
    let mut still = scene(false);
    for one in still.characters.iter_mut().chain(&mut still.props) {
        let tracks = one.clip.skeleton().joints().iter().map(JointTracks::at_rest).collect();
        one.clip = Clip::new(one.clip.skeleton().clone(), one.clip.rate(), 0, tracks).unwrap();
    }
    for binding in
        ["stick@near=Alex@RightHand", "stick@near=Alex@RightHand,auto", "Alex@LeftHand=Alex@RightHand"]
    {
        let error = bind(&still, binding, HoldAs::Snapped).unwrap_err();
        assert!(matches!(error, EditError::TooShort { needed: 1, frames: 0, .. }), "{binding}: {error}");
    }
}

/// A prop states no unit: its figures are in metres by the person beside it, who is in centimetres.
#[test]
fn figures_of_a_prop_are_in_the_unit_of_the_scene() {
    let before = scene(false);
    let (after, report) = bind(&before, "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let moved = (0..3).flat_map(|joint| {
        let both = of_stick(&before, joint).into_iter().zip(of_stick(&after, joint));
        both.map(|(was, is)| (is.translation.vector - was.translation.vector).norm()).collect::<Vec<_>>()
    });
    let wanted = moved.fold(0.0, f64::max) / 100.0;
    assert!((report.max_m.unwrap() / wanted - 1.0).abs() < 1e-9, "{:?} {wanted}", report.max_m);
}

/// The stick, which is in the right hand in these frames and far away in others.
fn in_hand(frames: Range<usize>) -> Scene {
    in_hand_of(scene(false), frames)
}

fn in_hand_of(mut scene: Scene, frames: Range<usize>) -> Scene {
    let far = Isometry3::translation(1e4, 0.0, 0.0);
    let hand = hand(&scene, "RightHand");
    let place = |(frame, hand): (usize, &Isometry3<f64>)| if frames.contains(&frame) { *hand } else { far };
    let places: Vec<Isometry3<f64>> = hand.iter().enumerate().map(place).collect();
    scene.props[0].clip = with_top(&scene.props[0].clip, JointId(0), &places).unwrap();
    scene
}

#[test]
fn a_hand_that_passes_by_grasps_nothing() {
    let rate = clip("alex_walk.bvh").rate().fps();
    let short = (0.2 * rate) as usize;
    let error = bind(&in_hand(20..20 + short), "stick=Alex@RightHand,auto", HoldAs::Grasped).unwrap_err();
    assert_eq!(error.code(), "edit::no-contact");
    assert!(error.to_string().contains("from frame 20") && error.to_string().contains("0.25 s"), "{error}");
    let long = (0.3 * rate).ceil() as usize;
    let (_, report) = bind(&in_hand(20..20 + long), "stick=Alex@RightHand,auto", HoldAs::Grasped).unwrap();
    let bound = report.figures.iter().find(|figure| figure.name == "bound-frames").unwrap().value;
    assert_eq!(bound, Some(long as f64));
}

#[test]
fn what_is_held_to_the_end_is_said() {
    let frames = clip("alex_walk.bvh").frames();
    let said = |scene: &Scene, binding: &str| {
        let (_, report) = bind(scene, binding, HoldAs::Grasped).unwrap();
        report.warnings.iter().any(|warning| warning.code == "edit::held-to-end")
    };
    assert!(said(&in_hand(frames - 40..frames), "stick=Alex@RightHand,auto"));
    assert!(!said(&in_hand(20..60), "stick=Alex@RightHand,auto"));
    assert!(!said(&in_hand(20..60), "stick=Alex@RightHand,30:"), "the frames are stated");
}

#[test]
fn the_unit_of_a_prop_can_be_stated_and_odd_sizes_are_said() {
    let walk = clip("alex_walk.bvh");
    let stick = Character::from(stick(walk.frames(), walk.rate(), false));
    let length = |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.offset.norm()).sum::<f64>();
    let with = |unit: f64| {
        let mut report = EditReport::default();
        let scene = with_prop(&Scene::from(walk.clone()), &stick, Some(unit), &mut report).unwrap();
        let codes: Vec<&str> = report.warnings.iter().map(|warning| warning.code).collect();
        (length(&scene.props[0].clip) / length(&stick.clip), codes.join(" "))
    };
    // The walk is in centimetres, and the stick is three units long.
    let (scale, codes) = with(0.0254);
    assert!((scale - 2.54).abs() < 1e-9 && codes.is_empty(), "{scale} {codes}");
    assert_eq!(with(1e-4).1, "edit::prop-size");
    assert_eq!(with(10.0).1, "edit::prop-size");
}

#[test]
fn what_moves_only_later_returns_to_its_own_motion() {
    let mut scene = scene(false);
    let stick = &scene.props[0].clip;
    let (frames, mut tracks) = (stick.frames(), stick.tracks().to_vec());
    let later = |frame: usize| Vector3::new(frame.saturating_sub(frames * 2 / 3) as f64 * 0.01, 1.0, 0.0);
    tracks[0].translation = Some(Track::Sampled((0..frames).map(later).collect()));
    scene.props[0].clip = Clip::new(stick.skeleton().clone(), stick.rate(), frames, tracks).unwrap();
    let binding = format!("stick@near=Alex@RightHand,{}:{}", frames / 6, frames / 3);
    let (after, report) = bind(&scene, &binding, HoldAs::Grasped).unwrap();
    assert!(report.notes.iter().any(|note| note.contains("returns to its own motion")), "{:?}", report.notes);
    let (own, kept) = (of_stick(&scene, 0), of_stick(&after, 0));
    assert!((own[frames - 1].translation.vector - kept[frames - 1].translation.vector).norm() < 1e-9);
}

/// The person of a scene, whose right arm is pushed aside in some frames, as retargeting does beside a trunk.
fn pushed(before: &Scene, frames: Range<usize>, angle: f64) -> Scene {
    let mut scene = before.clone();
    let clip = &scene.characters[0].clip;
    let arm = arm_of(clip, Role::RightHand).unwrap();
    let mut samples = Samples::of(clip);
    for frame in frames {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let own = &mut samples.rotations[arm.shoulder.index()][frame];
        *own = turn * *own;
    }
    scene.characters[0].clip = samples.into_clip("test").unwrap();
    scene
}

#[test]
fn a_second_prop_leaves_the_first_one_in_its_hand() {
    // The right arm of the source does not turn, so no smoothing makes a turn slow enough.
    let mut still = scene(false);
    let clip = &still.characters[0].clip;
    let mut samples = Samples::of(clip);
    let arm = arm_of(clip, Role::RightHand).unwrap();
    for joint in [arm.shoulder, arm.elbow, arm.wrist] {
        let rotations = &mut samples.rotations[joint.index()];
        let first = rotations[0];
        rotations.fill(first);
    }
    still.characters[0].clip = samples.into_clip("test").unwrap();
    let (first, later) = (in_hand_of(still.clone(), 0..120), in_hand_of(still, 150..260));
    let mut both = first.clone();
    both.props.push(later.props[0].clone());
    let mut swapped = later.clone();
    swapped.props.push(first.props[0].clone());
    for (scene, sticks) in [(&first, 0..1), (&both, 0..2), (&swapped, 0..2)] {
        let result = pushed(scene, 100..301, 1.0);
        let kept = keep_bound(scene, result.clone(), &[]).unwrap();
        let (hands, was) = (hand(&kept.scene, "RightHand"), hand(&result, "RightHand"));
        assert!((hands[100].translation.vector - was[100].translation.vector).norm() > 1.0, "steadied");
        for stick in sticks {
            let held = if scene.props[stick].clip == first.props[0].clip { 0..120 } else { 150..260 };
            let stick = places(&kept.scene.props[stick].clip, JointId(0));
            let off =
                |frame: usize| (stick[frame].translation.vector - hands[frame].translation.vector).norm();
            let most = held.clone().map(off).fold(0.0, f64::max);
            assert!(most < 1e-6, "{held:?}: {most} cm from its hand");
        }
    }
}

#[test]
fn an_arm_keeps_every_bit_where_its_hand_holds_nothing() {
    let frames = |scene: &Scene| {
        let result = pushed(&pushed(scene, 28..31, 0.5), 200..203, 0.5);
        keep_bound(scene, result, &[]).unwrap().scene.characters.remove(0).clip
    };
    let (empty, held) = (frames(&in_hand(0..0)), frames(&in_hand(20..40)));
    let half = (0.5 * empty.rate().fps()).round() as usize;
    let differ = |frame: usize| {
        let mut joints = empty.skeleton().iter().map(|(joint, _)| joint);
        joints.any(|joint| empty.track(joint).rotation.at(frame) != held.track(joint).rotation.at(frame))
    };
    assert!((20..40).any(differ), "the arm is steadied");
    assert!(!(40 + half..empty.frames()).any(differ));
}

/// A stick that the right hand carries, and that the left hand holds as well: its hand, seen from the stick, is as turned
/// as in the source.
#[test]
fn a_second_hand_is_turned_on_its_grip_as_in_the_source() {
    let (held, _) = bind(&scene(false), "stick@near=Alex@RightHand", HoldAs::Snapped).unwrap();
    let (source, _) = bind(&held, "stick@far=Alex@LeftHand,60:200", HoldAs::Snapped).unwrap();
    // On the target, the arms are shorter, so the hands come together in rounds; and the right one turns the stick.
    let mut result = pushed(&source, 30..301, 0.5);
    let clip = &source.characters[0].clip;
    let mut joints = clip.skeleton().joints().to_vec();
    for role in [Role::LeftHand, Role::RightHand] {
        let arm = arm_of(clip, role).unwrap();
        for joint in [arm.elbow, arm.wrist] {
            joints[joint.index()].offset *= 0.35;
        }
    }
    let short = Skeleton::new("", *clip.skeleton().space(), joints).unwrap();
    let turned = result.characters[0].clip.clone();
    result.characters[0].clip = turned.with_skeleton(short.into()).unwrap();
    let kept = keep_bound(&source, result, &[]).unwrap();
    assert!(kept.notes.iter().any(|note| note.contains("LeftHand, holds it")), "{:?}", kept.notes);
    let seen = |scene: &Scene, frame: usize| {
        of_stick(scene, 0)[frame].rotation.inverse() * hand(scene, "LeftHand")[frame].rotation
    };
    let apart = |frame: usize| seen(&source, frame).angle_to(&seen(&kept.scene, frame)).to_degrees();
    let most = (60..200).step_by(10).map(apart).fold(0.0, f64::max);
    assert!(most < 1.0, "{most} degrees; {:?}", kept.missing);
}
