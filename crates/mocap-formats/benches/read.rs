//! Throughput of BVH: bytes of the file a second, one thread, file in memory.
//!
//! On text made here and, where they are (`MOCAP_CORPUS`), on real files:
//! `cargo bench -p mocap-formats --bench read`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_formats::{Limits, bvh};
use std::hint::black_box;

/// As a converter of the CMU database writes: 38 joints, four decimals.
fn generated() -> Vec<u8> {
    let joints = 37;
    let mut text = String::from("HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n");
    text += "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n";
    for joint in 0..joints {
        text += &format!("\tJOINT Joint{joint}\n\t{{\n\t\tOFFSET 0 {joint}.5 0\n");
        text += "\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n\t}\n";
    }
    text += "}\nMOTION\nFrames: 2000\nFrame Time: .0083333\n";
    let mut angle = 0.1f64;
    for _ in 0..2000 {
        for _ in 0..6 + 3 * joints {
            angle = (angle * 997.0 + 0.37) % 180.0;
            text += &format!("{:.4} ", angle - 90.0);
        }
        text += "\n";
    }
    text.into_bytes()
}

fn files() -> Vec<(String, Vec<u8>)> {
    let folder = mocap_corpus::find();
    let mut files = vec![("generated".to_owned(), generated())];
    for name in ["cmu/01_01.bvh", "iclone/001_14.bvh", "bandai/dataset-1_dance-short_normal_001.bvh"] {
        match &folder {
            Ok(folder) => {
                files
                    .push((name.to_owned(), std::fs::read(folder.join(name)).expect("a file of the corpus")));
            }
            Err(missing) => report(&format!("skipped: benchmarks on {name} {missing}")),
        }
    }
    files
}

#[allow(clippy::print_stderr, reason = "this is a program for developers")]
fn report(line: &str) {
    eprintln!("{line}");
}

fn bvh(criterion: &mut Criterion) {
    let limits = Limits::default();
    let options = bvh::ClipOptions::default();
    for (name, bytes) in files() {
        let document = bvh::parse(&bytes, &limits).expect("a good file").value;
        let clip = bvh::to_clip(&document, &options).expect("a good file").value;
        let mut group = criterion.benchmark_group(format!("bvh/{name}"));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("parse", |b| b.iter(|| bvh::parse(black_box(&bytes), &limits)));
        group.bench_function("to_clip", |b| b.iter(|| bvh::to_clip(black_box(&document), &options)));
        group.bench_function("to_bytes", |b| b.iter(|| black_box(&document).to_bytes()));
        let write = bvh::WriteOptions::default();
        group.bench_function("from_clip", |b| b.iter(|| bvh::from_clip(black_box(&clip), &write).unwrap()));
        group.finish();
    }
}

criterion_group!(benches, bvh);
criterion_main!(benches);
