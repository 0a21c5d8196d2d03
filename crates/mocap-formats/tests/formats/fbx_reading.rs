//! The semantics of FBX files, one pitfall at a time. Positions of joints are checked against ufbx's own evaluation.
#![cfg(feature = "fbx")]

use crate::text_fbx::{File, integer, number, vector};
use crate::ufbx_places::largest_difference;
use mocap_formats::fbx::parse;
use mocap_formats::{ClipChoice, Document, Limits, Parsed, ReadOptions};
use mocap_model::{Axis, Clip, JointId, SignedAxis, Track, UnitQuaternion, Vector3, angle_between};

/// The clip of a file, after a check of all places.
fn checked(file: &File) -> Parsed<Clip> {
    let bytes = file.bytes();
    let document = parse(&bytes, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.warnings, []);
    let parsed = document.value.to_clip(&ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let off = largest_difference(&bytes, 0, &parsed.value);
    assert!(off < 1e-9, "off by {off}");
    parsed
}

fn codes(parsed: &Parsed<Clip>) -> Vec<&'static str> {
    parsed.warnings.iter().map(mocap_formats::Finding::code).collect()
}

fn degrees(axis: Axis, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&axis.unit(), angle.to_radians())
}

const UP: [f64; 3] = [0.0, 10.0, 0.0];
const SWING: [(f64, f64); 3] = [(0.0, 0.0), (0.5, 70.0), (1.0, -30.0)];

/// A chain of four bones, of which the properties of one are given; its second bone swings about two axes.
fn chain(which: usize, properties: &[String]) -> File {
    let mut file = File::default();
    let mut bones = vec![0];
    for i in 0..4 {
        let mut own = vec![vector("Lcl Translation", UP)];
        if i == which {
            own.extend(properties.iter().cloned());
        }
        bones.push(file.bone(&format!("ns:b{i}"), bones[i], &own));
    }
    let layer = file.stack("walk", 0.0, 1.0);
    file.curve(layer, bones[2], "Lcl Rotation", "X", &SWING);
    file.curve(layer, bones[2], "Lcl Rotation", "Z", &[(0.0, 20.0), (1.0, 80.0)]);
    file
}

#[test]
fn a_rest_pose_in_the_pre_rotation_is_the_rest_pose() {
    let pre = [10.0, 0.0, 90.0];
    let clip = checked(&chain(1, &[vector("PreRotation", pre), integer("RotationActive", 1)])).value;
    let rest = clip.skeleton().joint(JointId(1)).rest_rotation;
    let expected = degrees(Axis::Z, 90.0) * degrees(Axis::X, 10.0);
    assert!(angle_between(&rest, &expected) < 1e-12);
    assert_eq!(clip.skeleton().joint(JointId(0)).name, "ns:b0", "namespaces are kept");
    // At 0 s the curves turn 20 degrees about Z, after the pre-rotation.
    let start = clip.local(JointId(1), 0).rotation;
    let off = angle_between(&start, &(expected * degrees(Axis::Z, 20.0)));
    assert!(off < 1e-7, "{off}");
}

#[test]
fn pre_rotation_counts_where_rotation_is_active() {
    let off = [vector("PreRotation", [0.0, 0.0, 90.0]), integer("RotationActive", 0)];
    let clip = checked(&chain(1, &off)).value;
    assert_eq!(clip.skeleton().joint(JointId(1)).rest_rotation, UnitQuaternion::identity());
}

#[test]
fn pivots_and_rotation_orders_are_in_the_local_transform() {
    for order in 0..7 {
        let own = [
            integer("RotationOrder", order),
            integer("RotationActive", 1),
            vector("PreRotation", [10.0, 20.0, 30.0]),
            vector("PostRotation", [-15.0, 5.0, 40.0]),
            vector("RotationPivot", [1.0, 2.0, 3.0]),
            vector("RotationOffset", [0.5, -0.5, 0.25]),
            vector("ScalingPivot", [-1.0, 2.0, 1.0]),
            vector("ScalingOffset", [0.1, 0.2, 0.3]),
        ];
        let clip = checked(&chain(1, &own)).value;
        let named = clip.skeleton().joint(JointId(1)).dofs.order.to_string();
        // FBX names the axis first that turns first.
        let expected = ["ZYX", "YZX", "XZY", "ZXY", "YXZ", "XYZ", "ZYX"][order as usize];
        assert_eq!(named, expected, "order {order}");
    }
}

