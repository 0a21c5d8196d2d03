//! Retargeting on fixtures and on bodies made up here: frames of joints, axes and units make no difference, the
//! contacts found are the true ones, and other shapes are refused with a message.

use mocap_formats::{Limits, bvh};
use mocap_model::*;
use mocap_retarget::{
    Floor, FootLock, RetargetError, RetargetOptions, Retargeter, SourceOrTarget, estimate_rest_pose,
    map_roles,
};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips");
    std::fs::read(folder.join(name)).unwrap()
}

fn clip(name: &str) -> Clip {
    let document = bvh::parse(&fixture(name), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

fn positions(clip: &Clip, frame: usize) -> Vec<Vector3<f64>> {
    let (mut local, mut object) = (Pose::default(), Pose::default());
    clip.local_pose(frame, &mut local);
    local.to_object(clip.skeleton(), &mut object);
    object.joints.iter().map(|joint| joint.translation.vector).collect()
}

fn retarget(
    source: &Clip,
    target: &Skeleton,
    options: &RetargetOptions,
) -> (Clip, mocap_retarget::RetargetReport) {
    Retargeter::new(source.skeleton(), target, options).unwrap().retarget(source).unwrap()
}

/// The same body with other frames in its joints: `frames[i]` is the frame of joint `i` seen from the old one.
fn reframed(clip: &Clip, frames: &[UnitQuaternion<f64>]) -> Clip {
    let skeleton = clip.skeleton();
    let of =
        |id: Option<JointId>| id.map_or(UnitQuaternion::identity(), |id| frames[id.index() % frames.len()]);
    let mut id = 0;
    let turned = skeleton.with_joints(|joint| {
        let (above, here) = (of(joint.parent), of(Some(JointId(id))));
        joint.offset = above.inverse() * joint.offset;
        joint.rest_rotation = above.inverse() * joint.rest_rotation * here;
        id += 1;
    });
    let tracks = skeleton.iter().zip(clip.tracks()).map(|((id, joint), tracks)| JointTracks {
        rotation: tracks.rotation.map(|q| of(joint.parent).inverse() * q * of(Some(id))),
        translation: tracks.translation.as_ref().map(|track| track.map(|v| of(joint.parent).inverse() * v)),
        scale: None,
    });
    Clip::new(Arc::new(turned.unwrap()), clip.rate(), clip.frames(), tracks.collect()).unwrap()
}

#[track_caller]
fn assert_same_places(a: &Clip, b: &Clip, scale: f64, tolerance: f64) {
    for frame in [0, a.frames() / 2, a.frames() - 1] {
        for ((p, q), joint) in positions(a, frame).iter().zip(positions(b, frame)).zip(a.skeleton().joints())
        {
            assert!((p * scale - q).norm() < tolerance, "{} in frame {frame}: {p} is not {q}", joint.name);
        }
    }
}

#[test]
fn contacts_are_the_true_ones_and_feet_stay_in_them() {
    for (from, to) in [("alex", "robin"), ("robin", "alex")] {
        let source = clip(&format!("{from}_walk.bvh"));
        let target = clip(&format!("{to}_walk.bvh"));
        let (_, report) = retarget(&source, target.skeleton(), &RetargetOptions::default());
        let table = String::from_utf8(fixture(&format!("{from}_walk.contacts.csv"))).unwrap();
        // frame,left_heel,left_ball,right_heel,right_ball
        let truth = |column: usize| -> Vec<bool> {
            table.lines().skip(1).map(|line| line.split(',').nth(column).unwrap() == "1").collect()
        };
        for (foot, column) in report.feet.iter().zip([2, 4]) {
            let truth = truth(column);
            assert_eq!(truth.len(), source.frames());
            let found: Vec<bool> =
                (0..truth.len()).map(|f| foot.contacts.iter().any(|run| run.contains(&f))).collect();
            let agree = truth.iter().zip(&found).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64;
            assert!(agree > 0.9, "{from}: {:?} agrees in {agree}", foot.role);
            assert!(foot.slide.unwrap() < 1e-6, "{foot:?}");
            assert!(
                foot.penetration_max.unwrap() < 1e-4 && foot.height_mean.unwrap().abs() < 0.01,
                "{foot:?}"
            );
        }
        assert!(report.largest_step.excess <= 5.0, "{:?}", report.largest_step);
    }
}

#[test]
fn axes_and_units_make_no_difference() {
    let (source, target) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let stated = |clip: &Clip, metres: f64| {
        let unit = Some(Unit { metres, source: UnitSource::Flag });
        let skeleton = clip.skeleton().with_space(Space { unit, ..Space::default() });
        clip.clone().with_skeleton(Arc::new(skeleton)).unwrap()
    };
    let metres = mocap_analysis::metres_per_unit(source.skeleton());
    let (source, target) = (stated(&source, metres), stated(&target, metres));
    let (plain, _) = retarget(&source, target.skeleton(), &RetargetOptions::default());
    let other = Space {
        up: SignedAxis::Z,
        forward: "-Y".parse().unwrap(),
        unit: Some(Unit { metres: metres * 10.0, source: UnitSource::Flag }),
    };
    // The source in other axes and units: the same motion.
    let (turned, _) =
        retarget(&source.in_space(other).unwrap(), target.skeleton(), &RetargetOptions::default());
    assert_same_places(&plain, &turned, 1.0, 1e-6 / metres);
    // The target in other axes and units: the same motion in those.
    let (turned, report) =
        retarget(&source, &target.skeleton().in_space(other).unwrap(), &RetargetOptions::default());
    assert_same_places(&plain.in_space(other).unwrap(), &turned, 1.0, 1e-6 / metres);
    assert!(report.feet.iter().all(|foot| foot.slide.unwrap() < 1e-6));
}

#[test]
fn a_rest_pose_without_shape_is_mended_by_the_motion() {
    let source = clip("alex_walk.bvh");
    let target = clip("robin_walk.bvh");
    // All bones along one axis, as some exporters write them: the pose is only in the rotations.
    let along = |clip: &Clip| {
        let skeleton = clip.skeleton();
        let roles = map_roles(skeleton);
        let in_limb = |id: JointId| {
            roles.role(id).is_some_and(|role| {
                ["UpperLeg", "LowerLeg", "UpperArm", "LowerArm"].iter().any(|part| role.name().contains(part))
            })
        };
        let frames: Vec<UnitQuaternion<f64>> = skeleton
            .iter()
            .map(|(id, _)| match skeleton.children(id) {
                [next, ..] if in_limb(id) => rotation_between(&Vector3::x(), &skeleton.joint(*next).offset),
                _ => UnitQuaternion::identity(),
            })
            .collect();
        let clip = reframed(clip, &frames);
        let bare =
            clip.skeleton().with_joints(|joint| joint.rest_rotation = UnitQuaternion::identity()).unwrap();
        clip.with_skeleton(Arc::new(bare)).unwrap()
    };
    let options = RetargetOptions { foot_lock: FootLock::Off, ..RetargetOptions::default() };
    let (plain, _) = retarget(&source, target.skeleton(), &options);
    let (motion, report) = retarget(&along(&source), target.skeleton(), &options);
    assert!(
        report.warnings.iter().any(|warning| warning.code() == "retarget::stance-made"),
        "{:?}",
        report.warnings
    );
    let height = 1.7 / report.metres[1];
    let roles = map_roles(plain.skeleton());
    for frame in [0, 40, 90] {
        let (a, b) = (positions(&plain, frame), positions(&motion, frame));
        for role in [Role::LeftLowerLeg, Role::RightLowerLeg, Role::LeftFoot, Role::RightFoot, Role::Head] {
            let at = roles.joint(role).unwrap().index();
            assert!(
                (a[at] - b[at]).norm() < 0.03 * height,
                "{role} in frame {frame}: {} is not {}",
                a[at],
                b[at]
            );
        }
    }
    let rest = estimate_rest_pose(&along(&target)).unwrap();
    let options = RetargetOptions { target_rest: Some(rest), ..options };
    let (_, report) = retarget(&source, along(&target).skeleton(), &options);
    assert!(report.warnings.iter().all(|warning| warning.code() != "retarget::stance-made"));
}

#[test]
fn shape_shows_the_roles_where_names_say_nothing() {
    for name in ["alex_walk.bvh", "robin_walk.bvh"] {
        let named = clip(name);
        let mut count = 0;
        let bare = named.skeleton().with_joints(|joint| {
            count += 1;
            joint.name = format!("n{count}");
        });
        let (by_name, by_shape) = (map_roles(named.skeleton()), map_roles(&bare.unwrap()));
        assert_eq!(by_shape.scheme, None);
        for row in &by_name.rows {
            // Fingers and the neck need names.
            let needed = !row.role.name().ends_with(['1', '2', '3']) && row.role != Role::Neck;
            assert!(!needed || by_shape.joint(row.role) == Some(row.joint), "{name}: {}", row.role);
        }
    }
}

#[test]
fn what_is_no_body_is_refused_in_words() {
    let source = clip("alex_walk.bvh");
    let target = clip("robin_walk.bvh");
    let target = map_roles(target.skeleton()).apply(target.skeleton());
    let error = |source: &Skeleton, target: &Skeleton| {
        Retargeter::new(source, target, &RetargetOptions::default()).unwrap_err().to_string()
    };
    let one =
        Skeleton::new("dot", Space::default(), vec![source.skeleton().joint(JointId(0)).clone()]).unwrap();
    assert!(
        error(&one, &target).starts_with("no joint of the source skeleton matches "),
        "{}",
        error(&one, &target)
    );
    let mut poles = 0;
    let legless = target.with_joints(|joint| {
        if joint.role.is_some_and(|role| role.name().contains("LowerLeg")) {
            poles += 1;
            (joint.name, joint.role) = (format!("pole{poles}"), None);
        }
    });
    let legless = legless.unwrap();
    let text = error(source.skeleton(), &legless);
    assert!(text.contains("LeftLowerLeg, RightLowerLeg"), "{text}");
    let short = target.with_joints(|joint| {
        if joint.role == Some(Role::LeftFoot) {
            joint.offset = Vector3::zeros();
        }
    });
    let text = error(source.skeleton(), &short.unwrap());
    assert!(text.contains("LeftLowerLeg") && text.contains("a limb needs length"), "{text}");
    let swapped = target.with_joints(|joint| joint.role = joint.role.map(Role::mirrored)).unwrap();
    let swapped_sides =
        Retargeter::new(source.skeleton(), &swapped, &RetargetOptions::default()).unwrap_err();
    assert!(
        matches!(&swapped_sides, RetargetError::SidesSwapped { which: SourceOrTarget::Target, joint } if !joint.is_empty()),
        "{swapped_sides}"
    );
    let retargeter = Retargeter::new(source.skeleton(), &target, &RetargetOptions::default()).unwrap();
    let other = clip("robin_walk.bvh");
    assert!(matches!(retargeter.retarget(&other), Err(RetargetError::OtherSource { .. })));
    let none = source.trimmed(0..0).unwrap();
    let (motion, report) = retargeter.retarget(&none).unwrap();
    assert_eq!((motion.frames(), report.warnings.last().unwrap().code()), (0, "retarget::no-frames"));
    let (one, _) = retargeter.retarget(source.trimmed(5..6).unwrap()).unwrap();
    assert_eq!(one.frames(), 1);
    let rest = RetargetOptions { target_rest: Some(Pose::default()), ..RetargetOptions::default() };
    let error = Retargeter::new(source.skeleton(), &target, &rest).unwrap_err();
    assert!(matches!(error, RetargetError::PoseLength { which: SourceOrTarget::Target, found: 0, .. }));
}

#[test]
fn the_same_bytes_on_every_run() {
    let source = clip("alex_turn.bvh");
    let target = clip("robin_walk.bvh");
    let run = || retarget(&source, target.skeleton(), &RetargetOptions::default());
    let (a, b) = (run(), run());
    assert_eq!(a.0.tracks(), b.0.tracks());
    assert_eq!(a.1, b.1);
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    prop::array::uniform3(-3.0f64..3.0).prop_map(|v| exp(&v.into()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn frames_of_joints_make_no_difference(frames in prop::collection::vec(rotation(), 7)) {
        let (source, target) = (clip("alex_wave.bvh"), clip("robin_wave.bvh"));
        let (plain, _) = retarget(&source, target.skeleton(), &RetargetOptions::default());
        let (turned, _) = retarget(&reframed(&source, &frames), target.skeleton(), &RetargetOptions::default());
        assert_same_places(&plain, &turned, 1.0, 1e-6);
        let (turned, _) = retarget(&source, reframed(&target, &frames).skeleton(), &RetargetOptions::default());
        assert_same_places(&plain, &turned, 1.0, 1e-6);
    }

    #[test]
    fn no_body_makes_it_panic_or_write_what_is_no_number(
        stretch in prop::collection::vec(
            prop_oneof![Just(0.0), Just(1e-12), Just(1e9), Just(1e200), Just(-1.0), 0.1f64..3.0],
            5,
        ),
        turns in prop::collection::vec(rotation(), 3),
        seed in 0usize..1000,
    ) {
        let source = clip("alex_wave.bvh").trimmed(0..20).unwrap();
        let mut at = seed;
        let odd = |joint: &mut Joint| {
            at += 1;
            if at % 3 == 0 {
                joint.offset *= stretch[at % stretch.len()];
                joint.rest_rotation *= turns[at % turns.len()];
            }
        };
        let target = clip("robin_wave.bvh").skeleton().with_joints(odd);
        prop_assume!(target.is_ok());
        let target = target.unwrap();
        // Either is fine: an error, or a motion whose numbers are finite, which `Clip` ensures.
        if let Ok(retargeter) = Retargeter::new(source.skeleton(), &target, &RetargetOptions::default()) {
            let _ = retargeter.retarget(&source);
        }
        if let Ok(retargeter) = Retargeter::new(&target, source.skeleton(), &RetargetOptions::default()) {
            let tracks = target.joints().iter().map(JointTracks::at_rest).collect();
            let still = Clip::new(Arc::new(target.clone()), source.rate(), 4, tracks).unwrap();
            let _ = retargeter.retarget(&still);
        }
    }
}

#[test]
fn without_a_floor_toes_bend_as_they_did() {
    let (source, target) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let toes = |floor: Floor, foot_lock: FootLock| {
        let options = RetargetOptions { floor, foot_lock, ..RetargetOptions::default() };
        let motion = retarget(&source, target.skeleton(), &options).0;
        let toes = motion.skeleton().with_role(Role::LeftToes).unwrap();
        (0..motion.frames()).map(|frame| motion.track(toes).rotation.at(frame)).collect::<Vec<_>>()
    };
    assert_eq!(toes(Floor::Off, FootLock::On), toes(Floor::Off, FootLock::Off));
}

/// The body with both legs below the first joint of its spine, in the same places.
fn with_legs_on_the_spine(skeleton: &Skeleton) -> Skeleton {
    let carrier = skeleton.find("LowerBack").unwrap();
    let mut order: Vec<JointId> = skeleton.iter().map(|(id, _)| id).filter(|id| *id != carrier).collect();
    order.insert(1, carrier);
    let place = |id: JointId| JointId::from(order.iter().position(|other| *other == id).unwrap());
    let joints = order.iter().map(|id| {
        let mut joint = skeleton.joint(*id).clone();
        joint.parent = joint.parent.map(place);
        if ["LHipJoint", "RHipJoint"].contains(&joint.name.as_str()) {
            joint.parent = Some(place(carrier));
            joint.offset -= skeleton.joint(carrier).offset;
        }
        joint
    });
    Skeleton::new("legs on the spine", *skeleton.space(), joints.collect()).unwrap()
}

#[test]
fn legs_that_hang_on_the_spine_follow_the_hips() {
    let walk = clip("alex_walk.bvh");
    let target = with_legs_on_the_spine(walk.skeleton());
    // The trunk of the source is turned aside, its hips are not.
    let turned = walk.skeleton().find("LowerBack").unwrap();
    let aside = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.7);
    let tracks = walk.skeleton().iter().zip(walk.tracks()).map(|((id, _), tracks)| JointTracks {
        rotation: if id == turned { tracks.rotation.map(|q| q * aside) } else { tracks.rotation.clone() },
        ..tracks.clone()
    });
    let source = Clip::new(walk.skeleton().clone(), walk.rate(), walk.frames(), tracks.collect()).unwrap();
    let (made, _) = retarget(&source, &target, &RetargetOptions::default());
    for frame in [0, walk.frames() / 2, walk.frames() - 1] {
        let across = |clip: &Clip, left: &str, right: &str| {
            let at = positions(clip, frame);
            let [left, right] = [left, right].map(|name| at[clip.skeleton().find(name).unwrap().index()]);
            left - right
        };
        for (left, right, most) in [("LeftUpLeg", "RightUpLeg", 0.1), ("LeftArm", "RightArm", 0.1)] {
            let angle = across(&source, left, right).angle(&across(&made, left, right));
            assert!(angle < most, "{left} in frame {frame}: {angle}");
        }
    }
}
