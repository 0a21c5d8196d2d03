//! Robots: rigid bodies joined by hinges and slides of one degree of freedom.

use crate::{
    Dofs, EulerOrder, Isometry3, Joint, JointId, Limit, ModelError, RobotShape, Skeleton, Space,
    UnitQuaternion, Vector3, rotation_between,
};
use nalgebra::{Matrix3, Quaternion};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// One rigid body of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotBody {
    /// Unique among the bodies.
    pub name: String,
    /// The body that it is joined to, by index; `None` for the base.
    pub parent: Option<usize>,
    /// Where it is in its parent with all joints at their reference \[m\].
    pub placement: Isometry3<f64>,
    /// Mass \[kg\], if stated.
    pub mass: Option<f64>,
    /// Centre of mass in the frame of the body \[m\].
    pub centre_of_mass: Vector3<f64>,
    /// Inertia about the centre of mass along the axes of the body \[kg m²\], if stated.
    pub inertia: Option<Matrix3<f64>>,
}

/// What a joint of a robot does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotJointKind {
    /// Turns about its axis; values in radians.
    Hinge,
    /// Moves along its axis; values in metres.
    Slide,
}

/// A joint of one degree of freedom between a body and its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotJoint {
    /// Unique among the joints.
    pub name: String,
    /// The body that it moves. Several joints of a body act from the first to the last.
    pub body: usize,
    /// What it does.
    pub kind: RobotJointKind,
    /// Unit vector in the frame of the body.
    pub axis: Vector3<f64>,
    /// A point of the axis in the frame of the body \[m\].
    pub anchor: Vector3<f64>,
    /// Its value \[rad or m\] where bodies have their stated placement.
    pub reference: f64,
    /// The values it may take \[rad or m\].
    pub limit: Option<Limit>,
    /// The highest speed \[rad/s or m/s\].
    pub velocity: Option<f64>,
    /// The highest acceleration \[rad/s² or m/s²\].
    pub acceleration: Option<f64>,
    /// The highest torque or force \[Nm or N\].
    pub effort: Option<f64>,
    /// The joint that drives it, if it is not moved by itself.
    pub mimic: Option<Mimic>,
}

/// A joint whose value follows another: `offset + factor · value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The joint that is followed, by index.
    pub joint: usize,
    /// Change per change of that joint.
    pub factor: f64,
    /// The value where that joint is at 0.
    pub offset: f64,
}

/// What a robot is made of, before it is checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RobotParts {
    /// The name of the robot; may be empty.
    pub name: String,
    /// Bodies, parents before their children.
    pub bodies: Vec<RobotBody>,
    /// Whether the base moves freely; else it is fixed to the world.
    pub floating: bool,
    /// Joints in the order of their bodies.
    pub joints: Vec<RobotJoint>,
    /// Collision shapes.
    pub shapes: Vec<RobotShape>,
    /// Pairs of bodies, by index, whose shapes do not collide.
    pub excluded: Vec<[usize; 2]>,
    /// Pairs of shapes, by index, that collide regardless of their masks (MuJoCo's `contact/pair`).
    pub pairs: Vec<[usize; 2]>,
    /// Joint values of a stated pose \[rad or m\], one per joint.
    pub home: Option<Vec<f64>>,
}

