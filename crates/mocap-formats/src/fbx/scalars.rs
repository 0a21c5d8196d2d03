//! Numbers over time: weights of blend shapes, and properties that users add to joints.

use mocap_model::{InBetween, ScalarTrack, in_between_weight};
use ufbx::{Anim, AnimStack, BlendChannel, PropFlags, SceneRoot};

use super::geometry::DEFORM;
use super::span::Span;
use super::stack::{curves, props};
use super::tree::Tree;
use crate::names::Unique;
use mocap_model::Track;
use std::collections::HashMap;

/// The source of a scalar track: a property that some stack animates, or the weight of a shape.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Unique in the file.
    pub(super) name: String,
    /// The element that has it.
    pub(super) element: u32,
    pub(super) property: String,
    /// The name of its component in files.
    pub(super) axis: String,
    /// Its component: of a single number, the first.
    component: usize,
    /// What the number is multiplied by: weights of blend shapes are percents.
    pub(super) factor: f64,
    /// Its value where no curve moves it.
    rest: f64,
    /// Whether a stack moves it.
    moves: bool,
    /// Set for an in-between of a shape, whose property is that of the shape.
    pub(super) between: Option<Between>,
}

/// Which in-between of a shape.
#[derive(Clone, Debug)]
pub(super) struct Between {
    /// The weights at which the shapes of its channel are fully applied.
    full: Vec<f64>,
    /// The position in `full` of the weight of this shape.
    pub(super) at: usize,
}

/// The weights at which the shapes of a channel are fully applied, the named one last.
pub(super) fn full_weights(channel: &BlendChannel) -> Vec<f64> {
    channel.keyframes.iter().map(|key| key.target_weight).collect()
}

/// The sources of the in-betweens of a channel: `jawOpen_50` is the correction of `jawOpen` at 0.5.
fn in_betweens(of: &Source, channel: &BlendChannel, mut named: impl FnMut(&str) -> String) -> Vec<Source> {
    let full = full_weights(channel);
    let made = (0..full.len().saturating_sub(1)).map(|at| Source {
        name: named(&format!("{}_{:.0}", of.name, 100.0 * full[at])),
        rest: in_between_weight(&full, at, of.rest),
        between: Some(Between { full: full.clone(), at }),
        ..of.clone()
    });
    made.collect()
}

/// The scalars of a file: animated properties of nodes, and weights of shapes.
pub(super) fn sources(scene: &SceneRoot, tree: &Tree) -> Vec<Source> {
    let joints: HashMap<u32, &str> =
        tree.joints.iter().map(|joint| (tree.node(joint).element, joint.name.as_str())).collect();
    let mut names = Unique::default();
    let mut sources: Vec<Source> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for prop in scene.anim_stacks.iter().flat_map(|stack| props(stack)) {
        let element = prop.element.element_id;
        let weight = ufbx::as_blend_channel(&prop.element);
        let user = joints.contains_key(&element)
            && ufbx::find_prop(&prop.element.props, &prop.prop_name)
                .is_some_and(|found| found.flags.has_any(PropFlags::USER_DEFINED));
        if !(user || weight.is_some() && &*prop.prop_name == DEFORM) {
            continue;
        }
        for (component, _) in curves(prop) {
            if !seen.insert((element, prop.prop_name.to_string(), component)) {
                continue;
            }
            let several = curves(prop).any(|(component, _)| component > 0);
            let named = if weight.is_some() { &prop.element.name } else { &prop.prop_name };
            let name = match several {
                true => format!("{}.{}", &**named, ["x", "y", "z"][component]),
                false => named.to_string(),
            };
            let default = ufbx::find_prop(&prop.element.props, &prop.prop_name);
            let default = default.map_or(0.0, |default| {
                [default.value_vec4.x, default.value_vec4.y, default.value_vec4.z][component]
            });
            let factor = if weight.is_some() { 0.01 } else { 1.0 };
            let source = Source {
                name: names.claim(&name),
                element,
                property: prop.prop_name.to_string(),
                axis: if several { ["X", "Y", "Z"][component].into() } else { prop.prop_name.to_string() },
                component,
                factor,
                rest: if default.is_finite() { default * factor } else { 0.0 },
                moves: true,
                between: None,
            };
            let others = weight.map(|channel| in_betweens(&source, channel, |name| names.claim(name)));
            sources.push(source);
            sources.extend(others.into_iter().flatten());
        }
    }
    for channel in scene.blend_channels.iter().filter(|channel| !channel.keyframes.is_empty()) {
        let element = channel.element.element_id;
        if seen.contains(&(element, DEFORM.to_owned(), 0)) {
            continue;
        }
        // Shapes with the same name on several meshes of a face share one track.
        let source = Source {
            name: channel.element.name.to_string(),
            element,
            property: DEFORM.into(),
            axis: DEFORM.into(),
            component: 0,
            factor: 0.01,
            rest: if channel.weight.is_finite() { channel.weight } else { 0.0 },
            moves: false,
            between: None,
        };
        let others = in_betweens(&source, channel, str::to_owned);
        sources.push(source);
        sources.extend(others);
    }
    sources
}

/// The in-betweens of a file with the weights that it states.
pub(super) fn stated_in_betweens(sources: &[Source]) -> Vec<InBetween> {
    // In-betweens come after the shape of their channel in the list.
    let mut of = "";
    let mut found = Vec::new();
    for source in sources {
        match &source.between {
            None => of = &source.name,
            Some(Between { full, at }) => found.push(InBetween {
                shape: source.name.clone(),
                of: of.to_owned(),
                full: full.clone(),
                at: *at,
            }),
        }
    }
    found
}

/// The scalar tracks of a stack; a value that is not finite repeats the one before.
pub(super) fn tracks(
    sources: &[Source],
    (stack, anim): (&AnimStack, &Anim),
    span: &Span,
) -> Vec<ScalarTrack> {
    let moved: HashMap<(u32, &str), &ufbx::Element> =
        props(stack).map(|prop| ((prop.element.element_id, &*prop.prop_name), &*prop.element)).collect();
    let track = |source: &Source| {
        let element = moved.get(&(source.element, source.property.as_str()));
        let Some(element) = element else { return Track::Constant(source.rest) };
        let mut last = source.rest;
        let values = (0..span.frames).map(|frame| {
            let found = ufbx::evaluate_prop(anim, element, &source.property, span.time(frame)).value_vec4;
            let found = [found.x, found.y, found.z][source.component] * source.factor;
            let found = match &source.between {
                Some(Between { full, at }) if found.is_finite() => in_between_weight(full, *at, found),
                _ => found,
            };
            last = if found.is_finite() { found } else { last };
            last
        });
        Track::from_samples(values.collect()).expect("a span has a frame")
    };
    let moving = sources.iter().filter(|source| source.moves);
    moving.map(|source| ScalarTrack { name: source.name.clone(), values: track(source) }).collect()
}