#[test]
fn constant_scales_are_in_the_places_of_joints_however_they_are_inherited() {
    for mode in 0..3 {
        for scale in [[2.0, 2.0, 2.0], [1.0, 3.0, 0.5]] {
            let mut file = File::default();
            let above = file.node("Armature", "Null", 0, &[vector("Lcl Scaling", [100.0; 3])]);
            let [translation, inherit] = [vector("Lcl Translation", UP), integer("InheritType", mode)];
            let a =
                file.bone("a", above, &[translation.clone(), inherit.clone(), vector("Lcl Scaling", scale)]);
            let b = file.bone(
                "b",
                a,
                &[translation.clone(), inherit.clone(), vector("Lcl Rotation", [0.0, 0.0, 50.0])],
            );
            let c = file.bone("c", b, &[translation.clone(), inherit.clone()]);
            file.bone("d", c, &[translation, inherit]);
            let layer = file.stack("walk", 0.0, 1.0);
            file.curve(layer, b, "Lcl Rotation", "X", &SWING);
            file.curve(layer, c, "Lcl Rotation", "Z", &SWING);
            let parsed = checked(&file);
            assert!(!parsed.value.has_scale());
            // Only where the whole matrix of a parent is inherited, a turn changes the length of bones below it.
            let expected = match scale[0] == scale[1] || mode != 1 {
                true => vec!["fbx::constant-scale"],
                false => vec!["fbx::constant-scale", "fbx::uneven-scale"],
            };
            assert_eq!(codes(&parsed), expected, "mode {mode}");
            assert_eq!(parsed.value.skeleton().len(), 4, "the node above the bones is part of their place");
        }
    }
}

#[test]
fn scales_that_change_are_tracks() {
    let mut file = File::default();
    let up = vector("Lcl Translation", UP);
    let a = file.bone("a", 0, std::slice::from_ref(&up));
    let b = file.bone("b", a, std::slice::from_ref(&up));
    file.bone("c", b, &[up]);
    let layer = file.stack("grow", 0.0, 1.0);
    for axis in ["X", "Y", "Z"] {
        file.curve(layer, a, "Lcl Scaling", axis, &[(0.0, 1.0), (1.0, 3.0)]);
    }
    file.curve(layer, b, "Lcl Rotation", "Z", &SWING);
    let clip = checked(&file).value;
    let scale = clip.track(JointId(0)).scale.as_ref().expect("a scale track");
    assert!((scale.at(30) - Vector3::repeat(3.0)).norm() < 1e-6);
    assert_eq!(clip.track(JointId(1)).scale, None);
    assert_eq!(clip.track(JointId(1)).translation, None, "the scale is in its track, not in translations");
}

#[test]
fn scales_that_flatten_a_joint_keep_the_places_below() {
    let mut file = File::default();
    let place = vector("Lcl Translation", [3.0, 10.0, -2.0]);
    let a = file.bone("a", 0, std::slice::from_ref(&place));
    let b = file.bone("b", a, std::slice::from_ref(&place));
    file.bone("c", b, &[place]);
    let layer = file.stack("flat", 0.0, 1.0);
    for (axis, to) in [("X", 2.0), ("Y", 0.0), ("Z", 1.0)] {
        file.curve(layer, a, "Lcl Scaling", axis, &[(0.0, 1.0), (1.0, to)]);
    }
    file.curve(layer, b, "Lcl Rotation", "Z", &SWING);
    checked(&file);
}

#[test]
fn nodes_above_the_bones_that_move_are_joints() {
    let mut file = File::default();
    let reference = file.node("Reference", "Null", 0, &[vector("Lcl Rotation", [-90.0, 0.0, 0.0])]);
    let hips = file.bone("hips", reference, &[vector("Lcl Translation", UP)]);
    file.bone("chest", hips, &[vector("Lcl Translation", UP)]);
    file.node("Camera", "Camera", 0, &[]);
    let layer = file.stack("walk", 0.0, 1.0);
    file.curve(layer, reference, "Lcl Translation", "X", &[(0.0, 0.0), (1.0, 100.0)]);
    let names =
        |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    let clip = checked(&file).value;
    assert_eq!(names(&clip), ["Reference", "hips", "chest"]);
    let x: Vec<f64> = (0..=30).map(|frame| clip.local(JointId(0), frame).translation.x).collect();
    assert!((x[15] - 50.0).abs() < 1e-9 && (x[30] - 100.0).abs() < 1e-9);
}

