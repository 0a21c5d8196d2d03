//! Roles by hierarchy and bone lengths, for skeletons with unknown names.
//!
//! Lengths are the same in every pose, so limbs are found whatever the rest pose is: the two pairs of branches with
//! equal bone lengths, each with two long bones in sequence. Legs are the pair that words in the names of the
//! joints call legs; else the pair whose common joint is nearer to the middle of the tree, unless only the other
//! one points down at rest. The head is on the longest remaining branch between the arms. Lengths do not show which
//! side is left: that follows from words in the names, from a rest pose whose hips face forward, feet that point
//! forward, or a motion.

use super::{RoleMap, RoleReason, name};
use mocap_model::{JointId, NamedLimb, Pose, Role, Side, Skeleton, Vector3};

/// Score of a pair if neither names nor rest pose nor motion shows which limb is the left one.
pub(super) const SIDES_UNKNOWN: f64 = 0.3;
/// Greatest score of a role by shape: lengths never identify a joint with certainty.
const SHAPE: f64 = 0.8;
/// The two long bones of a limb are at least this share of the longest path through the skeleton, and of
/// everything below their first joint. Each of the two is at least this share of their sum.
const LEAST: f64 = 0.1;
const MOST_OF_LIMB: f64 = 0.4;
const LEAST_OF_TWO: f64 = 0.25;
/// Two bones whose sum is at least this share of the longest two are equally good candidates.
const AS_GOOD: f64 = 0.9;
/// Greatest relative difference between the bones of both sides.
const ALIKE: f64 = 0.06;
/// If a third pair of limbs has at least this share of the second pair's length, the choice is unclear.
const RIVAL: f64 = 0.6;
/// The top of the head is at least this many times as far from the head joint as a neck joint is long.
const TOP_OF_HEAD: f64 = 1.5;
/// Greatest number of branches compared at one joint; bodies have fewer.
const MOST_BRANCHES: usize = 64;
/// Greatest number of joints followed outwards from a candidate for the start of a limb; limbs of bodies have
/// fewer.
const MOST_JOINTS: usize = 64;
/// Greatest number of things that are left out one at a time to find arms, and the fit of what is found then.
const MOST_THINGS: usize = 8;
const WITHOUT: f64 = 0.9;
/// A direction is clear if its cosine to an axis is at least this.
const CLEAR: f64 = 0.7;
/// Legs point down at rest with at least this cosine.
const DOWN: f64 = 0.8;
/// Limbs that are held out point down with at most this cosine.
const HELD_OUT: f64 = 0.5;
/// Least fit of limbs that names confirm.
const NAMED: f64 = 0.9;

/// Two limbs that may be left and right, in either order.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// Joint where both branches meet.
    pub top: JointId,
    /// From hip or shoulder outwards, without end sites; at least three joints each.
    pub limbs: [Vec<JointId>; 2],
    /// Length of the two long bones, mean of both limbs.
    length: f64,
}

impl Pair {
    /// What the names of the joints from the common joint outwards say.
    fn named(&self, skeleton: &Skeleton) -> Option<NamedLimb> {
        let joints = self.limbs.iter().flat_map(|limb| {
            let above = std::iter::successors(limb.first().copied(), |id| skeleton.joint(*id).parent);
            above.skip(1).take_while(|id| *id != self.top).chain(limb.iter().copied())
        });
        NamedLimb::of(joints.map(|id| name::split(&skeleton.joint(id).name).base))
    }

    /// Whether names call the first limb the left one; `None` if they name no side.
    fn named_left_first(&self, skeleton: &Skeleton) -> Option<bool> {
        let side = |id: &JointId| match name::split(&skeleton.joint(*id).name).side {
            Some(Side::Left) => 1,
            Some(Side::Right) => -1,
            None => 0,
        };
        let [first, second] = self.limbs.each_ref().map(|limb| limb.iter().map(side).sum::<i32>());
        (first != second).then_some(first > second)
    }
}

