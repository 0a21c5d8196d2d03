//! Joint-frames per second of denoising, one thread: 600 frames of a walk with noise of 1° per axis at 30, 60 and 120
//! frames per second. The walk is CMU's where the corpus is there, else the fixture's, repeated.

#![allow(missing_docs, reason = "a benchmark")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_edit::{Denoise, denoise};
use mocap_model::{Clip, FrameRate, JointTracks, Track, Vector3, exp};

const FRAMES: usize = 600;

/// A uniform number of mean 0 and deviation 1.
fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 11) as f64 / (1u64 << 53) as f64 - 0.5) * 12f64.sqrt()
}

fn noisy_walk(fps: f64) -> Clip {
    let path = match mocap_corpus::find() {
        Ok(folder) => folder.join("cmu/12_01_walk.bvh"),
        Err(_) => mocap_corpus::fixture("clips").join("alex_walk.bvh"),
    };
    let bytes = std::fs::read(path).expect("a readable walk");
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).expect("a BVH").value;
    let walk = mocap_formats::bvh::to_clip(&document, &Default::default()).expect("a motion").value;
    let rate = FrameRate::new(fps).expect("a rate");
    let walk = walk.resampled(rate).expect("a motion");
    let mut state = 1;
    let tracks = walk.skeleton().joints().iter().zip(walk.tracks()).map(|(joint, tracks)| {
        // Forwards and backwards in turn, without a jump.
        let last = walk.frames() - 1;
        let places = (0..FRAMES).map(|frame| match (frame / last) % 2 {
            0 => frame % last,
            _ => last - frame % last,
        });
        let mut noisy = |place: usize| {
            let size = 1f64.to_radians();
            tracks.rotation.at(place) * exp(&Vector3::from_fn(|_, _| size * noise(&mut state)))
        };
        let rotation = match joint.end_site {
            true => tracks.rotation.clone(),
            false => Track::Sampled(places.clone().map(&mut noisy).collect()),
        };
        let translation = tracks.translation.as_ref();
        let translation =
            translation.map(|track| Track::Sampled(places.map(|place| track.at(place)).collect()));
        JointTracks { rotation, translation, scale: None }
    });
    let tracks = tracks.collect();
    Clip::new(walk.skeleton().clone(), rate, FRAMES, tracks).expect("a motion")
}

fn benchmark(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("denoise");
    for fps in [30.0, 60.0, 120.0] {
        let walk = noisy_walk(fps);
        let joints = walk.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
        group.throughput(Throughput::Elements((joints * FRAMES) as u64));
        for method in ["auto", "butterworth:6"] {
            let method: Denoise = method.parse().expect("a method");
            group.bench_function(format!("{method}, {fps} fps"), |bencher| {
                bencher.iter(|| denoise(black_box(&walk), method).expect("a motion"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
