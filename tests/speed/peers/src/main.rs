//! Speeds of mocap beside a yardstick, turn by turn in one run on one thread: medians of 61 turns, and the ratio; in
//! brackets those of the fastest turns, to which other work on the machine adds least.
//!
//!     cargo run --release --manifest-path tests/speed/peers/Cargo.toml -- CLIP.bvh...
//!
//! Reading is compared with the crate `bvh_anim`. Retargeting has no peer that does the same, so it
//! is compared with one pass of forward kinematics over source and result, the least work of any
//! program that looks at a motion.

use mocap_formats::{Limits, bvh};
use mocap_model::{Clip, ForwardKinematics, Role, Unit, UnitSource};
use mocap_retarget::{RetargetOptions, Retargeter, map_roles};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const TURNS: usize = 61;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: mocap-peers CLIP.bvh...");
        std::process::exit(2);
    }
    for file in files {
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        println!("{file}");
        read(&bytes);
        retarget(&bytes);
    }
}

/// Seconds of a piece of work and of its yardstick.
struct Times {
    own: f64,
    peer: f64,
}

/// Two pieces of work, done in turns: medians and the fastest.
fn measure(mut first: impl FnMut(), mut second: impl FnMut()) -> [Times; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..=TURNS {
        let begun = Instant::now();
        first();
        let between = Instant::now();
        second();
        times[0].push((between - begun).as_secs_f64());
        times[1].push(between.elapsed().as_secs_f64());
    }
    for times in &mut times {
        // The first turn fills caches.
        times.remove(0);
        times.sort_by(f64::total_cmp);
    }
    [TURNS / 2, 0].map(|at| Times { own: times[0][at], peer: times[1][at] })
}

fn read(bytes: &[u8]) {
    let limits = Limits::default();
    if let Err(error) = bvh_anim::from_bytes(bytes) {
        println!("  read       bvh_anim refuses this file: {error}");
        return;
    }
    let times = measure(
        || drop(black_box(bvh::parse(black_box(bytes), &limits).expect("a sound file"))),
        || drop(black_box(bvh_anim::from_bytes(black_box(bytes)))),
    );
    let [median, fastest] = times.map(|times| {
        let speed = |seconds: f64| bytes.len() as f64 / seconds / 1e6;
        let ratio = times.peer / times.own;
        format!("{:.0} MB/s, {ratio:.2} times bvh_anim's {:.0}", speed(times.own), speed(times.peer))
    });
    println!("  read        {median} ({fastest})");
}

/// A clip in centimetres.
fn clip(bytes: &[u8]) -> Clip {
    let document = bvh::parse(bytes, &Limits::default()).expect("a sound file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a sound file").value;
    let mut space = *clip.skeleton().space();
    space.unit = Some(Unit { metres: 0.01, source: UnitSource::Flag });
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).expect("the same joints")
}

fn retarget(bytes: &[u8]) {
    let source = clip(bytes);
    let roles = map_roles(source.skeleton());
    let mut at = 0;
    let target = source.skeleton().with_joints(|joint| {
        joint.offset *= match roles.role(mocap_model::JointId(at)) {
            Some(Role::LeftLowerLeg | Role::RightLowerLeg) => 1.5,
            Some(Role::LeftFoot | Role::RightFoot) => 2.0,
            Some(Role::LeftLowerArm | Role::RightLowerArm) => 1.2,
            _ => 1.0,
        };
        at += 1;
    });
    let target = target.expect("longer bones make no other tree");
    let Ok(retargeter) = Retargeter::new(source.skeleton(), &target, &RetargetOptions::default()) else {
        println!("  retarget   no body");
        return;
    };
    let (moved, _) = retargeter.retarget(&source).expect("a motion");
    for report in [false, true] {
        let times = measure(
            || match report {
                true => drop(black_box(retargeter.retarget(black_box(&source)).expect("a motion"))),
                false => drop(black_box(retargeter.retarget_clip(black_box(&source)).expect("a motion"))),
            },
            || [&source, &moved].into_iter().for_each(place),
        );
        let [median, fastest] = times.map(|times| {
            let speed = source.frames() as f64 / times.own;
            format!("{speed:.0} frames/s, {:.1} times as long as forward kinematics", times.own / times.peer)
        });
        println!("  {} {median} ({fastest})", if report { "with report" } else { "retarget   " });
    }
}

/// Every joint in every frame.
fn place(clip: &Clip) {
    let mut kinematics = ForwardKinematics::new(clip);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        black_box(&kinematics);
    }
}
