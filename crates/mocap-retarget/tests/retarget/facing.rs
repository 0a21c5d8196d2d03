//! Rest poses that face another way than the space says, or lean: they make no difference.

use mocap_formats::{Limits, bvh};
use mocap_model::*;
use mocap_retarget::{RetargetOptions, Retargeter};
use std::path::Path;
use std::sync::Arc;

fn clip(name: &str) -> Clip {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips");
    let document = bvh::parse(&std::fs::read(folder.join(name)).unwrap(), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

/// The same motion on a skeleton whose rest pose is turned about the up axis.
fn turned(clip: &Clip, degrees: f64, baked: bool) -> Clip {
    turned_by(clip, exp(&(Vector3::y() * degrees.to_radians())), baked)
}

/// The same motion on a skeleton whose rest pose is turned. The turn is in the rotation of the root, or `baked` into
/// offsets and frames of all joints.
fn turned_by(clip: &Clip, turn: UnitQuaternion<f64>, baked: bool) -> Clip {
    let frame = if baked { turn.inverse() } else { UnitQuaternion::identity() };
    let skeleton = clip.skeleton().with_joints(|joint| {
        let [before, offset] = match joint.parent {
            Some(_) => [frame.inverse(); 2],
            None => [turn; 2],
        };
        joint.offset = offset * joint.offset;
        joint.rest_rotation = before * joint.rest_rotation * frame;
    });
    let tracks = clip.skeleton().joints().iter().zip(clip.tracks()).map(|(joint, tracks)| {
        let before = joint.parent.map_or(UnitQuaternion::identity(), |_| frame.inverse());
        JointTracks {
            rotation: tracks.rotation.map(|q| before * q * frame),
            translation: tracks.translation.as_ref().map(|track| track.map(|v| before * v)),
            scale: None,
        }
    });
    Clip::new(Arc::new(skeleton.unwrap()), clip.rate(), clip.frames(), tracks.collect()).unwrap()
}

/// The greatest distance of a joint in one motion from its place in another [m].
fn apart(a: &Clip, b: &Clip) -> f64 {
    let (mut x, mut y) = (ForwardKinematics::new(a), ForwardKinematics::new(b));
    let mut most = 0.0f64;
    for frame in 0..a.frames() {
        x.place(frame);
        y.place(frame);
        let far = a.skeleton().iter().map(|(id, _)| (x.position(id) - y.position(id)).norm());
        most = far.fold(most, f64::max);
    }
    most * mocap_analysis::metres_per_unit(a.skeleton())
}

fn retarget(source: &Clip, target: &Skeleton) -> Clip {
    let options = RetargetOptions::default();
    Retargeter::new(source.skeleton(), target, &options).unwrap().retarget(source).unwrap().0
}

/// Every way, and the small turns at which a body might be taken for one that faces ahead.
const ANGLES: [f64; 12] = [1.0, 5.0, 10.0, 20.0, 30.0, 36.0, 45.0, 90.0, 135.0, 180.0, 250.0, 340.0];

#[test]
fn a_target_moves_alike_whichever_way_its_rest_pose_faces() {
    let (source, target) = (clip("alex_walk.bvh").trimmed(0..60).unwrap(), clip("robin_walk.bvh"));
    let plain = retarget(&source, target.skeleton());
    for degrees in ANGLES {
        for baked in [false, true] {
            let off = apart(&plain, &retarget(&source, turned(&target, degrees, baked).skeleton()));
            assert!(off < 1e-4, "{degrees}°, baked {baked}: {off} m");
        }
    }
}

#[test]
fn a_source_moves_others_alike_whichever_way_its_rest_pose_faces() {
    let (source, target) = (clip("alex_walk.bvh").trimmed(0..60).unwrap(), clip("robin_walk.bvh"));
    let plain = retarget(&source, target.skeleton());
    for degrees in ANGLES {
        for baked in [false, true] {
            let source = turned(&source, degrees, baked);
            let off = apart(&plain, &retarget(&source, target.skeleton()));
            assert!(off < 1e-4, "{degrees}°, baked {baked}: {off} m");
        }
    }
}

/// Below a tilted node, for example.
#[test]
fn bodies_that_lean_at_rest_move_alike() {
    let (source, target) = (clip("alex_walk.bvh").trimmed(0..60).unwrap(), clip("robin_walk.bvh"));
    let plain = retarget(&source, target.skeleton());
    for axis in [Vector3::x(), Vector3::z(), Vector3::new(0.6, 0.0, -0.8)] {
        for degrees in [-30.0f64, -20.0, -10.0, 10.0, 20.0, 30.0] {
            let lean = exp(&(axis * degrees.to_radians()));
            for baked in [false, true] {
                let leaning = turned_by(&target, lean, baked);
                let off = apart(&plain, &retarget(&source, leaning.skeleton()));
                assert!(off < 0.02, "target {axis}, {degrees}°, baked {baked}: {off} m");
                let off = apart(&plain, &retarget(&turned_by(&source, lean, baked), target.skeleton()));
                assert!(off < 0.02, "source {axis}, {degrees}°, baked {baked}: {off} m");
            }
        }
    }
}

/// Roles are then found by shape.
#[test]
fn a_target_with_names_that_say_nothing_moves_alike_too() {
    let (source, target) = (clip("alex_walk.bvh").trimmed(0..60).unwrap(), clip("robin_walk.bvh"));
    let renamed = |skeleton: &Skeleton| {
        let mut at = 0;
        let renamed = skeleton.with_joints(|joint| {
            joint.name = format!("Node_{:03}", (at * 37) % 101);
            at += 1;
        });
        renamed.unwrap()
    };
    let plain = retarget(&source, &renamed(target.skeleton()));
    for degrees in [20.0, 30.0, 90.0, 340.0] {
        let off = apart(&plain, &retarget(&source, &renamed(turned(&target, degrees, true).skeleton())));
        assert!(off < 1e-4, "{degrees}°: {off} m");
    }
}
