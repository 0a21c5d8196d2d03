//! A limb of two bones without limits: solved in closed form, without a chain.

use crate::folding::Folding;
use crate::limb_bend::{bend_axes, bends_back};
use crate::limb_map::LimbMap;
use crate::options::LimbSolver;
use crate::pair::TargetLimits;
use mocap_ik::{BoneTurns, IkMethod};
use mocap_model::{Skeleton, UnitQuaternion, Vector3, renormalised};
use nalgebra::Unit;

/// The bones of a limb whose joints turn freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeLimb {
    /// From the first joint to knee or elbow, and from there to the tip, each in the frame of its joint.
    bones: [Vector3<f64>; 2],
    /// The product of their lengths.
    product: f64,
    folding: Folding,
    /// A tip this near to its goal has reached it \[units of the target, squared\].
    reached: f64,
}

/// The transferred pose of a limb in one frame, seen from its first joint, and what it is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeTask {
    /// Orientations of both joints.
    pub frames: [UnitQuaternion<f64>; 2],
    /// Target position of the tip.
    pub goal: Vector3<f64>,
    /// The axis about which the limb flexes.
    pub bend: Vector3<f64>,
    /// Whether goals that would fold the limb flat are softened.
    pub unfolds: bool,
}

/// A solved limb.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreePose {
    /// Orientations of both joints.
    pub frames: [UnitQuaternion<f64>; 2],
    /// Whether it differs from the transferred pose.
    pub moved: bool,
    /// The squared distance of the tip from the goal that was asked for.
    pub left: f64,
    /// Whether the goal was softened.
    pub softened: bool,
    /// Whether knee or elbow bends the wrong way, and did not before.
    pub flipped: bool,
}

impl FreeLimb {
    /// `None` for a limb with limits or further joints, or for another solver. A goal is reached within a share of the
    /// limb's length.
    pub(crate) fn of(
        skeleton: &Skeleton,
        limits: &TargetLimits,
        limb: &LimbMap,
        solver: LimbSolver,
        reached: f64,
    ) -> Option<FreeLimb> {
        let [base, middle, tip] = [limb.target.base, limb.target.middle, limb.target.tip];
        let two_bones = limb.chain.joints() == [base, middle] && skeleton.joint(tip).parent == Some(middle);
        let free = [base, middle].iter().all(|joint| limits.constraints[joint.index()].is_free());
        let closed_form = matches!(solver, LimbSolver::Auto | LimbSolver::Named(IkMethod::TwoBone));
        let bones = [middle, tip].map(|joint| skeleton.joint(joint).offset);
        let [upper, lower] = bones.map(|bone| bone.norm());
        (two_bones && free && closed_form).then(|| FreeLimb {
            bones,
            product: upper * lower,
            folding: Folding::new(limb.target.kind, upper, lower),
            reached: (reached * (upper + lower)).powi(2),
        })
    }

    /// The solution, as the chain of the limb has it; `None` if the bones cannot reach the goal. `flipped` is the sine
    /// beyond which a limb that bends the wrong way is flipped.
    #[inline]
    pub(crate) fn solve(&self, task: &FreeTask, flipped: f64) -> Option<FreePose> {
        let FreeTask { frames, goal: asked, bend, unfolds } = *task;
        let (upper, lower) = (frames[0] * self.bones[0], frames[1] * self.bones[1]);
        let tip = upper + lower;
        let softened = if unfolds { self.folding.softened(&asked, &tip) } else { None };
        let goal = softened.unwrap_or(asked);
        let left = |tip: &Vector3<f64>| (goal - tip).norm_squared();
        let pose = |frames, moved, tip: &Vector3<f64>, flipped| {
            let left = (asked - tip).norm_squared();
            FreePose { frames, moved, left, softened: softened.is_some(), flipped }
        };
        if left(&tip) <= self.reached {
            return Some(pose(frames, false, &tip, false));
        }
        let above = -upper;
        let [_, axis] = bend_axes(&above, &lower, self.product, &bend);
        let axis = Unit::try_new(axis, 0.0)?;
        let BoneTurns { middle, first, bent } = BoneTurns::to_goal(&upper, &lower, &goal, axis)?;
        let turned = [first * frames[0], first * middle * frames[1]];
        let tip = turned[0] * self.bones[0] + turned[1] * self.bones[1];
        if left(&tip) > self.reached {
            return None;
        }
        let squares = self.product * self.product;
        let flipped = !bends_back(&above, &lower, squares, &bend, flipped / 2.0)
            && bends_back(&above, &bent, squares, &bend, flipped);
        Some(pose(turned.map(renormalised), true, &tip, flipped))
    }
}
