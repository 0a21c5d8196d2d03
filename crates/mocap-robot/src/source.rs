//! The goals in a captured motion: directions of limbs, frames of pelvis, torso and feet, path and contacts, in
//! metres with Z up, at the robot's rate.

use mocap_analysis::{ContactOptions, FootMotion, feet_of, floor_of};
use mocap_model::{
    Clip, ForwardKinematics, FrameRate, JointId, Pose, Robot, RobotPose, Role, SignedAxis, Skeleton,
    UnitQuaternion, Vector3,
};
use nalgebra::{Matrix3, Point3, Rotation3};

use crate::RobotError;
use crate::anatomy::Anatomy;
use crate::hand_contacts::{Arm, HandContact, Leaning, hand_contacts};
use crate::limb::{BodyPoint, Limb};
use crate::limb_pairs::nearest_axis;

/// One frame of a captured motion. In pairs, the left comes first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceFrame {
    /// Between the hip joints \[m\], above the floor.
    pub(crate) hips: Point3<f64>,
    /// From the right hip to the left \[m\].
    pub(crate) across: Vector3<f64>,
    /// Frames of X forward, Y left, Z up.
    pub(crate) pelvis: UnitQuaternion<f64>,
    pub(crate) torso: UnitQuaternion<f64>,
    pub(crate) feet: [UnitQuaternion<f64>; 2],
    pub(crate) head: Option<UnitQuaternion<f64>>,
    /// Unit directions of both segments.
    pub(crate) legs: [[Vector3<f64>; 2]; 2],
    pub(crate) arms: Option<[[Vector3<f64>; 2]; 2]>,
    /// Whether toe and heel are in contact. A foot that only lies on the floor is not.
    pub(crate) contacts: [[bool; 2]; 2],
    pub(crate) hands: [HandContact; 2],
    /// Whether the hips are down on the floor: the body lies, or sits there.
    pub(crate) is_down: bool,
}

impl SourceFrame {
    /// Whether a foot is held.
    pub(crate) fn stands(&self) -> bool {
        self.contacts.iter().any(|contact| *contact != [false; 2])
    }

    /// Whether other parts than feet carry the body on the floor.
    pub(crate) fn lies(&self) -> bool {
        self.is_down && !self.stands()
    }
}

/// Hips that are lower are down on the floor, as a share of the leg.
const DOWN: f64 = 0.25;
/// No ankle bends far enough to stand on its sole below a shank that rises less than this (sine of 20°).
const LEVEL_SHANK: f64 = 0.34;

/// Points of the limbs of a source, by limb: hip, knee and ankle; shoulder, elbow and wrist.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LimbPoints {
    pub(crate) legs: [[Place; 3]; 2],
    pub(crate) arms: Option<[[Place; 3]; 2]>,
}

/// A point fixed to a joint of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) joint: JointId,
    /// In the frame of the joint \[m\].
    pub(crate) local: Vector3<f64>,
}

impl LimbPoints {
    /// The joints of the roles.
    fn of(joints: &Joints) -> LimbPoints {
        let places = |limbs: [[JointId; 3]; 2]| {
            limbs.map(|limb| limb.map(|joint| Place { joint, local: Vector3::zeros() }))
        };
        LimbPoints { legs: places(joints.legs), arms: joints.arms.map(places) }
    }
}

/// A captured motion in the form that retargeting to a robot needs.
pub(crate) struct Source {
    pub(crate) frames: Vec<SourceFrame>,
    /// Hip to ankle along the bones \[m\].
    pub(crate) leg_length: f64,
    /// Usual height of the ankle above the floor during contacts \[m\].
    pub(crate) ankle_height: f64,
    pub(crate) steps: Steps,
    /// Whether it has feet whose contacts are known.
    pub(crate) has_feet: bool,
}

