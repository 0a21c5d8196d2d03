//! Which robots are humanoids, and where their limbs are, for any names and axes of their joints.

use mocap_model::{
    Isometry3, Limit, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts, UnitQuaternion, Vector3,
};
use mocap_robot::{Bends, Humanoid, RobotError};

/// A robot that grows limb by limb.
struct Model {
    parts: RobotParts,
    /// Takes places and axes of a robot that faces X into its own axes.
    axes: UnitQuaternion<f64>,
}

impl Model {
    fn new(axes: UnitQuaternion<f64>) -> Model {
        let mut model = Model { parts: RobotParts { floating: true, ..RobotParts::default() }, axes };
        model.body("base", None, Vector3::zeros());
        model
    }

    fn body(&mut self, name: &str, parent: Option<usize>, at: Vector3<f64>) -> usize {
        self.parts.bodies.push(RobotBody {
            name: name.into(),
            parent,
            placement: Isometry3::from_parts((self.axes * at).into(), UnitQuaternion::identity()),
            mass: Some(1.0),
            centre_of_mass: Vector3::zeros(),
            inertia: None,
        });
        self.parts.bodies.len() - 1
    }

    fn hinge(&mut self, name: &str, body: usize, axis: Vector3<f64>) {
        self.parts.joints.push(RobotJoint {
            name: name.into(),
            body,
            kind: RobotJointKind::Hinge,
            axis: self.axes * axis,
            anchor: Vector3::zeros(),
            reference: 0.0,
            limit: Some(Limit { min: -2.0, max: 2.0 }),
            velocity: None,
            acceleration: None,
            effort: None,
            mimic: None,
        });
    }

    /// A chain of hinges: name, axis and place of each from the one before. Returns the last body.
    fn chain(&mut self, from: usize, hinges: &[(&str, Vector3<f64>, [f64; 3])]) -> usize {
        hinges.iter().fold(from, |parent, (name, axis, at)| {
            let body = self.body(&format!("{name}_body"), Some(parent), (*at).into());
            self.hinge(name, body, *axis);
            body
        })
    }

    /// Hip, knee and ankle at one side, and toes.
    fn leg(&mut self, names: [&str; 7], x: f64, y: f64) {
        let [roll, pitch, yaw] = axes();
        let [a, b, c, d, e, f, toes] = names;
        let chain = [
            (a, yaw, [x, y, 0.0]),
            (b, roll, [0.0; 3]),
            (c, pitch, [0.0; 3]),
            (d, pitch, [0.0, 0.0, -0.4]),
            (e, pitch, [0.0, 0.0, -0.4]),
            (f, roll, [0.0; 3]),
            (toes, pitch, [0.15, 0.0, -0.05]),
        ];
        let last = self.chain(0, &chain);
        self.body(&format!("{toes}_tip"), Some(last), [0.05, 0.0, 0.0].into());
    }

    /// Shoulder, elbow and wrist at one side, and two fingers.
    fn arm(&mut self, names: [&str; 7], y: f64) {
        let [roll, pitch, yaw] = axes();
        let [a, b, c, d, e, first, second] = names;
        let chain = [
            (a, pitch, [0.0, y, 0.5]),
            (b, roll, [0.0; 3]),
            (c, yaw, [0.0, 0.0, -0.1]),
            (d, pitch, [0.0, 0.0, -0.15]),
            (e, roll, [0.0, 0.0, -0.25]),
        ];
        let hand = self.chain(0, &chain);
        for (finger, y) in [(first, 0.02), (second, -0.02)] {
            self.chain(hand, &[(finger, pitch, [0.0, y, -0.1])]);
        }
    }

    fn found(self) -> Result<(Robot, Humanoid), RobotError> {
        let robot = Robot::new(self.parts).unwrap();
        let humanoid = Humanoid::find(&robot)?;
        Ok((robot, humanoid))
    }
}

fn axes() -> [Vector3<f64>; 3] {
    [Vector3::x(), Vector3::y(), Vector3::z()]
}

