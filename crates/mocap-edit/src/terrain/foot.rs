//! The path of a foot over a terrain: stances on planes, and swings that clear the terrain between them.

use std::ops::Range;

use mocap_analysis::{Foot, FootContacts, placements, runs};
use mocap_model::{Clip, Isometry3, JointId, UnitQuaternion, Vector3, slerp};
use nalgebra::{Translation3, Unit};

use super::surface::{Gap, Terrain};
use crate::EditError;
use crate::body::Body;
use crate::smoothing::gaussian;

/// The steepest plane on which a foot stands \[rad\].
const STEEPEST: f64 = std::f64::consts::FRAC_PI_6;
/// Clearance of a swinging sole above and beside the terrain, up to its height over the floor in the original motion
/// \[m\].
pub(super) const CLEARANCE: f64 = 0.02;
/// A point of a foot is part of its footprint if it is within this of its lowest height over the floor \[m\].
const PRINT: f64 = 0.02;
/// Contacts with less time between them are one stance \[s\].
const ONE_STANCE: f64 = 0.1;
/// A foot makes its change of height within this share of its swing.
const UPWARD: f64 = 0.7;
/// The smoothing of the clearance of swings \[s\].
const SMOOTH_LIFT: f64 = 0.05;
/// This share of a stance at each end belongs to landing and leaving.
const LANDING: f64 = 0.2;
/// Iterations that bring a tilted foot into contact with the terrain.
const ROUNDS: usize = 12;
/// Number of places around a point that are tested for edges.
const AROUND: usize = 8;

/// A terrain below a motion.
pub(super) struct Ground<'a> {
    pub(super) terrain: &'a Terrain,
    pub(super) body: &'a Body,
    pub(super) origin: Vector3<f64>,
    pub(super) heading: f64,
    /// The height of the floor of the motion \[units\].
    pub(super) floor: f64,
    pub(super) metres: f64,
}

impl Ground<'_> {
    /// The height of the terrain over the floor \[units\], and its normal, below a place.
    pub(super) fn below(
        &self,
        place: &Vector3<f64>,
        clip: &Clip,
        joint: JointId,
        frame: usize,
    ) -> Result<(f64, Vector3<f64>), EditError> {
        let away = self.body.turn(-self.heading) * (place - self.origin) * self.metres;
        let (ahead, left) = (away.dot(&self.body.forward), away.dot(&self.body.lateral));
        let (height, normal) = self.terrain.at(ahead, left).map_err(|gap| {
            let what = match gap {
                Gap::Hole => "has a hole",
                Gap::Outside => "ends before the place",
            };
            let name = &clip.skeleton().joint(joint).name;
            let reason = format!(
                "it {what} below '{name}' in frame {frame}: {ahead:.2} m ahead and {left:.2} m to the left of its origin"
            );
            EditError::Terrain { reason }
        })?;
        let Body { forward, lateral, up, .. } = self.body;
        let normal = forward * normal.x + lateral * normal.y + up * normal.z;
        Ok((height / self.metres, self.body.turn(self.heading) * normal))
    }

    /// The height of the terrain at a place, or the greatest within a radius \[units\]. From the
    /// latter the rise of the slope at the place is subtracted, so that only edges count.
    pub(super) fn highest(
        &self,
        place: &Vector3<f64>,
        radius: f64,
        clip: &Clip,
        joint: JointId,
        frame: usize,
    ) -> Result<f64, EditError> {
        let (height, normal) = self.below(place, clip, joint, frame)?;
        let mut most = height;
        for i in (0..AROUND).filter(|_| radius > 0.0) {
            let angle = std::f64::consts::TAU * i as f64 / AROUND as f64;
            let away = self.body.turn(angle) * self.body.forward * radius;
            let slope = -normal.dot(&away) / normal.dot(&self.body.up);
            // Holes and the outside of the terrain block nothing.
            if let Ok((beside, _)) = self.below(&(place + away), clip, joint, frame) {
                most = most.max(beside - slope.max(0.0));
            }
        }
        Ok(most)
    }

    pub(super) fn above_floor(&self, place: &Vector3<f64>) -> f64 {
        place.dot(&self.body.up) - self.floor
    }

    /// The place on the floor below another.
    pub(super) fn on_floor(&self, place: &Vector3<f64>) -> Vector3<f64> {
        place - self.body.up * self.above_floor(place)
    }
}

/// A stance of a foot: its rotation about a pivot on the floor, and its rise.
pub(super) struct Stance {
    pub(super) frames: Range<usize>,
    /// The frames in which it neither lands nor leaves.
    pub(super) core: Range<usize>,
    pub(super) tilt: UnitQuaternion<f64>,
    pivot: Vector3<f64>,
    rise: f64,
}

