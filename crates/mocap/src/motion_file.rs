//! A motion file: its document, and its interpretation with options for facts that the file does not state.

use std::sync::{Arc, OnceLock};

use mocap_analysis::Verdict;
use mocap_compress::{Compressed, OpenLimits};
use mocap_formats::{
    ChoiceProblem, ClipChoice, Document, FilesBeside, Finding, LimitExceeded, Limits, Parsed, ReadError,
    Remedy, Stated, asf, bvh,
};
use mocap_model::{Clip, FrameRate, Markers, Skeleton, UnitSource};

use crate::problem::unlikely_rate;
use crate::unit::{asks_whole_motion, facing, in_space, restated, restated_space, unlikely_unit};
use crate::up::detect_up;
use crate::{FileFormat, Problem, ReadOptions, above_zero, subjects};

/// A file of any format as read, before it is interpreted.
#[derive(Debug)]
pub struct MotionFile {
    format: FileFormat,
    content: Content,
    /// The start of its motion, cached at the first request: the clip of a short file is made only once.
    start: OnceLock<Box<Start>>,
}

/// The start of a motion, or all of it, as returned by [`seen`], and the options that it was made with.
#[derive(Debug)]
struct Start {
    options: ReadOptions,
    clip: Parsed<Clip>,
}

#[derive(Debug)]
enum Content {
    Document(Box<dyn Document>),
    /// A compressed clip needs no interpretation.
    Clip(Clip),
}

/// Other files that a file needs.
#[derive(Clone, Debug, Default)]
pub struct Companions {
    /// The skeleton of an AMC.
    pub skeleton: Option<asf::Document>,
    /// The body whose bones an SMPL motion moves, or the robot of a robot motion.
    pub body: Option<Arc<Skeleton>>,
    /// The files that it refers to: see [`files_beside`](crate::files_beside()).
    pub files: FilesBeside,
}

/// The interpretation of a file without its rotations over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// `None` for a skeleton without motion.
    pub rate: Option<FrameRate>,
    /// The names of its numbers over time, such as weights of shapes.
    pub numbers: Vec<String>,
    /// Verdicts on the motion, from its start.
    pub verdicts: Vec<Verdict>,
}

impl MotionFile {
    /// Reads a file held in memory, with the files that it needs. The list of warnings is that of the
    /// document.
    ///
    /// # Errors
    /// Where the content is wrong: with every place where it is.
    pub fn parse(
        bytes: &[u8],
        format: FileFormat,
        companions: Companions,
        options: &ReadOptions,
    ) -> Result<Parsed<MotionFile>, ReadError> {
        MotionFile::read(bytes, format, companions, options, |options| mocap_formats::read(bytes, options))
    }

    /// Like [`MotionFile::parse`], for bytes that the file may keep instead of parsed values: see
    /// [`mocap_formats::read_shared`].
    ///
    /// # Errors
    /// Those of [`MotionFile::parse`].
    pub fn parse_shared(
        bytes: &Arc<Vec<u8>>,
        format: FileFormat,
        companions: Companions,
        options: &ReadOptions,
    ) -> Result<Parsed<MotionFile>, ReadError> {
        let read = |options: &_| mocap_formats::read_shared(bytes, options);
        MotionFile::read(bytes, format, companions, options, read)
    }

    fn read(
        bytes: &[u8],
        format: FileFormat,
        companions: Companions,
        options: &ReadOptions,
        read: impl FnOnce(&mocap_formats::ReadOptions) -> Result<Parsed<Box<dyn Document>>, ReadError>,
    ) -> Result<Parsed<MotionFile>, ReadError> {
        above_zero("the unit", options.unit)?;
        let (content, warnings) = match format {
            FileFormat::Mocz => (Content::Clip(decompressed(bytes, &options.limits)?), Vec::new()),
            FileFormat::Exchange(exchange) => {
                let of_format =
                    mocap_formats::ReadOptions { format: Some(exchange), ..options.of_format(companions) };
                let read = read(&of_format);
                let Parsed { value, mut warnings } = read.map_err(|error| refused(error, options.repair))?;
                let answered =
                    |found: &Finding| options.unit.is_some() && found.remedy() == Some(Remedy::StateUnit);
                warnings.retain(|warning| !answered(warning));
                (Content::Document(value), warnings)
            }
        };
        // An NPZ file may hold the arrays of another format.
        let format = match &content {
            Content::Document(document) => FileFormat::Exchange(document.format()),
            Content::Clip(_) => format,
        };
        Ok(Parsed { value: MotionFile::new(format, content), warnings })
    }

    fn new(format: FileFormat, content: Content) -> MotionFile {
        MotionFile { format, content, start: OnceLock::new() }
    }

