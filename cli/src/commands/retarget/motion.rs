//! A motion that was read, put on the target.

use mocap::Mapping;
use mocap_model::{Clip, FrameRate, Pose};
use mocap_retarget::{RetargetError, RetargetOptions, SourceOrTarget, frame_pose, map_roles_in};

use super::finding;
use super::mapping::MapFile;
use super::opening::Opening;
use super::outcome::Outcome;
use super::robot::put_on_robot;
use super::target::Target;
use crate::args::MethodSettings;
use crate::diagnostic::Diagnostic;
use crate::rest;

/// The pose of the frame of `--source-rest`.
pub(crate) fn reference_pose(method: &MethodSettings, clip: &Clip) -> Result<Option<Pose>, Diagnostic> {
    let pose = method.source_rest.map(|frame| frame_pose(clip, frame)).transpose();
    pose.map_err(|error| rest::refused("--source-rest", &error))
}

/// The motion on the target, at `fps` on a robot, and its report. The report is in metres: where a unit is open, in a likely one.
pub(crate) fn put_on_target(
    clip: &Clip,
    opening: Opening,
    method: &MethodSettings,
    (target, map): (&Target, Option<&MapFile>),
    fps: FrameRate,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, Outcome), Diagnostic> {
    if let Some(robot) = target.robot() {
        return put_on_robot(clip, &opening, (target, robot), map, fps, warnings);
    }
    let mut guessed = Vec::new();
    let source = mocap::clip_for_report(clip, &mut guessed);
    warnings.extend(guessed.into_iter().map(Diagnostic::from));
    let body = mocap::for_report(&target.skeleton, &mut Vec::new());
    let mapping = match map {
        Some(map) => map.mapping(clip.skeleton(), target)?,
        None => Mapping::found(map_roles_in(clip), target.roles.clone()),
    };
    // One skeleton has one rest pose: estimates from two motions of it would differ.
    let same = method.target_rest.is_none() && clip.skeleton().joints() == target.skeleton.joints();
    let target_rest = if same { opening.rest.clone() } else { target.rest.clone() };
    let options = RetargetOptions {
        source_rest: opening.rest,
        target_rest,
        lead_in: opening.lead_in,
        ..method.options(&target.skeleton)
    };
    let done = mapping.retarget(&source, &body, &options);
    let (motion, report) = done.map_err(|error| refused(&error, &mapping, clip, target))?;
    // The unit that the report assumed is not stated in the result.
    let skeleton = motion.skeleton().with_space(*target.skeleton.space());
    let motion = motion.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before");
    warnings.extend(report.warnings.iter().map(|warning| finding::warning(warning, target)));
    Ok((motion, Outcome::Body(Box::new(report))))
}

/// An error, with the roles that were found of the skeleton that it is about.
fn refused(error: &RetargetError, mapping: &Mapping, clip: &Clip, target: &Target) -> Diagnostic {
    let diagnostic = finding::error(error, target);
    let Some(which) = error.which().filter(|_| error.is_about_roles()) else { return diagnostic };
    let (skeleton, roles) = match which {
        SourceOrTarget::Source => (clip.skeleton().as_ref(), mapping.source_roles()),
        SourceOrTarget::Target => (&target.skeleton, mapping.target_roles()),
    };
    diagnostic.note(roles.limb_table(which, skeleton))
}