const LEGS: [[&str; 7]; 2] = [
    ["lhip_z", "lhip_x", "lhip_y", "lshin", "lfoot_y", "lfoot_x", "ltoes"],
    ["rhip_z", "rhip_x", "rhip_y", "rshin", "rfoot_y", "rfoot_x", "rtoes"],
];
const ARMS: [[&str; 7]; 2] = [
    ["larm_1", "larm_2", "larm_3", "larm_4", "larm_5", "lfinger_1", "lfinger_2"],
    ["rarm_1", "rarm_2", "rarm_3", "rarm_4", "rarm_5", "rfinger_1", "rfinger_2"],
];
const NUMBERS: [[&str; 7]; 4] = [
    ["a1", "a2", "a3", "a4", "a5", "a6", "a7"],
    ["b1", "b2", "b3", "b4", "b5", "b6", "b7"],
    ["c1", "c2", "c3", "c4", "c5", "c6", "c7"],
    ["d1", "d2", "d3", "d4", "d5", "d6", "d7"],
];

fn humanoid(axes: UnitQuaternion<f64>, legs: [[&str; 7]; 2], arms: [[&str; 7]; 2]) -> Model {
    let mut model = Model::new(axes);
    // Arms first, and with as many hinges: their order and number say nothing.
    model.arm(arms[0], 0.2);
    model.arm(arms[1], -0.2);
    model.leg(legs[0], 0.0, 0.1);
    model.leg(legs[1], 0.0, -0.1);
    model
}

fn check(model: Model, left_ankle: &str) {
    let (robot, humanoid) = model.found().unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    for leg in &humanoid.legs {
        assert!(near(leg.lengths[0], 0.4) && near(leg.lengths[1], 0.4), "{:?}", leg.lengths);
        assert_eq!(leg.joints.len(), 6, "toes are not of the ankle");
    }
    assert_eq!(robot.joints()[*humanoid.legs[0].joints.last().unwrap()].name, left_ankle);
    for arm in humanoid.arms.as_ref().unwrap() {
        assert!(near(arm.lengths[1], 0.25), "{:?}", arm.lengths);
        assert_eq!(arm.joints.len(), 5, "fingers are not of the wrist");
    }
    let base = Isometry3::from_parts(Vector3::zeros().into(), humanoid.upright);
    let placed = robot.place(&base, &mocap_robot::rest_values(&robot));
    let [left, right] = humanoid.legs.each_ref().map(|leg| leg.base.at(&placed));
    assert!((left - right - Vector3::y() * 0.2).norm() < 1e-9, "{left} {right}");
    let knee = humanoid.legs[0].middle.at(&placed);
    assert!((left - knee - Vector3::z() * 0.4).norm() < 1e-9, "{knee}");
}

#[test]
fn limbs_are_found_by_their_names_and_without_them() {
    check(humanoid(UnitQuaternion::identity(), LEGS, ARMS), "lfoot_x");
    let [a, b, c, d] = NUMBERS;
    check(humanoid(UnitQuaternion::identity(), [a, b], [c, d]), "a6");
    check(humanoid(UnitQuaternion::identity(), [c, d], [a, b]), "c6");
}

/// A humanoid with two hinges at each shoulder, and an elbow about the axis of the second. The arms point to the sides.
fn without_wrists() -> Model {
    let [roll, pitch, _] = axes();
    let mut model = Model::new(UnitQuaternion::identity());
    model.leg(LEGS[0], 0.0, 0.1);
    model.leg(LEGS[1], 0.0, -0.1);
    for (names, side) in [(["larm_1", "larm_2", "larm_3"], 1.0), (["rarm_1", "rarm_2", "rarm_3"], -1.0)] {
        let [a, b, c] = names;
        let chain = [
            (a, pitch, [0.0, 0.12 * side, 0.4]),
            (b, roll, [0.02, 0.03 * side, -0.01]),
            (c, roll, [0.0, 0.1 * side, 0.0]),
        ];
        let forearm = model.chain(0, &chain);
        model.parts.bodies[forearm].centre_of_mass = [0.0, 0.07 * side, 0.0].into();
    }
    model
}

