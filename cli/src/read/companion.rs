//! The skeleton that an AMC input moves.

use std::path::PathBuf;

use mocap_batch::{Input, JobContext};
use mocap_formats::{Parsed, asf};

use super::{ReadFailure, located};
use crate::args::Reading;
use crate::diagnostic::Diagnostic;

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

/// The skeleton of an AMC input; its findings carry its path.
pub(super) fn companion(
    (context, input): (&JobContext, &Input),
    reading: &Reading,
) -> Result<(asf::Document, Vec<Diagnostic>), ReadFailure> {
    let path = skeleton_of(input, reading)?;
    let limits = reading.limits();
    let bytes = context.read_file(&path, limits.bytes as u64).map_err(Diagnostic::from)?;
    let here = |found: Vec<Diagnostic>| found.into_iter().map(|found| found.in_file(&path)).collect();
    match asf::parse(&bytes, &limits) {
        Ok(Parsed { value, warnings }) => Ok((value, here(located(&warnings, &bytes)))),
        Err(rejected) => {
            let ReadFailure { errors, unlisted, warnings } = ReadFailure::of(rejected, &bytes);
            Err(ReadFailure { errors: here(errors), unlisted, warnings: here(warnings) })
        }
    }
}
