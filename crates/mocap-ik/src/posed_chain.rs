//! Builds chains from the pose of a skeleton and writes solved chains back.
//!
//! Below its base a chain follows the skeleton. If an effector is not below the base (a pelvis above a
//! planted foot), the base is pinned and the chain runs up from it: the joints on that path turn by the
//! inverse of their local rotations, and the root of the skeleton moves when the pose is written back.

use crate::{Constraint, Effector, IkChain, IkError, Link, Quat, Vec3};
use mocap_model::{Isometry3, JointId, Pose, Skeleton};

/// A joint that an effector of the chain follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The joint.
    pub joint: JointId,
    /// Whether the joint itself turns, for orientation goals. If not, only the joints above it turn.
    pub turns: bool,
}

/// A joint of the chain and its joint of the skeleton.
#[derive(Clone, Copy, Debug)]
struct Element {
    joint: JointId,
    /// Whether the chain runs from the joint to its parent.
    up: bool,
    parent: Option<usize>,
    /// The joint below on the way up, whose offset leads back to its parent.
    from: Option<JointId>,
}

/// A chain and the joints of the skeleton that it moves.
///
/// ```
/// use mocap_ik::{PosedChain, Tip};
/// use mocap_model::{Joint, JointId, Pose, Skeleton, Space, Vector3};
///
/// let joint = |name: &str, parent: Option<u32>, y: f64| {
///     Joint::new(name, parent.map(JointId), Vector3::new(0.0, y, 0.0))
/// };
/// let [hips, knee] = [joint("hips", None, 0.9), joint("knee", Some(0), -0.45)];
/// let joints = vec![hips, knee, joint("ankle", Some(1), -0.42)];
/// let skeleton = Skeleton::new("leg", Space::default(), joints)?;
///
/// // Down from the hips, and up from a planted ankle to the hips.
/// let leg = PosedChain::limb(&skeleton, JointId(0), JointId(2))?;
/// assert_eq!(leg.joints(), [JointId(0), JointId(1)]);
/// let mut planted = PosedChain::new(&skeleton, JointId(2), &[Tip { joint: JointId(0), turns: false }])?;
/// assert!(planted.is_pinned());
/// planted.read(&skeleton, &Pose::rest(&skeleton))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PosedChain {
    /// The chain.
    pub chain: IkChain,
    elements: Vec<Element>,
    joints: Vec<JointId>,
    tips: Vec<TipPlace>,
    /// The joint whose parent carries the base, or the pinned joint itself.
    base: JointId,
    pinned: bool,
    /// The highest joint of a pinned chain and those above it, up to the root; empty for other chains.
    above: Vec<JointId>,
    /// The skeleton's length.
    of: usize,
}

/// The attachment of a tip.
#[derive(Clone, Copy, Debug)]
struct TipPlace {
    /// The joint whose transform in the pose is added, unless the tip turns or lies on the way up.
    own: Option<JointId>,
    from: Option<JointId>,
}

impl PosedChain {
    /// The joints from `base` down to the parent of `tip`; the effector is the place of `tip`. The
    /// constraints are those the skeleton states. Where `tip` is not below `base`, `base` is pinned.
    ///
    /// # Errors
    /// If `tip` is `base`, or belongs to another tree.
    pub fn limb(skeleton: &Skeleton, base: JointId, tip: JointId) -> Result<PosedChain, IkError> {
        PosedChain::new(skeleton, base, &[Tip { joint: tip, turns: false }])
    }

