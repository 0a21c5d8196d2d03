//! Euler angles in all twelve orders, and their continuous form over time.
//!
//! An order is read as BVH reads it: `[A, B, C]` with angles `a, b, c` means `R_A(a) · R_B(b) · R_C(c)`,
//! each about the axes that the previous ones have turned (intrinsic).
//!
//! Based on: E. Bernardes, S. Viollet, "Quaternion to Euler angles conversion: A direct, general and
//! computationally efficient method", PLOS ONE, 2022.

use crate::Axis;
use nalgebra::{Quaternion, UnitQuaternion};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::fmt;
use std::str::FromStr;

/// Three angles \[rad\], in the sequence of an [`EulerOrder`].
pub type Angles = [f64; 3];

/// The sequence of axes of a set of Euler angles; neighbours differ.
///
/// ```
/// use mocap_model::EulerOrder;
///
/// let order: EulerOrder = "ZXY".parse()?;
/// let rotation = order.rotation([0.1, 0.2, 0.3]);
/// assert!(order.angles(&rotation).iter().zip([0.1, 0.2, 0.3]).all(|(a, b)| (a - b).abs() < 1e-12));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EulerOrder([Axis; 3]);

/// Gimbal lock: below this sine or cosine of half the middle angle, the first and third axes coincide, and only the sum
/// or difference of their angles is defined.
const DEGENERATE: f64 = 1e-9;

impl EulerOrder {
    /// X, then Y, then Z.
    pub const XYZ: EulerOrder = EulerOrder([Axis::X, Axis::Y, Axis::Z]);
    /// Z, then Y, then X.
    pub const ZYX: EulerOrder = EulerOrder([Axis::Z, Axis::Y, Axis::X]);
    /// Z, then X, then Y: the usual order of BVH.
    pub const ZXY: EulerOrder = EulerOrder([Axis::Z, Axis::X, Axis::Y]);

    /// An order from its axes; `None` if two neighbours are the same axis.
    pub fn new(axes: [Axis; 3]) -> Option<EulerOrder> {
        (axes[0] != axes[1] && axes[1] != axes[2]).then_some(EulerOrder(axes))
    }

    /// The axes in sequence.
    pub const fn axes(self) -> [Axis; 3] {
        self.0
    }

    /// The order that starts with `axes` (no axis twice), completed by the missing ones.
    pub fn completing(axes: &[Axis]) -> Option<EulerOrder> {
        let mut all = axes.to_vec();
        all.extend(Axis::ALL.iter().filter(|axis| !axes.contains(axis)));
        <[Axis; 3]>::try_from(all).ok().and_then(EulerOrder::new)
    }

    /// Whether first and third axis are the same (a proper Euler order, such as ZXZ).
    pub fn is_proper(self) -> bool {
        self.0[0] == self.0[2]
    }

    /// The rotation of these angles.
    pub fn rotation(self, angles: Angles) -> UnitQuaternion<f64> {
        let [a, b, c] = self.0.map(Axis::unit);
        UnitQuaternion::from_axis_angle(&a, angles[0])
            * UnitQuaternion::from_axis_angle(&b, angles[1])
            * UnitQuaternion::from_axis_angle(&c, angles[2])
    }

    /// The angles of a rotation: the middle one in [-π/2, π/2] (in [0, π] for a proper order), the others in
    /// (-π, π]. If first and third angle turn about one line, the third is 0.
    pub fn angles(self, rotation: &UnitQuaternion<f64>) -> Angles {
        self.solve(rotation, None).map(wrap)
    }

    /// The angles of a rotation that lie nearest to `previous`: whole turns are added, the mirrored solution
    /// is used if it is nearer, and a degenerate rotation keeps the previous third angle.
    pub fn angles_near(self, rotation: &UnitQuaternion<f64>, previous: Angles) -> Angles {
        let first = self.solve(rotation, Some(previous));
        // The other solution differs by half a turn in two angles, so it cannot be nearer than one within 1 rad.
        if (0..3).all(|i| (first[i] - previous[i]).abs() < 1.0) {
            return first;
        }
        let middle = if self.is_proper() { -first[1] } else { PI - first[1] };
        let mirrored = [first[0] + PI, middle, first[2] + PI];
        let [first, mirrored] = [first, mirrored].map(|angles| {
            let mut near = angles;
            for i in 0..3 {
                near[i] -= TAU * ((angles[i] - previous[i]) / TAU).round();
            }
            near
        });
        let distance = |angles: &Angles| -> f64 { (0..3).map(|i| (angles[i] - previous[i]).powi(2)).sum() };
        if distance(&mirrored) < distance(&first) { mirrored } else { first }
    }