#[test]
fn an_arm_without_a_wrist_bends_where_its_forearm_starts() {
    let (robot, humanoid) = without_wrists().found().unwrap();
    for (arm, elbow) in humanoid.arms.unwrap().iter().zip(["larm_3", "rarm_3"]) {
        let bends = robot.joints().iter().find(|joint| joint.body == arm.middle.body).unwrap();
        assert_eq!(bends.name, elbow);
        assert!(arm.lengths.iter().all(|length| (0.08..0.14).contains(length)), "{:?}", arm.lengths);
    }
}

#[test]
fn upper_arms_come_before_forearms_that_cannot_follow() {
    let report = walked(&Robot::new(without_wrists().parts).unwrap(), 0.0).1;
    assert!(report.follow.upper_arm.unwrap() < 5.0, "{:?}", report.follow);
}

#[test]
fn thighs_beside_the_axes_of_the_hip_point_down() {
    let [roll, pitch, yaw] = axes();
    let mut model = Model::new(UnitQuaternion::identity());
    for (side, sign) in [("l", 1.0), ("r", -1.0)] {
        // A long neck: knees are wider apart than the axes of the hips.
        let names = ["hip_z", "hip_x", "hip_y", "knee", "foot_y"].map(|name| format!("{side}{name}"));
        let [a, b, c, d, e] = names.each_ref().map(String::as_str);
        let chain = [
            (a, yaw, [0.0, 0.09 * sign, 0.0]),
            (b, roll, [0.04, 0.0, 0.0]),
            (c, pitch, [0.0, 0.11 * sign, 0.0]),
            (d, pitch, [0.0, 0.0, -0.4]),
            (e, pitch, [0.0, 0.0, -0.4]),
        ];
        model.chain(0, &chain);
    }
    let (robot, humanoid) = model.found().unwrap();
    let placed = robot.place(&Isometry3::identity(), &mocap_robot::rest_values(&robot));
    for leg in &humanoid.legs {
        let [hip, knee] = [leg.base, leg.middle].map(|point| point.at(&placed));
        assert!((hip.y - knee.y).abs() < 1e-9 && (leg.lengths[0] - (hip - knee).norm()).abs() < 1e-12);
    }
}

#[test]
fn arms_that_cannot_follow_do_not_bend_the_trunk() {
    let mut parts = humanoid(UnitQuaternion::identity(), LEGS, ARMS).parts;
    let arms = parts.joints.iter_mut().filter(|joint| joint.name.contains("arm"));
    arms.for_each(|joint| joint.limit = Some(Limit { min: -0.1, max: 0.1 }));
    let robot = Robot::new(parts).unwrap();
    let report = walked(&robot, 0.0).1;
    assert!(report.follow.upper_arm.unwrap() > 8.0, "{:?}", report.follow);
    assert!(report.follow.trunk_max < 3.0, "{:?}", report.follow);
}

#[test]
fn feet_slip_less_where_hips_hardly_swing() {
    let [roll, pitch, yaw] = axes();
    let mut model = Model::new(UnitQuaternion::identity());
    let waist =
        [("waist_z", yaw, [0.0, 0.0, 0.1]), ("waist_x", roll, [0.0; 3]), ("waist_y", pitch, [0.0; 3])];
    let torso = model.chain(0, &waist);
    for (names, side) in ARMS.iter().zip([1.0, -1.0]) {
        model.arm(*names, 0.2 * side);
    }
    let shoulders = model.parts.bodies.iter_mut().filter(|body| body.name.ends_with("arm_1_body"));
    shoulders.for_each(|body| body.parent = Some(torso));
    for (names, side) in LEGS.iter().zip([1.0, -1.0]) {
        model.leg(*names, 0.0, 0.2 * side);
    }
    let mut parts = model.parts;
    let stiff = parts
        .joints
        .iter_mut()
        .filter(|joint| joint.name.ends_with("hip_y") || joint.name.ends_with("hip_z"));
    stiff.for_each(|joint| joint.limit = Some(Limit { min: -0.05, max: 0.05 }));
    let robot = Robot::new(parts).unwrap();
    let report = walked(&robot, 0.0).1;
    let skate = report.skate.unwrap();
    // By half less than after the sweeps that every motion has.
    assert!(skate.mean < 0.06, "{skate:?}");
}

