//! VRM animations: the humanoid bones of a clip and its numbers over time, as expressions.
//!
//! Based on: VRM Consortium, "VRM Animation 1.0" (`VRMC_vrm_animation`): bones turn and only the hips move, the rest pose is
//! a T-pose, the weight of an expression is the translation along x of a node. Eyes are not among the bones.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use mocap_model::{
    Annotations, Clip, Isometry3, Joint, JointId, JointTracks, Pose, Role, Skeleton, Track, UnitQuaternion,
    Vector3,
};
use serde_json::{Map, Value, json};

use super::build::Builder;
use super::from_clip::{WriteOptions, built, face};
use super::humanoid::bone;
use super::problem::Problem;
use crate::Finding;
use crate::body::Style;

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
/// As for GLB files.
pub(super) fn animated(clip: &Clip, options: &WriteOptions) -> Result<(Builder, Vec<Finding>), Finding> {
    let scalars = clip.annotations().scalars.clone();
    let bones = turning(clip)?;
    let (mut builder, mut warnings) =
        built(vec![Cow::Owned(bones)], None, &WriteOptions { mesh: Style::None, ..*options })?;
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

/// Hips at floor height in the rest pose, as in most BVH files, and the offset that puts the lowest joint on the floor
/// instead: players scale the hips' translation by their height at rest, which must not be 0.
fn raised(skeleton: &Skeleton) -> Option<(JointId, Vector3<f64>)> {
    let hips = skeleton.with_role(Role::Hips)?;
    let up = skeleton.space().up.vector();
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let height = |placed: &Isometry3<f64>| up.dot(&placed.translation.vector);
    let at = height(&rest.joints[hips.index()]);
    let lowest = rest.joints.iter().map(height).fold(f64::INFINITY, f64::min);
    if at > 0.5 * (at - lowest) {
        return None;
    }
    let joint = skeleton.joint(hips);
    let lift = up * -lowest;
    let above =
        joint.parent.map_or(UnitQuaternion::identity(), |parent| rest.joints[parent.index()].rotation);
    Some((hips, joint.offset + above.inverse() * lift))
}

/// The clip as the format needs it: only hips and joints without a role keep their translation,
/// scales and scalar tracks are removed, and hips are above the floor at rest.
fn turning(clip: &Clip) -> Result<Clip, Finding> {
    let joints = clip.skeleton().joints().iter().zip(clip.tracks());
    let tracks = joints.map(|(joint, tracks)| {
        let mut tracks = tracks.clone();
        tracks.scale = None;
        if joint.role.is_some_and(|role| role != Role::Hips) {
            tracks.translation = None;
        }
        tracks
    });
    let model = |error| Finding::new(Problem::Model { path: "clip".into(), error });
    let mut tracks: Vec<JointTracks> = tracks.collect();
    let standing = match raised(clip.skeleton()) {
        Some((hips, offset)) => {
            let own = clip.skeleton().joint(hips).offset;
            tracks[hips.index()].translation.get_or_insert(Track::Constant(own));
            let mut ids = 0..;
            let raise = |joint: &mut Joint| {
                if ids.next() == Some(hips.index()) {
                    joint.offset = offset;
                }
            };
            clip.skeleton().with_joints(raise).map_err(model)?.into()
        }
        None => clip.skeleton().clone(),
    };
    let made = Clip::new(standing, clip.rate(), clip.frames(), tracks).map_err(model)?;
    let Annotations { name, events, .. } = clip.annotations().clone();
    made.with_annotations(Annotations { name, scalars: Vec::new(), events }).map_err(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::files_beside::FilesBeside;
    use crate::gltf::{parse, to_clip, write};
    use mocap_model::{FrameRate, ScalarTrack, Space, Unit, UnitSource};

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
    fn hips_that_lie_on_the_floor_at_rest_stand_above_it() {
        let clip = clip();
        assert_eq!(raised(clip.skeleton()), None, "hips at 0.5, and nothing below them");
        let mut ids = 0..;
        let lying = clip.skeleton().with_joints(|joint| {
            joint.offset.y = if ids.next() == Some(0) { 0.0 } else { -0.7 };
        });
        let lying = Clip::new(lying.unwrap().into(), clip.rate(), 2, clip.tracks().to_vec()).unwrap();
        let made = turning(&lying).unwrap();
        assert_eq!(made.skeleton().joints()[0].offset, Vector3::new(0.0, 0.7, 0.0));
        assert_eq!(made.tracks()[0].translation, lying.tracks()[0].translation, "its motion is the same");
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
