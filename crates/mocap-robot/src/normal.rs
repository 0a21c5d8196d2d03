//! Normal equations of one frame, gathered row by row.
//!
//! What is asked of one body is gathered for its motion first, six by six, and spread over the joints that move it at
//! the end, bodies behind a joint together. Based on: R. Featherstone, "Rigid Body Dynamics Algorithms", 2008,
//! section 6.2 (the composite rigid body algorithm).

use mocap_model::Vector3;
use nalgebra::{Matrix6, Point3, Vector6};

use crate::envelope::Envelope;
use crate::kinematics::{Kinematics, Moves, Twist};

/// Normal equations of one frame.
pub(crate) struct Normal {
    pub(crate) system: Envelope,
    /// Half the sum of squares.
    pub(crate) cost: f64,
    /// The right side before surfaces: where the goals pull.
    pull: Vec<f64>,
    row: Vec<(usize, f64)>,
    pub(crate) moves: Moves,
    /// By body.
    bodies: Vec<BodyEquations>,
}

/// Equations of a body's motion: its turn, then the motion of the point of it that is at the base.
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

impl Normal {
    pub(crate) fn new(kinematics: &Kinematics) -> Normal {
        let columns = kinematics.columns();
        Normal {
            system: Envelope::new(columns),
            cost: 0.0,
            pull: vec![0.0; columns],
            row: Vec::new(),
            moves: Vec::new(),
            bodies: vec![BodyEquations::none(); kinematics.robot.bodies().len()],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.system.clear();
        let used = self.bodies.iter_mut().filter(|equations| equations.used);
        used.for_each(|equations| *equations = BodyEquations::none());
        self.cost = 0.0;
    }

    /// One column on its own: `step = miss`.
    pub(crate) fn column(&mut self, column: usize, weight: f64, miss: f64) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss * miss;
        self.system.right[column] += square * miss;
        self.system.add(column, column, square);
    }

    /// What moves with `moves` goes by `miss`, in all three coordinates.
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

    /// Keeps what moves with `moves` at `under` or more along a direction. What is not under yet counts where the
    /// goals pull it down: else it would be under after each second step.
    pub(crate) fn above(&mut self, direction: &Vector3<f64>, weight: f64, under: f64) {
        let Normal { row, moves, pull, .. } = self;
        row.clear();
        row.extend(moves.iter().map(|(column, motion)| (*column, direction.dot(motion))));
        let pull: f64 = row.iter().map(|(column, value)| value * pull[*column]).sum();
        if under <= 0.0 && pull >= 0.0 {
            return;
        }
        let square = weight * weight;
        self.cost += 0.5 * square * under.max(0.0).powi(2);
        let Some((first, _)) = self.row.first() else { return };
        for (i, (row, a)) in self.row.iter().enumerate() {
            let scaled = a * square;
            self.system.right[*row] += scaled * under;
            let line = self.system.row(*row, *first);
            self.row[..=i].iter().for_each(|(column, b)| line[*column] += scaled * b);
        }
    }

    /// A point of a body goes by `miss` along a direction.
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

    /// A body turns by `miss`.
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

    /// As [`Normal::above`], of the height of a point of a body.
    pub(crate) fn above_floor(
        &mut self,
        kinematics: &Kinematics,
        body: usize,
        at: &Point3<f64>,
        weight: f64,
        under: f64,
    ) {
        let arm = kinematics.arm(at);
        if under <= 0.0 && kinematics.motion(body, &self.pull).at(&arm).z >= 0.0 {
            return;
        }
        let cost = self.cost;
        self.point(body, &arm, &Vector3::z(), weight, under);
        if under < 0.0 {
            self.cost = cost;
        }
    }

    /// Notes where the goals so far pull.
    pub(crate) fn note_pull(&mut self, kinematics: &Kinematics) {
        self.pull.clone_from(&self.system.right);
        // By joint: what all bodies behind it ask for.
        for (body, equations) in self.bodies.iter().enumerate().filter(|(_, equations)| equations.used) {
            for joint in kinematics.movers(body) {
                let (column, factor) = kinematics.column(*joint);
                self.pull[column] += factor * both(kinematics.twist(*joint)).dot(&equations.right);
            }
            let base = &mut self.pull[kinematics.base_column()..];
            for axis in 0..3 {
                base[axis] += equations.right[3 + axis];
                base[3 + axis] += equations.right[axis];
            }
        }
    }

    /// Brings what was asked of bodies to the joints that move them.
    pub(crate) fn spread(&mut self, kinematics: &Kinematics) {
        let Normal { system, bodies, .. } = self;
        let base = kinematics.base_column();
        for body in (0..bodies.len()).rev() {
            if !bodies[body].used {
                continue;
            }
            let BodyEquations { matrix, right, .. } = bodies[body];
            if let Some(parent) = kinematics.robot.bodies()[body].parent {
                let parent = &mut bodies[parent];
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
                system.right[column] += factor * twist.dot(&right);
                for other in &movers[..behind] {
                    let (row, factor) = kinematics.column(*other);
                    let value = factor * both(kinematics.twist(*other)).dot(&force);
                    // Of two joints that one drives, both orders are on its diagonal.
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
