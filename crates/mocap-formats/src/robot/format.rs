//! URDF and MJCF in the table of formats.

use mocap_model::Skeleton;

use super::parse::{RobotFile, beside, files_beside, parse};
use crate::entry::{Entry, ReadFile};
use crate::left_out::Holds;
use crate::{Encoded, Finding, Format, Parsed, ReadError, ReadOptions, Stated};

pub(crate) static URDF: Entry = Entry {
    name: "urdf",
    extensions: &[],
    note: Some("robots"),
    detect: |start| start.word.starts_with(b"<") && start.has_word("<robot"),
    ..MODEL
};

pub(crate) static MJCF: Entry = Entry {
    name: "mjcf",
    extensions: &["xml"],
    note: Some("robots of MuJoCo"),
    detect: |start| start.word.starts_with(b"<") && start.has_word("<mujoco"),
    ..MODEL
};

const MODEL: Entry = Entry {
    has_motion: false,
    states_space: true,
    holds: Holds::NOTHING,
    read: READ,
    files_beside: Some(files_beside),
    page: Some("robots.md"),
    ..Entry::MOTION
};

const READ: Result<ReadFile, &str> = Ok(|bytes, options| {
    let include = |path: &str| beside(&options.beside, path);
    let Parsed { value: (file, robot), warnings } = parse(bytes, &include, &options.limits)?;
    let format = match file {
        RobotFile::Urdf => Format::Urdf,
        RobotFile::Mjcf => Format::Mjcf,
    };
    let skeleton = robot.to_skeleton().map_err(|error| Finding::new(super::Problem::Robot { error }))?;
    Ok(Parsed { value: Box::new(Document { format, skeleton, bytes: bytes.to_vec() }), warnings })
});

/// A robot as its skeleton, and the file.
#[derive(Debug)]
struct Document {
    format: Format,
    skeleton: Skeleton,
    bytes: Vec<u8>,
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        self.format
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(&self.skeleton, 0)
    }

    fn to_skeleton(&self, _: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
        Ok(Parsed { value: self.skeleton.clone(), warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}
