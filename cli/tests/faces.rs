//! `mocap face` and Live Link Face CSV.

mod mocap;

use mocap::{Sandbox, fixture};
use serde_json::Value;

fn face(name: &str) -> String {
    fixture("faces").join(name).display().to_string()
}

/// The numbers over time of a JSON clip, by name without the mesh.
fn shape(clip: &[u8], name: &str) -> Vec<f64> {
    let clip: Value = serde_json::from_slice(clip).unwrap();
    let all = clip["scalars"].as_array().unwrap();
    let found = all.iter().find(|track| track["name"].as_str().unwrap().rsplit('.').next() == Some(name));
    let values = found.unwrap_or_else(|| panic!("no {name}"))["values"].as_array().unwrap();
    values.iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn a_take_goes_to_json_and_back_with_its_time_codes() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(["convert", &face("take.csv"), "-o", "take.json"]).ok();
    assert!(ran.stderr.contains("livelink::dropped-frames"), "{}", ran.stderr);
    let blink = shape(&sandbox.read("take.json"), "eyeBlinkLeft");
    assert_eq!(blink.len(), 90);
    assert!(
        (blink[20] - (blink[19] + blink[21]) / 2.0).abs() < 1e-12,
        "a dropped frame lies between its neighbours"
    );
    sandbox.run(["convert", "take.json", "--to", "livelink-csv", "-o", "back.csv"]).ok();
    let of = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (back, take) = (of(sandbox.read("back.csv")), of(std::fs::read(face("take.csv")).unwrap()));
    assert_eq!(back.lines().count(), 91);
    for row in take.lines() {
        assert!(back.lines().any(|other| other == row), "{row}");
    }
}

#[test]
fn a_take_moves_a_head_whose_shapes_have_other_names() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(["face", &face("take.csv"), &face("head.glb"), "-o", "talk.glb", "--json"]).ok();
    let row = &ran.rows()[0];
    assert_eq!(row["map"].as_array().unwrap().len(), 5);
    assert_eq!(row["unmoved"].as_array().unwrap().len(), 1);
    assert!(row["residual"].is_null());
    sandbox.run(["convert", "talk.glb", "-o", "talk.json"]).ok();
    sandbox.run(["convert", &face("take.csv"), "-o", "take.json"]).ok();
    let (talk, take) = (sandbox.read("talk.json"), sandbox.read("take.json"));
    for (ours, theirs) in
        [("Eye_Blink_L", "eyeBlinkLeft"), ("Jaw_Open", "jawOpen"), ("Mouth_Smile_R", "mouthSmileRight")]
    {
        let (ours, theirs) = (shape(&talk, ours), shape(&take, theirs));
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-6) && ours.len() == 90);
    }
    // The eyes turn as those of the take do.
    let clip: Value = serde_json::from_slice(&talk).unwrap();
    let turns = clip["tracks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|track| track["rotation"].as_array().is_some_and(|values| values.len() == 90));
    assert_eq!(turns.count(), 3);
}

