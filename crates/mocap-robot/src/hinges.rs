//! The robot in a motion of which only the skeleton is known, such as one in a BVH file: a tree of joints that turn about
//! one axis each. The motion shows the axes, so joints may have any names and frames.

use mocap_model::{
    Clip, Isometry3, JointId, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts, Role, UnitQuaternion,
    Vector3,
};

use crate::hinge_names::{Named, stem};
use crate::joint_turns::{FRAMES, HIP, Turns};
use crate::landmarks::{ELBOW, Humanoid, KNEE, is_called};
use crate::limb::Limb;
use crate::mirror::left_of;

/// The length from the first hinge to the last that bodies are scaled to: parts of a robot are judged in metres, and the
/// unit of a file may not be known.
const SIZE: f64 = 1.5;

/// What the motion of a humanoid robot shows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownRobot {
    /// The roles of its joints.
    pub roles: Vec<(JointId, Role)>,
    /// The rotation of each joint at rest: that of the file, else the nearest to it that the joint can have.
    pub rest_rotations: Vec<UnitQuaternion<f64>>,
    /// The axis of the space along which the body faces at rest, a unit vector.
    pub forward: Vector3<f64>,
    /// Which limbs have no joint that is called a knee or an elbow: theirs are found from lengths and axes.
    pub unnamed: Option<&'static str>,
}

/// The humanoid robot of a motion whose skeleton is all that is known; `None` for all others, people among them.
///
/// Each joint below the base turns about one axis, or its name says so: then an edit may have turned it off its axis.
pub fn unknown_robot(clip: &Clip) -> Option<UnknownRobot> {
    let Hinges { robot, humanoid, turn, rest } = Hinges::of(clip, None)?;
    let mut roles = humanoid.roles(&robot);
    let mut forward = rest[0] * (turn.inverse() * (humanoid.upright.inverse() * Vector3::x()));
    if !names_tell_sides(&robot, &humanoid) && walks_backwards(clip, &roles) {
        roles.iter_mut().for_each(|(_, role)| *role = role.mirrored());
        forward = -forward;
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
    Some(UnknownRobot { roles, rest_rotations: rest, forward, unnamed })
}

/// Whether a start of a motion leaves it open that the motion is that of a robot: each joint below the base may be a hinge.
pub fn may_be_robot(start: &Clip) -> bool {
    Turns::of(start).is_some()
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
        let turns = Turns::of(clip).filter(Turns::may_have_legs)?;
        let held = turns.held_at_rest(clip);
        held.iter().chain([&turns]).find_map(|turns| Hinges::with(turns, clip, metres))
    }

    fn with(turns: &Turns, clip: &Clip, metres: Option<f64>) -> Option<Hinges> {
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

impl Turns {
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
            let is_part = own_stem.is_some() && above.any(|id| stems[id.index()] == *own_stem);
            let axis = match own.axis {
                Some(axis) if own.turns => Some(axis),
                shown => shown.or(Some(other)).filter(|_| own.name != Named::Other && !is_part),
            };
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
            before.filter(|body| self.0[*body].is_hinge()).count() >= HIP
        })
    }
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
