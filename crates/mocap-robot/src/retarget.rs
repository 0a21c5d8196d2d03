//! Retargets a captured motion to a robot.

use mocap_analysis::{
    BalanceCurves, BodyBalance, OverSoles, Polygon, Support, flights, horizontal_displacement, runs,
    vertical_displacement,
};
use mocap_model::{Clip, FrameRate, Isometry3, Robot, RobotMotion, RobotPose, Vector3};
use nalgebra::{Point3, Vector2};

use crate::RobotError;
use crate::anatomy::Anatomy;
use crate::anchors::{clearances, hold};
use crate::balance::{figures, track};
use crate::cost::{Costs, Goal, Weights};
use crate::first_fit::{FIRST_SWEEPS, first_fit};
use crate::free_fall::fall_freely;
use crate::highest::Highest;
use crate::kinematics::{Kinematics, follow_mimics};
use crate::landmarks::Humanoid;
use crate::limb::{Bends, Limb};
use crate::lowest::lowest;
use crate::measure::measure;
use crate::on_pelvis::OnPelvis;
use crate::planted::hold_still;
use crate::read_source::{ReadSource, read_source};
use crate::report::RobotReport;
use crate::resting::rests;
use crate::sole::foot_shapes;
use crate::solids::{Solids, check_shapes};
use crate::solve::{Smoothness, Sweeps, fit_frames, fit_motion, whole};
use crate::source::{Source, SourceFrame, Steps};
use crate::speed_limits::{exceed, highest_steps, hold as hold_speeds};

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

/// Strength of held contacts and of separation, and the number of sweeps over the motion.
struct Stage {
    pin: f64,
    apart: f64,
    sweeps: usize,
}

/// Contacts are first brought near: if they were held at once, distant poses would break.
const STAGES: [Stage; 2] =
    [Stage { pin: 20.0, apart: 20.0, sweeps: 4 }, Stage { pin: 200.0, apart: 60.0, sweeps: 6 }];

/// Weights before feet are held and parts are kept apart.
const WEIGHTS: Weights = Weights {
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

/// Number of times that a balanced motion is planned, and sweeps after each.
const BALANCE_ROUNDS: usize = 4;
const BALANCE_SWEEPS: usize = 2;
/// Distance from the edge of the soles at which the zero-moment point is planned \[m\]: the fitted motion is
/// not exact.
const INSIDE: f64 = 0.015;
/// The share of frames in which a plan has to stand better for a motion of the robot itself to be changed.
const BETTER: f64 = 0.02;
/// The share of a greatest step by which rounded numbers are beyond it.
const ROUNDING: f64 = 1e-3;
/// Sweeps that restore the positions of feet after joint speeds were limited.
const HELD_SWEEPS: usize = 6;

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
    let ReadSource { source, own, ratio, .. } = read_source(clip, metres, robot, &anatomy, options.fps)?;
    if options.balance && anatomy.masses.total() <= 0.0 {
        return Err(RobotError::NoMass);
    }
    let on_pelvis = OnPelvis::of(robot, &anatomy.humanoid)?;
    let own: Option<Vec<RobotPose>> = match &on_pelvis {
        Some(moved) => own.map(|poses| poses.iter().map(|pose| moved.moved(pose)).collect()),
        None => own,
    };
    let (mut kinematics, anatomy) = match &on_pelvis {
        Some(moved) => {
            let mut kinematics = Kinematics::new(&moved.robot);
            let anatomy = Anatomy::of(&mut kinematics, &options.bends)?;
            (kinematics, anatomy)
        }
        None => (kinematics, anatomy),
    };
    let (robot, humanoid) = (kinematics.robot, &anatomy.humanoid);
    let mut goals = goals(&source, humanoid, ratio);
    for (goal, pose) in goals.iter_mut().zip(own.iter().flatten()) {
        goal.values = Some(pose.values.clone());
    }
    let start = first_pose(&kinematics, &goals[0], &anatomy);
    let solids = solids_of(&mut kinematics, &anatomy);
    let apart = if options.separate { STAGES[0].apart } else { 0.0 };
    let costs = Costs { anatomy: &anatomy, solids: &solids, weights: Weights { apart, ..WEIGHTS } };
    let highest = options.highest(robot);
    let smoothness = smoothness(humanoid, &source.steps, &highest, options.fps);
    let is_own = own.is_some();
    let poses = own.unwrap_or_else(|| first_fit(&mut kinematics, &costs, &goals, &start, smoothness.joints));
    let mut fit = Fit { kinematics, costs, goals, poses, smoothness, fps: options.fps, is_own };
    fit.pin_feet(&source.frames);
    fit.keep_feet_down(options.separate);
    let (balances, not_balanced) = match options.balance {
        true => fit.balance(&rests(&source, robot, humanoid, &fit.poses)),
        false => (false, Vec::new()),
    };
    fit.limit_speeds(&highest_steps(robot, &highest.speeds, options.fps.frame_time()));
    let Fit { goals, mut poses, .. } = fit;
    raise(robot, humanoid, &mut poses, options.fps);
    let mut motion = RobotMotion { fps: options.fps, poses };
    if balances {
        fall_freely(robot, &anatomy, &mut motion);
    }
    let standing: Vec<bool> = source
        .frames
        .iter()
        .map(|frame| frame.contacts.iter().any(|contact| *contact != [false; 2]))
        .collect();
    let mut report = measure((robot, &solids), &anatomy, &motion, &goals, &standing, &highest, ratio);
    report.not_balanced = not_balanced;
    if let Some(moved) = &on_pelvis {
        motion.poses.iter_mut().for_each(|pose| moved.put_back(pose));
    }
    Ok((motion, report))
}

