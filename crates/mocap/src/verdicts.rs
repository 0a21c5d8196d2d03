//! What cannot be right about a motion of a file, or hardly is.

use mocap_analysis::{Verdict, limb_lengths, may_have_two_lengths};
use mocap_model::Clip;

use crate::{TargetReport, with_roles};

/// What cannot be right about a motion by itself, whatever becomes of it.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// assert!(mocap::verdicts(&walk).is_empty());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn verdicts(clip: &Clip) -> Vec<Verdict> {
    // Roles take time to find, and hardly any clip has to be asked.
    match may_have_two_lengths(clip) {
        true => limb_lengths(&with_roles(clip.clone())).into_iter().collect(),
        false => Vec::new(),
    }
}

impl TargetReport {
    /// What cannot be right about the motion that was made, or hardly is. `fps` is its frame rate.
    pub fn verdicts(&self, fps: f64) -> Vec<Verdict> {
        match self {
            TargetReport::Body(report) => report.verdicts(fps),
            // Robots follow limbs as far as they have their joints.
            TargetReport::Robot(_) => Vec::new(),
        }
    }
}
