//! Solves a second while an effector follows a smooth goal, warm-started, on one thread.
//!
//! The goal runs round a closed curve within reach of the chain in 1024 frames, 1 % of its length a frame on
//! average: an ankle in a fast walk at 120 frames a second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_ik::{Chain, Constraint, Goal, Link, Method, Options, Solver};
use mocap_model::{Isometry3, UnitQuaternion, Vector3, exp};
use std::f64::consts::TAU;
use std::hint::black_box;

const FRAMES: usize = 1024;

/// A chain of `joints` bones of one length that together are 1 long, a little bent, going down.
fn chain(joints: usize, constraint: Constraint) -> Chain {
    let bone = Vector3::new(0.0, -1.0 / joints as f64, 0.0);
    let links = (0..joints).map(|i| Link {
        offset: if i == 0 { Vector3::zeros() } else { bone },
        rotation: exp(&Vector3::new(if i == 0 { -0.4 } else { 0.8 / joints as f64 }, 0.0, 0.0)),
        constraint,
    });
    Chain::serial(Isometry3::identity(), links.collect(), bone).expect("a sound chain")
}

fn goals() -> Vec<Goal> {
    let place = |i: usize| {
        let t = TAU * i as f64 / FRAMES as f64;
        Vector3::new(0.3 * (4.0 * t).sin(), -0.75 + 0.08 * (6.0 * t).cos(), 0.3 * (5.0 * t).cos())
    };
    (0..FRAMES).map(|i| Goal::at(place(i))).collect()
}

fn track(c: &mut Criterion, name: &str, solver: &dyn Solver, mut chain: Chain) {
    let goals = goals();
    let options = Options::default();
    let mut group = c.benchmark_group("solve");
    group.throughput(Throughput::Elements(FRAMES as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for goal in &goals {
                black_box(
                    solver.solve(&mut chain, std::slice::from_ref(goal), &options).expect("a sound goal"),
                );
            }
        })
    });
    group.finish();
}

fn benches(c: &mut Criterion) {
    let ball = Constraint::new(mocap_ik::Freedom::Ball {
        axis: -Vector3::y_axis(),
        swing: 1.2,
        twist: mocap_model::Limit { min: -1.0, max: 1.0 },
    })
    .in_frame(UnitQuaternion::identity(), UnitQuaternion::identity());
    for method in Method::ALL {
        for joints in [2, 3, 7] {
            if method == Method::TwoBone && joints != 2 {
                continue;
            }
            track(c, &format!("{method}/{joints}"), &method, chain(joints, Constraint::free()));
            track(c, &format!("{method}/{joints} limited"), &method, chain(joints, ball));
        }
    }
}

criterion_group! {
    name = all;
    config = Criterion::default().without_plots().warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = benches
}
criterion_main!(all);