/// Greatest rotation from frame to frame of the joints of a part \[rad\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Steps {
    pub(crate) legs: f64,
    pub(crate) arms: f64,
    /// Over all joints.
    pub(crate) all: f64,
}

impl Steps {
    fn of(clip: &Clip, joints: &Joints) -> Steps {
        let largest = |joint: JointId| {
            let step = |frame: usize| {
                clip.local(joint, frame - 1).rotation.angle_to(&clip.local(joint, frame).rotation)
            };
            (1..clip.frames()).map(step).fold(0.0, f64::max)
        };
        let of = |joints: &mut dyn Iterator<Item = JointId>| joints.map(largest).fold(0.0, f64::max);
        Steps {
            legs: of(&mut joints.legs.iter().flatten().copied()),
            arms: of(&mut joints.arms_turn.iter().copied()),
            all: of(&mut clip.skeleton().iter().map(|(joint, _)| joint)),
        }
    }
}

/// The joints of a source that are used.
pub(crate) struct Joints {
    pub(crate) hips: JointId,
    pub(crate) legs: [[JointId; 3]; 2],
    /// Those of the roles; of a robot without hands, those that its arms are fixed to.
    pub(crate) arms: Option<[[JointId; 3]; 2]>,
    /// The joints that turn arms.
    arms_turn: Vec<JointId>,
    pub(crate) chest: JointId,
    pub(crate) head: Option<JointId>,
}

impl Joints {
    /// Those of the roles. A robot whose arms end at the elbow has no role of a hand: its arms are those of `points`.
    pub(crate) fn of(skeleton: &Skeleton, points: Option<&LimbPoints>) -> Result<Joints, RobotError> {
        let find = |role: Role| skeleton.with_role(role);
        // A robot without ankles may have no foot to have that role: its shanks end there.
        let need = |role: Role, side: usize, at: usize| {
            let shown = || (at == 2).then(|| points.map(|points| points.legs[side][at].joint)).flatten();
            find(role).or_else(shown).ok_or(RobotError::SourceRole { role })
        };
        let leg = |side: usize, roles: [Role; 3]| -> Result<[JointId; 3], RobotError> {
            let [hip, knee, foot] = roles;
            Ok([need(hip, side, 0)?, need(knee, side, 1)?, need(foot, side, 2)?])
        };
        let legs = [
            leg(0, [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot])?,
            leg(1, [Role::RightUpperLeg, Role::RightLowerLeg, Role::RightFoot])?,
        ];
        let arm = |roles: [Role; 3]| -> Option<[JointId; 3]> {
            let [a, b, c] = roles.map(find);
            // An arm without a hand joint ends with its end site.
            Some([a?, b?, c.or_else(|| skeleton.end_site(b?))?])
        };
        let arms = arm([Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand])
            .zip(arm([Role::RightUpperArm, Role::RightLowerArm, Role::RightHand]))
            .map(|(left, right)| [left, right]);
        let hips = find(Role::Hips).or_else(|| skeleton.common_ancestor(legs[0][0], legs[1][0]));
        let hips = hips.ok_or(RobotError::SourceRole { role: Role::Hips })?;
        let chest_of = |arms: [[JointId; 3]; 2]| skeleton.common_ancestor(arms[0][0], arms[1][0]);
        let shown = points.and_then(|points| points.arms.as_ref());
        let shown = shown.map(|arms| arms.map(|arm| arm.map(|place| place.joint)));
        let turns = |[from, .., to]: [JointId; 3]| skeleton.path(from, to).unwrap_or_default();
        let arms_turn: Vec<JointId> = match (arms, shown) {
            (Some(arms), _) => arms.into_iter().flatten().collect(),
            (None, Some(arms)) => arms.into_iter().flat_map(|arm| turns(arm).into_iter().skip(1)).collect(),
            (None, None) => Vec::new(),
        };
        let arms = arms.or(shown);
        let chest = arms.and_then(chest_of).unwrap_or(hips);
        Ok(Joints { hips, legs, arms, arms_turn, chest, head: find(Role::Head) })
    }
}

