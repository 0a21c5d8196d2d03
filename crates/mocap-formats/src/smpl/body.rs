//! The joints of an SMPL body in any skeleton that has them.

use super::{Model, Problem};
use crate::Finding;
use mocap_model::{JointId, Skeleton, Vector3};

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
    match model.rows().zip(&joints).take(22).find(|(_, joint)| joint.is_none()) {
        Some(((joint, ..), _)) => Err(Finding::new(Problem::OtherSkeleton { joint })),
        None => Ok((model, joints)),
    }
}

/// The joint of a name of the models: `left_hip`, or `L_Hip`.
fn find(skeleton: &Skeleton, name: &str) -> Option<JointId> {
    let side = name.strip_prefix("left_").map(|rest| ("L_", rest));
    let side = side.or(name.strip_prefix("right_").map(|rest| ("R_", rest)));
    let short = side.map_or_else(|| name.to_owned(), |(side, rest)| format!("{side}{rest}"));
    let same = |known: &str| known.eq_ignore_ascii_case(name) || known.eq_ignore_ascii_case(&short);
    skeleton.iter().find(|(_, joint)| !joint.end_site && same(&joint.name)).map(|(id, _)| id)
}

/// Checks that bones are oriented as in the models: in the axes of the pelvis, the trunk along Y, the left arm along X.
pub(super) fn check_rest(skeleton: &Skeleton, joints: &[Option<JointId>]) -> Result<(), Finding> {
    let along = |place: usize, axis: Vector3<f64>| {
        let offset = joints[place].map(|joint| skeleton.joint(joint).offset);
        offset.is_some_and(|offset| offset.dot(&axis) > ALONG * offset.norm())
    };
    // spine2, the elbows and the knees.
    let as_expected = along(6, Vector3::y())
        && along(18, Vector3::x())
        && along(19, -Vector3::x())
        && along(4, -Vector3::y())
        && along(5, -Vector3::y());
    let unturned =
        joints.iter().skip(1).flatten().all(|joint| skeleton.joint(*joint).rest_rotation.angle() < 1e-3);
    if as_expected && unturned { Ok(()) } else { Err(Finding::new(Problem::OtherRest)) }
}

/// The position of the pelvis in the body at rest \[m\].
pub(super) fn pelvis(model: Model, body: &Skeleton, metres: f64) -> Vector3<f64> {
    let (mean, own) = (model.pelvis(), body.joints()[0].offset * metres);
    if (own - mean).norm() <= PELVIS { own } else { mean }
}

/// The skeleton of a model with the bones of another body, which has joints of the same names.
pub(super) fn with_bones_of(model: Model, mean: &Skeleton, body: &Skeleton) -> Result<Skeleton, Finding> {
    let (_, found) = joints(body)?;
    check_rest(body, &found)?;
    let metres = body.space().metres().ok_or_else(|| Finding::new(Problem::NoUnit))?;
    let with_bones = mean.with_joints(|joint| {
        joint.offset = match (joint.parent, find(body, &joint.name)) {
            (None, _) => pelvis(model, body, metres),
            (_, Some(own)) => body.joint(own).offset * metres,
            (_, None) => joint.offset,
        };
    });
    with_bones.map_err(|_| Finding::new(Problem::OtherRest))
}
