//! Characters keep meshes, skins and materials in every command that reads and writes one format.

use crate::mocap::{Sandbox, fixture};

/// Makes a file look like one of another program: bodies in files that mocap wrote count as drawn,
/// and commands do not keep them.
fn character(sandbox: &Sandbox, name: &str) {
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    sandbox.run(["convert", &walk, "-o", name, "--trim", "0:90", "--input-unit", "cm"]).ok();
    let foreign = replaced(&sandbox.read(name), &[("mocap ", "other "), ("Body", "Suit")]);
    sandbox.put(name, foreign);
}

/// The bytes with texts replaced by others as long.
fn replaced(bytes: &[u8], texts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (old, new) in texts {
        assert_eq!(old.len(), new.len());
        for at in 0..=bytes.len() - old.len() {
            if bytes[at..].starts_with(old.as_bytes()) {
                bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
            }
        }
    }
    bytes
}

fn has(sandbox: &Sandbox, name: &str, text: &str) -> bool {
    sandbox.read(name).windows(text.len()).any(|window| window == text.as_bytes())
}

fn over<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    arguments.iter().copied().chain(["--overwrite"]).collect()
}

#[test]
fn every_way_keeps_the_mesh_or_says_why_not() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    for format in ["glb", "gltf", "fbx"] {
        let file = format!("character.{format}");
        let out = format!("out.{format}");
        character(&sandbox, &file);
        let write = format!("[[step]]\ndo = 'edit'\nfps = 30\n[[step]]\ndo = 'write'\nto = '{format}'\n");
        sandbox.put("pipeline.toml", write);
        let retarget = format!(
            "[[step]]\ndo = 'retarget'\ntarget = '{file}'\n[[step]]\ndo = 'write'\nto = '{format}'\n"
        );
        sandbox.put("onto.toml", retarget);
        let piped = format!("run/character.{format}");
        let onto = format!("onto/alex_walk.{format}");
        let part = format!("parts/character_001.{format}");
        // Others are refused.
        let unit = if format == "fbx" { "cm" } else { "m" };
        let ways: [(&[&str], &str); 9] = [
            (&["convert", &file, "--trim", "5:20", "-o", &out], &out),
            (&["convert", &file, "--up", "Y", "--unit", unit, "-o", &out], &out),
            (&["edit", &file, "--mirror", "-o", &out], &out),
            (&["edit", &file, "--speed", "0.5", "-o", &out], &out),
            (&["join", &file, &file, "-o", &out], &out),
            (&["split", &file, "--every", "0.2", "-o", "parts"], &part),
            (&["retarget", &walk, &file, "-o", &out], &out),
            (&["run", "pipeline.toml", &file, "-o", "run"], &piped),
            (&["run", "onto.toml", &walk, "-o", "onto"], &onto),
        ];
        for (arguments, out) in ways {
            let ran = sandbox.run(over(arguments)).ok();
            assert!(has(&sandbox, out, "Suit"), "{arguments:?}: {}", ran.stderr);
            assert!(!ran.stderr.contains("meshes-left-out"), "{arguments:?}: {}", ran.stderr);
            sandbox.run(["info", out]).ok();
        }
        // The mesh is kept in another format, with another joint and at another size, but not if
        // another body is requested.
        let other = if format == "fbx" { "other.glb" } else { "other.fbx" };
        for (arguments, written, kept) in [
            (vec!["convert", &file, "-o", other], other, true),
            (vec!["edit", &file, "--root-joint", "add", "-o", &out], out.as_str(), true),
            (vec!["convert", &file, "--scale", "2", "-o", &out], out.as_str(), true),
            (vec!["retarget", &walk, &file, "-o", other], other, true),
            (vec!["convert", &file, "--trim", "5:20", "--mesh", "sticks", "-o", &out], out.as_str(), false),
        ] {
            let ran = sandbox.run(over(&arguments)).ok();
            assert_eq!(has(&sandbox, written, "Suit"), kept, "{arguments:?}: {}", ran.stderr);
            assert!(!ran.stderr.contains("meshes-left-out"), "{arguments:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn formats_without_meshes_say_what_is_lost_and_of_which_file() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    character(&sandbox, "character.glb");
    let step = "[[step]]\ndo = 'write'\nto = 'bvh'\n";
    sandbox.put("write.toml", step);
    sandbox.put("onto.toml", format!("[[step]]\ndo = 'retarget'\ntarget = 'character.glb'\n{step}"));
    let ways: [&[&str]; 6] = [
        &["convert", "character.glb", "-o", "out.bvh"],
        &["edit", "character.glb", "--mirror", "-o", "out.bvh"],
        &["join", "character.glb", "character.glb", "-o", "out.bvh"],
        &["run", "write.toml", "character.glb", "-o", "run"],
        &["retarget", &walk, "character.glb", "-o", "out.bvh"],
        &["run", "onto.toml", &walk, "-o", "onto"],
    ];
    for arguments in ways {
        let ran = sandbox.run(over(arguments)).ok();
        let (_, lost) = ran.stderr.split_once("document::meshes-left-out").expect(&ran.stderr);
        let warning = lost.split("warning[").next().unwrap();
        assert!(warning.contains("1 mesh is left out: bvh has none"), "{arguments:?}: {}", ran.stderr);
        // The motion has no mesh, so the warning names the file that has it.
        assert!(warning.contains("character.glb"), "{arguments:?}: {}", ran.stderr);
    }
    // Formats of arrays, and motions without a mesh, get no warning.
    for arguments in
        [&["convert", "character.glb", "-o", "out.npz"][..], &["convert", &walk, "-o", "plain.bvh"]]
    {
        let ran = sandbox.run(over(arguments)).ok();
        assert!(!ran.stderr.contains("meshes-left-out"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn pictures_and_pages_show_the_mesh_of_the_file() {
    let sandbox = Sandbox::new();
    for file in ["character.glb", "character.gltf", "character.fbx"] {
        character(&sandbox, file);
        let draw = |more: &[&str], out: &str| {
            sandbox.run([&["sheet", file, "--count", "3", "-o", out, "--overwrite"], more].concat()).ok();
            String::from_utf8(sandbox.read(out)).unwrap()
        };
        // The SVG shows a mesh as an image, and capsules as outlines.
        let mesh = draw(&[], "mesh.svg");
        assert_eq!(mesh.matches("<image ").count(), 3, "{file}");
        assert!(!draw(&["--draw", "capsules"], "capsules.svg").contains("<image "), "{file}");
        assert_ne!(draw(&["--colours", "side"], "sides.svg"), mesh, "{file}");
        for verb in ["view", "render"] {
            let out = if verb == "view" { "out.html" } else { "out.gif" };
            let size: &[&str] = if verb == "view" { &[] } else { &["--size", "160x120"] };
            let drawn = |body: &[&str]| {
                sandbox.run([&[verb, file, "-o", out, "--overwrite"], size, body].concat()).ok();
                sandbox.read(out)
            };
            assert_ne!(drawn(&[]), drawn(&["--draw", "capsules"]), "{verb} {file}");
        }
    }
}

#[test]
fn clips_of_a_set_have_names() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh");
    sandbox.put("in/one.bvh", std::fs::read(&walk).unwrap());
    sandbox.run(["convert", "in/one.bvh", "-o", "in/two.bvh", "--trim", "3:9"]).ok();
    sandbox.run(["convert", "in/", "--to", "npz", "--pack", "8", "-o", "set/"]).ok();
    sandbox.run(["convert", "set/pack-00000.npz#two", "-o", "two.bvh"]).ok();
    let row = sandbox.run(["info", "two.bvh", "--json"]).ok().rows().remove(0);
    assert_eq!(row["frames"], 6, "{row}");
    sandbox.run(["convert", "set/pack-00000.npz", "--clip", "all", "--to", "bvh", "-o", "all/"]).ok();
    assert_eq!(sandbox.files("all"), ["pack-00000#one.bvh", "pack-00000#two.bvh"]);
    // The same holds for other formats with several clips.
    let glb = fixture("gltf/warn-two-clips.glb").display().to_string();
    sandbox.run(["convert", &glb, "--clip", "all", "--to", "bvh", "-o", "moves/"]).ok();
    assert_eq!(sandbox.files("moves").len(), 2);
    let ran = sandbox.run(["convert", "set/pack-00000.npz#three", "-o", "three.bvh"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("it has 'one', 'two'"), "{}", ran.stderr);
}
