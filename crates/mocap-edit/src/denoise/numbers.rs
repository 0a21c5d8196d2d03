//! Denoises scalar tracks, such as the weights of shapes.
//!
//! A weight at a limit is clipped there and has no noise: so noise is estimated only where a number moves, and no
//! number leaves its original range.

use mocap_model::{ScalarTrack, Track, Vector3};

use super::adaptive::Curves;
use super::{Denoise, count, fixed, noise, without_spikes};
use crate::frame_values::collapsed;

/// A spike is larger than this share of the range of a number.
const SPIKE: f64 = 0.1;
/// The shortest blink \[s\]: at frame rates at which two frames last as long, a spike may be a blink and is kept.
const BLINK: f64 = 0.1;

/// Removes noise from all numbers that move; returns how many spikes were replaced.
pub(super) fn denoise(scalars: &mut [ScalarTrack], method: Denoise, fps: f64) -> usize {
    let mut moving: Vec<(&mut ScalarTrack, Vec<f64>)> = (scalars.iter_mut())
        .filter_map(|track| match &track.values {
            Track::Sampled(values) => {
                let values = values.clone();
                Some((track, values))
            }
            Track::Constant(_) => None,
        })
        .collect();
    let ranges: Vec<[f64; 2]> = moving.iter().map(|(_, values)| range(values)).collect();
    let mut spikes = 0;
    match method {
        Denoise::Auto => {
            let mut all = Curves::new(moving.first().map_or(0, |(_, values)| values.len()));
            for ((_, values), [low, high]) in moving.iter_mut().zip(&ranges) {
                let weights = match 2.0 < BLINK * fps {
                    true => replace_spikes(values, SPIKE * (high - low)),
                    false => vec![1.0; values.len()],
                };
                spikes += count(&weights);
                all.add(values.iter().copied(), &weights, noise::deviation(&moved(values)).powi(2));
            }
            all.smooth(fps);
            for ((_, values), smooth) in moving.iter_mut().zip(all.iter()) {
                values.iter_mut().zip(smooth).for_each(|(own, value)| *own = value);
            }
        }
        _ => moving.iter_mut().for_each(|(_, values)| fixed::filter_numbers(values, method, fps)),
    }
    for ((track, values), [low, high]) in moving.into_iter().zip(ranges) {
        let kept = values.into_iter().map(|value| value.clamp(low, high)).collect();
        track.values = collapsed(kept, low);
    }
    spikes
}

fn range(values: &[f64]) -> [f64; 2] {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    [low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

/// The values that differ from both neighbours: ranges at rest or at a limit are left out.
fn moved(values: &[f64]) -> Vec<f64> {
    let moves = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)];
        beside.into_iter().flatten().filter_map(|beside| values.get(beside)).all(|value| *value != values[at])
    };
    (0..values.len()).filter(|at| moves(*at)).map(|at| values[at]).collect()
}

/// Replaces spikes as those of positions along one axis. Returns the weights of
/// [`without_spikes`].
fn replace_spikes(values: &mut [f64], smallest: f64) -> Vec<f64> {
    let mut places: Vec<Vector3<f64>> = values.iter().map(|value| Vector3::new(*value, 0.0, 0.0)).collect();
    let weights = without_spikes(&mut places, smallest);
    values.iter_mut().zip(&places).for_each(|(value, place)| *value = place.x);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    const FPS: f64 = 60.0;

    /// Weights of a face: blinks of 0.2 s, a slow smile, and one that stands still.
    fn face() -> Vec<ScalarTrack> {
        let time = |frame: usize| frame as f64 / FPS;
        let bump = |t: f64, at: f64, half: f64| {
            let x = ((t - at) / half).clamp(-1.0, 1.0);
            (1.0 - x * x).powi(2)
        };
        let blink = |frame| bump(time(frame), 0.5, 0.1) + bump(time(frame), 2.0, 0.1);
        let smile = |frame| 0.3 + 0.3 * (2.0 * time(frame)).sin();
        let track = |name: &str, values| ScalarTrack { name: name.into(), values };
        vec![
            track("blink", Track::Sampled((0..240).map(blink).collect())),
            track("smile", Track::Sampled((0..240).map(smile).collect())),
            track("still", Track::Constant(0.4)),
        ]
    }

    /// White noise by a fixed sequence, of deviation 1.
    fn white() -> impl FnMut() -> f64 {
        let mut state = 9u64;
        move || {
            let mut sum = 0.0;
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                sum += (state >> 11) as f64 / (1u64 << 53) as f64;
            }
            sum - 6.0
        }
    }

    fn rms(a: &ScalarTrack, b: &ScalarTrack) -> f64 {
        let square = |frame: usize| (a.values.at(frame) - b.values.at(frame)).powi(2);
        ((0..240).map(square).sum::<f64>() / 240.0).sqrt()
    }

    #[test]
    fn noise_goes_and_blinks_stay() {
        let clean = face();
        let mut next = white();
        let noisy: Vec<ScalarTrack> = clean
            .iter()
            .map(|track| ScalarTrack {
                values: match &track.values {
                    // Telephones clip weights at 0.
                    Track::Sampled(values) => Track::Sampled(
                        values.iter().map(|value| (value + 0.02 * next()).clamp(0.0, 1.0)).collect(),
                    ),
                    other => other.clone(),
                },
                ..track.clone()
            })
            .collect();
        {
            let method = Denoise::Auto;
            let mut made = noisy.clone();
            let spikes = denoise(&mut made, method, FPS);
            assert_eq!(spikes, 0, "{method}");
            for at in 0..2 {
                let (before, after) = (rms(&noisy[at], &clean[at]), rms(&made[at], &clean[at]));
                assert!(after < 0.75 * before, "{method} {}: {before} {after}", clean[at].name);
            }
            assert_eq!(made[2], clean[2]);
            let shut = made[0].values.at(30);
            assert!(shut > 0.93, "{method}: the eye closes to {shut}");
            assert!(made[0].values.values().iter().all(|value| (0.0..=1.0).contains(value)));
        }
    }

    #[test]
    fn a_clean_face_stays_and_a_spike_goes() {
        let clean = face();
        let mut made = clean.clone();
        denoise(&mut made, Denoise::Auto, FPS);
        for (a, b) in made.iter().zip(&clean) {
            assert!(rms(a, b) < 0.002, "{} {}", a.name, rms(a, b));
        }
        let mut spiked = clean.clone();
        if let Track::Sampled(values) = &mut spiked[1].values {
            values[100] = 1.0;
        }
        let spikes = denoise(&mut spiked, Denoise::Auto, FPS);
        assert_eq!(spikes, 1);
        assert!((spiked[1].values.at(100) - clean[1].values.at(100)).abs() < 0.01);
    }

    #[test]
    fn where_two_frames_are_as_long_as_a_blink_none_is_a_spike() {
        let mut values = vec![0.0; 60];
        values[20] = 1.0;
        let mut made = vec![ScalarTrack { name: "blink".into(), values: Track::Sampled(values) }];
        assert_eq!(denoise(&mut made, Denoise::Auto, 15.0), 0);
        assert!(made[0].values.at(20) > 0.9);
    }
}
