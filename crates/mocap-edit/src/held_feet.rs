//! Corrects feet that an edit made worse: during each contact of the motion before the edit, a foot must not move
//! faster, farther or with more deviation than it did.
//!
//! A contact that got worse is moved towards the path of the foot before the edit, or contracted towards its mean,
//! whichever moves it less: along the ground, by the least amount that suffices. Heights stay, because a nearly
//! straight leg bends a lot to lift its foot a little. The correction fades out before and after the contact. IK solves
//! the legs, and the hips move only if a leg is too short.
//!
//! The legs of robots are not solved: their joints turn about fixed axes only, and the solver for free joints would
//! leave these.

use std::ops::Range;

use mocap_analysis::{FootContacts, FootMotion, placements, runs};
use mocap_model::{Clip, Isometry3, JointId, Vector3};
use nalgebra::Translation3;

use crate::body::Body;
use crate::legs::{Plane, hips_raised, limb_base, limb_length, place_ankles};
use crate::smoothing::{lower_envelope, smooth_step, smoother_step};
use crate::{EditError, EditReport};

/// The time over which a correction fades \[s\].
const FADE: f64 = 0.2;
/// The time in a contact, at its ends, in which the speed of a correction is measured \[s\].
const EDGE: f64 = 0.05;
/// Corrections go slightly beyond the limit, because later measures detect slightly different contacts.
const MARGIN: f64 = 0.995;
/// Measures that are larger by this share are equal up to rounding ...
const ROUNDING: f64 = 1e-6;
/// ... and increases of speed \[m/s\], deviation \[m\] and distance \[m\] up to this are negligible.
const UNSEEN: [f64; 3] = [0.0002, 0.00003, 0.0001];
/// The hips are lowered only for larger increases than this, because a straight leg bends a lot for it.
const SMALL: [f64; 3] = [0.001, 0.0001, 0.0003];
/// Limits of speed [m/s], deviation \[m\] and distance \[m\] below which a foot counts as planted regardless of its
/// motion before.
const STILL: [f64; 3] = [0.002, 0.0003, 0.001];
/// A leg is stretched to this share of its length at most, unless it was already.
const STRETCH: f64 = 0.998;
/// Hips are lowered by this share of a leg at most.
const LOWERED: f64 = 0.1;
/// Most rounds of measuring and correcting contacts: legs that are too short need more than one.
const ROUNDS: usize = 4;
/// Steps of bisection for the share of a correction.
const HALVINGS: usize = 12;
/// A place this close to a frame is that frame \[frames\].
const SAME: f64 = 1e-6;

/// How much a foot moves during a contact, in units of the clip.
#[derive(Clone, Copy, Debug)]
struct FootDrift {
    /// Along the ground: mean speed, rms deviation from the mean position, and distance between the first and the last
    /// position.
    measures: [f64; 3],
}

impl FootDrift {
    fn of(body: &Body, toe: &[Vector3<f64>], fps: f64) -> FootDrift {
        let steps = toe.windows(2).map(|pair| body.on_ground(&(pair[1] - pair[0])).norm());
        let speed = steps.sum::<f64>() * fps / (toe.len() - 1).max(1) as f64;
        let middle = toe.iter().sum::<Vector3<f64>>() / toe.len() as f64;
        let squares = toe.iter().map(|place| body.on_ground(&(place - middle)).norm_squared());
        let deviation = (squares.sum::<f64>() / toe.len() as f64).sqrt();
        let way = body.on_ground(&(toe[toe.len() - 1] - toe[0])).norm();
        FootDrift { measures: [speed, deviation, way] }
    }

    /// The largest factor (at most 1) on this motion at which no measure exceeds those of `before` by more than
    /// `unseen`. All measures are proportional to it.
    fn allowed(&self, before: &FootDrift, unseen: [f64; 3], metres: f64) -> f64 {
        let limits = before.measures.iter().zip(STILL.iter().zip(unseen));
        let shares = self.measures.iter().zip(limits).map(|(is, (was, (still, unseen)))| {
            let most = was.max(still / metres);
            if *is > most * (1.0 + ROUNDING) + unseen / metres { MARGIN * most / is } else { 1.0 }
        });
        shares.fold(1.0, f64::min)
    }
}

