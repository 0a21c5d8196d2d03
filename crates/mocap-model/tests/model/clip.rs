//! Clips as a user of the crate sees them: kinematics, cutting, resampling, other axes and units.

use mocap_model::*;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

fn joint(name: &str, parent: Option<u32>, offset: [f64; 3]) -> Joint {
    Joint::new(name, parent.map(JointId), offset.into())
}

fn arm() -> Skeleton {
    let joints = vec![
        joint("root", None, [0.0, 1.0, 0.0]),
        joint("upper", Some(0), [2.0, 0.0, 0.0]),
        joint("lower", Some(1), [3.0, 0.0, 0.0]),
        joint("other", Some(0), [0.0, 5.0, 0.0]),
    ];
    Skeleton::new("arm", Space::default(), joints).unwrap()
}

/// The arm turning about Z at `speed` rad a frame, its root moving along X at 1 a frame.
fn turning(frames: usize, speed: f64) -> Clip {
    let skeleton = Arc::new(arm());
    let turn = |i: usize| exp(&Vector3::new(0.0, 0.0, speed * i as f64));
    let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    tracks[0].translation = Some(Track::Sampled((0..frames).map(|i| Vector3::x() * i as f64).collect()));
    tracks[1].rotation = Track::Sampled((0..frames).map(turn).collect());
    Clip::new(skeleton, FrameRate::new(30.0).unwrap(), frames, tracks).unwrap()
}

fn object(clip: &Clip, frame: usize) -> Pose {
    let (mut local, mut object) = (Pose::default(), Pose::default());
    clip.local_pose(frame, &mut local);
    local.to_object(clip.skeleton(), &mut object);
    object
}

fn position(clip: &Clip, frame: usize, joint: &str) -> Vector3<f64> {
    object(clip, frame).joints[clip.skeleton().find(joint).unwrap().index()].translation.vector
}

#[track_caller]
fn assert_near(a: Vector3<f64>, b: Vector3<f64>) {
    assert!((a - b).norm() < 1e-12, "{a} is not {b}");
}

#[test]
fn forward_kinematics_and_its_inverse() {
    let clip = turning(2, FRAC_PI_2);
    assert_near(position(&clip, 1, "lower"), Vector3::new(3.0, 3.0, 0.0));
    assert_near(position(&clip, 1, "other"), Vector3::new(1.0, 5.0, 0.0));
    let (mut local, mut back) = (Pose::default(), Pose::default());
    clip.local_pose(1, &mut local);
    object(&clip, 1).to_local(clip.skeleton(), &mut back);
    for (a, b) in local.joints.iter().zip(&back.joints) {
        assert_near(a.translation.vector, b.translation.vector);
        assert!(angle_between(&a.rotation, &b.rotation) < 1e-12);
    }
}

#[test]
fn kinematics_of_a_clip_and_of_its_poses_agree_bit_by_bit() {
    let clip = turning(7, 0.3);
    let lower = clip.skeleton().find("lower").unwrap();
    let mut all = ForwardKinematics::new(&clip);
    let mut some = ForwardKinematics::of_joints(&clip, &[lower]);
    let mut local = Pose::default();
    for frame in (0..clip.frames()).rev() {
        let expected = object(&clip, frame);
        all.place(frame);
        some.place(frame);
        assert_eq!(all.pose(), &expected);
        assert_eq!(all.position(lower), expected.joints[2].translation.vector);
        clip.local_pose(frame, &mut local);
        for joint in 0..3 {
            assert_eq!(some.at(JointId(joint)), &expected.joints[joint as usize]);
            assert_eq!(clip.local(JointId(joint), frame), local.joints[joint as usize]);
        }
        // Neither requested nor an ancestor of a requested joint.
        assert_eq!(some.at(JointId(3)), &Isometry3::identity());
    }
}

#[test]
#[should_panic(expected = "frame 3 of 3")]
fn kinematics_of_a_missing_frame_panic() {
    ForwardKinematics::new(&turning(3, 0.1)).place(3);
}

