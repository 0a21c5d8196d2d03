//! Values that are not finite: an error with its place, or interpolated.

use super::Problem;
use super::document::{Channel, Document, Node};
use super::motion::{Motion, Rows};
use super::reading::PositionMode;
use crate::{Finding, ReadError, Warnings, gaps};
use std::borrow::Cow;

/// The motion with all values finite.
///
/// # Errors
/// Where one is not and `repair` is off: [`Problem::NotANumber`], one a frame.
pub(super) fn finite<'a>(
    document: &Document,
    motion: &'a Motion,
    mode: PositionMode,
    repair: bool,
    warnings: &mut Warnings,
) -> Result<Cow<'a, Motion>, ReadError> {
    // Rows that are kept as text have only finite numbers.
    let Rows::Numbers(values) = &motion.rows else { return Ok(Cow::Borrowed(motion)) };
    let Some(first) = values.iter().position(|value| !value.is_finite()) else {
        return Ok(Cow::Borrowed(motion));
    };
    let width = document.channels();
    if !repair {
        return Err(not_finite(document, values, width));
    }
    let mut finding = about(document, values, first, width, |_| Problem::Repaired);
    finding.count = values.iter().filter(|value| !value.is_finite()).count();
    warnings.push(finding);
    let mut motion = motion.clone();
    let values = motion.values_mut();
    let mut column = 0;
    for node in document.nodes() {
        for channel in &node.channels {
            let turn = matches!(channel, Channel::Rotation(_)).then_some(360.0);
            gaps::fill(&mut values[column..], width, turn, missing(node, *channel, mode));
            column += 1;
        }
    }
    Ok(Cow::Owned(motion))
}

/// The value of a channel that is never finite: the joint at rest.
fn missing(node: &Node, channel: Channel, mode: PositionMode) -> f64 {
    match channel {
        Channel::Position(axis) if mode == PositionMode::Replace => node.offset[axis.index()],
        Channel::Position(_) | Channel::Rotation(_) => 0.0,
        Channel::Scale(_) => 1.0,
    }
}

/// The errors about all values that are not finite, one a frame.
fn not_finite(document: &Document, values: &[f64], width: usize) -> ReadError {
    let mut errors = Vec::new();
    let mut frames = 0;
    for (frame, row) in values.chunks(width).enumerate() {
        let Some(column) = row.iter().position(|value| !value.is_finite()) else { continue };
        frames += 1;
        if frames <= ReadError::MOST_LISTED {
            let count = row.iter().filter(|value| !value.is_finite()).count();
            let finding =
                about(document, values, frame * width + column, width, |text| Problem::NotANumber { text });
            errors.push(Finding { count, ..finding });
        }
    }
    let unlisted = frames - errors.len();
    let mut errors = errors.into_iter();
    let error = errors.next().expect("there is one");
    ReadError { more: errors.collect(), unlisted, ..ReadError::from(error) }
}

/// A finding about one value of a motion; `problem` takes its text.
fn about(
    document: &Document,
    values: &[f64],
    index: usize,
    width: usize,
    problem: impl FnOnce(String) -> Problem,
) -> Finding {
    let origin = document.origin.not_finite.iter().find(|origin| origin.index == index);
    let text = origin.map_or_else(|| values[index].to_string(), |origin| origin.text.clone());
    let finding = Finding::new(problem(text)).in_frame(index / width);
    let finding = match document.column(index % width) {
        Some((node, channel)) => finding.in_joint(&node.name).in_channel(channel.name()),
        None => finding,
    };
    Finding { place: origin.map(|origin| origin.place.clone()), ..finding }
}
