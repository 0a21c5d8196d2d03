//! The robot in a motion of which only the skeleton is known, such as one in a BVH file: a tree of joints that turn about
//! one axis each. The motion shows the axes, so joints may have any names and frames.

use mocap_model::{
    Clip, Isometry3, Joint, JointId, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts, Role, Track,
    UnitQuaternion, Vector3,
};
use nalgebra::Matrix3;

use crate::landmarks::{ELBOW, Humanoid, KNEE, is_called};
use crate::limb::Limb;
use crate::limb_pairs::left_of;

/// Number of frames that are looked at, over the whole motion.
const FRAMES: usize = 64;
/// A joint turns about one axis if it never turns further off it, and does not turn if by less \[rad\]: numbers in files
/// are rounded.
const OFF_AXIS: f64 = 1e-3;
/// Fewest hinges between trunk and knee of a robot. Legs of people have one joint there, or a hip bone that does not turn
/// and one.
const HIP: usize = 2;
/// The length from the first hinge to the last that bodies are scaled to: parts of a robot are judged in metres, and the
/// unit of a file may not be known.
const SIZE: f64 = 1.5;

/// What the motion of a humanoid robot shows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownRobot {
    /// The roles of its joints.
    pub roles: Vec<(JointId, Role)>,
    /// The rotation of each joint at rest: that of the file if all joints can be so, else the mean over the motion.
    pub rest_rotations: Vec<UnitQuaternion<f64>>,
    /// Which limbs have no joint that is called a knee or an elbow: theirs are found from lengths and axes.
    pub unnamed: Option<&'static str>,
}

/// The humanoid robot of a motion whose skeleton is all that is known; `None` for all others, people among them.
///
/// Each joint below the base turns about one axis, or its name says so: then an edit may have turned it off its axis.
pub fn unknown_robot(clip: &Clip) -> Option<UnknownRobot> {
    let Hinges { robot, humanoid, rest, .. } = Hinges::of(clip, None)?;
    let mut roles = humanoid.roles(&robot);
    if !names_tell_sides(&robot, &humanoid) && walks_backwards(clip, &roles) {
        roles.iter_mut().for_each(|(_, role)| *role = role.mirrored());
    }
    let is_named = |limb: &Limb, name: &str| {
        limb.joints.iter().any(|joint| is_called(&robot.joints()[*joint].name, name))
    };
    let knees = humanoid.legs.iter().all(|leg| is_named(leg, KNEE));
    let elbows = humanoid.arms.iter().flatten().all(|arm| is_named(arm, ELBOW));
    let unnamed = match (knees, elbows) {
        (true, true) => None,
        (true, false) => Some("the elbows"),
        (false, true) => Some("the knees"),
        (false, false) => Some("knees and elbows"),
    };
    Some(UnknownRobot { roles, rest_rotations: rest, unnamed })
}

/// A robot as its motion shows it.
pub(crate) struct Hinges {
    /// One body per joint of the clip.
    pub(crate) robot: Robot,
    pub(crate) humanoid: Humanoid,
    /// The turn of what is attached to the base against the clip.
    pub(crate) turn: UnitQuaternion<f64>,
    rest: Vec<UnitQuaternion<f64>>,
}

impl Hinges {
    /// The humanoid in a motion; `metres` is the length of its unit, if known.
    pub(crate) fn of(clip: &Clip, metres: Option<f64>) -> Option<Hinges> {
        let turns = Turns::of(clip)?;
        let unit = metres.unwrap_or_else(|| SIZE / size(clip));
        let up = clip.skeleton().space().up.vector();
        let others = [Vector3::z(), Vector3::y(), Vector3::x()].into_iter().filter(|axis| *axis != up);
        std::iter::once(up).chain(others).find_map(|up| {
            let turn = mocap_model::rotation_between(&up, &Vector3::z());
            let robot = turns.robot(clip, unit, &turn)?;
            let humanoid = Humanoid::find(&robot).ok()?;
            let rest = turns.0.iter().map(|turn| turn.rest).collect();
            turns.has_legs(&robot, &humanoid).then_some(Hinges { robot, humanoid, turn, rest })
        })
    }
}