impl Source {
    /// Reads a clip with roles, `metres` per unit, at `fps` frames per second.
    /// The limbs are those of `points`, if given: in robots, a hip is not where one of its joints is. `turn` maps the axes
    /// of the clip to those of the robot; by default, its up axis to Z.
    pub(crate) fn of(
        clip: &Clip,
        metres: f64,
        fps: FrameRate,
        (joints, points, turn): (&Joints, Option<LimbPoints>, Option<UnitQuaternion<f64>>),
    ) -> Result<Source, RobotError> {
        let points = points.unwrap_or_else(|| LimbPoints::of(joints));
        let turn = turn.unwrap_or_else(|| upright(clip.skeleton().space().up));
        let feet = feet_of(clip.skeleton());
        // A robot walks on one level floor.
        let motions: Vec<_> = FootMotion::of(clip, &feet).into_iter().map(FootMotion::on_one_floor).collect();
        let options = ContactOptions::default();
        let contacts: Vec<_> = motions.iter().map(|motion| motion.contacts(&options)).collect();
        let floor = floor_of(&motions, &contacts);
        // Contacts are those of the clip; poses between its frames are interpolated.
        let last = clip.frames() - 1;
        let sampled = clip.resampled(fps)?;
        let mut raw = Vec::with_capacity(sampled.frames());
        let mut kinematics = ForwardKinematics::new(&sampled);
        for frame in 0..sampled.frames() {
            let time = frame as f64 * fps.frame_time() * clip.rate().fps();
            let nearest = (time.round() as usize).min(last);
            kinematics.place(frame);
            raw.push(RawFrame::of(clip.skeleton(), &kinematics, (joints, &points), &turn, metres, nearest));
        }
        let mut lengths: Vec<f64> = raw.iter().map(|frame| frame.leg_length).collect();
        lengths.sort_by(f64::total_cmp);
        let leg_length = lengths[lengths.len() / 2];
        let usual = leg_length * 0.1;
        let lowest =
            || raw.iter().flat_map(|frame| frame.ankles).map(|ankle| ankle.z).fold(f64::INFINITY, f64::min);
        let floor = match floor {
            // Feet in the air do not show the floor.
            Some(_) if raw.iter().all(|frame| frame.is_in_air(0) && frame.is_in_air(1)) => lowest_floor(&raw),
            Some(floor) => floor * metres,
            None => lowest() - usual,
        };
        let is_down = |frame: &RawFrame| frame.hips.z - floor < DOWN * leg_length;
        let in_contact = |foot: usize, frame: &RawFrame| {
            let is_level = frame.legs[foot][1].z > -LEVEL_SHANK;
            let lies = is_down(frame) && is_level;
            // Below a level shank only toes are on the floor, as in push-ups.
            contacts.get(foot).filter(|_| !lies && !frame.is_in_air(foot)).map_or([false; 2], |contact| {
                [contact.toe[frame.index], contact.heel[frame.index] && !is_level]
            })
        };
        let standing = raw.iter().flat_map(|frame| {
            (0..2).filter_map(|foot| {
                (in_contact(foot, frame) == [true; 2]).then_some(frame.ankles[foot].z - floor)
            })
        });
        let mut standing: Vec<f64> = standing.collect();
        standing.sort_by(f64::total_cmp);
        let ankle_height = standing.get(standing.len() / 2).copied().unwrap_or(usual);
        let head = head_frame(clip.skeleton(), joints, &turn, &raw);
        let mut frames = orient(&raw, floor, &head, in_contact, is_down);
        let leaning = |frame: &RawFrame| Leaning {
            hips: frame.hips.z - floor,
            is_upright: frame.upright() >= 1.0,
            arms: frame.reach,
        };
        let leaning: Vec<Leaning> = raw.iter().map(leaning).collect();
        for (frame, hands) in frames.iter_mut().zip(hand_contacts(&leaning, floor, leg_length, fps.fps())) {
            frame.hands = hands;
        }
        let steps = Steps::of(&sampled, joints);
        Ok(Source { frames, leg_length, ankle_height, steps, has_feet: !contacts.is_empty() })
    }

