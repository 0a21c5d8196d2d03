//! Joint transforms in object space, and foot contacts.

use mocap::Clip;
use mocap::analysis::{ContactOptions, FootMotion, feet_of, placements};
use mocap::model::ForwardKinematics;
use pyo3::prelude::*;

use crate::arrays::{moving, wxyz};
use crate::options::Keywords;

/// Positions in object space, frame by frame, and the number of joints.
pub(crate) fn positions(clip: &Clip) -> (Vec<f64>, usize) {
    let joints = moving(clip.skeleton());
    let mut values = Vec::with_capacity(clip.frames() * joints.len() * 3);
    let mut kinematics = ForwardKinematics::of_joints(clip, &joints);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        joints.iter().for_each(|joint| values.extend_from_slice(kinematics.position(*joint).as_slice()));
    }
    (values, joints.len())
}

/// Rotations in object space, frame by frame, and the number of joints.
pub(crate) fn orientations(clip: &Clip) -> (Vec<f64>, usize) {
    let joints = moving(clip.skeleton());
    let placed = placements(clip, &joints);
    let mut values = Vec::with_capacity(clip.frames() * joints.len() * 4);
    for frame in 0..clip.frames() {
        placed.iter().for_each(|joint| values.extend_from_slice(&wxyz(&joint[frame].rotation)));
    }
    (values, joints.len())
}

/// Whether the left and the right foot are on the floor, frame by frame; `None` without both feet.
pub(crate) fn contacts(clip: &Clip, options: &ContactOptions) -> Option<Vec<bool>> {
    let clip = mocap::with_roles(clip.clone());
    let feet = feet_of(clip.skeleton());
    if feet.len() != 2 {
        return None;
    }
    let found: Vec<_> = FootMotion::of(&clip, &feet).into_iter().map(|foot| foot.contacts(options)).collect();
    let on_floor = |frame: usize| found.iter().map(move |foot| foot.heel[frame] || foot.toe[frame]);
    Some((0..clip.frames()).flat_map(on_floor).collect())
}

/// The options of contact detection.
pub(crate) fn of_contacts(keywords: &Keywords<'_>) -> PyResult<ContactOptions> {
    let defaults = ContactOptions::default();
    Ok(ContactOptions {
        speed: keywords.number("speed")?.unwrap_or(defaults.speed),
        travel: keywords.number("travel")?.unwrap_or(defaults.travel),
        height: keywords.number("height")?.unwrap_or(defaults.height),
        shortest: keywords.number("shortest")?.unwrap_or(defaults.shortest),
        gap: keywords.number("gap")?.unwrap_or(defaults.gap),
    })
}
