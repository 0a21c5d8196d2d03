//! The options of `mocap solve`.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap::FileFormat;
use mocap_formats::Format;
use mocap_model::{EulerOrder, FrameRange};
use mocap_poses::BodySolver;

use super::setup::SolveSettings;
use crate::batch;
use crate::options::formats::writable;
use crate::options::{BvhStyle, Outputs, Reading, Selection, TargetSettings, UnitLength};

/// Solve recordings of optical markers onto a skeleton
///
/// The last argument is the target if it holds a skeleton; its own motion is not used. Without a target a skeleton is
/// made of the subject. Attachments of markers, and lengths of a skeleton that is made, are found from the take.
#[derive(Debug, ClapArgs)]
#[command(override_usage = "mocap solve [OPTIONS] <TAKE>... [TARGET]")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap solve walk.c3d -o walk.bvh\n\
    \x20 mocap solve walk.c3d subject.asf -o walk.bvh --fail-above residual=20mm\n\
    \x20 mocap solve walk.trc --static standing.trc -o walk.bvh --write-calibration subject.json\n\
    \x20 mocap solve takes/ --calibration subject.json -o solved/\n\
    \x20 mocap solve trackers.csv body.bvh --poses walks.poses -o body_walk.bvh")]
pub(crate) struct Args {
    /// Recordings (C3D, TRC; files, directories, globs, or - for stdin), and last the target skeleton, if there is one:
    /// a .skel file, any motion or skeleton file, or preset:NAME
    #[arg(value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SolveSettings,
    /// Write the calibration of one take as JSON: lengths of bones, attachments of markers
    #[arg(long, value_name = "FILE", help_heading = "Solving")]
    pub(crate) write_calibration: Option<PathBuf>,
    /// Write the analog channels of one C3D take as arrays: forces, muscles, switches
    #[arg(long, value_name = "FILE.npz", help_heading = "Output")]
    pub(crate) analog: Option<PathBuf>,
    /// Trackers of --poses are turned against their joints, each by one rotation: find it over the take
    #[arg(long, requires = "poses", help_heading = "Solving")]
    pub(crate) unknown_mounting: bool,
    /// Solver that moves the body onto points of --poses at the end: objective (the least change of all joints) or xpbd (also
    /// keeps arms, legs and trunk out of each other) [default: objective]
    #[arg(long, value_name = "SOLVER", requires = "poses", help_heading = "Solving")]
    pub(crate) ik: Option<BodySolver>,
    /// Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
    #[arg(long, value_name = "A:B", conflicts_with = "analog", help_heading = "Solving")]
    pub(crate) trim: Option<FrameRange>,
    #[command(flatten)]
    pub(crate) target: TargetSettings,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Output",
        help = format!("Format: {} [default: by OUT, else bvh]", writable(Format::has_motion))
    )]
    pub(crate) to: Option<Format>,
    /// Unit of the output: m, cm, mm, in, ft, cmu or metres [default: cm of BVH]
    #[arg(long, value_name = "UNIT", help_heading = "Output")]
    pub(crate) unit: Option<UnitLength>,
    /// Rotation order of BVH joints, such as ZXY [default: of the skeleton]
    #[arg(long, value_name = "ORDER", help_heading = "Output")]
    pub(crate) euler: Option<EulerOrder>,
    #[command(flatten)]
    pub(crate) bvh: BvhStyle,
}

impl Args {
    /// The takes, and the target.
    pub(super) fn takes(&self) -> (&[PathBuf], Option<&Path>) {
        match self.paths.split_last() {
            Some((last, takes)) if !takes.is_empty() && holds_skeleton(last) => (takes, Some(last)),
            _ => (&self.paths, None),
        }
    }
}

/// Whether a path, by its name, is not a recording of markers.
fn holds_skeleton(path: &Path) -> bool {
    if path.to_str().is_some_and(|path| path.starts_with("preset:")) {
        return true;
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.and_then(FileFormat::from_extension).is_some_and(|format| !batch::MARKERS(format))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_what_is_no_recording() {
        for (path, is_target) in
            [("a.asf", true), ("a.bvh", true), ("preset:smpl", true), ("a.c3d", false), ("dir", false)]
        {
            assert_eq!(holds_skeleton(Path::new(path)), is_target, "{path}");
        }
    }
}
