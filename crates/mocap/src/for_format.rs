//! Prepares a clip for a format that needs facts that BVH does not state.

use mocap_formats::{Finding, Format};
use mocap_model::{Clip, JointId, Space, name_of_tree};

use crate::t_pose::in_t_pose;
use crate::unit::{guess_warning, in_space, known_unit};
use crate::with_roles;

/// The clip with what a format in metres needs: its unit, guessed with a warning where the file does not state it, and
/// the roles of its joints. A format of one character gets joints without the name of the character before theirs
/// (`Alice:Hips`), which tells them from those of others. A VRM animation gets a T-pose that faces forward as its rest
/// pose, by which players put it on characters. Other formats take the clip as it is.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let walk = mocap::for_format(walk, mocap::Format::Glb, &mut Vec::new());
/// assert_eq!(walk.skeleton().space().metres(), Some(0.01));
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn for_format(clip: Clip, format: Format, warnings: &mut Vec<Finding>) -> Clip {
    let is_one = format.has_motion() && !format.holds_several_characters();
    let clip = if is_one { without_prefix(clip) } else { clip };
    if !format.in_metres() {
        return clip;
    }
    let clip = with_roles(clip);
    let space = *clip.skeleton().space();
    let clip = match known_unit(clip.skeleton()) {
        Some(unit) if space.unit.is_none() => {
            warnings.extend(guess_warning(clip.skeleton(), unit));
            in_space(clip, Space { unit: Some(unit), ..space })
        }
        _ => clip,
    };
    match format {
        Format::Vrma => in_t_pose(clip, warnings),
        _ => clip,
    }
}

/// The clip without the name of the character in front of its joint names, if all of them start with it.
fn without_prefix(clip: Clip) -> Clip {
    let skeleton = clip.skeleton();
    let prefix = format!("{}:", name_of_tree(skeleton, JointId(0)));
    let mut own = skeleton.joints().iter().filter(|joint| !joint.end_site);
    if !own.all(|joint| joint.name.starts_with(&prefix)) {
        return clip;
    }
    let renamed = skeleton.with_joints(|joint| {
        if let Some(name) = joint.name.strip_prefix(&prefix) {
            joint.name = name.to_owned();
        }
    });
    match renamed {
        Ok(renamed) => clip.with_skeleton(renamed.into()).expect("it has as many joints as before"),
        // Without the prefix, two joints would have the same name.
        Err(_) => clip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subjects::tests::several;

    #[test]
    fn only_formats_of_one_character_get_joints_without_its_name() {
        let first = |clip: &Clip| clip.skeleton().joints()[0].name.clone();
        let alice = several(&["Alice:"], None);
        for (format, wanted) in
            [(Format::Smpl, "Hips"), (Format::Bvh, "Alice:Hips"), (Format::Skel, "Alice:Hips")]
        {
            assert_eq!(first(&for_format(alice.clone(), format, &mut Vec::new())), wanted, "{format}");
        }
        // Not all joints are Alice's.
        let both = several(&["Alice:", "Bob:"], None);
        assert_eq!(first(&for_format(both, Format::Smpl, &mut Vec::new())), "Alice:Hips");
    }
}
