//! A robot with all joints at rest, turned upright, used to find its body.

use mocap_model::{Isometry3, Robot, RobotJoint, RobotJointKind, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Point3};

use crate::kinematics::follow_mimics;
use crate::limb::BodyPoint;

/// A robot with all joints at rest: as its file places its bodies, or the nearest that is allowed.
pub(crate) struct Rest<'r> {
    pub(crate) robot: &'r Robot,
    pub(crate) placed: Vec<Isometry3<f64>>,
    /// By body: the bodies attached to it.
    children: Vec<Vec<usize>>,
}

impl Rest<'_> {
    /// With the base turned by `upright`.
    pub(crate) fn of(robot: &Robot, upright: UnitQuaternion<f64>) -> Rest<'_> {
        let base = Isometry3::from_parts(Vector3::zeros().into(), upright);
        let mut children = vec![Vec::new(); robot.bodies().len()];
        for (body, parent) in
            robot.bodies().iter().enumerate().filter_map(|(i, body)| Some((i, body.parent?)))
        {
            children[parent].push(body);
        }
        Rest { robot, placed: robot.place(&base, &rest_values(robot)), children }
    }

    /// Bodies without children.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.children.len()).filter(|body| self.children[*body].is_empty())
    }

    /// By body: whether it carries at least two parts with joints, such as a hand with fingers.
    pub(crate) fn forks(&self) -> Vec<bool> {
        let mut moves = vec![false; self.children.len()];
        self.robot.joints().iter().for_each(|joint| moves[joint.body] = true);
        // Parents come before their children.
        for body in (0..moves.len()).rev() {
            moves[body] |= self.children[body].iter().any(|child| moves[*child]);
        }
        let fork = |on: &Vec<usize>| on.iter().filter(|body| moves[**body]).count() > 1;
        self.children.iter().map(fork).collect()
    }

    /// From the base to a body.
    pub(crate) fn path(&self, body: usize) -> Vec<usize> {
        let up = std::iter::successors(Some(body), |body| self.robot.bodies()[*body].parent);
        let mut path: Vec<usize> = up.collect();
        path.reverse();
        path
    }

    pub(crate) fn common_body(&self, a: usize, b: usize) -> usize {
        let (a, b) = (self.path(a), self.path(b));
        let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        a[same - 1]
    }

    /// Hinges on the path to a body, from the base, without those that mimic another.
    pub(crate) fn hinges(&self, body: usize) -> Vec<usize> {
        let path = self.path(body);
        let on_path = |joint: &usize| path.contains(&self.robot.joints()[*joint].body);
        let is_hinge = |joint: &usize| {
            let joint = &self.robot.joints()[*joint];
            joint.kind == RobotJointKind::Hinge && joint.mimic.is_none()
        };
        (0..self.robot.joints().len()).filter(|joint| on_path(joint) && is_hinge(joint)).collect()
    }

    /// A point and the direction of a hinge's axis in the world.
    pub(crate) fn line(&self, joint: usize) -> (Point3<f64>, Vector3<f64>) {
        let joint = &self.robot.joints()[joint];
        let body = self.placed[joint.body];
        (body * Point3::from(joint.anchor), body.rotation * joint.axis)
    }

    /// Distances from each of these hinges to the next \[m\].
    pub(crate) fn spans(&self, hinges: &[usize]) -> Vec<f64> {
        hinges.windows(2).map(|pair| (self.line(pair[0]).0 - self.line(pair[1]).0).norm()).collect()
    }

    pub(crate) fn point_on(&self, body: usize, at: Point3<f64>) -> BodyPoint {
        BodyPoint { body, local: self.placed[body].inverse() * at }
    }

    /// The point nearest to the axes of hinges; parallel axes leave it at their anchors.
    pub(crate) fn centre(&self, joints: &[usize]) -> Point3<f64> {
        let mut sum = Matrix3::identity() * 1e-3;
        let mut right = Vector3::zeros();
        let lines: Vec<_> = joints.iter().map(|joint| self.line(*joint)).collect();
        let mean = lines.iter().map(|(at, _)| at.coords).sum::<Vector3<f64>>() / lines.len() as f64;
        right += mean * 1e-3;
        for (at, along) in &lines {
            let across = Matrix3::identity() - along * along.transpose();
            sum += across;
            right += across * at.coords;
        }
        Point3::from(sum.try_inverse().map_or(mean, |inverse| inverse * right))
    }
}

/// The value of every joint at rest \[rad or m\].
pub fn rest_values(robot: &Robot) -> Vec<f64> {
    let at_rest = |joint: &RobotJoint| {
        joint.limit.map_or(joint.reference, |limit| joint.reference.clamp(limit.min, limit.max))
    };
    let mut values: Vec<f64> = robot.joints().iter().map(at_rest).collect();
    follow_mimics(robot, &mut values);
    values
}