    /// A compressed clip that was opened with a skeleton of another file.
    pub fn of_compressed(compressed: &Compressed) -> MotionFile {
        MotionFile::new(FileFormat::Mocz, Content::Clip(stating(compressed.to_clip())))
    }

    /// The format of the file.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// The document, value by value; `None` for a compressed clip.
    pub fn document(&self) -> Option<&dyn Document> {
        match &self.content {
            Content::Document(document) => Some(document.as_ref()),
            Content::Clip(_) => None,
        }
    }

    /// The markers of a recording, in the rate, unit and axes that the options state; `None` for other files.
    ///
    /// # Errors
    /// Where the subject that is asked for is not in it.
    pub fn markers(&self, options: &ReadOptions) -> Result<Option<Markers>, Finding> {
        let Some(markers) = self.document().and_then(Document::markers) else { return Ok(None) };
        let markers = subjects::of_markers(markers, options.subject.as_deref())?;
        let space = restated_space(*markers.space(), options);
        Ok(Some(crate::markers::restated(&markers, options.rate, space)))
    }

    /// As [`MotionFile::document`], to keep.
    pub fn into_document(self) -> Option<Box<dyn Document>> {
        match self.content {
            Content::Document(document) => Some(document),
            Content::Clip(_) => None,
        }
    }

    /// The names of its clips, in order; empty for formats that hold one clip per file.
    pub fn clip_names(&self) -> Vec<String> {
        self.document().map(Document::clip_names).unwrap_or_default()
    }

    /// Facts stated in the file that a clip does not hold.
    pub fn stated(&self, options: &ReadOptions) -> Stated {
        match &self.content {
            Content::Document(document) => document.stated(&options.of_format(Companions::default())),
            Content::Clip(clip) => Stated::of_dofs(clip.skeleton(), clip.frames()),
        }
    }

    /// The motion of the file, in the rate, unit and axes that the options state. Warnings are
    /// those of the interpretation; the caller, who has those of the document too, applies
    /// [`ReadOptions::strict`].
    ///
    /// # Errors
    /// Where it has no motion, values that are not finite, more frames × joints than
    /// [`Limits::samples`](mocap_formats::Limits::samples), or no frame is left.
    pub fn into_clip(mut self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        self.check_choice(options)?;
        if let Some(made) = self.whole(options) {
            drop(self);
            return finished(made, options);
        }
        self.start.take();
        let format = self.format;
        let parsed = match self.content {
            Content::Document(document) => document.into_clip(&options.of_format(Companions::default())),
            Content::Clip(clip) => Ok(Parsed { value: clip, warnings: Vec::new() }),
        };
        meant(parsed, format, options)
    }

    /// Like [`MotionFile::into_clip`]. What only the motion needs may be freed as the clip grows: afterwards only
    /// [`MotionFile::text`] is useful.
    ///
    /// # Errors
    /// Those of [`MotionFile::into_clip`].
    pub fn take_clip(&mut self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        if self.text().is_none() {
            return self.to_clip(options);
        }
        self.check_choice(options)?;
        if let Some(made) = self.whole(options) {
            return finished(made, options);
        }
        self.start.take();
        let parsed = match &mut self.content {
            Content::Document(document) => document.take_clip(&options.of_format(Companions::default())),
            Content::Clip(clip) => Ok(Parsed { value: clip.clone(), warnings: Vec::new() }),
        };
        meant(parsed, self.format, options)
    }

    /// The bytes of the file, where it keeps them, without those that [`MotionFile::take_clip`] freed.
    pub fn text(&self) -> Option<&[u8]> {
        self.document()?.text()
    }

