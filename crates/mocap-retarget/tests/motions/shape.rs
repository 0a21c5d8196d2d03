//! Roles without names: skeletons of real files with their names erased get the roles that their names give.
//! Prints where they differ (with `-- --nocapture`).

use crate::clip::{fixture, real};
use mocap_corpus::note;
use mocap_model::{Clip, Role};
use mocap_retarget::{RoleMap, map_roles, map_roles_in};
use std::sync::Arc;

/// Every file with another skeleton, or another form of it.
const CLIPS: [&str; 14] = [
    "cmu/12_01_walk.bvh",
    "cmu/01_01.bvh",
    "cmu/01_01.amc",
    "cmu/11_01.amc",
    "iclone/007_12.bvh",
    "iclone/002_05.bvh",
    "iclone/002_01.bvh",
    "bandai/dataset-1_walk_normal_001.bvh",
    "bandai/dataset-1_kick_normal_001.bvh",
    "bandai/dataset-1_dance-short_normal_001.bvh",
    "misc/games105_walk60.bvh",
    "misc/games105_motion_65joints.bvh",
    "misc/xia_neutral_01.bvh",
    "misc/lafan_geno_stance.bvh",
];

fn bare(clip: &Clip) -> Clip {
    let mut count = 0;
    let skeleton = clip.skeleton().with_joints(|joint| {
        count += 1;
        joint.name = format!("j{count}");
    });
    clip.clone().with_skeleton(Arc::new(skeleton.unwrap())).unwrap()
}

/// Roles that shape and position can show; fingers are so similar that they need names.
fn is_body(role: Role) -> bool {
    !role.name().ends_with(['1', '2', '3'])
}

pub(crate) fn bodies_without_names_have_the_roles_of_those_with() {
    have_the_roles_of_their_names(&CLIPS.map(|path| (path, real(path, 0))));
}

pub(crate) fn fixtures_without_names_have_the_roles_of_those_with() {
    let paths = ["alex_walk.bvh", "alex_wave.bvh", "alex_turn.bvh", "robin_walk.bvh", "robin_jump.bvh"];
    have_the_roles_of_their_names(&paths.map(|path| (path, fixture(path))));
}

fn have_the_roles_of_their_names(clips: &[(&str, Clip)]) {
    let (mut same, mut all) = (0, 0);
    for (path, clip) in clips {
        let (named, bare) = (map_roles(clip.skeleton()), map_roles_in(&bare(clip)));
        assert_eq!(bare.scheme, None);
        let name = |map: &RoleMap, role: Role| {
            map.joint(role).map_or("-".to_owned(), |id| clip.skeleton().joint(id).name.clone())
        };
        for role in Role::ALL.iter().filter(|role| is_body(**role)) {
            let (by_name, by_shape) = (named.joint(*role), bare.joint(*role));
            if by_name.is_none() && by_shape.is_none() {
                continue;
            }
            all += 1;
            same += usize::from(by_name == by_shape);
            if by_name != by_shape {
                note!("{path}: {role} is {} by name, {} by shape", name(&named, *role), name(&bare, *role));
            }
            // Limbs must have the right roles, and the right sides.
            let is_limb = role.side().is_some() && !role.name().ends_with("Shoulder");
            assert!(!is_limb || by_name == by_shape, "{path}: {role}");
        }
        for row in &bare.rows {
            assert!(row.is_certain(), "{path}: {row:?}");
        }
    }
    note!("{same} of {all} roles alike");
}
