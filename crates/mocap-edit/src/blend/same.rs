//! Checks that motions have the same skeleton.

use mocap_model::{Clip, Joint, Skeleton};

use crate::EditError;

/// Bones of one skeleton differ by no more than this share of their length, in length and direction.
const SAME_BONE: f64 = 1e-3;

/// Checks that all motions have the skeleton of the first.
///
/// # Errors
/// [`EditError::Skeletons`] with the number of the motion and the first difference.
pub(crate) fn check_all_same<'a>(mut clips: impl Iterator<Item = &'a Clip>) -> Result<(), EditError> {
    let Some(first) = clips.next() else { return Ok(()) };
    for (i, other) in clips.enumerate() {
        check_same(first, other).map_err(|error| match error {
            EditError::Skeletons { reason } => {
                EditError::Skeletons { reason: format!("motions 1 and {}: {reason}", i + 2) }
            }
            other => other,
        })?;
    }
    Ok(())
}

/// What makes two skeletons another: the number of joints, or the first one with another name or parent.
pub(crate) fn difference(a: &Skeleton, b: &Skeleton) -> Option<String> {
    if a.len() != b.len() {
        let only = |of: &Skeleton, other: &Skeleton| {
            let joint = of.joints().iter().find(|joint| other.find(&joint.name).is_none())?;
            Some(format!(", only one has '{}'", joint.name))
        };
        let joints = |of: &Skeleton| of.joints().iter().filter(|joint| !joint.end_site).count();
        let named = only(a, b).or_else(|| only(b, a)).unwrap_or_default();
        return Some(format!("{} and {} joints{named}", joints(a), joints(b)));
    }
    let parent = |of: &Skeleton, joint: &Joint| {
        joint.parent.map_or("no joint".into(), |parent| format!("'{}'", of.joint(parent).name))
    };
    let mut pairs = a.joints().iter().zip(b.joints());
    pairs.find_map(|(x, y)| match x.name == y.name {
        false => Some(format!("one has '{}' where the other has '{}'", x.name, y.name)),
        true if x.parent == y.parent => None,
        true => Some(format!(
            "'{}' is below {} in one, and below {} in the other",
            x.name,
            parent(a, x),
            parent(b, y)
        )),
    })
}

/// The same joints, parents and bone lengths. Offsets of end sites, and of joints with a translation track in either
/// motion, have no effect and are not compared.
///
/// # Errors
/// [`EditError::Skeletons`] with the first difference.
pub(crate) fn check_same(a: &Clip, b: &Clip) -> Result<(), EditError> {
    let fail = |reason: String| Err(EditError::Skeletons { reason });
    let (ours, theirs) = (a.skeleton(), b.skeleton());
    if let Some(difference) = difference(ours, theirs) {
        return fail(difference);
    }
    for ((id, x), y) in ours.iter().zip(theirs.joints()) {
        let placed = |clip: &Clip| clip.track(id).translation.is_some();
        if x.parent.is_none() || x.end_site || y.end_site || placed(a) || placed(b) {
            continue;
        }
        let (length, other) = (x.offset.norm(), y.offset.norm());
        let most = SAME_BONE * length.max(other);
        if (length - other).abs() > most {
            return fail(format!(
                "the bone to '{}' is {length} long in one, and {other} in the other",
                x.name
            ));
        }
        if (x.offset - y.offset).norm() > 10.0 * most {
            let angle = x.offset.angle(&y.offset).to_degrees();
            return fail(format!(
                "the bone to '{}' points {angle:.0}\u{b0} away from that of the other at rest: retarget one to the skeleton of \
                 the other first",
                x.name
            ));
        }
    }
    Ok(())
}
