//! A body on another skeleton of the same character: after a change of units, axes or size, and after joints were added
//! or removed.

use std::collections::HashMap;

use nalgebra::Matrix4;

use super::{Body, Bone, Influence, Mesh, Skin};
use crate::edit::change_of_space;
use crate::{JointId, Pose, Skeleton};

/// Bones whose lengths differ by less, relatively, are the same.
const SAME_LENGTH: f64 = 1e-4;

impl Body {
    /// The body on the joints of `to` with the same names as those of `from`, to which it is bound.
    /// What followed a joint that `to` lacks follows the nearest joint above that `to` has, or else
    /// the first root of `to`. Where all bones of `to` are larger or smaller by one factor, so is
    /// the body.
    pub fn on(&self, from: &Skeleton, to: &Skeleton) -> Body {
        let names: HashMap<&str, JointId> = to.iter().map(|(id, joint)| (joint.name.as_str(), id)).collect();
        let change = change_of_space(from.space(), to.space());
        let change = change * Matrix4::new_scaling(factor(from, to, &change, &names));
        let mut object = Pose::default();
        Pose::rest(from).to_object(from, &mut object);
        // By joint: the joint of `to` that replaces it, and the transform from it to that joint at rest.
        let places: Vec<(JointId, Matrix4<f64>)> = from
            .iter()
            .map(|(id, _)| {
                let above = std::iter::successors(Some(id), |id| from.joint(*id).parent);
                let mut above = above.filter_map(|id| Some((id, *names.get(from.joint(id).name.as_str())?)));
                match above.next() {
                    Some((kept, found)) => {
                        let way = object.joints[kept.index()].inverse() * object.joints[id.index()];
                        (found, change * way.to_homogeneous())
                    }
                    None => {
                        let mut root = Pose::default();
                        Pose::rest(to).to_object(to, &mut root);
                        let root = root.joints[0].inverse().to_homogeneous();
                        (JointId(0), root * change * object.joints[id.index()].to_homogeneous())
                    }
                }
            })
            .collect();
        let meshes = self.meshes.iter().map(|mesh| Mesh { skin: mesh.skin.on(&places), ..mesh.clone() });
        Body { meshes: meshes.collect(), materials: self.materials.clone() }
    }
}

impl Skin {
    /// The skin with its joints replaced: `places` has the replacement of each joint and the transform to it.
    fn on(&self, places: &[(JointId, Matrix4<f64>)]) -> Skin {
        let bones = self.bones.iter().map(|bone| {
            let (joint, way) = places[bone.joint.index()];
            Bone { joint, inverse_bind: way * bone.inverse_bind }
        });
        Skin { bones: bones.collect(), ..self.clone() }.merged()
    }

    /// The same skin where each joint with one bind matrix is one bone.
    fn merged(&self) -> Skin {
        let mut bones: Vec<Bone> = Vec::with_capacity(self.bones.len());
        let mut places = Vec::with_capacity(self.bones.len());
        for bone in &self.bones {
            let same = |other: &Bone| {
                let off = (other.inverse_bind - bone.inverse_bind).amax();
                other.joint == bone.joint && off <= 1e-6 * bone.inverse_bind.amax()
            };
            places.push(bones.iter().position(same).unwrap_or_else(|| {
                bones.push(*bone);
                bones.len() - 1
            }) as u32);
        }
        if bones.len() == self.bones.len() {
            return self.clone();
        }
        let mut skin = Skin { bones, starts: vec![0], influences: Vec::with_capacity(self.influences.len()) };
        for vertex in 0..self.starts.len().saturating_sub(1) {
            let first = skin.influences.len();
            for one in self.of(vertex) {
                let bone = places[one.bone as usize];
                match skin.influences[first..].iter_mut().find(|other| other.bone == bone) {
                    Some(other) => other.weight += one.weight,
                    None => skin.influences.push(Influence { bone, ..*one }),
                }
            }
            skin.starts.push(skin.influences.len() as u32);
        }
        skin
    }
}

/// The factor by which all bones of a skeleton grow, after the change of space; 1 where bones differ in it. Where there are
/// no bones, the factor by which the skeletons were scaled.
fn factor(from: &Skeleton, to: &Skeleton, change: &Matrix4<f64>, names: &HashMap<&str, JointId>) -> f64 {
    if let Some(growth) = to.growth_without_bones(from) {
        return growth;
    }
    let lengths: Vec<[f64; 2]> = from
        .joints()
        .iter()
        .filter_map(|joint| {
            let other = to.joint(*names.get(joint.name.as_str())?);
            let parents = [from.joint(joint.parent?), to.joint(other.parent?)];
            let same = parents[0].name == parents[1].name;
            same.then(|| [change.transform_vector(&joint.offset).norm(), other.offset.norm()])
        })
        .collect();
    let [own, other] = lengths.iter().fold([0.0, 0.0], |[a, b], [own, other]| [a + own, b + other]);
    let factor = other / own;
    let same = |[a, b]: &[f64; 2]| (a * factor - b).abs() <= SAME_LENGTH * other;
    let resized = factor.is_finite() && factor > 0.0 && (factor - 1.0).abs() > SAME_LENGTH;
    if resized && lengths.iter().all(same) { factor } else { 1.0 }
}
