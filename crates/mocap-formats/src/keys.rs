//! Key reduction: chooses frames of a clip so that interpolation between them gives the others within a bound.
//!
//! A track is cut greedily into the longest pieces that stay within a local tolerance. The tolerances come from the
//! bound in object space: an angle error moves the joints below by the angle times their reach. The accumulated error
//! along chains is measured, and the tolerances are reduced until the bound holds.

use mocap_model::{Clip, ForwardKinematics, JointId, Pose, Track, UnitQuaternion, Vector3, lerp, slerp};

/// The frames of a joint's tracks that are keys, ascending; `None` for a track that stays at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct JointKeys {
    pub(crate) rotation: Option<Vec<u32>>,
    pub(crate) translation: Option<Vec<u32>>,
    pub(crate) scale: Option<Vec<u32>>,
}

/// Distance of the skin from a joint [m], added to its reach: the rotation of a joint without children is visible too.
const SHELL: f64 = 0.03;
/// The longest piece without a key in between.
const LONGEST: usize = 1024;
/// How often tolerances are reduced before every frame becomes a key.
const ATTEMPTS: usize = 8;

/// The keys of a clip in metres: linear interpolation between them keeps every joint, and every point 3 cm beside one,
/// within `error` [m] in object space. Without a bound, constant tracks have one key and others one per frame.
pub(crate) fn reduce(clip: &Clip, error: Option<f64>) -> Vec<JointKeys> {
    // The measure of the error does not include scales.
    let error = error.filter(|error| *error > 0.0 && !clip.has_scale());
    let Some(error) = error else { return with_tolerance(clip, None, &[]) };
    let reach = reach(clip, SHELL);
    let mut share = 0.4;
    for _ in 0..ATTEMPTS {
        let keys = with_tolerance(clip, Some(error * share), &reach);
        let worst = worst(clip, &keys);
        if worst <= error {
            return keys;
        }
        share *= (0.9 * error / worst).clamp(0.1, 0.9);
    }
    with_tolerance(clip, None, &[])
}

fn with_tolerance(clip: &Clip, tolerance: Option<f64>, reach: &[f64]) -> Vec<JointKeys> {
    let every = |count: usize| Some((0..count as u32).collect());
    let joints = clip.skeleton().joints().iter().zip(clip.tracks()).enumerate();
    let vectors =
        |track: &Track<Vector3<f64>>, rest: Vector3<f64>, tolerance: Option<f64>| match (track, tolerance) {
            (Track::Constant(value), _) => (*value != rest).then(|| vec![0]),
            (Track::Sampled(values), None) => every(values.len()),
            (Track::Sampled(values), Some(tolerance)) => Some(cut(values.len(), |from, to| {
                (from + 1..to).all(|at| {
                    let t = (at - from) as f64 / (to - from) as f64;
                    (lerp(&values[from], &values[to], t) - values[at]).norm() <= tolerance
                })
            })),
        };
    joints
        .map(|(at, (joint, tracks))| JointKeys {
            rotation: match (&tracks.rotation, tolerance) {
                (Track::Constant(q), _) => (*q != joint.rest_rotation).then(|| vec![0]),
                (Track::Sampled(values), None) => every(values.len()),
                (Track::Sampled(values), Some(tolerance)) => {
                    let angle = tolerance / reach[at];
                    Some(cut(values.len(), |from, to| rotations_within(values, from, to, angle)))
                }
            },
            translation: tracks
                .translation
                .as_ref()
                .and_then(|track| vectors(track, joint.offset, tolerance)),
            scale: tracks.scale.as_ref().and_then(|track| {
                vectors(track, Vector3::repeat(1.0), tolerance.map(|tolerance| tolerance / reach[at]))
            }),
        })
        .collect()
}

/// Cuts the frames greedily: each piece is the longest, by an exponential and then a binary search, for which `within`
/// is true.
fn cut(frames: usize, within: impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut keys = vec![0];
    let mut from = 0;
    while from + 1 < frames {
        let last = (from + LONGEST).min(frames - 1);
        let (mut good, mut bad) = (from + 1, last + 1);
        let mut step = 2;
        while good < last {
            let next = (from + step).min(last);
            if !within(from, next) {
                bad = next;
                break;
            }
            good = next;
            step *= 2;
        }
        while good + 1 < bad {
            let middle = good.midpoint(bad);
            if within(from, middle) { good = middle } else { bad = middle }
        }
        keys.push(good as u32);
        from = good;
    }
    keys
}

