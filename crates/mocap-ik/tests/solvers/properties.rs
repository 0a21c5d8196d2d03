//! Properties that every solver keeps on random chains, poses and goals.

use crate::support::{Random, bone_lengths};
use mocap_ik::{
    Constraint, Freedom, Goal, IkChain, IkError, IkMethod, Jacobian, JacobianInverse, Link, SolveOptions,
    SolveStart, SolveStatus, Solver,
};
use mocap_model::{Isometry3, Limit, UnitQuaternion, Vector3, exp};
use nalgebra::Unit;
use std::f64::consts::{PI, TAU};

fn parents(n: usize) -> Vec<Option<usize>> {
    (0..n).map(|i: usize| i.checked_sub(1)).collect()
}

/// The share of random chains whose reachable goal is reached from a random start.
fn reached(
    solver: &dyn Solver,
    joints: std::ops::RangeInclusive<usize>,
    runs: usize,
    options: &SolveOptions,
) -> f64 {
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
        let outcome = solver.solve(&mut chain, &[goal], options).unwrap();
        assert!(outcome.iterations <= 100);
        assert!((outcome.position - (goal.position - chain.tip(0).0).norm()).abs() < 1e-12);
        reached += usize::from(outcome.status == SolveStatus::Reached);
    }
    reached as f64 / runs as f64
}

#[test]
fn two_bone_reaches_every_reachable_goal() {
    assert_eq!(reached(&IkMethod::TwoBone, 2..=2, 20_000, &SolveOptions::default()), 1.0);
}

#[test]
fn iterative_solvers_reach_reachable_goals() {
    for method in [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective] {
        let share = reached(&method, 2..=7, 3_000, &SolveOptions::default());
        assert!(share >= 0.999, "{method} {share}");
    }
    let pseudo = Jacobian { inverse: JacobianInverse::PseudoInverse, posture: None };
    assert!(reached(&pseudo, 2..=7, 1_000, &SolveOptions::default()) >= 0.999);
}

/// A limited ball and a hinge, with goals that poses within the limits reach: every solver finds one.
#[test]
fn limbs_with_limits_reach_reachable_goals() {
    let mut random = Random(12);
    let runs = 1000;
    let mut reached = [0; 5];
    for _ in 0..runs {
        let axes = [random.direction(), random.direction()];
        let swing = random.range(1.0, 2.0);
        let mut chain = random.chain(2);
        let twist = Limit { min: -1.0, max: 1.0 };
        chain.set_constraint(0, Constraint::new(Freedom::Ball { axis: axes[0], swing, twist }));
        chain.set_constraint(1, Constraint::hinge(axes[1], -1.2, 1.2));
        let mut draw = || {
            let across = Unit::new_normalize(axes[0].cross(&random.direction()));
            let swing = UnitQuaternion::from_axis_angle(&across, random.range(0.0, swing));
            let twist = UnitQuaternion::from_axis_angle(&axes[0], random.range(-1.0, 1.0));
            [swing * twist, UnitQuaternion::from_axis_angle(&axes[1], random.range(-1.2, 1.2))]
        };
        chain.set_rotations(&draw());
        let goal = Goal::at(chain.tip(0).0);
        let start = draw();
        for (method, reached) in IkMethod::ALL.into_iter().zip(&mut reached) {
            chain.set_rotations(&start);
            let outcome = method.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            *reached += usize::from(outcome.status == SolveStatus::Reached);
        }
    }
    assert!(reached.iter().all(|&reached| reached >= runs * 995 / 1000), "{reached:?} of {runs}");
}

/// Damped least squares needs no help from the two-bone solution, and the others little.
#[test]
fn without_the_finish_most_goals_are_reached() {
    let options = SolveOptions { finish: false, ..SolveOptions::default() };
    for (method, at_least) in [
        (IkMethod::Dls, 0.999),
        (IkMethod::Objective, 0.995),
        (IkMethod::Fabrik, 0.99),
        (IkMethod::Ccd, 0.95),
    ] {
        let share = reached(&method, 2..=7, 1_000, &options);
        assert!(share >= at_least, "{method} {share}");
    }
}

