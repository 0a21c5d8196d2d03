//! Clips of real motion files.

use mocap_formats::{Limits, amc, asf, bvh};
use mocap_model::{Clip, Unit, UnitSource};
use std::path::Path;
use std::sync::Arc;

/// The clip of a BVH or AMC file of the corpus, without its first `skip` frames. The test that calls this is skipped
/// without a corpus.
#[allow(dead_code, reason = "programs that are not tests look for the corpus themselves")]
pub(crate) fn real(path: &str, skip: usize) -> Clip {
    clip(&mocap_corpus::folder(), path, skip)
}

/// A clip of the fixtures.
#[allow(dead_code, reason = "programs that are not tests take real motions")]
pub(crate) fn fixture(name: &str) -> Clip {
    clip(&mocap_corpus::fixture("clips"), name, 0)
}

/// The clip of a BVH or AMC file below a folder, without its first `skip` frames.
pub(crate) fn clip(folder: &Path, path: &str, skip: usize) -> Clip {
    let read = |path: &str| std::fs::read(folder.join(path)).expect("a file of the corpus");
    let limits = Limits::default();
    let clip = if path.ends_with(".amc") {
        // As `01_01.amc` goes with `01.asf`, and `walk2.amc` with `walk.asf`.
        let stem = path.trim_end_matches(".amc");
        let subject = match stem.rsplit_once('_') {
            Some((subject, _)) => subject,
            None => stem.trim_end_matches(|c: char| c.is_ascii_digit()),
        };
        let skeleton = format!("{subject}.asf");
        let skeleton = asf::parse(&read(&skeleton), &limits).expect("a sound file").value;
        let motion = amc::parse(&read(path), &limits).expect("a sound file").value;
        amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).expect("a sound file").value
    } else {
        let document = bvh::parse(&read(path), &limits).expect("a sound file").value;
        bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a sound file").value
    };
    let clip = clip.trimmed(skip..clip.frames()).expect("more frames than are skipped");
    // BVH states no unit; these are in that of the database's own files, and of the generator.
    let metres = match path {
        _ if path.ends_with(".amc") => return clip,
        _ if path.starts_with("cmu/") => Unit::CMU,
        _ if path.starts_with("alex_") => 0.01,
        _ if path.starts_with("robin_") => 1.0,
        _ => return clip,
    };
    let mut space = *clip.skeleton().space();
    space.unit = Some(Unit { metres, source: UnitSource::Flag });
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).expect("the same joints")
}
