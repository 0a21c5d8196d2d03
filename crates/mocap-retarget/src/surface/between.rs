//! Frames between keys: points of an arm that are near the body at the key before or after are
//! tested in every frame, and penetrations are resolved.

use super::arm::{Change, PosedArm};
use super::body_in_motion::{MARGIN, Stage};
use super::fade::{FADE, smoothed};
use super::keys::Keys;
use super::solve::{Bounds, FrameCache, Posed};
use crate::smoothing::envelope;
use mocap_skin::PosedField;
use std::ops::Range;

/// Points nearer than this at a key are tested in the frames around it, for a person of 1.7 m \[m\].
pub(crate) const NEARBY: f64 = 0.01;
/// Number of passes that resolve penetrations.
const ROUNDS: usize = 2;

/// Results for the keys of a stretch, reused for the frames between them.
pub(crate) struct KnownKeys<'a> {
    pub keys: Keys,
    /// The keys of the stretch.
    pub run: Range<usize>,
    pub caches: &'a [Option<Box<FrameCache>>],
    pub changes: &'a [Vec<Change>; 2],
    pub bounds: &'a [Bounds],
}

impl Stage<'_> {
    /// Resolves penetrations between the keys of a stretch. `all` are the changes of the frames of its range.
    pub(crate) fn between(
        &self,
        known: &KnownKeys<'_>,
        all: &mut [Vec<Change>; 2],
        posed: &mut Posed<'_, '_>,
    ) {
        let KnownKeys { keys, run, caches, changes, bounds } = known;
        if keys.stride == 1 || run.is_empty() {
            return;
        }
        let within = self.body.person(NEARBY);
        let near: Vec<[Vec<usize>; 2]> = (0..run.len())
            .map(|key| {
                [0, 1].map(|arm| match (&caches[key], &self.body.arms[arm]) {
                    (Some(cache), Some(own)) => cache.close(arm, own, &changes[arm][key], within),
                    _ => Vec::new(),
                })
            })
            .collect();
        let (first, last) = (keys.offset(run.start), keys.offset(run.end - 1));
        let ahead = keys.of_frames().ahead(FADE);
        let mut look = vec![true; last + 1 - first];
        for _ in 0..ROUNDS {
            let mut needs = [vec![Change::zeros(); look.len()], vec![Change::zeros(); look.len()]];
            for key in 0..run.len().saturating_sub(1) {
                let near = [0, 1].map(|arm| {
                    let mut both = [near[key][arm].as_slice(), &near[key + 1][arm]].concat();
                    both.sort_unstable();
                    both.dedup();
                    both
                });
                if near.iter().all(Vec::is_empty) {
                    continue;
                }
                for at in keys.offset(run.start + key) + 1..keys.offset(run.start + key + 1) {
                    let frame = keys.frame(0) + at;
                    let base = [all[0][at], all[1][at]];
                    if !look[at - first] || !self.enters(frame, &near, &base, posed) {
                        continue;
                    }
                    let bounds = Bounds { keeps_contacts: false, ..bounds[key].or(&bounds[key + 1]) };
                    let found = self.solve(frame, posed, &mut None, base, bounds);
                    for (arm, needs) in needs.iter_mut().enumerate() {
                        needs[at - first] = found[arm].change - base[arm];
                    }
                }
            }
            let needed = |at: usize| needs.iter().any(|needs| needs[at] != Change::zeros());
            let needed: Vec<f64> = (0..look.len()).map(|at| f64::from(needed(at))).collect();
            if needed.iter().all(|needed| *needed == 0.0) {
                break;
            }
            look = envelope(&needed, ahead).iter().map(|weight| *weight > 1e-9).collect();
            for (all, needs) in all.iter_mut().zip(&needs) {
                let more = smoothed(needs, ahead, &look);
                all[first..=last].iter_mut().zip(more).for_each(|(change, more)| *change += more);
            }
        }
    }

    /// Whether one of the given points on the arms is more than 1 mm (on a person of 1.7 m) inside
    /// trunk, head or legs in a frame.
    fn enters(
        &self,
        frame: usize,
        near: &[Vec<usize>; 2],
        changes: &[Change; 2],
        posed: &mut Posed<'_, '_>,
    ) -> bool {
        if !posed.place(self, frame) {
            return false;
        }
        let object = &posed.pose.object;
        let field: &PosedField<'_> = posed.field;
        let surface = &self.body.surface;
        let mut palette = Vec::new();
        (0..2).any(|i| {
            let Some(arm) = self.body.arms[i].as_ref().filter(|_| !near[i].is_empty()) else { return false };
            surface.set_palette(object, &arm.bones, &mut palette);
            let moved = PosedArm::joints_of(arm, object, &self.hinges[i]).moved(&changes[i]);
            near[i].iter().any(|point| {
                let vertex = arm.points.points[*point].vertex as usize;
                let at = moved.place(arm.segment(*point), &surface.posed_vertex(&palette, vertex));
                field.at(&at, 0.0).is_some_and(|hit| hit.distance < -self.body.person(MARGIN) / 3.0)
            })
        })
    }
}
