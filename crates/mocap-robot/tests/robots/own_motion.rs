//! Motions of the robot itself: they stay as they are.

use std::sync::Arc;

use mocap_formats::Limits;
use mocap_model::{
    Clip, FrameRate, Isometry3, Limit, Robot, RobotMotion, RobotPose, Role, Skeleton, UnitQuaternion, Vector3,
};
use mocap_robot::{Bends, Follows, Humanoid, RobotMap, RobotOptions, own_roles, rest_values, retarget};

/// The robot of the fixtures.
pub(crate) fn pip() -> Robot {
    let model = std::fs::read(mocap_corpus::fixture("robots").join("pip.xml")).expect("a model");
    let no_includes = |_: &str| Err("the model is one file".to_owned());
    mocap_formats::robot::parse(&model, &no_includes, &Limits::default()).expect("a model").value.1
}

/// The robot stands, with values of joints by frame. The clip has the robot's roles.
fn stands(robot: &Robot, frames: usize, set: impl Fn(usize, &str) -> Option<f64>) -> Clip {
    let mut values = rest_values(robot);
    let pose = |frame: usize| {
        for (value, joint) in values.iter_mut().zip(robot.joints()) {
            *value = set(frame, &joint.name).unwrap_or(*value);
        }
        RobotPose { base: Isometry3::translation(0.0, 0.0, 0.58), values: values.clone() }
    };
    let poses = (0..frames).map(pose).collect();
    let motion = RobotMotion { fps: FrameRate::new(30.0).unwrap(), poses };
    with_roles(motion.to_clip(&Arc::new(robot.clone())).unwrap(), robot)
}

fn with_roles(clip: Clip, robot: &Robot) -> Clip {
    let roles = Humanoid::find(robot).unwrap().roles(robot);
    let of = |id| roles.iter().find(|(joint, _)| *joint == id).map(|(_, role)| *role);
    let skeleton = clip.skeleton().with_roles(of);
    clip.with_skeleton(skeleton.into()).unwrap()
}

/// The values of a joint by frame.
fn values(motion: &RobotMotion, robot: &Robot, joint: &str) -> Vec<f64> {
    let joint = robot.find_joint(joint).unwrap();
    motion.poses.iter().map(|pose| pose.values[joint]).collect()
}

#[test]
fn a_value_within_limits_of_more_than_a_turn_stays() {
    let mut parts = pip().into_parts();
    let waist = parts.joints.iter_mut().find(|joint| joint.name == "waist_yaw").unwrap();
    waist.limit = Some(Limit { min: 0.0, max: 12.0 });
    let robot = Robot::new(parts).unwrap();
    for value in [1.0, 3.0] {
        let clip = stands(&robot, 5, |_, joint| (joint == "waist_yaw").then_some(value));
        let (motion, report) = retarget(&clip, 1.0, &robot, &RobotOptions::default()).unwrap();
        assert!((report.leg_ratio - 1.0).abs() < 1e-9);
        let off = values(&motion, &robot, "waist_yaw").into_iter().map(|found| (found - value).abs());
        assert!(off.fold(0.0, f64::max) < 1e-9, "{value}");
    }
}

#[test]
fn a_plan_of_balance_that_is_not_taken_changes_nothing() {
    // It stands with level soles, which no plan makes stand better; its arm jumps faster than it may.
    let robot = pip();
    let jumps = |frame: usize, joint: &str| {
        (joint == "left_shoulder_pitch").then(|| if frame < 15 { 0.0 } else { -0.2 })
    };
    let clip = stands(&robot, 30, jumps);
    let velocities = vec![Some(3.0); robot.joints().len()];
    let put = |balance: bool| {
        let options = RobotOptions { balance, velocities: velocities.clone(), ..RobotOptions::default() };
        retarget(&clip, 1.0, &robot, &options).unwrap().0
    };
    let [plain, balanced] = [false, true].map(put);
    let off = plain.poses.iter().zip(&balanced.poses).flat_map(|(a, b)| {
        let moved = (a.base.translation.vector - b.base.translation.vector).norm();
        let values = a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs());
        values.chain([moved, a.base.rotation.angle_to(&b.base.rotation)]).collect::<Vec<_>>()
    });
    let off = off.fold(0.0, f64::max);
    assert!(off < 1e-9, "{off} rad or m");
}

