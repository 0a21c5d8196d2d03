//! The height of the floor under a motion.

use crate::percentile::percentile;
use crate::{Foot, FootContacts, FootMotion};
use mocap_model::{Clip, ForwardKinematics, Role};

/// Without contacts, this share of the frames may have a foot below the floor.
const BELOW: f64 = 0.05;

/// The height of the floor along the up axis [units of the clip]: the median height of a foot's
/// lowest joint or end site, over the frames in which its toe and heel are in contact. Captured
/// toes that bend through the floor when a foot rolls off do not count; on stairs it is the lowest
/// floor. Without contacts, it is the height below which 5 % of the frames have a foot; where feet are above the hips, as in a
/// handstand, a joint of the body. `None` without feet or frames.
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
    floor_under(clip, &FootMotion::of(clip, feet), contacts)
}

/// As [`floor_height`], for feet whose motion is known already.
///
/// # Panics
/// If the number of contacts is not that of feet, or they are of a clip of another length.
pub fn floor_under(clip: &Clip, feet: &[FootMotion], contacts: &[FootContacts]) -> Option<f64> {
    let stands = contacts.iter().any(|foot| foot.toe.contains(&true));
    let is_raised = feet.iter().any(|foot| foot.raised.contains(&true));
    let by_feet = floor_of(feet, contacts);
    if stands || !is_raised { by_feet } else { lowest_of_body(clip).or(by_feet) }
}

/// The height below which 5 % of the frames have a joint or end site of the body.
fn lowest_of_body(clip: &Clip) -> Option<f64> {
    let skeleton = clip.skeleton();
    let top = skeleton.with_role(Role::Hips)?;
    let (body, up) = (skeleton.subtree(top), skeleton.space().up.vector());
    let mut placed = ForwardKinematics::of_joints(clip, &body);
    let lowest = |frame: usize| {
        placed.place(frame);
        body.iter().map(|joint| placed.position(*joint).dot(&up)).fold(f64::INFINITY, f64::min)
    };
    percentile(&mut (0..clip.frames()).map(lowest).collect::<Vec<f64>>(), BELOW)
}

/// The height of the floor under feet, whatever else touches it; as [`floor_height`] for somebody who stands at times.
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