/// A robot: a tree of rigid bodies with joints of one degree of freedom. Metres, Z up, X forward.
///
/// ```
/// use mocap_model::*;
///
/// let body = |name: &str, parent, z| RobotBody {
///     name: name.into(),
///     parent,
///     placement: Isometry3::translation(0.0, 0.0, z),
///     mass: None,
///     centre_of_mass: Vector3::zeros(),
///     inertia: None,
/// };
/// let knee = RobotJoint {
///     name: "knee".into(),
///     body: 1,
///     kind: RobotJointKind::Hinge,
///     axis: Vector3::y(),
///     anchor: Vector3::zeros(),
///     reference: 0.0,
///     limit: Some(Limit { min: 0.0, max: 2.5 }),
///     velocity: None,
///     acceleration: None,
///     effort: None,
///     mimic: None,
/// };
/// let bodies = vec![body("thigh", None, 1.0), body("shank", Some(0), -0.4), body("foot", Some(1), -0.4)];
/// let robot = Robot::new(RobotParts { bodies, joints: vec![knee], ..RobotParts::default() })?;
///
/// let placed = robot.place(&Isometry3::identity(), &[std::f64::consts::FRAC_PI_2]);
/// assert!((placed[2].translation.vector - Vector3::new(-0.4, 0.0, -0.4)).norm() < 1e-12);
/// assert_eq!(robot.to_skeleton()?.len(), 3);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Robot {
    parts: RobotParts,
    /// By body: its joints are `joints[first_joint[b]..first_joint[b + 1]]`.
    first_joint: Vec<usize>,
}

impl Robot {
    /// Greatest number of bodies from the base to a tip: time and memory grow with its square.
    pub const DEPTH: usize = 256;

    /// Checks the parts.
    ///
    /// # Errors
    /// If the robot has no bodies, bodies are nested deeper than [`Robot::DEPTH`], a parent follows its child,
    /// there is a second base, names repeat, joints are not in the order of their bodies, a number
    /// is not finite, a limit is empty, mimics form a circle, or a body or shape that is referred
    /// to does not exist.
    pub fn new(mut parts: RobotParts) -> Result<Robot, ModelError> {
        if parts.bodies.is_empty() {
            return Err(ModelError::NoJoints);
        }
        check_bodies(&parts.bodies)?;
        check_joints(&parts)?;
        check_mimics(&parts.joints)?;
        // Rotations about an axis assume that it has length 1.
        let inexact = |joint: &&mut RobotJoint| (joint.axis.norm() - 1.0).abs() > 1e-12;
        parts.joints.iter_mut().filter(inexact).for_each(|joint| joint.axis = joint.axis.normalize());
        for shape in &parts.shapes {
            let size = shape.primitive.sizes();
            let placed = shape.placement.to_homogeneous();
            if shape.body >= parts.bodies.len() {
                return Err(ModelError::NoBody { index: shape.body, bodies: parts.bodies.len() });
            }
            if !size.iter().chain(placed.iter()).all(|v| v.is_finite()) {
                return Err(ModelError::RestNotFinite { joint: shape.name.clone() });
            }
        }
        if let Some(body) = parts.excluded.iter().flatten().find(|body| **body >= parts.bodies.len()) {
            return Err(ModelError::NoBody { index: *body, bodies: parts.bodies.len() });
        }
        if let Some(shape) = parts.pairs.iter().flatten().find(|shape| **shape >= parts.shapes.len()) {
            return Err(ModelError::NoShape { index: *shape, shapes: parts.shapes.len() });
        }
        let mut first_joint = vec![0; parts.bodies.len() + 1];
        for joint in &parts.joints {
            first_joint[joint.body + 1] += 1;
        }
        for body in 0..parts.bodies.len() {
            first_joint[body + 1] += first_joint[body];
        }
        Ok(Robot { parts, first_joint })
    }

    /// The name of the robot; may be empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Bodies, parents before their children; the first is the base.
    pub fn bodies(&self) -> &[RobotBody] {
        &self.parts.bodies
    }

    /// Joints in the order of their bodies.
    pub fn joints(&self) -> &[RobotJoint] {
        &self.parts.joints
    }

    /// The joints that move a body, from the first to the last.
    pub fn joints_of(&self, body: usize) -> &[RobotJoint] {
        &self.parts.joints[self.first_joint[body]..self.first_joint[body + 1]]
    }

    /// Collision shapes.
    pub fn shapes(&self) -> &[RobotShape] {
        &self.parts.shapes
    }

    /// Pairs of bodies, by index, whose shapes do not collide.
    pub fn excluded(&self) -> &[[usize; 2]] {
        &self.parts.excluded
    }

