//! Finds the manifests that a user names: files, or those in a directory of outputs.

use std::path::{Path, PathBuf};

use super::options::{default_name, shard_of_name};
use super::reader::Manifest;
use crate::error::BatchError;

/// A manifest and where it was read.
#[derive(Debug)]
pub struct NamedManifest {
    /// The file.
    pub path: PathBuf,
    /// What it records; without a header where no clip has been started.
    pub manifest: Manifest,
}

/// Reads manifests: files, or those in directories of outputs. Of a directory with both, those of shards are taken with
/// `shards_first`, else the one of a whole run.
///
/// # Errors
/// Where a directory holds no manifest, or a manifest cannot be read.
pub fn read_manifests(named: &[PathBuf], shards_first: bool) -> Result<Vec<NamedManifest>, BatchError> {
    let mut paths = Vec::new();
    for path in named {
        match path.is_dir() {
            true => paths.extend(in_directory(path, shards_first)?),
            false => paths.push(path.clone()),
        }
    }
    let read = |path: PathBuf| Ok(NamedManifest { manifest: Manifest::open(&path)?, path });
    paths.into_iter().map(read).collect()
}

fn in_directory(directory: &Path, shards_first: bool) -> Result<Vec<PathBuf>, BatchError> {
    let entries = directory.read_dir().map_err(|error| BatchError::io("search", directory, &error))?;
    let of_shard = |path: PathBuf| Some((shard_of_name(path.file_name()?.to_str()?)?, path));
    let mut shards: Vec<_> =
        entries.filter_map(|entry| entry.ok()).filter_map(|entry| of_shard(entry.path())).collect();
    shards.sort();
    let shards: Vec<PathBuf> = shards.into_iter().map(|(_, path)| path).collect();
    let whole = directory.join(default_name(None));
    match (whole.is_file(), shards.is_empty()) {
        (true, _) if !shards_first || shards.is_empty() => Ok(vec![whole]),
        (_, false) => Ok(shards),
        _ => Err(BatchError::NoManifest(directory.to_owned())),
    }
}
