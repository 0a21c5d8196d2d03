//! Mirror: the motion as a mirror shows it, left and right swapped.
//!
//! Object rotations become `S · R · S` and positions `S · p`, with S the reflection across the plane through the origin
//! whose normal is the lateral axis. Joints take the motion of their counterparts. Where the frames of two counterparts
//! differ (for example, bones that all lie along +X), a constant rotation per joint corrects it: it takes the reflected
//! neutral pose of the counterpart onto that of the joint (see [`neutral`]).

mod midline;
mod neutral;
mod pairing;
mod retargeted;

use std::borrow::Cow;

use mocap_model::{
    Clip, ForwardKinematics, JointId, Role, Skeleton, UnitQuaternion, Vector3, mirrored_shape,
    rotation_between,
};
use nalgebra::{Matrix3, Quaternion, Rotation3};

use crate::body::Body;
use crate::held_feet::FootReference;
use crate::numbers::{self, Swapped};
use crate::samples::Samples;
use crate::{EditError, EditReport};
use neutral::NeutralPose;
use pairing::mirror_partners;
pub use retargeted::mirror_retargeted;

/// If the bones of a rest pose differ by more than this from their mirror images \[rad\], the correction is fitted to
/// all bones.
const UNLIKE: f64 = 0.26;
/// A bone shorter than this share of the longest at its joint belongs to a helper joint.
const HELPER: f64 = 0.02;
/// A bone shorter than this share of the body is rounding of a joint at the place of its parent.
const SAME_PLACE: f64 = 1e-4;
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
    let mirror = Mirror::of(clip, &body);
    let mirrored = mirror.apply(clip)?;
    let advice = match unlike_limbs(&body) {
        Some(limbs) => format!("; {limbs}: mirroring by retargeting brings feet and hands to their places"),
        None => String::new(),
    };
    let report = report(&mirror, &body, clip, &mirrored, &advice);
    Ok((mirrored, report))
}

/// The mirrored motion as by [`mirror()`], and the largest distance of a joint from the mirror image of its counterpart
/// \[m\], infinite where no unit is known.
pub(crate) fn mirrored(clip: &Clip) -> Result<(Clip, f64), EditError> {
    let body = Body::of(clip);
    let mirror = Mirror::of(clip, &body);
    let mirrored = mirror.apply(clip)?;
    let off = mirror
        .residual(clip, &mirrored)
        .zip(body.metres)
        .map_or(f64::INFINITY, |((off, _), metres)| off * metres);
    Ok((mirrored, off))
}

/// The mirrored motion with foot contacts no worse than those of their counterparts, which legs of different lengths
/// would change.
fn feet_held(clip: &Clip, mirrored: Clip) -> Result<(Clip, Option<usize>), EditError> {
    let place = |frame: usize| Some(frame as f64);
    FootReference { before: clip, place: &place, mirrored: true, shifted: false, free: &[] }
        .apply(mirrored, "mirror")
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
    /// The normal of the plane that reflects motions.
    lateral: Vector3<f64>,
    neutral: NeutralPose,
    /// The size of the body.
    size: f64,
    pub(crate) partners: Vec<Option<JointId>>,
    /// By joint: the constant rotation after the reflected rotation of the counterpart.
    corrections: Vec<UnitQuaternion<f64>>,
}

impl Mirror {
    pub(crate) fn of(clip: &Clip, body: &Body) -> Mirror {
        let skeleton = &body.skeleton;
        let neutral = NeutralPose::of(clip, body);
        let partners = mirror_partners(skeleton, &neutral.object, &neutral.lateral);
        let size = mocap_analysis::tree_diameter(skeleton);
        let mut mirror = Mirror { lateral: body.lateral, neutral, size, partners, corrections: Vec::new() };
        mirror.corrections = skeleton.iter().map(|(id, _)| mirror.correction(skeleton, id)).collect();
        mirror.follow_motion(clip, body);
        mirror
    }

    pub(crate) fn reflect(&self, v: &Vector3<f64>) -> Vector3<f64> {
        reflected(v, &self.lateral)
    }

