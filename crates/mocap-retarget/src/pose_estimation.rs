//! Pose estimation from motion: properties of a skeleton that a clip shows and its rest pose does not.
//!
//! A rest pose with all bones along one axis does not show their roll. Frames with bent limbs show the axes of
//! knees and elbows. Frames in which both feet stand alike show how flat they are, but only roughly: dancers
//! stand on their toes.

use crate::body::{Body, Limb};
use crate::error::{RetargetError, SourceOrTarget};
use crate::reference_pose::{
    Directions, PoseHints, ReferencePose, hinted_reference_pose, nearest_axis, posed_ankle,
};
use mocap_analysis::FootContacts;
use mocap_model::{JointId, PlacedJoints, Pose, Role, Side, Skeleton, Vector3};

/// Number of frames sampled over the clip.
const FRAMES: usize = 256;
/// A bend axis is clear if the mean sine of the bend is above the first value, and the axes of the frames agree
/// by at least the second (length of their mean).
const BENT: f64 = 0.05;
const AGREEING: f64 = 0.5;
/// Rolls that do not match an axis of the rig are rounded to 10°: motions show them to about 1° only, and all
/// clips of a rig shall give the same \[rad\].
const ROLL_STEP: f64 = std::f64::consts::PI / 18.0;
/// Least number of frames with a flat foot.
const FEWEST: usize = 5;

/// Limbs and toes of a clip in object space, in frames sampled over it.
pub(crate) struct MotionSample<'a> {
    frames: Vec<usize>,
    placed: &'a PlacedJoints,
}

impl MotionSample<'_> {
    /// Samples a clip whose [`MotionSample::joints`] are placed.
    pub(crate) fn of(placed: &PlacedJoints) -> MotionSample<'_> {
        let count = placed.frames().min(FRAMES);
        MotionSample { frames: (0..count).map(|i| i * placed.frames() / count).collect(), placed }
    }

    /// The joints of a body that are read.
    pub(crate) fn joints(body: &Body) -> impl Iterator<Item = JointId> {
        let limbs = body.limbs.iter().flatten().flat_map(|limb| [limb.base, limb.middle, limb.tip]);
        limbs.chain([Role::LeftToes, Role::RightToes].into_iter().filter_map(|role| body.roles.joint(role)))
    }

    /// By limb of the body: the axis about which it bends (a positive rotation flexes), in the frame of its first
    /// joint; `None` if it stays straight or bends about several axes.
    pub(crate) fn bend_axes(&self, body: &Body) -> [Option<Vector3<f64>>; 4] {
        [0, 1, 2, 3].map(|slot| self.bend_axis(body.limbs[slot].as_ref()?))
    }

    /// The axis of one limb.
    pub(crate) fn bend_axis(&self, limb: &Limb) -> Option<Vector3<f64>> {
        let (mut sum, mut total) = (Vector3::zeros(), 0.0);
        for frame in &self.frames {
            let at = |joint: JointId| self.placed.position(joint, *frame);
            let (above, below) = (at(limb.base) - at(limb.middle), at(limb.tip) - at(limb.middle));
            let normal = below.cross(&above) / (below.norm() * above.norm()).max(f64::MIN_POSITIVE);
            total += normal.norm();
            sum += self.placed.rotation(limb.base, *frame).inverse() * normal;
        }
        let clear = sum.norm() > BENT * self.frames.len() as f64 && sum.norm() > AGREEING * total;
        if clear { sum.try_normalize(0.0) } else { None }
    }
}

