//! From a clip or skeleton to the content of files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mocap_batch::{Destination, Job, JobContext, Source, WriteContent, is_directory, write_stream};
use mocap_formats::arrays::ArrayOptions;
use mocap_formats::robot_motion::Order;
use mocap_formats::{Document, Finding, Format, LeftOut, Limits, WriteOptions};
use mocap_model::{Character, Clip, EulerOrder, Markers, Scene, Skeleton};

use crate::options::{BvhStyle, SceneFlags};

use crate::diagnostic::{Diagnostic, Failure};

/// The content of an output: one file, and for AMC the skeleton beside it.
pub(crate) struct Encoded {
    files: mocap_formats::Encoded<'static>,
    /// Warnings about what the format cannot hold.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl From<mocap_formats::Encoded<'static>> for Encoded {
    fn from(mut files: mocap_formats::Encoded<'static>) -> Encoded {
        let warnings = std::mem::take(&mut files.warnings).into_iter().map(Diagnostic::from).collect();
        Encoded { files, warnings }
    }
}

impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Encoded {
        mocap_formats::Encoded::from(bytes).into()
    }
}

/// Share of a guaranteed error that the rounding of text numbers may add.
pub(crate) const TEXT_SHARE: f64 = 1e-4;

/// How a clip is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EncodeOptions<'a> {
    /// The name of a clip without one, in formats that name clips.
    pub(crate) name: &'a str,
    /// The rotation order of every joint; `None`: that of the skeleton.
    pub(crate) euler: Option<EulerOrder>,
    /// Greatest rounding error of BVH numbers [m]; `None`: the default precision.
    pub(crate) tolerance: Option<f64>,
    /// Bounds on the size of the output.
    pub(crate) limits: Limits,
    /// Names and positions of a BVH.
    pub(crate) bvh: BvhStyle,
    /// How it becomes arrays.
    pub(crate) arrays: ArrayOptions,
    /// Order of joints and bodies of robots.
    pub(crate) order: Order,
    /// Mesh and keys, for formats that have them.
    pub(crate) scene: SceneFlags,
}

impl EncodeOptions<'_> {
    /// The options of the library.
    pub(crate) fn options(self) -> WriteOptions {
        let EncodeOptions { name: _, euler, tolerance, limits, bvh, arrays, order, scene } = self;
        WriteOptions {
            euler,
            tolerance,
            names: bvh.names(),
            positions: bvh.positions(),
            arrays,
            order,
            mesh: scene.mesh,
            key_error: scene.error.map(|length| length.0),
            short_rotations: scene.short_rotations,
            limits,
        }
    }
}

/// The format requested by `--to` or the name of the output; `None` if neither names one.
pub(crate) fn asked_format(to: Option<Format>, output: Option<&Path>) -> Result<Option<Format>, Diagnostic> {
    Ok(mocap::output_format(to, output.filter(|path| !is_directory(path)))?)
}

/// The format that a motion is written in where the name of the output says `format`: the table of a robot's motion is
/// that of its base and joints. A format that is `stated` stays.
pub(crate) fn format_of(clip: &Clip, format: Format, stated: bool) -> Format {
    let is_robots = !stated && format.holds_only_positions() && clip.skeleton().robot().is_some();
    if is_robots { format.of_robots() } else { format }
}

/// Like [`format_of()`], for a scene: a table holds one character.
pub(crate) fn format_of_scene(scene: &Scene, format: Format, stated: bool) -> Format {
    match scene.characters.as_slice() {
        [one] => format_of(&one.clip, format, stated),
        _ => format,
    }
}

/// The names of some formats, as a message lists them.
pub(crate) fn names(which: impl Fn(Format) -> bool) -> String {
    let formats = Format::ALL.into_iter().filter(|format| which(*format));
    formats.map(Format::extension).collect::<Vec<_>>().join(", ")
}

/// The path of the file beside an output, for formats that need one.
pub(crate) fn beside(path: &Path, format: Format) -> Option<PathBuf> {
    format.beside().map(|beside| beside.path(path))
}

/// Encodes a clip. The clip is consumed, so it can be freed before all bytes exist.
pub(crate) fn clip(clip: Clip, format: Format, options: EncodeOptions<'_>) -> Result<Encoded, Diagnostic> {
    let mut guessed = Vec::new();
    let clip = mocap::prepare(named(clip, options.name, format), format, &mut guessed);
    let clip = mocap::for_format(clip, format, &mut guessed);
    let mut encoded = behind(guessed, mocap_formats::write_owned(clip, format, &options.options())?);
    encoded.warnings.extend(all_keys(format, options));
    Ok(encoded)
}

