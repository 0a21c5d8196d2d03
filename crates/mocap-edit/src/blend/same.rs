//! Checks that motions have the same skeleton.

use mocap_model::Clip;

use crate::EditError;

/// Bones of one skeleton differ by no more than this share.
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

/// The same joints, parents and bone lengths. Offsets of end sites, and of joints with a translation track in either
/// motion, have no effect and are not compared.
///
/// # Errors
/// [`EditError::Skeletons`] with the first difference.
pub(crate) fn check_same(a: &Clip, b: &Clip) -> Result<(), EditError> {
    let fail = |reason: String| Err(EditError::Skeletons { reason });
    let (ours, theirs) = (a.skeleton(), b.skeleton());
    if ours.len() != theirs.len() {
        let missing = ours.joints().iter().find(|joint| theirs.find(&joint.name).is_none());
        let missing =
            missing.or_else(|| theirs.joints().iter().find(|joint| ours.find(&joint.name).is_none()));
        let named = missing.map_or(String::new(), |joint| format!(", only one has '{}'", joint.name));
        return fail(format!("{} and {} joints{named}", ours.len(), theirs.len()));
    }
    for ((id, x), y) in ours.iter().zip(theirs.joints()) {
        if x.name != y.name || x.parent != y.parent {
            return fail(format!(
                "the skeletons differ: one has '{}' where the other has '{}'",
                x.name, y.name
            ));
        }
        let placed = |clip: &Clip| clip.track(id).translation.is_some();
        if x.parent.is_none() || x.end_site || y.end_site || placed(a) || placed(b) {
            continue;
        }
        let (length, other) = (x.offset.norm(), y.offset.norm());
        if (length - other).abs() > SAME_BONE * length.max(other) {
            return fail(format!(
                "the bone to '{}' is {length} long in one, and {other} in the other",
                x.name
            ));
        }
    }
    Ok(())
}
