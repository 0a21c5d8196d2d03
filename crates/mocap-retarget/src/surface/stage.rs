//! The stage after all others: keeps forearms and hands out of trunk, head, legs and each other.
//!
//! 1. In each frame, the smallest change of each arm that keeps points on it outside of the
//!    distance field of the body: the elbow swivels first, then it bends and the shoulder turns.
//!    Where an arm passes through the body, it leaves by one side for the whole stretch
//!    (`exit.rs`).
//! 2. Changes are smoothed in time. Points that are inside afterwards change the arm again, from
//!    its new pose, and the result is smoothed again.
//! 3. What is still inside is smoothed upwards only: nowhere less than what a frame needs.
//!
//! This is done at evenly spaced keys (`keys.rs`); points that enter the body between them are
//! brought out last (`between.rs`).
//!
//! Frames further than 0.3 s from any that needs a change keep every bit.

use super::arm::{Change, PARTS, PosedArm, hinge_axes};
use super::between::{KnownKeys, NEARBY};
use super::body_in_motion::{CARRIED, Frame, Partner, Stage};
use super::body_surface::BodySurface;
use super::contact_goals::goals;
use super::contacts::{ArmContacts, Touch, other_field};
use super::exit::{Depth, Exit, depth, sides};
use super::fade::{FADE, smoothed};
use super::keys::Keys;
use super::nearby::each_near;
use super::push::Goal;
use super::solve::{Bounds, FrameCache, Posed, Solved};
use crate::fitted_body::Figure;
use crate::pair::TargetLimits;
use crate::smoothing::{envelope, smooth};
use mocap_analysis::runs;
use mocap_model::{Clip, JointTracks, ModelError, Pose, Side, Skeleton, Track, UnitQuaternion, Vector3};
use mocap_skin::{FieldHit, PosedField};
use std::ops::Range;
use std::sync::Arc;

/// An arm passes through the body if it is deeper than this, with ways out on opposite sides, for a person of 1.7
/// m \[m\].
pub(super) const THROUGH: f64 = 0.01;
/// No point moves further than the way out times this, plus a centimetre on a person of 1.7 m \[m\]. Fingertips
/// are 2.5 times as far from the shoulder as the middle of the upper half of the forearm, so they move that much
/// more when it leaves; and the way around a hip is longer than the way out.
const LEVER: f64 = 3.5;
const SLACK: f64 = 0.01;
/// An arm that stays inside because of that limit is tried with this many times as much.
const FURTHER: f64 = 1.5;
/// Number of passes. After the first `RELAXED` ones, additional changes are smoothed upwards,
/// because smoothing flattens changes as short as a clap. From pass `TOUCHING` on, contacts are
/// ignored and arms are only kept outside.
const PASSES: usize = 8;
const RELAXED: usize = 4;
const TOUCHING: usize = 6;
/// Greatest number of keys of a stretch for which caches are kept, 10 kB each.
const MOST_HELD: usize = 4096;

/// A motion with its arms outside of its body.
pub(crate) struct Apart {
    pub clip: Clip,
    /// Number of frames, from `start` on, in which an arm is still inside, because it would have to
    /// move too far to leave.
    pub let_go: usize,
}

/// Keeps the arms of a motion outside of its body. Returns the same clip if nothing is inside. Frames before
/// `start` and those from it on do not affect each other.
pub(crate) fn keep_apart(
    body: &BodySurface,
    limits: Option<&TargetLimits>,
    contacts: &[ArmContacts<Touch>],
    clip: Clip,
    start: usize,
    partner: Option<Partner<'_>>,
) -> Result<Apart, ModelError> {
    let Some(core) = &body.core else { return Ok(Apart { clip, let_go: 0 }) };
    let frames = clip.frames();
    let start = start.min(frames);
    let stage = Stage::of(body, &clip, contacts, partner);
    let mut pose = Frame::new(&clip);
    pose.place(&clip, 0);
    let Some(mut field) = core.posed(&pose.object) else { return Ok(Apart { clip, let_go: 0 }) };
    let mut changes_of = |range: Range<usize>| {
        // Every frame is a key if there are contacts, which may be as short as a frame, or a moving partner.
        let all = partner.is_some() || range.clone().any(|frame| stage.in_contact(frame));
        let keys = Keys::of(&range, clip.rate(), all);
        stage.changes(&keys, &mut field, &mut pose)
    };
    let Changes { by_arm: mut changes, .. } = changes_of(0..start);
    let Changes { by_arm: more, let_go } = changes_of(start..frames);
    changes.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
    Ok(Apart { clip: stage.changed(&changes, limits, &mut pose)?, let_go })
}

