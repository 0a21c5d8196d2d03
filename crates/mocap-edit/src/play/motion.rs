//! A motion of a graph, ready to be sampled at any time; loops are endless.

use mocap_model::{Clip, Vector3, slerp};
use nalgebra::Translation3;

use super::frame::Moment;
use super::graph::GraphClip;
use crate::EditError;
use crate::blend::{Gait, repeated, root_at};
use crate::body::Body;
use crate::root::{Travel, travel};
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;

/// Number of repetitions of a loop; the middle one is sampled, far from the ends of the smoothing of the root.
const COPIES: usize = 5;
const MIDDLE: usize = 2;

#[derive(Debug)]
pub(super) struct Motion {
    samples: Samples,
    root_motion: RootMotionJoint,
    travel: Travel,
    gait: Gait,
    /// By foot, then by frame.
    in_contact: Vec<Vec<bool>>,
    fps: f64,
    /// The time of the first frame and the length \[s\].
    start: f64,
    pub(super) length: f64,
    pub(super) looped: bool,
    /// Strides of one repetition.
    strides: f64,
    /// The phase at `start`.
    first_phase: f64,
}

impl Motion {
    /// Joints above the hips are held in the pose of `reference`.
    pub(super) fn new(given: &GraphClip, body: &Body, reference: &Samples) -> Result<Motion, EditError> {
        let rate = reference.rate;
        let clip =
            if given.clip.rate() == rate { given.clip.clone() } else { crate::resample(&given.clip, rate)? };
        let clip = if given.looped { repeated(&clip, COPIES)? } else { clip };
        let gait = Gait::of(&clip, body).or_else(|_| Gait::stretched(&clip))?;
        let mut samples = Samples::of(&clip);
        let root_motion = RootMotionJoint::hips(&clip, body);
        root_motion.hold_above(&mut samples, reference);
        let held: Clip = samples.clone().into_clip("play")?;
        let travel = travel(&held, body);
        let in_contact = match body.contacts(&held) {
            Some(feet) => feet.into_iter().map(|(_, contacts)| contacts.toe).collect(),
            None => vec![vec![false; held.frames()]; body.feet.len()],
        };
        let fps = rate.fps();
        let frames = held.frames();
        let (start, length) = match given.looped {
            true => ((frames / COPIES * MIDDLE) as f64 / fps, (frames / COPIES) as f64 / fps),
            false => (0.0, (frames - 1) as f64 / fps),
        };
        let first_phase = gait.phase_at(start);
        let strides = (gait.phase_at(start + length) - first_phase).max(1e-9);
        let looped = given.looped;
        Ok(Motion {
            samples,
            root_motion,
            travel,
            gait,
            in_contact,
            fps,
            start,
            length,
            looped,
            strides,
            first_phase,
        })
    }

    /// The time within the motion: loops wrap around, other motions hold their end.
    pub(super) fn wrapped(&self, time: f64) -> f64 {
        if self.looped { time.rem_euclid(self.length) } else { time.clamp(0.0, self.length) }
    }

    pub(super) fn has_ended(&self, time: f64) -> bool {
        !self.looped && time >= self.length - 1e-9
    }

    /// The phase at a time \[strides\].
    pub(super) fn phase_at(&self, time: f64) -> f64 {
        self.gait.phase_at(self.start + self.wrapped(time))
    }

    /// The time at a phase, modulo whole strides.
    pub(super) fn time_at(&self, phase: f64) -> f64 {
        let from_start = phase - self.first_phase;
        let phase = match self.looped {
            true => self.first_phase + from_start.rem_euclid(self.strides.round().max(1.0)) * self.pace(),
            false => self.first_phase + from_start.clamp(0.0, self.strides),
        };
        self.gait.time_at(phase) - self.start
    }

    /// Strides of the motion per whole stride of a repetition: 1, up to rounding.
    fn pace(&self) -> f64 {
        self.strides / self.strides.round().max(1.0)
    }

    /// The duration of a stride around a time \[s\].
    pub(super) fn seconds_per_stride(&self, time: f64) -> f64 {
        let phase = self.gait.phase_at(self.start + self.wrapped(time));
        let (from, to) = (phase - 0.02, phase + 0.02);
        ((self.gait.time_at(to) - self.gait.time_at(from)) / (to - from)).max(1e-3)
    }

    /// The pose at a time, and the velocity of the root over the next `seconds` of the motion.
    pub(super) fn moment(&self, time: f64, seconds: f64, body: &Body) -> Moment {
        let last = (self.samples.frames - 1) as f64;
        let at = |time: f64| ((self.start + time) * self.fps).clamp(0.0, last);
        let time = self.wrapped(time);
        let place = at(time);
        let nearest = place.round();
        let place = if (place - nearest).abs() < 1e-7 { nearest } else { place };
        let (from, share) = (place.floor() as usize, place - place.floor());
        let to = (from + 1).min(self.samples.frames - 1);
        let samples = &self.samples;
        let rotations = samples.rotations.iter().map(|values| match share > 0.0 {
            true => slerp(&values[from], &values[to], share),
            false => values[from],
        });
        let vector = |values: &Vec<Vector3<f64>>| values[from] + (values[to] - values[from]) * share;
        let root = root_at(&self.travel, body, place);
        let hips = {
            let (a, b) = (self.root_motion.at(samples, from), self.root_motion.at(samples, to));
            let place = a.translation.vector.lerp(&b.translation.vector, share);
            nalgebra::Isometry3::from_parts(Translation3::from(place), slerp(&a.rotation, &b.rotation, share))
        };
        let next = root_at(&self.travel, body, at(time + seconds));
        let moved = root.inverse() * next;
        let in_contact = |flags: &Vec<bool>| f64::from(u8::from(flags[if share < 0.5 { from } else { to }]));
        Moment {
            rotations: rotations.collect(),
            translations: samples.translations.iter().map(|values| values.as_ref().map(vector)).collect(),
            hips: root.inverse() * hips,
            velocity: moved.translation.vector / seconds,
            turn: moved.rotation.scaled_axis().dot(&body.up) / seconds,
            in_contact: self.in_contact.iter().map(in_contact).collect(),
        }
    }
}
