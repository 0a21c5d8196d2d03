//! The target of a retarget: a skeleton or robot, with facts from its own motion.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use mocap_analysis::Verdict;
use mocap_formats::{Document, Finding, Format, Parsed, ReadError, Remedy};
use mocap_model::{Clip, FrameRate, Pose, Robot, RobotJoint, Role, Skeleton};
use mocap_retarget::{
    RestChoice, RestPoseError, RetargetOptions, RoleMap, TargetSurface, map_roles, map_roles_in, rest_pose_of,
};
use mocap_robot::{Bends, RobotMap, RobotOptions, RobotReport, own_roles};

use crate::clip_of_file::split_clip;
use crate::read::finish;
use crate::unit::{any_for_report, in_space};
use crate::up::with_roles_of_robot;
use crate::{
    Error, Mapping, ReadOptions, SurfaceChoice, TargetReport, clip_for_report, for_report, known_unit, open,
    verdicts,
};

/// The target of a retarget: a skeleton or robot.
#[derive(Clone, Debug)]
pub struct Target {
    /// The skeleton; for robots it holds [`Skeleton::robot`].
    pub skeleton: Arc<Skeleton>,
    /// The roles of its joints: by names, shape and its own motion.
    pub roles: RoleMap,
    /// Its reference pose, found from its own motion; `None`: the rest pose of the skeleton.
    pub rest: Option<Pose>,
    /// Whether the user chose the reference pose; it then also applies to source motions of the same skeleton.
    pub rest_is_chosen: bool,
    /// Verdicts on its own motion.
    pub verdicts: Vec<Verdict>,
    /// The file, where it may hold more than a skeleton and its motion, such as a mesh.
    pub document: Option<Arc<dyn Document>>,
    /// Its surface, which arms are kept out of: see [`Target::with_surface`].
    pub surface: Option<TargetSurface>,
}

/// Reference pose, lead-in and surface of a source.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// Its reference pose, where the user names one.
    pub rest: Option<Pose>,
    /// Frames at its start that are a rest pose, not motion.
    pub lead_in: usize,
    /// Its surface, bound to its skeleton: contacts of its arms with it are kept on the target.
    pub surface: Option<TargetSurface>,
}

/// Options of a retarget.
#[derive(Clone, Debug, Default)]
pub struct TargetOptions {
    /// For bodies. Rest poses, lead-in and roles are taken from source, target and map instead.
    pub body: RetargetOptions,
    /// For robots.
    pub robot: RobotOptions,
}

impl Target {
    /// A skeleton without a motion: its reference pose is made from the rest pose.
    ///
    /// ```
    /// let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
    /// assert!(mocap::Target::new(robin).rest.is_none());
    /// # Ok::<(), mocap::Error>(())
    /// ```
    pub fn new(skeleton: impl Into<Arc<Skeleton>>) -> Target {
        let skeleton = skeleton.into();
        let roles = map_roles(&skeleton);
        Target {
            roles,
            skeleton,
            rest: None,
            rest_is_chosen: false,
            verdicts: Vec::new(),
            document: None,
            surface: None,
        }
    }

    /// A target from a clip: its reference pose is found from the motion, or is that of `frame`.
    ///
    /// # Errors
    /// Where the frame does not exist.
    pub fn of_clip(clip: &Clip, first_is_rest: bool, frame: Option<usize>) -> Result<Target, RestPoseError> {
        let choice = frame.map_or(RestChoice::Auto, RestChoice::Frame);
        let (_, rest) = rest_pose_of(clip, choice, first_is_rest)?;
        Ok(Target {
            skeleton: clip.skeleton().clone(),
            roles: map_roles_in(clip),
            rest,
            rest_is_chosen: frame.is_some(),
            verdicts: verdicts(clip),
            document: None,
            surface: None,
        })
    }

    /// The robot, where it is one.
    pub fn robot(&self) -> Option<&Arc<Robot>> {
        self.skeleton.robot()
    }
}

