//! Feet that stay where they stand.
//!
//! The source's own contacts say when a toe stands. While it does, the target's toe is pinned to one place on
//! the floor; the foot keeps the source's orientation, so the ankle follows from the toe (pinning the ankle
//! would turn the foot about the wrong point). Before and after, the correction fades, so nothing jumps. Then no
//! toe or heel may be below the floor, and where a leg is too short for its foot the hips sink a little, ahead
//! of time and smoothly.

use crate::copy::{Copied, LimbCourse};
use crate::ground::Setting;
use crate::options::Floor;
use crate::retargeter::Retargeter;
use mocap_analysis::runs;
use mocap_model::{FrameRate, JointId, UnitQuaternion, Vector3};
use std::ops::Range;

/// A foot of the target as it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sole {
    /// The leg among the limbs of the retargeter.
    pub limb: usize,
    pub toe: JointId,
    /// From the ankle to the toe joint, in the frame of the ankle.
    pub toe_offset: Vector3<f64>,
    /// From the ankle straight down to the floor where the foot is flat, in the frame of the ankle.
    pub heel_offset: Vector3<f64>,
    /// Height of the toe joint above the floor where the foot is flat.
    pub toe_height: f64,
    /// The axis about which toes bend (down where it is positive, as knees bend back), in their frame.
    pub toe_axis: Vector3<f64>,
    /// Points below the toe joint, in its frame; none where it cannot turn by itself.
    pub tips: Vec<Vector3<f64>>,
}

/// The time over which a correction fades in and out \[s\].
const FADE: f64 = 0.2;
/// The hips begin to sink this long before a leg would be too short \[s\].
const AHEAD: f64 = 0.06;
/// A foot is lifted over the floor this long before it would sink in \[s\].
const RAISE: f64 = 0.05;
/// Toes begin to bend this long before their tips would be below the floor \[s\].
const TOES: f64 = 0.1;
/// The hips follow the feet that stand over this time \[s\].
const SMOOTH: f64 = 0.1;
/// Courses are smoothed over at most so many frames to both sides: those of 0.1 s at 10,000 frames per second, more
/// than any camera takes. What states a higher rate would take time without bound.
const MOST_FRAMES: usize = 1000;
/// The most that hips sink, and that a foot is moved to be planted, as shares of the leg.
const MOST_SINK: f64 = 0.06;
const MOST_MOVE: f64 = 0.2;
/// The most that toes are bent up \[rad\].
const MOST_BEND: f64 = 1.0;
/// Toes that show almost straight down (sine) bend less.
const STEEP: f64 = 0.3;
/// A leg is never stretched beyond this share of its length by the hips.
const STRETCHED: f64 = 0.998;

impl Sole {
    /// The turn \[rad\] about the toes' axis that bends them up until no tip is below the floor, or as far as
    /// toes bend; never positive. `at` and `toe` are the place and orientation of the toe joint.
    fn bend_up(&self, at: &Vector3<f64>, toe: &UnitQuaternion<f64>, floor: f64, up: &Vector3<f64>) -> f64 {
        let room = floor - at.dot(up);
        let axis = toe * self.toe_axis;
        let bend = |tip: &Vector3<f64>| {
            let tip = toe * tip;
            if tip.dot(up) >= room {
                return 0.0;
            }
            // The height of a point that turns about the axis: `along + radius · cos(angle - top)`.
            let along = axis * tip.dot(&axis);
            let (across, ahead) = (tip - along, axis.cross(&tip));
            let (c, s) = (across.dot(up), ahead.dot(up));
            let (radius, top) = (c.hypot(s), s.atan2(c));
            let share = ((room - along.dot(up)) / radius.max(f64::MIN_POSITIVE)).clamp(-1.0, 1.0);
            // Toes bend up, about the negative of the axis that knees bend back about: of no use to a toe that
            // shows straight down or back.
            let most = MOST_BEND * (-top.sin() / STEEP).clamp(0.0, 1.0);
            (top + share.acos()).clamp(-most, 0.0)
        };
        self.tips.iter().map(bend).fold(0.0, f64::min)
    }

