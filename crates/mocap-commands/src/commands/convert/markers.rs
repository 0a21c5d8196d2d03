//! Recordings of markers in another format.

use std::ops::Range;

use mocap_formats::Format;
use mocap_model::{FrameRange, Markers, Unit, UnitSource};

use super::Converted;
use crate::diagnostic::{Behind, Diagnostic, Failure};
use crate::encode;
use crate::options::{ConvertArgs as Args, Edits};

/// The recording in another format, with the edits that apply to markers.
pub(super) fn convert(
    markers: Markers,
    mut warnings: Vec<Diagnostic>,
    args: &Args,
    format: Format,
) -> Result<Converted, Failure> {
    let written = edited(markers, &args.edits).and_then(|markers| {
        let (frames, fps, count) = (markers.frames(), markers.rate().fps(), markers.names().len());
        let encoded = encode::markers(&markers, format, args.arrays.style.options())?;
        Ok(Converted { markers: Some(count), ..Converted::of(encoded, frames, Some(fps), 0) })
    });
    let converted = written.behind(&mut warnings)?;
    Ok(Converted { warnings, ..converted })
}

fn no_frame(edit: &'static str, frames: usize) -> Diagnostic {
    Diagnostic::from(mocap::Problem::NoFrameLeft { edit, frames })
}

/// The frames that --trim keeps of a recording.
pub(crate) fn trimmed(trim: FrameRange, frames: usize, fps: f64) -> Result<Range<usize>, Diagnostic> {
    trim.frames(frames, fps).ok_or_else(|| no_frame("--trim", frames))
}

fn edited(mut markers: Markers, edits: &Edits) -> Result<Markers, Diagnostic> {
    let Edits { drop_first_frame, trim, fps, scale, unit, up } = *edits;
    let refused = [("--fps", fps.is_some()), ("--up", up.is_some())];
    if let Some((flag, _)) = refused.into_iter().find(|(_, given)| *given) {
        let message = format!("{flag} has no effect on markers");
        return Err(Diagnostic::new("usage::edit", message).help("markers can be trimmed and scaled"));
    }
    let frames = markers.frames();
    if drop_first_frame {
        markers = markers.trim(1..frames).map_err(|_| no_frame("--drop-first-frame", frames))?;
    }
    if let Some(trim) = trim {
        let range = trimmed(trim, markers.frames(), markers.rate().fps())?;
        markers = markers.trim(range).map_err(|_| no_frame("--trim", frames))?;
    }
    let failed = |error: mocap_model::ModelError| Diagnostic::new("edit::not-finite", error.to_string());
    if let Some(factor) = scale {
        markers = markers.scaled(factor.0).map_err(failed)?;
    }
    if let Some(to) = unit {
        let from = markers.space().metres().ok_or_else(|| {
            Diagnostic::new("unit::unknown", "the file does not state its unit, and markers do not show it")
                .help("--input-unit states it")
        })?;
        let space = *markers.space();
        markers = markers.scaled(from / to.0).map_err(failed)?;
        let unit = Some(Unit { metres: to.0, source: UnitSource::File });
        markers = markers.with_space(mocap_model::Space { unit, ..space });
    }
    Ok(markers)
}
