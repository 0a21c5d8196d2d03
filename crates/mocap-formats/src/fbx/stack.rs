//! What the curves of an animation stack move.

use std::collections::HashSet;

use ufbx::{AnimCurve, AnimProp, AnimStack};

/// The properties that make up the transform of a node.
pub(super) const TRANSFORM: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];
/// Relative change up to which a length is constant: 32-bit numbers are not finer.
pub(super) const SINGLE: f64 = 1.5e-7;

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
