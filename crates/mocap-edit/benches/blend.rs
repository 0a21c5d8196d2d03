//! Frames per second of a blend of two motions by phase, one thread, without foot lock; preparing
//! the motions is not measured. The walk and run are Bandai Namco's where the corpus is there, else
//! the fixture's walk at two speeds.

#![allow(clippy::print_stdout, missing_docs, reason = "says that it takes the fixture")]

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_edit::{BlendOptions, PreparedBlend};
use mocap_model::Clip;

fn read(path: &Path) -> Clip {
    let bytes = std::fs::read(path).expect("a file");
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).expect("a BVH").value;
    mocap_formats::bvh::to_clip(&document, &Default::default()).expect("a motion").value
}

fn clips() -> [Clip; 2] {
    match mocap_corpus::find() {
        Ok(folder) => {
            ["walk", "run"].map(|name| read(&folder.join(format!("bandai/dataset-1_{name}_normal_001.bvh"))))
        }
        Err(missing) => {
            println!("the walk is the fixture's: benchmarks of a captured walk and run {missing}");
            let walk = read(&mocap_corpus::fixture("clips/alex_walk.bvh"));
            let (fast, _) = mocap_edit::speed(&walk, 1.5).expect("a speed");
            [walk, fast]
        }
    }
}

fn blend(criterion: &mut Criterion) {
    let clips = clips();
    let options = BlendOptions { lock_feet: false, duration: Some(60.0), ..BlendOptions::default() };
    let prepared = PreparedBlend::new(&clips, &options).expect("two gaits");
    let frames = prepared.motion(&[0.5, 0.5]).expect("a blend").frames();
    let mut group = criterion.benchmark_group("blend");
    group.throughput(Throughput::Elements(frames as u64));
    group.bench_function("two clips with phases", |bencher| {
        bencher.iter(|| prepared.motion(black_box(&[0.4, 0.6])).expect("a blend"));
    });
    group.finish();
}

criterion_group!(benches, blend);
criterion_main!(benches);
