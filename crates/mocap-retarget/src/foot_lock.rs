//! Stage 2, foot lock: feet stay in place during contacts.
//!
//! Contacts are those of the source. While a toe is in contact, the target's toe is pinned to one position on the
//! floor. The foot keeps the source's orientation, and the ankle follows from the toe (pinning the ankle would rotate
//! the foot about the wrong point). Corrections fade in and out. Then toes and heels are lifted out of the floor, and
//! if a leg is too short for its foot, the hips drop a little, smoothly and ahead of time.

use crate::clip_context::Feet;
use crate::foot_geometry::{FootGeometry, Toe};
use crate::options::Floor;
use crate::pair::Pair;
use crate::smoothing::{envelope, fade_out, ramped, smooth};
use crate::trajectories::{BodyTrajectories, LimbTargets};
use mocap_analysis::runs;
use mocap_model::{FrameRate, UnitQuaternion, Vector3};
use std::ops::Range;

/// The time over which a correction fades in and out \[s\].
const FADE: f64 = 0.2;
/// The hips begin to drop this long before a leg would be too short \[s\];
const DROP_AHEAD: f64 = 0.06;
/// this long if they have to drop further than [`USUAL_DROP`].
const DEEP_DROP_AHEAD: f64 = 0.25;
/// A foot is lifted this long before it would penetrate the floor \[s\].
const LIFT_AHEAD: f64 = 0.05;
/// Toes begin to bend this long before their tips would penetrate the floor \[s\].
const BEND_AHEAD: f64 = 0.1;
/// Toes bend by at most this from one frame to the next \[rad\].
const BEND_STEP: f64 = 0.05;
/// Toes that press on the floor do so smoothly over this time to each side \[s\].
const PRESS_SMOOTH: f64 = 0.03;
/// A sole is turned level by at most this \[rad\].
const MOST_LEVEL: f64 = 0.2;
/// The hips follow locked feet, smoothed over this time to each side \[s\].
const FOLLOW: f64 = 0.1;
/// The hips drop by at most this share of the leg's length for a foot in the air;
const USUAL_DROP: f64 = 0.06;
/// by at most this share for a locked foot.
const MOST_DROP: f64 = 0.6;
/// A foot is moved by at most this share of the leg's length to be locked;
const MOST_MOVE: f64 = 0.2;
/// or by this share of its length: the ball of a foot that is long for its leg swings far as the foot rolls.
const MOST_ROLL: f64 = 0.5;
/// The hips never stretch a leg beyond this share of its length.
const STRETCHED: f64 = 0.998;

/// What the lock of each foot needs.
struct Lock<'a> {
    pair: &'a Pair,
    /// Height of the floor; negative infinity without one: nothing is lifted.
    floor: f64,
    rate: FrameRate,
    /// The frames of the motion.
    frames: Range<usize>,
}

/// Locks the feet of a body from frame `start` on: changes the goals of its legs, and the positions of hips and limbs.
pub(crate) fn lock_feet(
    pair: &Pair,
    feet: &Feet,
    (floor, target_floor): (Floor, f64),
    rate: FrameRate,
    start: usize,
    body: &mut BodyTrajectories,
) {
    let floor = match floor {
        Floor::Auto | Floor::At(_) => target_floor,
        Floor::Off => f64::NEG_INFINITY,
    };
    let lock = Lock { pair, floor, rate, frames: start..body.hips.len() };
    let contacts = feet.geometry.iter().zip(&feet.contacts);
    let locked: Vec<Corrections> = contacts
        .map(|(foot, contacts)| lock.corrections(&body.limbs[foot.limb], foot, &contacts.toe))
        .collect();
    let follow = hips_follow(&locked, lock.frames.len(), lock.span(FOLLOW));
    let (mut usual, mut deep) = (vec![0.0f64; lock.frames.len()], vec![0.0f64; lock.frames.len()]);
    for (foot, locked) in feet.geometry.iter().zip(&locked) {
        let targets = &mut body.limbs[foot.limb];
        lock.move_goals(targets, locked, &follow);
        lock.level_soles(targets, foot, locked);
        lock.lift_foot(targets, &mut body.joints.rotations, foot, locked);
        let length = lock.leg_length(foot);
        let most = USUAL_DROP * length;
        for (frame, (usual, deep)) in usual.iter_mut().zip(&mut deep).enumerate() {
            let missing = lock.missing_reach(targets, length, frame, &follow[frame], locked.weights[frame]);
            *usual = usual.max(missing.min(most));
            *deep = deep.max(missing - most);
        }
    }
    let (usual, deep) =
        (envelope(&usual, lock.span(DROP_AHEAD)), envelope(&deep, lock.span(DEEP_DROP_AHEAD)));
    let up = pair.directions.up;
    let drops = usual.iter().zip(&deep).map(|(usual, deep)| up * (usual + deep));
    let moves: Vec<Vector3<f64>> = follow.iter().zip(drops).map(|(follow, drop)| follow - drop).collect();
    move_hips(body, feet, start, &moves);
}

