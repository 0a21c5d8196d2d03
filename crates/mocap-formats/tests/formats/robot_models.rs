//! Reading of robot models: masses, collision filters, and errors.

use std::sync::Arc;

use cpu_time::ThreadTime;
use mocap_formats::robot::{files_beside, parse};
use mocap_formats::{FilesBeside, Format, Limits, ReadError, ReadOptions, WriteOptions};
use mocap_model::{ContactMask, Primitive, Robot, Skeleton, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

pub(crate) fn read(text: &str) -> Result<Robot, ReadError> {
    let no_files = |_: &str| Err("no file is beside it".to_owned());
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
fn a_world_without_bodies_is_no_robot() {
    refused("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>", "no element <body>");
    refused("<mujoco/>", "no element <body>");
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

    for (geom, what) in [
        ("size='0.1' mass='-3'", "a mass of 0 or more"),
        ("size='0.1' density='-1'", "a density of 0 or more"),
        ("type='mesh' mesh='m' mass='-3'", "a mass of 0 or more"),
        ("type='mesh' mesh='m' density='-1'", "a density of 0 or more"),
    ] {
        refused(&body(&format!("<geom {geom}/>")), what);
    }

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

/// A cube with sides of 2 about (1, 0, 0), as OBJ.
const CUBE: &str = "v 0 -1 -1\nv 2 -1 -1\nv 0 1 -1\nv 2 1 -1\nv 0 -1 1\nv 2 -1 1\nv 0 1 1\nv 2 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// Reads a model with these files beside it; with its warnings.
fn read_beside(text: &str, files: &[(&str, &[u8])]) -> Result<(Robot, Vec<String>), ReadError> {
    let include = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| "there is no such file".to_owned())
    };
    let parsed = parse(text.as_bytes(), &include, &Limits::default())?;
    Ok((parsed.value.1, parsed.warnings.iter().map(ToString::to_string).collect()))
}

/// The least and the greatest coordinates of the first shape in the frame of its body.
#[track_caller]
fn bounds(robot: &Robot) -> [[f64; 3]; 2] {
    let shape = &robot.shapes()[0];
    let Primitive::Hull(hull) = &shape.primitive else { panic!("{shape:?}") };
    assert!(hull.centre().norm() < 1e-12, "a hull is about its centre of volume");
    let placed =
        |corner: &Vector3<f64>| shape.placement.rotation * corner + shape.placement.translation.vector;
    let corners: Vec<_> = hull.corners().iter().map(placed).collect();
    let round = |v: Vector3<f64>| v.map(|value| (value * 1e9).round() / 1e9 + 0.0).into();
    [
        round(corners.iter().fold(corners[0], |least, corner| least.inf(corner))),
        round(corners.iter().fold(corners[0], |most, corner| most.sup(corner))),
    ]
}

#[test]
fn meshes_of_mjcf_are_the_hulls_of_their_files() {
    let model = |compiler: &str, mesh: &str, geom: &str| {
        let content = format!("<geom type='mesh' {geom}/>");
        body(&content).replace(
            "<worldbody>",
            &format!("<compiler {compiler}/><asset><mesh {mesh}/></asset><worldbody>"),
        )
    };
    let cube: &[(&str, &[u8])] = &[("meshes/cube.obj", CUBE.as_bytes())];
    let read = |compiler, mesh, geom| {
        let (robot, warnings) = read_beside(&model(compiler, mesh, geom), cube).unwrap();
        assert_eq!(warnings, [""; 0]);
        bounds(&robot)
    };
    let whole = [[0.0, -1.0, -1.0], [2.0, 1.0, 1.0]];
    assert_eq!(read("", "file='meshes/cube.obj'", "mesh='cube'"), whole, "named by its file");
    assert_eq!(read("meshdir='meshes'", "name='a' file='cube.obj'", "mesh='a'"), whole);
    assert_eq!(read("assetdir='meshes/' strippath='true'", "name='a' file='b/cube.obj'", "mesh='a'"), whole);
    let scaled = read("meshdir='meshes'", "file='cube.obj' scale='.1 .2 -.3'", "mesh='cube' pos='1 0 0'");
    assert_eq!(scaled, [[1.0, -0.2, -0.3], [1.2, 0.2, 0.3]]);
    let turned = read("meshdir='meshes'", "file='cube.obj' scale='.1 .2 .3'", "mesh='cube' euler='0 0 90'");
    assert_eq!(turned, [[-0.2, 0.0, -0.3], [0.2, 0.2, 0.3]]);
    // Moved, then turned back, then scaled.
    let fit =
        "file='cube.obj' refpos='1 0 1' refquat='.7071067811865476 0 0 .7071067811865476' scale='1 2 1'";
    assert_eq!(read("meshdir='meshes'", fit, "mesh='cube'"), [[-1.0, -2.0, -2.0], [1.0, 2.0, 0.0]]);
    let defaults = model("meshdir='meshes'", "file='cube.obj'", "mesh='cube'")
        .replace("<asset>", "<default><mesh scale='.5 .5 .5'/></default><asset>");
    assert_eq!(bounds(&read_beside(&defaults, cube).unwrap().0), [[0.0, -0.5, -0.5], [1.0, 0.5, 0.5]]);
    let stated = model("", "name='a' vertex='0 0 0 1 0 0 0 1 0 0 0 1'", "mesh='a'");
    assert_eq!(bounds(&read_beside(&stated, &[]).unwrap().0), [[0.0; 3], [1.0; 3]]);
    // What does not collide is not looked for.
    let shown = model("", "file='none.obj'", "mesh='none' contype='0' conaffinity='0'");
    assert_eq!(read_beside(&shown, &[]).unwrap().1, [""; 0]);
}

#[test]
fn meshes_of_urdf_are_found_in_their_package() {
    let model = |file: &str| {
        format!(
            "<robot name='r'><link name='a'><collision><origin xyz='0 0 1'/><geometry>
             <mesh filename='{file}' scale='.5 .5 .5'/></geometry></collision></link></robot>"
        )
    };
    for (stated, place) in [
        ("package://r_description/meshes/cube.obj", "meshes/cube.obj"),
        ("package://r_description/meshes/cube.obj", "../meshes/cube.obj"),
        ("package://r_description/meshes/cube.obj", "r_description/meshes/cube.obj"),
        ("../meshes/cube.obj", "../meshes/cube.obj"),
        ("file:///home/a/cube.obj", "cube.obj"),
    ] {
        let (robot, warnings) = read_beside(&model(stated), &[(place, CUBE.as_bytes())]).unwrap();
        assert_eq!((bounds(&robot), warnings.len()), ([[0.0, -0.5, 0.5], [1.0, 0.5, 1.5]], 0), "{stated}");
    }
    let extended =
        model("package://r/cube.obj").replace("<link", "<mujoco><compiler meshdir='m'/></mujoco><link");
    assert_eq!(read_beside(&extended, &[("m/cube.obj", CUBE.as_bytes())]).unwrap().0.shapes().len(), 1);
}

#[test]
fn meshes_that_are_not_there_are_said_and_wrong_ones_are_refused() {
    let model = |file: &str| {
        let content = "<geom name='shell' type='mesh' mesh='m'/><geom size='1'/>";
        body(content)
            .replace("<worldbody>", &format!("<asset><mesh name='m' file='{file}'/></asset>\n<worldbody>"))
    };
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
    let left_out = |file: &str, why: &str| {
        let (robot, warnings) = read_beside(&model(file), &[("pointer.stl", pointer)]).unwrap();
        assert_eq!((robot.shapes().len(), warnings.len()), (1, 1));
        assert!(warnings[0].contains(why) && warnings[0].contains("1 mesh"), "{}", warnings[0]);
    };
    left_out("a.stl", "'a.stl' is not there");
    left_out("pointer.stl", "'pointer.stl' is a Git LFS pointer");
    left_out("a.dae", "'a.dae' is not STL, OBJ or PLY");
    left_out("../../a.stl", "'../../a.stl' is not in the folder");
    let refuse = |file: &str, bytes: &[u8], why: &str| {
        let error = read_beside(&model(file), &[(file, bytes)]).expect_err("a wrong mesh");
        assert_eq!(error.error.place.as_ref().map(|place| place.line), Some(1));
        assert!(error.to_string().contains(why) && error.to_string().contains(file), "{error}");
    };
    let mut short = b"no words".to_vec();
    short.resize(84, 1);
    refuse("a.stl", &short, "ends after 0 triangles");
    refuse("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", "no volume: its 4 points");
    refuse("a.ply", b"ply\n", "cannot be read");
    refuse("a.stl", &vec![0; (1 << 26) + 1], "bytes; at most");
}

#[test]
fn the_files_of_meshes_are_listed_once_includes_are_known() {
    let text = "<mujoco><include file='parts/hand.xml'/></mujoco>";
    let hand = "<mujoco><compiler meshdir='../m'/><asset><mesh file='a.stl'/></asset>
        <worldbody><body><geom type='mesh' mesh='a'/></body></worldbody></mujoco>";
    let listed = |known: &FilesBeside| {
        let files = files_beside(text.as_bytes(), known, &Limits::default()).unwrap();
        files.into_iter().map(|file| (file.path, file.needed)).collect::<Vec<_>>()
    };
    let include = ("parts/hand.xml".to_owned(), true);
    assert_eq!(listed(&FilesBeside::new()), std::slice::from_ref(&include));
    let known = FilesBeside::from([("parts/hand.xml".to_owned(), hand.as_bytes().into())]);
    assert_eq!(listed(&known), [include, ("../m/a.stl".into(), false), ("m/a.stl".into(), false)]);
}

/// A thigh and a shank whose knee bends by 2.5 rad.
fn leg() -> Arc<Skeleton> {
    let leg = "<mujoco><compiler angle='radian'/><worldbody><body name='thigh'><freejoint/>
        <body name='shin'><joint name='knee' axis='0 1 0' range='0 2.5' limited='true'/></body>
    </body></worldbody></mujoco>";
    Arc::new(Arc::new(read(leg).unwrap()).to_skeleton().unwrap())
}

/// The warnings about a table with these values of the knee and this rotation of the base, or about the same motion in another
/// format.
fn said(format: Format, values: &[f64], rotation: UnitQuaternion<f64>) -> Vec<(&'static str, String)> {
    let q = rotation.coords;
    let row = |value: &f64| format!("0,0,1,{},{},{},{},{value}\n", q.x, q.y, q.z, q.w);
    let table: String = values.iter().map(row).collect();
    let options = |format| ReadOptions { format: Some(format), body: Some(leg()), ..ReadOptions::default() };
    let read = |bytes: &[u8], format| mocap_formats::read(bytes, &options(format)).unwrap();
    let first = read(table.as_bytes(), Format::UnitreeCsv);
    let found = match format {
        Format::UnitreeCsv => first.warnings,
        format => {
            let clip = first.value.into_clip(&options(Format::UnitreeCsv)).unwrap().value;
            let written = mocap_formats::write(&clip, format, &WriteOptions::default()).unwrap();
            read(&written.main.into_bytes(), format).warnings
        }
    };
    found.into_iter().map(|finding| (finding.code(), finding.to_string())).collect()
}

#[test]
fn joints_beyond_their_limits_are_said_and_degrees_are_known() {
    let said = |values: &[f64]| said(Format::UnitreeCsv, values, UnitQuaternion::identity());
    assert_eq!(said(&[0.0, 2.5, 2.505, -0.005]), []);
    let found = said(&[0.2, 99.0, 93.0]);
    let [(code, message)] = &found[..] else { panic!("one warning: {found:?}") };
    assert_eq!(*code, "robot-motion::beyond-limits");
    assert!(message.contains("2 of 3") && message.contains("'knee' with 99 rad"), "{message}");
    assert!(message.contains("limit of 2.5 rad") && message.contains("degrees"), "{message}");
    let found = said(&[0.2, 999.0]);
    assert!(!found[0].1.contains("degrees"), "999° is beyond the limit too: {found:?}");
}

#[test]
fn quaternions_in_the_other_order_are_known_by_robots_that_lie() {
    let said = |format, rotation| said(format, &[0.1], rotation);
    for (yaw, lean) in [(0.0, 0.1), (0.8, 0.2), (2.0, 0.0)] {
        let upright = UnitQuaternion::from_euler_angles(lean, 0.0, yaw);
        let q = upright.coords;
        // As it is read where the file has W first, and the reverse.
        let swapped = UnitQuaternion::new_normalize(Quaternion::new(q.z, q.w, q.x, q.y));
        let back = UnitQuaternion::new_normalize(Quaternion::new(q.x, q.y, q.z, q.w));
        // Read as W first, a robot that looks ahead seems to look back, and stands.
        for (format, rotation, wrong) in [
            (Format::UnitreeCsv, upright, false),
            (Format::MjlabNpz, upright, false),
            (Format::UnitreeCsv, swapped, true),
            (Format::MjlabNpz, back, yaw > 1.0),
        ] {
            let found = said(format, rotation);
            assert_eq!(found.len(), usize::from(wrong), "{yaw} {lean} {format}: {found:?}");
            assert!(found.iter().all(|(code, _)| *code == "robot-motion::quaternion-order"));
        }
    }
    // One that crawls lies in any order.
    let crawls = UnitQuaternion::from_euler_angles(0.0, 1.5, 0.3);
    assert_eq!(said(Format::UnitreeCsv, crawls), []);
}

#[test]
fn the_class_of_a_frame_counts_in_frames_in_it() {
    let joint = |frames: [&str; 2]| {
        let model = format!(
            "<mujoco><default><default class='A'><joint axis='1 0 0'/></default>
            <default class='B'><joint axis='0 1 0'/></default></default><worldbody><body name='base'><freejoint/>
            {}{}<body><joint name='j'/></body></frame></frame></body></worldbody></mujoco>",
            frames[0], frames[1]
        );
        read(&model).unwrap().joints()[0].axis
    };
    assert_eq!(joint(["<frame childclass='A'>", "<frame>"]), Vector3::x());
    assert_eq!(joint(["<frame childclass='A'>", "<frame childclass='B'>"]), Vector3::y());
    assert_eq!(joint(["<frame>", "<frame>"]), Vector3::z());
}

#[test]
fn a_range_that_holds_nothing_limits_only_if_it_is_said_to() {
    let limit =
        |joint: &str| read(&body(&format!("<body><joint {joint}/></body>"))).unwrap().joints()[0].limit;
    assert_eq!(limit("range='0 0'"), None);
    assert_eq!(limit("range='0 0' limited='auto'"), None);
    let held = limit("range='0 0' limited='true'").unwrap();
    assert_eq!((held.min, held.max), (0.0, 0.0));
    assert!(limit("range='0 1'").is_some() && limit("range='0 1' limited='false'").is_none());
}

#[test]
fn limits_of_zero_to_zero_in_a_urdf_are_none_and_said() {
    let model = |kind: &str, limit: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='{kind}'><parent link='a'/>\
             <child link='b'/><axis xyz='0 0 1'/>{limit}</joint></robot>"
        )
    };
    let found = |kind: &str, limit: &str| {
        let text = model(kind, limit);
        let read = mocap_formats::read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let skeleton = read.value.to_skeleton(&ReadOptions::default()).unwrap();
        let codes: Vec<&str> = read.warnings.iter().chain(&skeleton.warnings).map(|one| one.code()).collect();
        (skeleton.value.robot().unwrap().joints()[0].limit.map(|limit| (limit.min, limit.max)), codes)
    };
    for kind in ["revolute", "prismatic"] {
        for limit in
            ["<limit lower='0' upper='0'/>", "<limit lower='0.0' upper='-0.0' effort='1' velocity='1'/>"]
        {
            assert_eq!(found(kind, limit), (None, vec!["robot::zero-limits"]), "{kind} {limit}");
        }
        assert_eq!(found(kind, "<limit lower='0' upper='1'/>"), (Some((0.0, 1.0)), vec![]));
        assert_eq!(found(kind, "<limit effort='1' velocity='1'/>"), (None, vec!["robot::no-limit"]));
    }
    assert_eq!(found("continuous", "<limit lower='0' upper='0'/>"), (None, vec![]));
}

