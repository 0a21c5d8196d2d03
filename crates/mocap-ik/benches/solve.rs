//! Solves a second while an effector follows a smooth goal, warm-started, on one thread.
//!
//! The goal runs round a closed curve within reach of the chain in 1024 frames, 1 % of its length a frame on
//! average: an ankle in a fast walk at 120 frames a second.

#[allow(dead_code, unreachable_pub, reason = "the tests use the rest")]
mod blocked;

use blocked::{Chains, Vectors, two_bone};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_ik::{Constraint, Freedom, Goal, IkChain, IkMethod, Link, SolveOptions, Solver};
use mocap_model::{Isometry3, Limit, Vector3, exp};
use std::f64::consts::TAU;
use std::hint::black_box;

const FRAMES: usize = 1024;

/// A chain of `joints` bones of one length that together are 1 long, a little bent, going down.
fn chain(joints: usize, constraint: impl Fn(usize) -> Constraint) -> IkChain {
    let bone = Vector3::new(0.0, -1.0 / joints as f64, 0.0);
    let links = (0..joints).map(|i| Link {
        offset: if i == 0 { Vector3::zeros() } else { bone },
        rotation: exp(&Vector3::new(if i == 0 { -0.4 } else { 0.8 / joints as f64 }, 0.0, 0.0)),
        constraint: constraint(i),
    });
    IkChain::serial(Isometry3::identity(), links.collect(), bone).expect("a sound chain")
}

fn goals() -> Vec<Goal> {
    let place = |i: usize| {
        let t = TAU * i as f64 / FRAMES as f64;
        Vector3::new(0.3 * (4.0 * t).sin(), -0.75 + 0.08 * (6.0 * t).cos(), 0.3 * (5.0 * t).cos())
    };
    (0..FRAMES).map(|i| Goal::at(place(i))).collect()
}

fn track(c: &mut Criterion, name: &str, solver: &dyn Solver, mut chain: IkChain) {
    let goals = goals();
    let options = SolveOptions::default();
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

/// The kernels: two bones and positions without a chain around them.
fn kernels(c: &mut Criterion) {
    let goals = goals();
    let mut group = c.benchmark_group("kernel");
    group.throughput(Throughput::Elements(FRAMES as u64));
    group.bench_function("two-bone f64", |bencher| {
        let blocks = blocks_of::<f64, 1>(&goals);
        bencher.iter(|| two_bones(&blocks))
    });
    group.bench_function("two-bone f64x8", |bencher| {
        let blocks = blocks_of::<f64, 8>(&goals);
        bencher.iter(|| two_bones(&blocks))
    });
    group.bench_function("two-bone f32x8", |bencher| {
        let blocks = blocks_of::<f32, 8>(&goals);
        bencher.iter(|| two_bones(&blocks))
    });
    for joints in [2, 3, 7] {
        group.bench_function(format!("fabrik positions/{joints}"), |bencher| {
            let chain = chain(joints, |_| Constraint::free());
            let mut points = chain.positions().to_vec();
            let lengths = vec![1.0 / joints as f64; joints];
            bencher.iter(|| {
                for goal in &goals {
                    black_box(mocap_ik::fabrik::positions(&mut points, &lengths, &goal.position, 1e-4, 100));
                }
            })
        });
        group.bench_function(format!("ccd f32x8/{joints}"), |bencher| {
            let blocks = blocks_of::<f32, 8>(&goals);
            let chain = chain(joints, |_| Constraint::free());
            let mut chains = Chains::<f32, 8>::new(joints);
            bencher.iter(|| {
                for goal in &blocks {
                    // Every frame from its own pose, as a batch retargets.
                    chains.start();
                    for (point, at) in
                        chains.points.iter_mut().zip(chain.positions().iter().chain([&chain.tip(0).0]))
                    {
                        (0..8).for_each(|i| point.set(i, [at.x as f32, at.y as f32, at.z as f32]));
                    }
                    black_box(chains.ccd(goal, 1e-3, 20));
                }
            })
        });
    }
    group.finish();
}

fn blocks_of<T: nalgebra::RealField + Copy, const N: usize>(goals: &[Goal]) -> Vec<Vectors<T, N>> {
    let blocks = goals.chunks_exact(N).map(|goals| {
        let mut block = Vectors::zeros();
        for (i, goal) in goals.iter().enumerate() {
            let at = goal.position;
            block.set(i, [at.x, at.y, at.z].map(nalgebra::convert));
        }
        block
    });
    blocks.collect()
}

fn two_bones<T: nalgebra::RealField + Copy, const N: usize>(goals: &[Vectors<T, N>]) {
    let mut pole = Vectors::zeros();
    pole.z.fill(T::one());
    let [upper, lower] = [0.52, 0.48].map(nalgebra::convert);
    for goal in goals {
        black_box(two_bone(upper, lower, &Vectors::zeros(), goal, &pole));
    }
}

fn benches(c: &mut Criterion) {
    // A limb: a limited ball, then hinges.
    let limb = |i: usize| match i {
        0 => Constraint::new(Freedom::Ball {
            axis: -Vector3::y_axis(),
            swing: 2.0,
            twist: Limit { min: -2.0, max: 2.0 },
        }),
        _ => Constraint::hinge(Vector3::x_axis(), 0.0, 2.6),
    };
    for method in IkMethod::ALL {
        for joints in [2, 3, 7] {
            if method == IkMethod::TwoBone && joints != 2 {
                continue;
            }
            track(c, &format!("{method}/{joints}"), &method, chain(joints, |_| Constraint::free()));
            track(c, &format!("{method}/{joints} limited"), &method, chain(joints, limb));
        }
    }
}

criterion_group! {
    name = all;
    config = Criterion::default().without_plots().warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = kernels, benches
}
criterion_main!(all);
