//! NPZ in the table of formats.

use super::{Archive, write, write_parts};
use crate::arrays::{self, Source, parts};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::robot_motion::{document, is_robot_motion, read_arrays, robot_format};
use crate::{Content, Format, Parsed, ReadError, ReadOptions, smpl};

pub(crate) static FORMAT: Entry = Entry {
    name: "npz",
    extensions: &[],
    note: Some("numpy arrays"),
    has_motion: true,
    states_space: true,
    holds: Holds::MOTION,
    // A folder may hold NPZ files of any kind.
    searched: false,
    beside: None,
    detect: |start| start.bytes.starts_with(b"PK\x03\x04"),
    read: Ok(read),
    write: Some(|clip, options| {
        let options = options.arrays;
        Ok(Content::stream(move |out| write_parts(&parts(&clip, &options), out)).into())
    }),
    write_markers: Some(|markers, options| {
        arrays::check_fits(markers, options.arrays.precision, ".npy")?;
        let arrays = arrays::of_markers(markers, options.arrays.precision);
        Ok(Content::stream(move |out| write(&arrays, out)).into())
    }),
    // Of a set of clips.
    reads_clips: true,
    write_arrays: Some(|arrays| Content::stream(move |out| write(&arrays, out))),
    moves_body: true,
    of_robots: Some(Format::MjlabNpz),
    packed: true,
    page: Some("npz.md"),
    ..Entry::MOTION
};

/// Reads what an NPZ file holds: markers, the motion of an SMPL body, or arrays of a clip.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Parsed<Box<dyn crate::Document>>, ReadError> {
    let archive = Archive::open(bytes, &options.limits)?;
    if is_robot_motion(|name| archive.has(name)) {
        let read = |which: &dyn Fn(&str) -> bool| archive.read(which);
        let robot = options.body.as_ref().and_then(|body| body.robot());
        let motion = read_arrays(read, robot.map(|robot| &**robot), options.fps, &options.limits)?;
        return Ok(document(robot_format(|name| archive.has(name)), motion, robot, bytes)?);
    }
    let mut warnings = Vec::new();
    let arrays = archive.read_numbers(|name| !arrays::is_derived(name), &mut warnings)?;
    let suffix = ".npy";
    let read = match archive.has("poses") && !archive.has("rotations") {
        true => smpl::to_clip(&Source { arrays: &arrays, suffix }, options)
            .map(|clip| arrays::clip_document(Format::Smpl, clip, bytes))
            .map_err(ReadError::from),
        false => arrays::document(Format::Npz, arrays, suffix, bytes, options),
    };
    match read {
        Ok(mut parsed) => {
            parsed.warnings.splice(..0, warnings);
            Ok(parsed)
        }
        Err(failed) => Err(failed.behind(warnings)),
    }
}
