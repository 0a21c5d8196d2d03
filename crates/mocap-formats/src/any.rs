//! Reading and writing in any format.

use std::borrow::Cow;
use std::sync::Arc;

use mocap_model::{Clip, Skeleton};

use crate::body::BoundBody;
use crate::entry::{ReadFile, ReadShared};
use crate::foreign::foreign;
use crate::left_out::{as_held, couplings_left, details_left, left_behind};
use crate::{
    Document, Encoded, Finding, Format, FormatProblem, Kept, LeftOut, Parsed, ReadError, ReadOptions,
    WriteOptions, text,
};

/// Reads a file of any format held in memory.
///
/// ```
/// use mocap_formats::{Format, ReadOptions, read};
///
/// let bytes = b"HIERARCHY ROOT Hips { OFFSET 0 90 0 CHANNELS 3 Zrotation Xrotation Yrotation }
///     MOTION Frames: 2 Frame Time: 0.01 1 2 3 4 5 6";
/// let options = ReadOptions::default();
/// let document = read(bytes, &options)?.value;
/// assert_eq!(document.format(), Format::Bvh);
/// let clip = document.to_clip(&options)?.value;
/// assert_eq!((clip.frames(), clip.rate().fps()), (2, 100.0));
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// Where the format is unknown or cannot be read, an AMC comes without its skeleton ([`ReadOptions::skeleton`]), or the
/// content is wrong: then with the place of every error.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Box<dyn Document>>, ReadError> {
    let (read, _) = reader(bytes, options)?;
    read(bytes, options)
}

/// As [`read`], of shared bytes: a document may keep the bytes and parse its numbers on demand, which takes less time
/// and memory than to hold all numbers.
///
/// # Errors
/// As [`read`].
pub fn read_shared(
    bytes: &Arc<Vec<u8>>,
    options: &ReadOptions,
) -> Result<Parsed<Box<dyn Document>>, ReadError> {
    match reader(bytes, options)? {
        (_, Some(read)) => read(bytes, options),
        (read, None) => read(bytes, options),
    }
}

/// The reader of the file's format.
fn reader(bytes: &[u8], options: &ReadOptions) -> Result<(ReadFile, Option<ReadShared>), ReadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(text::Problem::Empty.into());
    }
    if let Some(known) = foreign(bytes) {
        return Err(Finding::new(FormatProblem::Foreign { known }).into());
    }
    let format = options.format.or_else(|| Format::detect(bytes));
    let entry = format.ok_or_else(|| Finding::new(FormatProblem::Unknown))?.entry();
    let read = entry.read.map_err(|reason| Finding::new(FormatProblem::WriteOnly { reason }))?;
    Ok((read, entry.read_shared))
}

/// Writes a clip in a format; of formats without motion, its skeleton.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_formats::{Format, WriteOptions, write};
///
/// let bvh = write(&clip, Format::Bvh, &WriteOptions::default())?.main.into_bytes();
/// assert!(bvh.starts_with(b"HIERARCHY"));
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// Where the format cannot be written or cannot hold the clip, or the clip has more frames × joints than
/// [`Limits::samples`](crate::Limits::samples).
pub fn write<'c>(clip: &'c Clip, format: Format, options: &WriteOptions) -> Result<Encoded<'c>, Finding> {
    encode(Cow::Borrowed(clip), format, options)
}

/// As [`write()`]; the clip is freed as soon as it is no longer needed, which saves memory.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_formats::{Format, WriteOptions, write_owned};
///
/// let encoded = write_owned(clip, Format::Amc, &WriteOptions::default())?;
/// // The skeleton of an AMC is a file beside it.
/// assert_eq!(encoded.beside.unwrap().0, mocap_formats::Beside::Extension("asf"));
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// As [`write()`].
pub fn write_owned(clip: Clip, format: Format, options: &WriteOptions) -> Result<Encoded<'static>, Finding> {
    encode(Cow::Owned(clip), format, options)
}

fn encode<'c>(clip: Cow<'c, Clip>, format: Format, options: &WriteOptions) -> Result<Encoded<'c>, Finding> {
    if format.has_motion() {
        options.limits.check_samples(clip.frames(), clip.skeleton().len()).map_err(Finding::new)?;
    }
    match format.entry().write {
        Some(write) => {
            let mut warnings: Vec<Finding> = couplings_left(clip.skeleton(), format).into_iter().collect();
            let clip = as_held(clip, format.entry().holds, &mut warnings)?;
            let mut encoded = write(clip, options)?;
            encoded.warnings.splice(..0, warnings);
            Ok(encoded)
        }
        None => Err(Finding::new(FormatProblem::ReadOnly { format })),
    }
}

