//! What the curves of an animation stack move.

use std::collections::HashSet;

use ufbx::{AnimCurve, AnimLayer, AnimOpts, AnimProp, AnimRoot, AnimStack, ListOpt, Scene};

use super::problem::Problem;
use crate::Finding;

/// The properties that make up the transform of a node.
pub(super) const TRANSFORM: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];
/// Relative change up to which a length is constant: 32-bit numbers are not finer.
pub(super) const SINGLE: f64 = 1.5e-7;

/// Whether a layer plays: not if it is muted, nor if others are solo and it is not.
fn plays(layer: &AnimLayer, stack: &AnimStack) -> bool {
    let is = |layer: &AnimLayer, name| {
        layer.element.props.find_prop(name).is_some_and(|property| property.value_int != 0)
    };
    let any_solo = || stack.layers.iter().any(|layer| is(layer, "Solo"));
    !is(layer, "Mute") && (is(layer, "Solo") || !any_solo())
}

/// The names of the layers of a stack that do not play.
pub(super) fn silent_layers(stack: &AnimStack) -> Vec<String> {
    let silent = stack.layers.iter().filter(|layer| !plays(layer, stack));
    silent.map(|layer| layer.element.name.to_string()).collect()
}

/// The animation of the layers of a stack that play; `None` if all do: then it is that of the stack.
pub(super) fn playing(scene: &Scene, stack: &AnimStack) -> Result<Option<AnimRoot>, Finding> {
    if stack.layers.iter().all(|layer| plays(layer, stack)) {
        return Ok(None);
    }
    let playing = stack.layers.iter().filter(|layer| plays(layer, stack));
    let ids: Vec<u32> = playing.map(|layer| layer.element.typed_id).collect();
    let options = AnimOpts { layer_ids: ListOpt::Owned(ids), ..AnimOpts::default() };
    let failed =
        |error: ufbx::Error| Finding::new(Problem::Unreadable { reason: error.description.to_string() });
    ufbx::create_anim(scene, options).map(Some).map_err(failed)
}

/// The properties that the layers of a stack move.
pub(super) fn props(stack: &AnimStack) -> impl Iterator<Item = &AnimProp> {
    stack.layers.iter().filter(|layer| plays(layer, stack)).flat_map(|layer| &layer.anim_props)
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

/// The path of the first value of a node that is not finite, such as
/// `AnimationStack[walk]/Model[Hips]/Lcl Rotation.X/KeyValueFloat[3]`.
pub(super) fn wrong_value(stack: &AnimStack, element: u32) -> Option<String> {
    props(stack).filter(|prop| prop.element.element_id == element).find_map(|prop| {
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
