//! Writes TRC files: tabs between columns, empty cells in gaps.

use super::Problem;
use crate::Finding;
use crate::markers::{digits, stated_unit};
use mocap_model::{Markers, Space};
use std::io::{self, Write};

/// Whether the recording can be written: the format states the unit of lengths.
pub(super) fn check(markers: &Markers) -> Result<(), Finding> {
    match markers.space().unit {
        Some(_) => Ok(()),
        None => Err(Finding::new(Problem::NoUnit)),
    }
}

/// Writes a recording, frame by frame. The format has no field for axes: Y is up.
pub(super) fn write(markers: &Markers, out: &mut dyn Write) -> io::Result<()> {
    let Space { up, forward, .. } = Space::default();
    let markers = markers.with_axes(up, forward);
    let (names, frames) = (markers.names(), markers.frames());
    let (unit, factor) = stated_unit(markers.space()).unwrap_or(("m", 1.0));
    let (fps, count) = (digits(markers.rate().fps()), names.len());
    writeln!(out, "PathFileType\t4\t(X/Y/Z)\tmocap.trc")?;
    writeln!(
        out,
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames"
    )?;
    writeln!(out, "{fps}\t{fps}\t{frames}\t{count}\t{unit}\t{fps}\t1\t{frames}")?;
    write!(out, "Frame#\tTime")?;
    for name in names {
        write!(out, "\t{}\t\t", name.replace(['\t', '\n', '\r'], " "))?;
    }
    write!(out, "\n\t")?;
    for number in 1..=count {
        write!(out, "\tX{number}\tY{number}\tZ{number}")?;
    }
    writeln!(out, "\n")?;
    for frame in 0..frames {
        let time = (frame as f64 * markers.rate().frame_time() * 1e9).round() / 1e9;
        write!(out, "{}\t{time}", frame + 1)?;
        for marker in 0..count {
            match markers.position(frame, marker) {
                Some(place) if factor == 1.0 => {
                    place.iter().try_for_each(|value| write!(out, "\t{}", digits(*value)))?;
                }
                Some(place) => place.iter().try_for_each(|value| write!(out, "\t{}", value * factor))?,
                None => write!(out, "\t\t\t")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
