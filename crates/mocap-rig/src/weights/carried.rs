//! Deforms a surface from the joints of one skeleton to those of another: bones rotate, and stretch along and across.

use mocap_model::{Skeleton, Vector3};
use nalgebra::{Matrix3, Matrix4, Quaternion, SymmetricEigen, UnitQuaternion};

use super::Donor;

/// Weight of the rotation of the bone above if a joint has several children.
const ABOVE: f64 = 0.2;
/// Largest stretch of a bone relative to the whole body; the least is its inverse.
const STRETCH: f64 = 2.5;

/// The transform of a joint: places are rotated about `from`, stretched and moved to `to`.
struct Carrier {
    from: Vector3<f64>,
    to: Vector3<f64>,
    linear: Matrix3<f64>,
}

/// The places of a donor's surface with its joints at `to`. `thickness` is, by joint, the thickness of the other body
/// relative to the donor.
pub(crate) fn carried(donor: &Donor, to: &[Vector3<f64>], thickness: &[Option<f64>]) -> Vec<Vector3<f64>> {
    let (turn, scale) = similarity(&donor.places, to);
    let carriers = carriers(&donor.skeleton, &donor.places, to, thickness, (turn, scale));
    let place = |(at, place): (usize, &Vector3<f64>)| {
        let (mut sum, mut total) = (Vector3::zeros(), 0.0);
        for (joint, weight) in donor.weights.of(at) {
            let carrier = &carriers[joint.index()];
            sum += (carrier.to + carrier.linear * (place - carrier.from)) * *weight;
            total += weight;
        }
        if total > 0.0 { sum / total } else { *place }
    };
    donor.mesh.places.iter().enumerate().map(place).collect()
}

/// The rotation and scale of the similarity between two sets of places.
pub(crate) fn similarity(from: &[Vector3<f64>], to: &[Vector3<f64>]) -> (UnitQuaternion<f64>, f64) {
    let count = from.len().max(1) as f64;
    let middle = |places: &[Vector3<f64>]| places.iter().sum::<Vector3<f64>>() / count;
    let (a, b) = (middle(from), middle(to));
    let covariance: Matrix3<f64> =
        from.iter().zip(to).map(|(from, to)| (to - b) * (from - a).transpose()).sum::<Matrix3<f64>>();
    let size = |places: &[Vector3<f64>], middle: &Vector3<f64>| {
        places.iter().map(|at| (at - middle).norm_squared()).sum::<f64>().sqrt()
    };
    let (before, after) = (size(from, &a), size(to, &b));
    (nearest_rotation(&covariance), if before > 0.0 { after / before } else { 1.0 })
}

/// The rotation nearest to a matrix: the quaternion of B. K. P. Horn, "Closed-form solution of absolute orientation
/// using unit quaternions", 1987. If several are equally near, as for places on a line, it is one of them.
pub(crate) fn nearest_rotation(matrix: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let m = |row: usize, column: usize| matrix[(row, column)];
    let [x, y, z] = [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)];
    let [xy, xz, yz] = [m(0, 1) + m(1, 0), m(0, 2) + m(2, 0), m(1, 2) + m(2, 1)];
    let [a, b, c] = [m(0, 0), m(1, 1), m(2, 2)];
    #[rustfmt::skip]
    let form = Matrix4::new(
        a + b + c, x, y, z,
        x, a - b - c, xy, xz,
        y, xy, b - a - c, yz,
        z, xz, yz, c - a - b,
    );
    let Some(found) = SymmetricEigen::try_new(form, f64::EPSILON, 1000) else {
        return UnitQuaternion::identity();
    };
    let q = found.eigenvectors.column(found.eigenvalues.imax());
    UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))
}

fn carriers(
    skeleton: &Skeleton,
    from: &[Vector3<f64>],
    to: &[Vector3<f64>],
    thickness: &[Option<f64>],
    (whole_turn, whole_scale): (UnitQuaternion<f64>, f64),
) -> Vec<Carrier> {
    let mut turns: Vec<UnitQuaternion<f64>> = Vec::with_capacity(skeleton.len());
    let mut made = Vec::with_capacity(skeleton.len());
    let held = |scale: f64| {
        let usual = whole_scale.max(f64::MIN_POSITIVE);
        scale.clamp(usual / STRETCH, usual * STRETCH)
    };
    for (id, joint) in skeleton.iter() {
        let at = id.index();
        let above = joint.parent.map_or(whole_turn, |parent| turns[parent.index()]);
        let ways: Vec<[Vector3<f64>; 2]> = skeleton
            .children(id)
            .iter()
            .map(|child| [from[child.index()] - from[at], to[child.index()] - to[at]])
            .filter(|[a, b]| a.norm() > 0.0 && b.norm() > 0.0)
            .collect();
        let turn = match &ways[..] {
            [] => above,
            [[a, b]] => UnitQuaternion::rotation_between(&(above * a), b).map_or(above, |turn| turn * above),
            many => {
                let sum: Matrix3<f64> =
                    many.iter().map(|[a, b]| b.normalize() * a.normalize().transpose()).sum();
                nearest_rotation(&(sum + above.to_rotation_matrix().matrix() * ABOVE))
            }
        };
        turns.push(turn);
        let across = held(thickness[at].unwrap_or(whole_scale));
        // Bones that fan out, such as those of a pelvis, have no common axis to stretch along.
        let linear = match &ways[..] {
            [[a, b]] => {
                let (axis, along) = (a.normalize(), held(b.norm() / a.norm()));
                Matrix3::identity() * across + axis * axis.transpose() * (along - across)
            }
            [] => Matrix3::identity() * across,
            many => {
                let lengths = |side: usize| many.iter().map(|way| way[side].norm()).sum::<f64>();
                Matrix3::identity() * (held(lengths(1) / lengths(0)) * across).sqrt()
            }
        };
        made.push(Carrier {
            from: from[at],
            to: to[at],
            linear: turn.to_rotation_matrix().matrix() * linear,
        });
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_carried_as_a_whole() {
        let from = [Vector3::zeros(), Vector3::x(), Vector3::y() * 2.0, Vector3::z() * 3.0];
        let turn = UnitQuaternion::new(Vector3::new(0.4, -1.0, 0.3));
        let to = from.map(|at| turn * at * 2.5 + Vector3::new(1.0, 2.0, 3.0));
        let (found, scale) = similarity(&from, &to);
        assert!(found.angle_to(&turn) < 1e-9 && (scale - 2.5).abs() < 1e-9);
        // Places on a line do not determine the rotation, but still give one.
        let line = [Vector3::zeros(), Vector3::y()];
        let (found, _) = similarity(&line, &line);
        assert!((found * Vector3::y() - Vector3::y()).norm() < 1e-9);
    }
}
