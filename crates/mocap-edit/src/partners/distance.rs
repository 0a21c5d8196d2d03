//! Keeps the distances of people who were retargeted separately.
//!
//! Each person's way along the ground is scaled by the own legs. So people of different sizes come nearer to each other
//! or apart. Here the ways of all are scaled by one number, the mean of those of all: then all distances are those of
//! the source times this number, and directions stay. Each person is moved by a shift that changes as slowly as the
//! distances allow.

use mocap_analysis::leg_length;
use mocap_model::{Clip, ForwardKinematics, Vector3};

use super::contact::{Person, time_inside};
use super::keys::{at_keys, between_keys, stride};
use super::shift::{Wanted, is_constant, smoothest};
use super::{NAME, in_metres, metres_of};
use crate::EditError;
use crate::body::Body;
use crate::held_feet::held_after_shift;
use crate::root_motion::shifted;

/// People whose hips are never nearer than this many leg lengths keep their own places: two arms are shorter.
const NEAR: f64 = 3.0;
/// Distances may be off by this share of them ...
const SHARE: f64 = 0.2;
/// ... and shifts below this are none \[m\].
const LEAST: f64 = 0.001;

/// Moves people who were retargeted separately such that their distances are those of the source, scaled to the bodies.
/// All `sources` share one space and one time axis, and so do the results; each keeps the unit and axes of its skeleton. Those
/// who are never near anybody else, were not recorded together, or have no known unit keep every bit. The first
/// `lead_in` frames are a rest pose.
///
/// # Errors
/// Where frames differ.
pub fn keep_distances(sources: &[&Clip], targets: Vec<Clip>, lead_in: usize) -> Result<Vec<Clip>, EditError> {
    let Some(first) = targets.first() else { return Ok(targets) };
    let (frames, stride) = (first.frames(), stride(first.rate()));
    if let Some(other) = sources.iter().copied().chain(&targets).find(|clip| clip.frames() != frames) {
        let reason = format!("one has {frames} frames, the other {}", other.frames());
        return Err(EditError::Usage { edit: NAME, reason });
    }
    let keys = |clip: &Clip| at_keys(&in_metres(clip)?, stride);
    // Distances of people without a known unit are not known.
    let known = |clip: &Clip| metres_of(clip).is_ok();
    let chosen: Vec<usize> =
        (0..targets.len()).filter(|at| known(sources[*at]) && known(&targets[*at])).collect();
    let own = chosen.iter().map(|at| keys(sources[*at])).collect::<Result<Vec<_>, EditError>>()?;
    let before = chosen.iter().map(|at| keys(&targets[*at])).collect::<Result<Vec<_>, EditError>>()?;
    let mut after = before.clone();
    spaced(&own.iter().collect::<Vec<_>>(), &mut after, lead_in.div_ceil(stride))?;
    let mut result = targets;
    for (at, (before, after)) in chosen.into_iter().zip(before.iter().zip(&after)) {
        if before == after {
            continue;
        }
        let target = &result[at];
        let space = (*target.skeleton().space(), metres_of(target)?);
        let moved = between_keys(&in_metres(target)?, [before, after], stride)?;
        result[at] = crate::metric::back(&moved, space, NAME)?;
    }
    Ok(result)
}

/// A person's way along the ground.
struct Way {
    /// The hips in the source and in the target, by frame \[m\].
    source: Vec<Vector3<f64>>,
    target: Vec<Vector3<f64>>,
    /// The length of a leg of both \[m\].
    legs: [f64; 2],
}

impl Way {
    fn of(source: &Clip, target: &Clip) -> Option<Way> {
        let bodies = [Body::of(source), Body::of(target)];
        let leg = |body: &Body| leg_length(&body.skeleton).filter(|leg| *leg > 0.0);
        let legs = [leg(&bodies[0])?, leg(&bodies[1])?];
        let [one, other] = [(source, &bodies[0]), (target, &bodies[1])].map(|(clip, body)| hips(clip, body));
        Some(Way { source: one, target: other, legs })
    }
}

/// The hips along the ground, by frame.
pub(super) fn hips(clip: &Clip, body: &Body) -> Vec<Vector3<f64>> {
    let mut placed = ForwardKinematics::of_joints(clip, &[body.hips]);
    let at = |frame: usize| {
        placed.place(frame);
        body.on_ground(&placed.position(body.hips))
    };
    (0..clip.frames()).map(at).collect()
}