#[test]
fn a_tie_to_no_joint_holds_a_joint_and_ties_elsewhere_are_skipped() {
    let model = |equality: &str| {
        format!(
            "<mujoco><compiler angle='radian'/><worldbody><body name='base'><freejoint/>
            <body name='arm'><joint name='a' ref='0.5'/><body name='hand'><joint name='b'/></body></body></body>
            <body name='door'><joint name='hinge'/></body></worldbody><equality>{equality}</equality></mujoco>"
        )
    };
    let robot = read(&model("<joint joint1='a' polycoef='0.2 0 0 0 0'/>")).unwrap();
    let held = robot.joints()[0].limit.unwrap();
    assert!((held.min - 0.7).abs() < 1e-12 && held.min == held.max, "{held:?}");
    for elsewhere in [
        "<joint joint1='hinge'/>",
        "<joint joint1='a' joint2='hinge'/>",
        "<joint joint1='hinge' joint2='a'/>",
    ] {
        let robot = read(&model(elsewhere)).unwrap();
        assert!(
            robot.joints().iter().all(|joint| joint.mimic.is_none() && joint.limit.is_none()),
            "{elsewhere}"
        );
    }
    refused(&model("<joint joint1='a' joint2='none'/>"), "no joint is called 'none'");
    let said = |equality: &str| read_beside(&model(equality), &[]).unwrap().1;
    for loops in ["<connect body1='hand' body2='base' anchor='0 0 0'/>", "<weld body1='hand'/>"] {
        let found = said(loops);
        assert!(found.iter().any(|warning| warning.contains("closes a loop")), "{loops}: {found:?}");
    }
    for none in ["<weld body1='hand' active='false'/>", "<weld body1='door'/>"] {
        assert!(said(none).iter().all(|warning| !warning.contains("loop")), "{none}");
    }
}

