//! One moment of a played node.

use mocap_model::{Isometry3, UnitQuaternion, Vector3, slerp};
use nalgebra::Translation3;

use crate::blend::average_rotation;

/// Local poses, the hips in the frame of the root, and how the root moves until the next frame.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// By joint; that of the hips stands in `hips`.
    pub(super) rotations: Vec<UnitQuaternion<f64>>,
    /// By joint, where one of the motions has a translation there.
    pub(super) translations: Vec<Option<Vector3<f64>>>,
    /// In the frame of the root.
    pub(super) hips: Isometry3<f64>,
    /// In the frame of the root \[units/s\].
    pub(super) velocity: Vector3<f64>,
    /// About the up axis \[rad/s\].
    pub(super) turn: f64,
    /// By foot: how much of it stands.
    pub(super) stands: Vec<f64>,
}

/// The weighted average; the weights sum to 1.
pub(super) fn average(moments: &[Moment], weights: &[f64], offsets: &[Vector3<f64>]) -> Moment {
    if let [only] = moments {
        return only.clone();
    }
    let mut whole = moments[0].clone();
    let mut rotations = vec![UnitQuaternion::identity(); moments.len()];
    for joint in 0..whole.rotations.len() {
        for (rotation, moment) in rotations.iter_mut().zip(moments) {
            *rotation = moment.rotations[joint];
        }
        whole.rotations[joint] = average_rotation(&rotations, weights);
        whole.translations[joint] = moments.iter().any(|m| m.translations[joint].is_some()).then(|| {
            let value = |moment: &Moment| moment.translations[joint].unwrap_or(offsets[joint]);
            moments.iter().zip(weights).map(|(moment, weight)| value(moment) * *weight).sum()
        });
    }
    let sum = |value: &dyn Fn(&Moment) -> Vector3<f64>| -> Vector3<f64> {
        moments.iter().zip(weights).map(|(moment, weight)| value(moment) * *weight).sum()
    };
    for (rotation, moment) in rotations.iter_mut().zip(moments) {
        *rotation = moment.hips.rotation;
    }
    let place = sum(&|moment| moment.hips.translation.vector);
    whole.hips = Isometry3::from_parts(Translation3::from(place), average_rotation(&rotations, weights));
    whole.velocity = sum(&|moment| moment.velocity);
    whole.turn = moments.iter().zip(weights).map(|(moment, weight)| moment.turn * weight).sum();
    for foot in 0..whole.stands.len() {
        whole.stands[foot] =
            moments.iter().zip(weights).map(|(moment, weight)| moment.stands[foot] * weight).sum();
    }
    whole
}

/// `over` on top of `base` for the joints of a mask; the root stays that of the base.
pub(super) fn layered(mut base: Moment, over: &Moment, weight: f64, mask: &[bool], hips: usize) -> Moment {
    for joint in (0..mask.len()).filter(|joint| mask[*joint]) {
        if joint == hips {
            base.hips.rotation = slerp(&base.hips.rotation, &over.hips.rotation, weight);
            continue;
        }
        base.rotations[joint] = slerp(&base.rotations[joint], &over.rotations[joint], weight);
        if let (Some(own), Some(other)) = (&mut base.translations[joint], over.translations[joint]) {
            *own += (other - *own) * weight;
        }
    }
    base
}

/// `base` with what `add` differs from `reference`, by weight: base · (reference⁻¹ · add)^weight.
pub(super) fn added(
    mut base: Moment,
    (add, reference): (&Moment, &Moment),
    weight: f64,
    mask: &[bool],
    hips: usize,
) -> Moment {
    let part = |from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>| {
        slerp(&UnitQuaternion::identity(), &(from.inverse() * to), weight)
    };
    for joint in (0..mask.len()).filter(|joint| mask[*joint]) {
        if joint == hips {
            base.hips.rotation *= part(&reference.hips.rotation, &add.hips.rotation);
            continue;
        }
        base.rotations[joint] *= part(&reference.rotations[joint], &add.rotations[joint]);
        if let (Some(own), Some(from), Some(to)) =
            (&mut base.translations[joint], reference.translations[joint], add.translations[joint])
        {
            *own += (to - from) * weight;
        }
    }
    base
}
