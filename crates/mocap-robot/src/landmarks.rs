//! Finds the body of a humanoid in a robot: legs, arms, pelvis and torso, from the kinematic tree, the names
//! and the geometry of its joints. There is no table of robots.

use std::collections::HashSet;

use mocap_model::{Isometry3, JointId, Robot, Role, UnitQuaternion};
use nalgebra::Point3;

use crate::RobotError;
use crate::facing::faces_ahead;
use crate::head::Head;
use crate::limb::{Bends, Limb};
use crate::limb_pairs::{Limbs, Way};
use crate::rest::Rest;
use crate::sole::RestSole;

/// The contact patch of a foot.
#[derive(Clone, Debug, PartialEq)]
pub struct Sole {
    /// The foot, by index.
    pub body: usize,
    /// Four corners in the frame of the foot: front left, front right, back left, back right \[m\]. Those of a round
    /// sole are centres of balls.
    pub corners: [Point3<f64>; 4],
    /// Radii of the balls at the corners \[m\]; 0 where the sole has edges.
    pub radii: [f64; 4],
    /// Turns the foot at rest so that its sole lies on the floor.
    pub level: UnitQuaternion<f64>,
    /// Height of the ankle above the sole \[m\]; negative where the frame at the end of a shank without an ankle is below
    /// its foot.
    pub ankle_height: f64,
}

impl Sole {
    /// Heights of the lowest points of the corners \[m\].
    pub(crate) fn heights(&self, placed: &[Isometry3<f64>]) -> [f64; 4] {
        std::array::from_fn(|corner| (placed[self.body] * self.corners[corner]).z - self.radii[corner])
    }
}

/// Greatest number of joints: memory and time of a step grow with its square.
const JOINTS: usize = 500;
/// Greatest number of bodies and shapes.
const PARTS: usize = 5000;

/// The humanoid in a robot. In pairs, the left comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct Humanoid {
    /// Legs.
    pub legs: [Limb; 2],
    /// Arms; `None` if the robot has none.
    pub arms: Option<[Limb; 2]>,
    /// The body to which both legs are attached.
    pub pelvis: usize,
    /// Without a pair of arms: how many were found that are not alike.
    pub lone_arms: usize,
    /// The body to which both arms are attached, or the only one; the pelvis if there is no waist.
    pub torso: usize,
    /// The head; `None` if no joint rotates it.
    pub head: Option<Head>,
    /// Soles of the feet.
    pub soles: [Sole; 2],
    /// Turns the base so that the robot at rest faces X, with Y to its left and Z up.
    pub upright: UnitQuaternion<f64>,
    /// Whether nothing shows which way it faces, neither names of sides nor knees or feet: it is taken to face X of its
    /// base.
    pub facing_is_assumed: bool,
}

impl Humanoid {
    /// Hip to ankle along both segments, the mean of both legs \[m\].
    pub(crate) fn leg_length(&self) -> f64 {
        self.legs.iter().flat_map(|leg| leg.lengths).sum::<f64>() / 2.0
    }

    /// Finds it, by names and shape.
    ///
    /// # Errors
    /// If the robot does not have two legs with knees, or has more than two legs.
    pub fn find(robot: &Robot) -> Result<Humanoid, RobotError> {
        Humanoid::find_bending(robot, &Bends::default())
    }

    /// Like [`Humanoid::find`], with the knees and elbows that a user states.
    ///
    /// # Errors
    /// Those of [`Humanoid::find`].
    pub fn find_bending(robot: &Robot, bends: &Bends) -> Result<Humanoid, RobotError> {
        let sizes = [
            ("joints", robot.joints().len(), JOINTS),
            ("bodies", robot.bodies().len(), PARTS),
            ("shapes", robot.shapes().len(), PARTS),
        ];
        if let Some(&(what, found, limit)) = sizes.iter().find(|(_, found, limit)| found > limit) {
            return Err(RobotError::TooLarge { what, found, limit });
        }
        let (mut limbs, placed) = limbs_of(robot, bends)?;
        let mut rest = Rest::of(robot, limbs.upright * placed);
        let mut legs = legs_of(&rest, &limbs, bends)?;
        let ahead = if limbs.is_sided { Some(true) } else { faces_ahead(&rest, &legs) };
        if ahead == Some(false) {
            limbs.turn_back();
            rest = Rest::of(robot, limbs.upright * placed);
            legs = legs_of(&rest, &limbs, bends)?;
        }
        let upright = limbs.upright * placed;
        let Limbs { legs: pair, arms, lone_arms, .. } = limbs;
        let pelvis = rest.common_body(pair.ways[0].end, pair.ways[1].end);
        let [left, right] = legs;
        let torso = match (&arms, lone_arms.first()) {
            (Some(arms), _) => rest.common_body(arms.ways[0].end, arms.ways[1].end),
            (None, Some(carrier)) => *carrier,
            (None, None) => pelvis,
        };
        let arms = arms.and_then(|arms| {
            let [left, right] = arms.ways.each_ref().map(|way| arm(&rest, way, (torso, bends.elbows)));
            Some([left?, right?])
        });
        let soles = [&left, &right].map(|leg| sole(&rest, leg));
        let limbs: Vec<&Limb> = [&left, &right].into_iter().chain(arms.iter().flatten()).collect();
        let head = Head::find(&rest, torso, &limbs);
        let lone_arms = lone_arms.len();
        let facing_is_assumed = ahead.is_none();
        let legs = [left, right];
        Ok(Humanoid { legs, arms, lone_arms, pelvis, torso, head, soles, upright, facing_is_assumed })
    }

