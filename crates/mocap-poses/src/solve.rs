//! From goals over time to a motion.

use crate::chain::{BodySolver, Finish};
use crate::examples::{Examples, PosePrior};
use crate::fitted::Known;
use crate::goals::{Goal, Goals, JointGoals};
use crate::learn::mean_rotation;
use crate::predict::Predictor;
use crate::report::{GoalReport, PointLeftOut, PoseReport};
use crate::unusual::{Descriptors, nearest};
use crate::{Placed, PosesError, Quat, Vec3};
use mocap_model::{Clip, FrameRate, JointId, JointTracks, Skeleton, Track, exp, log, slerp};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Gaps up to this time are interpolated \[s\].
const SHORT: f64 = 0.1;
/// Time over which the pose blends when the set of known points changes \[s\].
const FADE: f64 = 0.3;
/// A point counts as met within this distance \[m\].
const MET: f64 = 1e-3;
/// Standard deviation of the rotations between rest poses of recordings \[rad\]: 5°.
const RESTS: f64 = 0.0873;
/// Number of evenly spaced frames from which constant rotations are estimated.
const CALIBRATED: usize = 300;
/// Number of fitted predictors that are cached.
const KEPT: usize = 12;

/// A motion that meets its goals.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The motion, on the skeleton that was asked for.
    pub clip: Clip,
    /// The report.
    pub report: PoseReport,
}

/// How trackers are mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mounting {
    /// An orientation is that of its joint.
    #[default]
    Aligned,
    /// Each tracker has a constant rotation relative to its joint, which is estimated over the clip.
    Unknown,
}

/// Solves goals over time for the poses of a skeleton: goals are met, the examples determine the rest.
///
/// `metres` is the length of a unit of the skeleton; goals that state no unit are in units of the skeleton.
///
/// # Errors
/// Where the skeleton is not that of a human body, no point has the name of one of its joints, no
/// frame has a goal, or couplings of the skeleton contradict each other or its limits.
pub fn solve(
    prior: &PosePrior,
    goals: &Goals,
    skeleton: &Arc<Skeleton>,
    metres: f64,
    mounting: Mounting,
) -> Result<Solved, PosesError> {
    solve_with(prior, goals, skeleton, metres, PoseOptions { mounting, ..PoseOptions::default() })
}

/// Options of [`solve_with`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoseOptions {
    /// How trackers are mounted. Default: as their joints.
    pub mounting: Mounting,
    /// The solver that finally moves the body onto its goals. Default: the objective.
    pub solver: BodySolver,
}

/// As [`solve`], with all options. Limits and couplings of the skeleton are kept; goals that they do not allow are
/// missed, and the report has the distance.
///
/// # Errors
/// As [`solve`].
pub fn solve_with(
    prior: &PosePrior,
    goals: &Goals,
    skeleton: &Arc<Skeleton>,
    metres: f64,
    options: PoseOptions,
) -> Result<Solved, PosesError> {
    let examples = Examples::on(prior, skeleton)?;
    let scale = goals.unit.map_or(1.0, |unit| unit.metres / metres);
    let mut given = goals.on(&examples.body, scale)?;
    if options.mounting == Mounting::Unknown {
        mount(&examples, &mut given)?;
    }
    let stated = given.frames.clone();
    let gap = (SHORT * goals.rate.fps()).round() as usize;
    let filled = fill_gaps(&mut given, gap);
    let mut poses: Vec<Option<Vec<Placed>>> = vec![None; given.frames.len()];
    let seen = as_examples(&examples, &given)?;
    let sets = pose_all(&examples, &given.frames, &seen, options.solver, &mut poses)?;
    let fade = (FADE * goals.rate.fps()).round().max(1.0) as usize;
    let empty = poses.iter().filter(|pose| pose.is_none()).count();
    let mut motion = Motion::of(&examples, poses)?;
    motion.fade(&examples, &given, options.solver, fade)?;
    let poses: Vec<Vec<Placed>> = (0..motion.frames.len()).map(|at| motion.placed(&examples, at)).collect();
    let report = PoseReport {
        frames: poses.len(),
        poses: examples.poses(),
        retargeted: examples.retargeted,
        sets,
        empty,
        filled,
        hips_estimated: given.frames.iter().filter(|goals| !has_hips(goals, examples.body.hips)).count()
            - empty,
        goals: measure(goals, &given.joints, &stated, &poses, &examples, metres),
        unusual: unusual(&examples, &poses, metres),
    };
    Ok(Solved { clip: motion.into_clip(&examples, skeleton, goals.rate)?, report })
}