    /// How deep the tips of a toe joint are below the floor.
    fn tips_below(&self, at: &Vector3<f64>, toe: &UnitQuaternion<f64>, floor: f64, up: &Vector3<f64>) -> f64 {
        self.tips.iter().map(|tip| floor - (at + toe * tip).dot(up)).fold(0.0, f64::max)
    }
}

/// Plants the feet: changes the goals of the legs and the places of hips and limbs.
pub(crate) fn plant(retargeter: &Retargeter, setting: &Setting, rate: FrameRate, copied: &mut Copied) {
    let up = retargeter.directions.up;
    let frames = copied.hips.len();
    let span = |seconds: f64| (seconds * rate.fps()).round().max(1.0) as usize;
    let length = |foot: &Sole| retargeter.target_stance.limb_length(&retargeter.limbs[foot.limb].target);
    let floor = match retargeter.options.floor {
        Floor::Auto | Floor::At(_) => setting.target_floor,
        // Below everything: nothing is lifted.
        Floor::Off => f64::NEG_INFINITY,
    };
    let planted: Vec<Corrections> = setting
        .feet
        .iter()
        .zip(&setting.contacts)
        .map(|(foot, contacts)| {
            let course = &copied.limbs[foot.limb];
            corrections(course, foot, &contacts.toe, &up, floor, span(FADE), MOST_MOVE * length(foot))
        })
        .collect();
    let follow = hips_follow(&planted, frames, span(SMOOTH));
    let mut sink = vec![0.0f64; frames];
    for (foot, planted) in setting.feet.iter().zip(&planted) {
        let course = &mut copied.limbs[foot.limb];
        let toes = &mut copied.rotations[foot.toe.index()];
        let (mut raise, mut bend) = (vec![0.0f64; frames], vec![0.0f64; frames]);
        for frame in 0..frames {
            let tip = course.tip[frame];
            let goal = &mut course.goal[frame];
            *goal += planted.moves[frame] + follow[frame] * (1.0 - planted.weights[frame]);
            let at = *goal + tip * foot.toe_offset;
            let heel = *goal + tip * foot.heel_offset;
            raise[frame] = (floor + (foot.toe_height - at.dot(&up)).max(-heel.dot(&up))).max(0.0);
            bend[frame] = -foot.bend_up(&(at + up * raise[frame]), &(tip * toes[frame]), floor, &up);
        }
        // Toes bend as they would on the floor; what that leaves below it the whole foot is lifted by.
        for (frame, bend) in ahead_of_time(&bend, span(TOES)).into_iter().enumerate() {
            let tip = course.tip[frame];
            if bend > 0.0 {
                toes[frame] *= UnitQuaternion::new(foot.toe_axis * -bend);
                if retargeter.limits {
                    toes[frame] = retargeter.constraints[foot.toe.index()].project(&toes[frame]).0;
                }
            }
            let at = course.goal[frame] + tip * foot.toe_offset + up * raise[frame];
            raise[frame] += foot.tips_below(&at, &(tip * toes[frame]), floor, &up);
        }
        let raise = ahead_of_time(&raise, span(RAISE));
        for frame in 0..frames {
            course.goal[frame] += up * raise[frame];
            let reach = course.goal[frame] - course.from[frame] - follow[frame];
            let need = too_far(&reach, &up, length(foot) * STRETCHED);
            sink[frame] = sink[frame].max(need.min(MOST_SINK * length(foot)));
        }
    }
    let sink = ahead_of_time(&sink, span(AHEAD));
    for frame in 0..frames {
        let moved = follow[frame] - up * sink[frame];
        copied.hips[frame] += copied.above_hips[frame].inverse() * moved;
        if let Some(head) = copied.head.get_mut(frame) {
            *head += moved;
        }
        for (i, course) in copied.limbs.iter_mut().enumerate().filter(|(_, course)| !course.goal.is_empty()) {
            course.base[frame].translation.vector += moved;
            course.from[frame] += moved;
            if setting.feet.iter().all(|foot| foot.limb != i) {
                course.goal[frame] += moved;
            }
        }
    }
}

