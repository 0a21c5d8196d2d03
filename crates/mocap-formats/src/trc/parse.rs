//! Reads TRC files.

use super::Problem;
use super::timeline::{MOST, Moment, timeline};
use crate::names::Unique;
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, Warnings, text};
use mocap_model::{FrameRate, Markers, Space, Unit, UnitSource, Vector3, last_digit};
use std::ops::Range;

/// Columns before the first marker: the number of the frame and its time.
const LEAD: usize = 2;

/// How a TRC file is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Frames per second, in place of what the file says.
    pub fps: Option<f64>,
    /// Whether positions that are infinite become gaps. Default: they are an error.
    pub repair: bool,
    /// Bounds on the size of a file.
    pub limits: Limits,
}

/// Reads the markers of a TRC file held in memory; its columns are separated by tabs or commas. A cell without a
/// number, or with NaN, is a gap, and so are the markers of a frame without a row.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/markers/knee.trc"));
/// let knee = mocap_formats::trc::parse(bytes, &Default::default())?.value;
/// assert!(knee.names().len() > 1);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// With line and column, marker and frame.
pub fn parse(bytes: &[u8], options: &Options) -> Result<Parsed<Markers>, ReadError> {
    let text = text::open(bytes, &options.limits)?;
    let mut warnings = Warnings::default();
    match markers(&text, options, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec_in(&text) }),
        Err(error) => Err(ReadError::from(error).behind(warnings.into_vec_in(&text))),
    }
}

/// The lines of a text with their places, without blank ones.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split(|byte| *byte == b'\n' || *byte == b'\r').filter_map(move |line| {
        let span = start..start + line.len();
        start += line.len() + 1;
        let blank = line.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b',');
        (!blank).then_some(span)
    })
}

/// The text of a file and its separator.
struct File<'t> {
    text: &'t [u8],
    separator: u8,
}

impl File<'_> {
    /// The cells of a line, as byte ranges.
    fn cells(&self, line: &Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = line.start;
        self.text[line.clone()].split(|byte| *byte == self.separator).map(move |cell| {
            let trimmed = cell.trim_ascii_start().len();
            let from = start + cell.len() - trimmed;
            let span = from..from + cell.trim_ascii().len();
            start += cell.len() + 1;
            span
        })
    }

    fn word(&self, cell: &Range<usize>) -> String {
        text::decode_name(&self.text[cell.clone()]).0.into_owned()
    }

    /// The number of a cell; `None` of an empty one.
    fn number(&self, cell: &Range<usize>) -> Result<Option<f64>, Finding> {
        let text = &self.text[cell.clone()];
        if text.is_empty() {
            return Ok(None);
        }
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
        number.map(Some).ok_or_else(|| {
            let text = text::quote(text);
            Finding::new(Problem::Number { text }).at(self.text, cell.clone())
        })
    }
}

/// The values of the lines before the rows.
struct Header {
    fps: Option<f64>,
    space: Space,
    names: Vec<String>,
    frames: Option<String>,
}

fn markers(text: &[u8], options: &Options, warnings: &mut Warnings) -> Result<Markers, Finding> {
    let mut lines = lines(text);
    let missing = |what| Finding::new(Problem::Missing { what });
    let mut line = |what| lines.next().ok_or_else(|| missing(what));
    let first = line("the line PathFileType")?;
    let [keys, values] = [line("the line DataRate")?, line("the line of rates and counts")?];
    let name_line = line("the line of the names of markers")?;
    let tabs = text[keys.clone()].contains(&b'\t') || text[first].contains(&b'\t');
    let file = File { text, separator: if tabs { b'\t' } else { b',' } };
    let header = header(&file, [&keys, &values, &name_line], &options.limits, warnings)?;
    let (rows, unit) = rows(&file, lines, &options.limits)?;
    let moments: Vec<Moment> = rows.iter().map(|(_, moment)| *moment).collect();
    let stated = header.fps.and_then(FrameRate::new);
    let timeline = timeline(&moments, stated, unit);
    let is_said = |warning: &Finding| options.fps.is_none() || warning.code() != "trc::rate";
    timeline.warnings.into_iter().filter(is_said).for_each(|warning| warnings.push(warning));
    let count = timeline
        .frames
        .last()
        .map_or(0, |last| usize::try_from(*last).unwrap_or(usize::MAX).saturating_add(1));
    if count > options.limits.frames {
        let (found, limit) = (count, options.limits.frames);
        return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
    }
    options.limits.check_samples(count, header.names.len()).map_err(Finding::new)?;
    let width = LEAD + 3 * header.names.len();
    let mut positions = Vec::with_capacity(count * header.names.len());
    for ((row, _), frame) in rows.iter().zip(&timeline.frames) {
        let frame = *frame as usize;
        positions.resize(frame * header.names.len(), None);
        read_row(&file, row, width, (&header.names, frame), options.repair, warnings, &mut positions)?;
    }
    let of_file = |stated: &String| stated.parse() == Ok(rows.len()) || stated.parse() == Ok(count);
    if let Some(stated) = header.frames.filter(|stated| !of_file(stated)) {
        warnings.push(Finding::new(Problem::Frames { stated, found: rows.len() }));
    }
    let rate = options.fps.and_then(FrameRate::new).or(timeline.rate);
    let rate = rate.ok_or_else(|| missing("the frame rate (DataRate)"))?;
    Markers::new(header.space, rate, count, header.names, positions)
        .map_err(|error| Finding::new(Problem::Markers(error)))
}

/// The place of a row in the text, and what it states about its moment.
type Row = (Range<usize>, Moment);