/// A warning if keys are to be left out of a format with one key per frame.
fn all_keys(format: Format, options: EncodeOptions<'_>) -> Option<Diagnostic> {
    let leaves_out = matches!(format, Format::Glb | Format::Gltf | Format::Vrma);
    let is_asked = options.scene.error.is_some_and(|length| length.0 > 0.0);
    (is_asked && !leaves_out).then(|| {
        let message = format!("--key-error has no effect: every frame of a {} is a key", format.extension());
        Diagnostic::new("format::all-keys", message).help("GLB and glTF leave keys out")
    })
}

/// Like [`clip()`], for a clip with several characters: each is written as the format requires, or only the
/// first one if the format holds one.
pub(crate) fn whole(one: Clip, format: Format, options: EncodeOptions<'_>) -> Result<Encoded, Diagnostic> {
    // Characters written as trees of one skeleton keep the structure of the document.
    let together = !format.has_motion() || format.holds_several_characters() && !format.holds_arrays();
    if together || mocap::several_subjects(one.skeleton()).is_empty() {
        return clip(one, format, options);
    }
    scene_in(Origin::input(None), mocap::scene_of(one).map_err(mocap::Error::from)?, format, options)
}

/// The name that the clip of an input gets where its file states none: that of the file, from stdin that of the output.
pub(crate) fn clip_name(job: &Job) -> String {
    let path = match (&job.input.source, &job.destination) {
        (Source::Stdin, Destination::File { path, .. }) => path,
        _ => &job.input.relative,
    };
    stem(path)
}

/// The name of a file without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Sets the name of the clip for formats that name clips, unless it has one.
fn named(clip: Clip, name: &str, format: Format) -> Clip {
    match format.holds_several_clips() && clip.name().is_empty() && !name.is_empty() {
        true => clip.with_name(name),
        false => clip,
    }
}

/// The file that the clips or their skeleton come from. The output keeps its meshes, skins and materials.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// Its content; `None` for formats without meshes.
    pub(crate) document: Option<&'a dyn Document>,
    /// Its path, if it is not the input.
    pub(crate) file: Option<&'a Path>,
}