/// As [`keep_distances`], of motions in metres.
pub(super) fn spaced(sources: &[&Clip], targets: &mut [Clip], lead_in: usize) -> Result<(), EditError> {
    let ways: Vec<Option<Way>> =
        sources.iter().zip(&*targets).map(|(source, target)| Way::of(source, target)).collect();
    let frames = targets.iter().map(Clip::frames).min().unwrap_or(0);
    let together = |a: usize, b: usize| -> bool {
        let (Some(one), Some(other)) = (&ways[a], &ways[b]) else { return false };
        let most = NEAR * one.legs[0].max(other.legs[0]);
        let mut frames = lead_in..frames;
        frames.any(|frame| (one.source[frame] - other.source[frame]).norm() < most)
            && time_inside(
                &[Person::of(sources[a]), Person::of(sources[b])],
                [sources[a], sources[b]],
                lead_in,
            )
            .is_none()
    };
    let mut is_near = vec![false; ways.len()];
    for a in 0..ways.len() {
        for b in a + 1..ways.len() {
            if !(is_near[a] && is_near[b]) && together(a, b) {
                (is_near[a], is_near[b]) = (true, true);
            }
        }
    }
    let group: Vec<(usize, &Way)> = ways
        .iter()
        .enumerate()
        .filter(|(at, _)| is_near[*at])
        .filter_map(|(at, way)| Some((at, way.as_ref()?)))
        .collect();
    if group.len() < 2 || frames <= lead_in {
        return Ok(());
    }
    let count = group.len() as f64;
    let scale = group.iter().map(|(_, way)| way.legs[1] / way.legs[0]).sum::<f64>() / count;
    let middle = |of: &dyn Fn(&Way) -> &[Vector3<f64>]| {
        let sum: Vector3<f64> =
            group.iter().map(|(_, way)| of(way)[lead_in..frames].iter().sum::<Vector3<f64>>()).sum();
        sum / (count * (frames - lead_in) as f64)
    };
    let middles = [middle(&|way| &way.source), middle(&|way| &way.target)];
    for (at, way) in &group {
        let wanted: Vec<Wanted> = (lead_in..frames)
            .map(|frame| {
                let own = way.source[frame];
                let others = group.iter().filter(|(other, _)| other != at);
                let nearest =
                    others.map(|(_, other)| (other.source[frame] - own).norm()).fold(f64::INFINITY, f64::min);
                let place = (own - middles[0]) * scale + middles[1];
                // Both of two people may be off.
                Wanted { frame, shift: place - way.target[frame], within: SHARE / 2.0 * scale * nearest }
            })
            .collect();
        let clip = &targets[*at];
        let shift = smoothest(&wanted, frames, clip.rate().fps());
        if shift.iter().all(|way| way.norm() < LEAST) {
            continue;
        }
        let moved = shifted(clip, &Body::of(clip), &shift, NAME)?;
        targets[*at] = if is_constant(&shift) { moved } else { held_after_shift(clip, moved, NAME)?.0 };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partners::tests::{alone, moved};

    fn distances(clips: [&Clip; 2]) -> Vec<f64> {
        let [a, b] = clips.map(|clip| {
            let clip = in_metres(clip).unwrap();
            hips(&clip, &Body::of(&clip))
        });
        a.iter().zip(&b).map(|(a, b)| (a - b).norm()).collect()
    }

    #[test]
    fn people_of_different_sizes_keep_their_distance() {
        // Two who walk side by side, 1.5 m apart and far from the origin, in centimetres.
        let walk = crate::fixtures::clip("alex_walk.bvh");
        let one = moved(&walk, 0.0, Vector3::new(800.0, 0.0, 300.0));
        let other = moved(&walk, 0.0, Vector3::new(950.0, 0.0, 300.0));
        let targets = vec![alone(&one, "robin_walk.bvh"), alone(&other, "alex_walk.bvh")];
        let legs = [0, 1].map(|i| leg_length(&Body::of(&in_metres(&targets[i]).unwrap()).skeleton).unwrap());
        let scale = (legs[0] / legs[1] + 1.0) / 2.0;
        let before = distances([&targets[0], &targets[1]]);
        let after = keep_distances(&[&one, &other], targets, 0).unwrap();
        let after = distances([&after[0], &after[1]]);
        let off =
            |found: &[f64]| found.iter().map(|far| (far / (1.5 * scale) - 1.0).abs()).fold(0.0, f64::max);
        assert!(off(&after) < 0.25, "{} before {}", off(&after), off(&before));
        assert!(off(&before) > 2.0 * off(&after), "{} before {}", off(&after), off(&before));
    }

    #[test]
    fn people_of_one_size_stay_where_they_are() {
        let walk = crate::fixtures::clip("alex_walk.bvh");
        let other = moved(&walk, 0.0, Vector3::x() * 150.0);
        let targets = vec![alone(&walk, "alex_walk.bvh"), alone(&other, "alex_walk.bvh")];
        assert_eq!(keep_distances(&[&walk, &other], targets.clone(), 0).unwrap(), targets);
    }
}
