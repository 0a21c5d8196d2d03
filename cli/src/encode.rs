//! From a clip or skeleton to the content of files.

use std::io::Write;
use std::path::{Path, PathBuf};

use mocap::FileFormat;
use mocap_batch::{Destination, Job, JobContext, WriteContent, is_directory};
use mocap_formats::{Format, Limits, WriteOptions};
use mocap_model::{Clip, EulerOrder, Skeleton};

use crate::console::put_stdout;
use crate::diagnostic::{Diagnostic, Failure};

/// What is written: one file, and for AMC the skeleton beside it.
pub(crate) struct Encoded {
    files: mocap_formats::Encoded<'static>,
    /// What the format cannot say as it was.
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
}

/// The format that `--to` or the name of the output asks for; `None` where neither says one.
///
/// # Errors
/// Where the name has the extension of a format that is not written.
pub(crate) fn asked_format(to: Option<Format>, output: Option<&Path>) -> Result<Option<Format>, Diagnostic> {
    let named = output.filter(|path| !is_directory(path));
    let extension = named.and_then(Path::extension).and_then(|extension| extension.to_str());
    let (None, Some(extension)) = (to, extension) else { return Ok(to) };
    match FileFormat::from_extension(extension) {
        Some(FileFormat::Exchange(format)) => Ok(Some(format)),
        Some(FileFormat::Mocz) => {
            let message = "compressed clips are written by `mocap compress` alone";
            Err(Diagnostic::new("usage::format", message).help("it takes the error that is allowed"))
        }
        None => {
            let message = format!("'.{extension}' is no format that mocap writes");
            let names = names(Format::is_writable);
            let help = format!("it writes {names}: name one by the extension of -o, or with --to");
            Err(Diagnostic::new("usage::format", message).help(help))
        }
    }
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
    let EncodeOptions { euler, tolerance } = options;
    let options = WriteOptions { euler, tolerance, limits: Limits::default() };
    Ok(mocap_formats::write_owned(clip, format, &options)?.into())
}

/// The path with the extension of a format.
pub(crate) fn renamed(path: &Path, format: Format) -> PathBuf {
    with_extension(path, format.extension())
}

/// The path with another extension; one that is not that of a motion or skeleton is part of the name.
pub(crate) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let known = path.extension().and_then(|extension| extension.to_str());
    if known.is_some_and(|known| FileFormat::from_extension(known).is_some()) {
        return path.with_extension(extension);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// A skeleton in a format.
pub(crate) fn skeleton(skeleton: &Skeleton, format: Format) -> Result<Encoded, Diagnostic> {
    Ok(mocap_formats::write_skeleton(skeleton, format, &WriteOptions::default())?.into())
}

/// Puts the files of a job where they belong, all of them or none; gives their size [bytes] and the path of the main
/// one.
pub(crate) fn deliver(encoded: &Encoded, job: &Job, context: &JobContext) -> Result<(u64, String), Failure> {
    let mocap_formats::Encoded { main, beside, .. } = &encoded.files;
    match &job.destination {
        Destination::File { path, replace } => {
            let main = |out: &mut dyn Write| main.write_to(out);
            let beside = beside.as_ref().map(|(extension, content)| {
                (path.with_extension(extension), move |out: &mut dyn Write| content.write_to(out))
            });
            // The skeleton first: an AMC file is worth nothing without it.
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