/// The motion before an edit, and the correspondence of its frames to those of the edited motion.
pub(crate) struct FootReference<'a> {
    /// The motion before.
    pub(crate) before: &'a Clip,
    /// The place in it of each frame of the edited motion \[frames\]; `None` for a new frame.
    pub(crate) place: &'a dyn Fn(usize) -> Option<f64>,
    /// Whether left and right are swapped.
    pub(crate) mirrored: bool,
    /// Whether the body was moved by a smooth shift. Corrections are then extrapolated before and after their contacts.
    pub(crate) shifted: bool,
    /// Joints that the edit moves on purpose: feet with one of them are not corrected.
    pub(crate) free: &'a [JointId],
}

/// `after`, whose frames are those of `before`, with feet that are no worse in any contact, and the number of contacts that
/// were corrected; `None` of a body without feet or unit.
pub(crate) fn held(
    before: &Clip,
    after: Clip,
    edit: &'static str,
) -> Result<(Clip, Option<usize>), EditError> {
    held_at(before, after, edit, |frame| Some(frame as f64))
}

/// As [`held`], after a body was moved along the ground by a smooth shift.
pub(crate) fn held_after_shift(
    before: &Clip,
    after: Clip,
    edit: &'static str,
) -> Result<(Clip, Option<usize>), EditError> {
    let place = |frame: usize| Some(frame as f64);
    FootReference { before, place: &place, mirrored: false, shifted: true, free: &[] }.apply(after, edit)
}

/// As [`held`], for a motion whose frames are at these places of the one before \[frames\].
pub(crate) fn held_at(
    before: &Clip,
    after: Clip,
    edit: &'static str,
    place: impl Fn(usize) -> Option<f64>,
) -> Result<(Clip, Option<usize>), EditError> {
    FootReference { before, place: &place, mirrored: false, shifted: false, free: &[] }.apply(after, edit)
}

/// As [`held`], for a motion that is composed of others: its contacts in these frames are no worse than the worst of
/// the sources.
pub(crate) fn held_within(
    sources: &[&Clip],
    after: Clip,
    edit: &'static str,
    frames: Range<usize>,
) -> Result<(Clip, Option<usize>), EditError> {
    let body = Body::of(&after);
    let Some(found) = body.contacts(&after) else { return Ok((after, None)) };
    let mut worst = FootDrift { measures: [0.0; 3] };
    for source in sources {
        let own = Body::of(source);
        let scale = own.metres_or_one() / body.metres_or_one();
        for (motion, contacts) in own.contacts(source).into_iter().flatten() {
            for run in long(&contacts.toe) {
                let drift = FootDrift::of(&own, &motion.toe[run], source.rate().fps());
                worst.measures = std::array::from_fn(|i| worst.measures[i].max(drift.measures[i] * scale));
            }
        }
    }
    let overlaps = |run: &Range<usize>| run.start < frames.end && run.end > frames.start;
    let contacts = found.iter().map(|(_, contacts)| {
        let runs = long(&contacts.toe).filter(overlaps);
        runs.map(|frames| Contact { frames, before: worst, way: Vec::new(), goes_on: false }).collect()
    });
    with_feet_held(&body, after, &contacts.collect::<Vec<_>>(), edit)
}

/// Contacts of more than one frame.
fn long(toe: &[bool]) -> impl Iterator<Item = Range<usize>> + use<> {
    runs(toe).into_iter().filter(|run| run.len() > 1)
}

/// A contact of the edited motion, and how the foot moved in it before the edit.
struct Contact {
    frames: Range<usize>,
    before: FootDrift,
    /// The position of the toe before the edit, by frame; empty if the motion before does not have this contact.
    way: Vec<Vector3<f64>>,
    /// Whether the correction is extrapolated before and after the contact with its velocity at the edge.
    goes_on: bool,
}

