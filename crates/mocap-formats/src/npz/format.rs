//! NPZ in the table of formats.

use super::{Archive, write};
use crate::arrays::{self, Source, of_clip};
use crate::entry::Entry;
use crate::markers::MarkersDocument;
use crate::robot_motion::{RobotDocument, is_robot_motion, read_arrays, robot_format};
use crate::{Content, Encoded, Format, Parsed, ReadOptions, Rejected, Stated, smpl};
use mocap_model::Clip;

pub(crate) static FORMAT: Entry = Entry {
    name: "npz",
    extensions: &[],
    note: Some("numpy arrays"),
    has_motion: true,
    states_space: true,
    // A folder may hold NPZ files of any kind.
    searched: false,
    beside: None,
    detect: |start| start.bytes.starts_with(b"PK\x03\x04"),
    read: Ok(read),
    write: Some(|clip, options| {
        let arrays = of_clip(&clip, &options.arrays);
        drop(clip);
        Ok(Content::stream(move |out| write(&arrays, out)).into())
    }),
    write_markers: Some(|markers, options| {
        let arrays = arrays::of_markers(markers, options.arrays.precision);
        Ok(Content::stream(move |out| write(&arrays, out)).into())
    }),
    ..Entry::MOTION
};

/// Reads what an NPZ file holds: markers, the motion of an SMPL body, or arrays of a clip.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Parsed<Box<dyn crate::Document>>, Rejected> {
    let archive = Archive::open(bytes, &options.limits)?;
    if is_robot_motion(|name| archive.has(name)) {
        let read = |which: &dyn Fn(&str) -> bool| archive.read(which);
        let robot = options.robot.as_ref();
        let Parsed { value, warnings } =
            read_arrays(read, robot.map(|robot| &**robot), options.fps, &options.limits)?;
        let robot = robot.expect("a motion was read on it");
        let document = RobotDocument::new(robot_format(|name| archive.has(name)), &value, robot, bytes)?;
        return Ok(Parsed { value: Box::new(document), warnings });
    }
    let arrays = archive.read(|name| !arrays::is_derived(name))?;
    let source = Source { arrays: &arrays, suffix: ".npy" };
    if archive.has("marker_positions") {
        let markers = arrays::to_markers(&source, &options.limits, options.fps)?;
        let document = MarkersDocument { format: Format::Npz, markers, bytes: bytes.to_vec() };
        return Ok(Parsed { value: Box::new(document), warnings: Vec::new() });
    }
    let (format, parsed) = match archive.has("poses") && !archive.has("rotations") {
        true => (Format::Smpl, smpl::to_clip(&source, &options.limits, options.fps)?),
        false => (Format::Npz, arrays::first_clip(&source, &options.limits, options.fps)?),
    };
    let Parsed { value: clip, warnings } = parsed;
    Ok(Parsed { value: Box::new(Document { format, clip, bytes: bytes.to_vec() }), warnings })
}

/// The motion of a file, and the file.
#[derive(Debug)]
struct Document {
    format: Format,
    clip: Clip,
    bytes: Vec<u8>,
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        self.format
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(self.clip.skeleton(), self.clip.frames())
    }

    fn to_clip(&self, _: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        Ok(Parsed { value: self.clip.clone(), warnings: Vec::new() })
    }

    fn into_clip(self: Box<Self>, _: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        Ok(Parsed { value: self.clip, warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}
