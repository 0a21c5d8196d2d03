//! A posed robot with derivatives: its bodies in the world, and the motion of each point with each joint.
//!
//! Columns of derivatives run from the tips to the base: those of joints from the last to the first, then three
//! of the position and three of the rotation of the base.

use mocap_model::{Isometry3, Robot, RobotJointKind, RobotPose, UnitQuaternion, Vector3};
use nalgebra::Point3;

/// Columns of the base: three of its position, three of its rotation in the world.
pub(crate) const BASE: usize = 6;

/// Applies a step of all columns to a pose.
pub(crate) fn advance(pose: &mut RobotPose, step: &[f64]) {
    let (joints, base) = step.split_at(pose.values.len());
    let turn = UnitQuaternion::new(Vector3::new(base[3], base[4], base[5]));
    pose.base.translation.vector += Vector3::new(base[0], base[1], base[2]);
    pose.base.rotation = UnitQuaternion::new_normalize((turn * pose.base.rotation).into_inner());
    pose.values.iter_mut().rev().zip(joints).for_each(|(value, step)| *value += step);
}

/// The joint at the end of a chain of mimics, and the ratio of a joint's value to its.
fn driver(robot: &Robot, joint: usize) -> (usize, f64) {
    let (mut at, mut factor) = (joint, 1.0);
    while let Some(mimic) = robot.joints()[at].mimic {
        factor *= mimic.factor;
        at = mimic.joint;
    }
    (at, factor)
}

/// Sets the values of joints that mimic others.
pub(crate) fn follow_mimics(robot: &Robot, values: &mut [f64]) {
    for joint in 0..values.len() {
        let (mut at, mut factor, mut offset) = (joint, 1.0, 0.0);
        while let Some(mimic) = robot.joints()[at].mimic {
            offset += factor * mimic.offset;
            factor *= mimic.factor;
            at = mimic.joint;
        }
        if at != joint {
            values[joint] = offset + factor * values[at];
        }
    }
}

/// The velocity of a body per unit of a column: its rotation, and the velocity of the body's point at the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twist {
    pub(crate) angular: Vector3<f64>,
    pub(crate) linear: Vector3<f64>,
}

impl Twist {
    const ZERO: Twist = Twist { angular: Vector3::new(0.0, 0.0, 0.0), linear: Vector3::new(0.0, 0.0, 0.0) };

    /// The velocity of a point, given its vector from the base.
    pub(crate) fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }
}

/// Derivatives of a point or rotation by column, in ascending order; columns without influence are left out.
pub(crate) type Moves = Vec<(usize, Vector3<f64>)>;

/// A point of a body, as the vector from the base.
pub(crate) type BodyArm = (usize, Vector3<f64>);

/// Places a robot and gives derivatives of points.
pub(crate) struct Kinematics<'r> {
    pub(crate) robot: &'r Robot,
    pub(crate) placed: Vec<Isometry3<f64>>,
    base: Vector3<f64>,
    /// By joint.
    twists: Vec<Twist>,
    /// By body: the joints that move it.
    movers: Vec<Vec<usize>>,
    /// By joint: the column of the joint that drives it (itself if it mimics none), and the ratio.
    drivers: Vec<(usize, f64)>,
    has_mimics: bool,
}

