//! The axis that points up, where the file does not say it: as the user says, or the usual one with a warning
//! where the body stands along another. Roles show how the body stands.

use std::sync::Arc;

use mocap_formats::Finding;
use mocap_model::{Clip, SignedAxis};
use mocap_retarget::{map_roles, map_roles_in};

use crate::unit::{in_space, with_up};
use crate::{FileFormat, Problem, ReadOptions};

/// Warns where neither file nor user say which axis is up, and body and motion agree on another than the usual one.
pub(crate) fn unlikely_up(format: FileFormat, clip: &Clip, options: &ReadOptions) -> Option<Finding> {
    if options.up.is_some() || format.states_space() {
        return None;
    }
    let skeleton = map_roles(clip.skeleton()).certain().apply(clip.skeleton());
    let skeleton = Arc::new(skeleton);
    // For most files the rest pose shows that there is nothing to report, and nothing is copied.
    let rest = clip.trimmed(0..0).ok()?.with_skeleton(skeleton.clone()).ok()?;
    other_up(&rest)?;
    let clip = clip.clone().with_skeleton(skeleton).ok()?;
    let body = other_up(&clip)?;
    Some(Finding::new(Problem::UpUnlikely { body, taken: clip.skeleton().space().up }))
}

/// The axis along which the body of a clip with roles stands, where that is not the one stated.
fn other_up(clip: &Clip) -> Option<SignedAxis> {
    mocap_analysis::upright(clip).filter(|up| *up != clip.skeleton().space().up)
}

/// A clip with roles, to be drawn: with the axis up along which its body stands.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let drawn = mocap::upright(mocap::with_roles(walk));
/// assert_eq!(drawn.skeleton().space().up.to_string(), "Y");
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn upright(clip: Clip) -> Clip {
    let Some(up) = other_up(&clip) else { return clip };
    let space = with_up(clip.skeleton().space(), up);
    in_space(clip, space)
}

/// The clip with the roles of its joints, as far as names, tree and motion show them with certainty.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let hips = mocap::with_roles(walk).skeleton().with_role(mocap::Role::Hips);
/// assert!(hips.is_some());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn with_roles(clip: Clip) -> Clip {
    let skeleton = map_roles_in(&clip).certain().apply(clip.skeleton());
    clip.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before")
}
