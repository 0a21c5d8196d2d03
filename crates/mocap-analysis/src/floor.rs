//! The height of the floor under a motion.

use crate::percentile::percentile;
use crate::{Foot, FootContacts, FootMotion};
use mocap_model::Clip;

/// Without contacts, this share of the frames may have a foot below the floor.
const BELOW: f64 = 0.05;

/// The height of the floor along the up axis [units of the clip]: the median height of a foot's lowest joint or
/// end site, over the frames in which its toe and heel are in contact. Captured toes that bend through the floor
/// when a foot rolls off do not count. Without contacts, it is the height below which 5 % of the frames have a
/// foot. `None` without feet or frames.
///
/// It is the height of joints, not of soles: a thicker sole lies lower.
///
/// # Panics
/// If the number of contacts is not that of feet, or they are of a clip of another length.
pub fn floor_height(clip: &Clip, feet: &[Foot], contacts: &[FootContacts]) -> Option<f64> {
    floor_of(&FootMotion::of(clip, feet), contacts)
}

/// As [`floor_height`], for feet whose motion is known already.
///
/// # Panics
/// If the number of contacts is not that of feet, or they are of a clip of another length.
pub fn floor_of(feet: &[FootMotion], contacts: &[FootContacts]) -> Option<f64> {
    assert_eq!(feet.len(), contacts.len(), "contacts for each foot");
    let mut standing = Vec::new();
    let mut all = vec![f64::INFINITY; feet.first().map_or(0, |foot| foot.lowest.len())];
    for (foot, contacts) in feet.iter().zip(contacts) {
        for (frame, any) in all.iter_mut().enumerate() {
            let lowest = foot.lowest[frame];
            *any = any.min(lowest);
            if contacts.toe[frame] && contacts.heel[frame] {
                standing.push(lowest);
            }
        }
    }
    match (standing.is_empty(), all.is_empty()) {
        (false, _) => Some(percentile(&mut standing, 0.5)),
        (true, false) => Some(percentile(&mut all, BELOW)),
        (true, true) => None,
    }
}
