//! Hands that meet in front of a body meet on another body, whose shoulders and arms are of other lengths.

use mocap_analysis::trajectories;
use mocap_formats::{Limits, bvh};
use mocap_model::*;
use mocap_retarget::{RetargetOptions, Retargeter, map_roles};
use std::path::Path;
use std::sync::Arc;

fn clip(name: &str) -> Clip {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips").join(name);
    let document = bvh::parse(&std::fs::read(path).unwrap(), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

/// The distance between the palms: a seventh of an arm from the wrists, towards the fingers.
fn palms(clip: &Clip, frame: usize) -> f64 {
    let (skeleton, roles) = (clip.skeleton(), map_roles(clip.skeleton()));
    let (mut local, mut object) = (Pose::default(), Pose::default());
    clip.local_pose(frame, &mut local);
    local.to_object(skeleton, &mut object);
    let length = |role: Role| skeleton.joint(roles.joint(role).unwrap()).offset.norm();
    let arm = length(Role::LeftLowerArm) + length(Role::LeftHand);
    let [left, right] = [Role::LeftHand, Role::RightHand].map(|role| {
        let hand = roles.joint(role).unwrap();
        let fingers = skeleton.joint(skeleton.children(hand)[0]).offset.normalize();
        let wrist = object.joints[hand.index()];
        wrist.translation.vector + wrist.rotation * fingers * (0.15 * arm)
    });
    (left - right).norm()
}

/// The skeleton standing still with both arms turned forward by an angle.
fn arms_forward(skeleton: &Arc<Skeleton>, angle: f64) -> Clip {
    let roles = map_roles(skeleton);
    let (rest, mut object) = (Pose::rest(skeleton), Pose::default());
    rest.to_object(skeleton, &mut object);
    let tracks = skeleton.iter().map(|(id, joint)| {
        let turn = match roles.role(id) {
            Some(Role::LeftUpperArm) => -angle,
            Some(Role::RightUpperArm) => angle,
            _ => return JointTracks::at_rest(joint),
        };
        let above = object.joints[joint.parent.unwrap().index()].rotation;
        let turn = above.inverse() * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), turn) * above;
        JointTracks::new(Track::Constant(turn * joint.rest_rotation), None)
    });
    Clip::new(skeleton.clone(), FrameRate::new(30.0).unwrap(), 60, tracks.collect()).unwrap()
}

#[test]
fn hands_that_meet_meet_on_another_body() {
    let (source, target) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    // Robin with shoulders half as far apart: without self-contacts, the hands would cross.
    let roles = map_roles(target.skeleton());
    let mut id = 0;
    let narrow = target.skeleton().with_joints(|joint| {
        if matches!(roles.role(JointId(id)), Some(Role::LeftUpperArm | Role::RightUpperArm)) {
            joint.offset *= 0.5;
        }
        id += 1;
    });
    let narrow = narrow.unwrap();
    let distance = |angle: &f64| palms(&arms_forward(source.skeleton(), *angle), 0);
    let angles = (0..180).map(|degrees| f64::from(degrees).to_radians());
    let meet = angles.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
    let together = arms_forward(source.skeleton(), meet);
    let run = |self_contacts: bool| {
        let options = RetargetOptions { self_contacts, ..RetargetOptions::default() };
        let retargeter = Retargeter::new(source.skeleton(), &narrow, &options).unwrap();
        let (motion, report) = retargeter.retarget(&together).unwrap();
        (palms(&motion, 30) * report.metres[1], report)
    };
    let [(apart, free), (near, touched)] = [false, true].map(run);
    let wished = distance(&meet) * touched.scale.arm.unwrap() * touched.metres[1];
    assert!(free.self_contacts.is_empty() && touched.self_contacts.len() == 2, "{:?}", touched.self_contacts);
    assert!((near - wished).abs() < 0.03, "{near} m, {wished} m in the source, scaled");
    assert!(apart - wished > 0.05, "{apart} m without");
    for contact in &touched.self_contacts {
        assert!(contact.contacts.len() == 1 && contact.contacts[0] == (0..60), "{contact:?}");
        assert!(contact.error < 0.01, "{contact:?}");
    }
}

/// The distance between the wrists in each frame, in arms.
fn apart(clip: &Clip) -> Vec<f64> {
    let roles = map_roles(clip.skeleton());
    let joints = [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand, Role::RightHand];
    let [shoulder, elbow, left, right] =
        &trajectories(clip, &joints.map(|role| roles.joint(role).unwrap()))[..]
    else {
        unreachable!()
    };
    let arm = (shoulder[0] - elbow[0]).norm() + (elbow[0] - left[0]).norm();
    left.iter().zip(right).map(|(left, right)| (left - right).norm() / arm).collect()
}

#[test]
fn claps_clap_on_another_body() {
    let (source, target) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
    let roles = map_roles(source.skeleton());
    let angles = (0..180).map(|degrees| f64::from(degrees).to_radians());
    let distance = |angle: &f64| palms(&arms_forward(source.skeleton(), *angle), 0);
    let meet = angles.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
    // Two claps in a second.
    let frames = 30;
    let turn = |frame: usize| {
        let phase = f64::from(u32::try_from(frame % 15).unwrap()) - 7.0;
        meet * (0.6 + 0.35 * (phase * std::f64::consts::TAU / 15.0).cos())
    };
    let poses: Vec<Clip> = (0..frames).map(|frame| arms_forward(source.skeleton(), turn(frame))).collect();
    let tracks = source.skeleton().iter().map(|(id, joint)| match roles.role(id) {
        Some(Role::LeftUpperArm | Role::RightUpperArm) => {
            let turns = poses.iter().map(|pose| pose.track(id).rotation.at(0)).collect();
            JointTracks::new(Track::Sampled(turns), None)
        }
        _ => JointTracks::at_rest(joint),
    });
    let tracks = tracks.collect();
    let claps = Clip::new(source.skeleton().clone(), FrameRate::new(30.0).unwrap(), frames, tracks).unwrap();
    // Wide shoulders: without self-contacts, the hands would never meet.
    let wide = target.skeleton().with_joints(|joint| {
        if joint.name.starts_with("clavicle") || joint.name.starts_with("upperarm") {
            joint.offset *= 1.6;
        }
    });
    let wide = wide.unwrap();
    let run = |self_contacts: bool| {
        let options = RetargetOptions { self_contacts, ..RetargetOptions::default() };
        Retargeter::new(claps.skeleton(), &wide, &options).unwrap().retarget(&claps).unwrap()
    };
    let [(free, _), (kept, report)] = [false, true].map(run);
    let [was, free, kept] = [&claps, &free, &kept].map(apart);
    for frame in [7, 22] {
        assert!(was[frame] < 0.5 && kept[frame] < was[frame] + 0.05, "{} {}", was[frame], kept[frame]);
        assert!(free[frame] > was[frame] + 0.1, "{} {}", was[frame], free[frame]);
    }
    assert_eq!(report.self_contacts.len(), 2);
}
