//! A person made of capsules, whose joints are known.

use mocap_model::{Mesh, Role, Vector3};

pub(crate) type Places = Vec<(Role, Vector3<f64>)>;

/// Rings of a capsule.
const RINGS: usize = 16;

/// Adds a closed capsule with so many corners around, whose radius changes from one end to the other.
pub(crate) fn capsule(
    corners: usize,
    mesh: &mut Mesh,
    from: Vector3<f64>,
    to: Vector3<f64>,
    radii: [f64; 2],
) {
    let along = (to - from).normalize();
    let mut other = Vector3::zeros();
    other[along.iamin()] = 1.0;
    let across = along.cross(&other).normalize();
    let third = along.cross(&across);
    let first = mesh.positions.len() as u32;
    mesh.positions.push(from - along * radii[0]);
    // Half spheres at both ends, a tube between them.
    for ring in 0..RINGS {
        let share = ring as f64 / (RINGS - 1) as f64;
        let (middle, radius, angle) = if share < 0.3 {
            (from, radii[0], (share / 0.3 - 1.0) * 1.5)
        } else if share > 0.7 {
            (to, radii[1], (share - 0.7) / 0.3 * 1.5)
        } else {
            let t = (share - 0.3) / 0.4;
            (from + (to - from) * t, radii[0] + (radii[1] - radii[0]) * t, 0.0f64)
        };
        for corner in 0..corners {
            let turn = std::f64::consts::TAU * corner as f64 / corners as f64;
            let side = across * turn.cos() + third * turn.sin();
            mesh.positions.push(middle + along * (radius * angle.sin()) + side * (radius * angle.cos()));
        }
    }
    mesh.positions.push(to + along * radii[1]);
    let at = |ring: usize, corner: usize| first + 1 + (ring * corners + corner % corners) as u32;
    let last = first + 1 + (RINGS * corners) as u32;
    let mut triangle = |corners: [u32; 3]| {
        mesh.faces.push(3);
        mesh.corners.extend(corners);
    };
    for corner in 0..corners {
        triangle([first, at(0, corner + 1), at(0, corner)]);
        for ring in 0..RINGS - 1 {
            let [a, b, c, d] =
                [at(ring, corner), at(ring, corner + 1), at(ring + 1, corner), at(ring + 1, corner + 1)];
            triangle([a, b, d]);
            triangle([a, d, c]);
        }
        triangle([last, at(RINGS - 1, corner), at(RINGS - 1, corner + 1)]);
    }
}

/// A person of overlapping closed capsules with so many corners around, 1.75 m tall, Y up, facing
/// along Z; arms `lowered` from a T-pose [rad], the left leg `ahead` and the right one behind
/// [rad]. With the places of joints.
pub(crate) fn person(corners: usize, lowered: f64, ahead: f64) -> (Mesh, Places) {
    let arm = |side: f64| [Vector3::new(side * lowered.cos(), -lowered.sin(), 0.0); 2];
    posed(corners, [arm(1.0), arm(-1.0)], ahead)
}

/// As [`person`], with the directions of upper arm and forearm of the left arm, and of the right one.
pub(crate) fn posed(corners: usize, arms: [[Vector3<f64>; 2]; 2], ahead: f64) -> (Mesh, Places) {
    let capsule = |mesh: &mut Mesh, from, to, radii| capsule(corners, mesh, from, to, radii);
    let mut mesh = Mesh::default();
    let v = Vector3::new;
    let mut places: Places = vec![(Role::Neck, v(0.0, 1.47, -0.01)), (Role::Head, v(0.0, 1.58, 0.0))];
    // Trunk, neck and head.
    for side in [-1.0, 1.0] {
        capsule(&mut mesh, v(0.05 * side, 0.97, 0.0), v(0.08 * side, 1.33, 0.0), [0.11, 0.11]);
    }
    capsule(&mut mesh, v(0.0, 1.35, 0.0), v(0.0, 1.55, 0.0), [0.055, 0.055]);
    capsule(&mut mesh, v(0.0, 1.63, 0.01), v(0.0, 1.65, 0.01), [0.1, 0.1]);
    for (side, [upper, lower]) in [1.0, -1.0].into_iter().zip(arms) {
        let named = |role: Role| if side > 0.0 { role } else { role.mirrored() };
        let [upper, arm] = [upper, lower].map(|way| way.normalize());
        let shoulder = v(0.19 * side, 1.4, 0.0);
        let elbow = shoulder + upper * 0.27;
        let wrist = elbow + arm * 0.255;
        capsule(&mut mesh, v(0.1 * side, 1.38, 0.0), shoulder, [0.07, 0.06]);
        capsule(&mut mesh, shoulder, elbow, [0.052, 0.042]);
        capsule(&mut mesh, elbow, wrist, [0.042, 0.026]);
        capsule(&mut mesh, wrist + arm * 0.05, wrist + arm * 0.14, [0.038, 0.03]);
        places.extend([
            (named(Role::LeftUpperArm), shoulder),
            (named(Role::LeftLowerArm), elbow),
            (named(Role::LeftHand), wrist),
        ]);
        let leg = v(0.0, -(ahead * side).cos(), (ahead * side).sin());
        let hip = v(0.1 * side, 0.92, 0.0);
        let knee = hip + leg * 0.42;
        let ankle = knee + leg * 0.41;
        capsule(&mut mesh, hip, knee, [0.085, 0.055]);
        capsule(&mut mesh, knee, ankle, [0.055, 0.036]);
        capsule(&mut mesh, ankle + v(0.0, -0.03, -0.01), ankle + v(0.0, -0.045, 0.15), [0.04, 0.03]);
        places.extend([
            (named(Role::LeftUpperLeg), hip),
            (named(Role::LeftLowerLeg), knee),
            (named(Role::LeftFoot), ankle),
        ]);
    }
    (mesh, places)
}
