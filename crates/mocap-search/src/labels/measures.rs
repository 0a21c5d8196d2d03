//! The measures of a body that rules use, by sample.

use super::runs::{runs, smoothed};
use super::{Label, Measured, Segment};
use crate::SearchError;
use crate::motion::{DETAILED, Joints, Motion, Sample};
use mocap_analysis::{ContactOptions, FootMotion, feet_of};
use mocap_model::{Clip, Side, Vector3};
use mocap_retarget::map_roles_in;
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// Indices into [`Sample::points`]; pairs are left and right.
pub(super) const HEAD: usize = 0;
pub(super) const SHOULDERS: [usize; 2] = [1, 2];
pub(super) const ELBOWS: [usize; 2] = [3, 4];
pub(super) const HANDS: [usize; 2] = [5, 6];
pub(super) const KNEES: [usize; 2] = [7, 8];
pub(super) const ANKLES: [usize; 2] = [9, 10];

pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// The measures of a motion, one per sample; lengths are in leg lengths.
pub(super) struct Measures {
    pub(super) samples: Vec<Sample>,
    /// Samples per second.
    pub(super) rate: f64,
    /// Height of the middle of the hip joints above the floor.
    pub(super) hips: Vec<f64>,
    /// The height of the hips when standing.
    pub(super) standing: f64,
    /// Height of ankles above their height when standing.
    pub(super) feet: [Vec<f64>; 2],
    pub(super) knees: [Vec<f64>; 2],
    pub(super) hands: [Vec<f64>; 2],
    pub(super) head: Vec<f64>,
    /// Distance of the wrists on the original body: hands that meet there may be apart on the standard body.
    pub(super) wrists: Vec<f64>,
    /// Where the pelvis faces \[rad\], continuous over time, smoothed over half a second.
    pub(super) heading: Vec<f64>,
    /// Whether both feet are off the floor and the body is in free fall; hanging and climbing are not flights.
    pub(super) aloft: Vec<bool>,
    /// Whether a foot is on the floor.
    pub(super) contact: [Vec<bool>; 2],
    /// Speed of the hips over the floor, smoothed over half a second [1/s].
    pub(super) speed: Vec<f64>,
    /// Mean speed of the points relative to the hips, smoothed [1/s].
    pub(super) activity: Vec<f64>,
    /// Metres in a leg length.
    pub(super) metres: Option<f64>,
    pub(super) duration: f64,
}

