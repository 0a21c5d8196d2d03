//! How often each solver meets goals that can be met, what it takes, and how smoothly it follows a goal.
//!
//! `cargo run --release -p mocap-ik --example accuracy [RUNS]` prints the tables of the documentation.
//!
//! Accuracy: random chains with bones from 0.1 to 1; the goal is the place of the effector in a pose drawn
//! evenly from the ranges of the joints, the start another such pose; at most 100 iterations, a tolerance of
//! 1e-4 of the length. Following: a chain of length 1 whose goal goes round a closed curve, 0.6 % of the
//! length a frame.

use mocap_ik::{
    Constraint, Freedom, Goal, IkChain, IkMethod, Jacobian, JacobianInverse, Link, SolveOptions, SolveStatus,
    Solver,
};
use mocap_model::{EulerOrder, Isometry3, Limit, UnitQuaternion, Vector3, exp};
use nalgebra::{Quaternion, Unit};
use std::f64::consts::TAU;

/// SplitMix64: the same chains on every machine.
struct Random(u64);

impl Random {
    fn range(&mut self, min: f64, max: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        min + (max - min) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let [a, b, c, d] = [0; 4].map(|_| self.range(-1.0, 1.0));
            let q = Quaternion::new(a, b, c, d);
            if q.norm() > 0.1 && q.norm() < 1.0 {
                return UnitQuaternion::new_normalize(q);
            }
        }
    }

    fn direction(&mut self) -> Unit<Vector3<f64>> {
        let along = self.rotation() * Vector3::x();
        Unit::new_normalize(along)
    }

    fn bone(&mut self) -> Vector3<f64> {
        self.direction().into_inner() * self.range(0.1, 1.0)
    }
}

/// What the joints of a table's chains are.
#[derive(Clone, Copy)]
enum Joints {
    /// Ball joints without limits.
    Free,
    /// A limited ball first, then hinges, as in an arm.
    Limb,
    /// Three limited Euler angles each.
    Euler,
}

fn constraint(random: &mut Random, joints: Joints, i: usize) -> Constraint {
    let limit = |random: &mut Random, span: f64| {
        let middle = random.range(-0.5, 0.5);
        Limit { min: middle - span / 2.0, max: middle + span / 2.0 }
    };
    match joints {
        Joints::Free => Constraint::free(),
        Joints::Limb if i > 0 => {
            let range = limit(random, 2.4);
            Constraint::hinge(random.direction(), range.min, range.max)
        }
        Joints::Limb => Constraint::new(Freedom::Ball {
            axis: random.direction(),
            swing: random.range(1.0, 2.0),
            twist: limit(random, 2.0),
        }),
        Joints::Euler => {
            let ranges = [2.5, 1.5, 1.5].map(|span| limit(random, span));
            Constraint::new(Freedom::Euler { order: EulerOrder::ZXY, ranges })
        }
    }
}

fn chain(random: &mut Random, n: usize, joints: Joints) -> IkChain {
    let links = (0..n).map(|i| Link {
        offset: if i == 0 { Vector3::zeros() } else { random.bone() },
        rotation: UnitQuaternion::identity(),
        constraint: constraint(random, joints, i),
    });
    let links: Vec<Link> = links.collect();
    IkChain::serial(Isometry3::identity(), links, random.bone()).expect("a sound chain")
}

/// A pose drawn evenly from the ranges of the joints.
fn pose(random: &mut Random, chain: &mut IkChain) {
    let draw = |constraint: &Constraint| match constraint.freedom {
        Freedom::Hinge { axis, range } => {
            UnitQuaternion::from_axis_angle(&axis, random.range(range.min, range.max))
        }
        Freedom::Ball { axis, swing, twist } => {
            let across = Unit::new_normalize(axis.cross(&random.direction()));
            let swing = UnitQuaternion::from_axis_angle(&across, random.range(0.0, swing));
            swing * UnitQuaternion::from_axis_angle(&axis, random.range(twist.min, twist.max))
        }
        Freedom::Euler { order, ranges } => {
            order.rotation(ranges.map(|range| random.range(range.min, range.max)))
        }
        _ => random.rotation(),
    };
    let drawn: Vec<_> = chain.constraints().iter().map(draw).collect();
    chain.set_rotations(&drawn);
}

