//! The limbs of a robot in pairs of left and right, identified by words in their names, else by where they end.
//!
//! Both sides of a pair need not be equal: one joint may be locked, one segment longer, or one hand missing. Chains of
//! hinges with equal distances come first; then those that are about mirror images, or whose joints have the same names.

use mocap_model::{NamedLimb, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Point3, Rotation3};

use crate::RobotError;
use crate::limb::Bends;
use crate::mirror::{are_alike, are_mirrored, have_same_names, left_of};
use crate::rest::Rest;

/// Least number of hinges of a limb.
const LEAST: usize = 3;
/// Least distance between the hips, as a share of the leg length.
const APART: f64 = 0.01;
/// The feet of a quadruped are level within this share of the leg length.
const LEVEL: f64 = 0.25;

/// The chain to the end of a limb.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    /// The last body.
    pub(crate) end: usize,
    /// Hinges that the other side does not share, from the base of the limb, without fingers.
    pub(crate) hinges: Vec<usize>,
}

/// A left and a right limb.
#[derive(Clone, Debug)]
pub(crate) struct LimbPair {
    /// Left before right.
    pub(crate) ways: [Way; 2],
    /// What names suggest that it is.
    named: Option<NamedLimb>,
    /// Whether names or the user say which side is left.
    is_sided: bool,
    /// Whether both sides have as many hinges, at equal distances.
    is_equal: bool,
}

/// The limbs of a humanoid.
#[derive(Debug)]
pub(crate) struct Limbs {
    pub(crate) legs: LimbPair,
    pub(crate) arms: Option<LimbPair>,
    /// Without a pair of arms: the bodies from which single ones start.
    pub(crate) lone_arms: Vec<usize>,
    /// Turns the world of the rest pose so that the body faces X, with Y to its left and Z up.
    pub(crate) upright: UnitQuaternion<f64>,
    /// Whether names or the user say which side is left. Else it is the one along Y of the base.
    pub(crate) is_sided: bool,
}

impl Limbs {
    /// Finds two legs, and two arms, if present.
    ///
    /// # Errors
    /// Without legs, or with more than two.
    pub(crate) fn find(rest: &Rest, bends: &Bends) -> Result<Limbs, RobotError> {
        let refused = |reason| RobotError::NotHumanoid { reason };
        let pairs = limb_pairs(rest);
        let has = |pair: &LimbPair, hinge: usize| pair.ways.iter().any(|way| way.hinges.contains(&hinge));
        let with = |[left, right]: [usize; 2]| pairs.iter().find(|pair| has(pair, left) && has(pair, right));
        let legs = match bends.knees {
            Some(knees) => {
                with(knees).ok_or(refused("the knees of the map are not in two limbs of a pair"))?
            }
            None => legs(rest, &pairs).ok_or_else(|| refused(without_legs(rest)))?,
        };
        let [base, end] = [legs.base(rest), legs.end(rest)];
        let length = (base - end).norm();
        let axes = axes_of(rest, legs);
        let nearest = |direction: &Vector3<f64>| axes * nearest_axis(&(axes.inverse() * direction));
        let up = nearest(&(base - end));
        let others = || pairs.iter().filter(|pair| pair.is_apart_from(legs));
        let is_level = |pair: &LimbPair| (pair.end(rest) - end).dot(&up).abs() < LEVEL * length;
        if bends.knees.is_none() && others().any(|pair| pair.named == Some(NamedLimb::Leg) || is_level(pair))
        {
            return Err(refused("it has more than two legs"));
        }
        let arms = others().filter(|pair| pair.named != Some(NamedLimb::Leg));
        let arms = arms.max_by_key(|pair| (pair.named == Some(NamedLimb::Arm), pair.hinges(), pair.is_equal));
        let arms = match bends.elbows {
            Some(elbows) => {
                Some(with(elbows).ok_or(refused("the elbows of the map are not in two limbs of a pair"))?)
            }
            None => arms,
        };
        let (mut legs, mut arms) = (legs.clone(), arms.cloned());
        legs.set_sides(bends.knees);
        if let Some(arms) = &mut arms {
            arms.set_sides(bends.elbows);
        }
        let across = |pair: &LimbPair| {
            let across = pair.across(rest);
            across - up * across.dot(&up)
        };
        // The sides of one pair are those of the other.
        match &mut arms {
            Some(arms) if arms.is_sided && !legs.is_sided => legs.face_as(across(arms).dot(&across(&legs))),
            Some(arms) if !arms.is_sided => arms.face_as(across(arms).dot(&across(&legs))),
            _ => {}
        }
        if across(&legs).norm() < APART * length {
            return Err(refused("its hips are at one place"));
        }
        let left = nearest(&across(&legs));
        let lone_arms = match arms {
            Some(_) => Vec::new(),
            None => lone_arms(rest, &legs, &left),
        };
        let is_sided = legs.is_sided || arms.as_ref().is_some_and(|arms| arms.is_sided);
        Ok(Limbs { upright: upright(&up, &left), legs, arms, lone_arms, is_sided })
    }