    /// Pairs of shapes, by index, that collide regardless of their masks (MuJoCo's `contact/pair`).
    pub fn pairs(&self) -> &[[usize; 2]] {
        &self.parts.pairs
    }

    /// Whether the base moves freely.
    pub fn is_floating(&self) -> bool {
        self.parts.floating
    }

    /// Joint values of a stated pose \[rad or m\], one per joint.
    pub fn home(&self) -> Option<&[f64]> {
        self.parts.home.as_deref()
    }

    /// All parts, to change them.
    pub fn into_parts(self) -> RobotParts {
        self.parts
    }

    /// The body of a name.
    pub fn find_body(&self, name: &str) -> Option<usize> {
        self.parts.bodies.iter().position(|body| body.name == name)
    }

    /// The joint of a name.
    pub fn find_joint(&self, name: &str) -> Option<usize> {
        self.parts.joints.iter().position(|joint| joint.name == name)
    }

    /// Where each body is in the world \[m\] with the base at `base` and one value per joint \[rad or m\].
    ///
    /// # Panics
    /// If the number of values is not one per joint.
    pub fn place(&self, base: &Isometry3<f64>, values: &[f64]) -> Vec<Isometry3<f64>> {
        let mut placed = Vec::with_capacity(self.parts.bodies.len());
        self.place_into(base, values, &mut placed);
        placed
    }

    /// As [`Robot::place`], into a buffer.
    ///
    /// # Panics
    /// If the number of values is not one per joint.
    pub fn place_into(&self, base: &Isometry3<f64>, values: &[f64], placed: &mut Vec<Isometry3<f64>>) {
        assert_eq!(values.len(), self.parts.joints.len(), "one value per joint");
        placed.clear();
        for (index, body) in self.parts.bodies.iter().enumerate() {
            let mut at = match body.parent {
                Some(parent) => placed[parent] * body.placement,
                None => *base,
            };
            let range = self.first_joint[index]..self.first_joint[index + 1];
            for (joint, value) in self.parts.joints[range.clone()].iter().zip(&values[range]) {
                joint.advance(&mut at, value - joint.reference);
            }
            placed.push(at);
        }
    }

    /// The same robot as a skeleton of metres, Z up, X forward: one joint per degree of freedom, with its axis as X of
    /// [`Dofs::frame`] and its limit; a joint without degrees of freedom per fixed body. Joints are named as the joints
    /// of the robot, the base and fixed bodies as bodies. All joints rest at their reference.
    ///
    /// # Errors
    /// As [`Skeleton::new`].
    pub fn to_skeleton(&self) -> Result<Skeleton, ModelError> {
        let space = Space::metres_z_up();
        let mut names = UniqueNames::default();
        let mut joints: Vec<Joint> = Vec::new();
        // By body: its last joint, and where the origin of the body is in the frame of that joint.
        let mut ends: Vec<(JointId, Vector3<f64>)> = Vec::with_capacity(self.parts.bodies.len());
        for (index, body) in self.parts.bodies.iter().enumerate() {
            let (parent, from) = match body.parent {
                Some(parent) => (Some(ends[parent].0), ends[parent].1),
                None => (None, Vector3::zeros()),
            };
            let offset = from + body.placement.translation.vector;
            let moved_by = self.joints_of(index);
            if moved_by.is_empty() || parent.is_none() {
                let dofs = match parent {
                    None if self.parts.floating => Dofs::free(EulerOrder::ZYX),
                    _ => Dofs::locked(EulerOrder::ZYX),
                };
                let name = names.take(&body.name);
                let rest_rotation = body.placement.rotation;
                joints.push(Joint { rest_rotation, dofs, ..Joint::new(name, parent, offset) });
                ends.push((JointId::from(joints.len() - 1), Vector3::zeros()));
                if moved_by.is_empty() {
                    continue;
                }
            }
            let is_base = parent.is_none();
            let mut above = if is_base { Some(JointId::from(joints.len() - 1)) } else { parent };
            let mut at = if is_base { Vector3::zeros() } else { offset };
            let mut turn = if is_base { UnitQuaternion::identity() } else { body.placement.rotation };
            let mut origin = Vector3::zeros();
            for joint in moved_by {
                let name = names.take(&joint.name);
                let offset = at + turn * (joint.anchor + origin);
                let rest = Joint { rest_rotation: turn, ..Joint::new(name, above, offset) };
                joints.push(Joint { dofs: joint.dofs(), ..rest });
                above = Some(JointId::from(joints.len() - 1));
                (at, turn) = (Vector3::zeros(), UnitQuaternion::identity());
                origin = -joint.anchor;
            }
            let end = (JointId::from(joints.len() - 1), origin);
            if is_base { ends[index] = end } else { ends.push(end) }
        }
        let skeleton = Skeleton::new(self.parts.name.clone(), space, joints)?;
        Ok(skeleton.with_robot(Arc::new(self.clone())))
    }