/// Legs without ankles and with one ball each, this much above the frame at the end of the shank \[m\].
fn on_balls(above: f64) -> Robot {
    let [roll, pitch, yaw] = axes();
    let mut model = Model::new(UnitQuaternion::identity());
    for (side, sign) in [("l", 1.0), ("r", -1.0)] {
        let names = ["hip_z", "hip_x", "hip_y", "knee"].map(|name| format!("{side}{name}"));
        let [a, b, c, d] = names.each_ref().map(String::as_str);
        let chain = [
            (a, yaw, [0.0, 0.1 * sign, 0.0]),
            (b, roll, [0.0; 3]),
            (c, pitch, [0.0; 3]),
            (d, pitch, [0.0, 0.0, -0.4]),
        ];
        let shank = model.chain(0, &chain);
        let foot = model.body(&format!("{side}foot"), Some(shank), [0.0, 0.0, -0.45].into());
        model.parts.shapes.push(mocap_model::RobotShape {
            name: String::new(),
            body: foot,
            placement: Isometry3::translation(0.0, 0.0, above),
            primitive: mocap_model::Primitive::Sphere { radius: 0.075 },
            mask: mocap_model::ContactMask { kinds: 1, meets: 1 },
        });
    }
    Robot::new(model.parts).unwrap()
}

#[test]
fn a_ball_above_the_end_of_a_shank_is_its_sole() {
    let robot = on_balls(0.1);
    // One at the knee is not.
    assert!(Humanoid::find(&robot).unwrap().soles.iter().all(|sole| sole.ankle_height < 0.0));
    assert!(Humanoid::find(&on_balls(0.4)).unwrap().soles.iter().all(|sole| sole.ankle_height > 0.0));
    let (_, report) =
        mocap_robot::retarget(&kick(), 1.0, &robot, &mocap_robot::RobotOptions::default()).unwrap();
    assert!(report.float_p95.unwrap() < 0.01 && report.penetration.max < 0.005, "{report}");
}

#[test]
fn a_robot_in_other_axes_is_turned_upright() {
    // Y up, and X to the left, as a body of Acclaim files stands.
    let turned = UnitQuaternion::from_basis_unchecked(&[Vector3::z(), Vector3::x(), Vector3::y()]);
    check(humanoid(turned, LEGS, ARMS), "lfoot_x");
    let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
    check(humanoid(back, LEGS, ARMS), "lfoot_x");
}

#[test]
fn what_does_not_stand_on_two_legs_is_refused() {
    let reason = |model: Model| match model.found().unwrap_err() {
        RobotError::NotHumanoid { reason } => reason,
        other => panic!("{other}"),
    };
    // Four legs: of joints with names, and of a dog whose forelegs have elbows.
    for fore in [["fl_hip", "fr_hip"], ["l_elbow", "r_elbow"], ["e", "f"]] {
        let mut model = humanoid(UnitQuaternion::identity(), LEGS, ARMS);
        for (side, y) in fore.iter().zip([0.1, -0.1]) {
            let names = [0, 1, 2, 3, 4, 5, 6].map(|at| format!("{side}{at}"));
            model.leg(names.each_ref().map(String::as_str), 0.5, y);
        }
        assert_eq!(reason(model), "it has more than two legs", "{fore:?}");
    }
    // Two arms on a column.
    let mut model = Model::new(UnitQuaternion::identity());
    model.arm(ARMS[0], 0.2);
    model.arm(ARMS[1], -0.2);
    assert_eq!(reason(model), "it lacks two legs with a knee each");
    // A hand: its fingers have joints enough for legs.
    let mut model = Model::new(UnitQuaternion::identity());
    for (names, x) in NUMBERS.iter().zip([0.0, 0.02, 0.04, 0.06]) {
        model.leg(*names, x, 0.03);
    }
    assert_eq!(reason(model), "it has more than two legs");
    // One hinge.
    let mut model = Model::new(UnitQuaternion::identity());
    model.chain(0, &[("knee", Vector3::y(), [0.0; 3])]);
    assert_eq!(reason(model), "it lacks two legs with a knee each");
}