    /// The roles of joints of the robot's skeleton; see [`Robot::to_skeleton`]. A group of hinges has its role on the
    /// last one.
    pub fn roles(&self, robot: &Robot) -> Vec<(JointId, Role)> {
        /// Least distance of the joint of a role from the next, as a share of the segment's length.
        const APART: f64 = 0.1;
        let rest = Rest::of(robot, self.upright);
        let joints = robot.skeleton_joints();
        let bodies = robot.body_joints();
        let [pelvis, torso] = [self.pelvis, self.torso].map(|body| bodies[body].0);
        // The hips carry legs and arms: where the legs hang from the torso, it is the torso.
        let mut above = std::iter::successors(Some(self.pelvis), |body| robot.bodies()[*body].parent);
        let hips = if above.any(|body| body == self.torso) { torso } else { pelvis };
        let mut roles = vec![(hips, Role::Hips)];
        let mut limb = |limb: &Limb, [upper, lower, end]: [Role; 3]| {
            let bends = |joint: &usize| robot.joints()[*joint].body == limb.middle.body;
            let Some(middle) = limb.joints.iter().position(bends) else { return };
            let [before, behind] = [&limb.joints[..middle], &limb.joints[middle + 1..]];
            // A hinge at the place of the knee or elbow shows no direction.
            let apart = |joint: &&usize| {
                let [at, bend] = [**joint, limb.joints[middle]].map(|joint| rest.line(joint).0);
                (at - bend).norm() > APART * limb.lengths[0]
            };
            let upper_joint = before.iter().rev().find(apart).or(before.last());
            roles.extend(upper_joint.map(|joint| (joints[*joint], upper)));
            roles.push((joints[limb.joints[middle]], lower));
            let is_leg = matches!(end, Role::LeftFoot | Role::RightFoot);
            let fixed = || fixed_end(&rest, limb).filter(|_| is_leg).map(|body| bodies[body].0);
            roles.extend(behind.last().map(|joint| joints[*joint]).or_else(fixed).map(|joint| (joint, end)));
        };
        limb(&self.legs[0], [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot]);
        limb(&self.legs[1], [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot]);
        if let Some([left, right]) = &self.arms {
            limb(left, [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand]);
            limb(right, [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand]);
        }
        if torso != hips {
            roles.push((torso, Role::Chest));
        }
        let neck = self.head.as_ref().and_then(|head| head.joints.last());
        roles.extend(neck.map(|joint| (joints[*joint], Role::Head)));
        let mut known = HashSet::new();
        roles.retain(|(joint, _)| known.insert(*joint));
        roles
    }

    /// Whether a foot rotates relative to its shank.
    pub(crate) fn has_ankle(&self, foot: usize) -> bool {
        self.legs[foot].end.body != self.soles[foot].body
    }

    /// Human motions for which the robot lacks joints.
    pub(crate) fn cannot_follow(&self, robot: &Robot) -> Vec<&'static str> {
        let axes = |from: Option<usize>, limb: &[usize]| {
            from.map_or(limb.len(), |knee| limb.iter().filter(|joint| **joint < knee).count())
        };
        let mut missing = Vec::new();
        match &self.arms {
            None => missing.push(match self.lone_arms {
                0 => "arms (the robot has none)",
                1 => "arms (the robot has only one)",
                _ => "arms (those of the robot are neither mirror images nor named alike)",
            }),
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
        match &self.head {
            None => missing.push("turns of the head (no neck joint)"),
            Some(head) => {
                let rest = Rest::of(robot, self.upright);
                let axes: Vec<_> = head.joints.iter().map(|joint| rest.line(*joint).1).collect();
                missing.extend(Head::cannot(&axes));
            }
        }
        if self.pelvis == self.torso {
            missing.push("bends of the trunk (no waist joint)");
        }
        missing
    }
}