/// The motion of some poses.
pub(crate) fn clip_of(
    examples: &Examples,
    poses: Vec<Option<Vec<Placed>>>,
    skeleton: &Arc<Skeleton>,
    rate: FrameRate,
) -> Result<Clip, PosesError> {
    Motion::of(examples, poses)?.into_clip(examples, skeleton, rate)
}

fn has_hips(goals: &[Goal], hips: JointId) -> bool {
    goals.iter().any(|goal| goal.joint == hips && goal.position.is_some() && goal.orientation.is_some())
}

/// For each joint with an orientation: the mean rotation, over at most `most` frames, from that orientation to the one
/// that is predicted from positions only, and the deviation of single frames from the mean \[rad\]. `aligned` is a
/// joint whose orientation is known.
fn mountings(
    examples: &Examples,
    given: &JointGoals,
    aligned: Option<JointId>,
    most: usize,
) -> Result<Vec<(JointId, Quat, f64)>, PosesError> {
    let every = given.frames.len().div_ceil(most).max(1);
    let mut places = given.clone();
    places.frames = places.frames.into_iter().step_by(every).collect();
    for goals in &mut places.frames {
        for goal in goals.iter_mut().filter(|goal| Some(goal.joint) != aligned) {
            goal.orientation = None;
        }
        goals.retain(|goal| goal.position.is_some());
    }
    let mut poses = vec![None; places.frames.len()];
    pose_all(examples, &places.frames, &places.frames, BodySolver::default(), &mut poses)?;
    let mut found = Vec::new();
    for joint in given.joints.iter().flatten().filter(|joint| Some(**joint) != aligned) {
        let turn = |(goals, pose): (&Vec<Goal>, &Option<Vec<Placed>>)| {
            let tracker = goals.iter().find(|goal| goal.joint == *joint)?.orientation?;
            Some(tracker.inverse() * pose.as_ref()?[joint.index()].rotation)
        };
        let turns: Vec<Quat> = given.frames.iter().step_by(every).zip(&poses).filter_map(turn).collect();
        if turns.is_empty() {
            continue;
        }
        let mean = mean_rotation(turns.iter());
        let square = turns.iter().map(|turn| turn.angle_to(&mean).powi(2)).sum::<f64>() / turns.len() as f64;
        found.push((*joint, mean, square.sqrt()));
    }
    Ok(found)
}

/// Converts the orientations of trackers to those of their joints.
fn mount(examples: &Examples, given: &mut JointGoals) -> Result<(), PosesError> {
    for (joint, mounting, _) in mountings(examples, given, None, usize::MAX)? {
        let own = given.frames.iter_mut().flatten().filter(|goal| goal.joint == joint);
        own.filter_map(|goal| goal.orientation.as_mut()).for_each(|turn| *turn *= mounting);
    }
    Ok(())
}

/// The goals as inputs for the regressions. Hands, feet and head of a recording have other rest poses than in the
/// examples: a constant rotation for each. It is estimated from the mean difference to the prediction from positions
/// only, weighted by how well single frames agree.
fn as_examples(examples: &Examples, given: &JointGoals) -> Result<Vec<Vec<Goal>>, PosesError> {
    let hips = examples.body.hips;
    let mut seen = given.frames.clone();
    if !seen.iter().flatten().any(|goal| goal.joint != hips && goal.orientation.is_some()) {
        return Ok(seen);
    }
    for (joint, turn, deviation) in mountings(examples, given, Some(hips), CALIBRATED)? {
        let share = RESTS * RESTS / (RESTS * RESTS + deviation * deviation);
        let turn = slerp(&Quat::identity(), &turn, share);
        let own = seen.iter_mut().flatten().filter(|goal| goal.joint == joint);
        own.filter_map(|goal| goal.orientation.as_mut()).for_each(|own| *own *= turn);
    }
    Ok(seen)
}

