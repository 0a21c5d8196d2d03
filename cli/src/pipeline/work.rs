//! One clip through all steps: read once, changed and measured in memory, written at the end, and only where it
//! passed all gates.

use std::path::Path;
use std::time::Instant;

use mocap_analysis::object_error;
use mocap_formats::{Format, Remedy};
use mocap_model::Clip;

use super::gate::{self, Gate};
use super::plan::{Action, Plan};
use super::row::{Measured, OutputRow, Row, StepRow};
use crate::batch::{Destination, Failure, Job, Report, Tally, json};
use crate::commands::{compare, compress, retarget};
use crate::diagnostic::Diagnostic;
use crate::encode::{self, EncodeOptions, Encoded};
use crate::read::{self, Motion};

/// A motion on its way.
struct Course<'a> {
    plan: &'a Plan,
    clip: Clip,
    /// Frames at its start that are a rest pose and no motion.
    lead_in: usize,
    /// What the numbers of a text may add to an error that was guaranteed [m].
    tolerance: Option<f64>,
    /// The motion as it was after some steps, for comparisons: by step, `None` as it was read.
    kept: Vec<(Option<usize>, Clip)>,
    encoded: Vec<(usize, Encoded)>,
    measured: Vec<(usize, Measured)>,
    gates: Vec<Gate>,
    warnings: Vec<Diagnostic>,
}

/// Takes an input through its plan; its files go below `folder`.
pub(crate) fn work(job: &Job, plan: &Plan, folder: &Path) -> Result<Report, Failure> {
    let started = Instant::now();
    let Motion { clip, warnings, bytes: input_bytes } = read::motion(&job.input, &plan.reading)?;
    job.input.attempt.check()?;
    let mut course = Course {
        plan,
        clip,
        lead_in: usize::from(warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame))),
        tolerance: None,
        kept: Vec::new(),
        encoded: Vec::new(),
        measured: Vec::new(),
        gates: Vec::new(),
        warnings,
    };
    let done = course.all_steps(job);
    if let Err(error) = done {
        return Err(Failure { error, warnings: course.warnings });
    }
    let passed = course.gates.iter().all(Gate::passed);
    let outputs = match passed {
        true => deliver(job, plan, folder, &course.encoded),
        false => Ok(Vec::new()),
    };
    let outputs = match outputs {
        Ok(outputs) => outputs,
        Err(Failure { error, .. }) => return Err(Failure { error, warnings: course.warnings }),
    };
    let Course { clip, measured, gates, warnings, .. } = course;
    let bytes = outputs.iter().map(|output| output.bytes).sum();
    let steps = measured.iter().map(|(at, measured)| {
        let step = &plan.steps[*at];
        StepRow { step: &step.name, r#do: step.kind, measures: measured.row() }
    });
    let row = Row {
        path: job.input.shown(),
        outputs,
        frames: clip.frames(),
        fps: clip.rate().fps(),
        joints: clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count(),
        steps: steps.collect(),
        gates: &gates,
        passed,
        input_bytes,
        bytes,
        seconds: started.elapsed().as_secs_f64(),
        warnings: &warnings,
    };
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames: clip.frames(), bytes_in: input_bytes, bytes_out: bytes };
    let errors = gates.iter().filter_map(|gate| gate.error.clone()).collect();
    Ok(Report { json, text, errors, warnings, tally })
}

impl Course<'_> {
    fn all_steps(&mut self, job: &Job) -> Result<(), Diagnostic> {
        self.keep(None);
        for at in 0..self.plan.steps.len() {
            job.input.attempt.check()?;
            let name = &self.plan.steps[at].name;
            self.step(at).map_err(|error| {
                let mut error = error;
                error.message = format!("step '{name}': {}", error.message);
                error
            })?;
            self.keep(Some(at));
        }
        Ok(())
    }

    /// Keeps the motion where a comparison will ask for it.
    fn keep(&mut self, step: Option<usize>) {
        if self.plan.compared(step) {
            self.kept.push((step, self.clip.clone()));
        }
    }

    fn step(&mut self, at: usize) -> Result<(), Diagnostic> {
        let step = &self.plan.steps[at];
        match &step.action {
            Action::Edit(edits) => {
                self.lead_in = edits.lead_in(&self.clip, self.lead_in);
                self.clip = edits.apply(self.clip.clone(), &mut self.warnings)?;
                self.tolerance = None;
            }
            Action::Retarget(args, body) => {
                let body = body.as_ref().expect("targets are opened before work");
                let (target, map) = (&body.target, body.map.as_ref());
                let stance = args.method.stance(&self.clip)?;
                let opening = retarget::Opening { stance, lead_in: self.lead_in };
                let (clip, report) = retarget::put_on_target(
                    &self.clip,
                    opening,
                    &args.method,
                    (target, map),
                    &mut self.warnings,
                )?;
                self.gates.extend(gate::of_report(&step.name, &args.gates, &report));
                self.measured.push((at, Measured::Retarget(target.path.clone(), Box::new(report))));
                (self.clip, self.tolerance) = (clip, None);
            }
            Action::Compress(args) => {
                let mut done =
                    compress::squeezed(self.clip.clone(), &args.bounds, &mut self.warnings, &|_| {})?;
                let bytes = std::mem::take(&mut done.bytes);
                self.tolerance = Some(done.options.tolerance * encode::TEXT_SHARE);
                self.clip = read::open_compressed(&bytes, Some(self.clip.skeleton()))?.to_clip();
                if !args.discard {
                    self.encoded.push((at, Encoded::from(bytes)));
                }
                self.measured.push((at, Measured::Compress(Box::new(done))));
            }
            Action::Write(args) => {
                let options = EncodeOptions { euler: args.euler, tolerance: self.tolerance };
                let mut encoded = encode::clip(self.clip.clone(), args.to, options)?;
                self.warnings.append(&mut encoded.warnings);
                self.encoded.push((at, encoded));
            }
            Action::Compare(args, against) => {
                let kept = self.kept.iter().find(|(step, _)| step == against);
                let reference = kept.expect("what is compared was kept").1.clone();
                let [reference, other] = compare::in_one_unit([reference, self.clip.clone()])?;
                let summary = object_error(&reference, &other, args.shell.0)
                    .map_err(|error| Diagnostic::new("compare::different", error.to_string()))?;
                self.gates.extend(gate::of_error(&step.name, args, &summary));
                self.measured.push((at, Measured::Compare(Box::new(summary))));
            }
        }
        Ok(())
    }
}

/// Writes all files of a clip. The first one comes last: it stands for all of them.
fn deliver(
    job: &Job,
    plan: &Plan,
    folder: &Path,
    encoded: &[(usize, Encoded)],
) -> Result<Vec<OutputRow>, Failure> {
    let Destination::File { replace, .. } = job.destination else { return Ok(Vec::new()) };
    let outputs: Vec<_> = plan.outputs(&job.input.relative).collect();
    let mut rows = Vec::new();
    for output in outputs.iter().rev() {
        let (_, encoded) =
            encoded.iter().find(|(step, _)| *step == output.step).expect("every output was made");
        let destination = Destination::File { path: folder.join(&output.path), replace };
        let one = Job { destination, ..job.clone() };
        let (bytes, path) = encode::deliver(encoded, &one)?;
        let format = output.format.map_or("mocz", Format::extension);
        rows.push(OutputRow { step: plan.steps[output.step].name.clone(), path, format, bytes });
    }
    rows.reverse();
    Ok(rows)
}
