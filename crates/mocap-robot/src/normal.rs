//! Normal equations of one frame, accumulated row by row.
//!
//! Each goal of a body first adds to a 6×6 matrix for the spatial motion of that body. At the end, each joint
//! gets the sum of the matrices of all bodies that it moves. Based on: R. Featherstone, "Rigid Body Dynamics
//! Algorithms", 2008, section 6.2 (the composite rigid body algorithm).

use std::ops::Range;

use mocap_model::Vector3;
use nalgebra::{Matrix3, Matrix6, Vector6};

use crate::envelope::Envelope;
use crate::kinematics::{BodyArm, Kinematics, Moves, Twist};

/// Normal equations of one frame.
pub(crate) struct Normal {
    pub(crate) system: Envelope,
    /// Half the sum of squares.
    pub(crate) cost: f64,
    pub(crate) moves: Moves,
    /// The system with the active bounds; after it is solved, the step.
    solved: Envelope,
    bounds: Vec<Bound>,
    entries: Vec<(usize, f64)>,
    /// By body.
    bodies: Vec<BodyEquations>,
    /// By body: its motion with the step.
    motions: Vec<Twist>,
}

/// A lower bound on a step: of how far `point` moves along a direction, from `from` or in the world.
#[derive(Clone, Debug)]
struct Bound {
    from: Option<BodyArm>,
    point: BodyArm,
    direction: Vector3<f64>,
    square: f64,
    least: f64,
    holds: bool,
    /// Its row among all entries, once it holds: most bounds never do.
    entries: Option<Range<usize>>,
}

impl Bound {
    /// How far a step moves it, given the motion of each body.
    fn moved(&self, motions: &[Twist]) -> f64 {
        let of = |(body, arm): &BodyArm| motions[*body].at(arm);
        self.direction.dot(&(of(&self.point) - self.from.as_ref().map_or_else(Vector3::zeros, of)))
    }
}

/// Equations of a body's motion: its rotation, then the velocity of its point at the base.
#[derive(Clone, Debug)]
struct BodyEquations {
    matrix: Matrix6<f64>,
    right: Vector6<f64>,
    used: bool,
}

impl BodyEquations {
    fn none() -> BodyEquations {
        BodyEquations { matrix: Matrix6::zeros(), right: Vector6::zeros(), used: false }
    }
}

fn both(twist: &Twist) -> Vector6<f64> {
    let (a, l) = (twist.angular, twist.linear);
    Vector6::new(a.x, a.y, a.z, l.x, l.y, l.z)
}

/// Adds a row as an equation.
fn add_bound(system: &mut Envelope, row: &[(usize, f64)], square: f64, least: f64) {
    let Some((first, _)) = row.first() else { return };
    for (i, (at, a)) in row.iter().enumerate() {
        let scaled = a * square;
        system.right[*at] += scaled * least;
        let line = system.row(*at, *first);
        row[..=i].iter().for_each(|(column, b)| line[*column] += scaled * b);
    }
}

impl Normal {
    pub(crate) fn new(kinematics: &Kinematics) -> Normal {
        let columns = kinematics.columns();
        Normal {
            system: Envelope::new(columns),
            cost: 0.0,
            moves: Vec::new(),
            solved: Envelope::new(columns),
            bounds: Vec::new(),
            entries: Vec::new(),
            bodies: vec![BodyEquations::none(); kinematics.robot.bodies().len()],
            motions: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.system.clear();
        self.bounds.clear();
        self.entries.clear();
        let used = self.bodies.iter_mut().filter(|equations| equations.used);
        used.for_each(|equations| *equations = BodyEquations::none());
        self.cost = 0.0;
    }

    /// Adds the goal `step = miss` for one column.
    pub(crate) fn column(&mut self, column: usize, weight: f64, miss: f64) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss * miss;
        self.system.right[column] += square * miss;
        self.system.add(column, column, square);
    }

