//! Mirror: the motion as a mirror shows it, left and right swapped.
//!
//! Object rotations become `S · R · S` and positions `S · p`, with S the reflection across the plane through the origin
//! whose normal is the lateral axis. Joints take the motion of their counterparts. Where the frames of two counterparts
//! differ (for example, bones that all lie along +X), a constant rotation per joint corrects it: it takes the reflected
//! rest pose of the counterpart onto that of the joint.

mod midline;
mod pairing;
mod retargeted;

use mocap_model::{
    Clip, ForwardKinematics, JointId, Pose, Role, Skeleton, UnitQuaternion, Vector3, rotation_between,
};
use nalgebra::{Matrix3, Rotation3};

use crate::body::Body;
use crate::held_feet::Hold;
use crate::numbers::{self, Swapped};
use crate::samples::Samples;
use crate::{EditError, EditReport};
use pairing::mirror_partners;
pub use retargeted::mirror_retargeted;

/// If the bones of a rest pose differ by more than this from their mirror images \[rad\], the correction is fitted to
/// all bones.
const UNLIKE: f64 = 0.26;
/// A bone shorter than this share of the longest at its joint belongs to a helper joint.
const HELPER: f64 = 0.02;
/// Warn of a joint this far from its mirror image \[m\].
const ASYMMETRIC: f64 = 0.02;

/// Mirrors a motion across the plane normal to the lateral axis. Mirroring twice gives the clip.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let (mirrored, report) = mocap_edit::mirror(&clip)?;
/// assert_eq!(mirrored.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// Where a number overflows.
pub fn mirror(clip: &Clip) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    let mut mirror = Mirror::new(&body.skeleton, &body.lateral);
    mirror.follow_motion(clip, &body);
    let mirrored = mirror.apply(clip)?;
    let advice = match unlike_limbs(&body) {
        Some(limbs) => format!("; {limbs}: mirroring by retargeting brings feet and hands to their places"),
        None => String::new(),
    };
    let report = report(&mirror, &body, clip, &mirrored, &advice);
    Ok((mirrored, report))
}

/// The mirrored motion with foot contacts no worse than those of their counterparts, which legs of different lengths
/// would change.
fn feet_held(clip: &Clip, mirrored: Clip) -> Result<(Clip, Option<usize>), EditError> {
    let place = |frame: usize| Some(frame as f64);
    Hold { before: clip, place: &place, mirrored: true, free: &[] }.apply(mirrored, "mirror")
}

/// `advice` is appended to the warning of a joint far from its mirror image.
fn report(mirror: &Mirror, body: &Body, clip: &Clip, mirrored: &Clip, advice: &str) -> EditReport {
    let mut report = EditReport::measured("mirror", clip, mirrored);
    report.warn_of_skate();
    let residual = mirror.residual(clip, mirrored);
    let metres = residual.and_then(|(distance, _)| body.metres.map(|metres| distance * metres));
    let swapped =
        mirror.partners.iter().enumerate().filter(|(id, other)| other.is_some_and(|o| o.index() > *id));
    let swapped = swapped.count();
    report = report.figure("mirror-residual", metres, "m").note(format!("{swapped} pairs of joints swapped"));
    if let (Some(metres), Some((_, joint))) = (metres, residual)
        && metres > ASYMMETRIC
    {
        let name = &clip.skeleton().joint(joint).name;
        let off = metres * 100.0;
        let message = format!("'{name}' is up to {off:.1} cm from its mirror image{advice}");
        report.warn("edit::asymmetric", message);
    }
    let Swapped { pairs, single } = numbers::mirror(&mut clip.annotations().scalars.clone());
    if pairs > 0 {
        report = report.note(format!("{pairs} pairs of shapes swapped"));
    }
    if !single.is_empty() {
        let message = format!("shapes without a counterpart keep their side: {}", single.join(", "));
        report.warn("edit::no-counterpart", message);
    }
    let single: Vec<&str> = clip
        .skeleton()
        .iter()
        .filter(|(id, joint)| mirror.partners[id.index()].is_none() && !joint.end_site)
        .map(|(_, joint)| joint.name.as_str())
        .collect();
    if !single.is_empty() {
        let message = format!("joints without a counterpart are reflected in place: {}", single.join(", "));
        report.warn("edit::no-counterpart", message);
    }
    report
}

