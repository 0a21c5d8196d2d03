//! Foot contacts: when heels and toes are on the floor.

use crate::{FootMotion, Trajectory};
use mocap_model::{Clip, JointId, Role, Side, Skeleton, Vector3};
use std::ops::Range;

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
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let feet = mocap_analysis::feet_of(clip.skeleton());
/// assert_eq!(clip.skeleton().joint(feet[0].toe).name, "LeftToeBase");
/// ```
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

/// Thresholds of foot contacts. Lengths are in leg lengths, so that they hold for children and giants and in
/// any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// A point in contact is slower than this [leg lengths / s]. Default 0.18: 0.15 m/s for a leg of 0.85 m.
    pub speed: f64,
    /// Alternatively, slower than this share of the speed at which the hips travel: the foot of a runner is
    /// never quite still. Default 0.1.
    pub travel: f64,
    /// A point in contact is lower than this above its usual lowest height [leg lengths]. Default 0.06: 5 cm for a leg
    /// of 0.85 m.
    pub height: f64,
    /// Shorter contacts are dropped \[s\], but one frame of a slow recording is enough. Default 0.05.
    pub shortest: f64,
    /// Shorter gaps are closed \[s\]. Default 0.08.
    pub gap: f64,
}

impl Default for ContactOptions {
    fn default() -> ContactOptions {
        ContactOptions { speed: 0.18, travel: 0.1, height: 0.06, shortest: 0.05, gap: 0.08 }
    }
}

/// The contacts of one foot, by frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FootContacts {
    /// Whether the toe joint is in contact.
    pub toe: Vec<bool>,
    /// Whether the ankle is as slow and low as above a heel in contact.
    pub heel: Vec<bool>,
}

/// Finds the contacts of a foot. They depend on the body and the frame rate, not on the unit of the clip.
///
/// A point is in contact while it is slow ([`ContactOptions::speed`], [`ContactOptions::travel`])
/// and lower than [`ContactOptions::height`] above its usual lowest height, for at least
/// [`ContactOptions::shortest`]. Feet above the hips and toes that point up have no contacts. The
/// speed in a frame is the lower of the speeds before and after it: in a run at 30 frames per second, a foot stands for a few frames only. On stairs and slopes,
/// heights are measured from the ground under the foot ([`FootMotion::ground`]), which only both
/// feet together show; this function measures one foot, and takes the floor as level.
///
/// ```
/// use mocap_analysis::{ContactOptions, contacts, feet_of, runs};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let feet = feet_of(clip.skeleton());
/// let left = contacts(&clip, &feet[0], &ContactOptions::default());
/// // One contact, over all frames.
/// assert_eq!(runs(&left.toe), [0..clip.frames()]);
/// ```
pub fn contacts(clip: &Clip, foot: &Foot, options: &ContactOptions) -> FootContacts {
    FootMotion::of(clip, std::slice::from_ref(foot)).swap_remove(0).contacts(options)
}

impl FootMotion {
    /// Like [`contacts`], from the motion of the foot.
    pub fn contacts(&self, options: &ContactOptions) -> FootContacts {
        /// Toes this far above their ankle point up, as those of somebody who lies on the back [leg lengths].
        const POINTS_UP: f64 = 0.1;
        let slow = self.slow_steps(options);
        let is_toe_up = |frame: usize| {
            (self.toe[frame] - self.ankle[frame]).dot(&self.up) > POINTS_UP * self.leg || self.raised[frame]
        };
        FootContacts {
            toe: self.contact(&self.toe, &slow, is_toe_up, options),
            heel: self.contact(&self.ankle, &slow, |frame| self.raised[frame], options),
        }
    }

    /// Distance per frame below which a point is slow, if the hips travel by `travel` per frame.
    fn slow(&self, travel: f64, options: &ContactOptions) -> f64 {
        (options.speed * self.leg / self.fps).max(options.travel * travel)
    }

    /// Distance per frame below which a point is slow, by frame.
    pub(crate) fn slow_steps(&self, options: &ContactOptions) -> Vec<f64> {
        self.travel.iter().map(|travel| self.slow(*travel, options)).collect()
    }

    /// Whether a part of the foot is slow in a frame; [`FootMotion::is_slow`] for a single frame.
    pub(crate) fn is_slow_at(&self, part: &Trajectory, frame: usize, options: &ContactOptions) -> bool {
        let slow = self.slow(self.travel[frame], options);
        let near = |other: &Vector3<f64>| (part[frame] - other).norm() < slow;
        let before = frame.checked_sub(1).and_then(|before| part.get(before));
        part.len() == 1 || before.is_some_and(near) || part.get(frame + 1).is_some_and(near)
    }

