//! Arms stay outside of bodies with a surface, and nothing else moves.

use std::sync::Arc;

use mocap_formats::body::{self, Style};
use mocap_formats::bvh;
use mocap_model::{
    Body, Bone, Clip, ForwardKinematics, FrameRate, Influence, Joint, JointTracks, Mesh, Pose, Role,
    Skeleton, Skin, Track, UnitQuaternion, Vector3, angle_between,
};
use mocap_retarget::{
    RetargetGate, RetargetOptions, RetargetReport, Retargeter, RoleMap, SurfaceFrames, TargetSurface,
    fitted_body, map_roles,
};

fn clip(name: &str) -> Clip {
    let path = format!("{}/../../fixtures/clips/{name}", env!("CARGO_MANIFEST_DIR"));
    let document = bvh::parse(&std::fs::read(path).unwrap(), &Default::default()).unwrap().value;
    bvh::to_clip(&document, &Default::default()).unwrap().value
}

/// A body of capsules whose trunk and legs are wider than those of people by a factor.
fn wide(skeleton: &Skeleton, factor: f64) -> Body {
    let drawn = body::mesh(skeleton, Style::Capsules).unwrap();
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let roles = map_roles(skeleton);
    let arms = [Role::LeftUpperArm, Role::RightUpperArm].map(|role| roles.joint(role).unwrap());
    let hips = object.joints[roles.joint(Role::Hips).unwrap().index()].translation.vector;
    let bones = skeleton.iter().map(|(joint, _)| Bone {
        joint,
        inverse_bind: object.joints[joint.index()].inverse().to_homogeneous(),
    });
    let mut skin = Skin { bones: bones.collect(), starts: vec![0], influences: Vec::new() };
    let mut positions = drawn.positions.clone();
    for ((place, joints), weights) in positions.iter_mut().zip(&drawn.joints).zip(&drawn.weights) {
        let is_arm = |joint| arms.iter().any(|arm| skeleton.is_in_subtree(joint, *arm));
        if !joints.iter().zip(weights).any(|(joint, weight)| *weight > 0.0 && is_arm(*joint)) {
            place.x = hips.x + (place.x - hips.x) * factor;
            place.z = hips.z + (place.z - hips.z) * factor;
        }
        let influences = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        skin.influences.extend(
            influences.map(|(joint, weight)| Influence { bone: joint.index() as u32, weight: *weight }),
        );
        skin.starts.push(skin.influences.len() as u32);
    }
    let mesh = Mesh {
        faces: vec![3; drawn.triangles.len()],
        corners: drawn.triangles.iter().flatten().copied().collect(),
        positions,
        skin,
        ..Mesh::default()
    };
    Body { meshes: vec![mesh], materials: Vec::new() }
}

fn surface(skeleton: &Skeleton, factor: f64, roles: &RoleMap) -> TargetSurface {
    TargetSurface::new(&wide(skeleton, factor), skeleton, roles).unwrap().measured_at(SurfaceFrames::All)
}

fn retarget(source: &Clip, target: &Skeleton, options: RetargetOptions) -> (Clip, RetargetReport) {
    Retargeter::new(source.skeleton(), target, &options).unwrap().retarget(source).unwrap()
}

