//! Blend spaces: weights of samples from the values of parameters.

use std::str::FromStr;

use crate::EditError;

/// Samples within this share of the extent of a space count as coincident.
const SAME_PLACE: f64 = 1e-9;
/// The weight of directions relative to speeds in a polar space.
const DIRECTION: f64 = 2.0;

/// How weights are found between samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceKind {
    /// One parameter: between the two nearest samples, linearly.
    Linear,
    /// Two parameters: within a triangle of the Delaunay triangulation, by areas; beyond the samples at the nearest place
    /// of their hull.
    Triangles,
    /// Any number of parameters: gradient bands.
    Gradient,
    /// Two parameters that are a velocity: gradient bands over its size and direction.
    Polar,
}

impl FromStr for SpaceKind {
    type Err = String;

    fn from_str(text: &str) -> Result<SpaceKind, String> {
        match text {
            "1d" => Ok(SpaceKind::Linear),
            "2d" => Ok(SpaceKind::Triangles),
            "gradient" => Ok(SpaceKind::Gradient),
            "polar" => Ok(SpaceKind::Polar),
            _ => Err(format!("'{text}' is not 1d, 2d, gradient or polar")),
        }
    }
}

/// Samples at places of a space of parameters.
///
/// Weights are never negative, sum to 1, change without jumps, and are 1 for a sample at its own place. Gradient bands
/// are based on: R. S. Johansen, "Automated Semi-Procedural Animation for Character Locomotion", 2009.
///
/// ```
/// use mocap_edit::{BlendSpace, SpaceKind};
///
/// let space = BlendSpace::new(SpaceKind::Linear, vec![vec![1.25], vec![2.61]])?;
/// assert_eq!(space.weights(&[1.25]), [1.0, 0.0]);
/// assert_eq!(space.weights(&[9.0]), [0.0, 1.0]);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace {
    kind: SpaceKind,
    samples: Vec<Vec<f64>>,
    /// Indices of samples; only for [`SpaceKind::Triangles`].
    triangles: Vec<[usize; 3]>,
}

impl BlendSpace {
    /// A space of samples; each has a value for every parameter.
    ///
    /// # Errors
    /// [`EditError::Space`] if there are no samples, the number of parameters does not match the
    /// kind or differs between samples, a value is not finite, two samples are at the same
    /// place, or all samples for triangles are on one line.
    pub fn new(kind: SpaceKind, samples: Vec<Vec<f64>>) -> Result<BlendSpace, EditError> {
        let wrong = |reason: String| Err(EditError::Space { reason });
        let Some(first) = samples.first() else { return wrong("there are no samples".into()) };
        let dimensions = first.len();
        let needed = match kind {
            SpaceKind::Linear => Some(1),
            SpaceKind::Triangles | SpaceKind::Polar => Some(2),
            SpaceKind::Gradient => None,
        };
        if let Some(needed) = needed.filter(|needed| *needed != dimensions) {
            return wrong(format!("it has {dimensions} parameters, and this kind needs {needed}"));
        }
        if let Some(odd) = samples.iter().position(|sample| sample.len() != dimensions) {
            let found = samples[odd].len();
            return wrong(format!(
                "sample {} has {found} parameters, and the first has {dimensions}",
                odd + 1
            ));
        }
        if let Some(odd) = samples.iter().position(|sample| sample.iter().any(|value| !value.is_finite())) {
            return wrong(format!("a parameter of sample {} is not finite", odd + 1));
        }
        let extent = samples.iter().map(|sample| distance(sample, first)).fold(0.0, f64::max);
        for (i, a) in samples.iter().enumerate() {
            if let Some(j) = (0..i).find(|j| distance(a, &samples[*j]) <= SAME_PLACE * extent) {
                return wrong(format!("samples {} and {} are at the same place", j + 1, i + 1));
            }
        }
        let mut triangles = Vec::new();
        if kind == SpaceKind::Triangles {
            let points: Vec<_> = samples.iter().map(|s| delaunator::Point { x: s[0], y: s[1] }).collect();
            let found = delaunator::triangulate(&points).triangles;
            triangles = found.chunks_exact(3).map(|three| [three[0], three[1], three[2]]).collect();
            if triangles.is_empty() && samples.len() > 1 {
                return wrong("its samples stand on one line; kind 1d or gradient takes them".into());
            }
        }
        Ok(BlendSpace { kind, samples, triangles })
    }

