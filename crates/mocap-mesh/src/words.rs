//! Lines and words of texts, with their places.

use crate::{MeshError, Place};

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) place: Place,
}

impl Word<'_> {
    /// The word as a number.
    pub(crate) fn number(&self, code: &'static str) -> Result<f64, MeshError> {
        let number = self.text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| {
            MeshError::new(code, self.place, format!("'{}' is not a finite number", shown(self.text)))
        })
    }

    /// The word as a whole number.
    pub(crate) fn whole(&self, code: &'static str) -> Result<i64, MeshError> {
        self.text.parse().map_err(|_| {
            MeshError::new(code, self.place, format!("'{}' is not a whole number", shown(self.text)))
        })
    }
}

/// The start of a word, for messages.
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(32) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The words of a line; `number` is that of the line, from 1.
pub(crate) fn words(line: &str, number: usize) -> impl Iterator<Item = Word<'_>> {
    let start = line.as_ptr() as usize;
    line.split_ascii_whitespace().map(move |text| {
        let column = text.as_ptr() as usize - start + 1;
        Word { text, place: Place::Line { line: number, column } }
    })
}

/// The bytes as a text.
pub(crate) fn text<'b>(bytes: &'b [u8], code: &'static str) -> Result<std::borrow::Cow<'b, str>, MeshError> {
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(MeshError::new(code, Place::Byte(at), "a zero byte in what should be a text"));
    }
    // Names may be in any encoding; numbers and keywords are ASCII.
    Ok(String::from_utf8_lossy(bytes))
}
