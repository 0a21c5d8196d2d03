//! Joints in flat arrays, parents first: a chain with one effector, or a tree with several.
//!
//! The chain holds the pose that a solver starts from and leaves behind. Its object-space positions and frames
//! are always those of its local rotations.

use crate::dofs::Dof;
use crate::{
    Constraint, Freedom, Goal, IkError, Options, Outcome, Quat, Start, Status, Vec3, jacobian, objective,
};
use mocap_model::{Isometry3, angle_between};
use nalgebra::Unit;

/// One joint of a chain that is being made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Translation in the frame of the joint before it, or of the base.
    pub offset: Vec3,
    /// Local rotation: the first pose, and the one that a cold start goes back to.
    pub rotation: Quat,
    /// How the joint may turn.
    pub constraint: Constraint,
}

/// A point and a frame that a joint carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effector {
    /// The joint that carries it, by its place in the chain.
    pub joint: usize,
    /// The point in the frame of the joint.
    pub offset: Vec3,
    /// The orientation in the frame of the joint.
    pub rotation: Quat,
}

/// Joints with a base that stays where it is, and effectors that are to meet goals.
#[derive(Clone, Debug)]
pub struct Chain {
    pub(crate) base: Isometry3<f64>,
    /// `NONE` for a joint on the base.
    pub(crate) parent: Vec<u32>,
    pub(crate) offset: Vec<Vec3>,
    pub(crate) local: Vec<Quat>,
    pub(crate) rest: Vec<Quat>,
    pub(crate) constraint: Vec<Constraint>,
    /// Object-space orientation and position, by joint.
    pub(crate) frame: Vec<Quat>,
    pub(crate) position: Vec<Vec3>,
    pub(crate) effectors: Vec<Effector>,
    /// Object-space positions of the effectors.
    pub(crate) tips: Vec<Vec3>,
    /// Whether all joints are free and one after the other, with an effector on the last.
    pub(crate) plain: bool,
    /// The bones of a plain chain in the frames of their joints, and their lengths.
    pub(crate) bones: Vec<Vec3>,
    pub(crate) bone_length: Vec<f64>,
    /// The joint that bends in a two-bone solution for the first effector.
    pub(crate) bend_at: Option<usize>,
    /// The joints from the base to each effector: `path[path_start[e]..path_start[e + 1]]`.
    path: Vec<u32>,
    path_start: Vec<u32>,
    /// Whether a joint is on the path: `[effector × joints + joint]`.
    carries: Vec<bool>,
    reach: Vec<Reach>,
    /// The nearest joint above that can turn, by joint; `NONE` where there is none.
    pub(crate) above: Vec<u32>,
    pub(crate) bend: Option<(usize, Option<Unit<Vec3>>)>,
    finite: bool,
    /// Whether all rotations are known to be within the constraints.
    pub(crate) allowed: bool,
    pub(crate) scratch: Scratch,
}

/// Buffers of the solvers, of the sizes they need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Positions wished for, by joint, and the sum of the weights that went into each.
    pub(crate) points: Vec<Vec3>,
    pub(crate) weights: Vec<f64>,
    /// Degrees of freedom of all joints.
    pub(crate) dofs: Vec<Dof>,
    /// Matrices and vectors of the Jacobian solvers.
    pub(crate) numbers: Vec<f64>,
    /// Turns of the joints in object space.
    pub(crate) turns: Vec<Quat>,
    /// A pose to go back to, and the pose at the start.
    pub(crate) pose: Vec<Quat>,
    pub(crate) start: Vec<Quat>,
    /// The pose that other starts are made from, and the best one found.
    pub(crate) first: Vec<Quat>,
    pub(crate) best: Vec<Quat>,
}

/// How far an effector is from the first joint that can turn, at least and at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// What the effectors miss, the worst of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Miss {
    /// [units]
    pub(crate) position: f64,
    /// \[rad\]
    pub(crate) orientation: f64,
    /// Whether all are within the tolerances.
    pub(crate) reached: bool,
}

pub(crate) const NONE: u32 = u32::MAX;

