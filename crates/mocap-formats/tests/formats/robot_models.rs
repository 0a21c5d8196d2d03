//! Reading of robot models: masses, collision filters, and errors.

use cpu_time::ThreadTime;
use mocap_formats::robot::parse;
use mocap_formats::{Limits, ReadError};
use mocap_model::{ContactMask, Robot};

fn read(text: &str) -> Result<Robot, ReadError> {
    let no_files = |_: &str| Err("there are no files".to_owned());
    Ok(parse(text.as_bytes(), &no_files, &Limits::default())?.value.1)
}

/// An MJCF of one free body with such content.
fn body(content: &str) -> String {
    format!("<mujoco><worldbody><body name='base'><freejoint/>{content}</body></worldbody></mujoco>")
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let error = read(text).expect_err("a model that must be refused").to_string();
    assert!(error.contains(why), "{error}");
}

#[test]
fn masses_are_stated_or_those_of_the_shapes() {
    let stated = "<inertial pos='0 0 0.1' quat='0.7071067811865476 0 0.7071067811865475 0' mass='2'
        diaginertia='3 2 1'/><geom size='1'/>";
    let robot = read(&body(stated)).unwrap();
    let base = &robot.bodies()[0];
    assert_eq!((base.mass, base.centre_of_mass.z), (Some(2.0), 0.1));
    // X of the turned frame is -Z of the body.
    let inertia = base.inertia.unwrap();
    assert!((inertia.m11 - 1.0).abs() < 1e-12 && (inertia.m33 - 3.0).abs() < 1e-12, "{inertia}");

    // Two balls apart, one with a mass, one of water; shapes that do not collide weigh as well.
    let balls = "<geom size='0.1' mass='3' pos='1 0 0'/>
        <geom size='0.1' density='500' contype='0' conaffinity='0'/>";
    let robot = read(&body(balls)).unwrap();
    let base = &robot.bodies()[0];
    let light = 500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    assert!((base.mass.unwrap() - 3.0 - light).abs() < 1e-12);
    assert!((base.centre_of_mass.x - 3.0 / (3.0 + light)).abs() < 1e-12);
    let between = 3.0 * light / (3.0 + light);
    let own = 0.4 * 0.01 * (3.0 + light);
    assert!((base.inertia.unwrap().m22 - own - between).abs() < 1e-12);

    // The mass of a mesh is unknown; a mesh with a mass of 0 changes nothing.
    let mass = |mesh: &str| {
        read(&body(&format!("<geom size='0.1' mass='3'/><geom type='mesh' mesh='m' {mesh}/>")))
            .unwrap()
            .bodies()[0]
            .mass
    };
    assert_eq!((mass(""), mass("mass='0'"), mass("density='0'")), (None, Some(3.0), Some(3.0)));

    let point = read(&body("<geom type='capsule' size='0 0'/><geom size='0.1' mass='3'/>")).unwrap();
    assert_eq!(point.bodies()[0].mass, Some(3.0));

    let urdf = "<robot name='r'><link name='a'><inertial><origin xyz='0 0 1'/><mass value='2'/>
        <inertia ixx='1' iyy='2' izz='3' ixy='0.1' ixz='0' iyz='0'/></inertial></link></robot>";
    let inertia = read(urdf).unwrap().bodies()[0].inertia.unwrap();
    assert_eq!((inertia.m33, inertia.m12, inertia.m21), (3.0, 0.1, 0.1));
}

#[test]
fn masks_and_pairs_say_what_may_meet() {
    let shapes = "<geom name='a' size='1' contype='2' conaffinity='4'/><geom name='b' size='1'/>
        <geom name='c' size='1' contype='0' conaffinity='0'/><geom name='d' size='1' contype='0' conaffinity='0'/>";
    let text = body(shapes).replace("</mujoco>", "<contact><pair geom1='b' geom2='d'/></contact></mujoco>");
    let robot = read(&text).unwrap();
    let names: Vec<&str> = robot.shapes().iter().map(|shape| shape.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "d"], "a shape of a pair counts whatever its mask");
    assert_eq!(robot.pairs(), [[1, 2]]);
    let masks: Vec<ContactMask> = robot.shapes().iter().map(|shape| shape.mask).collect();
    assert_eq!(masks[0], ContactMask { kinds: 2, meets: 4 });
    assert!(!masks[0].may_meet(masks[1]) && masks[1].may_meet(masks[1]));
    assert!(masks[0].may_meet(ContactMask { kinds: 4, meets: 0 }));
}

#[test]
fn orientations_that_say_nothing_are_refused() {
    for quat in ["1e308 1e308 0 0", "0 0 0 0", "1e-300 0 0 0"] {
        refused(&body(&format!("<geom size='1' quat='{quat}'/>")), "quaternion");
    }
    for axes in ["1 0 0 2 0 0", "1 1 1 1e6 1e6 1e6", "1 0 0 0 0 0", "1e200 0 0 0 1 0"] {
        refused(&body(&format!("<geom size='1' xyaxes='{axes}'/>")), "not along each other");
    }
    refused(&body("<body><joint axis='1e308 1e308 0'/></body>"), "axis");
}

#[test]
fn a_chain_without_end_is_refused_at_once() {
    let links: String = (0..30_000).map(|i| format!("<link name='l{i}'/>")).collect();
    let joint = |i: usize| {
        format!(
            "<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{}'/></joint>",
            i + 1
        )
    };
    let joints: String = (0..29_999).map(joint).collect();
    let start = ThreadTime::now();
    refused(&format!("<robot name='chain'>{links}{joints}</robot>"), "away from the base");
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