impl FootReference<'_> {
    /// The edited motion with feet that are no worse in any contact, and the number of contacts that were corrected; `None`
    /// of a body without feet or unit.
    pub(crate) fn apply(&self, after: Clip, edit: &'static str) -> Result<(Clip, Option<usize>), EditError> {
        let body = Body::of(self.before);
        let Some(mut was) = body.contacts(self.before) else { return Ok((after, None)) };
        match (self.mirrored, &mut was[..]) {
            (false, _) => {}
            // Left before right.
            (true, [left, right]) => std::mem::swap(left, right),
            (true, _) => return Ok((after, None)),
        }
        let frames = after.frames();
        let contacts = body.feet.iter().zip(&was).map(|(foot, before)| {
            match self.free.iter().any(|joint| foot.points.contains(joint)) {
                true => Vec::new(),
                false => self.contacts(&body, before, frames),
            }
        });
        with_feet_held(&body, after, &contacts.collect::<Vec<_>>(), edit)
    }

    /// The contacts of a foot in the frames of the edited motion.
    fn contacts(
        &self,
        body: &Body,
        (motion, contacts): &(FootMotion, FootContacts),
        frames: usize,
    ) -> Vec<Contact> {
        // Numbers the contacts before the edit; a frame between two frames of one contact belongs to it.
        let mut own = vec![None; contacts.toe.len()];
        for (number, run) in runs(&contacts.toe).into_iter().enumerate() {
            own[run].fill(Some(number));
        }
        let around = |place: f64| ((place + SAME).floor() as usize, (place - SAME).ceil().max(0.0) as usize);
        let contact = |frame: usize| {
            let place = (self.place)(frame)?;
            let (low, high) = around(place);
            let number = (*own.get(low)?)?;
            (own.get(high) == Some(&Some(number))).then_some((number, place))
        };
        let mut found: Vec<(usize, usize, Vec<f64>)> = Vec::new();
        for frame in 0..frames {
            let Some((number, place)) = contact(frame) else { continue };
            match found.last_mut() {
                Some((last, start, places))
                    if *last == number
                        && *start + places.len() == frame
                        && place >= places[places.len() - 1] =>
                {
                    places.push(place);
                }
                _ => found.push((number, frame, vec![place])),
            }
        }
        let fps = self.before.rate().fps();
        let at = |place: f64| {
            let (low, high) = around(place);
            motion.toe[low].lerp(&motion.toe[high], (place - low as f64).clamp(0.0, 1.0))
        };
        let contacts = found.into_iter().filter_map(|(_, start, places)| {
            let toe = &motion.toe[around(places[0]).0..=around(places[places.len() - 1]).1];
            let frames = start..start + places.len();
            (frames.len() > 1 && toe.len() > 1).then(|| Contact {
                frames,
                before: FootDrift::of(body, toe, fps),
                way: places.into_iter().map(at).collect(),
                goes_on: self.shifted,
            })
        });
        contacts.collect()
    }
}

