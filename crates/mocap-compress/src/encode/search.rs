//! Chooses a lattice point: the cheapest near the target that keeps the error within its bound.

use crate::lattice::{Kind, Residual};
use nalgebra::Vector3;

/// Weight of a point's distance from the target relative to its bits. A decoded value near its target gives
/// better predictions for later frames, and leaves more tolerance to its child bodies.
pub(crate) const NEARNESS: f64 = 4.0;

/// Numbers above this are not stored.
pub(crate) const LARGEST: f64 = (1u32 << 26) as f64;

/// Zero is not tried if the squared target [steps²] is above this: most would exceed the bound.
const ZERO_BELOW: f64 = 0.7;

/// The point nearest to `target` (in steps of the lattice); zero if it is near enough. `None` if it is too
/// large to be stored.
pub(crate) fn nearest(kind: Kind, target: Vector3<f64>) -> Option<Residual> {
    if !target.iter().all(|value| value.abs() < LARGEST) {
        return None;
    }
    let of_parity = |parity: f64| target.map(|value| ((value - parity) * 0.5).round() * 2.0 + parity);
    let point = match kind {
        _ if target.norm_squared() < ZERO_BELOW => Vector3::zeros(),
        Kind::Cubic => target.map(f64::round),
        Kind::BodyCentred => {
            let [even, odd] = [0.0, 1.0].map(of_parity);
            if (even - target).norm_squared() <= (odd - target).norm_squared() { even } else { odd }
        }
    };
    Some(Residual { k: [point.x as i32, point.y as i32, point.z as i32], refine: 0 })
}

/// The cheapest point near `target` (in steps of the lattice) for which `holds` is true.
///
/// `expected` are the magnitudes to which the coder is tuned. `None` if there is no such point even with the
/// steps halved `finest` times.
pub(crate) fn choose(
    kind: Kind,
    target: Vector3<f64>,
    expected: [f32; 3],
    nearness: f64,
    finest: u8,
    mut holds: impl FnMut(Residual) -> bool,
) -> Option<Residual> {
    let centred = kind == Kind::BodyCentred;
    // Points of either parity lie two steps apart.
    let spacing = if centred { 2.0 } else { 1.0 };
    let slope = expected.map(|expected| {
        let expected = f64::from(expected);
        ((1.0 + expected) / (expected + 0.02)).log2()
    });
    let mut points = [(0.0, [0i32; 3]); 16];
    for refine in 0..=finest {
        let scale = f64::from(1u32 << refine);
        let target = target * scale;
        if !target.iter().all(|value| value.abs() < LARGEST) {
            return None;
        }
        let mut count = 0;
        for parity in 0..if centred { 2 } else { 1 } {
            let parity = f64::from(parity);
            let low = target.map(|value| ((value - parity) / spacing).floor() * spacing + parity);
            for corner in 0..8 {
                let (mut bits, mut square) = (0.0, 0.0);
                let mut k = [0; 3];
                for axis in 0..3 {
                    let value = low[axis] + if corner >> axis & 1 == 1 { spacing } else { 0.0 };
                    k[axis] = value as i32;
                    bits += value.abs() * slope[axis] / scale + if value == 0.0 { 0.0 } else { 1.0 };
                    let distance = (value - target[axis]) / spacing;
                    square += distance * distance;
                }
                // Far corners of a body-centred cell have a nearer point beside them.
                if !centred || square < 0.55 {
                    points[count] = (bits + nearness * square, k);
                    count += 1;
                }
            }
        }
        let points = &mut points[..count];
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, k) in points.iter() {
            let residual = Residual { k: *k, refine };
            if holds(residual) {
                return Some(residual);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::FINEST;

    #[test]
    fn a_point_that_holds_is_found_however_small_its_region() {
        let target = Vector3::new(3.3, -0.4, 120.7);
        for kind in [Kind::Cubic, Kind::BodyCentred] {
            for radius in [2.0, 0.5, 0.1, 0.005] {
                let distance = |residual: Residual| {
                    let scale = 1.0 / f64::from(1u32 << residual.refine);
                    (Vector3::from(residual.k.map(f64::from)) * scale - target).norm()
                };
                let found =
                    choose(kind, target, [1.0; 3], NEARNESS, FINEST, |point| distance(point) < radius);
                assert!(found.is_some_and(|point| distance(point) < radius), "{kind:?} {radius}");
            }
        }
        assert_eq!(choose(Kind::Cubic, target, [1.0; 3], NEARNESS, FINEST, |_| false), None);
        assert_eq!(choose(Kind::Cubic, target * f64::NAN, [1.0; 3], NEARNESS, FINEST, |_| true), None);
    }

    #[test]
    fn the_nearest_point_is_on_the_lattice() {
        let near = |kind, target: [f64; 3]| nearest(kind, target.into()).map(|residual| residual.k);
        assert_eq!(near(Kind::Cubic, [3.3, -0.6, 120.7]), Some([3, -1, 121]));
        assert_eq!(near(Kind::BodyCentred, [3.3, -0.6, 120.7]), Some([3, -1, 121]));
        assert_eq!(near(Kind::BodyCentred, [3.9, -0.6, 122.4]), Some([4, 0, 122]));
        assert_eq!(near(Kind::Cubic, [0.6, 0.4, 0.2]), Some([0; 3]));
        assert_eq!(near(Kind::Cubic, [f64::NAN, 0.0, 0.0]), None);
    }

    #[test]
    fn nothing_is_cheapest() {
        let found = choose(Kind::Cubic, Vector3::new(0.3, -0.4, 0.2), [0.1; 3], NEARNESS, FINEST, |_| true);
        assert_eq!(found, Some(Residual::default()));
    }
}
