//! Runs tests that may turn out to be impossible here: they count as ignored, never as passed.

use libtest_mimic::{Arguments, Completion, Trial};
use std::collections::BTreeMap;
use std::panic::{UnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// A test of [`run`]: [`tests!`](crate::tests) makes them.
#[derive(Clone, Copy, Debug)]
pub struct Test {
    /// Its path from the root of the test target.
    pub name: &'static str,
    /// Fails by a panic.
    pub run: fn(),
    /// Runs only with `--ignored` or `--include-ignored`, as `.ci/run` does.
    pub slow: bool,
}

/// What [`skip`] throws.
struct Skipped(String);

/// Ends the test that calls this; it is reported as ignored. The reason reads on from "7 tests", as "need a disk of
/// their own" does.
pub fn skip(reason: impl Into<String>) -> ! {
    resume_unwind(Box::new(Skipped(reason.into())))
}

/// Whether the run was asked to show what tests print (`-- --nocapture`). What is measured only to be shown, and takes
/// long, is left out otherwise.
#[must_use]
pub fn shows_notes() -> bool {
    std::env::args().any(|argument| argument == "--nocapture")
}

/// What [`note!`](crate::note) calls.
#[allow(clippy::print_stdout, reason = "a test run reports")]
pub fn print_note(line: std::fmt::Arguments) {
    if shows_notes() {
        println!("{line}");
    }
}

/// Runs tests as `cargo test` does, with its arguments, and says at the end which were skipped and why.
#[must_use]
#[allow(clippy::print_stdout, reason = "a test run reports")]
pub fn run(tests: &[Test]) -> ExitCode {
    let arguments = Arguments::from_args();
    let reasons: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
    let trials = tests.iter().map(|test| {
        let (test, reasons) = (*test, reasons.clone());
        let run = move || {
            let Some(reason) = skipped(test.run) else { return Ok(Completion::Completed) };
            *reasons.lock().unwrap_or_else(PoisonError::into_inner).entry(reason).or_default() += 1;
            Ok(Completion::ignored())
        };
        Trial::ignorable_test(test.name, run).with_ignored_flag(test.slow)
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    for (reason, count) in reasons.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        println!("skipped: {count} {} ({reason})", if *count == 1 { "test" } else { "tests" });
    }
    conclusion.exit_code()
}

/// The reason for which a test was skipped. The panic of a failed test continues.
fn skipped(test: impl FnOnce() + UnwindSafe) -> Option<String> {
    let thrown = catch_unwind(test).err()?;
    match thrown.downcast::<Skipped>() {
        Ok(skipped) => Some(skipped.0),
        Err(panic) => resume_unwind(panic),
    }
}

/// Makes the `main` of a test target with `harness = false`: the list of its tests, then those that take long.
///
/// ```no_run
/// # fn quick() {}
/// # mod real { pub fn every_file() {} pub fn every_pair() {} }
/// mocap_corpus::tests! { quick, real::every_file; slow: real::every_pair }
/// ```
///
/// `#[test]` has no effect in such a target: a test outside the list does not run, and the compiler says that it is
/// not used.
#[macro_export]
macro_rules! tests {
    ($($test:path),* $(,)? $(; slow: $($slow:path),* $(,)?)?) => {
        fn main() -> ::std::process::ExitCode {
            $crate::run(&[
                $($crate::Test { name: stringify!($test), run: $test, slow: false },)*
                $($($crate::Test { name: stringify!($slow), run: $slow, slow: true },)*)?
            ])
        }
    };
}

/// Prints a line where the run was asked to show what tests print (`-- --nocapture`).
#[macro_export]
macro_rules! note {
    ($($text:tt)*) => {
        $crate::print_note(::std::format_args!($($text)*))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_test_gives_its_reason_and_a_passed_one_none() {
        assert_eq!(skipped(|| skip("need a moon")).as_deref(), Some("need a moon"));
        assert_eq!(skipped(|| {}), None);
    }

    #[test]
    fn a_failed_test_fails() {
        let failed = catch_unwind(|| skipped(|| resume_unwind(Box::new("wrong")))).unwrap_err();
        assert_eq!(failed.downcast_ref(), Some(&"wrong"));
    }
}
