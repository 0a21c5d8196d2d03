//! Bounded reading of files and stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::BatchError;

/// The bytes of a file; of a larger one `limit + 1` bytes, which tells a parser that there are more.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
    let file = File::open(path).map_err(|error| BatchError::io("read", path, &error))?;
    read_open_up_to(&file, path, limit)
}

fn read_open_up_to(file: &File, path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
    let failed = |error: io::Error| BatchError::io("read", path, &error);
    let size = file.metadata().map_err(failed)?.len();
    // A device may state any size: the limit bounds memory, whatever is stated.
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// As [`read_up_to`], of stdin.
pub(crate) fn read_stdin_up_to(limit: u64) -> Result<Vec<u8>, BatchError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| BatchError::Stdin(error.to_string()))?;
    Ok(bytes)
}

/// The whole of a file of at most `limit` bytes.
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
    read_whole(&File::open(path).map_err(|error| BatchError::io("read", path, &error))?, path, limit)
}

/// As [`read_file`], of a file that is open.
pub(crate) fn read_whole(file: &File, path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
    let bytes = read_open_up_to(file, path, limit)?;
    if bytes.len() as u64 > limit {
        return Err(BatchError::TooLarge { path: path.to_owned(), limit });
    }
    Ok(bytes)
}
