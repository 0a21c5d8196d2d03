//! Verdicts on motions of files: impossible or suspicious.

use mocap_analysis::{
    Verdict, body_size, hips_speed, limb_direction, limb_lengths, may_be_too_fast, may_have_two_lengths,
    trunk_direction,
};
use mocap_formats::bvh::rest_first_frame;
use mocap_model::{Character, Clip};
use mocap_robot::Follow;

use crate::{Target, TargetReport, known_unit, scene_of, with_roles};

/// Verdicts on a motion by itself, independent of how it was made.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// assert!(mocap::verdicts(&walk).is_empty());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn verdicts(clip: &Clip) -> Vec<Verdict> {
    // Finding roles takes time; cheap tests exclude nearly all clips.
    match may_have_two_lengths(clip) || may_be_too_fast(clip) {
        true => match scene_of(clip.clone()) {
            // Roles belong to one body, so characters are judged one by one.
            Ok(scene) if scene.clip().is_none() => {
                scene.characters.into_iter().flat_map(of_several).collect()
            }
            _ => of_one(clip.clone()),
        },
        false => Vec::new(),
    }
}

fn of_one(clip: Clip) -> Vec<Verdict> {
    let clip = with_roles(clip);
    // A rest pose in the first frame may be anywhere.
    let from = usize::from(rest_first_frame(&clip).is_some());
    let metres = known_unit(clip.skeleton()).map(|unit| unit.metres);
    let too_fast = metres.and_then(|metres| hips_speed(&clip, metres, from));
    limb_lengths(&clip).into_iter().chain(too_fast).collect()
}

/// The verdicts on one of several characters, with its name.
fn of_several(Character { name, clip, .. }: Character) -> impl Iterator<Item = Verdict> {
    let said =
        move |verdict: Verdict| Verdict { message: format!("'{name}': {}", verdict.message), ..verdict };
    of_one(clip).into_iter().map(said)
}

impl TargetReport {
    /// Verdicts on a retargeted motion: `made` on `target`.
    pub fn verdicts(&self, target: &Target, made: &Clip) -> Vec<Verdict> {
        match self {
            TargetReport::Body(report) => {
                let roles = target.roles.certain();
                let of_target = roles.apply(&target.skeleton);
                let same = made.skeleton().len() == of_target.len();
                let size = same.then(|| {
                    let skeleton = roles.apply(made.skeleton());
                    let made =
                        made.clone().with_skeleton(skeleton.into()).expect("it has as many joints as before");
                    body_size(&of_target, &made)
                });
                report.verdicts(made.rate().fps()).into_iter().chain(size.flatten()).collect()
            }
            // Robots follow limbs only as far as their joints allow: only the direction is judged.
            TargetReport::Robot(report) => {
                let Follow { trunk, trunk_max, thigh, shank, upper_arm, forearm, .. } = report.follow;
                let limbs = [
                    ("the trunk", Some(trunk)),
                    ("the thigh", Some(thigh)),
                    ("the shank", Some(shank)),
                    ("the upper arm", upper_arm),
                    ("the forearm", forearm),
                ];
                let against = limbs.into_iter().filter_map(|(limb, angle)| limb_direction(limb, angle?));
                against.chain(trunk_direction(trunk_max)).collect()
            }
        }
    }
}
