//! Bounded reading of files and stdin.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::BatchError;
use crate::hash::{Content, Hasher};

/// Growth of memory if the size is unknown \[bytes\].
const PIECE: usize = 1 << 20;
/// Amount read before it is hashed, while it is in the processor's cache \[bytes\].
const CACHED: usize = 1 << 18;

/// Sizes of the start at which an input is judged \[bytes\]: endless zeros are rejected after the first, a header
/// is within the second.
const JUDGED: [usize; 2] = [4 << 10, 64 << 10];

/// A callback for the bytes that are read, piece by piece.
type Look<'a> = &'a mut dyn FnMut(&[u8]);

/// Decides from the first bytes of an input and its size \[bytes\] whether the rest is read. If the size is
/// unknown, it is called again with the size so far as the input grows.
pub(crate) type Judge<'a> = &'a mut dyn FnMut(&[u8], Option<u64>) -> bool;

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
    let read = read_at(path, limit, &mut |_| {}, &mut |_, _| true)?;
    Ok(read.expect("nothing is refused"))
}

/// As [`read_file`], of a file that is open.
pub(crate) fn read_whole(file: &File, path: &Path, limit: u64) -> Result<Vec<u8>, BatchError> {
    let read = read_open(file, path, limit, &mut |_| {}, &mut |_, _| true)?;
    Ok(read.expect("nothing is refused"))
}

/// Like [`read_file`], with the content; stdin for `None`. Returns `None` if the start is rejected.
pub(crate) fn read_content(
    path: Option<&Path>,
    limit: u64,
    judge: Judge<'_>,
) -> Result<Option<(Vec<u8>, Content)>, BatchError> {
    let mut hasher = Hasher::default();
    let look: Look<'_> = &mut |piece| hasher.update(piece);
    let read = match path {
        Some(path) => read_at(path, limit, look, judge)?,
        None => read_stdin(limit, look, judge)?,
    };
    Ok(read.map(|bytes| {
        let content = Content { bytes: bytes.len() as u64, hash: hasher.hash() };
        (bytes, content)
    }))
}

fn read_at(path: &Path, limit: u64, look: Look<'_>, judge: Judge<'_>) -> Result<Option<Vec<u8>>, BatchError> {
    let file = File::open(path).map_err(|error| BatchError::io("read", path, &error))?;
    read_open(&file, path, limit, look, judge)
}

fn read_open(
    mut file: &File,
    path: &Path,
    limit: u64,
    look: Look<'_>,
    judge: Judge<'_>,
) -> Result<Option<Vec<u8>>, BatchError> {
    let failed = |error: io::Error| BatchError::io("read", path, &error);
    let size = file.metadata().map_err(failed)?.len();
    let read = match size > limit {
        true => Read::TooLarge,
        false => bounded(&mut file, size, limit, look, judge).map_err(failed)?,
    };
    read.within(limit, path)
}

fn read_stdin(limit: u64, look: Look<'_>, judge: Judge<'_>) -> Result<Option<Vec<u8>>, BatchError> {
    let read = bounded(&mut io::stdin().lock(), 0, limit, look, judge);
    read.map_err(|error| BatchError::Stdin(error.to_string()))?.within(limit, Path::new("-"))
}

/// How reading ended.
#[derive(Debug, PartialEq)]
enum Read {
    Whole(Vec<u8>),
    /// The start was rejected.
    Refused,
    TooLarge,
}

impl Read {
    /// The bytes; `None` if the start was rejected.
    fn within(self, limit: u64, path: &Path) -> Result<Option<Vec<u8>>, BatchError> {
        match self {
            Read::Whole(bytes) => Ok(Some(bytes)),
            Read::Refused => Ok(None),
            Read::TooLarge => Err(BatchError::TooLarge { path: path.to_owned(), limit }),
        }
    }
}

