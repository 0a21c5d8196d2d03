//! What is fed, and what must hold for every input.

use crate::{command_targets, format_targets};

/// What an input led to: codes of errors and warnings, or what is wrong with the program.
pub(crate) type Outcome = Result<Vec<String>, String>;

/// Reads one input.
pub(crate) type Run = Box<dyn Fn(&[u8]) -> Outcome>;

/// One reader.
pub(crate) struct Target {
    pub(crate) name: String,
    /// Good files.
    pub(crate) corpus: Vec<Vec<u8>>,
    /// Words of the format, which changes insert.
    pub(crate) words: &'static [&'static str],
    /// Bytes that a reader may hold for each sample (frame × joint) that a file of few bytes can state.
    pub(crate) bytes_per_sample: u64,
    /// Whether memory is measured: only where all work is done in the calling thread.
    pub(crate) measured: bool,
    pub(crate) run: Run,
}

/// Longest message of an error or warning \[bytes\].
const LONGEST_TEXT: usize = 4096;

/// A code with its text, checked.
pub(crate) fn checked(code: &str, text: &str) -> Outcome {
    if text.len() > LONGEST_TEXT {
        return Err(format!("the text of {code} has more than {LONGEST_TEXT} bytes"));
    }
    Ok(vec![code.to_owned()])
}

/// All targets.
pub(crate) fn all() -> Vec<Target> {
    let mut all = format_targets::targets();
    all.extend(command_targets::targets());
    all
}
