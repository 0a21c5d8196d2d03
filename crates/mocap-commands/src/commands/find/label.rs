//! Finds ranges by label.

use std::collections::BTreeMap;

use mocap_search::labels::{LabelQuery, Segment, label, side_name};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Args, refused};
use crate::batch::json;
use crate::commands::database::read_database;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::Reading;
use crate::output::Output;

/// A range with a label.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindLabel")]
pub(super) struct LabelRow {
    path: String,
    #[serde(flatten)]
    segment: Segment,
}

pub(super) fn by_label(
    args: &Args,
    text: &str,
    reading: &Reading,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let query: LabelQuery = text.parse().map_err(|error| refused(&error))?;
    let database = read_database(&args.inputs, &args.selection, reading, console, label)?;
    let mut found = 0;
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    for (input, segments) in &database.clips {
        for segment in segments {
            *others.entry(with_side(segment)).or_default() += 1;
            if query.matches(segment) {
                found += 1;
                let row = LabelRow { path: input.shown(), segment: segment.clone() };
                console.row(&json(&row), &segment_text(&row.path, segment));
            }
        }
    }
    if found == 0 {
        // Lists the labels that exist, those with the most similar spelling first.
        let likeness = |name: &str| strsim::jaro_winkler(name, text);
        let mut there: Vec<(String, usize)> = others.into_iter().collect();
        there.sort_by(|a, b| likeness(&b.0).total_cmp(&likeness(&a.0)).then(a.0.cmp(&b.0)));
        let there: Vec<String> = there.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        console.note(&format!("no motion has the label {text}; labels found, most similar first: {there}"));
    }
    Ok(database.exit)
}

/// A label as users write it.
fn with_side(segment: &Segment) -> String {
    match side_name(segment.side) {
        Some(side) => format!("{},{side}", segment.label),
        None => segment.label.to_string(),
    }
}

/// A segment in one line.
pub(in crate::commands) fn segment_text(path: &str, segment: &Segment) -> String {
    let mut text = format!("{path}  {:.2} s to {:.2} s  {}", segment.start, segment.end, segment.label);
    if let Some(side) = side_name(segment.side) {
        text += &format!(", {side}");
    }
    for number in &segment.measured {
        text += &format!("; {} {:.2}", number.name, number.value);
    }
    text
}
