//! Two-bone limbs without joint limits: solved in closed form, without an IK chain, eight frames at once.

use crate::folding::Folding;
use crate::limb_bend::{bend_axes, bends_back};
use crate::limb_map::LimbMap;
use crate::options::LimbSolver;
use crate::pair::TargetLimits;
use mocap_ik::BoneTurns;
use mocap_model::{LANES, RotationLanes, Skeleton, UnitQuaternion, Vector3, VectorLanes};

/// A goal counts as reached within this share of the limb's length.
pub(crate) const REACHED: f64 = 1e-6;

/// The bones of a limb whose joints turn freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeLimb {
    /// From the first joint to knee or elbow, and from there to the tip, each in the frame of its joint.
    bones: [Vector3<f64>; 2],
    /// Product of the lengths of both bones.
    product: f64,
    folding: Folding,
    /// Squared distance below which the tip has reached its goal [units of the target²].
    reached: f64,
}

/// A solved limb in a block of frames.
#[derive(Debug)]
pub(crate) struct FreePoses {
    /// Whether there is a solution; if not, the other fields are undefined.
    pub found: [bool; LANES],
    /// Orientations of both joints.
    pub frames: [RotationLanes; 2],
    /// Whether the orientations differ from the transferred pose.
    pub moved: [bool; LANES],
    /// Squared distance of the tip from the requested goal.
    pub left: [f64; LANES],
    /// Whether the goal was softened.
    pub softened: [bool; LANES],
    /// Whether knee or elbow bends the wrong way, and did not before.
    pub flipped: [bool; LANES],
}

impl FreePoses {
    /// Uninitialised poses.
    pub(crate) fn new() -> FreePoses {
        FreePoses {
            found: [false; LANES],
            frames: [RotationLanes::same(&UnitQuaternion::identity()); 2],
            moved: [false; LANES],
            left: [0.0; LANES],
            softened: [false; LANES],
            flipped: [false; LANES],
        }
    }
}

impl FreeLimb {
    /// `None` for a limb with limits or further joints, or for another solver.
    pub(crate) fn of(
        skeleton: &Skeleton,
        limits: &TargetLimits,
        limb: &LimbMap,
        solver: LimbSolver,
    ) -> Option<FreeLimb> {
        let [base, middle, tip] = [limb.target.base, limb.target.middle, limb.target.tip];
        let two_bones = limb.chain.joints() == [base, middle] && skeleton.joint(tip).parent == Some(middle);
        let free = [base, middle].iter().all(|joint| limits.constraints[joint.index()].is_free());
        let bones = [middle, tip].map(|joint| skeleton.joint(joint).offset);
        let [upper, lower] = bones.map(|bone| bone.norm());
        (two_bones && free && solver.is_closed_form()).then(|| FreeLimb {
            bones,
            product: upper * lower,
            folding: Folding::new(limb.target.kind, upper, lower),
            reached: (REACHED * (upper + lower)).powi(2),
        })
    }

    /// Poses the limb at the closed-form solution for a goal relative to its first joint. `frames` are the
    /// transferred orientations of both joints, `bend` is the axis about which the limb flexes. With `unfolds`,
    /// goals that would fold the limb flat are softened. `flipped` is the sine of the bend beyond which a limb
    /// bent the wrong way counts as flipped; `None`: flips are not detected.
    pub(crate) fn solve(
        &self,
        poses: &mut FreePoses,
        frames: &[RotationLanes; 2],
        asked: &VectorLanes,
        bend: &VectorLanes,
        unfolds: bool,
        flipped: Option<f64>,
    ) {
        let (upper, lower) = (frames[0].turn(&self.bones[0]), frames[1].turn(&self.bones[1]));
        let tip = upper.plus(&lower);
        poses.found = [true; LANES];
        poses.frames = *frames;
        poses.left = asked.minus(&tip).norm_squared();
        (poses.softened, poses.flipped) = ([false; LANES], [false; LANES]);
        let mut goal = *asked;
        if unfolds && asked.norm_squared().iter().any(|square| self.folding.softens(*square)) {
            for lane in 0..LANES {
                if let Some(softened) = self.folding.softened(&asked.at(lane), &tip.at(lane)) {
                    goal.set(lane, &softened);
                    poses.softened[lane] = true;
                }
            }
        }
        let far = |tip: &VectorLanes| goal.minus(tip).norm_squared().map(|square| square > self.reached);
        poses.moved = far(&tip);
        if poses.moved.contains(&true) {
            self.turn(poses, [&upper, &lower], &goal, bend, flipped);
            let tip = poses.frames[0].turn(&self.bones[0]).plus(&poses.frames[1].turn(&self.bones[1]));
            let left = asked.minus(&tip).norm_squared();
            let far = far(&tip);
            poses.frames.iter_mut().for_each(RotationLanes::renormalise);
            for lane in 0..LANES {
                if poses.moved[lane] {
                    poses.left[lane] = left[lane];
                    poses.found[lane] &= !far[lane];
                } else {
                    poses.found[lane] = true;
                    poses.flipped[lane] = false;
                    (0..2).for_each(|joint| poses.frames[joint].set(lane, &frames[joint].at(lane)));
                }
            }
        }
    }

    /// Rotates both bones to the goal in all frames.
    fn turn(
        &self,
        poses: &mut FreePoses,
        [upper, lower]: [&VectorLanes; 2],
        goal: &VectorLanes,
        bend: &VectorLanes,
        flipped: Option<f64>,
    ) {
        let axes = VectorLanes::each(|lane| {
            let [_, axis] = bend_axes(&-upper.at(lane), &lower.at(lane), self.product, &bend.at(lane));
            axis / axis.norm_squared().sqrt()
        });
        let BoneTurns { middle, first, bent, found } = BoneTurns::to_goals(upper, lower, goal, &axes);
        poses.found = found;
        let [base, knee] = poses.frames;
        poses.frames = [first.product(&base), first.product(&middle).product(&knee)];
        let squares = self.product * self.product;
        let Some(flipped) = flipped else { return };
        for lane in 0..LANES {
            let (above, bend) = (-upper.at(lane), bend.at(lane));
            poses.flipped[lane] = !bends_back(&above, &lower.at(lane), squares, &bend, flipped / 2.0)
                & bends_back(&above, &bent.at(lane), squares, &bend, flipped);
        }
    }
}