    /// The numbers of samples and of parameters.
    pub(crate) fn size(&self) -> [usize; 2] {
        [self.samples.len(), self.samples[0].len()]
    }

    /// The least and the largest value of a parameter among the samples.
    pub(super) fn range(&self, parameter: usize) -> [f64; 2] {
        let values = self.samples.iter().map(|sample| sample[parameter]);
        [values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max)]
    }

    /// The weight of each sample at a place.
    ///
    /// # Panics
    /// Where the place has another number of parameters than the samples.
    pub fn weights(&self, place: &[f64]) -> Vec<f64> {
        assert_eq!(place.len(), self.samples[0].len(), "one value for each parameter");
        match self.kind {
            _ if self.samples.len() == 1 => vec![1.0],
            SpaceKind::Linear => self.between_neighbours(place[0]),
            SpaceKind::Triangles => self.in_triangle([place[0], place[1]]),
            SpaceKind::Gradient => self.bands(|i, j| {
                let (own, all) =
                    (difference(place, &self.samples[i]), difference(&self.samples[j], &self.samples[i]));
                dot(&own, &all) / dot(&all, &all)
            }),
            SpaceKind::Polar => self.bands(|i, j| {
                let (own, all) = (
                    polar(&self.samples[i], place, &self.samples[j]),
                    polar(&self.samples[i], &self.samples[j], &self.samples[j]),
                );
                dot(&own, &all) / dot(&all, &all)
            }),
        }
    }

    fn between_neighbours(&self, place: f64) -> Vec<f64> {
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        order.sort_by(|a, b| self.samples[*a][0].total_cmp(&self.samples[*b][0]));
        let value = |at: usize| self.samples[order[at]][0];
        let next = order.iter().filter(|at| self.samples[**at][0] <= place).count().clamp(1, order.len() - 1);
        let share = ((place - value(next - 1)) / (value(next) - value(next - 1))).clamp(0.0, 1.0);
        let mut weights = vec![0.0; order.len()];
        (weights[order[next - 1]], weights[order[next]]) = (1.0 - share, share);
        weights
    }

    fn in_triangle(&self, place: [f64; 2]) -> Vec<f64> {
        let point = |i: usize| [self.samples[i][0], self.samples[i][1]];
        let mut weights = vec![0.0; self.samples.len()];
        for corners in &self.triangles {
            let [a, b, c] = corners.map(point);
            let whole = area(a, b, c);
            let shares = [area(place, b, c), area(a, place, c), area(a, b, place)].map(|part| part / whole);
            if shares.iter().all(|share| *share >= -1e-12) {
                for (corner, share) in corners.iter().zip(shares) {
                    weights[*corner] = share.clamp(0.0, 1.0);
                }
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().for_each(|weight| *weight /= sum);
                return weights;
            }
        }
        // Outside the hull: the nearest point of an edge. Inner edges are never the nearest.
        let edges = self.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let mut nearest = (f64::INFINITY, [0, 0], 0.0);
        for [from, to] in edges {
            let (a, b) = (point(from), point(to));
            let (along, away) = (difference(&b, &a), difference(&place, &a));
            let share = (dot(&away, &along) / dot(&along, &along)).clamp(0.0, 1.0);
            let far = distance(&place, &[a[0] + along[0] * share, a[1] + along[1] * share]);
            if far < nearest.0 {
                nearest = (far, [from, to], share);
            }
        }
        let (_, [from, to], share) = nearest;
        (weights[from], weights[to]) = (1.0 - share, share);
        weights
    }

    /// Gradient bands: hᵢ = min over j of 1 - `along`(i, j), where `along` is how far the place lies from sample i to j.
    fn bands(&self, along: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let count = self.samples.len();
        let height = |i: usize| {
            let others = (0..count).filter(|j| *j != i);
            others.map(|j| (1.0 - along(i, j)).clamp(0.0, 1.0)).fold(1.0, f64::min)
        };
        let heights: Vec<f64> = (0..count).map(height).collect();
        let sum: f64 = heights.iter().sum();
        heights.into_iter().map(|height| height / sum).collect()
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    dot(&difference(a, b), &difference(a, b)).sqrt()
}

