//! Collision shapes of robots.

use crate::{Hull, Isometry3, Vector3};
use std::sync::Arc;

/// A collision primitive. Sizes in \[m\].
#[derive(Clone, Debug, PartialEq)]
pub enum Primitive {
    /// A ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Along Z, with round ends beyond `half_length`.
    Capsule {
        /// Radius.
        radius: f64,
        /// From the middle to the centre of either end.
        half_length: f64,
    },
    /// Along Z, with flat ends.
    Cylinder {
        /// Radius.
        radius: f64,
        /// From the middle to either end.
        half_length: f64,
    },
    /// Along the axes.
    Box {
        /// From the middle to the sides.
        half_sizes: Vector3<f64>,
    },
    /// Along the axes.
    Ellipsoid {
        /// Radii.
        radii: Vector3<f64>,
    },
    /// The convex hull of a mesh, about its centre of volume. Shapes of the same mesh share it.
    Hull(Arc<Hull>),
}

/// A collision shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotShape {
    /// As the file names it; may be empty.
    pub name: String,
    /// The body that it is fixed to.
    pub body: usize,
    /// Where it is in the frame of the body \[m\].
    pub placement: Isometry3<f64>,
    /// Its form.
    pub primitive: Primitive,
    /// Which other shapes it may collide with.
    pub mask: ContactMask,
}

/// A collision filter: two shapes may collide if the kinds of one overlap with what the other collides with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactMask {
    /// The kinds of the shape, as bits; `contype` of MuJoCo.
    pub kinds: u32,
    /// The kinds that it collides with, as bits; `conaffinity` of MuJoCo.
    pub meets: u32,
}

impl Default for ContactMask {
    fn default() -> ContactMask {
        ContactMask { kinds: 1, meets: 1 }
    }
}

impl ContactMask {
    /// Whether two shapes may collide.
    pub fn may_meet(self, other: ContactMask) -> bool {
        self.kinds & other.meets != 0 || other.kinds & self.meets != 0
    }
}

impl RobotShape {
    /// The shape as a capsule: the ends of its axis in the frame of the body \[m\], and its radius. Exact for spheres
    /// and capsules; for other shapes it has their length, and their corners stick out of it.
    pub fn capsule(&self) -> ([Vector3<f64>; 2], f64) {
        let along = |axis: usize, half: f64, radius: f64| {
            let end = |sign: f64| {
                self.placement.translation.vector + self.placement.rotation * Vector3::ith(axis, sign * half)
            };
            ([end(-1.0), end(1.0)], radius)
        };
        match self.primitive {
            Primitive::Sphere { radius } => along(2, 0.0, radius),
            Primitive::Capsule { radius, half_length } => along(2, half_length, radius),
            Primitive::Cylinder { radius, half_length } => {
                along(2, (half_length - radius * 0.5).max(0.0), radius)
            }
            Primitive::Box { half_sizes: sizes } | Primitive::Ellipsoid { radii: sizes } => {
                let longest = sizes.imax();
                let others = [(longest + 1) % 3, (longest + 2) % 3].map(|axis| sizes[axis]);
                let radius = others[0].max(others[1]);
                along(longest, (sizes[longest] - radius * 0.7).max(0.0), radius)
            }
            Primitive::Hull(ref hull) => {
                let [least, most] = hull.bounds();
                let middle = self.placement * nalgebra::Translation3::from((least + most) / 2.0);
                let primitive = Primitive::Box { half_sizes: (most - least) / 2.0 };
                RobotShape { placement: middle, primitive, ..self.clone() }.capsule()
            }
        }
    }
}

impl RobotShape {
    /// How far up its lowest point is, where its body is `placed`; `up` is a unit vector of the world.
    ///
    /// ```
    /// use mocap_model::{ContactMask, Isometry3, Primitive, RobotShape, Vector3};
    ///
    /// let ball = RobotShape {
    ///     name: "heel".into(),
    ///     body: 0,
    ///     placement: Isometry3::translation(0.0, 0.0, 0.3),
    ///     primitive: Primitive::Sphere { radius: 0.1 },
    ///     mask: ContactMask::default(),
    /// };
    /// assert!((ball.lowest(&Isometry3::translation(0.0, 0.0, 1.0), &Vector3::z()) - 1.2).abs() < 1e-12);
    /// ```
    pub fn lowest(&self, placed: &Isometry3<f64>, up: &Vector3<f64>) -> f64 {
        let placed = placed * self.placement;
        let down = placed.rotation.inverse() * -up;
        placed.translation.vector.dot(up) - self.primitive.reach(&down)
    }
}

impl Primitive {
    /// How far it reaches in a direction from its origin, both in its frame; `direction` is a unit vector.
    ///
    /// ```
    /// use mocap_model::{Primitive, Vector3};
    ///
    /// let capsule = Primitive::Capsule { radius: 0.1, half_length: 0.5 };
    /// assert!((capsule.reach(&Vector3::new(0.6, 0.0, 0.8)) - 0.5).abs() < 1e-12);
    /// ```
    pub fn reach(&self, direction: &Vector3<f64>) -> f64 {
        match self {
            Primitive::Sphere { radius } => *radius,
            Primitive::Capsule { radius, half_length } => half_length * direction.z.abs() + radius,
            Primitive::Cylinder { radius, half_length } => {
                half_length * direction.z.abs() + radius * direction.xy().norm()
            }
            Primitive::Box { half_sizes } => half_sizes.dot(&direction.abs()),
            Primitive::Ellipsoid { radii } => radii.component_mul(direction).norm(),
            Primitive::Hull(hull) => hull.furthest(direction).dot(direction),
        }
    }

    /// All its sizes.
    pub(crate) fn sizes(&self) -> [f64; 3] {
        match *self {
            Primitive::Sphere { radius } => [radius; 3],
            Primitive::Capsule { radius, half_length } | Primitive::Cylinder { radius, half_length } => {
                [radius, radius, half_length]
            }
            Primitive::Box { half_sizes: sizes } | Primitive::Ellipsoid { radii: sizes } => sizes.into(),
            Primitive::Hull(ref hull) => hull.bounds()[1].into(),
        }
    }
}
