//! Schemas of the TOML that users write, made from the flags that it sets; editors complete and check files
//! with them.

use clap::{Arg, Command};
use mocap_settings::commands;
use serde_json::{Map, Value, json};

use crate::options::Kind;
use crate::pipeline::{COMMON, KEYS, KINDS};
use crate::settings::LAYERS;

/// The dialect of JSON Schema.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// A text that contains a variable.
const VARIABLE: &str = r"\$\{[^}]+\}";

/// Pipelines.
pub(super) fn pipeline(about: &str) -> Value {
    let texts =
        json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] });
    let steps: Vec<Value> = KINDS.iter().map(|kind| step(kind.name, kind.about, &(kind.flags)())).collect();
    let mut properties = Map::new();
    for (key, about) in KEYS {
        let mut schema = match key {
            "output" => json!({ "type": "string" }),
            "variables" => json!({
                "type": "object",
                "additionalProperties": { "type": ["string", "number", "boolean"] },
            }),
            "step" => json!({ "type": "array", "minItems": 1, "items": { "anyOf": steps } }),
            "override" => json!({
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "files": texts,
                        "optional": { "description": "Whether it may match no input", "type": "boolean" },
                    },
                    "required": ["files"],
                    "additionalProperties": { "type": "object" },
                },
            }),
            _ => texts.clone(),
        };
        schema["description"] = about.into();
        properties.insert(key.to_owned(), schema);
    }
    json!({
        "$schema": DIALECT,
        "title": about,
        "type": "object",
        "properties": properties,
        "required": ["step"],
        "additionalProperties": false,
    })
}

fn step(kind: &str, about: &str, flags: &Command) -> Value {
    let mut properties = Map::new();
    let [(do_key, do_about), (name_key, name_about), (enabled_key, enabled_about)] = COMMON;
    properties.insert(do_key.into(), json!({ "description": do_about, "const": kind }));
    properties.insert(name_key.into(), json!({ "description": name_about, "type": "string" }));
    let enabled = described(with_variable(json!({ "type": "boolean" })), enabled_about);
    properties.insert(enabled_key.into(), enabled);
    let mut required = vec![do_key];
    for argument in flags.get_arguments() {
        let Some(key) = argument.get_long() else { continue };
        properties.insert(key.into(), option(argument, true));
        if argument.is_required_set() {
            required.push(key);
        }
    }
    json!({
        "description": about,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// `mocap.toml`.
pub(super) fn config(about: &str, definition: &Command) -> Value {
    let mut properties = Map::new();
    let mut add = |command: &Command| {
        for argument in command.get_arguments() {
            if let Some(name) = LAYERS.configurable(argument) {
                properties.entry(name).or_insert_with(|| option(argument, false));
            }
        }
    };
    add(definition);
    commands(definition).for_each(&mut add);
    for command in commands(definition) {
        let own = command.get_arguments();
        let own: Map<String, Value> = own
            .filter_map(|argument| Some((LAYERS.configurable(argument)?.to_owned(), option(argument, false))))
            .collect();
        let description = command.get_about().map(ToString::to_string);
        let table = json!({
            "description": description,
            "type": "object",
            "properties": own,
            "additionalProperties": false,
        });
        properties.insert(command.get_name().to_owned(), table);
    }
    json!({
        "$schema": DIALECT,
        "title": about,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The options of a verb as names and values, and the settings file.
pub(super) fn options(program: &Command, verb: &Command) -> Value {
    let config = program.get_arguments().filter(|argument| argument.get_long() == Some("config"));
    let named = verb
        .get_arguments()
        .chain(config)
        .filter_map(|argument| Some((argument.get_long()?.to_owned(), argument)));
    let properties: Map<String, Value> = named
        .map(|(name, argument)| {
            let schema = option(argument, false);
            // A flag whose value is optional is also a switch.
            let count = argument.get_num_args().unwrap_or_default();
            let schema = match count.takes_values() && count.min_values() == 0 {
                true => or_switch(schema),
                false => schema,
            };
            (name, schema)
        })
        .collect();
    json!({
        "$schema": DIALECT,
        "title": format!("Options of {}", verb.get_name()),
        "description": verb.get_about().map(ToString::to_string),
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The value of an option.
fn option(argument: &Arg, variables: bool) -> Value {
    let words = argument.get_possible_values();
    let takes_words = !words.is_empty() && !matches!(Kind::of(argument), Kind::Switch);
    let one = match takes_words {
        true => json!({ "enum": words.iter().map(|word| word.get_name()).collect::<Vec<_>>() }),
        false => json!({ "type": ["string", "number"] }),
    };
    let free = !takes_words;
    let schema = match Kind::of(argument) {
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::One => one,
        Kind::Many => json!({ "anyOf": [one, { "type": "array", "items": one }] }),
    };
    let schema = if variables && !(free && Kind::of(argument) != Kind::Switch) {
        with_variable(schema)
    } else {
        schema
    };
    let about = argument.get_help().map(ToString::to_string).unwrap_or_default();
    described(schema, &about)
}

fn or_switch(mut schema: Value) -> Value {
    let Some(object) = schema.as_object_mut() else { return schema };
    let about = object.remove("description").unwrap_or_default();
    let mut alternatives = match object.remove("anyOf") {
        Some(Value::Array(alternatives)) => alternatives,
        _ => vec![schema],
    };
    alternatives.push(json!({ "type": "boolean" }));
    json!({ "anyOf": alternatives, "description": about })
}

fn with_variable(schema: Value) -> Value {
    json!({ "anyOf": [schema, { "type": "string", "pattern": VARIABLE }] })
}

fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = about.into();
    schema
}
