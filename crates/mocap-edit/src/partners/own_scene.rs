//! People who are together, as they are retargeted and brought together: in a frame, a handedness and poses of their own.
//!
//! The search for ways out of arms and bodies is discontinuous: rounding errors of a pose may decide on which side a hand
//! leaves. Here all scenes that differ only in placement, heading, the order of people, handedness, or by twice the rate
//! get the same numbers: positions and rotations are rounded to steps that are much larger than the rounding errors, and
//! too small to be seen. The changes are then applied to the motions outside of the scene.

use mocap_model::{Clip, ForwardKinematics, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

use super::keys::{at_keys, between_keys, stride};
use super::own_frame::{OwnFrame, ranks};
use super::report::PartnerReport;
use super::{NAME, in_metres, metres_of};
use crate::EditError;
use crate::body::Body;
use crate::mirror::mirrored;
use crate::samples::Samples;

/// Steps of the numbers of a rotation, and of places \[m\].
const TURN: f64 = 1.0 / 262_144.0;
const PLACE: f64 = 1.0 / 65_536.0;
/// People are mirrored if no joint of theirs is further from its mirror image \[m\]: of the source, and of the target.
const UNLIKE: [f64; 2] = [0.001, 0.001];

/// A frame, a handedness, and poses.
#[derive(Clone, Debug)]
pub struct OwnScene {
    /// A turn about the up axis \[rad\], then a move forward and to the left \[m\].
    turn: f64,
    way: [f64; 2],
    is_mirrored: bool,
    /// Every so many frames are poses of the scene.
    stride: usize,
}

impl OwnScene {
    /// The scene of two people or more, who share one rate and length. `alone` are their motions on the targets. People are not
    /// mirrored unless `may_mirror`, or if skeletons are not their own mirror images.
    ///
    /// # Errors
    /// Where a number overflows.
    pub fn of(sources: &[&Clip], alone: &[&Clip], may_mirror: bool) -> Result<OwnScene, EditError> {
        let stride = sources.first().map_or(1, |clip| stride(clip.rate()));
        let keys = sources.iter().map(|clip| at_keys(clip, stride)).collect::<Result<Vec<_>, _>>()?;
        let ranks = ranks(&keys.iter().collect::<Vec<_>>(), alone);
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|a, b| ranks[*a].partial_cmp(&ranks[*b]).unwrap_or(std::cmp::Ordering::Equal));
        let bodies: Vec<Body> = keys.iter().map(Body::of).collect();
        let hips: Vec<[f64; 2]> =
            keys.iter().zip(&bodies).map(|(clip, body)| mean_hips(clip, body)).collect();
        let count = hips.len().max(1) as f64;
        let middle = [0, 1].map(|axis| hips.iter().map(|hips| hips[axis]).sum::<f64>() / count);
        let ahead = match order[..] {
            [first, second, ..] => [0, 1].map(|axis| hips[first][axis] - hips[second][axis]),
            _ => [1.0, 0.0],
        };
        let turn = -ahead[1].atan2(ahead[0]);
        let (sin, cos) = turn.sin_cos();
        let way = [sin * middle[1] - cos * middle[0], -sin * middle[0] - cos * middle[1]];
        let side = order.iter().map(|at| ranks[*at].side).find(|side| *side != 0);
        let mut is_mirrored = may_mirror && side.is_some_and(|side| side > 0);
        for (clips, unlike) in [(sources, UNLIKE[0]), (alone, UNLIKE[1])] {
            for clip in clips {
                is_mirrored = is_mirrored && mirrored(clip)?.1 < unlike;
            }
        }
        Ok(OwnScene { turn, way, is_mirrored, stride })
    }

    /// Whether left and right are exchanged.
    pub fn is_mirrored(&self) -> bool {
        self.is_mirrored
    }

    /// The same scene, not mirrored.
    pub fn unmirrored(self) -> OwnScene {
        OwnScene { is_mirrored: false, ..self }
    }

    /// The poses of a lead-in.
    pub fn lead_in(&self, frames: usize) -> usize {
        frames.div_ceil(self.stride)
    }

    /// A person of the source in the scene.
    ///
    /// # Errors
    /// Where a number overflows.
    pub fn person(&self, clip: &Clip) -> Result<Clip, EditError> {
        let body = Body::of(clip);
        let placed = self.placed(clip, &body)?;
        let placed = if self.is_mirrored { mirrored(&placed)?.0 } else { placed };
        rounded(&placed, PLACE / body.metres_or_one())
    }

    /// A thing of the source in the scene, in the space and unit of a person.
    ///
    /// # Errors
    /// Where a number overflows.
    pub fn thing(&self, thing: &Clip, person: &Clip) -> Result<Clip, EditError> {
        self.placed(thing, &Body::of(person))
    }

    fn placed(&self, clip: &Clip, body: &Body) -> Result<Clip, EditError> {
        let way = (body.forward * self.way[0] + body.lateral * self.way[1]) / body.metres_or_one();
        OwnFrame::turned_and_moved(body.turn(self.turn), way).put(&at_keys(clip, self.stride)?)
    }

    /// Motions on targets, changed as their poses in the scene were, from `before` to `after`. `alone` are those from outside of
    /// the scene, and the middle of all people stays where it is in them.
    ///
    /// # Errors
    /// Where a unit is not known.
    pub fn back(&self, alone: &[&Clip], before: &[&Clip], after: &[&Clip]) -> Result<Vec<Clip>, EditError> {
        let mut turned = Vec::new();
        let mut ways = Vec::new();
        for (alone, changed) in alone.iter().zip(before.iter().zip(after)) {
            let keys = at_keys(&in_metres(alone)?, self.stride)?;
            let body = Body::of(&keys);
            let [before, after] = [self.turned_back(changed.0, &body)?, self.turned_back(changed.1, &body)?];
            let hips = [&keys, &before, &after].map(|clip| mean_hips(clip, &body));
            let way = |from: usize, to: usize| {
                body.forward * (hips[to][0] - hips[from][0]) + body.lateral * (hips[to][1] - hips[from][1])
            };
            // From the motion alone to that in the scene, whose ways are scaled about its middle; and of the middle of all.
            ways.push((way(0, 1), way(2, 0)));
            turned.push([before, after]);
        }
        let middle = ways.iter().map(|way| way.1).sum::<Vector3<f64>>() / alone.len().max(1) as f64;
        let each = alone.iter().zip(turned.iter().zip(&ways)).map(|(alone, ([before, after], (way, _)))| {
            let space = (*alone.skeleton().space(), metres_of(alone)?);
            let moved = |way| OwnFrame::turned_and_moved(UnitQuaternion::identity(), way);
            let placed = moved(way + middle).put(&in_metres(alone)?)?;
            let [before, after] = [moved(middle).put(before)?, moved(middle).put(after)?];
            let changed = between_keys(&placed, [&before, &after], self.stride)?;
            crate::metric::back(&changed, space, NAME)
        });
        each.collect()
    }

    /// Poses of the scene, with the sides and the heading outside of it, in metres.
    fn turned_back(&self, clip: &Clip, body: &Body) -> Result<Clip, EditError> {
        let clip = in_metres(clip)?;
        let clip = if self.is_mirrored { mirrored(&clip)?.0 } else { clip };
        OwnFrame::turning(body.turn(-self.turn)).put(&clip)
    }

    /// A report on the scene in the frames and sides outside of it.
    pub fn report(&self, mut report: PartnerReport, frames: usize) -> PartnerReport {
        if self.is_mirrored {
            report.mirror();
        }
        report.in_frames(self.stride, frames);
        report
    }
}

