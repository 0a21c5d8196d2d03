//! Finds the body of a humanoid in a robot: legs, arms, pelvis and torso, from the tree, the names and the geometry of
//! its joints. No table of robots is needed.

use std::collections::HashSet;

use mocap_model::{Isometry3, JointId, Robot, RobotJointKind, Role, Vector3};
use nalgebra::{Matrix3, Point3};

use crate::RobotError;
use crate::kinematics::follow_mimics;
use crate::sole::sole_points;

/// A point fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPoint {
    /// The body, by index.
    pub body: usize,
    /// In the frame of the body \[m\].
    pub local: Point3<f64>,
}

impl BodyPoint {
    /// Where it is in the world.
    pub fn at(&self, placed: &[Isometry3<f64>]) -> Point3<f64> {
        placed[self.body] * self.local
    }
}

/// A leg or an arm: two segments between three points.
#[derive(Clone, Debug, PartialEq)]
pub struct Limb {
    /// Hip or shoulder.
    pub base: BodyPoint,
    /// Knee or elbow.
    pub middle: BodyPoint,
    /// Ankle or wrist.
    pub end: BodyPoint,
    /// Lengths of both segments \[m\].
    pub lengths: [f64; 2],
    /// Joints of this limb only, from its base to its end.
    pub joints: Vec<usize>,
    /// The last body of the limb: foot or hand.
    pub tip: usize,
}

/// A foot: what touches the floor.
#[derive(Clone, Debug, PartialEq)]
pub struct Sole {
    /// The foot, by index.
    pub body: usize,
    /// Four corners in the frame of the foot: front left, front right, back left, back right \[m\].
    pub corners: [Point3<f64>; 4],
    /// Height of the ankle above the sole \[m\].
    pub ankle_height: f64,
}

/// The humanoid in a robot. Of pairs, the left comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Humanoid {
    /// Legs.
    pub legs: [Limb; 2],
    /// Arms; `None` of a robot without.
    pub arms: Option<[Limb; 2]>,
    /// The body that both legs are on.
    pub pelvis: usize,
    /// The body that both arms are on; the pelvis without a waist.
    pub torso: usize,
    /// Soles of the feet.
    pub soles: [Sole; 2],
}

/// The joints that bend the limbs, by index, where a user says so. Of pairs, the left comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bends {
    /// Knees.
    pub knees: Option<[usize; 2]>,
    /// Elbows.
    pub elbows: Option<[usize; 2]>,
}

impl Humanoid {
    /// Finds it, by names and shape.
    ///
    /// # Errors
    /// If the robot has not two legs with a knee: the parts that are missing.
    pub fn find(robot: &Robot) -> Result<Humanoid, RobotError> {
        Humanoid::find_bending(robot, &Bends::default())
    }

    /// As [`Humanoid::find`], with the knees and elbows that a user states.
    ///
    /// # Errors
    /// As [`Humanoid::find`].
    pub fn find_bending(robot: &Robot, bends: &Bends) -> Result<Humanoid, RobotError> {
        let rest = Rest::of(robot);
        let legs = pair(&rest, ("knee", bends.knees), Place::Low, &[]);
        let legs = legs.ok_or(RobotError::NotHumanoid { missing: "two legs with a knee each" })?;
        let of_legs: Vec<usize> =
            [0, 1].into_iter().flat_map(|side| own(&legs[side], &legs[1 - side])).collect();
        let arms = pair(&rest, ("elbow", bends.elbows), Place::High, &of_legs);
        let pelvis = rest.common_body(legs[0].end, legs[1].end);
        let legs = [0, 1].map(|side| {
            leg(&rest, &legs[side], &legs[1 - side], (pelvis, bends.knees.map(|knees| knees[side])))
        });
        let [Some(left), Some(right)] = legs else {
            return Err(RobotError::NotHumanoid { missing: "two legs with a hip, a knee and an ankle" });
        };
        let torso = arms.as_ref().map_or(pelvis, |arms| rest.common_body(arms[0].end, arms[1].end));
        let arms = arms.and_then(|arms| {
            let [left, right] = [0, 1].map(|side| {
                arm(&rest, &arms[side], &arms[1 - side], (torso, bends.elbows.map(|elbows| elbows[side])))
            });
            Some([left?, right?])
        });
        let soles = [&left, &right].map(|leg| sole(&rest, leg));
        Ok(Humanoid { legs: [left, right], arms, pelvis, torso, soles })
    }
}

