//! JSON Schemas of all JSON and TOML that mocap reads or writes, made from the types and flags that read and
//! write them.

mod graphs;
mod settings;

use clap::Command;
use mocap_batch::manifest::Line;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::commands::Verb;
use crate::settings::{PrintRow, Program};
use crate::verb::{ERROR, RowSchema, RowType, of};

/// Schemas of files, with descriptions.
const FILES: [(&str, &str); 10] = [
    ("skel", "A .skel file"),
    ("clip", "A JSON clip"),
    ("map", "A map of joints, of retarget --map"),
    ("face-map", "A map of shapes, of face --map"),
    ("pipeline", "A pipeline, of mocap run"),
    ("config", "A mocap.toml"),
    ("space", "A blend space, of mocap blend --space"),
    ("graph", "A graph, of mocap play"),
    ("timeline", "A timeline as TOML, of mocap play --timeline"),
    ("keys", "The keys of mocap warp --keys"),
];

/// Schemas of lines that several verbs print, and of the calibration, which one verb both writes and reads.
const SHARED: [RowSchema; 3] = [
    RowSchema { name: "manifest", about: "A line of a manifest", rows: &[of::<Line>] },
    RowSchema {
        name: "calibration",
        about: "A calibration of a subject, of mocap solve --write-calibration",
        rows: &[of::<mocap::solve::Calibration>],
    },
    RowSchema {
        name: "print-config",
        about: "A line of --print-config --json",
        rows: &[of::<PrintRow>, ERROR],
    },
];

/// Schemas of lines: those of the verbs, and those that verbs share.
fn lines() -> impl Iterator<Item = &'static RowSchema> {
    SHARED.iter().chain(Verb::schemas())
}

/// The names of all schemas, and what each describes.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter().chain(lines().map(|line| (line.name, line.about)))
}

/// The schema of a name from [`all`], as text; `program` is the definition whose options settings can set.
pub fn text(name: &str, about: &str, program: &Command) -> String {
    let schema = schema(name, about, program);
    serde_json::to_string_pretty(&schema).expect("a schema has string keys") + "\n"
}

/// The schema of the options of a verb, such as `convert`, as [`call`](crate::call) takes them, with `-` between the
/// words of a name; `None` where there is no such verb.
pub fn options(verb: &str) -> Option<Value> {
    let program = Program::definition();
    program.find_subcommand(verb).map(|verb| settings::options(&program, verb))
}

fn schema(name: &str, about: &str, program: &Command) -> Value {
    match name {
        "skel" => parsed(&mocap_formats::skel::json_schema()),
        "clip" => parsed(&mocap_formats::json::json_schema()),
        "face-map" => parsed(&mocap_formats::face_map::json_schema()),
        "map" => parsed(&mocap_formats::map::json_schema()),
        "pipeline" => settings::pipeline(about),
        "config" => settings::config(about, program),
        "space" | "graph" | "timeline" | "keys" => graphs::schema(name, about),
        _ => rows_of(about, lines().find(|line| line.name == name).expect("the name was checked").rows),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("schemas are JSON")
}

/// A line is one of these types.
fn rows_of(about: &str, rows: &[RowType]) -> Value {
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
