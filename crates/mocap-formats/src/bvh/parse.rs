//! From bytes to a document.

use super::document::{Document, NodeKind, Origin};
use super::hierarchy::hierarchy;
use super::motion::{FrameTime, Motion};
use super::reader::{ParseError, Reader};
use super::rows::{self, Found};
use super::{Problem, commas, grammar};
use crate::text::SharedText;
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, Warnings, number, text};
use std::ops::Range;
use std::sync::Arc;

/// Reads a BVH file held in memory.
///
/// What the reader had to repair is listed in the result's warnings.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"));
/// let document = mocap_formats::bvh::parse(bytes, &Default::default())?.value;
/// assert_eq!(document.nodes()[0].name, "Hips");
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// If the file is not a BVH, with the place; values that are not finite are left to [`to_clip`](super::to_clip).
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed<Document>, ReadError> {
    parse_text(&text::open(bytes, limits)?, None, limits)
}

/// As [`parse`], of shared bytes: where all rows are regular, the document keeps them as text.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"));
/// use mocap_formats::bvh::{parse, parse_shared};
///
/// let document = parse_shared(&bytes.to_vec().into(), &Default::default())?.value;
/// assert_eq!(document, parse(bytes, &Default::default())?.value);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// As [`parse`].
pub fn parse_shared(bytes: &Arc<Vec<u8>>, limits: &Limits) -> Result<Parsed<Document>, ReadError> {
    let text = text::open(bytes, limits)?;
    parse_text(&text, SharedText::of(bytes, &text), limits)
}

fn parse_text(
    text: &[u8],
    shared: Option<SharedText>,
    limits: &Limits,
) -> Result<Parsed<Document>, ReadError> {
    match read(text, shared, limits, Warnings::default()) {
        Ok(parsed) => Ok(parsed),
        Err(ParseFailure::ReadError(failed)) => Err(*failed),
        // The replacement has the same length, so places in messages stay correct.
        Err(ParseFailure::Comma) => {
            let (without, meaning, first) = commas::without_commas(text);
            let mut warnings = Warnings::default();
            warnings.push(Finding::new(Problem::Commas { meaning }).at(text, first));
            read(&without, None, limits, warnings).map_err(|stop| match stop {
                ParseFailure::ReadError(failed) => *failed,
                ParseFailure::Comma => Finding::new(Problem::Commas { meaning }).into(),
            })
        }
    }
}

/// Errors within so many bytes of the end of a partial file may come from the cut.
const CUT: usize = 1 << 10;

/// Checks the start of a file: the limits on joints, and on frames × joints where the file is large enough for what its
/// header states. Other errors are left to [`parse`], which has the whole file; but a stream without a known size may
/// be endless, so any error in its start counts.
pub(crate) fn check_start(start: &[u8], size: Option<u64>, limits: &Limits) -> Result<(), Finding> {
    let text = text::decode(start);
    let mut reader = Reader::new(&text, Warnings::default());
    let whole = text.len().saturating_sub(CUT);
    let wrong = |finding: &Finding| finding.place.as_ref().is_some_and(|place| place.span.end < whole);
    let judged = |error: ParseError| match error {
        ParseError::Error(finding) if finding.problem_as::<LimitExceeded>().is_some() => Err(*finding),
        ParseError::Error(finding) if size.is_none() && wrong(&finding) => Err(*finding),
        _ => Ok(()),
    };
    let nodes = match hierarchy(&mut reader, limits) {
        Ok(nodes) => nodes,
        Err(error) => return judged(error),
    };
    let start = reader.at;
    if reader.take(grammar::keyword("MOTION")).is_none() {
        return Ok(());
    }
    let header = match header(&mut reader, start..start + "MOTION".len()) {
        Ok(header) => header,
        Err(error) => return judged(error),
    };
    // A number at the end of the part that was read may continue.
    let (Some(frames), Some(size), false) = (header.frames, size, reader.at_end()) else { return Ok(()) };
    let rows = size.saturating_sub(reader.at as u64);
    rows::check_size(&reader, &nodes, (frames, header.frames_span), rows, limits).or_else(judged)
}

/// Why parsing ended without a document.
enum ParseFailure {
    ReadError(Box<ReadError>),
    /// There is a comma among the numbers: parse again without commas.
    Comma,
}

