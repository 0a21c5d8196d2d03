//! The pose of one frame: robust Gauss-Newton steps on the angles of all joints.
//!
//! Minimises, for markers, the usual turns of joints, and limits of angles:
//!
//! `Σ ρ(|m_k − (p_j + R_j a_k)|²) / σ² + Σ |log(q̄⁻¹ q)|²_W + Σ excess² / σ_l²`
//!
//! `m_k` is a marker, `a_k` its place on joint `j` with position `p_j` and rotation `R_j`; `q` is a
//! rotation, `q̄` its rest. `ρ(r²) = c² r² / (c² + r²)` (Geman, McClure, 1987) has the weights
//! `(c² / (c² + r²))²`. Steps are damped until one lowers the sum. Derivatives are analytic. Small
//! steps include the second derivatives of places (Newton), and the smallest reuse the matrix of
//! the step before.

use mocap_model::{UnitQuaternion, Vector3, log};
use nalgebra::Matrix3;

use crate::body::{Body, DofKind, Placed, State, Turns};
use crate::tree_matrix::TreeMatrix;

/// How far an angle may leave its limits before that counts as much as a marker [rad].
const LIMIT_SOFTNESS: f64 = 0.05;
/// Below this step the matrix hardly changes, and the last factor is reused [rad, m].
const NEARBY: f64 = 0.02;
/// Below this step the curvature of the markers' paths is included [rad, m].
const CURVED: f64 = 0.1;
/// Greatest number of steps of a solve.
const MOST_STEPS: usize = 60;
/// Greatest number of steps with growing damping before the solve ends.
const MOST_TRIES: usize = 8;

/// A marker on a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attached {
    pub(crate) joint: usize,
    /// In the frame of the joint [m].
    pub(crate) place: Vector3<f64>,
    /// 1 / σ² [1/m²].
    pub(crate) weight: f64,
}

/// A marker that was seen: its index and place in world space [m].
pub(crate) type Observed = (usize, Vector3<f64>);

/// How a solve is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameOptions {
    /// c of the robust loss [m].
    pub(crate) scale: f64,
    /// The largest step at the end [rad, m].
    pub(crate) tolerance: f64,
}

/// A pose to which joints are held, as far as markers leave them open.
#[derive(Clone, Debug)]
pub(crate) struct HeldPose<'a> {
    pub(crate) state: &'a State,
    /// Stiffness by joint [1/rad²]; 0: not held.
    pub(crate) stiffness: &'a [f64],
}

/// The contribution of the markers of a joint and of those below it to the sum, about the position of the root,
/// as for a rigid body under a force. Its moments replace all pairs of degrees of freedom above them.
///
/// Based on: R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, composite bodies.
#[derive(Clone, Copy, Debug, Default)]
struct CompositeMoments {
    weight: f64,
    /// `Σ w p`.
    first: Vector3<f64>,
    /// `Σ w (|p|² 1 − p pᵀ)`.
    second: Matrix3<f64>,
    /// `Σ w r` of offsets r to where markers were seen, and `Σ w p × r`.
    pull: Vector3<f64>,
    twist: Vector3<f64>,
    /// `Σ w r pᵀ`.
    covariance: Matrix3<f64>,
}

/// What is computed at a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// The descent direction.
    Gradient,
    /// The descent direction and the Gauss-Newton matrix.
    GaussNewton,
    /// The same with the curvature of the markers' paths. Near the axis of a joint, a marker whose residual
    /// exceeds its lever arm doubles the Gauss-Newton matrix, or cancels it.
    Newton,
}

impl CompositeMoments {
    fn add(&mut self, weight: f64, at: &Vector3<f64>, off: &Vector3<f64>) {
        self.weight += weight;
        self.first += at * weight;
        self.second += (Matrix3::identity() * at.norm_squared() - at * at.transpose()) * weight;
        self.pull += off * weight;
        self.twist += at.cross(off) * weight;
        self.covariance += off * at.transpose() * weight;
    }

    fn join(&mut self, other: &CompositeMoments) {
        self.weight += other.weight;
        self.first += other.first;
        self.second += other.second;
        self.pull += other.pull;
        self.twist += other.twist;
        self.covariance += other.covariance;
    }
}

/// Buffers of solves, reused for each frame.
#[derive(Clone, Debug)]
pub(crate) struct FrameSolver {
    pub(crate) placed: Placed,
    pub(crate) hessian: TreeMatrix,
    pub(crate) gradient: Vec<f64>,
    carried: Vec<CompositeMoments>,
    motions: Vec<[Vector3<f64>; 2]>,
    factor: TreeMatrix,
    step: Vec<f64>,
    moved: State,
}

