//! Schemas of the TOML of blend spaces, graphs, timelines and keys.

use serde_json::{Value, json};

/// A schema of `mocap blend`, `play` or `warp`.
pub(super) fn schema(name: &str, about: &str) -> Value {
    let mut schema = match name {
        "space" => space(),
        "graph" => graph(),
        "timeline" => timeline(),
        _ => keys(),
    };
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = about.into();
    schema
}

/// A table with these keys and no others.
fn table(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn texts(about: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": about })
}

/// A number, or the name of a parameter.
fn amount(about: &str) -> Value {
    json!({ "type": ["number", "string"], "description": format!("{about}; a number or the name of a parameter") })
}

fn kind() -> Value {
    json!({ "enum": ["1d", "2d", "gradient", "polar"], "description": "How weights are found between samples" })
}

fn space() -> Value {
    let clip = json!({
        "type": "object",
        "properties": { "path": text("The motion, relative to this file") },
        "required": ["path"],
        "additionalProperties": { "type": "number" },
        "description": "A sample: its motion, and its values of the parameters; speed and turn may be measured",
    });
    table(
        &["kind", "params", "clip"],
        json!({
            "kind": kind(),
            "params": texts("The parameters; speed [m/s] and turn [deg/s] are measured where a clip has no value"),
            "clip": { "type": "array", "minItems": 1, "items": clip },
        }),
    )
}

fn graph() -> Value {
    let clip = table(
        &["path"],
        json!({
            "path": text("The motion, relative to this file"),
            "loop": { "type": "boolean", "description": "Repeats its best cycle [default: false]" },
            "range": text("Frames (30:92) or seconds (0s:1s) that are played [default: all]"),
            "speed": amount("How fast it is played, from 0 [default: 1]"),
        }),
    );
    let node = json!({ "anyOf": [space_node(), blend(), lerp(), layer("layer", "over"), layer("add", "add"), states()] });
    table(
        &["clip"],
        json!({
            "output": text("The clip or node that is played [default: the last node]"),
            "params": {
                "type": "object",
                "additionalProperties": { "type": "number" },
                "description": "Parameters, and their values at the start",
            },
            "clip": { "type": "object", "additionalProperties": clip, "description": "Motions by name; each is a node" },
            "node": { "type": "object", "additionalProperties": node, "description": "Nodes by name" },
        }),
    )
}

fn space_node() -> Value {
    let sample = json!({
        "type": "object",
        "properties": { "clip": text("The name of the motion") },
        "required": ["clip"],
        "additionalProperties": { "type": "number" },
    });
    table(
        &["type", "kind", "params", "sample"],
        json!({
            "type": { "const": "space" },
            "kind": kind(),
            "params": texts("The parameter of each dimension"),
            "sample": { "type": "array", "minItems": 1, "items": sample },
        }),
    )
}

fn blend() -> Value {
    let part =
        table(&["node"], json!({ "node": text("A clip or node"), "weight": amount("From 0 [default: 1]") }));
    table(
        &["type", "part"],
        json!({ "type": { "const": "blend" }, "part": { "type": "array", "minItems": 1, "items": part } }),
    )
}

fn lerp() -> Value {
    let about = "From 0 to 1: one for two nodes, two for three or four nodes";
    let one = json!({ "type": ["number", "string"] });
    table(
        &["type", "nodes", "at"],
        json!({
            "type": { "const": "lerp" },
            "nodes": { "type": "array", "minItems": 2, "maxItems": 4, "items": { "type": "string" } },
            "at": { "anyOf": [one, { "type": "array", "items": one, "maxItems": 2 }], "description": about },
        }),
    )
}

fn layer(kind: &str, over: &str) -> Value {
    table(
        &["type", "base", over],
        json!({
            "type": { "const": kind },
            "base": text("Base node"),
            over: text("Node on top, or added"),
            "weight": amount("How much of it [default: 1]"),
            "mask": text("Roles, names or globs with commas; NAME/** takes all below [default: all joints]"),
            "space": { "enum": ["local", "mesh"], "description": "Where rotations are blended [default: local]" },
        }),
    )
}

fn states() -> Value {
    let state = table(
        &["node"],
        json!({ "name": text("The name of the state [default: that of its node]"), "node": text("What it plays") }),
    );
    let transition = table(
        &["to", "when"],
        json!({
            "from": text("The state it leaves, or any [default: any]"),
            "to": text("The state it enters"),
            "when": text("Conditions joined by and: speed > 0.5, event kick, after 1.5s, finished"),
            "seconds": { "type": "number", "minimum": 0, "description": "Its length [default: 0.3]" },
            "fade": { "enum": ["smooth", "frozen", "inertial", "pop"] },
            "curve": text("linear, smoothstep, quintic, or bezier X1 Y1 X2 Y2 [default: smoothstep]"),
            "phase": { "enum": ["start", "match", "keep"], "description": "Where the entered state begins" },
            "interruptible": { "type": "boolean", "description": "Whether another transition may replace it" },
        }),
    );
    table(
        &["type", "state"],
        json!({
            "type": { "const": "states" },
            "start": text("The state at the start [default: the first]"),
            "state": { "type": "array", "minItems": 1, "items": state },
            "transition": { "type": "array", "items": transition },
        }),
    )
}

fn timeline() -> Value {
    let row = json!({
        "type": "object",
        "properties": {
            "time": { "type": "number", "minimum": 0, "description": "Seconds; times do not decrease" },
            "event": text("An event at this time"),
        },
        "required": ["time"],
        "additionalProperties": { "type": "number" },
        "description": "Other keys are values of parameters",
    });
    table(&["row"], json!({ "row": { "type": "array", "minItems": 1, "items": row } }))
}

fn keys() -> Value {
    let three = |about: &str| json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3, "description": about });
    let key = |change: &str, about: &str| {
        table(
            &["time", "joint", change],
            json!({
                "time": { "type": "number", "description": "Seconds" },
                "joint": text("The name or role of a joint"),
                change: three(about),
            }),
        )
    };
    let pose = table(
        &["time", "pose"],
        json!({
            "time": { "type": "number", "description": "Seconds" },
            "pose": text("A file whose first frame all joints turn to, relative to this file"),
        }),
    );
    let by_joint = |about: &str, value: Value| json!({ "type": "object", "description": about, "additionalProperties": value });
    let look = table(
        &["time", "joint", "look-at"],
        json!({
            "time": { "type": "number", "description": "Seconds" },
            "joint": text("The name or role of the joint that looks"),
            "look-at": three("The place, in units of the motion"),
            "until": { "type": "number", "description": "The gaze stays on the place up to this time [s]" },
            "direction": three("What points, in the space of the joint [default: what points forward at rest]"),
            "shares": by_joint("Shares of the turn by joint", json!({ "type": "number", "exclusiveMinimum": 0 })),
            "limits": by_joint("The most that joints turn [deg]", json!({ "type": "number", "exclusiveMinimum": 0 })),
        }),
    );
    let kinds = [
        key("turn", "Degrees about the axes of the joint"),
        key("at", "A place, in units of the motion"),
        key("by", "A shift, in units of the motion"),
        look,
        pose,
    ];
    table(
        &["from", "to"],
        json!({
            "from": { "type": "number", "description": "Before this time nothing changes [s]" },
            "to": { "type": "number", "description": "After this time nothing changes [s]" },
            "keep-feet": { "type": "boolean", "description": "Feet keep their paths [default: true]" },
            "mode": {
                "enum": ["offset", "scale-offset"],
                "description": "How joints meet their keys: by an offset, or by a scale and an offset [default: offset]",
            },
            "poses": text("Example poses, which the whole body follows, relative to this file"),
            "key": { "type": "array", "items": { "anyOf": kinds } },
            "time": {
                "type": "array",
                "description": "Times that move, in increasing order",
                "items": table(
                    &["at", "to"],
                    json!({
                        "at": { "type": "number", "description": "The time in the motion [s]" },
                        "to": { "type": "number", "description": "Where it moves [s]" },
                    }),
                ),
            },
        }),
    )
}
