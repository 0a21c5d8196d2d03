//! Units and axes: as the file says, as the user says, or guessed and said so.

use mocap_analysis::guess_unit;
use mocap_model::{SignedAxis, Skeleton, Space, Unit, UnitSource};

use crate::args::Reading;

/// The unit of a skeleton's numbers, guessed from the size of the body where it is not stated.
pub(crate) fn known_unit(skeleton: &Skeleton) -> Option<Unit> {
    skeleton.space().unit.or_else(|| guess_unit(skeleton))
}

/// The skeleton in the unit and axes that the user states; no number changes.
pub(crate) fn restated(skeleton: &Skeleton, reading: &Reading) -> Skeleton {
    let mut space = *skeleton.space();
    if let Some(unit) = reading.input_unit {
        space.unit = Some(Unit { metres: unit.0, source: UnitSource::Flag });
    }
    if let Some(up) = reading.input_up {
        space = with_up(&space, up);
    }
    skeleton.with_space(space)
}

/// The space turned so that another axis is up, about the axis that neither is.
pub(crate) fn with_up(space: &Space, up: SignedAxis) -> Space {
    let opposite = |axis: SignedAxis| SignedAxis { negative: !axis.negative, ..axis };
    let forward = match space.forward {
        forward if forward == up => opposite(space.up),
        forward if forward == opposite(up) => space.up,
        forward => forward,
    };
    Space { up, forward, ..*space }
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
