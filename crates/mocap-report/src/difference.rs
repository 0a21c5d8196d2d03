//! Distances between two motions by joint and frame, on one skeleton or on two.

use crate::stage::Stage;
use mocap_analysis::error_map;
use mocap_model::{Clip, Skeleton};

/// The quantity in [`Difference::values`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    /// The object-space error on shell points: the skeletons are the same.
    ObjectError,
    /// The distance between joints of the same name or role.
    Distance,
    /// The distance between markers and their positions on the body.
    Residual,
}

impl Measure {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Measure::ObjectError => "object-space error",
            Measure::Distance => "distance between joints",
            Measure::Residual => "residual of markers",
        }
    }
}

/// The differences of a motion from a reference; stage units.
pub(crate) struct Difference {
    pub measure: Measure,
    /// Joints of the other motion that have a counterpart.
    pub joints: Vec<usize>,
    /// Frames of the other motion × joints.
    pub values: Vec<f32>,
}

/// The largest value, with its joint and frame in the other motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Largest {
    pub value: f32,
    pub joint: usize,
    pub frame: usize,
}

impl Difference {
    pub(crate) fn largest(&self) -> Option<Largest> {
        let mut largest: Option<Largest> = None;
        for (i, value) in self.values.iter().enumerate() {
            if *value > largest.map_or(0.0, |largest| largest.value) {
                let (frame, column) = (i / self.joints.len(), i % self.joints.len());
                largest = Some(Largest { value: *value, joint: self.joints[column], frame });
            }
        }
        largest
    }
}

/// The difference of `other` from `reference`; `None` if fewer than two joints have a counterpart.
pub(crate) fn difference(reference: &Stage<'_>, other: &Stage<'_>, shell: f64) -> Option<Difference> {
    if reference.clip.frames() > 0
        && reference.clip.rate() == other.clip.rate()
        && let Ok(map) = error_map(reference.clip, other.clip, shell)
    {
        let scale = if map.unit.is_some() { 1.0 } else { reference.scale as f32 };
        return Some(Difference {
            measure: Measure::ObjectError,
            joints: map.joints.iter().map(|joint| joint.index()).collect(),
            values: map.errors.into_iter().map(|error| error * scale).collect(),
        });
    }
    let pairs = counterparts(reference.clip.skeleton(), other.clip.skeleton());
    if pairs.len() < 2 {
        return None;
    }
    let mut values = Vec::with_capacity(other.frames() * pairs.len());
    let (mut at, mut pose) = (usize::MAX, Vec::new());
    other.walk(0..other.frames(), |frame, places| {
        let same_time = same_time(other.clip, frame, reference.clip);
        if same_time != at {
            (at, pose) = (same_time, reference.pose(same_time));
        }
        values.extend(pairs.iter().map(|(theirs, ours)| {
            let [a, b] = [pose[*theirs], places[*ours]];
            (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt() as f32
        }));
    });
    Some(Difference { measure: Measure::Distance, joints: pairs.iter().map(|pair| pair.1).collect(), values })
}

/// The frame of `to` nearest in time to a frame of `from`; after its end, its last frame.
pub(crate) fn same_time(from: &Clip, frame: usize, to: &Clip) -> usize {
    let frame = (frame as f64 * to.rate().fps() / from.rate().fps()).round() as usize;
    frame.min(to.frames().max(1) - 1)
}

/// Joints of both skeletons with the same role, or else the same name: `(reference, other)`.
fn counterparts(reference: &Skeleton, other: &Skeleton) -> Vec<(usize, usize)> {
    let pairs = other.iter().filter(|(_, joint)| !joint.end_site).filter_map(|(id, joint)| {
        let same_role = joint.role.and_then(|role| reference.with_role(role));
        let found = same_role.or_else(|| reference.find(&joint.name))?;
        Some((found.index(), id.index()))
    });
    pairs.collect()
}
