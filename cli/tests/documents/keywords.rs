//! The types of the keywords of Python's `mocap.batch`, written from the options of the commands.

use std::fmt::Write;

use mocap_commands::schemas;
use serde_json::Value as Json;

use super::written;

/// The functions of the module, and the options that are parameters of their own.
const FUNCTIONS: [(&str, &[&str]); 8] = [
    ("convert", &["output", "to"]),
    ("retarget", &["output"]),
    ("compress", &["output"]),
    ("decompress", &["output"]),
    ("edit", &["output"]),
    ("info", &[]),
    ("validate", &[]),
    ("run", &[]),
];

/// Names that Python takes for itself.
const RESERVED: [&str; 3] = ["from", "import", "in"];

fn name(option: &str) -> String {
    match option {
        "output" => "out".to_owned(),
        reserved if RESERVED.contains(&reserved) => format!("{reserved}_"),
        option => option.replace('-', "_"),
    }
}

fn python(schema: &Json) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let alternatives: Vec<String> = alternatives.iter().map(python).collect();
        return format!("Union[{}]", alternatives.join(", "));
    }
    match schema["type"].as_str() {
        Some("boolean") => "bool".to_owned(),
        // What is repeated may set names.
        Some("array") => {
            let one = python(&schema["items"]);
            format!("Sequence[{one}], Mapping[str, {one}]")
        }
        _ => "Value".to_owned(),
    }
}

fn types() -> String {
    let mut text = String::new();
    for (verb, own) in FUNCTIONS {
        let schema = schemas::options(verb).expect("every function is a command");
        let class = verb[..1].to_uppercase() + &verb[1..];
        writeln!(text, "\n\nclass {class}(TypedDict, total=False):").unwrap();
        writeln!(text, "    \"\"\"Options of ``mocap {verb}``.\"\"\"\n").unwrap();
        for (option, schema) in schema["properties"].as_object().expect("options have names") {
            if own.contains(&option.as_str()) {
                continue;
            }
            writeln!(text, "    {}: {}", name(option), python(schema)).unwrap();
            let about = schema["description"].as_str().unwrap_or_default().replace('\\', "\\\\");
            writeln!(text, "    \"\"\"{}\"\"\"", about.replace('\n', " ")).unwrap();
        }
    }
    text
}

#[test]
fn the_types_of_keywords_in_batch_are_those_of_the_options() {
    let marks = ["# Options: written from the declarations of the commands.\n", "\n# End of options.\n"];
    written("crates/mocap-python/python/mocap/_keywords.py", marks, &types());
}
