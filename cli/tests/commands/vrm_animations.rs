//! VRM animations as players read them: rotations relative to the rest pose, put on a character that stands in a T-pose.

use std::collections::BTreeMap;

use ::mocap::{Clip, Isometry3, Pose, Role, UnitQuaternion, Vector3};

use crate::mocap::{Sandbox, fixture};

/// Limb bones, and where a T-pose that faces along Z has them.
const LIMBS: [(Role, Role, [f64; 3]); 8] = [
    (Role::LeftUpperArm, Role::LeftLowerArm, [1.0, 0.0, 0.0]),
    (Role::LeftLowerArm, Role::LeftHand, [1.0, 0.0, 0.0]),
    (Role::RightUpperArm, Role::RightLowerArm, [-1.0, 0.0, 0.0]),
    (Role::RightLowerArm, Role::RightHand, [-1.0, 0.0, 0.0]),
    (Role::LeftUpperLeg, Role::LeftLowerLeg, [0.0, -1.0, 0.0]),
    (Role::LeftLowerLeg, Role::LeftFoot, [0.0, -1.0, 0.0]),
    (Role::RightUpperLeg, Role::RightLowerLeg, [0.0, -1.0, 0.0]),
    (Role::RightLowerLeg, Role::RightFoot, [0.0, -1.0, 0.0]),
];

/// The directions of limb bones of a motion by frame, in metres, Y up, facing along Z.
fn directions(clip: &Clip) -> Vec<BTreeMap<Role, Vector3<f64>>> {
    let skeleton = clip.skeleton();
    let each = |frame: usize| {
        let placed = object(clip, frame);
        let place = |role: Role| Some(placed[skeleton.with_role(role)?.index()].translation.vector);
        let bones =
            LIMBS.iter().filter_map(|(from, to, _)| Some((*from, (place(*to)? - place(*from)?).normalize())));
        bones.collect()
    };
    (0..clip.frames()).map(each).collect()
}

fn object(clip: &Clip, frame: usize) -> Vec<Isometry3<f64>> {
    let (mut local, mut object) = (Pose::default(), Pose::default());
    clip.local_pose(frame, &mut local);
    local.to_object(clip.skeleton(), &mut object);
    object.joints
}

/// The directions of limb bones of a character in a T-pose that a player moves: the rotation of each bone relative to
/// that of the bone above it, both relative to the rest pose, added up from the hips. Joints without a role do not
/// count.
fn played(clip: &Clip) -> Vec<BTreeMap<Role, Vector3<f64>>> {
    let skeleton = clip.skeleton();
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let each = |frame: usize| {
        let mut turned: BTreeMap<usize, UnitQuaternion<f64>> = BTreeMap::new();
        let mut bones = BTreeMap::new();
        for (id, joint) in skeleton.iter() {
            let Some(role) = joint.role else { continue };
            let mut above = joint.parent;
            while let Some(id) = above.filter(|id| skeleton.joint(*id).role.is_none()) {
                above = skeleton.joint(id).parent;
            }
            let rest_above =
                joint.parent.map_or(UnitQuaternion::identity(), |id| rest.joints[id.index()].rotation);
            let local = clip.local(id, frame).rotation;
            let relative = rest_above * local * rest.joints[id.index()].rotation.inverse();
            let whole = above.map_or(UnitQuaternion::identity(), |id| turned[&id.index()]) * relative;
            turned.insert(id.index(), whole);
            if let Some((_, _, bone)) = LIMBS.iter().find(|(from, _, _)| *from == role) {
                bones.insert(role, whole * Vector3::from(*bone));
            }
        }
        bones
    };
    (0..clip.frames()).map(each).collect()
}

/// The largest angle between limb bones of two motions \[°\].
fn furthest(a: &[BTreeMap<Role, Vector3<f64>>], b: &[BTreeMap<Role, Vector3<f64>>]) -> f64 {
    assert!(a.len() == b.len() && a.len() > 1 && a.iter().all(|frame| frame.len() == LIMBS.len()));
    let angles = a.iter().zip(b).flat_map(|(a, b)| a.iter().map(|(role, bone)| bone.angle(&b[role])));
    angles.fold(0.0, f64::max).to_degrees()
}

