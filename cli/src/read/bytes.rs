//! The bytes of inputs and of small files, within limits.

use std::io::Read;
use std::path::Path;

use mocap_formats::Limits;

use crate::batch::{Input, Source};
use crate::diagnostic::Diagnostic;

/// The bytes of an input.
pub(crate) fn bytes_of(input: &Input) -> Result<Vec<u8>, Diagnostic> {
    let limit = Limits::default().bytes as u64;
    match &input.source {
        Source::Stdin => {
            let mut bytes = Vec::new();
            // One more than allowed: the reader reports it.
            std::io::stdin()
                .lock()
                .take(limit + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| Diagnostic::new("io::error", format!("cannot read stdin: {error}")))?;
            Ok(bytes)
        }
        Source::File(path) => {
            let bytes = file_bytes(path)?;
            input.attempt.read(path, &bytes);
            input.attempt.check()?;
            Ok(bytes)
        }
        Source::Unreadable(_, trouble) => Err(trouble.as_ref().clone()),
    }
}

/// The bytes of a file no larger than the limit.
pub(super) fn file_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    bytes_within(path, Limits::default().bytes as u64)
}

/// The whole of a file that is no larger than `limit` bytes.
///
/// # Errors
/// Where it cannot be read, or is larger, as a device may be without end.
pub(crate) fn small_file(path: &Path, limit: u64) -> Result<Vec<u8>, Diagnostic> {
    let bytes = bytes_within(path, limit)?;
    if bytes.len() as u64 > limit {
        let message =
            format!("'{}' is larger than the {} MB that are read of it", path.display(), limit >> 20);
        return Err(Diagnostic::new("io::too-large", message));
    }
    Ok(bytes)
}

/// The bytes of a file, and one more than `limit` where it has more: the reader reports it.
fn bytes_within(path: &Path, limit: u64) -> Result<Vec<u8>, Diagnostic> {
    mocap::file_bytes(path, limit).map_err(Diagnostic::from)
}