/// The motion of a foot in a frame: a rotation about the point on the floor below its ankle, and a translation.
#[derive(Clone, Copy)]
struct Shift {
    turn: UnitQuaternion<f64>,
    by: Vector3<f64>,
}

/// A foot over a terrain.
pub(super) struct FootPath {
    /// The ankle first.
    pub(super) joints: Vec<JointId>,
    /// By joint, then by frame: their transforms in the original motion, on the flat floor.
    pub(super) points: Vec<Vec<Isometry3<f64>>>,
    /// By joint: the distance of the sole below it, which is its least height over the floor \[units\].
    pub(super) soles: Vec<f64>,
    pub(super) stances: Vec<Stance>,
    /// By frame.
    shifts: Vec<Shift>,
    /// By frame: the additional height of a swing \[units\].
    lifts: Vec<f64>,
    pivots: Vec<Vector3<f64>>,
    up: Vector3<f64>,
}

impl FootPath {
    pub(super) fn over(
        clip: &Clip,
        ground: &Ground,
        foot: &Foot,
        contacts: &FootContacts,
    ) -> Result<FootPath, EditError> {
        let mut joints = vec![foot.ankle];
        joints.extend(foot.points.iter().filter(|joint| **joint != foot.ankle));
        let points = placements(clip, &joints);
        let up = ground.body.up;
        let height = |place: &Isometry3<f64>| ground.above_floor(&place.translation.vector);
        let least = |places: &Vec<Isometry3<f64>>| places.iter().map(height).fold(f64::INFINITY, f64::min);
        let soles = points.iter().map(least).collect();
        let pivots = points[0].iter().map(|place| ground.on_floor(&place.translation.vector)).collect();
        let mut path = FootPath {
            joints,
            points,
            soles,
            stances: Vec::new(),
            shifts: Vec::new(),
            lifts: vec![0.0; clip.frames()],
            pivots,
            up,
        };
        let touches: Vec<bool> =
            contacts.toe.iter().zip(&contacts.heel).map(|(toe, heel)| *toe || *heel).collect();
        let gap = (ONE_STANCE * clip.rate().fps()).round() as usize;
        let mut spans: Vec<Range<usize>> = Vec::new();
        for run in runs(&touches) {
            match spans.last_mut() {
                Some(last) if run.start - last.end < gap => last.end = run.end,
                _ => spans.push(run),
            }
        }
        // A foot without contacts gets one stance, where it is lowest.
        if spans.is_empty() {
            let height = |frame: &usize| ground.above_floor(&path.points[0][*frame].translation.vector);
            let lowest = (0..clip.frames()).min_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
            spans.push(lowest..lowest + 1);
        }
        for frames in spans {
            let stance = path.stance(clip, ground, frames)?;
            path.stances.push(stance);
        }
        path.shifts = (0..clip.frames()).map(|frame| path.shift(frame)).collect();
        path.clear(clip, ground)?;
        Ok(path)
    }

    fn place(&self, point: usize, frame: usize) -> Vector3<f64> {
        self.points[point][frame].translation.vector
    }

    /// Fits a plane to the footprint that touches the terrain from above.
    fn stance(&self, clip: &Clip, ground: &Ground, frames: Range<usize>) -> Result<Stance, EditError> {
        let low = PRINT / ground.metres;
        let ends = (frames.len() as f64 * LANDING) as usize;
        let core = frames.start + ends..frames.end - ends;
        let all = || core.clone().flat_map(|frame| (0..self.joints.len()).map(move |point| (point, frame)));
        let over = |point: usize, frame: usize| ground.above_floor(&self.place(point, frame));
        let mut print: Vec<(usize, usize)> =
            all().filter(|(point, frame)| over(*point, *frame) < self.soles[*point] + low).collect();
        if print.is_empty() {
            print = all().collect();
        }
        let (mut pivot, mut normal) = (Vector3::zeros(), Vector3::zeros());
        for (point, frame) in &print {
            let place = self.place(*point, *frame);
            pivot += ground.on_floor(&place) / print.len() as f64;
            normal += ground.below(&place, clip, self.joints[*point], *frame)?.1;
        }
        let tilt = tilt(&self.up, &normal.normalize());
        let mut stance = Stance { frames, core: core.clone(), tilt, pivot, rise: f64::NEG_INFINITY };
        let plane = tilt * self.up;
        // The plane must not be below the terrain at any point of the footprint.
        for (point, frame) in &print {
            let place = self.place(*point, *frame);
            let (height, _) = ground.below(&place, clip, self.joints[*point], *frame)?;
            let away = ground.on_floor(&place) - pivot;
            let slope = -ground.body.on_ground(&plane).dot(&away) / plane.dot(&self.up);
            stance.rise = stance.rise.max(height - slope);
        }
        // The tilted foot is over other places: iterate until its sole touches the terrain there and no point
        // penetrates it.
        for _ in 0..ROUNDS {
            let mut off = f64::NEG_INFINITY;
            for (point, frame) in &print {
                let sole = stance.moved(&ground.on_floor(&self.place(*point, *frame)), &self.up);
                let (height, _) = ground.below(&sole, clip, self.joints[*point], *frame)?;
                off = off.max(height - ground.above_floor(&sole));
            }
            for (point, frame) in all() {
                let place = self.place(point, frame);
                let moved = stance.moved(&place, &self.up);
                let (height, _) = ground.below(&moved, clip, self.joints[point], frame)?;
                off = off.max(height + self.soles[point] - ground.above_floor(&moved));
            }
            if off.abs() < 1e-9 / ground.metres {
                break;
            }
            stance.rise += off;
        }
        Ok(stance)
    }

