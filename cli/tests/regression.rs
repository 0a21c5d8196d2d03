//! Regression tests: commands over the fixtures and the corpus, compared with a record of their outputs.
//!
//! `regression/fixtures.txt` and `regression/corpus.txt` list the commands; the `.json` beside each is the record. On the
//! platform of the record bytes and numbers must be equal; elsewhere numbers must agree to 1e-9. Words are not compared.
//!
//! - `MOCAP_REGRESSION=record` writes the record anew; `MOCAP_REGRESSION=numbers` compares as on another platform.
//! - `MOCAP_REGRESSION_BIN` names another `mocap` to test.
//! - `MOCAP_REGRESSION_KEEP` names a folder that keeps what the commands wrote.

#![allow(clippy::print_stdout, reason = "a test says what it skipped and what it wrote")]

#[path = "regression/case.rs"]
mod case;
#[path = "regression/digest.rs"]
mod digest;
mod mocap;
#[path = "regression/record.rs"]
mod record;

use std::path::{Path, PathBuf};

use record::Record;

/// Where the files lie that commands name; the first folder that has the file gives it.
fn roots() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["../fixtures", "../examples", "tests/regression"].iter().map(|root| here.join(root)).collect()
}

fn check(name: &str, roots: &[PathBuf]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regression");
    let list = std::fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
    let cases = case::parse(&list);
    let commands = cases.iter().flat_map(|case| &case.lines).filter(|line| case::is_command(line)).count();
    let now = Record::new(case::run_all(name, &cases, roots));
    let path = folder.join(format!("{name}.json"));
    let mode = std::env::var("MOCAP_REGRESSION").unwrap_or_default();
    if mode == "record" {
        std::fs::write(&path, now.to_text()).unwrap();
        println!("recorded: {commands} commands in {}", path.display());
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let then: Record =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let differences = record::differences(&then, &now, &cases, mode == "numbers");
    assert!(
        differences.is_empty(),
        "{} of {name} differ from {}:\n\n{}\n{LOOK_CLOSER}",
        differences.len(),
        path.display(),
        differences.join("\n")
    );
}

const LOOK_CLOSER: &str = "
To look closer, keep what two builds write and compare the folders:
  MOCAP_REGRESSION_KEEP=/tmp/old MOCAP_REGRESSION_BIN=OLD_MOCAP cargo test -p mocap-cli --test regression
  MOCAP_REGRESSION_KEEP=/tmp/new cargo test -p mocap-cli --test regression
  diff -r /tmp/old /tmp/new
A change on purpose is recorded with MOCAP_REGRESSION=record, in the same commit, which gives the reason.";

fn fixtures_give_what_they_gave() {
    check("fixtures", &roots());
}

fn the_corpus_gives_what_it_gave() {
    let mut roots = roots();
    roots.push(mocap_corpus::folder());
    check("corpus", &roots);
}

mocap_corpus::tests! {
    fixtures_give_what_they_gave,
    the_corpus_gives_what_it_gave,
    digest::numbers_are_found_wherever_they_stand,
    digest::a_digest_notices_numbers_and_overlooks_words,
}