/// The limbs of a robot, and the turn of its base in the pose in which they were found: as the model places it, else
/// not turned, which shows the limbs of one that lies there.
fn limbs_of(robot: &Robot, bends: &Bends) -> Result<(Limbs, UnitQuaternion<f64>), RobotError> {
    let placed = robot.bodies()[0].placement.rotation;
    let in_world = Limbs::find(&Rest::of(robot, placed), bends);
    let unturned = UnitQuaternion::identity();
    match in_world {
        Err(error) if placed != unturned => {
            Limbs::find(&Rest::of(robot, unturned), bends).map(|limbs| (limbs, unturned)).map_err(|_| error)
        }
        found => found.map(|limbs| (limbs, placed)),
    }
}

/// The left and the right leg.
fn legs_of(rest: &Rest, limbs: &Limbs, bends: &Bends) -> Result<[Limb; 2], RobotError> {
    let [left, right] = &limbs.legs.ways;
    let pelvis = rest.common_body(left.end, right.end);
    match [left, right].map(|way| leg(rest, way, (pelvis, bends.knees))) {
        [Some(left), Some(right)] => Ok([left, right]),
        _ => Err(RobotError::NotHumanoid { reason: "it lacks two legs with a hip, a knee and an ankle" }),
    }
}

/// The body at the end of a limb without an ankle, which is fixed to its last segment, if there is one.
fn fixed_end(rest: &Rest, limb: &Limb) -> Option<usize> {
    /// Rounding of positions, as a share of the limb.
    const SAME: f64 = 1e-9;
    let end = limb.end.at(&rest.placed);
    let is_end = |body: &usize| {
        let at = Point3::from(rest.placed[*body].translation.vector);
        let is_fixed = *body != limb.tip && rest.robot.joints_of(*body).is_empty();
        is_fixed && (at - end).norm() < SAME * limb.lengths[1] && rest.path(*body).contains(&limb.tip)
    };
    (0..rest.placed.len()).find(is_end)
}

/// The hinges of a limb before, at and behind its middle (knee or elbow). The last group is the ankle or wrist;
/// it ends before the first hinge that is parallel to another one of the group, such as toes or fingers.
fn split(rest: &Rest, way: &Way, (name, given): (&str, Option<[usize; 2]>)) -> Option<[Vec<usize>; 3]> {
    let own = &way.hinges;
    let is_named = |hinge: &usize| match given {
        Some(given) => given.contains(hinge),
        None => is_called(&rest.robot.joints()[*hinge].name, name),
    };
    let named: Vec<usize> = own.iter().copied().filter(is_named).collect();
    let middle = if named.is_empty() { vec![bend(rest, way)?] } else { named };
    let (first, last) = (middle[0], middle[middle.len() - 1]);
    let before: Vec<usize> = own.iter().copied().filter(|hinge| *hinge < first).collect();
    let mut behind: Vec<usize> = own.iter().copied().filter(|hinge| *hinge > last).collect();
    let axis = |at: usize| rest.line(behind[at]).1;
    let is_next = |at: &usize| (0..*at).any(|before| axis(before).dot(&axis(*at)).abs() > 0.9);
    let next = (1..behind.len()).find(is_next);
    behind.truncate(next.unwrap_or(behind.len()));
    (!before.is_empty()).then_some([before, middle, behind])
}

/// What the middle of a leg and that of an arm are called.
pub(crate) const KNEE: &str = "knee";
pub(crate) const ELBOW: &str = "elbow";

/// Whether a joint is called a knee or an elbow; some robots call the latter `l_el`.
pub(crate) fn is_called(joint: &str, name: &str) -> bool {
    let joint = joint.to_lowercase();
    let mut words = joint.split(|letter: char| !letter.is_alphanumeric());
    joint.contains(name) || (name == ELBOW && words.any(|word| word == "el"))
}

