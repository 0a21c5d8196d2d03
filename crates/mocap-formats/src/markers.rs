//! Recordings of markers, in the formats that hold them.

use crate::{Content, Encoded, Finding, Format, FormatProblem, LeftOut, ReadOptions, Stated, WriteOptions};
use mocap_model::{Markers, Space};

/// A file of markers: the recording and its bytes.
#[derive(Debug)]
pub(crate) struct MarkersDocument {
    pub(crate) format: Format,
    pub(crate) markers: Markers,
    pub(crate) bytes: Vec<u8>,
}

impl crate::Document for MarkersDocument {
    fn format(&self) -> Format {
        self.format
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated { frames: self.markers.frames(), ..Stated::default() }
    }

    fn markers(&self) -> Option<&Markers> {
        Some(&self.markers)
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}

/// Writes a recording of markers in a format.
///
/// ```
/// use mocap_formats::{Format, ReadOptions, WriteOptions, read, write_markers};
/// use mocap_model::{FrameRate, Markers, Space, Vector3};
///
/// let rate = FrameRate::new(100.0).unwrap();
/// let positions = vec![Some(Vector3::new(0.0, 1.0, 0.0)), None];
/// let markers = Markers::new(Space::default(), rate, 2, vec!["LANK".into()], positions)?;
/// let bytes = write_markers(&markers, Format::C3d, &WriteOptions::default())?.main.into_bytes();
/// let document = read(&bytes, &ReadOptions::default())?.value;
/// assert_eq!(document.markers().unwrap().position(1, 0), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the format holds no markers, or cannot hold these.
pub fn write_markers<'m>(
    markers: &'m Markers,
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'m>, Finding> {
    match format.entry().write_markers {
        Some(write) => write(markers, options),
        None => Err(Finding::new(FormatProblem::NoMarkers { format })),
    }
}

/// The name of the unit in which lengths are written for other programs, and the factor to it from the recording's. A
/// unit that they do not know by a name is written in metres. `None` where the unit is not known.
pub(crate) fn stated_unit(space: &Space) -> Option<(&'static str, f64)> {
    let unit = space.unit?;
    // No other program knows the unit of the CMU database by a name.
    Some(unit.name().filter(|name| *name != "cmu").map_or(("m", unit.metres), |name| (name, 1.0)))
}

/// The warning about events of a recording, for formats without.
pub(crate) fn events_left(markers: &Markers) -> Vec<Finding> {
    let count = markers.events().len();
    if count == 0 { Vec::new() } else { vec![Finding::new(LeftOut::Events { count })] }
}

/// A file of markers that is computed while it is written.
pub(crate) fn streamed<'m>(
    write: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()> + Send + Sync + 'm,
) -> Encoded<'m> {
    Content::stream(write).into()
}

/// The digits of a number: the shortest that give the 32-bit float where the value is one, else those of 64 bits.
pub(crate) fn digits(value: f64) -> String {
    let short = value as f32;
    if f64::from(short) == value { short.to_string() } else { value.to_string() }
}
