//! Fits the mesh of a character to another skeleton, bone by bone. Joints are matched by their roles.
//!
//! Each bone of the mesh moves to the rest position of the bone with the same role. It is turned by the
//! smallest rotation that aligns both directions. Bones of limbs are scaled to the target's bone lengths, all
//! others by the ratio of body heights. Between bones, the fit is blended by the skinning weights.

use crate::RoleMap;
use mocap_model::{Body, Bone, JointId, Mesh, Pose, Role, Skeleton, Vector3};
use nalgebra::{Matrix4, UnitQuaternion};

/// Bones of limbs: from the joint of the first role to that of the second.
const LIMBS: [(Role, Role); 10] = [
    (Role::LeftUpperArm, Role::LeftLowerArm),
    (Role::LeftLowerArm, Role::LeftHand),
    (Role::RightUpperArm, Role::RightLowerArm),
    (Role::RightLowerArm, Role::RightHand),
    (Role::LeftUpperLeg, Role::LeftLowerLeg),
    (Role::LeftLowerLeg, Role::LeftFoot),
    (Role::RightUpperLeg, Role::RightLowerLeg),
    (Role::RightLowerLeg, Role::RightFoot),
    (Role::LeftFoot, Role::LeftToes),
    (Role::RightFoot, Role::RightToes),
];
/// Roles that the body must share with the target.
const NEEDED: [Role; 9] = [
    Role::Hips,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
    Role::LeftUpperLeg,
    Role::RightUpperLeg,
];

/// A skeleton with its roles and its rest pose in object space.
pub(crate) struct Figure<'a> {
    skeleton: &'a Skeleton,
    roles: &'a RoleMap,
    pub(crate) rest: Pose,
}

/// How one bone of the mesh is fitted: where its joint is, its rotation and scale, and where the joint goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    from: Vector3<f64>,
    to: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    scale: f64,
}

/// A body on the skeleton of a target whose joints have other names.
///
/// # Errors
/// The roles that one of both lacks.
pub fn fitted_body(
    body: &Body,
    (skeleton, roles): (&Skeleton, &RoleMap),
    (target, target_roles): (&Skeleton, &RoleMap),
) -> Result<Body, Vec<Role>> {
    let lacks = |role: &Role| roles.joint(*role).is_none() || target_roles.joint(*role).is_none();
    let missing: Vec<Role> = NEEDED.into_iter().filter(lacks).collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let own = Figure::new(skeleton, roles);
    let other = Figure::new(target, target_roles);
    let fits = own.fits(&other);
    let meshes = body.meshes.iter().map(|mesh| own.put(&mesh.at_rest(skeleton), &fits, &other));
    Ok(Body { meshes: meshes.collect(), materials: body.materials.clone() })
}

