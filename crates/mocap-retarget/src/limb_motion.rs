//! Object-space motion of the limbs of a clip.

use crate::body::{Body, Limb, LimbKind};
use mocap_analysis::placements;
use mocap_model::{Clip, Isometry3, JointId};

/// Trunk, base, middle and tip of each limb over the frames of a clip, from one pass of forward kinematics.
pub(crate) struct LimbMotions {
    placed: Vec<Vec<Isometry3<f64>>>,
    trunks: Vec<JointId>,
}

impl LimbMotions {
    pub(crate) fn of<'a>(clip: &Clip, body: &Body, limbs: impl Iterator<Item = &'a Limb>) -> LimbMotions {
        let mut joints = Vec::new();
        let mut trunks = Vec::new();
        for limb in limbs {
            let trunk = if limb.kind == LimbKind::Leg { body.hips } else { body.top() };
            joints.extend([trunk, limb.base, limb.middle, limb.tip]);
            trunks.push(trunk);
        }
        LimbMotions { placed: placements(clip, &joints), trunks }
    }

    /// Trunk, base, middle and tip of limb `i`, by frame.
    pub(crate) fn limb(&self, i: usize) -> Option<[&[Isometry3<f64>]; 4]> {
        let four = self.placed.get(4 * i..4 * i + 4)?;
        Some([0, 1, 2, 3].map(|k| four[k].as_slice()))
    }

    /// The joint of the trunk that limb `i` is measured from.
    pub(crate) fn trunk(&self, i: usize) -> JointId {
        self.trunks[i]
    }
}
