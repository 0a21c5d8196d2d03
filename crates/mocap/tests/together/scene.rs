//! Targets of the corpus, and people on them.

use mocap::{Clip, Opening, RetargetedPeople, Target, Together};

pub(crate) const BODIES: [&str; 5] = ["child", "heavy_man", "old_thin_woman", "strong_man", "woman"];

pub(crate) fn body(name: &str) -> Target {
    let path = mocap_corpus::folder().join(format!("bodies/{name}.glb"));
    mocap::read_target(path, &Default::default()).expect("a sound file").value
}

pub(crate) fn clip(path: &str) -> Clip {
    let clip = mocap::read(mocap_corpus::folder().join(path)).expect("a sound file").value;
    match path.starts_with("cmu/") && path.ends_with(".bvh") {
        true => clip.trimmed(1..clip.frames()).expect("more frames than one"),
        false => clip,
    }
}

pub(crate) fn put(people: &[Clip; 2], targets: [&Target; 2]) -> RetargetedPeople {
    let person = |i: usize| Together {
        name: ["a", "b"][i].into(),
        clip: people[i].clone(),
        opening: Opening::default(),
        target: targets[i],
        mapping: None,
        options: Default::default(),
    };
    mocap::put_together(vec![person(0), person(1)], &[], &mut Vec::new()).expect("people")
}