    /// `S · R · S`.
    fn reflect_rotation(&self, q: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        rotation_reflected(q, &self.lateral)
    }

    /// A neutral pose equals its reflection across its own middle plane; this rotation takes it to its reflection across
    /// the plane of the motion.
    fn turn_of_neutral(&self) -> UnitQuaternion<f64> {
        // Two reflections, along one normal and then along the other.
        let (from, to) = (self.neutral.lateral, self.lateral);
        UnitQuaternion::new_normalize(Quaternion::from_parts(from.dot(&to), from.cross(&to)))
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
        let shortest = f64::max(HELPER * longest, SAME_PLACE * self.size);
        let is_bone =
            |(ours, theirs): &(Vector3<f64>, Vector3<f64>)| ours.norm().min(theirs.norm()) > shortest;
        bones.into_iter().filter(is_bone).collect()
    }

    fn correction(&self, skeleton: &Skeleton, id: JointId) -> UnitQuaternion<f64> {
        let Some(other) = self.partners[id.index()] else { return UnitQuaternion::identity() };
        let neutral = |id: JointId| self.neutral.object.joints[id.index()].rotation;
        let at_neutral =
            self.reflect_rotation(&neutral(other)).inverse() * self.turn_of_neutral() * neutral(id);
        let at_neutral = self.neutral.as_built(at_neutral);
        let bones = self.bones(skeleton, id);
        let Some((ours, theirs)) = bones.iter().max_by(|a, b| a.0.norm().total_cmp(&b.0.norm())) else {
            return at_neutral;
        };
        let off = bones.iter().map(|(ours, theirs)| (at_neutral * ours).angle(theirs)).fold(0.0, f64::max);
        let on_one_line = || rotation_between(&(at_neutral * ours), theirs) * at_neutral;
        match bones.len() {
            1 => on_one_line(),
            _ if off < UNLIKE => at_neutral,
            _ => best_rotation(&bones).unwrap_or_else(on_one_line),
        }
    }

    pub(crate) fn apply(&self, clip: &Clip) -> Result<Clip, EditError> {
        let skeleton = clip.skeleton();
        let source = Samples::of(clip);
        let mut mirrored = source.clone();
        for (id, joint) in skeleton.iter() {
            let i = id.index();
            let Some(other) = self.partners[i] else {
                self.reflect_in_place(&source, &mut mirrored, id);
                continue;
            };
            let m = other.index();
            mirrored.scales[i] = source.scales[m].clone();
            let after = self.corrections[i];
            let before = match joint.parent {
                Some(parent) => self.corrections[parent.index()].inverse(),
                None => UnitQuaternion::identity(),
            };
            mirrored.rotations[i] =
                source.rotations[m].iter().map(|q| before * self.reflect_rotation(q) * after).collect();
            let offset = skeleton.joint(JointId::from(m)).offset;
            mirrored.translations[i] = self.placed(&source, other).map(|values| {
                let place = |v: &Vector3<f64>| match joint.parent {
                    None => self.reflect(v),
                    // Bones keep their own length: only the translation added to the offset is reflected.
                    Some(_) => joint.offset + before * self.reflect(&(v - offset)),
                };
                values.iter().map(place).collect()
            });
        }
        numbers::mirror(&mut mirrored.annotations.scalars);
        for event in &mut mirrored.annotations.events {
            // "step left" becomes "step right".
            event.name = mirrored_shape(&event.name).unwrap_or_else(|| std::mem::take(&mut event.name));
        }
        mirrored.into_clip("mirror")
    }

