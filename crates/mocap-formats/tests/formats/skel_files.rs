//! `.skel` files: exact round trips, the published schema, and their layout.

use mocap_formats::{Limits, skel};
use mocap_model::*;
use serde_json::Value;
use std::path::Path;

fn joint(name: &str, parent: Option<u32>, offset: [f64; 3]) -> Joint {
    Joint::new(name, parent.map(JointId), offset.into())
}

/// Something of everything that a skeleton can hold.
fn rich() -> Skeleton {
    let mut joints = vec![
        joint("Hips", None, [0.0, 90.5, -0.0]),
        joint("Left \"Leg\"\n", Some(0), [10.0, 1.0 / 3.0, 1e-17]),
        joint("Kn\u{e9}e", Some(1), [0.0, -45.0, 5e-324]),
        joint("foot", Some(2), [5e-324, -999999999999.9999, 0.1 + 0.2]),
        joint("foot_End", Some(3), [0.0, 0.0, 12.0]),
        joint("other root", None, [1.0, 2.0, 3.0]),
    ];
    joints[0].dofs = Dofs::free(EulerOrder::XYZ);
    joints[0].role = Some(Role::Hips);
    joints[1].rest_rotation = exp(&Vector3::new(0.1, 0.2, 0.3));
    joints[1].role = Some(Role::LeftUpperLeg);
    joints[2].dofs = Dofs { rotation: [true, false, false], ..Dofs::locked(EulerOrder::ZYX) };
    joints[2].dofs.frame = exp(&Vector3::new(1.0, -2.0, 0.5));
    joints[2].dofs.limits[0] = Some(Limit { min: -10f64.to_radians(), max: 170f64.to_radians() });
    joints[2].dofs.limits[1] = Some(Limit { min: f64::NEG_INFINITY, max: 0.3 });
    joints[2].dofs.limits[2] = Some(Limit { min: 0.0, max: f64::INFINITY });
    joints[3].dofs.order = EulerOrder::new([Axis::Z, Axis::X, Axis::Z]).unwrap();
    joints[4].dofs = Dofs::locked(EulerOrder::ZXY);
    joints[4].end_site = true;
    let space = Space {
        up: SignedAxis::Z,
        forward: SignedAxis { axis: Axis::Y, negative: true },
        unit: Some(Unit { metres: 0.01, source: UnitSource::Guessed }),
    };
    let chain = Chain { name: "left leg".into(), base: JointId(1), tip: JointId(3) };
    let angle = |joint, axis, factor| CoupledAngle { joint: JointId(joint), axis, factor };
    let coupling = |name: &str, relation, value: f64| Coupling {
        name: name.into(),
        angles: vec![angle(0, Axis::Y, 1.0), angle(2, Axis::X, -0.5)],
        relation,
        value,
    };
    let couplings = vec![
        coupling("equal", Relation::Equal, 5f64.to_radians()),
        coupling("at most", Relation::AtMost, 0.1 + 0.2),
    ];
    let skeleton = Skeleton::new("rich", space, joints).unwrap().with_chains(vec![chain]).unwrap();
    skeleton.with_couplings(couplings).unwrap()
}

fn parse(text: &[u8]) -> Skeleton {
    let parsed = skel::parse(text, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    parsed.value
}

#[test]
fn skeletons_come_back_to_the_last_bit() {
    let skeleton = rich();
    let back = parse(&skel::to_bytes(&skeleton));
    assert_eq!(back, skeleton);
    assert!(back.joints()[0].offset.z.is_sign_negative());
    for metres in [1.0, 0.0254, Unit::CMU, 0.123456789] {
        let space = Space { unit: Some(Unit { metres, source: UnitSource::File }), ..Space::default() };
        let skeleton = skeleton.with_space(space);
        assert_eq!(parse(&skel::to_bytes(&skeleton)), skeleton);
    }
}

#[test]
fn a_person_can_read_the_file() {
    insta::assert_snapshot!(String::from_utf8(skel::to_bytes(&rich())).unwrap());
}

#[test]
fn what_goes_without_saying_may_be_left_out() {
    let text = br#"{"format": "mocap-skel", "version": 1, "joints": [
        {"name": "a", "offset": [0, 0, 0]},
        {"name": "b", "parent": "a", "offset": [0, 1, 0], "end_site": true}]}"#;
    let mut joints = vec![joint("a", None, [0.0; 3]), joint("b", Some(0), [0.0, 1.0, 0.0])];
    joints[1].end_site = true;
    joints[1].dofs = Dofs::locked(EulerOrder::ZXY);
    assert_eq!(parse(text), Skeleton::new("", Space::default(), joints).unwrap());
    // A byte order mark does no harm.
    assert_eq!(parse(&[b"\xEF\xBB\xBF", text.as_slice()].concat()), parse(text));
}

