//! Several effectors on one tree: by weight, by priority, and with a posture in what they leave open.

use crate::support::{Random, bone_lengths};
use mocap_ik::{
    Constraint, Effector, Goal, IkChain, IkError, IkMethod, Jacobian, JacobianInverse, Link, Posture,
    SolveOptions, SolveStatus, Solver,
};
use mocap_model::{Isometry3, Limit, UnitQuaternion, Vector3};

const TREES: [IkMethod; 3] = [IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective];

/// A spine of two joints with two arms of two joints each.
fn tree(constraint: impl Fn(usize) -> Constraint) -> (IkChain, Vec<Option<usize>>) {
    let offsets = [
        [0.0, 0.0, 0.0],
        [0.0, 0.5, 0.0],
        [0.3, 0.3, 0.0],
        [0.4, 0.0, 0.0],
        [-0.3, 0.3, 0.0],
        [-0.4, 0.0, 0.0],
    ];
    let parents = vec![None, Some(0), Some(1), Some(2), Some(1), Some(4)];
    let links = offsets.iter().enumerate().map(|(i, offset)| Link {
        offset: Vector3::from(*offset),
        rotation: UnitQuaternion::identity(),
        constraint: constraint(i),
    });
    let hand = |joint: usize, side: f64| Effector {
        joint,
        offset: Vector3::new(0.4 * side, 0.0, 0.0),
        rotation: UnitQuaternion::identity(),
    };
    let base = Isometry3::translation(0.0, 1.0, 0.0);
    let chain = IkChain::tree(base, links.collect(), parents.clone(), vec![hand(3, 1.0), hand(5, -1.0)]);
    (chain.unwrap(), parents)
}

fn bent(chain: &mut IkChain, random: &mut Random, angle: f64) -> Vec<UnitQuaternion<f64>> {
    let pose: Vec<_> = (0..chain.len()).map(|_| random.small_turn(angle)).collect();
    chain.set_rotations(&pose);
    pose
}

#[test]
fn both_hands_reach_their_goals() {
    let mut random = Random(21);
    for method in TREES {
        let mut reached = 0;
        for _ in 0..200 {
            let (mut chain, parents) = tree(|_| Constraint::free());
            let lengths = bone_lengths(&chain, &parents);
            bent(&mut chain, &mut random, 1.0);
            let goals = [0, 1].map(|e| Goal::at(chain.tip(e).0));
            bent(&mut chain, &mut random, 1.0);
            let outcome = method.solve(&mut chain, &goals, &SolveOptions::default()).unwrap();
            reached += usize::from(outcome.status == SolveStatus::Reached);
            for (a, b) in lengths.iter().zip(bone_lengths(&chain, &parents)) {
                assert!((a - b).abs() < 1e-9);
            }
        }
        assert!(reached >= 196, "{method}: {reached} of 200");
    }
}

#[test]
fn solvers_of_one_effector_say_so() {
    let (mut chain, _) = tree(|_| Constraint::free());
    let goals = [Goal::at(Vector3::zeros()); 2];
    for method in [IkMethod::Ccd, IkMethod::TwoBone] {
        let refused = method.solve(&mut chain, &goals, &SolveOptions::default());
        assert_eq!(refused, Err(IkError::SeveralEffectors { method: method.name(), effectors: 2 }));
    }
}