impl Chain {
    /// Joints one after the other, with an effector at `tip` in the frame of the last.
    ///
    /// # Errors
    /// Where there are no joints or a number is not finite.
    pub fn serial(base: Isometry3<f64>, links: Vec<Link>, tip: Vec3) -> Result<Chain, IkError> {
        let parents = (0..links.len()).map(|i| i.checked_sub(1)).collect();
        let joint = links.len().saturating_sub(1);
        Chain::tree(base, links, parents, vec![Effector { joint, offset: tip, rotation: Quat::identity() }])
    }

    /// Joints with their parents (`None`: the base), parents first, and their effectors.
    ///
    /// # Errors
    /// Where there are no joints or effectors, a parent follows its child, an effector is on no joint, or a
    /// number is not finite.
    pub fn tree(
        base: Isometry3<f64>,
        links: Vec<Link>,
        parents: Vec<Option<usize>>,
        effectors: Vec<Effector>,
    ) -> Result<Chain, IkError> {
        let joints = links.len().min(parents.len());
        if joints == 0 {
            return Err(IkError::NoJoints);
        }
        if effectors.is_empty() {
            return Err(IkError::NoEffectors);
        }
        if let Some((joint, parent)) =
            (0..joints).find_map(|i| parents[i].filter(|&parent| parent >= i).map(|parent| (i, parent)))
        {
            return Err(IkError::ParentAfterChild { joint, parent });
        }
        if let Some(effector) = effectors.iter().position(|effector| effector.joint >= joints) {
            return Err(IkError::NoSuchJoint { effector, joint: effectors[effector].joint, joints });
        }
        let parent: Vec<u32> = parents.iter().map(|parent| parent.map_or(NONE, |i| i as u32)).collect();
        let (mut path, mut path_start) = (Vec::new(), vec![0]);
        for effector in &effectors {
            let from = path.len();
            let mut at = effector.joint as u32;
            while at != NONE {
                path.push(at);
                at = parent[at as usize];
            }
            path[from..].reverse();
            path_start.push(path.len() as u32);
        }
        let mut carries = vec![false; effectors.len() * joints];
        for e in 0..effectors.len() {
            for joint in &path[path_start[e] as usize..path_start[e + 1] as usize] {
                carries[e * joints + *joint as usize] = true;
            }
        }
        let rotations: Vec<Quat> = links.iter().map(|link| link.rotation).collect();
        let mut chain = Chain {
            base,
            parent,
            offset: links.iter().map(|link| link.offset).collect(),
            local: rotations.clone(),
            rest: rotations.clone(),
            constraint: links.iter().map(|link| link.constraint).collect(),
            frame: rotations,
            position: vec![Vec3::zeros(); joints],
            reach: vec![Reach { min: 0.0, max: 0.0 }; effectors.len()],
            tips: vec![Vec3::zeros(); effectors.len()],
            effectors,
            plain: false,
            bones: vec![Vec3::zeros(); joints],
            bone_length: vec![0.0; joints],
            bend_at: None,
            above: vec![NONE; joints],
            path,
            path_start,
            carries,
            bend: None,
            finite: false,
            allowed: false,
            scratch: Scratch::default(),
        };
        chain.scratch = Scratch {
            points: vec![Vec3::zeros(); joints],
            weights: vec![0.0; joints],
            dofs: Vec::with_capacity(3 * joints),
            numbers: vec![
                0.0;
                jacobian::numbers(chain.effectors.len(), 3 * joints)
                    .max(objective::numbers(3 * joints))
            ],
            turns: chain.local.clone(),
            pose: chain.local.clone(),
            start: chain.local.clone(),
            first: chain.local.clone(),
            best: chain.local.clone(),
        };
        chain.pose_changed();
        if chain.finite { Ok(chain) } else { Err(IkError::ChainNotFinite) }
    }

    /// The number of joints; never 0.
    #[allow(clippy::len_without_is_empty, reason = "a chain is never empty")]
    pub fn len(&self) -> usize {
        self.local.len()
    }

    /// The local rotations, by joint.
    pub fn rotations(&self) -> &[Quat] {
        &self.local
    }

    /// Poses the chain. Rotations beyond the number of joints are left out.
    pub fn set_rotations(&mut self, rotations: &[Quat]) {
        for (local, rotation) in self.local.iter_mut().zip(rotations) {
            *local = *rotation;
        }
        self.pose_changed();
    }