/// Limbs and head found from the shape.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub hips: JointId,
    pub legs: Pair,
    pub arms: Option<Pair>,
    pub head: Option<JointId>,
    /// How clearly the limbs stand out, up to 1.
    fit: f64,
}

/// Decides whether the first limb of a pair is the left one, given the legs; `None` if unknown.
pub(super) type Sides<'a> = &'a dyn Fn(&Pair, &Pair) -> Option<bool>;

/// Adds roles found from the shape; none without a pair of legs.
pub(super) fn by_shape(skeleton: &Skeleton, sides: Sides, map: &mut RoleMap) {
    let Some(shape) = Shape::of(skeleton) else { return };
    let rest = Rest::of(skeleton, &shape.legs);
    let stands_left = |pair: &Pair| rest.left_first(pair).or_else(|| sides(pair, &shape.legs));
    let named_left = |pair: &Pair| pair.named_left_first(skeleton);
    // At rest a body faces backwards if names call the limb left that stands on the right.
    let is_turned = |pair: &Pair| Some(named_left(pair)? != stands_left(pair)?);
    let turned = std::iter::once(&shape.legs).chain(&shape.arms).find_map(is_turned).unwrap_or(false);
    let left_first =
        |pair: &Pair| named_left(pair).or_else(|| stands_left(pair).map(|is_first| is_first != turned));
    if let Some(named) = map.joint(Role::LeftUpperLeg).or(map.joint(Role::RightUpperLeg)) {
        // Names take precedence: if they contradict the legs or the sides, nothing is added.
        let known = stands_left(&shape.legs).map(|first| shape.legs.limbs[usize::from(!first)][0]);
        let left = map.joint(Role::LeftUpperLeg);
        if known.is_none() || known != left || shape.legs.limbs.iter().all(|limb| limb[0] != named) {
            return;
        }
    }
    let score = SHAPE * shape.fit;
    map.add(Role::Hips, shape.hips, RoleReason::Shape, score);
    let mut limbs = |pair: &Pair, roles: &[Role]| {
        let known = left_first(pair);
        let score = if known.is_some() { score } else { SIDES_UNKNOWN * shape.fit };
        let [left, right] = if known == Some(false) { [1, 0] } else { [0, 1] }.map(|i| &pair.limbs[i]);
        for ((role, l), r) in roles.iter().zip(left).zip(right) {
            map.add(*role, *l, RoleReason::Shape, score);
            map.add(role.mirrored(), *r, RoleReason::Shape, score);
        }
        // Clavicles, if the skeleton has them.
        let above = |limb: &[JointId]| skeleton.joint(limb[0]).parent.filter(|above| *above != pair.top);
        if roles[0] == Role::LeftUpperArm
            && let (Some(l), Some(r)) = (above(left), above(right))
        {
            map.add(Role::LeftShoulder, l, RoleReason::Shape, score);
            map.add(Role::RightShoulder, r, RoleReason::Shape, score);
        }
    };
    limbs(&shape.legs, &[Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes]);
    if let Some(arms) = &shape.arms {
        limbs(arms, &[Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand]);
    }
    if let Some(head) = shape.head {
        map.add(Role::Head, head, RoleReason::Shape, score);
    }
}

impl Shape {
    /// The shape of a skeleton. If one arm is longer than the other by a thing in its hand, it is that without the
    /// thing.
    pub(super) fn of(skeleton: &Skeleton) -> Option<Shape> {
        let tree = Tree::of(skeleton, None)?;
        let whole = Shape::of_tree(&tree);
        if whole.as_ref().is_some_and(|shape| shape.arms.is_some()) {
            return whole;
        }
        let without = |thing: JointId| {
            let shape = Shape::of_tree(&Tree::of(skeleton, Some(thing))?)?;
            shape.arms.is_some().then_some(Shape { fit: shape.fit * WITHOUT, ..shape })
        };
        tree.things().into_iter().find_map(without).or(whole)
    }

