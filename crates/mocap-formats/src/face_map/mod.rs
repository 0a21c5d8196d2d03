//! Mappings of the shapes of one face to those of another, as a file that a person can edit: JSON, one shape of the
//! target per line.

mod problem;

pub use problem::Problem;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tagged::{Codes, Shape, Step, deserialize, emit, locate};
use crate::{Finding, LimitExceeded, Limits, text};
use mocap_model::nearest_name;

/// How files of the format name it.
static SHAPE: Shape = Shape {
    format: "mocap-face-map",
    version: 1,
    holds: "a map of faces",
    codes: Codes {
        other_program: "face-map::other-program",
        syntax: "face-map::syntax",
        field: "face-map::field",
        format: "face-map::format",
        version: "face-map::version",
    },
};

/// Which shapes of a source move which shapes of a target.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "mocap face map")]
struct File {
    /// Always `mocap-face-map`.
    #[schemars(extend("const" = SHAPE.format))]
    format: String,
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    version: u32,
    /// By shape of the target. A shape that is not listed stays as it is at rest.
    shapes: Vec<ShapeField>,
}

/// A shape of the target, and what moves it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Shape")]
struct ShapeField {
    /// The shape of the target.
    target: String,
    /// What moves it: the weight is the sum of gain × weight.
    #[serde(default)]
    from: Vec<FromField>,
    /// For people; not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A shape of the source.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "From")]
struct FromField {
    /// The shape of the source.
    source: String,
    /// What its weight is multiplied by.
    #[serde(default = "one")]
    gain: f64,
}

fn one() -> f64 {
    1.0
}

/// A shape of the target by its index, and the indices and gains of the source shapes that move it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Among the names of the target.
    pub target: usize,
    /// Among the names of the source, with gains.
    pub from: Vec<(usize, f64)>,
}

/// The names of one side.
struct Side<'n> {
    which: &'static str,
    names: &'n [String],
}

impl Side<'_> {
    /// The index of a name: as it is, or without the prefix of its mesh where that is unambiguous.
    fn find(&self, name: &str) -> Option<usize> {
        let exact = self.names.iter().position(|known| known == name);
        exact.or_else(|| {
            let short = |known: &String| known.rsplit('.').next() == Some(name);
            let mut found = self.names.iter().enumerate().filter(|(_, known)| short(known));
            found.next().filter(|_| found.next().is_none()).map(|(at, _)| at)
        })
    }

    fn unknown(&self, path: String, name: &str) -> Problem {
        let nearest = nearest_name(name, self.names.iter().map(String::as_str)).map(str::to_owned);
        Problem::UnknownShape { path, which: self.which, name: name.into(), nearest }
    }
}

/// Reads a map between the shapes of two faces, by their names.
///
/// # Errors
/// A finding that names the field by its path, and its line and column; of a name that neither face has, with the nearest
/// that there is.
pub fn parse(
    bytes: &[u8],
    source: &[String],
    target: &[String],
    limits: &Limits,
) -> Result<Vec<Row>, Finding> {
    if bytes.len() > limits.bytes {
        let (found, limit) = (bytes.len(), limits.bytes);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
    }
    let text = text::decode(bytes);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Err(Finding::new(text::Problem::Empty));
    }
    let file: File = deserialize(&text, &SHAPE)?;
    let (source, target) = (Side { which: "source", names: source }, Side { which: "target", names: target });
    let mut rows: Vec<Row> = Vec::with_capacity(file.shapes.len());
    for (i, field) in file.shapes.iter().enumerate() {
        let at = [Step::Key("shapes"), Step::Index(i), Step::Key("target")];
        let error = |steps: &[Step], problem| Finding::new(problem).at(&text, locate(&text, steps));
        let path = format!("shapes[{i}].target");
        let place = target.find(&field.target);
        let place = place.ok_or_else(|| error(&at, target.unknown(path.clone(), &field.target)))?;
        if rows.iter().any(|row| row.target == place) {
            return Err(error(&at, Problem::Repeated { path, name: field.target.clone() }));
        }
        let mut from = Vec::with_capacity(field.from.len());
        for (k, mover) in field.from.iter().enumerate() {
            let at = [at[0], at[1], Step::Key("from"), Step::Index(k)];
            let path = format!("shapes[{i}].from[{k}]");
            let found = source.find(&mover.source);
            let found = found.ok_or_else(|| error(&at, source.unknown(path.clone(), &mover.source)))?;
            if from.iter().any(|(known, _)| *known == found) {
                return Err(error(&at, Problem::Repeated { path, name: mover.source.clone() }));
            }
            from.push((found, mover.gain));
        }
        rows.push(Row { target: place, from });
    }
    rows.sort_by_key(|row| row.target);
    Ok(rows)
}

/// The file of a map; `note` gives the comment of a line, by the index of its row.
pub fn to_bytes(
    rows: &[Row],
    source: &[String],
    target: &[String],
    note: impl Fn(usize) -> Option<String>,
) -> Vec<u8> {
    let from = |row: &Row| {
        let movers = row.from.iter();
        movers.map(|(at, gain)| FromField { source: source[*at].clone(), gain: *gain }).collect()
    };
    let shapes = rows.iter().enumerate().map(|(at, row)| ShapeField {
        target: target[row.target].clone(),
        from: from(row),
        note: note(at),
    });
    let file = File { format: SHAPE.format.into(), version: SHAPE.version, shapes: shapes.collect() };
    emit(&file, 2)
}

/// The JSON Schema of map files, for editors that check and complete while one writes.
pub fn json_schema() -> String {
    crate::tagged::json_schema::<File>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.into()).collect()
    }

    #[test]
    fn a_map_that_is_written_is_read_again() {
        let (source, target) = (names(&["a", "b"]), names(&["Face.x", "Face.y", "Teeth.y"]));
        let rows = [Row { target: 0, from: vec![(0, 0.5), (1, 1.5)] }, Row { target: 2, from: vec![] }];
        let bytes = to_bytes(&rows, &source, &target, |at| (at == 0).then(|| "two".into()));
        assert_eq!(parse(&bytes, &source, &target, &Limits::default()).unwrap(), rows);
    }

    #[test]
    fn names_are_found_without_their_mesh_and_mistakes_have_their_place() {
        let (source, target) = (names(&["jawOpen"]), names(&["Face.x", "Face.y", "Teeth.y"]));
        let read = |shapes: &str| {
            let text = format!("{{\"format\": \"mocap-face-map\", \"version\": 1,\n\"shapes\": {shapes}}}");
            parse(text.as_bytes(), &source, &target, &Limits::default())
        };
        assert_eq!(
            read(r#"[{"target": "x", "from": [{"source": "jawOpen"}]}]"#).unwrap()[0].from,
            [(0, 1.0)]
        );
        for (shapes, code, message) in [
            (r#"[{"target": "y"}]"#, "face-map::unknown-shape", "the target has no shape 'y'"),
            (r#"[{"target": "x"}, {"target": "Face.x"}]"#, "face-map::repeated", "'Face.x' is listed twice"),
            (
                r#"[{"target": "x", "from": [{"source": "jawOpn"}]}]"#,
                "face-map::unknown-shape",
                "did you mean 'jawOpen'?",
            ),
            (r#"[{"target": "x", "gain": 1}]"#, "face-map::field", "gain"),
        ] {
            let error = read(shapes).unwrap_err();
            assert_eq!(error.code(), code);
            assert!(error.to_string().contains(message) && error.place.is_some(), "{error}");
        }
    }
}
