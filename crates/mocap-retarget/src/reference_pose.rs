//! The reference pose in which two skeletons are compared: a T-pose, upright and facing forward, legs straight
//! down, arms straight out to the sides, feet flat.
//!
//! Each skeleton is brought there from its rest pose (or from a given pose) bone by bone, by the smallest
//! rotations. A-, T- and N-poses, bone axes and rolls therefore make no difference. Torso and head keep the shape
//! that they have at rest.
//!
//! Some exporters write rest poses that no body can take, such as all bones along one local axis. Then the
//! reference pose is estimated from the hierarchy: trunk and hips from the positions of the limbs, the rest along
//! the bones. Twist along bones is assumed to be neutral where the file has it at zero.

use crate::body::{Body, LIMBS, Limb, LimbKind};
use crate::error::{RetargetError, SourceOrTarget};
use mocap_model::{
    Axis, JointId, Pose, Role, Side, Skeleton, UnitQuaternion, Vector3, facing_across, rotation_between,
    turn_about,
};
use nalgebra::{Matrix3, Rotation3};

/// Object-space rotations and positions of a skeleton in its reference pose, with the hips at the origin.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReferencePose {
    pub rotation: Vec<UnitQuaternion<f64>>,
    pub position: Vec<Vector3<f64>>,
    /// Local rotations of the pose.
    pub local: Vec<UnitQuaternion<f64>>,
    /// Whether the base pose was not a T- or A-pose, and this one was estimated from the bones.
    pub estimated: bool,
    /// The pose before its limbs were rolled to mirror each other; `None` if they were not.
    pub unrolled: Option<Box<ReferencePose>>,
}

/// A trunk that leans further than this from upright is not a posed T- or A-pose (cosine).
pub(crate) const UPRIGHT: f64 = 0.8;
/// A neck leans forward at rest by up to 40°, as that of SMPL; beyond this it is in a pose, or its bones lie along an
/// axis (cosine of 60°).
const NECK: f64 = 0.5;
/// A body leans if its legs, and the line from its feet to its neck, do so by more than this: those of upright rest
/// poses lean by up to 4° \[rad\].
const LEANS: f64 = 5.0 * std::f64::consts::PI / 180.0;
/// Beyond this, the body lies down, or its rest pose is one that no body can take \[rad\].
const LIES: f64 = 50.0 * std::f64::consts::PI / 180.0;
/// It does so as a whole if legs and trunk are straight to this: rest poses bend at the hips by up to 14° \[rad\].
const STRAIGHT: f64 = 15.0 * std::f64::consts::PI / 180.0;
/// A direction this near to an axis is that axis (cosine of 15°).
pub(crate) const ON_AXIS: f64 = 0.966;

/// The directions of a space as unit vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Directions {
    pub up: Vector3<f64>,
    pub forward: Vector3<f64>,
    pub left: Vector3<f64>,
}

impl Directions {
    pub(crate) fn of(skeleton: &Skeleton) -> Directions {
        let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
        Directions { up, forward, left: up.cross(&forward) }
    }

    fn out(&self, side: Side) -> Vector3<f64> {
        if side == Side::Left { self.left } else { -self.left }
    }

    /// The axis about which a limb flexes in the reference pose: knees back, elbows forward.
    pub(crate) fn bend(&self, limb: &Limb) -> Vector3<f64> {
        match (limb.kind, limb.side) {
            (LimbKind::Leg, _) => self.left,
            (LimbKind::Arm, Side::Left) => -self.up,
            (LimbKind::Arm, Side::Right) => self.up,
        }
    }
}

/// Properties found from a motion, with which an estimated pose is refined.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PoseHints {
    /// How far each limb rolls about its line, in the order of [`crate::body::LIMBS`] \[rad\].
    pub rolls: [f64; 4],
    /// Height of ankles above the balls of flat feet \[leg lengths\]; `None`: as usual rigs have them.
    pub ankle: Option<f64>,
}