/// Limbs with sides of different lengths, whose feet or hands miss their places if rotations are swapped. Small
/// differences are ignored: retargeting would move knees and elbows by more than that.
fn unlike_limbs(body: &Body) -> Option<String> {
    let limbs = [("legs", Role::LeftUpperLeg, Role::LeftFoot), ("arms", Role::LeftUpperArm, Role::LeftHand)];
    let length = |top: Role, end: Role| -> Option<f64> {
        let (top, end) = (body.skeleton.with_role(top)?, body.skeleton.with_role(end)?);
        let joints = std::iter::successors(Some(end), |id| body.skeleton.joint(*id).parent);
        let bones = joints.take_while(|id| *id != top).map(|id| body.skeleton.joint(id).offset.norm());
        Some(bones.sum::<f64>() * body.metres?)
    };
    let differ = |(limb, top, end): (&str, Role, Role)| {
        let off = (length(top, end)? - length(top.mirrored(), end.mirrored())?).abs();
        let off = (off > ASYMMETRIC).then_some(off * 100.0)?;
        Some(format!("the {limb} differ by {off:.1} cm"))
    };
    limbs.into_iter().find_map(differ)
}

/// A reflection of a skeleton's motions.
pub(crate) struct Mirror {
    lateral: Vector3<f64>,
    pub(crate) partners: Vec<Option<JointId>>,
    /// By joint: the constant rotation after the reflected rotation of the counterpart.
    corrections: Vec<UnitQuaternion<f64>>,
}

impl Mirror {
    pub(crate) fn new(skeleton: &Skeleton, lateral: &Vector3<f64>) -> Mirror {
        let partners = mirror_partners(skeleton, lateral);
        let mut mirror = Mirror { lateral: *lateral, partners, corrections: Vec::new() };
        let mut rest = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut rest);
        let corrections =
            skeleton.iter().map(|(id, _)| mirror.correction(skeleton, &rest, id)).collect::<Vec<_>>();
        mirror.corrections = corrections;
        mirror
    }

    fn reflect(&self, v: &Vector3<f64>) -> Vector3<f64> {
        v - self.lateral * (2.0 * v.dot(&self.lateral))
    }

    /// `S · R · S`: the component of the rotation axis along the normal stays, the others are negated.
    fn reflect_rotation(&self, q: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let imag = -self.reflect(&q.imag());
        UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(q.w, imag.x, imag.y, imag.z))
    }

    /// The bones of a joint, and where the reflected bones of its counterpart are in the same frame.
    fn bones(&self, skeleton: &Skeleton, id: JointId) -> Vec<(Vector3<f64>, Vector3<f64>)> {
        let bones: Vec<(Vector3<f64>, Vector3<f64>)> = skeleton
            .children(id)
            .iter()
            .filter_map(|child| {
                let twin = self.partners[child.index()]?;
                let (ours, theirs) = (skeleton.joint(*child).offset, skeleton.joint(twin).offset);
                (ours.norm() > 0.0 && theirs.norm() > 0.0).then(|| (ours, self.reflect(&theirs)))
            })
            .collect();
        // The direction of a twist or helper joint at the position of its parent is arbitrary.
        let longest = bones.iter().map(|(ours, _)| ours.norm()).fold(0.0, f64::max);
        let is_bone =
            |(ours, theirs): &(Vector3<f64>, Vector3<f64>)| ours.norm().min(theirs.norm()) > HELPER * longest;
        bones.into_iter().filter(is_bone).collect()
    }

    fn correction(&self, skeleton: &Skeleton, rest: &Pose, id: JointId) -> UnitQuaternion<f64> {
        let Some(other) = self.partners[id.index()] else { return UnitQuaternion::identity() };
        let at_rest = self.reflect_rotation(&rest.joints[other.index()].rotation).inverse()
            * rest.joints[id.index()].rotation;
        let bones = self.bones(skeleton, id);
        let Some((ours, theirs)) = bones.iter().max_by(|a, b| a.0.norm().total_cmp(&b.0.norm())) else {
            return at_rest;
        };
        let off = bones.iter().map(|(ours, theirs)| (at_rest * ours).angle(theirs)).fold(0.0, f64::max);
        let on_one_line = || rotation_between(&(at_rest * ours), theirs) * at_rest;
        match bones.len() {
            1 => on_one_line(),
            _ if off < UNLIKE => at_rest,
            _ => best_rotation(&bones).unwrap_or_else(on_one_line),
        }
    }

    pub(crate) fn apply(&self, clip: &Clip) -> Result<Clip, EditError> {
        let skeleton = clip.skeleton();
        let source = Samples::of(clip);
        let mut mirrored = source.clone();
        for (id, joint) in skeleton.iter() {
            let i = id.index();
            let (m, own) = match self.partners[i] {
                Some(other) => (other.index(), false),
                None => (i, true),
            };
            mirrored.scales[i] = source.scales[m].clone();
            let after = self.corrections[i];
            let before = match joint.parent {
                Some(parent) if !own => self.corrections[parent.index()].inverse(),
                _ => UnitQuaternion::identity(),
            };
            mirrored.rotations[i] =
                source.rotations[m].iter().map(|q| before * self.reflect_rotation(q) * after).collect();
            let offset = skeleton.joint(JointId::from(m)).offset;
            mirrored.translations[i] = source.translations[m].as_ref().map(|values| {
                let place = |v: &Vector3<f64>| match joint.parent {
                    None => self.reflect(v),
                    // Bones keep their own length: only the translation added to the offset is reflected.
                    Some(_) => joint.offset + before * self.reflect(&(v - offset)),
                };
                values.iter().map(place).collect()
            });
        }
        numbers::mirror(&mut mirrored.annotations.scalars);
        mirrored.into_clip("mirror")
    }

    /// The largest distance of a joint from the mirror image of its counterpart, and the joint.
    fn residual(&self, clip: &Clip, mirrored: &Clip) -> Option<(f64, JointId)> {
        let (mut old, mut new) = (ForwardKinematics::new(clip), ForwardKinematics::new(mirrored));
        let mut worst: Option<(f64, JointId)> = None;
        for frame in 0..clip.frames() {
            old.place(frame);
            new.place(frame);
            for (id, _) in clip.skeleton().iter() {
                let Some(other) = self.partners[id.index()] else { continue };
                let distance = (self.reflect(&old.position(other)) - new.position(id)).norm();
                if worst.is_none_or(|(most, _)| distance > most) {
                    worst = Some((distance, id));
                }
            }
        }
        worst
    }
}

