//! How long a page and a sheet take: `cargo bench -p mocap-report`.

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use mocap_report::sheet::{SheetInput, SheetOptions, png, svg};
use mocap_report::view::{ViewInput, ViewOptions, html};
use std::hint::black_box;
use support::{fixture, read};

fn pictures(c: &mut Criterion) {
    let mut clips = vec![("fixture walk, 301 frames, 24 joints", fixture("alex_walk.bvh"))];
    if let Ok(folder) = mocap_corpus::find() {
        let real = |file: &str| read(&folder.join(file));
        clips.push(("dance, 1,901 frames, 22 joints", real("bandai/dataset-1_dance-short_normal_001.bvh")));
        clips.push(("acrobat, 1,169 frames, 100 joints", real("iclone/001_14.bvh")));
    }
    for (name, clip) in &clips {
        let mut group = c.benchmark_group(*name);
        let (view, sheet) = ([ViewInput::new(name, clip)], [SheetInput::new(name, clip)]);
        group.bench_function("view", |b| b.iter(|| html(black_box(&view), &ViewOptions::default())));
        group.bench_function("sheet svg", |b| b.iter(|| svg(black_box(&sheet), &SheetOptions::default())));
        group.bench_function("sheet png", |b| b.iter(|| png(black_box(&sheet), &SheetOptions::default())));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = pictures
}
criterion_main!(benches);
