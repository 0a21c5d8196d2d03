//! The height of the floor under a motion.

use crate::percentile::percentile;
use crate::{Foot, FootContacts, FootMotion};
use mocap_model::Clip;

/// Without contacts, this share of the frames may have a foot below the floor.
const BELOW: f64 = 0.05;

/// The height of the floor along the up axis [units of the clip]: the median height of a foot's
/// lowest joint or end site, over the frames in which its toe and heel are in contact. Captured
/// toes that bend through the floor when a foot rolls off do not count; on stairs it is the lowest
/// floor. Without contacts, it is the height below which 5 % of the frames have a foot. `None`
/// without feet or frames.
///
/// It is the height of joints, not of soles: a thicker sole lies lower.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_analysis::{ContactOptions, contacts, feet_of, floor_height};
///
/// let feet = feet_of(clip.skeleton());
/// let found: Vec<_> = feet.iter().map(|foot| contacts(&clip, foot, &ContactOptions::default())).collect();
/// // The toes are 2 cm above the origin.
/// assert!((floor_height(&clip, &feet, &found).unwrap() - 0.02).abs() < 1e-9);
/// ```
///
/// # Panics
/// If the number of contacts is not that of feet, or they are of a clip of another length.
pub fn floor_height(clip: &Clip, feet: &[Foot], contacts: &[FootContacts]) -> Option<f64> {
    floor_of(&FootMotion::of(clip, feet), contacts)
}

/// As [`floor_height`], for feet whose motion is known already.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_analysis::{ContactOptions, contacts, feet_of, FootMotion, floor_height, floor_of};
///
/// let feet = feet_of(clip.skeleton());
/// let found: Vec<_> = feet.iter().map(|foot| contacts(&clip, foot, &ContactOptions::default())).collect();
/// let motion = FootMotion::of(&clip, &feet);
/// assert_eq!(floor_of(&motion, &found), floor_height(&clip, &feet, &found));
/// ```
///
/// # Panics
/// If the number of contacts is not that of feet, or they are of a clip of another length.
pub fn floor_of(feet: &[FootMotion], contacts: &[FootContacts]) -> Option<f64> {
    assert_eq!(feet.len(), contacts.len(), "contacts for each foot");
    let mut standing = Vec::new();
    let mut all = vec![f64::INFINITY; feet.first().map_or(0, |foot| foot.lowest.len())];
    for (foot, contacts) in feet.iter().zip(contacts) {
        for (frame, any) in all.iter_mut().enumerate() {
            let lowest = foot.lowest[frame] - foot.ground[frame];
            *any = any.min(lowest);
            if contacts.toe[frame] && contacts.heel[frame] {
                standing.push(lowest);
            }
        }
    }
    match (standing.is_empty(), all.is_empty()) {
        (false, _) => percentile(&mut standing, 0.5),
        (true, false) => percentile(&mut all, BELOW),
        (true, true) => None,
    }
}
