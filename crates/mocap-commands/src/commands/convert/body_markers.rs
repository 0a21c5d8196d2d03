//! Converts motions of bodies to recordings of the markers of a set.

use mocap_formats::Format;

use super::Converted;
use crate::diagnostic::{Behind, Diagnostic, Failure};
use crate::edit;
use crate::encode;
use crate::options::{ConvertArgs as Args, Reading};
use crate::read::{Loaded, Motion};

/// Applies the edits and writes the markers that `set` places on the body.
pub(super) fn convert(loaded: Loaded, args: &Args, set: &str, format: Format) -> Result<Converted, Failure> {
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    let Motion { clip, mut warnings, .. } = loaded.into_motion(&reading)?;
    let mut found = Vec::new();
    let written = edit::apply(&args.edits, reading.limits(), clip, &mut warnings).and_then(|clip| {
        let markers = mocap::markers_on(&clip, set, &mut found)?;
        let (frames, fps, count) = (markers.frames(), markers.rate().fps(), markers.names().len());
        let encoded = encode::markers(&markers, format, args.arrays.style.options())?;
        Ok(Converted { markers: Some(count), ..Converted::of(encoded, frames, Some(fps), 0) })
    });
    for warning in found.into_iter().map(Diagnostic::from) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let converted = written.behind(&mut warnings)?;
    Ok(Converted { warnings, ..converted })
}

/// The error for an input that holds markers already.
pub(super) fn no_body() -> Diagnostic {
    Diagnostic::new(
        "usage::marker-set",
        "--marker-set puts markers on a body, and the file is a recording of markers",
    )
    .help("`mocap solve` makes the motion of a body of it")
}