/// What the name of a joint says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// One hinge of several at a place, such as `left_hip_roll`.
    Axis,
    /// A joint, which may be a hinge, such as `arm_left_5_joint`.
    Joint,
    Other,
}

/// Words for the axis of a hinge, and for a joint.
const AXES: [&str; 3] = ["pitch", "roll", "yaw"];
const JOINTS: [&str; 7] = ["joint", "x", "y", "z", "rx", "ry", "rz"];

impl Named {
    fn of(name: &str) -> Named {
        let name = name.to_lowercase();
        let mut words = name.split(|letter: char| !letter.is_alphanumeric());
        match AXES.iter().any(|axis| name.contains(axis)) {
            true => Named::Axis,
            false if words.any(|word| JOINTS.contains(&word)) => Named::Joint,
            false => Named::Other,
        }
    }
}

/// A name up to the axis in it, such as `lankleroll` of `LAnkleRoll_joint` and of `LAnkleRollCollision_shape`: what has the
/// same is a part of the hinge, not another one.
fn stem(name: &str) -> Option<String> {
    let letters: String = name.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let letters = letters.to_lowercase();
    let end = AXES.iter().filter_map(|axis| Some(letters.find(axis)? + axis.len())).min()?;
    Some(letters[..end].to_owned())
}

/// How a joint turns over a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// In the frame of the joint; `None` where it does not turn.
    axis: Option<Vector3<f64>>,
    /// In the frame of its parent, in a pose that is usual.
    rest: UnitQuaternion<f64>,
    /// Whether it can be as the file has it at rest.
    rests: bool,
    name: Named,
}

impl Turn {
    /// The turn of a joint; `None` where it turns about more than one axis and its name does not say that it is a hinge.
    fn of(clip: &Clip, id: JointId) -> Option<Turn> {
        let joint = clip.skeleton().joint(id);
        let name = Named::of(&joint.name);
        let track = &clip.track(id).rotation;
        let Track::Sampled(samples) = track else {
            return Some(Turn { axis: None, rest: track.at(0), rests: true, name });
        };
        let count = samples.len().min(FRAMES);
        let first = samples[0];
        let turn = |at: usize| (first.inverse() * samples[at * samples.len() / count]).scaled_axis();
        let turns: Vec<Vector3<f64>> = (0..count).map(turn).collect();
        let spread: Matrix3<f64> = turns.iter().map(|turn| turn * turn.transpose()).sum();
        if turns.iter().all(|turn| turn.norm() < OFF_AXIS) {
            return Some(Turn { axis: None, rest: first, rests: true, name });
        }
        let eigen = spread.symmetric_eigen();
        let axis: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
        let off = |turn: &Vector3<f64>| (turn - axis * axis.dot(turn)).norm();
        if name != Named::Axis && turns.iter().any(|turn| off(turn) > OFF_AXIS) {
            return None;
        }
        let from_rest = (joint.rest_rotation.inverse() * first).scaled_axis();
        let mean = turns.iter().map(|turn| axis.dot(turn)).sum::<f64>() / count as f64;
        let rest = first * UnitQuaternion::new(axis * mean);
        let rests = off(&from_rest) < OFF_AXIS;
        Some(Turn { axis: Some(axis), rest, rests, name })
    }
}

/// The turns of all joints below the base.
struct Turns(Vec<Turn>);

