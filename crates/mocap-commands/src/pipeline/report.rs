//! The site of `mocap run --report`: a page per clip with input and result, an index, and the report of the run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use mocap::TargetReport;
use mocap_analysis::Gated;
use mocap_edit::EditMetric;
use mocap_edit::edits::event_names;
use mocap_model::Clip;
use mocap_report::gallery::{ClipInput, Figure, Outcome, clip_script};
use mocap_report::view::{ViewInput, ViewOptions};

use super::gate::Gate;
use super::plan::Plan;
use super::row::Measured;
use crate::batch::{Failure, Input, Job};
use crate::commands::gallery::{refuse_file, script_path, write_site};
use crate::commands::label::labelled;
use crate::diagnostic::Diagnostic;
use crate::read;

/// The site, and the inputs that have failed so far.
#[derive(Debug)]
pub(super) struct Site {
    folder: PathBuf,
    /// Messages by input.
    failed: Mutex<BTreeMap<String, String>>,
}

impl Site {
    pub(super) fn new(folder: PathBuf) -> Result<Site, Diagnostic> {
        refuse_file(&folder)?;
        if folder.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"))
            && !folder.is_dir()
        {
            let message =
                format!("'{}' is the name of a page, and --report writes a directory", folder.display());
            return Err(
                Diagnostic::new("usage::output", message).help("name a directory, such as --report site/")
            );
        }
        Ok(Site { folder, failed: Mutex::default() })
    }

    fn script(&self, input: &Input) -> PathBuf {
        self.folder.join("clips").join(script_path(&input.output_name()))
    }

    /// Lists an input as failed.
    pub(super) fn fail(&self, input: &Input, failure: &Failure) {
        let mut failed = self.failed.lock().expect("no thread panics while it holds the list");
        failed.insert(input.shown(), failure.error.to_string());
    }

    /// Writes the page of a clip: the motion as read, and beside it the result.
    pub(super) fn add(
        &self,
        job: &Job,
        plan: &Plan,
        [source, result]: [&Clip; 2],
        outcome: &Outcome,
    ) -> Result<(), Diagnostic> {
        let with_roles = |clip: &Clip| mocap::with_roles(clip.clone());
        let shown = [read::upright(with_roles(source), &plan.reading), with_roles(result)].map(labelled);
        let name = job.input.output_name().display().to_string();
        let names = [name.clone(), format!("{name}: result")];
        let mut motions: Vec<ViewInput<'_>> =
            names.iter().zip(&shown).map(|(name, clip)| ViewInput::new(name, clip)).collect();
        // The motion is unchanged.
        let is_same = std::ptr::eq(source.tracks(), result.tracks());
        if is_same && source.rate() == result.rate() && Arc::ptr_eq(source.skeleton(), result.skeleton()) {
            motions.pop();
        }
        let path = job.input.shown();
        let labels = event_names(&shown[1]);
        let input = ClipInput { path: &path, motions: &motions, labels: &labels, outcome: Some(outcome) };
        let script = clip_script(&input, &ViewOptions::default());
        mocap_batch::write_file(&self.script(&job.input), true, &|out| out.write_all(&script))?;
        Ok(())
    }

    /// Writes the index and the report of all clips, including those of a run that this one resumes.
    pub(super) fn write(self, pipeline: &Path, jobs: &[Job]) -> Result<(), Diagnostic> {
        let failed = self.failed.lock().expect("no thread panics while it holds the list").clone();
        let done = jobs.iter().filter(|job| !failed.contains_key(&job.input.shown()));
        let scripts = done.map(|job| self.script(&job.input));
        write_site(&self.folder, &pipeline.display().to_string(), scripts, &failed)
    }
}

/// The measurements of the steps, with the limits of their gates.
pub(super) fn figures(plan: &Plan, measured: &[(usize, Measured)], gates: &[Gate]) -> Vec<Figure> {
    let of_step = measured.iter().flat_map(|(at, measured)| {
        let step = &plan.steps[*at].name;
        measured.figures().into_iter().map(move |figure| {
            let limit = gates.iter().find_map(|gate| gate.limit_of(step, &figure.name));
            Figure { step: step.clone(), limit, ..figure }
        })
    });
    of_step.collect()
}

impl Measured {
    /// Its figures without step and limit.
    fn figures(&self) -> Vec<Figure> {
        match self {
            Measured::Retarget(_, TargetReport::Body(report)) => gated(report.as_ref()),
            Measured::Retarget(_, TargetReport::Robot(report)) => gated(report.as_ref()),
            Measured::Compress(summary) => {
                let frame = summary.worst.as_ref().map(|worst| worst.frame);
                let ratio = figure("ratio", "", "size of the motion over its compressed size", summary.ratio);
                vec![
                    Figure { greater_is_better: true, ..ratio },
                    Figure {
                        frame,
                        ..figure("max error", "m", "greatest error of a joint", summary.max_error)
                    },
                    figure("p99 error", "m", "99 % of the errors are smaller", summary.p99_error),
                    figure("rms error", "m", "root mean square of the errors", summary.rms_error),
                ]
            }
            Measured::Face(_) => Vec::new(),
            Measured::Solve(measures) => gated(&measures.report),
            Measured::Compare(summary) => {
                let frame = summary.worst.as_ref().map(|worst| worst.frame);
                vec![
                    Figure { frame, ..figure("error", "m", "greatest difference of a joint", summary.max) },
                    figure("p99 error", "m", "99 % of the differences are smaller", summary.p99),
                    figure("mean error", "m", "mean of the differences", summary.mean),
                ]
            }
            Measured::Edit(report) => {
                let frame = report.worst.as_ref().map(|worst| worst.frame);
                let value = |metric: &EditMetric| metric.of(std::slice::from_ref(report.as_ref()));
                let all = EditMetric::ALL.iter().filter_map(|metric| {
                    let frame = frame.filter(|_| metric.name == "max-deg");
                    let found = figure(metric.name, metric.unit, metric.description, value(metric)?);
                    Some(Figure { frame, ..found })
                });
                all.collect()
            }
        }
    }
}

fn figure(name: &str, unit: &str, about: &str, value: f64) -> Figure {
    let [name, unit, about] = [name, unit, about].map(str::to_owned);
    Figure { name, unit, about, value, ..Figure::default() }
}

fn gated<R: Gated>(report: &R) -> Vec<Figure> {
    let measured = R::METRICS
        .iter()
        .filter_map(|metric| Some(figure(metric.name, metric.unit, metric.description, metric.of(report)?)));
    measured.collect()
}
