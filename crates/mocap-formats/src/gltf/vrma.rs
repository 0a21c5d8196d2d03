//! VRM animations: the humanoid bones of a clip and its numbers over time, as expressions.
//!
//! Based on: VRM Consortium, "VRM Animation 1.0" (`VRMC_vrm_animation`): bones turn and only the hips move, the rest pose is
//! a T-pose that faces along Z, the weight of an expression is the translation along x of a node. Eyes are not among the bones.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use mocap_model::{Annotations, Clip, Role};
use serde_json::{Map, Value, json};

use super::build::Builder;
use super::from_clip::{WriteOptions, built, face};
use super::humanoid::bone;
use super::normalized::{NotTPose, normalized, not_t_pose};
use super::problem::Problem;
use crate::Finding;
use crate::body::Style;
use crate::metres::in_metres;

/// The preset expressions of the format. Gazes are not among them: players derive them from the look-at target.
const PRESETS: [&str; 14] = [
    "happy",
    "angry",
    "sad",
    "relaxed",
    "surprised",
    "aa",
    "ih",
    "ou",
    "ee",
    "oh",
    "blink",
    "blinkLeft",
    "blinkRight",
    "neutral",
];

/// Gazes: presets of a character, but not of an animation.
const GAZES: [&str; 4] = ["lookUp", "lookDown", "lookLeft", "lookRight"];

