//! Clips as animation stacks: the objects of each, and the lists of stacks.

use std::borrow::Cow;

use mocap_model::Clip;

use super::record::{Property, Record, class, field, integers, properties, property, singles, time};
use super::scene::Scene;
use super::take::{Curves, shared, times};

/// Flags of a key: linear to the next one.
const LINEAR: i32 = 0x6104;
/// The data of a key without own tangents.
const NO_TANGENTS: [f32; 4] = [0.0, 0.0, 9.419_963e-30, 0.0];
/// The name of the animation of a clip without one.
pub(super) const UNNAMED: &str = "Take 001";

/// An animation stack that was added.
#[derive(Debug)]
pub(super) struct Take {
    pub(super) name: String,
    /// Its last frame \[ticks\].
    stop: i64,
}

/// The end of the longest animation \[ticks\].
pub(super) fn last(takes: &[Take]) -> i64 {
    takes.iter().map(|take| take.stop).max().unwrap_or(0)
}

/// Adds a clip: the curves that move nodes, by their numbers.
pub(super) fn add_stack(scene: &mut Scene, clip: &Clip, name: String, driven: Vec<(i64, Curves)>) -> Take {
    let (stack, layer) = (scene.claim(), scene.claim());
    let times = times(clip);
    let stop = times.last().copied().unwrap_or(0);
    let spans = [("LocalStart", 0), ("LocalStop", stop), ("ReferenceStart", 0), ("ReferenceStop", stop)];
    let head = vec![stack.into(), class(&name, "AnimStack"), "".into()];
    let spans = spans.map(|(name, ticks)| time(name, ticks));
    scene.objects.push(Record::new("AnimationStack", head).with([properties(spans)]));
    let head = vec![layer.into(), class("BaseLayer", "AnimLayer"), "".into()];
    scene.objects.push(Record::new("AnimationLayer", head));
    scene.connect(layer, stack);
    let [all, first] = [&times[..], &times[..1]].map(shared);
    for (node, curves) in driven {
        let own = curves.times.as_deref().map(shared);
        let times = own.as_ref().unwrap_or(if curves.keys == 1 { &first } else { &all });
        add_curves(scene, node, layer, curves, times);
    }
    Take { name, stop }
}

/// Curves that move the components of one property of a node.
fn add_curves(scene: &mut Scene, node: i64, layer: i64, curves: Curves, times: &Property) {
    let holder = scene.claim();
    let Curves { property: driven, node: short, axes, keys, .. } = curves;
    let defaults =
        axes.iter().map(|(axis, first, _)| property(axis, ["Number", "", "A"], &[(*first).into()]));
    let head = vec![holder.into(), class(&short, "AnimCurveNode"), "".into()];
    scene.objects.push(Record::new("AnimationCurveNode", head).with([properties(defaults)]));
    scene.connect(holder, layer);
    scene.drive(holder, node, &driven);
    for (axis, first, values) in axes {
        let curve = scene.claim();
        let head = vec![curve.into(), class("", "AnimCurve"), "".into()];
        scene.objects.push(Record::new("AnimationCurve", head).with([
            field("Default", first),
            field("KeyVer", 4008),
            field("KeyTime", times.clone()),
            field("KeyValueFloat", values),
            field("KeyAttrFlags", integers(&[LINEAR])),
            field("KeyAttrDataFloat", singles(&NO_TANGENTS)),
            field("KeyAttrRefCount", integers(&[i32::try_from(keys).unwrap_or(i32::MAX)])),
        ]));
        scene.drive(curve, holder, &axis);
    }
}

/// How many objects of each kind there are, kinds in the order of their first object.
pub(super) fn kinds(objects: &[Record]) -> Vec<(Cow<'static, str>, i32)> {
    let mut kinds: Vec<(Cow<'static, str>, i32)> = Vec::new();
    for object in objects {
        match kinds.iter_mut().find(|(kind, _)| *kind == object.name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((object.name.clone(), 1)),
        }
    }
    kinds
}

/// The list of animations, the first of which is shown.
pub(super) fn takes_of(takes: &[Take]) -> Record {
    let current = takes.first().map_or("", |take| &take.name);
    let span = |name, stop: i64| Record::new(name, vec![0i64.into(), stop.into()]);
    let takes = takes.iter().map(|Take { name, stop }| {
        let file = format!("{name}.tak");
        field("Take", name.as_str()).with([
            field("FileName", file.as_str()),
            span("LocalTime", *stop),
            span("ReferenceTime", *stop),
        ])
    });
    Record::new("Takes", Vec::new()).with([field("Current", current)]).with(takes)
}