/// Whether the rotations between two frames are within an angle [rad] of the interpolated ones.
fn rotations_within(values: &[UnitQuaternion<f64>], from: usize, to: usize, angle: f64) -> bool {
    let (a, mut b) = (values[from].coords, values[to].coords);
    let mut cosine = a.dot(&b);
    if cosine < 0.0 {
        (b, cosine) = (-b, -cosine);
    }
    let turn = cosine.min(1.0).acos();
    let sine = turn.sin();
    // The distance of two unit quaternions is about half the angle between their rotations.
    let most = angle * angle / 4.0;
    (from + 1..to).all(|at| {
        let t = (at - from) as f64 / (to - from) as f64;
        let between = match sine > 1e-6 {
            true => a * (((1.0 - t) * turn).sin() / sine) + b * ((t * turn).sin() / sine),
            false => a * (1.0 - t) + b * t,
        };
        let q = values[at].coords;
        (between - q).norm_squared().min((between + q).norm_squared()) <= most
    })
}

/// By joint: the length of the longest chain of bones below it plus `shell` [units of the clip].
pub(crate) fn reach(clip: &Clip, shell: f64) -> Vec<f64> {
    let mut reach = vec![0.0f64; clip.skeleton().len()];
    for (id, joint) in clip.skeleton().iter().rev() {
        let length = clip.track(id).translation.as_ref().map_or(joint.offset.norm(), |track| {
            track.values().iter().map(|value| value.norm()).fold(0.0, f64::max)
        });
        if let Some(parent) = joint.parent {
            let below = reach[id.index()] + length;
            reach[parent.index()] = reach[parent.index()].max(below);
        }
    }
    reach.iter().map(|reach| reach + shell).collect()
}

/// The largest position error of a joint in object space if the clip is interpolated between its keys.
fn worst(clip: &Clip, keys: &[JointKeys]) -> f64 {
    let joints = clip.skeleton().joints();
    let mut original = ForwardKinematics::new(clip);
    let mut at = vec![[0usize; 2]; joints.len()];
    let (mut local, mut object) = (Pose::default(), Pose::default());
    let mut worst = 0.0f64;
    for frame in 0..clip.frames() {
        original.place(frame);
        clip.local_pose(frame, &mut local);
        for (joint, (keys, at)) in keys.iter().zip(&mut at).enumerate() {
            let tracks = clip.track(JointId::from(joint));
            if let (Some(keys), Track::Sampled(values)) = (&keys.rotation, &tracks.rotation)
                && let Some((from, to, t)) = place(keys, &mut at[0], frame)
            {
                local.joints[joint].rotation = slerp(&values[from], &values[to], t);
            }
            if let (Some(keys), Some(Track::Sampled(values))) = (&keys.translation, &tracks.translation)
                && let Some((from, to, t)) = place(keys, &mut at[1], frame)
            {
                local.joints[joint].translation.vector = lerp(&values[from], &values[to], t);
            }
        }
        local.to_object(clip.skeleton(), &mut object);
        for (a, b) in object.joints.iter().zip(&original.pose().joints) {
            let off = (a.translation.vector - b.translation.vector).norm();
            let turned = (a.rotation.coords - b.rotation.coords)
                .norm()
                .min((a.rotation.coords + b.rotation.coords).norm());
            worst = worst.max(off + 2.0 * turned * SHELL);
        }
    }
    worst
}

/// The keys around a frame and the interpolation parameter between them; `None` for a frame that is a key.
fn place(keys: &[u32], at: &mut usize, frame: usize) -> Option<(usize, usize, f64)> {
    while *at + 1 < keys.len() && keys[*at + 1] as usize <= frame {
        *at += 1;
    }
    let from = keys[*at] as usize;
    let to = *keys.get(*at + 1)? as usize;
    (from != frame).then(|| (from, to, (frame - from) as f64 / (to - from) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduced_keys_keep_the_bound_and_are_fewer() {
        let clip = include!("../../../fixtures/wave.rs");
        let all: usize = count(&reduce(&clip, None));
        let mut before = all;
        for error in [1e-5, 1e-4, 1e-3] {
            let keys = reduce(&clip, Some(error));
            assert!(worst(&clip, &keys) <= error);
            assert!(count(&keys) < before, "{error}");
            before = count(&keys);
        }
        assert!(before * 4 < all * 3, "{before} of {all}");
    }

    fn count(keys: &[JointKeys]) -> usize {
        let joint = |keys: &JointKeys| {
            [&keys.rotation, &keys.translation]
                .iter()
                .map(|keys| keys.as_ref().map_or(0, Vec::len))
                .sum::<usize>()
        };
        keys.iter().map(joint).sum()
    }
}
