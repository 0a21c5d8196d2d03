//! Foot skate, float height and penetration.

use crate::{Foot, FootContacts, FootMotion, Trajectory};
use mocap_model::{Clip, Vector3};

/// How well a foot keeps its contacts; lengths in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootMeasure {
    /// Frames in which the toe is in contact.
    pub contact_frames: usize,
    /// Foot skate: the mean horizontal speed of the toe in contact [m/s].
    pub skate: f64,
    /// Float height: the largest height of the foot's lowest point above the floor in contact \[m\].
    pub float_max: f64,
    /// The mean height of the foot's lowest point above the floor in contact \[m\]; negative below it.
    pub height_mean: f64,
    /// Penetration: the largest depth of any point of the foot below the floor, over all frames \[m\].
    pub penetration_max: f64,
}

/// The usual heights of a foot's joints above the floor in contact [units of the clip].
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

impl FootMotion {
    /// As [`foot_measure`].
    ///
    /// # Panics
    /// Where the contacts have another number of frames than the motion.
    pub fn measure(&self, contacts: &FootContacts, floor: f64, metres: f64) -> FootMeasure {
        assert_eq!(contacts.toe.len(), self.lowest.len(), "contacts of another motion");
        let mut measure = FootMeasure {
            skate: skate(&self.toe, &contacts.toe, &self.up) * metres * self.fps,
            ..FootMeasure::default()
        };
        for (lowest, in_contact) in self.lowest.iter().zip(&contacts.toe) {
            let height = (lowest - floor) * metres;
            measure.penetration_max = measure.penetration_max.max(-height);
            if *in_contact {
                measure.contact_frames += 1;
                measure.float_max = measure.float_max.max(height);
                measure.height_mean += height;
            }
        }
        measure.height_mean /= measure.contact_frames.max(1) as f64;
        measure
    }

    /// The median heights of ankle and toe in the frames in which both are in contact; `None` where there are none.
    ///
    /// # Panics
    /// Where the contacts have fewer frames than the motion.
    pub fn sole_heights(&self, contacts: &FootContacts, floor: f64) -> Option<SoleHeights> {
        let [ankle, toe] = [&self.ankle, &self.toe].map(|trajectory| {
            let standing =
                (0..trajectory.len()).filter(|frame| contacts.toe[*frame] && contacts.heel[*frame]);
            let mut heights: Vec<f64> =
                standing.map(|frame| trajectory[frame].dot(&self.up) - floor).collect();
            (!heights.is_empty()).then(|| crate::percentile::percentile(&mut heights, 0.5))
        });
        Some(SoleHeights { ankle: ankle?, toe: toe? })
    }
}

/// The mean horizontal distance between successive frames that are both in contact.
fn skate(trajectory: &Trajectory, in_contact: &[bool], up: &Vector3<f64>) -> f64 {
    let mut distances = 0.0;
    let mut count = 0;
    for frame in 1..trajectory.len() {
        if in_contact[frame - 1] && in_contact[frame] {
            let moved = trajectory[frame] - trajectory[frame - 1];
            distances += (moved - up * moved.dot(up)).norm();
            count += 1;
        }
    }
    distances / count.max(1) as f64
}