impl FrameSolver {
    pub(crate) fn new(body: &Body) -> FrameSolver {
        let matrix = TreeMatrix::new(body.dofs.iter().map(|dof| dof.above));
        FrameSolver {
            placed: Placed::default(),
            factor: matrix.clone(),
            hessian: matrix,
            gradient: vec![0.0; body.dofs.len()],
            carried: Vec::new(),
            motions: Vec::new(),
            step: vec![0.0; body.dofs.len()],
            moved: body.rest(),
        }
    }

    /// Moves `state` to the least sum; returns that sum.
    pub(crate) fn solve(
        &mut self,
        body: &Body,
        markers: &[Attached],
        seen: &[Observed],
        held: Option<&HeldPose<'_>>,
        state: &mut State,
        options: &FrameOptions,
    ) -> f64 {
        let mut damping = 0.0;
        body.place(state, &mut self.placed);
        let mut cost = self.cost(body, markers, seen, held, state, options.scale);
        // There is no step before the first: its ratio is infinite, so the whole step counts as remaining.
        let mut before = 0.0f64;
        // Whether the factor belongs to a nearby pose, without damping.
        let mut is_factored = false;
        for _ in 0..MOST_STEPS {
            let mut needed = match before {
                _ if is_factored && before < NEARBY => Needed::Gradient,
                before if before > 0.0 && before < CURVED => Needed::Newton,
                _ => Needed::GaussNewton,
            };
            self.linearise(body, markers, seen, held, state, (options.scale, needed));
            let mut largest = 0.0f64;
            let mut lowered = false;
            for _ in 0..MOST_TRIES {
                self.step.copy_from_slice(&self.gradient);
                if needed == Needed::Gradient || self.damped_factor(damping) {
                    is_factored = damping == 0.0;
                    self.factor.solve_transposed(&mut self.step);
                    self.factor.solve_lower(&mut self.step);
                    largest = self.step.iter().fold(0.0, |most, step| most.max(step.abs()));
                    if largest > 1.0 {
                        self.step.iter_mut().for_each(|step| *step /= largest);
                    }
                    let mut moved = std::mem::take(&mut self.moved);
                    body.step(state, &self.step, &mut moved);
                    body.place(&moved, &mut self.placed);
                    let next = self.cost(body, markers, seen, held, &moved, options.scale);
                    self.moved = moved;
                    if next <= cost + 1e-12 * cost.abs() {
                        std::mem::swap(state, &mut self.moved);
                        cost = next;
                        lowered = true;
                        damping = if damping < 1e-6 { 0.0 } else { damping * 0.1 };
                        break;
                    }
                    body.place(state, &mut self.placed);
                }
                // The matrix of an earlier pose may not give a descent direction; the matrix of this pose may.
                // The Gauss-Newton matrix does if the Newton matrix is not positive definite.
                needed = match needed {
                    Needed::Gradient if before < CURVED => Needed::Newton,
                    Needed::Gradient | Needed::Newton => Needed::GaussNewton,
                    Needed::GaussNewton => {
                        damping = (damping * 8.0).max(1e-4);
                        continue;
                    }
                };
                self.linearise(body, markers, seen, held, state, (options.scale, needed));
            }
            // Steps shrink by a constant ratio, so the remaining distance is a geometric sum.
            let share = largest / before;
            let left = if share < 0.5 { largest * share / (1.0 - share) } else { largest };
            if !lowered || left.min(largest) < options.tolerance {
                break;
            }
            before = largest;
        }
        cost
    }

    /// Factors the Gauss-Newton matrix with damping; false if it is not positive definite.
    fn damped_factor(&mut self, damping: f64) -> bool {
        self.factor.copy_from(&self.hessian);
        for at in 0..self.gradient.len() {
            let grow = self.hessian.diagonal(at) * damping + 1e-9;
            self.factor.add(at, at, grow);
        }
        self.factor.factor()
    }