    /// The joints from `base` to all of `tips`: `base` turns, its place stays. Where a tip is not below
    /// `base`, place and orientation of `base` stay.
    ///
    /// # Errors
    /// If a tip is the base or belongs to another tree, or there is none.
    pub fn new(skeleton: &Skeleton, base: JointId, tips: &[Tip]) -> Result<PosedChain, IkError> {
        let pinned = tips.iter().any(|tip| !skeleton.is_in_subtree(tip.joint, base));
        let path = path_up(skeleton, base, tips)?;
        let up: &[JointId] = if pinned { &path } else { &[] };
        let elements = elements(skeleton, path[path.len() - 1], up, tips);
        let (tips, effectors) = carry_tips(skeleton, &elements, up, tips)?;
        let links = elements.iter().map(|element| {
            let joint = skeleton.joint(element.joint);
            let constraint = Constraint { inverted: element.up, ..Constraint::of(joint) };
            let rest = joint.rest_rotation;
            let rotation = if element.up { rest.inverse() } else { rest };
            Link { offset: Vec3::zeros(), rotation, constraint }
        });
        let parents = elements.iter().map(|element| element.parent).collect();
        let chain = IkChain::tree(Isometry3::identity(), links.collect(), parents, effectors)?;
        let above =
            std::iter::successors(up.last().copied(), |joint| skeleton.joint(*joint).parent).collect();
        let joints = elements.iter().map(|element| element.joint).collect();
        let of = skeleton.len();
        let mut posed = PosedChain { chain, elements, joints, tips, base, pinned, above, of };
        posed.read(skeleton, &Pose::rest(skeleton))?;
        Ok(posed)
    }

    /// The joints of the skeleton, by joint of the chain.
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// The index in the chain of a joint of the skeleton.
    pub fn place(&self, joint: JointId) -> Option<usize> {
        self.joints.iter().position(|other| *other == joint)
    }

    /// Whether the base keeps its place and orientation, and the chain runs up from it.
    pub fn is_pinned(&self) -> bool {
        self.pinned
    }

    /// Takes over a local pose: the base where the joints above it put it, and the rotations and offsets.
    ///
    /// # Errors
    /// If the pose is of another skeleton.
    pub fn read(&mut self, skeleton: &Skeleton, local: &Pose) -> Result<(), IkError> {
        let mut base = Isometry3::identity();
        let mut above = if self.pinned { Some(self.base) } else { skeleton.joint(self.base).parent };
        while let Some(joint) = above {
            let Some(transform) = local.joints.get(joint.index()) else { break };
            base = transform * base;
            above = skeleton.joint(joint).parent;
        }
        self.read_at(base, local)
    }

    /// Takes over a local pose where the object-space transform of the base's parent (of the base itself,
    /// where that is pinned) is known.
    ///
    /// # Errors
    /// If the pose is of another skeleton.
    pub fn read_at(&mut self, base: Isometry3<f64>, local: &Pose) -> Result<(), IkError> {
        self.check(local)?;
        let offset = |joint: Option<JointId>| {
            joint.map_or(Vec3::zeros(), |joint| local.joints[joint.index()].translation.vector)
        };
        let chain = &mut self.chain;
        chain.base = base;
        for (i, element) in self.elements.iter().enumerate() {
            let rotation = local.joints[element.joint.index()].rotation;
            let own = if element.up { None } else { Some(element.joint) };
            chain.offset[i] = offset(own) - offset(element.from);
            chain.local[i] = if element.up { rotation.inverse() } else { rotation };
        }
        for (effector, tip) in chain.effectors.iter_mut().zip(&self.tips) {
            effector.offset = offset(tip.own) - offset(tip.from);
            effector.rotation = tip.own.map_or(Quat::identity(), |own| local.joints[own.index()].rotation);
        }
        chain.pose_changed();
        Ok(())
    }

    /// Puts the rotations of the chain into a local pose; of a pinned chain the root is moved too.
    ///
    /// # Errors
    /// If the pose is of another skeleton.
    pub fn write(&self, local: &mut Pose) -> Result<(), IkError> {
        self.check(local)?;
        for (element, rotation) in self.elements.iter().zip(self.chain.rotations()) {
            let rotation = if element.up { rotation.inverse() } else { *rotation };
            local.joints[element.joint.index()].rotation = rotation;
        }
        let Some((root, _)) = self.above.split_last() else { return Ok(()) };
        // Where the chain puts its highest joint, and from there back to the root.
        let last = self.elements.iter().rposition(|element| element.up).unwrap_or(0);
        let (at, frame) = (self.chain.positions()[last], self.chain.frames()[last]);
        let back = frame * local.joints[self.elements[last].joint.index()].translation.vector;
        let mut placed = Isometry3::from_parts((at - back).into(), frame);
        for joint in &self.above[..self.above.len() - 1] {
            placed *= local.joints[joint.index()].inverse();
        }
        local.joints[root.index()] = placed;
        Ok(())
    }

