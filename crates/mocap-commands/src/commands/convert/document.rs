//! Writes a document back: unchanged, or with edits that do not need its rotations.

use mocap::{Companions, FileFacts, edit_document};
use mocap_formats::{Document, Format, Parsed};
use mocap_model::Markers;

use super::{Converted, encode_options};
use crate::batch::Failure;
use crate::diagnostic::{Behind, Diagnostic};
use crate::options::{ConvertArgs as Args, Reading};
use crate::read::Loaded;

/// An unchanged recording of markers.
pub(super) fn keep_markers(loaded: Loaded, markers: &Markers, args: &Args) -> Result<Converted, Failure> {
    let (frames, fps, count) = (markers.frames(), markers.rate().fps(), markers.names().len());
    let warnings = loaded.warnings(&args.reading)?;
    let encoded = loaded.into_document().expect("a recording is a document").into_encoded().into();
    let kept = Converted::of(encoded, frames, Some(fps), 0);
    Ok(Converted { markers: Some(count), unchanged: true, warnings, ..kept })
}

/// The document unchanged, unless other programs would misread it.
pub(super) fn keep(loaded: Loaded, args: &Args) -> Result<Converted, Failure> {
    // The motion is checked all the same, so that a broken file is not copied.
    let (FileFacts { frames, fps, joints, subjects, .. }, mut warnings) = loaded.facts(&args.reading)?;
    let document = loaded.document().expect("only a compressed clip has no document");
    let normalised = normalised(document, &loaded, args, &mut warnings).behind(&mut warnings)?;
    let unchanged = normalised.is_none();
    let document = normalised.or_else(|| loaded.into_document()).expect("it has a document");
    let encoded = document.into_encoded().into();
    Ok(Converted { subjects, unchanged, warnings, ..Converted::of(encoded, frames, fps, joints) })
}

/// The document with the edits; `None` if they need its rotations or another style of output is requested.
pub(super) fn edit(loaded: &Loaded, args: &Args, format: Format) -> Result<Option<Converted>, Failure> {
    let Some(document) = loaded.document() else { return Ok(None) };
    if loaded.format != format.into() || !args.changes_only_edits(document, format) {
        return Ok(None);
    }
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame, ..args.reading.clone() };
    let (header, frames, mut warnings) = loaded.header_and_frames(&reading)?;
    let mut found = Vec::new();
    let edited = normalised(document, loaded, args, &mut warnings).and_then(|normalised| {
        let document = normalised.as_deref().unwrap_or(document);
        Ok(edit_document(document, &header, frames, &args.edits.options(), &mut found)?)
    });
    let Some(document) = edited.behind(&mut warnings)? else { return Ok(None) };
    warnings.extend(found.into_iter().map(Diagnostic::from));
    let joints = header.skeleton.joints().iter().filter(|joint| !joint.end_site).count();
    let frames = document.stated(&loaded.options(&reading).of_format(Companions::default())).frames;
    let converted =
        Converted::of(document.into_encoded().into(), frames, header.rate.map(|rate| rate.fps()), joints);
    let subjects = mocap::several_subjects(&header.skeleton);
    Ok(Some(Converted { subjects, warnings, ..converted }))
}

/// The document in a form that all readers understand alike; `None` if it has that form already.
fn normalised(
    document: &dyn Document,
    loaded: &Loaded,
    args: &Args,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<Box<dyn Document>>, Diagnostic> {
    if args.verbatim {
        return Ok(None);
    }
    let reading = loaded.options(&args.reading).of_format(Companions::default());
    let changed = document.normalised(&reading, &encode_options(args).options())?;
    Ok(changed.map(|Parsed { value, warnings: found }| {
        warnings.extend(found.into_iter().map(Diagnostic::from));
        value
    }))
}
