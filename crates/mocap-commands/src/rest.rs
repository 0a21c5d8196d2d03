//! Rest poses named by flags, and rest poses before motions.

use mocap_formats::Remedy;
use mocap_retarget::RestPoseError;

use crate::diagnostic::Diagnostic;

/// Whether the first frame is a rest pose, according to the reader's warning; removes that warning.
pub(crate) fn starts_at_rest(warnings: &mut Vec<Diagnostic>) -> bool {
    let before = warnings.len();
    warnings.retain(|warning| warning.remedy != Some(Remedy::DropFirstFrame));
    warnings.len() < before
}

/// The error about a rest pose that a flag names.
pub(crate) fn refused(flag: &str, error: &RestPoseError) -> Diagnostic {
    match error {
        RestPoseError::BoundJoint { .. } => Diagnostic::new("skel::rest", error.to_string())
            .help("--rest offsets takes the rest pose of the file"),
        _ => Diagnostic::new("usage::frame", format!("{flag}: {error}")),
    }
}
