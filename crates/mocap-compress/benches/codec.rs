//! Speed of encoding, of decoding whole clips, and of sampling poses.
//!
//! Throughput is counted in raw bytes: joints without end sites × frames × 40. Without the corpus,
//! generated motions with as many joints are used. `cargo bench -p mocap-compress`.

#[path = "../tests/motion/mod.rs"]
mod motion;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mocap_compress::{
    CompressOptions, Compressed, Looping, OpenLimits, Profile, Sampler, compress, raw_bytes,
};
use mocap_model::Clip;
use motion::{Character, Noise};
use std::hint::black_box;

/// Number of joints, a captured clip with that number, its unit \[m\].
const CLIPS: [(usize, &str, f64); 3] = [
    (22, "bandai/dataset-1_dance-short_normal_001.bvh", 0.0104288),
    (31, "misc/xia_neutral_01.bvh", 0.0569998),
    (100, "iclone/005_10.bvh", 0.0085648),
];

fn clips() -> Vec<(usize, Clip)> {
    let corpus = mocap_corpus::find();
    let clip = |(joints, file, metres): &(usize, &str, f64)| {
        let clip = match &corpus {
            Ok(folder) => motion::bvh(&folder.join(file), *metres),
            Err(_) => motion::clip(Character::Calm, joints / 3, 400),
        };
        (*joints, clip)
    };
    CLIPS.iter().map(clip).collect()
}

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.sample_size(10);
    for (joints, clip) in clips() {
        group.throughput(Throughput::Bytes(raw_bytes(clip.skeleton(), clip.frames())));
        for profile in Profile::ALL {
            let options = CompressOptions { profile, ..CompressOptions::default() };
            group.bench_function(format!("{profile}/{joints} joints"), |bench| {
                bench.iter(|| compress(black_box(&clip), &options).unwrap().bytes.len());
            });
        }
    }
}

fn opened(clip: &Clip, profile: Profile) -> Compressed {
    let bytes = compress(clip, &CompressOptions { profile, ..CompressOptions::default() }).unwrap().bytes;
    Compressed::open(bytes, &OpenLimits::default()).unwrap()
}

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    for (joints, clip) in clips() {
        group.throughput(Throughput::Bytes(raw_bytes(clip.skeleton(), clip.frames())));
        for profile in Profile::ALL {
            let compressed = opened(&clip, profile);
            group.bench_function(format!("{profile}/{joints} joints"), |bench| {
                bench.iter(|| {
                    let mut sampler = compressed.sampler();
                    let mut pose = sampler.pose();
                    for frame in 0..clip.frames() {
                        sampler.frame(frame, &mut pose);
                        black_box(&pose);
                    }
                });
            });
        }
    }
}

/// Whole poses, interpolated between two frames. Of the runtime profile: within a decoded segment (warm), frame by
/// frame through the clip (forward, with the decoding of segments), anywhere in the clip (random), after opening
/// (cold), and anywhere in a clip that is held decoded (in memory). Of the direct profile: forward, random, random
/// by a sampler that keeps no frames, and cold.
fn pose(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pose");
    for (joints, clip) in clips() {
        let [runtime, direct] = [Profile::Runtime, Profile::Direct].map(|profile| opened(&clip, profile));
        let frame_time = clip.rate().frame_time();
        let duration = clip.duration();
        let mut sample = |name: &str, mut sampler: Sampler<'_>, time: &mut dyn FnMut() -> f64| {
            let mut pose = sampler.pose();
            group.bench_function(format!("{name}/{joints} joints"), |bench| {
                bench.iter(|| sampler.sample(black_box(time()), Looping::Wrap, &mut pose));
            });
        };
        let anywhere = |seed: u64| {
            let mut noise = Noise(seed);
            move || noise.next().abs() * duration
        };
        let forward = || {
            let mut at = 0.0;
            move || {
                at += 1.01;
                at * frame_time
            }
        };
        let mut warm = Noise(2);
        sample("warm", runtime.sampler(), &mut || (15.0 + 14.0 * warm.next()) * frame_time);
        sample("direct, random", direct.sampler(), &mut anywhere(1));
        sample("direct, forward", direct.sampler(), &mut forward());
        sample("direct, small", direct.small_sampler(), &mut anywhere(1));
        sample("forward", runtime.sampler(), &mut forward());
        sample("random", runtime.sampler(), &mut anywhere(1));
        sample("in memory, random", runtime.sampler_in_memory(), &mut anywhere(3));
        for (name, compressed) in [("cold", &runtime), ("direct, cold", &direct)] {
            group.bench_function(format!("{name}/{joints} joints"), |bench| {
                bench.iter_batched(
                    || compressed.sampler(),
                    |mut sampler| {
                        let mut pose = sampler.pose();
                        sampler.sample(frame_time * 3.3, Looping::Clamp, &mut pose);
                        pose
                    },
                    BatchSize::SmallInput,
                );
            });
        }
    }
}

criterion_group!(benches, encode, decode, pose);
criterion_main!(benches);
