//! Write steps that write a file in its own format before any step has changed more than frames and lengths: they keep
//! the values of the file, as `mocap convert` does.

use mocap_formats::robot_motion::Order;

use super::plan::{Plan, PlannedStep};
use super::step::Step;
use crate::commands::convert::document::{SameFormat, again};
use crate::diagnostic::{Diagnostic, Failure};
use crate::encode::{EncodeOptions, Encoded};
use crate::options::{Edits, Reading, WriteStep};
use crate::read::Loaded;

/// The files of such steps, by the index of the step, with warnings about what changed in the file.
pub(super) fn files(
    plan: &Plan,
    loaded: &Loaded,
    name: &str,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<(usize, Encoded)>, Failure> {
    let mut files = Vec::new();
    if loaded.is_one_clip() {
        return Ok(files);
    }
    let mut edits = Edits::default();
    for (at, PlannedStep { step, name: of_step, .. }) in plan.steps.iter().enumerate() {
        match step {
            Step::Read(_) | Step::Compare(_) => {}
            Step::Edit(found) if edits == Edits::default() => edits = *found,
            Step::Write(step) => {
                let how = SameFormat {
                    reading: &plan.reading,
                    edits: &edits,
                    options: EncodeOptions { name, ..options(step, &plan.reading) },
                    is_whole: step.arrays.asked().is_none(),
                    verbatim: false,
                };
                let found = again(loaded, &how, step.to).map_err(|mut failure| {
                    failure.error.message = format!("step '{of_step}': {}", failure.error.message);
                    failure
                })?;
                let Some((encoded, found)) = found else { continue };
                warnings.extend(found);
                files.push((at, encoded));
            }
            _ => break,
        }
    }
    Ok(files)
}

/// How a step writes a motion.
pub(super) fn options(step: &WriteStep, reading: &Reading) -> EncodeOptions<'static> {
    EncodeOptions {
        name: "",
        euler: step.euler,
        tolerance: None,
        limits: reading.limits(),
        bvh: step.bvh,
        scene: step.scene,
        arrays: step.arrays.options(),
        order: Order::default(),
    }
}
