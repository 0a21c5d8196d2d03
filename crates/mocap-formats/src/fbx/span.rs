//! The frames of an animation stack.

use mocap_model::FrameRate;
use ufbx::{AnimCurve, AnimStack, Scene, TimeMode};

use super::stack::{curves, props};
use super::{Problem, TICKS};
use crate::{Finding, LimitExceeded, ReadOptions, Warnings};

/// Frames per second of a file that does not say.
const DEFAULT_FPS: f64 = 30.0;
/// How far from a frame a key may be [frames].
const ON_FRAME: f64 = 0.02;
/// The share of keys on frames from which the stated rate is that of the motion.
const FOLLOWED: f64 = 0.1;

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
    warnings: &mut Warnings,
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
    let rate = if options.fps.is_some() {
        stated
    } else {
        rate_of_stack(scene, stack, [begin, end], stated, warnings)
    };
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

/// A curve of a stack that tells a rate: the mean time between its keys, and how many lie on frames of another rate.
struct Keys {
    /// Of its keys.
    rate: FrameRate,
    keys: usize,
    on_frames: usize,
}

/// The rate of the file; that of most curves where the file states none, or where nearly no key lies on its frames.
fn rate_of_stack(
    scene: &Scene,
    stack: &AnimStack,
    [begin, end]: [f64; 2],
    stated: FrameRate,
    warnings: &mut Warnings,
) -> FrameRate {
    let curves = || props(stack).flat_map(curves).map(|(_, curve)| curve);
    let curves: Vec<Keys> = curves().filter_map(|curve| keys(curve, stated, begin, end - begin)).collect();
    let count = |of: fn(&Keys) -> usize| curves.iter().map(of).sum::<usize>() as f64;
    let is_followed = count(|curve| curve.on_frames) >= FOLLOWED * count(|curve| curve.keys);
    if !states_rate(scene) || !is_followed {
        return rate_of_most(&curves).unwrap_or(stated);
    }
    let denser = curves.iter().filter(|curve| curve.rate.fps() > 1.01 * stated.fps()).count();
    if denser > 0 {
        let problem = Problem::DenserCurves { denser, curves: curves.len(), fps: stated.fps() };
        warnings.push(Finding::new(problem));
    }
    stated
}

/// Whether the settings of the file name a rate.
fn states_rate(scene: &Scene) -> bool {
    let settings = &scene.settings;
    match settings.time_mode {
        TimeMode::Default => false,
        TimeMode::Custom => ufbx::find_prop(&settings.props, "CustomFrameRate")
            .is_some_and(|rate| rate.value_vec4.x.is_finite() && rate.value_vec4.x > 0.0),
        _ => ufbx::find_prop(&settings.props, "TimeMode").is_some(),
    }
}

/// What a curve with keys over at least half of the stack tells.
fn keys(curve: &AnimCurve, stated: FrameRate, begin: f64, duration: f64) -> Option<Keys> {
    let (keys, time) = (curve.keyframes.len(), curve.max_time - curve.min_time);
    if keys <= 2 || time <= 0.0 || 2.0 * time < duration {
        return None;
    }
    let on_frame = |time: f64| {
        let at = (time - begin) * stated.fps();
        (at - at.round()).abs() <= ON_FRAME
    };
    // A first key is on a frame at any rate.
    let on_frames = curve.keyframes.iter().skip(1).filter(|key| on_frame(key.time)).count();
    let rate = FrameRate::from_frame_time(time / (keys - 1) as f64)?;
    Some(Keys { rate, keys: keys - 1, on_frames })
}

/// The rate that most curves have; of several, the highest.
fn rate_of_most(curves: &[Keys]) -> Option<FrameRate> {
    let mut rates: Vec<FrameRate> = curves.iter().map(|curve| curve.rate).collect();
    rates.sort_by(|a, b| a.fps().total_cmp(&b.fps()));
    let same = |a: &FrameRate, b: &FrameRate| b.fps() <= 1.01 * a.fps();
    rates.chunk_by(same).max_by_key(|run| run.len()).map(|run| run[run.len() / 2])
}
