//! Stage 3, foot lock: feet stay in place during contacts.
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
use crate::trajectories::{BodyTargets, BodyTrajectories, LimbTargets, place_of};
use mocap_analysis::{FootMotion, runs};
use mocap_model::{FrameRate, LANES, RotationLanes, UnitQuaternion, Vector3, VectorLanes};
use std::ops::Range;

/// Corrections fade in and out over this time \[s\].
const FADE: f64 = 0.2;
/// The hips begin to drop this long before a leg would be too short \[s\].
const DROP_AHEAD: f64 = 0.06;
/// The same if they drop by more than [`USUAL_DROP`] \[s\].
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
/// For a foot in the air, the hips drop by at most this share of the leg's length.
const USUAL_DROP: f64 = 0.06;
/// For a locked foot, they drop by at most this share.
const MOST_DROP: f64 = 0.6;
/// A foot is moved by at most this share of the leg's length to be locked.
const MOST_MOVE: f64 = 0.2;
/// The same as a share of the foot's length. It matters for feet that are long for their leg: their ball swings
/// far as the foot rolls.
const MOST_ROLL: f64 = 0.5;
/// The hips never stretch a leg beyond this share of its length.
const STRETCHED: f64 = 0.998;

/// Inputs of the lock of one foot.
struct Lock<'a> {
    pair: &'a Pair,
    /// Height of the floor, or negative infinity without a floor: then nothing is lifted. The ground under a
    /// foot may be higher.
    floor: f64,
    rate: FrameRate,
    /// The first frame, counted in the whole clip.
    start: usize,
    frames: usize,
}

/// Locks the feet of a body in the frames of a segment: changes the goals of its legs, and the positions of hips and
/// limbs. `carried` says how far hands carry the body, by frame; empty if they never do.
pub(crate) fn lock_feet(
    pair: &Pair,
    feet: &Feet,
    (floor, target_floor): (Floor, f64),
    rate: FrameRate,
    carried: &[f64],
    targets: &mut BodyTargets,
    body: &mut BodyTrajectories,
) {
    let floor = match floor {
        Floor::Auto | Floor::At(_) => target_floor,
        Floor::Off => f64::NEG_INFINITY,
    };
    let lock = Lock { pair, floor, rate, start: targets.start, frames: targets.frames };
    let contacts = feet.geometry.iter().zip(&feet.contacts).zip(&feet.motions);
    let grounds: Vec<Vec<[f64; LANES]>> = feet.motions.iter().map(|foot| lock.ground(&foot.ground)).collect();
    let locked: Vec<Corrections> = contacts
        .zip(&grounds)
        .map(|(((foot, contacts), motion), ground)| {
            lock.corrections(&targets.limbs[foot.limb], foot, (&contacts.toe, motion), ground)
        })
        .collect();
    let follow = hips_follow(&locked, lock.frames, lock.span(FOLLOW));
    let (mut usual, mut deep) = (vec![0.0f64; lock.frames], vec![0.0f64; lock.frames]);
    for ((foot, locked), ground) in feet.geometry.iter().zip(&locked).zip(&grounds) {
        let leg = &mut targets.limbs[foot.limb];
        let lift = lock.place_feet(leg, foot, locked, &follow, ground);
        if lock.floor.is_finite() {
            lock.lift_feet(leg, &mut body.joints.rotations, foot, locked, ground, lift);
        }
        let length = lock.leg_length(foot);
        let most = USUAL_DROP * length;
        for (block, leg) in leg.iter_mut().enumerate() {
            let missing: Vec<(usize, f64)> =
                lock.missing_reach(leg, length, block, &follow[block], &locked.weights).collect();
            for (frame, missing) in missing {
                let carried = carried.get(frame).copied().unwrap_or_default();
                let missing = missing * (1.0 - carried);
                let hip = follow[block].at(frame % LANES) - pair.directions.up * missing;
                come_within_reach(leg, frame % LANES, &hip, length * STRETCHED, (4.0 * carried).min(1.0));
                usual[frame] = usual[frame].max(missing.min(most));
                deep[frame] = deep[frame].max(missing - most);
            }
        }
    }
    let (usual, deep) =
        (envelope(&usual, lock.span(DROP_AHEAD)), envelope(&deep, lock.span(DEEP_DROP_AHEAD)));
    let up = pair.directions.up;
    for (block, follow) in follow.iter().enumerate() {
        let (usual, deep) = (block_of(&usual, block), block_of(&deep, block));
        let rise = std::array::from_fn(|lane| -(usual[lane] + deep[lane]));
        move_hips(targets, body, feet, block, &follow.plus_along(&up, &rise));
    }
}

