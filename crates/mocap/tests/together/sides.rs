//! What a scene of their own must not change: places of people far from the origin, and what has a left and a right.

use std::sync::Arc;

use crate::bodies::{capsules, raised_hands};
use crate::made::moved;
use crate::scene::put;
use mocap::model::{ForwardKinematics, JointId, Limit};
use mocap::{Clip, Target, TargetReport, Vector3};

/// Two who wave 2 m from each other, 20 m from the origin, on bodies that are a fifth smaller and larger: nothing of them
/// touches, so only their places change. Alone, they are 10 m apart.
pub(crate) fn people_far_from_the_origin_keep_their_distance() {
    let wave = mocap::read(mocap_corpus::fixture("clips/alex_wave.bvh")).expect("a sound file").value;
    let people = [1900.0, 2100.0].map(|x| moved(&wave, 0.0, Vector3::x() * x));
    let targets = [0.8, 1.2].map(|scale| {
        let skeleton = wave.skeleton().with_joints(|joint| joint.offset *= scale).expect("a tree");
        Target::new(Arc::new(skeleton))
    });
    let done = put(&people, [&targets[0], &targets[1]]);
    let hips = |clip: &Clip| {
        let mut placed = ForwardKinematics::new(clip);
        placed.place(0);
        let at = placed.position(JointId(0));
        Vector3::new(at.x, 0.0, at.z)
    };
    let [a, b] = [0, 1].map(|i| hips(&done.people[i].0));
    // A fifth of a distance may be missing.
    assert!(((a - b).norm() / 200.0 - 1.0).abs() < 0.22, "{a} {b}");
    assert!(done.between[0].1.changed);
}

/// One elbow of a target bends less than the other: its limits hold, whichever side the other person is on.
pub(crate) fn limits_of_one_side_hold_in_mirrored_scenes() {
    let made = raised_hands();
    let mirrored = made.people.each_ref().map(|clip| mocap::edit::mirror(clip).expect("a body").0);
    let other = capsules("bodies/short_legs.skel", |_| ());
    for name in ["lowerarm_l", "lowerarm_r"] {
        let mut found = false;
        let limited = capsules("clips/robin.skel", |joint| {
            if joint.name == name {
                joint.dofs.limits[0] = Some(Limit { min: 0.0, max: 0.2 });
                found = true;
            }
        });
        assert!(found, "{name}");
        for people in [&made.people, &mirrored] {
            let done = put(people, [&limited, &other]);
            let TargetReport::Body(report) = &done.people[0].1 else { panic!("a body") };
            assert_eq!(report.limits.violations, 0, "{name}: {:?}", report.limits);
        }
    }
}
