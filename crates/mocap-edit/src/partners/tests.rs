use super::*;
use crate::fixtures::clip;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use mocap_model::Isometry3;
use mocap_model::{ForwardKinematics, Role};
use mocap_retarget::{RetargetOptions, Retargeter};

/// A motion turned about the up axis, then moved.
pub(super) fn moved(clip: &Clip, degrees: f64, way: Vector3<f64>) -> Clip {
    let body = crate::body::Body::of(clip);
    let turn = body.turn(degrees.to_radians());
    let (mut samples, root_motion) = (Samples::of(clip), RootMotionJoint::of(clip, &body));
    for frame in 0..clip.frames() {
        let place = root_motion.at(&samples, frame);
        let place =
            Isometry3::from_parts((turn * place.translation.vector + way).into(), turn * place.rotation);
        root_motion.put(&mut samples, frame, &place);
    }
    samples.into_clip(NAME).unwrap()
}

fn wrist(clip: &Clip, frame: usize) -> Vector3<f64> {
    let body = crate::body::Body::of(clip);
    let wrist = body.skeleton.with_role(Role::RightHand).unwrap();
    let mut placed = ForwardKinematics::new(clip);
    placed.place(frame);
    placed.position(wrist)
}

/// Two people who face each other and whose right hands meet in a frame.
fn pair(degrees: f64) -> [Clip; 2] {
    let one = moved(&clip("alex_wave.bvh"), degrees, Vector3::zeros());
    let other = moved(&clip("alex_wave.bvh"), degrees + 180.0, Vector3::zeros());
    let frame = one.frames() / 2;
    let way = wrist(&one, frame) - wrist(&other, frame);
    [one, moved(&other, 0.0, way)]
}

pub(super) fn alone(source: &Clip, target: &str) -> Clip {
    let target = clip(target);
    let options = RetargetOptions::default();
    Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap().retarget_clip(source).unwrap()
}

#[test]
fn hands_that_meet_meet_on_unlike_bodies() {
    for degrees in [0.0, 37.0] {
        for targets in [["robin_walk.bvh", "alex_walk.bvh"], ["robin_walk.bvh", "robin_walk.bvh"]] {
            let [a, b] = pair(degrees);
            let alone = [alone(&a, targets[0]), alone(&b, targets[1])];
            let (_, report) =
                keep_partners([&a, &b], alone, [None, None], &[], KeepOptions::default()).unwrap();
            assert!(report.contacts > 0 && report.contact_frames > 3, "{report:?}");
            assert!(report.within_1cm.unwrap() >= 0.95, "{report:?}");
            assert!(report.error_p95 <= report.alone_p95, "{report:?}");
        }
    }
}

#[test]
fn the_first_and_the_second_are_alike() {
    let [a, b] = pair(0.0);
    let alone = [alone(&a, "robin_walk.bvh"), alone(&b, "alex_walk.bvh")];
    let [first, second] =
        keep_partners([&a, &b], alone.clone(), [None, None], &[], KeepOptions::default()).unwrap().0;
    let [x, y] = alone;
    let [swapped_second, swapped_first] =
        keep_partners([&b, &a], [y, x], [None, None], &[], KeepOptions::default()).unwrap().0;
    for (one, other) in [(first, swapped_first), (second, swapped_second)] {
        let [mut p, mut q] = [&one, &other].map(ForwardKinematics::new);
        for frame in 0..one.frames() {
            p.place(frame);
            q.place(frame);
            for (id, _) in one.skeleton().iter() {
                assert!((p.position(id) - q.position(id)).norm() < 1e-6, "{frame}");
            }
        }
    }
}

#[test]
fn a_pair_that_is_turned_as_a_whole_touches_as_before() {
    let [a, b] = pair(0.0);
    let away = Vector3::new(400.0, 0.0, -300.0);
    for degrees in [17.0, 81.0, 180.0] {
        let turned = [&a, &b].map(|clip| moved(clip, degrees, away));
        let same = between_people([&a, &b], [&turned[0], &turned[1]]).unwrap();
        assert!(same.contact_frames > 3 && same.contact_max.unwrap() < 1e-6, "{same:?}");
        assert!(same.distance_max < 1e-6, "{same:?}");
        assert!((same.direction_mean.unwrap() - degrees).abs() < 1e-6, "{same:?}");
        // One of both a hand's breadth away is still off.
        let parted = [moved(&turned[0], 0.0, Vector3::x() * 10.0), turned[1].clone()];
        let off = between_people([&a, &b], [&parted[0], &parted[1]]).unwrap();
        assert!(off.contact_mean.unwrap() > 0.05, "{off:?}");
    }
}

