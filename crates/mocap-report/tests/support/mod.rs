//! Motions from files, with roles.

use mocap_formats::{Limits, bvh};
use mocap_model::Clip;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of real motion files: `MOCAP_CORPUS`, else beside the checkout; `None` where there is none.
pub(crate) fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MOCAP_CORPUS").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

pub(crate) fn fixture(name: &str) -> Clip {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips").join(name))
}

pub(crate) fn read(path: &Path) -> Clip {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = bvh::parse(&bytes, &Limits::default()).expect("a BVH file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a motion").value;
    let roles = mocap_retarget::map_roles(clip.skeleton());
    let skeleton = Arc::new(roles.apply(clip.skeleton()));
    clip.with_skeleton(skeleton).expect("the same joints")
}