#[test]
fn joints_of_the_robot_have_its_roles_whatever_a_pose_shows() {
    let robot = pip();
    let clip = stands(&robot, 1, |_, joint| (joint == "left_knee").then_some(1.0));
    let stripped = |change: &dyn Fn(&mut mocap_model::Joint)| {
        let mut joints = clip.skeleton().joints().to_vec();
        joints.iter_mut().for_each(change);
        Skeleton::new("bare", *clip.skeleton().space(), joints).unwrap()
    };
    let bare = stripped(&|joint| joint.role = None);
    let roles = own_roles(&bare, 1.0, &robot, &Bends::default()).unwrap().expect("it is the robot");
    let knee = roles.iter().find(|(_, role)| *role == Role::LeftLowerLeg).unwrap().0;
    assert_eq!(bare.joint(knee).name, "left_knee");
    let longer = stripped(&|joint| joint.offset *= if joint.name == "left_knee" { 1.5 } else { 1.0 });
    assert_eq!(own_roles(&longer, 1.0, &robot, &Bends::default()).unwrap(), None);
    // A file without rotations at rest, whose reader took those of its motion.
    let bent = UnitQuaternion::new(Vector3::y() * 0.4);
    let skeleton = clip.skeleton().with_joints(|joint| {
        if joint.name == "left_knee" {
            joint.rest_rotation = bent;
        }
    });
    let clip = clip.clone().with_skeleton(Arc::new(skeleton.unwrap())).unwrap();
    let (motion, _) = retarget(&clip, 1.0, &robot, &RobotOptions::default()).unwrap();
    assert!((values(&motion, &robot, "left_knee")[0] - 1.0).abs() < 1e-9);
}

#[test]
fn what_drives_a_robot_is_said_of_robots_too() {
    let robot = pip();
    let clip = stands(&robot, 10, |frame, joint| {
        let waves = ["left_shoulder_roll", "left_elbow", "waist_yaw"].contains(&joint);
        waves.then(|| -0.3 + 0.03 * frame as f64)
    });
    let fps = clip.rate();
    let own = RobotMap::of(&clip, 1.0, &robot, &Bends::default(), fps).unwrap();
    assert!(own.same_robot && (own.leg_ratio - 1.0).abs() < 1e-9, "{own}");
    assert!(own.parts.iter().all(|part| part.follows == Follows::Values) && own.others.is_empty(), "{own}");
    assert!(own.to_string().contains("taken over"));
    // On a larger robot, arms that end at the elbow drive arms, and the ratio is that of the retarget.
    let mut parts = robot.clone().into_parts();
    parts.bodies.iter_mut().for_each(|body| body.placement.translation.vector *= 1.5);
    let large = Robot::new(parts).unwrap();
    let on_large = RobotMap::of(&clip, 1.0, &large, &Bends::default(), fps).unwrap();
    let (motion, report) = retarget(&clip, 1.0, &large, &RobotOptions::default()).unwrap();
    assert!(!on_large.same_robot && (on_large.leg_ratio - report.leg_ratio).abs() < 1e-9, "{on_large}");
    let forearm = on_large.parts.iter().find(|part| part.part == "left forearm").expect("it is driven");
    assert_eq!((forearm.source.as_str(), &forearm.robot[..]), ("left_elbow", &["left_elbow".to_owned()][..]));
    assert!(on_large.others.iter().all(|other| !other.joint.contains("shoulder")), "{on_large}");
    // Its chest is what its arms hang on, not its hips.
    let waist = values(&motion, &large, "waist_yaw");
    assert!((waist[9] - waist[0] - 0.27).abs() < 0.05, "{waist:?}");
}

