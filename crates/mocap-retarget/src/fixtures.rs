//! Clips for unit tests.

use mocap_formats::bvh;
use mocap_model::Clip;

/// A clip of the project's fixtures.
pub(crate) fn clip(name: &str) -> Clip {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips");
    let bytes = std::fs::read(folder.join(name)).expect("a fixture");
    let document = bvh::parse(&bytes, &mocap_formats::Limits::default()).expect("a sound file").value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a sound file").value
}
