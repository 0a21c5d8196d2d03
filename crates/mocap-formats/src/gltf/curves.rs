//! The channels of animations: keys, and the values between them.

use mocap_model::{UnitQuaternion, slerp};
use nalgebra::Quaternion;

use super::document::{Document, Interpolation};
use super::problem::Problem;
use super::tree::index;
use super::trs::unit;
use crate::{Finding, LimitExceeded, Limits};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// The keys of a channel.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) node: usize,
    pub(super) property: Property,
    pub(super) interpolation: Interpolation,
    pub(super) times: Vec<f64>,
    /// Values of a key.
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

/// The channels of an animation that move nodes of `of`.
pub(super) fn curves(
    document: &Document,
    at: usize,
    limits: &Limits,
    of: impl Fn(usize) -> bool,
) -> Result<Vec<Curve>, Finding> {
    let animation = &document.root.animations[at];
    let mut curves = Vec::with_capacity(animation.channels.len());
    let mut total = 0usize;
    for (c, channel) in animation.channels.iter().enumerate() {
        let (Some(node), path) =
            (channel.target.node.filter(|node| of(*node)), format!("animations[{at}].channels[{c}]"))
        else {
            continue;
        };
        let (property, kind) = match channel.target.path.as_str() {
            "translation" => (Property::Translation, "VEC3"),
            "rotation" => (Property::Rotation, "VEC4"),
            "scale" => (Property::Scale, "VEC3"),
            "weights" => (Property::Weights, "SCALAR"),
            // Extensions animate other things.
            _ => continue,
        };
        let count = animation.samplers.len();
        let sampler = animation.samplers.get(channel.sampler);
        let sampler =
            sampler.ok_or_else(|| index(format!("{path}.sampler"), channel.sampler, "samplers", count))?;
        let path = format!("animations[{at}].samplers[{}]", channel.sampler);
        let times = document.floats(sampler.input, "SCALAR", &format!("{path}.input"), limits)?;
        if let Some(key) = (1..times.len()).find(|key| times[*key] <= times[key - 1]) {
            return Err(Finding::new(Problem::Times { path: format!("{path}.input"), key }));
        }
        if times.first().is_some_and(|first| *first < 0.0) {
            return Err(Finding::new(Problem::Times { path: format!("{path}.input"), key: 0 }));
        }
        let values = document.floats(sampler.output, kind, &format!("{path}.output"), limits)?;
        let each = if sampler.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let width = match property {
            Property::Rotation => 4,
            Property::Translation | Property::Scale => 3,
            Property::Weights => values.len() / (times.len() * each).max(1),
        };
        if times.is_empty() || width == 0 || values.len() != times.len() * each * width {
            let (found, expected) = (values.len() / width.max(1), times.len() * each);
            let path = format!("{path}.output");
            return Err(Finding::new(Problem::KeyCount { path, found, keys: times.len(), expected }));
        }
        // Several channels may name the same bytes.
        total += times.len() + values.len();
        if total > limits.frames {
            let limit = limits.frames;
            return Err(Finding::new(LimitExceeded { what: "values of keys", found: total, limit }));
        }
        curves.push(Curve { node, property, interpolation: sampler.interpolation, times, width, values });
    }
    Ok(curves)
}

impl Curve {
    /// The keys around a time, and the share of the way between them; before the first and after the last, that key.
    fn around(&self, time: f64) -> (usize, f64) {
        // A frame that rounding puts a hair before a key is on it.
        let time = time + 1e-6;
        let next = self.times.partition_point(|key| *key <= time);
        if next == 0 {
            return (0, 0.0);
        }
        let Some(end) = self.times.get(next) else { return (next - 1, 0.0) };
        let start = self.times[next - 1];
        let share = (time - 1e-6 - start) / (end - start);
        (next - 1, share.clamp(0.0, 1.0))
    }

    /// A key's values; of cubic curves without their tangents.
    pub(super) fn key(&self, key: usize) -> &[f64] {
        let (each, middle) = if self.interpolation == Interpolation::CubicSpline { (3, 1) } else { (1, 0) };
        &self.values[(key * each + middle) * self.width..][..self.width]
    }

    /// The values at a time.
    pub(super) fn sample(&self, time: f64) -> Vec<f64> {
        let (key, share) = self.around(time);
        let from = self.key(key);
        if share == 0.0 || self.interpolation == Interpolation::Step {
            return from.to_vec();
        }
        let to = self.key(key + 1);
        if self.interpolation == Interpolation::Linear {
            return from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect();
        }
        // A cubic Hermite spline: each key has its in-tangent, value and out-tangent.
        let step = self.times[key + 1] - self.times[key];
        let out = &self.values[(key * 3 + 2) * self.width..];
        let into = &self.values[(key + 1) * 3 * self.width..];
        let (t, t2, t3) = (share, share * share, share * share * share);
        let hermite = |i: usize| {
            (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                + (t3 - 2.0 * t2 + t) * step * out[i]
                + (3.0 * t2 - 2.0 * t3) * to[i]
                + (t3 - t2) * step * into[i]
        };
        (0..self.width).map(hermite).collect()
    }

    pub(super) fn rotation(&self, time: f64) -> UnitQuaternion<f64> {
        let of = |values: &[f64]| unit(Quaternion::new(values[3], values[0], values[1], values[2]));
        let (key, share) = self.around(time);
        if self.interpolation == Interpolation::Linear && share > 0.0 {
            return slerp(&of(self.key(key)), &of(self.key(key + 1)), share);
        }
        of(&self.sample(time))
    }
}
