//! Arms whose hands hold something: only the elbow swivels to bring the forearm out of the trunk,
//! so hands stay where they are.
//!
//! 1. In each frame and for both directions, the least swivel that brings the forearm out of trunk,
//!    head and legs, or the one that leaves least of it inside.
//! 2. All frames of a stretch swivel in one direction: the one that leaves less inside.
//! 3. The swivel is smoothed upwards: nowhere less than what a frame needs. A stretch in which it
//!    does not help stays unchanged.
//!
//! What is left inside is measured and reported: to bring it out, the hand would have to leave what
//! it holds.

use super::TargetSurface;
use super::arm::{Change, PosedArm};
use super::body_in_motion::{Frame, Stage};
use super::body_surface::{ArmSurface, BodySurface};
use super::own_view::OwnView;
use crate::smoothing::envelope;
use mocap_analysis::runs_within;
use mocap_model::{Clip, ModelError, Side, Vector3};
use mocap_skin::{InsideMeter, Part, PosedField, Sided};
use std::ops::Range;

/// The greatest swivel that is added \[rad\].
const MOST: f64 = 25.0 * std::f64::consts::PI / 180.0;
/// Number of swivels that are tried each way round.
const TRIED: usize = 10;
/// Duration over which the swivel comes and goes \[s\].
const FADE: f64 = 0.5;
/// A forearm less deep than this counts as outside, for a person of 1.7 m \[m\]: the accuracy of distance fields.
const DEEP: f64 = 0.004;
/// Weight of the squared swivel \[rad²\] beside the squared depth as a share of the body's height.
const SWIVEL_COST: f64 = 1e-6;

/// How far a forearm still penetrates trunk, head or legs, in the frames in which its hand holds something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForearmInside {
    /// Number of frames in which it is inside.
    pub frames: usize,
    /// From the first to the last of these frames; the end is not included.
    pub range: Range<usize>,
    /// The frame in which it is deepest.
    pub worst: usize,
    /// Its depth there, on the mesh [units of the skeleton].
    pub deepest: f64,
    /// Share of its vertices inside there, on the mesh, 0 to 1.
    pub share: f64,
}

impl TargetSurface {
    /// A motion whose forearm of a side is brought out of trunk, head and legs by the swivel of its
    /// elbow, in the frames in which the hand holds something (`held`), and what is left inside.
    /// Positions and rotations of the hand stay. `None` without that arm, or if it never holds
    /// anything.
    ///
    /// # Errors
    /// If a rotation is not finite.
    pub fn swivel_out(
        &self,
        clip: Clip,
        side: Side,
        held: &[bool],
    ) -> Result<(Clip, Option<ForearmInside>), ModelError> {
        let body = &*self.body;
        let index = usize::from(side == Side::Right);
        let (Some(core), Some(arm)) = (&body.core, &body.arms[index]) else { return Ok((clip, None)) };
        let frames: Vec<usize> = (0..clip.frames()).filter(|frame| held.get(*frame) == Some(&true)).collect();
        let Some(first) = frames.first() else { return Ok((clip, None)) };
        let stage = Stage::of(body, &clip, &[], None);
        let mut pose = Frame::new(&clip);
        pose.place(&clip, *first);
        let Some(field) = core.posed(&pose.object) else { return Ok((clip, None)) };
        let mut forearm =
            Forearm { body, arm, hinge: stage.hinges[index], view: stage.view, clip: &clip, pose, field };
        let least = body.person(DEEP);
        let depths: Vec<f64> = frames.iter().map(|frame| forearm.depth(*frame, 0.0)).collect();
        let mut deep = vec![false; clip.frames()];
        frames.iter().zip(&depths).for_each(|(frame, depth)| deep[*frame] = *depth > least);
        let ahead = (FADE * clip.rate().fps()).round() as usize;
        let mut changes = [vec![Change::zeros(); clip.frames()], vec![Change::zeros(); clip.frames()]];
        for stretch in runs_within(&deep, 4 * ahead) {
            let around =
                stretch.start.saturating_sub(2 * ahead)..(stretch.end + 2 * ahead).min(clip.frames());
            let swivels = forearm.swivels(&stretch, &deep, around.clone(), ahead);
            for (frame, swivel) in around.zip(swivels) {
                changes[index][frame][0] = swivel;
            }
        }
        let mut inside = ForearmInside::default();
        let mut deepest = 0.0;
        for frame in frames {
            let depth = forearm.depth(frame, changes[index][frame][0]);
            if depth <= least {
                continue;
            }
            inside.range.start = if inside.frames == 0 { frame } else { inside.range.start };
            inside.range.end = frame + 1;
            inside.frames += 1;
            if depth > deepest {
                (deepest, inside.worst) = (depth, frame);
            }
        }
        let mut pose = forearm.pose;
        let changed = match changes[index].iter().any(|change| *change != Change::zeros()) {
            true => stage.changed(&changes, None, &mut pose)?,
            false => clip,
        };
        if inside.frames > 0 {
            inside.measure(body, index, &changed, &mut pose);
        }
        Ok((changed, Some(inside)))
    }
}

