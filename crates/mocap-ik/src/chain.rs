//! Joints in flat arrays, parents first: a chain with one effector, or a tree with several.
//!
//! The chain holds the pose that a solver starts from and ends with. Its object-space positions and frames
//! always match its local rotations.

use crate::capsule::Pair;
use crate::coupling::Couplings;
use crate::scratch::Scratch;
use crate::{Capsule, Constraint, Freedom, IkError, Quat, SolveOptions, Vec3};
use mocap_model::Isometry3;
use nalgebra::Unit;

/// One joint of a new chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Translation in the frame of the joint before it, or of the base.
    pub offset: Vec3,
    /// Local rotation: the first pose, and the pose of a cold start.
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

/// Joints on a fixed base, and effectors that are to reach goals.
///
/// ```
/// use mocap_ik::{Constraint, IkChain, Link};
/// use mocap_model::{Isometry3, UnitQuaternion, Vector3};
///
/// let link = |y: f64| Link {
///     offset: Vector3::new(0.0, y, 0.0),
///     rotation: UnitQuaternion::identity(),
///     constraint: Constraint::free(),
/// };
/// let links = vec![link(0.0), link(0.3)];
/// let arm = IkChain::serial(Isometry3::identity(), links, Vector3::new(0.0, 0.25, 0.0))?;
/// assert_eq!(arm.len(), 2);
/// assert!((arm.length(0) - 0.55).abs() < 1e-12);
/// assert!((arm.tip_position(0).y - 0.55).abs() < 1e-12);
/// # Ok::<(), mocap_ik::IkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IkChain {
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
    /// Whether all joints are free and in series, with one effector on the last.
    pub(crate) unconstrained: bool,
    /// The bones of an unconstrained chain in the frames of their joints, and their lengths.
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
    /// The nearest joint above that can turn, by joint; `NONE` if there is none.
    pub(crate) above: Vec<u32>,
    pub(crate) bend: Option<(usize, Option<Unit<Vec3>>)>,
    pub(crate) finite: bool,
    /// Whether all rotations are known to satisfy the constraints.
    pub(crate) allowed: bool,
    pub(crate) scratch: Scratch,
    /// Mobility of the base relative to a joint; 0: the base is fixed.
    pub(crate) travel: f64,
    pub(crate) couplings: Couplings,
    pub(crate) capsules: Vec<Capsule>,
    pub(crate) pairs: Vec<Pair>,
}

/// Least and greatest distance of an effector from the first joint that can turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    pub(crate) min: f64,
    pub(crate) max: f64,
}

pub(crate) const NONE: u32 = u32::MAX;

impl IkChain {
    /// Joints one after the other, with an effector at `tip` in the frame of the last.
    ///
    /// # Errors
    /// If there are no joints or a number is not finite.
    pub fn serial(base: Isometry3<f64>, links: Vec<Link>, tip: Vec3) -> Result<IkChain, IkError> {
        let parents = (0..links.len()).map(|i| i.checked_sub(1)).collect();
        let joint = links.len().saturating_sub(1);
        IkChain::tree(base, links, parents, vec![Effector { joint, offset: tip, rotation: Quat::identity() }])
    }

    /// Joints with their parents (`None`: the base), parents first, and their effectors.
    ///
    /// # Errors
    /// If there are no joints or effectors, a parent follows its child, an effector is on no joint, or a
    /// number is not finite.
    pub fn tree(
        base: Isometry3<f64>,
        links: Vec<Link>,
        parents: Vec<Option<usize>>,
        effectors: Vec<Effector>,
    ) -> Result<IkChain, IkError> {
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
        let mut chain = IkChain {
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
            unconstrained: false,
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
            travel: 0.0,
            couplings: Couplings::default(),
            capsules: Vec::new(),
            pairs: Vec::new(),
        };
        chain.scratch = Scratch::new(chain.effectors.len(), &chain.local);
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

    /// Poses the chain; ignores rotations beyond the number of joints.
    pub fn set_rotations(&mut self, rotations: &[Quat]) {
        for (local, rotation) in self.local.iter_mut().zip(rotations) {
            *local = *rotation;
        }
        self.pose_changed();
    }

    /// Turns one joint.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn set_rotation(&mut self, joint: usize, rotation: Quat) {
        self.local[joint] = rotation;
        self.pose_changed();
    }

    /// The base of the chain in object space.
    pub fn base(&self) -> &Isometry3<f64> {
        &self.base
    }

    /// Moves the base and the chain with it.
    pub fn set_base(&mut self, base: Isometry3<f64>) {
        self.base = base;
        self.pose_changed();
    }