/// Two goals that cannot both be met: the first in priority is met, the other comes as near as that leaves.
#[test]
fn the_first_priority_is_met_and_the_other_approached() {
    let far = [Vector3::new(2.0, 2.0, 0.0), Vector3::new(-2.0, 2.0, 0.0)];
    for method in TREES {
        for first in [0, 1] {
            let (mut chain, _) = tree(|_| Constraint::free());
            bent(&mut chain, &mut Random(22), 0.3);
            // Within reach; the goal of the other hand is not.
            let near = Vector3::new(if first == 0 { 0.9 } else { -0.9 }, 1.9, 0.0);
            let goals = [0, 1].map(|e| Goal {
                priority: u8::from(e != first),
                ..Goal::at(if e == first { near } else { far[e] })
            });
            let start = (goals[1 - first].position - chain.tip(1 - first).0).norm();
            let outcome = method.solve(&mut chain, &goals, &SolveOptions::default()).unwrap();
            let misses = [0, 1].map(|e| (goals[e].position - chain.tip(e).0).norm());
            assert_ne!(outcome.status, SolveStatus::Reached);
            let allowed = if method == IkMethod::Dls { 2e-3 } else { 2e-2 };
            assert!(misses[first] < allowed, "{method} {first} {misses:?}");
            assert!(misses[1 - first] < start, "{method} {first} {misses:?} {start}");
            // Without priorities, the weights share the error.
            bent(&mut chain, &mut Random(22), 0.3);
            let equal = goals.map(|goal| Goal { priority: 0, ..goal });
            method.solve(&mut chain, &equal, &SolveOptions::default()).unwrap();
            let shared = (goals[first].position - chain.tip(first).0).norm();
            assert!(shared > 5.0 * allowed, "{method} {first} {shared}");
        }
    }
}

#[test]
fn weights_share_what_cannot_be_met() {
    for method in [IkMethod::Dls, IkMethod::Objective] {
        let misses = |weights: [f64; 2]| {
            let (mut chain, _) = tree(|_| Constraint::free());
            bent(&mut chain, &mut Random(23), 0.3);
            let goals = [0, 1].map(|e| {
                let side = if e == 0 { 1.0 } else { -1.0 };
                Goal::at(Vector3::new(1.4 * side, 1.2, 0.0)).with_weights(weights[e], 0.0)
            });
            method.solve(&mut chain, &goals, &SolveOptions::default()).unwrap();
            [0, 1].map(|e| (goals[e].position - chain.tip(e).0).norm())
        };
        let (left, right) = (misses([1.0, 0.05]), misses([0.05, 1.0]));
        assert!(left[0] < left[1] && right[1] < right[0], "{method} {left:?} {right:?}");
    }
}

#[test]
fn limits_hold_in_trees() {
    let mut random = Random(24);
    for _ in 0..100 {
        let constraints: Vec<Constraint> = (0..6).map(|_| random.constraint()).collect();
        let (mut chain, _) = tree(|i| constraints[i]);
        bent(&mut chain, &mut random, 1.0);
        let goals = [0, 1].map(|_| Goal::at(random.vector() + Vector3::y()));
        for method in TREES {
            let outcome = method.solve(&mut chain, &goals, &SolveOptions::default()).unwrap();
            assert!(outcome.position.is_finite());
            for (constraint, rotation) in constraints.iter().zip(chain.rotations()) {
                assert!(constraint.excess(rotation) <= 1e-9, "{method} {constraint:?}");
            }
        }
    }
}

fn posture(rotations: Vec<UnitQuaternion<f64>>, gain: f64) -> Posture {
    let gains = vec![gain; rotations.len()];
    Posture { rotations, gains }
}

