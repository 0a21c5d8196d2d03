//! The height of the floor under a motion.

use crate::error::percentile;
use crate::{Foot, FootContacts, FootMotion};
use mocap_model::Clip;

/// Without a foot that stands, this share of the frames may have one below the floor.
const BELOW: f64 = 0.05;

/// The height along the up axis [units of the clip] on which the feet stand: the median, over the frames in
/// which toe and heel of a foot stand, of its lowest joint or end site. Toes that bend through the floor when a
/// foot rolls off, as captured toes do, thus do not count. A motion that never stands has its floor where 5 %
/// of the frames have a foot lower. `None` without feet or frames.
///
/// It is the height of joints, not of soles: a sole that is thicker than that of another skeleton lies lower.
///
/// # Panics
/// Where there are not as many contacts as feet, or they are of a clip of another length.
pub fn floor_height(clip: &Clip, feet: &[Foot], contacts: &[FootContacts]) -> Option<f64> {
    floor_of(&FootMotion::of(clip, feet), contacts)
}

/// As [`floor_height`], of feet whose motion is known already.
///
/// # Panics
/// Where there are not as many contacts as feet, or they are of a clip of another length.
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