    /// The joint of [`Robot::to_skeleton`] of every joint of the robot; the base is its joint 0.
    pub fn skeleton_joints(&self) -> Vec<JointId> {
        let mut next = 0;
        let mut joints = Vec::with_capacity(self.parts.joints.len());
        for body in 0..self.parts.bodies.len() {
            let moved_by = self.joints_of(body).len();
            next += usize::from(body == 0 || moved_by == 0);
            joints.extend((next..next + moved_by).map(JointId::from));
            next += moved_by;
        }
        joints
    }

    /// The joint of [`Robot::to_skeleton`] that moves with each body, and where the origin of the body is in the frame
    /// of that joint \[m\].
    pub fn body_joints(&self) -> Vec<(JointId, Vector3<f64>)> {
        let mut next = 0;
        let of = |body: usize| {
            let moved_by = self.joints_of(body);
            next += usize::from(body == 0 || moved_by.is_empty()) + moved_by.len();
            let origin = moved_by.last().map_or_else(Vector3::zeros, |joint| -joint.anchor);
            (JointId::from(next - 1), origin)
        };
        (0..self.parts.bodies.len()).map(of).collect()
    }
}

impl RobotJoint {
    /// The motion of its body in the frame of the body, for a value relative to its reference.
    pub fn motion(&self, value: f64) -> Isometry3<f64> {
        match self.kind {
            RobotJointKind::Slide => {
                Isometry3::from_parts((self.axis * value).into(), UnitQuaternion::identity())
            }
            RobotJointKind::Hinge => {
                let turn = self.turn(value);
                let moved = match self.anchor == Vector3::zeros() {
                    true => self.anchor,
                    false => self.anchor - turn * self.anchor,
                };
                Isometry3::from_parts(moved.into(), turn)
            }
        }
    }

    /// The rotation of a hinge by an angle.
    fn turn(&self, angle: f64) -> UnitQuaternion<f64> {
        let (sine, cosine) = (angle / 2.0).sin_cos();
        UnitQuaternion::new_unchecked(Quaternion::from_parts(cosine, self.axis * sine))
    }

    /// Moves a frame as [`motion`](RobotJoint::motion) does. Hinges through its origin, which most are, only turn it.
    fn advance(&self, at: &mut Isometry3<f64>, value: f64) {
        match self.kind == RobotJointKind::Hinge && self.anchor == Vector3::zeros() {
            true => at.rotation *= self.turn(value),
            false => *at *= self.motion(value),
        }
    }

    /// Its degree of freedom in a skeleton.
    fn dofs(&self) -> Dofs {
        let mut dofs = Dofs::locked(EulerOrder::XYZ);
        match self.kind {
            RobotJointKind::Slide => {
                dofs.translation = [0, 1, 2].map(|axis| self.axis[axis].abs() > 1e-9);
            }
            RobotJointKind::Hinge => {
                dofs.rotation = [true, false, false];
                dofs.frame = rotation_between(&Vector3::x(), &self.axis);
                let from_reference =
                    |limit: Limit| Limit { min: limit.min - self.reference, max: limit.max - self.reference };
                dofs.limits[0] = self.limit.map(from_reference);
            }
        }
        dofs
    }
}

