//! The skeleton file of an AMC input.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap::ReadOptions;
use mocap_batch::{Input, JobContext};
use mocap_formats::{Format, Parsed, asf};
use mocap_model::Robot;

use super::{ReadFailure, located, motion_bytes};
use crate::diagnostic::Diagnostic;
use crate::options::Reading;

/// The path of the skeleton of an AMC input.
pub(crate) fn skeleton_of(input: &Input, reading: &Reading) -> Result<PathBuf, Diagnostic> {
    if let Some(path) = &reading.skeleton {
        return Ok(path.clone());
    }
    let Some(path) = input.path() else {
        let reason = "an AMC file from stdin does not name its skeleton".into();
        return Err(Diagnostic::from(mocap::Problem::NoSkeleton { reason }));
    };
    Ok(mocap::companion(path)?)
}

/// Reads the skeleton of an AMC input; its warnings carry its path.
pub(super) fn companion(
    (context, input): (&JobContext, &Input),
    reading: &Reading,
) -> Result<(asf::Document, Vec<Diagnostic>), ReadFailure> {
    let path = skeleton_of(input, reading)?;
    let limits = reading.limits();
    let options = ReadOptions { format: Some(Format::Asf.into()), limits, ..ReadOptions::default() };
    let bytes = motion_bytes(context, &Input::named(&path), &options)?;
    let here = |found: Vec<Diagnostic>| found.into_iter().map(|found| found.in_file(&path)).collect();
    match asf::parse(&bytes, &limits) {
        Ok(Parsed { value, warnings }) => Ok((value, here(located(&warnings, &bytes)))),
        Err(failed) => {
            let ReadFailure { errors, unlisted, warnings } = ReadFailure::of(failed, &bytes);
            Err(ReadFailure { errors: here(errors), unlisted, warnings: here(warnings) })
        }
    }
}

/// The robot of a model file.
pub(crate) fn robot_of_file(context: &JobContext, path: &Path) -> Result<Arc<Robot>, Diagnostic> {
    let reading = Reading::default();
    let loaded = super::load(context, &Input::named(path), &reading);
    let skeleton = loaded.and_then(|loaded| loaded.into_skeleton(&reading));
    match skeleton.map_err(|failure| failure.error.in_file(path))?.0.robot() {
        Some(robot) => Ok(robot.clone()),
        None => Err(Diagnostic::new("robot::model", "the file is not the model of a robot").in_file(path)),
    }
}