#[test]
fn stacks_have_their_own_lengths_starts_and_names() {
    let mut file = chain(9, &[]);
    let turn = file.stack("turn", 2.0, 5.0);
    file.curve(turn, 1001, "Lcl Rotation", "Y", &[(2.0, 0.0), (5.0, 90.0)]);
    file.stack("empty", 0.0, 10.0);
    let bytes = file.bytes();
    let document = parse(&bytes, &Limits::default()).unwrap().value;
    assert_eq!(document.clip_names(), ["walk", "turn"], "a stack that moves nothing is not a clip");
    let clip = |name: Option<&str>| {
        let clip = name.map(|name| ClipChoice(name.into()));
        document.to_clip(&ReadOptions { clip, ..ReadOptions::default() })
    };
    let first = clip(None).unwrap();
    assert_eq!((first.value.name(), first.value.frames()), ("walk", 31));
    assert_eq!(codes(&first), ["clip::first-of-several"]);
    let turn = clip(Some("turn")).unwrap().value;
    assert_eq!((turn.name(), turn.frames()), ("turn", 91));
    // Time 0 of the clip is the start of its stack.
    assert!(angle_between(&turn.local(JointId(0), 90).rotation, &degrees(Axis::Y, 90.0)) < 1e-9);
    assert!(angle_between(&turn.local(JointId(0), 0).rotation, &degrees(Axis::Y, 0.0)) < 1e-9);
    assert_eq!(turn.skeleton(), first.value.skeleton());
    assert_eq!(clip(Some("empty")).unwrap().value.frames(), 301);
    assert_eq!(clip(Some("run")).unwrap_err().code(), "clip::unknown");
    assert!(largest_difference(&bytes, 1, &turn) < 1e-9);
}

/// A muted layer does not play; where a layer is solo, only such layers do.
#[test]
fn layers_that_are_muted_or_not_solo_are_left_out() {
    let layered = |switches: &[(&str, i64)]| {
        let mut file = chain(9, &[]);
        let first = file.stack("turn", 0.0, 1.0);
        file.curve(first, 1001, "Lcl Rotation", "Y", &[(0.0, 0.0), (1.0, 90.0)]);
        let mut properties = vec![number("Weight", 100.0), integer("BlendMode", 1)];
        properties.extend(switches.iter().map(|(name, value)| integer(name, *value)));
        let over = file.layer_with(first, &properties);
        file.curve(over, 1001, "Lcl Rotation", "Y", &[(0.0, 0.0), (1.0, 30.0)]);
        let clip = Some(ClipChoice("turn".into()));
        let document = parse(&file.bytes(), &Limits::default()).unwrap().value;
        let parsed = document.to_clip(&ReadOptions { clip, ..ReadOptions::default() }).unwrap();
        let turned = parsed.value.local(JointId(0), parsed.value.frames() - 1).rotation;
        (turned.angle().to_degrees(), codes(&parsed).contains(&"fbx::silent-layers"))
    };
    for (switches, angle, says) in [
        (&[][..], 30.0, false),
        (&[("Mute", 0), ("Solo", 0)], 30.0, false),
        (&[("Mute", 1)], 90.0, true),
        (&[("Solo", 1)], 30.0, true),
    ] {
        let (found, said) = layered(switches);
        assert!((found - angle).abs() < 1e-6 && said == says, "{switches:?}: {found} {said}");
    }
}

#[test]
fn the_rate_is_that_of_the_user_or_of_the_file_or_of_the_keys() {
    let rate = |file: &File, fps| {
        let document = parse(&file.bytes(), &Limits::default()).unwrap().value;
        let clip = document.to_clip(&ReadOptions { fps, ..ReadOptions::default() }).unwrap().value;
        (clip.rate().fps(), clip.frames())
    };
    let mut file = chain(9, &[]);
    file.settings = integer("TimeMode", 11);
    assert_eq!(rate(&file, None), (24.0, 25));
    assert_eq!(rate(&file, Some(50.0)), (50.0, 51));
    let keys: Vec<(f64, f64)> = (0..=120).map(|key| (f64::from(key) / 120.0, f64::from(key % 7))).collect();
    let mut dense = File::default();
    let hips = dense.bone("hips", 0, &[]);
    let layer = dense.stack("walk", 0.0, 1.0);
    dense.curve(layer, hips, "Lcl Rotation", "X", &keys);
    assert_eq!(rate(&dense, None), (30.0, 31));
    dense.settings = UNSTATED.to_owned();
    assert_eq!(rate(&dense, None), (120.0, 121));
}

/// Settings that state no rate: the generator adds one where this word is missing.
const UNSTATED: &str = "; no TimeMode\n";