#[test]
fn subtrees_are_in_the_order_of_the_skeleton() {
    // Not depth first: the children of both branches alternate.
    let parents = [None, Some(0), Some(0), Some(1), Some(2), Some(3), None];
    let joints = parents.iter().enumerate().map(|(i, parent)| joint(&i.to_string(), *parent, [0.0; 3]));
    let skeleton = Skeleton::new("", Space::default(), joints.collect()).unwrap();
    let subtree = |top| skeleton.subtree(JointId(top)).iter().map(|id| id.0).collect::<Vec<_>>();
    assert_eq!(subtree(0), [0, 1, 2, 3, 4, 5]);
    assert_eq!((subtree(1), subtree(2), subtree(6)), (vec![1, 3, 5], vec![2, 4], vec![6]));
    for top in 0..7 {
        for id in 0..7 {
            let inside = skeleton.is_in_subtree(JointId(id), JointId(top));
            assert_eq!(inside, subtree(top).contains(&id), "{id} {top}");
            assert_eq!(inside, skeleton.path(JointId(top), JointId(id)).is_some(), "{id} {top}");
        }
    }
}

#[test]
fn skeletons_know_their_tree() {
    let arm = arm();
    assert_eq!(arm.children(JointId(0)), [JointId(1), JointId(3)]);
    assert_eq!(arm.children(JointId(2)), []);
    assert_eq!(arm.path(JointId(0), JointId(2)), Some(vec![JointId(0), JointId(1), JointId(2)]));
    assert_eq!(arm.path(JointId(3), JointId(2)), None);
    let chain = |name: &str, base, tip| Chain { name: name.into(), base: JointId(base), tip: JointId(tip) };
    assert!(arm.clone().with_chains(vec![chain("a", 0, 2)]).is_ok());
    for base in 0..4 {
        for tip in 0..4 {
            let chained = arm.clone().with_chains(vec![chain("a", base, tip)]);
            assert_eq!(chained.is_ok(), arm.path(JointId(base), JointId(tip)).is_some(), "{base} {tip}");
        }
    }
    let broken = arm.with_chains(vec![chain("a", 3, 2)]);
    assert_eq!(broken, Err(ModelError::BrokenChain { chain: "a".into() }));
}

#[test]
fn many_chains_down_a_deep_tree_take_no_long_walks() {
    let joints: Vec<Joint> =
        (0..50_000).map(|i: u32| joint(&i.to_string(), i.checked_sub(1), [0.0; 3])).collect();
    let chains = (0..100_000)
        .map(|i| Chain { name: i.to_string(), base: JointId(0), tip: JointId(49_999 - i % 7) })
        .collect();
    assert!(Skeleton::new("", Space::default(), joints).unwrap().with_chains(chains).is_ok());
}

#[test]
fn what_is_no_skeleton_or_clip_is_refused() {
    let new = |joints| Skeleton::new("", Space::default(), joints).map(|_| ()).unwrap_err();
    assert_eq!(new(vec![]), ModelError::NoJoints);
    let twice = vec![joint("a", None, [0.0; 3]), joint("a", Some(0), [0.0; 3])];
    assert_eq!(new(twice), ModelError::DuplicateName { name: "a".into() });
    let late = vec![joint("a", Some(1), [0.0; 3]), joint("b", None, [0.0; 3])];
    assert_eq!(new(late), ModelError::ParentAfterChild { joint: "a".into() });
    assert_eq!(new(vec![joint("a", None, [f64::NAN; 3])]), ModelError::RestNotFinite { joint: "a".into() });
    let mut limited = joint("a", None, [0.0; 3]);
    limited.dofs.limits[0] = Some(Limit { min: 1.0, max: 0.5 });
    assert_eq!(new(vec![limited]), ModelError::EmptyLimit { joint: "a".into(), min: 1.0, max: 0.5 });
    let mut end = joint("end", None, [0.0; 3]);
    end.end_site = true;
    let below = vec![end, joint("b", Some(0), [0.0; 3])];
    assert_eq!(new(below), ModelError::EndSiteWithChild { joint: "end".into() });

    let clip = turning(3, 0.1);
    let (skeleton, rate) = (clip.skeleton().clone(), clip.rate());
    let short = Clip::new(skeleton.clone(), rate, 4, clip.tracks().to_vec());
    assert_eq!(short, Err(ModelError::TrackLength { joint: "root".into(), found: 3, expected: 4 }));
    let mut tracks = clip.tracks().to_vec();
    tracks[2].translation =
        Some(Track::Sampled(vec![Vector3::zeros(), Vector3::zeros() * f64::NAN, Vector3::x()]));
    let nan = Clip::new(skeleton, rate, 3, tracks);
    assert_eq!(nan, Err(ModelError::NotFinite { joint: "lower".into(), frame: 1 }));
}