#[test]
fn quaternions_of_other_lengths_are_scaled() {
    let text = |q: &str| {
        format!(
            r#"{{"format": "mocap-skel", "version": 1, "joints": [
  {{"name": "a", "offset": [0, 0, 0], "rotation": {q}}}]}}"#
        )
    };
    // Rounded by hand.
    let rounded = parse(text("[0.7071, 0.7071, 0, 0]").as_bytes());
    assert!((rounded.joints()[0].rest_rotation.angle() - 90f64.to_radians()).abs() < 1e-9);
    let long = skel::parse(text("[2, 0, 0, 2]").as_bytes(), &Limits::default()).unwrap();
    assert!((long.value.joints()[0].rest_rotation.norm() - 1.0).abs() < 1e-12);
    let [warning] = long.warnings.as_slice() else { panic!("{:?}", long.warnings) };
    assert_eq!(warning.code(), "skel::rotation-length");
    assert_eq!(warning.place.as_ref().map(|place| (place.line, place.column)), Some((2, 50)));
}

#[test]
fn the_example_of_the_documentation_is_read() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/skel.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, from) = page.split_once("```json\n").unwrap();
    let (example, _) = from.split_once("```").unwrap();
    let skeleton = parse(example.as_bytes());
    assert_eq!((skeleton.len(), skeleton.chains().len()), (5, 1));
    // The writer omits default values as the example does: it reproduces the example.
    assert_eq!(String::from_utf8(skel::to_bytes(&skeleton)).unwrap(), example);
}

fn published() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/skel.schema.json");
    std::fs::read_to_string(path).expect("the schema is part of the documentation")
}

#[test]
fn formats_without_couplings_say_so_once() {
    let small = r#"{"format": "mocap-skel", "version": 1, "name": "s", "unit": "m", "up": "Y", "forward": "Z", "joints": [
        {"name": "a", "offset": [0, 1, 0]}, {"name": "b", "parent": "a", "offset": [0, 1, 0]},
        {"name": "c", "parent": "b", "offset": [0, 1, 0], "end_site": true}],
        "couplings": [{"name": "bend", "angles": [{"joint": "a", "axis": "X"}, {"joint": "b", "axis": "X", "factor": -1}], "equals": 0}]}"#;
    let skeleton = std::sync::Arc::new(parse(small.as_bytes()));
    let tracks = skeleton.joints().iter().map(mocap_model::JointTracks::at_rest).collect();
    let clip =
        mocap_model::Clip::new(skeleton, mocap_model::FrameRate::new(30.0).unwrap(), 2, tracks).unwrap();
    let said = |format| {
        let written =
            mocap_formats::write_clips(std::slice::from_ref(&clip), format, &Default::default()).unwrap();
        let couplings =
            written.warnings.iter().filter(|warning| warning.code() == "skeleton::couplings-left-out");
        couplings.map(ToString::to_string).collect::<Vec<String>>()
    };
    use mocap_formats::Format::{Amc, Bvh, Fbx, Glb, Json, Npz, Skel, Usda, Vrma};
    for format in [Bvh, Amc, Glb, Fbx, Npz, Usda, Vrma] {
        assert_eq!(
            said(format),
            [format!("1 coupling is left out: {} files cannot hold them", format.extension())]
        );
    }
    assert!(said(Json).is_empty() && said(Skel).is_empty());
    let asf = mocap_formats::write_skeleton(clip.skeleton(), mocap_formats::Format::Asf, &Default::default());
    assert_eq!(asf.unwrap().warnings[0].code(), "skeleton::couplings-left-out");
}

