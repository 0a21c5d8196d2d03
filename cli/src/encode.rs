//! From a clip or skeleton to the content of files.

use std::io::Write;
use std::path::{Path, PathBuf};

use mocap_batch::{Destination, Job, JobContext, WriteContent, is_directory};
use mocap_formats::arrays::ArrayOptions;
use mocap_formats::{Format, Limits, WriteOptions};
use mocap_model::{Clip, EulerOrder, Markers, Skeleton};

use crate::console::put_stdout;
use crate::diagnostic::{Diagnostic, Failure};

/// The content of an output: one file, and for AMC the skeleton beside it.
pub(crate) struct Encoded {
    files: mocap_formats::Encoded<'static>,
    /// What the format cannot hold as it was.
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

/// The share of a guaranteed error that the numbers of a text may add.
pub(crate) const TEXT_SHARE: f64 = 1e-4;

/// How a clip is written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EncodeOptions {
    /// The rotation order of every joint; `None`: that of the skeleton.
    pub(crate) euler: Option<EulerOrder>,
    /// How far the numbers of a BVH may be off [m]; `None`: as BVH is written.
    pub(crate) tolerance: Option<f64>,
    /// How it becomes arrays.
    pub(crate) arrays: ArrayOptions,
}

/// The format that `--to` or the name of the output asks for; `None` where neither names one.
pub(crate) fn asked_format(to: Option<Format>, output: Option<&Path>) -> Result<Option<Format>, Diagnostic> {
    Ok(mocap::output_format(to, output.filter(|path| !is_directory(path)))?)
}

/// The names of some formats, as a message lists them.
pub(crate) fn names(which: impl Fn(Format) -> bool) -> String {
    let formats = Format::ALL.into_iter().filter(|format| which(*format));
    formats.map(Format::extension).collect::<Vec<_>>().join(", ")
}

/// The path of the file beside an output, for formats that need one.
pub(crate) fn beside(path: &Path, format: Format) -> Option<PathBuf> {
    format.beside().map(|extension| path.with_extension(extension))
}

/// A clip in a format. The clip is taken: it is freed before the bytes are there in full.
pub(crate) fn clip(clip: Clip, format: Format, options: EncodeOptions) -> Result<Encoded, Diagnostic> {
    let EncodeOptions { euler, tolerance, arrays } = options;
    let options = WriteOptions { euler, tolerance, arrays, limits: Limits::default() };
    let mut found = Vec::new();
    let clip = mocap::prepare(clip, format, &mut found);
    let mut encoded: Encoded = mocap_formats::write_owned(clip, format, &options)?.into();
    encoded.warnings.splice(0..0, found.into_iter().map(Diagnostic::from));
    Ok(encoded)
}

/// A recording of markers in a format.
pub(crate) fn markers(
    markers: &Markers,
    format: Format,
    arrays: ArrayOptions,
) -> Result<Encoded, Diagnostic> {
    let options = WriteOptions { arrays, ..WriteOptions::default() };
    let encoded = mocap_formats::write_markers(markers, format, &options)?;
    // Made at once: it is smaller than the clip of a body.
    let mut bytes = mocap_formats::Encoded::from(encoded.main.into_bytes());
    bytes.warnings = encoded.warnings;
    Ok(bytes.into())
}

/// The path with the extension of a format.
pub(crate) fn renamed(path: &Path, format: Format) -> PathBuf {
    mocap::with_extension(path, format.file_extension())
}

/// A skeleton in a format.
pub(crate) fn skeleton(skeleton: &Skeleton, format: Format) -> Result<Encoded, Diagnostic> {
    Ok(mocap_formats::write_skeleton(skeleton, format, &WriteOptions::default())?.into())
}

/// Writes the files of a job to its destination, all of them or none; returns their size [bytes] and the path of the
/// main file.
pub(crate) fn deliver(encoded: &Encoded, job: &Job, context: &JobContext) -> Result<(u64, String), Failure> {
    let mocap_formats::Encoded { main, beside, .. } = &encoded.files;
    match &job.destination {
        Destination::File { path, replace } => {
            let main = |out: &mut dyn Write| main.write_to(out);
            let beside = beside.as_ref().map(|(extension, content)| {
                (path.with_extension(extension), move |out: &mut dyn Write| content.write_to(out))
            });
            // The skeleton comes first: an AMC file is useless without it.
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
