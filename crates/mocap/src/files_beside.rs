//! Files that a file refers to: read only from its own folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mocap_formats::{Beside, FilesBeside, Format, Limits, Rejected};

/// Reads what a file refers to, by `read`; a file that is missing is left out, and the reader of the format says so.
/// `path` is that of the file; without a path no files are beside it.
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
/// Of the file in the inner result, where it cannot be understood or needs a file of another place; else of `read`.
pub fn files_beside<E>(
    path: Option<&Path>,
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    mut read: impl FnMut(&Path, u64) -> Result<Vec<u8>, E>,
) -> Result<Result<FilesBeside, Rejected>, E> {
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
            Err(rejected) => return Ok(Err(rejected)),
        };
        let Some(folder) = folder else { return Ok(Ok(files)) };
        let new: Vec<_> = names.into_iter().filter(|name| looked_for.insert(name.path.clone())).collect();
        if new.is_empty() {
            return Ok(Ok(files));
        }
        for name in new {
            if let Some(file) = inside(folder, &name.path) {
                let content = read(&file, left as u64)?;
                // One byte more than the limit: the reader of the format reports it.
                left = left.saturating_sub(content.len());
                files.insert(name.path, content.into());
            }
        }
    }
}

/// The path of a file in a folder; `None` if none exists, or a link leads out of the folder.
fn inside(folder: &Path, name: &str) -> Option<PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = folder.join(name);
    let real = file.canonicalize().ok()?;
    (real.starts_with(here.canonicalize().ok()?) && real.is_file()).then_some(file)
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
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("secret"), inner.join("link")).unwrap();
            assert_eq!(inside(&inner, "link"), None);
        }
    }
}