    /// The same limbs of a body that faces the other way.
    pub(crate) fn turn_back(&mut self) {
        self.legs.ways.reverse();
        self.arms.iter_mut().for_each(|arms| arms.ways.reverse());
        self.upright =
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI) * self.upright;
    }
}

impl LimbPair {
    /// Between the first hinges of both sides.
    fn base(&self, rest: &Rest) -> Point3<f64> {
        self.middle(rest, |hinges| hinges[0])
    }

    /// Between the last hinges of both sides.
    fn end(&self, rest: &Rest) -> Point3<f64> {
        self.middle(rest, |hinges| hinges[hinges.len() - 1])
    }

    /// From the base of the right limb to that of the left one.
    fn across(&self, rest: &Rest) -> Vector3<f64> {
        let [left, right] = self.ways.each_ref().map(|way| rest.line(way.hinges[0]).0);
        left - right
    }

    /// Takes over the sides of joints that a user states, the left one first.
    fn set_sides(&mut self, stated: Option<[usize; 2]>) {
        let Some([left, _]) = stated else { return };
        self.is_sided = true;
        if self.ways[1].hinges.contains(&left) {
            self.ways.reverse();
        }
    }

    /// Swaps the sides where the left one points to the right of another pair.
    fn face_as(&mut self, along: f64) {
        if along < 0.0 {
            self.ways.reverse();
        }
    }

    fn middle(&self, rest: &Rest, of: impl Fn(&[usize]) -> usize) -> Point3<f64> {
        let [left, right] = self.ways.each_ref().map(|way| rest.line(of(&way.hinges)).0);
        nalgebra::center(&left, &right)
    }

    /// The number of hinges that both sides have.
    fn hinges(&self) -> usize {
        self.ways[0].hinges.len().min(self.ways[1].hinges.len())
    }

    fn is_apart_from(&self, other: &LimbPair) -> bool {
        let own = |hinge: &usize| other.ways.iter().any(|way| way.hinges.contains(hinge));
        !self.ways.iter().flat_map(|way| &way.hinges).any(own)
    }
}

/// The pair named as legs, else the one that hangs down and ends lowest.
fn legs<'p>(rest: &Rest, pairs: &'p [LimbPair]) -> Option<&'p LimbPair> {
    let of = |named: Option<NamedLimb>| pairs.iter().filter(move |pair| pair.named == named);
    let hangs = |pair: &&LimbPair| {
        let reach: f64 = rest.spans(&pair.ways[0].hinges).iter().sum();
        pair.base(rest).z - pair.end(rest).z > 0.5 * reach
    };
    let named = of(Some(NamedLimb::Leg)).max_by_key(|pair| (pair.hinges(), pair.is_equal));
    let height = |pair: &&LimbPair| pair.end(rest).z;
    named.or_else(|| of(None).filter(hangs).min_by(|a, b| height(a).total_cmp(&height(b))))
}

/// Why a robot without a pair of legs is refused.
fn without_legs(rest: &Rest) -> &'static str {
    let mut chains: Vec<Vec<usize>> = rest.leaves().map(|end| rest.hinges(end)).collect();
    chains.retain(|chain| {
        let names = chain.iter().filter(|hinge| is_leg(rest, **hinge));
        names.count() >= LEAST
    });
    // Chains to several ends of a foot are one leg.
    let mut first: Vec<usize> =
        chains.iter().filter_map(|chain| chain.iter().copied().find(|hinge| is_leg(rest, *hinge))).collect();
    first.sort_unstable();
    first.dedup();
    match first.len() {
        1 => "it has only one leg with three hinges or more",
        2 => "its two legs are neither mirror images nor named alike",
        _ => "it lacks two legs with a knee each",
    }
}

