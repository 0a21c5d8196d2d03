//! The frames of an animation stack.

use mocap_model::FrameRate;
use ufbx::{AnimCurve, AnimStack, Scene};

use super::stack::{curves, props};
use super::{Problem, TICKS};
use crate::{Finding, LimitExceeded, ReadOptions};

/// Frames per second of a file that does not say.
const DEFAULT_FPS: f64 = 30.0;

/// The frames of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) rate: FrameRate,
    pub(super) frames: usize,
    /// The time of the first frame \[ticks\].
    begin: f64,
}

impl Span {
    /// The time of a frame in the file \[s\]: the very number that a key at that time has.
    pub(super) fn time(&self, frame: usize) -> f64 {
        let ticks = TICKS as f64;
        (self.begin + (frame as f64 * ticks / self.rate.fps()).round()) / ticks
    }
}

/// The frames of a stack: from its start to its end, or, where it states none, from its first key to its last.
///
/// # Errors
/// Where its times are not finite, or there are more frames than the limit for all joints together.
pub(super) fn span(
    scene: &Scene,
    joints: usize,
    stack: &AnimStack,
    options: &ReadOptions,
) -> Result<Span, Finding> {
    let path = || format!("AnimationStack[{}]", stack.element.name);
    let (mut begin, mut end) = (stack.time_begin, stack.time_end);
    if end <= begin {
        let keys = || props(stack).flat_map(curves).map(|(_, curve)| curve);
        begin = keys().map(|curve| curve.min_time).reduce(f64::min).unwrap_or(0.0);
        end = keys().map(|curve| curve.max_time).reduce(f64::max).unwrap_or(begin);
    }
    if !begin.is_finite() || !end.is_finite() {
        return Err(Finding::new(Problem::StackTimes { path: path() }));
    }
    let stated = stated_rate(scene, options);
    let rate = if options.fps.is_some() { stated } else { closer_rate(stated, stack, end - begin) };
    // A stack may end a rounded tick before its last frame.
    let last = ((end - begin) * rate.fps() + 1e-3).floor().max(0.0);
    let limit = (options.limits.frames / joints).max(1);
    if last >= limit as f64 {
        let found = if last < 1e18 { last as usize + 1 } else { usize::MAX };
        return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
    }
    Ok(Span { rate, frames: last as usize + 1, begin: (begin * TICKS as f64).round() })
}

/// The rate that the user states, or else the file.
pub(super) fn stated_rate(scene: &Scene, options: &ReadOptions) -> FrameRate {
    let of_file = || FrameRate::from_frame_time(1.0 / scene.settings.frames_per_second);
    let stated = options.fps.and_then(FrameRate::new).or_else(of_file).or(FrameRate::new(DEFAULT_FPS));
    stated.expect("30 is a rate")
}

/// The rate of the file, or of curves whose keys are closer than that over at least half of the stack.
fn closer_rate(stated: FrameRate, stack: &AnimStack, duration: f64) -> FrameRate {
    let gap = |curve: &AnimCurve| {
        let (keys, time) = (curve.keyframes.len(), curve.max_time - curve.min_time);
        (keys > 2 && time > 0.0 && 2.0 * time >= duration).then(|| time / (keys - 1) as f64)
    };
    let closest = props(stack).flat_map(curves).filter_map(|(_, curve)| gap(curve)).reduce(f64::min);
    let of_keys = closest.and_then(FrameRate::from_frame_time);
    match of_keys {
        Some(rate) if rate.fps() > 1.01 * stated.fps() => rate,
        _ => stated,
    }
}