impl MotionSample<'_> {
    /// The height of ankles above the balls of feet that stand flat, rounded by [`posed_ankle`] \[leg lengths\]:
    /// the median over the frames of each foot, then the lower of both feet, which is the flatter one. `None` if
    /// no foot stands.
    pub(crate) fn ankle_over_ball(
        &self,
        body: &Body,
        contacts: &[(Side, &FootContacts)],
        up: &Vector3<f64>,
    ) -> Option<f64> {
        let heights = contacts.iter().filter_map(|(side, contacts)| {
            let leg = body.legs().into_iter().find(|leg| leg.side == *side)?;
            let toes = if *side == Side::Left { Role::LeftToes } else { Role::RightToes };
            let toes = body.roles.joint(toes)?;
            let flat = self.frames.iter().filter(|frame| contacts.toe[**frame] && contacts.heel[**frame]);
            let height = |frame: &usize| {
                let at = |joint: JointId| self.placed.position(joint, *frame);
                let length = (at(leg.base) - at(leg.middle)).norm() + (at(leg.middle) - at(leg.tip)).norm();
                (at(leg.tip) - at(toes)).dot(up) / length
            };
            let mut heights: Vec<f64> = flat.map(height).filter(|height| height.is_finite()).collect();
            let middle = heights.len() / 2;
            (heights.len() >= FEWEST).then(|| *heights.select_nth_unstable_by(middle, f64::total_cmp).1)
        });
        heights.min_by(f64::total_cmp).map(posed_ankle)
    }
}

/// A reference pose and what it was made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis<'a> {
    pub skeleton: &'a Skeleton,
    pub body: &'a Body,
    /// The local pose that `reference` was made from.
    pub base: &'a Pose,
    pub reference: &'a ReferencePose,
}

/// An estimated reference pose with limbs rolled as a motion shows them: knees bend back and elbows forward. `ankle` is
/// [`MotionSample::ankle_over_ball`].
pub(crate) fn refine_reference_pose(
    basis: Basis,
    bend_axes: &[Option<Vector3<f64>>; 4],
    ankle: Option<f64>,
) -> Result<ReferencePose, RetargetError> {
    let mut refined = roll_limbs(basis, bend_axes, ankle)?;
    for (id, joint) in basis.skeleton.iter() {
        refined.local[id.index()] = match joint.parent {
            Some(parent) => refined.rotation[parent.index()].inverse() * refined.rotation[id.index()],
            None => refined.rotation[id.index()],
        };
    }
    Ok(refined)
}

/// Rolls the limbs of an estimated reference pose about their lines until knees and elbows bend the usual way.
fn roll_limbs(
    basis: Basis,
    bend_axes: &[Option<Vector3<f64>>; 4],
    ankle: Option<f64>,
) -> Result<ReferencePose, RetargetError> {
    let Basis { skeleton, body, base, reference } = basis;
    let directions = Directions::of(skeleton);
    let unrolled = reference.unrolled.as_deref().unwrap_or(reference);
    let mut rolls = [0.0; 4];
    for ((limb, axis), roll) in body.limbs.iter().zip(bend_axes).zip(&mut rolls) {
        if let (Some(limb), Some(axis)) = (limb, axis) {
            // Rigs whose limbs bend about an axis of their joints, or nearly so, get exactly that axis: the
            // result is the same for all their motions.
            let own = nearest_axis(axis);
            let angle = angle_about_limb(unrolled, limb, &own, &directions.bend(limb));
            *roll = if own == *axis { (angle / ROLL_STEP).round() * ROLL_STEP } else { angle };
        }
    }
    hinted_reference_pose(skeleton, body, base, SourceOrTarget::Source, &PoseHints { rolls, ankle })
}

/// The angle \[rad\] about the line of a stretched limb that turns an axis of its first joint to a direction.
fn angle_about_limb(
    reference: &ReferencePose,
    limb: &Limb,
    axis: &Vector3<f64>,
    wished: &Vector3<f64>,
) -> f64 {
    let line = reference.position[limb.tip.index()] - reference.position[limb.base.index()];
    let Some(line) = line.try_normalize(0.0) else { return 0.0 };
    let across = |v: Vector3<f64>| v - line * v.dot(&line);
    let now = across(reference.rotation[limb.base.index()] * axis);
    let wished = across(*wished);
    line.dot(&now.cross(&wished)).atan2(now.dot(&wished))
}