impl Measures {
    pub(super) fn of(clip: &Clip) -> Result<Measures, SearchError> {
        let joints = Joints::of(clip)?;
        let motion = Motion::of_joints(&joints, clip, DETAILED);
        let count = motion.samples.len();
        let fps = clip.rate().fps();
        let placed: Vec<_> = (0..count).map(|at| joints.between(at as f64 / DETAILED * fps)).collect();
        let height = |joint: usize| -> Vec<f64> {
            placed.iter().map(|joints_now| joints_now[joint].dot(&joints.up) / joints.leg).collect()
        };
        let ankles = [height(4), height(7)];
        // A standing body has at least one foot on the floor: the lower of the 5th percentiles of
        // both ankles gives the floor.
        let lowest =
            [0, 1].map(|side| mocap_analysis::percentile(&mut ankles[side].clone(), 0.05).unwrap_or(0.0));
        let floor = lowest[0].min(lowest[1]) - ANKLE;
        let above = |values: Vec<f64>| values.into_iter().map(|value| value - floor).collect::<Vec<_>>();
        let (left, right) = (height(2), height(5));
        let hips: Vec<f64> = left.iter().zip(&right).map(|(a, b)| (a + b) / 2.0 - floor).collect();
        let radius = (DETAILED / 4.0) as usize;
        let along = |axis: usize| -> Vec<f64> {
            let values: Vec<f64> = motion.samples.iter().map(|s| f64::from(s.velocity[axis])).collect();
            smoothed(&values, radius)
        };
        let speed: Vec<f64> = along(0).iter().zip(along(2)).map(|(x, z)| x.hypot(z)).collect();
        let activity = (0..count).map(|at| activity(&motion.samples, at)).collect::<Vec<_>>();
        let feet = ankles
            .map(|heights| heights.into_iter().map(|height| height - floor - ANKLE).collect::<Vec<f64>>());
        let contact = on_floor(clip, count);
        let off = |at: usize| (0..2).all(|side| feet[side][at] > ALOFT && !contact[side][at]);
        let centre: Vec<f64> =
            placed.iter().map(|joints_now| centre(joints_now, &joints.up) / joints.leg).collect();
        let aloft = flights(&(0..count).map(off).collect::<Vec<_>>(), &centre);
        let facing = |at: usize| joints.heading_of(placed[at][2] - placed[at][5]);
        Ok(Measures {
            rate: DETAILED,
            standing: 1.0 + ANKLE,
            heading: smoothed(&unwrapped((0..count).map(facing)), radius),
            feet,
            aloft,
            knees: [above(height(3)), above(height(6))],
            hands: [above(height(10)), above(height(13))],
            head: above(height(1)),
            wrists: placed.iter().map(|at| (at[10] - at[13]).norm() / joints.leg).collect(),
            contact,
            activity: smoothed(&activity, radius),
            speed,
            hips,
            metres: motion.metres.map(|metres| metres * motion.leg),
            duration: motion.duration,
            samples: motion.samples,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Samples in a time \[s\].
    pub(super) fn samples_in(&self, seconds: f64) -> usize {
        (seconds * self.rate).round() as usize
    }

    /// A point of the standard body: left, up, forward of the hips.
    pub(super) fn point(&self, point: usize, at: usize) -> Vector3<f64> {
        Vector3::from(self.samples[at].points[point]).map(f64::from)
    }

    /// The height of the lower ankle above its height when standing.
    pub(super) fn lowest_foot(&self, at: usize) -> f64 {
        self.feet[0][at].min(self.feet[1][at])
    }

    /// Height of the shoulders above the hips: 0.587 in an upright stance.
    pub(super) fn trunk(&self, at: usize) -> f64 {
        (self.point(SHOULDERS[0], at).y + self.point(SHOULDERS[1], at).y) / 2.0
    }

    /// The velocity of a point relative to another [1/s].
    pub(super) fn velocity(&self, point: usize, from: usize, at: usize) -> Vector3<f64> {
        let (before, after) = (at.saturating_sub(1), (at + 1).min(self.len() - 1));
        let seconds = (after - before).max(1) as f64 / self.rate;
        let place = |at: usize| self.point(point, at) - self.point(from, at);
        (place(after) - place(before)) / seconds
    }

    /// A segment of samples, with the figures that all segments have.
    pub(super) fn segment(
        &self,
        label: Label,
        range: &Range<usize>,
        side: Option<Side>,
        measured: Vec<Measured>,
    ) -> Segment {
        let rows = &self.samples[range.clone()];
        let count = rows.len() as f64;
        let mean = |axis: usize| rows.iter().map(|s| f64::from(s.velocity[axis])).sum::<f64>() / count;
        let (left, forward) = (mean(0), mean(2));
        let speed = self.speed[range.clone()].iter().sum::<f64>() / count;
        let moves = left.hypot(forward) > 0.15;
        let share = |side: usize| {
            self.contact[side][range.clone()].iter().filter(|contact| **contact).count() as f64 / count
        };
        Segment {
            label,
            start: range.start as f64 / self.rate,
            end: (range.end as f64 / self.rate).min(self.duration),
            side,
            speed: self.metres.map(|metres| speed * metres),
            direction: moves.then(|| left.atan2(forward)),
            turn: rows.iter().map(|s| f64::from(s.turn)).sum::<f64>() / self.rate,
            left_contact: share(0),
            right_contact: share(1),
            measured,
        }
    }
}

/// Height of the ankle joint above the floor when standing [leg lengths].
const ANKLE: f64 = 0.09;

/// Least height of feet off the floor [leg lengths].
const ALOFT: f64 = 0.06;
/// The acceleration of a falling body at a leg of 0.85 m [leg lengths / s²].
const GRAVITY: f64 = 9.81 / 0.85;
/// Flights up to this duration are too short to test for free fall \[s\].
const GLIMPSE: f64 = 0.2;

/// Approximate height of the centre of mass, with shares of the body's mass at the middles of trunk, thighs and shanks,
/// and at the elbows. In flight, only the centre of mass follows a parabola; the hips do not in a somersault.
fn centre(joints: &[Vector3<f64>; 14], up: &Vector3<f64>) -> f64 {
    let height = |pair: [usize; 2]| (joints[pair[0]].dot(up) + joints[pair[1]].dot(up)) / 2.0;
    let [hips, knees, ankles, shoulders, elbows] = [[2, 5], [3, 6], [4, 7], [8, 11], [9, 12]].map(height);
    0.58 * (hips + shoulders) / 2.0
        + 0.2 * (hips + knees) / 2.0
        + 0.12 * (knees + ankles) / 2.0
        + 0.1 * elbows
}

/// The samples of flights among those in which the feet are off the floor.
fn flights(off: &[bool], centre: &[f64]) -> Vec<bool> {
    let mut aloft = vec![false; off.len()];
    for range in runs(off, 0, 1) {
        if (range.len() as f64) < GLIMPSE * DETAILED || falls(&centre[range.clone()]) {
            aloft[range].fill(true);
        }
    }
    aloft
}

/// Whether heights follow the parabola of free fall: for an acceleration a over a time t, the mean of the middle third
/// is above that of the outer thirds by a·t²/18.
fn falls(heights: &[f64]) -> bool {
    let (count, third) = (heights.len(), heights.len() / 3);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let outer = (mean(&heights[..third]) + mean(&heights[count - third..])) / 2.0;
    let seconds = count as f64 / DETAILED;
    let acceleration = (mean(&heights[third..count - third]) - outer) * 18.0 / (seconds * seconds);
    (0.4..2.5).contains(&(acceleration / GRAVITY))
}

/// Angles without jumps of a whole turn.
fn unwrapped(angles: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut last = None;
    angles
        .map(|angle| {
            let near = last.map_or(angle, |last: f64| last + (angle - last + PI).rem_euclid(TAU) - PI);
            last = Some(near);
            near
        })
        .collect()
}

fn activity(samples: &[Sample], at: usize) -> f64 {
    let (before, after) = (at.saturating_sub(1), (at + 1).min(samples.len() - 1));
    let seconds = (after - before).max(1) as f64 / DETAILED;
    let pairs = samples[before].points.iter().zip(&samples[after].points);
    let moved = pairs.map(|(a, b)| (0..3).map(|k| f64::from(b[k] - a[k]).powi(2)).sum::<f64>().sqrt());
    moved.sum::<f64>() / samples[at].points.len() as f64 / seconds
}

/// Whether the toes or the heel of a foot are on the floor, by sample.
fn on_floor(clip: &Clip, count: usize) -> [Vec<bool>; 2] {
    let skeleton = map_roles_in(clip).certain().apply(clip.skeleton());
    let feet = feet_of(&skeleton);
    // The floor is estimated from both feet together.
    let motions = FootMotion::of(clip, &feet);
    let of = |side: Side| {
        let foot = feet.iter().position(|foot| foot.side == side);
        let found = foot.map(|foot| motions[foot].contacts(&ContactOptions::default()));
        (0..count)
            .map(|at| {
                let frame = (at as f64 / DETAILED * clip.rate().fps()).round() as usize;
                let frame = frame.min(clip.frames() - 1);
                found.as_ref().is_some_and(|found| found.toe[frame] || found.heel[frame])
            })
            .collect()
    };
    SIDES.map(of)
}