    fn of_tree(tree: &Tree) -> Option<Shape> {
        let skeleton = tree.skeleton;
        let mut pairs = tree.pairs();
        pairs.sort_by(|a, b| b.length.total_cmp(&a.length));
        let mut limbs: Vec<Pair> = Vec::new();
        let mut fit = 1.0;
        for pair in pairs {
            // Fingers are pairs as well, but lie within a limb.
            let within = |other: &Pair| other.limbs.iter().any(|limb| tree.is_below(limb[0], pair.top));
            if limbs.iter().any(within) {
                continue;
            }
            match &limbs[..] {
                [_, second] => {
                    if pair.length > RIVAL * second.length {
                        fit *= 0.4;
                    }
                    break;
                }
                _ => limbs.push(pair),
            }
        }
        let mut limbs = limbs.into_iter();
        let (first, second) = (limbs.next()?, limbs.next());
        let Some(second) = second else {
            // If there is only one pair, it is the legs, provided that they are below their common joint.
            if first.named(skeleton) == Some(NamedLimb::Arm) {
                return None;
            }
            let rest = Rest::of(skeleton, &first);
            let hips = first.top;
            return rest.stands.then_some(Shape { hips, legs: first, arms: None, head: None, fit: 0.7 });
        };
        let hips = skeleton.common_ancestor(first.top, second.top)?;
        let far = [&first, &second].map(|pair| tree.distance(hips, pair.top));
        let (legs, arms) = match far[0].total_cmp(&far[1]) {
            std::cmp::Ordering::Less => (first, second),
            std::cmp::Ordering::Greater => (second, first),
            // All limbs start at one joint: the longer pair is the legs.
            std::cmp::Ordering::Equal => {
                fit *= 0.7;
                (first, second)
            }
        };
        if far[0].min(far[1]) > 0.5 * far[0].max(far[1]) && far[0] != far[1] {
            fit *= 0.5;
        }
        let names = [&legs, &arms].map(|pair| pair.named(skeleton));
        let named = match names {
            [Some(one), Some(other)] if one == other => None,
            [Some(NamedLimb::Leg), _] | [_, Some(NamedLimb::Arm)] => Some(true),
            [Some(NamedLimb::Arm), _] | [_, Some(NamedLimb::Leg)] => Some(false),
            [None, None] => None,
        };
        // The root of some robots is the chest, to which the arms are nearer than the legs.
        let at_rest = || {
            let [legs, arms] = [&legs, &arms].map(|pair| Rest::of(skeleton, pair).downwards(pair));
            !(legs < HELD_OUT && arms > DOWN)
        };
        let (legs, arms) = if named.unwrap_or_else(at_rest) { (legs, arms) } else { (arms, legs) };
        if named.is_some() && !names.contains(&None) {
            fit = f64::max(fit, NAMED);
        } else if legs.length < 0.6 * arms.length {
            fit *= 0.6;
        }
        let head = tree.head(&arms, &legs);
        let rest = Rest::of(skeleton, &legs);
        if rest.stands {
            let foot = rest.height(&legs, 2);
            let above = |height: f64| (height - foot) / (rest.up_of(hips) - foot);
            // A body on four legs at rest is not a biped, even if its bone lengths fit.
            if above(rest.height(&arms, 2)) < 0.25 {
                fit *= 0.4;
            }
            if head.is_some_and(|head| above(rest.up_of(head)) < 1.0) {
                fit *= 0.5;
            }
        }
        Some(Shape { hips, legs, arms: Some(arms), head, fit })
    }
}

/// Lengths of a skeleton's bones.
struct Tree<'a> {
    skeleton: &'a Skeleton,
    /// Of the bone that leads to a joint.
    length: Vec<f64>,
    /// Length of the longest path from a joint outwards.
    reach: Vec<f64>,
    /// Next joint on that path.
    next: Vec<Option<JointId>>,
    /// The longest path between two joints.
    size: f64,
    /// Whether a joint is called a knee or an elbow.
    is_middle: Vec<bool>,
}

