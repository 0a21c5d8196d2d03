//! Pose estimation from motion: properties of a skeleton that a clip shows and its rest pose does not.
//!
//! A rest pose with all bones along one axis does not show their roll. Frames with bent limbs show
//! the axes of knees and elbows. Frames in which toe and heel of a foot are in contact show how
//! flat it is, but only roughly: dancers stand on their toes.

use crate::body::{Body, Limb};
use crate::error::{RetargetError, SourceOrTarget};
use crate::reference_feet::posed_ankle;
use crate::reference_pose::{Directions, PoseHints, ReferencePose, hinted_reference_pose, nearest_axis};
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

/// What limbs and toes of a clip show, in frames sampled over it.
#[derive(Clone, Debug)]
pub(crate) struct MotionSample {
    /// The frames of the sample that are not yet placed, the last one first.
    coming: Vec<usize>,
    /// The number of all frames of the sample.
    count: usize,
    /// By limb of the body.
    bends: [Option<BendSum>; 4],
    /// Of legs with toes.
    ankles: Vec<AnkleHeights>,
    up: Vector3<f64>,
}

/// The sum of the axes about which a limb bends, in the frame of its first joint.
#[derive(Clone, Debug)]
struct BendSum {
    limb: Limb,
    sum: Vector3<f64>,
    /// Of their lengths.
    total: f64,
}

/// The heights of an ankle above the ball of its foot [leg lengths].
#[derive(Clone, Debug)]
struct AnkleHeights {
    leg: Limb,
    toes: JointId,
    /// With their frames.
    heights: Vec<(usize, f64)>,
}

impl MotionSample {
    /// A sample of a clip of this many frames, none of which is placed yet. With the up axis in
    /// `heights`, heights of ankles are measured too.
    pub(crate) fn new(body: &Body, frames: usize, heights: Option<&Vector3<f64>>) -> MotionSample {
        let count = frames.min(FRAMES);
        let bend = |limb: &Limb| BendSum { limb: limb.clone(), sum: Vector3::zeros(), total: 0.0 };
        let ankle = |leg: &Limb| {
            let toes = if leg.side == Side::Left { Role::LeftToes } else { Role::RightToes };
            let toes = body.roles.joint(toes)?;
            Some(AnkleHeights { leg: leg.clone(), toes, heights: Vec::with_capacity(count) })
        };
        MotionSample {
            coming: (0..count).rev().map(|i| i * frames / count).collect(),
            count,
            bends: [0, 1, 2, 3].map(|slot| body.limbs[slot].as_ref().map(bend)),
            ankles: body.legs().into_iter().filter(|_| heights.is_some()).filter_map(ankle).collect(),
            up: heights.copied().unwrap_or_default(),
        }
    }

    /// Takes the frames of the sample among those that are placed: the next ones of the clip, with the
    /// [`MotionSample::joints`].
    pub(crate) fn append(&mut self, placed: &PlacedJoints) {
        while let Some(frame) = self.coming.pop_if(|frame| placed.range().contains(frame)) {
            for BendSum { limb, sum, total } in self.bends.iter_mut().flatten() {
                let at = |joint: JointId| placed.position(joint, frame);
                let (above, below) = (at(limb.base) - at(limb.middle), at(limb.tip) - at(limb.middle));
                let normal = below.cross(&above) / (below.norm() * above.norm()).max(f64::MIN_POSITIVE);
                *total += normal.norm();
                *sum += placed.rotation(limb.base, frame).inverse() * normal;
            }
            for AnkleHeights { leg, toes, heights } in &mut self.ankles {
                let at = |joint: JointId| placed.position(joint, frame);
                let length = (at(leg.base) - at(leg.middle)).norm() + (at(leg.middle) - at(leg.tip)).norm();
                heights.push((frame, (at(leg.tip) - at(*toes)).dot(&self.up) / length));
            }
        }
    }

    /// The joints of a body that are read.
    pub(crate) fn joints(body: &Body) -> impl Iterator<Item = JointId> {
        let limbs = body.limbs.iter().flatten().flat_map(|limb| [limb.base, limb.middle, limb.tip]);
        limbs.chain([Role::LeftToes, Role::RightToes].into_iter().filter_map(|role| body.roles.joint(role)))
    }

    /// By limb of the body: the axis about which it bends (a positive rotation flexes), in the frame of its first
    /// joint; `None` if it stays straight or bends about several axes.
    pub(crate) fn bend_axes(&self) -> [Option<Vector3<f64>>; 4] {
        [0, 1, 2, 3].map(|slot| {
            let BendSum { sum, total, .. } = self.bends[slot].as_ref()?;
            let clear = sum.norm() > BENT * self.count as f64 && sum.norm() > AGREEING * total;
            if clear { sum.try_normalize(0.0) } else { None }
        })
    }

    /// The height of ankles above the balls of feet that stand flat, rounded by [`posed_ankle`] \[leg lengths\]:
    /// the median over the frames of each foot, then the lower of both feet, which is the flatter one. `None` if
    /// no foot stands.
    pub(crate) fn ankle_over_ball(&self, contacts: &[(Side, &FootContacts)]) -> Option<f64> {
        let heights = contacts.iter().filter_map(|(side, contacts)| {
            let AnkleHeights { heights, .. } = self.ankles.iter().find(|ankle| ankle.leg.side == *side)?;
            let flat = heights.iter().filter(|(frame, _)| contacts.toe[*frame] && contacts.heel[*frame]);
            let mut heights: Vec<f64> =
                flat.map(|(_, height)| *height).filter(|height| height.is_finite()).collect();
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
