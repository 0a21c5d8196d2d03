//! The costs of one frame: linear rows of residuals with derivatives, accumulated in normal equations.
//!
//! Lengths are those of the robot at reference size.

use mocap_model::{RobotPose, UnitQuaternion, Vector3};
use nalgebra::Point3;

use crate::anatomy::Anatomy;
use crate::hand_pins::{HandPins, lowest_of_hand};
use crate::kinematics::Kinematics;
use crate::landmarks::Humanoid;
use crate::limb::BodyPoint;
use crate::normal::Normal;
use crate::sole::footing;
use crate::solids::{MARGIN, Near, Placed, Solids};

/// Corners of soles that are not held stay at least this high \[m\]; lower corners count as contacts.
const FREE: f64 = 0.012;
/// Shapes nearer than this to each other or to the floor may touch after the next step \[m\].
const CLOSE: f64 = 0.06;
/// Shapes at least this deep in each other may be passing through each other \[m\].
const INSIDE: f64 = 0.005;

/// Least weight of the values of joints where a motion is one of the robot itself: less than that of directions, so that
/// legs go with the centre of mass [1/rad].
const OWN: f64 = 0.3;

/// Weight of held hands, as a share of that of feet: where both cannot be held, feet are.
const HAND: f64 = 0.3;

/// Weights of the place of the hips where the centre of mass has a goal: along the floor, and up [1/m].
const BALANCED_HIPS: [f64; 2] = [1.0, 0.5];

/// Weights of the costs. Directions and rotations in [1/rad], positions in [1/m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) limb: f64,
    pub(crate) forearm: f64,
    pub(crate) pelvis: f64,
    pub(crate) torso: f64,
    pub(crate) foot: f64,
    pub(crate) head: f64,
    pub(crate) hips: [f64; 2],
    pub(crate) pin: f64,
    pub(crate) pin_turn: f64,
    pub(crate) floor: f64,
    pub(crate) lift: f64,
    /// Of keeping shapes above the floor.
    pub(crate) ground: f64,
    pub(crate) apart: f64,
    /// Of the centre of mass, if a goal has one.
    pub(crate) centre: f64,
}

/// Weights before feet are held and parts are kept apart.
pub(crate) const WEIGHTS: Weights = Weights {
    limb: 1.0,
    forearm: 0.7,
    pelvis: 0.5,
    // An arm that cannot follow must not bend the trunk instead.
    torso: 2.0,
    foot: 0.3,
    head: 0.3,
    hips: [4.0, 2.0],
    pin: 0.0,
    pin_turn: 0.5,
    floor: 20.0,
    lift: 30.0,
    // Poses in the floor show where feet are; they are raised later.
    ground: 0.0,
    apart: 0.0,
    centre: 0.0,
};

/// Unit directions of both segments of a left and a right limb.
pub(crate) type LimbDirections = [[Vector3<f64>; 2]; 2];

/// The goals of a frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Goal {
    /// Between the hips \[m\].
    pub(crate) hips: Point3<f64>,
    /// From the right hip to the left.
    pub(crate) across: Vector3<f64>,
    pub(crate) pelvis: UnitQuaternion<f64>,
    pub(crate) torso: UnitQuaternion<f64>,
    pub(crate) feet: [UnitQuaternion<f64>; 2],
    pub(crate) head: Option<UnitQuaternion<f64>>,
    pub(crate) legs: LimbDirections,
    pub(crate) arms: Option<LimbDirections>,
    /// By foot and corner of its sole: where it is held on the floor.
    pub(crate) pins: [[Option<Point3<f64>>; 4]; 2],
    /// By hand: whether and where it is held on the floor.
    pub(crate) hands: HandPins,
    /// By foot that swings too low: the heights to which the corners of its sole are lifted \[m\].
    pub(crate) lift: [Option<[f64; 4]>; 2],
    /// By foot: the least height of its shapes while it swings \[m\].
    pub(crate) clear: [f64; 2],
    /// Goal of the centre of mass \[m\], if the motion is balanced.
    pub(crate) centre: Option<Point3<f64>>,
    /// The values of joints, where the motion is one of this robot.
    pub(crate) values: Option<Vec<f64>>,
}

impl Goal {
    /// How people stand: upright, with the arms a little out.
    pub(crate) fn reference(humanoid: &Humanoid) -> Goal {
        /// Angle of hanging arms from the vertical \[rad\].
        const OUT: f64 = 0.17;
        let down = -Vector3::z();
        let arm = |side: f64| [Vector3::new(0.0, side * OUT.sin(), -OUT.cos()); 2];
        let legs: f64 = humanoid.legs[0].lengths.iter().sum();
        Goal {
            hips: Point3::new(0.0, 0.0, humanoid.soles[0].ankle_height + legs),
            across: Vector3::y(),
            pelvis: UnitQuaternion::identity(),
            torso: UnitQuaternion::identity(),
            feet: [UnitQuaternion::identity(); 2],
            head: None,
            legs: [[down; 2]; 2],
            arms: Some([arm(1.0), arm(-1.0)]),
            pins: [[None; 4]; 2],
            hands: [None; 2],
            lift: [None; 2],
            clear: [0.0; 2],
            centre: None,
            values: None,
        }
    }
}