impl Tree<'_> {
    /// The lengths of a skeleton; those of a `thing` and of the end sites on it are 0.
    fn of(skeleton: &Skeleton, thing: Option<JointId>) -> Option<Tree<'_>> {
        let is_left_out =
            |id: JointId| thing.is_some() && (thing == Some(id) || skeleton.joint(id).parent == thing);
        let length: Vec<f64> = skeleton
            .iter()
            .map(
                |(id, joint)| {
                    if joint.parent.is_none() || is_left_out(id) { 0.0 } else { joint.offset.norm() }
                },
            )
            .collect();
        let mut reach = vec![0.0f64; skeleton.len()];
        let mut next = vec![None; skeleton.len()];
        let mut size = 0.0f64;
        for (id, joint) in skeleton.iter().rev() {
            let Some(parent) = joint.parent else { continue };
            let way = length[id.index()] + reach[id.index()];
            let longest = &mut reach[parent.index()];
            size = size.max(*longest + way);
            // Of equal paths, the first in the file: joints are visited in reverse order.
            if way > 0.0 && way >= *longest {
                (*longest, next[parent.index()]) = (way, Some(id));
            }
        }
        let is_middle = skeleton.joints().iter().map(|joint| NamedLimb::is_middle(&joint.name)).collect();
        (size.is_finite() && size > 0.0).then_some(Tree { skeleton, length, reach, next, size, is_middle })
    }

    /// Joints at the ends of the tree that are long enough to be taken for the bone of a limb, the longest first.
    fn things(&self) -> Vec<JointId> {
        let is_end =
            |id: JointId| self.skeleton.children(id).iter().all(|child| self.skeleton.joint(*child).end_site);
        let far = |id: JointId| self.length[id.index()] + self.reach[id.index()];
        let ends =
            self.skeleton.iter().filter(|(id, joint)| !joint.end_site && is_end(*id)).map(|(id, _)| id);
        let mut things: Vec<JointId> = ends.filter(|id| far(*id) >= LEAST / 2.0 * self.size).collect();
        things.sort_by(|a, b| far(*b).total_cmp(&far(*a)));
        things.truncate(MOST_THINGS);
        things
    }

    fn is_below(&self, top: JointId, id: JointId) -> bool {
        self.skeleton.is_in_subtree(id, top)
    }

    fn distance(&self, top: JointId, id: JointId) -> f64 {
        let path = self.skeleton.path(top, id).unwrap_or_default();
        path.iter().skip(1).map(|joint| self.length[joint.index()]).sum()
    }

    /// A joint and the longest path outwards from it.
    fn way(&self, from: JointId) -> impl Iterator<Item = JointId> {
        std::iter::successors(Some(from), |joint| self.next[joint.index()])
    }

    fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (top, _) in self.skeleton.iter() {
            let children = self.skeleton.children(top);
            if !(2..=MOST_BRANCHES).contains(&children.len()) {
                continue;
            }
            let limbs: Vec<_> = children.iter().filter_map(|child| self.limb(*child)).collect();
            for (i, a) in limbs.iter().enumerate() {
                pairs.extend(limbs[i + 1..].iter().filter(|b| self.alike(top, a, b)).map(|b| Pair {
                    top,
                    limbs: [a.clone(), b.clone()],
                    length: (self.two_bones(a) + self.two_bones(b)) / 2.0,
                }));
            }
        }
        pairs
    }

    /// The length of the bone to a joint of a limb, from the one before.
    fn bone(&self, limb: &[JointId], i: usize) -> f64 {
        let before = i.checked_sub(1).map(|i| limb[i]);
        let parent = |id: &JointId| self.skeleton.joint(*id).parent.filter(|_| before.is_some());
        let joints = std::iter::successors(Some(limb[i]), parent).take_while(|id| Some(*id) != before);
        joints.map(|id| self.length[id.index()]).sum()
    }

    /// One joint per place of a chain: the first, since robots have several hinges at a hip, and rigs helpers at a wrist; or
    /// the one that is called a knee or an elbow.
    fn places(&self, way: impl Iterator<Item = JointId>) -> Vec<JointId> {
        let nothing = 1e-6 * self.size;
        let mut places: Vec<JointId> = Vec::new();
        for id in way {
            match places.last_mut() {
                Some(place) if self.length[id.index()] <= nothing => {
                    if self.is_middle(id) && !self.is_middle(*place) {
                        *place = id;
                    }
                }
                _ => places.push(id),
            }
        }
        places
    }

    fn is_middle(&self, id: JointId) -> bool {
        self.is_middle[id.index()]
    }

    fn two_bones(&self, limb: &[JointId]) -> f64 {
        self.bone(limb, 1) + self.bone(limb, 2)
    }

    /// Whether two limbs have bones of equal lengths, and start equally far from their common joint.
    fn alike(&self, top: JointId, a: &[JointId], b: &[JointId]) -> bool {
        let both = self.two_bones(a).max(self.two_bones(b));
        let near = |a: f64, b: f64| (a - b).abs() <= ALIKE * both;
        near(self.distance(top, a[0]), self.distance(top, b[0]))
            && (1..=2).all(|i| near(self.bone(a, i), self.bone(b, i)))
    }

    /// The joints of a limb on the longest path outwards from a child of the trunk: those of the two longest
    /// consecutive bones, and what follows.
    fn limb(&self, child: JointId) -> Option<Vec<JointId>> {
        // Limits the work: chains of thousands of joints, each with a branch, would be followed from every joint.
        let way = self.places(self.way(child).take(MOST_JOINTS));
        let both = |i: usize| self.bone(&way, i + 1) + self.bone(&way, i + 2);
        // If both sides start at the same position, the first joint is a clavicle or hip bone, not part of the
        // limb.
        let from = usize::from(self.bone(&way, 0) == 0.0 && way.len() > 3);
        let bases = from..way.len().checked_sub(2)?;
        let most = bases.clone().map(both).fold(0.0, f64::max);
        // Clavicles may be as long as a forearm: of two nearly equal candidates, the outer one is taken.
        let base = bases.clone().rev().find(|base| both(*base) >= AS_GOOD * most)?;
        // A joint that is called a knee or an elbow is one, where the lengths do not lead to another that is.
        let is_called = |base: &usize| self.is_middle(way[base + 1]);
        let called = bases.clone().find(is_called).filter(|_| !is_called(&base));
        let by_name = called.map(|base| self.around(&way, base + 1, from));
        [by_name, Some(way[base..].to_vec())].into_iter().flatten().find_map(|limb| self.clear(limb))
    }

    /// The limb around its middle: hinges beside it are not the ends of its bones.
    fn around(&self, way: &[JointId], middle: usize, from: usize) -> Vec<JointId> {
        let (mut base, mut end) = (middle - 1, middle + 1);
        let limb = |base: usize, end: usize| [&[way[base], way[middle]], &way[end..]].concat();
        let is_short =
            |limb: &[JointId], bone: usize| self.bone(limb, bone) < LEAST_OF_TWO * self.two_bones(limb);
        while base > from && is_short(&limb(base, end), 1) {
            base -= 1;
        }
        while end + 1 < way.len() && is_short(&limb(base, end), 2) {
            end += 1;
        }
        limb(base, end)
    }

    /// The joints of a limb, without end sites, if its two bones are long enough.
    fn clear(&self, mut limb: Vec<JointId>) -> Option<Vec<JointId>> {
        let two = self.two_bones(&limb);
        let shorter = self.bone(&limb, 1).min(self.bone(&limb, 2));
        let clear = two >= LEAST * self.size
            && two >= MOST_OF_LIMB * self.reach[limb[0].index()]
            && shorter >= LEAST_OF_TWO * two;
        limb.retain(|id| !self.skeleton.joint(*id).end_site);
        (clear && limb.len() >= 3).then_some(limb)
    }

    /// The head joint on the longest branch between the arms that does not carry the legs.
    fn head(&self, arms: &Pair, legs: &Pair) -> Option<JointId> {
        let in_arm = |id: JointId| arms.limbs.iter().any(|limb| self.is_below(id, limb[0]));
        let above_leg = |id: JointId| legs.limbs.iter().any(|limb| self.is_below(id, limb[0]));
        let children = self.skeleton.children(arms.top).iter().copied();
        let children = children.filter(|child| !in_arm(*child) && !above_leg(*child));
        let nothing = 1e-4 * self.size;
        let far = |id: &JointId| self.length[id.index()] + self.reach[id.index()];
        let neck = children.max_by(|a, b| far(a).total_cmp(&far(b)))?;
        let way: Vec<JointId> = self.way(neck).collect();
        // Face joints are children of the head.
        let moving = |id: &JointId| {
            let children = self.skeleton.children(*id).iter();
            children.filter(|child| far(child) > nothing).count()
        };
        if let Some(at) = way.iter().position(|joint| moving(joint) > 1) {
            // A joint at the position of its parent is a control of the face.
            let at = (1..=at).rev().find(|i| self.length[way[*i].index()] > nothing).unwrap_or(0);
            return Some(way[at]);
        }
        let [.., above, last] = &way[..] else { return way.first().copied() };
        // The last joint is the top of the head if it is much further away than a neck joint is long.
        let top_of_head = |top: JointId, above: JointId| {
            self.length[top.index()] >= TOP_OF_HEAD * self.length[above.index()]
        };
        Some(match &way[..] {
            _ if !self.skeleton.joint(*last).end_site => {
                if top_of_head(*last, *above) {
                    *above
                } else {
                    *last
                }
            }
            // The end site of a joint that is itself the top of the head.
            [.., head, top, _] if self.length[last.index()] < 0.5 * self.length[top.index()] => {
                if top_of_head(*top, *head) { *head } else { *top }
            }
            _ => *above,
        })
    }
}

