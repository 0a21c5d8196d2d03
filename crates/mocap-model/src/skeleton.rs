//! The tree of joints.

use crate::{Coupling, Dofs, EulerOrder, ModelError, Pose, Robot, Role, Space};
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// The index of a joint in its skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

impl JointId {
    /// The index as `usize`.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for JointId {
    fn from(index: usize) -> JointId {
        JointId(u32::try_from(index).expect("a skeleton has fewer than 2^32 joints"))
    }
}

/// One joint at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique in the skeleton.
    pub name: String,
    /// `None` for a root.
    pub parent: Option<JointId>,
    /// Translation at rest, in the parent's frame [units of the skeleton's space].
    pub offset: Vector3<f64>,
    /// Local rotation at rest.
    pub rest_rotation: UnitQuaternion<f64>,
    /// How the joint may move.
    pub dofs: Dofs,
    /// What the joint is in a body, if known.
    pub role: Option<Role>,
    /// Whether this marks the end of a bone: it never moves in its parent's frame, and has no children.
    pub end_site: bool,
}

impl Joint {
    /// A joint that turns freely (ZXY), without a rest rotation, limits or a role.
    pub fn new(name: impl Into<String>, parent: Option<JointId>, offset: Vector3<f64>) -> Joint {
        Joint {
            name: name.into(),
            parent,
            offset,
            rest_rotation: UnitQuaternion::identity(),
            dofs: Dofs::ball(EulerOrder::ZXY),
            role: None,
            end_site: false,
        }
    }

    /// Whether everything except the role is the same.
    fn is_as(&self, other: &Joint) -> bool {
        self.name == other.name
            && self.parent == other.parent
            && self.offset == other.offset
            && self.rest_rotation == other.rest_rotation
            && self.dofs == other.dofs
    }
}

/// A named run of joints from a base down to a tip, such as a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Unique in the skeleton.
    pub name: String,
    /// The joint nearest the root.
    pub base: JointId,
    /// The joint furthest from the root.
    pub tip: JointId,
}

/// A tree of joints, parents before children, and the space of its numbers. Several roots are allowed.
///
/// ```
/// use mocap_model::{Joint, JointId, Skeleton, Space, Vector3};
///
/// let joints = vec![
///     Joint::new("hips", None, Vector3::new(0.0, 0.9, 0.0)),
///     Joint::new("spine", Some(JointId(0)), Vector3::new(0.0, 0.2, 0.0)),
/// ];
/// let skeleton = Skeleton::new("stick", Space::default(), joints)?;
/// assert_eq!(skeleton.find("spine"), Some(JointId(1)));
/// assert_eq!(skeleton.children(JointId(0)), [JointId(1)]);
/// # Ok::<(), mocap_model::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    name: String,
    space: Space,
    joints: Vec<Joint>,
    chains: Vec<Chain>,
    couplings: Vec<Coupling>,
    /// `children[first_child[i]..first_child[i + 1]]` are the children of joint `i`.
    children: Vec<JointId>,
    first_child: Vec<u32>,
    robot: Option<Arc<Robot>>,
    size: f64,
}