/// Data of the robot that the costs of a frame need.
pub(crate) struct Costs<'r> {
    pub(crate) anatomy: &'r Anatomy,
    pub(crate) solids: &'r Solids,
    pub(crate) weights: Weights,
}

impl Costs<'_> {
    /// Accumulates all costs of the pose that `kinematics` has placed, between the poses `around` it; `placed`
    /// is a buffer.
    pub(crate) fn gather(
        &self,
        kinematics: &Kinematics,
        pose: &RobotPose,
        goal: &Goal,
        around: Option<[&RobotPose; 2]>,
        (normal, placed): (&mut Normal, &mut Placed),
    ) {
        normal.clear();
        let weights = &self.weights;
        for (leg, directions) in self.anatomy.humanoid.legs.iter().zip(&goal.legs) {
            let points = [leg.base, leg.middle, leg.end];
            segments(kinematics, points, leg.lengths, directions, [weights.limb; 2], normal);
        }
        if let (Some(arms), Some(directions)) = (&self.anatomy.humanoid.arms, &goal.arms) {
            for ((arm, directions), share) in arms.iter().zip(directions).zip(self.anatomy.forearms) {
                let points = [arm.base, arm.middle, arm.end];
                let weights = [weights.limb, weights.forearm * share];
                segments(kinematics, points, arm.lengths, directions, weights, normal);
            }
        }
        self.hips(kinematics, goal, normal);
        let bodies = [
            self.anatomy.humanoid.pelvis,
            self.anatomy.humanoid.torso,
            self.anatomy.humanoid.soles[0].body,
            self.anatomy.humanoid.soles[1].body,
        ];
        let goals = [goal.pelvis, goal.torso, goal.feet[0], goal.feet[1]];
        let pinned = |foot: usize| goal.pins[foot].iter().any(Option::is_some);
        // A foot without an ankle points where its shank does.
        let foot = |foot: usize| match self.anatomy.humanoid.has_ankle(foot) {
            false => 0.0,
            true if pinned(foot) => weights.pin_turn,
            true => weights.foot,
        };
        // Without a waist, the trunk does not turn with the chest, but with the hips: the legs hang on it.
        let has_waist = bodies[0] != bodies[1];
        let torso = if has_waist { weights.torso } else { weights.pelvis };
        let turns = [weights.pelvis, torso, foot(0), foot(1)];
        for which in 0..4 {
            let wanted = goals[which] * self.anatomy.at_rest[which];
            let off = (wanted * kinematics.placed[bodies[which]].rotation.inverse()).scaled_axis();
            normal.turn(bodies[which], turns[which], &off);
            if which == 1 && !has_waist {
                normal.tilt(bodies[which], weights.torso, &off);
            }
        }
        if let (Some(head), Some(goal)) = (&self.anatomy.humanoid.head, goal.head) {
            let wanted = goal * self.anatomy.head_at_rest;
            let off = (wanted * kinematics.placed[head.body].rotation.inverse()).scaled_axis();
            normal.turn(head.body, weights.head, &off);
        }
        self.soles(kinematics, goal, normal);
        self.hands(kinematics, goal, normal);
        self.surfaces(kinematics, goal, around, normal, placed);
        if let Some(goal) = goal.centre {
            let miss = goal - self.anatomy.masses.centre(kinematics, &mut normal.moves);
            normal.vector(weights.centre, &miss);
        }
        normal.project(kinematics);
        let (wanted, least) = match &goal.values {
            Some(values) => (values, OWN),
            None => (&self.anatomy.rest.values, 0.0),
        };
        for (joint, (value, wanted)) in pose.values.iter().zip(wanted).enumerate() {
            let weight = self.anatomy.postures[joint].max(least);
            normal.column(kinematics.base_column() - 1 - joint, weight, wanted - value);
        }
    }

    fn hips(&self, kinematics: &Kinematics, goal: &Goal, normal: &mut Normal) {
        let [left, right] = [0, 1].map(|leg| self.anatomy.humanoid.legs[leg].base.at(&kinematics.placed));
        let middle = Point3::from((left.coords + right.coords) / 2.0);
        let (arm, off) = (kinematics.arm(&middle), goal.hips - middle);
        let [across, up] = if goal.centre.is_some() { BALANCED_HIPS } else { self.weights.hips };
        for (axis, weight) in [(0, across), (1, across), (2, up)] {
            normal.point(self.anatomy.humanoid.pelvis, &arm, &Vector3::ith(axis, 1.0), weight, off[axis]);
        }
    }

    fn soles(&self, kinematics: &Kinematics, goal: &Goal, normal: &mut Normal) {
        for (foot, sole) in self.anatomy.humanoid.soles.iter().enumerate() {
            for (corner, local) in sole.corners.iter().enumerate() {
                let at = kinematics.placed[sole.body] * local;
                let height = at.z - sole.radii[corner];
                let arm = kinematics.arm(&at);
                let mut up = |weight: f64, miss: f64| {
                    normal.point(sole.body, &arm, &Vector3::z(), weight, miss);
                };
                match (goal.pins[foot][corner], goal.lift[foot]) {
                    (Some(pin), _) => {
                        normal.place(sole.body, &arm, self.weights.pin, &(pin - at));
                    }
                    (None, Some(heights)) => up(self.weights.lift, heights[corner] - height),
                    (None, None) if height < FREE + CLOSE => {
                        let least = FREE - height;
                        normal.at_least((None, (sole.body, arm)), &Vector3::z(), self.weights.floor, least);
                    }
                    (None, None) => {}
                }
            }
        }
    }

    fn hands(&self, kinematics: &Kinematics, goal: &Goal, normal: &mut Normal) {
        let Some(arms) = &self.anatomy.humanoid.arms else { return };
        let weight = self.weights.pin * HAND;
        for (hand, arm) in arms.iter().enumerate() {
            let Some(pin) = goal.hands[hand] else { continue };
            let shapes = &self.anatomy.hands[hand];
            let (body, lowest) = lowest_of_hand(kinematics.robot, arm, shapes, &kinematics.placed);
            normal.point(body, &kinematics.arm(&lowest), &Vector3::z(), weight, -lowest.z);
            if let Some(place) = pin.place {
                let at = arm.end.at(&kinematics.placed);
                let off = place - at.coords.xy();
                for (axis, miss) in [(0, off.x), (1, off.y)] {
                    let along = Vector3::ith(axis, 1.0);
                    normal.point(arm.end.body, &kinematics.arm(&at), &along, weight, miss);
                }
            }
        }
    }

    /// Keeps shapes above the floor and out of each other.
    fn surfaces(
        &self,
        kinematics: &Kinematics,
        goal: &Goal,
        around: Option<[&RobotPose; 2]>,
        normal: &mut Normal,
        placed: &mut Placed,
    ) {
        if self.weights.apart <= 0.0 {
            return;
        }
        self.solids.place(&kinematics.placed, placed);
        for index in 0..if self.weights.ground > 0.0 { self.solids.all.len() } else { 0 } {
            if placed.lowest(index) > CLOSE {
                continue;
            }
            let shape = &kinematics.robot.shapes()[index];
            let floor = self.anatomy.feet[shape.body].map_or(0.0, |foot| goal.clear[foot]);
            for point in footing(shape, &kinematics.placed[shape.body]) {
                let under = floor - point.lowest().z;
                if under > -CLOSE {
                    let point = (shape.body, kinematics.arm(&point.centre));
                    normal.at_least((None, point), &Vector3::z(), self.weights.ground, under);
                }
            }
        }
        for near in self.solids.all_near(placed, MARGIN + CLOSE) {
            let [first, second] = [0, 1].map(|side| (near.bodies[side], kinematics.arm(&near.points[side])));
            let passing = around.filter(|_| near.distance < -INSIDE);
            let passing = passing.and_then(|around| self.passing(&near, kinematics, around));
            let (direction, under) = passing.unwrap_or((near.direction, MARGIN - near.distance));
            normal.at_least((Some(first), second), &direction, self.weights.apart, under);
        }
    }

    /// For two shapes that pass through each other between the previous and the next frame: the direction
    /// perpendicular to their path, and the missing distance in it. A push along the path would only delay or
    /// advance them.
    fn passing(
        &self,
        near: &Near,
        kinematics: &Kinematics,
        around: [&RobotPose; 2],
    ) -> Option<(Vector3<f64>, f64)> {
        let [a, b] = near.bodies;
        let now = &kinematics.placed;
        let point = now[b].inverse() * near.points[1];
        let [before, behind] = around.map(|pose| {
            let placed = kinematics.robot.place(&pose.base, &pose.values);
            now[a] * (placed[a].inverse() * (placed[b] * point)) - near.points[0]
        });
        let way = (behind - before).try_normalize(1e-3)?;
        if before.dot(&way) >= 0.0 || behind.dot(&way) <= 0.0 {
            return None;
        }
        let apart = near.points[1] - near.points[0];
        let aside = apart - way * apart.dot(&way);
        let radii = apart.norm() - near.distance;
        Some((aside.try_normalize(1e-3)?, MARGIN + radii - aside.norm()))
    }
}

/// Directions of both segments of a limb.
fn segments(
    kinematics: &Kinematics,
    points: [BodyPoint; 3],
    lengths: [f64; 2],
    directions: &[Vector3<f64>; 2],
    weights: [f64; 2],
    normal: &mut Normal,
) {
    for segment in 0..2 {
        let [from, to] = [points[segment], points[segment + 1]];
        let [a, b] = [from, to].map(|point| point.at(&kinematics.placed));
        let off = directions[segment] - (b - a) / lengths[segment];
        kinematics.between((from.body, &a), (to.body, &b), &mut normal.moves);
        // Relative to the length of the segment.
        normal.vector(weights[segment] / lengths[segment], &(off * lengths[segment]));
    }
}