/// The rows, and the unit of the last digit of their times.
fn rows(
    file: &File,
    lines: impl Iterator<Item = Range<usize>>,
    limits: &Limits,
) -> Result<(Vec<Row>, f64), Finding> {
    let mut rows = Vec::new();
    let mut unit = 1.0f64;
    for row in lines {
        let mut cells = file.cells(&row);
        let Some(number) = cells.next() else { continue };
        // The line X1, Y1, Z1 … starts with empty cells.
        if rows.is_empty() && !file.text[number.clone()].first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        if rows.len() == limits.frames {
            let (found, limit) = (rows.len() + 1, limits.frames);
            return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
        }
        let number = file.word(&number).parse::<f64>().ok();
        let is_whole = |number: &f64| (0.0..=MOST as f64).contains(number) && number.fract() == 0.0;
        let number = number.filter(is_whole).map(|number| number as u64);
        let mut time = None;
        if let Some(cell) = cells.next() {
            time = file.number(&cell)?;
            unit = unit.min(time.map_or(1.0, |_| last_digit(&file.word(&cell))));
        }
        rows.push((row, Moment { number, time }));
    }
    Ok((rows, unit))
}

fn header(
    file: &File,
    [keys, values, names]: [&Range<usize>; 3],
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Header, Finding> {
    let cells: Vec<Range<usize>> = file.cells(values).collect();
    let places: Vec<String> = file.cells(keys).map(|cell| file.word(&cell).to_lowercase()).collect();
    let cell =
        |key: &str| cells.get(places.iter().position(|known| *known == key)?).filter(|cell| !cell.is_empty());
    let fps = cell("datarate").map(|cell| file.number(cell)).transpose()?.flatten();
    let unit = cell("units").map(|cell| (cell, file.word(cell)));
    let metres = unit.as_ref().and_then(|(_, name)| Unit::metres_of(name));
    if let (None, Some((cell, name))) = (metres, &unit) {
        let problem = Problem::UnknownUnit { name: text::quote(name.as_bytes()) };
        warnings.push(Finding::new(problem).at(file.text, (*cell).clone()));
    }
    let unit = metres.map(|metres| Unit { metres, source: UnitSource::File });
    // A name stands over the first of three columns; a trailing separator is no name.
    let mut unique = Unique::default();
    let mut found: Vec<String> = Vec::new();
    let all: Vec<Range<usize>> = file.cells(names).skip(LEAD).collect();
    for (at, span) in all.iter().enumerate().filter(|(_, span)| !span.is_empty()) {
        // Some programs write the names one after the other, without empty cells between.
        if at % 3 != 0 && all.iter().skip(1).step_by(3).all(|span| span.is_empty()) {
            continue;
        }
        let name = file.word(span);
        let claimed = unique.claim(&name);
        if claimed != name {
            let problem = Problem::DuplicateName { name: name.clone(), unique: claimed.clone() };
            warnings.push(Finding::new(problem).at(file.text, span.clone()).in_joint(name));
        }
        found.push(claimed);
    }
    if found.is_empty() {
        return Err(
            Finding::new(Problem::Missing { what: "the names of markers" }).at(file.text, names.clone())
        );
    }
    if found.len() > limits.joints {
        let (found, limit) = (found.len(), limits.joints);
        return Err(Finding::new(LimitExceeded { what: "markers", found, limit }));
    }
    if let Some(stated) =
        cell("nummarkers").map(|cell| file.word(cell)).filter(|n| n.parse() != Ok(found.len()))
    {
        warnings.push(Finding::new(Problem::MarkerCount { stated, found: found.len() }));
    }
    let space = Space { unit, ..Space::default() };
    Ok(Header { fps, space, names: found, frames: cell("numframes").map(|cell| file.word(cell)) })
}

/// The positions of a row.
#[allow(clippy::too_many_arguments, reason = "the parts of one loop")]
fn read_row(
    file: &File,
    row: &Range<usize>,
    width: usize,
    (names, frame): (&[String], usize),
    repair: bool,
    warnings: &mut Warnings,
    positions: &mut Vec<Option<Vector3<f64>>>,
) -> Result<(), Finding> {
    let mut place = [f64::NAN; 3];
    let mut found = LEAD;
    let expected = width;
    let in_row = |finding: Finding, at: usize| {
        finding.in_joint(&names[((at - LEAD) / 3).min(names.len() - 1)]).in_frame(frame)
    };
    for cell in file.cells(row).skip(LEAD) {
        let at = found;
        found += 1;
        if at >= width {
            if cell.is_empty() {
                continue;
            }
            let error = Finding::new(Problem::Columns { found: file.cells(row).count(), expected });
            return Err(error.at(file.text, cell).in_frame(frame));
        }
        let value = file.number(&cell).map_err(|error| in_row(error, at))?.unwrap_or(f64::NAN);
        if value.is_infinite() {
            if !repair {
                let error = Finding::new(Problem::NotFinite { value }).at(file.text, cell);
                return Err(in_row(error, at));
            }
            let warning = Finding::new(Problem::Repaired { value }).at(file.text, cell);
            warnings.push(in_row(warning, at));
        }
        place[(at - LEAD) % 3] = value;
        if (at - LEAD) % 3 == 2 {
            positions.push(place.iter().all(|value| value.is_finite()).then(|| Vector3::from(place)));
        }
    }
    if found < width {
        let problem = Problem::ShortRow { found, expected };
        warnings.push(Finding::new(problem).at(file.text, row.clone()).in_frame(frame));
        positions.resize((frame + 1) * names.len(), None);
    }
    Ok(())
}