/// Moves the hips and everything that hangs on them in a block of frames, but not the goals of feet.
pub(crate) fn move_hips(
    targets: &mut BodyTargets,
    body: &mut BodyTrajectories,
    feet: &Feet,
    block: usize,
    moved: &VectorLanes,
) {
    let local = targets.above_hips[block].turn_back(moved);
    let hips = &mut body.hips[targets.start + block * LANES..];
    hips.iter_mut().zip(0..LANES).for_each(|(hips, lane)| *hips += local.at(lane));
    if let Some(head) = targets.head.get_mut(block) {
        head.add(moved);
    }
    for (i, limb) in targets.limbs.iter_mut().enumerate() {
        let Some(limb) = limb.get_mut(block) else { continue };
        limb.base.position.add(moved);
        limb.from.add(moved);
        if feet.geometry.iter().all(|foot| foot.limb != i) {
            limb.goal.add(moved);
        }
    }
}

/// The values of one block of frames; lanes after the last frame are 0.
pub(crate) fn block_of(values: &[f64], block: usize) -> [f64; LANES] {
    let values = &values[block * LANES..];
    std::array::from_fn(|lane| values.get(lane).copied().unwrap_or(0.0))
}

/// How the ankle of one foot moves while its toe is locked, by frame of the motion.
struct Corrections {
    moves: Vec<Vector3<f64>>,
    /// 1 while the toe is locked, fading to 0 before and after; the fades of two contacts add up.
    weights: Vec<f64>,
}

/// The hips move by the mean correction of the locked feet. Legs keep their shape, and only correct the
/// difference between the feet. By block of frames.
fn hips_follow(locked: &[Corrections], frames: usize, reach: usize) -> Vec<VectorLanes> {
    let mut weights = vec![0.0; frames];
    for foot in locked {
        weights.iter_mut().zip(&foot.weights).for_each(|(sum, weight)| *sum += weight);
    }
    let coordinates = [0, 1, 2].map(|axis| {
        let mut means = vec![0.0; frames];
        for foot in locked {
            means.iter_mut().zip(&foot.moves).for_each(|(sum, moved)| *sum += moved[axis]);
        }
        means.iter_mut().zip(&weights).for_each(|(mean, weight)| *mean /= f64::max(*weight, 1.0));
        smooth(&means, reach)
    });
    let block = |block: usize| VectorLanes::of([0, 1, 2].map(|axis| block_of(&coordinates[axis], block)));
    (0..frames.div_ceil(LANES)).map(block).collect()
}