impl Humanoid {
    /// What joints of the robot's skeleton are in a body; see [`Robot::to_skeleton`]. Of a group of hinges, the last.
    pub fn roles(&self, robot: &Robot) -> Vec<(JointId, Role)> {
        let joints = robot.skeleton_joints();
        let bodies = robot.body_joints();
        let mut roles = vec![(bodies[self.pelvis].0, Role::Hips)];
        let mut limb = |limb: &Limb, [upper, lower, end]: [Role; 3]| {
            let bends = |joint: &usize| robot.joints()[*joint].body == limb.middle.body;
            let Some(middle) = limb.joints.iter().position(bends) else { return };
            let [before, behind] = [&limb.joints[..middle], &limb.joints[middle + 1..]];
            roles.extend(before.last().map(|joint| (joints[*joint], upper)));
            roles.push((joints[limb.joints[middle]], lower));
            roles.extend(behind.last().map(|joint| (joints[*joint], end)));
        };
        limb(&self.legs[0], [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot]);
        limb(&self.legs[1], [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot]);
        if let Some([left, right]) = &self.arms {
            limb(left, [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand]);
            limb(right, [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand]);
        }
        if self.torso != self.pelvis {
            roles.push((bodies[self.torso].0, Role::Chest));
        }
        let mut known = HashSet::new();
        roles.retain(|(joint, _)| known.insert(*joint));
        roles
    }

    /// What a human moves and the robot has no joints for.
    pub(crate) fn cannot_follow(&self, robot: &Robot) -> Vec<&'static str> {
        let axes = |from: Option<usize>, limb: &[usize]| {
            from.map_or(limb.len(), |knee| limb.iter().filter(|joint| **joint < knee).count())
        };
        let mut missing = Vec::new();
        match &self.arms {
            None => missing.push("arms (the robot has none)"),
            Some(arms) => {
                let elbow = |arm: &Limb| {
                    let body = arm.middle.body;
                    arm.joints.iter().copied().find(|joint| robot.joints()[*joint].body == body)
                };
                if arms.iter().any(|arm| axes(elbow(arm), &arm.joints) < 3) {
                    missing.push("turns of the upper arm (fewer than three joints at the shoulder)");
                }
            }
        }
        if self.pelvis == self.torso {
            missing.push("bends of the trunk (no waist joint)");
        }
        missing
    }
}

/// A robot with all joints at rest: the value 0, or the nearest that is allowed.
pub(crate) struct Rest<'r> {
    pub(crate) robot: &'r Robot,
    pub(crate) placed: Vec<Isometry3<f64>>,
    children: Vec<usize>,
}

impl Rest<'_> {
    fn of(robot: &Robot) -> Rest<'_> {
        let values = rest_values(robot);
        let mut children = vec![0; robot.bodies().len()];
        for parent in robot.bodies().iter().filter_map(|body| body.parent) {
            children[parent] += 1;
        }
        Rest { robot, placed: robot.place(&Isometry3::identity(), &values), children }
    }

    /// From the base to a body.
    fn path(&self, body: usize) -> Vec<usize> {
        let up = std::iter::successors(Some(body), |body| self.robot.bodies()[*body].parent);
        let mut path: Vec<usize> = up.collect();
        path.reverse();
        path
    }

    fn common_body(&self, a: usize, b: usize) -> usize {
        let (a, b) = (self.path(a), self.path(b));
        let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        a[same - 1]
    }

    /// Hinges on the way to a body, from the base.
    fn hinges(&self, body: usize) -> Vec<usize> {
        let path = self.path(body);
        let on_path = |joint: &usize| path.contains(&self.robot.joints()[*joint].body);
        let is_hinge = |joint: &usize| self.robot.joints()[*joint].kind == RobotJointKind::Hinge;
        (0..self.robot.joints().len()).filter(|joint| on_path(joint) && is_hinge(joint)).collect()
    }

    /// A point and the direction of a hinge's axis in the world.
    fn line(&self, joint: usize) -> (Point3<f64>, Vector3<f64>) {
        let joint = &self.robot.joints()[joint];
        let body = self.placed[joint.body];
        (body * Point3::from(joint.anchor), body.rotation * joint.axis)
    }

    fn point_on(&self, body: usize, at: Point3<f64>) -> BodyPoint {
        BodyPoint { body, local: self.placed[body].inverse() * at }
    }

    /// The point nearest to the axes of hinges; parallel axes leave it at their anchors.
    fn centre(&self, joints: &[usize]) -> Point3<f64> {
        let mut sum = Matrix3::identity() * 1e-3;
        let mut right = Vector3::zeros();
        let lines: Vec<_> = joints.iter().map(|joint| self.line(*joint)).collect();
        let mean = lines.iter().map(|(at, _)| at.coords).sum::<Vector3<f64>>() / lines.len() as f64;
        right += mean * 1e-3;
        for (at, along) in &lines {
            let across = Matrix3::identity() - along * along.transpose();
            sum += across;
            right += across * at.coords;
        }
        Point3::from(sum.try_inverse().map_or(mean, |inverse| inverse * right))
    }
}

