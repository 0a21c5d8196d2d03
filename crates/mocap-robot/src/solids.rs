//! The collision shapes of a robot, the pairs that may not touch, and their distances.
//!
//! Which pairs are checked is MuJoCo's rule: not those of one body or of joined bodies, not excluded ones, and
//! not those whose collision masks do not match; stated pairs always. Closest points of segments based on: C.
//! Ericson, "Real-Time Collision Detection", 2005, section 5.1.9.

use std::collections::{HashMap, HashSet};

use mocap_model::{Isometry3, Limit, Robot, RobotJoint, RobotJointKind, RobotShape, Vector3};
use nalgebra::Point3;

use crate::RobotError;
use crate::convex::{Core, Form, Gap, gap};
use crate::sole::is_on;

/// Number of poses within the joint limits in which pairs are tried.
const POSES: usize = 48;
/// A pair that penetrates by design, and in this share of them, always does.
const ALWAYS: f64 = 0.75;
/// So does a pair of joined bodies that penetrates in this share of them, also where it does not by design.
const ALL_OVER: f64 = 0.9;
/// A pair of one limb that penetrates in this share of them does so by design: the limits of joints are where parts
/// meet, so their shapes are thicker than they are.
const OF_ONE_LIMB: f64 = 1.0 / 3.0;
/// A rotation beyond this to separate surfaces by their margin is too far \[rad\].
const FAR: f64 = 0.4;

/// Distance that surfaces keep \[m\], if they have it at rest.
pub(crate) const MARGIN: f64 = 0.012;
/// Distance that surfaces keep if they are nearer by design \[m\]: with the full margin, the joint between them
/// would be blocked.
const CLEAR: f64 = 0.002;

/// A collision shape: a core with a rounding radius.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    pub(crate) body: usize,
    placement: Isometry3<f64>,
    form: Form,
    /// Rounding radius \[m\].
    radius: f64,
    /// Radius of the ball around it \[m\].
    reach: f64,
}

impl Solid {
    fn of(shape: &RobotShape) -> Solid {
        let (form, radius) = Form::of(&shape.primitive);
        let reach = form.reach() + radius;
        Solid { body: shape.body, placement: shape.placement, form, radius, reach }
    }

    fn ball(&self, placed: &Isometry3<f64>) -> Ball {
        Ball { centre: placed.translation.vector.into(), radius: self.reach }
    }

    /// Both ends of a segment; the middle twice of other forms.
    fn ends(&self, placed: &Isometry3<f64>) -> [Point3<f64>; 2] {
        let middle = Point3::from(placed.translation.vector);
        match self.form {
            Form::Segment(half) if half > 0.0 => {
                let along = placed.rotation * Vector3::new(0.0, 0.0, half);
                [middle - along, middle + along]
            }
            _ => [middle; 2],
        }
    }
}

/// A bounding ball of shapes \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ball {
    centre: Point3<f64>,
    radius: f64,
}

impl Ball {
    fn may_meet(&self, other: &Ball, within: f64) -> bool {
        let reach = self.radius + other.radius + within;
        (other.centre - self.centre).norm_squared() <= reach * reach
    }
}

/// Shapes in the world.
#[derive(Default)]
pub(crate) struct Placed {
    solids: Vec<Isometry3<f64>>,
    balls: Vec<Ball>,
    /// By shape: the ends of its core, if that is a segment.
    ends: Vec<[Point3<f64>; 2]>,
    /// By part.
    parts: Vec<Ball>,
}

impl Placed {
    /// A lower bound of the height of a shape \[m\].
    pub(crate) fn lowest(&self, solid: usize) -> f64 {
        self.balls[solid].centre.z - self.balls[solid].radius
    }

    /// Whether the balls around two shapes are nearer than `within` \[m\].
    fn may_meet(&self, [first, second]: [usize; 2], within: f64) -> bool {
        self.balls[first].may_meet(&self.balls[second], within)
    }
}