    /// The shift of a frame without clearance: that of its stance, else interpolated between the stances before and
    /// after.
    fn shift(&self, frame: usize) -> Shift {
        let of = |stance: &Stance, frame: usize| {
            let pivot = self.pivots[frame];
            Shift { turn: stance.tilt, by: stance.moved(&pivot, &self.up) - pivot }
        };
        let after = self.stances.iter().position(|stance| stance.frames.end > frame);
        match after {
            Some(after) if self.stances[after].frames.contains(&frame) => of(&self.stances[after], frame),
            None => {
                of(&self.stances[self.stances.len() - 1], self.stances[self.stances.len() - 1].frames.end - 1)
            }
            Some(0) => of(&self.stances[0], self.stances[0].frames.start),
            Some(after) => {
                let (left, entered) = (&self.stances[after - 1], &self.stances[after]);
                let (from, to) = (left.frames.end - 1, entered.frames.start);
                let (a, b) = (of(left, from), of(entered, to));
                let t = (frame - from) as f64 / (to - from) as f64;
                let ease = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
                let (share, way) = (ease(t), b.by - a.by);
                let rise = way.dot(&self.up);
                // A foot rises early, before an edge, and comes down late, after it.
                let early = if rise > 0.0 { t / UPWARD } else { 1.0 - (1.0 - t) / UPWARD };
                let turn = if a.turn == b.turn { a.turn } else { slerp(&a.turn, &b.turn, share) };
                let along = way - self.up * rise;
                Shift { turn, by: a.by + along * share + self.up * (rise * ease(early.clamp(0.0, 1.0))) }
            }
        }
    }

    /// A place of the foot, without clearance.
    fn moved(&self, place: &Vector3<f64>, frame: usize) -> Vector3<f64> {
        let (Shift { turn, by }, pivot) = (self.shifts[frame], self.pivots[frame]);
        pivot + turn * (place - pivot) + by
    }

    /// Lifts swings over obstacles.
    fn clear(&mut self, clip: &Clip, ground: &Ground) -> Result<(), EditError> {
        let frames = clip.frames();
        let mut ends: Vec<(usize, usize)> =
            self.stances.windows(2).map(|pair| (pair[0].core.end - 1, pair[1].core.start)).collect();
        let (first, last) = (&self.stances[0], &self.stances[self.stances.len() - 1]);
        ends.extend((first.core.start > 0).then_some((0, first.core.start)));
        ends.extend((last.core.end < frames).then_some((last.core.end - 1, frames - 1)));
        for (from, to) in ends {
            let mut needed = vec![0.0f64; to - from + 1];
            for frame in from..=to {
                for point in (0..self.joints.len()).filter(|_| self.swings(frame)) {
                    let place = self.place(point, frame);
                    let (sole, moved) = (self.soles[point], self.moved(&place, frame));
                    let clearance = (ground.above_floor(&place) - sole).clamp(0.0, CLEARANCE / ground.metres);
                    let highest = ground.highest(&moved, clearance, clip, self.joints[point], frame)?;
                    let lift = highest + sole + clearance - ground.above_floor(&moved);
                    // Ignore rounding: on flat ground no swing is lifted.
                    let lift = if lift < 1e-9 / ground.metres { 0.0 } else { lift };
                    needed[frame - from] = needed[frame - from].max(lift);
                }
            }
            let sigma = SMOOTH_LIFT * clip.rate().fps();
            for (at, lift) in over(&needed, sigma).into_iter().enumerate() {
                self.lifts[from + at] = lift;
            }
        }
        Ok(())
    }

