//! Checks whether the markers show enough of a body.

use mocap_model::Side;

use crate::SolveError;
use crate::marker_set::{Landmark, Segment, on_trunk};
use crate::subject::segment_name;

/// The segment of a landmark with its side, such as `left foot`.
pub(crate) fn segment_of(landmark: &Landmark) -> String {
    let segment = segment_name(landmark.segment);
    match landmark.side.filter(|_| !on_trunk(landmark.segment)) {
        Some(Side::Left) => format!("left {segment}"),
        Some(Side::Right) => format!("right {segment}"),
        None => segment.to_owned(),
    }
}

/// Rejects markers that do not show a body.
pub(crate) fn check_body(landmarks: &[Landmark], has_target: bool) -> Result<(), SolveError> {
    let count = |of: &dyn Fn(&Landmark) -> bool| landmarks.iter().filter(|landmark| of(landmark)).count();
    let trunk =
        |landmark: &Landmark| matches!(landmark.segment, Segment::Hips | Segment::Chest | Segment::Shoulder);
    let mut present: Vec<String> = landmarks.iter().map(segment_of).collect();
    present.sort_unstable();
    present.dedup();
    let present = present.join(", ");
    if count(&trunk) < 3 {
        return Err(SolveError::NoTrunk { missing: "the trunk".into(), present });
    }
    let on = |side: Side| count(&|landmark: &Landmark| landmark.side == Some(side));
    for (side, other, name) in [(Side::Left, Side::Right, "left"), (Side::Right, Side::Left, "right")] {
        if !has_target && on(side) >= 4 && on(other) == 0 {
            return Err(SolveError::OneSide { side: name });
        }
    }
    let on = |side: Side, segments: &[Segment]| {
        landmarks.iter().any(|landmark| landmark.side == Some(side) && segments.contains(&landmark.segment))
    };
    let legs = [Segment::UpperLeg, Segment::LowerLeg, Segment::Foot];
    let arms = [Segment::Shoulder, Segment::UpperArm, Segment::LowerArm, Segment::Hand];
    let pair = |segments: &[Segment]| on(Side::Left, segments) && on(Side::Right, segments);
    if !has_target && !pair(&legs) && !pair(&arms) {
        return Err(SolveError::NoPair { present });
    }
    Ok(())
}