impl<'r> Kinematics<'r> {
    pub(crate) fn new(robot: &'r Robot) -> Kinematics<'r> {
        let joints = robot.joints();
        let mut movers: Vec<Vec<usize>> = Vec::with_capacity(robot.bodies().len());
        for (index, body) in robot.bodies().iter().enumerate() {
            let mut moved_by = body.parent.map_or_else(Vec::new, |parent| movers[parent].clone());
            moved_by.extend((0..joints.len()).filter(|joint| joints[*joint].body == index));
            movers.push(moved_by);
        }
        let driver = |joint: usize| {
            let (driver, factor) = driver(robot, joint);
            (joints.len() - 1 - driver, factor)
        };
        Kinematics {
            robot,
            placed: Vec::new(),
            base: Vector3::zeros(),
            twists: vec![Twist::ZERO; joints.len()],
            movers,
            drivers: (0..joints.len()).map(driver).collect(),
            has_mimics: joints.iter().any(|joint| joint.mimic.is_some()),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        self.base_column() + BASE
    }

    /// The first column of the base.
    pub(crate) fn base_column(&self) -> usize {
        self.twists.len()
    }

    /// The column that moves a joint, and the ratio.
    pub(crate) fn column(&self, joint: usize) -> (usize, f64) {
        self.drivers[joint]
    }

    /// The joints that move a body, from the base outwards.
    pub(crate) fn movers(&self, body: usize) -> &[usize] {
        &self.movers[body]
    }

    /// The motion of the bodies behind a joint.
    pub(crate) fn twist(&self, joint: usize) -> &Twist {
        &self.twists[joint]
    }

    /// The vector from the base to a point.
    pub(crate) fn arm(&self, at: &Point3<f64>) -> Vector3<f64> {
        at.coords - self.base
    }

    pub(crate) fn place(&mut self, pose: &RobotPose) {
        self.robot.place_into(&pose.base, &pose.values, &mut self.placed);
        self.base = pose.base.translation.vector;
        let joints = self.robot.joints();
        // Axes of all but the last joint of a body rotate with the joints behind them: undo these rotations.
        let mut undone = Isometry3::identity();
        for (index, joint) in joints.iter().enumerate().rev() {
            undone = match joints.get(index + 1).filter(|next| next.body == joint.body) {
                Some(next) => undone * next.motion(pose.values[index + 1] - next.reference).inverse(),
                None => Isometry3::identity(),
            };
            let at = self.placed[joint.body] * undone;
            let axis = at.rotation * joint.axis;
            let anchor = self.arm(&(at * Point3::from(joint.anchor)));
            self.twists[index] = match joint.kind {
                RobotJointKind::Hinge => Twist { angular: axis, linear: anchor.cross(&axis) },
                RobotJointKind::Slide => Twist { angular: Vector3::zeros(), linear: axis },
            };
        }
    }

    /// Derivatives of a point of a body.
    pub(crate) fn point(&self, body: usize, at: &Point3<f64>, moves: &mut Moves) {
        moves.clear();
        let arm = self.arm(at);
        for joint in self.movers[body].iter().rev() {
            self.push(*joint, self.twists[*joint].at(&arm), moves);
        }
        self.push_base(&arm, moves);
        if self.has_mimics {
            merge(moves);
        }
    }

    /// Derivatives of a point that moves with all joints, given the motion for each, and with the base.
    pub(crate) fn whole(
        &self,
        at: &Point3<f64>,
        of_joint: impl Fn(usize) -> Vector3<f64>,
        moves: &mut Moves,
    ) {
        moves.clear();
        for joint in (0..self.twists.len()).rev() {
            self.push(joint, of_joint(joint), moves);
        }
        self.push_base(&self.arm(at), moves);
        if self.has_mimics {
            merge(moves);
        }
    }

    /// Motion of a point with the base.
    fn push_base(&self, arm: &Vector3<f64>, moves: &mut Moves) {
        let axes = [0, 1, 2].map(|axis| Vector3::ith(axis, 1.0));
        let base = self.base_column();
        moves.extend(axes.iter().enumerate().map(|(axis, along)| (base + axis, *along)));
        moves.extend(axes.iter().enumerate().map(|(axis, about)| (base + 3 + axis, about.cross(arm))));
    }

    /// Derivatives of the vector from a point of one body to a point of another.
    pub(crate) fn between(
        &self,
        (from_body, from): (usize, &Point3<f64>),
        (to_body, to): (usize, &Point3<f64>),
        moves: &mut Moves,
    ) {
        moves.clear();
        let (a, b) = (&self.movers[from_body], &self.movers[to_body]);
        let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (from_arm, to_arm) = (self.arm(from), self.arm(to));
        let (mut i, mut j) = (a.len(), b.len());
        while i > common || j > common {
            if i == common || (j > common && b[j - 1] > a[i - 1]) {
                j -= 1;
                self.push(b[j], self.twists[b[j]].at(&to_arm), moves);
            } else {
                i -= 1;
                self.push(a[i], -self.twists[a[i]].at(&from_arm), moves);
            }
        }
        let way = to - from;
        for joint in a[..common].iter().rev() {
            self.push(*joint, self.twists[*joint].angular.cross(&way), moves);
        }
        for axis in 0..3 {
            moves.push((self.base_column() + 3 + axis, Vector3::ith(axis, 1.0).cross(&way)));
        }
        if self.has_mimics {
            merge(moves);
        }
    }

    /// Derivatives of a point of a body, from a point of another body or in the world.
    pub(crate) fn moves(&self, from: Option<&BodyArm>, (body, arm): &BodyArm, moves: &mut Moves) {
        let at = |arm: &Vector3<f64>| Point3::from(self.base + arm);
        match from {
            Some((other, other_arm)) => self.between((*other, &at(other_arm)), (*body, &at(arm)), moves),
            None => self.point(*body, &at(arm), moves),
        }
    }

    /// By body: its motion with a step of all columns.
    pub(crate) fn motions(&self, step: &[f64], motions: &mut Vec<Twist>) {
        motions.clear();
        let base = &step[self.base_column()..];
        for (index, body) in self.robot.bodies().iter().enumerate() {
            let mut motion = match body.parent {
                Some(parent) => motions[parent],
                None => Twist {
                    angular: Vector3::new(base[3], base[4], base[5]),
                    linear: Vector3::new(base[0], base[1], base[2]),
                },
            };
            let own = self.movers[index].len() - self.robot.joints_of(index).len();
            for joint in &self.movers[index][own..] {
                let (twist, (column, factor)) = (&self.twists[*joint], self.drivers[*joint]);
                let share = factor * step[column];
                motion.angular += twist.angular * share;
                motion.linear += twist.linear * share;
            }
            motions.push(motion);
        }
    }

    /// Adds the column of a joint, or of the joint that it mimics.
    fn push(&self, joint: usize, motion: Vector3<f64>, moves: &mut Moves) {
        let (column, factor) = self.drivers[joint];
        moves.push((column, motion * factor));
    }
}

/// Sorts columns and merges equal ones.
fn merge(moves: &mut Moves) {
    moves.sort_by_key(|(column, _)| *column);
    moves.dedup_by(|again, first| {
        let same = again.0 == first.0;
        if same {
            first.1 += again.1;
        }
        same
    });
}