#[test]
fn masses_in_frames_count_and_only_those_of_the_groups() {
    let base = |compiler: &str, content: &str| {
        let text = body(content).replace("<mujoco>", &format!("<mujoco><compiler {compiler}/>"));
        let (robot, said) = read_beside(&text, &[]).unwrap();
        (robot.bodies()[0].clone(), said)
    };
    let framed =
        "<frame pos='1 0 0' euler='0 0 90'><inertial pos='0.5 0 0' mass='2' diaginertia='3 2 1'/></frame>";
    let (found, _) = base("", framed);
    assert_eq!(found.mass, Some(2.0));
    assert!((found.centre_of_mass - Vector3::new(1.0, 0.5, 0.0)).norm() < 1e-12);
    assert!((found.inertia.unwrap().m22 - 3.0).abs() < 1e-12);
    let balls = "<geom size='0.1' mass='3' group='1'/><geom size='0.1' mass='4' group='3'/>";
    for (range, mass) in [("0 5", 7.0), ("0 2", 3.0), ("3 3", 4.0)] {
        assert_eq!(base(&format!("inertiagrouprange='{range}'"), balls).0.mass, Some(mass), "{range}");
    }
    for (compiler, content, said) in [
        ("settotalmass='9'", balls, "settotalmass"),
        ("boundmass='0.1'", balls, "boundmass"),
        ("", "<geom size='0.1' shellinertia='true'/>", "shellinertia"),
    ] {
        let found = base(compiler, content).1;
        assert!(found.iter().any(|warning| warning.contains(said)), "{said}: {found:?}");
    }
    assert_eq!(base("settotalmass='-1' boundmass='0'", balls).1, Vec::<String>::new());
}

#[test]
fn xacro_that_is_not_expanded_is_refused() {
    let urdf = |content: &str| {
        format!(
            "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>{content}<link name='base'/></robot>"
        )
    };
    assert!(read(&urdf("")).is_ok());
    for content in ["<xacro:leg prefix='left'/>", "<xacro:include filename='leg.xacro'/>"] {
        refused(&urdf(content), "run `xacro FILE > robot.urdf` first");
    }
}