impl Lock<'_> {
    /// A time in frames, at least one.
    fn span(&self, seconds: f64) -> usize {
        (seconds * self.rate.fps()).round().max(1.0) as usize
    }

    fn leg_length(&self, foot: &FootGeometry) -> f64 {
        self.pair.target.reference.limb_length(&self.pair.limbs[foot.limb].target)
    }

    /// The height of the ground under a foot of the target, from `source`, the height of the ground above the
    /// floor under the source's foot; by block of frames.
    fn ground(&self, source: &[f64]) -> Vec<[f64; LANES]> {
        let ground =
            |block: usize| block_of(source, block).map(|rise| self.floor + rise * self.pair.ratios.leg);
        (0..self.frames.div_ceil(LANES)).map(ground).collect()
    }

    /// Pins the toe of one foot in each contact to its mean position on the ground. Without a floor, no point of the foot
    /// gets deeper than any was in the contact, as it would where the foot rolls off and the toe joint rises.
    fn corrections(
        &self,
        leg: &[LimbTargets],
        foot: &FootGeometry,
        (contact, source): (&[bool], &FootMotion),
        ground: &[[f64; LANES]],
    ) -> Corrections {
        let up = self.pair.directions.up;
        let most = (MOST_MOVE * self.leg_length(foot)).max(MOST_ROLL * foot.toe_offset.norm());
        let toe = |frame: usize| {
            let (block, lane) = place_of(frame);
            leg[block].goal.at(lane) + leg[block].tip.at(lane) * foot.toe_offset
        };
        // How far the lowest point of the foot is above its toe joint, 0 or less.
        let below = |frame: usize| {
            let lowest = source.lowest[frame] - source.toe[frame].dot(&source.up);
            lowest.min(0.0) * self.pair.ratios.leg
        };
        let mut moves = vec![Vector3::zeros(); self.frames];
        let mut weights = vec![0.0f64; self.frames];
        let mut locked: Vec<Range<usize>> = Vec::new();
        for run in runs(contact) {
            let toes: Vec<Vector3<f64>> = run.clone().map(toe).collect();
            let mean = toes.iter().sum::<Vector3<f64>>() / run.len() as f64;
            let (block, lane) = place_of(run.start + run.len() / 2);
            let ground = ground[block][lane];
            let above = if ground.is_finite() { ground + foot.toe_height - mean.dot(&up) } else { 0.0 };
            let place = mean + up * above;
            if toes.iter().all(|toe| (place - toe).norm() <= most) {
                for (frame, toe) in run.clone().zip(&toes) {
                    (moves[frame], weights[frame]) = (place - toe, 1.0);
                }
                locked.push(run);
            }
        }
        let mut corrections = Corrections { moves, weights };
        corrections.fade(&locked, self.span(FADE));
        if !self.floor.is_finite() {
            let lowest: Vec<f64> = (0..self.frames).map(|frame| toe(frame).dot(&up) + below(frame)).collect();
            corrections.keep_above(&lowest, &locked, self.span(FADE), &up);
        }
        corrections
    }

    /// Applies the corrections to the goals of a leg; a foot that is not locked moves with the hips. Returns by
    /// frame how deep toe and heel still penetrate the floor.
    fn place_feet(
        &self,
        leg: &mut [LimbTargets],
        foot: &FootGeometry,
        locked: &Corrections,
        follow: &[VectorLanes],
        ground: &[[f64; LANES]],
    ) -> Vec<f64> {
        let up = self.pair.directions.up;
        let mut lift = Vec::with_capacity(self.frames.next_multiple_of(LANES));
        for (block, leg) in leg.iter_mut().enumerate() {
            let (moves, follow) = (VectorLanes::gather(&locked.moves[block * LANES..]), &follow[block]);
            let weights = block_of(&locked.weights, block);
            let ground = &ground[block];
            leg.goal = VectorLanes::each(|lane| {
                leg.goal.at(lane) + (moves.at(lane) + follow.at(lane) * (1.0 - weights[lane]))
            });
            let heights =
                |leg: &LimbTargets, offset: &Vector3<f64>| leg.goal.plus(&leg.tip.turn(offset)).dot(&up);
            let mut heels = heights(leg, &foot.heel_offset);
            for lane in 0..LANES {
                let sunk = (ground[lane] - heels[lane]).max(0.0) * weights[lane].min(1.0);
                if sunk > 0.0 {
                    level_sole(leg, lane, foot, &up, sunk);
                    let heel = leg.goal.at(lane) + leg.tip.at(lane) * foot.heel_offset;
                    heels[lane] = heel.dot(&up);
                }
            }
            let balls = heights(leg, &foot.toe_offset);
            let raised =
                |lane: usize| (ground[lane] + (foot.toe_height - balls[lane]).max(-heels[lane])).max(0.0);
            lift.extend((0..LANES).map(raised));
        }
        lift.truncate(self.frames);
        lift
    }

    /// Lifts toes and heel out of the floor, by at least `lift` in each frame. Toes bend as on a real floor: up
    /// if their tips would penetrate it, and down onto it while the foot stands.
    fn lift_feet(
        &self,
        leg: &mut [LimbTargets],
        rotations: &mut [Vec<UnitQuaternion<f64>>],
        foot: &FootGeometry,
        locked: &Corrections,
        ground: &[[f64; LANES]],
        mut lift: Vec<f64>,
    ) {
        let up = self.pair.directions.up;
        let places = |toe: &Toe| leg.iter().map(|leg| leg.goal.plus(&leg.tip.turn(&toe.offset))).collect();
        let places: Vec<Vec<VectorLanes>> = foot.toes.iter().map(places).collect();
        for (toe, places) in foot.toes.iter().zip(&places) {
            let samples = &mut rotations[toe.joint.index()];
            if !samples.is_empty() && !toe.tips.is_empty() {
                let samples = &mut samples[self.start..];
                let mut bends = vec![0.0; self.frames];
                for (block, (leg, at)) in leg.iter().zip(places).enumerate() {
                    let at = at.plus_along(&up, &block_of(&lift, block));
                    let toes = leg.tip.product(&RotationLanes::gather(&samples[block * LANES..]));
                    let depths = toe.tip_penetrations(&at, &toes, &ground[block], &up);
                    for (lane, bend) in bends[block * LANES..].iter_mut().take(LANES).enumerate() {
                        // Only the toes of a locked foot are pressed down on the floor.
                        if locked.weights[block * LANES + lane] != 0.0 || depths[lane] != 0.0 {
                            *bend = toe.bend_to_floor(&at.at(lane), &toes.at(lane), ground[block][lane], &up);
                        }
                    }
                }
                self.bend_toe(samples, toe, &bends, &locked.weights);
            }
        }
        for (toe, places) in foot.toes.iter().zip(&places) {
            let samples = rotations[toe.joint.index()].get(self.start..).unwrap_or_default();
            for (block, (leg, at)) in leg.iter().zip(places).enumerate() {
                let ground = &ground[block];
                let heights = at.dot(&up);
                let mut lowest: [f64; LANES] = std::array::from_fn(|lane| ground[lane] - heights[lane]);
                if !toe.tips.is_empty() {
                    let local = match samples.get(block * LANES..).unwrap_or_default() {
                        [] => RotationLanes::same(&UnitQuaternion::identity()),
                        samples => RotationLanes::gather(samples),
                    };
                    let depths = toe.tip_penetrations(at, &leg.tip.product(&local), ground, &up);
                    (0..LANES).for_each(|lane| lowest[lane] = depths[lane].max(lowest[lane]));
                }
                for (lift, lowest) in lift[block * LANES..].iter_mut().zip(lowest) {
                    *lift = lift.max(lowest);
                }
            }
        }
        let lift = envelope(&lift, self.span(LIFT_AHEAD));
        for (block, leg) in leg.iter_mut().enumerate() {
            leg.goal = leg.goal.plus_along(&up, &block_of(&lift, block));
        }
    }

    /// Bends a toe until its tips are on the floor: upwards with a lead time, downwards in proportion to the
    /// lock.
    fn bend_toe(&self, samples: &mut [UnitQuaternion<f64>], toe: &Toe, bends: &[f64], locked: &[f64]) {
        if bends.iter().all(|bend| *bend == 0.0) {
            return;
        }
        let up: Vec<f64> = bends.iter().map(|bend| (-bend).max(0.0)).collect();
        let up = envelope(&ramped(&up, BEND_STEP), self.span(BEND_AHEAD));
        // Smoothing may only reduce the bend: pressing must not push tips into the floor.
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

    /// How far the hips have to drop so that a leg of a given length reaches its foot, in the frames of a block
    /// where that is needed; limits follow the weights of the foot's lock.
    fn missing_reach<'b>(
        &'b self,
        leg: &LimbTargets,
        length: f64,
        block: usize,
        follow: &VectorLanes,
        weights: &'b [f64],
    ) -> impl Iterator<Item = (usize, f64)> + 'b {
        let reach = leg.goal.minus(&leg.from).minus(follow);
        let stretched = length * STRETCHED;
        let squares = reach.norm_squared();
        let far = (0..LANES).filter(move |lane| squares[*lane] > stretched * stretched);
        let frames =
            far.map(move |lane| (block * LANES + lane, lane)).filter(|(frame, _)| *frame < self.frames);
        frames.map(move |(frame, lane)| {
            let most = USUAL_DROP + (MOST_DROP - USUAL_DROP) * weights[frame].min(1.0);
            let drop = drop_to_reach(&reach.at(lane), &self.pair.directions.up, stretched);
            (frame, drop.min(most * length))
        })
    }
}