/// Names of VRM 0 for some of them.
const FIRST: [(&str, &str); 10] = [
    ("joy", "happy"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
];

/// The name of an expression as the format has it.
fn expression(name: &str) -> &str {
    FIRST.iter().find(|(first, _)| *first == name).map_or(name, |(_, now)| now)
}

/// A file of a clip. Warns where it has no hips: readers that move a body need them.
///
/// # Errors
/// As for GLB files, and if the rest pose is not a T-pose that faces forward.
pub(super) fn animated(clip: &Clip, options: &WriteOptions) -> Result<(Builder, Vec<Finding>), Finding> {
    let scalars = clip.annotations().scalars.clone();
    let mut warnings = Vec::new();
    let bones = turning(clip, &mut warnings)?;
    let (mut builder, found) =
        built(vec![Cow::Owned(bones)], None, &WriteOptions { mesh: Style::None, ..*options })?;
    warnings.extend(found);
    let skeleton = clip.skeleton();
    let mut humanoid = Map::new();
    for (id, joint) in skeleton.iter() {
        if let Some(role) = joint.role {
            humanoid.entry(bone(role)).or_insert_with(|| json!({ "node": id.index() }));
        }
    }
    if skeleton.with_role(Role::Hips).is_none() {
        warnings.push(Finding::new(Problem::NoHips));
    }
    let mut nodes: BTreeMap<usize, String> = BTreeMap::new();
    let (mut preset, mut custom) = (Map::new(), Map::new());
    let (mut seen, mut left_out) = (HashSet::new(), Vec::new());
    for track in &scalars {
        let name = expression(&track.name);
        if GAZES.contains(&name.split('.').next_back().unwrap_or(name)) || !seen.insert(name) {
            left_out.push(track.name.clone());
            continue;
        }
        let node = builder.push("nodes", json!({ "name": name }));
        nodes.insert(node, track.name.clone());
        let list = if PRESETS.contains(&name) { &mut preset } else { &mut custom };
        list.insert(name.to_owned(), json!({ "node": node }));
    }
    if !left_out.is_empty() {
        warnings.push(Finding::new(Problem::ExpressionsLeftOut { names: left_out }));
    }
    if let Some(shown) = builder.json["scenes"][0]["nodes"].as_array_mut() {
        shown.extend(nodes.keys().map(|node| Value::from(*node)));
    }
    face(&mut builder, &nodes, clip);
    let mut own = json!({ "specVersion": "1.0", "humanoid": { "humanBones": humanoid } });
    if !nodes.is_empty() {
        let mut expressions = Map::new();
        for (name, list) in
            [("preset", preset), ("custom", custom)].into_iter().filter(|(_, list)| !list.is_empty())
        {
            expressions.insert(name.into(), Value::Object(list));
        }
        own["expressions"] = Value::Object(expressions);
    }
    builder.json.insert("extensionsUsed".into(), json!(["VRMC_vrm_animation"]));
    builder.json.insert("extensions".into(), json!({ "VRMC_vrm_animation": own }));
    Ok((builder, warnings))
}

/// The clip as the format needs it: in metres, with normalized bones, and without scales and scalar tracks.
///
/// # Errors
/// If its rest pose is not a T-pose that faces along Z.
fn turning(clip: &Clip, warnings: &mut Vec<Finding>) -> Result<Clip, Finding> {
    let moved = in_metres(Cow::Borrowed(clip), warnings)?;
    if let Some(NotTPose { joint, expected, degrees }) = not_t_pose(moved.skeleton()) {
        return Err(Finding::new(Problem::NotTPose { joint, expected, degrees }));
    }
    let model = |error| Finding::new(Problem::Model { path: "clip".into(), error });
    let made = normalized(&moved).map_err(model)?;
    let Annotations { name, events, .. } = clip.annotations().clone();
    made.with_annotations(Annotations { name, scalars: Vec::new(), events }).map_err(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::files_beside::FilesBeside;
    use crate::gltf::{parse, to_clip, write};
    use mocap_model::{
        FrameRate, Joint, JointTracks, ScalarTrack, Skeleton, Space, Track, Unit, UnitQuaternion, UnitSource,
        Vector3,
    };

    /// Hips that rise, a thumb that turns and would move, an eye, and a blink.
    fn clip() -> Clip {
        let space = Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() };
        let joint = |name: &str, role, parent: Option<u32>| Joint {
            role,
            ..Joint::new(name, parent.map(mocap_model::JointId), Vector3::new(0.0, 0.5, 0.0))
        };
        let joints = vec![
            joint("pelvis", Some(Role::Hips), None),
            joint("thumb", Some(Role::LeftThumb1), Some(0)),
            joint("Eye_L", None, Some(0)),
        ];
        let skeleton = Skeleton::new("", space, joints).unwrap();
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let places =
            |y: f64| Some(Track::Sampled(vec![Vector3::new(0.0, 0.5, 0.0), Vector3::new(0.0, y, 0.0)]));
        tracks[0].translation = places(0.75);
        tracks[1].translation = places(0.9);
        let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.5);
        tracks[1].rotation = Track::Sampled(vec![UnitQuaternion::identity(), turn]);
        let scalar =
            |name: &str, values: Vec<f64>| ScalarTrack { name: name.into(), values: Track::Sampled(values) };
        let scalars = vec![scalar("blink", vec![0.25, 1.0]), scalar("tongueOut", vec![0.0, 0.5])];
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 2, tracks)
            .and_then(|clip| clip.with_annotations(Annotations { scalars, ..Annotations::default() }))
            .unwrap()
    }

    #[test]
    fn a_rest_pose_that_is_not_a_t_pose_is_refused() {
        let wave = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        assert!(animated(&wave, &WriteOptions::default()).is_ok());
        let hanging = wave.skeleton().with_joints(|joint| {
            if joint.name == "RightArm" {
                joint.rest_rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, 1.5);
            }
        });
        let hanging = wave.clone().with_skeleton(hanging.unwrap().into()).unwrap();
        let refused = animated(&hanging, &WriteOptions::default()).err().unwrap();
        assert_eq!(refused.code(), "gltf::not-t-pose");
        assert!(refused.to_string().contains("points 86\u{b0} away from -X"), "{refused}");
    }

    #[test]
    fn bones_turn_the_hips_move_and_numbers_are_expressions() {
        let (builder, warnings) = animated(&clip(), &WriteOptions::default()).unwrap();
        assert_eq!(warnings, []);
        let file = parse(&write::binary(builder), &FilesBeside::default(), &Limits::default()).unwrap().value;
        let own = &file.json["extensions"]["VRMC_vrm_animation"];
        assert_eq!(
            own["humanoid"]["humanBones"],
            json!({
                "hips": { "node": 0 }, "leftThumbMetacarpal": { "node": 1 }
            })
        );
        assert_eq!(
            own["expressions"],
            json!({
                "preset": { "blink": { "node": 3 } }, "custom": { "tongueOut": { "node": 4 } }
            })
        );
        let channels = file.json["animations"][0]["channels"].as_array().unwrap();
        let moved: Vec<u64> = channels
            .iter()
            .filter(|channel| channel["target"]["path"] == "translation")
            .map(|channel| channel["target"]["node"].as_u64().unwrap())
            .collect();
        assert_eq!(moved, [0, 3, 4]);

        let again = to_clip(&file, Some(0), None, &Limits::default()).unwrap().value;
        assert_eq!(again.skeleton().len(), 3, "expressions do not become joints");
        assert_eq!(again.skeleton().joints()[1].role, Some(Role::LeftThumb1));
        let numbers: Vec<(&str, &[f64])> = again
            .annotations()
            .scalars
            .iter()
            .map(|track| (track.name.as_str(), track.values.values()))
            .collect();
        assert_eq!(numbers, [("blink", &[0.25, 1.0][..]), ("tongueOut", &[0.0, 0.5][..])]);
    }

    #[test]
    fn expressions_of_the_first_version_have_the_names_of_the_format() {
        let scalars = ["joy", "a", "blink_r", "happy", "BrowsUp"];
        let scalars = scalars.map(|name| ScalarTrack { name: name.into(), values: Track::Constant(0.5) });
        let made = clip()
            .with_annotations(Annotations { scalars: scalars.to_vec(), ..Annotations::default() })
            .unwrap();
        let (builder, _) = animated(&made, &WriteOptions::default()).unwrap();
        let own = &builder.json["extensions"]["VRMC_vrm_animation"]["expressions"];
        let names = |list: &str| -> Vec<String> { own[list].as_object().unwrap().keys().cloned().collect() };
        let mut presets = names("preset");
        presets.sort();
        assert_eq!(
            (presets, names("custom")),
            (["aa", "blinkRight", "happy"].map(str::to_owned).to_vec(), vec!["BrowsUp".to_owned()],)
        );
        assert_eq!(
            builder.json["animations"][0]["channels"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|channel| {
                    channel["target"]["path"] == "translation"
                        && channel["target"]["node"].as_u64() >= Some(3)
                })
                .count(),
            4,
            "what is there twice is written once"
        );
    }

    #[test]
    fn a_face_without_a_body_is_written_with_a_warning() {
        let joint = Joint::new("Head", None, Vector3::zeros());
        let skeleton = Skeleton::new("", Space::default(), vec![joint]).unwrap();
        let clip = Clip::at_rest(skeleton.into(), FrameRate::new(30.0).unwrap());
        let (builder, warnings) = animated(&clip, &WriteOptions::default()).unwrap();
        assert!(warnings.iter().any(|warning| warning.code() == "gltf::no-hips"), "{warnings:?}");
        assert_eq!(builder.json["extensions"]["VRMC_vrm_animation"]["expressions"], Value::Null);
    }
}
