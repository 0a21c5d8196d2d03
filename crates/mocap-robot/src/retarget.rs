//! Retargets a captured motion to a robot.

use mocap_model::{Clip, FrameRate, Robot, RobotMotion, RobotPose};

use crate::RobotError;
use crate::anatomy::Anatomy;
use crate::by_design::{kept_apart, measured};
use crate::cost::{Costs, WEIGHTS, Weights};
use crate::first_fit::{first_fit, first_start};
use crate::fit::{Fit, STAGES};
use crate::free_fall::fall_freely;
use crate::goals::goals;
use crate::highest::Highest;
use crate::kinematics::Kinematics;
use crate::limb::Bends;
use crate::measure::measure;
use crate::on_pelvis::OnPelvis;
use crate::raise::{lower, raise};
use crate::read_source::{ReadSource, read_source};
use crate::reference_size::ReferenceSize;
use crate::report::RobotReport;
use crate::resting::rests;
use crate::smoothness::{MORE, smoothness};
use crate::solids::check_shapes;
use crate::source::Source;
use crate::speed_limits::highest_steps;

/// How a motion is put on a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct RobotOptions {
    /// Frames per second of the result. Default 30.
    pub fps: FrameRate,
    /// Whether capsules are kept out of each other and above the floor. Default on.
    pub separate: bool,
    /// Highest speeds by joint [rad/s or m/s] where the robot states none. Default: none.
    pub velocities: Vec<Option<f64>>,
    /// Highest accelerations by joint [rad/s² or m/s²] where the robot states none. Default: none.
    pub accelerations: Vec<Option<f64>>,
    /// Whether the motion is changed so that the robot can stand it. Default off.
    pub balance: bool,
    /// The joints that bend left knee, right knee, left elbow and right elbow. Default: by names and shape.
    pub bends: Bends,
}

impl Default for RobotOptions {
    fn default() -> RobotOptions {
        let fps = FrameRate::new(30.0).expect("30 is a rate");
        RobotOptions {
            fps,
            separate: true,
            velocities: Vec::new(),
            accelerations: Vec::new(),
            balance: false,
            bends: Bends::default(),
        }
    }
}

impl RobotOptions {
    /// The highest speed and acceleration of every joint: the robot's, else the given one.
    fn highest(&self, robot: &Robot) -> Highest {
        let given = |list: &[Option<f64>], joint: usize| list.get(joint).copied().flatten();
        let joints = || robot.joints().iter().enumerate();
        Highest {
            speeds: joints()
                .map(|(index, joint)| joint.velocity.or_else(|| given(&self.velocities, index)))
                .collect(),
            accelerations: joints()
                .map(|(index, joint)| joint.acceleration.or_else(|| given(&self.accelerations, index)))
                .collect(),
        }
    }
}

/// Puts a clip with roles on a robot; `metres` is the length of the clip's unit.
///
/// Limbs of the robot point where those of the clip do; the path of the hips is scaled by the ratio of leg lengths;
/// feet in contact stay. Joint limits hold exactly.
///
/// # Errors
/// If the robot is not a humanoid, the clip lacks the roles of legs, or has no frames.
pub fn retarget(
    clip: &Clip,
    metres: f64,
    robot: &Robot,
    options: &RobotOptions,
) -> Result<(RobotMotion, RobotReport), RobotError> {
    check_shapes(robot)?;
    let mut kinematics = Kinematics::new(robot);
    let anatomy = Anatomy::of(&mut kinematics, &options.bends)?;
    let ReadSource { source, own, off_hinge, ratio, .. } =
        read_source(clip, metres, robot, &anatomy, options.fps)?;
    if options.balance && anatomy.masses.total() <= 0.0 {
        return Err(RobotError::NoMass);
    }
    let on_pelvis = OnPelvis::of(robot, &anatomy.humanoid)?;
    let own: Option<Vec<RobotPose>> = match &on_pelvis {
        Some(moved) => own.map(|poses| poses.iter().map(|pose| moved.moved(pose)).collect()),
        None => own,
    };
    let (robot, anatomy) = match &on_pelvis {
        Some(moved) => (&moved.robot, Anatomy::of(&mut Kinematics::new(&moved.robot), &options.bends)?),
        None => (robot, anatomy),
    };
    let (mut motion, mut report) = on_robot((robot, &anatomy), &source, own, ratio, options)?;
    report.off_hinge = off_hinge;
    if let Some(moved) = &on_pelvis {
        motion.poses.iter_mut().for_each(|pose| moved.put_back(pose));
    }
    Ok((motion, report))
}

