//! Whether the clips of a file have one skeleton.

use mocap_model::Joint;

use crate::{Finding, FormatProblem};

/// Checks that the joints of a clip have the names and parents of those of a file: tracks are put on joints by index.
pub(crate) fn same_joints(expected: &[Joint], found: &[Joint]) -> Result<(), Finding> {
    for joint in 0..expected.len().max(found.len()) {
        let name = |joints: &[Joint]| joints.get(joint).map_or("(none)".into(), |joint| joint.name.clone());
        let parent = |joints: &[Joint]| joints.get(joint).map(|joint| joint.parent);
        if name(expected) != name(found) || parent(expected) != parent(found) {
            let (expected, found) = (name(expected), name(found));
            return Err(Finding::new(FormatProblem::OtherSkeleton { joint, expected, found }));
        }
    }
    Ok(())
}