/// The sides by which an arm may leave the body, in the frame of its trunk.
fn sides_of(body: &BodySurface, skeleton: &Skeleton, side: Side) -> [Vector3<f64>; 5] {
    let forward = Figure::new(skeleton, &body.roles).facing();
    let left = skeleton.space().up.vector().cross(&forward);
    let out = if side == Side::Left { left } else { -left };
    let arm = body.arms[usize::from(side == Side::Right)].as_ref();
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let back = arm.map(|arm| rest.joints[arm.trunk.index()].rotation.inverse()).unwrap_or_default();
    sides(&(back * out), &(back * forward))
}

/// Smooths changes in the open frames; all other frames keep zero. The difference to what frames need is added
/// and smoothed repeatedly. The result is smooth and near to what is needed, but lower than an envelope.
fn relax(changes: &mut [Change], ahead: usize, open: &[bool]) {
    for run in runs(open) {
        let around = run.start.saturating_sub(ahead)..(run.end + ahead).min(changes.len());
        for i in 0..PARTS {
            let values: Vec<f64> = changes[around.clone()].iter().map(|change| change[i]).collect();
            if values.iter().all(|value| *value == 0.0) {
                continue;
            }
            let values = smooth(&values, ahead);
            run.clone().for_each(|at| changes[at][i] = values[at - around.start]);
        }
    }
}

/// State of an arm in a frame before changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArmState {
    pub depth: Depth,
    /// Whether it is inside, or near enough to be inside between keys.
    is_near: bool,
    /// Depth in the other arm [units of the skeleton].
    in_other: f64,
    /// Distance from what it touches [units of the skeleton].
    pull: f64,
    pub exit: Exit,
    /// The second best.
    pub other_exit: Exit,
}

/// The changes of both arms, and the number of frames in which an arm would have to move too far to leave.
struct Changes {
    by_arm: [Vec<Change>; 2],
    let_go: usize,
}

/// A run of keys with zero changes on both sides.
#[derive(Clone)]
struct Stretch {
    keys: Keys,
    run: Range<usize>,
    /// By key.
    bounds: Vec<Bounds>,
    /// The same for arms that leave by their second best sides.
    other_bounds: Vec<Bounds>,
}

impl Stretch {
    /// The same with points that may move this many times as far.
    fn with_most_times(&self, times: f64) -> Stretch {
        let further = |bounds: &Bounds| Bounds { most: bounds.most.map(|most| most * times), ..*bounds };
        Stretch { bounds: self.bounds.iter().map(further).collect(), ..self.clone() }
    }

    /// Whether there is a second best side by which an arm may leave.
    fn has_other_side(&self, arm: usize) -> bool {
        self.other_bounds.iter().any(|bounds| bounds.exits[arm].side.is_some())
    }

    /// The same with these arms leaving by their second best sides.
    fn by_other_sides(&self, arms: [bool; 2]) -> Stretch {
        let mixed = |(own, other): (&Bounds, &Bounds)| Bounds {
            exits: [0, 1].map(|arm| if arms[arm] { other.exits[arm] } else { own.exits[arm] }),
            most: [0, 1].map(|arm| if arms[arm] { other.most[arm] } else { own.most[arm] }),
            ..*own
        };
        let bounds = self.bounds.iter().zip(&self.other_bounds).map(mixed).collect();
        Stretch { bounds, ..self.clone() }
    }
}

/// Result for a stretch of keys.
struct Solution {
    by_arm: [Vec<Change>; 2],
    /// Keys in which an arm would have to move too far to leave.
    let_go: Vec<bool>,
    caches: Vec<Option<Box<FrameCache>>>,
    /// How much is left inside.
    inside: f64,
}

/// The changes of a run of open keys whose arms are least inside, of all passes so far. Passes do not always lead further
/// out.
struct Best {
    run: Range<usize>,
    /// The sum of what is inside by key.
    inside: f64,
    by_arm: [Vec<Change>; 2],
    let_go: Vec<bool>,
}

