//! `mocap bake`, `info --surface` and `compare --surface` on a character with a mesh.

use crate::mocap::{Sandbox, fixture};
use mocap_formats::Limits;
use mocap_formats::npz::Archive;

/// Makes a file look like one of another program: bodies in files that mocap wrote count as drawn,
/// and commands do not keep or bake them.
fn character(sandbox: &Sandbox, name: &str) {
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    sandbox.run(["convert", &walk, "-o", name, "--trim", "0:30", "--input-unit", "cm"]).ok();
    let mut bytes = sandbox.read(name);
    for (old, new) in [("mocap ", "other "), ("Body", "Suit")] {
        for at in 0..=bytes.len() - old.len() {
            if bytes[at..].starts_with(old.as_bytes()) {
                bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
            }
        }
    }
    sandbox.put(name, bytes);
}

fn shape(bytes: &[u8], name: &str) -> Vec<usize> {
    let archive = Archive::open(bytes, &Limits::default()).unwrap();
    archive.read(|known| known == name).unwrap().get(name).unwrap().shape.clone()
}

#[test]
fn a_character_is_baked_in_every_format_and_by_every_method() {
    let sandbox = Sandbox::new();
    character(&sandbox, "hero.glb");
    let ran = sandbox.run(["bake", "hero.glb", "-o", "hero.npz", "--json"]).ok();
    let row = &ran.rows()[0];
    let [frames, vertices, triangles] =
        ["frames", "vertices", "triangles"].map(|name| row[name].as_u64().unwrap() as usize);
    assert_eq!((frames, &row["deform"]), (30, &"lbs".into()));
    let linear = sandbox.read("hero.npz");
    assert_eq!(shape(&linear, "vertices"), [frames, vertices, 3]);
    assert_eq!(shape(&linear, "faces"), [triangles, 3]);
    for method in ["dqs", "sbs"] {
        sandbox.run(["bake", "hero.glb", "-o", "other.npz", "--deform", method, "--overwrite"]).ok();
        assert_eq!(shape(&sandbox.read("other.npz"), "vertices"), [frames, vertices, 3]);
    }
    sandbox.run(["bake", "hero.glb", "-o", "hero.pc2", "--trim", "5:15"]).ok();
    assert_eq!(sandbox.read("hero.pc2").len(), 32 + 12 * vertices * 10);
    sandbox.run(["bake", "hero.glb", "-o", "hero.usda", "--fps", "10"]).ok();
    assert!(String::from_utf8(sandbox.read("hero.usda")).unwrap().contains("timeCodesPerSecond = 10\n"));
    sandbox.run(["bake", "hero.glb", "--to", "png", "-o", "textures/"]).ok();
    assert_eq!(sandbox.files("textures"), ["hero.json", "hero.png", "hero_normals.png"]);
}

/// The highest vertex of the first frame of a PC2 file.
fn top(bytes: &[u8], vertices: usize) -> f32 {
    let ups = bytes[32..32 + 12 * vertices].chunks_exact(12);
    ups.map(|at| f32::from_le_bytes(at[4..8].try_into().unwrap())).fold(f32::MIN, f32::max)
}

#[test]
fn a_cache_is_in_the_unit_that_is_asked_for_and_pc2_in_that_of_the_file() {
    let sandbox = Sandbox::new();
    character(&sandbox, "hero.glb");
    character(&sandbox, "hero.fbx");
    let bake = |from: &str, more: &[&str]| {
        let words = [&["bake", from, "-o", "out.pc2", "--json", "--overwrite"], more].concat();
        let row = sandbox.run(words).ok().rows().remove(0);
        top(&sandbox.read("out.pc2"), row["vertices"].as_u64().unwrap() as usize)
    };
    let (glb, fbx) = (bake("hero.glb", &[]), bake("hero.fbx", &[]));
    assert!((1.4..2.2).contains(&glb) && (fbx / glb - 100.0).abs() < 0.1, "{glb} m, {fbx} cm");
    for name in ["hero.glb", "hero.fbx"] {
        let [m, inches] = ["m", "in"].map(|unit| bake(name, &["--unit", unit]));
        assert!((m - glb).abs() < 1e-3 && (inches * 0.0254 - glb).abs() < 1e-3, "{name}: {m} {inches}");
    }
    sandbox.run(["bake", "hero.fbx", "-o", "hero.usda", "--unit", "cm"]).ok();
    assert!(String::from_utf8(sandbox.read("hero.usda")).unwrap().contains("metersPerUnit = 0.01\n"));
    sandbox.run(["bake", "hero.fbx", "-o", "hero.png", "--unit", "cm"]).ok();
    assert!(String::from_utf8(sandbox.read("hero.json")).unwrap().contains("\"unit\": \"cm\""));
}