    /// Like [`MotionFile::into_clip`], without consuming the file.
    ///
    /// # Errors
    /// Those of [`MotionFile::into_clip`].
    pub fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        self.check_choice(options)?;
        if let Some(made) = self.whole(options) {
            return finished(made, options);
        }
        let parsed = match &self.content {
            Content::Document(document) => document.to_clip(&options.of_format(Companions::default())),
            Content::Clip(clip) => Ok(Parsed { value: clip.clone(), warnings: Vec::new() }),
        };
        meant(parsed, self.format, options)
    }

    /// All motions in the file, in order; of formats that hold one clip per file, that one.
    ///
    /// # Errors
    /// As [`MotionFile::into_clip`].
    pub fn to_clips(&self, options: &ReadOptions) -> Result<Parsed<Vec<Clip>>, ReadError> {
        let names = self.clip_names();
        // A name that occurs twice does not identify a clip.
        let choice = |at: usize| match names.iter().position(|name| *name == names[at]) {
            Some(first) if first == at => ClipChoice(names[at].clone()),
            _ => ClipChoice(at.to_string()),
        };
        let choices = (0..names.len()).map(|at| Some(choice(at))).chain(names.is_empty().then_some(None));
        let (mut clips, mut all): (Vec<Clip>, Vec<Finding>) = (Vec::new(), Vec::new());
        for clip in choices {
            let options = ReadOptions { clip, ..options.clone() };
            let Parsed { value, warnings } = self.to_clip(&options)?;
            clips.push(value);
            for warning in warnings {
                if !all.contains(&warning) {
                    all.push(warning);
                }
            }
        }
        Ok(Parsed { value: clips, warnings: all })
    }

    /// Skeleton and rate, with everything that is found in the whole file.
    ///
    /// # Errors
    /// As [`MotionFile::into_clip`], but a skeleton needs no motion.
    pub fn header(&self, options: &ReadOptions) -> Result<Parsed<Header>, ReadError> {
        self.check_choice(options)?;
        if let Content::Document(document) = &self.content
            && !self.format.has_motion()
        {
            let skeleton = document.to_skeleton(&options.of_format(Companions::default()));
            let skeleton = skeleton.map_err(|error| refused(error, options.repair))?;
            let Parsed { value, mut warnings } = skeleton;
            warnings.extend(unlikely_unit(&value, options));
            let skeleton = restated(&value, options);
            let (numbers, verdicts) = (Vec::new(), Vec::new());
            return Ok(Parsed { value: Header { skeleton, rate: None, numbers, verdicts }, warnings });
        }
        let Parsed { value: start, warnings } = self.start(options)?;
        let frames = self.stated(options).frames;
        let warnings = first_frame(frames, options, warnings)?;
        // The hinges of a robot may stay still at the start. A motion beyond the limits is no clip that could differ.
        let whole = match start.frames() < frames && asks_whole_motion(&start) {
            true if options.limits.check_samples(frames, start.skeleton().len()).is_ok() => {
                Some(self.to_clip(options)?)
            }
            _ => None,
        };
        let Parsed { value: clip, warnings } = whole.unwrap_or(Parsed { value: start, warnings });
        let skeleton = restated(clip.skeleton(), options);
        let numbers = clip.annotations().scalars.iter().map(|track| track.name.clone()).collect();
        let header = Header { skeleton, rate: Some(clip.rate()), numbers, verdicts: crate::verdicts(&clip) };
        Ok(Parsed { value: header, warnings })
    }

    /// Refuses the choice of another clip than the only one that a format holds. Other readers choose themselves.
    fn check_choice(&self, options: &ReadOptions) -> Result<(), ReadError> {
        let several = self.format.exchange().is_some_and(mocap_formats::Format::reads_several_clips);
        match &options.clip {
            Some(ClipChoice(name)) if !several && name != "0" => {
                Err(Finding::new(ChoiceProblem::OneClip { name: name.clone() }).into())
            }
            _ => Ok(()),
        }
    }

    /// The start of the motion, or all of it, as returned by [`seen`].
    fn start(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        let of_start = of_start(options);
        if let Some(start) = self.start.get().filter(|start| start.options == of_start) {
            return Ok(start.clip.clone());
        }
        let clip = match &self.content {
            Content::Document(document) => document.to_clip_start(&options.of_format(Companions::default())),
            Content::Clip(clip) => Ok(Parsed { value: clip.clone(), warnings: Vec::new() }),
        };
        let Parsed { value, mut warnings } = clip.map_err(|error| refused(error, options.repair))?;
        let value = subjects::of_clip(value, options.subject.as_deref())?;
        let value = seen(value, self.format, options, &mut warnings);
        let clip = Parsed { value, warnings };
        // The first request is cached.
        let _ = self.start.set(Box::new(Start { options: of_start, clip: clip.clone() }));
        Ok(clip)
    }

    /// The whole motion as returned by [`seen`], if the cached start was made with these options and is
    /// complete.
    fn whole(&self, options: &ReadOptions) -> Option<Parsed<Clip>> {
        let Start { options: made_with, clip } = &**self.start.get()?;
        let of_all = *made_with == of_start(options) && options.subject.is_none();
        let (frames, joints) = (clip.value.frames(), clip.value.skeleton().len());
        let all = of_all && frames == self.stated(options).frames;
        (all && options.limits.check_samples(frames, joints).is_ok()).then(|| clip.clone())
    }
}

/// The options without those that [`finished`] applies later.
fn of_start(options: &ReadOptions) -> ReadOptions {
    ReadOptions { strict: false, drop_first_frame: false, expect_rest_frame: false, ..options.clone() }
}