#[test]
fn couplings_that_cannot_be_are_refused_with_their_place() {
    let whole = String::from_utf8(skel::to_bytes(&rich())).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(whole.contains(from), "{whole}");
        let error = skel::parse(whole.replacen(from, to, 1).as_bytes(), &Limits::default()).unwrap_err();
        error.to_string()
    };
    let own = r#""axis": "Y" }"#;
    assert!(refused(own, r#""axis": "W" }"#).contains("couplings[0].angles[0].axis"));
    assert!(refused(own, r#""axis": "Y", "factor": 0 }"#).contains("the factor of 'Hips' about Y is 0"));
    assert!(
        refused(r#""equals": 5"#, r#""equals": 5, "at_most": 6"#).contains("either 'equals' or 'at_most'")
    );
    assert!(refused(r#""joint": "Hips""#, r#""joint": "Hip""#).contains("Hip"));
    assert!(refused(r#""axis": "X""#, r#""axis": "Z""#).contains("does not turn about Z"));
}

#[test]
fn the_published_schema_is_current() {
    assert_eq!(
        published(),
        skel::json_schema(),
        "write it anew: cargo run -p mocap-formats --example skel_schema > docs/schema/skel.schema.json"
    );
}

#[test]
fn files_fit_the_published_schema() {
    let schema: Value = serde_json::from_str(&published()).unwrap();
    let file: Value = serde_json::from_slice(&skel::to_bytes(&rich())).unwrap();
    assert_eq!(misfits(&schema, &schema, &file, "$"), Vec::<String>::new());
    for (pointer, value) in [
        ("/format", Value::from("other")),
        ("/version", Value::from(2)),
        ("/up", Value::from("W")),
        ("/unit", Value::from(true)),
        ("/joints", serde_json::json!([])),
        ("/joints/0/role", Value::from("Tail")),
        ("/joints/0/offset", serde_json::json!([1, 2])),
        ("/joints/2/dofs/order", Value::from("XY")),
        ("/joints/2/limits/X/0", Value::from("low")),
        ("/chains/0", serde_json::json!({"name": "x", "base": "Hips", "tip": "foot", "more": 1})),
    ] {
        let mut wrong = file.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        assert!(!misfits(&schema, &schema, &wrong, "$").is_empty(), "{pointer}");
    }
}

/// Where a value breaks a JSON Schema, as far as ours uses the language; unknown words of it are an error.
fn misfits(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some(schema) = schema.as_object() else { return found };
    for (word, says) in schema {
        let fits = match word.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" | "additionalProperties" => {
                true
            }
            "type" => {
                let kinds = says.as_array().cloned().unwrap_or_else(|| vec![says.clone()]);
                kinds.iter().any(|kind| match kind.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "number" => value.is_number(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("type {other}"),
                })
            }
            "const" => value == says,
            "enum" => says.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|value| value >= says.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|value| value <= says.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= says.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= says.as_u64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| matches(says.as_str().unwrap(), text)),
            "anyOf" => says.as_array().unwrap().iter().any(|one| misfits(root, one, value, path).is_empty()),
            "$ref" => {
                let pointer = says.as_str().unwrap().trim_start_matches('#');
                found.extend(misfits(root, root.pointer(pointer).unwrap(), value, path));
                true
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(misfits(root, says, item, &format!("{path}[{i}]")));
                }
                true
            }
            "properties" => {
                for (key, item) in value.as_object().into_iter().flatten() {
                    match says.get(key) {
                        Some(says) => found.extend(misfits(root, says, item, &format!("{path}.{key}"))),
                        None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                            found.push(format!("{path}.{key}"));
                        }
                        None => {}
                    }
                }
                true
            }
            "required" => {
                let keys = says.as_array().unwrap().iter().map(|key| key.as_str().unwrap());
                value.as_object().is_none_or(|object| keys.clone().all(|key| object.contains_key(key)))
            }
            other => panic!("the schema says '{other}'"),
        };
        if !fits {
            found.push(format!("{path}: {word} {says}"));
        }
    }
    found
}

/// The patterns of the schema: one set of characters between two lengths, a sign before it perhaps.
fn matches(pattern: &str, text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let axes = |text: &str| text.chars().all(|c| "XYZ".contains(c));
    match pattern {
        "^[+-]?[XYZxyz]$" => {
            let rest = text.strip_prefix(['+', '-']).unwrap_or(&text);
            rest.len() == 1 && axes(rest)
        }
        "^[XYZxyz]$" => text.len() == 1 && axes(&text),
        "^[XYZxyz]{3}$" => text.len() == 3 && axes(&text),
        "^[XYZxyz]{0,3}$" => text.len() <= 3 && axes(&text),
        other => panic!("the schema has the pattern {other}"),
    }
}
