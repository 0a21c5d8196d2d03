//! A document written back: as it is, or with edits that leave its rotations as they are.

use mocap::{Companions, FileFacts, edit_document};
use mocap_formats::{Document, Format, Parsed};
use mocap_model::Markers;

use super::{Converted, encode_options};
use crate::batch::Failure;
use crate::diagnostic::{Behind, Diagnostic};
use crate::options::{ConvertArgs as Args, Reading};
use crate::read::Loaded;

/// A recording as it is.
pub(super) fn keep_markers(loaded: Loaded, markers: &Markers, args: &Args) -> Result<Converted, Failure> {
    let (frames, fps, count) = (markers.frames(), markers.rate().fps(), markers.names().len());
    let warnings = loaded.warnings(&args.reading)?;
    let encoded = loaded.into_document().expect("a recording is a document").into_encoded().into();
    let kept = Converted::of(encoded, frames, Some(fps), 0);
    Ok(Converted { markers: Some(count), unchanged: true, warnings, ..kept })
}

/// The document as it is, unless other programs would misread it.
pub(super) fn keep(loaded: Loaded, args: &Args) -> Result<Converted, Failure> {
    // The motion is checked nevertheless: a broken one is not copied.
    let (FileFacts { frames, fps, joints, subjects, .. }, mut warnings) = loaded.facts(&args.reading)?;
    let document = loaded.document().expect("only a compressed clip has no document");
    let normalised = normalised(document, &loaded, args, &mut warnings).behind(&mut warnings)?;
    let unchanged = normalised.is_none();
    let document = normalised.or_else(|| loaded.into_document()).expect("it has a document");
    let encoded = document.into_encoded().into();
    Ok(Converted { subjects, unchanged, warnings, ..Converted::of(encoded, frames, fps, joints) })
}

/// The document with the edits; `None` where they need its rotations, or it is to be written otherwise.
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

/// The document as all readers take it; `None` where they do so already.
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
