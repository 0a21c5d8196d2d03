//! The numbers of MOTION.
//!
//! Lines mean nothing as long as there are as many numbers as the header promises: a frame may be wrapped
//! over lines, and a line may hold many frames. Only where the count is off do the lines tell what is there.

use super::Problem;
use super::document::{Node, NodeKind, NotFinite, column_of};
use super::grammar::{self, is_space};
use super::read::{Halt, Reader};
use crate::{LimitExceeded, Limits, Place, number};
use std::ops::Range;

/// What the rows hold.
pub(super) struct Rows {
    pub(super) frames: usize,
    pub(super) values: Vec<f64>,
    /// Where the first number stands.
    pub(super) first: Option<Range<usize>>,
    pub(super) not_finite: Option<NotFinite>,
}

/// Reads the numbers behind the header. `declared` is the number of frames it says, `header` where.
///
/// CHANNELS of end sites are dropped from `nodes` where the rows have no numbers for them.
pub(super) fn rows(
    reader: &mut Reader,
    declared: Option<u64>,
    header: Range<usize>,
    nodes: &mut [Node],
    limits: &Limits,
) -> Result<Rows, Halt> {
    reader.skip_space();
    let start = reader.at;
    let mut channels = channels_of(nodes, |_| true);
    let expected = |channels: usize| declared.map(|frames| frames.saturating_mul(channels as u64));
    let mut stream = stream(reader, expected(channels), nodes)?;
    let text = &reader.text[start..reader.at];
    let found = stream.values.len();

    if expected(channels) != Some(found as u64) {
        let of_joints = channels_of(nodes, |node| node.kind != NodeKind::EndSite);
        if of_joints < channels && expected(of_joints) == Some(found as u64) {
            drop_end_site_channels(nodes);
            channels = of_joints;
        }
    }
    let frames = if channels == 0 {
        if found > 0 {
            reader.warn(Problem::SurplusColumns { found, expected: 0 }, start..start);
        }
        declared.unwrap_or(0)
    } else if expected(channels) == Some(found as u64) {
        (found / channels) as u64
    } else {
        let lines = Lines::of(text, channels);
        // One line may also hold all frames.
        let by_line = lines.same.filter(|&same| {
            let one_line = lines.count == 1 && same % channels == 0;
            same >= channels && !one_line && same.checked_mul(lines.count) == Some(found)
        });
        let there = match by_line {
            Some(same) => {
                if same > channels {
                    let problem = Problem::SurplusColumns { found: same, expected: channels };
                    reader.warn(problem, start..start + line_length(text));
                    keep_columns(&mut stream, same, channels);
                }
                lines.count
            }
            None => {
                let left = found % channels;
                if left > 0 {
                    left_over(reader, start, &lines, channels, left);
                }
                found / channels
            }
        };
        let declared = declared.unwrap_or(there as u64);
        // A last frame that is cut off is already said.
        let cut = found % channels > 0 && by_line.is_none() && there as u64 + 1 == declared;
        if declared < there as u64 {
            reader.warn(Problem::MoreFrames { declared, found: there }, header);
        } else if declared > there as u64 && !cut {
            reader.warn(Problem::FewerFrames { declared, found: there }, header);
        }
        declared.min(there as u64)
    };
    // Where no numbers bound the frames, those of all joints together count.
    let limit = if channels == 0 { limits.frames / nodes.len().max(1) } else { limits.frames };
    if frames > limit as u64 {
        let found = usize::try_from(frames).unwrap_or(usize::MAX);
        return Err(reader.error(LimitExceeded { what: "frames", found, limit }, start..start));
    }
    let frames = frames as usize;
    let mut values = stream.values;
    values.truncate(frames * channels);
    if values.capacity() > values.len() + values.len() / 8 {
        values.shrink_to_fit();
    }
    let not_finite =
        stream.not_finite.filter(|(index, _)| *index < values.len()).map(|(index, span)| NotFinite {
            index,
            text: reader.quote(&reader.text[span.clone()]),
            place: Place::of(reader.text, span),
        });
    let first = (!values.is_empty()).then(|| start..start + line_length(text));
    Ok(Rows { frames, values, first, not_finite })
}

fn channels_of(nodes: &[Node], which: impl Fn(&Node) -> bool) -> usize {
    nodes.iter().filter(|node| which(node)).map(|node| node.channels.len()).sum()
}

fn drop_end_site_channels(nodes: &mut [Node]) {
    for node in nodes.iter_mut().filter(|node| node.kind == NodeKind::EndSite) {
        node.channels.clear();
    }
}

fn line_length(text: &[u8]) -> usize {
    text.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(text.len())
}

struct Stream {
    values: Vec<f64>,
    /// The first value that is not finite.
    not_finite: Option<(usize, Range<usize>)>,
}