/// Reads the skeleton of a file of any format as a target; if the file has a motion, the reference
/// pose is found from it.
///
/// ```
/// let alex = mocap::read_target("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// assert!(alex.roles.missing().is_empty());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`read_skeleton`](crate::read_skeleton).
pub fn read_target(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed<Target>, Error> {
    let path = path.as_ref();
    let clip = split_clip(path).1.or_else(|| options.clip.clone());
    let options = &ReadOptions { clip, ..options.clone() };
    let Parsed { value: file, warnings } = open(path, options)?;
    if !file.format().has_motion() {
        let header = finish(path, options, warnings, file.header(options))?;
        return Ok(Parsed { value: Target::new(header.value.skeleton), warnings: header.warnings });
    }
    let lenient = ReadOptions { strict: false, ..options.clone() };
    let Parsed { value: clip, mut warnings } = finish(path, &lenient, warnings, file.to_clip(&lenient))?;
    let first_is_rest = settle_target_warnings(&mut warnings, |warning| (warning.code(), warning.remedy()));
    let target = Target::of_clip(&clip, first_is_rest, None).expect("no frame is named");
    let keeps = file.format().exchange().is_some_and(Format::holds_several_clips);
    let document = file.into_document().filter(|_| keeps).map(Arc::from);
    let value = Target { document, ..target };
    let meaning = value.with_surface(&SurfaceChoice::Auto, &lenient.limits).map_err(ReadError::from);
    finish(path, options, warnings, meaning)
}

/// Removes warnings that are irrelevant for a target, whose motion is only used to find its reference pose.
/// Returns whether its first frame is a rest pose.
pub fn settle_target_warnings<W>(
    warnings: &mut Vec<W>,
    of: impl Fn(&W) -> (&'static str, Option<Remedy>),
) -> bool {
    let mut first_is_rest = false;
    warnings.retain(|warning| {
        let (code, remedy) = of(warning);
        let rest = remedy == Some(Remedy::DropFirstFrame);
        first_is_rest |= rest;
        !rest && !["clip::first-of-several", "gltf::no-animation", "fbx::no-animation"].contains(&code)
    });
    first_is_rest
}

/// Puts a motion on a target, as `mocap retarget` does. Assumptions are added to `warnings`; those of the method are in
/// the report. A motion that is given away and not shared is put on a body in its own memory.
///
/// ```
/// use mocap::{Opening, Target};
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let robin = mocap::read_target("../../fixtures/clips/robin.skel", &Default::default())?.value;
/// let (mut warnings, opening) = (Vec::new(), Opening::default());
/// let done = mocap::put_on_target(&walk, &opening, &robin, None, &Default::default(), &mut warnings)?;
/// assert_eq!(done.0.frames(), walk.frames());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the joints of one have no counterparts in the other, or the robot is not a humanoid.
pub fn put_on_target<'c>(
    clip: impl Into<Cow<'c, Clip>>,
    opening: &Opening,
    target: &Target,
    mapping: Option<&Mapping>,
    options: &TargetOptions,
    warnings: &mut Vec<Finding>,
) -> Result<(Clip, TargetReport), Error> {
    let clip = clip.into();
    let names = crate::several_subjects(clip.skeleton());
    if !names.is_empty() {
        warnings.push(Finding::new(crate::Problem::SeveralSubjects { names }));
    }
    let names = crate::several_subjects(&target.skeleton);
    if !names.is_empty() {
        warnings.push(Finding::new(crate::Problem::SeveralTargets { names }));
    }
    if let Some(robot) = target.robot() {
        let source = clip_for_report(&clip, warnings);
        let bends = mapping.map(|mapping| bends(mapping.target_roles(), robot)).unwrap_or_default();
        let roles = || map_roles_in(&clip);
        let (source, metres) = robot_source(&source, (robot, &bends), mapping, roles)?;
        if mocap_robot::Humanoid::find_bending(robot, &bends)?.facing_is_assumed {
            warnings.push(Finding::new(crate::Problem::RobotFacingAssumed));
        }
        let options = RobotOptions { bends, ..options.robot.clone() };
        let (clip, report) = put_on_robot((source, metres), opening.lead_in, robot, &options)?;
        warnings.extend(report.off_hinge.clone().map(|off| Finding::new(crate::Problem::OffHinge { off })));
        let off_floor = report.hands.iter().filter(|hand| hand.off_frames > 0);
        warnings
            .extend(off_floor.map(|hand| Finding::new(crate::Problem::RobotHandOffFloor { hand: *hand })));
        return Ok((clip, TargetReport::Robot(Box::new(report))));
    }
    let body = for_report(&target.skeleton, &mut Vec::new());
    let (mapping, options) = on_body(&clip, opening, target, mapping, options);
    let source = any_for_report(clip, warnings);
    let (motion, report) = mapping.retarget(source, &body, &options)?;
    // A unit that was only assumed for the report is not stated in the result.
    Ok((in_space(motion, *target.skeleton.space()), TargetReport::Body(Box::new(report))))
}

/// The report of a motion from [`put_on_target`] after it was edited; `None` for robots and for
/// joint pairs without a body.
///
/// # Errors
/// Those of [`put_on_target`].
pub fn measure_on_target(
    (clip, motion): (&Clip, &Clip),
    opening: &Opening,
    target: &Target,
    mapping: Option<&Mapping>,
    options: &TargetOptions,
) -> Result<Option<TargetReport>, Error> {
    if target.robot().is_some() {
        return Ok(None);
    }
    let source = clip_for_report(clip, &mut Vec::new());
    let body = for_report(&target.skeleton, &mut Vec::new());
    let motion = in_space(motion.clone(), *body.space());
    let (mapping, options) = on_body(clip, opening, target, mapping, options);
    let report = mapping.measure(&source, (&body, &motion), &options)?;
    Ok(report.map(|report| TargetReport::Body(Box::new(report))))
}

/// The map and the options for a body.
fn on_body(
    clip: &Clip,
    opening: &Opening,
    target: &Target,
    mapping: Option<&Mapping>,
    options: &TargetOptions,
) -> (Mapping, RetargetOptions) {
    let found = || Mapping::found(map_roles_in(clip), target.roles.clone());
    let mapping = mapping.map_or_else(found, Mapping::clone);
    // One skeleton must have one rest pose: estimates from two of its motions would differ.
    let same = !target.rest_is_chosen && clip.skeleton().joints() == target.skeleton.joints();
    let target_rest = if same { opening.rest.clone() } else { target.rest.clone() };
    let surface = options.body.surface.clone().or_else(|| target.surface.clone());
    let options = RetargetOptions {
        source_rest: opening.rest.clone(),
        target_rest,
        lead_in: opening.lead_in,
        surface,
        source_surface: options.body.source_surface.clone().or_else(|| opening.surface.clone()),
        ..options.body.clone()
    };
    (mapping, options)
}

/// The knees and elbows of a robot that a map names.
fn bends(roles: &RoleMap, robot: &Robot) -> Bends {
    let joints = robot.skeleton_joints();
    let hinge = |role: Role| joints.iter().position(|joint| Some(*joint) == roles.joint(role));
    let both = |left: Role, right: Role| Some([hinge(left)?, hinge(right)?]);
    Bends {
        knees: both(Role::LeftLowerLeg, Role::RightLowerLeg),
        elbows: both(Role::LeftLowerArm, Role::RightLowerArm),
    }
}

/// A clip with the roles that retargeting to a robot needs, and the length of its unit in metres. A motion of the robot
/// itself has the robot's roles, whatever names and motion show; a map that states its legs wins.
///
/// # Errors
/// Where the robot is not a humanoid, or the clip could not even be retargeted to itself.
fn robot_source(
    clip: &Clip,
    (robot, bends): (&Robot, &Bends),
    mapping: Option<&Mapping>,
    found: impl FnOnce() -> RoleMap,
) -> Result<(Clip, f64), Error> {
    let skeleton = clip.skeleton();
    let metres = |skeleton: &Skeleton| known_unit(skeleton).map_or(1.0, |unit| unit.metres);
    let stated = mapping.map(Mapping::source_roles).filter(|roles| roles.missing().is_empty());
    let roles = match stated {
        Some(stated) => stated.clone(),
        None => match own_roles(skeleton, metres(skeleton), robot, bends)? {
            Some(own) => RoleMap::given(own.into_iter().map(|(joint, role)| (role, joint))),
            None => mapping.map_or_else(found, |mapping| mapping.source_roles().clone()),
        },
    };
    let to_itself = Mapping::found(roles.clone(), roles.clone());
    if let Some(error) = to_itself.explain(skeleton, skeleton, None).error {
        return Err(error.into());
    }
    let skeleton = roles.certain().apply(skeleton);
    let metres = metres(&skeleton);
    Ok((clip.clone().with_skeleton(skeleton.into()).expect("it has as many joints as before"), metres))
}

/// Retargets to a robot. A rest pose before the motion is left out.
fn put_on_robot(
    (source, metres): (Clip, f64),
    lead_in: usize,
    robot: &Arc<Robot>,
    options: &RobotOptions,
) -> Result<(Clip, RobotReport), Error> {
    let source = match lead_in < source.frames() {
        true => source.trimmed(lead_in..source.frames()).expect("frames are left"),
        false => source,
    };
    let (motion, report) = mocap_robot::retarget(&source, metres, robot, options)?;
    Ok((with_roles_of_robot(motion.to_clip(robot)?, &options.bends), report))
}

/// Which joints of a source drive which joints of a robot in [`put_on_target`] at `fps`; `None` where the
/// target is not a robot. A clip without frames, as of a skeleton, counts as one at rest.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let robot = mocap::read_target("../../fixtures/robots/pip.xml", &Default::default())?.value;
/// let map = mocap::robot_map(&walk, &robot, None, walk.rate())?.expect("it is a robot");
/// let thigh = map.parts.iter().find(|row| row.part == "left thigh").expect("it is driven");
/// assert_eq!((thigh.source.as_str(), thigh.robot.len()), ("LeftUpLeg", 3));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the source lacks legs, or the robot is not a humanoid.
pub fn robot_map(
    source: &Clip,
    target: &Target,
    mapping: Option<&Mapping>,
    fps: FrameRate,
) -> Result<Option<RobotMap>, Error> {
    let Some(robot) = target.robot() else { return Ok(None) };
    let bends = mapping.map(|mapping| bends(mapping.target_roles(), robot)).unwrap_or_default();
    let source = clip_for_report(source, &mut Vec::new()).into_owned();
    let source = match source.frames() {
        0 => Clip::new(source.skeleton().clone(), source.rate(), 1, source.tracks().to_vec())?,
        _ => source,
    };
    let (source, metres) = robot_source(&source, (robot, &bends), mapping, || map_roles_in(&source))?;
    Ok(Some(RobotMap::of(&source, metres, robot, &bends, fps)?))
}

/// The speeds of a robot's joints in another model of it [rad/s or m/s], by joint; `None` if not stated.
///
/// ```
/// # use mocap::Error;
/// let robot = mocap::read_skeleton("../../fixtures/robots/pip.urdf")?.value;
/// let robot = robot.robot().expect("the file is a robot");
/// assert_eq!(mocap::speeds_in(robot, robot).len(), robot.joints().len());
/// # Ok::<(), Error>(())
/// ```
pub fn speeds_in(robot: &Robot, other: &Robot) -> Vec<Option<f64>> {
    limits_in(robot, other, |joint| joint.velocity)
}

/// As [`speeds_in`], the accelerations [rad/s² or m/s²].
pub fn accelerations_in(robot: &Robot, other: &Robot) -> Vec<Option<f64>> {
    limits_in(robot, other, |joint| joint.acceleration)
}

fn limits_in(robot: &Robot, other: &Robot, of: fn(&RobotJoint) -> Option<f64>) -> Vec<Option<f64>> {
    let named = |joint: &RobotJoint| of(&other.joints()[other.find_joint(&joint.name)?]);
    robot.joints().iter().map(named).collect()
}
