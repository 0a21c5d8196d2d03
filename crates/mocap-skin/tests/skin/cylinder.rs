//! A cylinder that twists and bends: linear blend skinning loses the volume that the formulas give,
//! the other methods lose none.

use crate::support::{Cylinder, volume};
use mocap_model::{JointId, Vector3};
use mocap_skin::SkinMethod;
use nalgebra::{Matrix4, Rotation3, Unit};

const ANGLES: [f64; 6] = [30.0, 60.0, 90.0, 120.0, 150.0, 179.0];

fn turned(angle: f64, axis: Vector3<f64>) -> impl Fn(JointId) -> Matrix4<f64> {
    let turn = Rotation3::from_axis_angle(&Unit::new_normalize(axis), angle).to_homogeneous();
    move |joint| if joint == JointId(1) { turn } else { Matrix4::identity() }
}

#[test]
fn linear_blends_lose_the_volume_that_the_formulas_say() {
    let cylinder = Cylinder::new(128, 128);
    let (mesh, triangles) = (cylinder.bound(), &cylinder.triangles);
    let rest = volume(&cylinder.parts.positions, triangles);
    for degrees in ANGLES {
        let angle = degrees.to_radians();
        for (axis, share) in [(Vector3::y(), 6.0), (Vector3::x(), 12.0), (Vector3::new(1.0, 0.0, 2.0), 12.0)]
        {
            let found = volume(&mesh.posed(SkinMethod::Linear, turned(angle, axis), &[]), triangles) / rest;
            let expected = 1.0 - (1.0 - angle.cos()) / share;
            assert!((found - expected).abs() < 1e-3, "{degrees}°, {axis}: {found}, not {expected}");
        }
    }
}

#[test]
fn the_middle_of_a_linear_twist_shrinks_by_the_cosine_of_half_the_angle() {
    let cylinder = Cylinder::new(64, 64);
    let mesh = cylinder.bound();
    let middle = cylinder.parts.positions.iter().position(|at| at.y == 0.0).unwrap();
    for degrees in ANGLES {
        let angle = degrees.to_radians();
        let radius = |method| {
            let at = mesh.posed(method, turned(angle, Vector3::y()), &[])[middle];
            at.x.hypot(at.z)
        };
        assert!((radius(SkinMethod::Linear) - (angle / 2.0).cos()).abs() < 1e-12);
        for method in [SkinMethod::DualQuaternion, SkinMethod::Spherical] {
            assert!((radius(method) - 1.0).abs() < 1e-12, "{method}");
        }
    }
}

#[test]
fn dual_quaternions_and_spherical_blends_keep_the_volume() {
    let cylinder = Cylinder::new(128, 128);
    let (mesh, triangles) = (cylinder.bound(), &cylinder.triangles);
    let rest = volume(&cylinder.parts.positions, triangles);
    for method in [SkinMethod::DualQuaternion, SkinMethod::Spherical] {
        for degrees in ANGLES {
            for axis in [Vector3::y(), Vector3::x(), Vector3::new(0.3, 0.0, -1.0)] {
                let posed = mesh.posed(method, turned(degrees.to_radians(), axis), &[]);
                let found = volume(&posed, triangles) / rest;
                assert!((found - 1.0).abs() < 1e-3, "{method}, {degrees}°, {axis}: {found}");
            }
        }
    }
}