/// A motion that is fitted to a robot.
struct Fit<'r> {
    kinematics: Kinematics<'r>,
    costs: Costs<'r>,
    goals: Vec<Goal>,
    poses: Vec<RobotPose>,
    smoothness: Smoothness,
    fps: FrameRate,
    /// Whether the source is a motion of the robot itself, which needs no fit.
    is_own: bool,
}

impl Fit<'_> {
    fn sweep(&mut self, sweeps: Sweeps<'_>) {
        fit_motion(&mut self.kinematics, &self.costs, &self.goals, &mut self.poses, &self.smoothness, sweeps);
    }

    fn hold_still(&mut self) {
        hold_still(
            &mut self.kinematics,
            &self.costs,
            &self.goals,
            &mut self.poses,
            &self.smoothness,
            self.fps.fps(),
        );
    }

    /// Sets the goals of feet: pins in contact, and clearances between contacts.
    fn pin_feet(&mut self, frames: &[SourceFrame]) {
        let (robot, humanoid) = (self.kinematics.robot, &self.costs.anatomy.humanoid);
        let feet = [0, 1].map(|foot| {
            let of = |pose: &RobotPose| robot.place(&pose.base, &pose.values)[humanoid.soles[foot].body];
            self.poses.iter().map(of).collect::<Vec<_>>()
        });
        let stiff = [0, 1].map(|foot| !humanoid.has_ankle(foot));
        let pins = hold(frames, &feet, &humanoid.soles, stiff);
        for (goal, pins) in self.goals.iter_mut().zip(pins) {
            goal.pins = pins;
        }
        lift_swings(robot, humanoid, &self.poses, &clearances(frames, self.fps), &mut self.goals);
    }

    /// Fits the motion with feet that stay.
    fn keep_feet_down(&mut self, separate: bool) {
        let weights = self.costs.weights;
        for stage in STAGES {
            let apart = if separate { stage.apart } else { 0.0 };
            self.costs.weights =
                Weights { pin: stage.pin, apart, floor: 30.0, ground: 30.0, pin_turn: 1.0, ..weights };
            if !self.is_own {
                self.sweep(whole(stage.sweeps));
            }
        }
        if !self.is_own {
            self.hold_still();
        }
    }

    /// The balance of the present motion.
    fn track(&mut self) -> BodyBalance {
        let motion = RobotMotion { fps: self.fps, poses: std::mem::take(&mut self.poses) };
        let found = track(self.kinematics.robot, self.costs.anatomy, &motion);
        self.poses = motion.poses;
        found
    }

    /// The share of supported frames whose zero-moment point is within the soles; 0 where it is not known.
    fn share_within(&mut self) -> f64 {
        let found = self.track();
        let found = figures(&found, self.kinematics.robot, &self.costs.anatomy.masses);
        found.and_then(|found| found.within).unwrap_or(0.0)
    }

    /// Changes the motion so that the robot can stand it, but not in frames that `rest` on other parts than feet. A motion
    /// that its plan would make stand less stays as it is, and so does one of the robot itself that stands as well.
    /// Returns whether flights may become free falls, and what is not balanced.
    fn balance(&mut self, rest: &[bool]) -> (bool, Vec<String>) {
        let resting = rest.iter().filter(|rests| **rests).count();
        let mut left = Vec::new();
        if resting > 0 {
            left.push(format!("{resting} frames rest on other parts than feet"));
        }
        if resting == rest.len() {
            return (false, left);
        }
        let as_it_is = (self.poses.clone(), self.goals.clone(), self.costs.weights);
        let mut support = None;
        // The centre of mass must not pull parts into each other.
        let apart = 2.0 * self.costs.weights.apart;
        self.costs.weights = Weights { centre: 60.0, apart, ..self.costs.weights };
        for _ in 0..BALANCE_ROUNDS {
            let found = self.track();
            let support =
                support.get_or_insert_with(|| planned_support(&self.goals, &found.curves, self.fps, rest));
            aim(&mut self.goals, &found, support, self.fps, rest);
            self.sweep(whole(BALANCE_SWEEPS));
        }
        self.hold_still();
        let planned = self.share_within();
        let (before, goals, weights) = as_it_is;
        let plan = std::mem::replace(&mut self.poses, before);
        let present = self.share_within();
        let is_taken = if self.is_own { planned > present + BETTER } else { planned >= present };
        if is_taken {
            self.poses = plan;
            return (true, left);
        }
        // What follows must not go towards a plan that is not taken.
        (self.goals, self.costs.weights) = (goals, weights);
        if planned < present {
            let [planned, present] = [planned, present].map(|share| 100.0 * share);
            left.push(format!(
                "the zero-moment point is on the soles in {present:.1} % of frames; the plan would leave {planned:.1} %"
            ));
        }
        (self.is_own, left)
    }

    /// Keeps joints below their greatest steps from a frame to the next.
    fn limit_speeds(&mut self, steps: &[f64]) {
        if !exceed(&self.poses, steps) {
            return;
        }
        // Rounded numbers of a motion on the robot may be beyond a limit.
        let rounded: Vec<f64> = steps.iter().map(|step| step * (1.0 + ROUNDING)).collect();
        let is_rounded = self.is_own && !exceed(&self.poses, &rounded);
        hold_speeds(&mut self.poses, steps);
        let robot = self.kinematics.robot;
        self.poses.iter_mut().for_each(|pose| follow_mimics(robot, &mut pose.values));
        let sweeps = if is_rounded { 0 } else { HELD_SWEEPS };
        self.sweep(Sweeps { highest: Some(steps), ..whole(sweeps) });
    }
}