impl Skeleton {
    /// Checks the joints and builds the skeleton.
    ///
    /// # Errors
    /// If there are none, a parent follows its child, two share a name, an end site has a child, a number
    /// is not finite, an offset is beyond [`Space::FARTHEST`], or a limit is empty.
    pub fn new(name: impl Into<String>, space: Space, joints: Vec<Joint>) -> Result<Skeleton, ModelError> {
        if joints.is_empty() {
            return Err(ModelError::NoJoints);
        }
        let mut names = HashMap::with_capacity(joints.len());
        for (i, joint) in joints.iter().enumerate() {
            let name = || joint.name.clone();
            if names.insert(joint.name.as_str(), i).is_some() {
                return Err(ModelError::DuplicateName { name: name() });
            }
            if let Some(parent) = joint.parent {
                if parent.index() >= i {
                    return Err(ModelError::ParentAfterChild { joint: name() });
                }
                if joints[parent.index()].end_site {
                    return Err(ModelError::EndSiteWithChild { joint: joints[parent.index()].name.clone() });
                }
            }
            let rest = joint.rest_rotation.coords.iter().chain(joint.dofs.frame.coords.iter());
            if !joint.offset.iter().chain(rest).all(|value| value.is_finite()) {
                return Err(ModelError::RestNotFinite { joint: name() });
            }
            if let Some(found) = joint.offset.iter().find(|value| value.abs() > Space::FARTHEST) {
                return Err(ModelError::RestTooFar { joint: name(), found: *found });
            }
            for limit in joint.dofs.limits.iter().flatten() {
                if limit.min.is_nan() || limit.max.is_nan() {
                    return Err(ModelError::RestNotFinite { joint: name() });
                }
                if limit.min > limit.max {
                    return Err(ModelError::EmptyLimit { joint: name(), min: limit.min, max: limit.max });
                }
            }
        }
        let (children, first_child) = children_of(&joints);
        let (name, chains, couplings) = (name.into(), Vec::new(), Vec::new());
        Ok(Skeleton { name, space, joints, chains, couplings, children, first_child, robot: None, size: 1.0 })
    }

    /// The factor by which a skeleton without bones, such as a head of one joint, was scaled: no length of it shows that, but
    /// a mesh on it grows. 1 for others.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Whether no joint is at a distance from its parent.
    pub(crate) fn has_no_bones(&self) -> bool {
        self.joints.iter().all(|joint| joint.parent.is_none() || joint.offset.norm() == 0.0)
    }

    /// The same skeleton, scaled by another factor.
    pub(crate) fn with_size(self, size: f64) -> Skeleton {
        Skeleton { size, ..self }
    }

    /// The factor by which this skeleton is larger than another, where neither has bones that show it.
    pub fn growth_without_bones(&self, from: &Skeleton) -> Option<f64> {
        (self.has_no_bones() && from.has_no_bones()).then(|| self.size / from.size)
    }

    /// The robot that the skeleton is made of, with what joints do not say: bodies, speeds, collision shapes.
    pub fn robot(&self) -> Option<&Arc<Robot>> {
        self.robot.as_ref()
    }

    /// The same skeleton as that of a robot; see [`Robot::to_skeleton`].
    pub fn with_robot(self, robot: Arc<Robot>) -> Skeleton {
        Skeleton { robot: Some(robot), ..self }
    }

    /// The same skeleton with these chains.
    ///
    /// # Errors
    /// If a base is not above its tip, or two chains share a name.
    pub fn with_chains(mut self, chains: Vec<Chain>) -> Result<Skeleton, ModelError> {
        let mut names = HashSet::with_capacity(chains.len());
        let places = if chains.is_empty() { Vec::new() } else { self.depth_first_ranges() };
        for chain in &chains {
            if !names.insert(chain.name.as_str()) {
                return Err(ModelError::DuplicateName { name: chain.name.clone() });
            }
            let below = &places[chain.base.index()];
            if !below.contains(&places[chain.tip.index()].start) {
                return Err(ModelError::BrokenChain { chain: chain.name.clone() });
            }
        }
        self.chains = chains;
        Ok(self)
    }

    /// The same skeleton with these couplings.
    ///
    /// # Errors
    /// [`ModelError::Coupling`] if one names an angle that does not turn, or asks for a value that the limits of its
    /// joints do not allow; [`ModelError::DuplicateName`] if two share a name.
    pub fn with_couplings(mut self, couplings: Vec<Coupling>) -> Result<Skeleton, ModelError> {
        let mut names = HashSet::with_capacity(couplings.len());
        for coupling in &couplings {
            if !names.insert(coupling.name.as_str()) {
                return Err(ModelError::DuplicateName { name: coupling.name.clone() });
            }
            coupling.check(&self)?;
        }
        self.couplings = couplings;
        Ok(self)
    }