/// The posture is approached in the null space: its cost falls and the effector stays.
#[test]
fn a_posture_is_approached_without_moving_the_effector() {
    let mut random = Random(25);
    let limited = |i: usize| match i % 2 {
        0 => Constraint::free(),
        _ => Constraint::hinge(Vector3::x_axis(), -1.5, 1.5),
    };
    for (run, gain) in [0.05, 0.2, 0.5, 0.1, 0.5, 0.3].into_iter().enumerate() {
        let mut chain = random.chain_of(4, |_| Constraint::free());
        if run % 2 == 1 {
            (0..4).for_each(|i| chain.set_constraint(i, limited(i)));
        }
        let start: Vec<_> = chain
            .rotations()
            .iter()
            .zip(chain.constraints())
            .map(|(q, c)| c.project(&(q * random.small_turn(0.8))).0)
            .collect();
        let preferred: Vec<_> = start
            .iter()
            .zip(chain.constraints())
            .map(|(q, c)| c.project(&(q * random.small_turn(0.8))).0)
            .collect();
        chain.set_rotations(&start);
        let tip = chain.tip(0).0;
        let posture = posture(preferred, gain);
        let before = posture.cost(&mut chain);
        let solver = Jacobian { inverse: JacobianInverse::Damped(1e-9), posture: Some(posture.clone()) };
        let options = SolveOptions { position_tolerance: 1e-8, iterations: 300, ..SolveOptions::default() };
        let outcome = solver.solve(&mut chain, &[Goal::at(tip)], &options).unwrap();
        let after = posture.cost(&mut chain);
        assert_eq!(outcome.status, SolveStatus::Reached, "{run} {outcome:?}");
        assert!((chain.tip(0).0 - tip).norm() < 1e-6, "{run} {}", (chain.tip(0).0 - tip).norm());
        assert!(after < 0.9 * before, "{run}: {before} {after}");
    }
}

#[test]
fn a_posture_of_another_length_is_refused() {
    let (mut chain, _) = tree(|_| Constraint::free());
    let solver =
        Jacobian { posture: Some(posture(vec![UnitQuaternion::identity(); 2], 0.1)), ..Jacobian::default() };
    let goals = [Goal::at(Vector3::zeros()); 2];
    let refused = solver.solve(&mut chain, &goals, &SolveOptions::default());
    assert_eq!(refused, Err(IkError::PostureLength { found: 2, expected: 6 }));
}

#[test]
fn every_inverse_reaches_an_easy_goal() {
    for inverse in [
        JacobianInverse::Transpose,
        JacobianInverse::PseudoInverse,
        JacobianInverse::Damped(1e-3),
        JacobianInverse::Weighted(1e-3),
    ] {
        let mut random = Random(26);
        let mut chain = random.chain_of(4, |_| Constraint::free());
        let goal = Goal::at(chain.tip(0).0 + Vector3::new(0.1, 0.05, -0.1));
        let options = SolveOptions { finish: false, ..SolveOptions::default() };
        let solver = Jacobian { inverse, posture: None };
        let outcome = solver.solve(&mut chain, &[goal], &options).unwrap();
        assert_eq!(outcome.status, SolveStatus::Reached, "{inverse:?} {outcome:?}");
    }
}

/// A chain whose effector sits in a tree of other joints turns only what carries the effector.
#[test]
fn joints_off_the_way_stay() {
    for method in IkMethod::ALL {
        let (both, _) = tree(|_| Constraint::hinge(Vector3::z_axis(), -2.0, 2.0));
        let links = (0..6).map(|i| Link {
            offset: [0.0, 0.5, 0.0, 0.4, 0.0, 0.4].map(|x| Vector3::new(x, 0.1, 0.0))[i],
            rotation: UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.2),
            constraint: both.constraints()[i],
        });
        let parents = vec![None, Some(0), Some(1), Some(2), Some(1), Some(4)];
        let hand = Effector { joint: 3, offset: Vector3::x() * 0.3, rotation: UnitQuaternion::identity() };
        let mut chain = IkChain::tree(Isometry3::identity(), links.collect(), parents, vec![hand]).unwrap();
        let before = chain.rotations().to_vec();
        let goal = Goal::at(chain.tip(0).0 + Vector3::new(-0.1, 0.05, 0.0));
        let outcome = method.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
        assert_eq!(outcome.status, SolveStatus::Reached, "{method}");
        for off in [4, 5] {
            assert!(before[off].angle_to(&chain.rotations()[off]) < 1e-12, "{method} {off}");
        }
        assert!(matches!(
            chain.constraints()[0].freedom,
            mocap_ik::Freedom::Hinge { range: Limit { .. }, .. }
        ));
    }
}