#[test]
fn limits_and_lengths_are_kept() {
    let mut random = Random(11);
    for run in 0..1500 {
        let n = 2 + run % 6;
        let chain = random.chain_of(n, Random::constraint);
        let before = bone_lengths(&chain, &parents(n));
        let place = chain.base().translation.vector + random.vector() * n as f64 * 0.5;
        let mut goal = Goal::at(place);
        if run % 3 == 0 {
            goal = goal.with_orientation(random.rotation());
        }
        for method in IkMethod::ALL {
            let mut chain = chain.clone();
            let Ok(outcome) = method.solve(&mut chain, &[goal], &SolveOptions::default()) else { continue };
            for (constraint, rotation) in chain.constraints().iter().zip(chain.rotations()) {
                let excess = constraint.excess(rotation);
                assert!(excess <= 1e-9, "{method} run {run}: {excess} {constraint:?}");
                assert!((rotation.norm() - 1.0).abs() < 1e-12);
            }
            for (a, b) in before.iter().zip(bone_lengths(&chain, &parents(n))) {
                assert!((a - b).abs() < 1e-9);
            }
            assert!(outcome.position.is_finite());
        }
    }
}

/// The excess that the tests above rely on, measured without the solver's own projection.
#[test]
fn ranges_hold_past_half_a_turn() {
    let axis = Vector3::z_axis();
    for (min, max, inside, outside) in [
        (-0.5, 0.5, [0.4, -0.4, 0.4 + TAU], [0.6, -0.7, 3.0]),
        (2.8, 3.6, [3.0, PI, -PI + 0.4], [2.7, 0.0, -2.6]),
        (-3.6, -2.8, [3.0, PI, -2.9], [2.6, 0.0, -2.7]),
        (4.0, 5.0, [4.5, 4.5 - TAU, 4.01], [0.0, 3.0, -0.5]),
    ] {
        let hinge = Constraint::hinge(axis, min, max);
        let turn = |angle| UnitQuaternion::from_axis_angle(&axis, angle);
        for angle in inside {
            assert_eq!(hinge.project(&turn(angle)), (turn(angle), false), "{angle} in {min}..{max}");
        }
        for angle in outside {
            let (allowed, clamped) = hinge.project(&turn(angle));
            assert!(clamped);
            let end = [min, max].map(|end| turn(end).angle_to(&allowed));
            let other = [min, max].map(|end| turn(end).angle_to(&turn(angle)));
            let nearest = if other[0] < other[1] { 0 } else { 1 };
            assert!(end[nearest] < 1e-12, "{angle} to {min}..{max}: {allowed}");
        }
    }
    for (min, max) in [(-4.0, 4.0), (0.0, TAU), (f64::NEG_INFINITY, f64::INFINITY), (0.0, f64::INFINITY)] {
        let hinge = Constraint::hinge(axis, min, max);
        assert!(
            (0..100).all(|i| !hinge.project(&UnitQuaternion::from_axis_angle(&axis, f64::from(i) * 0.1)).1)
        );
    }
}

#[test]
fn cones_and_euler_ranges_hold() {
    let mut random = Random(3);
    for _ in 0..20_000 {
        let constraint = random.constraint();
        let rotation = random.rotation();
        let (allowed, changed) = constraint.project(&rotation);
        assert_eq!(changed, allowed != rotation);
        assert!(constraint.excess(&allowed) <= 1e-12, "{constraint:?} {}", constraint.excess(&allowed));
        if let Constraint { freedom: Freedom::Ball { axis, swing, .. }, inverted: false, pre, post, .. } =
            constraint
        {
            let m = pre.inverse() * allowed * post.inverse();
            assert!((m * *axis).angle(&axis) <= swing + 1e-9);
        }
        if let Constraint { freedom: Freedom::Euler { order, ranges }, inverted: false, pre, post, .. } =
            constraint
        {
            let m = pre.inverse() * allowed * post.inverse();
            let first = order.angles(&m);
            let middle = if order.is_proper() { -first[1] } else { PI - first[1] };
            let inside = |angle: f64, range: &Limit| {
                let off = (angle - range.min).rem_euclid(TAU);
                range.max - range.min >= TAU || off <= range.max - range.min + 1e-6 || off >= TAU - 1e-6
            };
            let ok = [first, [first[0] + PI, middle, first[2] + PI]]
                .iter()
                .any(|angles| (0..3).all(|i| inside(angles[i], &ranges[i])));
            // Near gimbal lock first and last angle cannot be told apart.
            let sine = if order.is_proper() { first[1].sin() } else { first[1].cos() };
            assert!(ok || sine.abs() < 1e-4, "{constraint:?} {first:?}");
        }
    }
}

