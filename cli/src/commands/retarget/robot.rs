//! A motion that was read, put on a robot.

use std::sync::Arc;

use mocap::Mapping;
use mocap_model::{Clip, FrameRate, Robot};
use mocap_retarget::{SourceOrTarget, map_roles_in};
use mocap_robot::{RobotError, RobotOptions};

use super::finding;
use super::mapping::MapFile;
use super::opening::Opening;
use super::outcome::Outcome;
use super::target::{Target, refused_robot};
use crate::diagnostic::Diagnostic;

/// The motion on the robot, and its report. A rest pose before the motion is no motion: it is left out.
pub(super) fn put_on_robot(
    clip: &Clip,
    opening: &Opening,
    (target, robot): (&Target, &Arc<Robot>),
    map: Option<&MapFile>,
    fps: FrameRate,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Clip, Outcome), Diagnostic> {
    let mut guessed = Vec::new();
    let source = mocap::clip_for_report(clip, &mut guessed);
    warnings.extend(guessed.into_iter().map(Diagnostic::from));
    let roles = match map {
        Some(map) => map.mapping(clip.skeleton(), target)?.source_roles().clone(),
        None => map_roles_in(clip),
    };
    // What cannot be put on itself cannot be put on a robot.
    let mapping = Mapping::found(roles.clone(), roles.clone());
    if let Some(error) = mapping.explain(clip.skeleton(), clip.skeleton(), None).error {
        let table = roles.limb_table(SourceOrTarget::Source, clip.skeleton());
        let diagnostic = finding::of_source(&error);
        return Err(if error.is_about_roles() { diagnostic.note(table) } else { diagnostic });
    }
    let skeleton = roles.certain().apply(source.skeleton());
    let metres = mocap::known_unit(&skeleton).map_or(1.0, |unit| unit.metres);
    let source = source.into_owned().with_skeleton(skeleton.into()).expect("it has as many joints as before");
    let source = match opening.lead_in < source.frames() {
        true => source.trimmed(opening.lead_in..source.frames()).expect("frames are left"),
        false => source,
    };
    let options =
        RobotOptions { fps, separate: target.limits.separate, velocities: target.limits.velocities.clone() };
    let (motion, report) =
        mocap_robot::retarget(&source, metres, robot, &options).map_err(|error| refused(&error, target))?;
    let clip = motion.to_clip(robot).map_err(mocap::Error::from)?;
    Ok((clip, Outcome::Robot(Box::new(report))))
}

/// A source without a limb that the robot has can be mapped by hand.
fn refused(error: &RobotError, target: &Target) -> Diagnostic {
    let diagnostic = refused_robot(error, &target.path);
    match error {
        RobotError::SourceRole { .. } => diagnostic.help(finding::EDIT_MAP),
        _ => diagnostic,
    }
}