fn is_leg(rest: &Rest, hinge: usize) -> bool {
    NamedLimb::of([&rest.robot.joints()[hinge].name]) == Some(NamedLimb::Leg)
}

/// The bodies from which chains start that are beside the middle of the body and belong to no leg: arms without another
/// one of their kind.
fn lone_arms(rest: &Rest, legs: &LimbPair, left: &Vector3<f64>) -> Vec<usize> {
    /// Least distance from the middle, as a share of that of a hip.
    const BESIDE: f64 = 0.5;
    let middle = legs.base(rest);
    let aside = |hinge: usize| (rest.line(hinge).0 - middle).dot(left);
    let hip = aside(legs.ways[0].hinges[0]).abs();
    let in_legs = |hinge: &usize| legs.ways.iter().any(|way| way.hinges.contains(hinge));
    let mut starts = Vec::new();
    for end in rest.leaves() {
        let hinges = rest.hinges(end);
        if hinges.iter().any(in_legs) {
            continue;
        }
        let Some(first) = hinges.iter().position(|hinge| aside(*hinge).abs() > BESIDE * hip) else {
            continue;
        };
        let own = &hinges[first..];
        let names = own.iter().map(|hinge| &rest.robot.joints()[*hinge].name);
        if own.len() >= LEAST && NamedLimb::of(names) != Some(NamedLimb::Leg) && !starts.contains(&own[0]) {
            starts.push(own[0]);
        }
    }
    let body = |hinge: &usize| rest.robot.joints()[*hinge].body;
    starts.iter().filter_map(|hinge| rest.robot.bodies()[body(hinge)].parent).collect()
}

/// The frame whose axes are those of the body: the one of these to whose axes most hinges are parallel.
///
/// What stands upright is the body in the world, not a link: the world comes first. Then the base and the body that
/// carries the legs, which show a body that leans as a whole, and last a body that stands upright and faces anywhere.
fn axes_of(rest: &Rest, legs: &LimbPair) -> UnitQuaternion<f64> {
    /// Sine of the greatest angle of parallel axes: of numbers with three digits.
    const PARALLEL: f64 = 0.01;
    let parallel = |frame: &UnitQuaternion<f64>| {
        let is_parallel = |joint: &usize| {
            let axis = frame.inverse() * rest.line(*joint).1;
            (axis - nearest_axis(&axis)).norm() < PARALLEL
        };
        (0..rest.robot.joints().len()).filter(is_parallel).count()
    };
    let carrier = rest.common_body(legs.ways[0].end, legs.ways[1].end);
    let links = [0, carrier].map(|body| rest.placed[body].rotation);
    let up = nearest_axis(&(legs.base(rest) - legs.end(rest)));
    let across = legs.across(rest);
    let left = (across - up * across.dot(&up)).try_normalize(1e-9);
    let facing = left.map(|left| upright(&up, &left).inverse());
    let world = UnitQuaternion::identity();
    let most = |best: (UnitQuaternion<f64>, usize), frame: UnitQuaternion<f64>| match parallel(&frame) {
        count if count > best.1 => (frame, count),
        _ => best,
    };
    links.into_iter().chain(facing).fold((world, parallel(&world)), most).0
}

/// All pairs of limbs: those with equal sides come first.
fn limb_pairs(rest: &Rest) -> Vec<LimbPair> {
    let forks = rest.forks();
    let ways: Vec<Way> = rest.leaves().map(|end| Way { end, hinges: rest.hinges(end) }).collect();
    let mut pairs: Vec<LimbPair> = Vec::new();
    for (i, a) in ways.iter().enumerate() {
        for b in &ways[i + 1..] {
            let own = [(a, b), (b, a)].map(|(way, other)| own_hinges(rest, way, other, &forks));
            if own.iter().any(|own| own.len() < LEAST) {
                continue;
            }
            let is_equal = are_alike(rest, &own);
            let ends = [a.end, b.end];
            if !is_equal && !have_same_names(rest, &own, LEAST) && !are_mirrored(rest, &own, ends) {
                continue;
            }
            let known =
                |pair: &LimbPair| own.iter().all(|own| pair.ways.iter().any(|way| way.hinges == *own));
            if pairs.iter().any(known) {
                continue;
            }
            let named = named(rest, &own);
            let named_left = named_left(rest, &own);
            let is_left = named_left.unwrap_or_else(|| is_left(rest, &own));
            let [first, second] = own;
            let mut sides = [Way { end: a.end, hinges: first }, Way { end: b.end, hinges: second }];
            if !is_left {
                sides.reverse();
            }
            pairs.push(LimbPair { ways: sides, named, is_sided: named_left.is_some(), is_equal });
        }
    }
    pairs.sort_by_key(|pair| !pair.is_equal);
    pairs
}

