//! The numbers of MOTION.
//!
//! Line breaks are ignored if there are as many numbers as the header states: a frame may span several lines, and a
//! line may hold several frames. Only if the count differs, frames are taken by lines.

use super::Problem;
use super::document::{Node, NodeKind, NotFinite, column_of};
use super::grammar;
use super::motion::{RowText, Rows, word_span};
use super::reader::{ParseError, Reader, is_numeric_with_comma};
use super::row::{Numbers, SINGLE, is_space, next_number};
use crate::place::locate;
use crate::text::SharedText;
use crate::{Finding, LimitExceeded, Limits, Place, ReadError, number, text};
use mocap_model::Space;
use std::ops::Range;

/// The motion as it was read after the header.
pub(super) struct Found {
    pub(super) frames: usize,
    pub(super) rows: Rows,
    /// Where the first number stands.
    pub(super) first: Option<Range<usize>>,
    pub(super) not_finite: Vec<NotFinite>,
    /// As [`super::document::Origin::far`].
    pub(super) far: Vec<(usize, Place)>,
}

/// Reads the numbers behind the header. `declared` is the number of frames it says, `header` where. Rows of a shared
/// text are kept as text where their number is that of the header.
///
/// CHANNELS of end sites are dropped from `nodes` where the rows have no numbers for them.
pub(super) fn rows(
    reader: &mut Reader,
    shared: Option<SharedText>,
    (declared, header): (Option<u64>, Range<usize>),
    nodes: &mut [Node],
    limits: &Limits,
) -> Result<Found, ParseError> {
    reader.skip_space();
    let start = reader.at;
    if let Some(declared) = declared {
        let size = (reader.text.len() - start) as u64;
        check_size(reader, nodes, (declared, header.clone()), size, limits)?;
    }
    let mut channels = channels_of(nodes, |_| true);
    if let (Some(shared), Some(declared)) = (shared, declared)
        && declared <= limits.frames as u64
        && let Some(starts) = number::widest(
            #[inline(always)]
            || regular_starts(reader.text, start, declared as usize, channels),
        )
    {
        reader.at = reader.text.len();
        let first = Some(start..start + line_length(&reader.text[start..]));
        let rows = Rows::Text(RowText::new(shared, starts, channels));
        return Ok(Found { frames: declared as usize, rows, first, not_finite: Vec::new(), far: Vec::new() });
    }
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
        frames_by_lines(reader, &mut stream, start, channels, (declared, header))
    };
    // Without channels, no numbers bound the frames: the limit is on frames × joints.
    let limit = if channels == 0 { limits.frames / nodes.len().max(1) } else { limits.frames };
    if frames > limit as u64 {
        let found = usize::try_from(frames).unwrap_or(usize::MAX);
        return Err(reader.error(LimitExceeded { what: "frames", found, limit }, start..start));
    }
    let frames = frames as usize;
    let stream_words = stream.values.len();
    let mut values = stream.values;
    values.truncate(frames * channels);
    if values.capacity() > values.len() + values.len() / 8 {
        values.shrink_to_fit();
    }
    let not_finite = match stream.nonsense {
        true => {
            report(reader, &stream.odd, &values, nodes, channels);
            Vec::new()
        }
        false => listed(reader.text, &stream.odd, values.len(), channels),
    };
    let first = (!values.is_empty()).then(|| start..start + line_length(text));
    // Words and values correspond one to one unless columns were dropped.
    let far = if found == stream_words { far(reader.text, start, &values, channels) } else { Vec::new() };
    Ok(Found { frames, rows: Rows::Numbers(values), first, not_finite, far })
}

/// Checks the number of frames × joints that a header states against the limit, where rows of `size` bytes can hold the
/// frames. A header that states more than the file can hold is reported when the numbers are counted.
pub(super) fn check_size(
    reader: &Reader,
    nodes: &[Node],
    (frames, header): (u64, Range<usize>),
    size: u64,
    limits: &Limits,
) -> Result<(), ParseError> {
    let channels = channels_of(nodes, |node| node.kind != NodeKind::EndSite) as u64;
    // A number and its blank are at least two bytes.
    let fits = channels > 0 && frames.saturating_mul(2 * channels) <= size.saturating_add(1);
    let frames = usize::try_from(frames).unwrap_or(usize::MAX);
    match limits.check_samples(frames, nodes.len()) {
        Err(exceeded) if fits => Err(reader.error(exceeded, header)),
        _ => Ok(()),
    }
}

