//! Foot contacts: when heels and toes are on the floor.

use crate::{FootMotion, Trajectory};
use mocap_model::{Clip, JointId, Role, Side, Skeleton};

/// One foot of a skeleton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foot {
    /// Left or right.
    pub side: Side,
    /// The foot's joint, at the ankle.
    pub ankle: JointId,
    /// The joint of the toes (the ball of the foot); without one, the joint or end site below the ankle with the longest
    /// offset, else the ankle.
    pub toe: JointId,
    /// All joints and end sites from the ankle outwards.
    pub points: Vec<JointId>,
}

/// The feet of a skeleton by its roles, left before right; none without roles.
pub fn feet_of(skeleton: &Skeleton) -> Vec<Foot> {
    let sides =
        [(Side::Left, Role::LeftFoot, Role::LeftToes), (Side::Right, Role::RightFoot, Role::RightToes)];
    let feet = sides.into_iter().filter_map(|(side, ankle, toe)| {
        let ankle = skeleton.with_role(ankle)?;
        let points = skeleton.subtree(ankle);
        let furthest = points.iter().copied().max_by(|a, b| {
            let reach = |id: &JointId| if *id == ankle { -1.0 } else { skeleton.joint(*id).offset.norm() };
            reach(a).total_cmp(&reach(b))
        });
        let toe = skeleton.with_role(toe).filter(|toe| points.contains(toe)).or(furthest)?;
        Some(Foot { side, ankle, toe, points })
    });
    feet.collect()
}

/// What counts as a foot contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// A point in contact is slower than this [m/s]. Default 0.15.
    pub speed: f64,
    /// A point in contact is lower than this above its usual lowest height \[m\]. Default 0.05.
    pub height: f64,
    /// Shorter contacts are dropped, shorter gaps are closed \[s\]. Default 0.08.
    pub shortest: f64,
}

impl Default for ContactOptions {
    fn default() -> ContactOptions {
        ContactOptions { speed: 0.15, height: 0.05, shortest: 0.08 }
    }
}

/// The contacts of one foot, by frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FootContacts {
    /// Whether the toe joint is in contact.
    pub toe: Vec<bool>,
    /// Whether the ankle is as slow and low as over a heel in contact.
    pub heel: Vec<bool>,
}

/// The contacts of a foot. `metres` is the length of the clip's unit.
///
/// A point is in contact while it is slower than [`ContactOptions::speed`] and lower than [`ContactOptions::height`]
/// above its usual lowest height, for at least [`ContactOptions::shortest`].
///
/// ```
/// use mocap_analysis::{ContactOptions, contacts, feet_of, runs};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let feet = feet_of(clip.skeleton());
/// // The clip is in metres.
/// let left = contacts(&clip, &feet[0], 1.0, &ContactOptions::default());
/// // One contact, over all frames.
/// assert_eq!(runs(&left.toe), [0..clip.frames()]);
/// ```
pub fn contacts(clip: &Clip, foot: &Foot, metres: f64, options: &ContactOptions) -> FootContacts {
    FootMotion::of(clip, std::slice::from_ref(foot)).swap_remove(0).contacts(metres, options)
}

impl FootMotion {
    /// As [`contacts`].
    pub fn contacts(&self, metres: f64, options: &ContactOptions) -> FootContacts {
        let [toe, heel] =
            [&self.toe, &self.ankle].map(|trajectory| self.contact(trajectory, metres, options));
        FootContacts { toe, heel }
    }

    fn contact(&self, trajectory: &Trajectory, metres: f64, options: &ContactOptions) -> Vec<bool> {
        let heights: Vec<f64> = trajectory.iter().map(|p| p.dot(&self.up) * metres).collect();
        let resting = crate::percentile::percentile(&mut heights.clone(), 0.05);
        let last = trajectory.len().saturating_sub(1);
        let speed = |frame: usize| {
            let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
            (trajectory[to] - trajectory[from]).norm() * metres * self.fps / (to - from).max(1) as f64
        };
        let still: Vec<bool> = (0..trajectory.len())
            .map(|frame| speed(frame) < options.speed && heights[frame] < resting + options.height)
            .collect();
        let shortest = (options.shortest * self.fps).ceil() as usize;
        // A gap is closed only between two contacts, so gaps come first.
        let closed = without_short_runs(&still, false, shortest.min(last / 2));
        without_short_runs(&closed, true, shortest)
    }
}

/// Inverts runs of `value` that are shorter than `shortest`. A gap at either end of the clip stays: the motion
/// beyond is not known.
fn without_short_runs(values: &[bool], value: bool, shortest: usize) -> Vec<bool> {
    let mut cleaned = values.to_vec();
    for run in runs(&values.iter().map(|v| *v == value).collect::<Vec<_>>()) {
        let at_end = run.start == 0 || run.end == values.len();
        if run.len() < shortest && (value || !at_end) {
            cleaned[run].fill(!value);
        }
    }
    cleaned
}

/// The ranges of frames in which a flag is set.
pub fn runs(flags: &[bool]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (frame, flag) in flags.iter().copied().chain([false]).enumerate() {
        match (flag, start) {
            (true, None) => start = Some(frame),
            (false, Some(from)) => {
                found.push(from..frame);
                start = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_half_open_ranges() {
        assert_eq!(runs(&[true, true, false, true]), [0..2, 3..4]);
        assert!(runs(&[]).is_empty());
        assert!(runs(&[false]).is_empty());
    }

    #[test]
    fn short_gaps_and_short_contacts_are_dropped() {
        let flags = |text: &str| text.bytes().map(|b| b == b'#').collect::<Vec<_>>();
        assert_eq!(without_short_runs(&flags(".##..####."), false, 3), flags(".########."));
        assert_eq!(without_short_runs(&flags("#...####.."), true, 2), flags("....####.."));
    }
}
