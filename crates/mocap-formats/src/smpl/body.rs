//! The joints of an SMPL body in any skeleton that has them.

use super::model::upright;
use super::{Model, Problem};
use crate::Finding;
use mocap_model::{Isometry3, JointId, Skeleton, UnitQuaternion, Vector3, exp, rotation_between};

/// Bones of a T-pose are along the axes by at least this cosine.
const ALONG: f64 = 0.7;
/// If the pelvis at rest is within this distance of that of the mean body \[m\], its position is used; else that of the
/// mean body, because the skeleton was moved, for example onto a floor.
const PELVIS: f64 = 0.3;

pub(super) type Joints = Vec<Option<JointId>>;

/// The model of a skeleton, and its joints in the order of the model; hands and face may be missing.
pub(super) fn joints(skeleton: &Skeleton) -> Result<(Model, Joints), Finding> {
    let find = |name: &str| find(skeleton, name);
    let model = match (find("jaw"), find("left_index1")) {
        (Some(_), _) => Model::SmplX,
        (None, Some(_)) => Model::SmplH,
        (None, None) => Model::Smpl,
    };
    let joints: Joints = model.rows().map(|(name, ..)| find(name)).collect();
    if let Some(((joint, ..), _)) = model.rows().zip(&joints).take(22).find(|(_, joint)| joint.is_none()) {
        return Err(Finding::new(Problem::OtherSkeleton { joint }));
    }
    let parents = above(skeleton, &joints);
    for (place, (joint, expected, ..)) in model.rows().enumerate().skip(1) {
        let parent = model.rows().position(|(name, ..)| name == expected).and_then(|parent| joints[parent]);
        // A hand that is there without its wrist does not exist: the wrist is one of the 22 joints.
        if joints[place].is_some() && parents[place] != parent {
            let name = |id: JointId| format!("'{}'", skeleton.joint(id).name);
            let found = parents[place].map_or_else(|| "no joint of the body".into(), name);
            return Err(Finding::new(Problem::OtherParent { joint, found, expected }));
        }
    }
    Ok((model, joints))
}

/// By joint of the model: the nearest joint above it that is one of the model. Skeletons may have others between them.
pub(super) fn above(skeleton: &Skeleton, joints: &[Option<JointId>]) -> Joints {
    let mut known = vec![false; skeleton.len()];
    joints.iter().flatten().for_each(|joint| known[joint.index()] = true);
    let mut nearest: Joints = vec![None; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        nearest[id.index()] = joint
            .parent
            .and_then(|parent| if known[parent.index()] { Some(parent) } else { nearest[parent.index()] });
    }
    joints.iter().map(|joint| nearest[(*joint)?.index()]).collect()
}

/// The transform of a joint in the frame of a joint above it, or in object space, from those of all joints.
pub(super) fn relative(
    skeleton: &Skeleton,
    joint: JointId,
    above: Option<JointId>,
    local: impl Fn(JointId) -> Isometry3<f64>,
) -> Isometry3<f64> {
    let mut place = local(joint);
    let mut parent = skeleton.joint(joint).parent;
    while let Some(between) = parent.filter(|parent| Some(*parent) != above) {
        place = local(between) * place;
        parent = skeleton.joint(between).parent;
    }
    place
}

/// The transform of a joint at rest, as [`relative`].
fn at_rest(skeleton: &Skeleton, joint: JointId, above: Option<JointId>) -> Isometry3<f64> {
    relative(skeleton, joint, above, |joint| {
        let joint = skeleton.joint(joint);
        Isometry3::from_parts(joint.offset.into(), joint.rest_rotation)
    })
}

/// The joint of a name of the models: `left_hip`, or `L_Hip`.
fn find(skeleton: &Skeleton, name: &str) -> Option<JointId> {
    let side = name.strip_prefix("left_").map(|rest| ("L_", rest));
    let side = side.or(name.strip_prefix("right_").map(|rest| ("R_", rest)));
    let short = side.map_or_else(|| name.to_owned(), |(side, rest)| format!("{side}{rest}"));
    let same = |known: &str| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(&short);
    skeleton.iter().find(|(_, joint)| !joint.end_site && same(&joint.name)).map(|(id, _)| id)
}