impl Turns {
    fn of(clip: &Clip) -> Option<Turns> {
        let skeleton = clip.skeleton();
        let is_tree = skeleton.roots().count() == 1 && skeleton.len() > 2 * HIP;
        let slides = |id: JointId, joint: &Joint| {
            let track = clip.track(id).translation.as_ref();
            joint.parent.is_some() && track.is_some_and(Track::is_sampled)
        };
        if !is_tree || clip.frames() == 0 || skeleton.iter().any(|(id, joint)| slides(id, joint)) {
            return None;
        }
        let below = skeleton.iter().filter(|(_, joint)| joint.parent.is_some());
        let base = skeleton
            .roots()
            .next()
            .map_or_else(UnitQuaternion::identity, |id| skeleton.joint(id).rest_rotation);
        let base = Turn { axis: None, rest: base, rests: true, name: Named::Other };
        let turns = below.map(|(id, _)| Turn::of(clip, id));
        let mut turns: Vec<Turn> = std::iter::once(Some(base)).chain(turns).collect::<Option<_>>()?;
        // A joint that stays still is a hinge where one like it turns, such as that of the other arm.
        let shapes = shapes(clip);
        let turning: Vec<Shape> = turns
            .iter()
            .zip(&shapes)
            .filter(|(turn, _)| turn.axis.is_some())
            .map(|(_, shape)| *shape)
            .collect();
        for (turn, shape) in turns.iter_mut().zip(&shapes) {
            if turn.axis.is_none()
                && turn.name == Named::Other
                && turning.iter().any(|other| shape.is_as(other))
            {
                turn.name = Named::Joint;
            }
        }
        // A rest pose that all hinges can take is that of the robot.
        if turns.iter().all(|turn| turn.rests) {
            let at_rest = skeleton.joints().iter().map(|joint| joint.rest_rotation);
            turns.iter_mut().zip(at_rest).for_each(|(turn, rest)| turn.rest = rest);
        }
        Some(Turns(turns))
    }

    /// A robot with one body per joint, in the order of the skeleton: the joints of [`Robot::to_skeleton`] are those of
    /// the clip. What is attached to the base is turned by `turn`.
    fn robot(&self, clip: &Clip, unit: f64, turn: &UnitQuaternion<f64>) -> Option<Robot> {
        let skeleton = clip.skeleton();
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        // By joint: axes of the last two hinges up to it, in its frame.
        let mut before: Vec<[Vector3<f64>; 2]> = Vec::new();
        let stems: Vec<Option<String>> = skeleton.joints().iter().map(|joint| stem(&joint.name)).collect();
        for ((id, joint), own) in skeleton.iter().zip(&self.0) {
            let axes = joint.parent.map_or([Vector3::z(), Vector3::x()], |parent| before[parent.index()]);
            let [last, next] = axes.map(|axis| own.rest.inverse() * axis);
            let tilted = last.cross(&next).try_normalize(0.1);
            let other = tilted.unwrap_or_else(|| last.cross(&Vector3::ith(last.iamin(), 1.0)).normalize());
            // The axis of a hinge that does not turn is unknown: those of one place differ.
            let mut above = std::iter::successors(joint.parent, |id| skeleton.joint(*id).parent);
            let own_stem = &stems[id.index()];
            let mut is_part = || own_stem.is_some() && above.any(|id| stems[id.index()] == *own_stem);
            let axis = own.axis.or_else(|| (own.name != Named::Other && !is_part()).then_some(other));
            before.push(axis.map_or([last, next], |axis| [axis, last]));
            let placed = Isometry3::from_parts((joint.offset * unit).into(), own.rest);
            let placement = match joint.parent {
                Some(parent) if parent.index() == 0 => {
                    Isometry3::from_parts((turn * placed.translation.vector).into(), turn * placed.rotation)
                }
                Some(_) => placed,
                None => Isometry3::identity(),
            };
            let name = format!("{} #{}", joint.name, id.index());
            let parent = joint.parent.map(JointId::index);
            if let Some(axis) = axis {
                joints.push(RobotJoint {
                    name: name.clone(),
                    body: bodies.len(),
                    kind: RobotJointKind::Hinge,
                    axis,
                    anchor: Vector3::zeros(),
                    reference: 0.0,
                    limit: None,
                    velocity: None,
                    acceleration: None,
                    effort: None,
                    mimic: None,
                });
            }
            let (mass, centre_of_mass, inertia) = (None, Vector3::zeros(), None);
            bodies.push(RobotBody { name, parent, placement, mass, centre_of_mass, inertia });
        }
        Robot::new(RobotParts { bodies, joints, floating: true, ..RobotParts::default() }).ok()
    }