    /// By joint: the range of its subtree in a depth-first order.
    fn depth_first_ranges(&self) -> Vec<Range<u32>> {
        let mut places = vec![0..0; self.len()];
        let mut open: Vec<JointId> = self.roots().collect();
        let mut next = 0;
        while let Some(id) = open.pop() {
            places[id.index()] = next..next + 1;
            next += 1;
            open.extend(self.children(id));
        }
        // In reverse order, children come before their parents.
        for (id, joint) in self.iter().rev() {
            if let Some(parent) = joint.parent {
                let end = places[id.index()].end;
                let above = &mut places[parent.index()];
                above.end = above.end.max(end);
            }
        }
        places
    }

    /// The same skeleton with its joints changed; names, tree and numbers are checked again.
    ///
    /// # Errors
    /// As [`Skeleton::new`].
    pub fn with_joints(&self, change: impl FnMut(&mut Joint)) -> Result<Skeleton, ModelError> {
        let mut joints = self.joints.clone();
        joints.iter_mut().for_each(change);
        let same = joints.iter().zip(&self.joints).all(|(a, b)| a.is_as(b));
        let skeleton = Skeleton::new(self.name.clone(), self.space, joints)?
            .with_chains(self.chains.clone())?
            .with_couplings(self.couplings.clone())?;
        Ok(Skeleton { robot: self.robot.clone().filter(|_| same), size: self.size, ..skeleton })
    }

    /// The same skeleton with these roles of its joints and no others.
    pub fn with_roles(&self, role: impl Fn(JointId) -> Option<Role>) -> Skeleton {
        let mut skeleton = self.clone();
        for (at, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.role = role(JointId::from(at));
        }
        skeleton
    }

    /// The same skeleton with another space stated; no number is converted.
    pub fn with_space(&self, space: Space) -> Skeleton {
        let numbers = |space: &Space| (space.up, space.forward, space.metres());
        let same = numbers(&space) == numbers(&self.space);
        Skeleton { space, robot: self.robot.clone().filter(|_| same), ..self.clone() }
    }

    /// The same skeleton under another name.
    pub fn with_name(&self, name: impl Into<String>) -> Skeleton {
        Skeleton { name: name.into(), ..self.clone() }
    }

    /// The name of the skeleton; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The axes and unit of its numbers.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// All joints and end sites, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The number of joints and end sites; never 0.
    #[allow(clippy::len_without_is_empty, reason = "a skeleton is never empty")]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// One joint.
    pub fn joint(&self, id: JointId) -> &Joint {
        &self.joints[id.index()]
    }