/// The motion whose feet are no worse in these contacts, by foot, than they were, and the number of contacts that were. Where
/// a leg is too short for it, the hips are lowered.
fn with_feet_held(
    body: &Body,
    after: Clip,
    contacts: &[Vec<Contact>],
    edit: &'static str,
) -> Result<(Clip, Option<usize>), EditError> {
    if body.has_hinges() {
        return Ok((after, None));
    }
    let fps = after.rate().fps();
    let mut clip = after;
    let mut most = 0;
    for round in 0..ROUNDS {
        let unseen = if round == 0 { UNSEEN } else { SMALL };
        let motions = FootMotion::of(&clip, &body.feet);
        let found: Vec<_> = contacts
            .iter()
            .zip(&motions)
            .map(|(contacts, motion)| corrections(body, contacts, &motion.toe, fps, unseen))
            .collect();
        let corrected = found.iter().map(|(_, count)| count).sum();
        if corrected == 0 {
            break;
        }
        most = most.max(corrected);
        let feet: Vec<JointId> = body.feet.iter().map(|foot| foot.ankle).collect();
        let now = placements(&clip, &feet);
        let mut ankles: Vec<(JointId, Vec<Option<Isometry3<f64>>>)> = Vec::new();
        for ((ankle, now), (moves, _)) in feet.iter().zip(&now).zip(&found) {
            let places = now.iter().zip(moves).map(|(place, moved)| {
                moved.map(|moved| {
                    let translation = Translation3::from(place.translation.vector + moved);
                    Isometry3::from_parts(translation, place.rotation)
                })
            });
            ankles.push((*ankle, places.collect()));
        }
        // The first round moves only the legs, later ones also the hips.
        let rises = if round == 0 { Vec::new() } else { hips_rises(&clip, body, &ankles, edit)? };
        if rises.iter().any(|rise| *rise < 0.0) {
            for ((_, places), now) in ankles.iter_mut().zip(&now) {
                let lowered = places.iter_mut().zip(now).zip(&rises).filter(|(_, rise)| **rise < 0.0);
                // A foot without a correction keeps its placement.
                lowered.for_each(|((place, now), _)| *place = place.or(Some(*now)));
            }
            clip = hips_raised(&clip, body, &rises, edit)?;
        }
        (clip, _) = place_ankles(&clip, body, &ankles, Plane::Own, edit)?;
    }
    Ok((clip, Some(most)))
}

/// The height change of the hips, by frame \[units\]: negative where a leg is too short to reach the target of its
/// foot.
pub(crate) fn hips_rises(
    clip: &Clip,
    body: &Body,
    ankles: &[(JointId, Vec<Option<Isometry3<f64>>>)],
    edit: &'static str,
) -> Result<Vec<f64>, EditError> {
    let mut excess = vec![0.0f64; clip.frames()];
    for (ankle, places) in ankles {
        let Some(base) = limb_base(body, *ankle) else { continue };
        let length = limb_length(clip, base, *ankle, edit)?;
        let tops = &placements(clip, &[base])[0];
        let now = &placements(clip, &[*ankle])[0];
        for (frame, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let top = tops[frame].translation.vector;
            let was = (now[frame].translation.vector - top).norm();
            let reach = was.max(STRETCH * length);
            let away = place.translation.vector - top;
            let (up, along) = (away.dot(&body.up), body.on_ground(&away).norm());
            let over = up + (reach * reach - along * along).max(0.0).sqrt();
            if over < -1e-9 * length {
                excess[frame] = excess[frame].min(over.max(-LOWERED * length));
            }
        }
    }
    Ok(lower_envelope(&excess, (FADE * clip.rate().fps()).round() as usize))
}