#[test]
fn numbers_that_are_not_finite_are_found_in_any_frame_and_large_ones_are_none() {
    let skeleton = Arc::new(arm());
    let still = || skeleton.joints().iter().map(JointTracks::at_rest).collect::<Vec<_>>();
    let clip = |places: Vec<Vector3<f64>>| {
        let mut tracks = still();
        let frames = places.len();
        tracks[0].translation = Some(Track::Sampled(places));
        Clip::new(Arc::clone(&skeleton), FrameRate::new(30.0).unwrap(), frames, tracks)
    };
    // Values whose sum is beyond what one may be.
    let most = Space::FARTHEST;
    assert!(clip(vec![Vector3::new(most, most, -most); 9]).is_ok());
    for frame in 0..11 {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut places = vec![Vector3::new(most, 0.0, 1.0); 11];
            places[frame].y = bad;
            let found = clip(places).unwrap_err();
            assert_eq!(
                found,
                ModelError::NotFinite { joint: skeleton.joint(JointId(0)).name.clone(), frame }
            );
        }
    }
}

#[test]
fn trimming_keeps_the_frames_of_the_range() {
    let clip = turning(10, 0.1);
    let part = clip.trimmed(3..7).unwrap();
    assert_eq!(part.frames(), 4);
    assert_eq!(position(&part, 0, "lower"), position(&clip, 3, "lower"));
    assert_eq!(position(&part, 3, "lower"), position(&clip, 6, "lower"));
    assert_eq!(clip.trimmed(4..4).unwrap().frames(), 0);
    assert_eq!(clip.trimmed(8..11), Err(ModelError::FrameRange { from: 8, to: 11, frames: 10 }));
}

#[test]
fn resampling_interpolates_and_keeps_the_duration() {
    let clip = turning(31, 0.1);
    let fast = clip.resampled(FrameRate::new(120.0).unwrap()).unwrap();
    assert_eq!(fast.frames(), 121);
    assert_near(position(&fast, 40, "lower"), position(&clip, 10, "lower"));
    // Between two frames the arm has turned half the angle.
    let half = Vector3::new(2.5 + 3.0 * 0.05f64.cos(), 3.0 * 0.05f64.sin(), 0.0);
    assert_near(position(&fast, 2, "lower"), half);
    let slow = clip.resampled(FrameRate::new(20.0).unwrap()).unwrap();
    assert_eq!(slow.frames(), 21);
    assert_near(position(&slow, 20, "lower"), position(&clip, 30, "lower"));
    assert_eq!(turning(0, 0.1).resampled(FrameRate::new(20.0).unwrap()).unwrap().frames(), 0);
    let odd = clip.resampled(FrameRate::new(29.0).unwrap()).unwrap();
    assert!(odd.duration() <= clip.duration() && odd.duration() > clip.duration() - 1.0 / 29.0);
}

#[test]
fn another_space_moves_every_point_alike() {
    let clip = turning(5, 0.3);
    let z_up = Space {
        up: SignedAxis::Z,
        forward: SignedAxis { axis: Axis::Y, negative: true },
        unit: Some(Unit { metres: 1.0, source: UnitSource::Flag }),
    };
    let centimetres =
        Space { unit: Some(Unit { metres: 0.01, source: UnitSource::Flag }), ..Space::default() };
    let known = clip.skeleton().with_space(centimetres);
    let clip = clip.with_skeleton(Arc::new(known)).unwrap();
    let turned = clip.in_space(z_up).unwrap();
    for frame in 0..5 {
        for name in ["root", "upper", "lower", "other"] {
            let p = position(&clip, frame, name) * 0.01;
            assert_near(position(&turned, frame, name), Vector3::new(p.x, -p.z, p.y));
        }
    }
    let back = turned.in_space(centimetres).unwrap();
    assert_near(position(&back, 4, "lower"), position(&clip, 4, "lower"));
    // Y and Z change places, Z with its sign: the order follows.
    assert_eq!(turned.skeleton().joints()[0].dofs.order.to_string(), "YXZ");
}

#[test]
fn limits_follow_their_axes_into_another_space() {
    let mut hinge = joint("hinge", None, [0.0; 3]);
    hinge.dofs.limits[2] = Some(Limit { min: -0.5, max: 1.0 });
    let skeleton = Skeleton::new("", Space::default(), vec![hinge]).unwrap();
    let forward = SignedAxis { axis: Axis::Y, negative: true };
    let turned = skeleton.in_space(Space { up: SignedAxis::Z, forward, unit: None }).unwrap();
    // +Z of the first space is -Y of the second.
    assert_eq!(turned.joints()[0].dofs.limits[1], Some(Limit { min: -1.0, max: 0.5 }));
    assert_eq!(turned.joints()[0].dofs.limits[2], None);
}

