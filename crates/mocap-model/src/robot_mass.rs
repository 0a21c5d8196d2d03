//! Volume and inertia of primitives, for bodies whose file states shapes but no mass.

use nalgebra::Matrix3;
use std::f64::consts::PI;

use crate::{Primitive, Vector3};

impl Primitive {
    /// Its volume \[m³\].
    pub fn volume(&self) -> f64 {
        match *self {
            Primitive::Sphere { radius } => 4.0 / 3.0 * PI * radius.powi(3),
            Primitive::Capsule { radius, half_length } => {
                PI * radius * radius * (2.0 * half_length + 4.0 / 3.0 * radius)
            }
            Primitive::Cylinder { radius, half_length } => 2.0 * PI * radius * radius * half_length,
            Primitive::Box { half_sizes: h } => 8.0 * h.x * h.y * h.z,
            Primitive::Ellipsoid { radii: r } => 4.0 / 3.0 * PI * r.x * r.y * r.z,
            Primitive::Hull(ref hull) => hull.volume(),
        }
    }

    /// The inertia \[kg m²\] of a homogeneous solid of this shape about its centre, along its axes.
    pub fn inertia(&self, mass: f64) -> Matrix3<f64> {
        let of_squares = |squares: Vector3<f64>| {
            let [x, y, z] = squares.into();
            Matrix3::from_diagonal(&Vector3::new(y + z, x + z, x + y)) * mass
        };
        match *self {
            Primitive::Sphere { radius } => of_squares(Vector3::repeat(radius * radius / 5.0)),
            Primitive::Ellipsoid { radii } => of_squares(radii.component_mul(&radii) / 5.0),
            Primitive::Box { half_sizes } => of_squares(half_sizes.component_mul(&half_sizes) / 3.0),
            Primitive::Cylinder { radius, half_length } => {
                let across = radius * radius / 4.0;
                of_squares(Vector3::new(across, across, half_length * half_length / 3.0))
            }
            Primitive::Capsule { radius: r, half_length: h } => {
                // The cylinder between, and a half ball at either end.
                let whole = 4.0 * r + 6.0 * h;
                let balls = if whole > 0.0 { 4.0 * r / whole } else { 1.0 };
                let between = Primitive::Cylinder { radius: r, half_length: h }.inertia(mass * (1.0 - balls));
                let across = 0.4 * r * r + h * h + 0.75 * h * r;
                let ends = Matrix3::from_diagonal(&Vector3::new(across, across, 0.4 * r * r));
                between + ends * (mass * balls)
            }
            Primitive::Hull(ref hull) => {
                let centre = hull.centre();
                let moments = hull.second_moments() - centre * centre.transpose();
                (Matrix3::identity() * moments.trace() - moments) * mass
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume and second moments by counting cells of a grid.
    fn counted(inside: impl Fn(Vector3<f64>) -> bool, reach: f64) -> (f64, Vector3<f64>) {
        const CELLS: i32 = 120;
        let cell = 2.0 * reach / f64::from(CELLS);
        let at = |index: i32| (f64::from(index) + 0.5) * cell - reach;
        let (mut count, mut squares) = (0.0, Vector3::zeros());
        for (x, y, z) in
            (0..CELLS).flat_map(|x| (0..CELLS).flat_map(move |y| (0..CELLS).map(move |z| (x, y, z))))
        {
            let p = Vector3::new(at(x), at(y), at(z));
            if inside(p) {
                count += 1.0;
                squares += p.component_mul(&p);
            }
        }
        (count * cell.powi(3), squares / count)
    }

    #[test]
    fn a_capsule_without_size_is_a_point() {
        let point = Primitive::Capsule { radius: 0.0, half_length: 0.0 };
        assert_eq!((point.volume(), point.inertia(2.0)), (0.0, Matrix3::zeros()));
    }

    #[test]
    fn masses_are_those_of_the_solids() {
        let (r, h) = (0.3, 0.5);
        let sizes = Vector3::new(0.3, 0.2, 0.6);
        let on_axis = move |p: Vector3<f64>| Vector3::new(p.x, p.y, p.z - p.z.clamp(-h, h));
        type Inside = Box<dyn Fn(Vector3<f64>) -> bool>;
        let cases: [(Primitive, Inside); 4] = [
            (Primitive::Capsule { radius: r, half_length: h }, Box::new(move |p| on_axis(p).norm() < r)),
            (
                Primitive::Cylinder { radius: r, half_length: h },
                Box::new(move |p| p.xy().norm() < r && p.z.abs() < h),
            ),
            (Primitive::Box { half_sizes: sizes }, Box::new(move |p| (0..3).all(|i| p[i].abs() < sizes[i]))),
            (Primitive::Ellipsoid { radii: sizes }, Box::new(move |p| p.component_div(&sizes).norm() < 1.0)),
        ];
        for (primitive, inside) in cases {
            // Cells of 2 cm: sides of the solids are whole numbers of them.
            let (volume, s) = counted(inside, 1.2);
            let expected = Vector3::new(s.y + s.z, s.x + s.z, s.x + s.y) * 2.0;
            assert!((primitive.volume() - volume).abs() < 0.02 * volume, "{primitive:?}: {volume}");
            let own = primitive.inertia(2.0).diagonal();
            assert!((own - expected).norm() < 0.02 * expected.norm(), "{primitive:?}: {own} {expected}");
        }
    }
}