/// Two shapes that may not touch.
#[derive(Clone, Copy, Debug)]
struct Pair {
    solids: [usize; 2],
    /// Depth of penetration by design \[m\].
    overlap: f64,
    /// By how much they may be nearer than the margin \[m\], because they are by design.
    allowed: f64,
    /// Whether there are only bodies without shapes between theirs, as the cross piece of an ankle.
    joined: bool,
    /// Whether they are kept apart. Shapes that penetrate each other over most of their range are not. For joined
    /// bodies, the limits of the joint between them restrict the motion: they are not kept apart if they nearly
    /// touch by design, or if they meet so near to the joint that it would have to rotate far to separate them.
    apart: bool,
}

/// How a pair penetrates in the poses that were tried.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    poses: usize,
    /// Sum of depths \[m\].
    depths: f64,
    /// Sum of lever arms about the joint between them \[m/rad\].
    levers: f64,
}

/// Shapes of a robot, and which pairs may not touch.
pub(crate) struct Solids {
    pub(crate) all: Vec<Solid>,
    /// Bodies with shapes, with a bounding ball of each in its frame.
    parts: Vec<(usize, Ball)>,
    /// Pairs of parts, with the pairs of shapes that belong to them.
    pairs: Vec<([usize; 2], Vec<Pair>)>,
}

/// Two shapes near each other: a point of each inside its surface, the direction from the first to the second, and
/// the distance of their surfaces \[m\], negative inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) bodies: [usize; 2],
    pub(crate) points: [Point3<f64>; 2],
    pub(crate) direction: Vector3<f64>,
    pub(crate) distance: f64,
}

/// Penetration depths \[m\]: in total, and beyond those by design.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Depths {
    pub(crate) whole: f64,
    pub(crate) added: f64,
}

/// Models with more shapes than people make by hand are rejected: their pairs would exhaust memory.
pub(crate) fn check_shapes(robot: &Robot) -> Result<(), RobotError> {
    const MOST_SHAPES: usize = 2000;
    let found = robot.shapes().len();
    match found > MOST_SHAPES {
        true => Err(RobotError::TooLarge { what: "collision shapes", found, limit: MOST_SHAPES }),
        false => Ok(()),
    }
}

impl Solids {
    pub(crate) fn of(robot: &Robot) -> Solids {
        let all: Vec<Solid> = robot.shapes().iter().map(Solid::of).collect();
        // By body: its shapes.
        let mut of_body = vec![Vec::new(); robot.bodies().len()];
        for (index, solid) in all.iter().enumerate() {
            of_body[solid.body].push(index);
        }
        let ball = |(body, own): (usize, &Vec<usize>)| Some((body, around(&all, own)?));
        let parts: Vec<(usize, Ball)> = of_body.iter().enumerate().filter_map(ball).collect();
        let filter = Filter::of(robot);
        let mut pairs: Vec<([usize; 2], Vec<Pair>)> = Vec::new();
        for first in 0..parts.len() {
            for second in first + 1..parts.len() {
                let [one, other] = [first, second].map(|part| &of_body[parts[part].0]);
                let of_both = one.iter().flat_map(|a| other.iter().map(move |b| [*a, *b]));
                let may_not = of_both.filter(|pair| filter.counts(robot, *pair));
                let joined = are_joined(robot, &of_body, [parts[first].0, parts[second].0]);
                let pair = |solids| Pair { solids, overlap: 0.0, allowed: 0.0, joined, apart: true };
                let found: Vec<Pair> = may_not.map(pair).collect();
                if !found.is_empty() {
                    pairs.push(([first, second], found));
                }
            }
        }
        Solids { all, parts, pairs }
    }

    /// Allows pairs that penetrate each other, or nearly, in a pose of the design.
    pub(crate) fn allow(&mut self, bodies: &[Isometry3<f64>]) {
        let mut placed = Placed::default();
        self.place(bodies, &mut placed);
        let mut pairs = std::mem::take(&mut self.pairs);
        for pair in pairs.iter_mut().flat_map(|(_, pairs)| pairs) {
            if !placed.may_meet(pair.solids, MARGIN) {
                continue;
            }
            if let Some(near) = self.near(pair.solids, &placed, f64::INFINITY) {
                pair.overlap = pair.overlap.max(-near.distance);
                pair.allowed = pair.allowed.max(MARGIN - near.distance.min(CLEAR));
                pair.apart &= !(pair.joined && near.distance < CLEAR);
            }
        }
        self.pairs = pairs;
    }

