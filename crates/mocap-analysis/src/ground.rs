//! The height of the ground under feet that climb: stairs, slopes, a box.
//!
//! Heights are measured from one floor, but a foot may come to rest far above it. It stands there if it carries
//! the body: the hips are a leg length above it, and the other foot does not rest lower in the meantime. This
//! excludes a kick that is held, a foot that rests on the other knee, the raised legs of somebody lying, and
//! the top of a jump, which is too short.

use crate::contacts::{runs, without_short_runs};
use crate::percentile::{low_percentile, percentile};
use crate::{ContactOptions, FootMotion};
use std::ops::Range;

/// A foot carries the body if it stands for at least this long \[s\] ...
const CARRIES: f64 = 0.12;
/// ... and for at least this share of the time during which it is in place.
const SHARE: f64 = 0.3;
/// The body does not stand on a foot if the hips are lower than this above it [leg lengths].
const STANDS: f64 = 0.6;

/// A foot in place.
struct Rest {
    foot: usize,
    frames: Range<usize>,
    /// Height of the toe.
    height: f64,
    /// Whether it is low enough for a contact with the floor.
    low: bool,
}

/// Height of the ground under each foot above the floor, by frame \[units\]: 0 in all frames if no foot stands
/// above the floor. Otherwise every place where a foot stands has its own height, and a moving foot is above
/// the lower of the places before and after. `hips` computes the heights of the hips when they are needed.
pub(crate) fn rises(feet: &[FootMotion], hips: impl FnOnce() -> Vec<f64>) -> Vec<Vec<f64>> {
    let options = ContactOptions::default();
    if feet.len() < 2 || never_up(feet, &options) {
        return flat(feet);
    }
    searched(feet, &hips(), &options)
}

fn flat(feet: &[FootMotion]) -> Vec<Vec<f64>> {
    feet.iter().map(|foot| vec![0.0; foot.toe.len()]).collect()
}

/// The full search of [`rises`].
fn searched(feet: &[FootMotion], hips: &[f64], options: &ContactOptions) -> Vec<Vec<f64>> {
    if hips.len() < 2 {
        return flat(feet);
    }
    let slow: Vec<Vec<bool>> =
        feet.iter().map(|foot| foot.is_slow(&foot.toe, &foot.slow_steps(options))).collect();
    let heights: Vec<Vec<f64>> = feet.iter().map(|foot| foot.heights(&foot.toe)).collect();
    let floor = heights.iter().map(|own| low_percentile(own, 0.05)).fold(f64::INFINITY, f64::min);
    let mut rests: Vec<Rest> = Vec::new();
    for (number, foot) in feet.iter().enumerate() {
        let tall = options.height * foot.leg;
        let carries = |frame: &usize| {
            let height = heights[number][*frame];
            let lower = |other: usize| slow[other][*frame] && heights[other][*frame] < height - tall;
            hips[*frame] - height > STANDS * foot.leg
                && !(0..feet.len()).any(|other| other != number && lower(other))
        };
        for frames in foot.rests(&slow[number], options) {
            let height = percentile(&mut heights[number][frames.clone()].to_vec(), 0.5).unwrap_or(0.0);
            let low = height < floor + tall;
            let least = (CARRIES * foot.fps).max(SHARE * frames.len() as f64);
            if low || frames.clone().filter(carries).count() as f64 >= least {
                rests.push(Rest { foot: number, frames, height, low });
            }
        }
    }
    if rests.iter().all(|rest| rest.low) {
        return flat(feet);
    }
    let mut lowest: Vec<f64> = rests.iter().filter(|rest| rest.low).map(|rest| rest.height).collect();
    let floor = if lowest.is_empty() { floor } else { percentile(&mut lowest, 0.5).unwrap_or(0.0) };
    let own = |number: usize, foot: &FootMotion| {
        let rests: Vec<&Rest> = rests.iter().filter(|rest| rest.foot == number).collect();
        let above: Vec<f64> = heights[number].iter().map(|height| (height - floor).max(0.0)).collect();
        under(&rests, &foot.is_slow(&foot.ankle, &foot.slow_steps(options)), floor, &above)
    };
    feet.iter().enumerate().map(|(number, foot)| own(number, foot)).collect()
}

