//! The masses of a robot, and its centre of mass.

use mocap_analysis::Segment;
use mocap_model::{Isometry3, Robot, Vector3};
use nalgebra::{Matrix3, Point3};

use crate::kinematics::{Kinematics, Moves};

/// The segments of a robot: centres of mass in the frames of their bodies.
pub(crate) struct Masses {
    pub(crate) segments: Vec<Segment>,
    /// By segment: its body, and its centre of mass there.
    pub(crate) bodies: Vec<(usize, Isometry3<f64>)>,
    total: f64,
}

impl Masses {
    /// The masses of the bodies that state one.
    pub(crate) fn of(robot: &Robot) -> Masses {
        let (mut segments, mut bodies) = (Vec::new(), Vec::new());
        for (index, body) in robot.bodies().iter().enumerate() {
            let Some(mass) = body.mass.filter(|mass| *mass > 0.0) else { continue };
            segments.push(Segment { mass, inertia: body.inertia.unwrap_or_else(Matrix3::zeros) });
            let [x, y, z] = body.centre_of_mass.into();
            bodies.push((index, Isometry3::translation(x, y, z)));
        }
        let total: f64 = segments.iter().map(|segment| segment.mass).sum();
        // Infinite masses, as of huge shapes, are ignored.
        if !total.is_finite() {
            return Masses { segments: Vec::new(), bodies: Vec::new(), total: 0.0 };
        }
        Masses { segments, bodies, total }
    }

    /// Total mass; 0 if there is none.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    pub(crate) fn placed(&self, bodies: &[Isometry3<f64>]) -> Vec<Isometry3<f64>> {
        self.bodies.iter().map(|(body, centre)| bodies[*body] * centre).collect()
    }

    /// The centre of mass of a robot whose bodies are placed \[m\].
    pub(crate) fn centre_of(&self, bodies: &[Isometry3<f64>]) -> Vector3<f64> {
        let parts = self.segments.iter().zip(&self.bodies);
        let weighed =
            parts.map(|(segment, (body, centre))| (bodies[*body] * centre).translation.vector * segment.mass);
        weighed.sum::<Vector3<f64>>() / self.total
    }

    /// By body: the mass of it and of all bodies attached to it \[kg\], and their sum of mass × position in the
    /// world [kg m].
    fn carried(&self, kinematics: &Kinematics) -> Vec<(f64, Vector3<f64>)> {
        let mut carried = vec![(0.0, Vector3::zeros()); kinematics.placed.len()];
        for (segment, (body, centre)) in self.segments.iter().zip(&self.bodies) {
            let at = kinematics.placed[*body] * Point3::from(centre.translation.vector);
            carried[*body].0 += segment.mass;
            carried[*body].1 += at.coords * segment.mass;
        }
        for (body, parent) in kinematics.robot.bodies().iter().map(|body| body.parent).enumerate().rev() {
            if let Some(parent) = parent {
                let (mass, moment) = carried[body];
                carried[parent].0 += mass;
                carried[parent].1 += moment;
            }
        }
        carried
    }

    /// The centre of mass of the placed pose, and its derivatives.
    pub(crate) fn centre(&self, kinematics: &Kinematics, moves: &mut Moves) -> Point3<f64> {
        let carried = self.carried(kinematics);
        let centre = Point3::from(carried[0].1 / self.total);
        let of_joint = |joint: usize| {
            let (mass, moment) = carried[kinematics.robot.joints()[joint].body];
            let twist = kinematics.twist(joint);
            let about_base = moment - (centre.coords - kinematics.arm(&centre)) * mass;
            (twist.linear * mass + twist.angular.cross(&about_base)) / self.total
        };
        kinematics.whole(&centre, of_joint, moves);
        centre
    }
}