/// The mean place of the hips, forward and to the left \[m\].
fn mean_hips(clip: &Clip, body: &Body) -> [f64; 2] {
    let mut placed = ForwardKinematics::of_joints(clip, &[body.hips]);
    let mut sum = Vector3::zeros();
    for frame in 0..clip.frames() {
        placed.place(frame);
        sum += placed.position(body.hips);
    }
    let mean = sum * (body.metres_or_one() / clip.frames().max(1) as f64);
    [mean.dot(&body.forward), mean.dot(&body.lateral)]
}

/// A motion whose rotations and places are rounded, with the signs of rotations that follow from the first frame.
fn rounded(clip: &Clip, step: f64) -> Result<Clip, EditError> {
    let mut samples = Samples::of(clip);
    for rotations in &mut samples.rotations {
        let mut last = Quaternion::new(1.0, 1e-3, 1e-6, 1e-9);
        for rotation in rotations {
            let sign = if rotation.coords.dot(&last.coords) < 0.0 { -1.0 } else { 1.0 };
            let coords = rotation.coords.map(|value| to_step(sign * value, TURN));
            *rotation = UnitQuaternion::new_normalize(Quaternion::from(coords));
            last = rotation.into_inner();
        }
    }
    for places in samples.translations.iter_mut().flatten() {
        places.iter_mut().for_each(|place| *place = place.map(|value| to_step(value, step)));
    }
    samples.into_clip(NAME)
}

/// The nearest multiple of a step; 0 has no sign.
fn to_step(value: f64, step: f64) -> f64 {
    (value / step).round() * step + 0.0
}