    /// Adds the goal that the quantity with the derivatives `moves` changes by `miss`, in all three coordinates.
    pub(crate) fn vector(&mut self, weight: f64, miss: &Vector3<f64>) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss.norm_squared();
        let Some((first, _)) = self.moves.first() else { return };
        for (i, (row, a)) in self.moves.iter().enumerate() {
            let scaled = a * square;
            self.system.right[*row] += scaled.dot(miss);
            let line = self.system.row(*row, *first);
            for (column, b) in &self.moves[..=i] {
                line[*column] += scaled.dot(b);
            }
        }
    }

    /// Adds the goal that a point of a body moves by `least` or more along a direction, from a point of another one or in
    /// the world.
    pub(crate) fn at_least(
        &mut self,
        (from, point): (Option<BodyArm>, BodyArm),
        direction: &Vector3<f64>,
        weight: f64,
        least: f64,
    ) {
        let square = weight * weight;
        self.cost += 0.5 * square * least.max(0.0).powi(2);
        let direction = *direction;
        let holds = least > 0.0;
        self.bounds.push(Bound { from, point, direction, square, least, holds, entries: None });
    }

    /// Solves the equations with the bounds that are violated now and those that the step would violate. `fix`
    /// fixes columns of a system. Returns the step, if there is one.
    pub(crate) fn solve(
        &mut self,
        kinematics: &Kinematics,
        fix: impl Fn(&mut Envelope),
    ) -> Option<&mut [f64]> {
        /// Number of times that bounds are added.
        const ROUNDS: usize = 3;
        /// Greatest violation of a bound by a step \[m\].
        const SHORT: f64 = 1e-3;
        let Normal { system, solved, entries, bounds, moves, motions, .. } = self;
        for round in 1..=ROUNDS {
            solved.copy_from(system);
            for bound in bounds.iter_mut().filter(|bound| bound.holds) {
                let Bound { from, point, direction, .. } = bound;
                let range = bound.entries.get_or_insert_with(|| {
                    kinematics.moves(from.as_ref(), point, moves);
                    let start = entries.len();
                    entries.extend(moves.iter().map(|(column, motion)| (*column, direction.dot(motion))));
                    start..entries.len()
                });
                add_bound(solved, &entries[range.clone()], bound.square, bound.least);
            }
            fix(solved);
            if !solved.solve() {
                return None;
            }
            if round == ROUNDS || bounds.iter().all(|bound| bound.holds) {
                break;
            }
            kinematics.motions(&solved.right, motions);
            let mut more = false;
            for bound in bounds.iter_mut().filter(|bound| !bound.holds) {
                bound.holds = bound.moved(motions) < bound.least - SHORT;
                more |= bound.holds;
            }
            if !more {
                break;
            }
        }
        Some(&mut solved.right)
    }

    /// Adds the goal that a point of a body moves by `miss` along a direction.
    pub(crate) fn point(
        &mut self,
        body: usize,
        arm: &Vector3<f64>,
        direction: &Vector3<f64>,
        weight: f64,
        miss: f64,
    ) {
        let turn = arm.cross(direction);
        let row = both(&Twist { angular: turn, linear: *direction });
        let square = weight * weight;
        self.cost += 0.5 * square * miss * miss;
        let equations = &mut self.bodies[body];
        equations.used = true;
        equations.matrix.ger(square, &row, &row, 1.0);
        equations.right.axpy(square * miss, &row, 1.0);
    }

    /// Adds the goal that a point of a body moves by `miss`; `arm` is the vector to it from the base.
    pub(crate) fn place(&mut self, body: usize, arm: &Vector3<f64>, weight: f64, miss: &Vector3<f64>) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss.norm_squared();
        let equations = &mut self.bodies[body];
        equations.used = true;
        // The point moves by linear - arm × angular.
        let cross = arm.cross_matrix() * square;
        let angular = (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * square;
        let BodyEquations { matrix, right, .. } = equations;
        let mut block = |row: usize, column: usize, add: &Matrix3<f64>| {
            let mut of = matrix.fixed_view_mut::<3, 3>(row, column);
            of += add;
        };
        block(0, 0, &angular);
        block(0, 3, &cross);
        block(3, 0, &cross.transpose());
        block(3, 3, &(Matrix3::identity() * square));
        let turning = arm.cross(miss) * square;
        for axis in 0..3 {
            right[axis] += turning[axis];
            right[3 + axis] += square * miss[axis];
        }
    }

    /// Adds the goal that a body turns by `miss`.
    pub(crate) fn turn(&mut self, body: usize, weight: f64, miss: &Vector3<f64>) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss.norm_squared();
        let equations = &mut self.bodies[body];
        equations.used = true;
        for axis in 0..3 {
            equations.matrix[(axis, axis)] += square;
            equations.right[axis] += square * miss[axis];
        }
    }

    /// Adds the goal that a body tilts by `miss`, whatever it turns about the vertical.
    pub(crate) fn tilt(&mut self, body: usize, weight: f64, miss: &Vector3<f64>) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss.xy().norm_squared();
        let equations = &mut self.bodies[body];
        equations.used = true;
        for axis in 0..2 {
            equations.matrix[(axis, axis)] += square;
            equations.right[axis] += square * miss[axis];
        }
    }

    /// Projects the equations of the bodies onto the joints that move them.
    pub(crate) fn project(&mut self, kinematics: &Kinematics) {
        let Normal { system, bodies, .. } = self;
        let base = kinematics.base_column();
        for body in (0..bodies.len()).rev() {
            if !bodies[body].used {
                continue;
            }
            // Parents come before their children.
            let (above, below) = bodies.split_at_mut(body);
            let BodyEquations { matrix, right, .. } = &below[0];
            if let Some(parent) = kinematics.robot.bodies()[body].parent {
                let parent = &mut above[parent];
                parent.matrix += matrix;
                parent.right += right;
                parent.used = true;
            }
            let movers = kinematics.movers(body);
            let own = kinematics.robot.joints_of(body).len();
            for behind in (movers.len() - own..movers.len()).rev() {
                let joint = movers[behind];
                let (column, factor) = kinematics.column(joint);
                let twist = both(kinematics.twist(joint));
                let force = matrix * twist * factor;
                system.right[column] += factor * twist.dot(right);
                for other in &movers[..behind] {
                    let (row, factor) = kinematics.column(*other);
                    let value = factor * both(kinematics.twist(*other)).dot(&force);
                    // Both orders of two joints with the same driver add to its diagonal entry.
                    system.add(row, column, if row == column { 2.0 * value } else { value });
                }
                system.add(column, column, factor * twist.dot(&force));
                for axis in 0..3 {
                    system.add(base + axis, column, force[3 + axis]);
                    system.add(base + 3 + axis, column, force[axis]);
                }
            }
        }
        if bodies[0].used {
            // The position of the base comes first.
            let place = |at: usize| base + (at + 3) % 6;
            for a in 0..6 {
                system.right[place(a)] += bodies[0].right[a];
                for b in (0..6).filter(|b| place(*b) <= place(a)) {
                    system.add(place(a), place(b), bodies[0].matrix[(a, b)]);
                }
            }
        }
    }
}