#[test]
fn arms_leave_a_wide_body_and_nothing_else_moves() {
    let (walk, robin) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let target = robin.skeleton();
    let roles = map_roles(target);
    let (off, report) = retarget(&walk, target, RetargetOptions::default());
    assert_eq!(report.surface, None);
    // The first width at which arms enter the body.
    let wide = [1.6, 2.0, 2.4, 2.8, 3.2, 3.6].map(|factor| surface(target, factor, &roles));
    let measured = wide.map(|wide| (wide.measure(&off, report.metres[1]).unwrap(), wide));
    let entered = measured.into_iter().find(|(before, _)| before.inside > 0.01);
    let (before, surface) = entered.expect("arms enter a wide body");
    let options = RetargetOptions { surface: Some(surface.clone()), ..RetargetOptions::default() };
    let (on, report) = retarget(&walk, target, options.clone());
    let after = report.surface.clone().unwrap();
    assert_eq!(after.frames, walk.frames());
    assert!(after.inside < 0.2 * before.inside, "{before:?} {after:?}");
    assert!(after.deepest < before.deepest, "{before:?} {after:?}");
    let arm_roles = [
        [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
        [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
    ];
    let arms: Vec<_> = arm_roles.as_flattened().iter().filter_map(|role| roles.joint(*role)).collect();
    let mut turned: f64 = 0.0;
    for (joint, _) in target.iter() {
        if arms.contains(&joint) {
            let frames = 0..on.frames();
            let angles = frames.map(|frame| {
                angle_between(&on.local(joint, frame).rotation, &off.local(joint, frame).rotation)
            });
            turned = angles.fold(turned, f64::max);
        } else {
            assert_eq!(on.track(joint), off.track(joint), "{}", target.joint(joint).name);
        }
    }
    assert!(turned > 0.05, "{turned}");
    // Gates read the same figures.
    for (gate, passes) in [("surface-inside=1", true), ("surface-deepest=0", after.deepest == 0.0)] {
        let gate: RetargetGate = gate.parse().unwrap();
        assert_eq!(gate.check(&report).passed, passes);
    }
    let again = retarget(&walk, target, options).0;
    assert_eq!(on.tracks(), again.tracks());
}

#[test]
fn what_was_not_measured_passes_no_gate() {
    let (walk, robin) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let (_, report) = retarget(&walk, robin.skeleton(), RetargetOptions::default());
    for name in ["surface-inside", "surface-deepest", "surface-deep-frames"] {
        let gate: RetargetGate = format!("{name}=1").parse().unwrap();
        assert_eq!((gate.check(&report).value, gate.check(&report).passed), (None, false));
    }
}

#[test]
fn frames_before_the_motion_do_not_change_it() {
    let (walk, robin) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let target = robin.skeleton();
    let surface = surface(target, 1.6, &map_roles(target));
    let options =
        |lead_in| RetargetOptions { lead_in, surface: Some(surface.clone()), ..RetargetOptions::default() };
    let (whole, with) = retarget(&walk, target, options(7));
    let (motion, without) = retarget(&walk.trimmed(7..walk.frames()).unwrap(), target, options(0));
    for frame in 0..motion.frames() {
        for (joint, _) in target.iter() {
            let [a, b] = [whole.local(joint, frame + 7), motion.local(joint, frame)];
            assert!(angle_between(&a.rotation, &b.rotation) < 1e-6, "{frame}");
        }
    }
    let (with, without) = (with.surface.unwrap(), without.surface.unwrap());
    assert_eq!(with.frames, without.frames);
    assert!((with.inside - without.inside).abs() < 1e-4, "{with:?} {without:?}");
}

#[test]
fn a_skeleton_without_arms_or_mesh_has_no_surface() {
    let target = clip("robin_walk.bvh");
    let target = target.skeleton();
    assert!(TargetSurface::new(&Body::default(), target, &map_roles(target)).is_none());
    let body = wide(target, 1.0);
    assert!(TargetSurface::new(&body, target, &RoleMap::given([])).is_none());
}

#[test]
fn frames_to_measure_are_a_number_or_all() {
    assert_eq!("all".parse(), Ok(SurfaceFrames::All));
    assert_eq!("30".parse(), Ok(SurfaceFrames::Some(30)));
    for text in ["0", "-1", "many", ""] {
        assert!(text.parse::<SurfaceFrames>().is_err(), "{text}");
    }
}

/// A motion in which the left forearm goes into the middle of the trunk and out again, while the
/// hand moves to and fro by a centimetre or two: its nearest way out changes from front to back.
fn through_the_body(skeleton: &Arc<Skeleton>) -> Clip {
    let roles = map_roles(skeleton);
    let joint = |role: Role| roles.joint(role).unwrap();
    let [upper, lower, hand] = [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand].map(joint);
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let at = |joint: mocap_model::JointId| rest.joints[joint.index()].translation.vector;
    let [shoulder, elbow, wrist] = [upper, lower, hand].map(at);
    let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
    let left = up.cross(&forward);
    let size = (elbow - shoulder).norm() + (wrist - elbow).norm();
    // The target of the forearm: the middle of the trunk.
    let middle = at(joint(Role::Hips)) + (shoulder - at(joint(Role::Hips))).dot(&up) * up * 0.3;
    let frames = 60;
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let mut rotations = [Vec::new(), Vec::new()];
    for frame in 0..frames {
        let time = frame as f64 / 30.0;
        let share = ((time - 0.4) / 0.3).clamp(0.0, 1.0) * ((1.6 - time) / 0.3).clamp(0.0, 1.0);
        let wobble = forward * (0.03 * size * (frame as f64 * 1.3).sin());
        let down = (left * 0.35 - up).normalize();
        let elbow_at = shoulder + down * (elbow - shoulder).norm();
        let beside = elbow_at + (left * 0.2 - up).normalize() * size;
        let goal = beside + (middle + wobble - beside) * share;
        let turned = |from: Vector3<f64>, to: Vector3<f64>, joint: mocap_model::JointId| {
            UnitQuaternion::rotation_between(&from, &to).unwrap() * rest.joints[joint.index()].rotation
        };
        let first = turned(elbow - shoulder, down, upper);
        let second = turned(wrist - elbow, goal - elbow_at, lower);
        let above = rest.joints[skeleton.joint(upper).parent.unwrap().index()].rotation;
        rotations[0].push(above.inverse() * first);
        rotations[1].push(first.inverse() * second);
    }
    for (joint, rotations) in [upper, lower].into_iter().zip(rotations) {
        tracks[joint.index()].rotation = Track::Sampled(rotations);
    }
    Clip::new(Arc::clone(skeleton), FrameRate::new(30.0).unwrap(), frames, tracks).unwrap()
}

#[test]
fn an_arm_through_the_body_leaves_by_one_side_and_not_further_than_its_depth() {
    let clip = through_the_body(clip("robin_walk.bvh").skeleton());
    let target = clip.skeleton();
    let roles = map_roles(target);
    let surface = surface(target, 1.6, &roles);
    let (off, report) = retarget(&clip, target, RetargetOptions::default());
    let before = surface.measure(&off, report.metres[1]).unwrap();
    let metres = report.metres[1];
    assert!(before.deepest > 0.03, "the hand is deep inside: {before:?}");
    let options = RetargetOptions { surface: Some(surface), ..RetargetOptions::default() };
    let (on, with) = retarget(&clip, target, options);
    let after = with.surface.unwrap();
    assert!(after.deepest < 0.3 * before.deepest || after.let_go > 0, "{before:?} {after:?}");
    let hand = roles.joint(Role::LeftHand).unwrap();
    let [mut a, mut b] = [&off, &on].map(ForwardKinematics::new);
    let mut ways = Vec::new();
    for frame in 0..on.frames() {
        a.place(frame);
        b.place(frame);
        ways.push((b.position(hand) - a.position(hand)) * metres);
    }
    let furthest = ways.iter().map(|way| way.norm()).fold(0.0, f64::max);
    // The trunk is about three times as wide as it is deep, and the hand comes from its side to its middle.
    assert!(furthest < 2.0 * 3.0 * before.deepest, "{furthest} {before:?}");
    for pair in ways.windows(2).filter(|pair| pair.iter().all(|way| way.norm() > 0.03)) {
        assert!(pair[0].angle(&pair[1]) < 0.8, "the hand flips from one side to the other: {pair:?}");
    }
    assert!(with.largest_step.excess < 15.0, "{:?} {:?}", with.largest_step, report.largest_step);
}

/// The same bones under other names.
fn renamed(skeleton: &Skeleton) -> Skeleton {
    let joints = skeleton.joints().iter().enumerate();
    let joints = joints.map(|(at, joint)| Joint { name: format!("bone{at}"), ..joint.clone() }).collect();
    Skeleton::new("other", *skeleton.space(), joints).unwrap()
}

#[test]
fn the_same_body_under_other_names_is_the_same_body() {
    let own = clip("alex_walk.bvh");
    let own = own.skeleton();
    let roles = map_roles(own);
    let (body, other) = (wide(own, 1.0), renamed(own));
    let put = fitted_body(&body, (own, &roles), (&other, &roles)).unwrap();
    let [was, is] = [&body, &put].map(|body| &body.meshes[0].positions);
    let far = was.iter().zip(is).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let height = was.iter().map(|at| at.y).fold(0.0, f64::max);
    assert!(far < 1e-9 * height, "{far}");
}

#[test]
fn a_body_takes_the_size_and_the_bones_of_another() {
    let (own, other) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let own = own.skeleton();
    let other = other.skeleton().with_joints(|joint| joint.offset *= 1.5).unwrap();
    let (roles, others) = (map_roles(own), map_roles(&other));
    let put = fitted_body(&wide(own, 1.0), (own, &roles), (&other, &others)).unwrap();
    let mut rest = Pose::default();
    Pose::rest(&other).to_object(&other, &mut rest);
    // Vertices that one bone of an arm moves are around that bone.
    let (mesh, mut counted) = (&put.meshes[0], 0);
    let elbow = others.joint(Role::LeftLowerArm).unwrap();
    let [a, b] = [Role::LeftLowerArm, Role::LeftHand]
        .map(|role| rest.joints[others.joint(role).unwrap().index()].translation.vector);
    for (vertex, at) in mesh.positions.iter().enumerate() {
        let [one] = mesh.skin.of(vertex) else { continue };
        if mesh.skin.bones[one.bone as usize].joint == elbow {
            let along = ((at - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
            assert!((at - (a + (b - a) * along)).norm() < 0.35 * (b - a).norm());
            counted += 1;
        }
    }
    assert!(counted > 0);
    assert!(TargetSurface::new(&put, &other, &others).is_some());
}

#[test]
fn what_a_body_lacks_to_be_fitted_is_named() {
    let own = clip("alex_walk.bvh");
    let own = own.skeleton();
    let missing =
        fitted_body(&wide(own, 1.0), (own, &map_roles(own)), (own, &RoleMap::given([]))).unwrap_err();
    assert_eq!(missing.len(), 9);
    assert!(missing.contains(&Role::Hips));
}
