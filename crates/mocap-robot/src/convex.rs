//! Distance and penetration depth of two convex shapes.
//!
//! Based on: G. van den Bergen, "Collision Detection in Interactive 3D Environments", 2004, sections 4.3
//! (distance of separated shapes) and 4.3.8 (expanding polytope). Both work on the Minkowski difference of the
//! shapes, which contains the origin if they intersect.

use std::sync::Arc;

use mocap_model::{Hull, Isometry3, Primitive, Vector3};
use nalgebra::Point3;

/// Accuracy of distances \[m\].
const EXACT: f64 = 1e-6;
/// Greatest number of steps; then the answer is taken although it is not exact.
const STEPS: usize = 64;

/// The core of a convex shape in the world: the shape without the rounding radius of balls and capsules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core<'f> {
    pub(crate) placed: Isometry3<f64>,
    pub(crate) form: &'f Form,
}

/// The form of a core; sizes in \[m\].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// Along Z, by its half length; a point if it is 0.
    Segment(f64),
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Box(Vector3<f64>),
    Ellipsoid(Vector3<f64>),
    Hull(Arc<Hull>),
}

impl Form {
    /// The core of a primitive, and its rounding radius.
    pub(crate) fn of(primitive: &Primitive) -> (Form, f64) {
        match *primitive {
            Primitive::Sphere { radius } => (Form::Segment(0.0), radius),
            Primitive::Capsule { radius, half_length } => (Form::Segment(half_length), radius),
            Primitive::Cylinder { radius, half_length } => (Form::Cylinder { radius, half_length }, 0.0),
            Primitive::Box { half_sizes } => (Form::Box(half_sizes), 0.0),
            Primitive::Ellipsoid { radii } => (Form::Ellipsoid(radii), 0.0),
            Primitive::Hull(ref hull) => (Form::Hull(hull.clone()), 0.0),
        }
    }

    /// Radius of the bounding ball about the origin of the core.
    pub(crate) fn reach(&self) -> f64 {
        match *self {
            Form::Segment(half_length) => half_length,
            Form::Cylinder { radius, half_length } => radius.hypot(half_length),
            Form::Box(half_sizes) => half_sizes.norm(),
            Form::Ellipsoid(radii) => radii.amax(),
            Form::Hull(ref hull) => hull.corners().iter().map(Vector3::norm).fold(0.0, f64::max),
        }
    }

    /// The support point: furthest in a direction.
    pub(crate) fn furthest(&self, along: &Vector3<f64>) -> Vector3<f64> {
        let sign = |value: f64| if value < 0.0 { -1.0 } else { 1.0 };
        match *self {
            Form::Segment(half_length) => Vector3::z() * (half_length * sign(along.z)),
            Form::Cylinder { radius, half_length } => {
                let across = Vector3::new(along.x, along.y, 0.0);
                let rim = across.try_normalize(1e-12).unwrap_or_else(Vector3::zeros) * radius;
                rim + Vector3::z() * (half_length * sign(along.z))
            }
            Form::Box(h) => Vector3::new(h.x * sign(along.x), h.y * sign(along.y), h.z * sign(along.z)),
            Form::Ellipsoid(radii) => {
                let scaled = along.component_mul(&radii);
                scaled.try_normalize(1e-15).map_or_else(Vector3::zeros, |unit| unit.component_mul(&radii))
            }
            Form::Hull(ref hull) => hull.furthest(along),
        }
    }
}

impl Core<'_> {
    pub(crate) fn furthest(&self, along: &Vector3<f64>) -> Point3<f64> {
        self.placed * Point3::from(self.form.furthest(&self.placed.rotation.inverse_transform_vector(along)))
    }
}

/// The nearest, or deepest, points of both shapes; the unit direction from the first to the second; and the distance
/// along it, negative inside \[m\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) points: [Point3<f64>; 2],
    pub(crate) direction: Vector3<f64>,
    pub(crate) distance: f64,
}

/// A point of the difference second − first, and the points of both shapes that it comes from.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    at: Vector3<f64>,
    points: [Point3<f64>; 2],
}