/// A reference pose that uses hints about its limbs and feet.
pub(crate) fn hinted_reference_pose(
    skeleton: &Skeleton,
    body: &Body,
    base: &Pose,
    which: SourceOrTarget,
    hints: &PoseHints,
) -> Result<ReferencePose, RetargetError> {
    let directions = Directions::of(skeleton);
    let mut object = Pose::default();
    base.to_object(skeleton, &mut object);
    let mut maker = ReferencePoseBuilder {
        skeleton,
        body,
        base,
        object,
        directions,
        hints,
        hips: UnitQuaternion::identity(),
        estimated: false,
        backward: 0,
        flattened: [false; 2],
    };
    let mut rotation: Vec<UnitQuaternion<f64>> = Vec::with_capacity(skeleton.len());
    for (id, joint) in skeleton.iter() {
        let local = base.joints[id.index()].rotation;
        let inherited = joint.parent.map_or(local, |parent| rotation[parent.index()] * local);
        rotation.push(maker.correction(id, &inherited) * inherited);
    }
    let estimated = maker.estimated;
    if maker.backward == 2 {
        let thigh = body.roles.joint(Role::LeftUpperLeg);
        let joint = thigh.map_or_else(String::new, |thigh| skeleton.joint(thigh).name.clone());
        return Err(RetargetError::SidesSwapped { which, joint });
    }
    let mut position = vec![Vector3::zeros(); skeleton.len()];
    let mut local = Vec::with_capacity(skeleton.len());
    for (id, joint) in skeleton.iter() {
        let at = id.index();
        match joint.parent {
            Some(parent) => {
                let parent = parent.index();
                position[at] = position[parent] + rotation[parent] * base.joints[at].translation.vector;
                local.push(rotation[parent].inverse() * rotation[at]);
            }
            None => local.push(rotation[at]),
        }
    }
    let hips = position[body.hips.index()];
    position.iter_mut().for_each(|p| *p -= hips);
    let pose = ReferencePose { rotation, position, local, estimated, unrolled: None };
    pose.check(skeleton, body, which)?;
    Ok(pose)
}

impl ReferencePose {
    /// The reference pose of a skeleton, made from a local pose. Some exporters reverse all bones of the right
    /// side; such limbs are rolled so that they mirror the left ones.
    pub(crate) fn new(
        skeleton: &Skeleton,
        body: &Body,
        base: &Pose,
        which: SourceOrTarget,
    ) -> Result<ReferencePose, RetargetError> {
        let first = hinted_reference_pose(skeleton, body, base, which, &PoseHints::default())?;
        if !first.estimated {
            // The trunk was posed by the author, so the sides of the arms can be trusted.
            return if arms_crossed(skeleton, body, base) {
                Err(RetargetError::SidesMixed { which })
            } else {
                Ok(first)
            };
        }
        let rolls = mirror_rolls(skeleton, body, base, &first);
        if rolls == [0.0; 4] {
            return Ok(first);
        }
        let hints = PoseHints { rolls, ankle: None };
        let rolled = hinted_reference_pose(skeleton, body, base, which, &hints)?;
        Ok(ReferencePose { unrolled: Some(Box::new(first)), ..rolled })
    }

    pub(crate) fn distance(&self, a: JointId, b: JointId) -> f64 {
        (self.position[a.index()] - self.position[b.index()]).norm()
    }

    /// Length of the limb: the sum of both bones.
    pub(crate) fn limb_length(&self, limb: &Limb) -> f64 {
        self.distance(limb.base, limb.middle) + self.distance(limb.middle, limb.tip)
    }

