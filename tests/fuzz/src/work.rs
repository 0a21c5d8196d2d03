//! The loop of one target: change, read, check.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use cpu_time::ProcessTime;
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::budget;
use crate::mutation::mutated;
use crate::target::Target;

/// The corpus grows to so many files.
const MOST_FILES: usize = 3000;
/// Inputs stay smaller than this \[bytes\].
const LARGEST: usize = 1 << 20;

/// What a worker says at its end.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) inputs: u64,
    /// Files in the corpus at the end.
    pub(crate) corpus: usize,
    pub(crate) codes: usize,
    /// The longest time of an input, as a fraction of its budget.
    pub(crate) slowest: f64,
    /// The largest memory of an input, as a fraction of its budget; `None` where it is not
    /// measured.
    pub(crate) largest: Option<f64>,
    /// By what is wrong: how often.
    pub(crate) findings: BTreeMap<String, u64>,
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The place of the input that is being read, for findings that end the process.
pub(crate) fn current(keep: &Path, target: &str) -> std::path::PathBuf {
    keep.join(format!("{target}.current"))
}

/// Works for seconds of processor time, keeps inputs with findings, and prints the summary.
pub(crate) fn work(target: &Target, seconds: u64, seed: u64, keep: &Path) {
    install_panic_hook();
    let mut rng = Rng::with_seed(seed);
    let mut summary = Summary { largest: target.measured.then_some(0.0), ..Summary::default() };
    let mut corpus = target.corpus.clone();
    assert!(!corpus.is_empty(), "{} has no corpus", target.name);
    let mut known = BTreeSet::new();
    for bytes in target.corpus.iter().chain([&Vec::new()]) {
        one(target, bytes, keep, &mut summary, &mut known);
    }
    let (start, enough) = (ProcessTime::now(), Duration::from_secs(seconds));
    while start.elapsed() < enough {
        let [from, other] = [0, 1].map(|_| rng.usize(..corpus.len()));
        let bytes = mutated(&corpus[from], &corpus[other], target.words, &mut rng);
        if bytes.len() > LARGEST {
            continue;
        }
        let is_new = one(target, &bytes, keep, &mut summary, &mut known);
        if is_new && corpus.len() < MOST_FILES {
            corpus.push(bytes);
        }
    }
    summary.corpus = corpus.len();
    summary.codes = known.len();
    let _ = std::fs::remove_file(current(keep, &target.name));
    println!("{}", serde_json::to_string(&summary).expect("a summary"));
}

/// Reads one input; whether it led to something new.
fn one(
    target: &Target,
    bytes: &[u8],
    keep: &Path,
    summary: &mut Summary,
    known: &mut BTreeSet<Vec<String>>,
) -> bool {
    std::fs::write(current(keep, &target.name), bytes).expect("the folder for findings takes files");
    let mut seen = run(target, bytes);
    // Cold caches and new pages may slow one run.
    for _ in 0..2 {
        if seen.time > 1.0 {
            seen.time = seen.time.min(run(target, bytes).time);
        }
    }
    summary.inputs += 1;
    summary.slowest = summary.slowest.max(seen.time);
    summary.largest = summary.largest.map(|largest| largest.max(seen.memory));
    let mut wrong = seen.wrong;
    if seen.time > 1.0 {
        wrong.push("takes too long".into());
    }
    if target.measured && seen.memory > 1.0 {
        wrong.push("takes too much memory".into());
    }
    for what in wrong {
        let count = summary.findings.entry(what.clone()).or_default();
        *count += 1;
        if *count == 1 {
            let name = format!("{}-{:08x}", target.name, xxhash_rust::xxh3::xxh3_64(what.as_bytes()) as u32);
            std::fs::write(keep.join(&name), bytes).expect("the folder for findings takes files");
            std::fs::write(keep.join(name + ".txt"), what + "\n")
                .expect("the folder for findings takes files");
        }
    }
    known.insert(seen.codes)
}

/// The result of one input: time and memory as fractions of its budget.
struct Seen {
    time: f64,
    memory: f64,
    codes: Vec<String>,
    wrong: Vec<String>,
}

fn run(target: &Target, bytes: &[u8]) -> Seen {
    let start = ProcessTime::now();
    let mut outcome = None;
    let mut read = || {
        outcome = Some(panic::catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))));
    };
    let held = if target.measured {
        allocation_counter::measure(read).bytes_max
    } else {
        read();
        0
    };
    let time = start.elapsed().as_secs_f64() / budget::time(bytes.len()).as_secs_f64();
    let memory = held as f64 / budget::memory(bytes.len(), target.bytes_per_sample) as f64;
    let mut wrong = Vec::new();
    let codes = match outcome.expect("an outcome") {
        Ok(Ok(mut codes)) => {
            codes.sort();
            codes.dedup();
            codes
        }
        Ok(Err(what)) => {
            wrong.push(what);
            Vec::new()
        }
        Err(_) => {
            let place = PANIC.with_borrow_mut(Option::take).unwrap_or_default();
            wrong.push(format!("panic at {place}"));
            Vec::new()
        }
    };
    Seen { time, memory, codes, wrong }
}

/// Keeps the place of a panic instead of printing it.
fn install_panic_hook() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        PANIC.with_borrow_mut(|kept| *kept = Some(place));
    }));
}

/// Runs targets on one input, with panics printed.
pub(crate) fn once(targets: &[&Target], path: &Path) -> ExitCode {
    let bytes = std::fs::read(path).expect("the input can be read");
    let mut code = ExitCode::SUCCESS;
    for target in targets {
        let seen = run(target, &bytes);
        let memory = if target.measured { format!("{:.3}", seen.memory) } else { "not measured".into() };
        println!(
            "{}: time {:.3}, memory {memory} of the budget, {}",
            target.name,
            seen.time,
            seen.codes.join(", ")
        );
        for what in &seen.wrong {
            println!("  {what}");
        }
        if !seen.wrong.is_empty() || seen.time > 1.0 || seen.memory > 1.0 {
            code = ExitCode::FAILURE;
        }
    }
    code
}
