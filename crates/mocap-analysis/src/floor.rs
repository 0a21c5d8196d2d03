//! The height of the floor under a motion.

use crate::error::percentile;
use crate::{Foot, FootContacts, trajectories};
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
    assert_eq!(feet.len(), contacts.len(), "contacts for each foot");
    let up = clip.skeleton().space().up.vector();
    let (mut standing, mut all) = (Vec::new(), vec![f64::INFINITY; clip.frames()]);
    for (foot, contacts) in feet.iter().zip(contacts) {
        let points = trajectories(clip, &foot.points);
        for (frame, any) in all.iter_mut().enumerate() {
            let lowest = points.iter().map(|t| t[frame].dot(&up)).fold(f64::INFINITY, f64::min);
            *any = any.min(lowest);
            if contacts.toe[frame] && contacts.heel[frame] {
                standing.push(lowest);
            }
        }
    }
    match (standing.is_empty(), feet.is_empty() || all.is_empty()) {
        (false, _) => Some(percentile(&mut standing, 0.5)),
        (true, false) => Some(percentile(&mut all, BELOW)),
        (true, true) => None,
    }
}
