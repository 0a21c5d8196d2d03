//! Reads a robot of either format.

use std::cell::RefCell;

use mocap_model::Robot;

use super::element::{Include, read};
use super::{Problem, from_mjcf, from_urdf};
use crate::{FileBeside, FilesBeside, Finding, Limits, Parsed, ReadError, text};

/// Which of the two formats a robot is described in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotFile {
    /// Unified Robot Description Format, as ROS has it.
    Urdf,
    /// MuJoCo's XML.
    Mjcf,
}

/// Reads a URDF or MJCF held in memory. `include` gives the files that an MJCF includes, by their path relative to it.
///
/// ```
/// use mocap_formats::{Limits, robot};
///
/// let arm = br#"<mujoco><worldbody><body name="base"><freejoint/>
///     <body name="arm" pos="0 0 0.5"><joint name="elbow" axis="0 1 0" range="0 90"/></body>
/// </body></worldbody></mujoco>"#;
/// let no_files = |_: &str| Err("there are no files".to_owned());
/// let (format, robot) = robot::parse(arm, &no_files, &Limits::default())?.value;
/// assert_eq!(format, robot::RobotFile::Mjcf);
/// assert_eq!(robot.joints()[0].limit.unwrap().max, std::f64::consts::FRAC_PI_2);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// The first problem, with its line and column.
pub fn parse(
    bytes: &[u8],
    include: Include,
    limits: &Limits,
) -> Result<Parsed<(RobotFile, Robot)>, ReadError> {
    let decoded = text::open(bytes, limits)?;
    let decoded = std::str::from_utf8(&decoded)
        .map_err(|_| Finding::new(Problem::Xml { message: "the text is not UTF-8".into() }))?;
    let root = read(decoded, include, limits)?;
    let mut warnings = Vec::new();
    let (format, parts) = match root.name.as_str() {
        "robot" => (RobotFile::Urdf, from_urdf::parts(&root, &mut warnings)?),
        "mujoco" => (RobotFile::Mjcf, from_mjcf::parts(&root, &mut warnings)?),
        other => return Err(root.error(Problem::Root { found: other.to_owned() }).into()),
    };
    let robot = Robot::new(parts).map_err(|error| Finding::new(Problem::Robot { error }))?;
    Ok(Parsed { value: (format, robot), warnings })
}

/// The files that a model includes, directly or through the files that are `known` so far; their errors are left to
/// [`parse`].
///
/// # Errors
/// If the text cannot be decoded.
pub fn files_beside(
    bytes: &[u8],
    known: &FilesBeside,
    limits: &Limits,
) -> Result<Vec<FileBeside>, ReadError> {
    let decoded = text::open(bytes, limits)?;
    let Ok(decoded) = std::str::from_utf8(&decoded) else { return Ok(Vec::new()) };
    let asked = RefCell::new(Vec::new());
    let include = |path: &str| {
        asked.borrow_mut().push(FileBeside { path: path.to_owned(), needed: true });
        beside(known, path)
    };
    // Stops at the first file that is not known yet; the error is expected.
    let _ = read(decoded, &include, limits);
    Ok(asked.into_inner())
}

/// A file beside the model.
pub(super) fn beside(files: &FilesBeside, path: &str) -> Result<Vec<u8>, String> {
    files.get(path).map(|bytes| bytes.to_vec()).ok_or_else(|| "there is no such file".to_owned())
}
