//! One pose of a robot with what derivatives need: bodies, axes and anchors in the world.

use mocap_model::{Isometry3, Robot, RobotJointKind, RobotPose, UnitQuaternion, Vector3};
use nalgebra::Point3;

/// Columns of the base: three of its position, three of its rotation in the world.
pub(crate) const BASE: usize = 6;

/// Moves a pose along a step of all columns.
pub(crate) fn advance(pose: &mut RobotPose, step: &[f64]) {
    let turn = UnitQuaternion::new(Vector3::new(step[3], step[4], step[5]));
    pose.base.translation.vector += Vector3::new(step[0], step[1], step[2]);
    pose.base.rotation = UnitQuaternion::new_normalize((turn * pose.base.rotation).into_inner());
    pose.values.iter_mut().zip(&step[BASE..]).for_each(|(value, step)| *value += step);
}

/// The joint at the end of a chain of mimics, and how much a joint moves with it.
fn driver(robot: &Robot, joint: usize) -> (usize, f64) {
    let (mut at, mut factor) = (joint, 1.0);
    while let Some(mimic) = robot.joints()[at].mimic {
        factor *= mimic.factor;
        at = mimic.joint;
    }
    (at, factor)
}

/// Gives joints that follow others their values.
pub(crate) fn follow_mimics(robot: &Robot, values: &mut [f64]) {
    let value = |joint: usize, values: &[f64]| {
        let mut chain = Vec::new();
        let mut at = joint;
        while let Some(mimic) = robot.joints()[at].mimic {
            chain.push(mimic);
            at = mimic.joint;
        }
        chain.iter().rev().fold(values[at], |value, mimic| mimic.offset + mimic.factor * value)
    };
    for joint in 0..values.len() {
        if robot.joints()[joint].mimic.is_some() {
            values[joint] = value(joint, values);
        }
    }
}

/// Places a robot and gives derivatives of points and directions.
pub(crate) struct Kinematics<'r> {
    pub(crate) robot: &'r Robot,
    pub(crate) placed: Vec<Isometry3<f64>>,
    base: Point3<f64>,
    axes: Vec<Vector3<f64>>,
    anchors: Vec<Point3<f64>>,
    /// By body: the joints that move it.
    movers: Vec<Vec<usize>>,
    /// By joint: the joint whose value it follows, itself where it follows none, and how much it moves with it.
    drivers: Vec<(usize, f64)>,
    has_mimics: bool,
}

impl<'r> Kinematics<'r> {
    pub(crate) fn new(robot: &'r Robot) -> Kinematics<'r> {
        let mut movers: Vec<Vec<usize>> = Vec::with_capacity(robot.bodies().len());
        for (index, body) in robot.bodies().iter().enumerate() {
            let mut joints = body.parent.map_or_else(Vec::new, |parent| movers[parent].clone());
            joints.extend((0..robot.joints().len()).filter(|joint| robot.joints()[*joint].body == index));
            movers.push(joints);
        }
        Kinematics {
            robot,
            placed: Vec::new(),
            base: Point3::origin(),
            axes: vec![Vector3::zeros(); robot.joints().len()],
            anchors: vec![Point3::origin(); robot.joints().len()],
            movers,
            drivers: (0..robot.joints().len()).map(|joint| driver(robot, joint)).collect(),
            has_mimics: robot.joints().iter().any(|joint| joint.mimic.is_some()),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        BASE + self.robot.joints().len()
    }

    pub(crate) fn place(&mut self, pose: &RobotPose) {
        self.robot.place_into(&pose.base, &pose.values, &mut self.placed);
        self.base = Point3::from(pose.base.translation.vector);
        for body in 0..self.placed.len() {
            // Axes of all but the last joint of a body turn with the joints behind them: undo those.
            let mut at = self.placed[body];
            let first = self.robot.joints().partition_point(|joint| joint.body < body);
            for (offset, joint) in self.robot.joints_of(body).iter().enumerate().rev() {
                let index = first + offset;
                self.axes[index] = at.rotation * joint.axis;
                self.anchors[index] = at * Point3::from(joint.anchor);
                at *= joint.motion(pose.values[index] - joint.reference).inverse();
            }
        }
    }

    /// Derivatives of a point of a body: per column, how it moves. The list has columns without influence left out.
    pub(crate) fn point(&self, body: usize, at: &Point3<f64>, columns: &mut Vec<(usize, Vector3<f64>)>) {
        columns.clear();
        let arm = at - self.base;
        for axis in 0..3 {
            columns.push((axis, Vector3::ith(axis, 1.0)));
        }
        for axis in 0..3 {
            columns.push((3 + axis, Vector3::ith(axis, 1.0).cross(&arm)));
        }
        for joint in &self.movers[body] {
            let motion = match self.robot.joints()[*joint].kind {
                RobotJointKind::Hinge => self.axes[*joint].cross(&(at - self.anchors[*joint])),
                RobotJointKind::Slide => self.axes[*joint],
            };
            self.push(*joint, motion, columns);
        }
        self.merge(columns);
    }

    /// A column of a joint, or of the joint that it follows.
    fn push(&self, joint: usize, motion: Vector3<f64>, columns: &mut Vec<(usize, Vector3<f64>)>) {
        let (driver, factor) = self.drivers[joint];
        columns.push((BASE + driver, motion * factor));
    }

    /// Columns in ascending order, each once.
    fn merge(&self, columns: &mut Vec<(usize, Vector3<f64>)>) {
        if self.has_mimics {
            columns.sort_by_key(|(column, _)| *column);
            columns.dedup_by(|again, first| {
                let same = again.0 == first.0;
                if same {
                    first.1 += again.1;
                }
                same
            });
        }
    }

    /// Derivatives of the rotation of a body in the world.
    pub(crate) fn rotation(&self, body: usize, columns: &mut Vec<(usize, Vector3<f64>)>) {
        columns.clear();
        for axis in 0..3 {
            columns.push((3 + axis, Vector3::ith(axis, 1.0)));
        }
        for joint in &self.movers[body] {
            if self.robot.joints()[*joint].kind == RobotJointKind::Hinge {
                self.push(*joint, self.axes[*joint], columns);
            }
        }
        self.merge(columns);
    }
}