/// The number of frames where the count of numbers is not that of the header: the lines are counted.
fn frames_by_lines(
    reader: &mut Reader,
    stream: &mut Stream,
    start: usize,
    channels: usize,
    (declared, header): (Option<u64>, Range<usize>),
) -> u64 {
    let text = &reader.text[start..reader.at];
    let found = stream.values.len();
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
                keep_columns(stream, same, channels);
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
    // A last frame that is cut off already has its own warning.
    let cut = !found.is_multiple_of(channels) && by_line.is_none() && there as u64 + 1 == declared;
    if declared < there as u64 {
        reader.warn(Problem::MoreFrames { declared, found: there }, header);
    } else if declared > there as u64 && !cut {
        reader.warn(Problem::FewerFrames { declared, found: there }, header);
    }
    declared.min(there as u64)
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
    /// Words that are not finite numbers, in order; their values are NaN.
    odd: Vec<UnusualWord>,
    /// Whether one of them is not a number at all.
    nonsense: bool,
}

/// A word that is not a finite number.
struct UnusualWord {
    /// Among the values.
    index: usize,
    span: Range<usize>,
    /// Whether it is not a number at all.
    nonsense: bool,
    /// Whether it stands behind the channels of its line.
    surplus: bool,
}

/// The most unusual words that are kept for messages; values of the others are NaN as well.
const MOST_UNUSUAL: usize = 1 << 16;

impl Stream {
    fn push_odd(&mut self, span: Range<usize>, nonsense: bool) {
        self.nonsense |= nonsense;
        if self.odd.len() < MOST_UNUSUAL {
            self.odd.push(UnusualWord { index: self.values.len(), span, nonsense, surplus: false });
        }
        self.values.push(f64::NAN);
    }
}

/// Reports words that are not numbers, and values that are not finite.
fn report(reader: &mut Reader, odd: &[UnusualWord], values: &[f64], nodes: &[Node], channels: usize) {
    for UnusualWord { index, span, nonsense, surplus } in odd {
        let frame = index / channels;
        let text = reader.text;
        let finding = || {
            let text = text::quote(&text[span.clone()]);
            let problem = if *nonsense { Problem::Value { text } } else { Problem::NotANumber { text } };
            let finding = Finding::new(problem).spanning(span.clone()).in_frame(frame);
            match column_of(nodes, index % channels).filter(|_| !surplus) {
                Some((node, channel)) => finding.in_joint(&node.name).in_channel(channel.name()),
                None => finding,
            }
        };
        reader.errors.push(if *nonsense { "bvh::value" } else { "bvh::not-a-number" }, Some(frame), finding);
    }
    if odd.len() == MOST_UNUSUAL {
        let bad = values.chunks(channels).filter(|row| row.iter().any(|value| value.is_nan())).count();
        reader.errors.count(bad.saturating_sub(reader.errors.len()));
    }
}

/// The first value of each frame that is not finite, up to the number of errors that are listed.
fn listed(text: &[u8], odd: &[UnusualWord], values: usize, channels: usize) -> Vec<NotFinite> {
    let mut listed: Vec<NotFinite> = Vec::new();
    for UnusualWord { index, span, .. } in odd.iter().filter(|odd| odd.index < values) {
        if listed.len() == ReadError::MOST_LISTED {
            break;
        }
        if listed.last().is_none_or(|last| last.index / channels != index / channels) {
            let place = Place { span: span.clone(), line: 0, column: 0 };
            listed.push(NotFinite { index: *index, text: text::quote(&text[span.clone()]), place });
        }
    }
    locate(text, listed.iter_mut().map(|one| &mut one.place));
    listed
}

/// Values that are larger than any coordinate, where they stand: the first of each frame, up to the number of errors that
/// are listed.
fn far(text: &[u8], start: usize, values: &[f64], channels: usize) -> Vec<(usize, Place)> {
    let is_far = |value: &f64| value.abs() > Space::FARTHEST;
    // Without a branch for each value: nearly always there is none.
    if !values.iter().fold(false, |any, value| any | is_far(value)) {
        return Vec::new();
    }
    let mut listed: Vec<(usize, Place)> = Vec::new();
    // Each word is passed once.
    let (mut at, mut word) = (start, 0);
    for (index, value) in values.iter().enumerate().filter(|(_, value)| is_far(value)) {
        if listed.len() == ReadError::MOST_LISTED {
            break;
        }
        if listed.last().is_some_and(|(last, _)| last / channels == index / channels) {
            continue;
        }
        let Some(span) = word_span(text, at, index - word) else { break };
        (at, word) = (span.start, index);
        // Comments between rows are words without a value.
        if number::scan(text, span.start).is_some_and(|(found, _)| found == *value) {
            listed.push((index, Place { span, line: 0, column: 0 }));
        }
    }
    locate(text, listed.iter_mut().map(|(_, place)| place));
    listed
}