    /// Allows pairs that no motion can separate, or whose separation costs too much: those that penetrate each
    /// other in most poses within the joint limits, by design or because only the joint between them could part
    /// them; those of one limb that do so in a third of the poses, since a limb is that much less mobile without
    /// its joints ending there; and those of joined bodies that meet near the joint. `limbs` are the limbs by body.
    pub(crate) fn allow_in_range(&mut self, robot: &Robot, rest: &[f64], limbs: &[Option<usize>]) {
        let of_one_limb = |solids: &[Solid], pair: &Pair| {
            let [a, b] = pair.solids.map(|index| solids[index].body);
            limbs[a].is_some() && limbs[a] == limbs[b] && is_on(robot, a.min(b), a.max(b))
        };
        let mut met: HashMap<[usize; 2], Met> = HashMap::new();
        let pairs = || self.pairs.iter().flat_map(|(_, pairs)| pairs);
        let may =
            |pair: &&Pair| pair.apart && (pair.overlap > 0.0 || pair.joined || of_one_limb(&self.all, pair));
        let tried: Vec<&Pair> = pairs().filter(may).collect();
        let mut placed = Placed::default();
        for pose in 0..if tried.is_empty() { 0 } else { POSES } {
            let bodies = robot.place(&Isometry3::identity(), &pose_in_range(robot, rest, pose));
            self.place(&bodies, &mut placed);
            for pair in &tried {
                let near = self.near(pair.solids, &placed, 0.0).filter(|near| near.distance < 0.0);
                if let Some(near) = near {
                    let met = met.entry(pair.solids).or_default();
                    met.poses += 1;
                    met.depths -= near.distance;
                    met.levers += if pair.joined { lever(robot, &bodies, &near) } else { f64::INFINITY };
                }
            }
        }
        for pair in self.pairs.iter_mut().flat_map(|(_, pairs)| pairs) {
            let Some(met) = met.get(&pair.solids) else { continue };
            let (share, poses) = (met.poses as f64 / POSES as f64, met.poses as f64);
            let most = match pair.overlap > 0.0 {
                _ if of_one_limb(&self.all, pair) => OF_ONE_LIMB,
                true => ALWAYS,
                false => ALL_OVER,
            };
            let always = share >= most;
            if always {
                pair.overlap = pair.overlap.max(met.depths / poses);
            }
            pair.apart &= !always && met.levers / poses >= MARGIN / FAR;
        }
    }

    /// Whether any pair has to be kept apart.
    pub(crate) fn can_meet(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Places all shapes.
    pub(crate) fn place(&self, bodies: &[Isometry3<f64>], out: &mut Placed) {
        let Placed { solids, balls, ends, parts } = out;
        solids.clear();
        solids.extend(self.all.iter().map(|solid| bodies[solid.body] * solid.placement));
        balls.clear();
        balls.extend(self.all.iter().zip(solids.iter()).map(|(solid, placed)| solid.ball(placed)));
        ends.clear();
        ends.extend(self.all.iter().zip(solids.iter()).map(|(solid, placed)| solid.ends(placed)));
        parts.clear();
        parts.extend(
            self.parts.iter().map(|(body, ball)| Ball { centre: bodies[*body] * ball.centre, ..*ball }),
        );
    }

    /// All pairs that are kept apart and are nearer than `within` \[m\], not counting what is allowed by
    /// design.
    pub(crate) fn all_near<'a>(&'a self, placed: &'a Placed, within: f64) -> impl Iterator<Item = Near> + 'a {
        let apart = self.pairs_near(placed, within).filter(|pair| pair.apart);
        apart.filter_map(move |pair| {
            let near = self.near(pair.solids, placed, within - pair.allowed)?;
            Some(Near { distance: near.distance + pair.allowed, ..near })
        })
    }

    /// The greatest penetration depths.
    pub(crate) fn deepest(&self, placed: &Placed) -> Depths {
        let mut depths = Depths::default();
        for pair in self.pairs_near(placed, 0.0) {
            if let Some(near) = self.near(pair.solids, placed, 0.0) {
                depths.whole = depths.whole.max(-near.distance);
                depths.added = depths.added.max(-near.distance - pair.overlap);
            }
        }
        depths
    }

    fn pairs_near<'a>(&'a self, placed: &'a Placed, within: f64) -> impl Iterator<Item = &'a Pair> + 'a {
        let meets = move |[a, b]: [usize; 2]| placed.parts[a].may_meet(&placed.parts[b], within);
        self.pairs.iter().filter(move |(parts, _)| meets(*parts)).flat_map(|(_, pairs)| pairs)
    }