    /// Lets the base move. `share` is its mobility relative to that of a joint: a move by the
    /// length of the chain costs 1/`share` times as much as a turn of a joint by one radian. 0, the
    /// default, fixes the base. [`crate::Objective`] and [`crate::Xpbd`] move it; the other solvers
    /// refuse such chains.
    pub fn set_travel(&mut self, share: f64) {
        self.travel = if share.is_finite() { share.max(0.0) } else { 0.0 };
    }

    /// How the joints may turn.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraint
    }

    /// Changes how a joint may turn.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn set_constraint(&mut self, joint: usize, constraint: Constraint) {
        self.constraint[joint] = constraint;
        self.pose_changed();
    }

    /// Sets the joint that a two-bone solution bends, and its axis in the frame of the joint before it: a
    /// positive turn flexes. With an axis a straight limb always bends to the same side; without one the
    /// plane of the pose is kept. Default: the only hinge between base and effector, or else the joint that
    /// divides the chain most evenly.
    ///
    /// # Panics
    /// If the joint does not exist.
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
    /// If the effector does not exist.
    #[inline]
    pub fn tip(&self, effector: usize) -> (Vec3, Quat) {
        let Effector { joint, rotation, .. } = &self.effectors[effector];
        (self.tips[effector], self.frame[*joint] * rotation)
    }

    /// Position of an effector in object space.
    ///
    /// # Panics
    /// If the effector does not exist.
    #[inline]
    pub fn tip_position(&self, effector: usize) -> Vec3 {
        self.tips[effector]
    }

    /// The length of the chain from its first turning joint to an effector, stretched.
    ///
    /// # Panics
    /// If the effector does not exist.
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

    /// Whether a joint is above another, or that joint.
    pub(crate) fn is_above(&self, joint: usize, below: usize) -> bool {
        let mut at = below as u32;
        while at != NONE && at as usize > joint {
            at = self.parent[at as usize];
        }
        at == joint as u32
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

    /// Whether a joint may take every rotation, without stiffness or other resistance.
    pub(crate) fn turns_freely(&self, joint: usize, options: &SolveOptions) -> bool {
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

    /// Updates everything that depends on the pose, the base and the constraints.
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
        self.unconstrained = self.effectors.len() == 1
            && self.path_len(0) == self.len()
            && self.constraint.iter().all(|constraint| {
                *constraint
                    == Constraint { freedom: Freedom::Free, stiffness: 0.0, tolerance: 0.0, ..*constraint }
            });
        if self.unconstrained {
            for k in 0..self.len() {
                self.bones[k] = self.bone(0, k);
                self.bone_length[k] = self.bones[k].norm();
            }
        }
        self.bend_at = self.find_bend();
    }

    /// The joint set for the chain, the only hinge below the first joint that turns, or the joint that
    /// divides the length most evenly.
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

    /// The joint itself if it can turn, or else the nearest joint above that can.
    pub(crate) fn turning_from(&self, joint: usize) -> u32 {
        if self.constraint[joint].is_locked() { self.above[joint] } else { joint as u32 }
    }

    /// Bones between joints that cannot turn are one rigid segment.
    fn measure_reach(&self, effector: usize) -> Reach {
        let (mut sum, mut longest, mut from) = (0.0, 0.0f64, None);
        let mut segment = |from: Option<Vec3>, to: Vec3| {
            let length = from.map_or(0.0, |from| (to - from).norm());
            sum += length;
            longest = longest.max(length);
        };
        for k in 0..self.path_len(effector) {
            let joint = self.path_joint(effector, k);
            if !self.constraint[joint].is_locked() {
                segment(from, self.position[joint]);
                from = Some(self.position[joint]);
            }
        }
        segment(from, self.tip(effector).0);
        Reach { min: (2.0 * longest - sum).max(0.0), max: sum }
    }

    /// The vector from a joint of a path to the next joint, or to the effector, in the joint's frame.
    pub(crate) fn bone(&self, effector: usize, place: usize) -> Vec3 {
        match place + 1 < self.path_len(effector) {
            true => self.offset[self.path_joint(effector, place + 1)],
            false => self.effectors[effector].offset,
        }
    }

    /// A bone that a joint carries, in its frame; zero if it carries none.
    pub(crate) fn some_bone(&self, joint: usize) -> Vec3 {
        let child = (joint + 1..self.len()).find(|&i| self.parent[i] == joint as u32);
        let effector = || self.effectors.iter().find(|effector| effector.joint == joint);
        child.map(|i| self.offset[i]).or_else(|| effector().map(|e| e.offset)).unwrap_or_default()
    }
}
