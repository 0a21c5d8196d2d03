//! How often each solver meets goals that can be met, and how far off it is where it does not.
//!
//! `cargo run --release -p mocap-ik --example accuracy [RUNS]` prints the table of the documentation: random
//! chains with bones from 0.1 to 1, goals that are places of the effector in another random pose, cold starts
//! from a random pose, at most 100 iterations, a tolerance of 1e-4 of the chain's length.

use mocap_ik::{Chain, Constraint, Freedom, Goal, Inverse, Jacobian, Link, Method, Options, Solver, Status};
use mocap_model::{EulerOrder, Isometry3, Limit, UnitQuaternion, Vector3};
use nalgebra::{Quaternion, Unit};

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

fn chain(random: &mut Random, n: usize, joints: Joints) -> Chain {
    let links = (0..n).map(|i| Link {
        offset: if i == 0 { Vector3::zeros() } else { random.bone() },
        rotation: UnitQuaternion::identity(),
        constraint: constraint(random, joints, i),
    });
    let links: Vec<Link> = links.collect();
    Chain::serial(Isometry3::identity(), links, random.bone()).expect("a sound chain")
}

fn pose(random: &mut Random, chain: &mut Chain) {
    let random_pose: Vec<_> =
        chain.constraints().iter().map(|constraint| constraint.project(&random.rotation()).0).collect();
    chain.set_rotations(&random_pose);
}

/// Reached [%], iterations on average, and the 99.9th percentile of the residual [share of the length].
fn measure(solver: &dyn Solver, n: usize, joints: Joints, options: &Options, runs: usize) -> [f64; 3] {
    let mut random = Random(n as u64);
    let mut missed: Vec<f64> = Vec::with_capacity(runs);
    let (mut reached, mut iterations) = (0, 0);
    for _ in 0..runs {
        let mut chain = chain(&mut random, n, joints);
        pose(&mut random, &mut chain);
        let goal = Goal::at(chain.tip(0).0);
        pose(&mut random, &mut chain);
        let outcome = solver.solve(&mut chain, &[goal], options).expect("a sound goal");
        reached += usize::from(outcome.status == Status::Reached);
        iterations += outcome.iterations as usize;
        missed.push(outcome.position / chain.length(0));
    }
    missed.sort_by(f64::total_cmp);
    let percentile = missed[(runs - 1) * 999 / 1000];
    [100.0 * reached as f64 / runs as f64, iterations as f64 / runs as f64, percentile]
}

#[allow(clippy::print_stdout, reason = "the table is what the example is for")]
fn main() {
    let runs = std::env::args().nth(1).and_then(|runs| runs.parse().ok()).unwrap_or(10_000);
    let named = Method::ALL.map(|method| (method.name(), Box::new(method) as Box<dyn Solver>));
    let jacobian = |inverse| Box::new(Jacobian { inverse, posture: None }) as Box<dyn Solver>;
    let solvers = named.into_iter().chain([
        ("pseudo-inverse", jacobian(Inverse::PseudoInverse)),
        ("transpose", jacobian(Inverse::Transpose)),
    ]);
    println!(
        "| solver | joints | finish | free: reached % | iterations | p99.9 | limb: reached % | iterations | p99.9 | Euler: reached % | iterations | p99.9 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, solver) in solvers {
        for finish in [true, false] {
            let options = Options { finish, ..Options::default() };
            for n in [2, 3, 5, 7] {
                if name == "two-bone" && (n > 2 || !finish) {
                    continue;
                }
                let cells = [Joints::Free, Joints::Limb, Joints::Euler].map(|joints| {
                    let [reached, iterations, missed] = measure(&*solver, n, joints, &options, runs);
                    format!("{reached:.2} | {iterations:.1} | {missed:.0e}")
                });
                println!("| {name} | {n} | {} | {} |", if finish { "yes" } else { "no" }, cells.join(" | "));
            }
        }
    }
}
