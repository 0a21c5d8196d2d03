//! The largest weights of each place.

use mocap_model::JointId;
use nalgebra::DMatrix;

use super::PlaceWeights;

/// Weights below this move nothing that is seen.
const LEAST: f64 = 1e-2;
/// Weights that differ by less are the same: both stay, or none does.
const SAME: f64 = 1e-7;

/// At most `influences` weights of each place, which sum to 1.
pub(crate) fn limited(weights: &DMatrix<f64>, joints: &[JointId], influences: usize) -> PlaceWeights {
    let influences = influences.max(1);
    let mut found = PlaceWeights { starts: vec![0], ..PlaceWeights::default() };
    for place in 0..weights.nrows() {
        let sum: f64 = (0..joints.len()).map(|at| weights[(place, at)].max(0.0)).sum();
        let mut all: Vec<(JointId, f64)> = (0..joints.len())
            .map(|at| (joints[at], weights[(place, at)].max(0.0) / sum))
            .filter(|(_, weight)| *weight >= LEAST)
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if all.len() > influences {
            // Of a group of equal weights, such as those of both sides on the middle line, all are dropped or none.
            let cut = all[influences].1;
            let kept = all.iter().take_while(|(_, weight)| *weight > cut + SAME).count().min(influences);
            all.truncate(if kept == 0 { influences } else { kept });
        }
        let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
        found.all.extend(all.into_iter().map(|(joint, weight)| (joint, weight / sum)));
        found.starts.push(found.all.len() as u32);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_stay_or_go_together() {
        let joints: Vec<JointId> = (0..4).map(JointId).collect();
        let weights = DMatrix::from_row_slice(2, 4, &[0.5, 0.2, 0.2, 0.1, 0.4, 0.3, 0.2, 0.1]);
        let two = limited(&weights, &joints, 2);
        assert_eq!(two.of(0), [(JointId(0), 1.0)]);
        let second = two.of(1);
        assert_eq!((second[0].0, second[1].0), (JointId(0), JointId(1)));
        assert!((second[0].1 - 4.0 / 7.0).abs() < 1e-12);
        let all = limited(&weights, &joints, 8);
        assert_eq!((all.of(0).len(), all.of(1).len()), (4, 4));
    }
}
