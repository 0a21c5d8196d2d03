//! Tables of markers.

use super::write::cell;
use crate::markers::digits;
use mocap_model::Markers;
use std::io::{self, Write};

/// Writes the table of a recording: the columns are those of a clip, `joint` is the marker. In a gap x, y and z are
/// empty. Numbers keep all of their digits.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/markers/knee.c3d"));
/// let knee = mocap_formats::c3d::parse(bytes, &Default::default())?.value;
/// let mut table = Vec::new();
/// mocap_formats::csv::write_markers(&knee, &mut table)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of `out`.
pub fn write_markers(markers: &Markers, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<Vec<u8>> = markers.names().iter().map(|name| cell(name)).collect();
    out.write_all(b"frame,time,joint,x,y,z\n")?;
    let mut rows = Vec::new();
    for frame in 0..markers.frames() {
        rows.clear();
        let time = super::write::micro(frame as f64 * markers.rate().frame_time());
        for (marker, name) in names.iter().enumerate() {
            write!(rows, "{frame},{time},")?;
            rows.extend_from_slice(name);
            match markers.position(frame, marker) {
                Some(place) => place.iter().try_for_each(|value| write!(rows, ",{}", digits(*value)))?,
                None => rows.extend_from_slice(b",,,"),
            }
            rows.push(b'\n');
        }
        out.write_all(&rows)?;
    }
    Ok(())
}
