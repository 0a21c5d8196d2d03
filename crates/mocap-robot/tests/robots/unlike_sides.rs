//! Robots whose sides differ, whose base is a link beside them, or that have no mass.

use mocap_formats::Limits;
use mocap_model::{Clip, Robot, Vector3};
use mocap_robot::{Humanoid, RobotError, RobotOptions, RobotReport, retarget};

/// The robot of the fixtures, with changed text.
fn model(change: impl Fn(&str) -> String) -> Result<Robot, String> {
    let text = include_str!("../../../../fixtures/robots/pip.xml").replace("\r\n", "\n");
    let no_includes = |_: &str| Err("the model is one file".to_owned());
    let read = mocap_formats::robot::parse(change(&text).as_bytes(), &no_includes, &Limits::default());
    read.map(|read| read.value.1).map_err(|error| error.to_string())
}

/// The same with one text in place of another, which is there once or more.
fn with(from: &str, to: &str) -> Robot {
    let changed = |text: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    model(changed).expect("a model")
}

/// The same without what is between the starts of two bodies.
fn without(first: &str, next: &str) -> Robot {
    let cut = |text: &str| {
        let at = |name: &str| text.find(&format!("<body name=\"{name}\"")).expect(name);
        format!("{}{}", &text[..at(first)], &text[at(next)..])
    };
    model(cut).expect("a model")
}

fn walk() -> (Clip, f64) {
    let walk = crate::clip::fixture("alex_walk.bvh");
    let skeleton = mocap_retarget::map_roles(walk.skeleton()).apply(walk.skeleton());
    let walk = walk.with_skeleton(skeleton.into()).expect("the same joints");
    let metres = walk.skeleton().space().unit.map_or(0.01, |unit| unit.metres);
    (walk, metres)
}

fn put(clip: &(Clip, f64), robot: &Robot, balance: bool) -> (mocap_model::RobotMotion, RobotReport) {
    let options = RobotOptions { balance, ..RobotOptions::default() };
    retarget(&clip.0, clip.1, robot, &options).expect("a humanoid")
}

const ELBOW: &str = "<body name=\"left_forearm\" pos=\"0 0 -0.18\">";
const KNEE: &str = "<body name=\"left_shank\" pos=\"0 0 -0.26\">";

#[test]
fn limbs_are_found_though_one_side_differs() {
    let joint = |name: &str, axis: &str, range: &str| {
        format!("<joint name=\"{name}\" axis=\"{axis}\" range=\"{range}\"/>")
    };
    let shoulder = joint("left_shoulder_yaw", "0 0 1", "-2.5 2.5");
    let ankle = joint("left_ankle_roll", "1 0 0", "-0.3 0.3");
    let elbow = joint("left_elbow", "0 1 0", "-2.4 0.05");
    let twist = format!("{elbow}{}", joint("left_twist", "0 0 1", "-1 1"));
    for (from, to, hinges) in [
        (ELBOW, ELBOW.replace("0.18", "0.2"), [6, 6, 4, 4]),
        (KNEE, KNEE.replace("0.26", "0.28"), [6, 6, 4, 4]),
        (&shoulder, String::new(), [6, 6, 3, 4]),
        (&ankle, String::new(), [5, 6, 4, 4]),
        (&elbow, twist, [6, 6, 5, 4]),
    ] {
        let robot = with(from, &to);
        let found = Humanoid::find(&robot).expect(from);
        let arms = found.arms.expect("two arms");
        let counts = [&found.legs[0], &found.legs[1], &arms[0], &arms[1]].map(|limb| limb.joints.len());
        assert_eq!(counts, hinges, "{from}");
        assert_eq!((robot.bodies()[found.torso].name.as_str(), found.lone_arms), ("torso", 0), "{from}");
        // Without names, too; but then a twist at the elbow hides which hinge bends the arm.
        if hinges[2] == 5 {
            continue;
        }
        let mut parts = robot.into_parts();
        for (index, joint) in parts.joints.iter_mut().enumerate() {
            joint.name = format!("j{index}");
        }
        parts.bodies.iter_mut().enumerate().for_each(|(index, body)| body.name = format!("b{index}"));
        let nameless = Humanoid::find(&Robot::new(parts).expect("other names")).expect(from);
        assert!(nameless.arms.is_some(), "{from}");
    }
}

