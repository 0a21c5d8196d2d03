//! Reads Live Link Face CSV.

use std::ops::Range;
use std::sync::Arc;

use mocap_model::{
    ARKIT_SHAPES, Annotations, Clip, Event, FrameRate, Joint, JointId, JointTracks, Role, ScalarTrack,
    Skeleton, Space, Track, Unit, UnitQuaternion, UnitSource, Vector3,
};

use super::timecode::{Counting, RATES, Timecode, event_name, rate};
use super::{ANGLES, JOINTS, LEAD, Problem, order};
use crate::gaps::fill;
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, Warnings, text};

/// How a Live Link Face CSV is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Frames per second of the time codes. Default: inferred from them.
    pub fps: Option<f64>,
    /// Whether values that are not finite are interpolated. Default: they are an error.
    pub repair: bool,
    /// Bounds on the size of a file and of its clip.
    pub limits: Limits,
}

/// Reads a Live Link Face CSV held in memory: shapes under the names of ARKit, the joints `Head`, `LeftEye` and
/// `RightEye`. Weights beyond 0 to 1 are kept, with a warning.
///
/// ```
/// let rows = "Timecode,BlendShapeCount,EyeBlinkLeft\n01:00:00:59.000,1,0.25\n01:00:01:01.000,1,0.75\n";
/// let take = mocap_formats::live_link::parse(rows.as_bytes(), &Default::default())?;
/// let clip = take.value;
/// assert_eq!((clip.frames(), clip.rate().fps()), (3, 60.0));
/// assert_eq!(clip.annotations().scalars[0].values.at(1), 0.5);
/// assert_eq!(take.warnings.len(), 1);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// With line and column, and the frame of values.
pub fn parse(bytes: &[u8], options: &Options) -> Result<Parsed<Clip>, ReadError> {
    let text = text::open(bytes, &options.limits)?;
    let mut warnings = Warnings::default();
    match clip(&text, options, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec_in(&text) }),
        Err(error) => Err(ReadError::from(error).behind(warnings.into_vec_in(&text))),
    }
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
enum Column {
    Timecode,
    Count,
    /// A shape, or another number.
    Number(String),
    /// The angle of a joint, by their places in [`JOINTS`] and [`ANGLES`].
    Angle(usize, usize),
}

fn clip(text: &[u8], options: &Options, warnings: &mut Warnings) -> Result<Clip, Finding> {
    let mut lines = lines(text);
    let head = lines.next().ok_or_else(|| Finding::new(Problem::NoRows))?;
    let columns = columns(text, &head, &options.limits, warnings)?;
    let rows: Vec<Range<usize>> = lines.collect();
    let table = Table::read(text, &columns, &rows, options)?;
    let (fps, sure) = match options.fps {
        Some(fps) => (fps.round() as i64, true),
        None => rate(&table.codes),
    };
    let counting = Counting::of(&table.codes, fps);
    if fps % 30 == 0
        && table.codes.iter().any(|code| code.semicolon)
        && let Some(row) = Counting::not_drop_frame(&table.codes, fps)
    {
        warnings.push(Finding::new(Problem::NotDropFrame).at(text, table.rows[row].clone()));
    }
    let stated = options.fps.unwrap_or(counting.fps());
    let rate = FrameRate::new(stated).filter(|_| RATES.contains(&fps));
    let rate = rate.ok_or_else(|| Finding::new(Problem::Rate { fps: stated }))?;
    if !sure {
        warnings.push(Finding::new(Problem::RateAssumed { fps }));
    }
    let placed = place(text, &table, counting, warnings)?;
    let frames = placed.last().map_or(0, |last| last.0 + 1);
    if frames > options.limits.frames {
        let (found, limit) = (frames, options.limits.frames);
        return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
    }
    options.limits.check_samples(frames, columns.len()).map_err(Finding::new)?;
    if frames > placed.len() {
        warnings.push(Finding::new(Problem::Dropped { count: frames - placed.len() }));
    }
    let curves = curves(&table, &columns, &placed, frames);
    made(&columns, curves, (rate, frames), table.codes[0], warnings)
}

/// The lines of a text with their places, without blank ones.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split(|byte| *byte == b'\n' || *byte == b'\r').filter_map(move |line| {
        let span = start..start + line.len();
        start += line.len() + 1;
        (!line.trim_ascii().is_empty()).then_some(span)
    })
}

/// The cells of a line, without blanks around them.
fn cells<'t>(text: &'t [u8], line: &Range<usize>) -> impl Iterator<Item = Range<usize>> + 't {
    let mut start = line.start;
    text[line.clone()].split(|byte| *byte == b',').map(move |cell| {
        let from = start + cell.len() - cell.trim_ascii_start().len();
        start += cell.len() + 1;
        from..from + cell.trim_ascii().len()
    })
}

