//! Writes a document back: unchanged, or with edits that do not need its rotations.

use mocap::{Companions, FileFacts, edit_document};
use mocap_formats::asf::AsfUnits;
use mocap_formats::bvh::PositionChannels;
use mocap_formats::{Document, Format, Parsed};
use mocap_model::Markers;

use super::{Converted, encode_options};
use crate::batch::Failure;
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::{EncodeOptions, Encoded};
use crate::options::{ConvertArgs as Args, Edits, Reading, SceneFlags};
use crate::read::Loaded;

/// How a document is written again in its own format.
pub(crate) struct SameFormat<'a> {
    pub(crate) reading: &'a Reading,
    pub(crate) edits: &'a Edits,
    pub(crate) options: EncodeOptions<'a>,
    /// Whether all clips and joints of the file are written, in the order of the file.
    pub(crate) is_whole: bool,
    /// Whether it stays as it is even if other programs would misread it.
    pub(crate) verbatim: bool,
}

impl<'a> SameFormat<'a> {
    /// The settings of a command.
    pub(super) fn of(args: &'a Args) -> SameFormat<'a> {
        let orders = args.robot_motion.order.is_none() && args.arrays.asked().is_none();
        SameFormat {
            reading: &args.reading,
            edits: &args.edits,
            options: encode_options(args, ""),
            is_whole: orders && args.inputs.selection.clip.is_none() && args.marker_set.is_none(),
            verbatim: args.verbatim,
        }
    }

    /// Whether no setting changes the values of a document that is written in its own format.
    pub(super) fn changes_nothing(&self, document: &dyn Document, format: Format) -> bool {
        *self.edits == Edits::default() && self.changes_only_edits(document, format)
    }

    /// The same, ignoring edits.
    fn changes_only_edits(&self, document: &dyn Document, format: Format) -> bool {
        let reading = self.reading;
        // A BVH does not state its unit and axes, so stating them changes nothing in the file.
        let space = reading.input_unit.is_some()
            || reading.input_up.is_some()
            || reading.asf_units.0 != AsfUnits::Auto;
        self.is_whole
            && self.options.euler.is_none_or(|order| document.has_order(order))
            && self.options.scene == SceneFlags::default()
            && reading.input_fps.is_none()
            && reading.subject.is_none()
            && reading.position_channels.0 == PositionChannels::Auto
            && !reading.repair
            && (!space || !format.states_space() && format.fixed_space().is_none())
    }

    /// How the file is read: a rest pose that an edit drops needs no warning.
    fn reading(&self) -> Reading {
        Reading { rest_frame_dropped: self.edits.drop_first_frame, ..self.reading.clone() }
    }
}

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
    let how = SameFormat::of(args);
    let normalised = normalised(document, &loaded, &how, &mut warnings).behind(&mut warnings)?;
    let unchanged = normalised.is_none();
    let document = normalised.or_else(|| loaded.into_document()).expect("it has a document");
    let encoded = document.into_encoded().into();
    Ok(Converted { subjects, unchanged, warnings, ..Converted::of(encoded, frames, fps, joints) })
}

/// The document with the edits; `None` if they need its rotations or another style of output is requested.
pub(super) fn edit(loaded: &Loaded, args: &Args, format: Format) -> Result<Option<Converted>, Failure> {
    let how = SameFormat::of(args);
    let Some(document) = loaded.document() else { return Ok(None) };
    if loaded.format != format.into() || !how.changes_only_edits(document, format) {
        return Ok(None);
    }
    let reading = how.reading();
    let (header, frames, mut warnings) = loaded.header_and_frames(&reading)?;
    let mut found = Vec::new();
    let edited = normalised(document, loaded, &how, &mut warnings).and_then(|normalised| {
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

/// The file of a document in its own format, with the edits, and the warnings about what changed in it: the same file
/// that the command writes. `None` if the values of the document do not stay: then its motion is written.
pub(crate) fn again(
    loaded: &Loaded,
    how: &SameFormat<'_>,
    format: Format,
) -> Result<Option<(Encoded, Vec<Diagnostic>)>, Failure> {
    let same = loaded.document().filter(|_| loaded.format == format.into());
    let Some(document) = same.filter(|document| how.changes_only_edits(*document, format)) else {
        return Ok(None);
    };
    let mut warnings = Vec::new();
    let normalised = normalised(document, loaded, how, &mut warnings)?;
    if *how.edits == Edits::default() {
        let encoded = normalised.map_or_else(|| document.write(), Document::into_encoded);
        return Ok(Some((encoded.into(), warnings)));
    }
    let (header, frames, _) = loaded.header_and_frames(&how.reading())?;
    let document = normalised.as_deref().unwrap_or(document);
    // The step that edits the motion has the same warnings.
    let edited = edit_document(document, &header, frames, &how.edits.options(), &mut Vec::new());
    Ok(edited.map_err(Diagnostic::from)?.map(|edited| (edited.into_encoded().into(), warnings)))
}

/// The document in a form that all readers understand alike; `None` if it has that form already.
fn normalised(
    document: &dyn Document,
    loaded: &Loaded,
    how: &SameFormat<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Option<Box<dyn Document>>, Diagnostic> {
    if how.verbatim {
        return Ok(None);
    }
    let reading = loaded.options(how.reading).of_format(Companions::default());
    let changed = document.normalised(&reading, &how.options.options())?;
    Ok(changed.map(|Parsed { value, warnings: found }| {
        warnings.extend(found.into_iter().map(Diagnostic::from));
        value
    }))
}
