//! `mocap rig --preset`: skeletons with joints that carry no part of the body, and with several joints along a bone.

use std::collections::BTreeMap;

use crate::mocap::Sandbox;
use crate::person::person;
use crate::rigging::obj;
use mocap_formats::{Limits, ReadOptions, read};
use mocap_model::{Mesh, Vector3};
use serde_json::Value;

/// A person of capsules on the skeleton of a preset: the places of joints, and the shares of the weights that they have.
struct Character {
    places: BTreeMap<String, Vector3<f64>>,
    shares: BTreeMap<String, f64>,
    mesh: Mesh,
    /// By bone of the mesh: its joint.
    bones: Vec<String>,
}

fn character(preset: &str) -> Character {
    let sandbox = Sandbox::new();
    sandbox.put("person.obj", obj(&person(12, 0.8, 0.0).0));
    let arguments = ["rig", "person.obj", "--preset", preset, "-o", "made.glb", "--explain", "--json"];
    let row = sandbox.run(arguments).ok().rows().remove(0);
    let place = |joint: &Value| {
        let at = [0, 1, 2].map(|axis| joint["place"][axis].as_f64().unwrap());
        (joint["joint"].as_str().unwrap().to_owned(), Vector3::from(at))
    };
    let places = row["explained"].as_array().unwrap().iter().map(place).collect();
    let document = read(&sandbox.read("made.glb"), &ReadOptions::default()).unwrap().value;
    let found = document.body(&Limits::default()).unwrap().unwrap().value;
    let mesh = found.body.meshes[0].clone();
    let bones: Vec<String> =
        mesh.skin.bones.iter().map(|bone| found.skeleton.joint(bone.joint).name.clone()).collect();
    let mut shares = BTreeMap::new();
    for one in &mesh.skin.influences {
        *shares.entry(bones[one.bone as usize].clone()).or_insert(0.0) +=
            one.weight / mesh.positions.len() as f64;
    }
    Character { places, shares, mesh, bones }
}

impl Character {
    fn at(&self, joint: &str) -> Vector3<f64> {
        self.places[joint]
    }

    fn share(&self, joint: &str) -> f64 {
        self.shares.get(joint).copied().unwrap_or(0.0)
    }

    /// The distance of a joint from the bone between two others, and the share of the way.
    fn on_bone(&self, joint: &str, [from, to]: [&str; 2]) -> (f64, f64) {
        let (from, to, at) = (self.at(from), self.at(to), self.at(joint));
        let share = (at - from).dot(&(to - from)) / (to - from).norm_squared();
        ((at - from - (to - from) * share).norm(), share)
    }
}

#[test]
fn joints_beside_the_body_go_along_with_it_and_move_no_vertex() {
    for preset in ["unreal", "unreal5"] {
        let made = character(preset);
        for side in ["l", "r"] {
            for (helper, of) in [("ik_foot", "foot"), ("ik_hand", "hand")] {
                let off = made.at(&format!("{helper}_{side}")) - made.at(&format!("{of}_{side}"));
                assert!(off.norm() < 1e-6, "{preset}: {helper}_{side} is {off:?} from the {of}");
            }
        }
        for helper in ["ik_foot_root", "ik_hand_root", "ik_hand_gun"] {
            assert!((made.at(helper) - made.at("root")).norm() < 1e-6, "{preset}: {helper}");
        }
        let helpers = made.shares.keys().filter(|name| name.starts_with("ik_") || *name == "root");
        assert_eq!(helpers.collect::<Vec<_>>(), Vec::<&String>::new(), "{preset}");
        assert!(made.share("pelvis") > 0.01, "{preset}: {:?}", made.shares);
    }
}

#[test]
fn twists_are_on_their_bones_and_share_their_flesh() {
    let unreal = character("unreal5");
    for (twist, ends, share) in [
        ("thigh_twist_01_l", ["thigh_l", "calf_l"], 0.33),
        ("thigh_twist_02_r", ["thigh_r", "calf_r"], 0.67),
        ("calf_twist_02_l", ["calf_l", "foot_l"], 0.33),
        ("lowerarm_twist_01_r", ["lowerarm_r", "hand_r"], 0.67),
        ("upperarm_twist_02_l", ["upperarm_l", "lowerarm_l"], 0.5),
    ] {
        let (off, found) = unreal.on_bone(twist, ends);
        assert!(off < 1e-6 && (found - share).abs() < 0.03, "{twist}: {off} m beside it, at {found}");
        assert!(unreal.share(twist) > 1e-3, "{twist} moves nothing: {:?}", unreal.shares);
    }
    // The thigh's skin ends at the knee, whichever joint of the thigh it follows.
    let knee = unreal.at("calf_l").y;
    let mesh = &unreal.mesh;
    let thighs: Vec<bool> = unreal.bones.iter().map(|name| name.starts_with("thigh")).collect();
    let thigh = |vertex: usize| -> f64 {
        mesh.skin.of(vertex).iter().filter(|one| thighs[one.bone as usize]).map(|one| one.weight).sum()
    };
    let below = (0..mesh.positions.len()).filter(|vertex| mesh.positions[*vertex].y < knee - 0.12);
    let most = below.map(thigh).fold(0.0, f64::max);
    assert!(most < 0.05, "{most}");
}

#[test]
fn joints_in_one_place_move_a_vertex_once() {
    let iclone = character("iclone");
    for side in ["L", "R"] {
        for (helper, of) in
            [("KneeShareBone", "Calf"), ("ElbowShareBone", "Forearm"), ("ToeBaseShareBone", "ToeBase")]
        {
            let [helper, of] = [helper, of].map(|name| format!("CC_Base_{side}_{name}"));
            assert!((iclone.at(&helper) - iclone.at(&of)).norm() < 1e-6, "{helper}");
            assert_eq!(iclone.share(&helper), 0.0, "{helper}");
        }
    }
    assert_eq!(iclone.share("RL_BoneRoot"), 0.0);
    let biped = character("biped");
    assert!((biped.at("Bip01") - biped.at("Bip01 Pelvis")).norm() < 1e-6, "the root is at the pelvis");
}

#[test]
fn every_preset_has_its_joints_in_the_body() {
    let (mesh, _) = person(12, 0.8, 0.0);
    let first = mesh.positions[0];
    let low = mesh.positions.iter().fold(first, |low, at| low.inf(at));
    let high = mesh.positions.iter().fold(first, |high, at| high.sup(at));
    for preset in mocap_formats::skel::presets() {
        let made = character(preset.name);
        for (joint, at) in &made.places {
            let off = (at - at.sup(&low).inf(&high)).norm();
            assert!(off < 0.1, "{}: {joint} is {off} m outside of the box of the mesh", preset.name);
        }
        let sum: f64 = made.shares.values().sum();
        assert!((sum - 1.0).abs() < 1e-3, "{}: {sum}", preset.name);
    }
}
