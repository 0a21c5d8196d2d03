//! Reads motion files by path.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use mocap_formats::{Document, Finding, Format, FormatProblem, Parsed, ReadError, asf, text};
use mocap_model::{Clip, Markers, Skeleton};

use crate::clip_of_file::split_clip;
use crate::format::DETECTED;
use crate::motion_file::{Header, MotionFile, strictly};
use crate::{Companions, Error, FileFormat, FilesBeside, Problem, ReadOptions, companion, files_beside};

/// Reads the motion of a file of any format that has one ([`FileFormat`]), such as `.bvh`, `.amc`
/// (with the `.asf` beside it), `.glb`, `.mocz`. `moves.glb#walk` is one clip of a file of several.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?;
/// println!("{} frames at {} fps", walk.value.frames(), walk.value.rate().fps());
/// for warning in &walk.warnings {
///     eprintln!("{warning}");
/// }
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the file cannot be read or understood, or holds no motion.
pub fn read(path: impl AsRef<Path>) -> Result<Parsed<Clip>, Error> {
    read_with(path, &ReadOptions::default())
}

/// As [`read`], with options for what the file does not say.
///
/// ```
/// use mocap::ReadOptions;
///
/// // The unit of a BVH is not in the file.
/// let metres = ReadOptions { unit: Some(0.01), ..ReadOptions::default() };
/// let walk = mocap::read_with("../../fixtures/clips/alex_walk.bvh", &metres)?.value;
/// assert_eq!(walk.skeleton().space().unit.map(|unit| unit.metres), Some(0.01));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`read`]; with [`ReadOptions::strict`], where there is a warning.
pub fn read_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed<Clip>, Error> {
    let path = path.as_ref();
    let clip = split_clip(path).1.or_else(|| options.clip.clone());
    let options = &ReadOptions { clip, ..options.clone() };
    let Parsed { value: file, warnings } = open(path, options)?;
    finish(path, options, warnings, file.into_clip(options))
}

/// A motion, with its document if the format holds meshes.
pub type KeptClip = (Clip, Option<Box<dyn Document>>);

