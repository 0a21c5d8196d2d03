//! Files written whole or not at all: into a temporary file of the same folder, then renamed.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::Builder;

use crate::diagnostic::Diagnostic;
use crate::interrupt;

/// Something that puts the content of a file into a stream.
pub(crate) type Content<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Writes a file and gives its size [bytes]; folders above it are made. Unless `replace`, a file that has come
/// to be there in the meantime is left alone.
pub(crate) fn atomically(path: &Path, replace: bool, content: Content<'_>) -> Result<u64, Diagnostic> {
    let failed = |error: io::Error| Diagnostic::io("write", path, &error);
    // A device or pipe must not be replaced by a file.
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        let device = std::fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
        return counted(device, content).map(|(_, bytes)| bytes).map_err(failed);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = Builder::new();
    builder.prefix(".mocap-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: the process's mask takes away from it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let (file, _partial) = interrupt::watched(|| builder.tempfile_in(folder)).map_err(failed)?;
    let (file, bytes) = counted(file, content).map_err(failed)?;
    let persisted = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    persisted.map_err(|error| failed(error.error))?;
    Ok(bytes)
}

/// Fills a stream and counts what went through.
pub(crate) fn counted<W: Write>(stream: W, content: Content<'_>) -> io::Result<(W, u64)> {
    struct Counted<W>(W, u64);
    impl<W: Write> Write for Counted<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = self.0.write(bytes)?;
            self.1 += written as u64;
            Ok(written)
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
    let mut buffered = BufWriter::with_capacity(1 << 16, Counted(stream, 0));
    content(&mut buffered)?;
    let Counted(stream, bytes) = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((stream, bytes))
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
}
