//! Limits the number of weights per place.

use mocap_model::JointId;
use nalgebra::DMatrix;

use super::PlaceWeights;
use crate::BoneSegment;

/// Weights below this are dropped, because their effect is invisible.
const LEAST: f64 = 1e-2;
/// Weights that differ by less are equal: all of them are kept or dropped.
const SAME: f64 = 1e-7;

/// Reduction of a joint's weight by weights of joints whose bones do not meet its own. Smooth weights decay over many
/// bones: without this, arms would pull at the waist.
const DISTANT: f64 = 0.08;

/// By pairs of joints, row after row: whether their bones meet, or are the same.
pub(crate) fn meetings(segments: &[BoneSegment], joints: &[JointId], size: f64) -> Vec<bool> {
    let count = joints.len();
    let mut meet = vec![false; count * count];
    let same = |a: &mocap_model::Vector3<f64>, b: &mocap_model::Vector3<f64>| (a - b).norm() <= 1e-6 * size;
    for a in segments {
        for b in segments {
            let [Ok(i), Ok(j)] = [a, b].map(|one| joints.binary_search(&one.joint)) else { continue };
            // Bones that only share their start, such as those of fingers at a wrist, are separate limbs and do not
            // count as meeting.
            if i == j || same(&a.to, &b.from) {
                meet[i * count + j] = true;
                meet[j * count + i] = true;
            }
        }
    }
    meet
}

/// Reduces each weight of a place by [`DISTANT`] times the weights of bones that do not meet its own; `all` are columns
/// and weights with a sum of 1.
fn without_distant(all: &mut [(usize, f64)], meet: &[bool], count: usize) {
    let lost: Vec<f64> = all
        .iter()
        .map(|(joint, _)| {
            let distant = all.iter().filter(|(other, _)| !meet[joint * count + other]);
            DISTANT * distant.map(|(_, weight)| weight).sum::<f64>()
        })
        .collect();
    all.iter_mut().zip(lost).for_each(|((_, weight), lost)| *weight = (*weight - lost).max(0.0));
}

/// At most `influences` weights per place, normalised to a sum of 1. `meet` is the result of [`meetings`].
pub(crate) fn limited(
    weights: &DMatrix<f64>,
    joints: &[JointId],
    meet: &[bool],
    influences: usize,
) -> PlaceWeights {
    let influences = influences.max(1);
    let mut found = PlaceWeights { starts: vec![0], ..PlaceWeights::default() };
    for place in 0..weights.nrows() {
        let sum: f64 = (0..joints.len()).map(|at| weights[(place, at)].max(0.0)).sum();
        let mut shares: Vec<(usize, f64)> = (0..joints.len())
            .map(|at| (at, weights[(place, at)].max(0.0) / sum))
            .filter(|(_, weight)| *weight > 0.1 * LEAST)
            .collect();
        without_distant(&mut shares, meet, joints.len());
        let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
        let mut all: Vec<(JointId, f64)> = shares
            .into_iter()
            .map(|(at, weight)| (joints[at], weight / sum))
            .filter(|(_, weight)| *weight >= LEAST)
            .collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if all.len() > influences {
            // Equal weights, such as those of both sides on the middle line, are dropped together.
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
        let two = limited(&weights, &joints, &[true; 16], 2);
        assert_eq!(two.of(0), [(JointId(0), 1.0)]);
        let second = two.of(1);
        assert_eq!((second[0].0, second[1].0), (JointId(0), JointId(1)));
        assert!((second[0].1 - 4.0 / 7.0).abs() < 1e-12);
        let all = limited(&weights, &joints, &[true; 16], 8);
        assert_eq!((all.of(0).len(), all.of(1).len()), (4, 4));
    }

    #[test]
    fn a_bone_that_does_not_meet_the_others_loses_what_spread_to_it() {
        let v = |x: f64| mocap_model::Vector3::new(x, 0.0, 0.0);
        let bone = |joint: u32| {
            let from = f64::from(joint);
            BoneSegment { joint: JointId(joint), from: v(from), to: v(from + 1.0), is_leaf: false }
        };
        let chain: Vec<BoneSegment> = (0..4).map(bone).collect();
        let joints: Vec<JointId> = (0..4).map(JointId).collect();
        let meet = meetings(&chain, &joints, 4.0);
        let weights = DMatrix::from_row_slice(2, 4, &[0.66, 0.31, 0.03, 0.0, 0.1, 0.4, 0.4, 0.1]);
        let found = limited(&weights, &joints, &meet, 4);
        assert_eq!(found.of(0).len(), 2, "{:?}", found.of(0));
        assert_eq!(found.of(1).len(), 4, "what is large stays: {:?}", found.of(1));
        for place in 0..2 {
            let sum: f64 = found.of(place).iter().map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }
}
