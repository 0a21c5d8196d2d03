//! Feet of the reference pose: as their author posed them if they stand, else turned flat.

use crate::body::Limb;
use crate::reference_pose::{Directions, ON_AXIS, ReferencePoseBuilder, UPRIGHT};
use mocap_model::{JointId, Role, Side, UnitQuaternion, Vector3, rotation_between};

/// A foot pitched up further than this is not flat (sine).
const RAISED: f64 = 0.02;
/// One that points down further than this may continue its leg instead of standing (sine).
const STEEP: f64 = -0.85;
/// Both feet of a rest pose that stands are pitched alike, within this \[rad\].
const ALIKE: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// The direction of a foot is ignored if it points less far forward than this (cosine).
const POSED: f64 = 0.3;
/// A foot counts as pointing ahead if it turns out no further than this: authors turn feet out a little (cosine).
const AHEAD: f64 = 0.7;
/// Toes are turned level unless they are this near to upright (sine).
const LEVEL: f64 = 0.2;
/// Height of the ankle above the ball of the foot, if neither rig nor motion shows it: the median of measured
/// game rigs (LAFAN1 0.07, Bandai 0.09, Mixamo 0.13) \[leg lengths\].
const USUAL_ANKLE: f64 = 0.085;
/// Least and greatest value that a motion may give: the range of real rigs (CMU 0.03, Mixamo 0.13) \[leg
/// lengths\].
const ANKLES: (f64, f64) = (0.035, 0.125);
/// Estimated feet do not point further down than this (sine).
const STEEPEST: f64 = 0.7;