/// The motion of a document, with the stated rate, unit and axes.
fn meant(
    parsed: Result<Parsed<Clip>, ReadError>,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Parsed<Clip>, ReadError> {
    let Parsed { value: clip, mut warnings } = parsed.map_err(|error| refused(error, options.repair))?;
    if let Err(error) = options.limits.check_samples(clip.frames(), clip.skeleton().len()) {
        return Err(ReadError::from(Finding::new(error)).behind(warnings));
    }
    let clip = subjects::of_clip(clip, options.subject.as_deref())?;
    let clip = seen(clip, format, options, &mut warnings);
    finished(Parsed { value: clip, warnings }, options)
}

/// Completes a motion from [`seen`]: drops the first frame if requested, and sets the stated unit and axes.
fn finished(seen: Parsed<Clip>, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
    let Parsed { value: mut clip, warnings } = seen;
    let warnings = first_frame(clip.frames(), options, warnings)?;
    if options.drop_first_frame {
        clip = clip.trimmed(1..clip.frames()).expect("there are two frames");
    }
    let skeleton = restated(clip.skeleton(), options);
    let clip = clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before");
    Ok(Parsed { value: clip, warnings })
}

/// The clip at the stated rate. Adds warnings that follow from the motion and belong to no line of the file.
fn seen(mut clip: Clip, format: FileFormat, options: &ReadOptions, warnings: &mut Vec<Finding>) -> Clip {
    match options.rate {
        Some(rate) => clip = clip.with_rate(rate),
        None if clip.frames() > 1 => warnings.extend(unlikely_rate(clip.rate().fps())),
        None => {}
    }
    let mut faces = None;
    if let Some((skeleton, forward, doubt)) = crate::unit::hinges_with_roles(&clip) {
        warnings.extend(doubt);
        faces = Some(forward).filter(|_| !format.states_space());
        clip = clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before");
    }
    // Such readers, like that of BVH, report it with its line.
    if !format.exchange().is_some_and(mocap_formats::Format::reports_rest) {
        warnings.extend(bvh::rest_first_frame(&clip));
    }
    warnings.extend(options.peers.warnings());
    warnings.extend(unlikely_unit(clip.skeleton(), options));
    let clip = detect_up(format, clip, options, warnings);
    match faces {
        Some(forward) => facing(clip, forward, options),
        None => clip,
    }
}

/// Removes the warning about a rest pose in the first frame if that frame is dropped or expected.
///
/// # Errors
/// If it is dropped and no other frame is left.
fn first_frame(
    frames: usize,
    options: &ReadOptions,
    mut warnings: Vec<Finding>,
) -> Result<Vec<Finding>, ReadError> {
    if options.expect_rest_frame || options.drop_first_frame {
        warnings.retain(|warning| warning.remedy() != Some(Remedy::DropFirstFrame));
    }
    if options.drop_first_frame && frames < 2 {
        let error = Finding::new(Problem::NoFrameLeft { edit: "--drop-first-frame", frames });
        return Err(ReadError::from(error).behind(warnings));
    }
    Ok(warnings)
}

/// The error of an invalid file; with `repair`, without errors that would be repaired.
fn refused(error: ReadError, repair: bool) -> ReadError {
    if repair { error.without_repairable() } else { error }
}

/// The clip of a `.mocz` file.
fn decompressed(bytes: &[u8], limits: &Limits) -> Result<Clip, Finding> {
    let Limits { bytes: most, joints, frames, .. } = *limits;
    if bytes.len() > most {
        let exceeded = LimitExceeded { what: "bytes", found: bytes.len(), limit: most };
        return Err(Finding::new(exceeded));
    }
    let open_limits = OpenLimits { joints, frames, ..OpenLimits::default() };
    let opened = Compressed::open(bytes, &open_limits);
    let opened = opened.map_err(|error| Finding::new(Problem::Compressed(error)))?;
    limits.check_samples(opened.info().frames, opened.skeleton().len()).map_err(Finding::new)?;
    Ok(stating(opened.to_clip()))
}

/// A unit that a flag stated at compression counts as stated in the file.
fn stating(clip: Clip) -> Clip {
    let mut space = *clip.skeleton().space();
    match &mut space.unit {
        Some(unit) if unit.source == UnitSource::Flag => unit.source = UnitSource::File,
        _ => return clip,
    }
    in_space(clip, space)
}

/// The warnings of a file; with `strict`, the first one as the error, and the others.
///
/// ```
/// assert_eq!(mocap::strictly(false, vec!["a", "b"]), Ok(vec!["a", "b"]));
/// assert_eq!(mocap::strictly(true, vec!["a", "b"]), Err(("a", vec!["b"])));
/// ```
///
/// # Errors
/// The first warning, with `strict`.
pub fn strictly<W>(strict: bool, warnings: Vec<W>) -> Result<Vec<W>, (W, Vec<W>)> {
    let mut warnings = warnings.into_iter();
    match warnings.next() {
        Some(first) if strict => Err((first, warnings.collect())),
        first => Ok(first.into_iter().chain(warnings).collect()),
    }
}