#[test]
fn scaling_makes_the_character_larger() {
    let clip = turning(3, 0.2);
    assert_near(position(&clip.scaled(2.0).unwrap(), 2, "lower"), position(&clip, 2, "lower") * 2.0);
}

#[test]
fn rates_beyond_all_use_are_refused() {
    let clip = turning(31, 0.1);
    for fps in [1e9, 1e15, 1e30, 1e308] {
        let refused = clip.resampled(FrameRate::new(fps).unwrap());
        assert!(matches!(refused, Err(ModelError::TooManyFrames { .. })), "{fps}");
    }
    assert_eq!(FrameRate::new(1e-320), None, "its frame time is infinite");
    for fps in [1e-9, 1e-300] {
        let first = clip.resampled(FrameRate::new(fps).unwrap()).unwrap();
        assert_eq!((first.frames(), position(&first, 0, "lower")), (1, position(&clip, 0, "lower")));
    }
    assert_eq!(turning(1, 0.1).resampled(FrameRate::new(1e30).unwrap()).unwrap().frames(), 1);
}

#[test]
fn places_beyond_the_farthest_are_refused() {
    let clip = turning(3, 0.1);
    assert!(matches!(clip.scaled(1e308), Err(ModelError::RestTooFar { .. })));
    assert!(matches!(clip.scaled(1e13), Err(ModelError::RestTooFar { .. })));
    let unit =
        |metres: f64| Space { unit: Some(Unit { metres, source: UnitSource::Flag }), ..Space::default() };
    let root = |space: Space, y: f64| Skeleton::new("", space, vec![joint("root", None, [0.0, y, 0.0])]);
    let most = Space::FARTHEST;
    // The limit is one of numbers: a stated unit changes none.
    for space in [Space::default(), unit(1.0), unit(0.01), unit(1e13)] {
        let skeleton = Arc::new(root(space, -most).unwrap());
        let refused = ModelError::RestTooFar { joint: "root".into(), found: 1.001 * most };
        assert_eq!(root(space, 1.001 * most), Err(refused));
        let at = |y: f64| {
            let places = vec![Vector3::zeros(), Vector3::new(0.0, 0.0, y), Vector3::zeros()];
            let still = JointTracks::at_rest(skeleton.joint(JointId(0)));
            let tracks = vec![JointTracks { translation: Some(Track::Sampled(places)), ..still }];
            Clip::new(skeleton.clone(), FrameRate::new(30.0).unwrap(), 3, tracks)
        };
        assert!(at(most).is_ok() && at(-most).is_ok());
        let refused = ModelError::TooFar { joint: "root".into(), frame: 1, found: 1.001 * most };
        assert_eq!(at(-1.001 * most), Err(refused));
    }
    // Numbers in another unit are judged as well.
    let skeleton = root(unit(1.0), 0.9e12).unwrap();
    assert!(matches!(skeleton.in_space(unit(0.001)), Err(ModelError::RestTooFar { .. })));
    assert!(skeleton.in_space(unit(1e3)).is_ok());
    assert!(matches!(skeleton.scaled(2.0), Err(ModelError::RestTooFar { .. })));
    // Many places that are near have a large sum.
    let many = vec![Vector3::new(0.9e12, 0.0, 0.0); 100];
    let skeleton = Arc::new(root(unit(1.0), 0.0).unwrap());
    let still = JointTracks::at_rest(skeleton.joint(JointId(0)));
    let tracks = vec![JointTracks { translation: Some(Track::Sampled(many)), ..still }];
    assert!(Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 100, tracks).is_ok());
}

/// The arm with a root that grows to twice its size and an upper arm that is stretched along its bone.
fn growing() -> Clip {
    let clip = turning(3, 0.4);
    let mut tracks = clip.tracks().to_vec();
    let sizes = [1.0, 1.5, 2.0].map(Vector3::repeat);
    tracks[0].scale = Some(Track::Sampled(sizes.to_vec()));
    tracks[1].scale = Some(Track::Constant(Vector3::new(3.0, 1.0, 1.0)));
    let annotations = Annotations {
        name: "grow".into(),
        scalars: vec![ScalarTrack { name: "smile".into(), values: Track::Sampled(vec![0.0, 0.5, 1.0]) }],
        events: vec![Event { time: 0.05, name: "big".into() }],
    };
    let clip = Clip::new(clip.skeleton().clone(), clip.rate(), 3, tracks).unwrap();
    clip.with_annotations(annotations).unwrap()
}

