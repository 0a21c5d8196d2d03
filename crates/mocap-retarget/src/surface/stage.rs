//! The stage after all others: keeps forearms and hands out of trunk, head, legs and each other.
//!
//! 1. In each frame, the smallest change of each arm that keeps places on it outside of the distance field of the body:
//!    the elbow swivels first, then it bends and the shoulder turns.
//!    Where an arm goes through the body, it leaves by one side for as long as it does (`exit.rs`).
//! 2. Changes are smoothed in time. What is inside after that is changed again, from there, and smoothed again.
//! 3. What is still inside is smoothed upwards only: nowhere less than what a frame needs.
//!
//! Frames further than 0.3 s from any that needs a change keep every bit.

use super::arm::{Change, PosedArm, hinge_axes};
use super::body_surface::{ArmSurface, BodySurface, Touched};
use super::contacts::{ArmContacts, other_field};
use super::exit::{Depth, Exit, depth, sides, stretches, towards, way_out};
use super::nearby::each_near;
use super::push::{Cost, Demand, smallest_change};
use crate::pair::TargetLimits;
use crate::reference_pose::Directions;
use crate::smoothing::{envelope, smooth};
use mocap_analysis::runs;
use mocap_model::{Clip, JointTracks, ModelError, Pose, Side, Skeleton, Track, UnitQuaternion, Vector3};
use mocap_skin::{FieldHit, Near, PosedField};
use std::ops::Range;
use std::sync::Arc;

/// A field with how it is near, how much an arm touches it, the share of the way that the arm goes, and the side by which it
/// leaves.
type FieldDemand<'a> = (Option<(&'a PosedField<'a>, Near)>, f64, f64, Option<Vector3<f64>>);

/// Changes fade in and out over this time, before and after \[s\]: the maximum and the mean of an envelope take half each.
const FADE: f64 = 0.28;
/// How far outside places are put, once they were inside, on a person \[m\].
const MARGIN: f64 = 0.003;
/// Places nearer than this count when others are pushed, on a person \[m\].
const NEAR: f64 = 0.02;
/// An arm that touched its source is brought this near, from at most so far, on a person \[m\].
const TOUCHING: f64 = 0.002;
const MOST_PULL: f64 = 0.08;
/// An arm goes through the body where it is deeper than this, with ways out on opposite sides, on a person \[m\].
const THROUGH: f64 = 0.01;
/// It leaves by one side in the frames around as well, where it is inside \[s\].
const AROUND: f64 = 0.5;
/// The longest way out, on a person \[m\].
const FAR: f64 = 0.4;
/// Fingertips are this many times as far from the shoulder as the middle of the upper half of the forearm: when it leaves,
/// they move by so much more. No place moves further for a way out, and for a centimetre more on a person \[m\].
const LEVER: f64 = 2.5;
const SLACK: f64 = 0.01;
/// Times that what is inside after smoothing is changed again: first with changes that are smoothed as a whole, then with
/// what is left smoothed upwards.
const PASSES: usize = 8;
const RELAXED: usize = 4;
/// What 1 rad of swivel, bend and turn cost, as a movement on a person \[m\]: the swivel comes first, the turn moves most.
const COSTS: [f64; 3] = [0.08, 0.25, 0.45];
/// The largest of them \[rad\].
const MOST: [f64; 3] = [0.7, 1.0, 0.8];

/// A motion with its arms outside of its body.
pub(crate) struct Apart {
    pub clip: Clip,
    /// Frames in which an arm is still inside, because it would have to move too far to leave.
    pub let_go: usize,
}

