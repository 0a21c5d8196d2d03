//! JSON Schemas of everything that mocap reads or writes as JSON or TOML, made from the types and flags that read and
//! write it.

use mocap_batch::manifest::{Line, ManifestProblem, ManifestStats, VerifySummary};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::{graphs, settings};
use crate::batch::{ErrorRow, PlanRow, SummaryRow};
use crate::commands::{
    compare, compress, convert, decompress, edit, info, manifest, picture, play, retarget, several, skel,
    split, validate,
};
use crate::config::PrintRow;
use crate::pipeline;

/// The schema of a name, as text.
pub(super) fn text(name: &str, about: &str) -> String {
    let schema = schema(name, about);
    serde_json::to_string_pretty(&schema).expect("a schema has string keys") + "\n"
}

fn schema(name: &str, about: &str) -> Value {
    let rows = |rows: &[Row]| rows_of(about, rows);
    let writing = |row: Row| rows_of(about, &[row, of::<PlanRow>, ERROR, SUMMARY]);
    match name {
        "skel" => parsed(&mocap_formats::skel::json_schema()),
        "clip" => parsed(&mocap_formats::json::json_schema()),
        "map" => parsed(&mocap_formats::map::json_schema()),
        "pipeline" => settings::pipeline(about),
        "config" => settings::config(about),
        "space" | "graph" | "timeline" | "keys" => graphs::schema(name, about),
        "convert" => writing(of::<convert::Row<'static>>),
        "edit" => writing(of::<edit::Row<'static>>),
        "several" => rows(&[of::<several::Row<'static>>, ERROR]),
        "play-explain" => rows(&[of::<play::ExplainRow>, ERROR]),
        "split" => rows(&[of::<split::Row<'static>>, ERROR]),
        "compress" => writing(of::<compress::Row<'static>>),
        "decompress" => writing(of::<decompress::Row<'static>>),
        "skel-row" => writing(of::<skel::Row<'static>>),
        "retarget" => writing(of::<retarget::Row<'static>>),
        "picture" => writing(of::<picture::Row<'static>>),
        "run" => writing(of::<pipeline::Row<'static>>),
        "manifest" => rows(&[of::<Line>]),
        "info" => rows(&[of::<info::Row<'static>>, of::<info::MarkerRow<'static>>, ERROR, SUMMARY]),
        "validate" => rows(&[of::<validate::Row<'static>>, ERROR, SUMMARY]),
        "compare" => rows(&[of::<compare::Row<'static>>, ERROR, SUMMARY]),
        "skel-preset" => rows(&[of::<skel::PresetRow>, ERROR]),
        "retarget-explain" => rows(&[of::<retarget::ExplainRow<'static>>, ERROR, SUMMARY]),
        "run-explain" => {
            rows(&[of::<pipeline::ExplainRow<'static>>, of::<pipeline::VariableRow<'static>>, ERROR])
        }
        "print-config" => rows(&[of::<PrintRow>, ERROR]),
        "manifest-merge" => rows(&[of::<manifest::MergeRow>, ERROR]),
        "manifest-verify" => rows(&[of::<ManifestProblem>, of::<VerifySummary>, ERROR]),
        "manifest-stats" => rows(&[of::<ManifestStats>, ERROR]),
        _ => unreachable!("no schema is called '{name}'"),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("schemas are JSON")
}

/// The schema of a row.
type Row = fn(&mut SchemaGenerator) -> Schema;

const ERROR: Row = of::<ErrorRow<'static>>;
const SUMMARY: Row = of::<SummaryRow<'static>>;

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A line is one of these.
fn rows_of(about: &str, rows: &[Row]) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let rows: Vec<Schema> = rows.iter().map(|row| row(&mut generator)).collect();
    let definitions = generator.take_definitions(true);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": about,
        "anyOf": rows,
        "$defs": definitions,
    })
}
