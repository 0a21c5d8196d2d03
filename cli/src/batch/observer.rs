//! Runs jobs and prints what becomes of them: rows, messages, progress, the summary.

use mocap_batch::{Job, JobContext, JobReport, Observer, Outcome, Summary, plan_rows};
use schemars::JsonSchema;
use serde::Serialize;

use super::options::RunOptions;
use super::progress::Progress;
use super::rendered::{Rendered, RenderedFailure, Renderer, Repeated};
use super::report::Report;
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic, Failure};
use crate::exit::Exit;
use crate::interrupt;
use crate::rows::json;

/// Runs `work` on every job and prints the results.
pub(crate) fn run(
    console: &mut Console,
    options: RunOptions,
    jobs: &[Job],
    work: impl Fn(&Job, &JobContext) -> Result<Report, Failure> + Sync,
) -> Exit {
    if options.dry_run {
        let rows = match plan_rows(jobs, options.engine.manifest.as_ref()) {
            Ok(rows) => rows,
            Err(error) => return console.usage_error(&error.into()),
        };
        for row in rows {
            console.row(&json(&row), &row.to_string());
            if console.is_closed() {
                break;
            }
        }
        return Exit::Success;
    }
    // Of many clips a warning is one line; of one clip it is shown with its line of the file.
    let brief = jobs.len() > 1 && !options.full_warnings;
    let detail = if brief { Detail::Line } else { Detail::Full };
    let renderer = Renderer { style: console.style(), json: console.is_json(), detail };
    let work = |job: &Job, context: &JobContext| renderer.render(job, work(job, context));
    let shown = if options.own_progress { &[] } else { jobs };
    let progress = Progress::new(console.progress(), shown);
    let summed = jobs.len() > 1 || options.sharded;
    let (repeated, renderer) = (Repeated::default(), renderer.clone());
    let mut printer = Printer { console, progress, renderer, repeated, compressed: (0, 0), summed };
    match mocap_batch::run(jobs, &options.engine, work, &mut printer) {
        Ok(summary) => printer.end(&summary),
        Err(error) => console.usage_error(&error.into()),
    }
}

/// Prints a run.
struct Printer<'a> {
    console: &'a mut Console,
    progress: Progress,
    renderer: Renderer,
    repeated: Repeated,
    /// Sizes of motions that were compressed [bytes]: as they were, and as they are.
    compressed: (u64, u64),
    /// Whether a summary is printed.
    summed: bool,
}

/// The last row of a run over several inputs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub(crate) struct SummaryRow<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// Of all motions that were compressed, how much smaller they are than joints × frames × 40 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio: Option<f64>,
}

impl Observer<Rendered, RenderedFailure> for Printer<'_> {
    fn ended(&mut self, job: &Job, outcome: &Outcome<Rendered, RenderedFailure>) {
        self.progress.advance(job, outcome);
    }

    fn report(&mut self, job: &Job, outcome: Outcome<Rendered, RenderedFailure>) {
        let rendered = match outcome {
            Outcome::Done(rendered) | Outcome::Failed(RenderedFailure::Work { rendered, .. }) => rendered,
            Outcome::Failed(RenderedFailure::Run(error)) => {
                self.renderer.failed(job, &Diagnostic::from(error).into())
            }
            Outcome::Completed => self.renderer.completed(job),
            Outcome::Skipped => self.renderer.skipped(job),
            Outcome::NotStarted => return,
        };
        if rendered.raw_bytes > 0 {
            self.compressed.0 += rendered.raw_bytes;
            self.compressed.1 += rendered.tally().bytes_out;
        }
        self.progress.suspend(|| rendered.print(self.console, &mut self.repeated));
    }

    fn tick(&mut self) {
        self.progress.tick(self.console);
    }

    fn interrupted(&mut self) {
        let text = "interrupted: inputs in flight are dropped; interrupt again to stop at once";
        self.progress.suspend(|| self.console.note(text));
    }

    fn is_closed(&self) -> bool {
        self.console.is_closed()
    }

    fn stuck(&mut self, summary: &Summary) {
        // The process belongs to the host program: the run waits.
        if self.console.is_embedded() {
            return;
        }
        let exit = self.end(summary);
        interrupt::leave(self.console.ended(exit));
    }
}

impl Printer<'_> {
    /// Prints why the run ended early, and the summary.
    fn end(&mut self, summary: &Summary) -> Exit {
        self.progress.finish();
        if let Some(error) = &summary.fatal {
            self.console.error(None, &error.clone().into());
        }
        if self.summed && !self.console.is_closed() {
            if let Some(line) = self.repeated.line() {
                self.console.note(&line);
            }
            let (raw, bytes) = self.compressed;
            let ratio = (raw > 0).then(|| raw as f64 / bytes as f64);
            match self.console.is_json() {
                true => self.console.row(&json(&SummaryRow { summary, ratio }), ""),
                false => {
                    let ratio =
                        ratio.map_or(String::new(), |ratio| format!(", {ratio:.1} times smaller than raw"));
                    self.console.note(&format!("{}{ratio}", summary.text()));
                }
            }
        }
        match summary.failed {
            _ if summary.interrupted => Exit::Interrupted,
            _ if summary.fatal.is_some() => Exit::ClipFailed,
            0 => Exit::Success,
            failed if failed == summary.gate_missed => Exit::Gate,
            _ => Exit::ClipFailed,
        }
    }
}