fn read(
    text: &[u8],
    shared: Option<SharedText>,
    limits: &Limits,
    warnings: Warnings,
) -> Result<Parsed<Document>, ParseFailure> {
    let mut reader = Reader::new(text, warnings);
    let (document, stopped) = match document(&mut reader, shared, limits) {
        Ok(document) => (Some(document), None),
        Err(ParseError::Error(finding)) => (None, Some(*finding)),
        Err(ParseError::Comma) => return Err(ParseFailure::Comma),
    };
    let warnings = reader.warnings.into_vec_in(text);
    match (document, reader.errors.into_read_error(text, stopped, &warnings)) {
        (Some(value), None) => Ok(Parsed { value, warnings }),
        (_, failed) => {
            let failed = failed.expect("what has no document was stopped by an error");
            Err(ParseFailure::ReadError(Box::new(failed)))
        }
    }
}

fn document(
    reader: &mut Reader,
    shared: Option<SharedText>,
    limits: &Limits,
) -> Result<Document, ParseError> {
    let text = reader.text;
    let mut nodes = hierarchy(reader, limits)?;
    let mut origin = Origin::default();
    let start = reader.at;
    let motion = if reader.take(grammar::keyword("MOTION")).is_some() {
        let header = header(reader, start..start + "MOTION".len())?;
        let Found { frames, rows, first, not_finite, far } =
            rows::rows(reader, shared, (header.frames, header.frames_span), &mut nodes, limits)?;
        origin.first_row = first.map(|span| crate::Place::of(text, span));
        origin.not_finite = not_finite;
        origin.far = far;
        Some(Motion { frames, frame_time: header.frame_time, rows })
    } else {
        reader.warn(Problem::NoMotion, text.len()..text.len());
        None
    };
    debug_assert!(nodes.iter().all(|node| node.kind != NodeKind::Root || node.parent.is_none()));
    Ok(Document::new(nodes, motion, origin))
}

struct Header {
    frames: Option<u64>,
    frames_span: Range<usize>,
    frame_time: Option<FrameTime>,
}

/// Reads `Frames:` and `Frame Time:`, in either order.
fn header(reader: &mut Reader, motion: Range<usize>) -> Result<Header, ParseError> {
    let mut header = Header { frames: None, frames_span: motion.clone(), frame_time: None };
    let mut has_frame_time = false;
    loop {
        reader.skip_space();
        let start = reader.at;
        if header.frames.is_none() && reader.take(grammar::frames).is_some() {
            reader.skip_space();
            header.frames = Some(count(reader)?);
            header.frames_span = start..reader.at;
        } else if !has_frame_time && reader.take(grammar::frame_time).is_some() {
            has_frame_time = true;
            let keyword = start..reader.at;
            header.frame_time = frame_time(reader);
            let what = match &header.frame_time {
                None => "has no value",
                Some(time) if time.seconds == 0.0 => "is zero",
                Some(time) if !(time.seconds > 0.0 && time.seconds.is_finite()) => "is not above zero",
                Some(_) => continue,
            };
            reader.warn(Problem::FrameTime { what }, keyword);
        } else {
            break;
        }
    }
    if header.frames.is_none() {
        // Without the keyword this is another kind of line.
        if reader.sees(grammar::word) && !reader.sees(grammar::real) && !reader.sees(grammar::not_finite) {
            return Err(reader.unexpected("'Frames:'"));
        }
        reader.warn(Problem::MissingFrames, motion.clone());
    }
    if !has_frame_time {
        reader.warn(Problem::FrameTime { what: "is missing" }, motion);
    }
    Ok(header)
}

fn count(reader: &mut Reader) -> Result<u64, ParseError> {
    let start = reader.at;
    let expected = "the number of frames";
    let Ok((_, word)) = grammar::word(reader.rest()) else { return Err(reader.unexpected(expected)) };
    let Some(number) = reader.take(grammar::real) else { return Err(reader.unexpected(expected)) };
    if number < 0.0 || number.fract() != 0.0 {
        reader.at = start;
        return Err(reader.unexpected(expected));
    }
    let digits = &reader.text[start..reader.at];
    if !digits.iter().all(u8::is_ascii_digit) {
        let text = text::quote(word);
        reader.warn(Problem::FractionalFrames { text }, start..reader.at);
    }
    // Saturates where it is too large for any file.
    Ok(number as u64)
}

/// The frame time, if there is one on the same line: the next line is the first frame.
fn frame_time(reader: &mut Reader) -> Option<FrameTime> {
    reader.take(grammar::blank);
    let start = reader.at;
    let seconds = match reader.take(grammar::real) {
        Some(seconds) => seconds,
        None => reader.take(grammar::not_finite).map(|_| f64::NAN)?,
    };
    let text = String::from_utf8_lossy(&reader.text[start..reader.at]).into_owned();
    debug_assert!(number::scan(reader.text, start).is_some() || seconds.is_nan());
    Some(FrameTime { text, seconds })
}
