//! Who is head down, or carries the body on the hands.

use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, JointTracks, RobotMotion, Role, Track, Vector3,
};
use mocap_robot::{Humanoid, RobotOptions, RobotReport, retarget};

use crate::lying::{CENTIMETRES, put, stands, tilted};
use crate::own_motion::pip;

/// The joints of an arm from shoulder to wrist, by side.
const ARMS: [[Role; 3]; 2] = [
    [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
    [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
];

fn joint(clip: &Clip, role: Role) -> JointId {
    clip.skeleton().with_role(role).expect("the fixture has it")
}

/// The clip with both arms straight down in the first frame, and as they are then in all others.
fn arms_down(clip: &Clip) -> Clip {
    let mut tracks: Vec<JointTracks> = clip.tracks().to_vec();
    for arm in ARMS {
        let [shoulder, elbow, wrist] = arm.map(|role| joint(clip, role));
        let mut kinematics = ForwardKinematics::new(clip);
        kinematics.place(0);
        let parent = clip.skeleton().joints()[shoulder.index()].parent.expect("a shoulder has a parent");
        let mut above = kinematics.at(parent).rotation;
        for (joint, next) in [(shoulder, elbow), (elbow, wrist)] {
            let along = clip.skeleton().joints()[next.index()].offset;
            let down = above.inverse() * -Vector3::y();
            let turn = mocap_model::rotation_between(&along, &down);
            tracks[joint.index()].rotation = Track::Constant(turn);
            above *= turn;
        }
    }
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).expect("the same joints")
}

/// The height of a joint over the lower toe in the first frame \[m\].
fn height(clip: &Clip, role: Role) -> f64 {
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(0);
    let at = |role: Role| kinematics.position(joint(clip, role)).y * CENTIMETRES;
    at(role) - at(Role::LeftToes).min(at(Role::RightToes))
}

/// Prone on hands and toes, with straight arms: a push-up that is held.
fn push_up() -> Clip {
    let at = |angle: f64| arms_down(&tilted(&stands(), Vector3::x() * angle, 0.5));
    // The steeper, the lower are the hands.
    let (mut steep, mut flat) = (0.5, 1.57);
    for _ in 0..30 {
        let middle = (steep + flat) / 2.0;
        let above = height(&at(middle), Role::LeftHand) > 0.05;
        *if above { &mut steep } else { &mut flat } = middle;
    }
    at(flat)
}

/// Heights of the lowest point of each hand in each frame \[m\].
fn hands(robot: &mocap_model::Robot, motion: &RobotMotion) -> Vec<f64> {
    let humanoid = Humanoid::find(robot).expect("a humanoid");
    let arms = humanoid.arms.expect("arms");
    let of = |placed: &[Isometry3<f64>], body: usize| {
        let shapes = robot.shapes().iter().filter(|shape| shape.body == body);
        let heights = shapes.map(|shape| shape.lowest(&placed[body], &Vector3::z()));
        heights.fold(f64::INFINITY, f64::min).min(f64::MAX)
    };
    let placed = motion.poses.iter().map(|pose| robot.place(&pose.base, &pose.values));
    placed
        .flat_map(|placed: Vec<Isometry3<f64>>| arms.each_ref().map(|arm| of(&placed, arm.end.body)))
        .collect()
}

/// Limbs are off by less than this \[degrees\].
fn follows(name: &str, report: &RobotReport, most: f64) {
    let follow = report.follow;
    let limbs = [follow.trunk, follow.trunk_max, follow.thigh, follow.shank, follow.upper_arm.expect("arms")];
    assert!(limbs.iter().all(|off| *off < most), "{name}: {follow:?}");
}

#[test]
fn who_is_head_down_all_the_time_stays_so() {
    for (name, about) in [("over the head", Vector3::x()), ("over the side", Vector3::z())] {
        for angle in [120.0_f64, 150.0, 180.0, 210.0] {
            let clip = tilted(&stands(), about * angle.to_radians(), 1.0);
            let (_, report) = put(&clip, &pip());
            follows(&format!("{angle}° {name}"), &report, 6.0);
        }
    }
}

#[test]
fn who_stands_on_the_hands_begins_with_arms_over_the_head() {
    let clip = arms_down(&tilted(&stands(), Vector3::x() * std::f64::consts::PI, 1.0));
    for robot in [pip(), pip().scaled(3.0).expect("a robot")] {
        let (_, report) = put(&clip, &robot);
        // The trunk gives way for hands that are held.
        follows("handstand", &report, 8.0);
        assert_eq!(report.hands.len(), 2, "{report:?}");
        assert!(report.hands.iter().all(|hand| hand.off_frames == 0), "{:?}", report.hands);
        assert!(report.float_p95.is_none(), "{report:?}");
    }
}

#[test]
fn feet_in_the_air_do_not_stand() {
    let clip = tilted(&stands(), Vector3::x() * std::f64::consts::PI, 1.0);
    let (pelvis, report) = put(&clip, &pip());
    let robot = pip();
    let leg = Humanoid::find(&robot).expect("a humanoid").legs[0].lengths.iter().sum::<f64>();
    let lowest = pelvis.into_iter().fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.5 * leg, "the pelvis is {lowest} m up with legs of {leg} m");
    assert!(report.float_p95.is_none() && report.penetration.max < 1e-9, "{report:?}");
}

#[test]
fn hands_that_carry_the_body_are_on_the_floor() {
    let clip = push_up();
    assert!((height(&clip, Role::LeftHand) - 0.05).abs() < 0.01, "{}", height(&clip, Role::LeftHand));
    let robot = pip();
    let (motion, report) =
        retarget(&clip, CENTIMETRES, &robot, &RobotOptions::default()).expect("a humanoid");
    assert_eq!(report.hands.len(), 2, "{report:?}");
    for hand in &report.hands {
        assert_eq!((hand.contact_frames, hand.off_frames), (motion.poses.len(), 0), "{hand:?}");
    }
    let highest = hands(&robot, &motion).into_iter().fold(0.0, f64::max);
    assert!(highest < 0.02, "a hand is {highest} m over the floor");
    assert!(report.follow.trunk_max < 15.0, "{:?}", report.follow);
    // Who stands does not lean on the hands.
    assert!(put(&stands(), &robot).1.hands.is_empty());
}
