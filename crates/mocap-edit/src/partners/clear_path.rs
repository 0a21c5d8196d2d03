//! Hands that go around the arm of the other do so without haste: the offsets of all frames are one path.
//!
//! In each frame, meshes constrain the offset to half-spaces: no vertex may be deeper in the other arm than the skin yields
//! in a touch, and hands in contact stay together. Subject to these constraints, the path minimises the squared offsets and
//! the squared differences between frames, so that hands start to move early. The solver is the alternating direction method
//! of multipliers (S. Boyd et al., "Distributed optimization and statistical learning via the alternating direction method
//! of multipliers", 2011); constraints are linearised around the result of the previous round.

use mocap_model::{Clip, Vector3};
use mocap_retarget::PeopleMeter;

use super::OFF;
use super::aside::{AROUND, Arms, Demand, NONE, demands, may_meet, shortest, wrists};
use super::goals::Goals;
use super::surfaces::Placed;

/// Without demands, offsets come and go within about this time \[s\].
const TIME: f64 = 0.15;
/// Iterations, and the weight that keeps both copies of the path together, relative to the smoothing.
const ITERATIONS: usize = 40;
const TOGETHER: f64 = 0.5;
/// Cosine from which directions are alike.
const ALIKE: f64 = 0.985;
/// Furthest that an offset changes in a round, and that it is in the end \[m\].
const FURTHEST: f64 = 0.03;
const MOST: f64 = 0.15;

/// Two hands on the way around each other's arms, in rounds: one path over all their contacts.
pub(super) struct ClearPath {
    arms: Arms,
    /// By frame: the contact of these hands that is nearest in time.
    nearest: Vec<usize>,
    /// By frame, from when it was last looked at; `None` before.
    asked: Vec<Option<Asked>>,
}

/// What was asked for in a frame.
struct Asked {
    demands: Vec<Demand>,
    /// The offset then.
    offset: Vector3<f64>,
    /// By how much it missed the demand that it missed most \[m\].
    missed: f64,
}

impl Asked {
    /// Whether an offset is so near to that of before that the same is asked for: where nothing is near, hands that move little
    /// do not come into the way.
    fn holds_at(&self, offset: &Vector3<f64>) -> bool {
        let within = match self.demands.is_empty() {
            true => AROUND / 2.0,
            false if self.missed < OFF / 2.0 => 2.0 * NONE,
            false => 0.0,
        };
        (offset - self.offset).norm() < within
    }
}

impl ClearPath {
    /// Of all hands that touch.
    pub(super) fn all(goals: &Goals<'_>, frames: usize) -> Vec<ClearPath> {
        let mut paths = Vec::new();
        for (at, contact) in goals.contacts.iter().enumerate() {
            let own = |other: &usize| {
                let other = &goals.contacts[*other];
                other.parts == contact.parts && !other.thing
            };
            let same: Vec<usize> = (0..goals.contacts.len()).filter(own).collect();
            let Some(arms) = Arms::of(contact).filter(|_| same.first() == Some(&at)) else { continue };
            let away = |other: usize, frame: usize| {
                let range = &goals.contacts[other].frames;
                let late = (frame + 1).saturating_sub(range.end);
                range.start.saturating_sub(frame).max(late)
            };
            let nearest = |frame: usize| same.iter().copied().min_by_key(|other| away(*other, frame));
            let nearest = (0..frames).map(|frame| nearest(frame).unwrap_or(at)).collect();
            paths.push(ClearPath { arms, nearest, asked: (0..frames).map(|_| None).collect() });
        }
        paths
    }

    /// Puts the offsets after another round into `all`, by contact and frame; returns by how much `clips`, the result with the
    /// offsets of `goals`, misses what is asked for most \[m\].
    pub(super) fn next(
        &mut self,
        goals: &Goals<'_>,
        meter: &mut PeopleMeter,
        clips: &[Clip; 2],
        all: &mut [Vec<Vector3<f64>>],
    ) -> f64 {
        let missed = self.look(goals, meter, clips);
        let none = Vec::new();
        let asked: Vec<&Vec<Demand>> =
            self.asked.iter().map(|asked| asked.as_ref().map_or(&none, |asked| &asked.demands)).collect();
        let fps = clips[0].rate().fps();
        let path = slowest(&asked, (TIME * fps).powi(2));
        for (frame, (to, at)) in path.into_iter().zip(&self.nearest).enumerate() {
            let was = goals.aside_of(*at, frame);
            let more = to - was;
            let next = was + more * (FURTHEST / more.norm().max(FURTHEST));
            let next = next * (MOST / next.norm().max(MOST));
            all[*at][frame] = if next.norm() < NONE { Vector3::zeros() } else { next };
        }
        missed
    }

    /// Looks at what meshes ask for.
    fn look(&mut self, goals: &Goals<'_>, meter: &mut PeopleMeter, clips: &[Clip; 2]) -> f64 {
        let mut placed = Placed::new(clips);
        let wrists = wrists(goals, &goals.contacts[self.nearest[0]], clips);
        let mut missed = 0.0f64;
        for frame in 0..self.nearest.len() {
            let contact = &goals.contacts[self.nearest[frame]];
            let was = goals.aside_of(self.nearest[frame], frame);
            if let Some(known) = self.asked[frame].as_ref().filter(|known| known.holds_at(&was)) {
                missed = missed.max(known.missed);
                continue;
            }
            if !may_meet(goals, contact, &wrists[frame], frame) {
                continue;
            }
            placed.place(clips, frame);
            let [hands, arms] = meter.posed_parts([self.arms.hands, self.arms.arms], placed.poses());
            let touch = contact.frames.contains(&frame);
            let mut all = demands(&hands, &arms, &Vector3::zeros(), touch);
            let own = all.iter().map(|demand| demand.least).fold(0.0, f64::max);
            missed = missed.max(own);
            one_way(&mut all, &was, touch);
            all.iter_mut().for_each(|demand| demand.least += demand.direction.dot(&was));
            self.asked[frame] = Some(Asked { demands: without_alike(all), offset: was, missed: own });
        }
        missed
    }
}