/// The hinge nearest to the middle of a limb that bends it; one about a lateral axis if there is one.
fn bend(rest: &Rest, way: &Way) -> Option<usize> {
    /// A hinge that is further than this from the middle of a limb is at its end, as a share of its length.
    const AT_AN_END: f64 = 0.2;
    let [first, .., last] = way.hinges[..] else { return None };
    let from = rest.line(first).0;
    let end = Point3::from(rest.placed[way.end].translation.vector);
    let along = |hinge: usize| {
        let (at, axis) = rest.line(hinge);
        let body = rest.robot.joints()[hinge].body;
        let to = match hinge == last {
            false => rest.line(last).0,
            true if body != way.end => end,
            // Nothing is behind the last hinge of an arm without a wrist but its forearm.
            true => measured_end(rest, body, at)?,
        };
        let bends = (to - at).try_normalize(1e-6).is_some_and(|below| axis.dot(&below).abs() < 0.7);
        let share = (at - from).norm() / ((at - from).norm() + (to - at).norm()).max(1e-9);
        bends.then(|| (hinge, (share - 0.5).abs(), 0.2 * axis.y.abs()))
    };
    let bends = way.hinges[1..].iter().filter_map(|hinge| along(*hinge));
    let best = bends.min_by(|(_, a, across), (_, b, other)| (a - across).total_cmp(&(b - other)));
    // Hinges at the end of a limb do not bend it: then nothing is known of the segment behind its last hinge.
    let at_an_end = best.is_none_or(|(_, off, _)| off > AT_AN_END);
    let (at, axis) = rest.line(last);
    let bends_last = (at - from).try_normalize(1e-6).is_some_and(|above| axis.dot(&above).abs() < 0.7);
    if at_an_end && bends_last { Some(last) } else { best.map(|(hinge, ..)| hinge) }
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

fn leg(rest: &Rest, way: &Way, (pelvis, knees): (usize, Option<[usize; 2]>)) -> Option<Limb> {
    let parts = split(rest, way, (KNEE, knees))?;
    let shank = rest.robot.joints()[*parts[1].last()?].body;
    let ankle = if parts[2].is_empty() {
        Point3::from(rest.placed[way.end].translation.vector)
    } else {
        rest.centre(&parts[2])
    };
    let limb = beside_neck(rest, limb(rest, &parts, pelvis, ankle, shank), parts[1][0]);
    limb.has_segments().then_some(limb)
}

/// A leg whose base is in the plane in which its knee bends. A thigh that hangs beside the axes of the hip, as on a long
/// femoral neck, would otherwise lean outwards when the leg is straight, and the robot would stand with crossed feet.
fn beside_neck(rest: &Rest, mut leg: Limb, knee: usize) -> Limb {
    /// The greatest offset along the axis of the knee that counts as a neck, as a share of the thigh's length.
    const NECK: f64 = 0.5;
    let (bend, axis) = rest.line(knee);
    let base = leg.base.at(&rest.placed);
    let along = (bend - base).dot(&axis);
    if along.abs() < NECK * leg.lengths[0] {
        let base = base + axis * along;
        leg.base = rest.point_on(leg.base.body, base);
        leg.lengths[0] = (bend - base).norm();
    }
    leg
}

fn arm(rest: &Rest, way: &Way, (torso, elbows): (usize, Option<[usize; 2]>)) -> Option<Limb> {
    /// Hinges nearer to the elbow than this share of the upper arm are at it.
    const AT_ELBOW: f64 = 0.05;
    let parts = split(rest, way, (ELBOW, elbows))?;
    let forearm = rest.robot.joints()[*parts[1].last()?].body;
    let (elbow, shoulder) = (rest.line(parts[1][0]).0, rest.centre(&parts[0]));
    // Hinges that twist the forearm at the elbow are not a wrist.
    let wrist = (!parts[2].is_empty()).then(|| rest.centre(&parts[2]));
    let wrist = wrist.filter(|wrist| (wrist - elbow).norm() > AT_ELBOW * (elbow - shoulder).norm());
    let wrist = wrist.unwrap_or_else(|| far_point(rest, forearm, elbow, shoulder));
    let limb = limb(rest, &parts, torso, wrist, forearm);
    limb.has_segments().then_some(limb)
}

/// The far end of a forearm without a wrist: where its parts end; if they do not tell, at the length of the upper arm.
fn far_point(rest: &Rest, forearm: usize, elbow: Point3<f64>, shoulder: Point3<f64>) -> Point3<f64> {
    let upper = elbow - shoulder;
    let furthest = measured_end(rest, forearm, elbow);
    furthest.filter(|end| (end - elbow).norm() > 0.2 * upper.norm()).unwrap_or(elbow + upper)
}

/// The end of a forearm that is furthest from the elbow: of its collision shapes, of its centres of mass (and a bit
/// beyond) and of its bodies.
fn measured_end(rest: &Rest, forearm: usize, elbow: Point3<f64>) -> Option<Point3<f64>> {
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
    masses.chain(origins).chain(ends).max_by(|a, b| reach(a).total_cmp(&reach(b)))
}

fn sole(rest: &Rest, leg: &Limb) -> Sole {
    let foot = leg.tip;
    let ankle = leg.end.at(&rest.placed);
    let leg_of = (leg.lengths, leg.end.body == foot);
    let RestSole { level, corners, radii, ankle_height } =
        RestSole::of(rest.robot, &rest.placed, foot, ankle, leg_of);
    let inverse = rest.placed[foot].inverse();
    Sole { body: foot, corners: corners.map(|corner| inverse * corner), radii, level, ankle_height }
}