/// The motion of a file, with its unit and roles.
fn read(sandbox: &Sandbox, name: &str) -> Clip {
    let clip = ::mocap::read(sandbox.path(name)).unwrap().value;
    ::mocap::for_format(clip, ::mocap::Format::Glb, &mut Vec::new())
}

/// Checks what a player makes of an animation: within `degrees` of the motion of a file, hips in their places.
fn check(sandbox: &Sandbox, motion: &str, animation: &str, degrees: f64) {
    let (motion, animation) = (read(sandbox, motion), read(sandbox, animation));
    let moved = motion.in_space(*animation.skeleton().space()).unwrap();
    let off = furthest(&directions(&moved), &played(&animation));
    assert!(off < degrees, "limbs are up to {off:.2}° off");
    let hips = |clip: &Clip, frame: usize| {
        object(clip, frame)[clip.skeleton().with_role(Role::Hips).unwrap().index()].translation.vector
    };
    for frame in 0..moved.frames() {
        assert!((hips(&moved, frame) - hips(&animation, frame)).norm() < 1e-4, "frame {frame}");
    }
    let rest = Pose::rest(animation.skeleton());
    let height =
        rest.joints[animation.skeleton().with_role(Role::Hips).unwrap().index()].translation.vector.y;
    assert!((0.6..1.2).contains(&height), "hips at {height} m");
}

/// A walk with its offsets turned so that every bone lies along X, as some exporters write them.
fn along_x(walk: &Clip) -> Clip {
    let skeleton = walk.skeleton();
    let turns = skeleton.iter().map(|(id, _)| match skeleton.children(id) {
        [child] => UnitQuaternion::rotation_between(&Vector3::x(), &skeleton.joint(*child).offset)
            .unwrap_or_else(UnitQuaternion::identity),
        _ => UnitQuaternion::identity(),
    });
    with_turned_offsets(walk, &turns.collect::<Vec<_>>())
}

/// A walk with its offsets turned so that the arms hang down by 45 degrees, as in an A-pose.
fn in_a_pose(walk: &Clip) -> Clip {
    let skeleton = walk.skeleton();
    let turn = |side: f64| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), side * 45.0f64.to_radians());
    let mut turns: Vec<UnitQuaternion<f64>> = Vec::new();
    for (_, joint) in skeleton.iter() {
        let above = joint.parent.map_or(UnitQuaternion::identity(), |parent| turns[parent.index()]);
        turns.push(match joint.name.as_str() {
            "LeftArm" => turn(1.0),
            "RightArm" => turn(-1.0),
            _ => above,
        });
    }
    with_turned_offsets(walk, &turns)
}

/// A walk on a skeleton whose frames of joints are turned. The places of joints are those of the walk in every frame.
fn with_turned_offsets(walk: &Clip, turns: &[UnitQuaternion<f64>]) -> Clip {
    let skeleton = walk.skeleton();
    let above = |at: usize| {
        skeleton.joints()[at].parent.map_or(UnitQuaternion::identity(), |id| turns[id.index()].inverse())
    };
    let mut at = 0;
    let straight = skeleton.with_joints(|joint| {
        joint.offset = above(at) * joint.offset;
        at += 1;
    });
    let tracks = walk.tracks().iter().enumerate().map(|(at, tracks)| {
        let mut tracks = tracks.clone();
        tracks.rotation = tracks.rotation.map(|q| above(at) * q * turns[at]);
        tracks.translation = tracks.translation.map(|track| track.map(|v| above(at) * v));
        tracks
    });
    Clip::new(straight.unwrap().into(), walk.rate(), walk.frames(), tracks.collect()).unwrap()
}

/// The motion of a fixture, in the sandbox.
fn put_walk(sandbox: &Sandbox) -> Clip {
    sandbox.put("walk.bvh", std::fs::read(fixture("clips/alex_walk.bvh")).unwrap());
    ::mocap::read(sandbox.path("walk.bvh")).unwrap().value
}

