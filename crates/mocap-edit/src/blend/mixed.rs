//! The frames of a blend: poses are averaged joint by joint, and the root travels by the weighted velocities.

use mocap_model::{Annotations, Clip, Isometry3, ScalarTrack, UnitQuaternion, Vector3};
use nalgebra::{Translation3, Vector4};

use super::average::Average;
use super::curves::{Curves, Place, Vectors};
use super::source::Source;
use crate::body::Body;
use crate::frame_values::collapsed;
use crate::numbers;
use crate::root::Travel;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::smoothing::{gaussian, unwrapped};

/// The smoothing of the alignment curve \[s\].
const ALIGNED_OVER: f64 = 0.1;

/// The inputs of a blend.
pub(super) struct Mix<'a> {
    /// Gives skeleton and rate.
    pub(super) first: &'a Clip,
    pub(super) body: &'a Body,
    pub(super) root_motion: &'a RootMotionJoint,
    pub(super) sources: &'a [Source],
    /// Whether roots follow the alignment of poses.
    pub(super) aligned: bool,
}

/// A place on the ground, and a heading about the up axis \[rad\].
#[derive(Clone, Copy)]
struct Root {
    place: Vector3<f64>,
    heading: f64,
}

impl Root {
    /// At a place between frames.
    fn of(travel: &Travel, body: &Body, place: f64) -> Root {
        let last = travel.places.len() - 1;
        let (from, to) = (place.floor() as usize, (place.floor() as usize + 1).min(last));
        let share = place - place.floor();
        let ground = body.on_ground(&travel.places[from].lerp(&travel.places[to], share));
        let heading = travel.headings[from] + (travel.headings[to] - travel.headings[from]) * share;
        Root { place: ground, heading }
    }

    fn transform(&self, body: &Body) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.place), body.turn(self.heading))
    }
}

/// The frame of the travel at a place between frames.
pub(crate) fn root_at(travel: &Travel, body: &Body, place: f64) -> Isometry3<f64> {
    Root::of(travel, body, place).transform(body)
}

