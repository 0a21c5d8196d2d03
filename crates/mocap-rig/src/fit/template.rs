//! Fits a template skeleton to a body.

use std::collections::BTreeMap;

use mocap_model::{Joint, JointId, Role, Skeleton, Space, UnitQuaternion, Vector3};

use super::FoundBody;
use super::attached::{Attached, FittedJoint};
use crate::{RigError, rest_places};

/// The trunk and limbs of the template of this program: name, parent, role. The right side is mirrored from the left.
const JOINTS: [(&str, &str, Role); 14] = [
    ("Hips", "", Role::Hips),
    ("Spine", "Hips", Role::Spine),
    ("Spine1", "Spine", Role::Chest),
    ("Spine2", "Spine1", Role::UpperChest),
    ("Neck", "Spine2", Role::Neck),
    ("Head", "Neck", Role::Head),
    ("LeftShoulder", "Spine2", Role::LeftShoulder),
    ("LeftArm", "LeftShoulder", Role::LeftUpperArm),
    ("LeftForeArm", "LeftArm", Role::LeftLowerArm),
    ("LeftHand", "LeftForeArm", Role::LeftHand),
    ("LeftUpLeg", "Hips", Role::LeftUpperLeg),
    ("LeftLeg", "LeftUpLeg", Role::LeftLowerLeg),
    ("LeftFoot", "LeftLeg", Role::LeftFoot),
    ("LeftToeBase", "LeftFoot", Role::LeftToes),
];
/// Fingers: in names, in roles.
const FINGERS: [(&str, &str); 5] =
    [("Thumb", "Thumb"), ("Index", "Index"), ("Middle", "Middle"), ("Ring", "Ring"), ("Pinky", "Little")];

/// A skeleton that was fitted to a body.
#[derive(Clone, Debug)]
pub struct FittedSkeleton {
    /// Its joints' frames lie along the axes of the mesh.
    pub skeleton: Skeleton,
    /// By joint.
    pub joints: Vec<FittedJoint>,
}

/// The template of this program: a humanoid of 52 joints with hands and feet, with roles and without places.
///
/// # Panics
/// Never: the table is checked by a test.
pub fn humanoid() -> Skeleton {
    humanoid_with([true; 2])
}

/// As [`humanoid`], with fingers of the left hand, and of the right one, or without.
///
/// # Panics
/// Never: the table is checked by a test.
pub fn humanoid_with(fingers: [bool; 2]) -> Skeleton {
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |name: String, parent: &str, role: Option<Role>| {
        let parent = joints.iter().position(|joint| joint.name == parent).map(JointId::from);
        let mut joint = Joint::new(name, parent, Vector3::zeros());
        joint.role = role;
        if parent.is_none() {
            joint.dofs.translation = [true; 3];
        }
        joints.push(joint);
    };
    let other = |name: &str| name.replacen("Left", "Right", 1);
    for sided in [false, true] {
        for (name, parent, role) in JOINTS {
            if !sided {
                add(name.to_owned(), parent, Some(role));
            } else if name.starts_with("Left") {
                add(other(name), &other(parent), Some(role.mirrored()));
            }
        }
        let side = if sided { "Right" } else { "Left" };
        for (finger, role) in FINGERS.into_iter().filter(|_| fingers[usize::from(sided)]) {
            let mut parent = format!("{side}Hand");
            for number in 1..=3 {
                let name = format!("{side}Hand{finger}{number}");
                add(name.clone(), &parent, format!("{side}{role}{number}").parse().ok());
                parent = name;
            }
        }
    }
    Skeleton::new("Humanoid", Space::default(), joints).expect("the table is a skeleton")
}

