//! Real motion files, where they are there: `MOCAP_CORPUS`, else `../shared/data` beside the checkout.

use mocap_formats::{Limits, bvh};
use mocap_model::{Clip, Unit, UnitSource};
use std::path::Path;
use std::sync::Arc;

/// The clip of a BVH file of the corpus, without its first `skip` frames; says so where there is none.
pub(crate) fn bvh_clip(path: &str, skip: usize) -> Option<Clip> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MOCAP_CORPUS").map_or(beside, Into::into);
    if !folder.is_dir() {
        println!("skipped: no motion files at {} (set MOCAP_CORPUS)", folder.display());
        return None;
    }
    let bytes = std::fs::read(folder.join(path)).expect("a file of the corpus");
    let document = bvh::parse(&bytes, &Limits::default()).expect("a sound file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a sound file").value;
    let clip = clip.trimmed(skip..clip.frames()).expect("more frames than are skipped");
    // BVH states no unit; these are in that of the database's own files.
    if !path.starts_with("cmu/") {
        return Some(clip);
    }
    let mut space = *clip.skeleton().space();
    space.unit = Some(Unit { metres: Unit::CMU, source: UnitSource::Flag });
    let skeleton = clip.skeleton().with_space(space);
    Some(clip.with_skeleton(Arc::new(skeleton)).expect("the same joints"))
}