/// The collision shapes of a robot at rest. Parts that penetrate each other at rest, or in the reference stance
/// of people, do so by design.
fn solids_of(kinematics: &mut Kinematics, anatomy: &Anatomy) -> Solids {
    let robot = kinematics.robot;
    let mut solids = Solids::of(robot);
    solids.allow(&kinematics.placed);
    let reference = [Goal::reference(&anatomy.humanoid)];
    let first = first_pose(kinematics, &reference[0], anatomy);
    let costs = Costs { anatomy, solids: &solids, weights: WEIGHTS };
    let stands = fit_frames(kinematics, &costs, &reference, first, FIRST_SWEEPS, 0).remove(0);
    solids.allow(&robot.place(&stands.base, &stands.values));
    solids.allow_in_range(robot, &anatomy.rest.values);
    solids
}

/// The soles on the floor, and flights. In frames where no foot is held and the body does not fly, as when it
/// turns on a foot, the soles before and after are used; if there are none, the frame has neither. Nor have frames that
/// `rest` on other parts.
fn planned_support(goals: &[Goal], curves: &BalanceCurves, fps: FrameRate, rest: &[bool]) -> Support {
    let corners = |goal: &Goal| -> Vec<Vector2<f64>> {
        goal.pins.iter().flatten().flatten().map(|pin| pin.coords.xy()).collect()
    };
    let held: Vec<Vec<Vector2<f64>>> = goals.iter().map(corners).collect();
    let mut soles: Vec<Polygon> = held.iter().map(|held| Polygon::around(held)).collect();
    soles.iter_mut().zip(rest).filter(|(_, rests)| **rests).for_each(|(sole, _)| *sole = Polygon::default());
    let contact: Vec<bool> = held.iter().zip(rest).map(|(held, rests)| !held.is_empty() || *rests).collect();
    let flights = flights(&contact, &curves.acceleration, fps.fps());
    let free: Vec<bool> = contact.iter().map(|contact| !contact).collect();
    for run in runs(&free) {
        let flight = flights.iter().find(|flight| run.contains(&flight.start)).cloned();
        let [before, behind] = [run.start.checked_sub(1), Some(run.end).filter(|end| *end < held.len())]
            .map(|end| end.map_or(&[][..], |end| &held[end]));
        for frame in run {
            // Take-off and landing are on one foot.
            soles[frame] = match &flight {
                Some(flight) if flight.contains(&frame) => continue,
                Some(flight) if frame < flight.start => Polygon::around(before),
                Some(_) => Polygon::around(behind),
                None => Polygon::around(&[before, behind].concat()),
            };
        }
    }
    Support { soles, over: OverSoles::ZeroMoment, inside: INSIDE, flights }
}

