//! FBX: meshes stand where ufbx' own evaluation of the scene puts them, and numbers have the values of all layers.
#![cfg(feature = "fbx")]

use crate::bodies::places;
use crate::text_fbx::{File, vector};
use mocap_formats::fbx::parse;
use mocap_formats::{Document, Limits, ReadOptions};
use mocap_model::{Body, Clip, Vector3};

fn read(file: &File) -> (Clip, Body, Vec<&'static str>) {
    let document = parse(&file.bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{error}")).value;
    let clip = document.to_clip(&ReadOptions::default()).unwrap_or_else(|error| panic!("{error}")).value;
    let body = document.body(&Limits::default()).unwrap().unwrap();
    let codes = body.warnings.iter().map(mocap_formats::Finding::code).collect();
    (clip, Body::clone(&body.value.body), codes)
}

/// The largest distance of a vertex of the only mesh from its place by ufbx [m].
fn off(file: &File) -> f64 {
    let (clip, body, _) = read(file);
    let scene = ufbx::load_memory(&file.bytes(), ufbx::LoadOpts::default()).unwrap();
    let mut worst = 0.0f64;
    for frame in (0..clip.frames()).step_by(5) {
        let time = frame as f64 * clip.rate().frame_time();
        let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
        let shown = ufbx::evaluate_scene(&scene, &scene.anim_stacks[0].anim, time, options).unwrap();
        let mesh = &shown.meshes[0];
        let vertices: Vec<Vector3<f64>> = mesh
            .skinned_position
            .values
            .iter()
            .map(|place| match mesh.skinned_is_local {
                true => ufbx::transform_position(&mesh.element.instances[0].geometry_to_world, *place),
                false => *place,
            })
            .map(|place| Vector3::new(place.x, place.y, place.z) * 0.01)
            .collect();
        let own = &places(&clip, &body, frame)[0];
        assert_eq!((own.len(), vertices.len()), (3, 3));
        worst = own.iter().zip(&vertices).fold(worst, |worst, (a, b)| worst.max((a - b).norm()));
    }
    worst
}

/// A chain of three bones with a triangle, bound to them or held by the second one. The scale of the first is stated by
/// its node, or by the keys of an animation.
fn scaled(bound: bool, of_node: f64, by_keys: Option<f64>) -> File {
    let mut file = File::default();
    let up = |own: &[String]| [&[vector("Lcl Translation", [0.0, 10.0, 0.0])], own].concat();
    let a = file.bone("a", 0, &up(&[vector("Lcl Scaling", [of_node; 3])]));
    let b = file.bone("b", a, &up(&[]));
    let c = file.bone("c", b, &up(&[]));
    let body = file.node("Body", "Mesh", if bound { 0 } else { b }, &[]);
    let deformer = file.triangle(body);
    if bound {
        file.skin(
            deformer,
            &[(a, &[0], [0.0, 10.0, 0.0]), (b, &[1], [0.0, 20.0, 0.0]), (c, &[2], [0.0, 30.0, 0.0])],
        );
    }
    let layer = file.stack("walk", 0.0, 1.0);
    file.curve(layer, b, "Lcl Rotation", "Z", &[(0.0, 0.0), (1.0, 60.0)]);
    for axis in ["X", "Y", "Z"] {
        if let Some(scale) = by_keys {
            file.curve(layer, a, "Lcl Scaling", axis, &[(0.0, scale), (1.0, scale)]);
        }
    }
    file
}

#[test]
fn a_scale_that_all_keys_share_scales_the_mesh_as_the_joints() {
    for bound in [true, false] {
        for (of_node, by_keys) in
            [(1.0, None), (2.0, None), (1.0, Some(2.0)), (2.0, Some(0.5)), (0.01, Some(1.0))]
        {
            let worst = off(&scaled(bound, of_node, by_keys));
            assert!(worst < 1e-9, "{bound} {of_node} {by_keys:?}: off by {worst} m");
        }
    }
}

#[test]
fn a_mesh_with_several_skins_follows_the_first_and_says_so() {
    let mut file = scaled(true, 1.0, None);
    assert_eq!(read(&file).2, Vec::<&str>::new());
    let (clip, body, _) = read(&file);
    // The deformer of the triangle is the second object after the nodes.
    file.skin(1_000_002, &[(1001, &[0, 1, 2], [0.0, 10.0, 0.0])]);
    let (_, with_two, codes) = read(&file);
    assert_eq!(codes, ["fbx::further-skins"]);
    assert_eq!(places(&clip, &with_two, 10), places(&clip, &body, 10));
}

#[test]
fn numbers_have_the_value_of_all_layers() {
    let cases = [
        // Mode and weight of the second layer, and the value at the end: 1 and 0.5 in the layers.
        (None, 1.0),
        (Some((0, 100.0)), 1.5),
        (Some((0, 50.0)), 1.25),
        (Some((1, 100.0)), 0.5),
    ];
    for (further, expected) in cases {
        let mut file = File::default();
        let smile = "P: \"smile\", \"double\", \"Number\", \"A+U\",0.25".to_owned();
        let head = file.bone("Head", 0, &[smile]);
        let deformer = file.triangle(head);
        let jaw = file.channel(deformer, "jaw", &[(100.0, [[1.0, 0.0, 0.0]; 3])]);
        let base = file.stack("talk", 0.0, 1.0);
        let animate = |file: &mut File, layer: u32, from: f64, to: f64| {
            file.curve(layer, head, "smile", "smile", &[(0.0, from), (1.0, to)]);
            let percent = [(0.0, 100.0 * from), (1.0, 100.0 * to)];
            file.curve(layer, jaw, "DeformPercent", "DeformPercent", &percent);
        };
        animate(&mut file, base, 1.0, 1.0);
        if let Some((mode, weight)) = further {
            let layer = file.further_layer(base, mode, weight);
            animate(&mut file, layer, 0.0, 0.5);
        }
        let (clip, _, _) = read(&file);
        let scalars = &clip.annotations().scalars;
        assert_eq!(scalars.iter().map(|track| track.name.as_str()).collect::<Vec<_>>(), ["smile", "jaw"]);
        for track in scalars {
            let last = track.values.at(clip.frames() - 1);
            assert!((last - expected).abs() < 1e-6, "{further:?}: {} is {last}", track.name);
        }
    }
}
