//! Feet whose ankle is high above the toe joint at rest: they stand as their rest pose stands.

use mocap_formats::{Limits, bvh};
use mocap_model::*;
use mocap_retarget::{FootLock, RetargetOptions, Retargeter, map_roles};
use std::path::Path;

fn clip(name: &str) -> Clip {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips").join(name);
    let document = bvh::parse(&std::fs::read(path).unwrap(), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

const FEET: [Role; 2] = [Role::LeftFoot, Role::RightFoot];

/// A skeleton whose bones from the ankles to the toes point down at rest by these angles \[deg\], left before right, with
/// toes that lie level, or continue the feet.
fn pitched(skeleton: &Skeleton, pitches: [f64; 2], level_toes: bool) -> Skeleton {
    let roles = map_roles(skeleton);
    let mut id = 0;
    let turned = skeleton.with_joints(|joint| {
        let above = joint.parent;
        let below = |role: Role| above.is_some_and(|above| roles.joint(role) == Some(above));
        let toes = [Role::LeftToes, Role::RightToes].map(|role| roles.joint(role) == Some(JointId(id)));
        let tips = [Role::LeftToes, Role::RightToes].map(below);
        for side in 0..2 {
            let (sine, cosine) = pitches[side].to_radians().sin_cos();
            if toes[side] {
                joint.offset = Vector3::new(0.0, -sine, cosine) * joint.offset.norm();
            }
            if tips[side] {
                let ahead = if level_toes { Vector3::z() } else { Vector3::new(0.0, -sine, cosine) };
                joint.offset = ahead * joint.offset.norm();
            }
        }
        id += 1;
    });
    turned.unwrap()
}

/// The same skeleton seen from other axes and in another unit: its root is turned and all lengths are scaled.
fn seen_otherwise(skeleton: &Skeleton, degrees: f64, scale: f64) -> Skeleton {
    let turn = exp(&(Vector3::y() * degrees.to_radians()));
    let seen = skeleton.with_joints(|joint| {
        joint.offset *= scale;
        if joint.parent.is_none() {
            joint.rest_rotation = turn * joint.rest_rotation;
        }
    });
    seen.unwrap()
}

/// The largest angle by which ankles and toes turn in one motion otherwise than in another \[deg\]. Both start ahead.
fn turned_otherwise(a: &Clip, b: &Clip, roles: &[Role]) -> f64 {
    let maps = [a, b].map(|clip| map_roles(clip.skeleton()));
    let mut most = 0.0f64;
    let posed = |clip: &Clip, frame: usize| {
        let (mut local, mut object) = (Pose::default(), Pose::default());
        clip.local_pose(frame, &mut local);
        local.to_object(clip.skeleton(), &mut object);
        object
    };
    for frame in 0..a.frames() {
        let (x, y) = (posed(a, frame), posed(b, frame));
        for role in roles {
            let [p, q] = [&maps[0], &maps[1]].map(|map| map.joint(*role).unwrap().index());
            most = most.max(x.joints[p].rotation.angle_to(&y.joints[q].rotation));
        }
    }
    most.to_degrees()
}

fn retarget(source: &Clip, target: &Skeleton) -> Clip {
    let options = RetargetOptions { foot_lock: FootLock::Off, ..RetargetOptions::default() };
    Retargeter::new(source.skeleton(), target, &options).unwrap().retarget(source).unwrap().0
}

#[test]
fn steep_feet_stand_as_they_do_at_rest() {
    let source = clip("alex_walk.bvh").trimmed(0..60).unwrap();
    let robin = clip("robin_walk.bvh");
    let plain = retarget(&source, robin.skeleton());
    for (pitch, level) in
        [(20.0, true), (57.0, false), (60.0, true), (64.0, false), (74.0, true), (82.0, true), (90.0, true)]
    {
        let steep = pitched(robin.skeleton(), [pitch; 2], level);
        for (degrees, scale) in [(0.0, 1.0), (90.0, 1.0), (0.0, 0.01), (200.0, 1e3)] {
            let moved = retarget(&source, &seen_otherwise(&steep, degrees, scale));
            let off = turned_otherwise(&plain, &moved, &FEET);
            assert!(off < 0.01, "{pitch}° down, turned by {degrees}°, × {scale}: {off}°");
        }
    }
}

#[test]
fn a_steep_source_moves_feet_as_a_level_one_does() {
    let robin = clip("robin_walk.bvh").trimmed(0..60).unwrap();
    let target = clip("alex_walk.bvh");
    let plain = retarget(&robin, target.skeleton());
    let steep = pitched(robin.skeleton(), [66.0; 2], true);
    let steep = Clip::new(steep.into(), robin.rate(), robin.frames(), robin.tracks().to_vec()).unwrap();
    let off = turned_otherwise(&plain, &retarget(&steep, target.skeleton()), &FEET);
    assert!(off < 0.01, "{off}°");
}

/// A rest pose may be a frame of a walk, with one foot lifted; and a foot that only continues its leg says nothing.
#[test]
fn feet_that_do_not_stand_at_rest_are_turned_flat() {
    let source = clip("alex_walk.bvh").trimmed(0..60).unwrap();
    let robin = clip("robin_walk.bvh");
    let plain = retarget(&source, robin.skeleton());
    for (pitches, turned) in [([30.0, 72.0], Role::RightFoot), ([90.0, 90.0], Role::LeftFoot)] {
        let lifted = retarget(&source, &pitched(robin.skeleton(), pitches, false));
        let off = turned_otherwise(&plain, &lifted, &[turned]);
        assert!(off > 30.0, "{pitches:?}: {off}°");
    }
}