#[test]
fn unreachable_goals_stretch_the_chain_and_say_so() {
    let mut random = Random(5);
    for run in 0..300 {
        let n = 2 + run % 6;
        let mut chain = random.chain(n);
        let length = chain.length(0);
        let start = chain.base().translation.vector;
        let goal = start + random.direction().into_inner() * length * random.range(1.01, 5.0);
        let pose = random.rotations(n);
        for method in IkMethod::ALL {
            chain.set_rotations(&pose);
            if method == IkMethod::TwoBone && n > 2 {
                continue;
            }
            let outcome = method.solve(&mut chain, &[Goal::at(goal)], &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Unreachable, "{method} {n}");
            let best = (goal - start).norm() - length;
            assert!(outcome.position <= best + 1e-3 * length, "{method} {n}: {} {best}", outcome.position);
        }
    }
}

#[test]
fn goals_nearer_than_the_chain_folds_are_approached() {
    let bones = [1.0, 0.2, 0.3];
    let links = [0.0, bones[0], bones[1]].map(|length| Link {
        offset: Vector3::x() * length,
        rotation: exp(&Vector3::new(0.1, 0.3, 0.2)),
        constraint: Constraint::free(),
    });
    let mut chain = IkChain::serial(Isometry3::identity(), links.to_vec(), Vector3::x() * bones[2]).unwrap();
    let pose = chain.rotations().to_vec();
    for method in [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective] {
        for goal in [Vector3::zeros(), Vector3::new(0.1, 0.2, 0.0)] {
            chain.set_rotations(&pose);
            let outcome = method.solve(&mut chain, &[Goal::at(goal)], &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Unreachable, "{method}");
            assert!((outcome.position - (0.5 - goal.norm())).abs() < 1e-3, "{method} {}", outcome.position);
        }
    }
}

/// A goal that moves smoothly turns no joint further in a frame than a few times what it moves.
#[test]
fn smooth_goals_give_smooth_joints() {
    for n in [2, 3, 5, 7] {
        let bone = Vector3::new(0.0, -1.0 / n as f64, 0.0);
        let links = (0..n).map(|i| Link {
            offset: if i == 0 { Vector3::zeros() } else { bone },
            rotation: exp(&Vector3::new(if i == 0 { -0.4 } else { 0.8 / n as f64 }, 0.0, 0.0)),
            constraint: Constraint::free(),
        });
        let links: Vec<Link> = links.collect();
        for method in IkMethod::ALL {
            if method == IkMethod::TwoBone && n > 2 {
                continue;
            }
            let mut chain = IkChain::serial(Isometry3::identity(), links.clone(), bone).unwrap();
            let mut largest = 0.0f64;
            for frame in 0..2000 {
                let t = TAU * f64::from(frame) / 1000.0;
                let place =
                    Vector3::new(0.3 * (2.0 * t).sin(), -0.7 + 0.1 * (3.0 * t).cos(), 0.3 * (2.0 * t).cos());
                let before = chain.rotations().to_vec();
                let outcome = method.solve(&mut chain, &[Goal::at(place)], &SolveOptions::default()).unwrap();
                assert_eq!(outcome.status, SolveStatus::Reached, "{method} {n} {frame}");
                let step =
                    before.iter().zip(chain.rotations()).map(|(a, b)| a.angle_to(b)).fold(0.0, f64::max);
                // The goal moves 0.6 % of the chain's length a frame.
                largest = if frame == 0 { 0.0 } else { step.max(largest) };
            }
            assert!(largest < 0.05, "{method} {n} joints: {largest} rad");
        }
    }
}

