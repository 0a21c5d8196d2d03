//! Reads AMC text.
//!
//! Most files repeat the bones of the first frame in every frame. The fast path compares each line with the expected
//! bone byte by byte and reads its numbers in place; any other line goes through the general parser.

use super::document::{FirstNotFinite, NotFinite};
use super::{Bone, Document, Irregular, Problem};
use crate::asf::{self, Report};
use crate::place::locate;
use crate::read_error::Errors;
use crate::{Finding, LimitExceeded, Limits, Parsed, Place, ReadError, number, text};
use std::collections::HashMap;
use std::ops::Range;

const KEYWORDS: [&str; 9] = [
    "FULLY-SPECIFIED",
    "DEGREES",
    "RADIANS",
    "SAMPLES-PER-SECOND",
    "FRAME-RANGE",
    "ASF-FILE",
    "ASF-PATH",
    "NAME",
    "VERSION",
];

/// Reads an AMC file held in memory.
///
/// ```
/// # let amc = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin_walk.amc"));
/// let document = mocap_formats::amc::parse(amc, &Default::default())?.value;
/// assert!(document.frame_numbers.len() > 10);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// Findings that name the place, and the frame and the bone where there are any.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed<Document>, ReadError> {
    let text = text::open(bytes, limits)?;
    let mut reader = Reader::new(&text, limits);
    let stopped = reader.read().err();
    reader.finish(stopped)
}

fn exceeded(what: &'static str, found: usize, limit: usize) -> Finding {
    Finding::new(LimitExceeded { what, found, limit })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    limits: &'t Limits,
    report: Report<'t>,
    document: Document,
    /// The name of each bone as bytes of the text.
    names: Vec<&'t [u8]>,
    /// Where the values of each bone start in a row.
    columns: Vec<usize>,
    exact: HashMap<&'t [u8], usize>,
    /// Names in lower case, known from the second frame on.
    lower: HashMap<Vec<u8>, usize>,
    /// Bones and values of the first frame, known from the second frame on.
    layout: Option<(usize, usize)>,
    frame: FrameState,
    /// A line that may continue in the next one.
    open: Option<OpenLine>,
    /// The values of the open line.
    values: Vec<f64>,
    /// Lines of bones read so far, and the number there would be if every frame had a line of every bone.
    lines: usize,
    full: usize,
    /// Values in the file that have a place in a row.
    filled: usize,
    /// Where the number of the first frame stands.
    first_frame: Range<usize>,
    /// Errors of values and lines that cannot be read.
    errors: Errors,
}

/// The frame that is being read.
#[derive(Default)]
struct FrameState {
    /// Where its number stands.
    at: Range<usize>,
    /// The bone whose line is expected next.
    next: usize,
    /// By bone: one more than the frame in which it was seen last; only the general parser ([`Reader::line`]) keeps it.
    seen: Vec<usize>,
    /// Number of bones at the start of the frame that the fast path read.
    expected: usize,
    /// The text ends within a line of it.
    cut: bool,
    has_not_finite: bool,
    irregular_before: usize,
    bones_before: usize,
    /// State of [`NotFinite`] before this frame: listed frames, frames, values.
    not_finite_before: [usize; 3],
}

struct OpenLine {
    bone: usize,
    span: Range<usize>,
    /// The frame already has a line of this bone.
    repeated: bool,
}

