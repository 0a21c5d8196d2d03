//! Hip joints from the markers of a pelvis.
//!
//! Based on: M. Harrington, A. Zavatsky, S. Lawson, Z. Yuan, T. Theologis, "Prediction of the hip joint centre in adults,
//! children, and patients with cerebral palsy based on magnetic resonance imaging", Journal of Biomechanics, 2007. Its
//! error is about 5 mm in each direction; motion corrects it.

use mocap_model::Vector3;

use crate::marker_set::Landmark;

/// Distance of a marker's centre from the bone: skin and the marker's radius [m].
const BEFORE_BONE: f64 = 0.012;
/// Range of widths and depths of a pelvis, from a child to a large adult [m].
const WIDTHS: [f64; 2] = [0.12, 0.42];
const DEPTHS: [f64; 2] = [0.08, 0.30];
/// σ of the places of markers and hips by the prediction [m].
pub(crate) const SIGMA: f64 = 0.006;

/// What the markers of a pelvis measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pelvis {
    /// Between the anterior superior iliac spines [m].
    width: f64,
    /// From the middle of these to that of the posterior ones, or to the sacrum [m].
    depth: f64,
}

impl Pelvis {
    /// `None` without markers on both spines in front and one behind, or where the distances are not those of a pelvis.
    pub(crate) fn of(
        landmarks: &[Landmark],
        frames: usize,
        point: impl Fn(usize, usize) -> Option<Vector3<f64>>,
    ) -> Option<Pelvis> {
        let find = |name: &str| landmarks.iter().position(|landmark| landmark.name == name);
        let front = [find("LASI")?, find("RASI")?];
        let behind = match (find("LPSI"), find("RPSI"), find("SACR")) {
            (Some(left), Some(right), _) => [left, right],
            (_, _, Some(middle)) => [middle; 2],
            _ => return None,
        };
        let step = frames.div_ceil(200).max(1);
        let (mut widths, mut depths) = (Vec::new(), Vec::new());
        for frame in (0..frames).step_by(step) {
            let point = |marker: usize| point(frame, marker);
            let (Some(left), Some(right)) = (point(front[0]), point(front[1])) else { continue };
            widths.push((left - right).norm());
            if let (Some(a), Some(b)) = (point(behind[0]), point(behind[1])) {
                depths.push(((left + right) / 2.0 - (a + b) / 2.0).norm());
            }
        }
        let middle = |values: &mut Vec<f64>, range: [f64; 2]| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().filter(|value| (range[0]..range[1]).contains(value))
        };
        Some(Pelvis { width: middle(&mut widths, WIDTHS)?, depth: middle(&mut depths, DEPTHS)? })
    }

    /// Lateral distance of a hip joint from the middle of the hips [m].
    pub(crate) fn outward(&self) -> f64 {
        0.33 * self.width + 0.0073
    }

    /// Position of a landmark relative to the middle of the hips: left, up, front [m]. The plane of the spines
    /// is level.
    pub(crate) fn place(&self, landmark: &Landmark) -> Option<Vector3<f64>> {
        let (up, front) = (0.30 * self.width + 0.0109, 0.24 * self.depth + 0.0099 + BEFORE_BONE);
        let place = match landmark.name.as_str() {
            "LASI" => Vector3::new(self.width / 2.0, up, front),
            "RASI" => Vector3::new(-self.width / 2.0, up, front),
            "LPSI" | "RPSI" => Vector3::new(landmark.at.x, up, front - self.depth),
            "SACR" => Vector3::new(0.0, up, front - self.depth),
            _ => return None,
        };
        Some(place)
    }
}