/// The rest pose in object space.
pub(super) struct Rest {
    places: Vec<Vector3<f64>>,
    up: Vector3<f64>,
    left: Vector3<f64>,
    /// Whether the legs point down.
    pub stands: bool,
}

impl Rest {
    pub(super) fn of(skeleton: &Skeleton, legs: &Pair) -> Rest {
        let mut object = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut object);
        let places: Vec<Vector3<f64>> = object.joints.iter().map(|at| at.translation.vector).collect();
        let (up, mut forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
        let at = |id: JointId| places[id.index()];
        let stands = legs
            .limbs
            .iter()
            .all(|limb| (at(limb[0]) - at(limb[2])).dot(&up) > DOWN * (at(limb[0]) - at(limb[2])).norm());
        if stands {
            // Feet that point forward are more reliable than the forward axis of the file.
            let feet = legs.limbs.iter().filter_map(|limb| Some(at(*limb.get(3)?) - at(limb[2])));
            let feet: Vector3<f64> = feet.sum();
            let level = feet - up * feet.dot(&up);
            if level.norm() > 0.3 * feet.norm() {
                forward = level.try_normalize(0.0).unwrap_or(forward);
            }
        }
        Rest { up, left: up.cross(&forward), stands, places }
    }

    /// The cosine between the limbs, from their first joint to the end of their two long bones, and down.
    fn downwards(&self, pair: &Pair) -> f64 {
        let at = |id: JointId| self.places[id.index()];
        let ways: Vector3<f64> =
            pair.limbs.iter().filter_map(|limb| (at(limb[2]) - at(limb[0])).try_normalize(0.0)).sum();
        -ways.dot(&self.up) / pair.limbs.len() as f64
    }

    fn up_of(&self, id: JointId) -> f64 {
        self.places[id.index()].dot(&self.up)
    }

    /// Mean height of a joint of both limbs.
    fn height(&self, pair: &Pair, joint: usize) -> f64 {
        pair.limbs.iter().map(|limb| self.up_of(limb[joint])).sum::<f64>() / 2.0
    }

    /// Whether the first limb of a pair is the left one; `None` if they are not side by side.
    fn left_first(&self, pair: &Pair) -> Option<bool> {
        let apart = self.places[pair.limbs[0][0].index()] - self.places[pair.limbs[1][0].index()];
        let cosine = apart.try_normalize(0.0)?.dot(&self.left);
        (cosine.abs() > CLEAR).then_some(cosine > 0.0)
    }
}