/// As [`read_with`], and keeps the file of a format that shows bodies: [`write_as`](crate::write_as) takes from it what a
/// clip does not hold, such as a mesh.
///
/// ```
/// let (walk, document) = mocap::read_kept("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// assert!(walk.frames() > 1 && document.is_none());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`read_with`].
pub fn read_kept(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed<KeptClip>, Error> {
    let path = path.as_ref();
    let clip = split_clip(path).1.or_else(|| options.clip.clone());
    let options = &ReadOptions { clip, ..options.clone() };
    let Parsed { value: file, warnings } = open(path, options)?;
    if !file.format().exchange().is_some_and(Format::holds_several_clips) {
        let Parsed { value, warnings } = finish(path, options, warnings, file.into_clip(options))?;
        return Ok(Parsed { value: (value, None), warnings });
    }
    let Parsed { value, warnings } = finish(path, options, warnings, file.to_clip(options))?;
    Ok(Parsed { value: (value, file.into_document()), warnings })
}

/// Reads all motions of a file that may hold several, such as a GLB; other files give one.
///
/// ```
/// let clips = mocap::read_all("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// assert_eq!(clips.len(), 1);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`read_with`].
pub fn read_all(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed<Vec<Clip>>, Error> {
    let path = path.as_ref();
    let Parsed { value: file, warnings } = open(path, options)?;
    finish(path, options, warnings, file.to_clips(options))
}

/// Reads the skeleton of a file of any format, with or without a motion.
///
/// ```
/// let body = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
/// assert_eq!(body.roots().count(), 1);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the file cannot be read or understood.
pub fn read_skeleton(path: impl AsRef<Path>) -> Result<Parsed<Skeleton>, Error> {
    let (path, options) = (path.as_ref(), ReadOptions::default());
    let Parsed { value: file, warnings } = open(path, &options)?;
    let Parsed { value, warnings } = finish(path, &options, warnings, file.header(&options))?;
    let Header { skeleton, .. } = value;
    Ok(Parsed { value: skeleton, warnings })
}

/// Reads the markers of a recording, such as `.c3d`, or of arrays that were made of one.
///
/// ```
/// let knee = mocap::read_markers("../../fixtures/markers/knee.c3d")?.value;
/// assert!(knee.names().len() > 1 && knee.frames() > 1);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the file cannot be read or understood, or holds no markers.
pub fn read_markers(path: impl AsRef<Path>) -> Result<Parsed<Markers>, Error> {
    let (path, options) = (path.as_ref(), ReadOptions::default());
    let Parsed { value: file, warnings } = open(path, &options)?;
    match file.markers(&options).map_err(|error| Error::Finding(Box::new(error)))? {
        Some(value) => Ok(Parsed { value, warnings }),
        None => {
            let format = file.format().exchange().unwrap_or(Format::C3d);
            Err(Error::file(path, Finding::new(FormatProblem::NoMarkers { format })))
        }
    }
}

/// Reads a file as a document, which [`MotionFile::into_clip`] interprets.
///
/// ```
/// use mocap::{FileFormat, Format, ReadOptions};
///
/// let file = mocap::open("../../fixtures/clips/alex_walk.bvh", &ReadOptions::default())?.value;
/// assert_eq!(file.format(), FileFormat::Exchange(Format::Bvh));
/// assert!(file.document().is_some());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// If the file cannot be read or is invalid.
pub fn open(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed<MotionFile>, Error> {
    let (path, _) = split_clip(path.as_ref());
    let path = path.as_ref();
    let bytes = motion_bytes(path, options)?;
    let refused = |error: ReadError| Error::file(path, error);
    let format = FileFormat::of_file(Some(path), &bytes, options.format);
    let format = format.map_err(|finding| refused(finding.into()))?;
    let skeleton = match format.exchange() {
        Some(format) if format.skeleton_beside().is_some() => Some(skeleton_of(path, options)?),
        _ => None,
    };
    let (skeleton, before) = skeleton.map(|parsed| (parsed.value, parsed.warnings)).unzip();
    let files = match format.exchange() {
        Some(exchange) => {
            files_beside(Some(path), &bytes, exchange, &options.limits, file_bytes)?.map_err(refused)?
        }
        None => FilesBeside::new(),
    };
    let body = match (format.exchange(), &options.skeleton) {
        (Some(exchange), Some(path)) if exchange.moves_body() => Some(Arc::new(read_skeleton(path)?.value)),
        _ => None,
    };
    let companions = Companions { skeleton, body, files };
    let Parsed { value, warnings } =
        MotionFile::parse(&bytes, format, companions, options).map_err(refused)?;
    let warnings = before.into_iter().flatten().chain(warnings).collect();
    Ok(Parsed { value, warnings })
}

fn skeleton_of(motion: &Path, options: &ReadOptions) -> Result<Parsed<asf::Document>, Error> {
    let path = match &options.skeleton {
        Some(path) => path.clone(),
        None => companion(motion)?,
    };
    asf::parse(&bytes_of(&path, options)?, &options.limits).map_err(|error| Error::file(&path, error))
}

/// All warnings of a file, those of its document first; an error carries them as well.
pub(crate) fn finish<T>(
    path: &Path,
    options: &ReadOptions,
    before: Vec<mocap_formats::Finding>,
    meaning: Result<Parsed<T>, ReadError>,
) -> Result<Parsed<T>, Error> {
    match meaning {
        Ok(Parsed { value, warnings }) => {
            let warnings = before.into_iter().chain(warnings).collect();
            match strictly(options.strict, warnings) {
                Ok(warnings) => Ok(Parsed { value, warnings }),
                Err((error, others)) => Err(Error::file(path, ReadError::from(error).behind(others))),
            }
        }
        Err(error) => Err(Error::file(path, error.behind(before))),
    }
}

/// Like [`file_bytes`], for a file whose start is checked first.
fn motion_bytes(path: &Path, options: &ReadOptions) -> Result<Vec<u8>, Error> {
    let (mut file, size) = opened(path)?;
    let limit = options.limits.bytes as u64;
    let mut start = Vec::new();
    if size <= limit && !(1..=DETECTED as u64).contains(&size) {
        for length in [text::ZEROS, DETECTED] {
            let more = (length - start.len()) as u64;
            let read = (&mut file).take(more).read_to_end(&mut start).map_err(Error::io("read", path))?;
            if (read as u64) < more {
                return bounded(start, (file, size), path, limit);
            }
            let stated = Some(size).filter(|size| *size > 0);
            FileFormat::check_start(Some(path), &start, stated, options.format, &options.limits)
                .map_err(|error| Error::file(path, error))?;
        }
    }
    bounded(start, (file, size), path, limit)
}

fn bytes_of(path: &Path, options: &ReadOptions) -> Result<Vec<u8>, Error> {
    file_bytes(path, options.limits.bytes as u64)
}

/// The bytes of a file of at most `limit` bytes. A file that states a larger size is not read.
///
/// ```
/// let path = "../../fixtures/clips/alex_walk.bvh".as_ref();
/// assert!(mocap::file_bytes(path, 1 << 20)?.starts_with(b"HIERARCHY"));
/// assert_eq!(mocap::file_bytes(path, 100).unwrap_err().code(), "io::too-large");
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where it cannot be read or is larger.
pub fn file_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    bounded(Vec::new(), opened(path)?, path, limit)
}

/// A file, and the size that it states.
fn opened(path: &Path) -> Result<(File, u64), Error> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let size = file.metadata().map_err(Error::io("read", path))?.len();
    Ok((file, size))
}

/// The bytes read so far, followed by the rest of a file.
fn bounded(mut bytes: Vec<u8>, (file, size): (File, u64), path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    // Devices and pipes state no size: reading stops after the limit.
    let left = size.min(limit).saturating_sub(bytes.len() as u64);
    bytes.reserve_exact(usize::try_from(left).unwrap_or(0));
    if size <= limit {
        let most = limit.saturating_add(1).saturating_sub(bytes.len() as u64);
        file.take(most).read_to_end(&mut bytes).map_err(Error::io("read", path))?;
    }
    if size > limit || bytes.len() as u64 > limit {
        return Err(Error::file(path, Finding::new(Problem::TooLarge { limit })));
    }
    Ok(bytes)
}