/// What the columns hold.
fn columns(
    text: &[u8],
    head: &Range<usize>,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Vec<Column>, Finding> {
    let mut columns = Vec::new();
    let mut others = Vec::new();
    for cell in cells(text, head) {
        if columns.len() > limits.joints {
            let (found, limit) = (columns.len() + 1, limits.joints);
            return Err(Finding::new(LimitExceeded { what: "columns", found, limit }));
        }
        let name = text::decode_name(&text[cell.clone()]).0.into_owned();
        let column = column(&name);
        if columns.contains(&column) {
            return Err(Finding::new(Problem::DuplicateColumn { name }).at(text, cell));
        }
        if matches!(&column, Column::Number(known) if !ARKIT_SHAPES.contains(&known.as_str())) {
            others.push(format!("'{}'", text::quote(name.as_bytes())));
        }
        columns.push(column);
    }
    let shapes = columns.iter().filter(|column| matches!(column, Column::Number(_))).count();
    if shapes == others.len() || columns.first() != Some(&Column::Timecode) {
        return Err(Finding::new(Problem::NoShapes).at(text, head.clone()));
    }
    if !others.is_empty() {
        warnings.push(Finding::new(Problem::OtherColumns { names: others.join(", ") }));
    }
    Ok(columns)
}

fn column(name: &str) -> Column {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    if is(LEAD[0]) {
        return Column::Timecode;
    }
    if is(LEAD[1]) {
        return Column::Count;
    }
    for (joint, of) in JOINTS.iter().enumerate() {
        for (angle, called) in ANGLES.iter().enumerate() {
            if is(&format!("{of}{called}")) {
                return Column::Angle(joint, angle);
            }
        }
    }
    let known = ARKIT_SHAPES.into_iter().find(|known| is(known));
    Column::Number(known.unwrap_or(name).to_owned())
}

/// The rows as they stand.
struct Table<'r> {
    rows: &'r [Range<usize>],
    codes: Vec<Timecode>,
    /// Row after row, a number for each column; 0 where a column has none.
    values: Vec<f64>,
}

impl<'r> Table<'r> {
    fn read(
        text: &[u8],
        columns: &[Column],
        rows: &'r [Range<usize>],
        options: &Options,
    ) -> Result<Table<'r>, Finding> {
        if rows.is_empty() {
            return Err(Finding::new(Problem::NoRows));
        }
        options.limits.check_samples(rows.len(), columns.len()).map_err(Finding::new)?;
        let (mut codes, mut values) =
            (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len() * columns.len()));
        for (frame, row) in rows.iter().enumerate() {
            let mut found = 0;
            for cell in cells(text, row) {
                let word = &text[cell.clone()];
                let refused = |problem: Problem| Finding::new(problem).at(text, cell.clone()).in_frame(frame);
                match columns.get(found) {
                    // An empty cell after the last comma is not a column.
                    None if word.is_empty() => continue,
                    None => {}
                    Some(Column::Timecode) => {
                        let code = std::str::from_utf8(word).ok().and_then(Timecode::parse);
                        let text = || text::quote(word);
                        codes.push(code.ok_or_else(|| refused(Problem::Timecode { text: text() }))?);
                        values.push(0.0);
                    }
                    Some(Column::Count) => values.push(0.0),
                    Some(Column::Number(name)) => {
                        values.push(
                            number(word, options.repair, refused).map_err(|error| error.in_channel(name))?,
                        );
                    }
                    Some(Column::Angle(joint, angle)) => {
                        let name = || format!("{}{}", JOINTS[*joint], ANGLES[*angle]);
                        let value = number(word, options.repair, refused);
                        values.push(value.map_err(|error| error.in_channel(name()))?);
                    }
                }
                found += 1;
            }
            if found != columns.len() {
                let problem = Problem::Columns { found, expected: columns.len() };
                return Err(Finding::new(problem).at(text, row.clone()).in_frame(frame));
            }
        }
        Ok(Table { rows, codes, values })
    }
}

/// The number of a cell; NaN where it is to be interpolated.
fn number(word: &[u8], repair: bool, refused: impl Fn(Problem) -> Finding) -> Result<f64, Finding> {
    let value = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) if repair => Ok(f64::NAN),
        Some(value) => Err(refused(Problem::NotFinite { value })),
        None if word.is_empty() && repair => Ok(f64::NAN),
        None if word.is_empty() => Err(refused(Problem::NotFinite { value: f64::NAN })),
        None => Err(refused(Problem::Number { text: text::quote(word) })),
    }
}

