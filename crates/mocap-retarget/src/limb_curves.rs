//! The limbs of a body over time, as they are compared between source and target.

use crate::body::{Body, Limb, LimbKind};
use crate::error::SourceOrTarget;
use crate::limb_map::LimbMap;
use crate::pair::Pair;
use mocap_analysis::{Trajectory, mean_jerk};
use mocap_model::{FrameRate, JointId, LANES, PlacedJoints, Vector3, VectorLanes};
use std::mem::take;

/// The limbs of source or target, which are compared.
pub(crate) struct LimbCurves {
    /// By limb of the pair.
    pub limbs: Vec<LimbCurve>,
}

/// One limb over time.
pub(crate) struct LimbCurve {
    /// Trunk, base, middle and tip.
    joints: [JointId; 4],
    /// The direction straight behind, as seen from the trunk.
    back: Vector3<f64>,
    /// The angles \[deg\] of its upper bone from straight behind the trunk, and its bend.
    pub angles: [Vec<f64>; 2],
    /// The places of the tip, until they are no longer needed.
    tips: Trajectory,
    /// The mean jerk of the tip [units of the clip / s³].
    pub jerk: f64,
}

impl LimbCurves {
    /// Without frames yet.
    pub(crate) fn new(pair: &Pair, of: SourceOrTarget, frames: usize) -> LimbCurves {
        // Usual poses of a limb are far from 0 and 180° of this direction, so the angle is smooth.
        let back = -pair.directions.forward;
        let curve = |limb: &LimbMap| {
            let (character, limb) = match of {
                SourceOrTarget::Source => (&pair.source, &limb.source),
                SourceOrTarget::Target => (&pair.target, &limb.target),
            };
            let joints = limb_joints(&character.body, limb);
            let capacity = || Vec::with_capacity(frames);
            LimbCurve {
                joints,
                back: character.reference.rotation[joints[0].index()].inverse() * back,
                angles: [capacity(), capacity()],
                tips: Vec::with_capacity(frames.next_multiple_of(LANES)),
                jerk: 0.0,
            }
        };
        LimbCurves { limbs: pair.limbs.iter().map(curve).collect() }
    }

    /// Appends the frames that are placed.
    pub(crate) fn append(&mut self, placed: &PlacedJoints) {
        self.limbs.iter_mut().for_each(|limb| limb.append(placed));
    }

    /// The curves, with the values that need all frames.
    pub(crate) fn finish(mut self, rate: FrameRate) -> LimbCurves {
        for limb in &mut self.limbs {
            limb.jerk = mean_jerk(&take(&mut limb.tips), rate.fps());
        }
        self
    }
}

impl LimbCurve {
    fn append(&mut self, placed: &PlacedJoints) {
        let LimbCurve { joints, back, angles: [upper, bend], tips, .. } = self;
        for block in placed.blocks() {
            let [trunk, base, middle, tip] = joints.map(|joint| placed.lanes(joint, block));
            let above = middle.position.minus(&base.position);
            let below = tip.position.minus(&middle.position);
            let back = trunk.rotation.turn(back);
            let count = LANES.min(placed.frames() - block * LANES);
            upper.extend(angles_between(&back, &above).into_iter().take(count));
            bend.extend(angles_between(&above, &below).into_iter().take(count));
        }
        placed.append_positions(joints[3], tips);
    }
}

/// Angles between vectors \[deg\]; 0 if one has no length.
fn angles_between(a: &VectorLanes, b: &VectorLanes) -> [f64; LANES] {
    // One operation at a time over all lanes, which the compiler turns into vector instructions.
    let (dots, squares) = (a.dot_each(b), [a.norm_squared(), b.norm_squared()]);
    let lengths: [f64; LANES] = std::array::from_fn(|lane| squares[0][lane].sqrt() * squares[1][lane].sqrt());
    let cosines: [f64; LANES] =
        std::array::from_fn(|lane| if lengths[lane] > 0.0 { dots[lane] / lengths[lane] } else { 1.0 });
    cosines.map(|cosine| cosine.clamp(-1.0, 1.0).acos().to_degrees())
}

/// Trunk, base, middle and tip of a limb.
pub(crate) fn limb_joints(body: &Body, limb: &Limb) -> [JointId; 4] {
    let trunk = if limb.kind == LimbKind::Leg { body.hips } else { body.top() };
    [trunk, limb.base, limb.middle, limb.tip]
}