    /// The translations of a joint; of a root beside the plane also where it stays at its offset.
    fn placed<'s>(&self, source: &'s Samples, id: JointId) -> Option<Cow<'s, [Vector3<f64>]>> {
        if let Some(values) = &source.translations[id.index()] {
            return Some(Cow::Borrowed(values));
        }
        let joint = source.skeleton.joint(id);
        let moves = joint.parent.is_none() && self.reflect(&joint.offset) != joint.offset;
        moves.then(|| Cow::Owned(vec![joint.offset; source.frames]))
    }

    /// Reflects how a joint without a counterpart moves about the neutral pose, across the middle plane of that pose.
    fn reflect_in_place(&self, source: &Samples, mirrored: &mut Samples, id: JointId) {
        let joint = source.skeleton.joint(id);
        let object = |joint: JointId| self.neutral.object.joints[joint.index()].rotation;
        let (normal, neutral) = match joint.parent {
            Some(parent) => {
                let to_parent = object(parent).inverse();
                (to_parent * self.neutral.lateral, to_parent * object(id))
            }
            None => (self.lateral, object(id)),
        };
        let (at, before) = (id.index(), neutral.inverse());
        mirrored.rotations[at] = source.rotations[at]
            .iter()
            .map(|q| rotation_reflected(&(q * before), &normal) * neutral)
            .collect();
        mirrored.translations[at] = self.placed(source, id).map(|values| {
            let place = |v: &Vector3<f64>| match joint.parent {
                None => reflected(v, &normal),
                Some(_) => joint.offset + reflected(&(v - joint.offset), &normal),
            };
            values.iter().map(place).collect()
        });
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

/// The reflection across the plane with this normal.
fn reflected(v: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
    v - normal * (2.0 * v.dot(normal))
}

/// The component of the rotation axis along the normal stays, the others are negated.
fn rotation_reflected(q: &UnitQuaternion<f64>, normal: &Vector3<f64>) -> UnitQuaternion<f64> {
    let imag = -reflected(&q.imag(), normal);
    UnitQuaternion::new_unchecked(Quaternion::new(q.w, imag.x, imag.y, imag.z))
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
    use mocap_model::{Isometry3, Joint, JointTracks, Pose, Track};
    use nalgebra::Point3;

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

    /// The same motion on a skeleton whose rest pose is turned about the up axis; offsets and frames of all joints are
    /// turned with it, as exporters bake the turn of a character.
    fn with_turned_rest(clip: &Clip, turn: &UnitQuaternion<f64>) -> Clip {
        let skeleton = clip.skeleton().with_joints(|joint| {
            joint.offset = turn * joint.offset;
            joint.rest_rotation = turn * joint.rest_rotation * turn.inverse();
        });
        let tracks = clip.skeleton().joints().iter().zip(clip.tracks()).map(|(joint, tracks)| {
            let before = joint.parent.map_or(UnitQuaternion::identity(), |_| *turn);
            JointTracks {
                rotation: tracks.rotation.map(|q| before * q * turn.inverse()),
                translation: tracks.translation.as_ref().map(|track| track.map(|v| before * v)),
                scale: None,
            }
        });
        Clip::new(Arc::new(skeleton.unwrap()), clip.rate(), clip.frames(), tracks.collect()).unwrap()
    }

    /// The motion with a joint on the head that moves and has no counterpart.
    fn with_plume(clip: &Clip) -> Clip {
        let head = Body::of(clip).skeleton.with_role(Role::Head).unwrap();
        let mut joints = clip.skeleton().joints().to_vec();
        joints.push(Joint::new("LeftPlume", Some(head), Vector3::new(0.05, 0.1, 0.02)));
        let sway = |frame: usize| {
            let phase = frame as f64 * 0.1;
            UnitQuaternion::from_scaled_axis(Vector3::new(phase.sin(), phase.cos(), 0.3 * phase.sin()))
        };
        let mut tracks = clip.tracks().to_vec();
        let rotation = Track::Sampled((0..clip.frames()).map(sway).collect());
        tracks.push(JointTracks { rotation, translation: None, scale: None });
        let skeleton = Skeleton::new("", *clip.skeleton().space(), joints).unwrap();
        Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).unwrap()
    }

    /// What a mesh does that is bound to the rest pose.
    #[test]
    fn a_mesh_is_mirrored_alike_whichever_way_its_rest_pose_faces() {
        let walk = with_plume(&clip("alex_walk.bvh"));
        let height = mocap_analysis::tree_diameter(walk.skeleton());
        let placed = |clip: &Clip, frame: usize| -> Vec<Isometry3<f64>> {
            let mut rest = Pose::default();
            Pose::rest(clip.skeleton()).to_object(clip.skeleton(), &mut rest);
            let mut kinematics = ForwardKinematics::new(clip);
            kinematics.place(frame);
            let of = |id: JointId| kinematics.at(id) * rest.joints[id.index()].inverse();
            clip.skeleton().iter().map(|(id, _)| of(id)).collect()
        };
        let mut rest = Pose::default();
        Pose::rest(walk.skeleton()).to_object(walk.skeleton(), &mut rest);
        let (wanted, _) = mirror(&walk).unwrap();
        for degrees in [5.0f64, 20.0, 30.0, 45.0, 90.0, 180.0, 300.0] {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * degrees.to_radians());
            let turned = with_turned_rest(&walk, &turn);
            assert!(largest_difference(&walk, &turned) < 1e-9 * height, "{degrees}");
            let (mirrored, _) = mirror(&turned).unwrap();
            for frame in [0, 100, 300] {
                let both = placed(&wanted, frame).into_iter().zip(placed(&mirrored, frame));
                for ((a, b), (id, joint)) in both.zip(walk.skeleton().iter()) {
                    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
                        // A vertex beside the joint.
                        let at = rest.joints[id.index()].translation.vector + axis * (0.1 * height);
                        let off = (a * Point3::from(at) - b * Point3::from(turn * at)).norm() / height;
                        assert!(off < 1e-6, "{degrees}°, {} in frame {frame}: {off}", joint.name);
                    }
                }
            }
        }
    }

    /// Joints without names that show their sides are paired by their places in the rest pose.
    #[test]
    fn joints_are_paired_alike_whichever_way_the_rest_pose_faces() {
        let walk = clip("alex_walk.bvh");
        let head = Body::of(&walk).skeleton.with_role(Role::Head).unwrap();
        let mut joints: Vec<Joint> = walk.skeleton().joints().to_vec();
        for (name, x) in [("horn one", 0.1), ("horn two", -0.1)] {
            joints.push(Joint::new(name, Some(head), Vector3::new(x, 0.1, 0.05)));
        }
        let skeleton = Skeleton::new("", *walk.skeleton().space(), joints).unwrap();
        let still = |skeleton: Skeleton| {
            let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
            Clip::new(Arc::new(skeleton), walk.rate(), 2, tracks).unwrap()
        };
        let horned = still(skeleton);
        for degrees in [0.0f64, 30.0, 90.0, 180.0] {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * degrees.to_radians());
            let turned = with_turned_rest(&horned, &turn);
            let body = Body::of(&turned);
            let partners = Mirror::of(&turned, &body).partners;
            let count = body.skeleton.len();
            assert_eq!(partners[count - 1], Some(JointId::from(count - 2)), "{degrees}");
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

    /// A face at the place of the head, for example.
    #[test]
    fn a_joint_at_the_place_of_its_parent_is_no_bone() {
        let walk = clip("alex_walk.bvh");
        let head = Body::of(&walk).skeleton.with_role(Role::Head).unwrap();
        let (mut joints, mut tracks) = (walk.skeleton().joints().to_vec(), walk.tracks().to_vec());
        let face = JointId::from(joints.len());
        for (name, parent, offset) in [("Face", head, [0.0, 0.0, 10.0]), ("Jaw", face, [-7e-5, 3e-5, 1e-5])] {
            joints.push(Joint::new(name, Some(parent), Vector3::from(offset)));
            tracks.push(JointTracks::at_rest(&joints[joints.len() - 1]));
        }
        let skeleton = Skeleton::new("", *walk.skeleton().space(), joints).unwrap();
        let with_face = Clip::new(Arc::new(skeleton), walk.rate(), walk.frames(), tracks).unwrap();
        let body = Body::of(&with_face);
        let mirror = Mirror::of(&with_face, &body);
        let jaw = JointId::from(face.index() + 1);
        assert_eq!((mirror.partners[face.index()], mirror.partners[jaw.index()]), (Some(face), Some(jaw)));
        assert_eq!(mirror.bones(&body.skeleton, face), []);
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