    /// Whether a part of the foot is slow, by frame; `slow` is [`FootMotion::slow_steps`].
    pub(crate) fn is_slow(&self, trajectory: &Trajectory, slow: &[f64]) -> Vec<bool> {
        let last = trajectory.len().saturating_sub(1);
        // Distance to each frame from the previous one; infinite at both ends.
        let mut moved = vec![f64::INFINITY; trajectory.len() + 1];
        for (moved, pair) in moved[1..].iter_mut().zip(trajectory.windows(2)) {
            *moved = (pair[1] - pair[0]).norm();
        }
        let is_slow = |around: &[f64], slow: f64| around[0].min(around[1]) < slow || last == 0;
        moved.windows(2).zip(slow).map(|(around, slow)| is_slow(around, *slow)).collect()
    }

    /// The contacts of a part of the foot, which has none in frames in which it is `up`.
    fn contact(
        &self,
        trajectory: &Trajectory,
        slow: &[f64],
        up: impl Fn(usize) -> bool,
        options: &ContactOptions,
    ) -> Vec<bool> {
        let heights = trajectory.iter().zip(&self.ground);
        let heights: Vec<f64> = heights.map(|(place, ground)| place.dot(&self.up) - ground).collect();
        let low = crate::percentile::low_percentile(&heights, 0.05) + options.height * self.leg;
        let last = trajectory.len().saturating_sub(1);
        let slow = self.is_slow(trajectory, slow);
        let still = heights.iter().zip(slow).enumerate();
        let still: Vec<bool> =
            still.map(|(frame, (height, slow))| *height < low && slow && !up(frame)).collect();
        // Gaps are closed before short contacts are dropped, because a gap must lie between two contacts.
        let gap = (options.gap * self.fps).ceil() as usize;
        let closed = without_short_runs(&still, false, gap.min(last / 2));
        without_short_runs(&closed, true, (options.shortest * self.fps) as usize)
    }
}

/// Inverts runs of `value` that are shorter than `shortest`. A run at either end of the clip stays, because the
/// motion beyond is unknown.
pub(crate) fn without_short_runs(values: &[bool], value: bool, shortest: usize) -> Vec<bool> {
    let mut cleaned = values.to_vec();
    for run in runs_of(values, value) {
        let at_end = run.start == 0 || run.end == values.len();
        if run.len() < shortest && (value || !at_end) {
            cleaned[run].fill(!value);
        }
    }
    cleaned
}

/// The ranges of frames in which a flag is set.
///
/// ```
/// assert_eq!(mocap_analysis::runs(&[false, true, true, false, true]), [1..3, 4..5]);
/// ```
pub fn runs(flags: &[bool]) -> Vec<Range<usize>> {
    runs_of(flags, true)
}

/// The same, with ranges that are at most `gap` frames apart as one.
///
/// ```
/// assert_eq!(mocap_analysis::runs_within(&[true, false, true, false, false, true], 1), [0..3, 5..6]);
/// ```
pub fn runs_within(flags: &[bool], gap: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for run in runs(flags) {
        match found.last_mut() {
            Some(before) if run.start - before.end <= gap => before.end = run.end,
            _ => found.push(run),
        }
    }
    found
}

/// The ranges in which flags have a value.
fn runs_of(flags: &[bool], value: bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut end = 0;
    while let Some(gap) = flags[end..].iter().position(|flag| *flag == value) {
        let start = end + gap;
        let length = flags[start..].iter().position(|flag| *flag != value);
        end = length.map_or(flags.len(), |length| start + length);
        found.push(start..end);
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

    #[test]
    fn feet_above_the_hips_and_toes_that_point_up_touch_no_floor() {
        let foot = |toe: f64, raised: bool| FootMotion {
            ankle: vec![Vector3::y() * 0.1; 30],
            toe: vec![Vector3::y() * toe; 30],
            lowest: vec![0.0; 30],
            ground: vec![0.0; 30],
            raised: vec![raised; 30],
            travel: vec![0.0; 30],
            leg: 0.8,
            up: Vector3::y(),
            fps: 30.0,
        };
        let found = |toe: f64, raised: bool| {
            let FootContacts { toe, heel } = foot(toe, raised).contacts(&ContactOptions::default());
            [toe, heel].map(|part| part.iter().filter(|touches| **touches).count())
        };
        assert_eq!(found(0.02, false), [30, 30], "stands");
        assert_eq!(found(0.25, false), [0, 30], "lies on the back");
        assert_eq!(found(0.02, true), [0, 0], "stands on the hands");
    }
}
