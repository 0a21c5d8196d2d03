//! The numbers of MOTION: in memory, or as their text. A text is parsed again whenever its frames are needed: this
//! saves memory, and unchanged rows can be copied as text.

use super::row::{SINGLE, end_line, fetch, is_space, next_number, write_row};
use crate::text::SharedText;
use crate::{Place, number};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Frames that are processed together, joint by joint: they fit in the processor's caches.
pub(super) const BLOCK: usize = 128;

/// Texts of up to this many numbers keep them after the first parse: a short clip is read several times, and its
/// numbers fit in the processor's caches.
const HELD: usize = 1 << 15;

/// A frame time as written, and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTime {
    /// As in the file.
    pub text: String,
    /// The same in seconds; not checked, so it may be zero, negative or not finite.
    pub seconds: f64,
}

/// The MOTION section.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The number of frames that are there.
    pub frames: usize,
    /// `None` where the file has none.
    pub frame_time: Option<FrameTime>,
    pub(super) rows: Rows,
}

/// `frames × channels` numbers.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    Numbers(Vec<f64>),
    Text(RowText),
}

/// Rows of a text in which every word is a finite number, and every frame has all of its numbers.
#[derive(Clone, Debug)]
pub(super) struct RowText {
    pub(super) text: SharedText,
    /// Where each frame starts.
    pub(super) starts: Vec<usize>,
    /// Numbers a frame.
    pub(super) width: usize,
    /// All numbers of a short text, once they were read.
    held: OnceLock<Vec<f64>>,
}

impl Motion {
    /// `frames × channels`, frame by frame, in the order of the hierarchy; degrees and units of the file.
    pub fn values(&self) -> Cow<'_, [f64]> {
        match &self.rows {
            Rows::Numbers(values) => Cow::Borrowed(values),
            Rows::Text(text) => Cow::Owned(text.values()),
        }
    }

    /// The same of some frames, of `width` channels each; `buffer` is for what has to be read.
    pub(super) fn values_of<'a>(
        &'a self,
        frames: Range<usize>,
        width: usize,
        buffer: &'a mut Vec<f64>,
    ) -> &'a [f64] {
        match &self.rows {
            Rows::Numbers(values) => &values[frames.start * width..frames.end * width],
            Rows::Text(text) => match text.held() {
                Some(values) => &values[frames.start * width..frames.end * width],
                None => {
                    buffer.clear();
                    text.read(frames.start, frames.len() * width, buffer);
                    buffer
                }
            },
        }
    }

    /// The values of all frames, to be changed.
    pub(super) fn values_mut(&mut self) -> &mut Vec<f64> {
        if let Rows::Text(text) = &self.rows {
            self.rows = Rows::Numbers(text.values());
        }
        let Rows::Numbers(values) = &mut self.rows else { unreachable!("rows were made numbers") };
        values
    }

    /// The motion of only these frames.
    pub(super) fn cut(&self, frames: Range<usize>, width: usize) -> Motion {
        let rows = match &self.rows {
            Rows::Numbers(values) => Rows::Numbers(values[frames.start * width..frames.end * width].to_vec()),
            Rows::Text(RowText { text, starts, width, .. }) => {
                Rows::Text(RowText::new(text.clone(), starts[frames.clone()].to_vec(), *width))
            }
        };
        Motion { frames: frames.len(), frame_time: self.frame_time.clone(), rows }
    }

    /// The values of some columns, in ascending order, over time.
    pub(super) fn columns(&self, columns: &[usize], width: usize) -> Vec<Vec<f64>> {
        let mut found = vec![Vec::with_capacity(self.frames); columns.len()];
        let Some(last) = columns.last() else { return found };
        let held = match &self.rows {
            Rows::Numbers(values) => Some(values),
            Rows::Text(text) => text.held(),
        };
        let mut row = Vec::with_capacity(width);
        for frame in 0..self.frames {
            let row = match (held, &self.rows) {
                (Some(values), _) | (None, Rows::Numbers(values)) => {
                    &values[frame * width..(frame + 1) * width]
                }
                (None, Rows::Text(text)) => {
                    row.clear();
                    text.read(frame, last + 1, &mut row);
                    &row[..]
                }
            };
            for (found, column) in found.iter_mut().zip(columns) {
                found.push(row[*column]);
            }
        }
        found
    }

    /// Whether its rows are text with more values than [`HELD`].
    pub(super) fn is_long_text(&self) -> bool {
        matches!(&self.rows, Rows::Text(text) if text.starts.len().saturating_mul(text.width) > HELD)
    }

    /// Frees the text of the frames from `end` on, if nothing else shares it; the first frame stays.
    pub(super) fn free_text(&mut self, end: usize) {
        if let Rows::Text(text) = &mut self.rows
            && let Some(start) = text.starts.get(end.max(1))
        {
            text.text.shorten(*start);
        }
    }

    /// Whether the values of a frame were not freed.
    pub(super) fn has(&self, frame: usize) -> bool {
        match &self.rows {
            Rows::Numbers(_) => true,
            Rows::Text(text) => match text.starts.get(frame + 1) {
                Some(next) => *next <= text.text.len(),
                None => !text.is_shortened(),
            },
        }
    }

    /// The bytes of the file, without those that were freed.
    pub(super) fn text(&self) -> Option<&[u8]> {
        match &self.rows {
            Rows::Numbers(_) => None,
            Rows::Text(text) => Some(text.text.bytes()),
        }
    }

    /// Where a number stands in the text, where rows are kept as text.
    pub(super) fn place(&self, frame: usize, column: usize) -> Option<Place> {
        match &self.rows {
            Rows::Numbers(_) => None,
            Rows::Text(text) => Some(Place::of(&text.text, text.span(frame, column)?)),
        }
    }

    /// Appends a frame as a line of a file.
    pub(super) fn write_row(&self, frame: usize, width: usize, out: &mut Vec<u8>) {
        match &self.rows {
            Rows::Numbers(values) => write_row(&values[frame * width..(frame + 1) * width], out),
            Rows::Text(text) => number::widest(
                #[inline(always)]
                || text.rewrite(frame, out),
            ),
        }
    }
}

