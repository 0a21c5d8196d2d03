//! What can be wrong with any JSON file of this project, before its fields have a meaning.

/// A JSON format of this project.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The value of the field `format`.
    pub(crate) format: &'static str,
    /// The greatest `version` that is read.
    pub(crate) version: u32,
    /// What a file holds, as in "a skeleton".
    pub(crate) holds: &'static str,
    pub(crate) codes: Codes,
}

/// The code of each [`Fault`] in one format.
#[derive(Debug)]
pub(crate) struct Codes {
    pub(crate) other_program: &'static str,
    pub(crate) syntax: &'static str,
    pub(crate) field: &'static str,
    pub(crate) format: &'static str,
    pub(crate) version: &'static str,
}

impl Shape {
    pub(crate) fn problem(&'static self, fault: Fault) -> Problem {
        Problem { shape: self, fault }
    }
}

/// A fault in a file of one of the JSON formats; all are errors.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Problem {
    shape: &'static Shape,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a JSON file of any format.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Fault {
    #[error("this is {what}, not {expected} of this program")]
    OtherProgram { what: &'static str, expected: &'static str },
    #[error("this is not JSON of this format: {message}")]
    Syntax { message: String },
    #[error("{path}: {message}")]
    Field { path: String, message: String },
    #[error("the format is '{found}', expected '{expected}'")]
    Format { found: String, expected: &'static str },
    #[error("version {found} of the format is newer than this program, which reads up to version {known}")]
    Version { found: u32, known: u32 },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        let codes = &self.shape.codes;
        match self.fault {
            Fault::OtherProgram { .. } => codes.other_program,
            Fault::Syntax { .. } => codes.syntax,
            Fault::Field { .. } => codes.field,
            Fault::Format { .. } => codes.format,
            Fault::Version { .. } => codes.version,
        }
    }
}
