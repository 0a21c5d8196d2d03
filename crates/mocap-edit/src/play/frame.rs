//! The output of a node in one frame.

use mocap_model::{Isometry3, JointId, Skeleton, UnitQuaternion, Vector3, exp, log, slerp};
use nalgebra::Translation3;

use crate::LayerSpace;
use crate::blend::average_rotation;

/// The local pose, the hips in the frame of the root, and the velocity of the root until the next frame.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// By joint; that of the hips is in `hips`.
    pub(super) rotations: Vec<UnitQuaternion<f64>>,
    /// By joint, where one of the motions has a translation there.
    pub(super) translations: Vec<Option<Vector3<f64>>>,
    /// In the frame of the root.
    pub(super) hips: Isometry3<f64>,
    /// In the frame of the root \[units/s\].
    pub(super) velocity: Vector3<f64>,
    /// About the up axis \[rad/s\].
    pub(super) turn: f64,
    /// By foot: the weight of its contact, from 0 to 1.
    pub(super) in_contact: Vec<f64>,
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
    for foot in 0..whole.in_contact.len() {
        whole.in_contact[foot] =
            moments.iter().zip(weights).map(|(moment, weight)| moment.in_contact[foot] * weight).sum();
    }
    whole
}

/// The tree of a skeleton, for layers.
pub(super) struct Rig {
    pub(super) hips: usize,
    /// By joint; parents come before children.
    pub(super) parents: Vec<Option<usize>>,
    /// Whether a joint is the hips or below them.
    pub(super) below: Vec<bool>,
}

impl Rig {
    pub(super) fn of(skeleton: &Skeleton, hips: JointId) -> Rig {
        let parents = skeleton.joints().iter().map(|joint| joint.parent.map(JointId::index));
        let below = (0..skeleton.len()).map(|joint| skeleton.is_in_subtree(JointId::from(joint), hips));
        Rig { hips: hips.index(), parents: parents.collect(), below: below.collect() }
    }

    /// The rotation of each joint at or below the hips relative to the root; the identity for others.
    fn mesh(&self, moment: &Moment) -> Vec<UnitQuaternion<f64>> {
        let mut mesh = vec![UnitQuaternion::identity(); self.parents.len()];
        for joint in (0..mesh.len()).filter(|joint| self.below[*joint]) {
            mesh[joint] = match self.parents[joint].filter(|_| joint != self.hips) {
                Some(parent) => mesh[parent] * moment.rotations[joint],
                None => moment.hips.rotation,
            };
        }
        mesh
    }

    /// Sets rotations relative to the root for the joints of a mask; the others keep theirs relative to their parents.
    fn set_mesh(&self, moment: &mut Moment, shares: &[f64], of: impl Fn(usize, f64) -> UnitQuaternion<f64>) {
        let mut mesh = vec![UnitQuaternion::identity(); self.parents.len()];
        for joint in (0..mesh.len()).filter(|joint| self.below[*joint]) {
            let parent = self.parents[joint].filter(|_| joint != self.hips).map(|parent| mesh[parent]);
            let own = parent.map_or(moment.hips.rotation, |parent| parent * moment.rotations[joint]);
            mesh[joint] = if shares[joint] > 0.0 { of(joint, shares[joint]) } else { own };
            match parent {
                Some(parent) if shares[joint] > 0.0 => {
                    moment.rotations[joint] = parent.inverse() * mesh[joint];
                }
                Some(_) => {}
                None => moment.hips.rotation = mesh[joint],
            }
        }
    }
}

/// Blends `over` onto `base` by the shares of the joints; the root stays that of the base.
pub(super) fn layered(
    mut base: Moment,
    over: &Moment,
    shares: &[f64],
    rig: &Rig,
    space: LayerSpace,
) -> Moment {
    for joint in (0..shares.len()).filter(|joint| shares[*joint] > 0.0) {
        if let (Some(own), Some(other)) = (&mut base.translations[joint], over.translations[joint])
            && joint != rig.hips
        {
            *own += (other - *own) * shares[joint];
        }
    }
    match space {
        LayerSpace::Local => {
            for joint in (0..shares.len()).filter(|joint| shares[*joint] > 0.0) {
                let (own, other) = match joint == rig.hips {
                    true => (&mut base.hips.rotation, &over.hips.rotation),
                    false => (&mut base.rotations[joint], &over.rotations[joint]),
                };
                *own = slerp(own, other, shares[joint]);
            }
        }
        LayerSpace::Mesh => {
            let (own, other) = (rig.mesh(&base), rig.mesh(over));
            rig.set_mesh(&mut base, shares, |joint, share| slerp(&own[joint], &other[joint], share));
        }
    }
    base
}

