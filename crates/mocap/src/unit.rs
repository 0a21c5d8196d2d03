//! Units and axes: as the file says, as the user says, or guessed with a warning.

use std::sync::Arc;

use mocap_analysis::guess_unit;
use mocap_formats::Finding;
use mocap_model::{Clip, SignedAxis, Skeleton, Space, Unit, UnitSource};
use mocap_retarget::map_roles;

use crate::{Problem, ReadOptions};

/// The unit of a skeleton's lengths, guessed from the size of the body where it is not stated; `None` where no
/// usual unit makes it as large as a human.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let unit = mocap::known_unit(walk.skeleton()).expect("the body has the size of a human");
/// assert_eq!(unit.name(), Some("cm"));
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn known_unit(skeleton: &Skeleton) -> Option<Unit> {
    skeleton.space().unit.or_else(|| guess_unit(&map_roles(skeleton).certain().apply(skeleton)))
}

/// The unit of a skeleton's lengths for methods that measure in metres: BVH states none. A guess is a warning
/// ([`Problem::UnitGuessed`]).
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let mut warnings = Vec::new();
/// mocap::needed_unit(walk.skeleton(), &mut warnings)?;
/// assert_eq!(warnings[0].code(), "unit::guessed");
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// [`Problem::UnitUnknown`], where the unit is not stated and the size of the skeleton suggests none.
pub fn needed_unit(skeleton: &Skeleton, warnings: &mut Vec<Finding>) -> Result<Unit, Finding> {
    let unit = known_unit(skeleton).ok_or_else(|| Finding::new(Problem::UnitUnknown))?;
    warnings.extend(guess_warning(unit));
    Ok(unit)
}

/// The warning about a unit that was guessed.
pub fn guess_warning(unit: Unit) -> Option<Finding> {
    (unit.source == UnitSource::Guessed).then(|| Finding::new(Problem::UnitGuessed { unit }))
}

/// The skeleton in the unit and axes that the user states; no number changes.
pub(crate) fn restated(skeleton: &Skeleton, options: &ReadOptions) -> Skeleton {
    skeleton.with_space(restated_space(*skeleton.space(), options))
}

/// The space with the unit and axes that the user states.
pub(crate) fn restated_space(mut space: Space, options: &ReadOptions) -> Space {
    if let Some(metres) = options.unit {
        space.unit = Some(Unit { metres, source: UnitSource::Flag });
    }
    if let Some(up) = options.up {
        space = with_up(&space, up);
    }
    space
}

/// The space turned to another up axis, about the axis that neither is.
pub fn with_up(space: &Space, up: SignedAxis) -> Space {
    let opposite = |axis: SignedAxis| SignedAxis { negative: !axis.negative, ..axis };
    let forward = match space.forward {
        forward if forward == up => opposite(space.up),
        forward if forward == opposite(up) => space.up,
        forward => forward,
    };
    Space { up, forward, ..*space }
}

/// The clip in another space; no number changes.
pub(crate) fn in_space(clip: Clip, space: Space) -> Clip {
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_makes_way_for_up() {
        let turned = |up: &str| with_up(&Space::default(), up.parse().unwrap());
        assert_eq!(turned("Y"), Space::default());
        // Blender's axes.
        assert_eq!(turned("Z").forward.to_string(), "-Y");
        assert_eq!(turned("-Z").forward.to_string(), "Y");
        assert_eq!(turned("X").forward.to_string(), "Z");
        assert_eq!(with_up(&turned("Z"), SignedAxis::Y), Space::default());
    }
}
