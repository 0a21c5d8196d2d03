//! The stage after all others: keeps forearms and hands out of trunk, head, legs and each other.
//!
//! 1. In each frame, the smallest change of each arm that keeps places on it outside of the distance field of the body:
//!    the elbow swivels first, then the wrist moves along the normal of the surface.
//! 2. Changes are smoothed in time, upwards only: nowhere less than what a frame needs.
//! 3. What is inside after that is changed again, from there.
//!
//! Frames further than 0.3 s from any that needs a change keep every bit.

use super::arm::{Change, PosedArm};
use super::body_surface::{ArmSurface, BodySurface};
use super::contacts::{ArmContacts, Touched, other_field};
use super::push::{Cost, Demand, smallest_change};
use crate::pair::TargetLimits;
use crate::reference_pose::Directions;
use crate::smoothing::envelope;
use mocap_model::{Clip, JointTracks, ModelError, Pose, Track, UnitQuaternion, Vector3};
use mocap_skin::PosedField;
use std::sync::Arc;

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
/// A swivel of 1 rad costs as much as this movement of the wrist, on a person \[m\].
const SWIVEL_COST: f64 = 0.08;
/// The largest swivel \[rad\], and the largest movement of a wrist, on a person \[m\].
const MOST_SWIVEL: f64 = 0.7;
const MOST: f64 = 0.3;

/// Keeps the arms of a motion outside of its body. The same clip where nothing is inside.
pub(crate) fn keep_apart(
    body: &BodySurface,
    limits: Option<&TargetLimits>,
    contacts: &[ArmContacts],
    clip: Clip,
) -> Result<Clip, ModelError> {
    let Some(core) = &body.core else { return Ok(clip) };
    let stage = Stage { body, clip: &clip, contacts, back: -Directions::of(clip.skeleton()).forward };
    let frames = clip.frames();
    let ahead = ((FADE * clip.rate().fps()) / 2.0).floor().max(1.0) as usize;
    let mut changes: [Vec<Change>; 2] = [vec![Change::zeros(); frames], vec![Change::zeros(); frames]];
    let mut pose = Frame::new(&clip);
    pose.place(&clip, 0);
    let Some(mut field) = core.posed(&pose.object) else { return Ok(clip) };
    // Frames that a change can be near.
    let mut open: Vec<bool> = vec![true; frames];
    for pass in 0..PASSES {
        let mut needs: [Vec<Change>; 2] = [vec![Change::zeros(); frames], vec![Change::zeros(); frames]];
        let mut any = false;
        for frame in (0..frames).filter(|frame| open[*frame]) {
            pose.place(&clip, frame);
            let base = [changes[0][frame], changes[1][frame]];
            let found = stage.solve(frame, &pose.object, &mut field, base);
            for arm in 0..2 {
                needs[arm][frame] = found[arm] - base[arm];
                any |= needs[arm][frame] != Change::zeros();
            }
        }
        if !any {
            break;
        }
        if pass == 0 {
            let needed: Vec<f64> = (0..frames)
                .map(|frame| f64::from((0..2).any(|arm| needs[arm][frame] != Change::zeros())))
                .collect();
            open = envelope(&needed, ahead).iter().map(|weight| *weight > 1e-9).collect();
        }
        for arm in 0..2 {
            let smooth = smoothed(&needs[arm], ahead, &open);
            changes[arm].iter_mut().zip(smooth).for_each(|(change, more)| *change += more);
        }
    }
    stage.changed(&changes, limits, &mut pose)
}

/// Each part of a change smoothed, upwards and downwards apart: nowhere less than needed on either side.
fn smoothed(needs: &[Change], ahead: usize, open: &[bool]) -> Vec<Change> {
    let mut smooth = vec![Change::zeros(); needs.len()];
    for i in 0..4 {
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
    /// Away from where the body looks, at rest.
    back: Vector3<f64>,
}

impl Stage<'_> {
    fn cost(&self) -> Cost {
        Cost {
            swivel: self.body.person(SWIVEL_COST),
            most_swivel: MOST_SWIVEL,
            most: self.body.person(MOST),
            met: self.body.person(0.0005),
        }
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
            Some((arm, PosedArm::of(arm, &body.surface, object, &palette, &self.back)))
        });
        let reach = |i: usize| {
            let (_, posed) = arms[i].as_ref()?;
            let (middle, radius) = posed.ball();
            Some((middle, radius + near + base[i].fixed_rows::<3>(1).norm()))
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
            let core = (field.nearness(&middle) <= radius + pull).then_some(&*field);
            let other = moved.as_ref().and_then(|moved| other_field(body, 1 - i, moved));
            let fields = [(core, contact[0], 1.0), (other.as_ref(), contact[1], 0.5)];
            if core.is_some() || other.is_some() {
                changes[i] = self.push(arm, posed, &fields, &base[i]);
            }
        }
        changes
    }

    /// The change of an arm that keeps it out of fields: each with how much the arm touches it, and the share of the way
    /// that this arm goes.
    fn push(
        &self,
        arm: &ArmSurface,
        posed: &PosedArm,
        fields: &[(Option<&PosedField<'_>>, f64, f64)],
        base: &Change,
    ) -> Change {
        let (near, margin) = (self.body.person(NEAR), self.body.person(MARGIN));
        let (touching, most) = (self.body.person(TOUCHING), self.body.person(MOST_PULL));
        let segment = |point: usize| if arm.points[point].on_hand { 2 } else { 1 };
        let mut entered = [false; 2];
        smallest_change(posed, base, &self.cost(), segment, |moved| {
            let mut demands = Vec::new();
            for (which, (field, contact, share)) in fields.iter().enumerate() {
                let Some(field) = field else { continue };
                let within = if *contact > 0.0 { most } else { near };
                let first = demands.len();
                let mut nearest: Option<(f64, Demand)> = None;
                for (point, at) in posed.points.iter().enumerate() {
                    let Some(hit) = field.at(&moved.place(segment(point), at), within) else { continue };
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
        for (arm, changes) in self.body.arms.iter().zip(changes) {
            let Some(arm) = arm else { continue };
            if changes.iter().all(|change| *change == Change::zeros()) {
                continue;
            }
            let mut rotations: [Vec<UnitQuaternion<f64>>; 3] = arm.joints.map(|joint| {
                let track = &clip.track(joint).rotation;
                (0..clip.frames()).map(|frame| track.at(frame)).collect()
            });
            for (frame, change) in changes.iter().enumerate().filter(|(_, change)| **change != Change::zeros())
            {
                pose.place(clip, frame);
                let palette = self.body.surface.palette(&pose.object);
                let posed = PosedArm::of(arm, &self.body.surface, &pose.object, &palette, &self.back);
                posed.moved(change).apply(arm, &mut pose.object);
                for (joint, rotations) in arm.joints.into_iter().zip(&mut rotations) {
                    let own = pose.object.joints[joint.index()].rotation;
                    let above = skeleton.joint(joint).parent;
                    let above = above
                        .map_or_else(UnitQuaternion::identity, |above| pose.object.joints[above.index()].rotation);
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