    /// The sum at a placed state.
    pub(crate) fn cost(
        &self,
        body: &Body,
        markers: &[Attached],
        seen: &[Observed],
        held: Option<&HeldPose<'_>>,
        state: &State,
        scale: f64,
    ) -> f64 {
        let c = scale * scale;
        let mut cost = 0.0;
        for (marker, place) in seen {
            let Attached { joint, place: attached, weight } = markers[*marker];
            let at = self.placed.of(joint, &attached);
            let square = (place - at).norm_squared();
            cost += weight * c * square / (c + square);
        }
        for (at, joint) in body.joints.iter().enumerate().skip(1) {
            match &joint.turns {
                Turns::Fixed => {}
                Turns::Ball => {
                    let turn = log(&state.turns[at]);
                    cost += turn.dot(&(joint.stiffness * turn));
                    if let Some(held) = held.filter(|held| held.stiffness[at] > 0.0) {
                        let turn = log(&(held.state.turns[at].inverse() * state.turns[at]));
                        cost += held.stiffness[at] * turn.norm_squared();
                    }
                }
                Turns::Axes { axes, limits, .. } => {
                    for place in 0..axes.len() {
                        let angle = state.angles[at][place];
                        let excess = excess(limits[place], angle);
                        cost += joint.stiffness[(0, 0)] * angle * angle + (excess / LIMIT_SOFTNESS).powi(2);
                        if let Some(held) = held {
                            cost += held.stiffness[at] * (angle - held.state.angles[at][place]).powi(2);
                        }
                    }
                }
            }
        }
        cost
    }

    /// The descent direction at a placed state, and the matrix of a step if it is needed.
    pub(crate) fn linearise(
        &mut self,
        body: &Body,
        markers: &[Attached],
        seen: &[Observed],
        held: Option<&HeldPose<'_>>,
        state: &State,
        (scale, needed): (f64, Needed),
    ) {
        let matrix = needed != Needed::Gradient;
        if matrix {
            self.hessian.clear();
        }
        self.gradient.fill(0.0);
        self.add_markers(body, markers, seen, scale, needed);
        let mut first = 0;
        for (at, joint) in body.joints.iter().enumerate() {
            match &joint.turns {
                _ if at == 0 => first += 6,
                Turns::Fixed => {}
                Turns::Ball => {
                    self.add_turn(first, &log(&state.turns[at]), &joint.stiffness, matrix);
                    if let Some(held) = held.filter(|held| held.stiffness[at] > 0.0) {
                        let turn = log(&(held.state.turns[at].inverse() * state.turns[at]));
                        self.add_turn(first, &turn, &(Matrix3::identity() * held.stiffness[at]), matrix);
                    }
                    first += 3;
                }
                Turns::Axes { axes, limits, .. } => {
                    for place in 0..axes.len() {
                        let angle = state.angles[at][place];
                        let stiffness = joint.stiffness[(0, 0)];
                        let (mut down, mut curve) = (-stiffness * angle, stiffness);
                        let excess = excess(limits[place], angle);
                        if excess != 0.0 {
                            down -= excess / LIMIT_SOFTNESS.powi(2);
                            curve += LIMIT_SOFTNESS.powi(-2);
                        }
                        if let Some(held) = held {
                            down -= held.stiffness[at] * (angle - held.state.angles[at][place]);
                            curve += held.stiffness[at];
                        }
                        self.gradient[first] += down;
                        if matrix {
                            self.hessian.add(first, first, curve);
                        }
                        first += 1;
                    }
                }
            }
        }
    }

    /// Adds the markers: moments of each joint with everything below it, then the products of degrees of
    /// freedom with those above them.
    fn add_markers(
        &mut self,
        body: &Body,
        markers: &[Attached],
        seen: &[Observed],
        scale: f64,
        needed: Needed,
    ) {
        let c = scale * scale;
        let origin = self.placed.position[0];
        self.carried.clear();
        self.carried.resize(body.joints.len(), CompositeMoments::default());
        for (marker, place) in seen {
            let Attached { joint, place: attached, weight } = markers[*marker];
            let at = self.placed.of(joint, &attached);
            let off = place - at;
            let weight = weight * (c / (c + off.norm_squared())).powi(2);
            self.carried[joint].add(weight, &(at - origin), &off);
        }
        for at in (1..body.joints.len()).rev() {
            if let Some(parent) = body.joints[at].parent {
                let own = self.carried[at];
                self.carried[parent].join(&own);
            }
        }
        // Motion of a point at the origin with each degree of freedom, and the rotation.
        self.motions.clear();
        self.motions.extend(body.dofs.iter().zip(&self.placed.axis).map(|(dof, axis)| match dof.kind {
            DofKind::Translation(_) => [*axis, Vector3::zeros()],
            DofKind::Ball(_) | DofKind::Axis(_) => {
                [(self.placed.position[dof.joint] - origin).cross(axis), *axis]
            }
        }));
        for (at, dof) in body.dofs.iter().enumerate() {
            let carried = &self.carried[dof.joint];
            if carried.weight == 0.0 {
                continue;
            }
            let [moves, turns] = self.motions[at];
            self.gradient[at] += moves.dot(&carried.pull) + turns.dot(&carried.twist);
            if needed == Needed::Gradient {
                continue;
            }
            let force = moves * carried.weight + turns.cross(&carried.first);
            let mut moment = carried.second * turns + carried.first.cross(&moves);
            if needed == Needed::Newton {
                let place = self.placed.position[dof.joint] - origin;
                let covariance = carried.covariance - carried.pull * place.transpose();
                moment -= covariance.tr_mul(&turns) - turns * covariance.trace();
            }
            let mut above = at;
            for value in self.hessian.row_mut(at) {
                let [moves, turns] = &self.motions[above];
                *value += moves.dot(&force) + turns.dot(&moment);
                above = body.dofs[above].above.unwrap_or(0);
            }
        }
    }

