//! The humanoid map of VRM files: which node is which bone of the body.
//!
//! Based on: VRM Consortium, "VRM 0.x" (`VRM`), "VRM 1.0" (`VRMC_vrm`) and "VRM Animation 1.0" (`VRMC_vrm_animation`),
//! extensions of glTF.

use std::collections::BTreeMap;

use mocap_model::Role;
use serde_json::Value;

/// By node: the role that the map gives it. Bones that have no role, such as eyes, are left out.
pub(super) fn roles(json: &Value) -> BTreeMap<usize, Role> {
    let mut roles = BTreeMap::new();
    let mut add = |bone: &str, node: Option<u64>, is_first_version: bool| {
        let node = node.and_then(|node| usize::try_from(node).ok());
        if let (Some(node), Some(role)) = (node, role(bone, is_first_version)) {
            roles.entry(node).or_insert(role);
        }
    };
    for extension in ["VRMC_vrm", "VRMC_vrm_animation"] {
        let bones = json.pointer(&format!("/extensions/{extension}/humanoid/humanBones"));
        for (bone, of_bone) in bones.and_then(Value::as_object).into_iter().flatten() {
            add(bone, of_bone.get("node").and_then(Value::as_u64), false);
        }
    }
    let bones = json.pointer("/extensions/VRM/humanoid/humanBones").and_then(Value::as_array);
    for of_bone in bones.into_iter().flatten() {
        let bone = of_bone.get("bone").and_then(Value::as_str).unwrap_or_default();
        add(bone, of_bone.get("node").and_then(Value::as_u64), true);
    }
    roles
}

/// The bone of a role, as the later versions call it.
pub(super) fn bone(role: Role) -> String {
    let name = role.name();
    let numbers = match name.contains("Thumb") {
        true => ["Metacarpal", "Proximal", "Distal"],
        false => ["Proximal", "Intermediate", "Distal"],
    };
    let named = numbers
        .iter()
        .zip(["1", "2", "3"])
        .find_map(|(word, number)| Some(name.strip_suffix(number)?.to_owned() + word));
    let name = named.unwrap_or_else(|| name.to_owned());
    name[..1].to_lowercase() + &name[1..]
}

/// The role of a bone. The bones of the thumb have other names in the first version.
fn role(bone: &str, is_first_version: bool) -> Option<Role> {
    let numbers = match bone.contains("Thumb") && !is_first_version {
        true => [("Metacarpal", "1"), ("Proximal", "2"), ("Distal", "3")],
        false => [("Proximal", "1"), ("Intermediate", "2"), ("Distal", "3")],
    };
    let numbered =
        numbers.iter().find_map(|(word, number)| Some(format!("{}{number}", bone.strip_suffix(word)?)));
    let name = numbered.unwrap_or_else(|| bone.to_owned());
    let (first, rest) = name.split_at_checked(1)?;
    format!("{}{rest}", first.to_uppercase()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_role_is_a_bone_that_is_this_role() {
        for of in Role::ALL {
            assert_eq!(role(&bone(*of), false), Some(*of));
        }
        assert_eq!(bone(Role::LeftThumb2), "leftThumbProximal");
    }

    #[test]
    fn all_versions_name_the_same_roles() {
        let bones = json!({
            "hips": { "node": 4 }, "leftThumbMetacarpal": { "node": 5 }, "rightLittleDistal": { "node": 6 },
            "leftEye": { "node": 7 }, "upperChest": { "node": 8 }
        });
        let expected = BTreeMap::from([
            (4, Role::Hips),
            (5, Role::LeftThumb1),
            (6, Role::RightLittle3),
            (8, Role::UpperChest),
        ]);
        for extension in ["VRMC_vrm", "VRMC_vrm_animation"] {
            let json = json!({ "extensions": { extension: { "humanoid": { "humanBones": bones } } } });
            assert_eq!(roles(&json), expected, "{extension}");
        }
        let bones = json!([
            { "bone": "hips", "node": 4 }, { "bone": "leftThumbProximal", "node": 5 },
            { "bone": "rightLittleDistal", "node": 6 }, { "bone": "leftEye", "node": 7 },
            { "bone": "upperChest", "node": 8 }
        ]);
        let json = json!({ "extensions": { "VRM": { "humanoid": { "humanBones": bones } } } });
        assert_eq!(roles(&json), expected);
        assert!(roles(&json!({ "extensions": { "VRM": 3, "VRMC_vrm": [] } })).is_empty());
    }
}
