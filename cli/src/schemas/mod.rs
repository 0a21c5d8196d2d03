//! JSON Schemas of everything that mocap reads or writes as JSON or TOML, made from the types and flags that read and
//! write it.

mod settings;

use mocap_batch::manifest::{Line, ManifestStats};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::batch::{ErrorRow, PlanRow, Summary};
use crate::commands::{
    compare, compress, convert, decompress, info, manifest, picture, retarget, skel, validate,
};
use crate::config::PrintRow;
use crate::pipeline;

/// A schema.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    make: fn(&'static str) -> Value,
}

/// All schemas.
pub(crate) const ALL: &[Named] = &[
    Named { name: "skel", about: "A .skel file", make: |_| parsed(&mocap_formats::skel::json_schema()) },
    Named { name: "clip", about: "A JSON clip", make: |_| parsed(&mocap_formats::json::json_schema()) },
    Named {
        name: "map",
        about: "A map of joints, of retarget --map",
        make: |_| parsed(&mocap_formats::map::json_schema()),
    },
    Named { name: "pipeline", about: "A pipeline, of mocap run", make: settings::pipeline },
    Named { name: "config", about: "A mocap.toml", make: settings::config },
    Named {
        name: "manifest",
        about: "A line of a manifest",
        make: |about| rows(about, |g| vec![of::<Line>(g)]),
    },
    Named {
        name: "info",
        about: "A line of mocap info --json",
        make: |about| rows(about, |g| vec![of::<info::Row<'static>>(g), error(g), summary(g)]),
    },
    Named {
        name: "validate",
        about: "A line of mocap validate --json",
        make: |about| rows(about, |g| vec![of::<validate::Row<'static>>(g), error(g), summary(g)]),
    },
    Named {
        name: "convert",
        about: "A line of mocap convert --json",
        make: |about| writing::<convert::Row<'static>>(about),
    },
    Named {
        name: "compare",
        about: "A line of mocap compare --json",
        make: |about| rows(about, |g| vec![of::<compare::Row<'static>>(g), error(g)]),
    },
    Named {
        name: "compress",
        about: "A line of mocap compress --json",
        make: |about| writing::<compress::Row<'static>>(about),
    },
    Named {
        name: "decompress",
        about: "A line of mocap decompress --json",
        make: |about| writing::<decompress::Row>(about),
    },
    Named {
        name: "skel-row",
        about: "A line of mocap skel --json",
        make: |about| writing::<skel::Row<'static>>(about),
    },
    Named {
        name: "skel-preset",
        about: "A line of mocap skel --preset list --json",
        make: |about| rows(about, |g| vec![of::<skel::PresetRow>(g), error(g)]),
    },
    Named {
        name: "retarget",
        about: "A line of mocap retarget --json",
        make: |about| writing::<retarget::Row<'static>>(about),
    },
    Named {
        name: "retarget-explain",
        about: "A line of mocap retarget --explain --json",
        make: |about| rows(about, |g| vec![of::<retarget::ExplainRow<'static>>(g), error(g), summary(g)]),
    },
    Named {
        name: "picture",
        about: "A line of mocap view, sheet or plot --json",
        make: |about| writing::<picture::Row<'static>>(about),
    },
    Named {
        name: "run",
        about: "A line of mocap run --json",
        make: |about| writing::<pipeline::Row<'static>>(about),
    },
    Named {
        name: "run-explain",
        about: "A line of mocap run --explain --json",
        make: |about| {
            rows(about, |g| {
                vec![
                    of::<pipeline::ExplainRow<'static>>(g),
                    of::<pipeline::VariableRow<'static>>(g),
                    error(g),
                ]
            })
        },
    },
    Named {
        name: "print-config",
        about: "A line of --print-config --json",
        make: |about| rows(about, |g| vec![of::<PrintRow>(g), error(g)]),
    },
    Named {
        name: "manifest-merge",
        about: "A line of mocap manifest merge --json",
        make: |about| rows(about, |g| vec![of::<manifest::MergeRow>(g), error(g)]),
    },
    Named {
        name: "manifest-verify",
        about: "A line of mocap manifest verify --json",
        make: |about| {
            rows(about, |g| vec![of::<manifest::VerifyRow>(g), of::<manifest::VerifySummary>(g), error(g)])
        },
    },
    Named {
        name: "manifest-stats",
        about: "A line of mocap manifest stats --json",
        make: |about| rows(about, |g| vec![of::<ManifestStats>(g), error(g)]),
    },
];

impl Named {
    /// The schema as text.
    pub(crate) fn text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(&(self.make)(self.about)).expect("a schema has string keys");
        text.push('\n');
        text
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
fn writing<Row: JsonSchema>(about: &'static str) -> Value {
    rows(about, |generator| {
        let plan = of::<PlanRow<'static>>(generator);
        vec![of::<Row>(generator), plan, error(generator), summary(generator)]
    })
}

/// A line is one of these.
fn rows(about: &'static str, rows: impl FnOnce(&mut SchemaGenerator) -> Vec<Schema>) -> Value {
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
