//! Motions in the unit and axes of the one that they are blended with, joined to or added to.

use std::borrow::Cow;

use mocap_model::{Clip, Space, Unit, UnitSource};

use crate::EditError;
use crate::body::Body;

/// A motion in the unit and with the axes of `first`. Two motions whose files state no unit have the same; where one
/// states its unit, that of the other is inferred from the size of the body.
///
/// # Errors
/// [`EditError::Model`] where a length is not finite in the other unit.
pub(crate) fn in_space_of<'c>(
    first: &Clip,
    other: &'c Clip,
    edit: &'static str,
) -> Result<Cow<'c, Clip>, EditError> {
    let (ours, theirs) = (*first.skeleton().space(), *other.skeleton().space());
    let is_stated = ours.unit.is_some() || theirs.unit.is_some();
    let units = if is_stated { [first, other].map(unit_of) } else { [None; 2] };
    let differ = matches!(units, [Some(a), Some(b)] if a.metres != b.metres);
    if ours.up == theirs.up && !differ {
        return Ok(Cow::Borrowed(other));
    }
    let [unit, own] = units;
    // Without both units, lengths stay.
    let to = Space { unit: unit.filter(|_| own.is_some()).or(theirs.unit), ..ours };
    let known = other.skeleton().with_space(Space { unit: own.or(theirs.unit), ..theirs });
    let model = |error| EditError::model(edit, error);
    let known = other.clone().with_skeleton(known.into()).map_err(model)?;
    known.in_space_of(&first.skeleton().with_space(to)).map(Cow::Owned).map_err(model)
}

/// All motions in the unit and with the axes of the first.
///
/// # Errors
/// As [`in_space_of`].
pub(crate) fn all_in_one_space<'c>(
    clips: &'c [Clip],
    edit: &'static str,
) -> Result<Cow<'c, [Clip]>, EditError> {
    let Some(first) = clips.first() else { return Ok(Cow::Borrowed(clips)) };
    let all: Vec<Cow<'c, Clip>> =
        clips.iter().map(|clip| in_space_of(first, clip, edit)).collect::<Result<_, _>>()?;
    match all.iter().all(|clip| matches!(clip, Cow::Borrowed(_))) {
        true => Ok(Cow::Borrowed(clips)),
        false => Ok(Cow::Owned(all.into_iter().map(Cow::into_owned).collect())),
    }
}

/// The unit of a clip, stated or inferred from the size of its body.
pub(crate) fn unit_of(clip: &Clip) -> Option<Unit> {
    let inferred = || Body::of(clip).metres.map(|metres| Unit { metres, source: UnitSource::Guessed });
    clip.skeleton().space().unit.or_else(inferred)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{ForwardKinematics, JointId, SignedAxis, Vector3};

    const UNIT: Unit = Unit { metres: 0.01, source: UnitSource::File };

    fn positions(clip: &Clip, frame: usize) -> Vec<Vector3<f64>> {
        let mut kinematics = ForwardKinematics::new(clip);
        kinematics.place(frame);
        (0..clip.skeleton().len()).map(|joint| kinematics.position(JointId::from(joint))).collect()
    }

    #[test]
    fn another_unit_and_up_axis_change_nothing() {
        let walk = clip("alex_walk.bvh");
        let space = Space { unit: Some(UNIT), ..*walk.skeleton().space() };
        let walk = walk.clone().with_skeleton(walk.skeleton().with_space(space).into()).unwrap();
        let metres = Unit { metres: 1.0, source: UnitSource::File };
        for unit in [UNIT, metres] {
            for (up, forward) in [(SignedAxis::Y, SignedAxis::Z), (SignedAxis::Z, SignedAxis::X)] {
                let to = Space { up, forward, unit: Some(unit) };
                for there in [walk.in_space(to).unwrap(), walk.with_roots_in_space(to).unwrap()] {
                    let back = in_space_of(&walk, &there, "test").unwrap();
                    for frame in [0, 100] {
                        for (a, b) in positions(&walk, frame).iter().zip(positions(&back, frame)) {
                            assert!((a - b).norm() < 1e-9, "{to:?}: {a} {b}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_unknown_unit_is_inferred_beside_a_stated_one_only() {
        let walk = clip("alex_walk.bvh");
        let small = walk.scaled(0.01).unwrap();
        assert!(matches!(in_space_of(&walk, &small, "test").unwrap(), Cow::Borrowed(_)));
        let metres = Unit { metres: 1.0, source: UnitSource::File };
        let stated = Space { unit: Some(metres), ..*small.skeleton().space() };
        let stated = small.clone().with_skeleton(small.skeleton().with_space(stated).into()).unwrap();
        let back = in_space_of(&walk, &stated, "test").unwrap();
        for (a, b) in positions(&walk, 9).iter().zip(positions(&back, 9)) {
            assert!((a - b).norm() < 1e-9, "{a} {b}");
        }
    }
}
