//! `mocap face` with the expressions of VRM characters, and VRM animations of them.

use serde_json::Value;

use crate::faces::{avatar, face, shape, unnamed_shapes, with_json};
use crate::mocap::{Sandbox, fixture};

#[test]
fn expressions_of_a_vrm_move_the_shapes_that_they_bind() {
    let sandbox = Sandbox::new();
    let head = std::fs::read(face("head.glb")).unwrap();
    let avatar = with_json(&head, |json| {
        let node = unnamed_shapes(json);
        let bind = |index: usize, weight: f64| serde_json::json!([{ "node": node, "index": index, "weight": weight }]);
        json["extensions"] = serde_json::json!({ "VRMC_vrm": { "specVersion": "1.0", "expressions": { "preset": {
            "blinkLeft": { "morphTargetBinds": bind(1, 1.0) },
            "aa": { "morphTargetBinds": bind(0, 0.5), "overrideBlink": "block" },
        } } } });
        json["extensionsUsed"] = serde_json::json!(["VRMC_vrm"]);
    });
    sandbox.put("avatar.vrm", avatar);
    let ran = sandbox.run(["face", &face("take.csv"), "avatar.vrm", "-o", "talk.glb", "--json"]).ok();
    let row = &ran.rows()[0];
    let linked: Vec<&str> =
        row["map"].as_array().unwrap().iter().map(|link| link["target"].as_str().unwrap()).collect();
    assert_eq!(linked, ["blinkLeft", "aa"]);
    sandbox.run(["convert", "talk.glb", "-o", "talk.json"]).ok();
    sandbox.run(["convert", &face("take.csv"), "-o", "take.json"]).ok();
    let (talk, take) = (sandbox.read("talk.json"), sandbox.read("take.json"));
    let (jaw, open) = (shape(&talk, "key0x"), shape(&take, "jawOpen"));
    let (lid, blink) = (shape(&talk, "key1x"), shape(&take, "eyeBlinkLeft"));
    for frame in 0..90 {
        assert!((jaw[frame] - 0.5 * open[frame]).abs() < 1e-6);
        let held = if open[frame] > 0.0 { 0.0 } else { blink[frame] };
        assert!((lid[frame] - held).abs() < 1e-6, "{frame}");
    }
}

#[test]
fn vrm_animations_are_written_and_move_a_character() {
    let sandbox = Sandbox::new();
    let take = face("take.csv");
    sandbox.put("avatar.vrm", avatar());
    // The map names the character's own expressions.
    let ran = sandbox.run(["face", &take, "avatar.vrm", "-o", "talk.vrma", "--json"]).ok();
    let row = &ran.rows()[0];
    let linked: Vec<&str> =
        row["map"].as_array().unwrap().iter().map(|link| link["target"].as_str().unwrap()).collect();
    assert_eq!((linked, &row["unmoved"]), (vec!["blinkLeft", "aa"], &serde_json::json!(["Grin"])));
    let json = json_of(&sandbox.read("talk.vrma"));
    let own = &json["extensions"]["VRMC_vrm_animation"];
    assert_eq!(own["specVersion"], "1.0");
    let node = own["expressions"]["preset"]["aa"]["node"].as_u64().unwrap() as usize;
    assert_eq!(json["nodes"][node]["name"], "aa");
    // Applied to the character again, the animation moves its shapes like the take does.
    sandbox.run(["face", "talk.vrma", "avatar.vrm", "-o", "again.glb"]).ok();
    sandbox.run(["face", &take, "avatar.vrm", "-o", "talk.glb"]).ok();
    for name in ["again", "talk"] {
        sandbox.run(["convert", &format!("{name}.glb"), "-o", &format!("{name}.json")]).ok();
    }
    let (again, talk) = (sandbox.read("again.json"), sandbox.read("talk.json"));
    for name in ["key0x", "key1x"] {
        let (a, b) = (shape(&again, name), shape(&talk, name));
        assert!(a.len() == 90 && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{name}");
    }
    // Without a character, the file has no hips, and expressions have the names in the take.
    let ran = sandbox.run(["convert", &take, "-o", "take.vrma"]).ok();
    assert!(ran.stderr.contains("gltf::no-hips"), "{}", ran.stderr);
    sandbox.run(["convert", "take.vrma", "-o", "back.json"]).ok();
    sandbox.run(["convert", &take, "-o", "take.json"]).ok();
    let (back, whole) = (sandbox.read("back.json"), sandbox.read("take.json"));
    for name in ["jawOpen", "eyeBlinkLeft"] {
        let (a, b) = (shape(&back, name), shape(&whole, name));
        assert!(a.len() == 90 && a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{name}");
    }
}

/// The JSON of a GLB file.
fn json_of(file: &[u8]) -> Value {
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[20..20 + length]).unwrap()
}

#[test]
fn vrm_animations_of_bodies_have_bones_and_metres() {
    let sandbox = Sandbox::new();
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    let ran = sandbox.run(["convert", &walk, "-o", "walk.vrma"]).ok();
    assert!(ran.stderr.contains("unit::guessed") && !ran.stderr.contains("no-hips"), "{}", ran.stderr);
    let json = json_of(&sandbox.read("walk.vrma"));
    let bones = json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"].as_object().unwrap();
    for bone in ["hips", "head", "leftUpperArm", "rightFoot"] {
        assert!(bones.contains_key(bone), "{bone}");
    }
    let hips = bones["hips"]["node"].as_u64().unwrap() as usize;
    let height = json["nodes"][hips]["translation"][1].as_f64().unwrap();
    assert!((0.5..1.5).contains(&height), "hips at {height} m");
}

#[test]
fn a_pipeline_moves_the_expressions_of_a_character_for_vrm_animations() {
    let sandbox = Sandbox::new();
    sandbox.put("avatar.vrm", avatar());
    sandbox.put("take.csv", std::fs::read(face("take.csv")).unwrap());
    let steps = |formats: &[&str]| {
        let writes: String =
            formats.iter().map(|format| format!("[[step]]\ndo = \"write\"\nto = \"{format}\"\n")).collect();
        format!(
            "inputs = \"take.csv\"\noutput = \"out\"\n[[step]]\ndo = \"face\"\ntarget = \"avatar.vrm\"\n{writes}"
        )
    };
    sandbox.put("face.toml", steps(&["vrma"]));
    sandbox.run(["run", "face.toml"]).ok();
    let expressions =
        &json_of(&sandbox.read("out/take.vrma"))["extensions"]["VRMC_vrm_animation"]["expressions"];
    assert!(expressions["preset"]["blinkLeft"].is_object(), "{expressions}");
    assert!(expressions["preset"]["aa"].is_object() && expressions.get("custom").is_none(), "{expressions}");
    sandbox.put("both.toml", steps(&["vrma", "glb"]));
    let both = sandbox.run(["run", "both.toml", "--overwrite"]);
    assert!(both.code != 0 && both.stderr.contains("usage::format"), "{}", both.stderr);
}
