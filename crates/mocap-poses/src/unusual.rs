//! Distances of poses from the examples.

#![allow(rustdoc::broken_intra_doc_links, reason = "the texts are schemas too, where [m] is a unit")]

use crate::body::Body;
use crate::examples::{Examples, PosePrior};
use crate::features::{self, Feature, Frame, View};
use crate::{Placed, PosesError, Vec3};
use mocap_model::{Clip, PlacedJoints};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// Points of poses relative to the hips, one row per pose. The squared distance of two rows is the mean over the points
/// [legs²].
#[derive(Clone, Debug)]
pub(crate) struct Descriptors {
    features: Vec<Feature>,
    size: usize,
    numbers: Vec<f32>,
}

const LANES: usize = 8;

impl Descriptors {
    pub(crate) fn new(body: &Body) -> Descriptors {
        let features = points(body);
        let size = (3 * features.len()).next_multiple_of(LANES);
        Descriptors { features, size, numbers: Vec::new() }
    }

    pub(crate) fn of(examples: &Examples) -> Descriptors {
        let mut made = Descriptors::new(&examples.body);
        examples.all().for_each(|at| made.add(at));
        made
    }

    pub(crate) fn add(&mut self, at: &[Placed]) {
        let row = self.row(at);
        self.numbers.extend(row);
    }

    pub(crate) fn row(&self, at: &[Placed]) -> Vec<f32> {
        let mut numbers = vec![0.0; self.size];
        write_points(&self.features, at, &mut numbers[..3 * self.features.len()]);
        let share = (self.features.len() as f64).sqrt().recip();
        numbers.iter().map(|value| (value * share) as f32).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len() / self.size
    }

    pub(crate) fn at(&self, at: usize) -> &[f32] {
        &self.numbers[at * self.size..(at + 1) * self.size]
    }

    pub(crate) fn only(&self, chosen: &[usize]) -> Descriptors {
        let numbers = chosen.iter().flat_map(|at| self.at(*at).iter().copied()).collect();
        Descriptors { features: self.features.clone(), size: self.size, numbers }
    }

    /// The square of the distance of a row.
    pub(crate) fn distance(&self, at: usize, row: &[f32]) -> f32 {
        let mut sums = [0.0f32; LANES];
        for (a, b) in self.at(at).as_chunks::<LANES>().0.iter().zip(row.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                let difference = a[lane] - b[lane];
                sums[lane] += difference * difference;
            }
        }
        sums.iter().sum()
    }
}

/// The points by which poses are compared.
fn points(body: &Body) -> Vec<Feature> {
    let own = body.trunk.iter().chain(body.limbs.iter().flat_map(|limb| &limb.chain));
    own.map(|joint| Feature::Position(*joint, Frame::Joint(body.hips), 1.0 / body.leg)).collect()
}

/// Writes the points of a pose.
fn write_points(points: &[Feature], at: &[Placed], out: &mut [f64]) {
    let upright = Placed::identity();
    features::write(points, View { at, upright: &upright, up: Vec3::zeros() }, out);
}

/// The square of the distance of the nearest row.
pub(crate) fn nearest(among: &Descriptors, row: &[f32]) -> f32 {
    (0..among.len()).map(|at| among.distance(at, row)).fold(f32::INFINITY, f32::min)
}

/// The distances of the frames of a motion from the examples.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Unusual {
    /// Mean over the frames [m].
    pub mean: Option<f64>,
    /// 95th percentile [m].
    pub p95: Option<f64>,
    /// The greatest [m].
    pub max: Option<f64>,
    /// The frame of the greatest, from 0.
    pub frame: Option<usize>,
    /// Ranges of frames that are further from all examples than twice the distance of any measured frame of the database
    /// (at most 4,000, evenly spread), and than a tenth of a leg.
    pub far: Vec<FarFrames>,
    /// By frame: the distance of the pose from the nearest example, root mean square over the points of the body, seen
    /// from the hips [m].
    pub distances: Vec<f64>,
}

