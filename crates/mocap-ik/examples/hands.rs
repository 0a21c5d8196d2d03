//! Two hands whose goals cannot both be met: solved by weight, by priority, and with a posture in
//! the freedom that is left.
//!
//! `cargo run -p mocap-ik --example hands`

use mocap_ik::{
    Constraint, Effector, Goal, IkChain, IkMethod, Jacobian, JacobianInverse, Link, Posture, SolveOptions,
    Solver,
};
use mocap_model::{Isometry3, UnitQuaternion, Vector3};

/// A spine of two joints, two arms of two, a hand on each.
fn body() -> Result<IkChain, mocap_ik::IkError> {
    let joints: [(Option<usize>, [f64; 3]); 6] = [
        (None, [0.0, 0.0, 0.0]),
        (Some(0), [0.0, 0.25, 0.0]),
        (Some(1), [0.2, 0.25, 0.0]),
        (Some(2), [0.28, 0.0, 0.0]),
        (Some(1), [-0.2, 0.25, 0.0]),
        (Some(4), [-0.28, 0.0, 0.0]),
    ];
    let links = joints.map(|(_, offset)| Link {
        offset: Vector3::from(offset),
        rotation: UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.1),
        constraint: Constraint::free(),
    });
    let hand = |joint, side: f64| Effector {
        joint,
        offset: Vector3::x() * (0.25 * side),
        rotation: UnitQuaternion::identity(),
    };
    let base = Isometry3::translation(0.0, 1.0, 0.0);
    IkChain::tree(
        base,
        links.to_vec(),
        joints.map(|joint| joint.0).to_vec(),
        vec![hand(3, 1.0), hand(5, -1.0)],
    )
}

#[allow(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), mocap_ik::IkError> {
    let left = Goal::at(Vector3::new(0.8, 1.4, 0.3));
    let right = Goal::at(Vector3::new(-0.9, 1.5, 0.2));
    let cases = [
        ("equal", [left, right]),
        ("the left one ten times the weight", [left.with_weights(10.0, 0.0), right]),
        ("the left one first", [left, Goal { priority: 1, ..right }]),
    ];
    for (what, goals) in cases {
        println!("{what}:");
        for method in [IkMethod::Fabrik, IkMethod::Dls, IkMethod::Objective] {
            let mut chain = body()?;
            let outcome = method.solve(&mut chain, &goals, &SolveOptions::default())?;
            let off = [0, 1].map(|hand| 100.0 * (goals[hand].position - chain.tip(hand).0).norm());
            println!(
                "  {method:9} {:?} after {} iterations: left hand {:.1} cm off, right hand {:.1} cm",
                outcome.status, outcome.iterations, off[0], off[1]
            );
        }
    }

    println!("both within reach, and the spine would rather be straight:");
    let mut chain = body()?;
    let straight = vec![UnitQuaternion::identity(); chain.len()];
    let posture = Posture { rotations: straight, gains: vec![0.4, 0.4, 0.0, 0.0, 0.0, 0.0] };
    let goals = [Goal::at(Vector3::new(0.5, 1.6, 0.3)), Goal::at(Vector3::new(-0.5, 1.3, 0.3))];
    for with in [false, true] {
        let mut chain = chain.clone();
        let solver =
            Jacobian { inverse: JacobianInverse::Damped(1e-6), posture: with.then(|| posture.clone()) };
        let outcome = solver.solve(&mut chain, &goals, &SolveOptions::default())?;
        let lean = chain.rotations()[..2].iter().map(|q| q.angle().to_degrees()).sum::<f64>();
        println!(
            "  {} posture: {:?}, the spine bent by {lean:.1}°",
            if with { "with" } else { "without" },
            outcome.status
        );
    }
    println!("cost of the posture at the start: {:.4}", posture.cost(&mut chain));
    Ok(())
}
