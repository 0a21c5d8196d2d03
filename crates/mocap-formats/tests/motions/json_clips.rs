//! JSON clips: exact round trips.

use mocap_formats::{Limits, amc, asf, bvh, json};
use mocap_model::Clip;

fn parse(bytes: &[u8]) -> Clip {
    let parsed = json::parse(bytes, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    parsed.value
}

pub(crate) fn real_clips_come_back_to_the_last_bit() {
    let folder = mocap_corpus::folder();
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let skeleton = asf::parse(&read("cmu/01.asf"), &Limits::default()).unwrap().value;
    let motion = amc::parse(&read("cmu/01_01.amc"), &Limits::default()).unwrap().value;
    let acclaim = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
    let bytes = read("bandai/dataset-1_walk_normal_001.bvh");
    let document = bvh::parse(&bytes, &Limits::default()).unwrap().value;
    let bandai = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
    for clip in [acclaim, bandai] {
        assert_eq!(parse(&json::to_bytes(&clip)), clip);
    }
}

pub(crate) fn fixtures_come_back_to_the_last_bit() {
    let read = |name: &str| std::fs::read(mocap_corpus::fixture("clips").join(name)).unwrap();
    for (name, bytes) in mocap_corpus::fixtures("clips", "bvh") {
        let document = bvh::parse(&bytes, &Limits::default()).unwrap().value;
        let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        assert!(parse(&json::to_bytes(&clip)) == clip, "{name}");
    }
    for (name, bytes) in mocap_corpus::fixtures("clips", "amc") {
        let skeleton = read(&format!("{}.asf", name.split('_').next().unwrap()));
        let skeleton = asf::parse(&skeleton, &Limits::default()).unwrap().value;
        let motion = amc::parse(&bytes, &Limits::default()).unwrap().value;
        let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
        assert!(parse(&json::to_bytes(&clip)) == clip, "{name}");
    }
}