impl ReferencePoseBuilder<'_> {
    /// Keeps the orientation of a foot that its author posed flat and roughly ahead, however the
    /// leg above it is stretched. Any other foot is turned forward and flat.
    pub(crate) fn foot(&mut self, leg: &Limb, inherited: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let Directions { up, forward, .. } = self.directions;
        let Some(toes) = self.toes_of(leg) else { return UnitQuaternion::identity() };
        let bone = self.local_bone(leg.tip, toes);
        let Some(direction) = (inherited * bone).try_normalize(0.0) else {
            return UnitQuaternion::identity();
        };
        if direction.dot(&forward) < -0.5 {
            self.backward += 1;
        }
        let authored = self.hips * self.object.joints[leg.tip.index()].rotation;
        let Some(placed) = (authored * bone).try_normalize(0.0) else {
            return UnitQuaternion::identity();
        };
        if let Some(level) = self.stands_towards(leg, toes, placed) {
            let ahead = match level.dot(&forward) > AHEAD {
                true => UnitQuaternion::identity(),
                false => rotation_between(&level, &forward),
            };
            return ahead * authored * inherited.inverse();
        }
        self.flattened[usize::from(leg.side == Side::Right)] = true;
        let length =
            self.local_bone(leg.base, leg.middle).norm() + self.local_bone(leg.middle, leg.tip).norm();
        let drop =
            (self.hints.ankle.unwrap_or(posed_ankle(USUAL_ANKLE)) * length / bone.norm()).min(STEEPEST);
        rotation_between(&direction, &(forward * (1.0 - drop * drop).sqrt() - up * drop))
    }

    /// The level direction of a foot that its author posed flat; `None` if it was not posed: it points up, to the
    /// side or back, or is steep and does not stand. `foot` is its direction at rest.
    fn stands_towards(&self, leg: &Limb, toes: JointId, foot: Vector3<f64>) -> Option<Vector3<f64>> {
        let Directions { up, forward, .. } = self.directions;
        let pitch = foot.dot(&up);
        if pitch > RAISED || (pitch < STEEP && !self.stands_steeply(pitch)) {
            return None;
        }
        let continues = pitch < STEEP && self.shank(leg).is_none_or(|shank| foot.dot(&shank) > ON_AXIS);
        let sole = if continues { self.level_toes(toes)? } else { foot };
        let level = (sole - up * sole.dot(&up)).try_normalize(0.0)?;
        (level.dot(&forward) > POSED).then_some(level)
    }

    /// Whether both feet stand with this pitch, as on high heels, or with ankles high above the toe joints. A foot
    /// that is steep alone, or below a leg that leans, is lifted: rest poses may be a frame of a walk.
    fn stands_steeply(&self, pitch: f64) -> bool {
        let up = self.directions.up;
        self.body.legs().into_iter().all(|leg| {
            let upright = self.shank(leg).is_some_and(|shank| -shank.dot(&up) > UPRIGHT);
            let foot = self.toes_of(leg).and_then(|toes| self.at_rest(leg.tip, toes));
            upright
                && foot.is_some_and(|foot| {
                    (foot.dot(&up).clamp(-1.0, 1.0).asin() - pitch.clamp(-1.0, 1.0).asin()).abs() < ALIKE
                })
        })
    }

    /// The direction of a lower leg at rest.
    fn shank(&self, leg: &Limb) -> Option<Vector3<f64>> {
        self.at_rest(leg.middle, leg.tip)
    }

    /// The direction from one joint to another at rest, with the hips upright and ahead; `None` without length.
    fn at_rest(&self, from: JointId, to: JointId) -> Option<Vector3<f64>> {
        let at = |joint: JointId| self.object.joints[joint.index()].translation.vector;
        (self.hips * (at(to) - at(from))).try_normalize(0.0)
    }

    /// The joint of the toes, or the furthest joint below the ankle.
    fn toes_of(&self, leg: &Limb) -> Option<JointId> {
        let toes = if leg.side == Side::Left { Role::LeftToes } else { Role::RightToes };
        let reach = |id: &JointId| self.base.joints[id.index()].translation.vector.norm();
        let below = self.skeleton.children(leg.tip).iter().copied();
        let furthest = below.max_by(|a, b| reach(a).total_cmp(&reach(b)));
        self.body.roles.joint(toes).or(furthest)
    }

    /// The direction of toes that lie level at rest: those of a foot that stands, also if it is straight above them.
    fn level_toes(&self, toes: JointId) -> Option<Vector3<f64>> {
        let tips: Vector3<f64> =
            self.skeleton.children(toes).iter().map(|tip| self.local_bone(toes, *tip)).sum();
        let direction = self.hips * self.object.joints[toes.index()].rotation * tips;
        let direction = direction.try_normalize(0.0)?;
        (direction.dot(&self.directions.up).abs() < LEVEL).then_some(direction)
    }

    /// Levels the toes of a foot that was turned flat.
    pub(crate) fn toes(&self, id: JointId, inherited: &UnitQuaternion<f64>) -> Option<UnitQuaternion<f64>> {
        let side = [Role::LeftToes, Role::RightToes]
            .iter()
            .position(|role| self.body.roles.joint(*role) == Some(id))?;
        if !self.flattened[side] {
            return None;
        }
        let children = self.skeleton.children(id);
        let tips: Vector3<f64> = children.iter().map(|tip| self.local_bone(id, *tip)).sum();
        // Toes without a tip continue the foot.
        let base = &self.base.joints[id.index()];
        let tips = if tips.norm() > 0.0 { tips } else { base.rotation.inverse() * base.translation.vector };
        let direction = (inherited * tips).try_normalize(0.0)?;
        let up = self.directions.up;
        let level = (direction - up * direction.dot(&up)).try_normalize(LEVEL)?;
        Some(rotation_between(&direction, &level))
    }
}

/// The height of the ankles in the reference pose, from the height that a motion shows \[leg lengths\]: rounded
/// to steps as wide as a thumb and limited to the range of real rigs. Motions show ankles to about 1 %, and all
/// clips of a rig must give the same height.
pub(crate) fn posed_ankle(height: f64) -> f64 {
    const STEP: f64 = 0.03;
    let (least, greatest) = ANKLES;
    least + ((height.clamp(least, greatest) - least) / STEP).round() * STEP
}