    fn solve(self, rotation: &UnitQuaternion<f64>, previous: Option<Angles>) -> Angles {
        // The formulas are those of fixed axes, whose sequence is the reverse.
        let [k, j, i] = self.0.map(Axis::index);
        let proper = i == k;
        let k = if proper { 3 - i - j } else { k };
        let even = (i + 1) % 3 == j;
        let sign = if even { 1.0 } else { -1.0 };
        let q: &Quaternion<f64> = rotation.quaternion();
        let v = [q.i, q.j, q.k];
        let [a, b, c, d] = if proper {
            [q.w, v[i], v[j], v[k] * sign]
        } else {
            [q.w - v[j], v[i] + v[k] * sign, v[j] + q.w, v[k] * sign - v[i]]
        };
        let (small_cd, small_ab) = (c.hypot(d), a.hypot(b));
        let middle = 2.0 * small_cd.atan2(small_ab);
        let mut half_sum = b.atan2(a);
        let mut half_difference = d.atan2(c);
        // `third` below is `half_sum - half_difference`: choose the undefined one to match the third angle.
        let target_third = previous.map_or(0.0, |angles| angles[2]);
        if small_cd < DEGENERATE {
            half_difference = half_sum - target_third;
        } else if small_ab < DEGENERATE {
            half_sum = half_difference + target_third;
        }
        let (first, third) = (half_sum + half_difference, half_sum - half_difference);
        if proper { [first, middle, third] } else { [first * sign, middle - FRAC_PI_2, third] }
    }
}

/// The same angle in (-π, π].
fn wrap(angle: f64) -> f64 {
    let wrapped = angle - TAU * (angle / TAU).round();
    if wrapped <= -PI { wrapped + TAU } else { wrapped }
}

impl fmt::Display for EulerOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|axis| write!(f, "{}", axis.letter()))
    }
}

impl FromStr for EulerOrder {
    type Err = String;

    /// Reads three letters in either case, such as `ZXY`.
    fn from_str(text: &str) -> Result<EulerOrder, String> {
        let axes: Option<Vec<Axis>> = text.chars().map(Axis::from_letter).collect();
        axes.and_then(|axes| <[Axis; 3]>::try_from(axes).ok())
            .and_then(EulerOrder::new)
            .ok_or_else(|| format!("'{text}' is not a rotation order: three of X, Y and Z, such as ZXY"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn orders() -> Vec<EulerOrder> {
        let axes = Axis::ALL;
        let all = axes.iter().flat_map(|a| axes.iter().flat_map(|b| axes.map(|c| [*a, *b, c])));
        all.filter_map(EulerOrder::new).collect()
    }

    #[test]
    fn there_are_twelve_orders_and_they_read_back() {
        assert_eq!(orders().len(), 12);
        for order in orders() {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        assert!("XXY".parse::<EulerOrder>().is_err());
        assert_eq!(EulerOrder::completing(&[Axis::Z, Axis::X]), Some(EulerOrder::ZXY));
    }

    #[test]
    fn channels_multiply_from_left_to_right() {
        let q = EulerOrder::ZXY.rotation([FRAC_PI_2, FRAC_PI_2, 0.0]);
        // X first turns y onto z; Z then does not move z.
        let y = q * nalgebra::Vector3::y();
        assert!((y - nalgebra::Vector3::z()).norm() < 1e-15, "{y}");
    }

    proptest! {
        #[test]
        fn angles_give_back_the_rotation(
            which in 0usize..12,
            first in -3.2f64..3.2,
            // Quarter turns hit the degenerate cases exactly.
            middle in prop_oneof![-3.2f64..3.2, (-2i8..=2).prop_map(|n| f64::from(n) * FRAC_PI_2)],
            third in -3.2f64..3.2,
            previous in prop::array::uniform3(-20.0f64..20.0),
        ) {
            let order = orders()[which];
            let rotation = order.rotation([first, middle, third]);
            for angles in [order.angles(&rotation), order.angles_near(&rotation, previous)] {
                prop_assert!(order.rotation(angles).angle_to(&rotation) < 1e-8, "{order} {angles:?}");
            }
            let near = order.angles_near(&rotation, [first, middle, third]);
            let back = [first, middle, third];
            for i in 0..3 {
                prop_assert!((near[i] - back[i]).abs() < 1e-6, "{order} {near:?} {back:?}");
            }
        }
    }
}
