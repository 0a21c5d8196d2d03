//! Keeps hands that go around arms only where meshes show that it is better.
//!
//! What is proposed differs from what was before in some stretches of frames. In each, all frames are measured: it is kept
//! where hands touch in as many frames, nobody is deeper inside the other, one of both is better, and no joint turns much
//! faster, or faster than in a quick reach. Deep frames are summed, so that one in which nothing helps does not spoil a long
//! stretch. Else the stretch stays as it was, bit for bit.

use std::ops::Range;

use mocap_analysis::runs;
use mocap_model::{Clip, Vector3};
use mocap_retarget::PeopleMeter;

use super::goals::Goals;
use super::surfaces::{Placed, surface_of};
use super::{KEPT, LESS, NAME, Proposed};
use crate::EditError;
use crate::samples::Samples;

/// Joints that turn less than this against each other are in the same pose \[rad\].
const SAME: f64 = 1e-6;
/// How much faster the fastest joint may turn for it, or how fast in any case: as the forearm in a quick reach
/// \[degrees/s\].
const FASTER: f64 = 150.0;
const FASTEST: f64 = 600.0;

/// What meshes and joints show of a stretch of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    /// How deep one is inside the other \[m\].
    deepest: f64,
    /// The sum over frames of what is deeper than [`KEPT`] \[m\].
    beyond: f64,
    /// Frames in which hands touch, each contact counted.
    touching: usize,
    /// The largest turn of a joint from one frame to the next \[degrees\].
    step: f64,
}

impl Measured {
    /// Whether this is better than what was `before`, with steps that are larger by at most `more`.
    fn is_better(&self, before: &Measured, more: f64) -> bool {
        let as_good = self.touching >= before.touching && self.deepest <= before.deepest;
        let shallower = self.deepest < before.deepest * LESS || self.beyond < before.beyond * LESS;
        let better = self.touching > before.touching || shallower && self.beyond <= before.beyond;
        as_good && better && self.step <= before.step + more
    }

    /// Whether this is as good as another without anything deep, and slower.
    fn is_calmer(&self, other: &Measured) -> bool {
        let is_clear = self.beyond == 0.0 && other.beyond == 0.0;
        is_clear && self.touching >= other.touching && self.step < other.step * LESS
    }
}

/// Keeps the better of two motions, stretch by stretch.
pub(super) struct Guard<'a> {
    /// What was before hands went aside.
    before: &'a [Clip; 2],
    /// By frame: what meshes show before and of what is kept, where they were looked at.
    known: [Vec<Option<OnMeshes>>; 2],
}

/// How deep one is inside the other in a frame \[m\], and how many contacts touch.
#[derive(Clone, Copy, Debug)]
struct OnMeshes {
    deepest: f64,
    touching: usize,
}

