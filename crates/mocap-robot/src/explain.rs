//! Which joints of a person drive which joints of a robot.

use std::fmt;

use mocap_model::{JointId, Pose, Robot, Skeleton};
use schemars::JsonSchema;
use serde::Serialize;

use crate::RobotError;
use crate::anatomy::Anatomy;
use crate::kinematics::Kinematics;
use crate::limb::{Bends, Limb};
use crate::retarget::LEAST_LEG;
use crate::source::Joints;

/// What drives a robot in a retarget: each part of a person moves a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RobotMap {
    /// Leg length of the robot over that of the source: the way of the hips is scaled by it.
    pub leg_ratio: f64,
    /// The parts that are driven.
    pub parts: Vec<DrivenPart>,
    /// Joints of the robot that follow no joint of the source.
    pub others: Vec<OtherJoint>,
    /// Human motions that the robot has too few joints for.
    pub cannot_follow: Vec<&'static str>,
}

/// A part of a robot, and what drives it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DrivenPart {
    /// Its name.
    pub part: &'static str,
    /// The joint of the source that shows its motion.
    pub source: String,
    /// What of that is followed.
    pub follows: Follows,
    /// The joints of the robot that it moves with, from the trunk outwards; the base for the pelvis.
    pub robot: Vec<String>,
}

/// What a part follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Follows {
    /// Where it is, scaled, and how it is turned.
    PlaceAndRotation,
    /// How it is turned.
    Rotation,
    /// Where it points.
    Direction,
    /// How it is turned; where it is while it is in contact.
    RotationAndContact,
}

impl fmt::Display for Follows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Follows::PlaceAndRotation => "place (scaled) and rotation",
            Follows::Rotation => "rotation",
            Follows::Direction => "direction",
            Follows::RotationAndContact => "rotation, and contacts",
        })
    }
}

/// A joint of a robot that follows no joint of the source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OtherJoint {
    /// Its name.
    pub joint: String,
    /// The joint of the robot that it follows by its model; `null`: it stays near its rest.
    pub mimics: Option<String>,
}

impl RobotMap {
    /// What of a skeleton with roles drives a robot; `metres` is the length of its unit. Lengths are those of its rest pose.
    ///
    /// # Errors
    /// As [`retarget`](crate::retarget()), but for frames.
    pub fn of(source: &Skeleton, metres: f64, robot: &Robot, bends: &Bends) -> Result<RobotMap, RobotError> {
        let anatomy = Anatomy::of(&mut Kinematics::new(robot), bends)?;
        let joints = Joints::of(source)?;
        let humanoid = &anatomy.humanoid;
        let length = source_leg(source, &joints) * metres;
        if !(length.is_finite() && length > LEAST_LEG) {
            return Err(RobotError::SourceLegs { length });
        }
        let mut listing =
            Listing { source, robot, parts: Vec::new(), used: vec![false; robot.joints().len()] };
        let base = robot.bodies()[0].name.clone();
        listing.add("pelvis", joints.hips, Follows::PlaceAndRotation, &between(robot, 0, humanoid.pelvis));
        listing.parts[0].robot.insert(0, base);
        if humanoid.torso != humanoid.pelvis {
            let waist = between(robot, humanoid.pelvis, humanoid.torso);
            listing.add("torso", joints.chest, Follows::Rotation, &waist);
        }
        if let (Some(head), Some(joint)) = (&humanoid.head, joints.head) {
            listing.add("head", joint, Follows::Rotation, &head.joints);
        }
        for (leg, of, names) in [
            (&humanoid.legs[0], &joints.legs[0], ["left thigh", "left shank", "left foot"]),
            (&humanoid.legs[1], &joints.legs[1], ["right thigh", "right shank", "right foot"]),
        ] {
            let [before, middle, behind] = divided(robot, leg);
            listing.add(names[0], of[0], Follows::Direction, &before);
            listing.add(names[1], of[1], Follows::Direction, &middle);
            listing.add(names[2], of[2], Follows::RotationAndContact, &behind);
        }
        if let (Some(arms), Some(of)) = (&humanoid.arms, &joints.arms) {
            let names = [["left upper arm", "left forearm"], ["right upper arm", "right forearm"]];
            for ((arm, of), names) in arms.iter().zip(of).zip(names) {
                let [before, middle, _] = divided(robot, arm);
                listing.add(names[0], of[0], Follows::Direction, &before);
                listing.add(names[1], of[1], Follows::Direction, &middle);
            }
        }
        let Listing { parts, used, .. } = listing;
        let other = |(joint, used): (usize, bool)| {
            let of = &robot.joints()[joint];
            let mimics = of.mimic.map(|mimic| robot.joints()[mimic.joint].name.clone());
            (!used || mimics.is_some()).then(|| OtherJoint { joint: of.name.clone(), mimics })
        };
        Ok(RobotMap {
            leg_ratio: humanoid.leg_length() / length,
            parts,
            others: used.into_iter().enumerate().filter_map(other).collect(),
            cannot_follow: humanoid.cannot_follow(robot),
        })
    }
}