/// Reads to the end, at most `limit` bytes. Memory never exceeds the limit by more than one piece, and starts
/// with `expected` bytes, which is 0 if the size is unknown.
fn bounded(
    from: &mut dyn io::Read,
    expected: u64,
    limit: u64,
    look: Look<'_>,
    judge: Judge<'_>,
) -> io::Result<Read> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let stated = Some(expected).filter(|size| *size > 0);
    // One more byte detects the end without growing.
    let expected = usize::try_from(expected).unwrap_or(usize::MAX).min(limit);
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    // A small file is read in one piece.
    let judged = |start: &usize| *start < limit && stated.is_none_or(|size| size > JUDGED[1] as u64);
    for start in JUDGED.into_iter().filter(judged) {
        let room = start - bytes.len();
        let read = io::Read::take(&mut *from, room as u64).read_to_end(&mut bytes)?;
        if read < room {
            look(&bytes);
            return Ok(Read::Whole(bytes));
        }
        if !judge(&bytes, stated) {
            return Ok(Read::Refused);
        }
    }
    look(&bytes);
    loop {
        // An input of unknown size is judged again with its size so far: its header may state more than the
        // limits allow.
        if stated.is_none() && bytes.len() >= PIECE && bytes.len() == bytes.capacity() {
            let so_far = Some(bytes.len() as u64);
            if !judge(&bytes[..JUDGED[1]], so_far) {
                return Ok(Read::Refused);
            }
        }
        if bytes.len() == bytes.capacity() {
            // Doubles the memory, but not beyond the limit.
            let more = bytes.len().max(PIECE).min(limit.saturating_sub(bytes.len()).saturating_add(1));
            bytes.reserve_exact(more);
        }
        let (start, room) = (bytes.len(), (bytes.capacity() - bytes.len()).min(CACHED));
        let read = io::Read::take(&mut *from, room as u64).read_to_end(&mut bytes)?;
        if bytes.len() > limit {
            return Ok(Read::TooLarge);
        }
        look(&bytes[start..]);
        if read < room {
            return Ok(Read::Whole(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the callback sees all bytes that are read.
    fn bounded(from: &mut dyn io::Read, expected: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let mut seen = Vec::new();
        let look: Look<'_> = &mut |piece| seen.extend_from_slice(piece);
        match super::bounded(from, expected, limit, look, &mut |_, _| true)? {
            Read::Whole(bytes) => {
                assert_eq!(bytes, seen);
                Ok(Some(bytes))
            }
            Read::TooLarge => Ok(None),
            Read::Refused => panic!("nothing was to be refused"),
        }
    }

    #[test]
    fn a_start_is_judged_before_the_rest_is_read() {
        let mut starts = Vec::new();
        let mut endless = io::repeat(7);
        let judge: Judge<'_> = &mut |start, size| {
            starts.push((start.len(), size));
            start.len() < JUDGED[1]
        };
        assert_eq!(super::bounded(&mut endless, 0, 1 << 40, &mut |_| {}, judge).unwrap(), Read::Refused);
        assert_eq!(starts, [(JUDGED[0], None), (JUDGED[1], None)]);
        // An input that grows is judged again.
        let mut sizes = Vec::new();
        let judge: Judge<'_> = &mut |start, size| {
            sizes.extend(size);
            start.len() <= JUDGED[1] && size.is_none_or(|size| size < 4 << 20)
        };
        assert_eq!(super::bounded(&mut endless, 0, 1 << 40, &mut |_| {}, judge).unwrap(), Read::Refused);
        assert!(
            sizes.iter().all(|size| *size >= PIECE as u64) && sizes.last() < Some(&(9 << 20)),
            "{sizes:?}"
        );
        let never: Judge<'_> = &mut |_, _| panic!("what is short is not judged");
        let short = &mut io::repeat(7).take(100);
        assert_eq!(super::bounded(short, 0, 1 << 40, &mut |_| {}, never).unwrap(), Read::Whole(vec![7; 100]));
        let mut size = None;
        let judge: Judge<'_> = &mut |_, stated| {
            size = stated;
            true
        };
        let long = &mut io::repeat(7).take(1 << 20);
        let read = super::bounded(long, 1 << 20, 1 << 40, &mut |_| {}, judge).unwrap();
        assert_eq!((read, size), (Read::Whole(vec![7; 1 << 20]), Some(1 << 20)));
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
