//! What is written from the table of edits: the table in the documentation, and the types of Python's keywords.

use std::fmt::Write;

use mocap_edit::EditKind;
use mocap_edit::edits::Value;
use serde_json::Value as Json;

use super::written;

/// The options of an edit that are not filled by its value.
fn others(kind: &EditKind) -> Vec<&str> {
    kind.options().map(|(name, _)| name).filter(|name| kind.value.field() != Some(name)).collect()
}

/// What its flag takes, for people.
fn flag(kind: &EditKind) -> String {
    let name = kind.name;
    let value = |field: &str| {
        let alone = (kind.flags)(clap::Command::new(name));
        let option = alone.get_arguments().find(|option| option.get_long() == Some(field)).unwrap();
        option.get_value_names().unwrap()[0].to_string()
    };
    let modifiers: String = kind.modifiers.iter().map(|(name, _)| format!(" `--{name}`")).collect();
    let flag = match kind.value {
        Value::Nothing | Value::Switch(_) => format!("`--{name}`"),
        Value::Field(field) => format!("`--{name} {}`", value(field)),
        Value::Default(field, _) => format!("`--{name}[={}]`", value(field)),
    };
    flag + &modifiers
}

fn table() -> String {
    let mut kinds: Vec<&EditKind> = EditKind::all().iter().collect();
    kinds.sort_by_key(|kind| kind.group);
    let mut table =
        "| about | flag of `edit` | keys of the step `do = \"…\"` | of several characters | it does |\n|---|---|---|---|---|\n"
            .to_owned();
    let mut group = None;
    for kind in kinds {
        let of = if group == Some(kind.group) { "" } else { kind.group.name() };
        group = Some(kind.group);
        let keys: Vec<String> = kind.options().map(|(name, _)| format!("`{name}`")).collect();
        let (flag, about) = (flag(kind), kind.about.replace('|', "\\|"));
        let (takes, keys) = (kind.takes.name(), keys.join(", "));
        writeln!(table, "| {of} | {flag} | `{}`: {keys} | {takes} | {about} |", kind.name).unwrap();
    }
    table.replace(": |", " |").replace(":  |", " |")
}

#[test]
fn the_table_of_edits_is_that_of_the_library() {
    written(
        "docs/editing.md",
        ["<!-- edits: written from the table of edits -->\n", "<!-- end of edits -->"],
        &table(),
    );
}

/// The type of a value in Python.
fn python(schema: &Json) -> String {
    let one = |schema: &Json| match schema.get("title").and_then(Json::as_str) {
        Some("motion") => "\"Clip\"".to_owned(),
        Some("time-map" | "path" | "heights" | "triangles") => "npt.ArrayLike".to_owned(),
        Some("root-curve") => "RootCurve".to_owned(),
        Some("keys") => "Mapping[str, Any]".to_owned(),
        Some("FrameRange") => "Union[str, Tuple[Optional[int], Optional[int]], slice]".to_owned(),
        Some("Gains") => "Union[str, Mapping[str, float]]".to_owned(),
        Some("Steps") => "Union[str, Sequence[float]]".to_owned(),
        Some("Factor" | "Finite" | "FrameRate" | "Seconds") => "Union[str, float]".to_owned(),
        Some(_) => "str".to_owned(),
        None => match schema.get("type").and_then(Json::as_str) {
            Some("boolean") => "bool".to_owned(),
            Some("integer") => "int".to_owned(),
            _ => "str".to_owned(),
        },
    };
    // The schema of an optional value allows null, in its list of types or as an alternative.
    let alternatives = schema.get("anyOf").and_then(Json::as_array);
    let stated = alternatives
        .and_then(|all| all.iter().find(|one| one.get("type").and_then(Json::as_str) != Some("null")));
    match (stated, schema.get("type").and_then(Json::as_array)) {
        (Some(stated), _) => one(stated),
        (None, Some(types)) if schema.get("title").is_none() => {
            let stated = types.iter().find(|kind| kind.as_str() != Some("null")).unwrap();
            one(&serde_json::json!({ "type": stated }))
        }
        _ => one(schema),
    }
}

/// The keyword of an edit takes its value, its value with other options, or all options.
fn keyword(kind: &EditKind) -> (String, Vec<String>) {
    let mut types = Vec::new();
    if matches!(kind.value, Value::Nothing | Value::Switch(_) | Value::Default(..)) || kind.name == "denoise"
    {
        types.push("bool".to_owned());
    }
    let field = kind.value.field();
    let value = kind.options().find(|(name, _)| Some(*name) == field).map(|(_, schema)| python(schema));
    let others = others(kind);
    types.extend(value.iter().cloned());
    if !others.is_empty() {
        types.extend(value.map(|value| format!("Tuple[{value}, Mapping[str, Any]]")));
        types.push("Mapping[str, Any]".to_owned());
    }
    // Old names and values of keywords.
    match kind.name {
        "start-at" => ("start_at_origin".into(), vec!["bool".into()]),
        "root-joint" => ("root_joint".into(), vec!["bool".into(), "str".into()]),
        name => (name.replace('-', "_"), types),
    }
}

fn types() -> String {
    let mut text = "    class Edits(TypedDict, total=False):\n".to_owned();
    for kind in EditKind::all().iter().filter(|kind| kind.name != "extract-root") {
        let (name, types) = keyword(kind);
        let types = match &types[..] {
            [one] => one.clone(),
            several => format!("Union[{}]", several.join(", ")),
        };
        writeln!(text, "        {name}: {types}").unwrap();
        writeln!(text, "        \"\"\"{}.\"\"\"", kind.about).unwrap();
    }
    text
}

#[test]
fn the_types_of_pythons_keywords_are_those_of_the_library() {
    let marks = ["    # Edits: written from the table of edits.\n", "    # End of edits.\n"];
    written("crates/mocap-python/python/mocap/_clip.py", marks, &types());
}