/// The value of every joint at rest \[rad or m\].
pub fn rest_values(robot: &Robot) -> Vec<f64> {
    let within =
        |limit: Option<mocap_model::Limit>| limit.map_or(0.0, |limit| 0.0f64.clamp(limit.min, limit.max));
    let mut values: Vec<f64> = robot.joints().iter().map(|joint| within(joint.limit)).collect();
    follow_mimics(robot, &mut values);
    values
}

/// Whether to prefer limbs that end low or high.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Low,
    High,
}

/// A way from the base to the end of a limb.
struct Way {
    end: usize,
    hinges: Vec<usize>,
}

/// The left and the right limb: ways with the given hinges, else with a hinge of the name, else mirrored ways by their
/// place.
fn pair(
    rest: &Rest,
    (name, given): (&str, Option<[usize; 2]>),
    place: Place,
    taken: &[usize],
) -> Option<[Way; 2]> {
    let leaves = (0..rest.robot.bodies().len()).filter(|body| rest.children[*body] == 0);
    let mut ways: Vec<Way> = leaves.map(|end| Way { end, hinges: rest.hinges(end) }).collect();
    if let Some(given) = given {
        let [left, right] = given.map(|hinge| {
            let through = ways.iter().filter(|way| way.hinges.contains(&hinge));
            let longest = through.max_by_key(|way| way.hinges.len())?;
            Some(Way { end: longest.end, hinges: longest.hinges.clone() })
        });
        return Some([left?, right?]);
    }
    ways.retain(|way| way.hinges.len() >= 3 && !way.hinges.iter().any(|hinge| taken.contains(hinge)));
    let named = |way: &Way| {
        way.hinges.iter().any(|hinge| rest.robot.joints()[*hinge].name.to_lowercase().contains(name))
    };
    let is_named = ways.iter().filter(|way| named(way)).count() >= 2;
    if is_named {
        ways.retain(named);
    } else {
        let others = ["knee", "elbow"];
        ways.retain(|way| {
            !way.hinges.iter().any(|hinge| {
                let name = rest.robot.joints()[*hinge].name.to_lowercase();
                others.iter().any(|part| name.contains(part))
            })
        });
    }
    let end = |way: &Way| rest.placed[way.end].translation.vector;
    let heights = || rest.placed.iter().map(|body| body.translation.vector.z);
    let (lowest, highest) =
        (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    // Of one side, the way with the most hinges; it is mirrored by one on the other side.
    let mut best: Option<(f64, [usize; 2])> = None;
    for (i, left) in ways.iter().enumerate() {
        for (j, right) in ways.iter().enumerate() {
            let (a, b) = (end(left), end(right));
            let mirrored = Vector3::new(b.x, -b.y, b.z);
            let is_pair =
                a.y > 0.01 && (a - mirrored).norm() < 0.05 && left.hinges.len() == right.hinges.len();
            let own = own(left, right).count();
            // What stands on the floor is a leg, whatever it is called.
            let stands = is_named || place == Place::High || a.z < lowest + 0.25 * (highest - lowest);
            if !is_pair || own < 3 || !stands {
                continue;
            }
            let value = match place {
                Place::Low if !is_named => 0.02 * own as f64 - a.z,
                Place::Low => own as f64 - 0.1 * a.z,
                Place::High => own as f64 + 0.1 * a.z,
            };
            if best.is_none_or(|(known, _)| value > known) {
                best = Some((value, [i, j]));
            }
        }
    }
    let (_, [left, right]) = best?;
    let take = |index: usize| Way { end: ways[index].end, hinges: ways[index].hinges.clone() };
    Some([take(left), take(right)])
}

/// The hinges of a way that the other side does not share.
fn own<'w>(way: &'w Way, other: &'w Way) -> impl Iterator<Item = usize> + 'w {
    way.hinges.iter().copied().filter(|hinge| !other.hinges.contains(hinge))
}

/// The hinges of a limb that the other side does not share, cut into before, at and behind the middle.
fn split(
    rest: &Rest,
    way: &Way,
    other: &Way,
    (name, given): (&str, Option<usize>),
) -> Option<[Vec<usize>; 3]> {
    let own: Vec<usize> = own(way, other).collect();
    let is_named = |hinge: &usize| match given {
        Some(given) => *hinge == given,
        None => rest.robot.joints()[*hinge].name.to_lowercase().contains(name),
    };
    let named: Vec<usize> = own.iter().copied().filter(is_named).collect();
    let middle = if named.is_empty() {
        // The hinge nearest to half way along the limb, about a lateral axis if there is one.
        let from = rest.line(own[0]).0;
        let to = Point3::from(rest.placed[way.end].translation.vector);
        let along = |hinge: &usize| {
            let at = rest.line(*hinge).0;
            let share = (at - from).norm() / ((at - from).norm() + (to - at).norm()).max(1e-9);
            (share - 0.5).abs() - 0.2 * rest.line(*hinge).1.y.abs()
        };
        vec![own.iter().copied().min_by(|a, b| along(a).total_cmp(&along(b)))?]
    } else {
        named
    };
    let (first, last) = (middle[0], middle[middle.len() - 1]);
    let before: Vec<usize> = own.iter().copied().filter(|hinge| *hinge < first).collect();
    let behind: Vec<usize> = own.iter().copied().filter(|hinge| *hinge > last).collect();
    (!before.is_empty()).then_some([before, middle, behind])
}

fn limb(rest: &Rest, parts: &[Vec<usize>; 3], root: usize, end: Point3<f64>, end_body: usize) -> Limb {
    let [before, middle, behind] = parts;
    let base = rest.centre(before);
    let bend = rest.line(middle[0]).0;
    let joints: Vec<usize> = before.iter().chain(middle).chain(behind).copied().collect();
    let moved = *joints.last().expect("a limb has joints");
    Limb {
        base: rest.point_on(root, base),
        middle: rest.point_on(rest.robot.joints()[middle[0]].body, bend),
        end: rest.point_on(end_body, end),
        lengths: [(bend - base).norm(), (end - bend).norm()],
        tip: rest.robot.joints()[moved].body,
        joints,
    }
}

fn leg(rest: &Rest, way: &Way, other: &Way, (pelvis, knee): (usize, Option<usize>)) -> Option<Limb> {
    let parts = split(rest, way, other, ("knee", knee))?;
    let shank = rest.robot.joints()[*parts[1].last()?].body;
    let ankle = if parts[2].is_empty() {
        Point3::from(rest.placed[way.end].translation.vector)
    } else {
        rest.centre(&parts[2])
    };
    let limb = limb(rest, &parts, pelvis, ankle, shank);
    (limb.lengths.iter().all(|length| *length > 0.02)).then_some(limb)
}

fn arm(rest: &Rest, way: &Way, other: &Way, (torso, elbow): (usize, Option<usize>)) -> Option<Limb> {
    let parts = split(rest, way, other, ("elbow", elbow))?;
    let forearm = rest.robot.joints()[*parts[1].last()?].body;
    let (wrist, body) = if parts[2].is_empty() {
        (far_point(rest, forearm, rest.line(parts[1][0]).0, rest.centre(&parts[0])), forearm)
    } else {
        (rest.centre(&parts[2]), forearm)
    };
    let limb = limb(rest, &parts, torso, wrist, body);
    (limb.lengths.iter().all(|length| *length > 0.02)).then_some(limb)
}

/// The far end of a forearm without a wrist: the furthest of its collision shapes, of its centres of mass (a bit beyond) and
/// of its bodies; without any, as far as the upper arm is long.
fn far_point(rest: &Rest, forearm: usize, elbow: Point3<f64>, shoulder: Point3<f64>) -> Point3<f64> {
    let own = |body: usize| rest.path(body).contains(&forearm);
    let bodies = (0..rest.placed.len()).filter(|body| own(*body));
    let masses = bodies.clone().map(|body| {
        let centre = rest.placed[body] * Point3::from(rest.robot.bodies()[body].centre_of_mass);
        elbow + (centre - elbow) * 1.6
    });
    let origins = bodies.map(|body| Point3::from(rest.placed[body].translation.vector));
    let shapes = rest.robot.shapes().iter().filter(|shape| own(shape.body));
    let ends =
        shapes.flat_map(|shape| shape.capsule().0.map(|end| rest.placed[shape.body] * Point3::from(end)));
    let reach = |point: &Point3<f64>| (point - elbow).norm();
    let furthest = masses.chain(origins).chain(ends).max_by(|a, b| reach(a).total_cmp(&reach(b)));
    let upper = elbow - shoulder;
    furthest.filter(|point| reach(point) > 0.2 * upper.norm()).unwrap_or(elbow + upper)
}

fn sole(rest: &Rest, leg: &Limb) -> Sole {
    let foot = leg.tip;
    let ankle = leg.end.at(&rest.placed);
    let shank = leg.lengths[1];
    let corners = sole_points(rest.robot, &rest.placed, foot, ankle, shank);
    let ankle_height = ankle.z - corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
    let inverse = rest.placed[foot].inverse();
    Sole { body: foot, corners: corners.map(|corner| inverse * corner), ankle_height }
}