/// The rotation from the axes of the models to those of the joints, whose bones have to be oriented as in the models:
/// the trunk along Y, the left arm along X. Joints have the axes of the models, or those of the space, as in a BVH, which
/// holds no rest rotations.
pub(super) fn axes(skeleton: &Skeleton, joints: &[Option<JointId>]) -> Result<UnitQuaternion<f64>, Finding> {
    let parents = above(skeleton, joints);
    let rest = |place: usize| joints[place].map(|joint| at_rest(skeleton, joint, parents[place]));
    let unturned = (1..joints.len()).filter_map(rest).all(|rest| rest.rotation.angle() < 1e-3);
    let fits = |axes: &UnitQuaternion<f64>| {
        let along = |place: usize, axis: Vector3<f64>| {
            let offset = rest(place).map(|rest| rest.translation.vector);
            offset.is_some_and(|offset| offset.dot(&(axes * axis)) > ALONG * offset.norm())
        };
        // spine2, the elbows and the knees.
        along(6, Vector3::y())
            && along(18, Vector3::x())
            && along(19, -Vector3::x())
            && along(4, -Vector3::y())
            && along(5, -Vector3::y())
    };
    let pelvis = rest(0).map_or_else(UnitQuaternion::identity, |rest| rest.rotation);
    let of_space = pelvis.inverse() * to_z_up(skeleton).inverse() * upright();
    let found = [UnitQuaternion::identity(), of_space].into_iter().find(fits);
    found.filter(|_| unturned).ok_or_else(|| Finding::new(Problem::OtherRest))
}

/// The turn from the axes of a skeleton to those of files: Z up, looking along -Y.
pub(super) fn to_z_up(skeleton: &Skeleton) -> UnitQuaternion<f64> {
    let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
    let first = rotation_between(&up, &Vector3::z());
    let ahead = first * forward;
    let about = ahead.x.atan2(-ahead.y);
    let second = exp(&(Vector3::z() * -about));
    debug_assert!((second * first * up - Vector3::z()).norm() < 1e-9);
    second * first
}

/// The position of the pelvis in the body at rest \[m\], from its position in object space.
pub(super) fn pelvis(model: Model, body: &Skeleton, joints: &[Option<JointId>], metres: f64) -> Vector3<f64> {
    let pelvis = joints[0].expect("every body has a pelvis");
    let (mean, own) = (model.pelvis(), at_rest(body, pelvis, None).translation.vector * metres);
    // At the origin it is not stated, as in a BVH, whose roots have the OFFSET 0 0 0.
    let is_stated = own.norm() > 1e-9 && (own - mean).norm() <= PELVIS;
    if is_stated { own } else { mean }
}

/// The skeleton of a model with the bones of another body, which has joints of the same names.
pub(super) fn with_bones_of(model: Model, mean: &Skeleton, body: &Skeleton) -> Result<Skeleton, Finding> {
    let (_, found) = joints(body)?;
    let to_model = axes(body, &found)?.inverse();
    let metres = body.space().metres().ok_or_else(|| Finding::new(Problem::NoUnit))?;
    let with_bones = mean.with_joints(|joint| {
        let parent = joint.parent.map(|parent| mean.joint(parent).name.as_str());
        joint.offset = match (find(body, &joint.name), parent.map(|parent| find(body, parent))) {
            (_, None) => pelvis(model, body, &found, metres),
            (Some(own), Some(Some(above))) => {
                to_model * at_rest(body, own, Some(above)).translation.vector * metres
            }
            _ => joint.offset,
        };
    });
    with_bones.map_err(|_| Finding::new(Problem::OtherRest))
}
