//! How far a run is: bars on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use super::Job;
use super::tell::{Told, Verdict};
use crate::args::ProgressWhen;
use crate::console::Console;

/// The time between two lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Clips, bytes and frames done, shown as the flags say.
pub(super) struct Progress {
    form: Form,
    started: Instant,
    clips: usize,
    of_clips: usize,
    failed: usize,
    bytes: u64,
    of_bytes: u64,
    frames: usize,
    /// Bytes that took no work, because they were skipped.
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

    /// One more job is done.
    pub(super) fn advance(&mut self, job: &Job, told: &Told) {
        self.clips += 1;
        self.bytes += job.bytes;
        self.frames += told.tally.frames;
        match told.verdict {
            Verdict::Failed | Verdict::Missed => self.failed += 1,
            Verdict::Skipped | Verdict::NotBegun => self.skipped_bytes += job.bytes,
            Verdict::Ok => {}
        }
        if let Form::Bar(bar) = &self.form {
            bar.inc(job.bytes);
            bar.set_message(self.counts());
        }
    }

    /// Prints without tearing the bar.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        match &self.form {
            Form::Bar(bar) => bar.suspend(print),
            _ => print(),
        }
    }

    /// Writes a line where it is time for one.
    pub(super) fn tick(&mut self, console: &Console) {
        if let Form::Lines(last) = &self.form
            && last.elapsed() >= INTERVAL
        {
            console.say(&format!("{}\n", self.line()));
            self.form = Form::Lines(Instant::now());
        }
    }

    /// Takes the bar away, or says how it ended.
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

    /// From the bytes that were worked on: what was skipped says nothing about speed.
    fn seconds_left(&self, elapsed: f64) -> Option<f64> {
        let done = self.bytes.saturating_sub(self.skipped_bytes);
        (done > 0).then(|| elapsed / done as f64 * self.of_bytes.saturating_sub(self.bytes) as f64)
    }
}

/// Bytes tell the time left better than clips, whose lengths differ a hundredfold.
fn bar(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    let style = "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
    let style = ProgressStyle::with_template(style).expect("the template is fixed");
    bar.set_style(style.progress_chars("=> "));
    // The end clears it on all ways out.
    bar.with_finish(ProgressFinish::AndClear)
}

fn duration(seconds: f64) -> String {
    match seconds {
        short if short < 90.0 => format!("{short:.0} s"),
        middle if middle < 5400.0 => format!("{:.0} min", middle / 60.0),
        long => format!("{:.1} h", long / 3600.0),
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
        Meter { bar: bar.with_finish(ProgressFinish::AndClear) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Input, Tally};

    fn told(verdict: Verdict, frames: usize) -> Told {
        let tally = Tally { frames, ..Tally::default() };
        Told { row: String::new(), messages: String::new(), verdict, tally }
    }

    #[test]
    fn what_was_skipped_says_nothing_about_speed() {
        let job = |bytes| Job { bytes, ..Job::report(Input::named("none".as_ref())) };
        let jobs = [job(1000), job(500), job(1500)];
        let mut progress = Progress::new(ProgressWhen::Never, &jobs);
        assert_eq!(progress.seconds_left(1.0), None);
        progress.advance(&jobs[0], &told(Verdict::Skipped, 0));
        assert_eq!(progress.seconds_left(1.0), None);
        progress.advance(&jobs[1], &told(Verdict::Failed, 100));
        assert_eq!(progress.seconds_left(1.0), Some(3.0));
        let line = progress.line();
        assert!(line.starts_with("progress: 2/3 inputs, 1 failed, "), "{line}");
        assert!(line.contains("1.46 KiB of 2.93 KiB, about"), "{line}");
    }

    #[test]
    fn times_are_for_people() {
        assert_eq!([5.4, 600.0, 7200.0].map(duration), ["5 s", "10 min", "2.0 h"]);
    }
}