/// Makes names unique: a repeated name gets a number appended.
#[derive(Default)]
struct UniqueNames(HashSet<String>);

impl UniqueNames {
    fn take(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(|name| self.0.insert(name.clone())).expect("numbers do not end")
    }
}

fn check_bodies(bodies: &[RobotBody]) -> Result<(), ModelError> {
    let mut names = HashSet::new();
    let mut levels: Vec<usize> = Vec::with_capacity(bodies.len());
    for (index, body) in bodies.iter().enumerate() {
        let name = || body.name.clone();
        if !names.insert(body.name.as_str()) {
            return Err(ModelError::DuplicateName { name: name() });
        }
        match body.parent {
            Some(parent) if parent >= index => return Err(ModelError::ParentAfterChild { joint: name() }),
            None if index > 0 => return Err(ModelError::ParentAfterChild { joint: name() }),
            _ => levels.push(body.parent.map_or(1, |parent| levels[parent] + 1)),
        }
        if levels[index] > Robot::DEPTH {
            return Err(ModelError::TooDeep { body: name(), limit: Robot::DEPTH });
        }
        let placed = body.placement.to_homogeneous();
        let inertia = body.inertia.iter().flat_map(|inertia| inertia.iter());
        let mut numbers = placed.iter().chain(body.centre_of_mass.iter()).chain(inertia).chain(&body.mass);
        if !numbers.all(|value| value.is_finite()) {
            return Err(ModelError::RestNotFinite { joint: name() });
        }
    }
    Ok(())
}

fn check_joints(parts: &RobotParts) -> Result<(), ModelError> {
    let mut names = HashMap::new();
    let mut last = 0;
    for (index, joint) in parts.joints.iter().enumerate() {
        let name = || joint.name.clone();
        if names.insert(joint.name.as_str(), index).is_some() {
            return Err(ModelError::DuplicateName { name: name() });
        }
        if joint.body < last || joint.body >= parts.bodies.len() {
            return Err(ModelError::ParentAfterChild { joint: name() });
        }
        last = joint.body;
        let numbers = joint.axis.iter().chain(joint.anchor.iter()).chain([&joint.reference]);
        if !numbers.into_iter().all(|value| value.is_finite()) || (joint.axis.norm() - 1.0).abs() > 1e-6 {
            return Err(ModelError::RestNotFinite { joint: name() });
        }
        let highest = [joint.velocity, joint.acceleration, joint.effort];
        if let Some(value) = highest.into_iter().flatten().find(|value| value.is_nan() || *value <= 0.0) {
            return Err(ModelError::NotPositive { joint: name(), value });
        }
        if let Some(Limit { min, max }) = joint.limit
            && (min.is_nan() || max.is_nan() || min > max)
        {
            return Err(ModelError::EmptyLimit { joint: name(), min, max });
        }
    }
    match &parts.home {
        Some(home) if home.len() != parts.joints.len() || !home.iter().all(|value| value.is_finite()) => {
            Err(ModelError::RestNotFinite { joint: parts.bodies[0].name.clone() })
        }
        _ => Ok(()),
    }
}

fn check_mimics(joints: &[RobotJoint]) -> Result<(), ModelError> {
    // By joint: the joint from which its chain was followed.
    let mut followed = vec![usize::MAX; joints.len()];
    for start in 0..joints.len() {
        let mut at = start;
        while let Some(Mimic { joint, factor, offset }) = joints[at].mimic {
            let name = || joints[start].name.clone();
            if !(factor.is_finite() && offset.is_finite()) {
                return Err(ModelError::RestNotFinite { joint: name() });
            }
            followed[at] = start;
            match followed.get(joint) {
                Some(&by) if by == start => return Err(ModelError::ParentAfterChild { joint: name() }),
                // An earlier walk followed the rest of this chain to its end.
                Some(&by) if by != usize::MAX => break,
                Some(_) => at = joint,
                None => return Err(ModelError::ParentAfterChild { joint: name() }),
            }
        }
    }
    Ok(())
}
