//! Reads C3D files.

use super::header::Header;
use super::number::Processor;
use super::parameters::Parameters;
use super::{Problem, events};
use crate::names::Unique;
use crate::text::quote;
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, Warnings};
use mocap_model::{FrameRate, Markers, SignedAxis, Space, Unit, UnitSource, Vector3};

/// Bytes of a block.
const BLOCK: usize = 512;

/// How a C3D file is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Frames per second, in place of what the file says.
    pub fps: Option<f64>,
    /// Whether positions that are infinite become gaps. Default: they are an error.
    pub repair: bool,
    /// Bounds on the size of a file.
    pub limits: Limits,
}

/// Reads the markers of a C3D file held in memory; [`super::analog`] reads what is sampled beside them.
///
/// Numbers of markers and frames, rate and scale are those of the parameters, where these differ from the header. A
/// point is a gap where its residual is negative or a coordinate is not a number.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/markers/knee.c3d"));
/// let knee = mocap_formats::c3d::parse(bytes, &Default::default())?.value;
/// assert!(knee.names().len() > 1);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// With the parameter (`POINT:RATE`), or the marker and frame, that is wrong.
pub fn parse(bytes: &[u8], options: &Options) -> Result<Parsed<Markers>, ReadError> {
    let mut warnings = Warnings::default();
    match markers(bytes, options, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec() }),
        Err(error) => Err(ReadError::from(error).behind(warnings.into_vec())),
    }
}

fn markers(bytes: &[u8], options: &Options, warnings: &mut Warnings) -> Result<Markers, Finding> {
    let File { processor, parameters, layout } = File::open(bytes, &options.limits, warnings)?;
    if layout.analog > 0 {
        warnings.push(Finding::new(Problem::Analog { channels: layout.analog / layout.samples }));
    }
    let stated = options.fps.and_then(FrameRate::new);
    let rate = layout.rate.and_then(FrameRate::new).or(stated).unwrap_or_else(|| {
        warnings.push(Finding::new(Problem::NoRate));
        FrameRate::new(100.0).expect("100 is a rate")
    });
    let events = events::read(&Header { bytes, processor }, &parameters, (layout.frames, rate), warnings);
    let names = names(&parameters, layout.points, warnings);
    let (positions, residuals) = points(bytes, processor, &layout, &names, options.repair, warnings)?;
    let failed = |path: &str| {
        let path = path.to_owned();
        move |error| Finding::new(Problem::Markers { path, error })
    };
    let space = space(&parameters, warnings);
    let markers = Markers::new(space, rate, layout.frames, names, positions)
        .map_err(failed("POINT:LABELS"))?
        .with_events(events)
        .map_err(failed("EVENT:TIMES"))?;
    // Times of events are counted in the rate of the file.
    let markers = markers.with_rate(stated.unwrap_or(rate));
    match residuals.iter().any(|residual| *residual > 0.0) {
        true => markers.with_residuals(residuals).map_err(failed("POINT:SCALE")),
        false => Ok(markers),
    }
}

/// What a file says of itself.
pub(super) struct File {
    pub(super) processor: Processor,
    pub(super) parameters: Parameters,
    pub(super) layout: Layout,
}

