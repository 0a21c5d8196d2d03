//! One character has one reference pose, whichever of its clips shows it.

use crate::clip::{fixture, real};
use mocap_model::{Clip, JointId, JointTracks, Pose, Role, UnitQuaternion, Vector3, rotation_between};
use mocap_retarget::{RetargetOptions, Retargeter, estimate_rest_pose, map_roles_in};
use std::sync::Arc;

/// Clips of one character each, whose offsets are no T- or A-pose.
const CHARACTERS: [&[&str]; 2] = [
    &[
        "iclone/001_08.bvh",
        "iclone/001_14.bvh",
        "iclone/002_05.bvh",
        "iclone/005_10.bvh",
        "iclone/007_12.bvh",
        "iclone/002_01.bvh",
        "iclone/007_01.bvh",
    ],
    &[
        "bandai/dataset-1_bow_active_001.bvh",
        "bandai/dataset-1_dance-short_normal_001.bvh",
        "bandai/dataset-1_dash_normal_001.bvh",
        "bandai/dataset-1_kick_normal_001.bvh",
        "bandai/dataset-1_run_normal_001.bvh",
        "bandai/dataset-1_walk_normal_001.bvh",
    ],
];

/// The reference pose in object space.
fn posed(clip: &Clip) -> Pose {
    let (pose, mut object) = (estimate_rest_pose(clip).unwrap(), Pose::default());
    pose.to_object(clip.skeleton(), &mut object);
    object
}

fn have_one_pose<'a>(clips: impl IntoIterator<Item = (&'a str, Clip)>) {
    let mut first: Option<(Clip, Pose)> = None;
    for (path, clip) in clips {
        let pose = posed(&clip);
        let Some((other, known)) = &first else {
            first = Some((clip, pose));
            continue;
        };
        for (id, joint) in clip.skeleton().iter().filter(|(_, joint)| !joint.end_site) {
            let Some(twin) = other.skeleton().find(&joint.name) else { continue };
            let angle = pose.joints[id.index()].rotation.angle_to(&known.joints[twin.index()].rotation);
            assert!(angle.to_degrees() <= 1.0, "{path}: {} by {}°", joint.name, angle.to_degrees());
        }
    }
}

pub(crate) fn a_character_has_one_reference_pose() {
    for clips in CHARACTERS {
        have_one_pose(clips.iter().map(|path| (*path, real(path, 0))));
    }
}

/// The offsets of legs and feet all along X, as some exporters write them; the motion is the same.
fn lying(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let frame = |id: JointId| match skeleton.children(id) {
        [next, ..] if ["UpLeg", "Leg", "Foot"].iter().any(|end| skeleton.joint(id).name.ends_with(end)) => {
            rotation_between(&Vector3::x(), &skeleton.joint(*next).offset)
        }
        _ => UnitQuaternion::identity(),
    };
    let above = |id: Option<JointId>| id.map_or(UnitQuaternion::identity(), frame);
    let turned = skeleton.with_joints(|joint| joint.offset = above(joint.parent).inverse() * joint.offset);
    let tracks = skeleton.iter().zip(clip.tracks()).map(|((id, joint), tracks)| JointTracks {
        rotation: tracks.rotation.map(|turn| above(joint.parent).inverse() * turn * frame(id)),
        ..tracks.clone()
    });
    let tracks = tracks.collect();
    Clip::new(Arc::new(turned.unwrap()), clip.rate(), clip.frames(), tracks).unwrap()
}

pub(crate) fn a_fixture_has_one_reference_pose() {
    let clips = ["alex_walk.bvh", "alex_turn.bvh", "alex_jump.bvh", "alex_wave.bvh"];
    have_one_pose(clips.map(|name| (name, lying(&fixture(name)))));
}

/// How far the first joint below the head is from straight above it \[deg\].
fn head_tilt(clip: &Clip, pose: &Pose) -> f64 {
    let head = map_roles_in(clip).joint(Role::Head).unwrap();
    let at = |joint: JointId| pose.joints[joint.index()].translation.vector;
    let above = at(clip.skeleton().children(head)[0]) - at(head);
    above.angle(&clip.skeleton().space().up.vector()).to_degrees()
}

pub(crate) fn heads_with_frames_of_their_own_face_ahead() {
    let (dance, target) = (real("misc/rokoko_dance.bvh", 0), real("misc/games105_motion_65joints.bvh", 0));
    let retargeter =
        Retargeter::new(dance.skeleton(), target.skeleton(), &RetargetOptions::default()).unwrap();
    let motion = retargeter.retarget_clip(&dance).unwrap();
    let (mut local, mut object) = (Pose::default(), Pose::default());
    let tilts = (0..motion.frames()).map(|frame| {
        motion.local_pose(frame, &mut local);
        local.to_object(motion.skeleton(), &mut object);
        head_tilt(&motion, &object)
    });
    let mean = tilts.sum::<f64>() / motion.frames() as f64;
    assert!(mean < 30.0, "{mean}°");
}

/// The same motion with the frame of a joint turned.
fn with_frame(clip: &Clip, of: JointId, frame: &UnitQuaternion<f64>) -> Clip {
    let skeleton = clip.skeleton().with_joints(|joint| {
        if joint.parent == Some(of) {
            joint.offset = frame.inverse() * joint.offset;
        }
    });
    let tracks = clip.skeleton().iter().zip(clip.tracks()).map(|((id, joint), tracks)| {
        let rotation = match (id == of, joint.parent == Some(of)) {
            (true, _) => tracks.rotation.map(|turn| turn * frame),
            (_, true) => tracks.rotation.map(|turn| frame.inverse() * turn),
            _ => tracks.rotation.clone(),
        };
        JointTracks { rotation, ..tracks.clone() }
    });
    let tracks = tracks.collect();
    Clip::new(Arc::new(skeleton.unwrap()), clip.rate(), clip.frames(), tracks).unwrap()
}

pub(crate) fn frames_of_spine_and_neck_that_are_rolled_make_no_difference() {
    let clip = lying(&fixture("alex_walk.bvh"));
    let pose = posed(&clip);
    let roles = map_roles_in(&clip);
    for role in [Role::Spine, Role::Chest, Role::Neck] {
        let joint = roles.joint(role).unwrap();
        for quarters in 1..4 {
            let frame = UnitQuaternion::new(Vector3::y() * f64::from(quarters) * std::f64::consts::FRAC_PI_2);
            let rolled = posed(&with_frame(&clip, joint, &frame));
            for (id, of) in clip.skeleton().iter() {
                let own = if id == joint { frame } else { UnitQuaternion::identity() };
                let wanted = pose.joints[id.index()].rotation * own;
                let off = rolled.joints[id.index()].rotation.angle_to(&wanted).to_degrees();
                assert!(off < 1e-3, "{role}, {quarters} quarters: {} by {off}°", of.name);
            }
        }
    }
}

pub(crate) fn a_head_that_is_turned_all_the_time_faces_ahead() {
    let clip = lying(&fixture("alex_walk.bvh"));
    let head = map_roles_in(&clip).joint(Role::Head).unwrap();
    let quarter = UnitQuaternion::new(Vector3::z() * -std::f64::consts::FRAC_PI_2);
    let turned = with_frame(&clip, head, &quarter);
    let [straight, found] = [&clip, &turned].map(|clip| head_tilt(clip, &posed(clip)));
    assert!((found - straight).abs() < 1.0, "{straight}° {found}°");
}
