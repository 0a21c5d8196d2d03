//! Files written whole or not at all: into a temporary file of the same folder, then renamed.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::batch::hash;
use crate::diagnostic::Diagnostic;
use crate::interrupt::{self, Watched};

/// Something that puts the content of a file into a stream.
pub(crate) type Content<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// How a file is written.
#[derive(Clone, Copy)]
pub(crate) struct Staging<'a> {
    /// Whether a file that has come to be there in the meantime is replaced, or left alone.
    pub(crate) replace: bool,
    /// Part of the temporary name.
    pub(crate) tag: &'a str,
    /// Asked again and again while the file is written.
    pub(crate) may_go_on: &'a dyn Fn() -> bool,
}

/// A file that is complete and not yet in its place; it goes away where it is dropped.
pub(crate) struct Staged {
    path: PathBuf,
    replace: bool,
    /// `None` of a device, which has its content already.
    file: Option<(NamedTempFile, Watched)>,
    content: hash::Content,
}

/// The start of the names of temporary files.
const PREFIX: &str = ".mocap-";
/// Their end.
const SUFFIX: &str = ".tmp";

/// Whether a file is a temporary one with this tag.
pub(crate) fn is_temporary(name: &OsStr, tag: &str) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    rest.and_then(|rest| rest.strip_prefix(tag)).is_some_and(|rest| rest.starts_with('-'))
}

/// Writes a file and gives its size [bytes]; folders above it are made. Unless `replace`, a file that has come
/// to be there in the meantime is left alone.
pub(crate) fn atomically(path: &Path, replace: bool, content: Content<'_>) -> Result<u64, Diagnostic> {
    let staging = Staging { replace, tag: "", may_go_on: &|| true };
    Ok(staged(path, staging, content)?.commit()?.bytes)
}

/// Writes a file under a temporary name of its folder; folders above it are made.
pub(crate) fn staged(path: &Path, staging: Staging<'_>, content: Content<'_>) -> Result<Staged, Diagnostic> {
    let failed = |error: io::Error| Diagnostic::io("write", path, &error);
    let Staging { replace, tag, may_go_on } = staging;
    let done = |file, content| Staged { path: path.to_owned(), replace, file, content };
    // A device or pipe must not be replaced by a file.
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        let device = std::fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
        let (_, content) = counted(device, may_go_on, content).map_err(failed)?;
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
        // As any new file: the process's mask takes away from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let (mut file, watched) = interrupt::watched(|| builder.tempfile_in(folder)).map_err(failed)?;
    let (_, content) = counted(file.as_file_mut(), may_go_on, content).map_err(failed)?;
    Ok(done(Some((file, watched)), content))
}

impl Staged {
    /// Whether there is a file to be put in its place, and no device that has its content already.
    pub(crate) fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Puts the file in its place; gives its size and hash.
    pub(crate) fn commit(self) -> Result<hash::Content, Diagnostic> {
        let Staged { path, replace, file, content } = self;
        if let Some((file, _watched)) = file {
            let persisted = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
            persisted.map_err(|error| Diagnostic::io("write", &path, &error.error))?;
        }
        Ok(content)
    }
}

/// Fills a stream; gives the size and hash of what went through.
pub(crate) fn counted<W: Write>(
    stream: W,
    may_go_on: &dyn Fn() -> bool,
    content: Content<'_>,
) -> io::Result<(W, hash::Content)> {
    struct Counted<'a, W>(W, u64, hash::Hasher, &'a dyn Fn() -> bool);
    impl<W: Write> Write for Counted<'_, W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !(self.3)() {
                return Err(io::Error::other("broken off"));
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
    let counted = Counted(stream, 0, hash::Hasher::default(), may_go_on);
    let mut buffered = BufWriter::with_capacity(1 << 16, counted);
    content(&mut buffered)?;
    let Counted(stream, bytes, hasher, _) = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((stream, hash::Content { bytes, hash: hasher.hash() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, replace: bool, bytes: &[u8]) -> Result<u64, &'static str> {
        atomically(path, replace, &|out| out.write_all(bytes)).map_err(|error| error.code)
    }

    #[test]
    fn a_failure_half_way_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.bvh");
        let broken = atomically(&path, false, &|out| {
            out.write_all(&[b'x'; 1 << 20])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(broken.unwrap_err().code, "io::disk-full");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn folders_are_made_and_nothing_else_is_left() {
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
        let staging = Staging { replace: false, tag: "a1", may_go_on: &|| true };
        let staged = staged(&path, staging, &|out| out.write_all(b"one")).unwrap();
        let name = folder.path().read_dir().unwrap().next().unwrap().unwrap().file_name();
        assert!(is_temporary(&name, "a1"), "{name:?}");
        assert!(
            !is_temporary(&name, "a") && !is_temporary(&name, "b1") && !is_temporary(OsStr::new("c.bvh"), "")
        );
        assert_eq!(staged.commit(), Ok(hash::Content::of(b"one")));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
    }
}
