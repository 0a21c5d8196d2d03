//! Feet that an edit made worse: during each contact of the motion before the edit, a foot moves at most as fast, as far
//! and as unsteadily as it did.
//!
//! A contact that is worse is drawn towards its middle along the ground, by as much as is needed and no more. Heights
//! stay: a leg that is nearly straight bends a lot to lift its foot a little. The correction fades out before and after
//! the contact; legs are solved anew for it, and hips stay.

use mocap_analysis::{FootMotion, placements, runs};
use mocap_model::{Clip, Isometry3, JointId, Vector3};
use nalgebra::Translation3;

use crate::EditError;
use crate::body::Body;
use crate::legs::{Plane, place_ankles};

/// The time over which a correction fades \[s\].
const FADE: f64 = 0.2;
/// Corrections go a little further than needed: they are measured again by others, with other contacts.
const MARGIN: f64 = 0.995;
/// What is larger by this share is the same up to rounding.
const ROUNDING: f64 = 1e-6;
/// Feet that are this slow [m/s], this steady \[m\] and travel this little \[m\] stand, whatever they did before.
const STANDS: [f64; 3] = [0.002, 0.0003, 0.001];

/// How a foot moves during a contact, in units of the clip.
#[derive(Clone, Copy, Debug)]
struct Unrest {
    /// Along the ground: mean speed, rms distance from the middle, and the way from the first frame to the last.
    measures: [f64; 3],
}

impl Unrest {
    fn of(body: &Body, toe: &[Vector3<f64>], fps: f64) -> Unrest {
        let steps = toe.windows(2).map(|pair| body.on_ground(&(pair[1] - pair[0])).norm());
        let speed = steps.sum::<f64>() * fps / (toe.len() - 1).max(1) as f64;
        let middle = toe.iter().sum::<Vector3<f64>>() / toe.len() as f64;
        let squares = toe.iter().map(|place| body.on_ground(&(place - middle)).norm_squared());
        let spread = (squares.sum::<f64>() / toe.len() as f64).sqrt();
        let way = body.on_ground(&(toe[toe.len() - 1] - toe[0])).norm();
        Unrest { measures: [speed, spread, way] }
    }

    /// The share of this motion that is no worse than another: all measures shrink with it.
    fn allowed(&self, before: &Unrest, metres: f64) -> f64 {
        let shares = self.measures.iter().zip(&before.measures).zip(STANDS).map(|((is, was), stands)| {
            let most = was.max(stands / metres);
            if *is > most * (1.0 + ROUNDING) { MARGIN * most / is } else { 1.0 }
        });
        shares.fold(1.0, f64::min)
    }
}

/// `after`, whose frames are those of `before`, with feet that are no worse in any contact, and the number of contacts that
/// were corrected; `None` of a body without feet or unit.
pub(crate) fn held(
    before: &Clip,
    after: Clip,
    edit: &'static str,
) -> Result<(Clip, Option<usize>), EditError> {
    let body = Body::of(before);
    let Some(was) = body.contacts(before) else { return Ok((after, None)) };
    let metres = body.metres_or_one();
    let fps = before.rate().fps();
    let fade = ((FADE * fps).round() as usize).max(1);
    let is = FootMotion::of(&after, &body.feet);
    let mut corrected = 0;
    let mut ankles: Vec<(JointId, Vec<Option<Isometry3<f64>>>)> = Vec::new();
    for ((foot, (before, contacts)), after_motion) in body.feet.iter().zip(&was).zip(&is) {
        let mut moves: Vec<Option<Vector3<f64>>> = vec![None; after.frames()];
        let contacts = runs(&contacts.toe);
        for (i, run) in contacts.iter().enumerate().filter(|(_, run)| run.len() > 1) {
            let toe = &after_motion.toe[run.clone()];
            let allowed = Unrest::of(&body, toe, fps)
                .allowed(&Unrest::of(&body, &before.toe[run.clone()], fps), metres);
            if allowed >= 1.0 {
                continue;
            }
            corrected += 1;
            let middle = toe.iter().sum::<Vector3<f64>>() / toe.len() as f64;
            let of = |frame: usize| body.on_ground(&(middle - after_motion.toe[frame])) * (1.0 - allowed);
            run.clone().for_each(|frame| moves[frame] = Some(of(frame)));
            let from = i.checked_sub(1).map_or(0, |before| contacts[before].end);
            let to = contacts.get(i + 1).map_or(after.frames(), |next| next.start);
            let mut fades = |frames: &mut dyn Iterator<Item = usize>, room: usize, end: usize| {
                let length = fade.min(room);
                for (step, frame) in frames.take(length).enumerate() {
                    let left = 1.0 - (step + 1) as f64 / (length + 1) as f64;
                    let weight = left * left * (3.0 - 2.0 * left);
                    *moves[frame].get_or_insert_with(Vector3::zeros) += of(end) * weight;
                }
            };
            fades(&mut (from..run.start).rev(), run.start - from, run.start);
            fades(&mut (run.end..to), to - run.end, run.end - 1);
        }
        if moves.iter().all(Option::is_none) {
            continue;
        }
        let places = placements(&after, &[foot.ankle]);
        let places = moves.iter().zip(&places[0]).map(|(moved, place)| {
            moved.map(|moved| {
                Isometry3::from_parts(Translation3::from(place.translation.vector + moved), place.rotation)
            })
        });
        ankles.push((foot.ankle, places.collect()));
    }
    if corrected == 0 {
        return Ok((after, Some(0)));
    }
    let (clip, _) = place_ankles(&after, &body, &ankles, Plane::Own, edit)?;
    Ok((clip, Some(corrected)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::samples::Samples;
    use mocap_model::{Role, exp};

    /// A walk whose legs shake by an angle.
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
                let of = |toe: &[Vector3<f64>]| Unrest::of(&body, &toe[run.clone()], 60.0);
                let allowed = of(&after.toe).allowed(&of(&before.toe), body.metres_or_one());
                assert!(allowed >= 1.0, "{run:?}: {allowed}");
            }
        }
    }

    #[test]
    fn feet_that_are_no_worse_stay_to_the_bit() {
        let walk = clip("alex_walk.bvh");
        let (same, corrected) = held(&walk, walk.clone(), "test").unwrap();
        assert_eq!((same, corrected), (walk, Some(0)));
    }
}