    /// Takes over what the poses of the robot itself show: the goals are met by them.
    pub(crate) fn is_of(&mut self, robot: &Robot, anatomy: &Anatomy, poses: &[RobotPose]) {
        let humanoid = &anatomy.humanoid;
        for (frame, pose) in self.frames.iter_mut().zip(poses) {
            let placed = robot.place(&pose.base, &pose.values);
            let at = |point: &BodyPoint| point.at(&placed);
            let directions = |limb: &Limb| {
                let [base, middle, end] = [&limb.base, &limb.middle, &limb.end].map(at);
                [middle - base, end - middle]
                    .map(|way| way.try_normalize(1e-9).unwrap_or_else(|| -Vector3::z()))
            };
            let turned =
                |body: usize, at_rest: &UnitQuaternion<f64>| placed[body].rotation * at_rest.inverse();
            let [left, right] = humanoid.legs.each_ref().map(|leg| at(&leg.base));
            let feet = humanoid.soles.each_ref().map(|sole| sole.body);
            frame.hips = nalgebra::center(&left, &right);
            frame.across = left - right;
            frame.pelvis = turned(humanoid.pelvis, &anatomy.at_rest[0]);
            frame.torso = turned(humanoid.torso, &anatomy.at_rest[1]);
            frame.feet = [0, 1].map(|foot| turned(feet[foot], &anatomy.at_rest[2 + foot]));
            frame.head = humanoid.head.as_ref().map(|head| turned(head.body, &anatomy.head_at_rest));
            frame.legs = humanoid.legs.each_ref().map(directions);
            frame.arms = humanoid.arms.as_ref().map(|arms| arms.each_ref().map(directions));
            frame.hands = [HandContact::default(); 2];
        }
        self.leg_length = humanoid.leg_length();
        self.ankle_height = (humanoid.soles[0].ankle_height + humanoid.soles[1].ankle_height) / 2.0;
    }
}

/// The rotation that maps `up` to Z.
pub(crate) fn upright(up: SignedAxis) -> UnitQuaternion<f64> {
    mocap_model::rotation_between(&up.vector(), &Vector3::z())
}

/// A frame before its frames of reference are found.
struct RawFrame {
    index: usize,
    hips: Point3<f64>,
    across: [Vector3<f64>; 2],
    spine: Vector3<f64>,
    /// Of hips, chest and both feet.
    rotations: [UnitQuaternion<f64>; 4],
    head: Option<UnitQuaternion<f64>>,
    ankles: [Point3<f64>; 2],
    toes: [Vector3<f64>; 2],
    legs: [[Vector3<f64>; 2]; 2],
    arms: Option<[[Vector3<f64>; 2]; 2]>,
    /// Where arms begin and end.
    reach: Option<[Arm; 2]>,
    /// The height of the lowest joint \[m\].
    lowest: f64,
    leg_length: f64,
}

