//! Rows that several commands print with `--json`.

use mocap_model::Scene;
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output::Output;

/// A row as one line of JSON.
pub fn json(row: &impl Serialize) -> String {
    serde_json::to_string(row).expect("rows have string keys")
}

/// The row of an input that failed.
#[derive(Serialize, schemars::JsonSchema)]
pub struct ErrorRow<'a> {
    /// The input; not there where the command line itself is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<&'a str>,
    pub(crate) error: &'a Diagnostic,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) warnings: &'a [Diagnostic],
}

impl<'a> ErrorRow<'a> {
    /// The row of an error in the arguments.
    pub fn usage(error: &'a Diagnostic) -> ErrorRow<'a> {
        ErrorRow { path: None, error, warnings: &[] }
    }
}

/// Reports invalid options: a row without an input, and a message.
pub fn usage_error(error: &Diagnostic, output: &mut dyn Output) -> Exit {
    output.row(&json(&ErrorRow::usage(error)), "");
    output.error(None, error);
    Exit::Usage
}

/// The names of the characters of a scene of several.
pub(crate) fn several(scene: &Scene) -> Vec<String> {
    let several = scene.characters.len() > 1;
    scene.characters.iter().filter(|_| several).map(|character| character.name.clone()).collect()
}

/// The joints of all characters and props, without end sites.
pub(crate) fn joints(scene: &Scene) -> usize {
    let all = scene.characters.iter().chain(&scene.props);
    let own = all.flat_map(|character| character.skeleton().joints());
    own.filter(|joint| !joint.end_site).count()
}
