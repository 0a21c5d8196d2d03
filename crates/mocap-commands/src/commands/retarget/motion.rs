//! Retargets a motion that was read.

use mocap::{Error, Mapping, Opening, TargetOptions, TargetReport};
use mocap_model::{Clip, FrameRate, Pose};
use mocap_retarget::{RetargetOptions, RetargetReport, frame_pose, map_roles_in};
use mocap_robot::RobotOptions;

use super::finding::{self, refused_on_robot};
use super::mapping::MapFile;
use super::refusal::refused;
use super::target::{RobotLimits, Target};
use crate::diagnostic::Diagnostic;
use crate::options::MethodSettings;
use crate::rest;

/// The pose of the frame of `--source-rest`.
pub(crate) fn reference_pose(method: &MethodSettings, clip: &Clip) -> Result<Option<Pose>, Diagnostic> {
    let pose = method.source_rest.map(|frame| frame_pose(clip, frame)).transpose();
    pose.map_err(|error| rest::refused("--source-rest", &error))
}

/// Retargets a motion and returns its report; for a robot, at the rate `fps`. A motion that is not shared is put on a
/// body in its own memory.
pub(crate) fn put_on_target(
    clip: Clip,
    opening: &Opening,
    method: &MethodSettings,
    (target, map): (&Target, Option<&MapFile>),
    fps: FrameRate,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, TargetReport), Diagnostic> {
    let given = map.map(|map| map.mapping(clip.skeleton(), target)).transpose()?;
    // Found before a body overwrites the motion: errors show the roles.
    let (mapping, shown) = match target.robot() {
        Some(_) => (given, clip.clone()),
        None => {
            let found = || Mapping::found(map_roles_in(&clip), target.on.roles.clone());
            (Some(given.unwrap_or_else(found)), Clip::at_rest(clip.skeleton().clone(), clip.rate()))
        }
    };
    let RobotLimits { velocities, accelerations, separate, balance } = target.limits.clone();
    let robot = RobotOptions { fps, separate, balance, velocities, accelerations, ..RobotOptions::default() };
    let options = TargetOptions { body: on_body(method, target), robot };
    let mut found = Vec::new();
    let done = mocap::put_on_target(clip, opening, &target.on, mapping.as_ref(), &options, &mut found);
    warnings.extend(found.into_iter().map(Diagnostic::from));
    let (motion, report) = done.map_err(|error| match error {
        Error::Retarget(error) => refused(&error, mapping.as_ref(), &shown, target),
        Error::Robot(error) => refused_on_robot(&error, target),
        error => error.into(),
    })?;
    if let TargetReport::Body(report) = &report {
        warnings.extend(report.warnings.iter().map(|warning| finding::warning(warning, target)));
    }
    Ok((motion, report))
}

fn on_body(method: &MethodSettings, target: &Target) -> RetargetOptions {
    RetargetOptions { balance: target.measures_balance, ..method.options(&target.on.skeleton) }
}

/// Measures a `motion` of [`put_on_target`] anew whose arms were moved since to what they hold. `clip` is its source.
pub(crate) fn measure_again(
    report: &mut TargetReport,
    (clip, motion): (&Clip, &Clip),
    opening: &Opening,
    method: &MethodSettings,
    (target, map): (&Target, Option<&MapFile>),
) -> Result<(), Diagnostic> {
    let mapping = map.map(|map| map.mapping(clip.skeleton(), target)).transpose()?;
    let options = TargetOptions { body: on_body(method, target), ..TargetOptions::default() };
    let new = mocap::measure_on_target((clip, motion), opening, &target.on, mapping.as_ref(), &options)?;
    if let (TargetReport::Body(report), Some(TargetReport::Body(new))) = (report, new) {
        **report = RetargetReport { partners: report.partners.take(), ..*new };
    }
    Ok(())
}
