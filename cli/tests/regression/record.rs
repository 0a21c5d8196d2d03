//! The record of a list, and what differs between two.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::case::{Case, is_command};
use crate::digest::{File, Rows};

/// What all cases of a list gave, and where.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    platform: String,
    cases: BTreeMap<String, Seen>,
}

/// What a case gave.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) steps: Vec<Step>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) files: BTreeMap<String, File>,
}

/// What a command gave: its exit code and the rows of `--json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) code: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rows: Option<Rows>,
}

impl Record {
    pub(crate) fn new(cases: BTreeMap<String, Seen>) -> Record {
        Record { platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH), cases }
    }

    /// One case a line, so a diff shows which changed.
    pub(crate) fn to_text(&self) -> String {
        let case =
            |(name, seen)| format!("{}:{}", serde_json::json!(name), serde_json::to_string(seen).unwrap());
        let cases: Vec<String> = self.cases.iter().map(case).collect();
        format!(
            "{{\"platform\":{},\n\"cases\":{{\n{}\n}}}}\n",
            serde_json::json!(self.platform),
            cases.join(",\n")
        )
    }
}

/// How numbers are compared.
#[derive(Clone, Copy)]
enum Precision {
    Equal,
    /// To 1e-9 of the greater, or of a scale.
    Near,
}

impl Precision {
    fn same(self, a: f64, b: f64, scale: f64) -> bool {
        match self {
            Precision::Equal => a == b,
            Precision::Near => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(scale),
        }
    }
}

/// A text for each case that differs.
pub(crate) fn differences(then: &Record, now: &Record, cases: &[Case], only_numbers: bool) -> Vec<String> {
    let precision = match then.platform == now.platform && !only_numbers {
        true => Precision::Equal,
        false => Precision::Near,
    };
    let mut texts = Vec::new();
    for case in cases {
        let found = match then.cases.get(&case.name) {
            Some(seen) => in_case(seen, &now.cases[&case.name], case, precision),
            None => vec!["is not in the record".to_owned()],
        };
        if !found.is_empty() {
            let lines = case.lines.join("\n    ");
            texts.push(format!("[{}]\n    {lines}\n  {}\n", case.name, found.join("\n  ")));
        }
    }
    let gone = then.cases.keys().filter(|name| !now.cases.contains_key(*name));
    texts.extend(gone.map(|name| format!("[{name}] is recorded and no longer listed\n")));
    texts
}

fn in_case(then: &Seen, now: &Seen, case: &Case, precision: Precision) -> Vec<String> {
    let mut found = Vec::new();
    if then.steps.len() != now.steps.len() {
        found.push(format!("has {} commands, had {}", now.steps.len(), then.steps.len()));
    }
    let commands = case.lines.iter().filter(|line| is_command(line));
    for ((then, now), command) in then.steps.iter().zip(&now.steps).zip(commands) {
        let mut differs = |what: String| found.push(format!("{command}\n    {what}"));
        if then.code != now.code {
            differs(format!("exit code {}, was {}", now.code, then.code));
        }
        match (&then.rows, &now.rows) {
            (Some(then), Some(now)) => in_rows(then, now, precision).into_iter().for_each(differs),
            (then, now) if then.is_some() != now.is_some() => differs("--json came or went".to_owned()),
            _ => {}
        }
    }
    for (name, file) in &now.files {
        match then.files.get(name) {
            Some(then) => found.extend(in_file(then, file, precision).map(|what| format!("{name}: {what}"))),
            None => found.push(format!("{name}: is new")),
        }
    }
    let gone = then.files.keys().filter(|name| !now.files.contains_key(*name));
    found.extend(gone.map(|name| format!("{name}: is not written any more")));
    found
}

fn in_rows(then: &Rows, now: &Rows, precision: Precision) -> Vec<String> {
    let mut found = Vec::new();
    if then.shape != now.shape {
        found.push(
            "JSON: another structure (a field, an element, a true or null came, went or changed)".to_owned(),
        );
    }
    if then.numbers.len() != now.numbers.len() {
        found.push(format!("JSON: {} numbers, were {}", now.numbers.len(), then.numbers.len()));
    }
    for ((then, now), name) in then.numbers.iter().zip(&now.numbers).zip(&now.names) {
        if !precision.same(*then, *now, 1.0) {
            found.push(format!("{name}: {now}, was {then}"));
        }
    }
    let more = found.len().saturating_sub(12);
    found.truncate(12);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

fn in_file(then: &File, now: &File, precision: Precision) -> Option<String> {
    let mut found = Vec::new();
    if matches!(precision, Precision::Equal) && then.hash != now.hash {
        found.push("other bytes".to_owned());
    }
    if then.shape != now.shape {
        found.push("another structure".to_owned());
    }
    match (&then.numbers, &now.numbers) {
        (Some((a_count, a_size, a)), Some((b_count, b_size, b))) => {
            if a_count != b_count {
                found.push(format!("{b_count} numbers, were {a_count}"));
            } else if !precision.same(*a_size, *b_size, 0.0)
                || !(0..3).all(|k| precision.same(a[k], b[k], *a_size))
            {
                found.push(format!("other numbers: {b_size} {b:?}, were {a_size} {a:?}"));
            }
        }
        (a, b) if a.is_some() != b.is_some() => found.push("numbers came or went".to_owned()),
        _ => {}
    }
    (!found.is_empty()).then(|| found.join(", "))
}
