//! The joints by which the limbs of a body are measured.

use crate::body::{Body, Limb, LimbKind};
use mocap_model::JointId;

/// Trunk, base, middle and tip of a limb.
pub(crate) fn limb_joints(body: &Body, limb: &Limb) -> [JointId; 4] {
    let trunk = if limb.kind == LimbKind::Leg { body.hips } else { body.top() };
    [trunk, limb.base, limb.middle, limb.tip]
}