impl Best {
    fn of(run: Range<usize>) -> Best {
        Best { run, inside: f64::INFINITY, by_arm: [Vec::new(), Vec::new()], let_go: Vec::new() }
    }

    /// Takes the changes of a pass that are less inside.
    fn judge(&mut self, inside: &[f64], changes: &[Vec<Change>; 2], let_go: &[bool]) {
        let run = self.run.clone();
        let inside: f64 = inside[run.clone()].iter().sum();
        if inside < self.inside {
            self.inside = inside;
            self.by_arm = changes.each_ref().map(|changes| changes[run.clone()].to_vec());
            self.let_go = let_go[run].to_vec();
        }
    }

    fn put(self, found: &mut Solution) {
        for (all, own) in found.by_arm.iter_mut().zip(&self.by_arm) {
            all[self.run.clone()].clone_from_slice(own);
        }
        found.let_go[self.run].clone_from_slice(&self.let_go);
    }
}

/// Changes of both arms with a margin within which nothing is inside.
#[derive(Clone, Copy, Debug, Default)]
struct Clear {
    at: [Change; 2],
    /// Both arms together may rotate by this much \[rad\].
    around: f64,
}

impl Clear {
    fn holds(&self, changes: &[Change; 2]) -> bool {
        let turned = |(a, b): (&Change, &Change)| (a - b).abs().sum();
        self.around > 0.0 && self.at.iter().zip(changes).map(turned).sum::<f64>() < self.around
    }
}

impl<'a> Stage<'a> {
    pub(super) fn of(
        body: &'a BodySurface,
        clip: &'a Clip,
        contacts: &'a [ArmContacts<Touch>],
        partner: Option<Partner<'a>>,
    ) -> Stage<'a> {
        let sides = [Side::Left, Side::Right].map(|side| sides_of(body, clip.skeleton(), side));
        let (view, hinges) = (body.view(), hinge_axes(body, clip));
        Stage { body, clip, view, contacts, hinges, sides, partner }
    }
}