/// Writes clips of one skeleton into one file.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_formats::{Format, WriteOptions, write_clips};
///
/// let moves = [clip.clone().with_name("wave"), clip.trimmed(0..30).unwrap().with_name("start")];
/// assert!(write_clips(&moves, Format::Glb, &WriteOptions::default()).is_ok());
/// assert_eq!(write_clips(&moves, Format::Bvh, &WriteOptions::default()).unwrap_err().code(), "format::one-clip");
/// ```
///
/// # Errors
/// As [`write()`]; where the format holds one clip per file and several are given, where clips have different skeletons,
/// or where none is given.
pub fn write_clips(
    clips: &[Clip],
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    write_with_body(clips, None, format, options)
}

/// As [`write_clips`], with the body of the character in formats that hold meshes. Without a body, one is drawn.
///
/// # Errors
/// As [`write_clips`].
pub fn write_with_body(
    clips: &[Clip],
    body: Option<&BoundBody>,
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    match (clips, format.entry().write_clips) {
        ([], _) => Err(Finding::new(FormatProblem::NoMotion)),
        ([first, ..], Some(write)) => {
            let mut warnings: Vec<Finding> = couplings_left(first.skeleton(), format).into_iter().collect();
            let held: Result<Vec<Clip>, Finding> = clips
                .iter()
                .map(|clip| {
                    Ok(as_held(Cow::Borrowed(clip), format.entry().holds, &mut warnings)?.into_owned())
                })
                .collect();
            let mut encoded = write(&held?, body, options)?;
            encoded.warnings.splice(..0, warnings);
            Ok(encoded)
        }
        ([only], None) => write_owned(only.clone(), format, options),
        (_, None) => Err(Finding::new(FormatProblem::OneClip { format, count: clips.len() })),
    }
}

/// Writes clips into the file that they come from, or that their skeleton comes from: everything else in it stays.
/// Where the format or the joints differ, its meshes, skins, shapes and materials are converted ([`Document::body`]).
/// Where [`WriteOptions::mesh`] asks for another body, this is [`write_clips`]. Warns ([`LeftOut::Meshes`]) where a
/// drawn body replaces meshes that cannot be read, and ([`LeftOut::NoMeshes`]) where the format has none.
///
/// ```
/// use mocap_formats::{Format, ReadOptions, WriteOptions, read, write_kept};
///
/// let options = ReadOptions::default();
/// let character = read(&std::fs::read("../../fixtures/gltf/clean.glb")?, &options)?.value;
/// let start = character.to_clip(&options)?.value.trimmed(0..9)?;
/// let file = write_kept(Some(&*character), &[start], Format::Glb, &WriteOptions::default())?;
/// assert!(file.warnings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write_clips`].
pub fn write_kept(
    document: Option<&dyn Document>,
    clips: &[Clip],
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    let Some(document) = document else { return write_clips(clips, format, options) };
    if options.mesh.is_some() || !format.holds_several_clips() {
        let mut encoded = write_clips(clips, format, options)?;
        encoded.warnings.extend(left_behind(document, format, options));
        return Ok(encoded);
    }
    match document.with_clips(clips, format, options)? {
        Kept::Written(mut encoded) => {
            let couplings = clips.first().and_then(|clip| couplings_left(clip.skeleton(), format));
            encoded.warnings.splice(..0, couplings);
            Ok(encoded)
        }
        Kept::Not(_) => {
            let mut warnings = Vec::new();
            let skeleton = clips.first().map(Clip::skeleton);
            let body = skeleton.and_then(|skeleton| body_of(document, skeleton, options, &mut warnings));
            let mut encoded = write_with_body(clips, body.as_ref(), format, options)?;
            warnings.append(&mut encoded.warnings);
            Ok(Encoded { warnings, ..encoded })
        }
    }
}

/// The part of the body of a file that belongs to a skeleton; a warning says why there is none where the file has
/// meshes.
fn body_of(
    document: &dyn Document,
    skeleton: &Skeleton,
    options: &WriteOptions,
    warnings: &mut Vec<Finding>,
) -> Option<BoundBody> {
    let count = document.meshes();
    match document.body(&options.limits) {
        Ok(None) => None,
        Ok(Some(Parsed { value, warnings: found })) => match value.part_on(skeleton) {
            Some(body) => {
                warnings.extend(found);
                warnings.extend(details_left(document));
                Some(body)
            }
            None => {
                let because = "the clip has other joints than the file".into();
                warnings.push(Finding::new(LeftOut::Meshes { count, because }));
                None
            }
        },
        Err(error) => {
            warnings.push(Finding::new(LeftOut::Meshes { count, because: error.to_string() }));
            None
        }
    }
}

/// Writes a skeleton in a format that holds skeletons without motion.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_formats::{Format, WriteOptions, write_skeleton};
///
/// let skel = write_skeleton(clip.skeleton(), Format::Skel, &WriteOptions::default())?;
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// Where the format needs a motion or cannot hold the skeleton.
pub fn write_skeleton(
    skeleton: &Skeleton,
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    match format.entry().write_skeleton {
        Some(write) => {
            let mut encoded = write(skeleton, options)?;
            encoded.warnings.splice(..0, couplings_left(skeleton, format));
            Ok(encoded)
        }
        None => Err(Finding::new(FormatProblem::NeedsMotion { format })),
    }
}
