//! The fit of a motion: feet that stay, parts that keep apart, balance and highest speeds.

use mocap_analysis::BodyBalance;
use mocap_model::{FrameRate, Robot, RobotMotion, RobotPose};

use crate::anatomy::Anatomy;
use crate::anchors::{clearances, hold};
use crate::balance::{Balance, figures, track};
use crate::cost::{Costs, Goal, Weights};
use crate::goals::lift_swings;
use crate::hand_pins::hand_pins;
use crate::kinematics::{Kinematics, follow_mimics};
use crate::plan::{aim, planned_support};
use crate::planted::{AROUND, hold_still};
use crate::reference_size::ReferenceSize;
use crate::solve::{Smoothness, Sweeps, fit_motion, whole};
use crate::source::Source;
use crate::speed_limits::{exceed, hold as hold_speeds};

/// Strength of held contacts and of separation, and the number of sweeps over the motion.
pub(crate) struct Stage {
    pin: f64,
    pub(crate) apart: f64,
    sweeps: usize,
}

/// Contacts are first brought near: if they were held at once, distant poses would break.
pub(crate) const STAGES: [Stage; 2] =
    [Stage { pin: 20.0, apart: 20.0, sweeps: 4 }, Stage { pin: 200.0, apart: 60.0, sweeps: 6 }];

/// Number of times that a balanced motion is planned, and sweeps after each.
const BALANCE_ROUNDS: usize = 4;
const BALANCE_SWEEPS: usize = 2;
/// It is planned once more where fewer supported frames than this share have the zero-moment point within the soles.
const ENOUGH: f64 = 0.95;
/// The share of frames in which a plan has to stand better for a motion of the robot itself to be changed.
const BETTER: f64 = 0.02;
/// The share of a greatest step by which rounded numbers are beyond it.
const ROUNDING: f64 = 1e-3;
/// Sweeps that restore the positions of feet after joint speeds were limited.
const HELD_SWEEPS: usize = 6;

/// A motion that is fitted to a robot.
pub(crate) struct Fit<'r> {
    pub(crate) kinematics: Kinematics<'r>,
    pub(crate) costs: Costs<'r>,
    pub(crate) goals: Vec<Goal>,
    pub(crate) poses: Vec<RobotPose>,
    pub(crate) smoothness: Smoothness,
    pub(crate) fps: FrameRate,
    /// Whether the source is a motion of the robot itself, which needs no fit.
    pub(crate) is_own: bool,
    /// The robot itself: what is physical is judged on it.
    pub(crate) itself: (&'r Robot, &'r Anatomy),
    pub(crate) reference: &'r ReferenceSize,
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

    /// Sets the goals of feet and hands: pins in contact, and clearances between contacts, if those are known.
    pub(crate) fn pin_feet(&mut self, source: &Source) {
        let frames = &source.frames;
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
        let hands = hand_pins(frames, (robot, self.costs.anatomy), &self.poses);
        for (goal, hands) in self.goals.iter_mut().zip(hands) {
            goal.hands = hands;
        }
        if !source.has_feet {
            return;
        }
        lift_swings(robot, humanoid, &self.poses, &clearances(frames, self.fps), &mut self.goals);
    }

    /// Fits the motion with feet that stay.
    pub(crate) fn keep_feet_down(&mut self, separate: bool) {
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

    /// The balance of the present motion, on the robot itself.
    fn track(&self) -> BodyBalance {
        let poses = self.poses.iter().map(|pose| self.reference.put_back(pose)).collect();
        track(self.itself.0, self.itself.1, &RobotMotion { fps: self.fps, poses })
    }

    /// The share of supported frames whose zero-moment point is within the soles, 0 where it is not known, and how far
    /// it is outside them at the 95th percentile.
    fn stands(&self, found: &BodyBalance) -> [f64; 2] {
        let (robot, anatomy) = self.itself;
        let found = figures(found, robot, &anatomy.masses);
        let of = |figure: fn(&Balance) -> Option<f64>| found.as_ref().and_then(figure);
        [of(|found| found.within).unwrap_or(0.0), of(|found| found.distance_p95).unwrap_or(f64::INFINITY)]
    }

    fn share_within(&self) -> f64 {
        self.stands(&self.track())[0]
    }

    /// Plans the balance of the present motion, and fits it to the plan.
    fn plan_balance(&mut self, rest: &[bool]) {
        let found = self.track();
        let factor = self.reference.factor;
        // A motion that falls as it should flies in other frames than before.
        let support = planned_support(&self.goals, &found.curves, self.fps, rest, factor);
        aim(&mut self.goals, &found, &support, self.fps, rest, factor);
        self.sweep(whole(BALANCE_SWEEPS));
    }

    /// Plans a motion once more that does not stand yet. Where feet are rarely on the floor, a plan can lead away.
    fn plan_what_does_not_stand(&mut self, rest: &[bool]) {
        let [share, distance] = self.stands(&self.track());
        if share >= ENOUGH {
            return;
        }
        let before = (self.poses.clone(), self.goals.clone());
        self.plan_balance(rest);
        let [now, distance_now] = self.stands(&self.track());
        if now <= share || distance_now > distance {
            (self.poses, self.goals) = before;
        }
    }

    /// Changes the motion so that the robot can stand it, but not in frames that `rest` on other parts than feet. A motion
    /// that its plan would make stand less stays as it is, and so does one of the robot itself that stands as well.
    /// Returns whether flights may become free falls, and what is not balanced.
    pub(crate) fn balance(&mut self, rest: &[bool]) -> (bool, Vec<String>) {
        let resting = rest.iter().filter(|rests| **rests).count();
        let mut left = Vec::new();
        if resting > 0 {
            left.push(format!("{resting} frames rest on other parts than feet"));
        }
        if resting == rest.len() {
            return (false, left);
        }
        let as_it_is = (self.poses.clone(), self.goals.clone(), self.costs.weights);
        // The centre of mass must not pull parts into each other.
        let apart = 2.0 * self.costs.weights.apart;
        self.costs.weights = Weights { centre: 60.0, apart, ..self.costs.weights };
        for _ in 0..BALANCE_ROUNDS {
            self.plan_balance(rest);
        }
        self.plan_what_does_not_stand(rest);
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
    pub(crate) fn limit_speeds(&mut self, steps: &[f64]) {
        if !exceed(&self.poses, steps) {
            return;
        }
        // Rounded numbers of a motion on the robot may be beyond a limit.
        let rounded: Vec<f64> = steps.iter().map(|step| step * (1.0 + ROUNDING)).collect();
        let is_rounded = self.is_own && !exceed(&self.poses, &rounded);
        let before: Vec<Vec<f64>> = self.poses.iter().map(|pose| pose.values.clone()).collect();
        hold_speeds(&mut self.poses, steps);
        let robot = self.kinematics.robot;
        self.poses.iter_mut().for_each(|pose| follow_mimics(robot, &mut pose.values));
        if is_rounded {
            return;
        }
        // What is far from a joint that was held is fitted as well as before.
        let around = (AROUND * self.fps.fps()).ceil() as usize;
        let mut open = vec![false; before.len()];
        for frame in (0..before.len()).filter(|frame| before[*frame] != self.poses[*frame].values) {
            open[frame.saturating_sub(around)..(frame + around + 1).min(before.len())].fill(true);
        }
        self.sweep(Sweeps { count: HELD_SWEEPS, open: Some(&open), highest: Some(steps) });
    }
}
