//! Arms stay outside of bodies with a surface, and nothing else moves.

use mocap_formats::body::{self, Style};
use mocap_formats::bvh;
use mocap_model::{Body, Bone, Clip, Influence, Mesh, Pose, Role, Skeleton, Skin, angle_between};
use mocap_retarget::{
    RetargetGate, RetargetOptions, RetargetReport, Retargeter, RoleMap, SurfaceFrames, TargetSurface,
    map_roles,
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
    // As wide as it takes for arms to enter.
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
