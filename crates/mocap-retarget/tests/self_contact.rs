//! Hands that meet in front of a body meet on another body, whose shoulders and arms are of other lengths.

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

fn wrists(clip: &Clip, frame: usize) -> f64 {
    let roles = map_roles(clip.skeleton());
    let (mut local, mut object) = (Pose::default(), Pose::default());
    clip.local_pose(frame, &mut local);
    local.to_object(clip.skeleton(), &mut object);
    let [left, right] = [Role::LeftHand, Role::RightHand]
        .map(|role| object.joints[roles.joint(role).unwrap().index()].translation.vector);
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
    // Robin with shoulders half as far apart: unplanned, the hands would cross.
    let roles = map_roles(target.skeleton());
    let mut id = 0;
    let narrow = target.skeleton().with_joints(|joint| {
        if matches!(roles.role(JointId(id)), Some(Role::LeftUpperArm | Role::RightUpperArm)) {
            joint.offset *= 0.5;
        }
        id += 1;
    });
    let narrow = narrow.unwrap();
    let distance = |angle: &f64| wrists(&arms_forward(source.skeleton(), *angle), 0);
    let angles = (0..180).map(|degrees| f64::from(degrees).to_radians());
    let meet = angles.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
    let together = arms_forward(source.skeleton(), meet);
    let run = |self_contacts: bool| {
        let options = RetargetOptions { self_contacts, ..RetargetOptions::default() };
        let retargeter = Retargeter::new(source.skeleton(), &narrow, &options).unwrap();
        let (motion, report) = retargeter.retarget(&together).unwrap();
        (wrists(&motion, 30) * report.metres[1], report)
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
