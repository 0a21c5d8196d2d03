//! Locks planted feet in the contacts that overlap a transition.

use std::ops::Range;

use mocap_analysis::{FootContacts, runs};
use mocap_model::{Clip, JointId};

use crate::EditError;
use crate::body::Body;
use crate::cycle::between;
use crate::report::figures_of;
use crate::samples::Samples;
use crate::smoothing::smooth_step;

/// The time over which the lock fades out, beyond the contacts that overlap the transition \[s\].
const FADE: f64 = 0.25;

/// The motion with feet locked in the contacts that overlap a transition, each over its whole length. Frames farther
/// away are unchanged bit by bit.
pub(super) fn lock(
    joined: &Clip,
    contacts: &[FootContacts],
    transition: &Range<usize>,
) -> Result<Clip, EditError> {
    let touched = touched(contacts, transition);
    let fade = (FADE * joined.rate().fps()).ceil() as usize;
    // The lock only processes this range, so joining many motions takes linear time.
    let range = touched.start.saturating_sub(2 * fade)..(touched.end + 2 * fade).min(joined.frames());
    let model = |error| EditError::model("join", error);
    let part = joined.trimmed(range.clone()).map_err(model)?;
    let of_part: Vec<FootContacts> = contacts
        .iter()
        .map(|own| FootContacts {
            toe: own.toe[range.clone()].to_vec(),
            heel: own.heel[range.clone()].to_vec(),
        })
        .collect();
    let locked = Samples::of(&crate::feet::locked_in(&part, Some(&of_part))?);
    let free = Samples::of(&part);
    let mut mixed = Samples::of(joined);
    for frame in range.clone() {
        let away = touched.start.saturating_sub(frame).max(frame.saturating_sub(touched.end - 1));
        let share = share(away, fade);
        if share == 0.0 {
            continue;
        }
        for joint in (0..mixed.rotations.len()).map(JointId::from) {
            let at = frame - range.start;
            let local = between(&free.local(joint, at), &locked.local(joint, at), share);
            mixed.set_local(joint, frame, &local);
        }
    }
    mixed.into_clip("join")
}

/// The transition, extended to the contacts that overlap it.
fn touched(contacts: &[FootContacts], transition: &Range<usize>) -> Range<usize> {
    let all = contacts.iter().flat_map(|own| runs(&own.toe));
    let touching = all.filter(|run| run.start < transition.end && run.end > transition.start);
    touching.fold(transition.clone(), |hull, run| hull.start.min(run.start)..hull.end.max(run.end))
}

/// 1 where the lock holds, then falling smoothly to 0.
fn share(away: usize, fade: usize) -> f64 {
    let t = (away as f64 / (fade + 1) as f64).min(1.0);
    1.0 - smooth_step(t)
}

/// Foot skate within some frames [m/s]; `None` without contacts there.
pub(super) fn skate(body: &Body, clip: &Clip, frames: &Range<usize>) -> Option<f64> {
    let mut found = body.contacts(clip)?;
    for (_, contacts) in &mut found {
        contacts.toe.iter_mut().enumerate().for_each(|(frame, on)| *on &= frames.contains(&frame));
    }
    figures_of(body, &found).skate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_that_a_transition_touches_are_taken_whole() {
        let flags = |on: &[Range<usize>]| (0..40).map(|i| on.iter().any(|run| run.contains(&i))).collect();
        let contacts = |on: &[Range<usize>]| FootContacts { toe: flags(on), heel: vec![false; 40] };
        let feet = [contacts(&[2..6, 8..14]), contacts(&[15..17, 20..30, 32..36])];
        assert_eq!(touched(&feet, &(12..22)), 8..30);
        assert_eq!(touched(&feet, &(37..39)), 37..39);
        assert!(share(0, 5) == 1.0 && share(6, 5) == 0.0 && share(3, 5) == 0.5);
    }
}