/// Places the joints of a template in a body. Joints with a role go to its landmark; those between two placed joints keep
/// their share of the path; others keep their place on the bone or beside the joint where the template has them, rotated
/// and scaled with it. `fixed` has given places of joints by name, in the space of the mesh; the fitted skeleton gets
/// `space`, its unit and axes.
///
/// # Errors
/// [`RigError::NoJoint`] where `fixed` names a joint that the template lacks,
/// [`RigError::NoBones`] where fewer than five joints have a landmark or a given place.
pub fn fit(
    template: &Skeleton,
    found: &FoundBody,
    fixed: &BTreeMap<String, Vector3<f64>>,
    space: Space,
) -> Result<FittedSkeleton, RigError> {
    if let Some(joint) = fixed.keys().find(|name| template.find(name).is_none()) {
        return Err(RigError::NoJoint { joint: joint.clone() });
    }
    let known: Vec<Option<FittedJoint>> = template
        .joints()
        .iter()
        .map(|joint| {
            if let Some(place) = fixed.get(&joint.name) {
                let reason = "fixed by the user".to_owned();
                return Some(FittedJoint { place: *place, confidence: 1.0, reason });
            }
            let landmark = found.landmarks.get(&joint.role?)?;
            let (place, confidence, reason) = (landmark.place, landmark.confidence, landmark.reason.clone());
            Some(FittedJoint { place, confidence, reason })
        })
        .collect();
    if known.iter().flatten().count() < 5 {
        return Err(RigError::NoBones);
    }
    // A root below the hips stands on the floor.
    let root = FittedJoint { place: found.frame.floor, confidence: 0.9, reason: "on the floor".into() };
    placed(template, &known, root, space)
}

/// A template with some joints placed: those between two of them keep their share of the path, others go along with the
/// bones that they are at ([`Attached`]). `root` is the place of a root that is not known.
///
/// # Errors
/// [`RigError::NoBones`].
pub(super) fn placed(
    template: &Skeleton,
    known: &[Option<FittedJoint>],
    root: FittedJoint,
    space: Space,
) -> Result<FittedSkeleton, RigError> {
    let rest = rest_places(template);
    let attached = Attached::new(template, &rest, known);
    let mut joints: Vec<FittedJoint> = Vec::with_capacity(template.len());
    for (id, joint) in template.iter() {
        let at = id.index();
        let between = || {
            let parent = joint.parent?;
            let next = below(template, id, known)?;
            let above = &joints[parent.index()];
            let to = known[next].as_ref().map_or(above.place, |known| known.place);
            let place = above.place + (to - above.place) * share(&rest, parent.index(), at, next);
            let (from, to) = (&template.joint(parent).name, &template.joints()[next].name);
            let reason = format!("between {from} and {to}");
            Some(FittedJoint { place, confidence: above.confidence * 0.8, reason })
        };
        let fitted = match &known[at] {
            Some(known) => known.clone(),
            None if at == 0 && attached.at_another(at).is_none() => root.clone(),
            None => between().unwrap_or_else(|| {
                let base = joints.first().map_or(root.place, |first| first.place);
                let (place, reason) = attached.place(id, &base);
                let above = joint.parent.map_or(root.confidence, |parent| joints[parent.index()].confidence);
                FittedJoint { place, confidence: above * 0.6, reason }
            }),
        };
        joints.push(fitted);
    }
    let mut made = template.joints().to_vec();
    for (at, joint) in made.iter_mut().enumerate() {
        let above = joint.parent.map_or_else(Vector3::zeros, |parent| joints[parent.index()].place);
        joint.offset = joints[at].place - above;
        joint.rest_rotation = UnitQuaternion::identity();
    }
    let skeleton = Skeleton::new(template.name(), space, made).map_err(|_| RigError::NoBones)?;
    Ok(FittedSkeleton { skeleton, joints })
}

/// The nearest joint below one with a known place.
fn below(template: &Skeleton, from: JointId, known: &[Option<FittedJoint>]) -> Option<usize> {
    let mut open = std::collections::VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        if known[at.index()].is_some() {
            return Some(at.index());
        }
        open.extend(template.children(at));
    }
    None
}

/// The share of the path from one joint to another at which a third one is.
fn share(rest: &[Vector3<f64>], from: usize, at: usize, to: usize) -> f64 {
    let way = rest[to] - rest[from];
    let square = way.norm_squared();
    if square > 0.0 { ((rest[at] - rest[from]).dot(&way) / square).clamp(0.0, 1.0) } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_has_52_joints_with_roles() {
        let skeleton = humanoid();
        assert_eq!(skeleton.len(), 52);
        assert!(skeleton.joints().iter().all(|joint| joint.role.is_some()));
        assert_eq!(skeleton.roots().count(), 1);
        let toe = skeleton.find("RightToeBase").unwrap();
        assert_eq!(skeleton.joint(toe).role, Some(Role::RightToes));
        let bare = humanoid_with([false, true]);
        assert_eq!(bare.len(), 37);
        assert!(bare.find("LeftHandThumb1").is_none() && bare.find("RightHandThumb1").is_some());
        let finger = skeleton.find("LeftHandPinky3").unwrap();
        assert_eq!(skeleton.joint(finger).role, Some(Role::LeftLittle3));
    }
}
