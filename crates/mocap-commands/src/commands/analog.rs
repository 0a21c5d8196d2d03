//! Analog channels of a C3D take, written beside its motion.

use std::path::Path;

use mocap_formats::{Format, c3d, npz};

use crate::batch::{Destination, Failure, Job, ReadFiles};
use crate::diagnostic::Diagnostic;
use crate::encode;
use crate::options::{Outputs, Reading};
use crate::read::Loaded;

/// Code of the warning of a reader that does not read analog channels.
const NOT_READ: &str = "c3d::analog";

/// Rejects several takes, and an output file that holds something else.
pub(crate) fn check(
    path: &Path,
    jobs: &[Job],
    reads: &ReadFiles<'_>,
    outputs: &Outputs,
) -> Result<(), Diagnostic> {
    if jobs.len() > 1 {
        let message = format!("--analog is for one take, and there are {}", jobs.len());
        return Err(Diagnostic::new("usage::analog", message).help("solve the takes one by one"));
    }
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("npz")) {
        let message = format!("'{}' does not end in .npz", path.display());
        return Err(
            Diagnostic::new("usage::analog", message).help("channels are written as arrays for numpy")
        );
    }
    let inputs: Vec<_> = jobs.iter().map(|job| job.input.clone()).collect();
    reads.refuse(&inputs, [path])?;
    for job in jobs {
        let Destination::File { path: output, .. } = &job.destination else { continue };
        let written = [output].into_iter().chain(&job.companions);
        if ReadFiles::NONE.and(written).refuse(&[], [path]).is_err() {
            let message = format!("'{}' would be both the motion and the channels", path.display());
            return Err(Diagnostic::new("usage::output", message).help("name another file with --analog"));
        }
    }
    let is_skipped = |job: &Job| matches!(job.destination, Destination::Exists(_));
    match outputs.resume || jobs.iter().all(is_skipped) {
        true => Ok(()),
        false => encode::is_free(path, outputs.overwrite),
    }
}

/// Merges warnings about the channels into those about the markers.
pub(crate) fn add_warnings(found: Vec<Diagnostic>, warnings: &mut Vec<Diagnostic>) {
    warnings.retain(|warning| warning.code != NOT_READ);
    // Readers of markers and of channels report the same findings about the parts that both read.
    for warning in found {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
}

/// The channels of a take as NPZ, with warnings.
pub(crate) fn of(loaded: &Loaded, reading: &Reading) -> Result<(Vec<u8>, Vec<Diagnostic>), Failure> {
    let none = |what: &str| {
        Diagnostic::new("solve::no-analog", format!("the take has no analog channels: {what}"))
            .help("leave out --analog")
    };
    if loaded.format.exchange() != Some(Format::C3d) {
        return Err(none("only C3D files hold them").into());
    }
    let options = c3d::Options {
        limits: reading.limits(),
        fps: reading.input_fps.map(|rate| rate.fps()),
        ..c3d::Options::default()
    };
    let found = c3d::analog(loaded.bytes(), &options);
    let found = found.map_err(|failed| Diagnostic::from_finding(&failed.error, loaded.bytes()))?;
    let warnings = found.warnings.iter().map(|warning| Diagnostic::from_finding(warning, loaded.bytes()));
    let warnings = warnings.collect();
    let channels = found.value.ok_or_else(|| none("its header states none"))?;
    Ok((npz::to_bytes(&channels.to_arrays()), warnings))
}