impl Stage<'_> {
    /// The changes of both arms in the frames of a range.
    fn changes(&self, keys: &Keys, field: &mut PosedField<'_>, pose: &mut Frame) -> Changes {
        let ahead = keys.ahead(FADE);
        let count = keys.len();
        let mut states = self.look(keys, field, pose);
        self.choose_sides(keys, &mut states, field, pose);
        let most = states.each_ref().map(|states| self.most_moved(states, |state| &state.exit, ahead));
        let other_most =
            states.each_ref().map(|states| self.most_moved(states, |state| &state.other_exit, ahead));
        // Open keys: those with penetration or contact, then also those near a key that changes.
        let mut open: Vec<bool> = (0..count).map(|key| self.in_contact(keys.frame(key))).collect();
        for states in &states {
            let inside = |state: &ArmState| state.is_near || state.in_other > 0.0;
            open.iter_mut().zip(states).for_each(|(open, state)| *open |= inside(state));
        }
        let reached: Vec<f64> = open.iter().map(|open| f64::from(*open)).collect();
        let reached: Vec<bool> = envelope(&reached, 2 * ahead).iter().map(|weight| *weight > 0.0).collect();
        let mut by_arm = [vec![Change::zeros(); count], vec![Change::zeros(); count]];
        let (mut let_go, mut stretches) = (0, Vec::new());
        for run in runs(&reached) {
            let bounds = |at: usize| Bounds {
                exits: [states[0][at].exit, states[1][at].exit],
                most: [most[0][at], most[1][at]],
                keeps_contacts: true,
                whole_steps: false,
            };
            let other = |at: usize| Bounds {
                exits: [states[0][at].other_exit, states[1][at].other_exit],
                most: [other_most[0][at], other_most[1][at]],
                ..bounds(at)
            };
            let (bounds, other_bounds) =
                (run.clone().map(bounds).collect(), run.clone().map(other).collect());
            let stretch = Stretch { keys: *keys, run: run.clone(), bounds, other_bounds };
            let found = self.stretch(&stretch, &open[run.clone()], field, pose);
            for (all, found) in by_arm.iter_mut().zip(&found.by_arm) {
                all[run.clone()].clone_from_slice(found);
            }
            // A key stands for all frames up to the next key.
            let frames = |key: usize| (keys.offset(key + 1) - keys.offset(key)).max(1);
            let gone = run.clone().zip(&found.let_go).filter(|(_, is)| **is);
            let_go += gone.map(|(key, _)| frames(key)).sum::<usize>();
            stretches.push((stretch, found));
        }
        let mut all = by_arm.map(|changes| keys.interpolated(&changes));
        for (stretch, found) in &stretches {
            let Stretch { keys, run, bounds, .. } = stretch;
            let (keys, run) = (*keys, run.clone());
            let known = KnownKeys { keys, run, caches: &found.caches, changes: &found.by_arm, bounds };
            self.between(&known, &mut all, &mut Posed { pose: &mut *pose, field: &mut *field, frame: None });
        }
        Changes { by_arm: all, let_go }
    }

    /// The changes of both arms in a stretch of keys that is surrounded by zero changes. `open` keys are
    /// examined. Where steps that only ever lead outwards leave an arm inside, whole steps may not; where an arm
    /// may not go as far as it has to, it may go further if less is inside then.
    fn stretch(
        &self,
        stretch: &Stretch,
        open: &[bool],
        field: &mut PosedField<'_>,
        pose: &mut Frame,
    ) -> Solution {
        let found = self.passes(stretch, open.to_vec(), false, field, pose);
        if found.inside == 0.0 || stretch.run.clone().any(|key| self.in_contact(stretch.keys.frame(key))) {
            return found;
        }
        let mut tries = vec![(stretch.clone(), true)];
        if found.let_go.contains(&true) {
            tries.extend([false, true].map(|whole_steps| (stretch.with_most_times(FURTHER), whole_steps)));
        }
        let least = self.body.person(THROUGH).powi(2);
        let tries = tries.into_iter().map(|tried| (tried, 0.0));
        let sides = [[true, false], [false, true], [true, true]].into_iter();
        let sides = sides.filter(|arms| (0..2).all(|arm| !arms[arm] || stretch.has_other_side(arm)));
        let sides = sides.map(|arms| ((stretch.by_other_sides(arms), false), least));
        tries.chain(sides).fold(found, |best, ((stretch, whole_steps), least)| {
            if best.inside <= least {
                return best;
            }
            let other = self.passes(&stretch, open.to_vec(), whole_steps, field, pose);
            if other.inside < best.inside { other } else { best }
        })
    }

    /// The same with one kind of steps.
    fn passes(
        &self,
        stretch: &Stretch,
        mut open: Vec<bool>,
        whole_steps: bool,
        field: &mut PosedField<'_>,
        pose: &mut Frame,
    ) -> Solution {
        let ahead = stretch.keys.ahead(FADE);
        let in_contact = stretch.run.clone().any(|key| self.in_contact(stretch.keys.frame(key)));
        let count = open.len();
        let none = || [vec![Change::zeros(); count], vec![Change::zeros(); count]];
        let mut changes = none();
        let mut let_go = vec![false; count];
        let mut clear = vec![Clear::default(); count];
        let mut caches = vec![None; count];
        let mut best: Vec<Best> = Vec::new();
        for pass in 0..=PASSES {
            let mut needs = none();
            let mut inside = vec![0.0; count];
            for at in (0..count).filter(|at| open[*at]) {
                let base = [changes[0][at], changes[1][at]];
                if clear[at].holds(&base) {
                    continue;
                }
                let frame = stretch.keys.frame(stretch.run.start + at);
                let mut posed = Posed { pose: &mut *pose, field: &mut *field, frame: None };
                // The last passes ignore contacts: staying outside has priority.
                let keeps_contacts = pass < TOUCHING;
                let bounds = Bounds { keeps_contacts, whole_steps, ..stretch.bounds[at] };
                let found = self.solve(frame, &mut posed, &mut caches[at], base, bounds);
                if at >= MOST_HELD {
                    caches[at] = None;
                }
                let (mut around, mut less) = (f64::INFINITY, false);
                for arm in 0..2 {
                    let Solved { change, is_less, clear } = found[arm];
                    less |= is_less;
                    needs[arm][at] = change - base[arm];
                    around = around.min(clear);
                }
                // The last pass counts: what a later pass resolves has not been given up.
                let_go[at] = less;
                if !self.in_contact(frame) {
                    clear[at] = Clear { around, at: base };
                }
                inside[at] = around.min(0.0).powi(2);
            }
            let needed = |at: usize| needs.iter().any(|needs| needs[at] != Change::zeros());
            let needed: Vec<f64> = (0..count).map(|at| f64::from(needed(at))).collect();
            if pass == 0 {
                open = envelope(&needed, ahead).iter().map(|weight| *weight > 1e-9).collect();
                best = runs(&open).into_iter().map(Best::of).collect();
            }
            let is_met = needed.iter().all(|needed| *needed == 0.0);
            // Contacts bring arms to the body: with them, what is least inside may be what lost them.
            let is_judged = is_met || pass == PASSES || !in_contact;
            best.iter_mut().filter(|_| is_judged).for_each(|best| best.judge(&inside, &changes, &let_go));
            if is_met || pass == PASSES {
                break;
            }
            for (changes, needs) in changes.iter_mut().zip(&needs) {
                if pass < RELAXED {
                    changes.iter_mut().zip(needs).for_each(|(change, need)| *change += need);
                    relax(changes, ahead, &open);
                } else {
                    let more = smoothed(needs, ahead, &open);
                    changes.iter_mut().zip(more).for_each(|(change, more)| *change += more);
                }
            }
        }
        let inside = best.iter().map(|best| best.inside).sum();
        let mut found = Solution { by_arm: none(), let_go: vec![false; count], caches, inside };
        best.into_iter().for_each(|best| best.put(&mut found));
        found
    }

    /// Depths of the arms inside the body before changes.
    fn look(&self, keys: &Keys, field: &mut PosedField<'_>, pose: &mut Frame) -> [Vec<ArmState>; 2] {
        let mut states = [vec![ArmState::default(); keys.len()], vec![ArmState::default(); keys.len()]];
        let within = if keys.stride > 1 { self.body.person(NEARBY) } else { 0.0 };
        for at in 0..keys.len() {
            let frame = keys.frame(at);
            pose.place(self.clip, frame);
            let in_contact = self.in_contact(frame);
            let all = in_contact || self.partner.is_some();
            let looks = self.may_meet(&pose.object, within).map(|may| may || all);
            if looks == [false; 2] {
                continue;
            }
            pose.see(&self.view);
            let partner =
                self.partner.as_ref().map_or_else(Vec::new, |partner| partner.fields(frame, &pose.hips));
            if !field.pose(&pose.object) {
                continue;
            }
            let arms = [0, 1].map(|i| if looks[i] { self.arm(i, &pose.object) } else { None });
            let posed = arms.each_ref().map(|arm| arm.as_ref().map(|(_, posed)| posed));
            let palette = if in_contact { self.body.surface.palette_of(&pose.object) } else { Vec::new() };
            let goals = goals(self.body, self.contacts, frame, &palette, posed, &[Change::zeros(); 2]);
            let balls = arms.each_ref().map(|arm| arm.as_ref().map(|(_, posed)| posed.ball()));
            let meet = matches!(balls, [Some((a, far)), Some((b, near))] if (a - b).norm() < far + near);
            for (i, arm) in arms.iter().enumerate() {
                let (Some((arm, posed)), Some((middle, radius))) = (arm, balls[i]) else { continue };
                let mut hits = Vec::new();
                let near = field.near(&middle, radius + within);
                if !near.is_empty() {
                    each_near(&arm.points, &posed.points, (field, &near), within, |_, hit| hits.push(hit));
                }
                let mut found =
                    ArmState { depth: depth(&hits), is_near: !hits.is_empty(), ..ArmState::default() };
                found.exit.way = found.depth.deepest;
                found.other_exit = found.exit;
                found.pull = goals[i].iter().map(Goal::way).fold(0.0, f64::max);
                let ball = (&middle, radius);
                let other = if meet { other_field(self.body, 1 - i, &pose.object, ball) } else { None };
                if let Some(other) = &other {
                    let near = other.near(&middle, radius);
                    let deeper = |_, hit: FieldHit| found.in_other = found.in_other.max(-hit.distance);
                    each_near(&arm.points, &posed.points, (other, &near), 0.0, deeper);
                }
                for other in &partner {
                    let holds = self.partner.as_ref().is_some_and(|of| of.holds(i, other, frame));
                    let near = other.field.near(&middle, radius);
                    each_near(&arm.points, &posed.points, (&other.field, &near), 0.0, |point, hit| {
                        if !(holds && arm.points.points[point].on_hand) {
                            found.in_other = found.in_other.max(-hit.distance);
                        }
                    });
                }
                states[i][at] = found;
            }
        }
        states
    }

    /// Whether each arm may be nearer to the body than `within`, or inside the other arm: a bound
    /// from the positions of joints only, which rules out most frames.
    fn may_meet(&self, object: &Pose, within: f64) -> [bool; 2] {
        let arms = self.body.arms.each_ref().map(Option::as_ref);
        let balls = arms.map(|arm| arm.map(|arm| arm.rough_ball(object)));
        let near_arm = |i: usize| match (&balls[i], arms[1 - i].and_then(|arm| arm.field.as_ref())) {
            (Some((middle, radius)), Some(other)) => other.reaches(object, middle, *radius),
            _ => false,
        };
        let meet = near_arm(0) || near_arm(1);
        balls.map(|ball| match (ball, &self.body.core) {
            (Some((middle, radius)), Some(core)) => meet || core.reaches(object, &middle, radius + within),
            _ => false,
        })
    }

    /// By key: greatest displacement of points on an arm [units of the skeleton].
    fn most_moved(&self, states: &[ArmState], exit: impl Fn(&ArmState) -> &Exit, ahead: usize) -> Vec<f64> {
        let ways: Vec<f64> = states.iter().map(|state| exit(state).way.max(state.in_other)).collect();
        let pulls: Vec<f64> = states.iter().map(|state| state.pull).collect();
        let slack = self.body.person(SLACK);
        let most = envelope(&ways, ahead).into_iter().zip(envelope(&pulls, ahead));
        most.map(|(way, pull)| LEVER * way + CARRIED * pull + slack).collect()
    }

    /// The clip with changed arms.
    pub(super) fn changed(
        &self,
        changes: &[Vec<Change>; 2],
        limits: Option<&TargetLimits>,
        pose: &mut Frame,
    ) -> Result<Clip, ModelError> {
        let clip = self.clip;
        let skeleton = clip.skeleton();
        let mut tracks: Vec<JointTracks> = clip.tracks().to_vec();
        for (i, (arm, changes)) in self.body.arms.iter().zip(changes).enumerate() {
            let Some(arm) = arm else { continue };
            if changes.iter().all(|change| *change == Change::zeros()) {
                continue;
            }
            let mut rotations: [Vec<UnitQuaternion<f64>>; 3] = arm.joints.map(|joint| {
                let track = &clip.track(joint).rotation;
                (0..clip.frames()).map(|frame| track.at(frame)).collect()
            });
            for (frame, change) in
                changes.iter().enumerate().filter(|(_, change)| **change != Change::zeros())
            {
                pose.place(clip, frame);
                let posed = PosedArm::joints_of(arm, &pose.object, &self.hinges[i]);
                posed.moved(change).apply(arm, &mut pose.object);
                for (joint, rotations) in arm.joints.into_iter().zip(&mut rotations) {
                    let own = pose.object.joints[joint.index()].rotation;
                    let above = skeleton.joint(joint).parent;
                    let above = above.map_or_else(UnitQuaternion::identity, |above| {
                        pose.object.joints[above.index()].rotation
                    });
                    let mut local = above.inverse() * own;
                    if let Some(limits) = limits.filter(|limits| limits.kept) {
                        let constraint = &limits.constraints[joint.index()];
                        if !constraint.is_free() {
                            local = constraint.project(&local).0;
                        }
                    }
                    // Keep quaternions in one hemisphere, so that consecutive frames are near.
                    let was = &mut rotations[frame];
                    *was = if was.coords.dot(&local.coords) < 0.0 {
                        UnitQuaternion::new_unchecked(-local.into_inner())
                    } else {
                        local
                    };
                }
            }
            for (joint, rotations) in arm.joints.into_iter().zip(rotations) {
                tracks[joint.index()].rotation = Track::Sampled(rotations);
            }
        }
        Clip::new(Arc::clone(skeleton), clip.rate(), clip.frames(), tracks)?
            .with_annotations(clip.annotations().clone())
    }
}
