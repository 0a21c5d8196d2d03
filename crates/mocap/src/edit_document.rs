//! Edits that need no rotations, applied to a document: values that they do not change stay as written.

use mocap_formats::{Document, Finding};

use crate::{EditOptions, Header, Problem, above_zero, needed_unit};

/// The document with the edits; `None` where an edit or the format needs rotations and positions
/// instead of the written values: then [`edit()`](crate::edit()) applies them to its clip. `header`
/// is that of the document, which has `frames` frames. Assumptions are added to `warnings`.
///
/// ```
/// use mocap::{EditOptions, ReadOptions, edit_document};
///
/// let reading = ReadOptions::default();
/// let file = mocap::open("../../fixtures/clips/alex_walk.bvh", &reading)?.value;
/// let header = file.header(&reading).expect("the motion is valid").value;
/// let (document, frames) = (file.document().unwrap(), file.stated(&reading).frames);
/// let edits = EditOptions { trim: "10:20".parse().ok(), ..EditOptions::default() };
/// let edited = edit_document(document, &header, frames, &edits, &mut Vec::new())?;
/// assert!(edited.unwrap().write().main.into_bytes().starts_with(b"HIERARCHY"));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where an option is out of its range, no frame is left, or lengths are to be converted from an unknown unit.
pub fn edit_document(
    document: &dyn Document,
    header: &Header,
    frames: usize,
    options: &EditOptions,
    warnings: &mut Vec<Finding>,
) -> Result<Option<Box<dyn Document>>, Finding> {
    let EditOptions { drop_first_frame, trim, rate, scale, unit, up, lead_in: _, limits: _ } = *options;
    let Some(fps) = header.rate.map(|rate| rate.fps()).filter(|_| rate.is_none() && up.is_none()) else {
        return Ok(None);
    };
    above_zero("--scale", scale)?;
    above_zero("--unit", unit)?;
    let no_frame = |edit, frames| Finding::new(Problem::NoFrameLeft { edit, frames });
    let mut kept = 0..frames;
    if drop_first_frame {
        kept.start = 1;
        if kept.is_empty() {
            return Err(no_frame("--drop-first-frame", frames));
        }
    }
    if let Some(trim) = trim {
        let range = trim.frames(kept.len(), fps).ok_or_else(|| no_frame("--trim", kept.len()))?;
        kept = kept.start + range.start..kept.start + range.end;
    }
    let mut assumed = Vec::new();
    let mut factor = scale.unwrap_or(1.0);
    if let Some(metres) = unit {
        factor *= needed_unit(&header.skeleton, &mut assumed)?.metres / metres;
    }
    let edited = document.edited(kept, factor);
    if edited.is_some() {
        warnings.append(&mut assumed);
    }
    Ok(edited)
}