/// The displacement of a foot by frame with which no contact is worse than before, and the number of corrected
/// contacts.
fn corrections(
    body: &Body,
    contacts: &[Contact],
    toe: &[Vector3<f64>],
    fps: f64,
    unseen: [f64; 3],
) -> (Vec<Option<Vector3<f64>>>, usize) {
    let metres = body.metres_or_one();
    let fade = ((FADE * fps).round() as usize).max(1);
    let mut corrected = 0;
    let mut moves: Vec<Option<Vector3<f64>>> = vec![None; toe.len()];
    for (i, Contact { frames: run, before, way, goes_on }) in contacts.iter().enumerate() {
        let own = &toe[run.clone()];
        let allowed = |toe: &[Vector3<f64>]| FootDrift::of(body, toe, fps).allowed(before, unseen, metres);
        let share = allowed(own);
        if share >= 1.0 {
            continue;
        }
        corrected += 1;
        let centre = middle(own);
        let drawn: Vec<Vector3<f64>> =
            own.iter().map(|at| body.on_ground(&(centre - at)) * (1.0 - share)).collect();
        let restored = restored(body, own, way, |toe| allowed(toe) >= 1.0);
        let far = |moves: &[Vector3<f64>]| moves.iter().map(Vector3::norm).fold(0.0, f64::max);
        let own_moves = restored.filter(|restored| far(restored) < far(&drawn)).unwrap_or(drawn);
        let of = |frame: usize| own_moves[frame - run.start];
        run.clone().for_each(|frame| moves[frame] = Some(of(frame)));
        let from = i.checked_sub(1).map_or(0, |before| contacts[before].frames.end);
        let to = contacts.get(i + 1).map_or(toe.len(), |next| next.frames.start);
        let mut fades = |frames: &mut dyn Iterator<Item = usize>, room: usize, [end, inner]: [usize; 2]| {
            let length = fade.min(room);
            // So a foot lands and leaves as fast as before.
            let (step, weight): (_, fn(f64) -> f64) = match *goes_on {
                true => ((of(end) - of(inner)) / end.abs_diff(inner) as f64, smoother_step),
                false => (Vector3::zeros(), smooth_step),
            };
            for (beyond, frame) in (1..=length).zip(frames) {
                let weight = weight(1.0 - beyond as f64 / (length + 1) as f64);
                *moves[frame].get_or_insert_with(Vector3::zeros) += (of(end) + step * beyond as f64) * weight;
            }
        };
        let last = run.end - 1;
        let near = ((EDGE * fps).round() as usize).clamp(1, last - run.start);
        fades(&mut (from..run.start).rev(), run.start - from, [run.start, run.start + near]);
        fades(&mut (run.end..to), to - run.end, [last, last - near]);
    }
    (moves, corrected)
}

fn middle(places: &[Vector3<f64>]) -> Vector3<f64> {
    places.iter().sum::<Vector3<f64>>() / places.len() as f64
}

/// The least displacement of a toe towards its path before the edit, with its mean in place, that satisfies the limits.
/// All measures are convex in the share of the difference, so bisection finds the least share.
fn restored(
    body: &Body,
    toe: &[Vector3<f64>],
    way: &[Vector3<f64>],
    enough: impl Fn(&[Vector3<f64>]) -> bool,
) -> Option<Vec<Vector3<f64>>> {
    if way.len() != toe.len() {
        return None;
    }
    let shift = middle(toe) - middle(way);
    let off: Vec<Vector3<f64>> =
        toe.iter().zip(way).map(|(toe, way)| body.on_ground(&(way + shift - toe))).collect();
    let moved = |share: f64| -> Vec<Vector3<f64>> {
        toe.iter().zip(&off).map(|(toe, off)| toe + off * share).collect()
    };
    if !enough(&moved(1.0)) {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let share = 0.5 * (low + high);
        if enough(&moved(share)) { high = share } else { low = share }
    }
    Some(off.into_iter().map(|off| off * high).collect())
}

