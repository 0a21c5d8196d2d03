//! What the curves of an animation stack move, and when.

use std::collections::HashSet;

use mocap_model::FrameRate;
use ufbx::{AnimCurve, AnimProp, AnimStack};

use super::document::Document;
use super::tree::{Tree, TreeNode};
use super::{Problem, TICKS};
use crate::{Finding, LimitExceeded, ReadOptions};

/// The properties that make up the transform of a node.
pub(super) const TRANSFORM: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];
/// Relative change up to which a length is constant: 32-bit numbers are not finer.
pub(super) const SINGLE: f64 = 1.5e-7;
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

/// The properties that the layers of a stack move.
pub(super) fn props(stack: &AnimStack) -> impl Iterator<Item = &AnimProp> {
    stack.layers.iter().flat_map(|layer| &layer.anim_props)
}

/// The curves of a property that have keys, with the number of their component.
pub(super) fn curves(prop: &AnimProp) -> impl Iterator<Item = (usize, &AnimCurve)> {
    let curves = prop.anim_value.curves.iter().enumerate();
    curves
        .filter_map(|(i, curve)| Some((i, &**curve.as_ref()?)))
        .filter(|(_, curve)| !curve.keyframes.is_empty())
}

/// The elements of which a stack moves a property of these names.
pub(super) fn elements(stack: &AnimStack, names: &[&str]) -> HashSet<u32> {
    let moved =
        props(stack).filter(|prop| names.contains(&&*prop.prop_name) && curves(prop).next().is_some());
    moved.map(|prop| prop.element.element_id).collect()
}

/// The elements whose translation a stack changes over time.
pub(super) fn translated(stack: &AnimStack) -> HashSet<u32> {
    let changes = |curve: &AnimCurve| {
        curve.max_value - curve.min_value > SINGLE * curve.max_value.abs().max(curve.min_value.abs())
    };
    let moved = props(stack).filter(|prop| &*prop.prop_name == "Lcl Translation");
    let moved = moved.filter(|prop| curves(prop).any(|(_, curve)| changes(curve)));
    moved.map(|prop| prop.element.element_id).collect()
}

/// Whether a stack moves any joint.
pub(super) fn moves(stack: &AnimStack, tree: &Tree) -> bool {
    let moved = elements(stack, &TRANSFORM);
    tree.nodes.iter().any(|node| moved.contains(&node.element))
}

/// The frames of a stack: from its start to its end, or, where it states none, from its first key to its last.
///
/// # Errors
/// Where its times are not finite, or there are more frames than the limit for all joints together.
pub(super) fn span(document: &Document, stack: &AnimStack, options: &ReadOptions) -> Result<Span, Finding> {
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
    let stated = stated_rate(document, options);
    let rate = if options.fps.is_some() { stated } else { closer_rate(stated, stack, end - begin) };
    // A stack may end a rounded tick before its last frame.
    let last = ((end - begin) * rate.fps() + 1e-3).floor().max(0.0);
    let limit = (options.limits.frames / document.tree.joints.len()).max(1);
    if last >= limit as f64 {
        let found = if last < 1e18 { last as usize + 1 } else { usize::MAX };
        return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
    }
    Ok(Span { rate, frames: last as usize + 1, begin: (begin * TICKS as f64).round() })
}

/// The rate that the user states, or else the file.
pub(super) fn stated_rate(document: &Document, options: &ReadOptions) -> FrameRate {
    let of_file = || FrameRate::from_frame_time(1.0 / document.scene.settings.frames_per_second);
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

/// The path of the first value of a node that is not finite, such as
/// `AnimationStack[walk]/Model[Hips]/Lcl Rotation.X/KeyValueFloat[3]`.
pub(super) fn wrong_value(stack: &AnimStack, node: &TreeNode) -> Option<String> {
    props(stack).filter(|prop| prop.element.element_id == node.element).find_map(|prop| {
        curves(prop).find_map(|(i, curve)| {
            let key = curve.keyframes.iter().position(|key| !key.value.is_finite())?;
            let (stack, node) = (&stack.element.name, &prop.element.name);
            let axis = ["X", "Y", "Z"][i];
            Some(format!(
                "AnimationStack[{stack}]/Model[{node}]/{}.{axis}/KeyValueFloat[{key}]",
                prop.prop_name
            ))
        })
    })
}