    /// Adds `vᵀ W v` of a turn `v` about its own axes.
    fn add_turn(&mut self, first: usize, turn: &Vector3<f64>, precision: &Matrix3<f64>, matrix: bool) {
        let jacobian = inverse_right_jacobian(turn);
        let weighted = jacobian.transpose() * precision;
        let down = weighted * turn;
        (0..3).for_each(|i| self.gradient[first + i] -= down[i]);
        if !matrix {
            return;
        }
        let curve = weighted * jacobian;
        for i in 0..3 {
            for j in 0..=i {
                self.hessian.add(first + i, first + j, curve[(i, j)]);
            }
        }
    }
}

/// How a point at `at` moves with a degree of freedom.
pub(crate) fn column(body: &Body, placed: &Placed, dof: usize, at: &Vector3<f64>) -> Vector3<f64> {
    let moved = &body.dofs[dof];
    match moved.kind {
        DofKind::Translation(_) => placed.axis[dof],
        DofKind::Ball(_) | DofKind::Axis(_) => placed.axis[dof].cross(&(at - placed.position[moved.joint])),
    }
}

/// Signed distance of an angle outside its limits [rad].
fn excess(limit: Option<mocap_model::Limit>, angle: f64) -> f64 {
    limit.map_or(0.0, |limit| (angle - limit.max).max(0.0) + (angle - limit.min).min(0.0))
}

/// Derivative of the rotation vector by rotations about its own axes.
fn inverse_right_jacobian(turn: &Vector3<f64>) -> Matrix3<f64> {
    let square = turn.norm_squared();
    let cross = turn.cross_matrix();
    let share = match square < 1e-6 {
        true => 1.0 / 12.0 + square / 720.0,
        false => {
            let angle = square.sqrt();
            1.0 / square - (1.0 + angle.cos()) / (2.0 * angle * angle.sin().max(1e-9))
        }
    };
    Matrix3::identity() + cross * 0.5 + cross * cross * share
}

/// A point, where it goes, and its weight.
type WeightedPair = (Vector3<f64>, Vector3<f64>, f64);

/// The rotation and translation that put points `from` onto `to` with the least weighted sum of squares.
///
/// Based on: W. Kabsch, "A solution for the best rotation to relate two sets of vectors", 1976.
pub(crate) fn rigid_fit(pairs: &[WeightedPair]) -> Option<(UnitQuaternion<f64>, Vector3<f64>)> {
    let total: f64 = pairs.iter().map(|pair| pair.2).sum();
    if pairs.len() < 3 || total <= 0.0 {
        return None;
    }
    let mean = |of: fn(&WeightedPair) -> Vector3<f64>| {
        pairs.iter().fold(Vector3::zeros(), |sum, pair| sum + of(pair) * pair.2) / total
    };
    let (from, to) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let covariance = pairs.iter().fold(Matrix3::zeros(), |sum: Matrix3<f64>, (a, b, weight)| {
        sum + (b - to) * (a - from).transpose() * *weight
    });
    let svd = covariance.svd(true, true);
    let (u, v) = (svd.u?, svd.v_t?);
    let mut sign = Matrix3::identity();
    // Singular values are not sorted: the sign of the smallest is flipped.
    let smallest = (0..3).min_by(|a, b| svd.singular_values[*a].total_cmp(&svd.singular_values[*b]))?;
    sign[(smallest, smallest)] = (u * v).determinant().signum();
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(u * sign * v);
    let rotation = UnitQuaternion::from_rotation_matrix(&rotation);
    Some((rotation, to - rotation * from))
}

#[cfg(test)]
mod tests;
