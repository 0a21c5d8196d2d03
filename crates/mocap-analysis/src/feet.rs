//! How well feet stand: slide, float and penetration.

use crate::{Foot, FootContacts, Trajectory, trajectories};
use mocap_model::{Clip, Vector3};

/// What the feet of a motion do while they stand; lengths in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootMeasure {
    /// Frames in which the toe stands.
    pub contact_frames: usize,
    /// Mean horizontal speed of the toe while it stands [m/s].
    pub slide: f64,
    /// The largest height of the foot's lowest point above the floor while it stands [m].
    pub float_max: f64,
    /// Mean height of the foot's lowest point above the floor while it stands [m]; below is negative.
    pub height_mean: f64,
    /// The greatest depth of any point of the foot below the floor, in all frames [m].
    pub penetration_max: f64,
}

/// Measures one foot on the given contacts, which may be those of another motion with the same frames.
/// `floor` is in the units of the clip, `metres` the length of one.
///
/// # Panics
/// Where the contacts have another number of frames than the clip.
pub fn foot_measure(
    clip: &Clip,
    foot: &Foot,
    contacts: &FootContacts,
    floor: f64,
    metres: f64,
) -> FootMeasure {
    assert_eq!(contacts.toe.len(), clip.frames(), "contacts of another motion");
    let up = clip.skeleton().space().up.vector();
    let points = trajectories(clip, &foot.points);
    let at = foot.points.iter().position(|joint| *joint == foot.toe);
    let lowest = |frame: usize| {
        let heights = points.iter().map(|t| t[frame].dot(&up));
        (heights.fold(f64::INFINITY, f64::min) - floor) * metres
    };
    let mut measure = FootMeasure {
        slide: at.map_or(0.0, |at| slide(&points[at], &contacts.toe, &up) * metres * clip.rate().fps()),
        ..FootMeasure::default()
    };
    for frame in 0..clip.frames() {
        let height = lowest(frame);
        measure.penetration_max = measure.penetration_max.max(-height);
        if contacts.toe[frame] {
            measure.contact_frames += 1;
            measure.float_max = measure.float_max.max(height);
            measure.height_mean += height;
        }
    }
    measure.height_mean /= measure.contact_frames.max(1) as f64;
    measure
}

/// The mean horizontal distance a frame between successive frames that both stand.
fn slide(trajectory: &Trajectory, stands: &[bool], up: &Vector3<f64>) -> f64 {
    let mut distances = 0.0;
    let mut count = 0;
    for frame in 1..trajectory.len() {
        if stands[frame - 1] && stands[frame] {
            let moved = trajectory[frame] - trajectory[frame - 1];
            distances += (moved - up * moved.dot(up)).norm();
            count += 1;
        }
    }
    distances / count.max(1) as f64
}

/// The usual heights of a standing foot's joints above the floor [units of the clip].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoleHeights {
    /// Of the ankle.
    pub ankle: f64,
    /// Of the toe joint.
    pub toe: f64,
}

/// The median heights of ankle and toe in the frames in which both stand; `None` where there are none.
pub fn sole_heights(clip: &Clip, foot: &Foot, contacts: &FootContacts, floor: f64) -> Option<SoleHeights> {
    let up = clip.skeleton().space().up.vector();
    let points = trajectories(clip, &[foot.ankle, foot.toe]);
    let [ankle, toe] = [0, 1].map(|i| {
        let standing = (0..clip.frames()).filter(|frame| contacts.toe[*frame] && contacts.heel[*frame]);
        let mut heights: Vec<f64> = standing.map(|frame| points[i][frame].dot(&up) - floor).collect();
        (!heights.is_empty()).then(|| crate::error::percentile(&mut heights, 0.5))
    });
    Some(SoleHeights { ankle: ankle?, toe: toe? })
}