#[test]
fn stated_knees_and_elbows_count() {
    let mut model = humanoid(UnitQuaternion::identity(), LEGS, ARMS);
    model.leg(NUMBERS[0], 0.5, 0.1);
    model.leg(NUMBERS[1], 0.5, -0.1);
    let robot = Robot::new(model.parts).unwrap();
    assert!(Humanoid::find(&robot).is_err(), "four legs");
    let pair = |names: [&str; 2]| Some(names.map(|name| robot.find_joint(name).unwrap()));
    let bends = Bends { knees: pair(["a4", "b4"]), elbows: pair(["larm_4", "rarm_4"]) };
    let humanoid = Humanoid::find_bending(&robot, &bends).unwrap();
    let names = |limb: &mocap_robot::Limb| robot.joints()[limb.joints[0]].name.clone();
    assert_eq!(humanoid.legs.each_ref().map(names), ["a1", "b1"]);
    assert_eq!(humanoid.arms.unwrap().each_ref().map(names), ["larm_1", "rarm_1"]);
}

/// Somebody stands and swings a leg.
fn kick() -> mocap_model::Clip {
    let wave: mocap_model::Clip = include!("../../../../fixtures/wave.rs");
    let skeleton = wave.skeleton().clone();
    let leg = skeleton.with_role(mocap_model::Role::RightUpperLeg).unwrap();
    let mut tracks: Vec<_> = skeleton.joints().iter().map(mocap_model::JointTracks::at_rest).collect();
    let turn = |frame: usize| mocap_model::exp(&(Vector3::x() * (-0.8 * (frame as f64 * 0.1).sin())));
    tracks[leg.index()].rotation = mocap_model::Track::Sampled((0..wave.frames()).map(turn).collect());
    mocap_model::Clip::new(skeleton, wave.rate(), wave.frames(), tracks).unwrap()
}

#[test]
fn a_robot_in_other_axes_moves_its_joints_as_one_that_faces_x() {
    let values = |axes: UnitQuaternion<f64>| {
        let robot = Robot::new(humanoid(axes, LEGS, ARMS).parts).unwrap();
        let (motion, _) =
            mocap_robot::retarget(&kick(), 1.0, &robot, &mocap_robot::RobotOptions::default()).unwrap();
        motion.poses.into_iter().map(|pose| pose.values).collect::<Vec<_>>()
    };
    let plain = values(UnitQuaternion::identity());
    let turned = values(UnitQuaternion::from_basis_unchecked(&[Vector3::z(), Vector3::x(), Vector3::y()]));
    let differences = plain.iter().flatten().zip(turned.iter().flatten()).map(|(a, b)| (a - b).abs());
    assert!(differences.fold(0.0, f64::max) < 1e-6);
    let moved = plain[0].iter().zip(&plain[10]).map(|(a, b)| (a - b).abs());
    assert!(moved.fold(0.0, f64::max) > 0.05, "the leg swings");
}

#[test]
fn highest_speeds_hold_exactly() {
    let mut parts = humanoid(UnitQuaternion::identity(), LEGS, ARMS).parts;
    let fast = Robot::new(parts.clone()).unwrap();
    parts.joints.iter_mut().for_each(|joint| joint.velocity = Some(0.5));
    let slow = Robot::new(parts).unwrap();
    let options = mocap_robot::RobotOptions::default();
    let greatest = |robot: &Robot| {
        let (motion, _) = mocap_robot::retarget(&kick(), 1.0, robot, &options).unwrap();
        let steps = motion.poses.windows(2).flat_map(|pair| {
            let values = pair[0].values.iter().zip(&pair[1].values);
            values.map(|(a, b)| (b - a).abs() * motion.fps.fps()).collect::<Vec<_>>()
        });
        steps.fold(0.0, f64::max)
    };
    assert!(greatest(&fast) > 1.0, "without limits, the leg is faster");
    assert!(greatest(&slow) <= 0.5 * (1.0 + 1e-9), "{}", greatest(&slow));
}

