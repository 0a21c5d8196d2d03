//! Writes clips and skeletons to files.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::Builder;

use mocap_formats::{Content, Document, Encoded, Finding, Format, WriteOptions};
use mocap_model::{Clip, Markers, Skeleton, Space};

use crate::unit::in_space;
use crate::{Error, for_format, guess_warning, known_unit, with_roles};

/// Writes a clip in the format of the path's extension; beside an AMC its ASF. Files are written atomically, and files
/// that exist are replaced.
///
/// The result lists what the format cannot hold as it was. Compressed clips are written by
/// [`compress`](crate::compress()) and `std::fs::write`.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// mocap::write(folder.path().join("walk.amc"), &walk)?;
/// assert!(folder.path().join("walk.asf").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the extension is of no format that is written, the format cannot hold the clip, or a file cannot be
/// written.
pub fn write(path: impl AsRef<Path>, clip: &Clip) -> Result<Vec<Finding>, Error> {
    write_with(path, clip, &WriteOptions::default())
}

/// As [`write()`], with options.
///
/// ```
/// use mocap::WriteOptions;
///
/// let folder = tempfile::tempdir()?;
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let options = WriteOptions { euler: "XYZ".parse().ok(), ..WriteOptions::default() };
/// mocap::write_with(folder.path().join("walk.bvh"), &walk, &options)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write()`].
pub fn write_with(
    path: impl AsRef<Path>,
    clip: &Clip,
    options: &WriteOptions,
) -> Result<Vec<Finding>, Error> {
    let path = path.as_ref();
    write_as(path, clip.clone(), None, format_of(path)?, options)
}

/// As [`write_with`], in a format regardless of the extension. Meshes, skins and materials of `document`, the file that
/// the clip or its skeleton comes from, are kept if the format holds them; otherwise a warning says so.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// mocap::write_as(folder.path().join("walk"), walk, None, mocap::Format::Csv, &Default::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write()`].
pub fn write_as(
    path: impl AsRef<Path>,
    clip: Clip,
    document: Option<&dyn Document>,
    format: Format,
    options: &WriteOptions,
) -> Result<Vec<Finding>, Error> {
    let mut warnings = Vec::new();
    let encoded = match document.filter(|_| format.holds_several_clips()) {
        Some(document) => {
            let clip = for_format(clip, format, &mut warnings);
            mocap_formats::write_kept(Some(document), &[clip], format, options)?
        }
        None => {
            let prepared = for_format(prepare(clip, format, &mut warnings), format, &mut warnings);
            let mut encoded = mocap_formats::write_owned(prepared, format, options)?;
            let lost = document.and_then(|document| mocap_formats::left_behind(document, format, options));
            encoded.warnings.extend(lost);
            encoded
        }
    };
    warnings.extend(put(path.as_ref(), encoded)?);
    Ok(warnings)
}

/// Writes several clips of one skeleton into one file, such as a GLB. A file that exists is replaced.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value.with_name("walk");
/// let start = walk.trimmed(0..10)?.with_name("start");
/// mocap::write_clips(folder.path().join("moves.glb"), &[walk, start], &Default::default())?;
/// let start = mocap::read(format!("{}/moves.glb#start", folder.path().display()))?.value;
/// assert_eq!(start.frames(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write()`], and where the format holds one clip per file.
pub fn write_clips(
    path: impl AsRef<Path>,
    clips: &[Clip],
    options: &WriteOptions,
) -> Result<Vec<Finding>, Error> {
    let path = path.as_ref();
    let format = format_of(path)?;
    let mut warnings = Vec::new();
    let clips: Vec<Clip> = clips.iter().map(|clip| for_format(clip.clone(), format, &mut warnings)).collect();
    warnings.dedup();
    warnings.extend(put(path, mocap_formats::write_clips(&clips, format, options)?)?);
    Ok(warnings)
}

/// Writes a recording of markers in a format that holds them ([`Format::writes_markers`]), such as `.c3d`. A file that exists is replaced.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let knee = mocap::read_markers("../../fixtures/markers/knee.c3d")?.value;
/// mocap::write_markers(folder.path().join("knee.trc"), &knee)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write()`].
pub fn write_markers(path: impl AsRef<Path>, markers: &Markers) -> Result<Vec<Finding>, Error> {
    let path = path.as_ref();
    put(path, mocap_formats::write_markers(markers, format_of(path)?, &WriteOptions::default())?)
}

/// The clip with the facts about the body that a format needs: arrays need roles, contacts, and
/// lengths in metres. A guessed unit gives a warning.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let prepared = mocap::prepare(walk, mocap::Format::Npz, &mut Vec::new());
/// assert!(prepared.skeleton().with_role(mocap::Role::LeftFoot).is_some());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn prepare(clip: Clip, format: Format, warnings: &mut Vec<Finding>) -> Clip {
    if !format.holds_arrays() {
        return clip;
    }
    let has_roles = clip.skeleton().joints().iter().any(|joint| joint.role.is_some());
    let clip = if has_roles { clip } else { with_roles(clip) };
    let unit = known_unit(clip.skeleton());
    if clip.skeleton().space().unit.is_none() {
        warnings.extend(unit.and_then(|unit| guess_warning(clip.skeleton(), unit)));
    }
    let space = Space { unit, ..*clip.skeleton().space() };
    in_space(clip, space)
}

/// Writes a skeleton as `.skel` or `.asf`, by the path's extension. A file that exists is replaced.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
/// mocap::write_skeleton(folder.path().join("robin.asf"), &robin)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write()`].
pub fn write_skeleton(path: impl AsRef<Path>, skeleton: &Skeleton) -> Result<Vec<Finding>, Error> {
    let path = path.as_ref();
    put(path, mocap_formats::write_skeleton(skeleton, format_of(path)?, &WriteOptions::default())?)
}

pub(crate) fn format_of(path: &Path) -> Result<Format, Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(Format::from_extension).ok_or_else(|| Error::OutputFormat { path: path.to_owned() })
}

/// Writes bytes, such as those of a compressed clip, atomically. A file that exists is replaced.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// mocap::write_bytes(folder.path().join("note.txt"), b"one")?;
/// assert_eq!(std::fs::read(folder.path().join("note.txt"))?, b"one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Io`] where the file cannot be written.
pub fn write_bytes(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
    put_one(path.as_ref(), &Content::stream(|out| out.write_all(bytes)))
}

pub(crate) fn put(path: &Path, encoded: Encoded) -> Result<Vec<Finding>, Error> {
    let Encoded { main, beside, warnings } = encoded;
    // The skeleton is written first: an AMC file is useless without it.
    if let Some((beside, content)) = beside {
        put_one(&beside.path(path), &content)?;
    }
    put_one(path, &main)?;
    Ok(warnings)
}

fn put_one(path: &Path, content: &Content) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        // A device or pipe must not be replaced by a file.
        if path.metadata().is_ok_and(|data| !data.is_file()) {
            return buffered(OpenOptions::new().write(true).open(path)?, content);
        }
        let mut builder = Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // With the usual permissions of a new file: the umask of the process applies.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.prefix(".mocap-").tempfile_in(folder)?;
        buffered(file.as_file_mut(), content)?;
        file.persist(path).map(drop).map_err(|error| error.error)
    };
    write().map_err(Error::io("write", path))
}

fn buffered(out: impl Write, content: &Content) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    content.write_to(&mut out)?;
    out.flush()
}
