//! A motion that was read, put on a robot.

use std::sync::Arc;

use mocap::Mapping;
use mocap_model::{Clip, FrameRate, Robot, Role};
use mocap_retarget::{RoleMap, SourceOrTarget, map_roles_in};
use mocap_robot::{Bends, RobotError, RobotOptions};

use super::finding;
use super::mapping::MapFile;
use super::opening::Opening;
use super::outcome::Outcome;
use super::target::{RobotLimits, Target, refused_robot};
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
    let given = map.map(|map| map.mapping(clip.skeleton(), target)).transpose()?;
    let bends = given.as_ref().map(|map| bends(map.target_roles(), robot)).unwrap_or_default();
    let roles = given.map_or_else(|| map_roles_in(clip), |map| map.source_roles().clone());
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
    let RobotLimits { velocities, accelerations, separate } = target.limits.clone();
    let options = RobotOptions { fps, separate, velocities, accelerations, bends };
    let (motion, report) =
        mocap_robot::retarget(&source, metres, robot, &options).map_err(|error| refused(&error, target))?;
    let clip = motion.to_clip(robot).map_err(mocap::Error::from)?;
    Ok((clip, Outcome::Robot(Box::new(report))))
}

/// The knees and elbows of a robot that a map names.
fn bends(roles: &RoleMap, robot: &Robot) -> Bends {
    let joints = robot.skeleton_joints();
    let hinge = |role: Role| joints.iter().position(|joint| Some(*joint) == roles.joint(role));
    let both = |left: Role, right: Role| Some([hinge(left)?, hinge(right)?]);
    Bends {
        knees: both(Role::LeftLowerLeg, Role::RightLowerLeg),
        elbows: both(Role::LeftLowerArm, Role::RightLowerArm),
    }
}

/// A source without a limb that the robot has can be mapped by hand.
fn refused(error: &RobotError, target: &Target) -> Diagnostic {
    let diagnostic = refused_robot(error, &target.path);
    match error {
        RobotError::SourceRole { .. } => diagnostic.help(finding::EDIT_MAP),
        _ => diagnostic,
    }
}
