//! Object-space motion of the limbs of a clip.

use crate::body::{Body, Limb, LimbKind};
use mocap_model::{JointId, PlacedJoints};

/// The limbs of a body in a clip whose joints are placed.
pub(crate) struct LimbMotions<'a> {
    pub placed: &'a PlacedJoints,
    /// By limb: trunk, base, middle and tip.
    limbs: Vec<[JointId; 4]>,
}

impl<'a> LimbMotions<'a> {
    /// Of a clip in which the joints of [`LimbMotions::joints`] are placed.
    pub(crate) fn of<'b>(
        placed: &'a PlacedJoints,
        body: &Body,
        limbs: impl Iterator<Item = &'b Limb>,
    ) -> LimbMotions<'a> {
        LimbMotions { placed, limbs: limbs.map(|limb| joints(body, limb)).collect() }
    }

    /// The joints that are read.
    pub(crate) fn joints<'b>(
        body: &'b Body,
        limbs: impl Iterator<Item = &'b Limb>,
    ) -> impl Iterator<Item = JointId> {
        limbs.flat_map(|limb| joints(body, limb))
    }

    /// Trunk, base, middle and tip of limb `i`.
    pub(crate) fn limb(&self, i: usize) -> Option<[JointId; 4]> {
        self.limbs.get(i).copied()
    }
}

fn joints(body: &Body, limb: &Limb) -> [JointId; 4] {
    let trunk = if limb.kind == LimbKind::Leg { body.hips } else { body.top() };
    [trunk, limb.base, limb.middle, limb.tip]
}