#[test]
fn a_player_moves_a_character_like_the_source() {
    let sandbox = Sandbox::new();
    put_walk(&sandbox);
    let ran = sandbox.run(["convert", "walk.bvh", "-o", "walk.vrma"]).ok();
    assert!(!ran.stderr.contains("vrma::t-pose-estimated"), "{}", ran.stderr);
    check(&sandbox, "walk.bvh", "walk.vrma", 1.0);
}

/// Converts the walk on another rest pose; it plays alike. `estimated`: whether its T-pose is estimated from the motion.
fn check_rest_pose(posed: fn(&Clip) -> Clip, estimated: bool) {
    let sandbox = Sandbox::new();
    let walk = posed(&put_walk(&sandbox));
    ::mocap::write(sandbox.path("posed.bvh"), &walk).unwrap();
    let ran = sandbox.run(["convert", "posed.bvh", "-o", "posed.vrma"]).ok();
    assert_eq!(ran.stderr.contains("vrma::t-pose-estimated"), estimated, "{}", ran.stderr);
    check(&sandbox, "posed.bvh", "posed.vrma", 1.0);
}

#[test]
fn a_t_pose_is_estimated_for_bones_along_one_axis() {
    check_rest_pose(along_x, true);
}

#[test]
fn arms_of_an_a_pose_are_raised() {
    check_rest_pose(in_a_pose, false);
}

#[test]
fn a_character_that_faces_backward_at_rest_faces_forward() {
    let sandbox = Sandbox::new();
    put_walk(&sandbox);
    let walk = read(&sandbox, "walk.bvh");
    let turn = UnitQuaternion::new(Vector3::y() * std::f64::consts::PI);
    let backward = walk.skeleton().with_joints(|joint| {
        if joint.parent.is_none() {
            joint.rest_rotation = turn;
        }
    });
    let walk = walk.with_skeleton(backward.unwrap().into()).unwrap();
    ::mocap::write(sandbox.path("back.glb"), &walk).unwrap();
    sandbox.run(["convert", "back.glb", "-o", "back.vrma"]).ok();
    check(&sandbox, "back.glb", "back.vrma", 1.0);
    // As target of a retarget, too.
    sandbox.run(["retarget", "walk.bvh", "back.glb", "-o", "moved.vrma"]).ok();
    sandbox.run(["retarget", "walk.bvh", "back.glb", "-o", "moved.glb"]).ok();
    check(&sandbox, "moved.glb", "moved.vrma", 1.0);
}

#[test]
fn motion_above_the_hips_is_played() {
    let sandbox = Sandbox::new();
    put_walk(&sandbox);
    sandbox.run(["edit", "walk.bvh", "--root-joint", "add", "-o", "rooted.bvh"]).ok();
    sandbox.run(["convert", "rooted.bvh", "-o", "rooted.vrma"]).ok();
    check(&sandbox, "rooted.bvh", "rooted.vrma", 1.0);
}

/// Hips, a spine and an arm that hangs down.
const HALF: &str = "\
HIERARCHY
ROOT Hips
{
OFFSET 0 95 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT Spine
{
OFFSET 0 20 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT LeftArm
{
OFFSET 18 20 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT LeftForeArm
{
OFFSET 0 -28 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT LeftHand
{
OFFSET 0 -26 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 -8 0
}
}
}
}
}
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 95 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 95 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
";

#[test]
fn a_body_without_a_t_pose_is_refused() {
    let sandbox = Sandbox::new();
    // Without legs, no T-pose can be made.
    sandbox.put("half.bvh", HALF);
    let ran = sandbox.run(["convert", "half.bvh", "--input-unit", "cm", "-o", "half.vrma"]);
    assert!(ran.code == 1 && ran.stderr.contains("gltf::not-t-pose"), "{ran:?}");
    assert!(ran.stderr.contains("points 90\u{b0} away from +X"), "{}", ran.stderr);
    assert_eq!(sandbox.files("."), ["half.bvh"]);
    sandbox.put(
        "raised.bvh",
        HALF.replace("OFFSET 0 -28 0", "OFFSET 28 0 0").replace("OFFSET 0 -26 0", "OFFSET 26 0 0"),
    );
    sandbox.run(["convert", "raised.bvh", "--input-unit", "cm", "-o", "raised.vrma"]).ok();
}