#[test]
fn another_motion_is_retargeted_first() {
    let sandbox = Sandbox::new();
    character(&sandbox, "hero.glb");
    let turn = fixture("clips/robin_walk.bvh").display().to_string();
    let ran = sandbox.run(["bake", "hero.glb", "--motion", &turn, "-o", "hero.npz", "--json"]).ok();
    sandbox.run(["retarget", &turn, "hero.glb", "-o", "moved.glb"]).ok();
    sandbox.run(["bake", "moved.glb", "-o", "moved.npz"]).ok();
    let frames = ran.rows()[0]["frames"].as_u64().unwrap() as usize;
    assert_eq!(shape(&sandbox.read("moved.npz"), "vertices")[0], frames);
}

#[test]
fn what_cannot_be_baked_is_said() {
    let sandbox = Sandbox::new();
    character(&sandbox, "hero.glb");
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    for (arguments, part) in [
        (vec!["bake", &walk, "-o", "no.npz"], "bake::no-mesh"),
        (vec!["bake", "hero.glb", "-o", "no.obj"], "usage::format"),
        (vec!["bake", "hero.glb", "-o", "no.pc2", "--to", "npz"], "output::extension"),
        (vec!["bake", "hero.glb", "-o", "-", "--to", "png"], "usage::stdout"),
    ] {
        let ran = sandbox.run(arguments);
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert_eq!(sandbox.files("."), ["hero.glb"], "nothing is written");
}

#[test]
fn surfaces_are_measured() {
    let sandbox = Sandbox::new();
    character(&sandbox, "hero.glb");
    let row = sandbox.run(["info", "hero.glb", "--surface", "--json"]).ok().rows()[0].clone();
    let mesh = &row["surface"]["meshes"][0];
    // Capsules are closed and look outwards.
    assert_eq!((&mesh["watertight"], &mesh["inside_out"]), (&true.into(), &0.into()), "{mesh}");
    assert!(mesh["volume"].as_f64().unwrap() > 1.0, "{mesh}");
    // Each follows one joint, so no limb loses volume.
    let limbs = row["surface"]["limbs"].as_array().unwrap();
    assert!(limbs.iter().all(|limb| (limb["lowest"].as_f64().unwrap() - 1.0).abs() < 1e-6), "{limbs:?}");
    let row = sandbox.run(["compare", "hero.glb", "hero.glb", "--surface", "--json"]).ok().rows()[0].clone();
    assert_eq!(row["surface"]["max"], 0.0);
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    let none = sandbox.run(["compare", &walk, &walk, "--surface"]);
    assert!(none.stderr.contains("surface::no-mesh"), "{}", none.stderr);
}

#[test]
fn surfaces_of_files_in_other_units_are_compared() {
    let sandbox = Sandbox::new();
    character(&sandbox, "hero.glb");
    // Centimetres against metres.
    sandbox.run(["convert", "hero.glb", "-o", "hero.fbx"]).ok();
    let surface = |a: &str, b: &str| {
        let row = sandbox.run(["compare", a, b, "--surface", "--json"]).ok().rows()[0].clone();
        ["mean", "p95", "max"].map(|name| row["surface"][name].as_f64().unwrap())
    };
    for (a, b) in [("hero.glb", "hero.fbx"), ("hero.fbx", "hero.glb")] {
        assert!(surface(a, b).iter().all(|distance| *distance < 1e-4), "{a} {b}: {:?}", surface(a, b));
    }
    // Another motion is as far away in both units.
    sandbox.run(["edit", "hero.glb", "--heading", "X", "-o", "turned.glb"]).ok();
    let (metres, centimetres) = (surface("turned.glb", "hero.glb"), surface("turned.glb", "hero.fbx"));
    for (a, b) in metres.iter().zip(centimetres) {
        assert!((a - b).abs() < 1e-4 && *a > 1e-3, "{metres:?} {centimetres:?}");
    }
}