/// Sets the goals of the centre of mass for a balanced motion. Horizontally the planned way is added to the unfiltered
/// centre of mass, because the plan filters their sum. The height is added to the filtered centre of mass, which is
/// also used to detect flights.
fn aim(goals: &mut [Goal], found: &BodyBalance, support: &Support, fps: FrameRate, rest: &[bool]) {
    let BodyBalance { curves, centre, .. } = found;
    let aside = horizontal_displacement(curves, centre, support, fps.fps());
    let higher = vertical_displacement(&curves.centre, &support.flights, fps.fps());
    for (frame, goal) in goals.iter_mut().enumerate().filter(|(frame, _)| !rest[*frame]) {
        let at = centre[frame].xy() + aside[frame];
        goal.centre = Some(Point3::new(at.x, at.y, curves.centre[frame].z + higher[frame]));
        if support.soles[frame].is_empty() {
            let lifts = goal.lift.iter_mut().flatten().flatten();
            lifts.for_each(|height| *height += higher[frame].max(0.0));
        }
    }
}

/// Weights of smoothness: accelerations are per second, so the frame rate does not matter.
fn smoothness(humanoid: &Humanoid, steps: &Steps, highest: &Highest, fps: FrameRate) -> Smoothness {
    let rate = (fps.fps() / 30.0).powi(2);
    let strongest =
        |limit: &Option<f64>| limit.map_or(f64::INFINITY, |limit| limit * fps.frame_time().powi(2));
    Smoothness {
        joints: 0.8 * rate,
        base: 3.0 * rate,
        fastest: fastest(humanoid, steps, &highest.speeds, fps),
        strongest: highest.accelerations.iter().map(strongest).collect(),
    }
}

/// Greatest step of each joint per frame: that of its speed limit, and slightly more than the source rotates
/// per frame. Otherwise hinges would turn over when a limb passes their axis.
fn fastest(humanoid: &Humanoid, steps: &Steps, velocities: &[Option<f64>], fps: FrameRate) -> Vec<f64> {
    /// How much more than the source's joint a hinge may rotate per frame \[rad\].
    const MORE: f64 = 0.1;
    let has = |limbs: &[Limb], joint: usize| limbs.iter().any(|limb| limb.joints.contains(&joint));
    let of = |(joint, velocity): (usize, &Option<f64>)| {
        let step = match &humanoid.arms {
            _ if has(&humanoid.legs, joint) => steps.legs,
            Some(arms) if has(arms, joint) => steps.arms,
            _ => steps.all,
        };
        velocity.map_or(f64::INFINITY, |velocity| velocity * fps.frame_time()).min(step + MORE)
    };
    velocities.iter().enumerate().map(of).collect()
}

