//! Progress of a run: a bar on a terminal, elsewhere a line every ten seconds.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use mocap_batch::{Job, JobError, JobReport, Outcome};

use crate::args::ProgressWhen;
use crate::console::Console;

/// The time between two lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Clips, bytes and frames done so far.
pub(super) struct Progress {
    form: Form,
    started: Instant,
    clips: usize,
    of_clips: usize,
    failed: usize,
    bytes: u64,
    of_bytes: u64,
    frames: usize,
    /// Bytes of jobs that were skipped.
    skipped_bytes: u64,
}

enum Form {
    Nothing,
    Bar(ProgressBar),
    /// When the last line was written.
    Lines(Instant),
}

impl Progress {
    /// Progress over these jobs; `auto` shows it on a terminal, for more than one job.
    pub(super) fn new(when: ProgressWhen, jobs: &[Job]) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let of_bytes = jobs.iter().map(|job| job.bytes).sum();
        let form = match when {
            ProgressWhen::Never => Form::Nothing,
            ProgressWhen::Auto if !terminal || jobs.len() <= 1 => Form::Nothing,
            _ if terminal => Form::Bar(bar(of_bytes)),
            _ => Form::Lines(Instant::now()),
        };
        Progress {
            form,
            started: Instant::now(),
            clips: 0,
            of_clips: jobs.len(),
            failed: 0,
            bytes: 0,
            of_bytes,
            frames: 0,
            skipped_bytes: 0,
        }
    }

    /// One more job has ended.
    pub(super) fn advance<R: JobReport, E: JobError>(&mut self, job: &Job, outcome: &Outcome<R, E>) {
        self.clips += 1;
        self.bytes += job.bytes;
        self.frames += outcome.tally().frames;
        match outcome {
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Completed | Outcome::Skipped | Outcome::NotStarted => self.skipped_bytes += job.bytes,
            Outcome::Done(_) => {}
        }
        if let Form::Bar(bar) = &self.form {
            bar.inc(job.bytes);
            bar.set_message(self.counts());
        }
    }

    /// Prints without breaking the bar.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        match &self.form {
            Form::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// Writes a line when it is time for one.
    pub(super) fn tick(&mut self, console: &Console) {
        if let Form::Lines(last) = &self.form
            && last.elapsed() >= INTERVAL
        {
            console.say(&format!("{}\n", self.line()));
            self.form = Form::Lines(Instant::now());
        }
    }

    /// Removes the bar.
    pub(super) fn finish(&mut self) {
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
        self.form = Form::Nothing;
    }

    fn counts(&self) -> String {
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        let rate = self.frames as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        format!("{}/{} inputs{failed}, {rate:.0} frames/s", self.clips, self.of_clips)
    }

    fn line(&self) -> String {
        let left = match self.seconds_left(self.started.elapsed().as_secs_f64()) {
            Some(seconds) => format!(", about {} left", duration(seconds)),
            None => String::new(),
        };
        let (bytes, of_bytes) = (HumanBytes(self.bytes), HumanBytes(self.of_bytes));
        format!("progress: {}, {bytes} of {of_bytes}{left}", self.counts())
    }

    /// From the bytes that were processed: skipped ones say nothing about speed.
    fn seconds_left(&self, elapsed: f64) -> Option<f64> {
        let done = self.bytes.saturating_sub(self.skipped_bytes);
        (done > 0).then(|| elapsed / done as f64 * self.of_bytes.saturating_sub(self.bytes) as f64)
    }
}

/// Bytes predict the time left better than clips, whose lengths differ a hundredfold.
fn bar(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    let style = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is fixed");
    bar.set_style(style.progress_chars("=> "));
    // It is cleared however the run ends.
    bar.with_finish(ProgressFinish::AndClear)
}

fn duration(seconds: f64) -> String {
    match seconds {
        short if short < 90.0 => format!("{short:.0} s"),
        middle if middle < 5400.0 => format!("{:.0} min", middle / 60.0),
        long => format!("{:.1} h", long / 3600.0),
    }
}

/// Progress of a command on its only input.
#[derive(Debug)]
pub(crate) struct Meter {
    bar: ProgressBar,
}

/// Steps of a meter.
const PARTS: u64 = 1000;

impl Meter {
    /// A meter with a label; hidden where there is more than one job.
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
        Meter { bar: bar.with_finish(ProgressFinish::AndClear) }
    }

    /// Sets the share that is done [0 to 1].
    pub(crate) fn set(&self, share: f64) {
        self.bar.set_position((share * PARTS as f64) as u64);
    }

    /// Removes it.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_batch::{BatchError, Input, Tally};

    #[test]
    fn skipped_jobs_do_not_count_for_speed() {
        let job = |bytes| Job { bytes, ..Job::report(Input::named("none".as_ref())) };
        let jobs = [job(1000), job(500), job(1500)];
        let mut progress = Progress::new(ProgressWhen::Never, &jobs);
        assert_eq!(progress.seconds_left(1.0), None);
        progress.advance::<Tally, BatchError>(&jobs[0], &Outcome::Skipped);
        assert_eq!(progress.seconds_left(1.0), None);
        progress.advance::<Tally, _>(&jobs[1], &Outcome::Failed(BatchError::Panicked(None)));
        assert_eq!(progress.seconds_left(1.0), Some(3.0));
        let line = progress.line();
        assert!(line.starts_with("progress: 2/3 inputs, 1 failed, "), "{line}");
        assert!(line.contains("1.46 KiB of 2.93 KiB, about"), "{line}");
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!([5.4, 600.0, 7200.0].map(duration), ["5 s", "10 min", "2.0 h"]);
    }
}
