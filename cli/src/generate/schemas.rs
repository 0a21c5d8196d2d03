//! JSON Schemas of everything that mocap reads or writes as JSON or TOML, made from the types and flags that read and
//! write it.

use mocap_batch::manifest::{Line, ManifestStats};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::settings;
use crate::batch::{ErrorRow, PlanRow, Summary};
use crate::commands::{
    compare, compress, convert, decompress, edit, info, join, manifest, picture, retarget, skel, validate,
};
use crate::config::PrintRow;
use crate::pipeline;

/// The schema of a name, as text.
pub(super) fn text(name: &str, about: &str) -> String {
    let schema = schema(name, about);
    serde_json::to_string_pretty(&schema).expect("a schema has string keys") + "\n"
}

fn schema(name: &str, about: &str) -> Value {
    match name {
        "skel" => parsed(&mocap_formats::skel::json_schema()),
        "clip" => parsed(&mocap_formats::json::json_schema()),
        "map" => parsed(&mocap_formats::map::json_schema()),
        "pipeline" => settings::pipeline(about),
        "config" => settings::config(about),
        "convert" => writing::<convert::Row<'static>>(about),
        "join" => rows(about, |g| vec![of::<join::Row<'static>>(g), error(g)]),
        "edit" => writing::<edit::Row<'static>>(about),
        "compress" => writing::<compress::Row<'static>>(about),
        "decompress" => writing::<decompress::Row>(about),
        "skel-row" => writing::<skel::Row<'static>>(about),
        "retarget" => writing::<retarget::Row<'static>>(about),
        "picture" => writing::<picture::Row<'static>>(about),
        "run" => writing::<pipeline::Row<'static>>(about),
        _ => rows(about, |g| match name {
            "manifest" => vec![of::<Line>(g)],
            "info" => vec![of::<info::Row<'static>>(g), error(g), summary(g)],
            "validate" => vec![of::<validate::Row<'static>>(g), error(g), summary(g)],
            "compare" => vec![of::<compare::Row<'static>>(g), error(g)],
            "skel-preset" => vec![of::<skel::PresetRow>(g), error(g)],
            "retarget-explain" => vec![of::<retarget::ExplainRow<'static>>(g), error(g), summary(g)],
            "run-explain" => {
                vec![
                    of::<pipeline::ExplainRow<'static>>(g),
                    of::<pipeline::VariableRow<'static>>(g),
                    error(g),
                ]
            }
            "print-config" => vec![of::<PrintRow>(g), error(g)],
            "manifest-merge" => vec![of::<manifest::MergeRow>(g), error(g)],
            "manifest-verify" => {
                vec![of::<manifest::VerifyRow>(g), of::<manifest::VerifySummary>(g), error(g)]
            }
            "manifest-stats" => vec![of::<ManifestStats>(g), error(g)],
            _ => unreachable!("no schema is called '{name}'"),
        }),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("schemas are JSON")
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn error(generator: &mut SchemaGenerator) -> Schema {
    of::<ErrorRow<'static>>(generator)
}

fn summary(generator: &mut SchemaGenerator) -> Schema {
    of::<Summary>(generator)
}

/// The rows of a command that makes files from files.
fn writing<Row: JsonSchema>(about: &str) -> Value {
    rows(about, |generator| {
        let plan = of::<PlanRow>(generator);
        vec![of::<Row>(generator), plan, error(generator), summary(generator)]
    })
}

/// A line is one of these.
fn rows(about: &str, rows: impl FnOnce(&mut SchemaGenerator) -> Vec<Schema>) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let rows = rows(&mut generator);
    let definitions = generator.take_definitions(true);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": about,
        "anyOf": rows,
        "$defs": definitions,
    })
}