impl File {
    pub(super) fn open(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<File, Finding> {
        if bytes.len() > limits.bytes {
            let (found, limit) = (bytes.len(), limits.bytes);
            return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
        }
        let (Some(&block), Some(0x50)) = (bytes.first(), bytes.get(1)) else {
            return Err(Finding::new(Problem::NotC3d));
        };
        let start = usize::from(block).saturating_sub(1) * BLOCK;
        let processor = *bytes
            .get(start + 3)
            .filter(|_| block > 0)
            .ok_or_else(|| Finding::new(Problem::NoParameters { block }))?;
        let processor =
            Processor::of(processor).ok_or_else(|| Finding::new(Problem::Processor { found: processor }))?;
        let header = Header { bytes, processor };
        // The count of blocks is one byte, and some programs state too few. Parameters may use all bytes up to the
        // first point.
        let stated = start + usize::from(bytes[start + 2]) * BLOCK;
        let end = stated.max(usize::from(header.word(9)).saturating_sub(1) * BLOCK);
        let end = if end <= start { bytes.len() } else { end };
        let parameters = Parameters::read(bytes, (start + 4, end), processor, warnings)?;
        let layout = Layout::of(&header, &parameters, limits, warnings)?;
        Ok(File { processor, parameters, layout })
    }
}

/// How points and analog samples lie in a file.
pub(super) struct Layout {
    pub(super) points: usize,
    pub(super) frames: usize,
    /// The first byte of the first frame.
    pub(super) start: usize,
    /// Bytes from a frame to the next.
    pub(super) stride: usize,
    /// Negative: coordinates are floats; else integers to be multiplied by it.
    pub(super) scale: f64,
    pub(super) rate: Option<f64>,
    /// Analog values of a frame, of all channels together.
    pub(super) analog: usize,
    /// Analog samples of a channel in a frame, at least 1.
    pub(super) samples: usize,
}

impl Layout {
    /// Bytes of a number.
    pub(super) fn size(&self) -> usize {
        if self.scale < 0.0 { 4 } else { 2 }
    }
}

impl Layout {
    fn of(
        header: &Header,
        parameters: &Parameters,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Layout, Finding> {
        let mut chosen = |path: &str, stated: f64, usable: fn(f64) -> bool| -> f64 {
            let Some(parameter) = parameters.number(path).filter(|number| usable(*number)) else {
                return stated;
            };
            if (parameter - stated).abs() > 1e-6 * parameter.abs() {
                let [shown, said] = [parameter, stated].map(crate::markers::digits);
                let path = path.to_owned();
                let found = Problem::HeaderDiffers { path, parameter: shown, header: said };
                warnings.push(Finding::new(found).in_channel("header"));
            }
            parameter
        };
        let points = chosen("POINT:USED", f64::from(header.word(2)), |_| true) as usize;
        let scale =
            chosen("POINT:SCALE", f64::from(header.float(7)), |scale| scale.is_finite() && scale != 0.0);
        let block = chosen("POINT:DATA_START", f64::from(header.word(9)), |block| block >= 2.0) as usize;
        let rate = chosen("POINT:RATE", f64::from(header.float(11)), |rate| rate > 1e-9 && rate < 1e9);
        if points == 0 {
            return Err(Finding::new(Problem::NoPoints));
        }
        if points > limits.joints {
            return Err(Finding::new(LimitExceeded { what: "markers", found: points, limit: limits.joints }));
        }
        let (analog, samples) = (usize::from(header.word(3)), usize::from(header.word(10)).max(1));
        if !scale.is_finite() || scale == 0.0 {
            let message = format!("the scale is {scale}; expected a number other than 0");
            return Err(Finding::new(Problem::Parameter { path: "POINT:SCALE".into(), message }));
        }
        let size = if scale < 0.0 { 4 } else { 2 };
        let stride = (4 * points + analog) * size;
        let start = block.saturating_sub(1) * BLOCK;
        if block < 2 || start > header.bytes.len() {
            let message = format!("the points start in block {block}, which is not in the file");
            return Err(Finding::new(Problem::Parameter { path: "POINT:DATA_START".into(), message }));
        }
        let there = (header.bytes.len() - start) / stride;
        let content = &header.bytes[start..start + there * stride];
        let stated = frames(header, parameters, content, stride, warnings);
        if stated > limits.frames {
            return Err(Finding::new(LimitExceeded { what: "frames", found: stated, limit: limits.frames }));
        }
        limits.check_samples(stated.min(there), points).map_err(Finding::new)?;
        if stated > there {
            warnings.push(Finding::new(Problem::Truncated { found: there, expected: stated }));
        }
        let rate = Some(rate).filter(|rate| *rate > 0.0 && rate.is_finite());
        Ok(Layout { points, frames: stated.min(there), start, stride, scale, rate, analog, samples })
    }
}

/// The number of frames that a file states. A word holds at most 65,535; longer files state it in other parameters.
fn frames(
    header: &Header,
    parameters: &Parameters,
    content: &[u8],
    stride: usize,
    warnings: &mut Warnings,
) -> usize {
    let ends = parameters.long("TRIAL:ACTUAL_START_FIELD").zip(parameters.long("TRIAL:ACTUAL_END_FIELD"));
    let trial = ends.and_then(|(start, end)| (end + 1).checked_sub(start));
    let long = parameters.number("POINT:LONG_FRAMES").filter(|frames| *frames >= 1.0);
    let long = trial.or(long.map(|frames| frames as u64)).filter(|frames| *frames > 0);
    let first = u64::from(header.word(4));
    let of_header = (u64::from(header.word(5)) + 1).saturating_sub(first);
    let short = parameters.long("POINT:FRAMES").filter(|frames| *frames > 0).unwrap_or(of_header);
    // 65,535 may also mean more frames: then the length of the file decides.
    let there = content.len() / stride;
    if long.is_none() && short >= 0xFFFF && there > 0xFFFF {
        // The last block is filled up with zeros.
        let filled = content.chunks_exact(stride).rev().take(BLOCK.div_ceil(stride));
        let filled = filled.take_while(|frame| frame.iter().all(|byte| *byte == 0)).count();
        let found = there - filled;
        warnings.push(Finding::new(Problem::LongFile { found }));
        return found;
    }
    usize::try_from(long.unwrap_or(short)).unwrap_or(usize::MAX)
}

/// The names of the points: LABELS, LABELS2 and so on.
fn names(parameters: &Parameters, points: usize, warnings: &mut Warnings) -> Vec<String> {
    let more = (2..).map(|number| parameters.texts(&format!("POINT:LABELS{number}")));
    let labels: Vec<&String> = parameters
        .texts("POINT:LABELS")
        .iter()
        .chain(more.take_while(|labels| !labels.is_empty()).flatten())
        .collect();
    if labels.len() < points {
        warnings.push(Finding::new(Problem::Labels { labels: labels.len(), points }));
    }
    let mut unique = Unique::default();
    let name = |at: usize| {
        let label = labels.get(at).map(|label| label.as_str()).filter(|label| !label.is_empty());
        let name = label.map_or_else(|| format!("marker_{}", at + 1), str::to_owned);
        let claimed = unique.claim(&name);
        if claimed != name {
            let [first, second] = [&name, &claimed].map(|name| quote(name.as_bytes()));
            let found = Problem::DuplicateName { name: first, unique: second };
            warnings.push(Finding::new(found).in_joint(name));
        }
        claimed
    };
    (0..points).map(name).collect()
}

type Points = (Vec<Option<Vector3<f64>>>, Vec<f64>);

/// Positions and residuals, frame by frame.
fn points(
    bytes: &[u8],
    processor: Processor,
    layout: &Layout,
    names: &[String],
    repair: bool,
    warnings: &mut Warnings,
) -> Result<Points, Finding> {
    let count = layout.frames * layout.points;
    let (mut positions, mut residuals) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let floats = layout.scale < 0.0;
    let size = if floats { 16 } else { 8 };
    for frame in 0..layout.frames {
        let start = layout.start + frame * layout.stride;
        let row = bytes[start..start + size * layout.points].chunks_exact(size);
        for (point, name) in row.zip(names) {
            let (place, word) = match floats {
                true => {
                    let float = |at: usize| processor.float([0, 1, 2, 3].map(|i| point[4 * at + i]));
                    // Camera mask and residual are one integer, stored as a float.
                    ([0, 1, 2].map(|axis| f64::from(float(axis))), float(3) as i32)
                }
                false => {
                    let word = |at: usize| processor.word([point[2 * at], point[2 * at + 1]]) as i16;
                    ([0, 1, 2].map(|axis| f64::from(word(axis)) * layout.scale), i32::from(word(3)))
                }
            };
            let mut seen = word >= 0 && !place.iter().any(|value| value.is_nan());
            if let Some(value) = place.into_iter().find(|value| seen && value.is_infinite()) {
                if !repair {
                    let error = Finding::new(Problem::NotFinite { value });
                    return Err(error.in_joint(name).in_frame(frame));
                }
                let warning = Finding::new(Problem::Repaired { value });
                warnings.push(warning.in_joint(name).in_frame(frame));
                seen = false;
            }
            positions.push(seen.then(|| Vector3::from(place)));
            residuals.push(if seen { f64::from(word & 0xFF) * layout.scale.abs() } else { 0.0 });
        }
    }
    Ok((positions, residuals))
}

/// Axes and unit. `Y_SCREEN` is the axis that points up on the screen; without it, Z is up.
fn space(parameters: &Parameters, warnings: &mut Warnings) -> Space {
    let axis = |path: &str| parameters.text(path).and_then(|text| text.parse::<SignedAxis>().ok());
    let up = axis("POINT:Y_SCREEN").unwrap_or(SignedAxis::Z);
    let across = axis("POINT:X_SCREEN").filter(|across| across.axis != up.axis);
    let forward = match across {
        // Out of the screen.
        Some(across) => nearest(&across.vector().cross(&up.vector())),
        None if up.axis == SignedAxis::Z.axis => SignedAxis { negative: !up.negative, ..SignedAxis::Y },
        None => SignedAxis::Z,
    };
    let name = parameters.text("POINT:UNITS");
    let unit = name.and_then(Unit::metres_of).map(|metres| Unit { metres, source: UnitSource::File });
    if let (None, Some(name)) = (unit, name) {
        warnings.push(Finding::new(Problem::UnknownUnit { name: quote(name.as_bytes()) }));
    }
    Space { up, forward, unit }
}

fn nearest(direction: &Vector3<f64>) -> SignedAxis {
    let axis = direction.iamax();
    SignedAxis { axis: mocap_model::Axis::ALL[axis], negative: direction[axis] < 0.0 }
}
