//! Which joints of a person drive which joints of a robot.

use std::fmt;

use mocap_model::{Clip, FrameRate, JointId, Robot, Role, Skeleton};
use schemars::JsonSchema;
use serde::Serialize;

use crate::RobotError;
use crate::anatomy::Anatomy;
use crate::kinematics::Kinematics;
use crate::limb::{Bends, Limb};
use crate::read_source::{ReadSource, read_source};

/// What drives a robot in a retarget: each part of a person moves a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RobotMap {
    /// Leg length of the robot over that of the source: the way of the hips is scaled by it.
    pub leg_ratio: f64,
    /// Whether the source is a motion of the robot itself: its joints are taken over as they are.
    pub same_robot: bool,
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
    /// The values of its joints, as they are.
    Values,
}

impl fmt::Display for Follows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Follows::PlaceAndRotation => "place (scaled) and rotation",
            Follows::Rotation => "rotation",
            Follows::Direction => "direction",
            Follows::RotationAndContact => "rotation, and contacts",
            Follows::Values => "joints as they are",
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
    /// What of a clip with roles drives a robot; `metres` is the length of its unit. It is what a retarget at `fps` follows.
    ///
    /// # Errors
    /// As [`retarget`](crate::retarget()).
    pub fn of(
        clip: &Clip,
        metres: f64,
        robot: &Robot,
        bends: &Bends,
        fps: FrameRate,
    ) -> Result<RobotMap, RobotError> {
        let anatomy = Anatomy::of(&mut Kinematics::new(robot), bends)?;
        let ReadSource { joints, own, ratio, .. } = read_source(clip, metres, robot, &anatomy, fps)?;
        let (source, humanoid, same_robot) = (clip.skeleton().as_ref(), &anatomy.humanoid, own.is_some());
        let used = vec![same_robot; robot.joints().len()];
        let mut listing = Listing { source, robot, parts: Vec::new(), used, same_robot };
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
            let roles =
                [[Role::LeftUpperArm, Role::LeftLowerArm], [Role::RightUpperArm, Role::RightLowerArm]];
            for (((arm, of), names), roles) in arms.iter().zip(of).zip(names).zip(roles) {
                let [before, middle, _] = divided(robot, arm);
                for (at, joints) in [before, middle].iter().enumerate() {
                    let shown = source.with_role(roles[at]).unwrap_or(of[at]);
                    listing.add(names[at], shown, Follows::Direction, joints);
                }
            }
        }
        let Listing { parts, used, .. } = listing;
        let other = |(joint, used): (usize, bool)| {
            let of = &robot.joints()[joint];
            let mimics = of.mimic.map(|mimic| robot.joints()[mimic.joint].name.clone());
            (!used || mimics.is_some()).then(|| OtherJoint { joint: of.name.clone(), mimics })
        };
        Ok(RobotMap {
            leg_ratio: ratio,
            same_robot,
            parts,
            others: used.into_iter().enumerate().filter_map(other).collect(),
            cannot_follow: if same_robot { Vec::new() } else { humanoid.cannot_follow(robot) },
        })
    }
}

/// Collects parts.
struct Listing<'a> {
    source: &'a Skeleton,
    robot: &'a Robot,
    parts: Vec<DrivenPart>,
    /// By joint of the robot: whether a part has it, or its value is taken over.
    used: Vec<bool>,
    same_robot: bool,
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
        let follows = if self.same_robot { Follows::Values } else { follows };
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

impl fmt::Display for RobotMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  scale       legs {:.3}", self.leg_ratio)?;
        if self.same_robot {
            writeln!(f, "  same robot  its joints are taken over as they are")?;
        }
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
