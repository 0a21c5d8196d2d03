//! Gazes: independent of the rest pose of a file, a head that faces ahead rotates little to look ahead.

use crate::{clip, figure};
use mocap_edit::{LookAt, Warp, WarpChange, WarpKey, warp};
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Track, UnitQuaternion, Vector3};
use mocap_retarget::map_roles_in;

/// Around a moment, the warp takes this time \[s\].
const AROUND: f64 = 0.3;
/// Clips in which the body looks where it faces, with a moment \[s\].
const AHEAD: [(&str, f64); 8] = [
    ("bandai/dataset-1_walk_normal_001.bvh", 1.2),
    ("bandai/dataset-1_run_normal_001.bvh", 0.4),
    ("bandai2/dataset-2_walk_normal_001.bvh", 1.2),
    ("cmu/12_01_walk.bvh", 1.5),
    ("iclone/007_12.bvh", 1.0),
    ("misc/games105_walk60.bvh", 1.0),
    ("misc/xia_neutral_01.bvh", 1.0),
    ("characters/mousey_salsa.bvh", 1.0),
];

/// How far the head turns to look at places ahead of the body and behind it, 10 statures away \[degrees\].
fn turns(clip: &Clip, time: f64) -> [f64; 2] {
    let skeleton = map_roles_in(clip).certain().apply(clip.skeleton());
    let [hips, head, left, right] = [Role::Hips, Role::Head, Role::LeftUpperLeg, Role::RightUpperLeg]
        .map(|role| skeleton.with_role(role).unwrap());
    let frame = (time * clip.rate().fps()).round() as usize;
    let placed = |clip: &Clip, joint| {
        let mut kinematics = ForwardKinematics::new(clip);
        kinematics.place(frame);
        let placed = kinematics.at(joint);
        (placed.translation.vector, placed.rotation)
    };
    let (at, before) = placed(clip, head);
    let up = skeleton.space().up.vector();
    let facing = (placed(clip, left).0 - placed(clip, right).0).cross(&up).normalize();
    let far = 20.0 * (at - placed(clip, hips).0).norm();
    [1.0, -1.0].map(|side| {
        let look = WarpChange::LookAt(LookAt::new(at + facing * (side * far)));
        let key = WarpKey { time, joint: "Head".into(), change: look };
        let (moved, report) = warp(clip, &Warp::new(time - AROUND, time + AROUND, vec![key])).unwrap();
        let turned = placed(&moved, head).1.angle_to(&before).to_degrees();
        // The remaining error is the rotation that the limits prevented.
        turned + figure(&report, "gaze-error")
    })
}

pub(crate) fn heads_that_face_ahead_turn_little_to_look_ahead() {
    for (path, time) in AHEAD {
        let [ahead, behind] = turns(&clip(path), time);
        mocap_corpus::note!("{path}: {ahead:.1} degrees to look ahead, {behind:.1} behind");
        assert!(ahead < 50.0 && behind > 110.0, "{path}: {ahead} {behind}");
    }
}

/// The same motion with other joint axes, different for each joint: the rest pose is then arbitrary.
fn with_other_axes(clip: &Clip) -> Clip {
    let axes = |id: usize| {
        let angle = id as f64;
        UnitQuaternion::new(Vector3::new(angle.sin(), (1.7 * angle).cos(), (0.6 * angle).sin()) * 1.8)
    };
    let above =
        |parent: Option<JointId>| parent.map_or(UnitQuaternion::identity(), |id| axes(id.index()).inverse());
    let skeleton = clip.skeleton().with_joints(|joint| {
        joint.offset = above(joint.parent) * joint.offset;
    });
    let tracks = clip.skeleton().iter().zip(clip.tracks()).map(|((id, joint), tracks)| {
        let turn = |frame: usize| above(joint.parent) * tracks.rotation.at(frame) * axes(id.index());
        let mut tracks = tracks.clone();
        tracks.translation =
            tracks.translation.as_ref().map(|track| track.map(|at| above(joint.parent) * at));
        tracks.rotation = Track::Sampled((0..clip.frames()).map(turn).collect());
        tracks
    });
    Clip::new(skeleton.unwrap().into(), clip.rate(), clip.frames(), tracks.collect()).unwrap()
}

/// Rotations of heads do not depend on the axes of joints and the rest pose.
pub(crate) fn heads_of_fixtures_turn_alike_whatever_their_axes() {
    let walk = crate::read(&mocap_corpus::fixture("clips/alex_walk.bvh"));
    let [ahead, behind] = turns(&walk, 1.2);
    assert!(ahead < 40.0 && behind > 120.0, "{ahead} {behind}");
    let [other, other_behind] = turns(&with_other_axes(&walk), 1.2);
    assert!(
        (ahead - other).abs() < 10.0 && (behind - other_behind).abs() < 10.0,
        "{ahead} {other} {behind} {other_behind}"
    );
}
