//! Two people are brought together in poses that are evenly spaced in time; their changes are interpolated between.
//!
//! So a motion at twice the rate comes to the same poses at the same times, and fine rates cost no more.

use mocap_model::{Clip, FrameRate, JointId, JointTracks, Track, UnitQuaternion, Vector3};

use super::NAME;
use crate::EditError;
use crate::samples::Samples;

/// Poses a second, at least; motions at less than twice this rate are looked at in all frames. Halving a rate as often as it
/// goes leads twice the rate to the same poses.
const LEAST: f64 = 20.0;

/// Every so many frames are looked at.
pub(super) fn stride(rate: FrameRate) -> usize {
    let mut stride = 1;
    while rate.fps() / (2 * stride) as f64 >= LEAST {
        stride *= 2;
    }
    stride
}

/// The frames of a motion that are looked at, as a motion.
pub(super) fn at_keys(clip: &Clip, stride: usize) -> Result<Clip, EditError> {
    if stride == 1 {
        return Ok(clip.clone());
    }
    let tracks = clip.tracks().iter().map(|tracks| JointTracks {
        rotation: some(&tracks.rotation, stride),
        translation: tracks.translation.as_ref().map(|track| some(track, stride)),
        scale: tracks.scale.as_ref().map(|track| some(track, stride)),
    });
    let failed = |error| EditError::model(NAME, error);
    let rate = FrameRate::new(clip.rate().fps() / stride as f64).expect("a part of a rate is a rate");
    let frames = clip.frames().div_ceil(stride);
    Clip::new(clip.skeleton().clone(), rate, frames, tracks.collect()).map_err(failed)
}

/// Every so many values of a track.
fn some<T: Clone>(track: &Track<T>, stride: usize) -> Track<T> {
    match track {
        Track::Sampled(values) => Track::Sampled(values.iter().step_by(stride).cloned().collect()),
        Track::Constant(value) => Track::Constant(value.clone()),
    }
}

/// A motion changed as its keys were, from `before` to `after`; frames between two keys that did not change keep every bit.
pub(super) fn between_keys(
    clip: &Clip,
    [before, after]: [&Clip; 2],
    stride: usize,
) -> Result<Clip, EditError> {
    if stride == 1 {
        return after
            .clone()
            .with_annotations(clip.annotations().clone())
            .map_err(|error| EditError::model(NAME, error));
    }
    let (mut samples, before, after) = (Samples::of(clip), Samples::of(before), Samples::of(after));
    let (frames, last) = (clip.frames(), before.frames.saturating_sub(1));
    for (id, joint) in clip.skeleton().iter() {
        let at = id.index();
        turn(&mut samples.rotations[at], [&before.rotations[at], &after.rotations[at]], stride);
        let place = |samples: &Samples, key: usize| place(samples, id, joint.offset, key);
        let way = |key: usize| place(&after, key) - place(&before, key);
        let mut ways: Vec<Vector3<f64>> = (0..=last).map(way).collect();
        // Frames after the last key extrapolate the change of the last interval.
        if let [.., before, at_last] = ways[..] {
            ways.push(if at_last == Vector3::zeros() { at_last } else { 2.0 * at_last - before });
        }
        if ways.iter().all(|way| *way == Vector3::zeros()) {
            continue;
        }
        let own = samples.translations[at].get_or_insert_with(|| vec![joint.offset; frames]);
        for (frame, own) in own.iter_mut().enumerate() {
            let (key, share) = (frame / stride, (frame % stride) as f64 / stride as f64);
            let (way, next) = (ways[key], ways[(key + 1).min(ways.len() - 1)]);
            *own += way + (next - way) * share;
        }
    }
    samples.into_clip(NAME)
}

fn place(samples: &Samples, joint: JointId, offset: Vector3<f64>, key: usize) -> Vector3<f64> {
    samples.translations[joint.index()].as_ref().map_or(offset, |places| places[key])
}

/// Rotations of a joint changed as those of its keys were.
fn turn(rotations: &mut [UnitQuaternion<f64>], [before, after]: [&[UnitQuaternion<f64>]; 2], stride: usize) {
    let turned = |key: usize| match before[key] == after[key] {
        true => UnitQuaternion::identity(),
        false => before[key].inverse() * after[key],
    };
    let mut turns: Vec<UnitQuaternion<f64>> = (0..before.len()).map(turned).collect();
    // Frames after the last key extrapolate the change of the last interval.
    if let [.., before, at_last] = turns[..] {
        let none = at_last == UnitQuaternion::identity();
        turns.push(if none { at_last } else { at_last * (before.inverse() * at_last) });
    }
    for (frame, own) in rotations.iter_mut().enumerate() {
        let (key, share) = (frame / stride, (frame % stride) as f64 / stride as f64);
        let (turn, next) = (turns[key], turns[(key + 1).min(turns.len() - 1)]);
        let none = UnitQuaternion::identity();
        if turn == none && (next == none || share == 0.0) {
            continue;
        }
        // A change by half a turn from key to key has no shorter way.
        let turned = *own * turn.try_slerp(&next, share, 1e-9).unwrap_or(turn);
        *own = match own.coords.dot(&turned.coords) < 0.0 {
            true => UnitQuaternion::new_unchecked(-turned.into_inner()),
            false => turned,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn twice_the_rate_has_twice_the_stride() {
        for fps in [20.0, 23.976, 24.0, 25.0, 30.0, 50.0, 59.94, 60.0, 100.0, 120.0] {
            let [one, twice] = [1.0, 2.0].map(|times| stride(FrameRate::new(fps * times).unwrap()));
            assert_eq!(twice, 2 * one, "{fps}");
        }
        assert_eq!(stride(FrameRate::new(15.0).unwrap()), 1);
    }

    #[test]
    fn frames_follow_the_changes_of_keys_around_them() {
        let walk = clip("alex_walk.bvh");
        let keys = at_keys(&walk, 2).unwrap();
        assert_eq!(keys.frames(), walk.frames().div_ceil(2));
        // Nothing changed: every bit stays.
        let (same, own) = (Samples::of(&between_keys(&walk, [&keys, &keys], 2).unwrap()), Samples::of(&walk));
        assert!(same.rotations == own.rotations && same.translations == own.translations);
        let mut samples = Samples::of(&keys);
        let by = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.0);
        let hips = samples.translations[0].as_mut().unwrap();
        hips[3] += Vector3::x();
        samples.rotations[4][3] *= by;
        let changed = between_keys(&walk, [&keys, &samples.into_clip(NAME).unwrap()], 2).unwrap();
        let (was, is) = (Samples::of(&walk), Samples::of(&changed));
        for frame in 0..walk.frames() {
            let share = 1.0 - (frame as f64 - 6.0).abs().min(2.0) / 2.0;
            let way =
                is.translations[0].as_ref().unwrap()[frame] - was.translations[0].as_ref().unwrap()[frame];
            assert!((way - Vector3::x() * share).norm() < 1e-9, "{frame}: {way}");
            let turned = was.rotations[4][frame].angle_to(&is.rotations[4][frame]);
            assert!((turned - by.angle() * share).abs() < 1e-6, "{frame}: {turned}");
        }
    }
}