    /// Whether a frame is in the core of no stance.
    pub(super) fn swings(&self, frame: usize) -> bool {
        !self.stances.iter().any(|stance| stance.core.contains(&frame))
    }

    /// Whether a frame differs from the motion on the flat floor.
    pub(super) fn changes(&self, frame: usize) -> bool {
        let Shift { turn, by } = &self.shifts[frame];
        by.norm() > 0.0 || turn.angle() > 0.0 || self.lifts[frame] > 0.0
    }

    /// The transform of the ankle on the terrain.
    pub(super) fn ankle(&self, frame: usize) -> Isometry3<f64> {
        let place = &self.points[0][frame];
        if !self.changes(frame) {
            return *place;
        }
        let moved = self.moved(&place.translation.vector, frame) + self.up * self.lifts[frame];
        Isometry3::from_parts(Translation3::from(moved), self.shifts[frame].turn * place.rotation)
    }

    /// How far the foot is moved up, without clearance.
    pub(super) fn base_rise(&self, frame: usize) -> f64 {
        self.shifts[frame].by.dot(&self.up)
    }
}

impl Stance {
    fn moved(&self, place: &Vector3<f64>, up: &Vector3<f64>) -> Vector3<f64> {
        if self.tilt.angle() == 0.0 {
            return place + up * self.rise;
        }
        self.pivot + self.tilt * (place - self.pivot) + up * self.rise
    }
}

/// The rotation from up to a normal, limited to [`STEEPEST`].
fn tilt(up: &Vector3<f64>, normal: &Vector3<f64>) -> UnitQuaternion<f64> {
    let (axis, along) = (up.cross(normal), up.dot(normal));
    let angle = axis.norm().atan2(along);
    if angle < 1e-9 {
        return UnitQuaternion::identity();
    }
    UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), angle.min(STEEPEST))
}

/// A smooth curve above `needed`: their upper convex hull, smoothed over `sigma` frames and raised where it falls below
/// them. Its ends are fixed.
fn over(needed: &[f64], sigma: f64) -> Vec<f64> {
    if needed.iter().all(|value| *value == 0.0) {
        return needed.to_vec();
    }
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for (i, value) in needed.iter().enumerate() {
        let point = (i as f64, *value);
        while let [.., a, b] = hull[..] {
            if (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0) < 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(point);
    }
    let string = |i: usize| {
        let next = hull.partition_point(|point| point.0 <= i as f64).clamp(1, hull.len() - 1);
        let ((x0, y0), (x1, y1)) = (hull[next - 1], hull[next]);
        y0 + (y1 - y0) * (i as f64 - x0) / (x1 - x0)
    };
    let mut curve = gaussian(&(0..needed.len()).map(string).collect::<Vec<f64>>(), sigma);
    let (reach, last) = ((2.0 * sigma).ceil() as usize, needed.len() - 1);
    let missing: Vec<f64> = needed.iter().zip(&curve).map(|(needed, curve)| needed - curve).collect();
    let around = |i: usize| {
        let near = &missing[i.saturating_sub(reach)..=(i + reach).min(last)];
        if i == 0 || i == last { 0.0 } else { near.iter().copied().fold(0.0, f64::max) }
    };
    let more = gaussian(&(0..needed.len()).map(around).collect::<Vec<f64>>(), sigma);
    curve.iter_mut().zip(more).for_each(|(curve, more)| *curve += more);
    needed.iter().zip(curve).map(|(needed, curve)| needed.max(curve)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_string_lies_over_what_is_needed() {
        let needed = [0.0, 0.1, 0.9, 0.2, 0.0, 0.4, 0.0, 0.0];
        let curve = over(&needed, 1.0);
        assert!(curve.iter().zip(needed).all(|(curve, needed)| *curve >= needed));
        assert_eq!((curve[0], curve[7]), (0.0, 0.0));
        assert!(curve[3] > 0.5 && curve.iter().all(|value| *value < 1.8), "{curve:?}");
        assert_eq!(over(&[0.0; 4], 1.0), [0.0; 4]);
        // A foot that must rise at once does not overshoot for the rest of its swing.
        let edge: Vec<f64> =
            (0..45).map(|i| if i == 0 { 0.0 } else { 0.3 + 0.15 * f64::from(i) / 44.0 }).collect();
        let curve = over(&edge, 3.0);
        assert!(curve.iter().zip(&edge).all(|(curve, needed)| curve >= needed), "{curve:?}");
        assert!(curve[0] == 0.0 && curve.iter().all(|value| *value < 0.6), "{curve:?}");
    }
}