/// `base` plus the difference between `add` and `reference`, by the shares of the joints.
pub(super) fn added(
    mut base: Moment,
    (add, reference): (&Moment, &Moment),
    (weight, shares): (f64, &[f64]),
    rig: &Rig,
    space: LayerSpace,
) -> Moment {
    let part = |turn: UnitQuaternion<f64>, share: f64| exp(&(log(&turn) * (weight * share)));
    for joint in (0..shares.len()).filter(|joint| shares[*joint] > 0.0 && *joint != rig.hips) {
        if let (Some(own), Some(from), Some(to)) =
            (&mut base.translations[joint], reference.translations[joint], add.translations[joint])
        {
            *own += (to - from) * (weight * shares[joint]);
        }
    }
    match space {
        LayerSpace::Local => {
            for joint in (0..shares.len()).filter(|joint| shares[*joint] > 0.0) {
                let of = |moment: &Moment| match joint == rig.hips {
                    true => moment.hips.rotation,
                    false => moment.rotations[joint],
                };
                let turn = part(of(reference).inverse() * of(add), shares[joint]);
                match joint == rig.hips {
                    true => base.hips.rotation *= turn,
                    false => base.rotations[joint] *= turn,
                }
            }
        }
        LayerSpace::Mesh => {
            let [own, to, from] = [&base, add, reference].map(|moment| rig.mesh(moment));
            let turned =
                |joint: usize, share: f64| part(to[joint] * from[joint].inverse(), share) * own[joint];
            rig.set_mesh(&mut base, shares, turned);
        }
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::fixtures::clip;

    fn moment(count: usize, seed: f64) -> Moment {
        let turn = |joint: usize| {
            let phase = seed + joint as f64;
            exp(&(Vector3::new(phase.sin(), (2.0 * phase).cos(), (3.0 * phase).sin()) * 0.6))
        };
        Moment {
            rotations: (0..count).map(turn).collect(),
            translations: vec![None; count],
            hips: Isometry3::from_parts(Translation3::identity(), turn(count)),
            velocity: Vector3::zeros(),
            turn: 0.0,
            in_contact: Vec::new(),
        }
    }

    #[test]
    fn what_is_added_to_its_reference_is_the_pose_in_both_spaces() {
        let body = Body::of(&clip("alex_walk.bvh"));
        let rig = Rig::of(&body.skeleton, body.hips);
        let count = body.skeleton.len();
        let (reference, pose) = (moment(count, 0.3), moment(count, 4.0));
        let shares: Vec<f64> = rig.below.iter().map(|below| f64::from(u8::from(*below))).collect();
        for space in [LayerSpace::Local, LayerSpace::Mesh] {
            let sum = added(reference.clone(), (&pose, &reference), (1.0, &shares), &rig, space);
            let over = layered(reference.clone(), &pose, &shares, &rig, space);
            for found in [sum, over] {
                for joint in (0..count).filter(|joint| rig.below[*joint] && *joint != rig.hips) {
                    let far = (found.rotations[joint].coords - pose.rotations[joint].coords).norm();
                    let other = (found.rotations[joint].coords + pose.rotations[joint].coords).norm();
                    assert!(far.min(other) < 1e-12, "{space:?} {joint}: {far}");
                }
                assert!((found.hips.rotation.coords - pose.hips.rotation.coords).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn a_joint_of_a_mask_in_mesh_space_faces_where_the_layer_does() {
        let body = Body::of(&clip("alex_walk.bvh"));
        let rig = Rig::of(&body.skeleton, body.hips);
        let count = body.skeleton.len();
        let (base, over) = (moment(count, 0.3), moment(count, 4.0));
        let head = body.skeleton.find_by_name_or_role("Head").unwrap().index();
        let mut shares = vec![0.0; count];
        shares[head] = 1.0;
        let found = layered(base.clone(), &over, &shares, &rig, LayerSpace::Mesh);
        assert!(rig.mesh(&found)[head].angle_to(&rig.mesh(&over)[head]) < 1e-7);
        let changed = (0..count).filter(|joint| found.rotations[*joint] != base.rotations[*joint]);
        assert_eq!(changed.collect::<Vec<_>>(), [head]);
    }
}
