//! How many weights of shapes one thread maps in a second: the shapes of ARKit, in and out, over a minute at 60 frames a
//! second. `cargo run --release -p mocap-face --example mapping_speed`

#![allow(clippy::print_stdout, reason = "it prints a figure")]

use std::hint::black_box;
use std::time::Instant;

use mocap_face::{FaceMap, add_correctives};
use mocap_model::{ARKIT_SHAPES, Annotations, ScalarTrack, Track};

const FRAMES: usize = 3600;
const ROUNDS: usize = 20;

fn main() {
    let values =
        |at: usize| (0..FRAMES).map(move |frame| 0.5 + 0.5 * (frame as f64 * 0.01 * (at + 1) as f64).sin());
    let track = |(at, name): (usize, &&str)| ScalarTrack {
        name: (*name).to_owned(),
        values: Track::Sampled(values(at).collect()),
    };
    let scalars = ARKIT_SHAPES.iter().enumerate().map(track).collect();
    let source = Annotations { scalars, ..Annotations::default() };
    // Under other names, so that each is found by its meaning.
    let target: Vec<String> = ARKIT_SHAPES.iter().map(|name| format!("CTRL_expressions_{name}")).collect();
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        let map = FaceMap::found(&ARKIT_SHAPES, &target);
        let mut made = map.apply(&source, &target, FRAMES);
        add_correctives(&mut made, &target, &[], FRAMES);
        assert_eq!(black_box(made).len(), ARKIT_SHAPES.len());
    }
    let seconds = begin.elapsed().as_secs_f64();
    let mapped = (ROUNDS * FRAMES * ARKIT_SHAPES.len()) as f64;
    println!(
        "{:.1} million shape-frames a second, {:.2} ms a minute of a face",
        mapped / seconds / 1e6,
        1e3 * seconds / ROUNDS as f64
    );
}
