//! Values that are not finite: an error with its place, or interpolated.

use super::Problem;
use super::document::{Channel, Document, Motion, Node};
use super::positions::PositionMode;
use crate::{Finding, Warnings};
use std::borrow::Cow;

/// The values of a motion, all finite.
///
/// # Errors
/// Where one is not and `repair` is off: [`Problem::NotANumber`] of the first.
pub(super) fn finite_values<'a>(
    document: &Document,
    motion: &'a Motion,
    mode: PositionMode,
    repair: bool,
    warnings: &mut Warnings,
) -> Result<Cow<'a, [f64]>, Finding> {
    let Some(first) = motion.values.iter().position(|value| !value.is_finite()) else {
        return Ok(Cow::Borrowed(&motion.values));
    };
    let width = document.channels();
    let count = motion.values.iter().filter(|value| !value.is_finite()).count();
    let origin = document.origin.not_finite.as_ref().filter(|origin| origin.index == first);
    let text = origin.map_or_else(|| motion.values[first].to_string(), |origin| origin.text.clone());
    let mut finding = Finding::new(if repair { Problem::Repaired } else { Problem::NotANumber { text } });
    finding.place = origin.map(|origin| origin.place.clone());
    finding.count = count;
    finding = finding.in_frame(first / width);
    if let Some((node, channel)) = document.column(first % width) {
        finding = finding.in_joint(&node.name).in_channel(channel.name());
    }
    if !repair {
        return Err(finding);
    }
    warnings.push(finding);
    let mut values = motion.values.clone();
    let mut column = 0;
    for node in document.nodes() {
        for channel in &node.channels {
            interpolate(&mut values[column..], width, *channel, missing(node, *channel, mode));
            column += 1;
        }
    }
    Ok(Cow::Owned(values))
}

/// The value of a channel that is never finite: the joint at rest.
fn missing(node: &Node, channel: Channel, mode: PositionMode) -> f64 {
    match channel {
        Channel::Position(axis) if mode == PositionMode::Replace => node.offset[axis.index()],
        Channel::Position(_) | Channel::Rotation(_) => 0.0,
        Channel::Scale(_) => 1.0,
    }
}

/// Replaces what is not finite in every `width`-th value: linearly between the values before and behind it,
/// angles along the shorter way, and at either end by the nearest value.
fn interpolate(values: &mut [f64], width: usize, channel: Channel, missing: f64) {
    let frames = values.len().div_ceil(width);
    let mut before: Option<usize> = None;
    let mut frame = 0;
    while frame < frames {
        if values[frame * width].is_finite() {
            before = Some(frame);
            frame += 1;
            continue;
        }
        let behind = (frame..frames).find(|&next| values[next * width].is_finite());
        let end = behind.unwrap_or(frames);
        let [from, to] = [before, behind].map(|at| at.map(|at| values[at * width]));
        for gap in frame..end {
            values[gap * width] = match (from, to, before) {
                (Some(from), Some(to), Some(before)) => {
                    let t = (gap - before) as f64 / (end - before) as f64;
                    from + way(from, to, channel) * t
                }
                (from, to, _) => from.or(to).unwrap_or(missing),
            };
        }
        frame = end;
    }
}

fn way(from: f64, to: f64, channel: Channel) -> f64 {
    let way = to - from;
    match channel {
        Channel::Rotation(_) => way - 360.0 * (way / 360.0).round(),
        Channel::Position(_) | Channel::Scale(_) => way,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Axis;

    #[test]
    fn gaps_are_bridged_and_ends_are_held() {
        let nan = f64::NAN;
        let mut values = [nan, 9.0, 1.0, 9.0, nan, 9.0, nan, 9.0, 4.0, 9.0, nan, 9.0];
        interpolate(&mut values, 2, Channel::Position(Axis::X), 7.0);
        assert_eq!(values, [1.0, 9.0, 1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0, 9.0, 4.0, 9.0]);
        let mut angles = [170.0, nan, -170.0];
        interpolate(&mut angles, 1, Channel::Rotation(Axis::X), 0.0);
        assert_eq!(angles, [170.0, 180.0, -170.0]);
        let mut nothing = [nan, f64::INFINITY];
        interpolate(&mut nothing, 1, Channel::Position(Axis::X), 7.0);
        assert_eq!(nothing, [7.0, 7.0]);
    }
}
