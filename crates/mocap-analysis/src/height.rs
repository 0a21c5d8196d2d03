//! The height of a body.

use mocap_model::{Body, JointId, Mesh, Pose, Role, Skeleton, Vector3};
use nalgebra::Point3;

use crate::stature;
use crate::unit::path_length;

/// A body stands straight if its head is at least this share of the length of legs and trunk above its feet.
const STRAIGHT: f64 = 0.93;

/// The height of a body [units of the skeleton]: from the soles to the top of the head of its
/// meshes, if they were bound in an upright pose; else the stature by bone lengths ([`stature`]).
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let skeleton = clip.skeleton();
/// assert_eq!(mocap_analysis::body_height(skeleton, None), mocap_analysis::stature(skeleton));
/// ```
pub fn body_height(skeleton: &Skeleton, body: Option<&Body>) -> Option<f64> {
    body.and_then(|body| mesh_height(skeleton, body)).or_else(|| stature(skeleton))
}

/// The height of the meshes; `None` if they have no legs or no head, or were not bound upright.
fn mesh_height(skeleton: &Skeleton, body: &Body) -> Option<f64> {
    let up = skeleton.space().up.vector();
    let head = below(skeleton, &[Role::Head])?;
    let legs = below(skeleton, &[Role::LeftUpperLeg, Role::RightUpperLeg])?;
    let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
    for mesh in &body.meshes {
        let mesh = mesh.at_rest(skeleton);
        if !is_straight(skeleton, &mesh, &up) {
            return None;
        }
        for (vertex, place) in mesh.positions.iter().enumerate() {
            let Some(joint) = first_joint(&mesh, vertex) else { continue };
            let height = place.dot(&up);
            if head.get(joint.index()).is_some_and(|one| *one) {
                top = top.max(height);
            } else if legs.get(joint.index()).is_some_and(|one| *one) {
                bottom = bottom.min(height);
            }
        }
    }
    Some(top - bottom).filter(|height| height.is_finite() && *height > 0.0)
}

/// By joint: whether it has one of the roles or is below a joint that has; `None` if no joint has.
fn below(skeleton: &Skeleton, roles: &[Role]) -> Option<Vec<bool>> {
    let mut found = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        found[id.index()] = joint.role.is_some_and(|role| roles.contains(&role))
            || joint.parent.is_some_and(|parent| found[parent.index()]);
    }
    found.contains(&true).then_some(found)
}

/// The joint with the greatest weight of a vertex.
fn first_joint(mesh: &Mesh, vertex: usize) -> Option<JointId> {
    let (from, to) = (mesh.skin.starts.get(vertex)?, mesh.skin.starts.get(vertex + 1)?);
    let all = mesh.skin.influences.get(*from as usize..*to as usize)?;
    let most = all.iter().reduce(|best, next| if next.weight > best.weight { next } else { best })?;
    mesh.skin.bones.get(most.bone as usize).map(|bone| bone.joint)
}

/// Whether the body stands straight in the bind pose of a mesh. Joints that the mesh does not follow are in
/// their rest pose.
fn is_straight(skeleton: &Skeleton, mesh: &Mesh, up: &Vector3<f64>) -> bool {
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let place = |role: Role| -> Option<Vector3<f64>> {
        let joint = skeleton.with_role(role)?;
        let bone = mesh.skin.bones.iter().find(|bone| bone.joint == joint);
        let bound = bone.and_then(|bone| bone.inverse_bind.try_inverse());
        let bound = bound.map(|bind| bind.transform_point(&Point3::origin()).coords);
        Some(bound.unwrap_or(object.joints[joint.index()].translation.vector))
    };
    let length = |top: Role, bottom: Role| -> Option<f64> {
        path_length(skeleton, skeleton.with_role(top)?, skeleton.with_role(bottom)?)
    };
    let sides = [[Role::LeftUpperLeg, Role::LeftFoot], [Role::RightUpperLeg, Role::RightFoot]];
    let straight = sides.map(|[hip, foot]| {
        let bones = length(hip, foot)? + length(Role::Hips, Role::Head)?;
        Some((place(Role::Head)? - place(foot)?).dot(up) >= STRAIGHT * bones)
    });
    straight.iter().all(|straight| *straight == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Bone, Influence, Joint, Skin, Space};
    use nalgebra::Matrix4;

    /// Legs and trunk with hips at 1, the ankle of a leg that is raised by `bend` to the front.
    fn skeleton(bend: f64) -> Skeleton {
        let v = Vector3::new;
        let of = |name: &str, parent: Option<u32>, offset, role| Joint {
            role: Some(role),
            ..Joint::new(name.to_owned(), parent.map(JointId), offset)
        };
        let leg = v(0.0, -0.9 * bend.cos(), 0.9 * bend.sin());
        let joints = vec![
            of("Hips", None, v(0.0, 1.0, 0.0), Role::Hips),
            of("Head", Some(0), v(0.0, 0.6, 0.0), Role::Head),
            of("L", Some(0), v(0.1, 0.0, 0.0), Role::LeftUpperLeg),
            of("LFoot", Some(2), leg, Role::LeftFoot),
            of("R", Some(0), v(-0.1, 0.0, 0.0), Role::RightUpperLeg),
            of("RFoot", Some(4), leg, Role::RightFoot),
        ];
        Skeleton::new("body", Space::default(), joints).unwrap()
    }

    /// Vertices that each follow a joint.
    fn body(skeleton: &Skeleton, all: &[(u32, [f64; 3])]) -> Body {
        let mut object = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut object);
        let bone = |(id, _): (JointId, &Joint)| {
            let inverse_bind: Matrix4<f64> = object.joints[id.index()].inverse().to_homogeneous();
            Bone { joint: id, inverse_bind }
        };
        let mut skin =
            Skin { bones: skeleton.iter().map(bone).collect(), starts: vec![0], ..Skin::default() };
        for (bone, _) in all {
            skin.influences.push(Influence { bone: *bone, weight: 1.0 });
            skin.starts.push(skin.influences.len() as u32);
        }
        let positions = all.iter().map(|(_, place)| Vector3::from(*place)).collect();
        Body { meshes: vec![Mesh { positions, skin, ..Mesh::default() }], ..Body::default() }
    }

    #[test]
    fn the_mesh_decides_from_soles_to_the_top_of_the_head() {
        let straight = skeleton(0.0);
        // Vertices on the hips, such as a banner, do not count for the height.
        let vertices =
            [(1, [0.0, 1.72, 0.0]), (3, [0.1, 0.02, 0.0]), (0, [0.0, 3.0, 0.0]), (0, [0.0, -1.0, 0.0])];
        let height = body_height(&straight, Some(&body(&straight, &vertices))).unwrap();
        assert!((height - 1.7).abs() < 1e-12, "{height}");
        let by_bones = stature(&straight).unwrap();
        assert!((by_bones - height).abs() > 0.05, "{by_bones}");
        assert_eq!(body_height(&straight, None), Some(by_bones));
        // A head only, and a body that sits.
        assert_eq!(body_height(&straight, Some(&body(&straight, &vertices[..1]))), Some(by_bones));
        let sits = skeleton(1.2);
        assert_eq!(body_height(&sits, Some(&body(&sits, &vertices))), stature(&sits));
    }
}
