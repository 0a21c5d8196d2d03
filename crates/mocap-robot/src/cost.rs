//! The costs of one frame: linear rows of what a pose misses, with derivatives, gathered in normal equations.

use mocap_model::{RobotPose, UnitQuaternion, Vector3};
use nalgebra::Point3;

use crate::capsules::{Capsules, Placed};
use crate::kinematics::{BASE, Kinematics};
use crate::landmarks::{BodyPoint, Humanoid};

/// Corners of soles that are not held stay this high \[m\].
const FREE: f64 = 0.008;
/// Surfaces nearer than this may touch after the next step \[m\].
const NEAR: f64 = 0.005;

/// What counts how much. Directions and rotations in [1/rad], positions in [1/m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) limb: f64,
    pub(crate) forearm: f64,
    pub(crate) pelvis: f64,
    pub(crate) torso: f64,
    pub(crate) foot: f64,
    pub(crate) hips: [f64; 2],
    pub(crate) pin: f64,
    pub(crate) pin_turn: f64,
    pub(crate) floor: f64,
    pub(crate) lift: f64,
    /// Of capsules above the floor.
    pub(crate) ground: f64,
    pub(crate) apart: f64,
    pub(crate) posture: f64,
}

/// Unit directions of both segments of a left and a right limb.
pub(crate) type LimbDirections = [[Vector3<f64>; 2]; 2];

/// What a frame is to reach.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goal {
    /// Between the hips \[m\].
    pub(crate) hips: Point3<f64>,
    /// From the right hip to the left.
    pub(crate) across: Vector3<f64>,
    pub(crate) pelvis: UnitQuaternion<f64>,
    pub(crate) torso: UnitQuaternion<f64>,
    pub(crate) feet: [UnitQuaternion<f64>; 2],
    pub(crate) legs: LimbDirections,
    pub(crate) arms: Option<LimbDirections>,
    /// By foot and corner of its sole: where it is held.
    pub(crate) pins: [[Option<Point3<f64>>; 4]; 2],
    /// By foot that swings low: the heights to which the corners of its sole are lifted \[m\].
    pub(crate) lift: [Option<[f64; 4]>; 2],
}

/// Normal equations of one frame.
pub(crate) struct Normal {
    pub(crate) columns: usize,
    /// Lower half, row by row: `columns × columns`.
    pub(crate) matrix: Vec<f64>,
    pub(crate) right: Vec<f64>,
    /// Half the sum of squares.
    pub(crate) cost: f64,
    /// The right side before surfaces: where the goals pull.
    pull: Vec<f64>,
    row: Vec<(usize, f64)>,
    moves: Vec<(usize, Vector3<f64>)>,
    other: Vec<(usize, Vector3<f64>)>,
    joined: Vec<(usize, Vector3<f64>)>,
    placed: Vec<Placed>,
}