/// Brings the foot of a body on its hands within reach of its hip, which is moved first: hips do not drop for such
/// feet. `share` is that of the way.
fn come_within_reach(leg: &mut LimbTargets, lane: usize, moved: &Vector3<f64>, length: f64, share: f64) {
    let (hip, goal) = (leg.from.at(lane) + moved, leg.goal.at(lane));
    let beyond = (1.0 - length / (goal - hip).norm()).max(0.0);
    leg.goal.set(lane, &(goal - (goal - hip) * (beyond * share)));
}

/// Turns a foot about its ball until its heel, `sunk` below the floor, is on it: the sole is level.
fn level_sole(leg: &mut LimbTargets, lane: usize, foot: &FootGeometry, up: &Vector3<f64>, sunk: f64) {
    let (goal, tip) = (leg.goal.at(lane), leg.tip.at(lane));
    let (to_ball, to_heel) = (tip * foot.toe_offset, tip * foot.heel_offset);
    let sole = to_heel - to_ball;
    let slope = |height: f64| (height / sole.norm()).clamp(-1.0, 1.0).asin();
    let turn = slope(sole.dot(up) + sunk) - slope(sole.dot(up));
    if let Some(axis) = sole.cross(up).try_normalize(1e-3 * sole.norm()).filter(|_| turn > 0.0) {
        let turn = UnitQuaternion::new(axis * turn.min(MOST_LEVEL));
        leg.goal.set(lane, &(goal + (to_ball - turn * to_ball)));
        leg.tip.set(lane, &(turn * tip));
    }
}

