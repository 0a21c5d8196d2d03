//! A clip made ready for a format that needs to know more than BVH says.

use mocap_formats::{Finding, Format};
use mocap_model::{Clip, Space};

use crate::unit::{guess_warning, in_space, known_unit};
use crate::with_roles;

/// The clip with what a format in metres needs: its unit, guessed with a warning where the file does not state it, and
/// the roles of its joints. Other formats take the clip as it is.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let walk = mocap::for_format(walk, mocap::Format::Glb, &mut Vec::new());
/// assert_eq!(walk.skeleton().space().metres(), Some(0.01));
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn for_format(clip: Clip, format: Format, warnings: &mut Vec<Finding>) -> Clip {
    if !format.in_metres() {
        return clip;
    }
    let clip = with_roles(clip);
    let space = *clip.skeleton().space();
    match known_unit(clip.skeleton()) {
        Some(unit) if space.unit.is_none() => {
            warnings.extend(guess_warning(unit));
            in_space(clip, Space { unit: Some(unit), ..space })
        }
        _ => clip,
    }
}
