//! The degrees of freedom of a joint and the ranges they may move in.

use crate::{Axis, EulerOrder, SignedAxis};
use nalgebra::UnitQuaternion;

/// A closed range of an angle \[rad\]; an open side is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The smallest angle allowed.
    pub min: f64,
    /// The greatest angle allowed.
    pub max: f64,
}

/// How a joint may move.
///
/// ```
/// use mocap_model::{Dofs, EulerOrder, Limit};
///
/// let mut knee = Dofs { rotation: [true, false, false], ..Dofs::ball(EulerOrder::ZXY) };
/// knee.limits[0] = Some(Limit { min: 0.0, max: 2.6 });
/// assert!(knee.has_limits());
/// ```
///
/// Its local rotation is `rest · F · M · F⁻¹`, where `F` is [`Dofs::frame`] and `M` the Euler rotation of its
/// angles in [`Dofs::order`]. BVH joints have `F = 1`; Acclaim bones have their `axis` there.
#[derive(Clone, Debug, PartialEq)]
pub struct Dofs {
    /// The sequence in which the angles turn.
    pub order: EulerOrder,
    /// The axes about which the angles turn, seen from the joint at rest.
    pub frame: UnitQuaternion<f64>,
    /// Whether the joint turns about X, Y, Z.
    pub rotation: [bool; 3],
    /// Whether the joint moves along X, Y, Z.
    pub translation: [bool; 3],
    /// Ranges of the angles about X, Y, Z; `None`: no limit.
    pub limits: [Option<Limit>; 3],
}

impl Dofs {
    /// Turns freely in `order`, does not move along any axis.
    pub fn ball(order: EulerOrder) -> Dofs {
        Dofs { rotation: [true; 3], ..Dofs::locked(order) }
    }

    /// Turns and moves freely.
    pub fn free(order: EulerOrder) -> Dofs {
        Dofs { rotation: [true; 3], translation: [true; 3], ..Dofs::locked(order) }
    }

    /// Neither turns nor moves.
    pub fn locked(order: EulerOrder) -> Dofs {
        Dofs {
            order,
            frame: UnitQuaternion::identity(),
            rotation: [false; 3],
            translation: [false; 3],
            limits: [None; 3],
        }
    }

    /// Whether any angle has a limit.
    pub fn has_limits(&self) -> bool {
        self.limits.iter().any(Option::is_some)
    }

    /// The same degrees of freedom after a change of axes: `image[i]` is where axis `i` goes.
    pub(crate) fn with_axes(&self, basis: &UnitQuaternion<f64>, image: [SignedAxis; 3]) -> Dofs {
        let mut changed = self.clone();
        changed.frame = basis * self.frame * basis.inverse();
        let axes = self.order.axes().map(|axis| image[axis.index()].axis);
        changed.order = EulerOrder::new(axes).expect("a renaming of axes keeps neighbours apart");
        for axis in Axis::ALL {
            let (old, new) = (axis.index(), image[axis.index()].axis.index());
            changed.rotation[new] = self.rotation[old];
            changed.translation[new] = self.translation[old];
            changed.limits[new] = self.limits[old].map(|limit| match image[old].negative {
                true => Limit { min: -limit.max, max: -limit.min },
                false => limit,
            });
        }
        changed
    }
}