    fn check(&self, skeleton: &Skeleton, body: &Body, which: SourceOrTarget) -> Result<(), RetargetError> {
        if !self.position.iter().all(|p| p.iter().all(|v| v.is_finite() && v.abs() < 1e100)) {
            return Err(RetargetError::Extreme { which });
        }
        for limb in body.limbs.iter().flatten() {
            let roles = limb.kind.roles_of(limb.side);
            for (i, (from, to)) in [(limb.base, limb.middle), (limb.middle, limb.tip)].into_iter().enumerate()
            {
                if self.distance(from, to) <= f64::EPSILON * self.limb_length(limb).max(1e-100) {
                    let joint = skeleton.joint(from).name.clone();
                    return Err(RetargetError::ZeroLength { which, from: roles[i], to: roles[i + 1], joint });
                }
            }
        }
        Ok(())
    }
}

/// Whether the left arm is on the side of the right leg: then left and right are mixed up.
fn arms_crossed(skeleton: &Skeleton, body: &Body, base: &Pose) -> bool {
    let mut object = Pose::default();
    base.to_object(skeleton, &mut object);
    let apart = |l: &Limb, r: &Limb| {
        let at = |joint: JointId| object.joints[joint.index()].translation.vector;
        (at(l.base) - at(r.base)).try_normalize(0.0)
    };
    let [Some(left_leg), Some(right_leg), Some(left_arm), Some(right_arm)] = &body.limbs else {
        return false;
    };
    match (apart(left_leg, right_leg), apart(left_arm, right_arm)) {
        (Some(legs), Some(arms)) => legs.dot(&arms) < -0.5,
        _ => false,
    }
}

/// The rolls that make right limbs mirror the left ones, if the bones of the right side are reversed.
fn mirror_rolls(skeleton: &Skeleton, body: &Body, base: &Pose, reference: &ReferencePose) -> [f64; 4] {
    let left = Directions::of(skeleton).left;
    let mut rolls = [0.0; 4];
    for (l, r) in [(0, 1), (2, 3)] {
        let (Some(from), Some(to)) = (&body.limbs[l], &body.limbs[r]) else { continue };
        let bone = |joint: JointId| base.joints[joint.index()].translation.vector;
        let reversed = [(from.middle, to.middle), (from.tip, to.tip)]
            .iter()
            .all(|(l, r)| (bone(*l) + bone(*r)).norm() < 0.05 * bone(*l).norm());
        if !reversed {
            continue;
        }
        // The mirror image of an axis, reversed.
        let image = |v: Vector3<f64>| left * (2.0 * v.dot(&left)) - v;
        let line = reference.position[to.tip.index()] - reference.position[to.base.index()];
        let Some(line) = line.try_normalize(0.0) else { continue };
        let across = |v: Vector3<f64>| v - line * v.dot(&line);
        let (mut cosine, mut sine) = (0.0, 0.0);
        for axis in Axis::ALL {
            let now = across(reference.rotation[to.base.index()] * axis.unit().into_inner());
            let wished = across(image(reference.rotation[from.base.index()] * axis.unit().into_inner()));
            cosine += now.dot(&wished);
            sine += line.dot(&now.cross(&wished));
        }
        let roll = sine.atan2(cosine);
        rolls[r] = if roll.abs() > 1e-6 { roll } else { 0.0 };
    }
    rolls
}

/// A bone of an arm or leg, to the `next` joint.
struct LimbBone {
    kind: LimbKind,
    side: Side,
    /// Whether it is the upper arm or thigh.
    is_first: bool,
    next: JointId,
}

/// Brings one joint after another from the base pose into the reference pose.
pub(crate) struct ReferencePoseBuilder<'a> {
    pub(crate) skeleton: &'a Skeleton,
    pub(crate) body: &'a Body,
    pub(crate) base: &'a Pose,
    /// The base pose in object space.
    pub(crate) object: Pose,
    pub(crate) directions: Directions,
    pub(crate) hints: &'a PoseHints,
    /// The correction of the hips.
    pub(crate) hips: UnitQuaternion<f64>,
    pub(crate) estimated: bool,
    /// Feet that point backward.
    pub(crate) backward: usize,
    /// Feet that were turned flat.
    pub(crate) flattened: [bool; 2],
}