    /// Whether both legs are those of a robot: their hips have several hinges, which are seen to turn or named.
    fn has_legs(&self, robot: &Robot, humanoid: &Humanoid) -> bool {
        humanoid.legs.iter().all(|leg| {
            let before = leg.joints.iter().map(|joint| robot.joints()[*joint].body);
            let before = before.take_while(|body| *body != leg.middle.body);
            before.filter(|body| self.0[*body].axis.is_some() || self.0[*body].name == Named::Axis).count()
                >= HIP
        })
    }
}

/// Where a joint is in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shape {
    /// Joints above it.
    depth: usize,
    /// Joints below it.
    below: usize,
    /// The length of its offset.
    length: f64,
}

impl Shape {
    fn is_as(&self, other: &Shape) -> bool {
        let near = (self.length - other.length).abs() <= 1e-3 * self.length.max(other.length);
        self.depth == other.depth && self.below == other.below && near
    }
}

/// By joint.
fn shapes(clip: &Clip) -> Vec<Shape> {
    let skeleton = clip.skeleton();
    let mut shapes = vec![Shape::default(); skeleton.len()];
    for (id, joint) in skeleton.iter() {
        let depth = joint.parent.map_or(0, |parent| shapes[parent.index()].depth + 1);
        shapes[id.index()] = Shape { depth, below: 0, length: joint.offset.norm() };
    }
    for (id, joint) in skeleton.iter().rev() {
        let below = shapes[id.index()].below + 1;
        if let Some(parent) = joint.parent {
            shapes[parent.index()].below += below;
        }
    }
    shapes
}

/// The longest way from the base to a tip, in the units of the clip.
fn size(clip: &Clip) -> f64 {
    let skeleton = clip.skeleton();
    let mut far = vec![0.0; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        far[id.index()] = joint.parent.map_or(0.0, |parent| far[parent.index()] + joint.offset.norm());
    }
    far.into_iter().fold(f64::MIN_POSITIVE, f64::max)
}

/// Whether names say which leg is the left one.
fn names_tell_sides(robot: &Robot, humanoid: &Humanoid) -> bool {
    let [left, right] = humanoid.legs.each_ref().map(|leg| &leg.joints);
    let name = |joint: &usize| robot.joints()[*joint].name.to_lowercase();
    left.iter().zip(right).any(|(left, right)| left_of(&name(left), &name(right)).is_some())
}

/// Whether knees bend backwards over a motion, which they do if left and right are mistaken.
fn walks_backwards(clip: &Clip, roles: &[(JointId, Role)]) -> bool {
    let joint = |role: Role| roles.iter().find(|(_, other)| *other == role).map(|(joint, _)| *joint);
    let leg = |roles: [Role; 3]| -> Option<[JointId; 3]> {
        let [hip, knee, foot] = roles.map(joint);
        Some([hip?, knee?, foot?])
    };
    let legs = [
        leg([Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot]),
        leg([Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot]),
    ];
    let [Some(left), Some(right)] = legs else { return false };
    let mut kinematics = mocap_model::ForwardKinematics::new(clip);
    let count = clip.frames().min(FRAMES);
    let ahead = |frame: usize| {
        kinematics.place(frame * clip.frames() / count);
        let at = |joint: JointId| kinematics.position(joint);
        let up = at(left[0]) + at(right[0]) - at(left[2]) - at(right[2]);
        let forward: Vector3<f64> =
            [left, right].iter().map(|leg| at(leg[1]) - (at(leg[0]) + at(leg[2])) / 2.0).sum();
        (at(left[0]) - at(right[0])).dot(&up.cross(&forward))
    };
    (0..count).map(ahead).sum::<f64>() < 0.0
}