/// A cheap test whether no foot rests above the floor, which is true of most motions. Each time a toe is higher
/// than in a contact, it moves for longer than a gap of contacts, or is in place for less time than a foot that
/// carries.
fn never_up(feet: &[FootMotion], options: &ContactOptions) -> bool {
    let heights: Vec<Vec<f64>> = feet.iter().map(|foot| foot.heights(&foot.toe)).collect();
    // A lower bound of the floor's height.
    let lowest = heights.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let on_floor = |(foot, heights): (&FootMotion, &Vec<f64>)| {
        let high = lowest + options.height * foot.leg;
        let mut end = 0;
        while let Some(from) = heights[end..].iter().position(|height| *height >= high) {
            let from = end + from;
            end =
                heights[from..].iter().position(|height| *height < high).map_or(heights.len(), |n| from + n);
            if foot.may_rest(from..end, options) {
                return false;
            }
        }
        true
    };
    feet.iter().zip(&heights).all(on_floor)
}

/// The ground under a foot that rests at these places, in order. Under a heel that is in place before or after
/// the toe, it is that of the toe. The ground is never higher than `above`, the height of the moving foot: it
/// may come down lower than it stood.
fn under(rests: &[&Rest], heel: &[bool], floor: f64, above: &[f64]) -> Vec<f64> {
    let mut ground = vec![0.0; heel.len()];
    let mut stands: Vec<(Range<usize>, f64)> = Vec::new();
    for (i, rest) in rests.iter().enumerate() {
        let from = stands.last().map_or(0, |(last, _)| last.end);
        let to = rests.get(i + 1).map_or(heel.len(), |next| next.frames.start);
        let before = heel[from..rest.frames.start].iter().rev().take_while(|slow| **slow).count();
        let after = heel[rest.frames.end..to].iter().take_while(|slow| **slow).count();
        stands.push((rest.frames.start - before..rest.frames.end + after, rest.height - floor));
    }
    let mut pass = |frames: Range<usize>, height: f64| {
        frames.for_each(|frame| ground[frame] = height.min(above[frame]));
    };
    let mut end = 0;
    let mut last = f64::INFINITY;
    for (frames, height) in &stands {
        pass(end..frames.start, last.min(*height));
        (end, last) = (frames.end, *height);
    }
    pass(end..heel.len(), if stands.is_empty() { 0.0 } else { last });
    stands.into_iter().for_each(|(frames, height)| ground[frames].fill(height));
    ground
}

impl FootMotion {
    /// Whether a toe that is up in these frames may be in place for as long as a foot that carries.
    fn may_rest(&self, up: Range<usize>, options: &ContactOptions) -> bool {
        let carries = (CARRIES * self.fps).ceil() as usize;
        // Squared steps are compared, each computed once.
        let slow = options.speed * self.leg / self.fps;
        let step = |frame: usize| match self.toe.get(frame + 1) {
            Some(next) => (next - self.toe[frame]).norm_squared(),
            None => f64::INFINITY,
        };
        let mut before = if up.start > 0 { step(up.start - 1) } else { f64::INFINITY };
        let mut seen = up.start;
        for frame in up.clone() {
            let after = step(frame);
            let least = slow.max(options.travel * self.travel[frame]);
            if frame >= seen && (before.min(after) < least * least || self.toe.len() == 1) {
                let around = self.in_place_around(frame, carries, options);
                if around.len() >= carries {
                    return true;
                }
                seen = around.end;
            }
            before = after;
        }
        seen == up.start && !self.moves_around(up, options)
    }

    /// The frames around a slow frame in which the toe is in place, with gaps closed as in
    /// [`FootMotion::rests`]; at most about `most`.
    fn in_place_around(&self, frame: usize, most: usize, options: &ContactOptions) -> Range<usize> {
        let gap = (options.gap * self.fps).ceil() as usize;
        // Before the first frame and after the last, the toe may be in place.
        let slow = |frame: usize| frame >= self.toe.len() || self.is_slow_at(&self.toe, frame, options);
        let mut frames = frame..frame + 1;
        while frames.len() < most {
            match (1..=gap.max(1)).find(|step| slow(frames.start.wrapping_sub(*step))) {
                Some(step) if frames.start > 0 => frames.start = frames.start.saturating_sub(step),
                _ => break,
            }
        }
        while frames.len() < most {
            match (0..gap.max(1)).find(|step| slow(frames.end + step)) {
                Some(step) if frames.end < self.toe.len() => {
                    frames.end = (frames.end + step + 1).min(self.toe.len());
                }
                _ => break,
            }
        }
        frames
    }