impl ForearmInside {
    /// Measures the worst frame on the mesh.
    fn measure(&mut self, body: &BodySurface, arm: usize, clip: &Clip, pose: &mut Frame) {
        let part = Part::Forearm(Sided::BOTH[arm]);
        let own = (0..body.parts.len()).filter(|vertex| body.parts[*vertex] == part);
        let own = own.map(|vertex| vertex as u32).collect();
        let Some(mut meter) = InsideMeter::new(&body.surface, own, |vertex| body.parts[vertex].is_core())
        else {
            return;
        };
        pose.place(clip, self.worst);
        let found = meter.measure(&body.surface, &body.surface.palette_of(&pose.object));
        (self.deepest, self.share) = (found.deepest, found.share);
    }
}

/// The forearm of a side in the frames of a motion.
struct Forearm<'a> {
    body: &'a BodySurface,
    arm: &'a ArmSurface,
    /// Bend axis of the elbow, in the frame of the upper arm.
    hinge: Vector3<f64>,
    view: OwnView,
    clip: &'a Clip,
    pose: Frame,
    field: PosedField<'a>,
}

impl Forearm<'_> {
    /// How deep it is inside in a frame after a swivel of the elbow \[rad\]; 0 outside [units of the skeleton].
    fn depth(&mut self, frame: usize, swivel: f64) -> f64 {
        self.posed(frame).map_or(0.0, |posed| self.depth_of(&posed, swivel))
    }

    /// The arm in a frame; `None` if the body is degenerate there.
    fn posed(&mut self, frame: usize) -> Option<PosedArm> {
        self.pose.place(self.clip, frame);
        self.pose.see(&self.view);
        let object = &self.pose.object;
        if !self.field.pose(object) {
            return None;
        }
        let palette = self.body.surface.palette_of(object);
        Some(PosedArm::of(self.arm, &self.body.surface, object, &palette, &self.hinge))
    }

    fn depth_of(&self, posed: &PosedArm, swivel: f64) -> f64 {
        let mut change = Change::zeros();
        change[0] = swivel;
        let moved = posed.moved(&change);
        let points = self.arm.points.points.iter().zip(&posed.points);
        let places = points.filter(|(point, _)| !point.on_hand).map(|(_, at)| moved.place(1, at));
        places.fold(0.0, |deepest, at| match self.field.at(&at, 0.0) {
            Some(hit) => deepest.max(-hit.distance),
            None => deepest,
        })
    }

    /// The swivels around a stretch of deep frames \[rad\]; zeros where they do not help.
    fn swivels(
        &mut self,
        stretch: &Range<usize>,
        deep: &[bool],
        around: Range<usize>,
        ahead: usize,
    ) -> Vec<f64> {
        let least = self.body.person(DEEP);
        let deep: Vec<usize> = stretch.clone().filter(|frame| deep[*frame]).collect();
        // By way round: the swivel that each frame needs, and the cost of all.
        let mut ways = [1.0, -1.0].map(|way| (way, vec![0.0; around.len()], 0.0));
        let mut before = 0.0;
        for frame in &deep {
            let Some(posed) = self.posed(*frame) else { continue };
            before += self.cost(self.depth_of(&posed, 0.0), 0.0);
            for (way, needs, cost) in &mut ways {
                let mut best = (self.depth_of(&posed, 0.0), 0.0);
                for step in 1..=TRIED {
                    let swivel = MOST * step as f64 / TRIED as f64;
                    let depth = self.depth_of(&posed, *way * swivel);
                    if depth < best.0 {
                        best = (depth, swivel);
                    }
                    if depth <= least / 2.0 {
                        break;
                    }
                }
                needs[frame - around.start] = best.1;
                *cost += self.cost(best.0, best.1);
            }
        }
        let [one, other] = ways;
        let (way, needs, _) = if other.2 < one.2 { other } else { one };
        let swivels: Vec<f64> = envelope(&needs, ahead).into_iter().map(|need| way * need).collect();
        let mut after = 0.0;
        for frame in &deep {
            let swivel = swivels[frame - around.start];
            let depth = self.depth(*frame, swivel);
            after += self.cost(depth, swivel);
        }
        if after < before { swivels } else { vec![0.0; around.len()] }
    }

    fn cost(&self, depth: f64, swivel: f64) -> f64 {
        (depth / self.body.height).powi(2) + SWIVEL_COST * swivel * swivel
    }
}