/// Raises the base while a part penetrates the floor; the correction fades over the frames around it.
fn raise(robot: &Robot, humanoid: &Humanoid, poses: &mut [RobotPose], fps: FrameRate) {
    /// The fade time of a correction \[s\].
    const FADE: f64 = 1.0 / 6.0;
    let fade = (FADE * fps.fps()).round().max(1.0) as usize;
    let mut placed = Vec::new();
    let mut depths = Vec::with_capacity(poses.len());
    for pose in poses.iter() {
        robot.place_into(&pose.base, &pose.values, &mut placed);
        depths.push(-lowest(robot, humanoid, &placed).min(0.0));
    }
    for (frame, pose) in poses.iter_mut().enumerate() {
        let around = frame.saturating_sub(fade)..(frame + fade + 1).min(depths.len());
        let fading = |other: usize| {
            let away = frame.abs_diff(other) as f64 / (fade + 1) as f64;
            depths[other] * 0.5 * (1.0 + (std::f64::consts::PI * away).cos())
        };
        pose.base.translation.vector.z += around.map(fading).fold(0.0, f64::max);
    }
}

/// The goals of each frame from the source.
fn goals(source: &Source, humanoid: &Humanoid, ratio: f64) -> Vec<Goal> {
    let ankle = (humanoid.soles[0].ankle_height + humanoid.soles[1].ankle_height) / 2.0;
    let start = source.frames[0].hips;
    let of = |frame: &SourceFrame| {
        let moved = (frame.hips - start) * ratio;
        let height = ankle + ratio * (frame.hips.z - source.ankle_height);
        Goal {
            hips: Point3::new(start.x * ratio + moved.x, start.y * ratio + moved.y, height),
            across: frame.across,
            pelvis: frame.pelvis,
            torso: frame.torso,
            feet: frame.feet,
            head: frame.head,
            legs: frame.legs,
            arms: frame.arms,
            pins: [[None; 4]; 2],
            lift: [None; 2],
            clear: [0.0; 2],
            centre: None,
            values: None,
        }
    };
    source.frames.iter().map(of).collect()
}

/// The robot at rest, turned and moved to the pelvis of the first goal.
fn first_pose(kinematics: &Kinematics, goal: &Goal, anatomy: &Anatomy) -> RobotPose {
    let Anatomy { humanoid, rest, .. } = anatomy;
    let rotation = goal.pelvis;
    let hips =
        humanoid.legs.iter().map(|leg| leg.base.at(&kinematics.placed).coords).sum::<Vector3<f64>>() / 2.0;
    let translation = goal.hips.coords - rotation * hips;
    let base = Isometry3::from_parts(translation.into(), rotation * humanoid.upright);
    RobotPose { base, values: rest.values.clone() }
}

/// Lifts soles that swing too low.
fn lift_swings(
    robot: &Robot,
    humanoid: &Humanoid,
    poses: &[RobotPose],
    clearances: &[[f64; 2]],
    goals: &mut [Goal],
) {
    let mut placed = Vec::new();
    for ((pose, clearances), goal) in poses.iter().zip(clearances).zip(goals) {
        robot.place_into(&pose.base, &pose.values, &mut placed);
        for (foot, sole) in humanoid.soles.iter().enumerate() {
            let heights = sole.heights(&placed);
            // The end of a round foot that points down is lower than the corners of its sole.
            let ends =
                foot_shapes(robot, sole.body).map(|shape| shape.lowest(&placed[shape.body], &Vector3::z()));
            let lowest = ends.chain(heights).fold(f64::INFINITY, f64::min);
            goal.lift[foot] = lifted(heights, lowest, clearances[foot]);
            goal.clear[foot] = clearances[foot];
        }
    }
}

/// Heights of the corners of a sole that is lifted until its `lowest` point clears the floor; `None` if it does
/// already.
fn lifted(heights: [f64; 4], lowest: f64, clearance: f64) -> Option<[f64; 4]> {
    (lowest < clearance).then(|| heights.map(|height| height + clearance - lowest))
}