impl RawFrame {
    fn of(
        skeleton: &Skeleton,
        kinematics: &ForwardKinematics,
        (joints, points): (&Joints, &LimbPoints),
        turn: &UnitQuaternion<f64>,
        metres: f64,
        index: usize,
    ) -> RawFrame {
        let at = |joint: JointId| Point3::from(turn * (kinematics.position(joint) * metres));
        let point =
            |place: &Place| at(place.joint) + turn * (kinematics.at(place.joint).rotation * place.local);
        let rotation = |joint: JointId| turn * kinematics.at(joint).rotation;
        let placed = |limbs: &[[Place; 3]; 2]| limbs.each_ref().map(|limb| limb.each_ref().map(point));
        let direction = |from: &Point3<f64>, to: &Point3<f64>| {
            (to - from).try_normalize(1e-9).unwrap_or_else(|| -Vector3::z())
        };
        let directions =
            |limb: &[Point3<f64>; 3]| [direction(&limb[0], &limb[1]), direction(&limb[1], &limb[2])];
        let legs = placed(&points.legs);
        let arms = points.arms.as_ref().map(placed);
        let hips = nalgebra::center(&legs[0][0], &legs[1][0]);
        let across = legs[0][0] - legs[1][0];
        let (shoulders, spine) = match &arms {
            Some([l, r]) => (l[0] - r[0], nalgebra::center(&l[0], &r[0]) - hips),
            None => (across, Vector3::z()),
        };
        let length = |limb: &[Point3<f64>; 3]| (limb[1] - limb[0]).norm() + (limb[2] - limb[1]).norm();
        let feet = joints.legs.map(|leg| leg[2]);
        let toe = |foot: JointId| {
            let below = skeleton.subtree(foot).into_iter().skip(1);
            let furthest = below.max_by(|a, b| {
                let reach = |id: &JointId| (at(*id) - at(foot)).norm();
                reach(a).total_cmp(&reach(b))
            });
            furthest.map_or_else(Vector3::zeros, |toe| at(toe) - at(foot))
        };
        RawFrame {
            index,
            hips,
            across: [across, shoulders],
            spine,
            rotations: [joints.hips, joints.chest, feet[0], feet[1]].map(rotation),
            head: joints.head.map(rotation),
            ankles: [legs[0][2], legs[1][2]],
            reach: arms.map(|arms| {
                arms.each_ref().map(|arm| Arm { shoulder: arm[0], wrist: arm[2], length: length(arm) })
            }),
            lowest: skeleton.iter().map(|(joint, _)| at(joint).z).fold(f64::INFINITY, f64::min),
            toes: feet.map(toe),
            legs: legs.each_ref().map(directions),
            arms: arms.map(|arms| arms.each_ref().map(directions)),
            leg_length: (length(&legs[0]) + length(&legs[1])) / 2.0,
        }
    }

    /// Whether a foot is up while the trunk is not: a part of the body is lower by half a leg. An upright body may have
    /// it on a step.
    fn is_in_air(&self, foot: usize) -> bool {
        self.upright() < 1.0 && self.ankles[foot].z > self.lowest + 0.5 * self.leg_length
    }

    /// How far the trunk is upright, 0 to 1: it then shows which way up is.
    fn upright(&self) -> f64 {
        /// Cosines of the angles to the vertical up to which it is, and from which it is not: 45° and 70°.
        const UPRIGHT: f64 = 0.71;
        const TIPPED: f64 = 0.34;
        let rises = self.spine.try_normalize(1e-9).map_or(1.0, |spine| spine.z);
        ((rises - TIPPED) / (UPRIGHT - TIPPED)).clamp(0.0, 1.0)
    }
}

/// The height of the floor below who is on other parts than feet \[m\]: that below which 5 % of the frames have a joint.
fn lowest_floor(raw: &[RawFrame]) -> f64 {
    let mut lowest: Vec<f64> = raw.iter().map(|frame| frame.lowest).collect();
    lowest.sort_by(f64::total_cmp);
    lowest[(lowest.len() - 1) / 20]
}

/// The up axis of the pelvis, fixed to its joint: the mean of the world's where the trunk is `upright`, by a weight. Who
/// lies, bends down or stands on the hands all the time does not show what is up: the spine does.
fn pelvis_up(raw: &[RawFrame], upright: impl Fn(&RawFrame) -> f64) -> Vector3<f64> {
    let mean = |pick: &dyn Fn(&RawFrame) -> Vector3<f64>| {
        let sum: Vector3<f64> = raw.iter().map(|frame| frame.rotations[0].inverse() * pick(frame)).sum();
        sum.try_normalize(1e-9).unwrap_or_else(Vector3::zeros)
    };
    let most = raw.iter().map(&upright).fold(0.0, f64::max);
    let world = mean(&|frame| Vector3::z() * upright(frame));
    let spine = mean(&|frame| frame.spine.try_normalize(1e-9).unwrap_or_else(Vector3::zeros));
    world * most + spine * (1.0 - most)
}

