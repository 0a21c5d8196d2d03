//! Files that a file refers to; they are read from its own folder only, meshes of robots from the one above it too.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mocap_formats::{Beside, FilesBeside, Finding, Format, Limits, ReadError};

use crate::Problem;

/// Reads the files that a file refers to, with `read`, which gets a path and the greatest size
/// \[bytes\]. Missing files are left out; the reader of the format reports them. `path` is that of
/// the file; without it, nothing is read.
///
/// ```
/// use mocap::{Format, Limits, files_beside};
///
/// let path = "../../fixtures/clips/alex_walk.bvh".as_ref();
/// let read = |path: &std::path::Path, limit: u64| mocap::file_bytes(path, limit);
/// let files = files_beside(Some(path), &read(path, 1 << 20)?, Format::Bvh, &Limits::default(), read)?;
/// assert!(files.unwrap().is_empty());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// The outer error is that of `read`. The inner one is that of the file: it is invalid, needs a
/// file from another folder, or refers to a file whose content is not there (a Git LFS pointer).
pub fn files_beside<E>(
    path: Option<&Path>,
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    mut read: impl FnMut(&Path, u64) -> Result<Vec<u8>, E>,
) -> Result<Result<FilesBeside, ReadError>, E> {
    let mut files = FilesBeside::new();
    let folder = path.map(|path| path.parent().unwrap_or(Path::new("")));
    let mut left = limits.bytes;
    let mut looked_for = HashSet::new();
    if let (Some(path), Some(behind)) = (path, format.sidecar())
        && let Some(folder) = folder
        && let Some(name) = Beside::Behind(behind).path(path).file_name().and_then(|name| name.to_str())
        && let Some(file) = inside(folder, name)
    {
        let content = read(&file, left as u64)?;
        left = left.saturating_sub(content.len());
        files.insert(behind.to_owned(), content.into());
    }
    // A file that was read may refer to further files.
    loop {
        let names = match format.files_beside(bytes, &files, limits) {
            Ok(names) => names,
            Err(failed) => return Ok(Err(failed)),
        };
        let Some(folder) = folder else { return Ok(Ok(files)) };
        let new: Vec<_> = names.into_iter().filter(|name| looked_for.insert(name.path.clone())).collect();
        if new.is_empty() {
            return Ok(Ok(files));
        }
        for name in new {
            if name.needed && leads_out(folder, &name.path) {
                return Ok(Err(Finding::new(Problem::LinkOut { path: name.path }).into()));
            }
            if let Some(file) = inside(folder, &name.path) {
                let content = read(&file, left as u64)?;
                // A robot can be read without its meshes; its reader reports that.
                let does_without = !name.needed && matches!(format, Format::Urdf | Format::Mjcf);
                if content.starts_with(mocap_formats::LFS_POINTER) && !does_without {
                    return Ok(Err(Finding::new(Problem::LfsPointer { path: name.path }).into()));
                }
                left = left.saturating_sub(content.len());
                files.insert(name.path, content.into());
            }
        }
    }
}

/// Whether a file of a folder exists but is a link to another place.
fn leads_out(folder: &Path, name: &str) -> bool {
    folder.join(name).is_file() && inside(folder, name).is_none()
}

/// The path of a file in a folder; `None` if none exists, or a link leads out of the folder.
fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let top = if name.starts_with("../") { here.join("..") } else { here.to_owned() };
    let file = folder.join(name);
    let real = file.canonicalize().ok()?;
    (real.starts_with(top.canonicalize().ok()?) && real.is_file()).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_do_not_lead_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(folder.path().join("secret"), "x").unwrap();
        std::fs::write(inner.join("a.bin"), "x").unwrap();
        assert!(inside(&inner, "a.bin").is_some());
        assert_eq!(inside(&inner, "b.bin"), None);
        assert!(inside(&inner, "../secret").is_some() && inside(&inner, "../../secret").is_none());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret"), inner.join("link")).unwrap();
            assert_eq!(inside(&inner, "link"), None);
            assert!(leads_out(&inner, "link") && !leads_out(&inner, "a.bin") && !leads_out(&inner, "b.bin"));
        }
    }

    /// The error of reading a glTF file with this buffer.
    fn beside(content: &[u8]) -> Result<FilesBeside, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gltf");
        std::fs::write(folder.path().join("a.bin"), content).unwrap();
        let gltf = br#"{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":1}]}"#;
        let read = |path: &Path, limit: u64| crate::file_bytes(path, limit);
        let files = files_beside(Some(&path), gltf, Format::Gltf, &Limits::default(), read).unwrap();
        files.map_err(|failed| failed.error.to_string())
    }

    #[test]
    fn pointers_of_git_lfs_are_called_that() {
        assert_eq!(beside(b"x").unwrap().len(), 1);
        let error = beside(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n").unwrap_err();
        assert!(error.contains("Git LFS") && error.contains("a.bin"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_called_that() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(folder.path().join("a.bin"), "x").unwrap();
        std::os::unix::fs::symlink(folder.path().join("a.bin"), inner.join("a.bin")).unwrap();
        let gltf = br#"{"asset":{"version":"2.0"},"buffers":[{"uri":"a.bin","byteLength":1}]}"#;
        let read = |path: &Path, limit: u64| crate::file_bytes(path, limit);
        let path = inner.join("a.gltf");
        let files = files_beside(Some(&path), gltf, Format::Gltf, &Limits::default(), read).unwrap();
        let error = files.unwrap_err().error.to_string();
        assert!(error.contains("link") && error.contains("a.bin"), "{error}");
    }
}