/// Reads numbers up to the end of the text, or to other text once there are as many as expected.
fn stream(reader: &mut Reader, expected: Option<u64>, nodes: &[Node]) -> Result<Stream, Halt> {
    let text = reader.text;
    let mut at = reader.at;
    // A number and its blank are two bytes at least: what is reserved is bounded by what is there.
    let most = (text.len() - at) / 2 + 1;
    let expected = expected.unwrap_or(u64::MAX);
    let reserved = if expected <= most as u64 { expected as usize } else { 0 };
    let mut stream = Stream { values: Vec::with_capacity(reserved), not_finite: None };
    loop {
        if let Some((value, end, stop)) = number::scan_short(text, at)
            && is_space(stop)
        {
            stream.values.push(value);
            at = end + 1;
            continue;
        }
        let Some(&byte) = text.get(at) else { break };
        if is_space(byte) {
            at += 1;
            continue;
        }
        if let Some((value, end)) = number::scan(text, at)
            && text.get(end).is_none_or(|&byte| is_space(byte))
            && value.is_finite()
        {
            stream.values.push(value);
            at = end;
            continue;
        }
        reader.at = at;
        if !odd_word(reader, &mut stream, expected, nodes)? {
            return Ok(stream);
        }
        at = reader.at;
    }
    reader.at = at;
    Ok(stream)
}

/// Reads what is no plain number between blanks; `false` where the rows end before it.
#[cold]
fn odd_word(reader: &mut Reader, stream: &mut Stream, expected: u64, nodes: &[Node]) -> Result<bool, Halt> {
    let start = reader.at;
    if reader.sees(grammar::comment) {
        reader.skip_space();
        return Ok(true);
    }
    if let Some(value) = reader.take(grammar::real) {
        stream.values.push(value);
        return Ok(true);
    }
    if reader.take(grammar::not_finite).is_some() {
        stream.not_finite.get_or_insert((stream.values.len(), start..reader.at));
        stream.values.push(f64::NAN);
        return Ok(true);
    }
    let word = grammar::word(reader.rest()).map_or(&reader.rest()[..1], |(_, word)| word);
    let comma = matches!(reader.unexpected("a number"), Halt::Comma);
    if comma {
        return Err(Halt::Comma);
    }
    let index = stream.values.len();
    if index as u64 >= expected {
        reader.warn(Problem::TrailingText, start..start + word.len());
        return Ok(false);
    }
    let halt = reader.error(Problem::Value { text: reader.quote(word) }, start..start + word.len());
    let channels = channels_of(nodes, |_| true);
    if channels == 0 {
        return Err(halt);
    }
    Err(match column_of(nodes, index % channels) {
        Some((node, channel)) => {
            halt.in_joint(&node.name).in_channel(channel.name()).in_frame(index / channels)
        }
        None => halt,
    })
}

/// How many numbers the lines have.
struct Lines {
    /// Lines with numbers.
    count: usize,
    /// The number of numbers where it is the same in all lines.
    same: Option<usize>,
    /// Lines that hold one frame.
    whole: usize,
    /// The first line that does not hold one frame, and how many numbers it has.
    odd: Option<(Range<usize>, usize)>,
    /// The last line.
    last: Range<usize>,
}

impl Lines {
    fn of(text: &[u8], channels: usize) -> Lines {
        let mut lines = Lines { count: 0, same: None, whole: 0, odd: None, last: 0..0 };
        let mut at = 0;
        for line in text.split(|&byte| byte == b'\n' || byte == b'\r') {
            let span = at..at + line.len();
            at += line.len() + 1;
            let words = words(line);
            if words == 0 {
                continue;
            }
            lines.same =
                if lines.count == 0 { Some(words) } else { lines.same.filter(|&same| same == words) };
            lines.count += 1;
            if words == channels {
                lines.whole += 1;
            } else if lines.odd.is_none() {
                lines.odd = Some((span.clone(), words));
            }
            lines.last = span;
        }
        lines
    }
}

/// Words of a line before a comment. The mark in `1.#IND` begins none.
fn words(line: &[u8]) -> usize {
    let words = line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty());
    words.take_while(|word| !word.starts_with(b"#")).count()
}

/// Says what the numbers left over after whole frames are.
fn left_over(reader: &mut Reader, start: usize, lines: &Lines, channels: usize, left: usize) {
    let in_text = |span: &Range<usize>| start + span.start..start + span.end;
    // Where most lines are frames, another line between them is what is wrong.
    if let Some((span, found)) = &lines.odd
        && lines.whole >= lines.count.div_ceil(2)
        && *span != lines.last
    {
        reader.warn(Problem::RowLength { found: *found, expected: channels }, in_text(span));
    }
    reader.warn(Problem::TruncatedFrame { found: left, expected: channels }, in_text(&lines.last));
}

/// Keeps the first `channels` of every `columns` values.
fn keep_columns(stream: &mut Stream, columns: usize, channels: usize) {
    let lines = stream.values.len() / columns;
    for line in 0..lines {
        stream.values.copy_within(line * columns..line * columns + channels, line * channels);
    }
    stream.values.truncate(lines * channels);
    stream.not_finite = stream.not_finite.take().and_then(|(index, span)| {
        let (line, column) = (index / columns, index % columns);
        (column < channels).then_some((line * channels + column, span))
    });
}
