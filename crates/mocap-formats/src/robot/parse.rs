//! Reads a robot of either format.

use std::cell::RefCell;

use mocap_model::{Robot, RobotParts};

use super::element::{Element, Include, read};
use super::mesh::Meshes;
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

/// Reads a URDF or MJCF held in memory. `include` gives the files that it refers to, by their path relative to it: those
/// that an MJCF includes, and meshes, which are left out with a warning where they are not there. The path of a mesh may
/// begin with `../`.
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
    let (format, parts) = parts(&root, &Meshes::new(include), &mut warnings)?;
    let robot = Robot::new(parts).map_err(|error| Finding::new(Problem::Robot { error }))?;
    Ok(Parsed { value: (format, robot), warnings })
}

fn parts(
    root: &Element,
    meshes: &Meshes,
    warnings: &mut Vec<Finding>,
) -> Result<(RobotFile, RobotParts), Finding> {
    match root.name.as_str() {
        "robot" => Ok((RobotFile::Urdf, from_urdf::parts(root, meshes, warnings)?)),
        "mujoco" => Ok((RobotFile::Mjcf, from_mjcf::parts(root, meshes, warnings)?)),
        other => Err(root.error(Problem::Root { found: other.to_owned() })),
    }
}

/// The files that a model includes, directly or through the files that are `known` so far; their errors are left to
/// [`parse`]. Then the meshes of its collision shapes, everywhere they may be.
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
    let ask = |path: &str, needed| asked.borrow_mut().push(FileBeside { path: path.to_owned(), needed });
    let include = |path: &str| {
        ask(path, true);
        beside(known, path)
    };
    let mesh = |path: &str| {
        ask(path, false);
        Err("only its name is asked for".to_owned())
    };
    // Stops at the first file that is not known yet; the error is expected.
    if let Ok(root) = read(decoded, &include, limits) {
        // So does an error of the model.
        let _ = parts(&root, &Meshes::new(&mesh), &mut Vec::new());
    }
    Ok(asked.into_inner())
}

/// A file beside the model.
pub(super) fn beside(files: &FilesBeside, path: &str) -> Result<Vec<u8>, String> {
    files.get(path).map(|bytes| bytes.to_vec()).ok_or_else(|| "there is no such file".to_owned())
}