/// Moves the hips and everything that hangs on them, but not the goals of feet.
fn move_hips(body: &mut BodyTrajectories, feet: &Feet, start: usize, moves: &[Vector3<f64>]) {
    for (frame, moved) in moves.iter().enumerate() {
        let frame = start + frame;
        body.hips[frame] += body.above_hips[frame].inverse() * moved;
        if let Some(head) = body.head.get_mut(frame) {
            *head += moved;
        }
        for (i, targets) in body.limbs.iter_mut().enumerate().filter(|(_, limb)| !limb.goal.is_empty()) {
            targets.base[frame].translation.vector += moved;
            targets.from[frame] += moved;
            if feet.geometry.iter().all(|foot| foot.limb != i) {
                targets.goal[frame] += moved;
            }
        }
    }
}

/// How the ankle of one foot moves while its toe is locked, by frame of the motion.
struct Corrections {
    moves: Vec<Vector3<f64>>,
    /// 1 during contacts, fading to 0 before and after.
    weights: Vec<f64>,
}

/// The hips move with the locked feet, by the mean of both. The legs keep their shape and only correct the difference
/// between the feet.
fn hips_follow(locked: &[Corrections], frames: usize, reach: usize) -> Vec<Vector3<f64>> {
    let mean = |frame: usize| {
        let moves = locked.iter().map(|foot| foot.moves[frame]).sum::<Vector3<f64>>();
        moves / locked.iter().map(|foot| foot.weights[frame]).sum::<f64>().max(1.0)
    };
    let means: Vec<Vector3<f64>> = (0..frames).map(mean).collect();
    smooth(&means, reach)
}