#[test]
fn a_few_curves_with_closer_keys_do_not_change_the_rate() {
    let keys = |count: u32| -> Vec<(f64, f64)> {
        (0..count).map(|key| (f64::from(key) / f64::from(count - 1), f64::from(key % 7))).collect()
    };
    let file = |settings: &str| {
        let mut file = File::default();
        let joints: Vec<_> = (0..8).map(|joint| file.bone(&format!("joint {joint}"), 0, &[])).collect();
        let layer = file.stack("walk", 0.0, 1.0);
        for (at, joint) in joints.into_iter().enumerate() {
            file.curve(layer, joint, "Lcl Rotation", "X", &keys(if at < 3 { 66 } else { 25 }));
        }
        file.settings = settings.to_owned();
        file
    };
    let read = |file: &File| {
        let document = parse(&file.bytes(), &Limits::default()).unwrap().value;
        let parsed = document.to_clip(&ReadOptions::default()).unwrap();
        let codes: Vec<&str> = parsed.warnings.iter().map(|warning| warning.code()).collect();
        assert_eq!(codes, ["fbx::denser-keys"]);
        (parsed.value.rate().fps(), parsed.value.frames())
    };
    // 30 frames per second, which no curve has; and none stated: most curves have 24.
    assert_eq!(read(&file(&integer("TimeMode", 6))), (30.0, 31));
    assert_eq!(read(&file(UNSTATED)), (24.0, 25));
}

#[test]
fn a_stated_rate_beside_that_of_the_keys_loses_no_frame() {
    let read = |stated: f64, keyed: f64, step: usize| {
        let mut file = File::default();
        let hips = file.bone("hips", 0, &[]);
        let keys: Vec<(f64, f64)> =
            (0..=90).step_by(step).map(|key| (f64::from(key) / keyed, f64::from(key % 7))).collect();
        let layer = file.stack("walk", 0.0, 90.0 / keyed);
        file.curve(layer, hips, "Lcl Rotation", "X", &keys);
        file.settings = [integer("TimeMode", 14), number("CustomFrameRate", stated)].join("\n");
        let document = parse(&file.bytes(), &Limits::default()).unwrap().value;
        let parsed = document.to_clip(&ReadOptions::default()).unwrap();
        let codes = parsed.warnings.iter().map(|warning| warning.code()).collect::<Vec<_>>().concat();
        assert_eq!(parsed.value.frames(), 91, "{stated} {keyed} {step}");
        ((parsed.value.rate().fps() * 1000.0).round() / 1000.0, codes)
    };
    for (ntsc, whole) in [(23.976, 24.0), (29.97, 30.0), (59.94, 60.0), (119.88, 120.0)] {
        for step in [1, 10] {
            assert_eq!(read(ntsc, whole, step), (whole, "fbx::rate-of-keys".to_owned()));
            assert_eq!(read(whole, ntsc, step), (ntsc, "fbx::rate-of-keys".to_owned()));
            assert_eq!(read(ntsc, ntsc, step), (ntsc, String::new()));
            assert_eq!(read(ntsc, ntsc / 0.999_999, step), (ntsc, String::new()));
            assert_eq!(read(whole, whole, step), (whole, String::new()));
        }
    }
    // A rate of no standard: only keys at every frame show it.
    assert_eq!(read(60.0, 60.3, 1), (60.3, "fbx::rate-of-keys".to_owned()));
}

#[test]
fn units_and_axes_are_those_of_the_file() {
    let mut file = chain(9, &[]);
    let settings = [
        integer("UpAxis", 2),
        integer("UpAxisSign", 1),
        integer("FrontAxis", 1),
        integer("FrontAxisSign", -1),
        integer("CoordAxis", 0),
        integer("CoordAxisSign", 1),
        number("UnitScaleFactor", 100.0),
    ];
    file.settings = settings.join("\n");
    let space = *checked(&file).value.skeleton().space();
    assert_eq!((space.up, space.metres()), (SignedAxis::Z, Some(1.0)));
    assert_eq!(space.forward.to_string(), "-Y");
}

