//! Which nodes above the joints an animation truly moves: exporters write tracks for all, also where nothing changes.

use mocap_model::{Vector3, angle_between};

use super::curves::{Property, curves};
use super::document::Document;
use super::trs::{SAME_SCALE, Trs};
use crate::{Finding, Limits};

/// Translations that differ by less, relatively to the greatest, are the same.
const SAME_PLACE: f64 = 1e-6;
/// Rotations that differ by less are the same [rad].
const SAME_TURN: f64 = 1e-6;

/// By node: whether any animation changes the transform of a node of `asked`.
pub(super) fn moving(
    document: &Document,
    locals: &[Trs],
    asked: &[bool],
    limits: &Limits,
) -> Result<Vec<bool>, Finding> {
    let mut moving = vec![false; locals.len()];
    let is_asked = |node: usize| asked.get(node).copied().unwrap_or(false);
    let mut values = 0usize;
    for (a, animation) in document.root.animations.iter().enumerate() {
        if !animation.channels.iter().any(|channel| channel.target.node.is_some_and(is_asked)) {
            continue;
        }
        // Many animations may name the same bytes: what cannot be looked at moves.
        if values > limits.frames {
            let named = animation.channels.iter().filter_map(|channel| channel.target.node);
            named.filter(|node| is_asked(*node)).for_each(|node| moving[node] = true);
            continue;
        }
        for curve in curves(document, a, limits, is_asked)? {
            values += curve.values.len();
            let local = &locals[curve.node];
            let times = || curve.times.iter().copied();
            let vectors = || times().map(|time| Vector3::from_column_slice(&curve.sample(time)[..3]));
            moving[curve.node] |= match curve.property {
                Property::Translation => vectors().any(|place| {
                    let size = place.amax().max(local.translation.amax());
                    (place - local.translation).amax() > SAME_PLACE * size
                }),
                Property::Rotation => {
                    times().any(|time| angle_between(&curve.rotation(time), &local.rotation) > SAME_TURN)
                }
                Property::Scale => {
                    vectors().any(|scale| (scale - local.scale).amax() > SAME_SCALE * local.scale.amax())
                }
                Property::Weights => false,
            };
        }
    }
    Ok(moving)
}