/// The rotation that takes the first of each pair nearest to the second; `None` where they lie on one line.
///
/// Based on: W. Kabsch, "A solution for the best rotation to relate two sets of vectors", 1976.
fn best_rotation(pairs: &[(Vector3<f64>, Vector3<f64>)]) -> Option<UnitQuaternion<f64>> {
    let mut covariance = Matrix3::zeros();
    for (from, to) in pairs {
        covariance += to * from.transpose();
    }
    let svd = covariance.svd(true, true);
    let (u, v) = (svd.u?, svd.v_t?);
    if svd.singular_values[1] < 1e-3 * svd.singular_values[0] {
        return None;
    }
    let sign = (u * v).determinant().signum();
    let rotation = u * Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, sign)) * v;
    Some(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{Joint, JointTracks};

    fn largest_difference(a: &Clip, b: &Clip) -> f64 {
        let (mut x, mut y) = (ForwardKinematics::new(a), ForwardKinematics::new(b));
        let mut most = 0.0f64;
        for frame in 0..a.frames() {
            x.place(frame);
            y.place(frame);
            let far = a.skeleton().iter().map(|(id, _)| (x.position(id) - y.position(id)).norm());
            most = far.fold(most, f64::max);
        }
        most
    }

    #[test]
    fn mirroring_twice_gives_the_clip() {
        for name in ["alex_walk.bvh", "robin_walk.bvh"] {
            let walk = clip(name);
            let (once, _) = mirror(&walk).unwrap();
            let (twice, _) = mirror(&once).unwrap();
            let height = mocap_analysis::tree_diameter(walk.skeleton());
            assert!(largest_difference(&walk, &once) / height > 1e-2, "{name}");
            assert!(largest_difference(&walk, &twice) / height < 1e-12, "{name}");
        }
    }

    /// Rigs have helper joints at their parents' positions, with offsets of a few micrometres in any direction.
    #[test]
    fn helpers_at_a_joint_do_not_turn_its_mirror_image() {
        let walk = clip("alex_walk.bvh");
        let knee = Body::of(&walk).skeleton.with_role(Role::LeftLowerLeg).unwrap();
        let other = Body::of(&walk).skeleton.with_role(Role::RightLowerLeg).unwrap();
        let mut joints: Vec<Joint> = walk.skeleton().joints().to_vec();
        joints.push(Joint::new("LeftKneeHelper", Some(knee), Vector3::new(1e-5, 2e-6, 0.0)));
        joints.push(Joint::new("RightKneeHelper", Some(other), Vector3::new(0.0, -1e-6, 1e-5)));
        let tracks: Vec<JointTracks> = walk
            .tracks()
            .iter()
            .cloned()
            .chain(joints[walk.skeleton().len()..].iter().map(JointTracks::at_rest))
            .collect();
        let skeleton = Skeleton::new("", *walk.skeleton().space(), joints).unwrap();
        let with_helpers = Clip::new(Arc::new(skeleton), walk.rate(), walk.frames(), tracks).unwrap();
        let residual = |clip: &Clip| mirror(clip).unwrap().1.figures[0].value.unwrap();
        assert!((residual(&with_helpers) - residual(&walk)).abs() < 1e-3, "{}", residual(&with_helpers));
    }

    #[test]
    fn contacts_swap_sides() {
        let walk = clip("alex_walk.bvh");
        let (_, report) = mirror(&walk).unwrap();
        let (before, after) = (report.contacts_before.unwrap(), report.contacts.unwrap());
        assert!(before.left_frames > 0 && before.right_frames > 0);
        assert_eq!((before.left_frames, before.right_frames), (after.right_frames, after.left_frames));
    }
}