/// The frame of each row that is kept, in ascending order, and the row.
fn place(
    text: &[u8],
    table: &Table<'_>,
    counting: Counting,
    warnings: &mut Warnings,
) -> Result<Vec<(usize, usize)>, Finding> {
    let first = counting.frames(table.codes[0]);
    let mut placed: Vec<(usize, usize)> = Vec::with_capacity(table.codes.len());
    let mut repeated = 0;
    for (row, code) in table.codes.iter().enumerate() {
        let mut at = counting.frames(*code) - first;
        let before = placed.last().map_or(-1, |last| last.0 as i64);
        // A take may cross midnight.
        if at < before - counting.day() / 2 {
            at += counting.day();
        }
        if at == before {
            repeated += 1;
            continue;
        }
        let Some(frame) = usize::try_from(at).ok().filter(|_| at > before) else {
            let error = Finding::new(Problem::Backwards);
            return Err(error.at(text, table.rows[row].clone()).in_frame(row));
        };
        placed.push((frame, row));
    }
    if repeated > 0 {
        warnings.push(Finding::new(Problem::Repeated { count: repeated }));
    }
    Ok(placed)
}

/// The values of each column over the frames; frames without a row are interpolated.
fn curves(table: &Table<'_>, columns: &[Column], placed: &[(usize, usize)], frames: usize) -> Vec<Vec<f64>> {
    let of_column = |column: usize| {
        let mut values = vec![f64::NAN; frames];
        for (frame, row) in placed {
            values[*frame] = table.values[row * columns.len() + column];
        }
        let turn = matches!(columns[column], Column::Angle(..)).then_some(std::f64::consts::TAU);
        fill(&mut values, 1, turn, 0.0);
        values
    };
    (0..columns.len()).map(of_column).collect()
}

/// Builds the clip from the curves.
fn made(
    columns: &[Column],
    curves: Vec<Vec<f64>>,
    (rate, frames): (FrameRate, usize),
    start: Timecode,
    warnings: &mut Warnings,
) -> Result<Clip, Finding> {
    let mut scalars = Vec::new();
    let mut angles: [[Option<Vec<f64>>; 3]; 3] = Default::default();
    for (column, values) in columns.iter().zip(curves) {
        match column {
            Column::Timecode | Column::Count => {}
            Column::Angle(joint, angle) => angles[*joint][*angle] = Some(values),
            Column::Number(name) => {
                let beyond: Vec<f64> =
                    values.iter().copied().filter(|value| !(0.0..=1.0).contains(value)).collect();
                if !beyond.is_empty() && ARKIT_SHAPES.contains(&name.as_str()) {
                    let far = |value: &f64| (value - 0.5).abs();
                    let most = beyond.iter().copied().max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0.0);
                    let (name, count) = (name.clone(), beyond.len());
                    warnings.push(
                        Finding::new(Problem::Beyond { name: name.clone(), count, most }).in_channel(name),
                    );
                }
                let values = Track::from_samples(values).unwrap_or(Track::Constant(0.0));
                scalars.push(ScalarTrack { name: name.clone(), values });
            }
        }
    }
    let eyes = angles[1..].iter().flatten().any(Option::is_some);
    let names = if eyes { &JOINTS[..] } else { &JOINTS[..1] };
    let joints = names.iter().enumerate().map(|(at, name)| {
        let parent = (at > 0).then_some(JointId(0));
        let role = (at == 0).then_some(Role::Head);
        Joint { role, ..Joint::new(*name, parent, Vector3::zeros()) }
    });
    let model = |error| Finding::new(Problem::Model(error));
    // The skeleton has no lengths, so any unit is right.
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let space = Space { unit, ..Space::default() };
    let skeleton = Skeleton::new("", space, joints.collect()).map_err(model)?;
    let tracks = angles[..names.len()].iter().map(|of_joint| {
        let at = |angle: usize, frame: usize| of_joint[angle].as_ref().map_or(0.0, |values| values[frame]);
        let turned = (0..frames).map(|frame| order().rotation([at(0, frame), at(1, frame), at(2, frame)]));
        let rotation = Track::from_samples(turned.collect());
        JointTracks::new(rotation.unwrap_or(Track::Constant(UnitQuaternion::identity())), None)
    });
    let clip = Clip::new(Arc::new(skeleton), rate, frames, tracks.collect()).map_err(model)?;
    let events = vec![Event { time: 0.0, name: event_name(start, rate.fps().round() as i64) }];
    clip.with_annotations(Annotations { name: String::new(), scalars, events }).map_err(model)
}
