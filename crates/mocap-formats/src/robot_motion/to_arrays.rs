//! A robot's motion as the arrays of trainers.
//!
//! Names and layouts as in: Q. Liao et al., "BeyondMimic", 2025, and mjlab (`csv_to_npz`); the motion loader of AMP in
//! Isaac Lab; J. Araujo et al., "GMR: General Motion Retargeting", 2025.

use mocap_model::{Isometry3, Robot, RobotMotion, UnitQuaternion, Vector3};

use super::Order;
use crate::arrays::{Array, Arrays, Data, Precision, push};

/// A motion with the transforms of its bodies, from which their velocities are computed.
pub(super) struct Placed<'m> {
    motion: &'m RobotMotion,
    robot: &'m Robot,
    order: Order,
    precision: Precision,
    bodies: Vec<usize>,
    joints: Vec<usize>,
    /// By frame and body of the robot.
    placed: Vec<Vec<Isometry3<f64>>>,
}

impl<'m> Placed<'m> {
    pub(super) fn new(
        motion: &'m RobotMotion,
        robot: &'m Robot,
        order: Order,
        precision: Precision,
    ) -> Placed<'m> {
        let placed = motion.poses.iter().map(|pose| robot.place(&pose.base, &pose.values)).collect();
        let (bodies, joints) = (order.bodies(robot), order.joints(robot));
        Placed { motion, robot, order, precision, bodies, joints, placed }
    }

    fn frames(&self) -> usize {
        self.motion.poses.len()
    }

    /// Frames × columns × `width` values.
    fn table<const N: usize>(&self, columns: &[usize], of: impl Fn(usize, usize) -> [f64; N]) -> Array {
        let mut data = self.precision.floats(self.frames() * columns.len() * N);
        for frame in 0..self.frames() {
            columns.iter().for_each(|column| push(&mut data, &of(frame, *column)));
        }
        let shape = [self.frames(), columns.len(), N];
        Array::new(if N == 1 { shape[..2].to_vec() } else { shape.to_vec() }, data)
    }

    fn joint_values(&self) -> Array {
        self.table(&self.joints, |frame, joint| [self.motion.poses[frame].values[joint]])
    }

    /// The frames beside one, and the time between them \[s\].
    fn around(&self, frame: usize) -> (usize, usize, f64) {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(self.frames() - 1));
        (before, after, ((after - before).max(1)) as f64 * self.motion.fps.frame_time())
    }

    fn joint_speeds(&self) -> Array {
        self.table(&self.joints, |frame, joint| {
            let (before, after, seconds) = self.around(frame);
            let value = |frame: usize| self.motion.poses[frame].values[joint];
            [(value(after) - value(before)) / seconds]
        })
    }

    fn positions(&self) -> Array {
        self.table(&self.bodies, |frame, body| self.placed[frame][body].translation.vector.into())
    }

    fn rotations(&self) -> Array {
        self.table(&self.bodies, |frame, body| {
            let q = self.placed[frame][body].rotation;
            [q.w, q.i, q.j, q.k]
        })
    }

    fn speeds(&self) -> Array {
        self.table(&self.bodies, |frame, body| {
            let (before, after, seconds) = self.around(frame);
            let at = |frame: usize| self.placed[frame][body].translation.vector;
            ((at(after) - at(before)) / seconds).into()
        })
    }

    /// The angular velocities of bodies in the world.
    fn turns(&self) -> Array {
        self.table(&self.bodies, |frame, body| {
            let (before, after, seconds) = self.around(frame);
            let at = |frame: usize| self.placed[frame][body].rotation;
            ((at(after) * at(before).inverse()).scaled_axis() / seconds).into()
        })
    }

    fn joint_names(&self) -> Array {
        Array::texts(self.joints.iter().map(|joint| self.robot.joints()[*joint].name.clone()).collect())
    }

    fn body_names(&self) -> Array {
        Array::texts(self.bodies.iter().map(|body| self.robot.bodies()[*body].name.clone()).collect())
    }

    /// The arrays of mjlab and BeyondMimic, plus names and their order, which trainers ignore.
    pub(super) fn mjlab(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.insert("fps", Array::new([1], Data::F64(vec![self.motion.fps.fps()])));
        arrays.insert("joint_pos", self.joint_values());
        arrays.insert("joint_vel", self.joint_speeds());
        arrays.insert("body_pos_w", self.positions());
        arrays.insert("body_quat_w", self.rotations());
        arrays.insert("body_lin_vel_w", self.speeds());
        arrays.insert("body_ang_vel_w", self.turns());
        arrays.insert("joint_names", self.joint_names());
        arrays.insert("body_names", self.body_names());
        arrays.insert("order", Array::text(self.order.to_string()));
        arrays
    }

    /// The AMP of Isaac Lab.
    pub(super) fn isaac(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.insert("fps", Array::scalar(self.motion.fps.fps()));
        arrays.insert("dof_names", self.joint_names());
        arrays.insert("body_names", self.body_names());
        arrays.insert("dof_positions", self.joint_values());
        arrays.insert("dof_velocities", self.joint_speeds());
        arrays.insert("body_positions", self.positions());
        arrays.insert("body_rotations", self.rotations());
        arrays.insert("body_linear_velocities", self.speeds());
        arrays.insert("body_angular_velocities", self.turns());
        arrays
    }

    /// The dictionary of GMR.
    pub(super) fn gmr(&self) -> Arrays {
        let base = |frame: usize| self.motion.poses[frame].base;
        let of_base = |of: &dyn Fn(&Isometry3<f64>) -> Vec<f64>, width: usize| {
            let mut data = Precision::F64.floats(self.frames() * width);
            (0..self.frames()).for_each(|frame| push(&mut data, &of(&base(frame))));
            Array::new([self.frames(), width], data)
        };
        let mut arrays = Arrays::default();
        arrays.insert("fps", Array::scalar(self.motion.fps.fps()));
        arrays.insert("root_pos", of_base(&|base| base.translation.vector.iter().copied().collect(), 3));
        arrays.insert("root_rot", of_base(&|base| base.rotation.coords.iter().copied().collect(), 4));
        arrays.insert("dof_pos", self.joint_values());
        let local = |frame: usize, body: usize| -> [f64; 3] {
            let base: UnitQuaternion<f64> = base(frame).rotation;
            let away: Vector3<f64> = self.placed[frame][body].translation.vector
                - self.motion.poses[frame].base.translation.vector;
            (base.inverse() * away).into()
        };
        arrays.insert("local_body_pos", self.table(&self.bodies, local));
        arrays.insert("link_body_list", self.body_names());
        arrays
    }
}
