//! Times to open a file, to sample its first pose, and to sample a warm pose: medians over many
//! rounds of one run.
//!
//!     cargo run --release -p mocap-compress --example opening -- METRES_PER_UNIT CLIP.bvh...

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints a table")]

use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, Profile, compress};
use mocap_formats::{Limits, bvh};
use mocap_model::{Clip, Unit, UnitSource};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const TURNS: usize = 401;

fn main() {
    let mut words = std::env::args().skip(1);
    let metres = words.next().and_then(|word| word.parse().ok());
    let Some(metres) = metres else {
        eprintln!("usage: opening METRES_PER_UNIT CLIP.bvh...");
        std::process::exit(2);
    };
    for file in words {
        let clip = read(&file, metres);
        println!("{file}, {} joints, {} frames", clip.skeleton().len(), clip.frames());
        measure(&clip);
    }
}

fn read(file: &str, metres: f64) -> Clip {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let document = bvh::parse(&bytes, &Limits::default()).expect("a sound file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a sound file").value;
    let mut space = *clip.skeleton().space();
    space.unit = Some(Unit { metres, source: UnitSource::Flag });
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(skeleton.into()).expect("it has as many joints as before")
}

/// The median time of some work [µs], with what it needs made before each turn.
fn time<T, R>(mut before: impl FnMut(usize) -> T, mut work: impl FnMut(T) -> R) -> f64 {
    let mut times: Vec<f64> = (0..TURNS)
        .map(|turn| {
            let needed = before(turn);
            let begun = Instant::now();
            let made = black_box(work(needed));
            let taken = begun.elapsed().as_secs_f64();
            drop(made);
            taken * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[TURNS / 2]
}

fn measure(clip: &Clip) {
    let bytes = |profile| -> Arc<[u8]> {
        compress(clip, &CompressOptions { profile, ..CompressOptions::default() })
            .expect("a sound clip")
            .bytes
            .into()
    };
    let [runtime, direct] = [Profile::Runtime, Profile::Direct].map(bytes);
    let limits = OpenLimits::default();
    let [warm, like] = [&runtime, &direct]
        .map(|bytes| Compressed::open(bytes.clone(), &limits).expect("a file just written"));
    let frame = clip.rate().frame_time();
    let mut sampler = warm.sampler();
    let mut pose = sampler.pose();
    let anywhere = |turn: usize| (turn as f64 * 0.618_034).fract();
    // Many poses per round: a single one takes about as long as reading the clock.
    const POSES: usize = 64;
    let warm = time(
        |turn| turn,
        |turn| {
            for at in 0..POSES {
                let time = (1.0 + 28.0 * anywhere(turn + at)) * frame;
                sampler.sample(black_box(time), Looping::Clamp, &mut pose);
            }
        },
    ) / POSES as f64;
    let duration = clip.duration();
    let [random, small] = [like.sampler(), like.small_sampler()].map(|mut sampler| {
        let poses = |turn| {
            for at in 0..POSES {
                sampler.sample(black_box(anywhere(turn + at) * duration), Looping::Clamp, &mut pose);
            }
        };
        time(|turn| turn, poses) / POSES as f64
    });
    let first = |clip: &Compressed| {
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        sampler.sample(3.3 * frame, Looping::Clamp, &mut pose);
        pose
    };
    let open = |bytes: Arc<[u8]>| Compressed::open(bytes, &limits).expect("a file just written");
    let trusted = |bytes: Arc<[u8]>, like: Option<&Compressed>| {
        Compressed::open_trusted(bytes, like, &limits).expect("a file just written")
    };
    let again = |_: usize| direct.clone();
    let rows = [
        ("a warm pose (runtime)", warm),
        ("a random pose", random),
        ("a random pose, small sampler", small),
        ("a sampler and its first pose", time(|_| (), |()| first(&like))),
        ("opening", time(again, open)),
        ("opening and the first pose", time(again, |bytes| first(&open(bytes)))),
        ("opening trusted", time(again, |bytes| trusted(bytes, None))),
        ("opening trusted, like another clip", time(again, |bytes| trusted(bytes, Some(&like)))),
        ("the same, and the first pose", time(again, |bytes| first(&trusted(bytes, Some(&like))))),
    ];
    for (what, micros) in rows {
        println!("  {what:36} {micros:9.2} µs  {:8.1} × warm", micros / warm);
    }
}