#[test]
fn a_motion_that_nothing_carries_is_not_thrown_to_balance() {
    let robot = Robot::new(humanoid(UnitQuaternion::identity(), LEGS, ARMS).parts).unwrap();
    let options = mocap_robot::RobotOptions { balance: true, ..mocap_robot::RobotOptions::default() };
    // Both feet glide too fast to stand.
    for frames in [1, 60] {
        let wave = kick();
        let skeleton = wave.skeleton().clone();
        let mut tracks: Vec<_> = skeleton.joints().iter().map(mocap_model::JointTracks::at_rest).collect();
        let hips = skeleton.with_role(mocap_model::Role::Hips).unwrap();
        let rest = skeleton.joints()[hips.index()].offset;
        let rate = wave.rate().fps();
        let glides = |frame: usize| rest + Vector3::z() * (3.0 * frame as f64 / rate);
        tracks[hips.index()].translation =
            Some(mocap_model::Track::Sampled((0..frames).map(glides).collect()));
        let clip = mocap_model::Clip::new(skeleton, wave.rate(), frames, tracks).unwrap();
        let (motion, _) = mocap_robot::retarget(&clip, 1.0, &robot, &options).unwrap();
        let heights = motion.poses.iter().map(|pose| pose.base.translation.vector.z);
        assert!(heights.clone().all(|height| (0.5..1.2).contains(&height)), "{frames}: {heights:?}");
    }
}

#[test]
fn robots_beyond_the_limits_are_refused_before_any_work() {
    let grown = |bodies: usize, hinges: bool| {
        let mut model = humanoid(UnitQuaternion::identity(), LEGS, ARMS);
        for at in 0..bodies {
            let body = model.body(&format!("extra{at}"), Some(0), Vector3::zeros());
            if hinges {
                model.hinge(&format!("turn{at}"), body, Vector3::x());
            }
        }
        model.found().map(|_| ())
    };
    assert_eq!(grown(400, true), Ok(()));
    assert!(matches!(grown(500, true), Err(RobotError::TooLarge { what: "joints", limit: 500, .. })));
    assert!(matches!(grown(5000, false), Err(RobotError::TooLarge { what: "bodies", limit: 5000, .. })));
}

#[test]
fn more_shapes_than_can_be_kept_apart_are_refused() {
    let mut parts = humanoid(UnitQuaternion::identity(), LEGS, ARMS).parts;
    let shape = mocap_model::RobotShape {
        name: String::new(),
        body: 0,
        placement: Isometry3::identity(),
        primitive: mocap_model::Primitive::Sphere { radius: 0.01 },
        mask: mocap_model::ContactMask { kinds: 1, meets: 1 },
    };
    parts.shapes = vec![shape; 2001];
    let robot = Robot::new(parts).unwrap();
    let error = mocap_robot::retarget(&kick(), 1.0, &robot, &mocap_robot::RobotOptions::default());
    let what = "collision shapes";
    assert_eq!(error.unwrap_err(), RobotError::TooLarge { what, found: 2001, limit: 2000 });
}

#[test]
fn a_source_without_length_of_legs_is_refused() {
    let robot = Robot::new(humanoid(UnitQuaternion::identity(), LEGS, ARMS).parts).unwrap();
    let refused = mocap_robot::retarget(&kick(), 1e-9, &robot, &mocap_robot::RobotOptions::default());
    let error = refused.unwrap_err();
    assert!(matches!(error, RobotError::SourceLegs { .. }), "{error}");
}

