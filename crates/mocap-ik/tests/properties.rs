//! What every solver has to keep, on random chains, poses and goals.

mod support;

use mocap_ik::{Goal, Method, Options, Solver, Status};
use support::{Random, bone_lengths};

/// The share of random chains whose reachable goal is reached from a random start.
fn reached(method: Method, joints: std::ops::RangeInclusive<usize>, runs: usize) -> f64 {
    let mut random = Random(7);
    let mut reached = 0;
    for run in 0..runs {
        let n = *joints.start() + run % (joints.end() - joints.start() + 1);
        let mut chain = random.chain(n);
        let pose = random.rotations(n);
        chain.set_rotations(&pose);
        let goal = Goal::at(chain.tip(0).0);
        let pose = random.rotations(n);
        chain.set_rotations(&pose);
        let outcome = method.solve(&mut chain, &[goal], &Options::default()).unwrap();
        assert!(outcome.iterations <= 100);
        assert!((outcome.position - (goal.position - chain.tip(0).0).norm()).abs() < 1e-12);
        reached += usize::from(outcome.status == Status::Reached);
    }
    reached as f64 / runs as f64
}

#[test]
fn two_bone_reaches_every_reachable_goal() {
    assert_eq!(reached(Method::TwoBone, 2..=2, 20_000), 1.0);
}

#[test]
fn iterative_solvers_reach_reachable_goals() {
    for method in [Method::Ccd, Method::Fabrik, Method::Dls, Method::Objective] {
        let share = reached(method, 2..=7, 12_000);
        assert!(share >= 0.999, "{method} {share}");
    }
}

#[test]
fn limits_and_lengths_are_kept() {
    let mut random = Random(11);
    for run in 0..6000 {
        let n = 2 + run % 6;
        let chain = random.chain_of(n, Random::constraint);
        let parents: Vec<Option<usize>> = (0..n).map(|i| i.checked_sub(1)).collect();
        let before = bone_lengths(&chain, &parents);
        let goal = Goal::at(chain.base().translation.vector + random.vector() * n as f64 * 0.5);
        for method in Method::ALL {
            let mut chain = chain.clone();
            let Ok(outcome) = method.solve(&mut chain, &[goal], &Options::default()) else { continue };
            for (constraint, rotation) in chain.constraints().iter().zip(chain.rotations()) {
                let excess = constraint.excess(rotation);
                assert!(excess <= 1e-9, "{method} run {run}: {excess} {constraint:?}");
            }
            for (a, b) in before.iter().zip(bone_lengths(&chain, &parents)) {
                assert!((a - b).abs() < 1e-9);
            }
            assert!(outcome.position.is_finite());
        }
    }
}