/// Puts a motion on a robot based on its pelvis; `own` are its poses, if it is one of the robot.
fn on_robot(
    (robot, anatomy): (&Robot, &Anatomy),
    source: &Source,
    own: Option<Vec<RobotPose>>,
    ratio: f64,
    options: &RobotOptions,
) -> Result<(RobotMotion, RobotReport), RobotError> {
    let fps = options.fps;
    let highest = options.highest(robot);
    let reference = ReferenceSize::of(robot, &anatomy.humanoid)?;
    let own: Option<Vec<RobotPose>> =
        own.map(|poses| poses.iter().map(|pose| reference.taken_to(pose)).collect());
    let mut kinematics = Kinematics::new(&reference.robot);
    let fitted = Anatomy::of(&mut kinematics, &options.bends)?;
    let limits = reference.limits(&highest);
    let mut goals = goals(source, &fitted.humanoid, fitted.humanoid.leg_length() / source.leg_length);
    for (goal, pose) in goals.iter_mut().zip(own.iter().flatten()) {
        goal.values = Some(pose.values.clone());
    }
    let (solids, stance) = kept_apart(&mut kinematics, &fitted);
    let apart = if options.separate { STAGES[0].apart } else { 0.0 };
    let foot = if source.has_feet { WEIGHTS.foot } else { 0.0 };
    let costs = Costs { anatomy: &fitted, solids: &solids, weights: Weights { apart, foot, ..WEIGHTS } };
    let smoothness = smoothness(&fitted.humanoid, &source.steps, &limits, fps);
    let is_own = own.is_some();
    let poses = own.unwrap_or_else(|| {
        let start = first_start(&mut kinematics, &costs, &goals[0], &stance);
        first_fit(&mut kinematics, &costs, &goals, &start, smoothness.joints)
    });
    let itself = (robot, anatomy);
    let mut fit =
        Fit { kinematics, costs, goals, poses, smoothness, fps, is_own, itself, reference: &reference };
    fit.pin_feet(source);
    fit.keep_feet_down(options.separate);
    let (balances, not_balanced) = match options.balance {
        true => fit.balance(&rests(source, &reference.robot, &fitted.humanoid, &fit.poses)),
        false => (false, Vec::new()),
    };
    // A joint that a limb passes at its axis or its end would turn over faster than anything in the source.
    let turn = if is_own { f64::INFINITY } else { source.steps.all + MORE };
    fit.limit_speeds(&highest_steps(&reference.robot, &limits.speeds, fps.frame_time(), turn));
    let Fit { mut goals, poses, .. } = fit;
    let mut poses: Vec<RobotPose> = poses.iter().map(|pose| reference.put_back(pose)).collect();
    raise(robot, &anatomy.humanoid, &mut poses, fps);
    if !is_own {
        lower(robot, &anatomy.humanoid, &mut poses, &source.frames, fps);
    }
    let mut motion = RobotMotion { fps, poses };
    if balances {
        fall_freely(robot, anatomy, &mut motion);
    }
    goals.iter_mut().for_each(|goal| goal.hips /= reference.factor);
    let solids = measured(robot, anatomy, &reference.put_back(&stance));
    let mut report = measure((robot, &solids), anatomy, &motion, &goals, &source.frames, &highest, ratio);
    report.not_balanced = not_balanced;
    Ok((motion, report))
}
