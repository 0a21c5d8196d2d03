//! The frames of an animation stack.

use mocap_model::FrameRate;
use ufbx::{AnimCurve, AnimProp, AnimStack, Scene};

use super::stack::{curves, props};
use super::{Problem, TICKS};
use crate::{Finding, LimitExceeded, ReadOptions, Warnings};

/// Frames per second of a file that does not say.
const DEFAULT_FPS: f64 = 30.0;
/// Keys of a curve count as denser than the frames if their rate is higher by this factor.
const DENSER: f64 = 1.01;
/// Distance from the nearest frame that rounding explains \[frames\].
const ROUNDED: f64 = 1e-3;

/// The frames of a stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) rate: FrameRate,
    pub(super) frames: usize,
    /// The time of the first frame \[ticks\].
    begin: f64,
}

impl Span {
    /// The time of a frame in the file \[s\], bit for bit that of a key at that time.
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
    let rate = match options.fps.is_some() {
        true => stated,
        false => {
            let rate = rate_of(scene, stated, &key_rates(stack, end - begin), warnings);
            let of_keys = rate_of_keys(stack, rate.fps(), &key_rates(stack, end - begin));
            if let Some(keys) = of_keys {
                let [stated, keys] = [rate, keys].map(|rate| (rate.fps() * 1000.0).round() / 1000.0);
                warnings.push(Finding::new(Problem::RateOfKeys { stated, keys }));
            }
            of_keys.unwrap_or(rate)
        }
    };
    // Rounding may put the end of a stack just before its last frame.
    let last = ((end - begin) * rate.fps() + ROUNDED).floor().max(0.0);
    let limit = (options.limits.frames / joints).max(1);
    if last >= limit as f64 {
        let found = if last < 1e18 { last as usize + 1 } else { usize::MAX };
        return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
    }
    options.limits.check_samples(last as usize + 1, joints).map_err(Finding::new)?;
    Ok(Span { rate, frames: last as usize + 1, begin: (begin * TICKS as f64).round() })
}

/// The rate that the user states, or else the file.
pub(super) fn stated_rate(scene: &Scene, options: &ReadOptions) -> FrameRate {
    let of_file = || FrameRate::from_frame_time(1.0 / scene.settings.frames_per_second);
    let stated = options.fps.and_then(FrameRate::new).or_else(of_file).or(FrameRate::new(DEFAULT_FPS));
    stated.expect("30 is a rate")
}

/// The rate that the file states; of a file that states none, that of most curves. `curves` are the rates of curves. Warns
/// where some curves have keys between the frames.
fn rate_of(scene: &Scene, stated: FrameRate, curves: &[f64], warnings: &mut Warnings) -> FrameRate {
    let rate = match states_rate(scene) {
        true => stated,
        false => most_common(curves).unwrap_or(stated),
    };
    // Files of this program have extra keys only to keep interpolation accurate: they do not raise the rate.
    let own = &*scene.metadata.creator == super::from_clip::CREATOR;
    let denser = || curves.iter().copied().filter(|of_curve| !own && *of_curve > DENSER * rate.fps());
    if let Some(highest) = denser().reduce(f64::max) {
        let highest = FrameRate::new(highest).map_or(highest, FrameRate::fps);
        let (count, all, fps) = (denser().count(), curves.len(), rate.fps());
        warnings.push(Finding::new(Problem::DenserKeys { count, all, highest, fps }));
    }
    rate
}

/// The key rates of curves that span at least half of the stack.
fn key_rates(stack: &AnimStack, duration: f64) -> Vec<f64> {
    let rate = |curve: &AnimCurve| {
        let (keys, time) = (curve.keyframes.len(), curve.max_time - curve.min_time);
        let rate = (keys > 2 && time > 0.0 && 2.0 * time >= duration)
            .then(|| FrameRate::from_frame_time(time / (keys - 1) as f64));
        rate.flatten().map(FrameRate::fps)
    };
    props(stack).flat_map(curves).filter_map(|(_, curve)| rate(curve)).collect()
}

/// The rate at whose frames all keys lie, where it differs a little from the `stated` one and some keys lie between
/// the frames of that: keys at 60 frames per second in a file that states 59.94. `curves` are the rates of curves.
fn rate_of_keys(stack: &AnimStack, stated: f64, curves: &[f64]) -> Option<FrameRate> {
    let keyed = || props(stack).flat_map(curves_of).filter(|curve| curve.keyframes.len() > 2);
    let first = keyed().map(|curve| curve.min_time).reduce(f64::min)?;
    let fits = |fps: f64| {
        let is_at_frame = |time: f64| {
            let frame = (time - first) * fps;
            (frame - frame.round()).abs() <= ROUNDED
        };
        keyed().all(|curve| curve.keyframes.iter().all(|key| is_at_frame(key.time)))
    };
    if fits(stated) {
        return None;
    }
    let near = |fps: &f64| (fps / stated - 1.0).abs() < DENSER - 1.0;
    let of_curves: Vec<f64> = curves.iter().copied().filter(near).collect();
    // Curves without a key at every frame do not show the rate: it may be the whole or the NTSC rate beside the stated.
    let beside = [stated * 1.001, stated / 1.001].map(|fps| FrameRate::from_frame_time(1.0 / fps));
    let candidates = std::iter::once(most_common(&of_curves)).chain(beside).flatten();
    let mut others = candidates.filter(|rate| rate.fps() != stated);
    others.find(|rate| fits(rate.fps()))
}

fn curves_of(prop: &AnimProp) -> impl Iterator<Item = &AnimCurve> {
    curves(prop).map(|(_, curve)| curve)
}

/// The most common rate of curves; of a tie, the highest.
fn most_common(rates: &[f64]) -> Option<FrameRate> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let groups = sorted.chunk_by(|low, high| *high <= DENSER * low);
    let largest = groups.max_by_key(|group| group.len())?;
    FrameRate::new(largest[largest.len() / 2])
}

/// Whether the file states its frame rate.
fn states_rate(scene: &Scene) -> bool {
    scene.settings.props.props.iter().any(|prop| ["TimeMode", "FrameRate"].contains(&&*prop.name))
}