/// Collects parts.
struct Listing<'a> {
    source: &'a Skeleton,
    robot: &'a Robot,
    parts: Vec<DrivenPart>,
    /// By joint of the robot: whether a part has it.
    used: Vec<bool>,
}

impl Listing<'_> {
    /// A part that no joint moves is left out, but for the pelvis.
    fn add(&mut self, part: &'static str, from: JointId, follows: Follows, joints: &[usize]) {
        if joints.is_empty() && follows != Follows::PlaceAndRotation {
            return;
        }
        joints.iter().for_each(|joint| self.used[*joint] = true);
        let robot = joints.iter().map(|joint| self.robot.joints()[*joint].name.clone()).collect();
        let source = self.source.joint(from).name.clone();
        self.parts.push(DrivenPart { part, source, follows, robot });
    }
}

/// The joints between two bodies, if the second is below the first; else those between the second and the first.
fn between(robot: &Robot, from: usize, to: usize) -> Vec<usize> {
    let above = |body: usize| std::iter::successors(Some(body), |body| robot.bodies()[*body].parent);
    let (top, tip) = if above(to).any(|body| body == from) { (from, to) } else { (to, from) };
    let bodies: Vec<usize> = above(tip).take_while(|body| *body != top).collect();
    (0..robot.joints().len()).filter(|joint| bodies.contains(&robot.joints()[*joint].body)).collect()
}

/// The joints of a limb before, at and behind its middle.
fn divided(robot: &Robot, limb: &Limb) -> [Vec<usize>; 3] {
    let body = |joint: &usize| robot.joints()[*joint].body;
    let middle =
        limb.joints.iter().position(|joint| body(joint) == limb.middle.body).unwrap_or(limb.joints.len());
    let (before, rest) = limb.joints.split_at(middle);
    let bends =
        rest.iter().take_while(|joint| body(joint) == limb.middle.body || body(joint) == limb.end.body);
    let (middle, behind) = rest.split_at(bends.count());
    [before.to_vec(), middle.to_vec(), behind.to_vec()]
}

/// Hip to ankle along the bones at rest, the mean of both legs, in the unit of the skeleton.
fn source_leg(skeleton: &Skeleton, joints: &Joints) -> f64 {
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let at = |joint: JointId| rest.joints[joint.index()].translation.vector;
    let length =
        |[hip, knee, ankle]: [JointId; 3]| (at(knee) - at(hip)).norm() + (at(ankle) - at(knee)).norm();
    joints.legs.map(length).iter().sum::<f64>() / 2.0
}

impl fmt::Display for RobotMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  scale       legs {:.3}", self.leg_ratio)?;
        let width = |of: &dyn Fn(&DrivenPart) -> usize, head: &str| {
            self.parts.iter().map(of).max().unwrap_or(0).max(head.len())
        };
        let part = width(&|row| row.part.len(), "part");
        let source = width(&|row| row.source.chars().count(), "source");
        let follows = width(&|row| row.follows.to_string().len(), "follows");
        write!(f, "  {:part$}  {:source$}  {:follows$}  joints of the robot", "part", "source", "follows")?;
        for row in &self.parts {
            let follows_text = row.follows.to_string();
            write!(
                f,
                "\n  {:part$}  {:source$}  {follows_text:follows$}  {}",
                row.part,
                row.source,
                row.robot.join(", ")
            )?;
        }
        let still: Vec<&str> = self
            .others
            .iter()
            .filter(|other| other.mimics.is_none())
            .map(|other| other.joint.as_str())
            .collect();
        if !still.is_empty() {
            write!(f, "\n  near their rest: {}", still.join(", "))?;
        }
        for OtherJoint { joint, mimics } in &self.others {
            if let Some(by) = mimics {
                write!(f, "\n  by the model: {joint} follows {by}")?;
            }
        }
        if !self.cannot_follow.is_empty() {
            write!(f, "\n  not followed: {}", self.cannot_follow.join(", "))?;
        }
        Ok(())
    }
}
