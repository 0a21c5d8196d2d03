//! Absolute paths, and the common directory of inputs: outputs mirror the tree below it.

use std::path::{Component, Path, PathBuf};

/// A path from the root of the file system, without `.` and `..`; symbolic links are not followed.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// The deepest directory that contains all of these absolute directories.
pub(crate) fn common(folders: &[PathBuf]) -> PathBuf {
    let Some((first, others)) = folders.split_first() else { return PathBuf::new() };
    others.iter().fold(first.clone(), |common, folder| {
        let shared = common.components().zip(folder.components()).take_while(|(a, b)| a == b);
        shared.map(|(component, _)| component).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_folder_is_the_deepest_one() {
        let folders = ["/db/cmu/01", "/db/cmu/02", "/db/cmu"].map(PathBuf::from);
        assert_eq!(common(&folders[..1]), Path::new("/db/cmu/01"));
        assert_eq!(common(&folders), Path::new("/db/cmu"));
        assert_eq!(common(&["/a".into(), "/b".into()]), Path::new("/"));
        // Components are compared, not letters.
        assert_eq!(common(&["/db/cmu1".into(), "/db/cmu2".into()]), Path::new("/db"));
    }

    #[test]
    fn detours_are_left_out() {
        assert_eq!(absolute(Path::new("/a/./b/../c")), Path::new("/a/c"));
        assert!(absolute(Path::new("x")).is_absolute());
    }
}