impl Normal {
    pub(crate) fn new(columns: usize) -> Normal {
        Normal {
            columns,
            matrix: vec![0.0; columns * columns],
            right: vec![0.0; columns],
            cost: 0.0,
            pull: Vec::new(),
            row: Vec::new(),
            moves: Vec::new(),
            other: Vec::new(),
            joined: Vec::new(),
            placed: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.matrix.fill(0.0);
        self.right.fill(0.0);
        self.cost = 0.0;
    }

    /// Adds `self.row · step = miss`, in ascending order of columns.
    fn push(&mut self, weight: f64, miss: f64) {
        let square = weight * weight;
        self.cost += 0.5 * square * miss * miss;
        for (i, (row, a)) in self.row.iter().enumerate() {
            let scaled = a * square;
            self.right[*row] += scaled * miss;
            let line = &mut self.matrix[row * self.columns..(row + 1) * self.columns];
            for (column, b) in &self.row[..=i] {
                line[*column] += scaled * b;
            }
        }
    }

    /// `direction · (motion of the point) = miss`.
    fn along(&mut self, direction: &Vector3<f64>, weight: f64, miss: f64) {
        let Normal { row, moves, .. } = self;
        row.clear();
        row.extend(moves.iter().map(|(column, motion)| (*column, direction.dot(motion))));
        self.push(weight, miss);
    }

    /// Keeps `direction · (motion of the point)` at `under` or more. A point that is not under yet counts where what
    /// was gathered before pulls it down: else it would be under after each second step.
    fn above(&mut self, direction: &Vector3<f64>, weight: f64, under: f64) {
        let Normal { row, moves, pull, .. } = self;
        row.clear();
        row.extend(moves.iter().map(|(column, motion)| (*column, direction.dot(motion))));
        let pull: f64 = row.iter().map(|(column, value)| value * pull[*column]).sum();
        if under > 0.0 || pull < 0.0 {
            let before = self.cost;
            self.push(weight, under);
            if under < 0.0 {
                self.cost = before;
            }
        }
    }

    /// All three coordinates of the moves.
    fn vector(&mut self, weight: f64, miss: &Vector3<f64>) {
        for axis in 0..3 {
            self.along(&Vector3::ith(axis, 1.0), weight, miss[axis]);
        }
    }

    /// The point held in `moves` less the one in `other`, times `scale`.
    fn subtract_other(&mut self, scale: f64) {
        self.joined.clear();
        let (mut a, mut b) = (self.moves.iter().peekable(), self.other.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some((i, x)), Some((j, y))) if i == j => {
                    let both = (*i, (x - y) * scale);
                    a.next();
                    b.next();
                    both
                }
                (Some((i, x)), Some((j, _))) if i < j => {
                    let one = (*i, x * scale);
                    a.next();
                    one
                }
                (_, Some((j, y))) => {
                    let one = (*j, y * -scale);
                    b.next();
                    one
                }
                (Some((i, x)), None) => {
                    let one = (*i, x * scale);
                    a.next();
                    one
                }
                (None, None) => break,
            };
            self.joined.push(next);
        }
        std::mem::swap(&mut self.moves, &mut self.joined);
    }
}

/// What the costs of a frame need of the robot.
pub(crate) struct Costs<'r> {
    pub(crate) humanoid: &'r Humanoid,
    pub(crate) capsules: &'r Capsules,
    /// Rotations of pelvis, torso, left foot, right foot at rest.
    pub(crate) at_rest: [UnitQuaternion<f64>; 4],
    /// The value at rest of every joint.
    pub(crate) rest_values: &'r [f64],
    pub(crate) weights: Weights,
    /// Surfaces stay this far apart \[m\].
    pub(crate) margin: f64,
}