/// Reads numbers up to the end of the text, or to other text once there are as many as expected.
fn stream(reader: &mut Reader, expected: Option<u64>, nodes: &[Node]) -> Result<Stream, ParseError> {
    let text = reader.text;
    let mut at = reader.at;
    // A number and its blank are at least two bytes: the reserve is bounded by the size of the text.
    let most = (text.len() - at) / 2 + 1;
    let expected = expected.unwrap_or(u64::MAX);
    let reserved = if expected <= most as u64 { expected as usize } else { 0 };
    // Numbers are read two by two.
    let mut stream = Stream { values: Vec::with_capacity(reserved + 1), odd: Vec::new(), nonsense: false };
    let mut single = at;
    loop {
        if at >= single {
            at = number::read_words(text, at, usize::MAX, &mut stream.values);
            single = at + SINGLE;
        }
        // Near an unusual word, words are parsed one by one.
        if let Some((value, end, stop)) = number::scan_word(text, at)
            && is_space(stop)
        {
            stream.values.push(value);
            at = end + 1;
            continue;
        }
        if let Some((value, end)) = next_number(text, at) {
            stream.values.push(value);
            at = end;
            continue;
        }
        at += space(&text[at..]);
        if at == text.len() {
            break;
        }
        reader.at = at;
        if !unusual_word(reader, &mut stream, expected, nodes)? {
            return Ok(stream);
        }
        at = reader.at;
    }
    reader.at = at;
    Ok(stream)
}

fn space(text: &[u8]) -> usize {
    text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len())
}

/// The start of each frame, if the rest of the text is exactly as many plain numbers as the header states.
#[inline(always)]
fn regular_starts(text: &[u8], at: usize, frames: usize, channels: usize) -> Option<Vec<usize>> {
    // A number and its blank are at least two bytes: the memory is bounded by the size of the text.
    let most = (text.len() - at) / 2 + 1;
    let mut left = frames.checked_mul(channels).filter(|&numbers| (1..=most).contains(&numbers))?;
    let mut starts = Vec::with_capacity(frames);
    let mut numbers = Numbers::new(text, at);
    // Numbers before the next frame.
    let mut before = 0;
    while left > 0 {
        let words = numbers.next()?;
        let count = words.count();
        left = left.checked_sub(count)?;
        while before < count {
            starts.push(words.place(before));
            before += channels;
        }
        before -= count;
    }
    (numbers.at + space(&text[numbers.at..]) == text.len()).then_some(starts)
}

/// Reads a word that is not a plain number; `false` where the rows end before it.
#[cold]
fn unusual_word(
    reader: &mut Reader,
    stream: &mut Stream,
    expected: u64,
    nodes: &[Node],
) -> Result<bool, ParseError> {
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
        stream.push_odd(start..reader.at, false);
        return Ok(true);
    }
    let word = grammar::word(reader.rest()).map_or(&reader.rest()[..1], |(_, word)| word);
    if is_numeric_with_comma(word) {
        return Err(ParseError::Comma);
    }
    let span = start..start + word.len();
    if stream.values.len() as u64 >= expected {
        reader.warn(Problem::TrailingText, span);
        return Ok(false);
    }
    if channels_of(nodes, |_| true) == 0 {
        return Err(reader.error(Problem::Value { text: text::quote(word) }, span));
    }
    if span.end == reader.text.len() && begins_number(word) {
        // The file ends within this number: its frame is cut like one that ends between numbers.
        reader.at = span.end;
        return Ok(false);
    }
    // NaN takes its place, so later values keep their columns.
    reader.at = span.end;
    stream.push_odd(span, true);
    Ok(true)
}

/// Whether a digit makes a word a number, as in `-`, `1e` and `1e-`.
fn begins_number(word: &[u8]) -> bool {
    let whole = [word, b"0"].concat();
    number::scan(&whole, 0).is_some_and(|(_, end)| end == whole.len())
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

/// The number of words of a line before a comment. The `#` in `1.#IND` does not start one.
fn words(line: &[u8]) -> usize {
    let words = line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty());
    words.take_while(|word| !word.starts_with(b"#")).count()
}

/// Warns of the numbers left over after whole frames.
fn left_over(reader: &mut Reader, start: usize, lines: &Lines, channels: usize, left: usize) {
    let in_text = |span: &Range<usize>| start + span.start..start + span.end;
    // Where most lines hold one frame, the first line that does not is the error.
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
    stream.odd.retain_mut(|odd| {
        let (line, column) = (odd.index / columns, odd.index % columns);
        odd.surplus = column >= channels;
        odd.index = line * channels + column.min(channels - 1);
        odd.nonsense || !odd.surplus
    });
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::Rows;
    use crate::Limits;

    #[test]
    fn counts_that_lie_reserve_nothing() {
        let text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 999999999999\nFrame \
                    Time: 0.1\n1\n2\n";
        let document = parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let Rows::Numbers(values) = &document.motion().unwrap().rows else {
            panic!("the bytes are not shared")
        };
        assert!(values.len() == 2 && values.capacity() < 100);
    }
}
