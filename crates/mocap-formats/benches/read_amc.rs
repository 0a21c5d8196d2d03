//! Reading whole AMC files from memory on one thread, to documents and on to clips.
//!
//! On the CMU files of `MOCAP_CORPUS`, without them on a motion of the same shape made
//! here.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_formats::{Limits, amc, asf};
use std::hint::black_box;

/// As many bones, values and digits a frame as a CMU file, and its exponents.
fn made(frames: usize) -> Vec<u8> {
    let widths = [6, 3, 3, 3, 3, 3, 3, 2, 3, 1, 1, 2, 1, 2, 2, 3, 1, 1, 2, 1, 2, 3, 1, 2, 1, 3, 1, 2, 1];
    let mut text = String::from(":FULLY-SPECIFIED\n:DEGREES\n");
    for frame in 0..frames {
        text.push_str(&format!("{}\n", frame + 1));
        for (bone, width) in widths.iter().enumerate() {
            text.push_str(if bone == 0 { "root" } else { "" });
            text.push_str(&if bone == 0 { String::new() } else { format!("lowerbone{bone}") });
            for value in 0..*width {
                let angle = ((frame * 7 + bone * 131 + value * 17) as f64).sin() * 90.0;
                match *width == 2 && bone < 16 {
                    true => text.push_str(&format!(" {:.5}e-015", angle / 10.0)),
                    false => text.push_str(&format!(" {angle:.4}")),
                }
            }
            text.push('\n');
        }
    }
    text.into_bytes()
}

fn read(criterion: &mut Criterion) {
    let folder = mocap_corpus::find();
    let mut group = criterion.benchmark_group("amc");
    let text = made(2000);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("document/made", |bench| {
        bench.iter(|| amc::parse(black_box(&text), &Limits::default()).expect("a readable motion"));
    });
    for (skeleton, name) in [("01", "01_01"), ("charleston", "charleston2")] {
        let file = |name: String| std::fs::read(folder.as_ref().ok()?.join("cmu").join(name)).ok();
        let (Some(asf), Some(text)) = (file(format!("{skeleton}.asf")), file(format!("{name}.amc"))) else {
            continue;
        };
        let skeleton = asf::parse(&asf, &Limits::default()).expect("a readable skeleton").value;
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format!("document/{name}"), |bench| {
            bench.iter(|| amc::parse(black_box(&text), &Limits::default()).expect("a readable motion"));
        });
        group.bench_function(format!("clip/{name}"), |bench| {
            bench.iter(|| {
                let motion = amc::parse(black_box(&text), &Limits::default()).expect("a readable motion");
                amc::to_clip(&skeleton, &motion.value, &amc::ClipOptions::default()).expect("a clip")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