/// Keeps the arms of a motion outside of its body. The same clip where nothing is inside. Frames before `start` and after
/// it do not affect each other.
pub(crate) fn keep_apart(
    body: &BodySurface,
    limits: Option<&TargetLimits>,
    contacts: &[ArmContacts],
    clip: Clip,
    start: usize,
) -> Result<Apart, ModelError> {
    let Some(core) = &body.core else { return Ok(Apart { clip, let_go: 0 }) };
    let frames = clip.frames();
    let start = start.min(frames);
    let sides = [Side::Left, Side::Right].map(|side| sides_of(body, clip.skeleton(), side));
    let stage = Stage { body, clip: &clip, contacts, hinges: hinge_axes(body, &clip), sides };
    let mut pose = Frame::new(&clip);
    pose.place(&clip, 0);
    let Some(mut field) = core.posed(&pose.object) else { return Ok(Apart { clip, let_go: 0 }) };
    let Changes { by_arm: mut changes, .. } = stage.changes(0..start, &mut field, &mut pose);
    let Changes { by_arm: more, let_go } = stage.changes(start..frames, &mut field, &mut pose);
    changes.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
    Ok(Apart { clip: stage.changed(&changes, limits, &mut pose)?, let_go })
}

/// The sides by which an arm may leave the body, in the frame of its trunk.
fn sides_of(body: &BodySurface, skeleton: &Skeleton, side: Side) -> [Vector3<f64>; 5] {
    let Directions { forward, left, .. } = Directions::of(skeleton);
    let out = if side == Side::Left { left } else { -left };
    let arm = body.arms[usize::from(side == Side::Right)].as_ref();
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let back = arm.map(|arm| rest.joints[arm.trunk.index()].rotation.inverse()).unwrap_or_default();
    sides(&(back * out), &(back * forward))
}

/// Smooths changes in the open frames; all others have none. What frames need is added again and smoothed again, which comes
/// to smooth changes that are near what is needed, without the height of an envelope.
fn relax(changes: &mut [Change], ahead: usize, open: &[bool]) {
    for run in runs(open) {
        let around = run.start.saturating_sub(ahead)..(run.end + ahead).min(changes.len());
        for i in 0..5 {
            let values: Vec<f64> = changes[around.clone()].iter().map(|change| change[i]).collect();
            if values.iter().all(|value| *value == 0.0) {
                continue;
            }
            let values = smooth(&values, ahead);
            run.clone().for_each(|at| changes[at][i] = values[at - around.start]);
        }
    }
}

/// Each part of a change smoothed, upwards and downwards apart: nowhere less than needed on either side.
fn smoothed(needs: &[Change], ahead: usize, open: &[bool]) -> Vec<Change> {
    let mut smooth = vec![Change::zeros(); needs.len()];
    for i in 0..5 {
        for sign in [1.0, -1.0] {
            let side: Vec<f64> = needs.iter().map(|need| (need[i] * sign).max(0.0)).collect();
            if side.iter().all(|need| *need == 0.0) {
                continue;
            }
            let side = envelope(&side, ahead);
            let frames = smooth.iter_mut().zip(side).zip(open).filter(|(_, open)| **open);
            frames.for_each(|((smooth, side), _)| smooth[i] += sign * side);
        }
    }
    smooth
}

/// One frame of a clip.
struct Frame {
    local: Pose,
    object: Pose,
}

impl Frame {
    fn new(clip: &Clip) -> Frame {
        Frame { local: Pose::rest(clip.skeleton()), object: Pose::default() }
    }

    fn place(&mut self, clip: &Clip, frame: usize) {
        if frame < clip.frames() {
            clip.local_pose(frame, &mut self.local);
        }
        self.local.to_object(clip.skeleton(), &mut self.object);
    }
}

struct Stage<'a> {
    body: &'a BodySurface,
    clip: &'a Clip,
    /// Of the source.
    contacts: &'a [ArmContacts],
    /// Of the elbows, in the frames of the upper arms.
    hinges: [Vector3<f64>; 2],
    /// By arm: sides by which it may leave the body, in the frame of the trunk.
    sides: [[Vector3<f64>; 5]; 2],
}

/// What is known of an arm in a frame before it is changed.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    depth: Depth,
    /// Depth in the other arm [units of the skeleton].
    in_other: f64,
    exit: Exit,
}

