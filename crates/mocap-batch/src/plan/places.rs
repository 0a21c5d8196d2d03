//! Decides which paths are the same file: by the place that they resolve to, and by letters if the file system
//! ignores case.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::root;

/// Resolves paths; all paths of one file resolve to the same place.
#[derive(Default)]
pub(super) struct Places {
    /// Resolved directories, by name: most files of a database share a few.
    folders: HashMap<PathBuf, PathBuf>,
}

impl Places {
    /// The place that a path resolves to; for a file that does not exist yet, where it will be.
    pub(super) fn of(&mut self, path: &Path) -> PathBuf {
        let is_link = path.symlink_metadata().is_ok_and(|data| data.is_symlink());
        let (Some(name), false) = (path.file_name(), is_link) else {
            return path.canonicalize().unwrap_or_else(|_| root::absolute(path));
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Some(known) = self.folders.get(folder) {
            return known.join(name);
        }
        let place = existing(folder);
        let place = self.folders.entry(folder.to_owned()).or_insert(place);
        place.join(name)
    }
}

/// The place of a directory, which may not exist yet: links are followed as far as it exists.
fn existing(folder: &Path) -> PathBuf {
    let folder = root::absolute(folder);
    let there = folder.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    there.map_or(folder.clone(), |(above, place)| match folder.strip_prefix(above) {
        Ok(rest) if !rest.as_os_str().is_empty() => place.join(rest),
        _ => place,
    })
}

/// A path as seen by a file system that ignores case.
pub(super) fn folded(path: &Path) -> Vec<u8> {
    match path.to_str() {
        Some(text) => text.to_lowercase().into_bytes(),
        None => path.as_os_str().as_encoded_bytes().to_ascii_lowercase(),
    }
}

/// Whether the file system of a directory ignores case; if the directory does not exist, of its first existing
/// parent. It is found by looking up an existing name in the other case, without writing anything.
pub(super) fn folds_case(folder: &Path) -> bool {
    let folder = root::absolute(folder);
    let Some(there) = folder.ancestors().find(|above| above.is_dir()) else { return false };
    let inside =
        there.read_dir().into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).take(100);
    let swapped = |path: PathBuf| Some((path.with_file_name(swap_case(path.file_name()?)?), path));
    let Some((other, path)) = inside.chain([there.to_owned()]).find_map(swapped) else { return false };
    other.canonicalize().is_ok_and(|other| path.canonicalize().is_ok_and(|path| path == other))
}

/// The name in the other case, where it has letters.
fn swap_case(name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let swapped: String = name.chars().map(swap).collect();
    (swapped != name).then_some(swapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_tested_with_existing_names() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("123"), "").unwrap();
        std::fs::write(folder.path().join("walk.bvh"), "").unwrap();
        let folds = folder.path().join("WALK.BVH").exists();
        assert_eq!(folds_case(folder.path()), folds);
        assert_eq!(folds_case(&folder.path().join("not/there/yet")), folds);
        if !folds {
            // If both exist, nothing is proved.
            std::fs::write(folder.path().join("WALK.BVH"), "").unwrap();
            assert!(!folds_case(folder.path()));
        }
        assert_eq!(swap_case(OsStr::new("Walk 1")), Some("wALK 1".into()));
        assert_eq!(swap_case(OsStr::new("12")), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_one_place() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("a")).unwrap();
        std::fs::write(at("a/x"), "").unwrap();
        std::os::unix::fs::symlink("a", at("b")).unwrap();
        std::os::unix::fs::symlink("a/x", at("y")).unwrap();
        let mut places = Places::default();
        let x = places.of(&at("a/x"));
        assert_eq!(
            [at("b/x"), at("y"), at("a/../b/x")].map(|path| places.of(&path)),
            [x.clone(), x.clone(), x]
        );
        assert_eq!(places.of(&at("b/new/z")), places.of(&at("a/new/z")));
        assert_ne!(places.of(&at("a/z")), places.of(&at("z")));
    }
}