impl ReferencePoseBuilder<'_> {
    /// The rotation in object space from a joint's inherited orientation to its orientation in the reference
    /// pose.
    fn correction(&mut self, id: JointId, inherited: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let Directions { up, forward, .. } = self.directions;
        let none = UnitQuaternion::identity();
        if id == self.body.hips {
            self.hips = self.hips(inherited);
            return self.hips;
        }
        if id == self.body.top() {
            return self.chest(inherited);
        }
        if let Some(LimbBone { kind, side, is_first, next }) = self.limb_bone(id) {
            let wished = if kind == LimbKind::Leg { -up } else { self.directions.out(side) };
            let Some(bone) = self.bone(id, next, inherited) else { return none };
            // Authors pose no thighs further out than this, and no arms straight up or across the body.
            let odd = match kind {
                LimbKind::Leg => bone.dot(&wished) < 0.5,
                LimbKind::Arm => bone.dot(&up) > UPRIGHT || bone.dot(&wished) < -0.5,
            };
            self.estimated |= is_first && odd;
            // A bone that points the opposite way could rotate about any perpendicular axis. This axis keeps the
            // front of the body in front.
            let swing = if bone.dot(&wished) < -0.999 {
                UnitQuaternion::new(forward * std::f64::consts::PI)
            } else {
                rotation_between(&bone, &wished)
            };
            let at = LIMBS.iter().position(|which| *which == (kind, side));
            let roll = if is_first { at.map_or(0.0, |at| self.hints.rolls[at]) } else { 0.0 };
            return if roll == 0.0 { swing } else { UnitQuaternion::new(wished * roll) * swing };
        }
        if let Some(limb) = self.limb_at(|limb| limb.kind == LimbKind::Leg && limb.tip == id) {
            return self.foot(&limb, inherited);
        }
        if let Some(turn) = self.toes(id, inherited) {
            return turn;
        }
        let spine = self.body.spine.iter().chain(&self.body.neck);
        let next = spine.clone().skip_while(|joint| **joint != id).nth(1).copied().or(self.body.head);
        let least = if self.body.neck.contains(&id) { NECK } else { UPRIGHT };
        if let Some(next) = next.filter(|_| spine.clone().any(|joint| *joint == id))
            && let Some(bone) = self.bone(id, next, inherited)
            && bone.dot(&up) < least
        {
            return rotation_between(&bone, &up);
        }
        for (side, role) in [(Side::Left, Role::LeftShoulder), (Side::Right, Role::RightShoulder)] {
            let out = self.directions.out(side);
            if self.body.roles.joint(role) == Some(id)
                && let Some(limb) = self.limb_at(|limb| limb.kind == LimbKind::Arm && limb.side == side)
                && let Some(bone) = self.bone(id, limb.base, inherited)
                && bone.dot(&out) < 0.5
            {
                return rotation_between(&bone, &out);
            }
        }
        none
    }

    /// The bone of a limb that starts at a joint. Arms without a hand joint end with their end site, or at the elbow.
    fn limb_bone(&self, id: JointId) -> Option<LimbBone> {
        if let Some(limb) = self.limb_at(|limb| limb.base == id || limb.middle == id) {
            let is_first = limb.base == id;
            let next = if is_first { limb.middle } else { limb.tip };
            return Some(LimbBone { kind: limb.kind, side: limb.side, is_first, next });
        }
        let kind = LimbKind::Arm;
        [Side::Left, Side::Right].into_iter().find_map(|side| {
            let [base, middle, tip] = kind.roles_of(side).map(|role| self.body.roles.joint(role));
            let (base, middle) = (base?, middle?);
            self.skeleton.path(base, middle)?;
            if base == id {
                return Some(LimbBone { kind, side, is_first: true, next: middle });
            }
            let below = |tip: &JointId| self.skeleton.path(middle, *tip).is_some();
            let next = tip.filter(below).or_else(|| self.skeleton.end_site(middle))?;
            (middle == id).then_some(LimbBone { kind, side, is_first: false, next })
        })
    }

    fn limb_at(&self, is: impl Fn(&Limb) -> bool) -> Option<Limb> {
        self.body.limbs.iter().flatten().find(|limb| is(limb)).cloned()
    }

    /// The vector from one joint to another below it in the base pose, in the frame of the first.
    pub(crate) fn local_bone(&self, from: JointId, to: JointId) -> Vector3<f64> {
        let from = &self.object.joints[from.index()];
        from.inverse_transform_point(&self.object.joints[to.index()].translation.vector.into()).coords
    }

    /// The direction of that vector if the first joint has the orientation `frame`; `None` without length.
    fn bone(&self, from: JointId, to: JointId, frame: &UnitQuaternion<f64>) -> Option<Vector3<f64>> {
        (frame * self.local_bone(from, to)).try_normalize(0.0)
    }

    fn hips(&mut self, inherited: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let [left, right] = self.body.legs();
        let [l, r] = [left.base, right.base].map(|base| self.local_bone(self.body.hips, base));
        let top = self.body.spine.first().map(|_| self.body.top()).or(self.body.head);
        let above = top.map(|top| self.local_bone(self.body.hips, top) - (l + r) / 2.0);
        let below = [left, right].map(|leg| self.local_bone(self.body.hips, leg.tip));
        let above = above.filter(|v| v.norm() > 0.0).unwrap_or(-(below[0] + below[1]));
        let above = self.own_up(above);
        let raised = self.raised(inherited, (l + r) / 2.0, (below[0] + below[1]) / 2.0);
        match (raised * inherited * above).try_normalize(0.0) {
            Some(a) if a.dot(&self.directions.up) > UPRIGHT => {
                self.turned_ahead(&(raised * inherited), l - r) * raised
            }
            _ => self.trunk(inherited, l - r, above),
        }
    }

    /// The rotation that raises a body that leans as a whole at rest, such as below a tilted node. `hips` is the
    /// middle between the legs, `feet` that between the ankles, in the frame of the hips.
    fn raised(
        &self,
        inherited: &UnitQuaternion<f64>,
        hips: Vector3<f64>,
        feet: Vector3<f64>,
    ) -> UnitQuaternion<f64> {
        let up = self.directions.up;
        let neck = self.body.neck.first().copied().or(self.body.head);
        let Some(neck) = neck.map(|neck| self.local_bone(self.body.hips, neck)) else {
            return UnitQuaternion::identity();
        };
        let [legs, trunk, whole] = [hips - feet, neck - hips, neck - feet];
        if legs.norm() <= 0.0 || whole.norm() <= 0.0 || legs.angle(&trunk) > STRAIGHT {
            return UnitQuaternion::identity();
        }
        let [legs, whole] = [legs, whole].map(|line| inherited * line.normalize());
        let least = legs.angle(&up).min(whole.angle(&up));
        if (LEANS..LIES).contains(&least) {
            rotation_between(&(legs + whole), &up)
        } else {
            UnitQuaternion::identity()
        }
    }

    /// The turn about the up axis that makes an upright body face forward, whichever way it faced at rest. `hips` is
    /// the line across them, in their frame.
    fn turned_ahead(&self, inherited: &UnitQuaternion<f64>, hips: Vector3<f64>) -> UnitQuaternion<f64> {
        let Directions { up, forward, .. } = self.directions;
        let shoulders = match &self.body.limbs[2..] {
            [Some(left), Some(right)] => {
                let [left, right] = [left, right].map(|arm| self.local_bone(self.body.hips, arm.base));
                Some(left - right)
            }
            _ => None,
        };
        let lines: Vec<Vector3<f64>> =
            [hips].into_iter().chain(shoulders).map(|line| inherited * line).collect();
        let facing = facing_across(&lines, &up, &forward);
        turn_about(&up, &facing, &forward)
    }

    /// Up in the frame of the hips, given the position `above` of the joints above them. In rigs whose bones each
    /// lie along an axis of their own joint, the path to the top of the spine has corners, and only the first
    /// bone points up.
    fn own_up(&self, above: Vector3<f64>) -> Vector3<f64> {
        let on_axis = |v: &Vector3<f64>| v.iter().any(|part| part.abs() > ON_AXIS * v.norm());
        if on_axis(&above) {
            return above;
        }
        let bones = self.body.spine.iter().map(|joint| self.local_bone(self.body.hips, *joint));
        let first = bones.into_iter().find(|bone| bone.norm() > 0.01 * above.norm());
        first.filter(on_axis).unwrap_or(above)
    }

    fn chest(&mut self, inherited: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let none = UnitQuaternion::identity();
        let [Some(left), Some(right)] = [Role::LeftShoulder, Role::RightShoulder].map(|role| {
            let arm = if role == Role::LeftShoulder { &self.body.limbs[2] } else { &self.body.limbs[3] };
            // Clavicles of some rigs start on the midline; arms never do.
            arm.as_ref().map(|arm| arm.base)
        }) else {
            return none;
        };
        let shoulders = [Role::LeftShoulder, Role::RightShoulder].map(|role| self.body.roles.joint(role));
        let top = self.body.top();
        let apart = match shoulders {
            [Some(l), Some(r)] => self.local_bone(top, l) - self.local_bone(top, r),
            _ => Vector3::zeros(),
        };
        let arms = self.local_bone(top, left) - self.local_bone(top, right);
        let apart = if apart.norm() > 1e-3 * arms.norm() { apart } else { arms };
        let neck = self.body.neck.first().copied().or(self.body.head);
        let above = neck.map_or_else(
            || (self.local_bone(top, left) + self.local_bone(top, right)) / 2.0,
            |neck| self.local_bone(top, neck),
        );
        // A neck at the position of the chest (CMU) has no direction: use the next joint.
        let above = match self.body.neck.get(1).copied().or(self.body.head) {
            Some(next) if above.norm() < 1e-6 * arms.norm() => self.local_bone(top, next),
            _ => above,
        };
        self.trunk(inherited, apart, above)
    }

    /// The rotation that makes a part of the trunk upright and turns it forward, from directions in its own
    /// frame; identity if it is upright already.
    fn trunk(
        &mut self,
        inherited: &UnitQuaternion<f64>,
        left: Vector3<f64>,
        above: Vector3<f64>,
    ) -> UnitQuaternion<f64> {
        let Directions { up, forward, left: to_left } = self.directions;
        let (Some(l), Some(a)) =
            ((inherited * left).try_normalize(0.0), (inherited * above).try_normalize(0.0))
        else {
            return UnitQuaternion::identity();
        };
        if l.dot(&to_left) > UPRIGHT && a.dot(&up) > UPRIGHT {
            return UnitQuaternion::identity();
        }
        if a.dot(&up) > UPRIGHT {
            // Upright, but faces another direction.
            return turn_about(&up, &l, &to_left);
        }
        self.estimated = true;
        let above = nearest_axis(&above.normalize());
        let left = left - above * left.dot(&above);
        let Some(left) = left.try_normalize(0.0) else { return rotation_between(&(inherited * above), &up) };
        let left = nearest_axis(&left);
        let frame = Matrix3::from_columns(&[left, above, left.cross(&above)]);
        let wished = Matrix3::from_columns(&[to_left, up, forward]);
        let turn = Rotation3::from_matrix(&(wished * frame.transpose()));
        UnitQuaternion::from_rotation_matrix(&turn) * inherited.inverse()
    }
}

/// The local axis within 15° of a direction, or the direction itself.
pub(crate) fn nearest_axis(direction: &Vector3<f64>) -> Vector3<f64> {
    let most = direction.iamax();
    if direction[most].abs() > ON_AXIS {
        Axis::ALL[most].unit().into_inner() * direction[most].signum()
    } else {
        *direction
    }
}
