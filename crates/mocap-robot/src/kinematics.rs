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

/// Places a robot and gives derivatives of points and directions.
pub(crate) struct Kinematics<'r> {
    pub(crate) robot: &'r Robot,
    pub(crate) placed: Vec<Isometry3<f64>>,
    base: Point3<f64>,
    axes: Vec<Vector3<f64>>,
    anchors: Vec<Point3<f64>>,
    /// By body: the joints that move it.
    movers: Vec<Vec<usize>>,
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
            columns.push((BASE + joint, motion));
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
                columns.push((BASE + joint, self.axes[*joint]));
            }
        }
    }
}
