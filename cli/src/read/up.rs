//! The axis that points up, where the file does not say it: as the user says, or the usual one and a warning where the
//! body stands along another.

use std::sync::Arc;

use mocap_formats::Format;
use mocap_model::{Clip, SignedAxis};
use mocap_retarget::map_roles;

use super::with_up;
use crate::args::Reading;
use crate::diagnostic::Diagnostic;

/// The warning that a motion is hardly meant as it is read.
pub(crate) const UP_UNLIKELY: &str = "space::up-unlikely";

/// Warns where neither file nor user say which axis is up, and body and motion agree on another than the usual one.
pub(super) fn unlikely(format: Format, clip: &Clip, reading: &Reading) -> Option<Diagnostic> {
    // Files of this project say it.
    if reading.input_up.is_some() || !matches!(format, Format::Bvh | Format::Amc) {
        return None;
    }
    let skeleton = map_roles(clip.skeleton()).certain().apply(clip.skeleton());
    let skeleton = Arc::new(skeleton);
    // Of most files the rest pose alone tells that there is nothing to say, and nothing is copied.
    let rest = clip.trimmed(0..0).ok()?.with_skeleton(skeleton.clone()).ok()?;
    other_up(&rest)?;
    let clip = clip.clone().with_skeleton(skeleton).ok()?;
    let (up, taken) = (other_up(&clip)?, clip.skeleton().space().up);
    let sign = |axis: SignedAxis| if axis.negative { axis.to_string() } else { format!("+{axis}") };
    let message = format!("the body stands along {}, and {} is taken to be up", sign(up), sign(taken));
    Some(Diagnostic::new(UP_UNLIKELY, message).help(format!(
        "--input-up {up} reads it so; --input-up {taken} says that it is right, and silences this"
    )))
}

/// The axis along which the body of a clip with roles stands, where that is not the one stated.
fn other_up(clip: &Clip) -> Option<SignedAxis> {
    mocap_analysis::upright(clip).filter(|up| *up != clip.skeleton().space().up)
}

/// A clip with roles, to be drawn: the way its body stands, unless the user says which way is up.
pub(crate) fn upright(clip: Clip, reading: &Reading) -> Clip {
    let Some(up) = other_up(&clip).filter(|_| reading.input_up.is_none()) else { return clip };
    let skeleton = clip.skeleton().with_space(with_up(clip.skeleton().space(), up));
    clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before")
}
