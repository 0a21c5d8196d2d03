//! Counts the instructions of reading, retargeting and compressing under valgrind, and compares them with a record.
//!
//! Counts show what a clock on a shared machine cannot. They differ by 0.1 % from run to run, by 3 % where copies are
//! most of the work, because a copy depends on where the allocator puts its blocks: the least of five runs counts.
//! `tests/speed/guard` builds and runs this.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

mod cases;
mod record;

use record::Record;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: mocap-instructions COMPILER [--record] | --case NAME";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["--case", name] => run(name).map(|()| true),
        [compiler] => check(compiler),
        [compiler, "--record"] => store(compiler).map(|()| true),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn record_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("counts.txt")
}

fn store(compiler: &str) -> Result<(), String> {
    let record = count_all(compiler, &Record::default())?;
    std::fs::write(record_path(), record.to_text()).map_err(|error| error.to_string())?;
    println!("recorded: {} cases in {}", record.counts.len(), record_path().display());
    Ok(())
}

/// Whether no case became slower.
fn check(compiler: &str) -> Result<bool, String> {
    let text = std::fs::read_to_string(record_path()).map_err(|error| error.to_string())?;
    let record = Record::parse(&text);
    let comparison = record.compare(&count_all(compiler, &record)?);
    println!("{}", comparison.table);
    if !comparison.holds {
        println!(
            "A case takes over 3 % more instructions than recorded, or is not in the record. If that is on purpose,\n\
             run `tests/speed/guard --record` and say why in the message of the commit."
        );
    }
    Ok(comparison.holds)
}

/// The least count of five runs, of each case; one run is enough where it holds what is recorded.
fn count_all(compiler: &str, wanted: &Record) -> Result<Record, String> {
    let mut record = Record { compiler: compiler.to_owned(), ..Record::default() };
    for case in cases::all() {
        let mut least = count(&case.name)?;
        for _ in 1..5 {
            if !wanted.allows(&case.name, least) {
                least = least.min(count(&case.name)?);
            }
        }
        record.counts.insert(case.name, least);
    }
    Ok(record)
}

/// The instructions of one case, counted in a process under valgrind.
fn count(name: &str) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=mocap_instructions::counted*")
        .arg(program)
        .args(["--case", name])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    match collected.and_then(|(_, count)| count.trim().parse().ok()) {
        Some(count) if count > 0 && output.status.success() => Ok(count),
        _ => Err(format!("no count of '{name}':\n{said}")),
    }
}

/// Does the work of a case twice: once to fill what is made on first use, once to be counted.
fn run(name: &str) -> Result<(), String> {
    let case = cases::all().into_iter().find(|case| case.name == name);
    let mut work = (case.ok_or_else(|| format!("no case '{name}'"))?.prepare)();
    work();
    counted(&mut *work);
    Ok(())
}

/// What valgrind looks for.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}
