//! Masses of bodies: as the file states them, else from the shapes of a body.

use mocap_model::{Isometry3, Primitive, RobotBody, Vector3};
use nalgebra::Matrix3;

/// The density of shapes without a mass \[kg/m³\]: that of water, as in MuJoCo.
const DENSITY: f64 = 1000.0;

/// A symmetric matrix from XX, YY, ZZ, XY, XZ, YZ.
pub(crate) fn symmetric([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> Matrix3<f64> {
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

/// A mass with its centre and the inertia about it, in the frame of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inertial {
    pub(super) mass: f64,
    pub(super) centre: Vector3<f64>,
    pub(super) inertia: Matrix3<f64>,
}

impl Inertial {
    /// From stated values, with the inertia along the axes of its own frame.
    pub(super) fn stated(mass: f64, placement: &Isometry3<f64>, inertia: Matrix3<f64>) -> Inertial {
        let turn = placement.rotation.to_rotation_matrix().into_inner();
        Inertial { mass, centre: placement.translation.vector, inertia: turn * inertia * turn.transpose() }
    }

    /// Of a homogeneous shape with a mass, else with a density \[kg/m³\].
    pub(super) fn of_shape(
        primitive: &Primitive,
        placement: &Isometry3<f64>,
        mass: Option<f64>,
        density: Option<f64>,
    ) -> Inertial {
        let mass = mass.unwrap_or_else(|| density.unwrap_or(DENSITY) * primitive.volume());
        Inertial::stated(mass, placement, primitive.inertia(mass))
    }

    /// All together; `None` without a mass.
    fn sum(parts: &[Inertial]) -> Option<Inertial> {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        if mass <= 0.0 || !mass.is_finite() {
            return None;
        }
        let centre = parts.iter().map(|part| part.centre * part.mass).sum::<Vector3<f64>>() / mass;
        let about = |part: &Inertial| {
            let arm = part.centre - centre;
            let parallel = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
            part.inertia + parallel * part.mass
        };
        Some(Inertial { mass, centre, inertia: parts.iter().map(about).sum() })
    }
}

/// Sets the mass of a body: the stated one, else the sum of its shapes.
pub(super) fn weigh(body: &mut RobotBody, stated: Option<Inertial>, shapes: &[Inertial]) {
    if let Some(Inertial { mass, centre, inertia }) = stated.or_else(|| Inertial::sum(shapes)) {
        body.mass = Some(mass);
        body.centre_of_mass = centre;
        body.inertia = Some(inertia);
    }
}