/// Twice the signed area of a triangle.
fn area(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

/// From one velocity to another, in size and direction; sizes are in units of the mean of `from` and `scale`.
fn polar(from: &[f64], to: &[f64], scale: &[f64]) -> [f64; 2] {
    let (a, b) = (from[0].hypot(from[1]), to[0].hypot(to[1]));
    let mean = ((a + scale[0].hypot(scale[1])) / 2.0).max(f64::MIN_POSITIVE);
    // A velocity of 0 has every direction.
    let turn = match a > 0.0 && b > 0.0 {
        true => (from[0] * to[1] - from[1] * to[0]).atan2(from[0] * to[0] + from[1] * to[1]),
        false => 0.0,
    };
    [(b - a) / mean, DIRECTION * turn]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [SpaceKind; 3] = [SpaceKind::Triangles, SpaceKind::Gradient, SpaceKind::Polar];

    fn places() -> impl Strategy<Value = Vec<Vec<f64>>> {
        prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 2), 3..9)
    }

    proptest! {
        #[test]
        fn weights_are_shares(samples in places(), place in prop::collection::vec(-5.0..5.0f64, 2), step in prop::collection::vec(-1e-7..1e-7f64, 2)) {
            for kind in KINDS {
                let Ok(space) = BlendSpace::new(kind, samples.clone()) else { continue };
                let weights = space.weights(&place);
                prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{kind:?}");
                prop_assert!(weights.iter().all(|weight| *weight >= 0.0));
                for (i, sample) in samples.iter().enumerate() {
                    let own = space.weights(sample);
                    prop_assert!((own[i] - 1.0).abs() < 1e-6, "{kind:?} {own:?}");
                }
                let near: Vec<f64> = place.iter().zip(&step).map(|(a, b)| a + b).collect();
                // Directions turn fast around a velocity of 0.
                if kind != SpaceKind::Polar {
                    let spread = samples.iter().flat_map(|a| samples.iter().map(|b| distance(a, b))).filter(|d| *d > 0.0).fold(1.0, f64::min);
                    let jump = distance(&space.weights(&near), &weights);
                    prop_assert!(jump < 1e-4 / spread.powi(3), "{kind:?}: {jump}");
                }
            }
        }

        #[test]
        fn lines_are_kept(place in -1.0..4.0f64) {
            let space = BlendSpace::new(SpaceKind::Linear, vec![vec![2.0], vec![0.0], vec![3.0]]).unwrap();
            let weights = space.weights(&[place]);
            let mean = weights[0] * 2.0 + weights[2] * 3.0;
            prop_assert!((mean - place.clamp(0.0, 3.0)).abs() < 1e-12);
        }
    }

    #[test]
    fn samples_that_make_no_space_are_named() {
        let reason = |kind, samples: &[&[f64]]| {
            let samples = samples.iter().map(|sample| sample.to_vec()).collect();
            BlendSpace::new(kind, samples).unwrap_err().to_string()
        };
        assert!(reason(SpaceKind::Linear, &[]).contains("no samples"));
        assert!(reason(SpaceKind::Linear, &[&[1.0], &[2.0], &[1.0]]).contains("samples 1 and 3"));
        assert!(reason(SpaceKind::Triangles, &[&[0.0, 0.0], &[1.0, 1.0], &[2.0, 2.0]]).contains("one line"));
        assert!(reason(SpaceKind::Polar, &[&[0.0]]).contains("needs 2"));
        assert!(reason(SpaceKind::Gradient, &[&[0.0, f64::NAN]]).contains("not finite"));
    }

    #[test]
    fn the_middle_of_a_grid_belongs_to_its_corners() {
        let corners = vec![vec![0.0, 0.0], vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 1.0]];
        let space = BlendSpace::new(SpaceKind::Triangles, corners).unwrap();
        assert_eq!(space.triangles.len(), 2);
        let outside = space.weights(&[2.0, 0.5]);
        assert!((outside[1] - 0.5).abs() < 1e-12 && (outside[3] - 0.5).abs() < 1e-12);
    }
}
