//! Motions for unit tests.

use mocap_model::Clip;

/// A motion of the fixtures.
pub(crate) fn clip(name: &str) -> Clip {
    let path = mocap_corpus::fixture(&format!("clips/{name}"));
    let bytes = std::fs::read(path).unwrap();
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
    mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value
}