impl Lock<'_> {
    /// A time in frames, at least one.
    fn span(&self, seconds: f64) -> usize {
        (seconds * self.rate.fps()).round().max(1.0) as usize
    }

    fn leg_length(&self, foot: &FootGeometry) -> f64 {
        self.pair.target.reference.limb_length(&self.pair.limbs[foot.limb].target)
    }

    /// Pins the toe of one foot in each contact to its mean position on the floor.
    fn corrections(&self, targets: &LimbTargets, foot: &FootGeometry, contact: &[bool]) -> Corrections {
        let up = self.pair.directions.up;
        let most = (MOST_MOVE * self.leg_length(foot)).max(MOST_ROLL * foot.toe_offset.norm());
        let (goals, tips) = (&targets.goal[self.frames.clone()], &targets.tip[self.frames.clone()]);
        let toes: Vec<Vector3<f64>> =
            goals.iter().zip(tips).map(|(goal, tip)| goal + tip * foot.toe_offset).collect();
        let mut moves = vec![Vector3::zeros(); goals.len()];
        let mut weights = vec![0.0f64; goals.len()];
        let mut locked: Vec<Range<usize>> = Vec::new();
        for run in runs(contact) {
            let mean = toes[run.clone()].iter().sum::<Vector3<f64>>() / run.len() as f64;
            let above =
                if self.floor.is_finite() { self.floor + foot.toe_height - mean.dot(&up) } else { 0.0 };
            let place = mean + up * above;
            if toes[run.clone()].iter().all(|toe| (place - toe).norm() <= most) {
                for frame in run.clone() {
                    (moves[frame], weights[frame]) = (place - toes[frame], 1.0);
                }
                locked.push(run);
            }
        }
        let mut corrections = Corrections { moves, weights };
        corrections.fade(&locked, self.span(FADE));
        corrections
    }

    /// Applies corrections to the goals of a leg. A free foot moves with the hips.
    fn move_goals(&self, targets: &mut LimbTargets, locked: &Corrections, follow: &[Vector3<f64>]) {
        for (frame, goal) in targets.goal[self.frames.clone()].iter_mut().enumerate() {
            *goal += locked.moves[frame] + follow[frame] * (1.0 - locked.weights[frame]);
        }
    }

    /// Turns a locked foot about its ball until its heel is out of the floor: the sole stands level.
    fn level_soles(&self, targets: &mut LimbTargets, foot: &FootGeometry, locked: &Corrections) {
        let up = self.pair.directions.up;
        let frames = self.frames.clone();
        let feet = targets.goal[frames.clone()].iter_mut().zip(&mut targets.tip[frames]);
        for ((goal, tip), weight) in feet.zip(&locked.weights).filter(|(_, weight)| **weight > 0.0) {
            let (to_ball, to_heel) = (*tip * foot.toe_offset, *tip * foot.heel_offset);
            let sunk = (self.floor - (*goal + to_heel).dot(&up)).max(0.0) * weight.min(1.0);
            if sunk == 0.0 {
                continue;
            }
            let sole = to_heel - to_ball;
            let slope = |height: f64| (height / sole.norm()).clamp(-1.0, 1.0).asin();
            let turn = slope(sole.dot(&up) + sunk) - slope(sole.dot(&up));
            if let Some(axis) = sole.cross(&up).try_normalize(1e-3 * sole.norm()).filter(|_| turn > 0.0) {
                let turn = UnitQuaternion::new(axis * turn.min(MOST_LEVEL));
                *goal += to_ball - turn * to_ball;
                *tip = turn * *tip;
            }
        }
    }

    /// Lifts toes and heel out of the floor. Toes bend as on a real floor: up where their tips would be in it, and down
    /// on it while the foot stands.
    fn lift_foot(
        &self,
        targets: &mut LimbTargets,
        rotations: &mut [Vec<UnitQuaternion<f64>>],
        foot: &FootGeometry,
        locked: &Corrections,
    ) {
        let (up, floor, first) = (self.pair.directions.up, self.floor, self.frames.start);
        if !floor.is_finite() {
            return;
        }
        let (goals, tips) = (&mut targets.goal[self.frames.clone()], &targets.tip[self.frames.clone()]);
        let raised = |frame: usize, goal: &Vector3<f64>| {
            let ball = goal + tips[frame] * foot.toe_offset;
            let heel = goal + tips[frame] * foot.heel_offset;
            (floor + (foot.toe_height - ball.dot(&up)).max(-heel.dot(&up))).max(0.0)
        };
        let mut lift: Vec<f64> = goals.iter().enumerate().map(|(frame, goal)| raised(frame, goal)).collect();
        let tip_height =
            |toe: &Toe, frame: usize, raised: f64| goals[frame] + tips[frame] * toe.offset + up * raised;
        for toe in &foot.toes {
            let samples = &mut rotations[toe.joint.index()];
            if !samples.is_empty() && !toe.tips.is_empty() {
                let samples = &mut samples[first..];
                let bends: Vec<f64> = samples
                    .iter()
                    .enumerate()
                    .map(|(frame, local)| {
                        let (at, toes) = (tip_height(toe, frame, lift[frame]), tips[frame] * local);
                        // Only the toes of a locked foot are pressed down on the floor.
                        let stays = locked.weights[frame] == 0.0
                            && toe.tip_penetration(&at, &toes, floor, &up) == 0.0;
                        if stays { 0.0 } else { toe.bend_to_floor(&at, &toes, floor, &up) }
                    })
                    .collect();
                self.bend_toe(samples, toe, &bends, &locked.weights);
            }
        }
        for toe in &foot.toes {
            let samples = &rotations[toe.joint.index()];
            for (frame, lift) in lift.iter_mut().enumerate() {
                let local = samples.get(first + frame).copied().unwrap_or_default();
                let at = tip_height(toe, frame, 0.0);
                let lowest =
                    toe.tip_penetration(&at, &(tips[frame] * local), floor, &up).max(floor - at.dot(&up));
                *lift = lift.max(lowest);
            }
        }
        for (goal, lift) in goals.iter_mut().zip(envelope(&lift, self.span(LIFT_AHEAD))) {
            *goal += up * lift;
        }
    }

    /// Bends a toe by what brings its tips to the floor: up ahead of time, down as far as the foot is locked.
    fn bend_toe(&self, samples: &mut [UnitQuaternion<f64>], toe: &Toe, bends: &[f64], locked: &[f64]) {
        let up: Vec<f64> = bends.iter().map(|bend| (-bend).max(0.0)).collect();
        let up = envelope(&ramped(&up, BEND_STEP), self.span(BEND_AHEAD));
        // From below: pressing must not put tips into the floor.
        let press = bends.iter().zip(locked).map(|(bend, locked)| -bend.max(0.0) * locked.min(1.0));
        let press = envelope(&ramped(&press.collect::<Vec<f64>>(), BEND_STEP), self.span(PRESS_SMOOTH));
        let constraint = &self.pair.limits.constraints[toe.joint.index()];
        for (frame, local) in samples.iter_mut().enumerate() {
            let angle = -press[frame] - up[frame];
            if angle != 0.0 {
                *local *= UnitQuaternion::new(toe.axis * angle);
                if self.pair.limits.kept {
                    *local = constraint.project(local).0;
                }
            }
        }
    }

    /// How far the hips have to drop in a frame for a leg of a length to reach its foot, whose lock has a weight.
    fn missing_reach(
        &self,
        targets: &LimbTargets,
        length: f64,
        frame: usize,
        follow: &Vector3<f64>,
        weight: f64,
    ) -> f64 {
        let at = self.frames.start + frame;
        let reach = targets.goal[at] - targets.from[at] - follow;
        let most = USUAL_DROP + (MOST_DROP - USUAL_DROP) * weight.min(1.0);
        drop_to_reach(&reach, &self.pair.directions.up, length * STRETCHED).min(most * length)
    }
}