impl Corrections {
    /// Lets no correction put the foot deeper than it was in the contact that is locked, or is in that frame. `lowest` is
    /// the height of its lowest point.
    fn keep_above(&mut self, lowest: &[f64], locked: &[Range<usize>], fade: usize, up: &Vector3<f64>) {
        let mut bounds = lowest.to_vec();
        for run in locked {
            let of_contact = lowest[run.clone()].iter().copied().fold(f64::INFINITY, f64::min);
            let around = run.start.saturating_sub(fade)..(run.end + fade).min(lowest.len());
            bounds[around].iter_mut().for_each(|bound| *bound = bound.min(of_contact));
        }
        for ((moved, lowest), bound) in self.moves.iter_mut().zip(lowest).zip(bounds) {
            *moved += up * (bound - lowest - moved.dot(up)).max(0.0);
        }
    }

    /// Adds corrections that fade in before and fade out after each locked contact.
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
        // The foot is further away than the leg is long: the hip drops to the height of the foot, not deeper.
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
        // The second contact is pushed down: no deeper than the foot was in it, nor in its fades.
        let lowest: Vec<f64> = (0..20).map(|frame| if frame == 15 { -0.25 } else { 0.0 }).collect();
        corrections.keep_above(&lowest, &[5..8, 14..16], 4, &Vector3::y());
        let heights: Vec<f64> = corrections.moves.iter().zip(&lowest).map(|(at, low)| at.y + low).collect();
        assert!(heights.iter().all(|height| *height >= -0.25 - 1e-12), "{heights:?}");
        assert_eq!((heights[5], heights[14], heights[15]), (1.0, -0.25, -0.25));
    }
}
