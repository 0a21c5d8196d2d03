//! The stage after all others: keeps forearms and hands out of trunk, head, legs and each other.
//!
//! 1. In each frame, the smallest change of each arm that keeps places on it outside of the distance field of the body:
//!    the elbow swivels first, then it bends and the shoulder turns.
//! 2. Changes are smoothed in time, upwards only: nowhere less than what a frame needs.
//! 3. What is inside after that is changed again, from there.
//!
//! Frames further than 0.3 s from any that needs a change keep every bit.

use super::arm::{Change, PosedArm, hinge_axes};
use super::body_surface::{ArmSurface, BodySurface, Touched};
use super::contacts::{ArmContacts, other_field};
use super::push::{Cost, Demand, smallest_change};
use crate::pair::TargetLimits;
use crate::smoothing::envelope;
use mocap_model::{Clip, JointTracks, ModelError, Pose, Track, UnitQuaternion, Vector3};
use mocap_skin::{Near, PosedField};
use std::ops::Range;
use std::sync::Arc;

/// A field with how it is near, how much an arm touches it, and the share of the way that the arm goes.
type FieldDemand<'a> = (Option<(&'a PosedField<'a>, Near)>, f64, f64);

/// Changes fade in and out over this time, before and after \[s\]: the maximum and the mean of an envelope take half each.
const FADE: f64 = 0.28;
/// How far outside places are put, once they were inside, on a person \[m\].
const MARGIN: f64 = 0.003;
/// Places nearer than this count when others are pushed, on a person \[m\].
const NEAR: f64 = 0.02;
/// An arm that touched its source is brought this near, from at most so far, on a person \[m\].
const TOUCHING: f64 = 0.002;
const MOST_PULL: f64 = 0.08;
/// Times that what is inside after smoothing is changed again.
const PASSES: usize = 4;
/// What 1 rad of swivel, bend and turn cost, as a movement on a person \[m\]: the swivel comes first, the turn moves most.
const COSTS: [f64; 3] = [0.08, 0.25, 0.45];
/// The largest of them \[rad\].
const MOST: [f64; 3] = [0.7, 1.0, 0.8];

/// Keeps the arms of a motion outside of its body. The same clip where nothing is inside. Frames before `start` and after
/// it do not affect each other.
pub(crate) fn keep_apart(
    body: &BodySurface,
    limits: Option<&TargetLimits>,
    contacts: &[ArmContacts],
    clip: Clip,
    start: usize,
) -> Result<Clip, ModelError> {
    let Some(core) = &body.core else { return Ok(clip) };
    let frames = clip.frames();
    let start = start.min(frames);
    let stage = Stage { body, clip: &clip, contacts, hinges: hinge_axes(body, &clip) };
    let mut pose = Frame::new(&clip);
    pose.place(&clip, 0);
    let Some(mut field) = core.posed(&pose.object) else { return Ok(clip) };
    let mut changes = stage.changes(0..start, &mut field, &mut pose);
    for (all, more) in changes.iter_mut().zip(stage.changes(start..frames, &mut field, &mut pose)) {
        all.extend(more);
    }
    stage.changed(&changes, limits, &mut pose)
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
}

impl Stage<'_> {
    /// The changes of both arms in some frames.
    fn changes(&self, range: Range<usize>, field: &mut PosedField<'_>, pose: &mut Frame) -> [Vec<Change>; 2] {
        let none = || [vec![Change::zeros(); range.len()], vec![Change::zeros(); range.len()]];
        let ahead = ((FADE * self.clip.rate().fps()) / 2.0).floor().max(1.0) as usize;
        let mut changes = none();
        // Frames that are near one that needs a change.
        let mut open: Vec<bool> = vec![true; range.len()];
        for pass in 0..PASSES {
            let mut needs = none();
            for (at, frame) in range.clone().enumerate().filter(|(at, _)| open[*at]) {
                pose.place(self.clip, frame);
                let base = [changes[0][at], changes[1][at]];
                let found = self.solve(frame, &pose.object, field, base);
                for arm in 0..2 {
                    needs[arm][at] = found[arm] - base[arm];
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
                let smooth = smoothed(needs, ahead, &open);
                changes.iter_mut().zip(smooth).for_each(|(change, more)| *change += more);
            }
        }
        changes
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

    /// The changes of both arms in a frame, from those at `base`.
    fn solve(
        &self,
        frame: usize,
        object: &Pose,
        field: &mut PosedField<'_>,
        base: [Change; 2],
    ) -> [Change; 2] {
        let body = self.body;
        let mut changes = base;
        if !field.pose(object) {
            return changes;
        }
        let palette = body.surface.palette(object);
        let near = body.person(NEAR);
        let arms = [0, 1].map(|i| {
            let arm = body.arms[i].as_ref()?;
            Some((arm, PosedArm::of(arm, &body.surface, object, &palette, &self.hinges[i])))
        });
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
            let contact = [Touched::Core, Touched::Arm].map(|touched| self.contact(i, touched, frame));
            let pull = if contact[0] > 0.0 { body.person(MOST_PULL) } else { 0.0 };
            let core = field.near(&middle, radius + pull);
            let core = (!core.is_empty()).then_some((&*field, core));
            let field = moved.as_ref().and_then(|moved| other_field(body, 1 - i, moved));
            let other = field.as_ref().map(|field| (field, field.near(&middle, radius)));
            let other = other.filter(|(_, near)| !near.is_empty());
            if core.is_some() || other.is_some() {
                let fields = [(core, contact[0], 1.0), (other, contact[1], 0.5)];
                changes[i] = self.push(arm, posed, &fields, &base[i]);
            }
        }
        changes
    }

    /// The change of an arm that keeps it out of fields: each with how much the arm touches it, and the share of the way
    /// that this arm goes.
    fn push(&self, arm: &ArmSurface, posed: &PosedArm, fields: &[FieldDemand<'_>], base: &Change) -> Change {
        let (near, margin) = (self.body.person(NEAR), self.body.person(MARGIN));
        let (touching, most) = (self.body.person(TOUCHING), self.body.person(MOST_PULL));
        let segment = |point: usize| if arm.points[point].on_hand { 2 } else { 1 };
        let mut entered = [false; 2];
        smallest_change(posed, base, &self.cost(), segment, |moved| {
            let mut demands = Vec::new();
            for (which, (field, contact, share)) in fields.iter().enumerate() {
                let Some((field, carriers)) = field else { continue };
                let within = if *contact > 0.0 { most } else { near };
                let first = demands.len();
                let mut nearest: Option<(f64, Demand)> = None;
                for (point, at) in posed.points.iter().enumerate() {
                    let Some(hit) = field.at_near(&moved.place(segment(point), at), within, carriers) else {
                        continue;
                    };
                    if nearest.is_none_or(|(other, _)| hit.distance < other) {
                        let by = (hit.distance - touching) * contact * share;
                        nearest = Some((hit.distance, Demand { point, direction: -hit.normal, by }));
                    }
                    if hit.distance < near {
                        entered[which] |= hit.distance < 0.0;
                        let by = (margin - hit.distance) * share;
                        demands.push(Demand { point, direction: hit.normal, by });
                    }
                }
                if !entered[which] {
                    demands.truncate(first);
                }
                let pulled = nearest.filter(|(distance, demand)| {
                    *contact > 0.0 && *distance > margin && *distance < most && demand.by > 0.0
                });
                demands.extend(pulled.map(|(_, demand)| demand));
            }
            demands
        })
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
