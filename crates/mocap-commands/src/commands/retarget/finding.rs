//! Errors and warnings of the library as diagnostics, with the flag that helps.

use std::path::Path;

use mocap_retarget::{RetargetError, RetargetWarning, SourceOrTarget};
use mocap_robot::RobotError;

use super::target::{Target, refused_robot};
use crate::diagnostic::Diagnostic;

/// Advice if no map was found.
pub(super) const EDIT_MAP: &str = "`mocap retarget --write-map MAP.json SOURCE TARGET` writes the map that was found: correct its \
     joints and give it with --map; or state roles in a .skel, which `mocap skel FILE -o FILE.skel` writes";

/// An error about a source.
pub(super) fn of_source(error: &RetargetError) -> Diagnostic {
    with_help(error, Diagnostic::new(error.code(), error.to_string()))
}

/// An error as a diagnostic, about the file of the target if it is about the target.
pub(super) fn error(error: &RetargetError, target: &Target) -> Diagnostic {
    let diagnostic = in_target(Diagnostic::new(error.code(), error.to_string()), error.which(), target);
    with_help(error, diagnostic)
}

fn with_help(error: &RetargetError, diagnostic: Diagnostic) -> Diagnostic {
    match error {
        RetargetError::MissingRoles { .. }
        | RetargetError::Uncertain { .. }
        | RetargetError::SidesMixed { .. } => diagnostic.help(EDIT_MAP),
        RetargetError::SidesSwapped { .. } => {
            diagnostic.help("the up axis may be wrong: --input-up and --target-up state it")
        }
        _ => diagnostic,
    }
}

/// A warning as a diagnostic.
pub(super) fn warning(warning: &RetargetWarning, target: &Target) -> Diagnostic {
    let diagnostic = in_target(Diagnostic::new(warning.code(), warning.to_string()), warning.which(), target);
    match warning {
        RetargetWarning::ReferencePoseEstimated { which: SourceOrTarget::Target } => diagnostic.help(
            "use as target a motion file of that skeleton, or the .skel that `mocap skel` writes of one: the motion \
             shows its reference pose; --target-rest FRAME (of `mocap skel`: --rest FRAME) names a frame in which it \
             stands upright",
        ),
        RetargetWarning::ReferencePoseEstimated { which: SourceOrTarget::Source } => {
            diagnostic.help("--source-rest FRAME names a frame in which it stands upright")
        }
        RetargetWarning::LeftOut { .. } => diagnostic.help(
            "if there is such a joint, name it in a map: `mocap retarget --write-map MAP.json SOURCE TARGET` writes the map \
             that was found, --map MAP.json takes a corrected one; --explain in place of -o shows which joints \
             were found and why",
        ),
        _ => diagnostic,
    }
}

fn in_target(diagnostic: Diagnostic, which: Option<SourceOrTarget>, target: &Target) -> Diagnostic {
    match which {
        Some(SourceOrTarget::Target) => diagnostic.in_file(Path::new(&target.path)),
        _ => diagnostic,
    }
}

/// A source that lacks a limb of the robot can be mapped by hand.
pub(super) fn refused_on_robot(error: &RobotError, target: &Target) -> Diagnostic {
    let diagnostic = refused_robot(error, &target.path);
    match error {
        RobotError::SourceRole { .. } => diagnostic.help(EDIT_MAP),
        _ => diagnostic,
    }
}
