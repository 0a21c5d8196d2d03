//! `mocap face` and Live Link Face CSV.

use crate::mocap::{Sandbox, fixture};
use serde_json::Value;

pub(crate) fn face(name: &str) -> String {
    fixture("faces").join(name).display().to_string()
}

/// The numbers over time of a JSON clip, by name without the mesh.
pub(crate) fn shape(clip: &[u8], name: &str) -> Vec<f64> {
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
    // Cut, and at half the rate, every frame keeps the time of day that it was recorded at.
    let codes = |text: &str| -> Vec<String> {
        text.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned()).collect()
    };
    for (flags, first) in [(&["--trim", "20:60"][..], 20), (&["--drop-first-frame"], 1)] {
        let name = format!("{first}.csv");
        let command = ["convert", "take.json", "--to", "livelink-csv", "-o", &name];
        sandbox.run([&command, flags].concat()).ok();
        assert_eq!(codes(&of(sandbox.read(&name)))[0], codes(&back)[first], "{flags:?}");
    }
    sandbox.run(["convert", "take.json", "--to", "livelink-csv", "-o", "half.csv", "--fps", "30"]).ok();
    let seconds = |code: &str, rate: f64| {
        let parts: Vec<f64> = code.split(':').map(|part| part.parse().unwrap()).collect();
        parts[0] * 3600.0 + parts[1] * 60.0 + parts[2] + parts[3] / rate
    };
    let (first, half) = (codes(&back)[0].clone(), codes(&of(sandbox.read("half.csv")))[0].clone());
    assert!((seconds(&first, 60.0) - seconds(&half, 30.0)).abs() < 1.0 / 60.0 + 1e-9, "{first} {half}");
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
    // The eyes turn like those of the take.
    let clip: Value = serde_json::from_slice(&talk).unwrap();
    let turns = clip["tracks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|track| track["rotation"].as_array().is_some_and(|values| values.len() == 90));
    assert_eq!(turns.count(), 3);
}

