//! Progress of a run: a bar on a terminal, elsewhere a line every ten seconds.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use mocap_batch::{Job, Tally};
use mocap_commands::{JobState, Meter, ProgressWhen};

/// Interval between progress lines.
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
    /// No progress.
    pub(super) fn nothing() -> Progress {
        Progress::new(ProgressWhen::Never, &[])
    }

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

    /// Counts a job that has ended.
    pub(super) fn advance(&mut self, job: &Job, tally: Tally, state: JobState) {
        self.clips += 1;
        self.bytes += job.bytes;
        self.frames += tally.frames;
        match state {
            JobState::Failed => self.failed += 1,
            JobState::Skipped => self.skipped_bytes += job.bytes,
            JobState::Done => {}
        }
        if let Form::Bar(bar) = &self.form {
            bar.inc(job.bytes);
            bar.set_message(self.counts());
        }
    }

    /// Prints without damaging the bar.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.form {
            Form::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// A progress line, if one is due.
    pub(super) fn due_line(&mut self) -> Option<String> {
        let Form::Lines(last) = &self.form else { return None };
        if last.elapsed() < INTERVAL {
            return None;
        }
        self.form = Form::Lines(Instant::now());
        Some(format!("{}\n", self.line()))
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

    /// Estimated from the processed bytes; skipped ones do not show the speed.
    fn seconds_left(&self, elapsed: f64) -> Option<f64> {
        let done = self.bytes.saturating_sub(self.skipped_bytes);
        (done > 0).then(|| elapsed / done as f64 * self.of_bytes.saturating_sub(self.bytes) as f64)
    }
}

/// A bar over bytes: they predict the remaining time better than clips, whose sizes differ by a factor of
/// hundreds.
fn bar(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    let style = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is fixed");
    bar.set_style(style.progress_chars("=> "));
    // The bar is cleared in any case when the run ends.
    bar.with_finish(ProgressFinish::AndClear)
}

fn duration(seconds: f64) -> String {
    match seconds {
        short if short < 90.0 => format!("{short:.0} s"),
        middle if middle < 5400.0 => format!("{:.0} min", middle / 60.0),
        long => format!("{:.1} h", long / 3600.0),
    }
}

/// A progress bar for work on a single input.
#[derive(Debug)]
pub(super) struct Bar(ProgressBar);

/// Steps of a bar.
const PARTS: u64 = 1000;

impl Bar {
    /// A bar with a label; `auto` shows it on a terminal.
    pub(super) fn new(when: ProgressWhen, doing: &'static str) -> Bar {
        let shown = match when {
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
        Bar(bar.with_finish(ProgressFinish::AndClear))
    }
}

impl Meter for Bar {
    fn set(&self, share: f64) {
        self.0.set_position((share * PARTS as f64) as u64);
    }

    fn finish(&self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_batch::Input;

    #[test]
    fn skipped_jobs_do_not_count_for_speed() {
        let job = |bytes| Job { bytes, ..Job::report(Input::named("none".as_ref())) };
        let jobs = [job(1000), job(500), job(1500)];
        let mut progress = Progress::new(ProgressWhen::Never, &jobs);
        assert_eq!(progress.seconds_left(1.0), None);
        progress.advance(&jobs[0], Tally::default(), JobState::Skipped);
        assert_eq!(progress.seconds_left(1.0), None);
        progress.advance(&jobs[1], Tally::default(), JobState::Failed);
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
