//! How well feet stand: slide, float and penetration.

use crate::{Foot, FootContacts, FootMotion, Trajectory};
use mocap_model::{Clip, Vector3};

/// What the feet of a motion do while they stand; lengths in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootMeasure {
    /// Frames in which the toe stands.
    pub contact_frames: usize,
    /// Mean horizontal speed of the toe while it stands [m/s].
    pub slide: f64,
    /// The largest height of the foot's lowest point above the floor while it stands \[m\].
    pub float_max: f64,
    /// Mean height of the foot's lowest point above the floor while it stands \[m\]; below is negative.
    pub height_mean: f64,
    /// The greatest depth of any point of the foot below the floor, in all frames \[m\].
    pub penetration_max: f64,
}

/// The usual heights of a standing foot's joints above the floor [units of the clip].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoleHeights {
    /// Of the ankle.
    pub ankle: f64,
    /// Of the toe joint.
    pub toe: f64,
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
    FootMotion::of(clip, std::slice::from_ref(foot)).swap_remove(0).measure(contacts, floor, metres)
}

/// The median heights of ankle and toe in the frames in which both stand; `None` where there are none.
pub fn sole_heights(clip: &Clip, foot: &Foot, contacts: &FootContacts, floor: f64) -> Option<SoleHeights> {
    FootMotion::of(clip, std::slice::from_ref(foot)).swap_remove(0).sole_heights(contacts, floor)
}

impl FootMotion {
    /// As [`foot_measure`].
    ///
    /// # Panics
    /// Where the contacts have another number of frames than the motion.
    pub fn measure(&self, contacts: &FootContacts, floor: f64, metres: f64) -> FootMeasure {
        assert_eq!(contacts.toe.len(), self.lowest.len(), "contacts of another motion");
        let mut measure = FootMeasure {
            slide: slide(&self.toe, &contacts.toe, &self.up) * metres * self.fps,
            ..FootMeasure::default()
        };
        for (lowest, stands) in self.lowest.iter().zip(&contacts.toe) {
            let height = (lowest - floor) * metres;
            measure.penetration_max = measure.penetration_max.max(-height);
            if *stands {
                measure.contact_frames += 1;
                measure.float_max = measure.float_max.max(height);
                measure.height_mean += height;
            }
        }
        measure.height_mean /= measure.contact_frames.max(1) as f64;
        measure
    }

    /// As [`sole_heights`].
    ///
    /// # Panics
    /// Where the contacts have fewer frames than the motion.
    pub fn sole_heights(&self, contacts: &FootContacts, floor: f64) -> Option<SoleHeights> {
        let [ankle, toe] = [&self.ankle, &self.toe].map(|trajectory| {
            let standing =
                (0..trajectory.len()).filter(|frame| contacts.toe[*frame] && contacts.heel[*frame]);
            let mut heights: Vec<f64> =
                standing.map(|frame| trajectory[frame].dot(&self.up) - floor).collect();
            (!heights.is_empty()).then(|| crate::error::percentile(&mut heights, 0.5))
        });
        Some(SoleHeights { ankle: ankle?, toe: toe? })
    }
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