#[test]
fn scales_stretch_what_is_below_them() {
    let clip = growing();
    let mut kinematics = ForwardKinematics::new(&clip);
    kinematics.place(2);
    // The root is at 2, the upper arm 2 · 2 further; the lower arm 3 · 3 · 2 along the bone, which is turned by 0.8.
    let along = Vector3::new(0.8f64.cos(), 0.8f64.sin(), 0.0);
    assert_near(kinematics.position(JointId(1)), Vector3::new(6.0, 0.0, 0.0));
    assert_near(kinematics.position(JointId(2)), Vector3::new(6.0, 0.0, 0.0) + along * 18.0);
    assert_near(kinematics.position(JointId(3)), Vector3::new(2.0, 10.0, 0.0));
    // A plain multiplication of affine transforms gives the same.
    let affine = |joint: u32| {
        let id = JointId(joint);
        let scale = nalgebra::Matrix4::new_nonuniform_scaling(&clip.scale(id, 2));
        clip.local(id, 2).to_homogeneous() * scale
    };
    let lower = affine(0) * affine(1) * affine(2);
    assert_near(kinematics.position(JointId(2)), lower.fixed_view::<3, 1>(0, 3).into_owned());
    // Without scale tracks every joint has its place and its rotation.
    let rigid = clip.without_scale().unwrap();
    assert!(!rigid.has_scale() && rigid.annotations() == clip.annotations());
    let mut again = ForwardKinematics::new(&rigid);
    for frame in 0..3 {
        kinematics.place(frame);
        again.place(frame);
        for joint in (0..4).map(JointId) {
            assert_near(again.position(joint), kinematics.position(joint));
            assert!(angle_between(&again.at(joint).rotation, &kinematics.at(joint).rotation) < 1e-12);
        }
    }
}

#[test]
fn edits_keep_what_a_clip_has_besides() {
    let clip = growing();
    let cut = clip.trimmed(1..3).unwrap();
    assert_eq!(cut.name(), "grow");
    assert_eq!(cut.annotations().scalars[0].values, Track::Sampled(vec![0.5, 1.0]));
    assert!((cut.annotations().events[0].time - (0.05 - 1.0 / 30.0)).abs() < 1e-12);
    assert!(clip.trimmed(2..3).unwrap().annotations().events.is_empty());
    assert_eq!(cut.scale(JointId(0), 0), Vector3::repeat(1.5));
    let dense = clip.resampled(FrameRate::new(60.0).unwrap()).unwrap();
    assert_eq!(dense.scale(JointId(0), 1), Vector3::repeat(1.25));
    assert_eq!(dense.annotations().scalars[0].values.at(3), 0.75);
    let slow = clip.clone().with_rate(FrameRate::new(15.0).unwrap());
    assert_eq!(slow.annotations().events[0].time, 0.1);
    let up = Space { up: SignedAxis::Z, forward: "-Y".parse().unwrap(), unit: None };
    let turned = clip.in_space(up).unwrap();
    assert_eq!((turned.name(), turned.scale(JointId(1), 0)), ("grow", Vector3::new(3.0, 1.0, 1.0)));
    let mut pose = Pose::default();
    clip.sample(0.5 / 30.0, &mut pose);
    assert_near(pose.joints[0].translation.vector, Vector3::x() * 0.5);
    clip.sample(100.0, &mut pose);
    assert_near(pose.joints[0].translation.vector, Vector3::x() * 2.0);
}

#[test]
fn annotations_are_checked() {
    let clip = turning(3, 0.1);
    let scalar = |name: &str, values| ScalarTrack { name: name.into(), values };
    let with = |scalars, events| {
        clip.clone().with_annotations(Annotations { scalars, events, ..Annotations::default() }).unwrap_err()
    };
    let one = || scalar("a", Track::Constant(1.0));
    assert_eq!(with(vec![one(), one()], vec![]), ModelError::DuplicateScalar { name: "a".into() });
    let short = with(vec![scalar("a", Track::Sampled(vec![1.0]))], vec![]);
    assert_eq!(short, ModelError::ScalarLength { name: "a".into(), found: 1, expected: 3 });
    let nan = with(vec![scalar("a", Track::Constant(f64::NAN))], vec![]);
    assert_eq!(nan, ModelError::ScalarNotFinite { name: "a".into(), frame: 0 });
    let event = Event { time: f64::INFINITY, name: "e".into() };
    assert_eq!(with(vec![], vec![event]), ModelError::EventNotFinite { name: "e".into() });
}
