//! Motions from files, with roles.

use mocap_formats::{Limits, bvh};
use mocap_model::Clip;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn fixture(name: &str) -> Clip {
    read(&mocap_corpus::fixture("clips").join(name))
}

pub(crate) fn read(path: &Path) -> Clip {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = bvh::parse(&bytes, &Limits::default()).expect("a BVH file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a motion").value;
    let roles = mocap_retarget::map_roles(clip.skeleton());
    let skeleton = Arc::new(roles.apply(clip.skeleton()));
    clip.with_skeleton(skeleton).expect("the same joints")
}