impl<'a> Origin<'a> {
    /// The input.
    pub(crate) fn input(document: Option<&'a dyn Document>) -> Origin<'a> {
        Origin { document, file: None }
    }

    /// A warning with the path of the file that it is about.
    fn warning(&self, finding: Finding) -> Diagnostic {
        let of_file = finding.problem_as::<LeftOut>().is_some_and(LeftOut::is_of_document);
        let warning = Diagnostic::from(finding);
        match self.file.filter(|_| of_file) {
            Some(file) => warning.in_file(file),
            None => warning,
        }
    }

    /// The warning about contents that a format cannot keep of the file.
    pub(crate) fn lost(&self, format: Format, options: EncodeOptions<'_>) -> Option<Diagnostic> {
        let lost = mocap_formats::left_behind(self.document?, format, &options.options())?;
        Some(self.warning(lost))
    }
}

/// Encodes clips of one skeleton into one file. A warning says what the format cannot keep of their file.
pub(crate) fn clips(
    origin: Origin<'_>,
    clips: Vec<Clip>,
    format: Format,
    options: EncodeOptions<'_>,
) -> Result<Encoded, Diagnostic> {
    let mut guessed = Vec::new();
    // Several clips of one name could not be told apart.
    let name = if clips.len() == 1 { options.name } else { "" };
    let clips = clips.into_iter().map(|clip| named(clip, name, format));
    let clips: Vec<Clip> = clips.map(|clip| mocap::for_format(clip, format, &mut guessed)).collect();
    guessed.dedup();
    let mut files = mocap_formats::write_kept(origin.document, &clips, format, &options.options())?;
    let found = guessed.into_iter().chain(std::mem::take(&mut files.warnings));
    let warnings = found.map(|finding| origin.warning(finding)).chain(all_keys(format, options)).collect();
    Ok(Encoded { files, warnings })
}

/// Encodes a clip: like [`clips`] if the format shows bodies, else like [`clip()`].
pub(crate) fn clip_in(
    origin: Origin<'_>,
    one: Clip,
    format: Format,
    options: EncodeOptions<'_>,
) -> Result<Encoded, Diagnostic> {
    if origin.document.is_some() && format.holds_several_clips() {
        return clips(origin, vec![one], format, options);
    }
    let mut encoded = clip(one, format, options)?;
    encoded.warnings.extend(origin.lost(format, options));
    Ok(encoded)
}

/// Encodes a scene; with one character, like [`clip_in`].
pub(crate) fn scene_in(
    origin: Origin<'_>,
    scene: Scene,
    format: Format,
    options: EncodeOptions<'_>,
) -> Result<Encoded, Diagnostic> {
    if let Some(one) = scene.clip() {
        let one = one.clone();
        drop(scene);
        return clip_in(origin, one, format, options);
    }
    let mut guessed = Vec::new();
    let scene = scene.map(|character| {
        let Character { name, clip, body } = character;
        Character { name, clip: named(clip, options.name, format), body }
    });
    let scene = mocap::scene_for_format(scene, origin.document.is_some(), format, &mut guessed);
    let mut files = mocap_formats::write_scene_beside(origin.document, &scene, format, &options.options())?;
    let found = guessed.into_iter().chain(std::mem::take(&mut files.warnings));
    let warnings = found.map(|finding| origin.warning(finding)).chain(all_keys(format, options)).collect();
    Ok(Encoded { files, warnings })
}

fn behind(warnings: Vec<Finding>, encoded: mocap_formats::Encoded<'static>) -> Encoded {
    let mut encoded = Encoded::from(encoded);
    encoded.warnings.splice(..0, warnings.into_iter().map(Diagnostic::from));
    encoded
}

/// Encodes a recording of markers.
pub(crate) fn markers(
    markers: &Markers,
    format: Format,
    arrays: ArrayOptions,
) -> Result<Encoded, Diagnostic> {
    let options = WriteOptions { arrays, ..WriteOptions::default() };
    let encoded = mocap_formats::write_markers(markers, format, &options)?;
    // Encoded in one piece: it is smaller than the clip of a body.
    let mut bytes = mocap_formats::Encoded::from(encoded.main.into_bytes());
    bytes.warnings = encoded.warnings;
    Ok(bytes.into())
}

/// The path with the extension of a format. A name to which an extension was appended (`a.amc.mocz`) becomes the
/// original name.
pub(crate) fn renamed(path: &Path, format: Format) -> PathBuf {
    let extension = format.file_extension();
    mocap_batch::original_name(path, extension).unwrap_or_else(|| mocap::with_extension(path, extension))
}

/// A skeleton in a format.
pub(crate) fn skeleton(skeleton: &Skeleton, format: Format) -> Result<Encoded, Diagnostic> {
    Ok(mocap_formats::write_skeleton(skeleton, format, &WriteOptions::default())?.into())
}

/// Checks that an output may be written: it does not exist, or may be replaced.
pub(crate) fn is_free(output: &Path, overwrite: bool) -> Result<(), Diagnostic> {
    if overwrite || !output.exists() {
        return Ok(());
    }
    let message = format!("'{}' exists", output.display());
    Err(Diagnostic::new("output::exists", message).help("--overwrite replaces it"))
}

/// Writes a file to stdout; returns its size [bytes]. A closed pipe counts as success.
pub(crate) fn put_stdout(content: WriteContent<'_>) -> Result<u64, Diagnostic> {
    match write_stream(io::stdout().lock(), content) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(Diagnostic::new("io::error", format!("cannot write to stdout: {error}"))),
    }
}

/// Writes to one path, or to stdout for `-`; returns the size [bytes].
pub(crate) fn deliver_to(encoded: &Encoded, output: &Path, overwrite: bool) -> Result<u64, Failure> {
    is_free(output, overwrite)?;
    let destination = match output.as_os_str() == "-" {
        true => Destination::Stdout,
        false => Destination::File { path: output.to_owned(), replace: overwrite },
    };
    let job = Job { destination, ..Job::report(mocap_batch::Input::named(output)) };
    Ok(deliver(encoded, &job, &JobContext::standalone())?.0)
}

/// Writes all files of a job or none. Returns their size [bytes] and the path of the main file.
pub(crate) fn deliver(encoded: &Encoded, job: &Job, context: &JobContext) -> Result<(u64, String), Failure> {
    let mocap_formats::Encoded { main, beside, .. } = &encoded.files;
    match &job.destination {
        Destination::File { path, replace } => {
            let main = |out: &mut dyn Write| main.write_to(out);
            let beside = beside.as_ref().map(|(beside, content)| {
                (beside.path(path), move |out: &mut dyn Write| content.write_to(out))
            });
            // The skeleton is written first: an AMC file is useless without it.
            let mut files: Vec<(&Path, WriteContent<'_>)> = Vec::new();
            files
                .extend(beside.as_ref().map(|(path, content)| (path.as_path(), content as WriteContent<'_>)));
            files.push((path, &main));
            let bytes = context.write(&files, *replace)?;
            Ok((bytes, path.display().to_string()))
        }
        Destination::Stdout => {
            let bytes = put_stdout(&|out| main.write_to(out))?;
            Ok((bytes, "-".into()))
        }
        Destination::Nowhere | Destination::Exists(_) => Ok((0, String::new())),
    }
}