    /// The nearest points of a pair that is nearer than `within` \[m\].
    fn near(&self, [first, second]: [usize; 2], placed: &Placed, within: f64) -> Option<Near> {
        if !placed.may_meet([first, second], within) {
            return None;
        }
        let [a, b] = [first, second].map(|index| &self.all[index]);
        let bodies = [a.body, b.body];
        let skins = a.radius + b.radius;
        if let (Form::Segment(_), Form::Segment(_)) = (&a.form, &b.form) {
            let points = closest(placed.ends[first], placed.ends[second]);
            let apart = points[1] - points[0];
            if apart.norm_squared() >= (within + skins).max(0.0).powi(2) {
                return None;
            }
            let length = apart.norm();
            let direction = if length > 1e-9 { apart / length } else { Vector3::x() };
            return Some(Near { bodies, points, direction, distance: length - skins });
        }
        let cores = [(first, a), (second, b)]
            .map(|(index, solid)| Core { placed: placed.solids[index], form: &solid.form });
        let Gap { points, direction, distance } = gap(&cores);
        // Both points are inside by the penetration depth: the second is ahead of the first.
        let inwards = direction * (-distance).max(0.0);
        let points = [points[0] - inwards, points[1] + inwards];
        let near = Near { bodies, points, direction, distance: distance - skins };
        (near.distance < within).then_some(near)
    }
}

/// A pose within the joint limits, up to 1.5 rad from rest; `number` selects it. Joints step through their
/// ranges at different rates.
fn pose_in_range(robot: &Robot, rest: &[f64], number: usize) -> Vec<f64> {
    let value = |(joint, (of, rest)): (usize, (&RobotJoint, &f64))| {
        let share = ((number + 1) as f64 * (0.618_033_988_75 + 0.754_877_666_25 * joint as f64)).fract();
        let within = |limit: Limit| {
            let [min, max] = [limit.min.max(rest - 1.5), limit.max.min(rest + 1.5)];
            min + share * (max - min)
        };
        of.limit.map_or(*rest, within)
    };
    robot.joints().iter().zip(rest).enumerate().map(value).collect()
}

/// Greatest separation of two shapes of joined bodies per radian of a joint between them \[m/rad\].
fn lever(robot: &Robot, bodies: &[Isometry3<f64>], near: &Near) -> f64 {
    let (above, below) = (near.bodies[0].min(near.bodies[1]), near.bodies[0].max(near.bodies[1]));
    let up = std::iter::successors(Some(below), |body| robot.bodies()[*body].parent);
    let middle = nalgebra::center(&near.points[0], &near.points[1]);
    let of = |joint: &RobotJoint| {
        let body = bodies[joint.body];
        let arm = middle - body * Point3::from(joint.anchor);
        match joint.kind {
            RobotJointKind::Hinge => (body.rotation * joint.axis).cross(&arm).dot(&near.direction).abs(),
            RobotJointKind::Slide => f64::INFINITY,
        }
    };
    let between = up.take_while(|body| *body != above).flat_map(|body| robot.joints_of(body));
    between.map(of).fold(0.0, f64::max)
}

/// Whether one of two bodies is attached to the other, with only bodies without shapes between them.
fn are_joined(robot: &Robot, shapes: &[Vec<usize>], [a, b]: [usize; 2]) -> bool {
    let parent = |body: usize| robot.bodies()[body].parent;
    // Parents come before their children.
    let (above, below) = (a.min(b), a.max(b));
    let up = std::iter::successors(parent(below), |body| parent(*body));
    let next = up.into_iter().find(|body| *body == above || !shapes[*body].is_empty());
    next == Some(above)
}

