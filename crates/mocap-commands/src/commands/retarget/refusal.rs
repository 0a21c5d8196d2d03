//! An error of a retarget with the roles that were found.

use mocap::Mapping;
use mocap_model::Clip;
use mocap_retarget::{RetargetError, SourceOrTarget, map_roles_in};

use super::finding;
use super::target::Target;
use crate::diagnostic::Diagnostic;

/// Adds to an error the roles found in the skeleton that it is about.
pub(super) fn refused(
    error: &RetargetError,
    mapping: Option<&Mapping>,
    clip: &Clip,
    target: &Target,
) -> Diagnostic {
    let found = || Mapping::found(map_roles_in(clip), target.on.roles.clone());
    let mapping = mapping.map_or_else(found, Mapping::clone);
    // For a robot, only the source needs roles.
    let on_robot = target.robot().is_some();
    let diagnostic = if on_robot { finding::of_source(error) } else { finding::error(error, target) };
    let which = if on_robot { Some(SourceOrTarget::Source) } else { error.which() };
    let Some(which) = which.filter(|_| error.is_about_roles()) else { return diagnostic };
    let (skeleton, roles) = match which {
        SourceOrTarget::Source => (clip.skeleton(), mapping.source_roles()),
        SourceOrTarget::Target => (&target.on.skeleton, mapping.target_roles()),
    };
    diagnostic.note(roles.limb_table(which, skeleton))
}