/// Predicts the poses of all frames with goals. Returns the number of distinct sets of known joints.
fn pose_all(
    examples: &Examples,
    given: &[Vec<Goal>],
    seen: &[Vec<Goal>],
    solver: BodySolver,
    poses: &mut [Option<Vec<Placed>>],
) -> Result<usize, PosesError> {
    let mut kept: BTreeMap<Vec<Known>, (usize, Predictor<'_>)> = BTreeMap::new();
    let known = |goals: &[Goal]| goals.iter().map(Known::of).collect::<Vec<Known>>();
    let runs = runs(given, known);
    let mut sets: Vec<&Vec<Known>> = runs.iter().map(|(_, set)| set).filter(|set| !set.is_empty()).collect();
    for (turn, (range, set)) in runs.iter().enumerate() {
        if set.is_empty() {
            continue;
        }
        if !kept.contains_key(set) && kept.len() == KEPT {
            let oldest = kept.iter().min_by_key(|(_, (used, _))| *used).map(|(set, _)| set.clone());
            oldest.iter().for_each(|set| drop(kept.remove(set)));
        }
        if !kept.contains_key(set) {
            kept.insert(set.clone(), (turn, Predictor::of(examples, set, solver)?));
        }
        let Some((used, predictor)) = kept.get_mut(set) else { continue };
        *used = turn;
        let predictor = &*predictor;
        let goals = given[range.clone()].par_iter().zip(&seen[range.clone()]);
        poses[range.clone()].par_iter_mut().zip(goals).for_each(|(pose, (goals, seen))| {
            let mut placed = Vec::new();
            predictor.pose_by(goals, seen, &mut placed);
            *pose = Some(placed);
        });
    }
    sets.sort();
    sets.dedup();
    Ok(sets.len())
}

/// Ranges of frames with the same set of goals.
fn runs(frames: &[Vec<Goal>], known: impl Fn(&[Goal]) -> Vec<Known>) -> Vec<(Range<usize>, Vec<Known>)> {
    let mut runs: Vec<(Range<usize>, Vec<Known>)> = Vec::new();
    for (frame, goals) in frames.iter().enumerate() {
        let set = known(goals);
        match runs.last_mut() {
            Some((range, last)) if *last == set => range.end = frame + 1,
            _ => runs.push((frame..frame + 1, set)),
        }
    }
    runs
}

/// Interpolates over gaps of at most `most` frames. Returns the number of filled values.
fn fill_gaps(given: &mut JointGoals, most: usize) -> usize {
    let joints: Vec<JointId> = given.joints.iter().flatten().copied().collect();
    let mut filled = 0;
    for joint in joints {
        let of = |goals: &[Goal]| goals.iter().find(|goal| goal.joint == joint).copied();
        let track: Vec<Option<Goal>> = given.frames.iter().map(|goals| of(goals)).collect();
        let places = filled_places(
            &track.iter().map(|goal| goal.and_then(|goal| goal.position)).collect::<Vec<_>>(),
            most,
            |a, b, t| a + (b - a) * t,
        );
        let turns = filled_places(
            &track.iter().map(|goal| goal.and_then(|goal| goal.orientation)).collect::<Vec<_>>(),
            most,
            slerp_of,
        );
        for (frame, position) in places {
            goal_of(&mut given.frames[frame], joint).position = Some(position);
            filled += 1;
        }
        for (frame, orientation) in turns {
            goal_of(&mut given.frames[frame], joint).orientation = Some(orientation);
            filled += 1;
        }
    }
    filled
}

fn slerp_of(a: Quat, b: Quat, t: f64) -> Quat {
    slerp(&a, &b, t)
}

fn goal_of(goals: &mut Vec<Goal>, joint: JointId) -> &mut Goal {
    let place = goals.partition_point(|goal| goal.joint < joint);
    if goals.get(place).is_none_or(|goal| goal.joint != joint) {
        goals.insert(place, Goal { joint, position: None, orientation: None });
    }
    &mut goals[place]
}

fn filled_places<T: Copy>(
    values: &[Option<T>],
    most: usize,
    mix: impl Fn(T, T, f64) -> T,
) -> Vec<(usize, T)> {
    let mut found = Vec::new();
    let mut last: Option<(usize, T)> = None;
    for (frame, value) in values.iter().enumerate() {
        let Some(value) = *value else { continue };
        if let Some((before, from)) = last {
            let gap = frame - before - 1;
            if gap <= most {
                let at = |step: usize| mix(from, value, step as f64 / (gap + 1) as f64);
                found.extend((1..=gap).map(|step| (before + step, at(step))));
            }
        }
        last = Some((frame, value));
    }
    found
}

/// A pose for blending: the position of the hips, and local rotations; that of the hips in object space.
#[derive(Clone, Debug)]
struct Local {
    hips: Vec3,
    turns: Vec<Quat>,
}

/// Poses over time.
struct Motion {
    frames: Vec<Local>,
}

impl Motion {
    /// Frames without a pose are interpolated; the first and last pose are held at the ends.
    ///
    /// # Errors
    /// Where no frame has a pose.
    fn of(examples: &Examples, poses: Vec<Option<Vec<Placed>>>) -> Result<Motion, PosesError> {
        let mut frames: Vec<Option<Local>> =
            poses.iter().map(|pose| pose.as_ref().map(|at| local_of(examples, at))).collect();
        let known: Vec<usize> = (0..frames.len()).filter(|at| frames[*at].is_some()).collect();
        for pair in known.windows(2) {
            let (Some(a), Some(b)) = (frames[pair[0]].clone(), frames[pair[1]].clone()) else { continue };
            for frame in pair[0] + 1..pair[1] {
                let share = (frame - pair[0]) as f64 / (pair[1] - pair[0]) as f64;
                frames[frame] = Some(mixed(&a, &b, share));
            }
        }
        let mut held = frames.iter().flatten().next().cloned().ok_or(PosesError::NothingKnown)?;
        let frames = frames.into_iter().map(|frame| {
            held = frame.unwrap_or_else(|| held.clone());
            held.clone()
        });
        Ok(Motion { frames: frames.collect() })
    }

    /// Where the set of known points changes, the pose continues with its velocity and blends to the new one. Goals
    /// stay met.
    ///
    /// Based on: D. Bollo, "Inertialization: high-performance animation transitions in Gears of War", 2018 (the idea;
    /// here the offset fades by a polynomial).
    fn fade(
        &mut self,
        examples: &Examples,
        given: &JointGoals,
        solver: BodySolver,
        length: usize,
    ) -> Result<(), PosesError> {
        let known = |goals: &[Goal]| goals.iter().map(Known::of).collect::<Vec<Known>>();
        let runs = runs(&given.frames, known);
        for pair in runs.windows(2) {
            let ((before, old), (after, set)) = (&pair[0], &pair[1]);
            let (start, last) = (after.start, before.end - 1);
            if set.is_empty() || old.is_empty() {
                continue;
            }
            let earlier = last.saturating_sub(1).max(before.start);
            let expected = moved_on(&self.frames[earlier], &self.frames[last]);
            let offset = Offset::between(&self.frames[start], &expected);
            let finish = freed(examples, set, solver)?;
            for frame in start..(start + length).min(self.frames.len()) {
                let share = (frame - start) as f64 / length as f64;
                let keep = 1.0 - share * share * share * (10.0 - 15.0 * share + 6.0 * share * share);
                let faded =
                    offset.applied(&self.frames[frame], keep, known_hips(&given.frames[frame], examples));
                let mut at = placed(examples, &faded);
                finish.meet(&examples.body, &mut at, &given.frames[frame]);
                self.frames[frame] = local_of(examples, &at);
            }
        }
        Ok(())
    }

    fn placed(&self, examples: &Examples, frame: usize) -> Vec<Placed> {
        placed(examples, &self.frames[frame])
    }

    fn into_clip(
        self,
        examples: &Examples,
        skeleton: &Arc<Skeleton>,
        rate: FrameRate,
    ) -> Result<Clip, PosesError> {
        let body = &examples.body;
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        // Joints above the hips stay at rest.
        let mut above = Placed::identity();
        let mut at = skeleton.joint(body.hips).parent;
        while let Some(id) = at {
            let joint = skeleton.joint(id);
            above = Placed::from_parts(joint.offset.into(), joint.rest_rotation) * above;
            at = joint.parent;
        }
        let count = self.frames.len();
        for (place, joint) in body.joints.iter().enumerate() {
            let turn = |frame: &Local| match *joint == body.hips {
                true => above.rotation.inverse() * frame.turns[place],
                false => frame.turns[place],
            };
            tracks[joint.index()].rotation = Track::Sampled(self.frames.iter().map(turn).collect());
        }
        let place = |frame: &Local| above.inverse_transform_point(&frame.hips.into()).coords;
        tracks[body.hips.index()].translation = Some(Track::Sampled(self.frames.iter().map(place).collect()));
        Ok(Clip::new(skeleton.clone(), rate, count, tracks)?)
    }
}

fn mixed(a: &Local, b: &Local, share: f64) -> Local {
    let turns = a.turns.iter().zip(&b.turns).map(|(a, b)| slerp(a, b, share)).collect();
    Local { hips: a.hips + (b.hips - a.hips) * share, turns }
}

/// Extrapolates the next pose from two poses at constant velocity.
fn moved_on(a: &Local, b: &Local) -> Local {
    let turns = a.turns.iter().zip(&b.turns).map(|(a, b)| b * (a.inverse() * b)).collect();
    Local { hips: b.hips * 2.0 - a.hips, turns }
}

/// The offset between two poses.
struct Offset {
    hips: Vec3,
    turns: Vec<Vec3>,
}

impl Offset {
    fn between(from: &Local, to: &Local) -> Offset {
        let turns = from.turns.iter().zip(&to.turns).map(|(a, b)| log(&(a.inverse() * b))).collect();
        Offset { hips: to.hips - from.hips, turns }
    }

    /// A pose with a share of the offset; known position and rotation of the hips stay.
    fn applied(&self, pose: &Local, share: f64, [place, turn]: [bool; 2]) -> Local {
        let moved = |(at, (own, off)): (usize, (&Quat, &Vec3))| match at == 0 && turn {
            true => *own,
            false => own * exp(&(off * share)),
        };
        let hips = if place { pose.hips } else { pose.hips + self.hips * share };
        Local { hips, turns: pose.turns.iter().zip(&self.turns).enumerate().map(moved).collect() }
    }
}

/// Whether position and rotation of the hips are known.
fn known_hips(goals: &[Goal], examples: &Examples) -> [bool; 2] {
    let hips = goals.iter().find(|goal| goal.joint == examples.body.hips);
    hips.map_or([false; 2], |hips| [hips.position.is_some(), hips.orientation.is_some()])
}

/// A solver that meets the goals again, with equal variances of all joints.
fn freed(examples: &Examples, set: &[Known], solver: BodySolver) -> Result<Finish, PosesError> {
    let body = &examples.body;
    let hips = set.iter().find(|known| known.joint == body.hips);
    let mut turn = vec![0.0; body.skeleton.len()];
    body.joints.iter().for_each(|joint| turn[joint.index()] = 0.01);
    if hips.is_some_and(|hips| hips.orientation) {
        turn[body.hips.index()] = 0.0;
    }
    let travel = if hips.is_some_and(|hips| hips.position) { 0.0 } else { 0.01 };
    let poses: Vec<&[Placed]> = examples.all().collect();
    Finish::of(body, set, crate::project::Freedom { turn, travel }, (solver, &poses))
}

/// The joints in object space.
fn placed(examples: &Examples, pose: &Local) -> Vec<Placed> {
    let body = &examples.body;
    let mut at = vec![Placed::identity(); body.skeleton.len()];
    for (joint, turn) in body.joints.iter().zip(&pose.turns) {
        let own = body.skeleton.joint(*joint);
        at[joint.index()] = match own.parent.filter(|_| *joint != body.hips) {
            Some(parent) => at[parent.index()] * Placed::from_parts(own.offset.into(), *turn),
            None => Placed::from_parts(pose.hips.into(), *turn),
        };
    }
    at
}

fn local_of(examples: &Examples, at: &[Placed]) -> Local {
    let body = &examples.body;
    let turns = body.joints.iter().map(|joint| body.local(at, *joint)).collect();
    Local { hips: at[body.hips.index()].translation.vector, turns }
}

/// Measures the distances to the goals as stated.
fn measure(
    goals: &Goals,
    joints: &[Result<JointId, PointLeftOut>],
    stated: &[Vec<Goal>],
    poses: &[Vec<Placed>],
    examples: &Examples,
    metres: f64,
) -> Vec<GoalReport> {
    let report = |(name, joint): (&String, &Result<JointId, PointLeftOut>)| {
        let (mut off, mut angles) = (Vec::new(), Vec::new());
        for (own, at) in stated.iter().zip(poses) {
            let Some(goal) = own.iter().find(|goal| Ok(goal.joint) == *joint) else { continue };
            let now = &at[goal.joint.index()];
            off.extend(goal.position.map(|position| (position - now.translation.vector).norm() * metres));
            angles.extend(goal.orientation.map(|turn| turn.angle_to(&now.rotation)));
        }
        GoalReport {
            name: name.clone(),
            joint: joint.ok().map(|joint| examples.body.skeleton.joint(joint).name.clone()),
            left_out: joint.err(),
            positions: off.len(),
            orientations: angles.len(),
            mean: (!off.is_empty()).then(|| off.iter().sum::<f64>() / off.len() as f64),
            max: off.iter().copied().reduce(f64::max),
            angle_max: angles.iter().copied().reduce(f64::max),
            missed: off.iter().filter(|off| **off > MET).count(),
        }
    };
    goals.names.iter().zip(joints).map(report).collect()
}

/// By frame: the distance from the nearest example \[m\].
fn unusual(examples: &Examples, poses: &[Vec<Placed>], metres: f64) -> Vec<f64> {
    let descriptors = Descriptors::of(examples);
    let length = examples.body.leg * metres;
    poses
        .par_iter()
        .map(|at| f64::from(nearest(&descriptors, &descriptors.row(at))).sqrt() * length)
        .collect()
}
