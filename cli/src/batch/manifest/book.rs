//! A manifest as it is read: who ran what, and the last that is known of every clip.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Entry, Header, Line};
use crate::batch::portable::PathText;
use crate::diagnostic::Diagnostic;
use crate::read;

/// What a manifest says.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// The last run that had other options than the one before it, or the only one.
    pub(crate) header: Option<Header>,
    pub(crate) clips: BTreeMap<PathText, Entry>,
    /// Clips that were begun and not finished.
    pub(crate) unfinished: BTreeSet<PathText>,
    /// The length of all whole lines [bytes]; what follows is torn.
    pub(crate) whole: usize,
    /// Whether a torn line follows.
    pub(crate) torn: bool,
}

impl Book {
    /// What the bytes of a manifest say. A last line that was not written to its end is left out.
    ///
    /// # Errors
    /// Where another line is damaged, or the file is no manifest.
    pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<Book, Diagnostic> {
        let mut book = Book::default();
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        (book.whole, book.torn) = (whole, whole < bytes.len());
        // Where no line is whole, the file may be anything.
        if whole == 0 && !may_be_manifest(bytes) {
            return Err(none(path));
        }
        for (i, text) in bytes[..whole].split(|&byte| byte == b'\n').enumerate() {
            // Behind the last line break there is nothing.
            if text.is_empty() {
                continue;
            }
            let line = serde_json::from_slice(text).map_err(|error| damaged(path, i + 1, &error))?;
            if !matches!(line, Line::Run(_)) && book.header.is_none() {
                return Err(none(path));
            }
            match line {
                Line::Run(header) if header.manifest != super::FORM => {
                    let message = format!(
                        "'{}' is a manifest of form {}, and this version reads form {}",
                        path.display(),
                        header.manifest,
                        super::FORM
                    );
                    return Err(Diagnostic::new("manifest::form", message));
                }
                Line::Run(header) => book.header = Some(header),
                Line::Start(start) => {
                    book.unfinished.insert(start.path);
                }
                Line::Clip(entry) => {
                    book.unfinished.remove(&entry.path);
                    book.clips.insert(entry.path.clone(), entry);
                }
            }
        }
        Ok(book)
    }

    /// As [`Book::read`], of a file. It has no header where its run ended before it wrote a line.
    pub(crate) fn open(path: &Path) -> Result<Book, Diagnostic> {
        Book::read(path, &read::small_file(path, MOST)?)
    }
}

/// The most bytes that a manifest has: some millions of clips.
const MOST: u64 = 1 << 30;

/// What every manifest begins with.
const HEAD: &[u8] = b"{\"type\":\"run\"";

/// Whether a file is a manifest as far as its start shows: empty and torn ones are.
pub(super) fn may_be_manifest(bytes: &[u8]) -> bool {
    bytes.starts_with(HEAD) || HEAD.starts_with(bytes)
}

/// The error of a file that is none.
pub(super) fn none(path: &Path) -> Diagnostic {
    let message = format!("'{}' is no manifest: it does not begin with a run", path.display());
    Diagnostic::new("manifest::no-header", message)
}

fn damaged(path: &Path, line: usize, error: &serde_json::Error) -> Diagnostic {
    let reason = error.to_string();
    let reason = reason.split(" at line").next().unwrap_or_default();
    let message = format!("line {line} of '{}' is no line of a manifest: {reason}", path.display());
    Diagnostic::new("manifest::damaged", message).help(
        "a line that is torn at the end is no harm; take the damaged line out, and its clip is done again",
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, Start, entry, text};
    use super::*;

    fn lines() -> Vec<Vec<u8>> {
        let header = Header::new("convert", BTreeMap::new(), None);
        let start = |path: &str| Line::Start(Start { path: PathText::new(Path::new(path)) });
        let lines = [
            Line::Run(header.clone()),
            start("a"),
            start("b"),
            Line::Clip(entry("b", header.fingerprint, Outcome::Failed, b"")),
            Line::Clip(entry("a", header.fingerprint, Outcome::Ok, b"out")),
            start("b"),
        ];
        lines.iter().map(text).collect()
    }

    #[test]
    fn a_manifest_cut_at_any_byte_says_what_was_finished_before() {
        let whole = lines().concat();
        let ends: Vec<usize> = lines()
            .iter()
            .scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            })
            .collect();
        for cut in 0..=whole.len() {
            let book = Book::read(Path::new("m"), &whole[..cut]).unwrap();
            let lines = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(book.whole, if lines == 0 { 0 } else { ends[lines - 1] }, "{cut}");
            assert_eq!(book.torn, book.whole < cut);
            assert_eq!(book.clips.len(), lines.saturating_sub(3).min(2));
            assert_eq!(book.unfinished.len(), [0, 0, 1, 2, 1, 0, 1][lines]);
        }
    }

    #[test]
    fn damage_elsewhere_is_an_error_with_its_line() {
        let mut lines = lines();
        lines[2] = b"{\"type\":\"start\",\"pa\n".to_vec();
        let error = Book::read(Path::new("m"), &lines.concat()).unwrap_err();
        assert_eq!(error.code, "manifest::damaged");
        assert!(error.message.starts_with("line 3 of 'm'"), "{}", error.message);
        let error = Book::read(Path::new("m"), &lines[1]).unwrap_err();
        assert_eq!(error.code, "manifest::no-header");
        for text in ["no line break", "{\"type\":\"clip\""] {
            assert_eq!(Book::read(Path::new("m"), text.as_bytes()).unwrap_err().code, "manifest::no-header");
        }
        let form = lines[0].clone();
        let form = String::from_utf8(form).unwrap().replace("\"manifest\":1", "\"manifest\":2");
        assert_eq!(Book::read(Path::new("m"), form.as_bytes()).unwrap_err().code, "manifest::form");
    }
}
