//! Foot skate, float height and penetration.

use crate::{Foot, FootContacts, FootMotion, Trajectory};
use mocap_model::{Clip, Vector3};

/// How well a foot keeps its contacts; lengths in metres. A figure is `None` if no frame shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootMeasure {
    /// Frames in which the toe is in contact.
    pub contact_frames: usize,
    /// Foot skate: the mean horizontal speed of the toe in contact [m/s].
    pub skate: Option<f64>,
    /// Float height: the largest height of the foot's lowest point above the floor in contact \[m\].
    pub float_max: Option<f64>,
    /// The mean height of the foot's lowest point above the floor in contact \[m\]; negative below it.
    pub height_mean: Option<f64>,
    /// Penetration: the largest depth of any point of the foot below the floor, over all frames \[m\].
    pub penetration_max: Option<f64>,
}

/// Usual heights of a foot's joints above the floor during contacts [units of the clip].
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
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_analysis::{ContactOptions, contacts, feet_of, foot_measure};
///
/// let foot = &feet_of(clip.skeleton())[0];
/// let found = contacts(&clip, foot, &ContactOptions::default());
/// let measure = foot_measure(&clip, foot, &found, 0.02, 1.0);
/// // Somebody who stands does not skate.
/// assert_eq!((measure.contact_frames, measure.skate), (clip.frames(), Some(0.0)));
/// ```
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
        let height = |(lowest, ground): (&f64, &f64)| (lowest - ground - floor) * metres;
        let above = self.lowest.iter().zip(&self.ground);
        let in_contact = above.clone().zip(&contacts.toe).filter(|(_, contact)| **contact);
        let heights: Vec<f64> = in_contact.map(|(above, _)| height(above)).collect();
        let any = !heights.is_empty();
        FootMeasure {
            contact_frames: heights.len(),
            skate: skate(&self.toe, &contacts.toe, &self.up).map(|speed| speed * metres * self.fps),
            float_max: any.then(|| heights.iter().copied().fold(0.0, f64::max)),
            height_mean: any.then(|| heights.iter().sum::<f64>() / heights.len() as f64),
            penetration_max: above.map(|above| (-height(above)).max(0.0)).reduce(f64::max),
        }
    }

    /// The median heights of ankle and toe in the frames in which both are in contact; `None` if none exists.
    ///
    /// # Panics
    /// Where the contacts have fewer frames than the motion.
    pub fn sole_heights(&self, contacts: &FootContacts, floor: f64) -> Option<SoleHeights> {
        let [ankle, toe] = [&self.ankle, &self.toe].map(|trajectory| {
            let standing =
                (0..trajectory.len()).filter(|frame| contacts.toe[*frame] && contacts.heel[*frame]);
            let mut heights: Vec<f64> =
                standing.map(|frame| trajectory[frame].dot(&self.up) - self.ground[frame] - floor).collect();
            crate::percentile::percentile(&mut heights, 0.5)
        });
        Some(SoleHeights { ankle: ankle?, toe: toe? })
    }
}

/// The mean horizontal distance between successive frames that are both in contact; `None` without such frames.
fn skate(trajectory: &Trajectory, in_contact: &[bool], up: &Vector3<f64>) -> Option<f64> {
    let mut distances = 0.0;
    let mut count = 0u32;
    for frame in 1..trajectory.len() {
        if in_contact[frame - 1] && in_contact[frame] {
            let moved = trajectory[frame] - trajectory[frame - 1];
            distances += (moved - up * moved.dot(up)).norm();
            count += 1;
        }
    }
    (count > 0).then(|| distances / f64::from(count))
}