    fn check(&self, local: &Pose) -> Result<(), IkError> {
        let (found, expected) = (local.joints.len(), self.of);
        if found == expected { Ok(()) } else { Err(IkError::OtherSkeleton { found, expected }) }
    }
}

/// The joints from `base` up to the first one that is above all tips.
fn path_up(skeleton: &Skeleton, base: JointId, tips: &[Tip]) -> Result<Vec<JointId>, IkError> {
    let name = |id: JointId| skeleton.joint(id).name.clone();
    let mut path = vec![base];
    for tip in tips {
        while !skeleton.is_in_subtree(tip.joint, path[path.len() - 1]) {
            let parent = skeleton.joint(path[path.len() - 1]).parent;
            let apart = || IkError::NotConnected { base: name(base), effector: name(tip.joint) };
            path.push(parent.ok_or_else(apart)?);
        }
    }
    Ok(path)
}

/// The joints of the chain: first those on the path `up` except the last one, then
/// those from `top` down to the tips, parents first.
fn elements(skeleton: &Skeleton, top: JointId, up: &[JointId], tips: &[Tip]) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    for (k, pair) in up.windows(2).enumerate() {
        let from = k.checked_sub(1).map(|below| up[below]);
        elements.push(Element { joint: pair[0], up: true, parent: k.checked_sub(1), from });
    }
    let mut down = vec![false; skeleton.len()];
    for tip in tips {
        let mut path = skeleton.path(top, tip.joint).unwrap_or_default();
        if !tip.turns {
            path.pop();
        }
        path.iter().filter(|joint| !up.contains(joint)).for_each(|joint| down[joint.index()] = true);
    }
    for (joint, _) in skeleton.iter().filter(|(id, _)| down[id.index()]) {
        let parent = skeleton.joint(joint).parent;
        let (parent, from) = parent.map_or((None, None), |parent| carrier(&elements, up, parent));
        elements.push(Element { joint, up: false, parent, from });
    }
    elements
}

/// The element to which a joint of the skeleton is attached (`None`: the base), and the joint whose offset
/// leads back to it.
fn carrier(elements: &[Element], up: &[JointId], joint: JointId) -> (Option<usize>, Option<JointId>) {
    match up.iter().position(|other| *other == joint) {
        Some(k) => (k.checked_sub(1), k.checked_sub(1).map(|below| up[below])),
        None => (elements.iter().position(|element| !element.up && element.joint == joint), None),
    }
}

/// The attachment of each tip, and its effector.
fn carry_tips(
    skeleton: &Skeleton,
    elements: &[Element],
    up: &[JointId],
    tips: &[Tip],
) -> Result<(Vec<TipPlace>, Vec<Effector>), IkError> {
    let mut places = Vec::with_capacity(tips.len());
    let mut effectors = Vec::with_capacity(tips.len());
    for tip in tips {
        let joint = skeleton.joint(tip.joint);
        let is_up = up.contains(&tip.joint);
        let turns = tip.turns && !is_up;
        let carried_by = if turns || is_up { Some(tip.joint) } else { joint.parent };
        let (element, from) = carried_by.map_or((None, None), |by| carrier(elements, up, by));
        let is_base = || IkError::EffectorIsBase { effector: joint.name.clone() };
        let joint = element.ok_or_else(is_base)?;
        places.push(TipPlace { own: (!turns && !is_up).then_some(tip.joint), from });
        effectors.push(Effector { joint, offset: Vec3::zeros(), rotation: Quat::identity() });
    }
    Ok((places, effectors))
}