    /// Whether a toe that moves in these frames moves, together with the frames before and after, for longer
    /// than a gap of contacts.
    fn moves_around(&self, mut frames: Range<usize>, options: &ContactOptions) -> bool {
        let gap = (options.gap * self.fps).ceil() as usize;
        let moves = |frame: usize| !self.is_slow_at(&self.toe, frame, options);
        while frames.len() < gap {
            if frames.start > 0 && moves(frames.start - 1) {
                frames.start -= 1;
            } else if frames.end < self.toe.len() && moves(frames.end) {
                frames.end += 1;
            } else {
                return false;
            }
        }
        true
    }

    /// The frames in which a foot is in place.
    fn rests(&self, slow: &[bool], options: &ContactOptions) -> Vec<Range<usize>> {
        let closed = without_short_runs(slow, false, (options.gap * self.fps).ceil() as usize);
        runs(&without_short_runs(&closed, true, (CARRIES * self.fps).ceil() as usize))
    }

    /// The same motion taken over a level floor: the ground is 0 in all frames.
    #[must_use]
    pub fn on_one_floor(self) -> FootMotion {
        FootMotion { ground: vec![0.0; self.lowest.len()], ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Vector3;

    const FPS: f64 = 60.0;

    /// A foot of a leg of 1 m that is at these places (ahead, up), for so many frames each, and moves between them in 20.
    fn foot(places: &[(f64, f64, usize)]) -> FootMotion {
        let mut toe: Vec<Vector3<f64>> = Vec::new();
        for (i, (ahead, up, frames)) in places.iter().enumerate() {
            let at = Vector3::new(0.0, *up, *ahead);
            if let Some(last) = toe.last().copied().filter(|_| i > 0) {
                toe.extend((1..20).map(|step| last.lerp(&at, f64::from(step) / 20.0)));
            }
            toe.extend(std::iter::repeat_n(at, *frames));
        }
        let frames = toe.len();
        FootMotion {
            ankle: toe.iter().map(|at| at + Vector3::y() * 0.08).collect(),
            lowest: toe.iter().map(|at| at.y).collect(),
            ground: vec![0.0; frames],
            raised: vec![false; frames],
            travel: vec![0.0; frames],
            toe,
            leg: 1.0,
            up: Vector3::y(),
            fps: FPS,
        }
    }

    /// Feet that climb stairs of a height, one after the other, and their hips.
    fn stairs(rise: f64) -> ([FootMotion; 2], Vec<f64>) {
        let steps = |from: usize, first: usize| -> Vec<(f64, f64, usize)> {
            let at = |i: usize| (0.3 * i as f64, rise * i as f64);
            (0..4)
                .map(|i| (at(from + 2 * i).0, at(from + 2 * i).1, if i == 0 { first } else { 40 }))
                .collect()
        };
        let mut feet = [foot(&steps(0, 20)), foot(&steps(1, 50))];
        let frames = 185;
        for foot in &mut feet {
            foot.toe.truncate(frames);
            foot.ankle.truncate(frames);
            foot.lowest.truncate(frames);
            foot.ground.truncate(frames);
            foot.travel.truncate(frames);
        }
        let hips = (0..frames).map(|i| 0.5 * (feet[0].toe[i].y + feet[1].toe[i].y) + 0.9).collect();
        (feet, hips)
    }

    #[test]
    fn on_one_floor_it_is_flat() {
        let (feet, hips) = stairs(0.0);
        assert!(rises(&feet, || hips.clone()).iter().flatten().all(|height| *height == 0.0));
    }

    #[test]
    fn stairs_have_the_height_of_each_step() {
        for rise in [0.17, -0.17] {
            let (feet, hips) = stairs(rise);
            let found = rises(&feet, || hips.clone());
            let steps: f64 = if rise > 0.0 { 0.0 } else { 6.0 };
            let base = rise * steps;
            for (foot, ground) in feet.iter().zip(&found) {
                // At first the upper foot may only rest on its step.
                let slow = foot.is_slow(&foot.toe, &foot.slow_steps(&ContactOptions::default()));
                for frame in (20..ground.len()).filter(|frame| slow[*frame]) {
                    let off = ground[frame] - (foot.toe[frame].y - base);
                    assert!(off.abs() < 0.02, "{rise} {frame}: {off}");
                }
                // A foot on its way is over the lower of both steps.
                assert!(
                    ground.iter().zip(&foot.toe).all(|(ground, at)| *ground <= (at.y - base).max(0.0) + 0.02)
                );
            }
            for foot in feet.iter().zip(found).map(|(foot, ground)| FootMotion { ground, ..foot.clone() }) {
                let contacts = foot.contacts(&ContactOptions::default());
                let frames = contacts.toe.iter().filter(|toe| **toe).count();
                assert!(
                    frames as f64 > 0.5 * contacts.toe.len() as f64,
                    "{frames} of {}",
                    contacts.toe.len()
                );
            }
        }
    }

    #[test]
    fn it_is_plain_that_feet_stay_on_a_floor_and_not_that_they_climb() {
        let options = ContactOptions::default();
        assert!(never_up(&stairs(0.0).0, &options));
        for rise in [0.06, -0.06, 0.17, -0.17] {
            let (feet, hips) = stairs(rise);
            assert!(rises(&feet, || hips).iter().flatten().any(|height| *height > 0.0), "{rise}");
            assert!(!never_up(&feet, &options), "{rise}");
        }
        // Slow for one frame while it is up; up for less than a gap, then for as long as one.
        let walks = || foot(&[(0.0, 0.0, 40), (0.5, 0.0, 40)]);
        let lifted = |frames: Range<usize>| {
            let mut up = foot(&[(0.0, 0.0, 80)]);
            for (i, frame) in frames.enumerate() {
                up.toe[frame] = Vector3::new(0.0, 0.4, 0.3 * i as f64);
            }
            never_up(&[walks(), up], &options)
        };
        let gap = (options.gap * FPS).ceil() as usize;
        assert!(lifted(20..20 + gap));
        assert!(!lifted(20..20 + gap - 1));
        assert!(!lifted(80 - gap + 1..80));
        // As high, and in place for less than a foot that carries, or as long.
        let carries = (CARRIES * FPS).ceil() as usize;
        let held = |frames: usize| {
            let up = foot(&[(0.0, 0.0, 40), (0.3, 0.3, frames), (0.6, 0.0, 40)]);
            never_up(&[walks(), up], &options)
        };
        assert!(held(carries - 3) && !held(carries));
    }

    #[test]
    fn where_it_is_plain_that_no_foot_rests_above_the_floor_the_search_finds_none() {
        let options = ContactOptions::default();
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31)
        };
        let (mut plain, mut risen) = (0, 0);
        for _ in 0..4000 {
            // Feet that stop at random heights for a few frames or many.
            let mut feet = [0, 1].map(|_| {
                let places: Vec<(f64, f64, usize)> = (0..5)
                    .map(|i| {
                        (0.3 * f64::from(i), 0.4 * (random() - 0.5).max(0.0), 1 + (30.0 * random()) as usize)
                    })
                    .collect();
                foot(&places)
            });
            let frames = feet.iter().map(|foot| foot.toe.len()).min().unwrap();
            for foot in &mut feet {
                foot.toe.truncate(frames);
                foot.ankle.truncate(frames);
                foot.lowest.truncate(frames);
                foot.travel.truncate(frames);
            }
            let hips: Vec<f64> =
                (0..frames).map(|i| 0.5 * (feet[0].toe[i].y + feet[1].toe[i].y) + 0.9).collect();
            let found = searched(&feet, &hips, &options);
            let rises = found.iter().flatten().any(|height| *height > 0.0);
            let is_plain = never_up(&feet, &options);
            assert!(!(is_plain && rises));
            plain += usize::from(is_plain);
            risen += usize::from(rises);
        }
        assert!(plain > 100 && risen > 100, "{plain}, {risen}");
    }

    #[test]
    fn a_foot_that_is_held_up_does_not_stand() {
        let stands = foot(&[(0.0, 0.0, 139)]);
        let kicks = foot(&[(0.0, 0.0, 30), (0.5, 0.7, 50), (0.0, 0.0, 21)]);
        let hips = vec![0.95; 139];
        assert!(rises(&[stands, kicks], || hips).iter().flatten().all(|height| *height == 0.0));
        // Nor do feet that somebody who lies holds up.
        let up = || foot(&[(0.0, 0.0, 30), (0.5, 0.7, 50), (0.0, 0.0, 21)]);
        assert!(rises(&[up(), up()], || vec![0.1; 139]).iter().flatten().all(|height| *height == 0.0));
    }
}