#[test]
fn left_handed_files_are_mirrored() {
    let mut file = chain(9, &[]);
    let axes = [("UpAxis", 1), ("UpAxisSign", 1), ("FrontAxis", 2), ("FrontAxisSign", 1), ("CoordAxis", 0)];
    let mut settings: Vec<String> = axes.map(|(name, value)| integer(name, value)).into();
    settings.push(integer("CoordAxisSign", -1));
    file.settings = settings.join("\n");
    let document = parse(&file.bytes(), &Limits::default()).unwrap();
    assert_eq!(document.warnings.iter().map(|found| found.code()).collect::<Vec<_>>(), ["fbx::left-handed"]);
    let mirrored = document.value.to_clip(&ReadOptions::default()).unwrap().value;
    let straight = checked(&chain(9, &[])).value;
    let tip = |clip: &Clip| {
        let mut kinematics = mocap_model::ForwardKinematics::new(clip);
        kinematics.place(20);
        kinematics.position(JointId(3))
    };
    let (seen, expected) = (tip(&mirrored), tip(&straight));
    assert!((seen - Vector3::new(-expected.x, expected.y, expected.z)).norm() < 1e-9, "{seen} {expected}");
}

#[test]
fn the_bind_pose_is_the_rest_pose_where_its_bones_are_as_long() {
    let posed = |places: [[f64; 3]; 4]| {
        let mut file = chain(1, &[vector("Lcl Rotation", [0.0, 0.0, 45.0])]);
        file.bind_pose(&[1001, 1002, 1003, 1004].iter().copied().zip(places).collect::<Vec<_>>());
        checked(&file)
    };
    let same = posed([[0.0, 10.0, 0.0], [0.0, 20.0, 0.0], [0.0, 30.0, 0.0], [0.0, 40.0, 0.0]]);
    assert_eq!(codes(&same), [""; 0]);
    assert_eq!(same.value.skeleton().joint(JointId(1)).rest_rotation, UnitQuaternion::identity());
    let in_another_space = posed([[0.0, 10.0, 0.0], [0.0, 25.0, 0.0], [0.0, 40.0, 0.0], [0.0, 55.0, 0.0]]);
    assert_eq!(codes(&in_another_space), ["fbx::bind-space"]);
    let of_another = in_another_space.value.skeleton();
    assert!((of_another.joint(JointId(2)).offset.norm() - 10.0).abs() < 1e-9, "bones keep their lengths");
    let longer = posed([[0.0, 10.0, 0.0], [0.0, 25.0, 0.0], [0.0, 32.0, 0.0], [0.0, 52.0, 0.0]]);
    assert_eq!(codes(&longer), ["fbx::bind-pose"]);
    let rest = longer.value.skeleton().joint(JointId(1)).rest_rotation;
    assert!(angle_between(&rest, &degrees(Axis::Z, 45.0)) < 1e-12);
}

#[test]
fn properties_of_users_are_scalar_tracks() {
    let smile = "P: \"smile\", \"double\", \"Number\", \"A+U\",0.25".to_owned();
    let mut file = chain(0, &[smile]);
    file.curve(1_000_002, 1001, "smile", "smile", &[(0.0, 0.0), (1.0, 3.0)]);
    let clip = checked(&file).value;
    let scalars = &clip.annotations().scalars;
    assert_eq!(scalars.len(), 1);
    assert_eq!(scalars[0].name, "smile");
    assert!((scalars[0].values.at(10) - 1.0).abs() < 1e-6, "{}", scalars[0].values.at(10));
}

#[test]
fn a_file_without_bones_has_the_nodes_that_move() {
    let mut file = File::default();
    let arm = file.node("arm", "Mesh", 0, &[vector("Lcl Translation", UP)]);
    let hand = file.node("hand", "Mesh", arm, &[vector("Lcl Translation", UP)]);
    file.node("table", "Mesh", 0, &[]);
    assert_eq!(parse(&file.bytes(), &Limits::default()).unwrap_err().code(), "fbx::no-joints");
    let layer = file.stack("wave", 0.0, 1.0);
    file.curve(layer, hand, "Lcl Rotation", "Z", &SWING);
    let clip = checked(&file).value;
    let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["hand"]);
    assert_eq!(clip.skeleton().joint(JointId(0)).offset, Vector3::new(0.0, 20.0, 0.0));
    assert!(matches!(clip.track(JointId(0)).rotation, Track::Sampled(_)));
}

#[test]
fn names_that_are_there_twice_are_kept_apart() {
    let mut file = File::default();
    let hips = file.bone("hips", 0, &[]);
    file.bone("end", hips, &[vector("Lcl Translation", UP)]);
    file.bone("end", hips, &[vector("Lcl Translation", UP)]);
    file.stack("walk", 0.0, 1.0);
    let document = parse(&file.bytes(), &Limits::default()).unwrap();
    assert_eq!(document.warnings[0].code(), "fbx::duplicate-name");
    assert_eq!(document.value.to_skeleton(&ReadOptions::default()).unwrap().value.joints()[2].name, "end_2");
}