impl EditReport {
    /// The number of contacts that were corrected.
    pub(crate) fn feet_held(self, held: Option<usize>) -> EditReport {
        self.figure("feet-held", held.map(|held| held as f64), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::samples::Samples;
    use mocap_model::{Role, exp};

    /// A walk with jitter of the legs by an angle.
    fn shaken(walk: &Clip, angle: f64) -> Clip {
        let body = Body::of(walk);
        let mut samples = Samples::of(walk);
        for role in [Role::LeftUpperLeg, Role::RightLowerLeg] {
            let joint = body.skeleton.with_role(role).unwrap();
            for (frame, rotation) in samples.rotations[joint.index()].iter_mut().enumerate() {
                *rotation *= exp(&Vector3::new(angle * (frame as f64 * 1.3).sin(), 0.0, angle));
            }
        }
        samples.into_clip("test").unwrap()
    }

    #[test]
    fn feet_are_no_worse_in_any_contact() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let (fixed, corrected) = held(&walk, shaken(&walk, 0.05), "test").unwrap();
        assert!(corrected.unwrap() > 2, "{corrected:?}");
        let (was, is) = (body.contacts(&walk).unwrap(), FootMotion::of(&fixed, &body.feet));
        for ((before, contacts), after) in was.iter().zip(&is) {
            for run in runs(&contacts.toe).into_iter().filter(|run| run.len() > 1) {
                let of = |toe: &[Vector3<f64>]| FootDrift::of(&body, &toe[run.clone()], 60.0);
                let allowed = of(&after.toe).allowed(&of(&before.toe), SMALL, body.metres_or_one());
                assert!(allowed >= 1.0, "{run:?}: {allowed}");
            }
        }
    }

    #[test]
    fn a_foot_that_slid_is_brought_back_to_its_way_and_no_further() {
        let body = Body::of(&clip("alex_walk.bvh"));
        // It slid by 40 cm; the edit moved it by up to 4 mm, somewhere else.
        let way: Vec<Vector3<f64>> = (0..41).map(|i| body.forward * (0.01 * f64::from(i))).collect();
        let lateral = |i: usize| body.lateral * (0.004 * (i as f64 * 0.9).sin());
        let place = body.forward * 3.0;
        let toe: Vec<Vector3<f64>> =
            way.iter().enumerate().map(|(i, at)| at * 1.01 + lateral(i) + place).collect();
        let before = FootDrift::of(&body, &way, 60.0);
        let contact = Contact { frames: 0..41, before, way: way.clone(), goes_on: false };
        let (moves, corrected) = corrections(&body, &[contact], &toe, 60.0, UNSEEN);
        let moved: Vec<Vector3<f64>> = moves.iter().map(|moved| moved.unwrap()).collect();
        assert!(corrected == 1 && moved.iter().all(|moved| moved.norm() < 0.005), "{moved:?}");
        let fixed: Vec<Vector3<f64>> = toe.iter().zip(&moved).map(|(toe, moved)| toe + moved).collect();
        let allowed = FootDrift::of(&body, &fixed, 60.0).allowed(&before, SMALL, body.metres_or_one());
        assert!(allowed >= 1.0, "{allowed}");
        // A path in another direction is not used.
        let turned = Contact {
            frames: 0..41,
            before,
            way: way.iter().map(|at| body.turn(2.0) * at).collect(),
            goes_on: false,
        };
        let (turned, _) = corrections(&body, &[turned], &toe, 60.0, UNSEEN);
        assert!(turned.iter().flatten().all(|moved| moved.norm() < 0.05));
    }

    #[test]
    fn a_foot_of_a_longer_stride_lands_and_leaves_as_slowly_as_before() {
        let body = Body::of(&clip("alex_walk.bvh"));
        // A foot that stood from frame 30 to 50, of a body that is moved by 30 cm/s.
        let step = body.forward * (0.3 / 60.0 / body.metres_or_one());
        let toe: Vec<Vector3<f64>> = (0..81).map(|i| step * f64::from(i)).collect();
        let way = vec![Vector3::zeros(); 21];
        let before = FootDrift::of(&body, &way, 60.0);
        let contact = Contact { frames: 30..51, before, way, goes_on: true };
        let (moves, corrected) = corrections(&body, &[contact], &toe, 60.0, UNSEEN);
        assert_eq!(corrected, 1);
        let fixed: Vec<Vector3<f64>> =
            toe.iter().zip(&moves).map(|(toe, moved)| toe + moved.unwrap_or_default()).collect();
        let speed = |frame: usize| (fixed[frame + 1] - fixed[frame]).norm() / step.norm();
        assert!(speed(29) < 0.2 && speed(50) < 0.2, "{} and {}", speed(29), speed(50));
        assert!((0..80).all(|frame| speed(frame) < 3.1), "{:?}", (0..80).map(speed).collect::<Vec<_>>());
    }

    #[test]
    fn feet_that_are_no_worse_stay_to_the_bit() {
        let walk = clip("alex_walk.bvh");
        let (same, corrected) = held(&walk, walk.clone(), "test").unwrap();
        assert_eq!((same, corrected), (walk, Some(0)));
    }
}
