//! Atomic writes: into a temporary file of the same directory, then renamed.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::BatchError;
use crate::hash;
use crate::interrupt::{self, Watched};

/// Writes the content of a file to a stream.
pub type WriteContent<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Options of writing a file.
#[derive(Clone, Copy)]
pub(crate) struct Staging<'a> {
    /// Whether an existing file is replaced; otherwise the write fails.
    pub(crate) replace: bool,
    /// Part of the temporary name.
    pub(crate) tag: &'a str,
    /// Checked before every piece that is written.
    pub(crate) may_continue: &'a dyn Fn() -> bool,
}

/// A complete file that is not in its place yet; dropping it removes it.
pub(crate) struct Staged {
    path: PathBuf,
    replace: bool,
    /// `None` for a device, to which the content was written already.
    file: Option<(NamedTempFile, Watched)>,
    content: hash::Content,
}

/// Prefix of temporary file names.
const PREFIX: &str = ".mocap-";
/// Suffix of temporary file names.
const SUFFIX: &str = ".tmp";

/// Whether a file name is that of a temporary file with this tag.
pub(crate) fn is_temporary(name: &OsStr, tag: &str) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    rest.and_then(|rest| rest.strip_prefix(tag)).is_some_and(|rest| rest.starts_with('-'))
}

/// Writes one file atomically and returns its size (bytes); directories above it are created.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("new/note.txt");
/// assert_eq!(mocap_batch::write_file(&path, false, &|out| out.write_all(b"one"))?, 3);
/// let again = mocap_batch::write_file(&path, false, &|out| out.write_all(b"two"));
/// assert_eq!(again.unwrap_err().code(), "io::exists");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where it cannot be written, or exists and `replace` is false.
pub fn write_file(path: &Path, replace: bool, content: WriteContent<'_>) -> Result<u64, BatchError> {
    let staging = Staging { replace, tag: "", may_continue: &|| true };
    Ok(stage(path, staging, content)?.commit()?.bytes)
}

/// Writes a file under a temporary name in its directory; directories above it are created.
pub(crate) fn stage(
    path: &Path,
    staging: Staging<'_>,
    content: WriteContent<'_>,
) -> Result<Staged, BatchError> {
    let failed = |error: io::Error| BatchError::io("write", path, &error);
    let Staging { replace, tag, may_continue } = staging;
    let done = |file, content| Staged { path: path.to_owned(), replace, file, content };
    // A device or pipe must not be replaced by a file.
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        let device = std::fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
        let (_, content) = write_counted(device, may_continue, content).map_err(failed)?;
        return Ok(done(None, content));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = Builder::new();
    let prefix = format!("{PREFIX}{tag}-");
    builder.prefix(&prefix).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // With the usual permissions of a new file: the umask of the process applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let (mut file, watched) = interrupt::watched(|| builder.tempfile_in(folder)).map_err(failed)?;
    let (_, content) = write_counted(file.as_file_mut(), may_continue, content).map_err(failed)?;
    Ok(done(Some((file, watched)), content))
}

impl Staged {
    /// Whether a file will be moved to its place; a device has its content already.
    pub(crate) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Moves the file to its place; returns its size and hash.
    pub(crate) fn commit(self) -> Result<hash::Content, BatchError> {
        let Staged { path, replace, file, content } = self;
        if let Some((file, _watched)) = file {
            let persisted = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
            persisted.map_err(|error| BatchError::io("write", &path, &error.error))?;
        }
        Ok(content)
    }
}

/// Writes content into a stream, such as stdout, through a buffer; returns its size (bytes).
///
/// ```
/// let mut stream = Vec::new();
/// let bytes = mocap_batch::write_stream(&mut stream, &|out| out.write_all(b"frame,time"))?;
/// assert_eq!((bytes, &stream[..]), (10, &b"frame,time"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Where the stream or the content fails.
pub fn write_stream(stream: impl Write, content: WriteContent<'_>) -> io::Result<u64> {
    let (_, content) = write_counted(stream, &|| true, content)?;
    Ok(content.bytes)
}

/// Writes content into a stream; returns the size and hash of what was written.
fn write_counted<W: Write>(
    stream: W,
    may_continue: &dyn Fn() -> bool,
    content: WriteContent<'_>,
) -> io::Result<(W, hash::Content)> {
    struct Counted<'a, W>(W, u64, hash::Hasher, &'a dyn Fn() -> bool);
    impl<W: Write> Write for Counted<'_, W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !(self.3)() {
                return Err(io::Error::other("aborted"));
            }
            let written = self.0.write(bytes)?;
            self.1 += written as u64;
            self.2.update(&bytes[..written]);
            Ok(written)
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
    let counted = Counted(stream, 0, hash::Hasher::default(), may_continue);
    let mut buffered = BufWriter::with_capacity(1 << 16, counted);
    content(&mut buffered)?;
    let Counted(stream, bytes, hasher, _) = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((stream, hash::Content { bytes, hash: hasher.hash() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, replace: bool, bytes: &[u8]) -> Result<u64, &'static str> {
        write_file(path, replace, &|out| out.write_all(bytes)).map_err(|error| error.code())
    }

    #[test]
    fn a_failure_half_way_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.bvh");
        let broken = write_file(&path, false, &|out| {
            out.write_all(&[b'x'; 1 << 20])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(broken.unwrap_err().code(), "io::disk-full");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn directories_are_created_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c.bvh");
        assert_eq!(put(&path, false, b"one"), Ok(3));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(put(&path, false, b"two"), Err("io::exists"));
        assert_eq!(put(&path, true, b"two"), Ok(3));
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn outputs_have_the_usual_permissions_and_devices_stay_devices() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.bvh");
        put(&path, false, b"one").unwrap();
        std::fs::write(folder.path().join("plain"), b"").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")));
        put(Path::new("/dev/null"), true, b"gone").unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }

    #[test]
    fn temporary_files_are_known_by_their_tag() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.bvh");
        let staging = Staging { replace: false, tag: "a1", may_continue: &|| true };
        let staged = stage(&path, staging, &|out| out.write_all(b"one")).unwrap();
        let name = folder.path().read_dir().unwrap().next().unwrap().unwrap().file_name();
        assert!(is_temporary(&name, "a1"), "{name:?}");
        assert!(
            !is_temporary(&name, "a") && !is_temporary(&name, "b1") && !is_temporary(OsStr::new("c.bvh"), "")
        );
        assert_eq!(staged.commit(), Ok(hash::Content::of(b"one")));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
    }
}