#[test]
fn a_robot_without_ankles_is_a_source() {
    let mut parts = pip().into_parts();
    parts.joints.retain(|joint| !joint.name.contains("ankle"));
    let stiff = Robot::new(parts).unwrap();
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = mocap_retarget::map_roles(walk.skeleton()).apply(walk.skeleton());
    let walk = walk.clone().with_skeleton(skeleton.into()).unwrap();
    let (motion, _) = retarget(&walk, 0.01, &stiff, &RobotOptions::default()).unwrap();
    let clip = with_roles(motion.to_clip(&Arc::new(stiff.clone())).unwrap(), &stiff);
    let role = |role: Role| clip.skeleton().with_role(role).map(|id| &clip.skeleton().joint(id).name);
    assert_eq!(role(Role::LeftFoot).map(String::as_str), Some("left_ankle_link"));
    // A shank without a body at its end shows where it ends too.
    let without = clip.skeleton().with_roles(|id| {
        let role = clip.skeleton().joint(id).role;
        role.filter(|role| !matches!(role, Role::LeftFoot | Role::RightFoot))
    });
    for clip in [clip.clone(), clip.clone().with_skeleton(without.into()).unwrap()] {
        let (_, report) = retarget(&clip, 1.0, &pip(), &RobotOptions::default()).unwrap();
        assert!(report.follow.thigh < 5.0 && report.follow.shank < 5.0, "{report}");
        assert!((report.leg_ratio - 1.0).abs() < 1e-6, "{report}");
    }
}

#[test]
fn the_value_at_which_a_joint_rests_is_a_name_for_it_only() {
    // The same robot, whose joints count from elsewhere.
    let robot = pip();
    let mut parts = robot.clone().into_parts();
    parts.home = None;
    let plain = Robot::new(parts.clone()).unwrap();
    for (index, joint) in parts.joints.iter_mut().enumerate() {
        let by = 0.3 + 0.1 * (index % 3) as f64;
        joint.reference += by;
        joint.limit = joint.limit.map(|limit| Limit { min: limit.min + by, max: limit.max + by });
    }
    assert!(parts.joints.iter().all(|joint| joint.mimic.is_none()));
    let other = Robot::new(parts).unwrap();
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = mocap_retarget::map_roles(walk.skeleton()).apply(walk.skeleton());
    let walk = walk.clone().with_skeleton(skeleton.into()).unwrap();
    let put = |robot: &Robot| retarget(&walk, 0.01, robot, &RobotOptions::default()).unwrap().0;
    let [expected, found] = [put(&plain), put(&other)];
    for (a, b) in expected.poses.iter().zip(&found.poses) {
        let [a, b] = [(&plain, a), (&other, b)].map(|(robot, pose)| robot.place(&pose.base, &pose.values));
        let off = a.iter().zip(&b).map(|(a, b)| (a.translation.vector - b.translation.vector).norm());
        assert!(off.fold(0.0, f64::max) < 1e-9);
    }
}

#[test]
fn turns_nearly_about_their_axes_are_values_and_others_are_fitted() {
    let robot = pip();
    let waves = |frame: usize, joint: &str| {
        ["left_elbow", "left_shoulder_pitch"].contains(&joint).then_some(-0.3 - 0.02 * frame as f64)
    };
    let clip = stands(&robot, 10, waves);
    let elbow = robot.find_joint("left_elbow").unwrap();
    let across = robot.joints()[elbow].axis.cross(&Vector3::new(0.3, 0.5, 0.8)).normalize();
    let id = robot.skeleton_joints()[elbow];
    // One joint in one frame is off.
    for (degrees, is_own) in [(0.0, true), (0.7, true), (3.0, false)] {
        let mut tracks = clip.tracks().to_vec();
        let mut turns: Vec<_> = (0..clip.frames()).map(|frame| clip.local(id, frame).rotation).collect();
        turns[4] *= UnitQuaternion::new(across * f64::to_radians(degrees));
        tracks[id.index()].rotation = mocap_model::Track::from_samples(turns).unwrap();
        let clip = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
        let map = RobotMap::of(&clip, 1.0, &robot, &Bends::default(), clip.rate()).unwrap();
        assert_eq!(map.same_robot, is_own, "{degrees}°");
        let (motion, _) = retarget(&clip, 1.0, &robot, &RobotOptions::default()).unwrap();
        let off = values(&motion, &robot, "left_elbow").into_iter().enumerate();
        let off = off.map(|(frame, value)| (value + 0.3 + 0.02 * frame as f64).abs()).fold(0.0, f64::max);
        assert!(!is_own || off < 0.01, "{degrees}°: {off} rad");
    }
}