/// The changes of both arms, and the frames in which an arm would have to move too far to leave.
struct Changes {
    by_arm: [Vec<Change>; 2],
    let_go: usize,
}

/// What an arm needs in a frame.
#[derive(Clone, Copy, Debug)]
struct Solved {
    change: Change,
    /// Whether it is less than what is needed.
    is_less: bool,
    /// How far the arm may turn before anything on it enters \[rad\], from where it was looked at.
    clear: f64,
}

/// Changes of both arms around which nothing is inside.
#[derive(Clone, Copy, Debug, Default)]
struct Clear {
    at: [Change; 2],
    /// How far both together may turn \[rad\].
    around: f64,
}

impl Clear {
    fn holds(&self, changes: &[Change; 2]) -> bool {
        let turned = |(a, b): (&Change, &Change)| (a - b).abs().sum();
        self.around > 0.0 && self.at.iter().zip(changes).map(turned).sum::<f64>() < self.around
    }
}

impl Stage<'_> {
    /// The changes of both arms in some frames.
    fn changes(&self, range: Range<usize>, field: &mut PosedField<'_>, pose: &mut Frame) -> Changes {
        let none = || [vec![Change::zeros(); range.len()], vec![Change::zeros(); range.len()]];
        let ahead = ((FADE * self.clip.rate().fps()) / 2.0).floor().max(1.0) as usize;
        let mut changes = none();
        let mut seen = self.look(&range, field, pose);
        self.choose_sides(range.start, &mut seen, field, pose);
        let most = seen.each_ref().map(|seen| self.most_moved(range.start, seen, ahead));
        let mut let_go = vec![false; range.len()];
        // Frames that are looked at: those where something is inside or touched, then all that are near one that changes.
        let mut open: Vec<bool> = range.clone().map(|frame| self.in_contact(frame)).collect();
        for seen in &seen {
            let inside = |seen: &Seen| seen.depth.deepest > 0.0 || seen.in_other > 0.0;
            open.iter_mut().zip(seen).for_each(|(open, seen)| *open |= inside(seen));
        }
        let mut clear = vec![Clear::default(); range.len()];
        for pass in 0..PASSES {
            let mut needs = none();
            for (at, frame) in range.clone().enumerate().filter(|(at, _)| open[*at]) {
                let base = [changes[0][at], changes[1][at]];
                if clear[at].holds(&base) {
                    continue;
                }
                pose.place(self.clip, frame);
                let exits = [seen[0][at].exit, seen[1][at].exit];
                let found = self.solve(frame, &pose.object, field, base, exits, [most[0][at], most[1][at]]);
                let (mut around, mut less) = (f64::INFINITY, false);
                for arm in 0..2 {
                    let Solved { change, is_less, clear } = found[arm];
                    less |= is_less;
                    needs[arm][at] = change - base[arm];
                    around = around.min(clear);
                }
                // What a later pass brings out is not let go.
                let_go[at] = less;
                if !self.in_contact(frame) {
                    clear[at] = Clear { around, at: base };
                }
            }
            let needed = |at: usize| needs.iter().any(|needs| needs[at] != Change::zeros());
            let needed: Vec<f64> = (0..range.len()).map(|at| f64::from(needed(at))).collect();
            if needed.iter().all(|needed| *needed == 0.0) {
                break;
            }
            if pass == 0 {
                open = envelope(&needed, ahead).iter().map(|weight| *weight > 1e-9).collect();
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
        Changes { by_arm: changes, let_go: let_go.iter().filter(|is| **is).count() }
    }

    /// The arms of a pose.
    fn arms(&self, object: &Pose) -> [Option<(&ArmSurface, PosedArm)>; 2] {
        let palette = self.body.surface.palette(object);
        [0, 1].map(|i| {
            let arm = self.body.arms[i].as_ref()?;
            Some((arm, PosedArm::of(arm, &self.body.surface, object, &palette, &self.hinges[i])))
        })
    }

    /// How deep the arms are inside, before anything is changed.
    fn look(&self, range: &Range<usize>, field: &mut PosedField<'_>, pose: &mut Frame) -> [Vec<Seen>; 2] {
        let mut seen = [vec![Seen::default(); range.len()], vec![Seen::default(); range.len()]];
        for (at, frame) in range.clone().enumerate() {
            pose.place(self.clip, frame);
            if !field.pose(&pose.object) {
                continue;
            }
            let arms = self.arms(&pose.object);
            let balls = arms.each_ref().map(|arm| arm.as_ref().map(|(_, posed)| posed.ball()));
            let meet = matches!(balls, [Some((a, far)), Some((b, near))] if (a - b).norm() < far + near);
            for (i, arm) in arms.iter().enumerate() {
                let (Some((arm, posed)), Some((middle, radius))) = (arm, balls[i]) else { continue };
                let mut hits = Vec::new();
                let near = field.near(&middle, radius);
                if !near.is_empty() {
                    each_near(arm, &posed.points, (field, &near), 0.0, |_, hit| hits.push(hit));
                }
                let mut found = Seen { depth: depth(&hits), ..Seen::default() };
                found.exit.way = found.depth.deepest;
                let other = if meet { other_field(self.body, 1 - i, &pose.object) } else { None };
                if let Some(other) = &other {
                    let near = other.near(&middle, radius);
                    let deeper = |_, hit: FieldHit| found.in_other = found.in_other.max(-hit.distance);
                    each_near(arm, &posed.points, (other, &near), 0.0, deeper);
                }
                seen[i][at] = found;
            }
        }
        seen
    }

    /// Where an arm goes through the body, it leaves by one side for the whole stretch of frames.
    fn choose_sides(
        &self,
        start: usize,
        seen: &mut [Vec<Seen>; 2],
        field: &mut PosedField<'_>,
        pose: &mut Frame,
    ) {
        let around = (AROUND * self.clip.rate().fps()).ceil() as usize;
        let (least, step) = (self.body.person(THROUGH), self.body.person(MARGIN));
        for (i, seen) in seen.iter_mut().enumerate() {
            let depths: Vec<Depth> = seen.iter().map(|seen| seen.depth).collect();
            for stretch in stretches(&depths, least, around) {
                let mut ways = Vec::with_capacity(stretch.len());
                for at in stretch.clone() {
                    pose.place(self.clip, start + at);
                    let is_posed = field.pose(&pose.object);
                    let [left, right] = self.arms(&pose.object);
                    let arm = if i == 0 { left } else { right };
                    let Some((arm, posed)) = arm.filter(|_| is_posed) else {
                        ways.push([0.0; 5]);
                        continue;
                    };
                    let (middle, radius) = posed.ball();
                    // Ways out lead further than the arm is.
                    let near = field.near(&middle, radius + self.body.person(FAR));
                    let sides = self.sides[i].map(|side| posed.frame * side);
                    let mut way = [0.0f64; 5];
                    each_near(arm, &posed.points, (field, &near), 0.0, |point, hit| {
                        for (way, side) in way.iter_mut().zip(&sides) {
                            let direction = towards(&hit.normal, side);
                            *way = way.max(way_out((field, &near), &posed.points[point], &direction, step));
                        }
                    });
                    ways.push(way);
                }
                let total = |side: usize| ways.iter().map(|way| way[side] * way[side]).sum::<f64>();
                let totals: [f64; 5] = std::array::from_fn(total);
                let best = (0..5).fold(0, |best, next| if totals[next] < totals[best] { next } else { best });
                for (at, way) in stretch.zip(ways) {
                    seen[at].exit = Exit { side: Some(self.sides[i][best]), way: way[best] };
                }
            }
        }
    }

    /// By frame: how far places on an arm may move [units of the skeleton].
    fn most_moved(&self, start: usize, seen: &[Seen], ahead: usize) -> Vec<f64> {
        let ways: Vec<f64> = seen.iter().map(|seen| seen.exit.way.max(seen.in_other)).collect();
        let (slack, pull) = (self.body.person(SLACK), self.body.person(MOST_PULL));
        let pulled = |at: usize| if self.in_contact(start + at) { pull } else { 0.0 };
        let most = envelope(&ways, ahead).into_iter().enumerate();
        most.map(|(at, way)| LEVER * way + slack + pulled(at)).collect()
    }

    fn in_contact(&self, frame: usize) -> bool {
        let weight = |contact: &ArmContacts| contact.weights.get(frame).copied().unwrap_or(0.0);
        self.contacts.iter().any(|contact| weight(contact) > 0.0)
    }

    fn cost(&self) -> Cost {
        let [swivel, bend, turn] = COSTS.map(|cost| self.body.person(cost));
        let scale = Change::new(swivel, bend, turn, turn, turn);
        Cost { scale, most: MOST, met: self.body.person(0.0005) }
    }

    /// How much an arm touches something in a frame, as its source does: 0 to 1.
    fn contact(&self, arm: usize, touched: Touched, frame: usize) -> f64 {
        let own = self.contacts.iter().filter(|contact| contact.arm == arm && contact.touched == touched);
        own.filter_map(|contact| contact.weights.get(frame)).copied().fold(0.0, f64::max)
    }

    /// The changes of both arms in a frame, from those at `base`. Places on an arm move no further than `most`.
    fn solve(
        &self,
        frame: usize,
        object: &Pose,
        field: &mut PosedField<'_>,
        base: [Change; 2],
        exits: [Exit; 2],
        most: [f64; 2],
    ) -> [Solved; 2] {
        let body = self.body;
        let mut changes = base.map(|change| Solved { change, is_less: false, clear: f64::INFINITY });
        if !field.pose(object) {
            return changes;
        }
        let near = body.person(NEAR);
        let arms = self.arms(object);
        let reach = |i: usize| {
            let (_, posed) = arms[i].as_ref()?;
            let (middle, radius) = posed.ball();
            // A turn of 1 rad moves the hand by as much as the arm is long at most.
            Some((
                middle,
                radius + near + (base[i][1].abs() + base[i].fixed_rows::<3>(2).norm()) * posed.reach(),
            ))
        };
        let meet = match (reach(0), reach(1)) {
            (Some((a, far)), Some((b, near))) => (a - b).norm() < far + near,
            _ => false,
        };
        // Each arm meets the other where it is at the start.
        let mut moved = None;
        if meet {
            let mut both = object.clone();
            for (i, arm) in arms.iter().enumerate() {
                if let Some((arm, posed)) = arm {
                    posed.moved(&base[i]).apply(arm, &mut both);
                }
            }
            moved = Some(both);
        }
        for (i, arm) in arms.iter().enumerate() {
            let (Some((arm, posed)), Some((middle, radius))) = (arm, reach(i)) else { continue };
            // A turn of 1 rad moves no place on the arm further than its reach and that of the hand.
            let lever = posed.reach() + radius;
            changes[i].clear = near / lever;
            let contact = [Touched::Core, Touched::Arm].map(|touched| self.contact(i, touched, frame));
            let pull = if contact[0] > 0.0 { body.person(MOST_PULL) } else { 0.0 };
            let core = field.near(&middle, radius + pull);
            let core = (!core.is_empty()).then_some((&*field, core));
            let field = moved.as_ref().and_then(|moved| other_field(body, 1 - i, moved));
            let other = field.as_ref().map(|field| (field, field.near(&middle, radius)));
            let other = other.filter(|(_, near)| !near.is_empty());
            if core.is_some() || other.is_some() {
                let side = exits[i].side.map(|side| posed.frame * side);
                let fields = [(core, contact[0], 1.0, side), (other, contact[1], 0.5, None)];
                let (change, distance) = self.push(arm, posed, &fields, &base[i]);
                let (change, is_less) = self.no_further(arm, posed, &base[i], change, most[i]);
                changes[i] = Solved { change, is_less, clear: distance / lever };
            }
        }
        changes
    }

    /// A change, or as much of the way to it as moves no place on the arm further than `most`.
    fn no_further(
        &self,
        arm: &ArmSurface,
        posed: &PosedArm,
        base: &Change,
        change: Change,
        most: f64,
    ) -> (Change, bool) {
        let far = |change: &Change| {
            let moved = posed.moved(change);
            let places = posed.points.iter().enumerate();
            let squares = places.map(|(i, at)| (moved.place(arm.segment(i), at) - at).norm_squared());
            squares.fold(0.0, f64::max).sqrt()
        };
        if far(&change) <= most {
            return (change, false);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            let part = base + (change - base) * middle;
            *(if far(&part) <= most { &mut low } else { &mut high }) = middle;
        }
        (base + (change - base) * low, true)
    }

    /// The change of an arm that keeps it out of fields: each with how much the arm touches it, and the share of the way
    /// that this arm goes. Also the distance from the nearest field before the change, at most what counts as near.
    fn push(
        &self,
        arm: &ArmSurface,
        posed: &PosedArm,
        fields: &[FieldDemand<'_>],
        base: &Change,
    ) -> (Change, f64) {
        let (near, margin) = (self.body.person(NEAR), self.body.person(MARGIN));
        let (touching, most) = (self.body.person(TOUCHING), self.body.person(MOST_PULL));
        let mut entered = [false; 2];
        let segment = |point: usize| arm.segment(point);
        let mut places = posed.points.clone();
        let (mut distance, mut looked) = (near, false);
        let change = smallest_change(posed, base, &self.cost(), segment, |moved| {
            let at_rest = posed.points.iter().enumerate();
            places.iter_mut().zip(at_rest).for_each(|(to, (i, at))| *to = moved.place(segment(i), at));
            let mut demands = Vec::new();
            for (which, (field, contact, share, side)) in fields.iter().enumerate() {
                let Some((field, carriers)) = field else { continue };
                let within = if *contact > 0.0 { most } else { near };
                let first = demands.len();
                let mut nearest: Option<(f64, Demand)> = None;
                each_near(arm, &places, (field, carriers), within, |point, hit| {
                    if nearest.is_none_or(|(other, _)| hit.distance < other) {
                        let by = (hit.distance - touching) * contact * share;
                        nearest = Some((hit.distance, Demand { point, direction: -hit.normal, by }));
                    }
                    if !looked {
                        distance = distance.min(hit.distance);
                    }
                    if hit.distance < near {
                        entered[which] |= hit.distance < 0.0;
                        let (direction, way) = match side {
                            Some(side) if hit.distance < 0.0 => {
                                let direction = towards(&hit.normal, side);
                                let is_nearest = direction == hit.normal;
                                let way = || way_out((field, carriers), &places[point], &direction, margin);
                                (direction, if is_nearest { -hit.distance } else { way() })
                            }
                            _ => (hit.normal, -hit.distance),
                        };
                        demands.push(Demand { point, direction, by: (margin + way) * share });
                    }
                });
                if !entered[which] {
                    demands.truncate(first);
                }
                let pulled = nearest.filter(|(distance, demand)| {
                    *contact > 0.0 && *distance > margin && *distance < most && demand.by > 0.0
                });
                demands.extend(pulled.map(|(_, demand)| demand));
            }
            looked = true;
            demands
        });
        (change, distance)
    }

    /// The clip with changed arms.
    fn changed(
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
                let palette = self.body.surface.palette(&pose.object);
                let posed = PosedArm::of(arm, &self.body.surface, &pose.object, &palette, &self.hinges[i]);
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
                    // The same half of quaternions as before: neighbours in time are near.
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
