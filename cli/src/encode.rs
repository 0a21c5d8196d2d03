//! From a clip or skeleton to the content of files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap_batch::{Destination, Job, JobContext, WriteContent, is_directory};
use mocap_formats::{Finding, Format, Limits, Parsed, amc, asf, bvh, csv, json, skel};
use mocap_model::{Clip, EulerOrder, Skeleton};

use crate::console::put_stdout;
use crate::diagnostic::{Diagnostic, Failure};

impl Encoded {
    /// A motion and the skeleton that goes beside it.
    pub(crate) fn pair(main: Vec<u8>, beside: Vec<u8>) -> Encoded {
        Encoded { beside: Some(Content::Bytes(beside)), ..Encoded::from(main) }
    }
}

/// What is written: one file, and for AMC the skeleton beside it.
pub(crate) struct Encoded {
    main: Content,
    /// The skeleton of an AMC file.
    beside: Option<Content>,
    /// What the format cannot say as it was.
    pub(crate) warnings: Vec<Diagnostic>,
}

enum Content {
    Bytes(Vec<u8>),
    /// Tables and JSON are written as they are made: they are several times as large as the clip.
    Table(Arc<Clip>),
    Json(Arc<Clip>),
}

impl Content {
    fn write_to(&self, mut out: &mut dyn Write) -> io::Result<()> {
        match self {
            Content::Table(clip) => csv::write(clip, &mut out),
            Content::Json(clip) => json::write(clip, &mut out),
            Content::Bytes(bytes) => out.write_all(bytes),
        }
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
    if let Some(format) = Format::from_extension(extension) {
        return Ok(Some(format));
    }
    if extension.eq_ignore_ascii_case("mocz") {
        return Err(Diagnostic::new(
            "usage::format",
            "compressed clips are written by `mocap compress` alone",
        )
        .help("it takes the error that is allowed"));
    }
    let names = Format::ALL.map(Format::extension).join(", ");
    Err(Diagnostic::new("usage::format", format!("'.{extension}' is no format that mocap writes"))
        .help(format!("it writes {names}: name one by the extension of -o, or with --to")))
}

/// The path of the skeleton beside an output, for formats that need one.
pub(crate) fn beside(path: &Path, format: Format) -> Option<PathBuf> {
    (format == Format::Amc).then(|| path.with_extension("asf"))
}

impl From<Content> for Encoded {
    fn from(main: Content) -> Encoded {
        Encoded { main, beside: None, warnings: Vec::new() }
    }
}

impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Encoded {
        Content::Bytes(bytes).into()
    }
}

/// A clip in a format. The clip is taken, so that it is freed before the bytes are there in full.
pub(crate) fn clip(
    clip: impl Into<Arc<Clip>>,
    format: Format,
    options: EncodeOptions,
) -> Result<Encoded, Diagnostic> {
    let clip = clip.into();
    match format {
        Format::Bvh => {
            let defaults = bvh::WriteOptions::default();
            let tolerance =
                options.tolerance.map_or(defaults.tolerance, |bound| bound.min(defaults.tolerance));
            let options = bvh::WriteOptions { euler: options.euler, tolerance };
            let document = bvh::from_clip(&clip, &options);
            drop(clip);
            Ok(document.to_bytes().into())
        }
        Format::Amc => {
            let Parsed { value: pair, warnings } = amc::from_clip(&clip).map_err(refused)?;
            drop(clip);
            let encoded = Encoded::pair(pair.motion.to_bytes(), pair.skeleton.to_bytes());
            Ok(Encoded { warnings: diagnostics(&warnings), ..encoded })
        }
        Format::Asf | Format::Skel => skeleton(clip.skeleton(), format),
        Format::Json => {
            json::writable(&clip, &Limits::default()).map_err(refused)?;
            Ok(Content::Json(clip).into())
        }
        Format::Csv => Ok(Content::Table(clip).into()),
    }
}

/// The path with the extension of a format.
pub(crate) fn renamed(path: &Path, format: Format) -> PathBuf {
    with_extension(path, format.extension())
}

/// The path with another extension; one that is not that of a motion or skeleton is part of the name.
pub(crate) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let known = path.extension().and_then(|extension| extension.to_str());
    if known
        .is_some_and(|known| known.eq_ignore_ascii_case("mocz") || Format::from_extension(known).is_some())
    {
        return path.with_extension(extension);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

/// A skeleton in a format.
pub(crate) fn skeleton(skeleton: &Skeleton, format: Format) -> Result<Encoded, Diagnostic> {
    match format {
        Format::Asf => {
            let Parsed { value: document, warnings } = asf::from_skeleton(skeleton).map_err(refused)?;
            Ok(Encoded { warnings: diagnostics(&warnings), ..Encoded::from(document.to_bytes()) })
        }
        Format::Skel => Ok(skel::to_bytes(skeleton).into()),
        other => {
            let message = format!("{other} files hold a motion, and this is a skeleton alone");
            Err(Diagnostic::new("format::no-motion", message).help("skeletons are written as skel or asf"))
        }
    }
}

fn refused(finding: Finding) -> Diagnostic {
    Diagnostic::from_finding(&finding, b"")
}

/// Findings about what is written: they have no place in a text.
fn diagnostics(findings: &[Finding]) -> Vec<Diagnostic> {
    findings.iter().map(|finding| Diagnostic::from_finding(finding, b"")).collect()
}

/// Puts the only file of a job where it belongs; gives its size [bytes] and its path.
pub(crate) fn deliver_as(
    encoded: &Encoded,
    job: &Job,
    context: &JobContext,
) -> Result<(u64, String), Failure> {
    // No format but AMC has a file beside it.
    deliver(encoded, job, context, Format::Json)
}

/// Puts the files of a job where they belong, all of them or none; gives their size [bytes] and the path of the main
/// one.
pub(crate) fn deliver(
    encoded: &Encoded,
    job: &Job,
    context: &JobContext,
    format: Format,
) -> Result<(u64, String), Failure> {
    match &job.destination {
        Destination::File { path, replace } => {
            let main = |out: &mut dyn Write| encoded.main.write_to(out);
            let skeleton = encoded.beside.as_ref().zip(beside(path, format));
            let beside =
                skeleton.map(|(content, path)| (path, move |out: &mut dyn Write| content.write_to(out)));
            // The skeleton first: an AMC file without one is worth nothing.
            let mut files: Vec<(&Path, WriteContent<'_>)> = Vec::new();
            files
                .extend(beside.as_ref().map(|(path, content)| (path.as_path(), content as WriteContent<'_>)));
            files.push((path, &main));
            let bytes = context.write(&files, *replace)?;
            Ok((bytes, path.display().to_string()))
        }
        Destination::Stdout => {
            let bytes = put_stdout(&|out| encoded.main.write_to(out))?;
            Ok((bytes, "-".into()))
        }
        Destination::Nowhere | Destination::Exists(_) => Ok((0, String::new())),
    }
}