/// A humanoid with a neck of three hinges, then an eye about the last axis.
fn with_neck(names: [&str; 4]) -> Model {
    let [roll, pitch, yaw] = axes();
    let mut model = humanoid(UnitQuaternion::identity(), LEGS, ARMS);
    let [a, b, c, eye] = names;
    let chain = [
        (a, yaw, [0.0, 0.0, 0.56]),
        (b, roll, [0.0; 3]),
        (c, pitch, [0.0; 3]),
        (eye, pitch, [0.05, 0.0, 0.05]),
    ];
    model.chain(0, &chain);
    model
}

#[test]
fn necks_are_found_up_to_the_eyes() {
    let necks = [
        ["neck_yaw", "neck_roll", "head_pitch", "eye_pitch"],
        ["neck_yaw", "link_7", "link_8", "link_9"],
        ["link_6", "link_7", "link_8", "link_9"],
        ["neck", "link_7", "link_8", "head_eyes"],
    ];
    for names in necks {
        let (robot, humanoid) = with_neck(names).found().unwrap();
        let head = humanoid.head.expect("it has a neck");
        let found: Vec<&str> = head.joints.iter().map(|joint| robot.joints()[*joint].name.as_str()).collect();
        assert_eq!(found, names[..3], "{names:?}");
        assert_eq!(robot.bodies()[head.body].name, format!("{}_body", names[2]));
    }
}

/// A walk whose head is turned about its own vertical by an angle \[rad\].
fn walk_that_looks_aside(angle: f64) -> mocap_model::Clip {
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = mocap_retarget::map_roles(walk.skeleton()).apply(walk.skeleton());
    let walk = walk.with_skeleton(skeleton.into()).unwrap();
    let skeleton = walk.skeleton().clone();
    let head = skeleton.with_role(mocap_model::Role::Head).expect("a head");
    let mut tracks = walk.tracks().to_vec();
    let turn = mocap_model::exp(&(skeleton.space().up.vector() * angle));
    let turned = |frame: usize| walk.local(head, frame).rotation * turn;
    tracks[head.index()].rotation = mocap_model::Track::Sampled((0..walk.frames()).map(turned).collect());
    mocap_model::Clip::new(skeleton, walk.rate(), walk.frames(), tracks).unwrap()
}

/// A robot that walks, with its head turned about its own vertical by an angle \[rad\].
fn walked(robot: &Robot, angle: f64) -> (mocap_model::RobotMotion, mocap_robot::RobotReport) {
    let clip = walk_that_looks_aside(angle);
    let metres = clip.skeleton().space().unit.map_or(0.01, |unit| unit.metres);
    mocap_robot::retarget(&clip, metres, robot, &mocap_robot::RobotOptions::default()).unwrap()
}

#[test]
fn a_trunk_without_a_waist_turns_with_the_hips() {
    let robot = Robot::new(humanoid(UnitQuaternion::identity(), LEGS, ARMS).parts).unwrap();
    let follow = walked(&robot, 0.0).1.follow;
    assert!(follow.thigh < 1.75 && follow.trunk_max < 3.0, "{follow:?}");
}

#[test]
fn a_head_that_is_turned_all_the_time_stays_turned() {
    let robot = Robot::new(with_neck(["neck_yaw", "neck_roll", "head_pitch", "eye"]).parts).unwrap();
    let neck = robot.find_joint("neck_yaw").unwrap();
    let put = |angle: f64| walked(&robot, angle);
    let mean = |motion: &mocap_model::RobotMotion| {
        motion.poses.iter().map(|pose| pose.values[neck]).sum::<f64>() / motion.poses.len() as f64
    };
    let [(ahead, report), (aside, turned)] = [0.0, 0.5].map(put);
    let by = mean(&aside) - mean(&ahead);
    assert!((by - 0.5).abs() < 0.05, "{by}");
    for report in [report, turned] {
        assert!(report.follow.head.expect("it has a neck") < 5.0, "{:?}", report.follow);
        assert!(!report.cannot_follow.iter().any(|what| what.contains("head")), "{:?}", report.cannot_follow);
    }
}