fn vertex(cores: &[Core<'_>; 2], along: &Vector3<f64>) -> Vertex {
    let points = [cores[0].furthest(&-along), cores[1].furthest(along)];
    Vertex { at: points[1] - points[0], points }
}

/// A simplex of up to four points of the difference.
#[derive(Clone, Copy, Debug)]
struct Simplex {
    corners: [Vertex; 4],
    count: usize,
}

impl Simplex {
    fn corners(&self) -> &[Vertex] {
        &self.corners[..self.count]
    }

    fn push(&mut self, corner: Vertex) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    /// Subsets of up to four vertices as bits: vertices, edges, triangles, the tetrahedron.
    const PARTS: [usize; 15] = [1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15];

    /// The point nearest to the origin, with barycentric coordinates of the vertices; vertices without a share
    /// are dropped. `None` if the simplex contains the origin.
    fn nearest(&mut self) -> Option<(Vector3<f64>, [f64; 4])> {
        let mut best: Option<(f64, Vector3<f64>, Simplex, [f64; 4])> = None;
        // There are few enough subsets to try them all.
        for part in Simplex::PARTS.into_iter().filter(|part| *part < 1 << self.count) {
            let mut chosen = Simplex { count: 0, ..*self };
            for corner in (0..self.count).filter(|corner| part >> corner & 1 == 1) {
                chosen.push(self.corners[corner]);
            }
            let Some(shares) = foot(chosen.corners()) else { continue };
            if chosen.count == 4 {
                return None;
            }
            let parts = chosen.corners().iter().zip(shares).map(|(corner, share)| corner.at * share);
            let at: Vector3<f64> = parts.sum();
            let distance = at.norm_squared();
            if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
                best = Some((distance, at, chosen, shares));
            }
        }
        let (_, at, chosen, shares) = best?;
        *self = chosen;
        Some((at, shares))
    }
}

