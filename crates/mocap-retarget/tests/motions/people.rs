//! Whether a body is a person, how long its units are and which way it stands: told from names, shape and motion.

use crate::clip::{clip, fixture, real};
use mocap_analysis::{guess_unit, upright_by};
use mocap_model::Clip;
use mocap_retarget::{Role, map_roles, map_roles_in};

/// Clips of people, with the unit and the axis along which they stand.
const PEOPLE: [(&str, &str, &str); 17] = [
    ("bandai/dataset-1_bow_active_001.bvh", "cm", "Y"),
    ("bandai/dataset-1_dash_normal_001.bvh", "cm", "Y"),
    ("bandai/dataset-1_run_normal_001.bvh", "cm", "Y"),
    ("bandai/dataset-1_walk_normal_001.bvh", "cm", "Y"),
    ("bandai/dataset-2_walk-turn-left_active_001.bvh", "cm", "Y"),
    ("characters/mousey_salsa.bvh", "cm", "Y"),
    ("characters/ortiz_salsa.bvh", "cm", "Y"),
    ("characters/sporty_granny_salsa.bvh", "cm", "Y"),
    ("cmu/12_01_walk.bvh", "cmu", "Y"),
    ("cmu/backflip.amc", "cmu", "Y"),
    ("iclone/001_14.bvh", "cm", "Y"),
    ("iclone/007_12.bvh", "cm", "Y"),
    ("misc/games105_walk60.bvh", "m", "Y"),
    ("misc/lafan_geno_stance.bvh", "cm", "Y"),
    ("misc/makehuman_doubleclap.bvh", "cm", "Y"),
    ("misc/rokoko_dance.bvh", "cm", "Y"),
    ("misc/xia_neutral_01.bvh", "cmu", "Y"),
];

fn check(name: &str, clip: &Clip, unit: &str, up: &str) {
    let roles = map_roles_in(clip);
    assert!(!roles.on_four_legs && !map_roles(clip.skeleton()).on_four_legs, "{name}");
    assert!(roles.missing().is_empty() && roles.certain().missing().is_empty(), "{name}");
    let skeleton = roles.certain().apply(clip.skeleton());
    assert_eq!(guess_unit(&skeleton).and_then(|unit| unit.name()), Some(unit), "{name}");
    // A backflip need not stand along any axis.
    if let Some(axis) = upright_by(clip, &skeleton) {
        assert_eq!(axis.to_string(), up, "{name}");
    }
}

pub(crate) fn people_are_people_of_their_size() {
    for (name, unit, up) in PEOPLE {
        check(name, &real(name, 0), unit, up);
    }
    // A rest pose along one axis, and a motion along another.
    let zombie = real("misc/fair_zombie_zup.bvh", 0);
    let roles = map_roles_in(&zombie);
    assert!(!roles.on_four_legs);
    let skeleton = roles.certain().apply(zombie.skeleton());
    assert_eq!(upright_by(&zombie, &skeleton).map(|axis| axis.to_string()).as_deref(), Some("Z"));
}

pub(crate) fn people_of_fixtures_are_people_and_a_dog_is_not() {
    for (name, unit) in [("alex_walk.bvh", "cm"), ("alex_jump.bvh", "cm"), ("robin_turn.bvh", "m")] {
        check(name, &fixture(name), unit, "Y");
    }
    let dog = clip(&mocap_corpus::fixture("bodies"), "dog_trot.bvh", 0);
    for roles in [map_roles_in(&dog), map_roles(dog.skeleton())] {
        assert!(roles.on_four_legs);
        assert!(roles.joint(Role::LeftHand).is_some() && roles.certain().joint(Role::LeftHand).is_none());
    }
}