impl Costs<'_> {
    /// Gathers all costs of a pose that `kinematics` has placed.
    pub(crate) fn gather(&self, kinematics: &Kinematics, pose: &RobotPose, goal: &Goal, normal: &mut Normal) {
        normal.clear();
        let weights = &self.weights;
        for (leg, directions) in self.humanoid.legs.iter().zip(&goal.legs) {
            let points = [leg.base, leg.middle, leg.end];
            segments(kinematics, points, leg.lengths, directions, [weights.limb; 2], normal);
        }
        if let (Some(arms), Some(directions)) = (&self.humanoid.arms, &goal.arms) {
            for (arm, directions) in arms.iter().zip(directions) {
                let points = [arm.base, arm.middle, arm.end];
                segments(
                    kinematics,
                    points,
                    arm.lengths,
                    directions,
                    [weights.limb, weights.forearm],
                    normal,
                );
            }
        }
        self.hips(kinematics, goal, normal);
        let bodies = [
            self.humanoid.pelvis,
            self.humanoid.torso,
            self.humanoid.soles[0].body,
            self.humanoid.soles[1].body,
        ];
        let goals = [goal.pelvis, goal.torso, goal.feet[0], goal.feet[1]];
        let pinned = |foot: usize| goal.pins[foot].iter().any(Option::is_some);
        let foot = |foot: usize| if pinned(foot) { weights.pin_turn } else { weights.foot };
        let turns = [weights.pelvis, weights.torso, foot(0), foot(1)];
        for which in 0..4 {
            let wanted = goals[which] * self.at_rest[which];
            let off = (wanted * kinematics.placed[bodies[which]].rotation.inverse()).scaled_axis();
            kinematics.rotation(bodies[which], &mut normal.moves);
            normal.vector(turns[which], &off);
        }
        normal.pull.clone_from(&normal.right);
        self.soles(kinematics, goal, normal);
        self.surfaces(kinematics, normal);
        for (joint, (value, rest)) in pose.values.iter().zip(self.rest_values).enumerate() {
            normal.row.clear();
            normal.row.push((BASE + joint, 1.0));
            normal.push(weights.posture, rest - value);
        }
    }

    fn hips(&self, kinematics: &Kinematics, goal: &Goal, normal: &mut Normal) {
        let [left, right] = [0, 1].map(|leg| self.humanoid.legs[leg].base.at(&kinematics.placed));
        let middle = Point3::from((left.coords + right.coords) / 2.0);
        kinematics.point(self.humanoid.pelvis, &middle, &mut normal.moves);
        let off = goal.hips - middle;
        let [across, up] = self.weights.hips;
        for (axis, weight) in [(0, across), (1, across), (2, up)] {
            normal.along(&Vector3::ith(axis, 1.0), weight, off[axis]);
        }
    }

    fn soles(&self, kinematics: &Kinematics, goal: &Goal, normal: &mut Normal) {
        for (foot, sole) in self.humanoid.soles.iter().enumerate() {
            for (corner, local) in sole.corners.iter().enumerate() {
                let at = kinematics.placed[sole.body] * local;
                let pin = goal.pins[foot][corner];
                let lift = goal.lift[foot].map(|heights| heights[corner] - at.z);
                if pin.is_none() && lift.is_none() && at.z >= FREE {
                    continue;
                }
                kinematics.point(sole.body, &at, &mut normal.moves);
                match (pin, lift) {
                    (Some(pin), _) => normal.vector(self.weights.pin, &(pin - at)),
                    (None, Some(lift)) => normal.along(&Vector3::z(), self.weights.lift, lift),
                    (None, None) => normal.along(&Vector3::z(), self.weights.floor, FREE - at.z),
                }
            }
        }
    }

    /// Keeps capsules above the floor and out of each other.
    fn surfaces(&self, kinematics: &Kinematics, normal: &mut Normal) {
        if self.weights.apart <= 0.0 {
            return;
        }
        let mut placed = std::mem::take(&mut normal.placed);
        self.capsules.place(&kinematics.placed, &mut placed);
        for (capsule, at) in self.capsules.all.iter().zip(&placed) {
            for at in at.ends {
                let under = capsule.radius - at.z;
                if self.weights.ground > 0.0 && under > -NEAR {
                    kinematics.point(capsule.body, &at, &mut normal.moves);
                    normal.above(&Vector3::z(), self.weights.ground, under);
                }
            }
        }
        for pair in &self.capsules.pairs {
            let Some(near) = self.capsules.near(*pair, &placed, self.margin + NEAR) else { continue };
            let under = self.margin - near.distance;
            if under > -NEAR {
                kinematics.point(near.bodies[1], &near.points[1], &mut normal.moves);
                kinematics.point(near.bodies[0], &near.points[0], &mut normal.other);
                normal.subtract_other(1.0);
                normal.above(&near.direction, self.weights.apart, under);
            }
        }
        normal.placed = placed;
    }
}

/// Both segments of a limb point along their directions.
fn segments(
    kinematics: &Kinematics,
    points: [BodyPoint; 3],
    lengths: [f64; 2],
    directions: &[Vector3<f64>; 2],
    weights: [f64; 2],
    normal: &mut Normal,
) {
    for segment in 0..2 {
        let [from, to] = [points[segment], points[segment + 1]];
        let [a, b] = [from, to].map(|point| point.at(&kinematics.placed));
        let off = directions[segment] - (b - a) / lengths[segment];
        kinematics.point(to.body, &b, &mut normal.moves);
        kinematics.point(from.body, &a, &mut normal.other);
        normal.subtract_other(1.0 / lengths[segment]);
        normal.vector(weights[segment], &off);
    }
}