/// Of a hand deep in an arm, one side is nearer to one side of the arm, and the other to the other: it leaves by the side to
/// which it goes aside.
fn one_way(all: &mut Vec<Demand>, offset: &Vector3<f64>, touch: bool) {
    let last = all.len().saturating_sub(1);
    let mut at = 0..;
    all.retain(|demand| {
        let is_touch = touch && at.next() == Some(last);
        is_touch || demand.least <= OFF || demand.direction.dot(offset) >= 0.0
    });
}

/// Of demands along nearly one direction, the one that asks for most: meshes have many vertices.
fn without_alike(mut all: Vec<Demand>) -> Vec<Demand> {
    all.sort_by(|a, b| b.least.total_cmp(&a.least));
    let mut kept: Vec<Demand> = Vec::new();
    for demand in all {
        if kept.iter().all(|other| other.direction.dot(&demand.direction) < ALIKE) {
            kept.push(demand);
        }
    }
    kept
}

/// The path that minimizes the squares of offsets plus `speed` times those of their steps, within what is asked for.
fn slowest(asked: &[&Vec<Demand>], speed: f64) -> Vec<Vector3<f64>> {
    let frames = asked.len();
    let weight = TOGETHER * speed.max(1.0);
    let zeros = || vec![Vector3::zeros(); frames];
    let (mut path, mut within, mut owed) = (zeros(), zeros(), zeros());
    if asked.iter().copied().flatten().all(|demand| demand.least <= 0.0) {
        return path;
    }
    for _ in 0..ITERATIONS {
        let to: Vec<Vector3<f64>> =
            within.iter().zip(&owed).map(|(within, owed)| (within - owed) * weight).collect();
        path = least_squares(&to, 1.0 + weight, speed);
        for frame in 0..frames {
            let from = path[frame] + owed[frame];
            within[frame] = nearest(asked[frame], &from);
            owed[frame] = from - within[frame];
        }
    }
    path
}

/// The nearest offset to a given one that meets all demands, or comes near to it.
fn nearest(asked: &[Demand], from: &Vector3<f64>) -> Vector3<f64> {
    let moved: Vec<Demand> = asked
        .iter()
        .map(|demand| Demand { least: demand.least - demand.direction.dot(from), ..*demand })
        .collect();
    if moved.iter().all(|demand| demand.least <= 0.0) { *from } else { from + shortest(&moved) }
}

/// The path for which `own` times each offset, plus `speed` times its differences from its neighbours, is `right`: solves the
/// tridiagonal system by forward elimination and back substitution. The first and the last offset have one neighbour.
fn least_squares(right: &[Vector3<f64>], own: f64, speed: f64) -> Vec<Vector3<f64>> {
    let frames = right.len();
    let (mut above, mut path) = (vec![0.0; frames], vec![Vector3::zeros(); frames]);
    for frame in 0..frames {
        let sides = usize::from(frame > 0) + usize::from(frame + 1 < frames);
        let mut weight = own + speed * sides as f64;
        let mut sum = right[frame];
        if frame > 0 {
            weight -= speed * above[frame - 1];
            sum += path[frame - 1] * speed;
        }
        above[frame] = speed / weight;
        path[frame] = sum / weight;
    }
    for frame in (0..frames.saturating_sub(1)).rev() {
        let after = path[frame + 1] * above[frame];
        path[frame] += after;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_aside_before_something_is_in_the_way_and_meets_what_is_asked_for() {
        let mut asked: Vec<Vec<Demand>> = (0..60).map(|_| Vec::new()).collect();
        for frame in 30..33 {
            asked[frame].push(Demand { direction: Vector3::x(), least: 0.06 });
        }
        let path = slowest(&asked.iter().collect::<Vec<_>>(), 20.0);
        assert!((30..33).all(|frame| (path[frame] - Vector3::x() * 0.06).norm() < 1e-3), "{path:?}");
        let step = path.windows(2).map(|pair| (pair[1] - pair[0]).norm()).fold(0.0, f64::max);
        assert!(step < 0.015 && path[25].x > 0.01 && path[0].norm() < 1e-3, "{step} {path:?}");
        assert!(slowest(&[&Vec::new(), &Vec::new()], 20.0).iter().all(|offset| *offset == Vector3::zeros()));
    }

    #[test]
    fn what_is_asked_for_by_neighbours_on_both_sides_is_met_by_both() {
        let asked: Vec<Vec<Demand>> = (0..40)
            .map(|frame| {
                let direction = if frame < 20 { Vector3::x() } else { -Vector3::x() };
                let is_near = (15..25).contains(&frame);
                if is_near { vec![Demand { direction, least: 0.02 }] } else { Vec::new() }
            })
            .collect();
        let path = slowest(&asked.iter().collect::<Vec<_>>(), 20.0);
        assert!(path[19].x > 0.017 && path[20].x < -0.017, "{path:?}");
    }
}