/// A range of frames without a similar example: further from all examples than the limit of [`Unusual::far`].
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FarFrames {
    /// The first one, from 0.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// The greatest distance from the examples [m].
    pub distance: f64,
}

/// A frame is far if its distance is above this multiple of [`PosePrior::spacing`] ...
const FAR: f64 = 2.0;
/// ... and above this, because the spacing is 0 if all frames of the database are examples [lengths
/// of a leg].
const LEAST_FAR: f64 = 0.1;

/// The distance of each frame of a motion from the examples, which are retargeted if theirs is another skeleton.
/// `metres` is the length of a unit of the motion.
///
/// # Errors
/// Where the skeleton is not one of a human body.
pub fn unusual(prior: &PosePrior, clip: &Clip, metres: f64) -> Result<Unusual, PosesError> {
    let examples = Examples::on(prior, clip.skeleton())?;
    let (body, skeleton) = (&examples.body, clip.skeleton());
    let descriptors = Descriptors::of(&examples);
    let joints = PlacedJoints::of(clip, body.joints.iter().copied());
    let length = body.leg * metres;
    let distance = |frame: usize| {
        let mut at = vec![Placed::identity(); skeleton.len()];
        for joint in &body.joints {
            let place = joints.position(*joint, frame);
            at[joint.index()] = Placed::from_parts(place.into(), joints.rotation(*joint, frame));
        }
        f64::from(nearest(&descriptors, &descriptors.row(&at))).sqrt() * length
    };
    let distances: Vec<f64> = (0..clip.frames()).into_par_iter().map(distance).collect();
    Ok(Unusual::of(distances, (FAR * prior.spacing).max(LEAST_FAR) * length))
}

impl Unusual {
    fn of(distances: Vec<f64>, limit: f64) -> Unusual {
        let mut sorted = distances.clone();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let mut far: Vec<FarFrames> = Vec::new();
        for (frame, distance) in distances.iter().enumerate().filter(|(_, distance)| **distance > limit) {
            match far.last_mut() {
                Some(range) if range.last + 1 == frame => {
                    range.last = frame;
                    range.distance = range.distance.max(*distance);
                }
                _ => far.push(FarFrames { first: frame, last: frame, distance: *distance }),
            }
        }
        Unusual {
            mean: (count > 0).then(|| distances.iter().sum::<f64>() / count as f64),
            p95: sorted.get((count * 95).div_ceil(100).saturating_sub(1)).copied(),
            max: sorted.last().copied(),
            frame: (0..count).max_by(|a, b| distances[*a].total_cmp(&distances[*b]).then(b.cmp(a))),
            far,
            distances,
        }
    }

    /// A one-line summary.
    pub fn text(&self) -> String {
        let (Some(mean), Some(p95), Some(max), Some(frame)) = (self.mean, self.p95, self.max, self.frame)
        else {
            return "no frames".into();
        };
        let millimetres = |value: f64| format!("{:.0}", value * 1e3);
        let mut text = format!(
            "{} / {} / {} mm from the examples (mean / p95 / max), most in frame {frame}",
            millimetres(mean),
            millimetres(p95),
            millimetres(max)
        );
        if !self.far.is_empty() {
            let range = |range: &FarFrames| match range.first == range.last {
                true => range.first.to_string(),
                false => format!("{} to {}", range.first, range.last),
            };
            let ranges: Vec<String> = self.far.iter().take(6).map(range).collect();
            let more = if self.far.len() > 6 { " and more" } else { "" };
            text += &format!("; like no example: {}{more}", ranges.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_beyond_the_limit_are_ranges() {
        let unusual = Unusual::of(vec![0.01, 0.2, 0.3, 0.01, 0.25], 0.1);
        let ranges: Vec<_> = unusual.far.iter().map(|far| (far.first, far.last, far.distance)).collect();
        assert_eq!(ranges, [(1, 2, 0.3), (4, 4, 0.25)]);
        assert_eq!((unusual.max, unusual.frame), (Some(0.3), Some(2)));
        assert_eq!(Unusual::of(Vec::new(), 0.1).mean, None);
    }
}