/// How the ankle of one foot moves so that its toe stays where it stands, by frame.
struct Corrections {
    moves: Vec<Vector3<f64>>,
    /// 1 while it stands, fading to 0 before and after.
    weights: Vec<f64>,
}

/// The hips go along with the feet that stand, the mean of both: so the legs keep their shape, and only what
/// the feet do not agree on is left to them.
fn hips_follow(planted: &[Corrections], frames: usize, smooth: usize) -> Vec<Vector3<f64>> {
    let mean = |frame: usize| {
        let moves = planted.iter().map(|foot| foot.moves[frame]).sum::<Vector3<f64>>();
        moves / planted.iter().map(|foot| foot.weights[frame]).sum::<f64>().max(1.0)
    };
    let means: Vec<Vector3<f64>> = (0..frames).map(mean).collect();
    smoothed(&means, smooth)
}

fn corrections(
    course: &LimbCourse,
    foot: &Sole,
    stands: &[bool],
    up: &Vector3<f64>,
    floor: f64,
    fade: usize,
    most: f64,
) -> Corrections {
    let toe = |frame: usize| course.goal[frame] + course.tip[frame] * foot.toe_offset;
    let frames = course.goal.len();
    let mut moves = vec![Vector3::zeros(); frames];
    let mut weights = vec![0.0f64; frames];
    let mut planted: Vec<Range<usize>> = Vec::new();
    for run in runs(stands) {
        let mean = run.clone().map(toe).sum::<Vector3<f64>>() / run.len() as f64;
        let above = if floor.is_finite() { floor + foot.toe_height - mean.dot(up) } else { 0.0 };
        let place = mean + up * above;
        if run.clone().all(|frame| (place - toe(frame)).norm() <= most) {
            for frame in run.clone() {
                (moves[frame], weights[frame]) = (place - toe(frame), 1.0);
            }
            planted.push(run);
        }
    }
    let ends: Vec<[Vector3<f64>; 2]> =
        planted.iter().map(|run| [moves[run.start], moves[run.end - 1]]).collect();
    for (i, run) in planted.iter().enumerate() {
        let before = i.checked_sub(1).map_or(0, |i| planted[i].end);
        let after = planted.get(i + 1).map_or(frames, |next| next.start);
        let mut fade_into = |gap: usize, end: Vector3<f64>, place: &dyn Fn(usize) -> usize| {
            let length = fade.min(gap);
            for step in 1..=length {
                let left = 1.0 - step as f64 / (length as f64 + 1.0);
                let weight = left * left * (3.0 - 2.0 * left);
                moves[place(step)] += end * weight;
                weights[place(step)] += weight;
            }
        };
        fade_into(after - run.end, ends[i][1], &|step| run.end - 1 + step);
        fade_into(run.start - before, ends[i][0], &|step| run.start - step);
    }
    Corrections { moves, weights }
}

/// How far the hip has to come down for a foot at `reach` from it to be within `length`.
fn too_far(reach: &Vector3<f64>, up: &Vector3<f64>, length: f64) -> f64 {
    let height = reach.dot(up);
    let level = (reach.norm_squared() - height * height).max(0.0);
    if reach.norm() <= length || height >= 0.0 {
        return 0.0;
    }
    (-height - (length * length - level).max(0.0).sqrt()).max(0.0)
}

/// A smooth course that is nowhere below `needed`: the greatest need within `ahead` frames on both sides,
/// averaged over the same span.
fn ahead_of_time(needed: &[f64], ahead: usize) -> Vec<f64> {
    if needed.iter().all(|need| *need == 0.0) {
        return needed.to_vec();
    }
    let ahead = ahead.min(MOST_FRAMES);
    smoothed(&sliding_max(needed, ahead), ahead)
}