/// The robot of the fixtures with hands, whose arms may be out to the sides at zero, about other axes; names and lengths
/// stay.
fn with_arms(out: bool) -> Robot {
    let mut parts = pip().into_parts();
    parts.home = None;
    // Out or down, arms reach all the same.
    let of_arms = parts
        .joints
        .iter_mut()
        .filter(|joint| ["shoulder", "elbow"].iter().any(|word| joint.name.contains(word)));
    of_arms.for_each(|joint| joint.limit = Some(Limit { min: -3.0, max: 3.0 }));
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let find =
            |name: &str| parts.bodies.iter().position(|body| body.name == format!("{side}_{name}")).unwrap();
        let [upper, forearm] = ["upper_arm", "forearm"].map(find);
        let hand = parts.bodies[forearm].clone();
        parts.bodies.push(mocap_model::RobotBody {
            name: format!("{side}_hand"),
            parent: Some(forearm),
            ..hand
        });
        if !out {
            continue;
        }
        // Maps down to out, and so every part of the arm.
        let turn = UnitQuaternion::new(Vector3::x() * (sign * std::f64::consts::FRAC_PI_2));
        let turned = Isometry3::from_parts(Vector3::zeros().into(), turn);
        let hand = parts.bodies.len() - 1;
        for body in [forearm, hand] {
            let placement = &mut parts.bodies[body].placement.translation.vector;
            *placement = turn * *placement;
        }
        for body in [upper, forearm, hand] {
            parts.bodies[body].centre_of_mass = turn * parts.bodies[body].centre_of_mass;
        }
        for joint in parts.joints.iter_mut().filter(|joint| [upper, forearm].contains(&joint.body)) {
            joint.axis = turn * joint.axis;
        }
        for shape in parts.shapes.iter_mut().filter(|shape| [upper, forearm].contains(&shape.body)) {
            shape.placement = turned * shape.placement;
        }
    }
    Robot::new(parts).unwrap()
}

#[test]
fn a_robot_of_another_zero_pose_is_another_one() {
    let [source, target] = [false, true].map(with_arms);
    let clip = stands(&source, 10, |frame, joint| {
        let waves = ["left_shoulder_yaw", "left_elbow", "right_elbow"].contains(&joint);
        waves.then(|| -0.3 - 0.05 * frame as f64)
    });
    let itself = RobotMap::of(&clip, 1.0, &source, &Bends::default(), clip.rate()).unwrap();
    assert!(itself.same_robot, "{itself}");
    // With the robot of the motion, and as a file that does not name it.
    let joints = clip.skeleton().joints().to_vec();
    let bare = Skeleton::new("bare", *clip.skeleton().space(), joints).unwrap();
    for clip in [clip.clone(), clip.clone().with_skeleton(bare.into()).unwrap()] {
        assert_eq!(own_roles(clip.skeleton(), 1.0, &target, &Bends::default()).unwrap(), None);
        let (motion, report) = retarget(&clip, 1.0, &target, &RobotOptions::default()).unwrap();
        assert!(report.off_hinge.is_none() && report.follow.forearm.unwrap() < 5.0, "{report}");
        let mut kinematics = mocap_model::ForwardKinematics::new(&clip);
        for (frame, pose) in motion.poses.iter().enumerate() {
            kinematics.place(frame);
            let placed = target.place(&pose.base, &pose.values);
            for side in ["left", "right"] {
                let [elbow, hand] = ["forearm", "hand"].map(|name| format!("{side}_{name}"));
                let at = |name: &str| placed[target.find_body(name).unwrap()].translation.vector;
                let of_clip = |name: &str| kinematics.position(clip.skeleton().find(name).unwrap());
                let of_source = of_clip(&hand) - of_clip(&format!("{side}_elbow"));
                let off = (at(&hand) - at(&elbow)).angle(&of_source).to_degrees();
                assert!(off < 10.0, "{side} forearm in frame {frame}: {off}°");
            }
        }
    }
}