#[test]
fn a_missing_limb_is_said_and_the_trunk_is_followed() {
    let robot = without("left_shoulder_pitch_link", "right_shoulder_pitch_link");
    let report = put(&walk(), &robot, false).1;
    let missing: Vec<&str> = report.cannot_follow.clone();
    assert!(missing.contains(&"arms (the robot has only one)"), "{missing:?}");
    assert!(!missing.iter().any(|what| what.contains("waist")), "{missing:?}");
    let one_leg = without("left_hip_pitch_link", "right_hip_pitch_link");
    let reason = "it has only one leg with three hinges or more";
    assert_eq!(Humanoid::find(&one_leg).unwrap_err(), RobotError::NotHumanoid { reason });
}

#[test]
fn a_base_beside_the_robot_changes_no_joint() {
    let walk = walk();
    let (plain, _) = put(&walk, &model(str::to_owned).expect("a model"), false);
    for pelvis in ["pos=\"0 0 0.4\"", "pos=\".3 .2 .4\" quat=\"0.85 0 0 0.52\"", "quat=\"0.995 0 0.1 0\""] {
        let on_link = |text: &str| {
            let base = "<body name=\"pelvis\" pos=\"0 0 0.58\">";
            assert!(text.contains(base));
            let link = format!("<body name=\"link\"><freejoint/><body name=\"pelvis\" {pelvis}>");
            let text = text.replace("<freejoint/>", "").replace(base, &link);
            text.replace("</worldbody>", "</body></worldbody>")
        };
        let robot = model(on_link).expect("a model");
        let (turned, report) = put(&walk, &robot, false);
        let values = plain.poses.iter().zip(&turned.poses).flat_map(|(a, b)| a.values.iter().zip(&b.values));
        let off = values.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-4, "{pelvis}: {off}");
        // The pelvis is where it was.
        let found = robot.find_body("pelvis").expect("a pelvis");
        let off = plain.poses.iter().zip(&turned.poses).map(|(a, b)| {
            let at = robot.place(&b.base, &b.values)[found];
            (at.translation.vector - a.base.translation.vector).norm()
                + at.rotation.angle_to(&a.base.rotation)
        });
        assert!(off.fold(0.0, f64::max) < 1e-4, "{pelvis}");
        assert!(report.follow.trunk < 3.0, "{:?}", report.follow);
    }
}

#[test]
fn masses_below_0_are_refused_and_without_any_nothing_is_balanced() {
    let error = model(|text| text.replace("mass=\"0.5\"", "mass=\"-3\"")).unwrap_err();
    assert!(error.contains("a mass of 0 or more"), "{error}");
    let weightless = with("mass=\"0.5\"", "mass=\"0\"");
    let (clip, metres) = walk();
    let options = RobotOptions { balance: true, ..RobotOptions::default() };
    assert_eq!(retarget(&clip, metres, &weightless, &options).unwrap_err(), RobotError::NoMass);
}

#[test]
fn who_lies_is_not_balanced_over_the_feet() {
    let (wave, metres) = {
        let wave = crate::clip::fixture("alex_wave.bvh");
        let skeleton = mocap_retarget::map_roles(wave.skeleton()).apply(wave.skeleton());
        (wave.with_skeleton(skeleton.into()).expect("the same joints"), 0.01)
    };
    let skeleton = wave.skeleton().clone();
    let space = *skeleton.space();
    let across = space.up.vector().cross(&space.forward.vector());
    let lying = mocap_model::exp(&(across * -std::f64::consts::FRAC_PI_2));
    let mut tracks = wave.tracks().to_vec();
    let roots: Vec<_> =
        skeleton.iter().filter(|(_, joint)| joint.parent.is_none()).map(|(id, _)| id).collect();
    for root in roots {
        let place = |frame: usize| lying * wave.local(root, frame);
        let frames = || 0..wave.frames();
        let moved: Vec<Vector3<f64>> = frames().map(|frame| place(frame).translation.vector).collect();
        tracks[root.index()].translation = Some(mocap_model::Track::Sampled(moved));
        let turned = frames().map(|frame| place(frame).rotation).collect();
        tracks[root.index()].rotation = mocap_model::Track::Sampled(turned);
    }
    let lies = mocap_model::Clip::new(skeleton, wave.rate(), wave.frames(), tracks).expect("a clip");
    let robot = model(str::to_owned).expect("a model");
    let lies = (lies, metres);
    let [(plain, _), (balanced, report)] = [false, true].map(|balance| put(&lies, &robot, balance));
    assert!(plain == balanced, "it is not moved");
    let said = format!("{} frames rest on other parts than feet", balanced.poses.len());
    assert_eq!(report.not_balanced, [said]);
    // The same body is balanced where it stands.
    assert!(put(&(wave, metres), &robot, true).1.not_balanced.iter().all(|why| !why.contains("rest on")));
}