/// A weighted mean over `reach` frames on both sides (a Hann window), of many at most [`MOST_FRAMES`]; the ends are
/// continued.
pub(crate) fn smoothed<T>(values: &[T], reach: usize) -> Vec<T>
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let reach = reach.min(MOST_FRAMES);
    let weight = |offset: usize| {
        let t = offset as f64 / (reach as f64 + 1.0);
        (1.0 + (std::f64::consts::PI * t).cos()) / 2.0
    };
    let total = 1.0 + 2.0 * (1..=reach).map(weight).sum::<f64>();
    let weights: Vec<f64> = (0..=reach).map(|offset| weight(offset) / total).collect();
    let last = values.len().saturating_sub(1);
    let average = |frame: usize| {
        let around = weights.iter().enumerate().skip(1);
        around.fold(values[frame] * weights[0], |sum, (offset, weight)| {
            sum + (values[frame.saturating_sub(offset)] + values[(frame + offset).min(last)]) * *weight
        })
    };
    (0..values.len()).map(average).collect()
}

/// The greatest value within `reach` places on both sides.
fn sliding_max(values: &[f64], reach: usize) -> Vec<f64> {
    let mut candidates: std::collections::VecDeque<usize> = std::collections::VecDeque::new();
    let mut greatest = Vec::with_capacity(values.len());
    let mut next = 0;
    for i in 0..values.len() {
        while next < values.len() && next <= i + reach {
            while candidates.back().is_some_and(|back| values[*back] <= values[next]) {
                candidates.pop_back();
            }
            candidates.push_back(next);
            next += 1;
        }
        while candidates.front().is_some_and(|front| front + reach < i) {
            candidates.pop_front();
        }
        greatest.push(candidates.front().map_or(0.0, |front| values[*front]));
    }
    greatest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sinking_is_smooth_and_enough() {
        let mut needed = vec![0.0; 60];
        needed[30] = 1.0;
        needed[31] = 0.4;
        let sink = ahead_of_time(&needed, 8);
        assert!(needed.iter().zip(&sink).all(|(need, sink)| *sink >= *need - 1e-12));
        assert!(sink.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.2), "{sink:?}");
        assert_eq!((sink[0], sink[59]), (0.0, 0.0));
        assert!(ahead_of_time(&[0.0; 4], 2).iter().all(|sink| *sink == 0.0));
    }

    #[test]
    fn no_rate_makes_smoothing_endless() {
        let mut needed = vec![0.0; 300];
        needed[150] = 1.0;
        for reach in [100_000_000, usize::MAX] {
            let sink = ahead_of_time(&needed, reach);
            assert!(sink.iter().all(|sink| (sink - 1.0).abs() < 1e-9), "{reach}");
            assert_eq!(smoothed(&needed, reach), smoothed(&needed, MOST_FRAMES));
        }
    }

    #[test]
    fn sliding_maxima_are_those_of_the_windows() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        for reach in 0..5 {
            let expected: Vec<f64> = (0..values.len())
                .map(|i| {
                    values[i.saturating_sub(reach)..(i + reach + 1).min(8)]
                        .iter()
                        .copied()
                        .fold(0.0, f64::max)
                })
                .collect();
            assert_eq!(sliding_max(&values, reach), expected);
        }
    }

    #[test]
    fn hips_sink_until_the_leg_is_long_enough() {
        let up = Vector3::y();
        assert_eq!(too_far(&Vector3::new(0.0, -0.9, 0.0), &up, 1.0), 0.0);
        assert!((too_far(&Vector3::new(0.6, -1.0, 0.0), &up, 1.0) - 0.2).abs() < 1e-12);
        // A foot that is further away than the leg is long, at any height: no deeper than level.
        assert!((too_far(&Vector3::new(2.0, -0.5, 0.0), &up, 1.0) - 0.5).abs() < 1e-12);
    }
}
