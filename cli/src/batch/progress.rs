//! A bar on stderr over many jobs.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Job;
use crate::args::ProgressWhen;

/// Clips and bytes done, or nothing where no progress is wanted.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar over these jobs; `auto` shows it on a terminal, for more than one job.
    pub(super) fn new(when: ProgressWhen, jobs: &[Job]) -> Progress {
        let shown = match when {
            ProgressWhen::Always => !jobs.is_empty(),
            ProgressWhen::Never => false,
            ProgressWhen::Auto => jobs.len() > 1 && std::io::stderr().is_terminal(),
        };
        // Bytes tell the time left better than clips, whose lengths differ a hundredfold.
        let bytes = jobs.iter().map(|job| job.bytes).sum();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        let style = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
        bar.set_style(
            ProgressStyle::with_template(style).expect("the template is fixed").progress_chars("=> "),
        );
        bar.set_message(format!("0/{}", jobs.len()));
        Progress { bar: bar.with_finish(indicatif::ProgressFinish::AndClear) }
    }

    /// One more job is done.
    pub(super) fn advance(&self, job: &Job) {
        self.bar.inc(job.bytes);
        let (done, of) = match self.bar.message().split_once('/') {
            Some((done, of)) => (done.parse().unwrap_or(0) + 1, of.to_owned()),
            None => return,
        };
        self.bar.set_message(format!("{done}/{of}"));
    }

    /// Prints without tearing the bar.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// How far a command is with its only input: shown where a bar over many would be.
#[derive(Debug)]
pub(crate) struct Meter {
    bar: ProgressBar,
}

/// Parts of the whole that a meter shows.
const PARTS: u64 = 1000;

impl Meter {
    /// A meter of what is being done; hidden where there is more than one job.
    pub(crate) fn new(when: ProgressWhen, jobs: &[Job], doing: &'static str) -> Meter {
        let shown = jobs.len() == 1
            && match when {
                ProgressWhen::Always => true,
                ProgressWhen::Never => false,
                ProgressWhen::Auto => std::io::stderr().is_terminal(),
            };
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(PARTS), target);
        let style = "{msg} [{bar:30}] {percent} % {eta} left";
        bar.set_style(
            ProgressStyle::with_template(style).expect("the template is fixed").progress_chars("=> "),
        );
        bar.set_message(doing);
        Meter { bar: bar.with_finish(indicatif::ProgressFinish::AndClear) }
    }

    /// The share that is done.
    pub(crate) fn set(&self, share: f64) {
        self.bar.set_position((share * PARTS as f64) as u64);
    }

    /// Takes it away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