impl Mix<'_> {
    /// The frames by weights that sum to 1; `times` are those in each motion, by frame \[s\].
    pub(super) fn frames(&self, weights: &[f64], times: &[Vec<f64>]) -> Samples {
        let (fps, joints) = (self.first.rate().fps(), self.first.skeleton().len());
        let places: Vec<Vec<Place>> = self
            .sources
            .iter()
            .zip(times)
            .map(|(source, times)| {
                times.iter().map(|time| Place::new(time * fps, source.curves.frames)).collect()
            })
            .collect();
        let average = Average::new(weights);
        let hips = self.root_motion.joint.index();
        let mut whole = Samples {
            skeleton: self.first.skeleton().clone(),
            rate: self.first.rate(),
            frames: times[0].len(),
            rotations: (0..joints).map(|joint| self.rotations(joint, &average, &places)).collect(),
            translations: Vec::with_capacity(joints),
            scales: Vec::with_capacity(joints),
            annotations: Annotations { scalars: self.numbers(weights, times), ..Annotations::default() },
        };
        for (joint, of_joint) in self.first.skeleton().joints().iter().enumerate() {
            let scale = self.vectors(|curves| &curves.scales[joint], Vector3::repeat(1.0), weights, &places);
            whole.scales.push(scale);
            let rest = of_joint.offset;
            whole.translations.push(match joint == hips {
                // `place_hips` sets them.
                true => Some(vec![rest; times[0].len()]),
                false => self.vectors(|curves| &curves.translations[joint], rest, weights, &places),
            });
        }
        self.place_hips(&mut whole, weights, times, &places);
        whole
    }

    /// Weighted sums of scalar tracks by name. One that a motion lacks is 0 there, the weight of a shape at rest.
    fn numbers(&self, weights: &[f64], times: &[Vec<f64>]) -> Vec<ScalarTrack> {
        let fps = self.first.rate().fps();
        let mut sums: Vec<(String, Vec<f64>)> = Vec::new();
        for ((source, times), weight) in self.sources.iter().zip(times).zip(weights) {
            let last = source.clip.frames().saturating_sub(1) as f64;
            let places: Vec<f64> = times.iter().map(|time| (time * fps).clamp(0.0, last)).collect();
            for track in numbers::at_places(&source.clip.annotations().scalars, &places) {
                let at = sums.iter().position(|(name, _)| *name == track.name).unwrap_or_else(|| {
                    sums.push((track.name.clone(), vec![0.0; places.len()]));
                    sums.len() - 1
                });
                let sum = sums[at].1.iter_mut().enumerate();
                sum.for_each(|(frame, sum)| *sum += weight * track.values.at(frame));
            }
        }
        let track = |(name, values)| ScalarTrack { name, values: collapsed(values, 0.0) };
        sums.into_iter().map(track).collect()
    }

    fn rotations(&self, joint: usize, average: &Average, places: &[Vec<Place>]) -> Vec<UnitQuaternion<f64>> {
        let frames = places[0].len();
        let mut parts = vec![Vector4::zeros(); self.sources.len()];
        let mut at = |frame: usize| {
            for ((part, source), places) in parts.iter_mut().zip(self.sources).zip(places) {
                *part = source.curves.rotations[joint].at(&places[frame]);
            }
            average.of(&parts)
        };
        // `place_hips` sets the rotations of the hips.
        let holds = joint == self.root_motion.joint.index()
            || self.sources.iter().all(|source| source.curves.rotations[joint].is_constant());
        match holds {
            true => vec![at(0); frames],
            false => (0..frames).map(&mut at).collect(),
        }
    }

    fn vectors(
        &self,
        of: impl Fn(&Curves) -> &Option<Vectors>,
        rest: Vector3<f64>,
        weights: &[f64],
        places: &[Vec<Place>],
    ) -> Option<Vec<Vector3<f64>>> {
        let curves: Vec<Option<&Vectors>> =
            self.sources.iter().map(|source| of(&source.curves).as_ref()).collect();
        curves.iter().any(Option::is_some).then(|| {
            let at = |frame: usize| {
                let parts = curves.iter().zip(places).zip(weights);
                parts
                    .map(|((curve, places), weight)| {
                        curve.map_or(rest, |curve| curve.at(&places[frame])) * *weight
                    })
                    .sum()
            };
            (0..places[0].len()).map(at).collect()
        })
    }

    /// The hips: their place in the frame of the root is averaged, and the root travels by the weighted velocities.
    fn place_hips(&self, whole: &mut Samples, weights: &[f64], times: &[Vec<f64>], places: &[Vec<Place>]) {
        let (fps, hips) = (self.first.rate().fps(), self.root_motion.joint.index());
        let mut roots: Vec<Vec<Root>> = self
            .sources
            .iter()
            .zip(times)
            .map(|(source, times)| {
                let last = (source.curves.frames - 1) as f64;
                let place = |time: &f64| (time * fps).clamp(0.0, last);
                times.iter().map(|time| Root::of(&source.travel, self.body, place(time))).collect()
            })
            .collect();
        if self.aligned {
            for other in 1..self.sources.len() {
                roots[other] = self.aligned_roots(other, times, &roots[0]);
            }
        }
        let (above, average) = (self.root_motion.above_at(whole), Average::new(weights));
        let below = above.inverse();
        let offset = self.first.skeleton().joint(self.root_motion.joint).offset;
        let mut root = roots[0][0];
        let mut turns = vec![Vector4::zeros(); roots.len()];
        for frame in 0..whole.frames {
            let (mut place, mut way, mut turn) = (Vector3::zeros(), Vector3::zeros(), 0.0);
            for (source, roots) in roots.iter().enumerate() {
                let (curves, at) = (&self.sources[source].curves, &places[source][frame]);
                let (here, back) = (roots[frame], self.body.turn(-roots[frame].heading));
                let local = curves.translations[hips].as_ref().map_or(offset, |curve| curve.at(at));
                let own = above * nalgebra::Point3::from(local);
                place += back * (own.coords - here.place) * weights[source];
                // The spline is only near unit length: normalise.
                let own = nalgebra::Quaternion::from(curves.rotations[hips].at(at));
                turns[source] = (back.into_inner() * above.rotation.into_inner() * own).coords;
                if let Some(next) = roots.get(frame + 1) {
                    // The velocity in the frame of its heading, scaled by the motion's playback rate in the blend.
                    let pace = fps * (times[source][frame + 1] - times[source][frame]);
                    let share = weights[source] / pace.max(f64::MIN_POSITIVE);
                    way += back * (next.place - here.place) * share;
                    turn += (next.heading - here.heading) * share;
                }
            }
            let relative = Isometry3::from_parts(Translation3::from(place), average.of(&turns));
            let placed = root.transform(self.body);
            whole.set_local(self.root_motion.joint, frame, &(below * (placed * relative)));
            root = Root { place: root.place + placed.rotation * way, heading: root.heading + turn };
        }
    }

    /// The alignment curve: the root of the first motion, aligned to the poses of another motion.
    fn aligned_roots(&self, other: usize, times: &[Vec<f64>], root: &[Root]) -> Vec<Root> {
        let (first, source) = (&self.sources[0], &self.sources[other]);
        let placed = |frame: usize| {
            let there = times[other][frame];
            let moved = source.poses.placement(self.body, there, &first.poses, times[0][frame]);
            moved * root[frame].transform(self.body)
        };
        let placed: Vec<Isometry3<f64>> = (0..root.len()).map(placed).collect();
        let turn = |place: &Isometry3<f64>| place.rotation.scaled_axis().dot(&self.body.up);
        let mut turns: Vec<f64> = placed.iter().map(turn).collect();
        unwrapped(&mut turns);
        let sigma = ALIGNED_OVER * self.first.rate().fps();
        let turns = gaussian(&turns, sigma);
        let places: Vec<Vector3<f64>> = placed.iter().map(|place| place.translation.vector).collect();
        let smooth = gaussian(&places, sigma).into_iter().zip(turns);
        smooth.map(|(place, heading)| Root { place, heading }).collect()
    }
}