impl<'a> Figure<'a> {
    pub(crate) fn new(skeleton: &'a Skeleton, roles: &'a RoleMap) -> Figure<'a> {
        let mut rest = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut rest);
        Figure { skeleton, roles, rest }
    }

    fn place(&self, joint: JointId) -> Vector3<f64> {
        self.rest.joints[joint.index()].translation.vector
    }

    fn of(&self, role: Role) -> Option<Vector3<f64>> {
        Some(self.place(self.roles.joint(role)?))
    }

    /// The size of the body: length of legs and trunk along their bones, which does not depend on the rest
    /// pose.
    fn size(&self) -> f64 {
        let bone = |a: Role, b: Role| Some((self.of(a)? - self.of(b)?).norm());
        let legs = LIMBS[4..8].iter().filter_map(|(a, b)| bone(*a, *b)).sum::<f64>() / 2.0;
        let shoulders = (self.of(Role::LeftUpperArm), self.of(Role::RightUpperArm));
        let trunk = match (shoulders, self.of(Role::Hips)) {
            ((Some(left), Some(right)), Some(hips)) => ((left + right) / 2.0 - hips).norm(),
            _ => 0.0,
        };
        legs + trunk
    }

    /// By joint: its fit, and the joint of the target that it follows. Joints without a role, or
    /// with a role that the target lacks, follow the nearest joint above with a shared role.
    pub(crate) fn fits(&self, target: &Figure<'_>) -> Vec<(Fit, JointId)> {
        let axes = |skeleton: &Skeleton| {
            let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
            nalgebra::Matrix3::from_columns(&[up.cross(&forward), up, forward])
        };
        let turn = axes(target.skeleton) * axes(self.skeleton).transpose();
        let turn = nalgebra::Rotation3::from_matrix_unchecked(turn);
        let turn = UnitQuaternion::from_rotation_matrix(&turn);
        let scale = target.size() / self.size();
        let mut fits: Vec<(Fit, JointId)> = Vec::with_capacity(self.skeleton.len());
        for (id, joint) in self.skeleton.iter() {
            let shared = self.roles.role(id).and_then(|role| Some((role, target.roles.joint(role)?)));
            let above = joint.parent.map(|parent| fits[parent.index()]);
            let fit = match (shared, above) {
                (Some((role, to)), _) => {
                    let whole = Fit { from: self.place(id), to: target.place(to), turn, scale };
                    let limb = LIMBS.iter().find(|(first, _)| *first == role);
                    let along = limb.and_then(|(_, next)| Some((self.of(*next)?, target.of(*next)?)));
                    // A hand without a bone of its own continues the forearm.
                    let as_above = above.filter(|_| matches!(role, Role::LeftHand | Role::RightHand));
                    let fit = match (along, as_above) {
                        (Some(ends), _) => whole.along(ends),
                        (None, Some((above, _))) => Fit { turn: above.turn, scale: above.scale, ..whole },
                        (None, None) => whole,
                    };
                    (fit, to)
                }
                (None, Some(above)) => above,
                (None, None) => {
                    let hips = self.roles.joint(Role::Hips).zip(target.roles.joint(Role::Hips));
                    let (own, to) = hips.unwrap_or((id, JointId::from(0)));
                    (Fit { from: self.place(own), to: target.place(to), turn, scale }, to)
                }
            };
            fits.push(fit);
        }
        fits
    }

    /// A mesh at rest on the target.
    fn put(&self, mesh: &Mesh, fits: &[(Fit, JointId)], target: &Figure<'_>) -> Mesh {
        let whole = |bone: &Bone| {
            let posed = self.rest.joints[bone.joint.index()].to_homogeneous() * bone.inverse_bind;
            fits[bone.joint.index()].0.matrix() * posed
        };
        let matrices: Vec<Matrix4<f64>> = mesh.skin.bones.iter().map(whole).collect();
        let blended = |vertex: usize| {
            let parts = mesh.skin.of(vertex).iter();
            parts.map(|one| matrices[one.bone as usize] * one.weight).sum::<Matrix4<f64>>()
        };
        let mut put = mesh.clone();
        for (vertex, place) in put.positions.iter_mut().enumerate() {
            *place = blended(vertex).transform_point(&(*place).into()).coords;
        }
        for shape in &mut put.shapes {
            for (vertex, offset) in &mut shape.offsets {
                *offset = blended(*vertex as usize).fixed_view::<3, 3>(0, 0) * *offset;
            }
        }
        for (corner, normal) in put.corners.iter().zip(&mut put.normals) {
            let linear = blended(*corner as usize).fixed_view::<3, 3>(0, 0).into_owned();
            *normal = (linear * *normal).try_normalize(0.0).unwrap_or(*normal);
        }
        for bone in &mut put.skin.bones {
            let joint = fits[bone.joint.index()].1;
            let inverse_bind = target.rest.joints[joint.index()].inverse().to_homogeneous();
            *bone = Bone { joint, inverse_bind };
        }
        put
    }
}

impl Fit {
    /// Rotates and scales the fit so that the far end of the bone also meets the target's.
    fn along(self, (end, target_end): (Vector3<f64>, Vector3<f64>)) -> Fit {
        let (own, other) = (self.turn * (end - self.from), target_end - self.to);
        if own.norm() <= 0.0 || other.norm() <= 0.0 {
            return self;
        }
        // Opposite directions have no smallest rotation: a half turn about any perpendicular axis is used.
        let more = UnitQuaternion::rotation_between(&own, &other).unwrap_or_else(|| {
            let across = own.cross(&Vector3::ith(own.iamin(), 1.0));
            UnitQuaternion::from_scaled_axis(across.normalize() * std::f64::consts::PI)
        });
        Fit { turn: more * self.turn, scale: other.norm() / own.norm(), ..self }
    }

    pub(crate) fn matrix(&self) -> Matrix4<f64> {
        let linear = self.turn.to_rotation_matrix().matrix() * self.scale;
        let shift = self.to - linear * self.from;
        let mut matrix = Matrix4::identity();
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&shift);
        matrix
    }
}