/// Hinges of a chain that another does not share. A limb with more than three hinges ends at a fork, where
/// fingers start.
fn own_hinges(rest: &Rest, way: &Way, other: &Way, forks: &[bool]) -> Vec<usize> {
    let mut own: Vec<usize> =
        way.hinges.iter().copied().filter(|hinge| !other.hinges.contains(hinge)).collect();
    let Some(first) = own.first() else { return own };
    let from = rest.robot.joints()[*first].body;
    let path = rest.path(way.end);
    if let Some(fork) = path.iter().skip_while(|body| **body != from).position(|body| forks[*body]) {
        let start = path.iter().position(|body| *body == from).unwrap_or(0);
        let kept = &path[start..=start + fork];
        let up_to = own.iter().filter(|hinge| kept.contains(&rest.robot.joints()[**hinge].body)).count();
        if up_to > LEAST {
            own.truncate(up_to);
        }
    }
    own
}

/// Leg or arm, by the majority of words in the names of hinges and their bodies.
fn named(rest: &Rest, sides: &[Vec<usize>; 2]) -> Option<NamedLimb> {
    let names = sides.iter().flatten().flat_map(|hinge| {
        let joint = &rest.robot.joints()[*hinge];
        [&joint.name, &rest.robot.bodies()[joint.body].name]
    });
    NamedLimb::of(names)
}

/// Whether the first limb is the left one by the names of its joints; `None` if they do not say so.
fn named_left(rest: &Rest, [a, b]: &[Vec<usize>; 2]) -> Option<bool> {
    let joints = rest.robot.joints();
    a.iter().zip(b).find_map(|(a, b)| {
        let [a, b] = [a, b].map(|hinge| joints[*hinge].name.to_lowercase());
        left_of(&a, &b)
    })
}

/// Whether the first limb is further along Y of the base, which is the left of one that faces X.
fn is_left(rest: &Rest, [a, b]: &[Vec<usize>; 2]) -> bool {
    let left = rest.placed[0].rotation * Vector3::y();
    let sides = a.iter().zip(b).map(|(a, b)| (rest.line(*a).0 - rest.line(*b).0).dot(&left));
    sides.max_by(|a, b| a.abs().total_cmp(&b.abs())).is_some_and(|side| side > 0.0)
}

/// The axis nearest to a direction, with its sign.
pub(crate) fn nearest_axis(direction: &Vector3<f64>) -> Vector3<f64> {
    let axis = direction.iamax();
    Vector3::ith(axis, direction[axis].signum())
}

/// The rotation that maps `up` to Z and `left` to Y.
fn upright(up: &Vector3<f64>, left: &Vector3<f64>) -> UnitQuaternion<f64> {
    let rows = [left.cross(up).transpose(), left.transpose(), up.transpose()];
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(Matrix3::from_rows(&rows)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_sides() {
        for (a, b) in [
            ("left_hip_yaw", "right_hip_yaw"),
            ("l_hip", "r_hip"),
            ("lfemurrx", "rfemurrx"),
            ("leg_left_1_joint", "leg_right_1_joint"),
            ("j00_hip_l", "j06_hip_r"),
            ("lhipyaw", "rhipyaw"),
        ] {
            assert_eq!((left_of(a, b), left_of(b, a)), (Some(true), Some(false)), "{a}");
        }
        assert_eq!(left_of("joint_1", "joint_7"), None);
    }

    #[test]
    fn a_body_is_turned_upright() {
        let turn = upright(&Vector3::y(), &Vector3::x());
        assert!((turn * Vector3::y() - Vector3::z()).norm() < 1e-12);
        assert!((turn * Vector3::x() - Vector3::y()).norm() < 1e-12);
        assert_eq!(upright(&Vector3::z(), &Vector3::y()), UnitQuaternion::identity());
    }
}
