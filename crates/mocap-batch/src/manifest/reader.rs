//! Reading a manifest: which run it records, and the last line about every clip.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::line::{Entry, FORM, Header, Line};
use crate::error::BatchError;
use crate::hash;
use crate::portable::PathText;
use crate::read::read_file;

/// The content of a manifest.
#[derive(Debug, Default)]
pub struct Manifest {
    /// The last run that had other options than the one before it, or the only one.
    pub header: Option<Header>,
    /// The last line about every clip that was finished.
    pub clips: BTreeMap<PathText, Entry>,
    /// Clips that were started and not finished since; an earlier run may have completed some of them.
    pub unfinished: BTreeSet<PathText>,
    /// The number of clips of the last run; `None` where the manifest does not say.
    pub planned: Option<usize>,
    /// The length of all complete lines [bytes]; what follows is torn.
    pub(super) whole: usize,
    /// Whether the last line is torn: the process was killed while it wrote it.
    pub torn: bool,
}

impl Manifest {
    /// Parses the bytes of a manifest. A torn last line is left out.
    ///
    /// # Errors
    /// Where another line is damaged, or the file is not a manifest.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Manifest, BatchError> {
        let mut manifest = Manifest::default();
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        (manifest.whole, manifest.torn) = (whole, whole < bytes.len());
        // Without a complete line, the file may be of any kind.
        if whole == 0 && !may_be_manifest(bytes) {
            return Err(BatchError::NotManifest(path.to_owned()));
        }
        for (i, text) in bytes[..whole].split(|&byte| byte == b'\n').enumerate() {
            // The text after the last line break is empty.
            if text.is_empty() {
                continue;
            }
            let line = serde_json::from_slice(text).map_err(|error| damaged(path, i + 1, &error))?;
            if !matches!(line, Line::Run(_)) && manifest.header.is_none() {
                return Err(BatchError::NotManifest(path.to_owned()));
            }
            match line {
                Line::Run(header) if header.manifest != FORM => {
                    let (path, found) = (path.to_owned(), header.manifest);
                    return Err(BatchError::ManifestForm { path, found, supported: FORM });
                }
                Line::Run(header) if header.hash != hash::NAME => {
                    let (path, found) = (path.to_owned(), header.hash);
                    return Err(BatchError::ManifestHash { path, found, supported: hash::NAME });
                }
                Line::Run(header) => manifest.header = Some(header),
                Line::Plan(plan) => manifest.planned = Some(plan.clips),
                Line::Start(start) => {
                    manifest.unfinished.insert(start.path);
                }
                Line::Clip(entry) => {
                    manifest.unfinished.remove(&entry.path);
                    manifest.clips.insert(entry.path.clone(), entry);
                }
            }
        }
        Ok(manifest)
    }

    /// The clips of the last run that were never started; 0 where the manifest does not say how many it has.
    pub fn not_started(&self) -> usize {
        let unfinished = self.unfinished.iter().filter(|clip| !self.clips.contains_key(clip)).count();
        self.planned.unwrap_or(0).saturating_sub(self.clips.len() + unfinished)
    }

    /// Clips that were started and that no run has completed.
    pub fn incomplete(&self) -> impl Iterator<Item = &PathText> {
        self.unfinished.iter().filter(|clip| !self.clips.get(clip).is_some_and(Entry::is_ok))
    }

    /// Reads a file. It has no header where its run ended before it wrote a line.
    ///
    /// # Errors
    /// As [`Manifest::parse`], and where the file cannot be read or is larger than 1 GiB.
    pub fn open(path: &Path) -> Result<Manifest, BatchError> {
        Manifest::parse(path, &read_file(path, MOST_BYTES)?)
    }
}

/// The largest manifest that is read [bytes]: some millions of clips.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// Every manifest starts with these bytes.
const HEAD: &[u8] = b"{\"type\":\"run\"";

/// Whether a file may be a manifest, by its start: empty and torn ones are.
pub(super) fn may_be_manifest(bytes: &[u8]) -> bool {
    bytes.starts_with(HEAD) || HEAD.starts_with(bytes)
}

fn damaged(path: &Path, line: usize, error: &serde_json::Error) -> BatchError {
    let reason = error.to_string();
    let reason = reason.split(" at line").next().unwrap_or_default().to_owned();
    BatchError::ManifestDamaged { path: path.to_owned(), line, reason }
}

#[cfg(test)]
mod tests {
    use super::super::line::{ClipResult, Start, entry, text};
    use super::*;

    fn lines() -> Vec<Vec<u8>> {
        let header = Header::new("convert", BTreeMap::new(), None);
        let start = |path: &str| Line::Start(Start { path: PathText::new(Path::new(path)) });
        let lines = [
            Line::Run(header.clone()),
            start("a"),
            start("b"),
            Line::Clip(entry("b", header.fingerprint, ClipResult::Failed, b"")),
            Line::Clip(entry("a", header.fingerprint, ClipResult::Ok, b"out")),
            start("b"),
        ];
        lines.iter().map(text).collect()
    }

    #[test]
    fn a_manifest_cut_at_any_byte_keeps_what_was_finished_before() {
        let whole = lines().concat();
        let ends: Vec<usize> = lines()
            .iter()
            .scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            })
            .collect();
        for cut in 0..=whole.len() {
            let manifest = Manifest::parse(Path::new("m"), &whole[..cut]).unwrap();
            let lines = ends.iter().filter(|&&end| end <= cut).count();
            assert_eq!(manifest.whole, if lines == 0 { 0 } else { ends[lines - 1] }, "{cut}");
            assert_eq!(manifest.torn, manifest.whole < cut);
            assert_eq!(manifest.clips.len(), lines.saturating_sub(3).min(2));
            assert_eq!(manifest.unfinished.len(), [0, 0, 1, 2, 1, 0, 1][lines]);
        }
    }

    #[test]
    fn damage_elsewhere_is_an_error_with_its_line() {
        let mut lines = lines();
        lines[2] = b"{\"type\":\"start\",\"pa\n".to_vec();
        let error = Manifest::parse(Path::new("m"), &lines.concat()).unwrap_err();
        assert_eq!(error.code(), "manifest::damaged");
        assert!(error.to_string().starts_with("line 3 of 'm'"), "{error}");
        let error = Manifest::parse(Path::new("m"), &lines[1]).unwrap_err();
        assert_eq!(error.code(), "manifest::no-header");
        for text in ["no line break", "{\"type\":\"clip\""] {
            assert_eq!(
                Manifest::parse(Path::new("m"), text.as_bytes()).unwrap_err().code(),
                "manifest::no-header"
            );
        }
        let form = lines[0].clone();
        let form = String::from_utf8(form).unwrap().replace("\"manifest\":1", "\"manifest\":2");
        assert_eq!(Manifest::parse(Path::new("m"), form.as_bytes()).unwrap_err().code(), "manifest::form");
    }
}