/// The vertices of the only mesh in a frame, by displacements that add up.
fn shaped(document: &dyn Document, clip: &Clip, frame: usize) -> Vec<Vector3<f64>> {
    let body = document.body(&Limits::default()).unwrap().unwrap().value;
    let mesh = &body.body.meshes[0];
    let mut places = mesh.positions.clone();
    for shape in &mesh.shapes {
        let track = clip.annotations().scalars.iter().find(|track| track.name == shape.name);
        let weight = track.map_or(shape.weight, |track| track.values.at(frame));
        for (vertex, offset) in &shape.offsets {
            places[*vertex as usize] += offset * weight;
        }
    }
    places
}

/// A channel of three shapes, one of two shapes with full weights below and above 0, one that is fully applied at 60 %,
/// and one without animation.
fn in_betweens() -> File {
    let mut file = File::default();
    let bone = file.bone("Head", 0, &[]);
    let deformer = file.triangle(bone);
    let to = |x: f64, y: f64, z: f64| [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
    let jaw = file.channel(
        deformer,
        "jaw",
        &[(25.0, to(1.0, 3.0, 0.5)), (50.0, to(4.0, 1.0, 2.0)), (100.0, to(2.0, 2.0, 8.0))],
    );
    let side = file.channel(deformer, "side", &[(-100.0, to(-1.0, 2.0, 0.0)), (100.0, to(1.0, 1.0, 0.0))]);
    let early = file.channel(deformer, "early", &[(60.0, to(0.0, 0.0, 3.0))]);
    file.channel(deformer, "still", &[(30.0, to(9.0, 0.0, 0.0)), (100.0, to(1.0, 0.0, 0.0))]);
    let layer = file.stack("talk", 0.0, 1.0);
    file.curve(layer, jaw, "DeformPercent", "DeformPercent", &[(0.0, -20.0), (1.0, 130.0)]);
    file.curve(layer, side, "DeformPercent", "DeformPercent", &[(0.0, 90.0), (1.0, -110.0)]);
    file.curve(layer, early, "DeformPercent", "DeformPercent", &[(0.0, 0.0), (1.0, 100.0)]);
    file
}

#[test]
fn in_betweens_are_shapes_that_add_up_to_what_the_file_shows() {
    let bytes = in_betweens().bytes();
    let document = parse(&bytes, &Limits::default()).unwrap().value;
    let clip = document.to_clip(&ReadOptions::default()).unwrap().value;
    let names: Vec<&str> = clip.annotations().scalars.iter().map(|track| track.name.as_str()).collect();
    assert_eq!(names, ["jaw", "jaw_25", "jaw_50", "side", "side_-100", "early"]);
    let body = document.body(&Limits::default()).unwrap().unwrap().value;
    let shapes: Vec<&str> = body.body.meshes[0].shapes.iter().map(|shape| shape.name.as_str()).collect();
    assert_eq!(shapes, ["jaw", "jaw_25", "jaw_50", "side", "side_-100", "early", "still", "still_30"]);

    // The weights are those of the file, and not those of the names.
    let stated: Vec<(String, String, Vec<f64>, usize)> =
        document.in_betweens().into_iter().map(|one| (one.shape, one.of, one.full, one.at)).collect();
    let one = |shape: &str, of: &str, full: &[f64], at| (shape.to_owned(), of.to_owned(), full.to_vec(), at);
    let expected = [
        one("jaw_25", "jaw", &[0.25, 0.5, 1.0], 0),
        one("jaw_50", "jaw", &[0.25, 0.5, 1.0], 1),
        one("side_-100", "side", &[-1.0, 1.0], 0),
        one("still_30", "still", &[0.3, 1.0], 0),
    ];
    assert_eq!(stated, expected);

    let scene = ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).unwrap();
    for frame in 0..clip.frames() {
        let time = frame as f64 * clip.rate().frame_time();
        let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
        let shown = ufbx::evaluate_scene(&scene, &scene.anim_stacks[0].anim, time, options).unwrap();
        let shown = &shown.meshes[0].skinned_position.values;
        let own = shaped(&document, &clip, frame);
        assert_eq!((own.len(), shown.iter().count()), (3, 3));
        for (own, of) in own.iter().zip(shown.iter()) {
            assert!((own - Vector3::new(of.x, of.y, of.z)).norm() < 1e-9, "frame {frame}");
        }
    }
}