impl<'a> Guard<'a> {
    pub(super) fn of(before: &'a [Clip; 2]) -> Guard<'a> {
        let known = || vec![None; before[0].frames()];
        Guard { before, known: [known(), known()] }
    }

    /// What `is` with the stretches of what is proposed that are better: `goals` get its offsets there. And whether nobody is
    /// deep inside the other in any stretch.
    pub(super) fn better(
        &mut self,
        goals: &mut Goals<'_>,
        meter: &mut PeopleMeter,
        is: [Clip; 2],
        (proposed, offsets): Proposed,
    ) -> Result<([Clip; 2], bool), EditError> {
        let before = self.before.each_ref().map(Samples::of);
        let mut kept = is.each_ref().map(Samples::of);
        let new = proposed.each_ref().map(Samples::of);
        let (frames, fps) = (is[0].frames(), is[0].rate().fps());
        let differs = |a: &[Samples; 2], b: &[Samples; 2], frame: usize| {
            a.iter().zip(b).any(|(a, b)| turned(a, frame, b, frame) > SAME)
        };
        let all: Vec<bool> =
            (0..frames).map(|frame| differs(&kept, &new, frame) || differs(&before, &kept, frame)).collect();
        let (mut is_kept, mut is_clear) = (vec![false; frames], true);
        for stretch in runs(&all) {
            let [known, of_kept] = &mut self.known;
            let mut of_next = vec![None; frames];
            let mut look = |clips: (&[Clip; 2], &[Samples; 2]), known: &mut [Option<OnMeshes>]| {
                measured((goals, &mut *meter), clips, known, stretch.clone())
            };
            let was = look((self.before, &before), known);
            let now = look((&is, &kept), of_kept);
            let next = look((&proposed, &new), &mut of_next);
            let limit = (was.step + FASTER / fps).max(FASTEST / fps);
            let is_better = next.is_better(&now, limit - now.step) || next.is_calmer(&now) && now != was;
            is_clear &= if is_better { next.beyond } else { now.beyond } == 0.0;
            if is_better {
                of_kept[stretch.clone()].copy_from_slice(&of_next[stretch.clone()]);
            }
            is_kept[stretch].fill(is_better);
        }
        goals.aside.resize_with(offsets.len(), || vec![Vector3::zeros(); frames]);
        for (ways, offsets) in goals.aside.iter_mut().zip(offsets) {
            let each = ways.iter_mut().zip(offsets).zip(&is_kept);
            each.filter(|(_, kept)| **kept).for_each(|((way, offset), _)| *way = offset);
        }
        if !is_kept.contains(&true) {
            return Ok((is, is_clear));
        }
        for (kept, new) in kept.iter_mut().zip(&new) {
            // Hands are placed by turning joints.
            for (own, new) in kept.rotations.iter_mut().zip(&new.rotations) {
                let each = own.iter_mut().zip(new).zip(&is_kept);
                each.filter(|(_, kept)| **kept).for_each(|((own, new), _)| *own = *new);
            }
        }
        let [a, b] = kept;
        Ok(([a.into_clip(NAME)?, b.into_clip(NAME)?], is_clear))
    }
}

/// The largest turn of a joint between two frames \[rad\].
fn turned(one: &Samples, frame: usize, other: &Samples, to: usize) -> f64 {
    let each = one.rotations.iter().zip(&other.rotations);
    each.map(|(one, other)| one[frame].angle_to(&other[to])).fold(0.0, f64::max)
}

fn measured(
    (goals, meter): (&Goals<'_>, &mut PeopleMeter),
    (clips, samples): (&[Clip; 2], &[Samples; 2]),
    known: &mut [Option<OnMeshes>],
    stretch: Range<usize>,
) -> Measured {
    let mut placed = Placed::new(clips);
    let mut found = Measured { deepest: 0.0, beyond: 0.0, touching: 0, step: 0.0 };
    for frame in stretch.clone() {
        let OnMeshes { deepest, touching } = *known[frame].get_or_insert_with(|| {
            placed.place(clips, frame);
            let contacts = goals.touching(frame).filter(|at| !goals.contacts[*at].thing);
            let parts = contacts.map(|at| goals.contacts[at].parts.map(surface_of));
            let touching = parts
                .filter(|parts| meter.gap(*parts, placed.poses(), KEPT).is_some_and(|gap| gap.abs() <= KEPT));
            let touching = touching.count();
            OnMeshes { deepest: meter.deepest(placed.poses()), touching }
        });
        found.deepest = found.deepest.max(deepest);
        found.beyond += (deepest - KEPT).max(0.0);
        found.touching += touching;
    }
    // Also into the stretch and out of it.
    for frame in stretch.start.max(1)..(stretch.end + 1).min(clips[0].frames()) {
        let step = samples.iter().map(|own| turned(own, frame - 1, own, frame)).fold(0.0, f64::max);
        found.step = found.step.max(step.to_degrees());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(deepest: f64, touching: usize, step: f64) -> Measured {
        Measured { deepest, beyond: (deepest - KEPT).max(0.0), touching, step }
    }

    #[test]
    fn what_is_better_in_one_and_worse_in_none_is_kept() {
        let before = of(0.03, 9, 20.0);
        assert!(of(0.006, 9, 25.0).is_better(&before, 5.0));
        assert!(of(0.03, 12, 20.0).is_better(&before, 5.0));
        // Fewer frames touch; deeper; a joint turns faster; all is as before.
        assert!(!of(0.006, 8, 20.0).is_better(&before, 5.0));
        assert!(!of(0.031, 12, 20.0).is_better(&before, 5.0));
        assert!(!of(0.006, 12, 25.1).is_better(&before, 5.0));
        assert!(!before.is_better(&before, 5.0));
        // What meshes show by less than a tenth changes nothing.
        assert!(!of(0.028, 9, 20.0).is_better(&before, 5.0));
    }
}