/// The shapes of an FBX that nothing moves yet are driven in the file that is kept.
#[test]
fn a_head_in_fbx_moves_as_one_in_glb() {
    let sandbox = Sandbox::new();
    let (take, head) = (face("take.csv"), face("head.glb"));
    sandbox.run(["convert", &head, "-o", "head.fbx"]).ok();
    for (name, head) in [("fbx", "head.fbx"), ("glb", head.as_str())] {
        let talk = format!("talk.{name}");
        sandbox.run(["face", &take, head, "--no-turns", "-o", &talk]).ok();
        sandbox.run(["convert", &talk, "-o", &format!("{name}.json")]).ok();
    }
    let (fbx, glb) = (sandbox.read("fbx.json"), sandbox.read("glb.json"));
    for name in ["Jaw_Open", "Eye_Blink_L", "Mouth_Smile_R"] {
        let (a, b) = (shape(&fbx, name), shape(&glb, name));
        assert!(a.len() == 90 && b.len() == 90, "{name}");
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{name}");
    }
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
    // The head with transferred shapes moves like the head that they came from.
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
    for (out, words) in [("out.bvh", "bvh files cannot hold"), ("out.csv", "csv files cannot hold")] {
        let ran = sandbox.run(["face", &take, &head, "-o", out]);
        assert!(ran.code != 0 && ran.stderr.contains("usage::format"), "{out}: {}", ran.stderr);
        for word in [words, "glb", "fbx", "json", "livelink-csv"] {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
        assert!(!sandbox.path(out).exists());
    }
    for out in ["out.bvh", "out.json", "out.usda"] {
        let ran = sandbox.run(["face", &head, &head, "--make-shapes", "-o", out]);
        assert!(ran.code != 0 && ran.stderr.contains("shapes of a mesh"), "{out}: {}", ran.stderr);
    }
    sandbox.put("other.csv", "frame, face_id, AU01_r\n1, 0, 0.5\n");
    for more in [&["-o", "out.glb"][..], &["--explain"]] {
        let ran = sandbox.run([&["face", "other.csv", &head][..], more].concat());
        assert!(ran.code != 0 && ran.stderr.contains("face::columns"), "{}", ran.stderr);
        assert!(ran.stderr.contains("AU01_r") && ran.stderr.contains("EyeBlinkLeft"), "{}", ran.stderr);
    }
    let wrong = sandbox.run(["face", &walk, &head, "--solve", "-o", "out.glb"]);
    assert!(wrong.stderr.contains("face::points"), "{}", wrong.stderr);
}

/// A GLB with other JSON.
pub(crate) fn with_json(bytes: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (end, mut json) =
        (20 + word(12), serde_json::from_slice::<Value>(&bytes[20..20 + word(12)]).unwrap());
    change(&mut json);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut made = bytes[..8].to_vec();
    made.extend(((20 + text.len() + bytes.len() - end) as u32).to_le_bytes());
    made.extend((text.len() as u32).to_le_bytes());
    made.extend(&bytes[16..20]);
    made.extend(text);
    made.extend(&bytes[end..]);
    made
}

#[test]
fn heads_with_wrong_shapes_are_said() {
    let sandbox = Sandbox::new();
    let head = std::fs::read(face("head.glb")).unwrap();
    let primitive = |json: &mut Value, change: &mut dyn FnMut(&mut Value)| {
        let meshes = json["meshes"].as_array_mut().unwrap().iter_mut();
        meshes.for_each(|mesh| change(&mut mesh["primitives"][0]));
    };
    // Without the mesh that shapes displace.
    let neutral = with_json(&head, |json| {
        primitive(json, &mut |it| drop(it["attributes"].as_object_mut().unwrap().remove("POSITION")));
    });
    // A shape that displaces fewer vertices than the mesh has.
    let count = with_json(&head, |json| {
        let mut at = 0;
        primitive(json, &mut |it| at = it["targets"][2]["POSITION"].as_u64().unwrap() as usize);
        let count = json["accessors"][at]["count"].as_u64().unwrap();
        json["accessors"][at]["count"] = (count - 7).into();
        json["accessors"][at].as_object_mut().unwrap().remove("sparse");
    });
    sandbox.put("neutral.glb", neutral);
    sandbox.put("count.glb", count);
    for (name, words) in [
        ("neutral.glb", &["gltf::no-neutral", "POSITION"][..]),
        ("count.glb", &["gltf::shape-count", "targets[2].POSITION", "Eye_Blink_R"]),
    ] {
        let ran = sandbox.run(["face", &face("take.csv"), name, "-o", "out.glb"]);
        assert!(
            ran.code != 0 && words.iter().all(|word| ran.stderr.contains(word)),
            "{name}: {}",
            ran.stderr
        );
        assert!(!sandbox.path("out.glb").exists());
    }
    // Two shapes of one name.
    let twice = with_json(&head, |json| {
        let mesh =
            json["meshes"].as_array_mut().unwrap().iter_mut().find(|mesh| mesh.get("extras").is_some());
        let names = mesh.unwrap()["extras"]["targetNames"].as_array_mut().unwrap();
        names[5] = names[0].clone();
    });
    sandbox.put("twice.glb", twice);
    let ran = sandbox.run(["face", &face("take.csv"), "twice.glb", "-o", "out.glb"]).ok();
    assert!(ran.stderr.contains("face::same-names") && ran.stderr.contains("Jaw_Open"), "{}", ran.stderr);
    // Weights beyond 0 to 1 are kept, with a warning; a column that stands twice is an error.
    let header = "Timecode,BlendShapeCount,JawOpen";
    sandbox.put("beyond.csv", format!("{header}\n00:00:00:00.000,1,1.25\n00:00:00:01.000,1,-0.5\n"));
    let ran = sandbox.run(["face", "beyond.csv", &face("head.glb"), "-o", "beyond.json"]).ok();
    assert!(ran.stderr.contains("livelink::beyond"), "{}", ran.stderr);
    assert_eq!(shape(&sandbox.read("beyond.json"), "Jaw_Open"), [1.25, -0.5]);
    sandbox.put("columns.csv", format!("{header},jawOpen\n00:00:00:00.000,2,0,0\n"));
    let ran = sandbox.run(["face", "columns.csv", &face("head.glb"), "-o", "other.json"]);
    assert!(ran.code != 0 && ran.stderr.contains("livelink::duplicate-column"), "{}", ran.stderr);
}

#[test]
fn an_in_between_by_its_name_fades_to_both_sides() {
    let sandbox = Sandbox::new();
    let bytes = std::fs::read(face("head.glb")).unwrap();
    let renamed = with_json(&bytes, |json| {
        let mesh =
            json["meshes"].as_array_mut().unwrap().iter_mut().find(|mesh| mesh.get("extras").is_some());
        let names = mesh.unwrap()["extras"]["targetNames"].as_array_mut().unwrap();
        let ears = names.iter_mut().find(|name| name.as_str().unwrap().ends_with("Ears_Out")).unwrap();
        *ears = ears.as_str().unwrap().replace("Ears_Out", "Jaw_Open_30").into();
    });
    sandbox.put("head.glb", renamed);
    let ran = sandbox.run(["face", &face("take.csv"), "head.glb", "-o", "talk.json", "--json"]).ok();
    assert_eq!(ran.rows()[0]["unmoved"], serde_json::json!([]));
    let talk = sandbox.read("talk.json");
    let (jaw, between) = (shape(&talk, "Jaw_Open"), shape(&talk, "Jaw_Open_30"));
    assert!(jaw.iter().any(|weight| *weight > 0.5) && jaw.iter().any(|weight| (0.1..0.3).contains(weight)));
    for (jaw, between) in jaw.iter().zip(&between) {
        let expected = if *jaw <= 0.3 { jaw / 0.3 } else { (1.0 - jaw) / 0.7 };
        assert!((between - expected).abs() < 1e-9, "{jaw} {between}");
    }
}

/// Gives the shapes of the head names that no vocabulary knows, so only expressions say what they are; returns its node.
pub(crate) fn unnamed_shapes(json: &mut Value) -> usize {
    let nodes = json["nodes"].as_array().unwrap();
    let node = nodes.iter().position(|node| node.get("mesh").is_some()).unwrap();
    let mesh = nodes[node]["mesh"].as_u64().unwrap() as usize;
    let targets = &mut json["meshes"][mesh]["extras"]["targetNames"];
    let names: Vec<String> = (0..targets.as_array().unwrap().len()).map(|at| format!("key{at}x")).collect();
    *targets = names.into();
    node
}

/// A character with two expressions of VRM 1 on the head, the names of whose shapes mean nothing.
pub(crate) fn avatar() -> Vec<u8> {
    with_json(&std::fs::read(face("head.glb")).unwrap(), |json| {
        let node = unnamed_shapes(json);
        let bind = |index: usize| serde_json::json!([{ "node": node, "index": index, "weight": 1.0 }]);
        json["extensions"] = serde_json::json!({ "VRMC_vrm": { "specVersion": "1.0", "expressions": {
            "preset": { "blinkLeft": { "morphTargetBinds": bind(1) }, "aa": { "morphTargetBinds": bind(0) } },
            "custom": { "Grin": { "morphTargetBinds": bind(3) } },
        } } });
        json["extensionsUsed"] = serde_json::json!(["VRMC_vrm"]);
    })
}

#[test]
fn joints_take_the_place_of_shapes_by_a_table_or_by_poses() {
    let sandbox = Sandbox::new();
    let (take, head) = (face("take.csv"), face("head.glb"));
    sandbox.put(
        "poses.json",
        r#"{"poses": [{"shape": "jawOpen", "joints": [{"joint": "Eye_L", "turn": [30, 0, 0]}]}]}"#,
    );
    let drive = ["face", &take, &head, "--joint-poses", "poses.json", "--no-turns", "-o"];
    sandbox.run([&drive[..], &["talk.json"]].concat()).ok();
    sandbox.run(["convert", &take, "-o", "take.json"]).ok();
    let clip: Value = serde_json::from_slice(&sandbox.read("talk.json")).unwrap();
    let jaw = shape(&sandbox.read("take.json"), "jawOpen");
    let moving: Vec<&Value> = clip["tracks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|track| track["rotation"].as_array().is_some_and(|all| all.len() == 90))
        .collect();
    assert_eq!(moving.len(), 1, "only the joint of the pose turns");
    let turn = |frame: usize| {
        let numbers: Vec<f64> =
            moving[0]["rotation"][frame].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        2.0 * numbers.iter().map(|v| v.abs()).fold(0.0, f64::max).min(1.0).acos().to_degrees()
    };
    let frame = (0..90).max_by(|a, b| jaw[*a].total_cmp(&jaw[*b])).unwrap();
    assert!((turn(frame) - 30.0 * jaw[frame]).abs() < 1e-6, "{} {}", turn(frame), jaw[frame]);
    for (table, words) in [
        (r#"{"poses": []}"#, "no poses"),
        (r#"{"poses": [{"shape": "jawOpen", "joints": [{"joint": "Jow"}]}]}"#, "'Jow'"),
        (
            r#"{"poses": [{"shape": "jawOpen", "joints": [{"joint": "Head", "turn": [1e999, 0, 0]}]}]}"#,
            "poses",
        ),
        (r#"{"poses": [{"shape": "a", "joints": []}, {"shape": "a", "joints": []}]}"#, "two poses"),
        (r#"{"poses": 3}"#, "table of poses"),
    ] {
        sandbox.put("poses.json", table);
        let ran = sandbox.run([&drive[..], &["wrong.json"]].concat());
        assert!(ran.code != 0 && ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
}

#[test]
fn edits_quality_plots_and_pipelines_take_shapes() {
    let sandbox = Sandbox::new();
    let (take, head) = (face("take.csv"), face("head.glb"));
    sandbox.run(["face", &take, &head, "-o", "talk.glb"]).ok();
    sandbox.run(["convert", "talk.glb", "-o", "talk.json"]).ok();
    sandbox.run(["edit", "talk.glb", "--mirror", "--speed", "0.5", "-o", "slow.glb"]).ok();
    sandbox.run(["convert", "slow.glb", "-o", "slow.json"]).ok();
    let (talk, slow) = (sandbox.read("talk.json"), sandbox.read("slow.json"));
    let (left, right) = (shape(&talk, "Mouth_Smile_L"), shape(&slow, "Mouth_Smile_R"));
    assert_eq!(right.len(), 179);
    assert!((0..90).all(|frame| (left[frame] - right[2 * frame]).abs() < 1e-6));

    let shown = sandbox.run(["info", &take, "--quality", "--json"]).ok();
    let quality = &shown.rows()[0]["quality"]["face"];
    assert_eq!(quality["shapes"], 52);
    let what: Vec<&str> = quality["suspicious"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["what"].as_str().unwrap())
        .collect();
    assert!(!what.contains(&"eyes-open") && !what.contains(&"jitter"), "{what:?}");

    sandbox.run(["plot", "talk.glb", "--shape", "*blink*", "--shape", "Jaw_Open", "-o", "face.svg"]).ok();
    let chart = String::from_utf8(sandbox.read("face.svg")).unwrap();
    for name in ["Eye_Blink_L", "Eye_Blink_R", "Jaw_Open"] {
        assert!(chart.contains(name), "{name}");
    }
    let wrong = sandbox.run(["plot", "talk.glb", "--shape", "Jaw_Opem", "-o", "wrong.svg"]);
    assert!(wrong.code != 0 && wrong.stderr.contains("did you mean"), "{}", wrong.stderr);

    let target = head.replace('\\', "/");
    sandbox.put("db/take.csv", std::fs::read(&take).unwrap());
    sandbox.put("face.toml", format!("inputs = \"db/take.csv\"\noutput = \"out\"\n\n[[step]]\ndo = \"face\"\ntarget = \"{target}\"\n\n[[step]]\ndo = \"mirror\"\n\n[[step]]\ndo = \"write\"\nto = \"glb\"\n"));
    sandbox.run(["run", "face.toml"]).ok();
    sandbox.run(["convert", "out/take.glb", "-o", "piped.json"]).ok();
    let piped = shape(&sandbox.read("piped.json"), "Mouth_Smile_R");
    assert!((0..90).all(|frame| (left[frame] - piped[frame]).abs() < 1e-6));
}

/// The picture of a face differs where its eyes are shut.
#[test]
fn pictures_show_the_shapes() {
    let sandbox = Sandbox::new();
    sandbox.run(["face", &face("take.csv"), &face("head.glb"), "--no-turns", "-o", "talk.glb"]).ok();
    let shot = |at: &str, name: &str| {
        sandbox.run(["sheet", "talk.glb", "--at", at, "--view", "front", "-o", name]).ok();
        sandbox.read(name)
    };
    let (open, shut, again) = (shot("0", "open.png"), shot("24", "shut.png"), shot("0", "again.png"));
    assert_eq!(open, again);
    assert_ne!(open.len(), 0);
    assert_ne!(open, shut, "the lids close");
}

/// A take has no mesh, and all its joints are at one place: commands that draw bodies refuse it and
/// suggest `mocap plot`, and a gallery shows curves.
#[test]
fn a_take_without_a_mesh_is_drawn_as_curves() {
    let sandbox = Sandbox::new();
    sandbox.put("take.csv", std::fs::read(face("take.csv")).unwrap());
    sandbox.run(["convert", "take.csv", "-o", "take.vrma"]).ok();
    for input in ["take.csv", "take.vrma"] {
        for arguments in [
            ["sheet", input, "-o", "x.svg"],
            ["view", input, "-o", "x.html"],
            ["render", input, "-o", "x.gif"],
        ] {
            let ran = sandbox.run(arguments);
            let said = ran.stderr.contains("picture::only-numbers") && ran.stderr.contains("mocap plot");
            assert!(ran.code == 1 && said, "{ran:?}");
        }
    }
    sandbox.run(["plot", "take.csv", "--shape", "jawOpen", "-o", "jaw.svg"]).ok();
    // Applied to the character, the take can be drawn.
    sandbox.run(["face", "take.csv", &face("head.glb"), "-o", "talk.glb"]).ok();
    sandbox.run(["sheet", "talk.glb", "-o", "talk.svg"]).ok();
    sandbox.run(["gallery", "take.csv", "talk.glb", "-o", "site"]).ok();
    let strip = |script: &str| -> Vec<String> {
        let text = String::from_utf8(sandbox.read(script)).unwrap();
        let line = text.lines().next().unwrap();
        let entry: Value =
            serde_json::from_str(line.trim_start_matches("/*").trim_end_matches("*/")).unwrap();
        entry["strip"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned()).collect()
    };
    let of = |name: &str| strip(&format!("site/clips/{name}.js"));
    let [left, curves, ..] = &of("take.csv")[..] else { panic!("no strip") };
    assert!(left.is_empty() && curves.starts_with('M') && curves.matches('L').count() > 80, "{curves}");
    // The lines of the head in six frames, and no joints.
    let [left, lines, right, heads] = &of("talk.glb")[..] else { panic!("no strip") };
    assert!(left.is_empty() && right.is_empty() && heads.is_empty(), "{left} {right} {heads}");
    assert!(lines.matches('M').count() > 24, "{lines}");
}

#[test]
fn what_is_missing_is_said_of_whom_it_is_missing() {
    let sandbox = Sandbox::new();
    // The names of the head, and not those of the take, are the reason.
    let arguments = ["face", &face("take.csv"), &face("head.glb"), "--to", "livelink-csv", "-o", "x.csv"];
    let ran = sandbox.run(arguments);
    let said = ran.stderr.contains("livelink::not-arkit")
        && ran.stderr.contains("character")
        && ran.stderr.contains("head.glb");
    assert!(ran.code == 1 && said, "{ran:?}");
    // Expressions of an animation are listed.
    sandbox.put("avatar.vrm", avatar());
    sandbox.run(["face", &face("take.csv"), "avatar.vrm", "-o", "talk.vrma"]).ok();
    let ran = sandbox.run(["info", "talk.vrma"]).ok();
    assert!(ran.stdout.contains("numbers") && ran.stdout.contains("blinkLeft, aa"), "{}", ran.stdout);
    let row = sandbox.run(["info", "talk.vrma", "--json"]).ok().rows().remove(0);
    assert!(row["numbers"].as_array().unwrap().iter().any(|name| name == "aa"), "{row}");
}