/// Reached [%], and iterations on average.
fn measure(solver: &dyn Solver, n: usize, joints: Joints, options: &SolveOptions, runs: usize) -> [f64; 2] {
    let mut random = Random(n as u64);
    let (mut reached, mut iterations) = (0, 0);
    for _ in 0..runs {
        let mut chain = chain(&mut random, n, joints);
        pose(&mut random, &mut chain);
        let goal = Goal::at(chain.tip(0).0);
        pose(&mut random, &mut chain);
        let outcome = solver.solve(&mut chain, &[goal], options).expect("a sound goal");
        reached += usize::from(outcome.status == SolveStatus::Reached);
        iterations += outcome.iterations as usize;
    }
    [100.0 * reached as f64 / runs as f64, iterations as f64 / runs as f64]
}

/// Iterations on average, the residual on average [1e-6 of the length] and the largest step of a joint [°].
fn follow(solver: &dyn Solver, n: usize) -> [f64; 3] {
    let bone = Vector3::new(0.0, -1.0 / n as f64, 0.0);
    let links = (0..n).map(|i| Link {
        offset: if i == 0 { Vector3::zeros() } else { bone },
        rotation: exp(&Vector3::new(if i == 0 { -0.4 } else { 0.8 / n as f64 }, 0.0, 0.0)),
        constraint: Constraint::free(),
    });
    let mut chain = IkChain::serial(Isometry3::identity(), links.collect(), bone).expect("a sound chain");
    let (mut iterations, mut missed, mut largest) = (0, 0.0, 0.0f64);
    const FRAMES: u32 = 2000;
    for frame in 0..FRAMES {
        let t = TAU * f64::from(frame) / 1000.0;
        let place = Vector3::new(0.3 * (2.0 * t).sin(), -0.7 + 0.1 * (3.0 * t).cos(), 0.3 * (2.0 * t).cos());
        let before = chain.rotations().to_vec();
        let outcome =
            solver.solve(&mut chain, &[Goal::at(place)], &SolveOptions::default()).expect("a sound goal");
        iterations += outcome.iterations;
        missed += outcome.position;
        let steps = before.iter().zip(chain.rotations()).map(|(a, b)| a.angle_to(b));
        if frame > 0 {
            largest = steps.fold(largest, f64::max);
        }
    }
    let frames = f64::from(FRAMES);
    [f64::from(iterations) / frames, 1e6 * missed / frames, largest.to_degrees()]
}

#[allow(clippy::print_stdout, reason = "the tables are what the example is for")]
fn main() {
    let runs = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(10_000);
    let named = IkMethod::ALL.map(|method| (method.name(), Box::new(method) as Box<dyn Solver>));
    let jacobian = |inverse| Box::new(Jacobian { inverse, posture: None }) as Box<dyn Solver>;
    let solvers: Vec<_> = named
        .into_iter()
        .chain([
            ("pseudo-inverse", jacobian(JacobianInverse::PseudoInverse)),
            ("transpose", jacobian(JacobianInverse::Transpose)),
        ])
        .collect();
    for (what, joints) in [
        ("Free ball joints", Joints::Free),
        ("Limbs: a ball with a cone of 57-115° and 115° of twist, then hinges with 138°", Joints::Limb),
        ("Euler joints, ZXY, with ranges of 143°, 86° and 86°", Joints::Euler),
    ] {
        println!("{what}: reached %, and iterations on average, over {runs} chains\n");
        println!("| solver | 2 joints | 3 | 5 | 7 |\n|---|---|---|---|---|");
        for (name, solver) in &solvers {
            for finish in [true, false] {
                if *name == "two-bone" && !finish {
                    continue;
                }
                let options = SolveOptions { finish, ..SolveOptions::default() };
                let cells = [2, 3, 5, 7].map(|n| match *name == "two-bone" && n > 2 {
                    true => "".to_string(),
                    false => {
                        let [reached, iterations] = measure(&**solver, n, joints, &options, runs);
                        format!("{reached:.2} ({iterations:.1})")
                    }
                });
                println!("| {name}{} | {} |", if finish { "" } else { ", no finish" }, cells.join(" | "));
            }
        }
        println!();
    }
    println!("Following a goal: iterations, residual [1e-6 of the length], largest step of a joint [°]\n");
    println!("| solver | 2 joints | 3 | 5 | 7 |\n|---|---|---|---|---|");
    for (name, solver) in &solvers {
        let cells = [2, 3, 5, 7].map(|n| match *name == "two-bone" && n > 2 {
            true => "".to_string(),
            false => {
                let [iterations, missed, step] = follow(&**solver, n);
                format!("{iterations:.1}, {missed:.1}, {step:.2}")
            }
        });
        println!("| {name} | {} |", cells.join(" | "));
    }
}