    /// Every joint with its index.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (JointId, &Joint)> + ExactSizeIterator {
        self.joints.iter().enumerate().map(|(i, joint)| (JointId::from(i), joint))
    }

    /// The joints without a parent.
    pub fn roots(&self) -> impl Iterator<Item = JointId> {
        self.iter().filter(|(_, joint)| joint.parent.is_none()).map(|(id, _)| id)
    }

    /// The children of a joint, in order.
    pub fn children(&self, id: JointId) -> &[JointId] {
        let [from, to] = [0, 1].map(|next| self.first_child[id.index() + next] as usize);
        &self.children[from..to]
    }

    /// The end site furthest from its joint: where the bone of a last joint ends.
    pub fn end_site(&self, id: JointId) -> Option<JointId> {
        let far = |child: &JointId| self.joint(*child).offset.norm();
        let sites = self.children(id).iter().copied().filter(|child| self.joint(*child).end_site);
        sites.max_by(|a, b| far(a).total_cmp(&far(b)))
    }

    /// The joint of a name.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.iter().find(|(_, joint)| joint.name == name).map(|(id, _)| id)
    }

    /// The joint of a role.
    pub fn with_role(&self, role: Role) -> Option<JointId> {
        self.iter().find(|(_, joint)| joint.role == Some(role)).map(|(id, _)| id)
    }

    /// Where a left and a right limb are joined to the body: joints that stay in place as the limbs rotate. These are the
    /// joints of the two roles, or, where joints without a role are above them, such as the other hinges of a robot's
    /// hip, the first of these. A joint above both limbs is not part of either. `None` without one of the roles.
    ///
    /// ```
    /// use mocap_model::*;
    ///
    /// let joint = |name: &str, parent: Option<usize>, y, role| {
    ///     let offset = Vector3::new(0.0, y, -0.1);
    ///     Joint { role, ..Joint::new(name, parent.map(JointId::from), offset) }
    /// };
    /// let joints = vec![
    ///     joint("pelvis", None, 0.0, Some(Role::Hips)),
    ///     joint("left_hip_pitch", Some(0), 0.06, None),
    ///     joint("left_hip_yaw", Some(1), 0.05, Some(Role::LeftUpperLeg)),
    ///     joint("right_hip_pitch", Some(0), -0.06, None),
    ///     joint("right_hip_yaw", Some(3), -0.05, Some(Role::RightUpperLeg)),
    /// ];
    /// let robot = Skeleton::new("", Space::metres_z_up(), joints)?;
    /// let roots = robot.limb_roots(Role::LeftUpperLeg, Role::RightUpperLeg).unwrap();
    /// assert_eq!(roots.map(JointId::index), [1, 3]);
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn limb_roots(&self, left: Role, right: Role) -> Option<[JointId; 2]> {
        /// The least distance of both roots, as a share of that of the joints of the roles.
        const APART: f64 = 0.5;
        let limbs = [self.with_role(left)?, self.with_role(right)?];
        let mut rest = Pose::default();
        Pose::rest(self).to_object(self, &mut rest);
        let apart = |[left, right]: [JointId; 2]| {
            let [left, right] = [left, right].map(|id| rest.joints[id.index()].translation.vector);
            (left - right).norm()
        };
        let middle = self.common_ancestor(limbs[0], limbs[1]);
        let above = |id: &JointId| {
            let parent =
                self.joint(*id).parent.filter(|parent| ![Some(*id), Some(*parent)].contains(&middle))?;
            self.joint(parent).role.is_none().then_some(parent)
        };
        let pairs = std::iter::successors(Some(limbs), |[left, right]| Some([above(left)?, above(right)?]));
        let least = APART * apart(limbs);
        pairs.filter(|pair| least > 0.0 && apart(*pair) >= least).last().or(Some(limbs))
    }

    /// Left and right joints where legs and arms are joined to the body ([`Skeleton::limb_roots`]): the lines across hips and
    /// shoulders, which show where a body faces. Pairs that the body lacks are left out.
    pub fn lateral_pairs(&self) -> Vec<[JointId; 2]> {
        [[Role::LeftUpperLeg, Role::RightUpperLeg], [Role::LeftUpperArm, Role::RightUpperArm]]
            .into_iter()
            .filter_map(|[left, right]| self.limb_roots(left, right))
            .collect()
    }

    /// The joint with this name, else with this role; else, ignoring case, the only joint with this name, or the first
    /// with this role.
    ///
    /// ```
    /// use mocap_model::*;
    ///
    /// let joint = |name: &str, role| Joint { role, ..Joint::new(name, None, Vector3::zeros()) };
    /// let joints = vec![joint("Hips", None), joint("knee", Some(Role::LeftLowerLeg)), joint("KNEE", None)];
    /// let skeleton = Skeleton::new("", Space::default(), joints)?;
    /// let found = |text| skeleton.find_by_name_or_role(text).map(JointId::index);
    /// assert_eq!([found("hips"), found("KNEE"), found("leftlowerleg")], [Some(0), Some(2), Some(1)]);
    /// assert_eq!([found("Knee"), found("elbow")], [None, None], "two names fit, none fits");
    /// # Ok::<(), ModelError>(())
    /// ```
    pub fn find_by_name_or_role(&self, text: &str) -> Option<JointId> {
        let role = || text.parse::<Role>().ok().and_then(|role| self.with_role(role));
        if let Some(found) = self.find(text).or_else(role) {
            return Some(found);
        }
        let same = |name: &str| name.to_lowercase() == text.to_lowercase();
        let joints = || self.iter().filter(|(_, joint)| !joint.end_site);
        let mut named = joints().filter(|(_, joint)| same(&joint.name)).map(|(id, _)| id);
        match (named.next(), named.next()) {
            (None, _) => {
                let mut with_role =
                    joints().filter(|(_, joint)| joint.role.is_some_and(|role| same(role.name())));
                with_role.next().map(|(id, _)| id)
            }
            (only, None) => only,
            _ => None,
        }
    }

    /// Chains that were given with the skeleton.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Linear relations between joint angles that every pose must keep.
    pub fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    /// A joint and all joints below it, in the order of the skeleton.
    ///
    /// ```
    /// use mocap_model::{Joint, JointId, Skeleton, Space, Vector3};
    ///
    /// let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vector3::y());
    /// let [hips, thigh] = [joint("hips", None), joint("thigh", Some(0))];
    /// let joints = vec![hips, thigh, joint("spine", Some(0)), joint("knee", Some(1))];
    /// let skeleton = Skeleton::new("", Space::default(), joints)?;
    /// assert_eq!(skeleton.subtree(JointId(1)), [JointId(1), JointId(3)]);
    /// assert!(skeleton.is_in_subtree(JointId(3), JointId(0)));
    /// # Ok::<(), mocap_model::ModelError>(())
    /// ```
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn subtree(&self, top: JointId) -> Vec<JointId> {
        let mut inside = vec![false; self.len()];
        for (id, joint) in self.iter().skip(top.index()) {
            inside[id.index()] = id == top || joint.parent.is_some_and(|parent| inside[parent.index()]);
        }
        assert!(top.index() < self.len(), "joint {} of {}", top.index(), self.len());
        self.iter().map(|(id, _)| id).filter(|id| inside[id.index()]).collect()
    }

    /// Whether `joint` is `top` or below it. Does not allocate.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn is_in_subtree(&self, joint: JointId, top: JointId) -> bool {
        std::iter::successors(Some(joint), |id| self.joint(*id).parent).any(|id| id == top)
    }

    /// The lowest joint above both, which may be one of them; `None` if they belong to different trees.
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn common_ancestor(&self, a: JointId, b: JointId) -> Option<JointId> {
        let (mut a, mut b) = (a, b);
        while a != b {
            // Parents come first, so the later joint is not an ancestor of the other.
            if a > b {
                a = self.joint(a).parent?;
            } else {
                b = self.joint(b).parent?;
            }
        }
        Some(a)
    }

    /// The joints from `base` down to `tip`, both included; `None` if `base` is not above `tip`.
    pub fn path(&self, base: JointId, tip: JointId) -> Option<Vec<JointId>> {
        let mut path = vec![tip];
        while path[path.len() - 1] != base {
            path.push(self.joint(path[path.len() - 1]).parent?);
        }
        path.reverse();
        Some(path)
    }
}

fn children_of(joints: &[Joint]) -> (Vec<JointId>, Vec<u32>) {
    let mut first_child = vec![0u32; joints.len() + 1];
    for parent in joints.iter().filter_map(|joint| joint.parent) {
        first_child[parent.index() + 1] += 1;
    }
    for i in 0..joints.len() {
        first_child[i + 1] += first_child[i];
    }
    let mut next = first_child.clone();
    let mut children = vec![JointId(0); first_child[joints.len()] as usize];
    for (i, joint) in joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            children[next[parent.index()] as usize] = JointId::from(i);
            next[parent.index()] += 1;
        }
    }
    (children, first_child)
}
