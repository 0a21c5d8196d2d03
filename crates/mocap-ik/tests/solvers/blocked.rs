//! The blocked kernels of the benchmark against the solvers of the library.

use crate::bench::{Chains, Rotations, Vectors, shortest, two_bone};
use mocap_ik::{Ccd, Constraint, Goal, IkChain, Link, SolveOptions, Solver};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

fn place(i: usize) -> [f64; 3] {
    let t = i as f64;
    [0.5 * t.sin(), -0.6 + 0.3 * (1.7 * t).cos(), 0.4 * (2.3 * t).sin()]
}

fn block<const N: usize>(at: impl Fn(usize) -> [f64; 3]) -> Vectors<f64, N> {
    let mut block = Vectors::zeros();
    (0..N).for_each(|i| block.set(i, at(i)));
    block
}

#[test]
fn limbs_have_their_lengths_and_bend_to_the_pole() {
    let (root, pole) = (block(|_| [0.1, 0.2, 0.3]), block(|_| [0.0, 0.1, 1.0]));
    for from in 0..50 {
        let goal = block::<8>(|i| place(from * 8 + i));
        let limbs = two_bone(0.45, 0.42, &root, &goal, &pole);
        for i in 0..8 {
            let [root, middle, tip, goal, pole] =
                [&root, &limbs.middle, &limbs.tip, &goal, &pole].map(|block| Vector3::from(block.get(i)));
            assert!(((middle - root).norm() - 0.45).abs() < 1e-12);
            assert!(((tip - middle).norm() - 0.42).abs() < 1e-12);
            let out_of_reach = ((goal - root).norm() - 0.87).max(0.03 - (goal - root).norm()).max(0.0);
            assert!(((tip - goal).norm() - out_of_reach).abs() < 1e-12);
            assert!((limbs.missing[i] - out_of_reach).abs() < 1e-12);
            let line = (goal - root).normalize();
            let bent = middle - root - line * (middle - root).dot(&line);
            assert!(bent.norm() < 1e-6 || bent.dot(&pole) > 0.0);
        }
    }
}

#[test]
fn a_frame_alone_gives_the_same_bits() {
    let (root, pole) = (block::<8>(place), block::<8>(|i| place(i + 100)));
    let goal = block::<8>(|i| place(i + 50));
    let together = two_bone(0.4, 0.5, &root, &goal, &pole);
    for i in 0..8 {
        let one =
            |block: &Vectors<f64, 8>| Vectors::<f64, 1> { x: [block.x[i]], y: [block.y[i]], z: [block.z[i]] };
        let alone = two_bone(0.4, 0.5, &one(&root), &one(&goal), &one(&pole));
        assert_eq!(alone.middle.get(0), together.middle.get(i));
        assert_eq!(alone.tip.get(0), together.tip.get(i));
    }
}

#[test]
fn goals_without_a_direction_give_numbers() {
    let zero = Vectors::<f32, 8>::zeros();
    for (upper, lower) in [(0.5, 0.5), (0.5, 0.2), (0.0, 0.0)] {
        let limbs = two_bone(upper, lower, &zero, &zero, &zero);
        assert!(limbs.middle.get(0).iter().chain(&limbs.tip.get(0)).all(|value| value.is_finite()));
    }
    assert_eq!(shortest(&zero, &zero), Rotations::identity());
}

#[test]
fn chains_follow_the_scalar_solver() {
    let bone = Vector3::new(0.0, -0.4, 0.0);
    let link = |offset| Link { offset, rotation: UnitQuaternion::identity(), constraint: Constraint::free() };
    let links = vec![link(Vector3::zeros()), link(bone), link(bone)];
    let mut scalar = IkChain::serial(Isometry3::identity(), links, bone).unwrap();
    let pose: Vec<_> =
        [0.3, -0.5, 0.2].iter().map(|&angle| UnitQuaternion::new(Vector3::new(angle, 0.1, 0.2))).collect();
    let options = SolveOptions { finish: false, position_tolerance: 1e-9, ..SolveOptions::default() };
    let mut chains = Chains::<f64, 8>::new(3);
    scalar.set_rotations(&pose);
    chains.start();
    for (k, point) in scalar.positions().iter().chain(&[scalar.tip(0).0]).enumerate() {
        chains.points[k] = block(|_| [point.x, point.y, point.z]);
    }
    let goal = block::<8>(|i| place(i).map(|value| 0.9 * value));
    let (used, missing) = chains.ccd(&goal, 1e-9, 400);
    assert!(used < 400, "{used} {missing:?}");
    let frames = scalar.frames().to_vec();
    for i in 0..8 {
        scalar.set_rotations(&pose);
        Ccd.solve(&mut scalar, &[Goal::at(Vector3::from(goal.get(i)))], &options).unwrap();
        for k in 0..3 {
            let [w, x, y, z] = chains.turns[k].get(i);
            let turn = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
            assert!((turn * frames[k]).angle_to(&scalar.frames()[k]) < 1e-6, "{i} {k}");
            let at = Vector3::from(chains.points[k].get(i));
            assert!((at - scalar.positions()[k]).norm() < 1e-6);
        }
    }
}
