//! Fingers by the proportions of a hand.

use mocap_model::{Role, Vector3};
use nalgebra::{Matrix3, SymmetricEigen};

use super::landmark::Landmark;

/// Fingers: their base, along the hand and towards the thumb, and the lengths of two bones, as shares of the length of
/// the hand.
const FINGERS: [(&str, [f64; 2], [f64; 2]); 5] = [
    ("Thumb", [0.16, 0.16], [0.24, 0.19]),
    ("Index", [0.49, 0.16], [0.23, 0.14]),
    ("Middle", [0.5, 0.04], [0.24, 0.15]),
    ("Ring", [0.48, -0.08], [0.22, 0.14]),
    ("Little", [0.43, -0.18], [0.18, 0.11]),
];
/// The direction of the thumb: along the hand and to its side.
const THUMB: [f64; 2] = [0.6, 0.8];

/// The joints of the fingers of a hand; `places` fill its volume beyond the wrist.
pub(super) fn by_proportions(
    side: &str,
    wrist: &Vector3<f64>,
    places: &[Vector3<f64>],
) -> Vec<(Role, Landmark)> {
    let count = places.len() as f64;
    if places.len() < 8 {
        return Vec::new();
    }
    let middle = places.iter().sum::<Vector3<f64>>() / count;
    let Some(along) = (middle - wrist).try_normalize(1e-9) else { return Vec::new() };
    let length = places.iter().map(|place| (place - wrist).dot(&along)).fold(0.0, f64::max);
    let covariance =
        places.iter().map(|place| (place - middle) * (place - middle).transpose()).sum::<Matrix3<f64>>();
    let flat = Matrix3::identity() - along * along.transpose();
    let axes = SymmetricEigen::new(flat * covariance * flat);
    let across = axes.eigenvectors.column(axes.eigenvalues.imax()).into_owned();
    // In modelling poses, the thumb points forward or up.
    let ahead = Vector3::new(0.0, 0.5, 1.0);
    let across = if across.dot(&ahead) < 0.0 { -across } else { across };
    let mut found = Vec::new();
    for (finger, [start, aside], bones) in FINGERS {
        let direction = match finger {
            "Thumb" => along * THUMB[0] + across * THUMB[1],
            _ => along,
        };
        let mut place = wrist + (along * start + across * aside) * length;
        for number in 1..=3 {
            if let Ok(role) = format!("{side}{finger}{number}").parse::<Role>() {
                let reason = "by the proportions of a hand".to_owned();
                found.push((role, Landmark { place, confidence: 0.4, reason }));
            }
            place += direction * (bones.get(number - 1).copied().unwrap_or(0.0) * length);
        }
    }
    found
}