impl Corrections {
    /// Fades corrections in before and out after each locked contact.
    fn fade(&mut self, locked: &[Range<usize>], length: usize) {
        let ends: Vec<[Vector3<f64>; 2]> =
            locked.iter().map(|run| [self.moves[run.start], self.moves[run.end - 1]]).collect();
        for (i, run) in locked.iter().enumerate() {
            let before = i.checked_sub(1).map_or(0, |i| locked[i].end);
            let after = locked.get(i + 1).map_or(self.moves.len(), |next| next.start);
            let mut fade_into = |gap: usize, end: Vector3<f64>, place: &dyn Fn(usize) -> usize| {
                let length = length.min(gap);
                for step in 1..=length {
                    let weight = fade_out(step, length);
                    self.moves[place(step)] += end * weight;
                    self.weights[place(step)] += weight;
                }
            };
            fade_into(after - run.end, ends[i][1], &|step| run.end - 1 + step);
            fade_into(run.start - before, ends[i][0], &|step| run.start - step);
        }
    }
}

/// How far the hip has to drop for a foot at `reach` from it to be within `length`.
fn drop_to_reach(reach: &Vector3<f64>, up: &Vector3<f64>, length: f64) -> f64 {
    let height = reach.dot(up);
    if reach.norm_squared() <= length * length || height >= 0.0 {
        return 0.0;
    }
    let level = (reach.norm_squared() - height * height).max(0.0);
    (-height - (length * length - level).max(0.0).sqrt()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hips_drop_until_the_leg_is_long_enough() {
        let up = Vector3::y();
        assert_eq!(drop_to_reach(&Vector3::new(0.0, -0.9, 0.0), &up, 1.0), 0.0);
        assert!((drop_to_reach(&Vector3::new(0.6, -1.0, 0.0), &up, 1.0) - 0.2).abs() < 1e-12);
        // A foot that is further away than the leg is long, at any height: no deeper than level.
        assert!((drop_to_reach(&Vector3::new(2.0, -0.5, 0.0), &up, 1.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn corrections_fade_into_the_gaps_between_contacts() {
        let mut corrections = Corrections { moves: vec![Vector3::zeros(); 20], weights: vec![0.0; 20] };
        for (run, height) in [(5..8, 1.0), (14..16, -1.0)] {
            for frame in run {
                (corrections.moves[frame], corrections.weights[frame]) = (Vector3::y() * height, 1.0);
            }
        }
        corrections.fade(&[5..8, 14..16], 4);
        let heights: Vec<f64> = corrections.moves.iter().map(|at| at.y).collect();
        assert_eq!((heights[0], heights[5], heights[15]), (0.0, 1.0, -1.0));
        assert!(heights[4] > heights[3] && heights[3] > heights[2] && heights[1] > 0.0, "{heights:?}");
        assert!(heights[8] < 1.0 && heights[8] > heights[9] && heights[13] < 0.0, "{heights:?}");
        assert!(corrections.weights.iter().all(|weight| (0.0..=1.0 + 1e-12).contains(weight)));
    }
}