/// Reads the line of `name` with one value for each place of `row`; `None` where it is any other line.
#[inline]
fn expected_line(text: &[u8], at: usize, name: &[u8], row: &mut [f64]) -> Option<usize> {
    let start = at;
    let mut at = start + name.len();
    if text.get(start..at)? != name {
        return None;
    }
    for slot in row {
        if !is_blank(*text.get(at)?) {
            return None;
        }
        at += 1;
        while is_blank(*text.get(at)?) {
            at += 1;
        }
        let (value, end) = number::scan(text, at)?;
        if !value.is_finite() {
            return None;
        }
        *slot = value;
        at = end;
    }
    while is_blank(*text.get(at)?) {
        at += 1;
    }
    match text[at] {
        b'\n' => Some(at + 1),
        b'\r' if text.get(at + 1) == Some(&b'\n') => Some(at + 2),
        b'\r' => Some(at + 1),
        _ => None,
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn separates(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | 0x0B | 0x0C | 0)
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8], limits: &'t Limits) -> Reader<'t> {
        Reader {
            text,
            at: 0,
            limits,
            report: Report::new(text),
            document: Document::default(),
            names: Vec::new(),
            columns: Vec::new(),
            exact: HashMap::new(),
            lower: HashMap::new(),
            layout: None,
            frame: FrameState::default(),
            open: None,
            values: Vec::new(),
            lines: 0,
            full: 0,
            filled: 0,
            first_frame: 0..0,
            errors: Errors::default(),
        }
    }

    fn read(&mut self) -> Result<(), Finding> {
        while self.at < self.text.len() {
            if self.layout.is_some() && self.open.is_none() {
                self.expected_lines();
            }
            self.line()?;
        }
        self.close_line();
        self.end_frame(true)?;
        let Document { header, frame_numbers, .. } = &self.document;
        if frame_numbers.is_empty() && !header.iter().any(|line| line.starts_with(':')) {
            return Err(Finding::new(text::Problem::Empty));
        }
        Ok(())
    }

    /// The document, or everything that is wrong with it; `stopped` is what ended the reading.
    fn finish(mut self, stopped: Option<Finding>) -> Result<Parsed<Document>, ReadError> {
        if !self.errors.is_empty() || stopped.is_some() {
            for first in &self.document.not_finite.first {
                let finding = || {
                    let problem = Problem::NotFinite { found: first.found.clone() };
                    let name = self.document.bones[first.bone].name.clone();
                    let finding = Finding::new(problem).in_joint(name).in_frame(first.frame);
                    Finding { place: Some(first.place.clone()), count: first.count, ..finding }
                };
                self.errors.push("amc::not-finite", Some(first.frame), finding);
            }
        }
        let warnings = self.report.into_warnings();
        if let Some(failed) = self.errors.into_read_error(self.text, stopped, &warnings) {
            return Err(failed);
        }
        self.document.values.shrink_to_fit();
        let Document { bones, not_finite, .. } = &mut self.document;
        let names = bones.iter_mut().filter_map(|bone| bone.place.as_mut());
        locate(self.text, names.chain(not_finite.first.iter_mut().map(|first| &mut first.place)));
        Ok(Parsed { value: self.document, warnings })
    }

    /// The fast path: reads lines while they are the bones of the first frame in their order.
    fn expected_lines(&mut self) {
        let Some((bones, width)) = self.layout else { return };
        let start = self.document.values.len() - width;
        let row = &mut self.document.values[start..];
        let mut at = self.at;
        let mut next = self.frame.next;
        let mut read = 0;
        while next < bones {
            let column = self.columns[next];
            let slots = &mut row[column..column + self.document.bones[next].width];
            let Some(end) = expected_line(self.text, at, self.names[next], slots) else {
                slots.fill(0.0);
                break;
            };
            at = end;
            next += 1;
            read += slots.len();
        }
        self.lines += next - self.frame.next;
        self.filled += read;
        (self.at, self.frame.next, self.frame.expected) = (at, next, next);
    }

    /// The general parser: reads one line.
    fn line(&mut self) -> Result<(), Finding> {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r').unwrap_or(rest.len());
        let mut span = self.at..self.at + length;
        self.at = span.end + usize::from(length < rest.len());
        while span.start < span.end && separates(self.text[span.start]) {
            span.start += 1;
        }
        while span.start < span.end && separates(self.text[span.end - 1]) {
            span.end -= 1;
        }
        let line = &self.text[span.clone()];
        match line.first() {
            None => return Ok(()),
            Some(b'#') => {
                if self.document.frame_numbers.is_empty() {
                    self.document.header.push(text::decode_name(line).0.into_owned());
                }
                return Ok(());
            }
            Some(b':') => {
                self.keyword(span);
                return Ok(());
            }
            Some(_) => {}
        }
        let length = line.iter().position(|&byte| separates(byte)).unwrap_or(line.len());
        let word = span.start..span.start + length;
        let Some((value, end)) = number::scan(line, 0).filter(|&(_, end)| end == length) else {
            return self.bone_line(word, span);
        };
        let whole = value.fract() == 0.0 && value.abs() < 9e15 && line[..end].iter().all(|&b| b != b'.');
        if whole && length == line.len() {
            self.close_line();
            return self.start_frame(value as i64, span);
        }
        let Some(open) = &self.open else {
            let found = self.report.quote(span.clone());
            let at = span.clone();
            let finding = || Finding::new(Problem::FrameNumber { found }).spanning(at);
            self.errors.push("amc::frame-number", None, finding);
            // The lines below count as the next frame; otherwise its bones would be duplicates in the last one.
            let next = self.document.frame_numbers.last().map_or(1, |last| last.saturating_add(1));
            return self.start_frame(next, span);
        };
        let bone = open.bone;
        let name = self.document.bones[bone].name.clone();
        self.report.warn_in_frame(Problem::ContinuedLine, word, Some(&name), self.frame_index());
        let end = span.end;
        self.numbers(span, bone)?;
        if let Some(open) = &mut self.open {
            open.span.end = end;
        }
        Ok(())
    }

    fn frame_index(&self) -> Option<usize> {
        self.document.frame_numbers.len().checked_sub(1)
    }

    fn keyword(&mut self, span: Range<usize>) {
        let line = &self.text[span.clone()];
        let length = line.iter().position(|&byte| separates(byte)).unwrap_or(line.len());
        let (keyword, rest) = line.split_at(length);
        let at = span.start..span.start + length;
        if !KEYWORDS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(&keyword[1..])) {
            let keyword = self.report.quote(at.clone());
            self.report.warn(Problem::UnknownKeyword { keyword }, at, None);
        } else if keyword.eq_ignore_ascii_case(b":SAMPLES-PER-SECOND") {
            let rest = text::decode_name(rest.trim_ascii()).0.into_owned();
            if !rest.parse().is_ok_and(|rate: f64| rate.is_finite() && rate > 0.0) {
                self.report.warn(Problem::SampleRate { found: rest }, span.clone(), None);
            }
        }
        self.document.header.push(text::decode_name(line).0.into_owned());
    }

    fn start_frame(&mut self, number: i64, at: Range<usize>) -> Result<(), Finding> {
        self.end_frame(false)?;
        let frame = self.document.frame_numbers.len();
        if frame == self.limits.frames {
            return Err(exceeded("frames", frame + 1, self.limits.frames));
        }
        let expected = self.document.frame_numbers.last().map_or(1, |last| last.saturating_add(1));
        if number != expected {
            let problem = Problem::FrameOrder { found: number, expected };
            self.report.warn_in_frame(problem, at.clone(), None, Some(frame));
        }
        self.document.frame_numbers.push(number);
        if frame == 0 {
            self.first_frame = at.clone();
        }
        if let Some((_, width)) = self.layout {
            if frame == 1 {
                self.reserve(at.start, width);
            }
            // A value takes at least two bytes of text: more values than that were not read but filled in.
            let rows = (frame + 1).saturating_mul(width);
            if self.outgrows(rows) {
                let present = self.filled;
                let problem = Problem::MostlyMissing { what: "values", present, expected: rows };
                return Err(Finding::new(problem));
            }
            self.document.values.resize(self.document.values.len() + width, 0.0);
        }
        self.frame = FrameState {
            at,
            seen: std::mem::take(&mut self.frame.seen),
            irregular_before: self.document.irregular.len(),
            bones_before: self.names.len(),
            not_finite_before: {
                let NotFinite { first, frames, count } = &self.document.not_finite;
                [first.len(), *frames, *count]
            },
            ..FrameState::default()
        };
        Ok(())
    }

    /// Whether `expected` values need more bytes than the text has.
    fn outgrows(&self, expected: usize) -> bool {
        expected > self.text.len() + (1 << 20)
    }

    /// Reserves memory for the rows that the text can hold if all frames are as long as the first.
    fn reserve(&mut self, second_frame: usize, width: usize) {
        let first = second_frame - self.frame.at.start;
        let rows = (self.text.len() - second_frame) / first.max(2 * width).max(1) + 1;
        self.document.values.reserve(rows * width);
    }

    fn bone_line(&mut self, word: Range<usize>, span: Range<usize>) -> Result<(), Finding> {
        self.close_line();
        let name = &self.text[word.clone()];
        let Some(frame) = self.frame_index() else {
            let found = self.report.quote(word.clone());
            return Err(self.report.error(Problem::NotAmc { found }, word));
        };
        let known = self.exact.get(name).copied();
        let known = known.or_else(|| self.lower.get(&name.to_ascii_lowercase()).copied());
        let bone = match known {
            Some(bone) => bone,
            None => {
                let bone = self.names.len();
                if bone + 1 > self.limits.joints {
                    return Err(exceeded("joints", bone + 1, self.limits.joints));
                }
                self.names.push(name);
                self.exact.insert(name, bone);
                self.columns.push(if self.layout.is_none() { self.document.values.len() } else { 0 });
                let place = Some(Place { span: word.clone(), line: 0, column: 0 });
                let name = self.report.name(word.clone());
                let late = self.layout.is_some();
                if late {
                    // All frames so far lack it, and still get values for it: they count as if they had it.
                    self.full += frame;
                    let at = self.first_frame.clone();
                    self.report.warn_counted(Problem::MissingBone, at, Some(&name), Some(0), frame);
                    self.lower.entry(name.to_ascii_lowercase().into_bytes()).or_insert(bone);
                }
                self.document.bones.push(Bone { name, width: 0, late, place });
                bone
            }
        };
        self.frame.seen.resize(self.names.len(), 0);
        let repeated = self.frame.seen[bone] == frame + 1 || bone < self.frame.expected;
        if repeated {
            let name = self.document.bones[bone].name.clone();
            self.report.warn_in_frame(Problem::RepeatedBone, word.clone(), Some(&name), Some(frame));
        }
        self.frame.seen[bone] = frame + 1;
        self.lines += 1;
        self.open = Some(OpenLine { bone, span: span.clone(), repeated });
        self.values.clear();
        self.numbers(word.end..span.end, bone)
    }

    /// Adds the numbers of a span to the open line.
    fn numbers(&mut self, span: Range<usize>, bone: usize) -> Result<(), Finding> {
        let mut at = span.start;
        let mut commas = None;
        while at < span.end {
            if separates(self.text[at]) {
                commas = commas.or((self.text[at] == b',').then_some(at));
                at += 1;
                continue;
            }
            let rest = &self.text[at..span.end];
            let length = rest.iter().position(|&byte| separates(byte)).unwrap_or(rest.len());
            let word = at..at + length;
            match number::scan(&self.text[..word.end], at) {
                Some((value, end)) if end == word.end && value.is_finite() => self.values.push(value),
                Some((value, end)) if end == word.end => self.not_finite(word.clone(), bone, value),
                _ if number::scan_not_finite(&self.text[..word.end], at) == Some(word.end) => {
                    self.not_finite(word.clone(), bone, asf::not_finite(&self.text[word.clone()]));
                }
                _ if rest[0] == b'#' => break,
                _ => self.no_number(word.clone(), bone),
            }
            at = word.end;
        }
        if let Some(at) = commas {
            let name = self.document.bones[bone].name.clone();
            self.report.warn_in_frame(Problem::Commas, at..at + 1, Some(&name), self.frame_index());
        }
        Ok(())
    }

    /// An error, unless the text is cut off here. NaN takes its place, so later values of the line keep their columns.
    fn no_number(&mut self, word: Range<usize>, bone: usize) {
        if word.end == self.text.len() && self.layout.is_some() {
            self.frame.cut = true;
            return;
        }
        self.values.push(0.0);
        let frame = self.frame_index();
        let finding = || {
            let found = self.report.quote(word.clone());
            let name = self.document.bones[bone].name.clone();
            let mut finding = Finding::new(Problem::Number { found }).spanning(word).in_joint(name);
            finding.context.frame = frame;
            finding
        };
        self.errors.push("amc::number", frame, finding);
    }

    fn not_finite(&mut self, word: Range<usize>, bone: usize, value: f64) {
        let at = self.values.len();
        self.values.push(value);
        let frame = self.frame_index().unwrap_or(0);
        let NotFinite { first, frames, count } = &mut self.document.not_finite;
        *count += 1;
        if self.frame.has_not_finite {
            // Counted with its frame where the frame is listed.
            if let Some(first) = first.last_mut().filter(|first| first.frame == frame) {
                first.count += 1;
            }
            return;
        }
        self.frame.has_not_finite = true;
        *frames += 1;
        if first.len() < ReadError::MOST_LISTED {
            let found = self.report.quote(word.clone());
            let place = Place { span: word, line: 0, column: 0 };
            first.push(FirstNotFinite { frame, bone, value: at, found, place, count: 1 });
        }
    }

    /// Writes the values of the open line into the row of the frame.
    fn close_line(&mut self) {
        let Some(OpenLine { bone, span, repeated }) = self.open.take() else { return };
        let frame = self.frame_index().expect("a line stands in a frame");
        let document = &mut self.document;
        let Bone { width, late, .. } = document.bones[bone];
        if self.layout.is_none() && !repeated {
            document.bones[bone].width = self.values.len();
            document.values.extend_from_slice(&self.values);
            self.filled += self.values.len();
            return;
        }
        let row = self.layout.map_or(0, |(_, width)| document.values.len() - width);
        let slots = &mut document.values[row..][self.columns[bone]..][..width];
        let common = width.min(self.values.len());
        slots[..common].copy_from_slice(&self.values[..common]);
        slots[common..].fill(0.0);
        self.filled += common;
        let found = self.values.len();
        if late || repeated || found != width {
            document.irregular.push(Irregular { frame, bone, values: Some(self.values.clone()) });
        }
        if !late && found != width {
            self.frame.cut |= found < width && span.end == self.text.len();
            if !self.frame.cut {
                let name = document.bones[bone].name.clone();
                let problem = Problem::ValueCount { found, expected: width };
                self.report.warn_in_frame(problem, span, Some(&name), Some(frame));
            }
        }
    }

    /// Checks that the frame is complete; in the first one, takes its bones as those of every frame.
    fn end_frame(&mut self, last: bool) -> Result<(), Finding> {
        let Some(frame) = self.frame_index() else { return Ok(()) };
        if self.layout.is_none() {
            self.layout = Some((self.names.len(), self.document.values.len()));
            for (bone, name) in self.names.iter().enumerate() {
                self.lower.entry(name.to_ascii_lowercase()).or_insert(bone);
            }
            self.frame.expected = self.names.len();
        }
        let (bones, width) = self.layout.unwrap_or_default();
        let FrameState { expected, ref seen, .. } = self.frame;
        let is_there = |bone: usize| bone < expected || seen.get(bone) == Some(&(frame + 1));
        if last && frame > 0 && bones > 0 && (self.frame.cut || !is_there(bones - 1)) {
            self.drop_frame(frame, width);
            return Ok(());
        }
        let missing: Vec<usize> = (expected..self.names.len()).filter(|&bone| !is_there(bone)).collect();
        // A clip has every joint in every frame: a file of mostly missing lines would take far more memory than its
        // size.
        self.full += self.names.len();
        if self.outgrows(self.full) {
            let (present, expected) = (self.lines, self.full);
            return Err(Finding::new(Problem::MostlyMissing { what: "bones", present, expected }));
        }
        for bone in missing {
            let name = self.document.bones[bone].name.clone();
            let at = self.frame.at.clone();
            self.report.warn_in_frame(Problem::MissingBone, at, Some(&name), Some(frame));
            if !self.document.bones[bone].late {
                self.document.irregular.push(Irregular { frame, bone, values: None });
            }
        }
        let mut lines = self.document.irregular.split_off(self.frame.irregular_before);
        lines.sort_by_key(|line| line.bone);
        // Of the lines of one bone the last one counts.
        lines.reverse();
        lines.dedup_by_key(|line| line.bone);
        lines.reverse();
        self.document.irregular.append(&mut lines);
        Ok(())
    }

    fn drop_frame(&mut self, frame: usize, width: usize) {
        let at = self.frame.at.clone();
        self.report.warn_in_frame(Problem::Truncated, at, None, Some(frame));
        let document = &mut self.document;
        document.frame_numbers.pop();
        document.values.truncate(frame * width);
        document.irregular.truncate(self.frame.irregular_before);
        let dropped = document.bones.drain(self.frame.bones_before..).map(|bone| bone.name);
        self.report.forget(&dropped.collect());
        self.names.truncate(self.frame.bones_before);
        let [listed, frames, count] = self.frame.not_finite_before;
        document.not_finite.first.truncate(listed);
        (document.not_finite.frames, document.not_finite.count) = (frames, count);
    }
}
