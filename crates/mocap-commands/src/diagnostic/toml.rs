//! Errors in TOML that a user wrote, with the line they are about.

use std::path::Path;

use mocap_toml::{Text, TomlError, TomlProblem};

use super::Diagnostic;

/// The most bytes of a file of settings or steps.
const MOST: u64 = 16 << 20;

/// Reads a TOML file.
pub(crate) fn read_toml(path: &Path) -> Result<Text, Diagnostic> {
    Ok(Text::new(path, mocap_batch::read_file(path, MOST)?)?)
}

impl From<TomlError> for Diagnostic {
    fn from(error: TomlError) -> Diagnostic {
        let code = match error.problem {
            TomlProblem::Variable => "pipeline::variable",
            problem => problem.code(),
        };
        let mut found = Diagnostic::new(code, error.message.as_str());
        if let (Some(path), Some((text, span))) = (error.path(), error.excerpt()) {
            found = found.in_text(text, span).in_file(path);
        }
        error.help.into_iter().fold(found, Diagnostic::help)
    }
}