    /// Turns one joint.
    ///
    /// # Panics
    /// Where there is no such joint.
    pub fn set_rotation(&mut self, joint: usize, rotation: Quat) {
        self.local[joint] = rotation;
        self.pose_changed();
    }

    /// Where the chain is fixed, in object space.
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// Moves the base and the chain with it.
    pub fn set_base(&mut self, base: Isometry3<f64>) {
        self.base = base;
        self.pose_changed();
    }

    /// How the joints may turn.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraint
    }

    /// Changes how a joint may turn.
    ///
    /// # Panics
    /// Where there is no such joint.
    pub fn set_constraint(&mut self, joint: usize, constraint: Constraint) {
        self.constraint[joint] = constraint;
        self.pose_changed();
    }

    /// The joint that a two-bone solution bends, and the axis it bends about: seen from the frame of the joint
    /// before it, a positive turn flexes. With an axis a straight limb always bends the same way; without one
    /// the plane of the pose is kept. Default: the hinge between base and effector, or else the joint that
    /// divides the chain most evenly.
    ///
    /// # Panics
    /// Where there is no such joint.
    pub fn set_bend(&mut self, joint: usize, axis: Option<Unit<Vec3>>) {
        assert!(joint < self.len(), "joint {joint} of {}", self.len());
        self.bend = Some((joint, axis));
        self.bend_at = self.find_bend();
    }

    /// Positions of the joints in object space.
    pub fn positions(&self) -> &[Vec3] {
        &self.position
    }

    /// Orientations of the joints in object space.
    pub fn frames(&self) -> &[Quat] {
        &self.frame
    }

    /// The effectors.
    pub fn effectors(&self) -> &[Effector] {
        &self.effectors
    }

    /// Position and orientation of an effector in object space.
    ///
    /// # Panics
    /// Where there is no such effector.
    #[inline]
    pub fn tip(&self, effector: usize) -> (Vec3, Quat) {
        let Effector { joint, rotation, .. } = &self.effectors[effector];
        (self.tips[effector], self.frame[*joint] * rotation)
    }

    /// Position of an effector in object space.
    ///
    /// # Panics
    /// Where there is no such effector.
    #[inline]
    pub fn tip_position(&self, effector: usize) -> Vec3 {
        self.tips[effector]
    }

    /// The length of the chain from its first turning joint to an effector, stretched.
    ///
    /// # Panics
    /// Where there is no such effector.
    pub fn length(&self, effector: usize) -> f64 {
        self.reach[effector].max
    }

    pub(crate) fn reach(&self, effector: usize) -> Reach {
        self.reach[effector]
    }

    /// The number of joints from the base to an effector, and the joint at a place of that path.
    #[inline]
    pub(crate) fn path_len(&self, effector: usize) -> usize {
        (self.path_start[effector + 1] - self.path_start[effector]) as usize
    }

    #[inline]
    pub(crate) fn path_joint(&self, effector: usize, place: usize) -> usize {
        self.path[self.path_start[effector] as usize + place] as usize
    }

    /// Whether an effector moves with a joint.
    pub(crate) fn carries(&self, joint: usize, effector: usize) -> bool {
        self.carries[effector * self.local.len() + joint]
    }

    /// How many joints on the way to an effector can turn.
    pub(crate) fn turning(&self, effector: usize) -> usize {
        let path = (0..self.path_len(effector)).map(|k| self.path_joint(effector, k));
        path.filter(|&i| !self.constraint[i].is_locked()).count()
    }

    /// The first joint on the way to an effector that can turn.
    pub(crate) fn first_turning(&self, effector: usize) -> Option<usize> {
        (0..self.path_len(effector))
            .map(|k| self.path_joint(effector, k))
            .find(|&i| !self.constraint[i].is_locked())
    }

    /// Whether a joint may have every rotation, and takes it without resistance.
    pub(crate) fn turns_freely(&self, joint: usize, options: &Options) -> bool {
        let constraint = &self.constraint[joint];
        (constraint.is_free() || !options.limits) && !constraint.is_locked() && constraint.stiffness == 0.0
    }

    /// The object-space orientation that a joint's local rotation is seen from.
    #[inline]
    pub(crate) fn parent_frame(&self, joint: usize) -> Quat {
        match self.parent[joint] {
            NONE => self.base.rotation,
            parent => self.frame[parent as usize],
        }
    }

    /// Forward kinematics.
    pub(crate) fn update(&mut self) {
        for i in 0..self.local.len() {
            self.update_joint(i);
        }
        for (tip, effector) in self.tips.iter_mut().zip(&self.effectors) {
            *tip = self.position[effector.joint] + self.frame[effector.joint] * effector.offset;
        }
    }

    /// Forward kinematics of one joint whose parent is up to date.
    #[inline]
    pub(crate) fn update_joint(&mut self, joint: usize) {
        let (position, frame) = match self.parent[joint] {
            NONE => (self.base.translation.vector, self.base.rotation),
            parent => (self.position[parent as usize], self.frame[parent as usize]),
        };
        self.position[joint] = position + frame * self.offset[joint];
        self.frame[joint] = frame * self.local[joint];
    }

    /// The place of `joint` in the frame of `above`, from the local rotations between the two.
    pub(crate) fn rigid_arm(&self, joint: usize, above: usize) -> Vec3 {
        let (mut arm, mut at) = (self.offset[joint], self.parent[joint]);
        while at != above as u32 && at != NONE {
            arm = self.offset[at as usize] + self.local[at as usize] * arm;
            at = self.parent[at as usize];
        }
        arm
    }

    /// The place and orientation of an effector in the frame of `above`, from the local rotations between.
    pub(crate) fn rigid_tip(&self, effector: usize, above: usize) -> (Vec3, Quat) {
        let Effector { joint, offset, rotation } = self.effectors[effector];
        let (mut arm, mut turn, mut at) = (offset, rotation, joint as u32);
        while at != above as u32 && at != NONE {
            arm = self.offset[at as usize] + self.local[at as usize] * arm;
            turn = self.local[at as usize] * turn;
            at = self.parent[at as usize];
        }
        (arm, turn)
    }

    /// Everything that follows from a pose, base or constraint that was set from outside.
    pub(crate) fn pose_changed(&mut self) {
        let mut sum = self.base.translation.vector.sum() + self.base.rotation.coords.sum();
        for i in 0..self.len() {
            sum += self.offset[i].sum() + self.local[i].coords.sum();
        }
        for effector in &self.effectors {
            sum += effector.offset.sum() + effector.rotation.coords.sum();
        }
        self.finite = sum.is_finite();
        self.allowed = false;
        self.update();
        for i in 0..self.len() {
            self.above[i] = match self.parent[i] {
                NONE => NONE,
                parent => self.turning_from(parent as usize),
            };
        }
        for e in 0..self.effectors.len() {
            self.reach[e] = self.measure_reach(e);
        }
        self.plain = self.effectors.len() == 1
            && self.path_len(0) == self.len()
            && self.constraint.iter().all(|constraint| {
                *constraint
                    == Constraint { freedom: Freedom::Free, stiffness: 0.0, tolerance: 0.0, ..*constraint }
            });
        if self.plain {
            for k in 0..self.len() {
                self.bones[k] = self.bone(0, k);
                self.bone_length[k] = self.bones[k].norm();
            }
        }
        self.bend_at = self.find_bend();
    }

    /// The joint set for the chain, the only hinge below the first joint that turns, or the joint that divides
    /// the length most evenly.
    fn find_bend(&self) -> Option<usize> {
        let first = self.first_turning(0)?;
        if let Some((joint, _)) = self.bend
            && joint != first
            && !self.constraint[joint].is_locked()
        {
            return Some(joint);
        }
        let half = self.length(0) / 2.0;
        let (mut hinges, mut hinge, mut best) = (0, None, None);
        let (mut length, mut from, mut closest) = (0.0, self.position[first], f64::INFINITY);
        for k in 0..self.path_len(0) {
            let joint = self.path_joint(0, k);
            if joint <= first || self.constraint[joint].is_locked() {
                continue;
            }
            length += (self.position[joint] - from).norm();
            from = self.position[joint];
            if matches!(self.constraint[joint].freedom, Freedom::Hinge { .. }) {
                (hinges, hinge) = (hinges + 1, Some(joint));
            }
            if (length - half).abs() < closest {
                (closest, best) = ((length - half).abs(), Some(joint));
            }
        }
        if hinges == 1 { hinge } else { best }
    }

    /// The joint itself where it can turn, or else the nearest one above that can.
    pub(crate) fn turning_from(&self, joint: usize) -> u32 {
        if self.constraint[joint].is_locked() { self.above[joint] } else { joint as u32 }
    }

    /// Bones between joints that cannot turn are one rigid piece.
    fn measure_reach(&self, effector: usize) -> Reach {
        let (mut sum, mut longest, mut from) = (0.0, 0.0f64, None);
        let mut piece = |from: Option<Vec3>, to: Vec3| {
            let length = from.map_or(0.0, |from| (to - from).norm());
            sum += length;
            longest = longest.max(length);
        };
        for k in 0..self.path_len(effector) {
            let joint = self.path_joint(effector, k);
            if !self.constraint[joint].is_locked() {
                piece(from, self.position[joint]);
                from = Some(self.position[joint]);
            }
        }
        piece(from, self.tip(effector).0);
        Reach { min: (2.0 * longest - sum).max(0.0), max: sum }
    }

    /// Checks the input of a solve and puts the chain where it starts.
    pub(crate) fn begin(&mut self, goals: &[Goal], options: &Options) -> Result<(), IkError> {
        if goals.len() != self.effectors.len() {
            return Err(IkError::GoalCount { found: goals.len(), expected: self.effectors.len() });
        }
        if let Some(effector) = goals.iter().position(|goal| !goal.is_finite()) {
            return Err(IkError::GoalNotFinite { effector });
        }
        if !self.finite {
            return Err(IkError::ChainNotFinite);
        }
        if options.start == Start::Cold {
            self.local.copy_from_slice(&self.rest);
            self.pose_changed();
        }
        if options.limits && !self.allowed {
            for i in 0..self.len() {
                self.local[i] = self.constraint[i].project(&self.local[i]).0;
            }
            self.update();
        }
        self.allowed = options.limits;
        Ok(())
    }

    /// What the effectors miss.
    pub(crate) fn miss(&self, goals: &[Goal], options: &Options) -> Miss {
        let (mut square, mut angle, mut reached) = (0.0f64, 0.0f64, true);
        for (e, goal) in goals.iter().enumerate() {
            if goal.wants_position() {
                let near = options.position_tolerance * self.length(e);
                let off = (goal.position - self.tips[e]).norm_squared();
                square = square.max(off);
                reached &= off <= near * near;
            }
            if goal.wants_orientation() {
                let off = angle_between(&self.tip(e).1, &goal.orientation);
                angle = angle.max(off);
                reached &= off <= options.orientation_tolerance;
            }
        }
        Miss { position: square.sqrt(), orientation: angle, reached }
    }

    /// Whether every effector is within the tolerances of its goal.
    pub(crate) fn reached(&self, goals: &[Goal], options: &Options) -> bool {
        self.miss(goals, options).reached
    }

    /// Whether a goal is outside of what the lengths of the bones allow.
    pub(crate) fn out_of_reach(&self, effector: usize, goal: &Goal, options: &Options) -> bool {
        let Some(first) = self.first_turning(effector) else { return true };
        let reach = self.reach(effector);
        let distance = (goal.position - self.position[first]).norm();
        let slack = options.position_tolerance * reach.max;
        goal.wants_position() && (distance > reach.max + slack || distance < reach.min - slack)
    }

    /// The result of a solve that has left the chain as it is.
    pub(crate) fn outcome(&self, goals: &[Goal], options: &Options, iterations: u32) -> Outcome {
        let Miss { position, orientation, reached } = self.miss(goals, options);
        let status = if reached {
            Status::Reached
        } else if goals.iter().enumerate().any(|(e, goal)| self.out_of_reach(e, goal, options)) {
            Status::Unreachable
        } else {
            Status::Capped
        };
        let contacts = match self.plain {
            true => 0,
            false => (0..self.len()).filter(|&i| self.constraint[i].at_limit(&self.local[i])).count(),
        };
        Outcome { status, iterations, position, orientation, limit_contacts: contacts as u32 }
    }
}