/// Motions are equal where their numbers are.
impl PartialEq for Motion {
    fn eq(&self, other: &Motion) -> bool {
        self.frames == other.frames && self.frame_time == other.frame_time && self.values() == other.values()
    }
}

/// The span of the word with a number, of those behind a place.
pub(super) fn word_span(text: &[u8], mut at: usize, number: usize) -> Option<Range<usize>> {
    let skip = |at: usize, blank: bool| {
        let rest = text.get(at..)?;
        Some(at + rest.iter().position(|byte| is_space(*byte) != blank).unwrap_or(rest.len()))
    };
    for _ in 0..number {
        at = skip(skip(at, true)?, false)?;
    }
    let start = skip(at, true)?;
    let end = skip(start, false)?;
    (end > start).then_some(start..end)
}

impl RowText {
    pub(super) fn new(text: SharedText, starts: Vec<usize>, width: usize) -> RowText {
        RowText { text, starts, width, held: OnceLock::new() }
    }

    /// Whether the text of the last frames was freed.
    fn is_shortened(&self) -> bool {
        self.starts.last().is_some_and(|last| *last >= self.text.len())
    }

    /// All numbers, where they are few.
    fn held(&self) -> Option<&Vec<f64>> {
        let few = self.starts.len().saturating_mul(self.width) <= HELD;
        few.then(|| self.held.get_or_init(|| self.values()))
    }

    /// Where a number of a frame stands.
    fn span(&self, frame: usize, column: usize) -> Option<Range<usize>> {
        word_span(&self.text, *self.starts.get(frame)?, column)
    }

    fn values(&self) -> Vec<f64> {
        let mut values = Vec::with_capacity(self.starts.len() * self.width + number::MOST_WORDS);
        if !self.starts.is_empty() {
            self.read(0, self.starts.len() * self.width, &mut values);
        }
        values
    }

    /// The text up to the next frame; less of the last one.
    fn frame(&self, frame: usize) -> &[u8] {
        let start = self.starts[frame];
        &self.text[start..self.starts.get(frame + 1).map_or(start, |next| *next)]
    }

    /// Appends `count` numbers from the start of a frame on.
    fn read(&self, frame: usize, count: usize, values: &mut Vec<f64>) {
        let enough = values.len() + count;
        let mut at = self.starts[frame];
        let mut single = at;
        while values.len() < enough {
            if at >= single {
                at = number::read_words(&self.text, at, enough, values);
                single = at + SINGLE;
                continue;
            }
            let (value, end) = next_number(&self.text, at).expect("the text was checked");
            values.push(value);
            at = end;
        }
        values.truncate(enough);
    }

    /// Appends a frame as [`write_row`] writes its values.
    #[inline(always)]
    fn rewrite(&self, frame: usize, out: &mut Vec<u8>) {
        let text = &self.text[..];
        let (mut at, mut left) = (self.starts[frame], self.width);
        fetch(self.frame(frame));
        let mut single = at;
        while left > 0 {
            if at >= single {
                if let Some((count, end)) = number::rewrite_words(out, text, at, left) {
                    (at, left) = (end, left - count);
                    continue;
                }
                single = at + SINGLE;
            }
            at = match number::rewrite_word(out, text, at) {
                Some(end) => end,
                None => {
                    let (value, end) = next_number(text, at).expect("the text was checked");
                    number::write(out, value);
                    end
                }
            };
            out.push(b' ');
            left -= 1;
        }
        end_line(out);
    }
}