/// Gives pelvis, torso and feet frames that are fixed to their joints. The lateral axis is the mean over the
/// clip; up is the world's for the pelvis where the trunk is upright and for feet in contact, the spine's for the
/// torso. Feet in contact are those that stand.
fn orient(
    raw: &[RawFrame],
    floor: f64,
    head: &UnitQuaternion<f64>,
    contacts: impl Fn(usize, &RawFrame) -> [bool; 2],
    is_down: impl Fn(&RawFrame) -> bool,
) -> Vec<SourceFrame> {
    let mean = |pick: &dyn Fn(&RawFrame) -> Vector3<f64>| raw.iter().map(pick).sum::<Vector3<f64>>();
    let local = |joint: usize, of: &dyn Fn(&RawFrame) -> Vector3<f64>| {
        mean(&|frame| frame.rotations[joint].inverse() * of(frame))
    };
    let upright = |frame: &RawFrame| if is_down(frame) { 0.0 } else { frame.upright() };
    let pelvis_up = pelvis_up(raw, upright);
    let pelvis = fixed_frame(&local(0, &|frame| frame.across[0]), &pelvis_up);
    let torso = fixed_frame(&local(1, &|frame| frame.across[1]), &local(1, &|frame| frame.spine));
    let feet = [0, 1].map(|foot| {
        let joint = 2 + foot;
        let stands = |frame: &RawFrame| contacts(foot, frame) == [true; 2];
        let any = raw.iter().any(stands);
        let up = local(joint, &|frame| match stands(frame) {
            false if any => Vector3::zeros(),
            // Where none stands, a foot is at right angles to its shank on the mean.
            false if upright(frame) < 1.0 => -frame.legs[foot][1],
            _ => Vector3::z(),
        });
        let toe = local(joint, &|frame| frame.toes[foot]);
        // What is below an ankle is no toe.
        let is_toe = up.cross(&toe).norm() > LEVEL_SHANK * up.norm() * toe.norm() && toe.norm() > 1e-6;
        let forward = if is_toe { toe } else { local(joint, &|frame| pelvis_forward(frame, &pelvis)) };
        fixed_frame(&up.cross(&forward), &up)
    });
    let frame_of = |frame: &RawFrame| SourceFrame {
        hips: frame.hips - Vector3::z() * floor,
        across: frame.across[0],
        pelvis: frame.rotations[0] * pelvis,
        torso: frame.rotations[1] * torso,
        feet: [0, 1].map(|foot| frame.rotations[2 + foot] * feet[foot]),
        head: frame.head.map(|turn| turn * head),
        legs: frame.legs,
        arms: frame.arms,
        contacts: [0, 1].map(|foot| contacts(foot, frame)),
        hands: [HandContact::default(); 2],
        is_down: is_down(frame),
    };
    raw.iter().map(frame_of).collect()
}