#[test]
fn a_map_is_shown_written_edited_and_taken() {
    let sandbox = Sandbox::new();
    let (take, head) = (face("take.csv"), face("head.glb"));
    let shown = sandbox.run(["face", &take, &head, "--explain"]).ok();
    assert!(shown.stdout.contains("jawOpen") && shown.stdout.contains("nothing moves"), "{}", shown.stdout);
    sandbox.run(["face", &take, &head, "--write-map", "map.json"]).ok();
    let mut map: Value = serde_json::from_slice(&sandbox.read("map.json")).unwrap();
    for row in map["shapes"].as_array_mut().unwrap() {
        if row["target"].as_str().unwrap().ends_with("Ears_Out") {
            row["from"] = serde_json::json!([{ "source": "jawOpen", "gain": 0.5 }]);
        }
    }
    sandbox.put("map.json", map.to_string());
    sandbox.run(["face", &take, &head, "--map", "map.json", "-o", "talk.json"]).ok();
    let talk = sandbox.read("talk.json");
    let (ears, jaw) = (shape(&talk, "Ears_Out"), shape(&talk, "Jaw_Open"));
    assert!(ears.iter().zip(&jaw).all(|(ears, jaw)| (ears - 0.5 * jaw).abs() < 1e-12));
    sandbox.put("map.json", map.to_string().replace("jawOpen", "jawOpn"));
    let wrong = sandbox.run(["face", &take, &head, "--map", "map.json", "-o", "other.json"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("did you mean 'jawOpen'?"), "{}", wrong.stderr);
}

#[test]
fn weights_are_found_from_the_vertices_that_they_made() {
    let sandbox = Sandbox::new();
    let (take, head) = (face("take.csv"), face("head.glb"));
    sandbox.run(["face", &take, &head, "--no-turns", "-o", "talk.glb"]).ok();
    sandbox.run(["bake", "talk.glb", "-o", "points.npz"]).ok();
    let ran = sandbox.run(["face", "points.npz", &head, "--solve", "-o", "solved.json", "--json"]).ok();
    assert!(ran.rows()[0]["residual"]["max"].as_f64().unwrap() < 1e-6);
    sandbox.run(["convert", "talk.glb", "-o", "talk.json"]).ok();
    let (solved, talk) = (sandbox.read("solved.json"), sandbox.read("talk.json"));
    for name in ["Jaw_Open", "Eye_Blink_L", "Mouth_Smile_L", "Ears_Out"] {
        let (a, b) = (shape(&solved, name), shape(&talk, name));
        let at = |values: &[f64], frame: usize| values[frame.min(values.len() - 1)];
        assert!((0..90).all(|frame| (at(&a, frame) - at(&b, frame)).abs() < 1e-3), "{name}");
    }
}

#[test]
fn a_head_without_shapes_gets_those_of_another() {
    let sandbox = Sandbox::new();
    let head = face("head.glb");
    // The same head as a file without its shapes.
    let bytes = std::fs::read(&head).unwrap();
    sandbox.put("head.glb", &bytes);
    let mut stripped = bytes.clone();
    for (old, new) in [("\"targets\"", "\"target_\""), ("\"weights\"", "\"weight_\"")] {
        for at in 0..=stripped.len() - old.len() {
            if stripped[at..].starts_with(old.as_bytes()) {
                stripped[at..at + new.len()].copy_from_slice(new.as_bytes());
            }
        }
    }
    sandbox.put("bare.glb", stripped);
    let ran = sandbox.run(["face", "head.glb", "bare.glb", "--make-shapes", "-o", "made.glb", "--json"]).ok();
    let row = &ran.rows()[0]["transferred"];
    assert_eq!((&row["shapes"], &row["same_topology"]), (&6.into(), &true.into()));
    // It moves as the head that the shapes came from.
    for name in ["head", "made"] {
        let (model, out) = (format!("{name}.glb"), format!("{name}_talk.glb"));
        sandbox.run(["face", &face("take.csv"), &model, "--no-turns", "-o", &out]).ok();
        sandbox.run(["bake", &out, "-o", &format!("{name}.npz")]).ok();
    }
    let moved = |name: &str| {
        let bytes = sandbox.read(name);
        let archive = mocap_formats::npz::Archive::open(&bytes, &mocap_formats::Limits::default()).unwrap();
        let arrays = archive.read(|known| known == "vertices").unwrap();
        let vertices = arrays.get("vertices").unwrap();
        (0..vertices.data.len()).map(|at| vertices.data.number(at).unwrap()).collect::<Vec<f64>>()
    };
    let (head, made) = (moved("head.npz"), moved("made.npz"));
    assert_eq!(head.len(), made.len());
    assert!(head.iter().zip(&made).all(|(a, b)| (a - b).abs() < 1e-5));
}

#[test]
fn what_is_no_face_is_said() {
    let sandbox = Sandbox::new();
    let (take, head) = (face("take.csv"), face("head.glb"));
    let walk = fixture("clips/alex_walk.bvh").display().to_string();
    let header = "Timecode,BlendShapeCount,EyeBlinkLeft\n";
    sandbox.put("nan.csv", format!("{header}00:00:00:00.000,1,NaN\n"));
    sandbox.put("back.csv", format!("{header}00:00:00:05.000,1,0\n00:00:00:03.000,1,0\n"));
    sandbox.put("names.csv", "Timecode,BlendShapeCount,Foo\n00:00:00:00.000,1,0\n");
    sandbox.put("code.csv", format!("{header}1.5,1,0\n"));
    for (source, target, code, words) in [
        (&walk, &head, "face::nothing-mapped", "no numbers over time"),
        (&take, &walk, "face::no-shapes", "morph targets"),
        (&"nan.csv".to_owned(), &head, "livelink::not-finite", "line 2"),
        (&"back.csv".to_owned(), &head, "livelink::backwards", "before that of the row above"),
        (&"names.csv".to_owned(), &head, "livelink::no-shapes", "EyeBlinkLeft"),
        (&"code.csv".to_owned(), &head, "livelink::timecode", "HH:MM:SS:FF"),
    ] {
        let ran = sandbox.run(["face", source, target, "-o", "out.glb"]);
        assert!(ran.code != 0 && ran.stderr.contains(code), "{code}: {}", ran.stderr);
        assert!(ran.stderr.contains(words) || code.starts_with("livelink::not"), "{words}: {}", ran.stderr);
        assert!(!sandbox.path("out.glb").exists());
    }
    let wrong = sandbox.run(["face", &walk, &head, "--solve", "-o", "out.glb"]);
    assert!(wrong.stderr.contains("face::points"), "{}", wrong.stderr);
}