/// The gap between two shapes.
pub(crate) fn gap(cores: &[Core<'_>; 2]) -> Gap {
    let start = cores[1].placed.translation.vector - cores[0].placed.translation.vector;
    let start = if start.norm() > 1e-9 { start } else { Vector3::x() };
    let mut simplex = Simplex { corners: [vertex(cores, &-start); 4], count: 1 };
    let (mut at, mut shares) = (simplex.corners[0].at, [1.0, 0.0, 0.0, 0.0]);
    for _ in 0..STEPS {
        let length = at.norm();
        if length < EXACT * 1e-3 {
            return inside(cores, simplex.corners());
        }
        let next = vertex(cores, &-at);
        // An upper bound of how much nearer the origin the next step can get.
        let gain = length - at.dot(&next.at) / length;
        if gain < EXACT * 0.1
            || simplex.corners().iter().any(|known| (known.at - next.at).norm() < EXACT * 1e-3)
        {
            break;
        }
        simplex.push(next);
        let Some(found) = simplex.nearest() else { return inside(cores, simplex.corners()) };
        (at, shares) = found;
    }
    let distance = at.norm();
    Gap { points: mean_points(simplex.corners(), &shares), direction: at / distance, distance }
}

fn mean_points(corners: &[Vertex], shares: &[f64]) -> [Point3<f64>; 2] {
    [0, 1].map(|which| {
        let parts = corners.iter().zip(shares).map(|(corner, share)| corner.points[which].coords * *share);
        Point3::from(parts.sum::<Vector3<f64>>())
    })
}

/// Barycentric coordinates, among up to four vertices, of the foot of the perpendicular from the origin; `None`
/// if it is outside.
fn foot(corners: &[Vertex]) -> Option<[f64; 4]> {
    let first = corners[0].at;
    let edge = |index: usize| corners[index + 1].at - first;
    let shares = match corners.len() {
        1 => [0.0; 3],
        2 => {
            let a = edge(0);
            [-a.dot(&first) / a.norm_squared(), 0.0, 0.0]
        }
        3 => {
            let (a, b) = (edge(0), edge(1));
            let (aa, bb, ab) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
            let (fa, fb, whole) = (-a.dot(&first), -b.dot(&first), aa * bb - ab * ab);
            [(fa * bb - fb * ab) / whole, (fb * aa - fa * ab) / whole, 0.0]
        }
        _ => {
            let (a, b, c) = (edge(0), edge(1), edge(2));
            let whole = a.dot(&b.cross(&c));
            [b.cross(&c), c.cross(&a), a.cross(&b)].map(|across| -first.dot(&across) / whole)
        }
    };
    let rest = 1.0 - shares.iter().sum::<f64>();
    let sound = rest >= -1e-12 && shares.iter().all(|share| share.is_finite() && *share >= -1e-12);
    let [a, b, c] = shares;
    sound.then_some([rest, a, b, c])
}

/// A triangle of the polytope with its outer unit normal and its distance from the origin.
struct Face {
    corners: [usize; 3],
    normal: Vector3<f64>,
    distance: f64,
}

/// The triangle of three vertices of a polytope that contains `inner`; `None` if it has no area. The outer side
/// is decided by `inner`, because the origin may be on the plane.
fn face(vertices: &[Vertex], corners: [usize; 3], inner: &Vector3<f64>) -> Option<Face> {
    let [a, b, c] = corners.map(|corner| vertices[corner].at);
    let normal = (b - a).cross(&(c - a)).try_normalize(1e-18)?;
    let (corners, normal) = match normal.dot(&(a - inner)) < 0.0 {
        true => ([corners[0], corners[2], corners[1]], -normal),
        false => (corners, normal),
    };
    Some(Face { corners, normal, distance: normal.dot(&a) })
}

/// Penetration depth of two intersecting shapes: finds the nearest face of their difference by adding its
/// support points. The depth is at least the distance of the polytope's nearest face, and at most the support
/// distance in any direction. If both do not converge in time, as for round shapes, the least support distance
/// found is the answer.
fn inside(cores: &[Core<'_>; 2], simplex: &[Vertex]) -> Gap {
    let touching = |simplex: &[Vertex]| {
        let points = simplex[0].points;
        let way = cores[1].placed.translation.vector - cores[0].placed.translation.vector;
        let direction = way.try_normalize(1e-9).unwrap_or_else(Vector3::x);
        Gap { points, direction, distance: 0.0 }
    };
    let Some(mut vertices) = tetrahedron(cores, simplex) else { return touching(simplex) };
    let triangles = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    let inner = vertices.iter().map(|vertex| vertex.at).sum::<Vector3<f64>>() / 4.0;
    let triangles = triangles.into_iter();
    let mut faces: Vec<Face> = triangles.filter_map(|corners| face(&vertices, corners, &inner)).collect();
    let mut least: Option<Gap> = None;
    for step in 0..=STEPS {
        let Some(nearest) = faces.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)) else { break };
        let next = vertex(cores, &nearest.normal);
        let reach = next.at.dot(&nearest.normal);
        if reach - nearest.distance < EXACT {
            return of_face(&vertices, nearest);
        }
        if least.is_none_or(|least| reach < -least.distance) {
            least = Some(Gap { points: next.points, direction: -nearest.normal, distance: -reach });
        }
        if step == STEPS || least.is_some_and(|least| -least.distance - nearest.distance < EXACT) {
            break;
        }
        vertices.push(next);
        let new = vertices.len() - 1;
        // Faces that the new point can see are removed; their rim is connected to it.
        let mut rim: Vec<[usize; 2]> = Vec::new();
        faces.retain(|face| {
            let seen = face.normal.dot(&next.at) - face.distance > 1e-12;
            if seen {
                let [a, b, c] = face.corners;
                for edge in [[a, b], [b, c], [c, a]] {
                    match rim.iter().position(|known| *known == [edge[1], edge[0]]) {
                        Some(shared) => {
                            rim.swap_remove(shared);
                        }
                        None => rim.push(edge),
                    }
                }
            }
            !seen
        });
        let added: Vec<Face> =
            rim.iter().filter_map(|[a, b]| face(&vertices, [*a, *b, new], &inner)).collect();
        faces.extend(added);
    }
    least.unwrap_or_else(|| touching(&vertices))
}

fn of_face(vertices: &[Vertex], face: &Face) -> Gap {
    let at = face.normal * face.distance;
    let shifted: Vec<Vertex> = face
        .corners
        .iter()
        .map(|corner| Vertex { at: vertices[*corner].at - at, points: vertices[*corner].points })
        .collect();
    let shares = foot(&shifted).unwrap_or([1.0 / 3.0; 4]);
    // The second shape moves back along the normal.
    Gap { points: mean_points(&shifted, &shares), direction: -face.normal, distance: -face.distance }
}