/// The frame of X forward, Y left, Z up that is fixed to the head. The rest pose shows it: the mean over a motion would
/// make a head that hangs all the time look ahead. Where a body stands at rest, the head faces as the body does. Some
/// files lay it along another axis and give the head the axes of the space, or others: which of them is seen on the mean.
fn head_frame(
    skeleton: &Skeleton,
    joints: &Joints,
    turn: &UnitQuaternion<f64>,
    raw: &[RawFrame],
) -> UnitQuaternion<f64> {
    /// Heads are not turned further than this on average \[rad\] …
    const FAR: f64 = 1.3;
    /// … and are known to be among quarter turns up to here.
    const NEAR: f64 = std::f64::consts::FRAC_PI_4;
    let mean = |of: &dyn Fn(&RawFrame) -> Vector3<f64>| -> Vector3<f64> {
        raw.iter().filter_map(|frame| Some(frame.head?.inverse() * of(frame))).sum()
    };
    let [across, up, spine] = [mean(&|frame| frame.across[1]), mean(&|_| Vector3::z()), mean(&|f| f.spine)];
    let on_chest = fixed_frame(&across, &spine);
    let off = |frame: &UnitQuaternion<f64>| frame.angle_to(&on_chest);
    let at_rest = joints.head.map_or_else(Vec::new, |head| rest_frames(skeleton, joints, turn, head));
    let nearest = at_rest.iter().min_by(|a, b| off(a).total_cmp(&off(b))).filter(|frame| off(frame) < FAR);
    let quarter = || {
        let body = at_rest.first()?;
        Some(body * nearest_quarter(&(body.inverse() * on_chest))).filter(|frame| off(frame) < NEAR)
    };
    nearest.copied().or_else(quarter).unwrap_or_else(|| fixed_frame(&across, &up))
}

/// Frames that a head may have at rest, fixed to it: that of the body, which is ahead of the hips along an axis; of a body
/// that does not stand at rest, that of the space too. None where the line of the hips is not across that axis.
fn rest_frames(
    skeleton: &Skeleton,
    joints: &Joints,
    turn: &UnitQuaternion<f64>,
    head: JointId,
) -> Vec<UnitQuaternion<f64>> {
    /// The greatest cosine of the angle between the line of the hips and that axis.
    const SKEW: f64 = 0.2;
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let at = |joint: JointId| turn * rest.joints[joint.index()].translation.vector;
    let [left, right] = joints.legs.map(|leg| at(leg[0]));
    let trunk = at(head) - (left + right) / 2.0;
    let up = nearest_axis(&trunk);
    let Some(across) = (left - right).try_normalize(1e-9) else { return Vec::new() };
    if trunk.norm() < 1e-9 || across.dot(&up).abs() > SKEW {
        return Vec::new();
    }
    let own = (turn * rest.joints[head.index()].rotation).inverse();
    let body = own * fixed_frame(&across, &up);
    let forward = turn * skeleton.space().forward.vector();
    let space = own * fixed_frame(&Vector3::z().cross(&forward), &Vector3::z());
    if up == Vector3::z() { vec![body] } else { vec![body, space] }
}

/// The rotation nearest to another among those that take axes to axes.
fn nearest_quarter(turn: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().flat_map(|axis| [axis, -axis]);
    let frame = |x: Vector3<f64>, y: Vector3<f64>| {
        let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
    };
    let of = |x: Vector3<f64>| axes.clone().filter(move |y| x.dot(y) == 0.0).map(move |y| frame(x, y));
    let all = axes.clone().flat_map(of);
    all.min_by(|a, b| a.angle_to(turn).total_cmp(&b.angle_to(turn))).expect("there are 24")
}

fn pelvis_forward(frame: &RawFrame, pelvis: &UnitQuaternion<f64>) -> Vector3<f64> {
    frame.rotations[0] * pelvis * Vector3::x()
}

/// The frame with Y along `left` and Z as near `up` as it can be.
fn fixed_frame(left: &Vector3<f64>, up: &Vector3<f64>) -> UnitQuaternion<f64> {
    let y = left.try_normalize(1e-9).unwrap_or_else(Vector3::y);
    let fallback = || y.cross(&Vector3::x()).try_normalize(1e-6).unwrap_or_else(Vector3::z);
    let z = (up - y * y.dot(up)).try_normalize(1e-9).unwrap_or_else(fallback);
    let matrix = Matrix3::from_columns(&[y.cross(&z), y, z]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}
