//! Bounded reading of files and stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::BatchError;
use crate::hash::{Content, Hasher};

/// By how much memory grows where the size is not known \[bytes\].
const PIECE: usize = 1 << 20;
/// How much is read before it is hashed, which is fastest while it is in the caches of the processor \[bytes\].
const CACHED: usize = 1 << 18;

/// Looks at the bytes that are read, piece by piece.
type Look<'a> = &'a mut dyn FnMut(&[u8]);

/// The bytes of a file of at most `limit` bytes. A file that states a larger size is not read; a device or pipe, which
/// states none, is read up to the limit.
///
/// ```
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(file.path(), "four")?;
/// assert_eq!(mocap_batch::read_file(file.path(), 4)?, b"four");
/// assert_eq!(mocap_batch::read_file(file.path(), 3).unwrap_err().code(), "io::too-large");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where it cannot be read, or is larger.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
    read_at(path, limit, &mut |_| {})
}

/// As [`read_file`], of a file that is open.
pub(crate) fn read_whole(file: &File, path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
    read_open(file, path, limit, &mut |_| {})
}

/// As [`read_file`], with the content; of stdin for `None`.
pub(crate) fn read_content(path: Option<&Path>, limit: u64) -> Result<(Vec<u8>, Content), BatchError> {
    let mut hasher = Hasher::default();
    let look: Look<'_> = &mut |piece| hasher.update(piece);
    let bytes = match path {
        Some(path) => read_at(path, limit, look)?,
        None => read_stdin(limit, look)?,
    };
    let content = Content { bytes: bytes.len() as u64, hash: hasher.hash() };
    Ok((bytes, content))
}

fn read_at(path: &Path, limit: u64, look: Look<'_>) -> Result<Vec<u8>, BatchError> {
    let file = File::open(path).map_err(|error| BatchError::io("read", path, &error))?;
    read_open(&file, path, limit, look)
}

fn read_open(mut file: &File, path: &Path, limit: u64, look: Look<'_>) -> Result<Vec<u8>, BatchError> {
    let failed = |error: io::Error| BatchError::io("read", path, &error);
    let size = file.metadata().map_err(failed)?.len();
    let read = match size > limit {
        true => None,
        false => bounded(&mut file, size, limit, look).map_err(failed)?,
    };
    read.ok_or_else(|| BatchError::TooLarge { path: path.to_owned(), limit })
}

fn read_stdin(limit: u64, look: Look<'_>) -> Result<Vec<u8>, BatchError> {
    let read = bounded(&mut io::stdin().lock(), 0, limit, look);
    read.map_err(|error| BatchError::Stdin(error.to_string()))?
        .ok_or_else(|| BatchError::TooLarge { path: "-".into(), limit })
}

/// All bytes up to the end; `None` where there are more than `limit`. Memory never exceeds the limit by more than one
/// piece, and starts with `expected` bytes.
fn bounded(from: &mut dyn Read, expected: u64, limit: u64, look: Look<'_>) -> io::Result<Option<Vec<u8>>> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // One more byte tells the end without growing.
    let expected = usize::try_from(expected).unwrap_or(usize::MAX).min(limit);
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    loop {
        if bytes.len() == bytes.capacity() {
            // Twice as much each time, but not twice the limit.
            let more = bytes.len().max(PIECE).min(limit.saturating_sub(bytes.len()).saturating_add(1));
            bytes.reserve_exact(more);
        }
        let (start, room) = (bytes.len(), (bytes.capacity() - bytes.len()).min(CACHED));
        let read = from.take(room as u64).read_to_end(&mut bytes)?;
        if bytes.len() > limit {
            return Ok(None);
        }
        look(&bytes[start..]);
        if read < room {
            return Ok(Some(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, which is also what is looked at.
    fn bounded(from: &mut dyn Read, expected: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let mut seen = Vec::new();
        let read = super::bounded(from, expected, limit, &mut |piece| seen.extend_from_slice(piece))?;
        assert!(read.as_ref().is_none_or(|read| *read == seen));
        Ok(read)
    }

    #[test]
    fn endless_input_ends_at_the_limit_in_bounded_memory() {
        for expected in [0, 10, 1000] {
            assert_eq!(bounded(&mut io::repeat(7), expected, 1000).unwrap(), None);
        }
        let piece = PIECE as u64;
        let read = bounded(&mut io::repeat(7).take(3 * piece), 0, 3 * piece).unwrap().unwrap();
        assert_eq!(read.len(), 3 * PIECE);
        assert!(read.capacity() <= 3 * PIECE + 1);
        assert_eq!(bounded(&mut io::repeat(7).take(3 * piece + 1), 0, 3 * piece).unwrap(), None);
        assert_eq!(bounded(&mut io::empty(), 0, 0).unwrap(), Some(Vec::new()));
    }

    #[test]
    fn a_file_that_states_too_large_a_size_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read_file(&path, 1 << 30).unwrap_err();
        assert_eq!(error.code(), "io::too-large");
        assert!(error.to_string().ends_with("is larger than the limit of 1 GiB"), "{error}");
    }
}