#[test]
fn people_who_never_touch_stay_as_they_are() {
    let [a, b] = pair(0.0);
    let away = moved(&b, 0.0, Vector3::x() * 1e3);
    let alone = [alone(&a, "robin_walk.bvh"), alone(&away, "alex_walk.bvh")];
    let (after, report) =
        keep_partners([&a, &away], alone.clone(), [None, None], &[], KeepOptions::default()).unwrap();
    assert_eq!((report.contacts, report.warnings.len()), (0, 1));
    for (was, is) in alone.iter().zip(&after) {
        let [mut p, mut q] = [was, is].map(ForwardKinematics::new);
        p.place(3);
        q.place(3);
        assert!(was.skeleton().iter().all(|(id, _)| (p.position(id) - q.position(id)).norm() < 1e-6));
    }
}

/// Two people side by side who hold one thing, in one pose, moved ahead.
fn carriers() -> ([Clip; 2], Clip) {
    let still = clip("alex_walk.bvh");
    let (frames, pose) = (40, still.trimmed(10..11).unwrap());
    let mut samples = Samples::of(&pose);
    samples.frames = frames;
    samples.rotations.iter_mut().for_each(|values| values.resize(frames, values[0]));
    samples.translations.iter_mut().flatten().for_each(|values| values.resize(frames, values[0]));
    samples.annotations = Default::default();
    let ahead = |places: &mut Vec<Vector3<f64>>| {
        places.iter_mut().enumerate().for_each(|(frame, place)| place.z += 2.0 * frame as f64);
    };
    ahead(samples.translations[0].as_mut().unwrap());
    let one = samples.into_clip(NAME).unwrap();
    let other = moved(&one, 0.0, Vector3::x() * 90.0);
    let body = crate::body::Body::of(&one);
    let wrist = body.skeleton.with_role(Role::LeftHand).unwrap();
    let joint = mocap_model::Joint::new("box", None, Vector3::zeros());
    let skeleton = mocap_model::Skeleton::new("", *one.skeleton().space(), vec![joint]).unwrap();
    let places = crate::binding::places(&one, wrist).iter().map(|place| place.translation.vector).collect();
    let tracks = mocap_model::JointTracks {
        translation: Some(mocap_model::Track::Sampled(places)),
        ..mocap_model::JointTracks::at_rest(&skeleton.joints()[0])
    };
    let thing = Clip::new(skeleton.into(), one.rate(), frames, vec![tracks]).unwrap();
    ([one, other], thing)
}

#[test]
fn people_who_hold_one_thing_stay_as_far_apart_as_it_is_long() {
    let ([a, b], thing) = carriers();
    let alone = [alone(&a, "robin_walk.bvh"), alone(&b, "alex_walk.bvh")];
    // Robin is in metres, Alex in centimetres.
    let offset = |clips: [&Clip; 2], centimetres: [f64; 2], frame: usize| {
        let wrists = [0, 1].map(|i| {
            let body = crate::body::Body::of(clips[i]);
            let wrist = body.skeleton.with_role([Role::LeftHand, Role::RightHand][i]).unwrap();
            crate::binding::places(clips[i], wrist)[frame].translation.vector * centimetres[i]
        });
        wrists[0] - wrists[1]
    };
    let kept = |things: &[&Clip]| {
        keep_partners([&a, &b], alone.clone(), [None, None], things, KeepOptions::default()).unwrap()
    };
    let (without, _) = kept(&[]);
    let ([first, second], report) = kept(&[&thing]);
    assert!(report.touches.iter().any(|touch| touch.parts == ["LeftHand", "RightHand"]), "{report:?}");
    for frame in [0, 20, 39] {
        let wanted = offset([&a, &b], [1.0; 2], frame);
        let off = (offset([&first, &second], [100.0, 1.0], frame) - wanted).norm();
        let was = (offset([&without[0], &without[1]], [100.0, 1.0], frame) - wanted).norm();
        // 1 cm, in centimetres.
        assert!(off < 1.0 && was > 1.0, "{frame}: {off}, alone {was}");
    }
}

#[test]
fn bodies_without_meshes_that_end_up_in_each_other_are_reported() {
    let walk = clip("alex_walk.bvh");
    let [a, b] = [walk.clone(), moved(&walk, 0.0, Vector3::x() * 150.0)];
    let targets = |aside: f64| [walk.clone(), moved(&walk, 0.0, Vector3::x() * aside)];
    let kept =
        |targets| keep_partners([&a, &b], targets, [None, None], &[], KeepOptions::default()).unwrap().1;
    let report = kept(targets(150.0));
    assert!(report.through.is_none() && report.deepest.is_none(), "{report:?}");
    // 5 cm between both trunks.
    let report = kept(targets(5.0));
    assert!(report.through.is_some_and(|seconds| seconds > 1.0), "{report:?}");
    assert!(report.warnings.iter().any(|warning| warning.contains("come through each other")), "{report:?}");
}