/// Four points of the difference around the origin or near it; `None` if the difference is flat.
fn tetrahedron(cores: &[Core<'_>; 2], simplex: &[Vertex]) -> Option<Vec<Vertex>> {
    let axes = [0, 1, 2].map(|axis| Vector3::ith(axis, 1.0));
    let mut simplex = simplex.to_vec();
    while simplex.len() < 4 {
        let first = simplex[0].at;
        let edges: Vec<Vector3<f64>> = simplex[1..].iter().map(|vertex| vertex.at - first).collect();
        let ways: Vec<Vector3<f64>> = match edges.len() {
            0 => axes.to_vec(),
            1 => axes.iter().map(|axis| edges[0].cross(axis)).collect(),
            _ => vec![edges[0].cross(&edges[1])],
        };
        let apart = |vertex: &Vertex| -> f64 {
            let way = vertex.at - first;
            match edges.len() {
                0 => way.norm(),
                1 => edges[0].cross(&way).norm() / edges[0].norm(),
                _ => edges[0].cross(&edges[1]).normalize().dot(&way).abs(),
            }
        };
        let found = ways.iter().filter(|way| way.norm() > 1e-12).flat_map(|way| [*way, -way]);
        let found = found.map(|way| vertex(cores, &way)).max_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        if apart(&found) < 1e-9 {
            return None;
        }
        simplex.push(found);
    }
    Some(simplex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::UnitQuaternion;

    fn core(form: &Form, at: [f64; 3], turn: [f64; 3]) -> Core<'_> {
        let turn = UnitQuaternion::new(Vector3::from(turn));
        Core { placed: Isometry3::from_parts(Vector3::from(at).into(), turn), form }
    }

    #[track_caller]
    fn check(a: Core<'_>, b: Core<'_>, distance: f64) {
        for cores in [[a, b], [b, a]] {
            let gap = gap(&cores);
            assert!((gap.distance - distance).abs() < 1e-5, "{} instead of {distance}", gap.distance);
            let along = (gap.points[1] - gap.points[0]).dot(&gap.direction);
            assert!((along - distance).abs() < 1e-4, "{gap:?}");
        }
    }

    /// The hull of points on an ellipsoid.
    fn hull(count: usize) -> Form {
        let golden = std::f64::consts::PI * (3.0 - 5.0f64.sqrt());
        let point = |index: usize| {
            let (z, angle) = (1.0 - (2.0 * index as f64 + 1.0) / count as f64, golden * index as f64);
            let across = (1.0 - z * z).sqrt();
            Vector3::new(0.06 * across * angle.cos(), 0.08 * across * angle.sin(), 0.12 * z)
        };
        let points: Vec<_> = (0..count).map(point).collect();
        Form::Hull(Arc::new(Hull::of(&points).expect("a solid")))
    }

    #[test]
    fn a_hull_of_the_corners_of_a_box_is_the_box() {
        let h = Vector3::new(0.1, 0.2, 0.3);
        let sides = [-1.0, 1.0];
        let corners = sides.map(|x| sides.map(|y| sides.map(|z| Vector3::new(x, y, z).component_mul(&h))));
        let of_corners = Form::Hull(Arc::new(Hull::of(&corners.concat().concat()).expect("a solid")));
        let whole = Form::Box(h);
        for (at, turn, form) in [
            ([0.4, 0.1, 0.0], [0.3, -0.5, 0.1], Form::Segment(0.2)),
            ([0.25, 0.1, 0.1], [0.7, 0.2, 0.9], Form::Cylinder { radius: 0.1, half_length: 0.2 }),
            ([0.1, 0.3, 0.2], [0.0, 0.4, 0.2], whole.clone()),
            ([0.2, 0.1, 0.5], [1.0, 0.4, 0.2], of_corners.clone()),
        ] {
            let distance = |own: &Form| gap(&[core(own, [0.0; 3], [0.0; 3]), core(&form, at, turn)]).distance;
            assert!((distance(&of_corners) - distance(&whole)).abs() < 1e-6, "{form:?}");
        }
    }

    #[test]
    fn boxes_on_and_in_each_other() {
        let cube = Form::Box(Vector3::new(0.1, 0.2, 0.3));
        check(core(&cube, [0.0; 3], [0.0; 3]), core(&cube, [0.25, 0.1, 0.0], [0.0; 3]), 0.05);
        check(core(&cube, [0.0; 3], [0.0; 3]), core(&cube, [0.17, 0.05, 0.1], [0.0; 3]), -0.03);
        // A corner above a face.
        let turned = [0.0, std::f64::consts::FRAC_PI_4, 0.0];
        let flat = Form::Box(Vector3::new(0.1, 0.1, 0.1));
        let high = 0.3 + 0.1 * 2.0f64.sqrt();
        check(core(&flat, [0.0; 3], [0.0; 3]), core(&flat, [0.0, 0.0, high], turned), 0.2);
    }

    #[test]
    fn round_shapes() {
        let ball = Form::Ellipsoid(Vector3::new(0.2, 0.2, 0.2));
        check(
            core(&ball, [0.0; 3], [0.3, 0.0, 0.1]),
            core(&ball, [0.3, 0.3, 0.0], [0.0; 3]),
            0.18f64.sqrt() - 0.4,
        );
        check(
            core(&ball, [0.0; 3], [0.3, 0.0, 0.1]),
            core(&ball, [0.6, 0.3, 0.0], [0.0; 3]),
            0.45f64.sqrt() - 0.4,
        );
        let cylinder = Form::Cylinder { radius: 0.1, half_length: 0.3 };
        check(
            core(&cylinder, [0.0; 3], [0.0; 3]),
            core(&Form::Segment(0.0), [0.25, 0.0, 0.1], [0.0; 3]),
            0.15,
        );
        check(
            core(&cylinder, [0.0; 3], [0.0; 3]),
            core(&Form::Segment(0.0), [0.07, 0.0, 0.1], [0.0; 3]),
            -0.03,
        );
        check(core(&cylinder, [0.0; 3], [0.0; 3]), core(&ball, [0.0, 0.0, 0.45], [0.0; 3]), -0.05);
    }

    #[test]
    fn shapes_at_one_place() {
        let cube = Form::Box(Vector3::new(0.1, 0.1, 0.1));
        check(core(&cube, [0.0; 3], [0.0; 3]), core(&cube, [0.0; 3], [0.0; 3]), -0.2);
        check(
            core(&Form::Segment(0.2), [0.0; 3], [0.0; 3]),
            core(&Form::Segment(0.0), [0.0; 3], [0.0; 3]),
            0.0,
        );
    }

    /// The least support distance of the difference of two intersecting shapes over directions: sampled on the
    /// sphere, then refined around the best ones.
    fn depth(cores: &[Core<'_>; 2]) -> f64 {
        let reach = |along: &Vector3<f64>| vertex(cores, along).at.dot(along);
        let golden = std::f64::consts::PI * (3.0 - 5.0f64.sqrt());
        let mut found: Vec<(f64, Vector3<f64>)> = (0..2000)
            .map(|index| {
                let (z, angle) = (1.0 - (2.0 * f64::from(index) + 1.0) / 2000.0, golden * f64::from(index));
                let across = (1.0 - z * z).sqrt();
                let along = Vector3::new(across * angle.cos(), across * angle.sin(), z);
                (reach(&along), along)
            })
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let refined = found[..8].iter().map(|(start, along)| {
            let (mut least, mut along, mut size) = (*start, *along, 0.05);
            while size > 1e-7 {
                let side = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
                let other = along.cross(&side);
                let around = (0..8).map(|turn| {
                    let angle = f64::from(turn) * std::f64::consts::FRAC_PI_4;
                    (along + (side * angle.cos() + other * angle.sin()) * size).normalize()
                });
                match around.map(|along| (reach(&along), along)).min_by(|a, b| a.0.total_cmp(&b.0)) {
                    Some((reach, way)) if reach < least => (least, along) = (reach, way),
                    _ => size *= 0.5,
                }
            }
            least
        });
        refined.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn shapes_in_each_other_are_as_deep_as_no_direction_is_less() {
        let forms = [
            Form::Cylinder { radius: 0.06, half_length: 0.12 },
            Form::Cylinder { radius: 0.1, half_length: 0.02 },
            Form::Ellipsoid(Vector3::new(0.05, 0.07, 0.16)),
            Form::Box(Vector3::new(0.08, 0.03, 0.1)),
            hull(90),
            Form::Segment(0.1),
        ];
        let mut worst: f64 = 0.0;
        for number in 0..180u32 {
            let share = |step: f64| (f64::from(number + 1) * step).fract() * 2.0 - 1.0;
            let forms = [&forms[number as usize % 6], &forms[number as usize / 6 % 5]];
            let at = [0.618_034, 0.414_214, 0.732_051].map(|step| share(step) * 0.05);
            let turn = [0.236_068, 0.645_751, 0.316_625].map(|step| share(step) * 3.0);
            // Half of the shapes are aligned.
            let turn = if number % 2 == 0 { turn } else { [0.0; 3] };
            let at = if number % 4 == 1 { [0.0, at[1], 0.0] } else { at };
            let cores = [core(forms[0], [0.0; 3], [0.0; 3]), core(forms[1], at, turn)];
            let (gap, depth) = (gap(&cores), depth(&cores));
            if gap.distance < 0.0 {
                worst = worst.max((gap.distance + depth).abs());
                let along = (gap.points[1] - gap.points[0]).dot(&gap.direction);
                assert!((along - gap.distance).abs() < 1e-4, "{number}: {gap:?}");
            } else {
                assert!(depth < 1e-4, "{number}: {gap:?}, {depth} deep");
            }
        }
        assert!(worst < 2e-4, "{worst}");
    }
}