#[test]
fn straight_chains_with_the_goal_on_their_line_solve() {
    for n in [2, 3, 4, 7] {
        for limited in [false, true] {
            let constraint = |i: usize| match (limited, i) {
                (true, 0) => Constraint::new(Freedom::Ball {
                    axis: Vector3::y_axis(),
                    swing: 2.5,
                    twist: Limit { min: -2.0, max: 2.0 },
                }),
                (true, _) => Constraint::hinge(Vector3::x_axis(), 0.0, 2.8),
                _ => Constraint::free(),
            };
            let links = (0..n).map(|i| Link {
                offset: if i == 0 { Vector3::zeros() } else { -Vector3::y() },
                rotation: UnitQuaternion::identity(),
                constraint: constraint(i),
            });
            let links: Vec<Link> = links.collect();
            for share in [0.99, 0.7, 0.4] {
                for method in IkMethod::ALL {
                    if method == IkMethod::TwoBone && n > 2 {
                        continue;
                    }
                    let mut chain =
                        IkChain::serial(Isometry3::identity(), links.clone(), -Vector3::y()).unwrap();
                    let goal = Goal::at(Vector3::new(0.0, -share * n as f64, 0.0));
                    let outcome = method.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
                    assert_eq!(
                        outcome.status,
                        SolveStatus::Reached,
                        "{method} {n} {limited} {share} {outcome:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn bones_without_length_and_coincident_goals_are_defined() {
    let link = |length: f64| Link {
        offset: Vector3::y() * length,
        rotation: UnitQuaternion::identity(),
        constraint: Constraint::free(),
    };
    for lengths in [[0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]] {
        for goal in [Vector3::zeros(), Vector3::y(), Vector3::new(0.3, 0.4, 0.5), Vector3::y() * 2.0] {
            for method in IkMethod::ALL {
                let links = lengths[..3].iter().map(|&length| link(length)).collect();
                let mut chain =
                    IkChain::serial(Isometry3::identity(), links, Vector3::y() * lengths[3]).unwrap();
                let outcome = method.solve(&mut chain, &[Goal::at(goal)], &SolveOptions::default()).unwrap();
                assert!(outcome.position.is_finite(), "{method} {lengths:?} {goal:?}");
                assert!(
                    chain.rotations().iter().all(|q| (q.norm() - 1.0).abs() < 1e-9),
                    "{method} {lengths:?}"
                );
                if chain.tip(0).0 == goal {
                    assert_eq!(outcome.status, SolveStatus::Reached);
                }
            }
        }
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    let mut random = Random(1);
    let mut chain = random.chain(3);
    let pose = chain.rotations().to_vec();
    let bad = f64::NAN;
    let goals = [
        Goal::at(Vector3::new(bad, 0.0, 0.0)),
        Goal::at(Vector3::new(0.0, f64::INFINITY, 0.0)),
        Goal::at(Vector3::zeros()).with_pole(Vector3::new(0.0, bad, 0.0)),
        Goal::at(Vector3::zeros()).with_weights(bad, 0.0),
        Goal::at(Vector3::zeros()).with_weights(-1.0, 0.0),
        Goal::at(Vector3::zeros())
            .with_orientation(UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(bad, 0.0, 0.0, 0.0))),
    ];
    for method in IkMethod::ALL {
        for goal in goals {
            let refused = method.solve(&mut chain, &[goal], &SolveOptions::default());
            assert_eq!(refused, Err(IkError::GoalNotFinite { effector: 0 }), "{method} {goal:?}");
            assert_eq!(chain.rotations(), pose);
        }
    }
    chain.set_base(Isometry3::translation(bad, 0.0, 0.0));
    let refused = IkMethod::Ccd.solve(&mut chain, &[Goal::at(Vector3::zeros())], &SolveOptions::default());
    assert_eq!(refused, Err(IkError::ChainNotFinite));
    let nothing = IkChain::serial(Isometry3::identity(), Vec::new(), Vector3::x());
    assert_eq!(nothing.unwrap_err(), IkError::NoJoints);
}

#[test]
fn cold_starts_do_not_depend_on_the_pose() {
    let mut random = Random(2);
    for method in IkMethod::ALL {
        let mut chain = random.chain_of(2, |_| Constraint::free());
        let goal = Goal::at(chain.base().translation.vector + random.vector() * 0.3);
        let options = SolveOptions { start: SolveStart::Cold, ..SolveOptions::default() };
        method.solve(&mut chain, &[goal], &options).unwrap();
        let first = chain.rotations().to_vec();
        let pose = random.rotations(2);
        chain.set_rotations(&pose);
        method.solve(&mut chain, &[goal], &options).unwrap();
        assert_eq!(chain.rotations(), first, "{method}");
    }
}

#[test]
fn stiff_joints_turn_less_and_locked_ones_not() {
    for method in [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective] {
        let solve = |stiffness: f64| {
            let mut random = Random(9);
            let mut chain = random.chain_of(4, |_| Constraint::free());
            let start = chain.rotations()[1];
            chain.set_constraint(1, Constraint { stiffness, ..Constraint::free() });
            let goal = Goal::at(chain.tip(0).0 + Vector3::new(0.1, -0.2, 0.1));
            let outcome = method.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Reached, "{method} {stiffness}");
            start.angle_to(&chain.rotations()[1])
        };
        let (free, stiff, locked) = (solve(0.0), solve(0.9), solve(1.0));
        assert!(stiff < 0.7 * free, "{method} {free} {stiff}");
        assert_eq!(locked, 0.0, "{method}");
    }
}

#[test]
fn joints_with_a_tolerance_stay_still_near_the_goal() {
    let mut random = Random(4);
    let mut chain = random.chain(4);
    chain.set_constraint(0, Constraint { tolerance: 0.5, ..Constraint::free() });
    let start = chain.rotations()[0];
    let options = SolveOptions { finish: false, ..SolveOptions::default() };
    let near = Goal::at(chain.tip(0).0 + Vector3::new(0.02, -0.05, 0.04));
    let outcome = IkMethod::Ccd.solve(&mut chain, &[near], &options).unwrap();
    assert_eq!((outcome.status, chain.rotations()[0]), (SolveStatus::Reached, start));
    let far = Goal::at(2.0 * chain.base().translation.vector - chain.tip(0).0);
    IkMethod::Ccd.solve(&mut chain, &[far], &options).unwrap();
    assert!(start.angle_to(&chain.rotations()[0]) > 0.1);
}

#[test]
fn damping_and_the_greatest_turn_are_kept_to() {
    let mut random = Random(6);
    for method in [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective] {
        let mut chain = random.chain(3);
        let pose = chain.rotations().to_vec();
        let goal = Goal::at(chain.base().translation.vector + random.vector());
        let options = SolveOptions {
            max_turn: 0.01,
            iterations: 1,
            finish: false,
            escape: false,
            ..SolveOptions::default()
        };
        method.solve(&mut chain, &[goal], &options).unwrap();
        for (a, b) in pose.iter().zip(chain.rotations()) {
            assert!(a.angle_to(b) < 0.01 * 3f64.sqrt() + 1e-9, "{method}");
        }
        let damped = SolveOptions { damping: 0.5, ..SolveOptions::default() };
        chain.set_rotations(&pose);
        let near = Goal::at(chain.tip(0).0 + Vector3::new(0.01, 0.0, 0.01));
        let outcome = method.solve(&mut chain, &[near], &damped).unwrap();
        assert_eq!(outcome.status, SolveStatus::Reached, "{method}");
    }
}

/// The effectors' orientations are met where the joints allow both.
#[test]
fn orientations_are_reached() {
    let mut random = Random(8);
    for method in [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective] {
        let (mut reached, runs) = (0, 200);
        for run in 0..runs {
            let n = 3 + run % 4;
            let mut chain = random.chain(n);
            let pose: Vec<_> = chain.rotations().iter().map(|q| q * random.small_turn(0.6)).collect();
            let start = chain.rotations().to_vec();
            chain.set_rotations(&pose);
            let (position, orientation) = chain.tip(0);
            chain.set_rotations(&start);
            let goal = Goal::at(position).with_orientation(orientation);
            let outcome = method.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert!((outcome.orientation - chain.tip(0).1.angle_to(&orientation)).abs() < 1e-9);
            reached += usize::from(outcome.status == SolveStatus::Reached);
        }
        let at_least = if method == IkMethod::Ccd { 0.8 } else { 0.98 };
        assert!(reached as f64 >= at_least * runs as f64, "{method}: {reached} of {runs}");
    }
}

#[test]
fn hinges_turn_about_their_axis_alone() {
    let axis = Unit::new_normalize(Vector3::new(0.3, 1.0, -0.2));
    let mut random = Random(10);
    for method in IkMethod::ALL {
        let mut chain = random.chain_of(2, |_| Constraint::hinge(axis, -2.0, 2.0));
        let goal = Goal::at(chain.base().translation.vector + random.vector());
        method.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
        for rotation in chain.rotations() {
            assert!((rotation * *axis - *axis).norm() < 1e-12, "{method}");
        }
    }
}