/// The rule for pairs of shapes that may not touch.
struct Filter {
    /// By body: the body that it is welded to, and the parent of that one, likewise.
    welded: Vec<(usize, Option<usize>)>,
    excluded: HashSet<[usize; 2]>,
    pairs: HashSet<[usize; 2]>,
    floating: bool,
}

impl Filter {
    fn of(robot: &Robot) -> Filter {
        let mut welded: Vec<(usize, Option<usize>)> = Vec::with_capacity(robot.bodies().len());
        for (index, body) in robot.bodies().iter().enumerate() {
            let on = match body.parent {
                Some(parent) if robot.joints_of(index).is_empty() => welded[parent],
                parent => (index, parent.map(|parent| welded[parent].0)),
            };
            welded.push(on);
        }
        let sorted = |pairs: &[[usize; 2]]| pairs.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        Filter {
            welded,
            excluded: sorted(robot.excluded()),
            pairs: sorted(robot.pairs()),
            floating: robot.is_floating(),
        }
    }

    fn counts(&self, robot: &Robot, [a, b]: [usize; 2]) -> bool {
        if self.pairs.contains(&[a.min(b), a.max(b)]) {
            return true;
        }
        let [first, second] = [a, b].map(|shape| &robot.shapes()[shape]);
        let (one, other) = (first.body.min(second.body), first.body.max(second.body));
        let [(a, above_a), (b, above_b)] = [one, other].map(|body| self.welded[body]);
        // Bodies fixed to the world may collide with the bodies jointed to them.
        let moves = self.floating || (a != 0 && b != 0);
        let joined = moves && (above_a == Some(b) || above_b == Some(a));
        a != b && !joined && !self.excluded.contains(&[one, other]) && first.mask.may_meet(second.mask)
    }
}

/// A ball around all shapes of a body, in its frame; `None` if the body has none.
fn around(all: &[Solid], own: &[usize]) -> Option<Ball> {
    let own = || own.iter().map(|index| &all[*index]);
    let centre = |solid: &Solid| Point3::from(solid.placement.translation.vector);
    let count = own().count();
    let middle =
        Point3::from(own().map(|solid| centre(solid).coords).sum::<Vector3<f64>>() / count.max(1) as f64);
    let reach = |solid: &Solid| (centre(solid) - middle).norm() + solid.reach;
    (count > 0).then(|| Ball { centre: middle, radius: own().map(reach).fold(0.0, f64::max) })
}

/// The nearest points of two segments.
fn closest([p1, q1]: [Point3<f64>; 2], [p2, q2]: [Point3<f64>; 2]) -> [Point3<f64>; 2] {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let c = d1.dot(&r);
    let tiny = 1e-18;
    let (s, t) = if a <= tiny && e <= tiny {
        (0.0, 0.0)
    } else if a <= tiny {
        (0.0, (f / e).clamp(0.0, 1.0))
    } else if e <= tiny {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else {
        let b = d1.dot(&d2);
        let denominator = a * e - b * b;
        let s =
            if denominator > 1e-12 * a * e { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.5 };
        let t = (b * s + f) / e;
        if t < 0.0 {
            ((-c / a).clamp(0.0, 1.0), 0.0)
        } else if t > 1.0 {
            (((b - c) / a).clamp(0.0, 1.0), 1.0)
        } else {
            (s, t)
        }
    };
    [p1 + d1 * s, p2 + d2 * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_points_of_segments() {
        let point = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
        let cross = closest(
            [point(-1.0, 0.0, 0.0), point(1.0, 0.0, 0.0)],
            [point(0.2, -1.0, 1.0), point(0.2, 1.0, 1.0)],
        );
        let apart = [point(0.2, 0.0, 0.0) - cross[0], point(0.2, 0.0, 1.0) - cross[1]];
        assert!(apart.iter().all(|apart| apart.norm() < 1e-12), "{cross:?}");
        let ends = closest(
            [point(0.0, 0.0, 0.0), point(1.0, 0.0, 0.0)],
            [point(3.0, 1.0, 0.0), point(2.0, 1.0, 0.0)],
        );
        assert_eq!(ends, [point(1.0, 0.0, 0.0), point(2.0, 1.0, 0.0)]);
    }
}
