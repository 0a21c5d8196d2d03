//! The options of `mocap solve`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args as ClapArgs;
use mocap::FileFormat;
use mocap::solve::SolveReport;
use mocap_analysis::{Gate, ParseGateError};
use mocap_formats::Format;
use mocap_model::EulerOrder;
use mocap_poses::BodySolver;

use crate::batch;
use crate::options::formats::writable;
use crate::options::{BvhStyle, Length, Outputs, Reading, Selection, TargetSettings, UnitLength};

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
    /// Trial of the subject standing still
    #[arg(long = "static", value_name = "FILE", help_heading = "Solving")]
    pub(crate) static_trial: Option<PathBuf>,
    /// Calibration of the subject, as --write-calibration writes it
    #[arg(long, value_name = "FILE", conflicts_with = "static_trial", help_heading = "Solving")]
    pub(crate) calibration: Option<PathBuf>,
    /// Write the calibration of one take as JSON: lengths of bones, attachments of markers
    #[arg(long, value_name = "FILE", help_heading = "Solving")]
    pub(crate) write_calibration: Option<PathBuf>,
    /// Write the analog channels of one C3D take as arrays: forces, muscles, switches
    #[arg(long, value_name = "FILE.npz", help_heading = "Output")]
    pub(crate) analog: Option<PathBuf>,
    /// Labels that count: plug-in-gait, cmu-41, helen-hayes, rajagopal, optitrack, or a table in TOML that adds labels
    /// [default: all known labels]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Solving")]
    pub(crate) marker_set: Option<PathBuf>,
    /// Example poses, as `mocap poses` writes them: solve sparse points and trackers. TAKE is then also a CSV with the
    /// columns frame, joint, x, y, z, qw, qx, qy, qz (orientation empty where unknown), or labels are names of joints. Of
    /// takes with labels of markers, they fill joints that no marker shows
    #[arg(long, value_name = "FILE", help_heading = "Solving")]
    pub(crate) poses: Option<PathBuf>,
    /// Trackers of --poses are turned against their joints, each by one rotation: find it over the take
    #[arg(long, requires = "poses", help_heading = "Solving")]
    pub(crate) unknown_mounting: bool,
    /// Solver that moves the body onto points of --poses at the end: objective (the least change of all joints) or xpbd (also
    /// keeps arms, legs and trunk out of each other) [default: objective]
    #[arg(long, value_name = "SOLVER", requires = "poses", help_heading = "Solving")]
    pub(crate) ik: Option<BodySolver>,
    /// Gate: exit code 3 where a figure exceeds its limit, such as residual=20mm; the motion is not written then.
    /// Figures: residual, residual-rms, residual-p95, attachment [m, or with a unit], doubtful [share], ghosts [count]
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', help_heading = "Quality")]
    pub(crate) fail_above: Vec<SolveGate>,
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

/// A gate on the report, whose limit may be a length with a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SolveGate(pub(super) Gate<SolveReport>);

impl FromStr for SolveGate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<SolveGate, ParseGateError> {
        let with_unit = text.split_once('=').and_then(|(name, limit)| {
            let Length(metres) = limit.trim().parse().ok()?;
            format!("{name}={metres}").parse().ok()
        });
        let gate: Option<Gate<SolveReport>> =
            with_unit.filter(|gate: &Gate<SolveReport>| gate.metric.unit == "m");
        gate.map_or_else(|| text.parse(), Ok).map(SolveGate)
    }
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

/// Whether a path, by its name, is no recording of markers.
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
    fn limits_of_gates_take_units() {
        let limit = |text: &str| text.parse::<SolveGate>().map(|gate| gate.0.limit);
        assert_eq!((limit("residual=20mm"), limit("residual=0.02")), (Ok(0.02), Ok(0.02)));
        assert_eq!(limit("doubtful=0.1"), Ok(0.1));
        assert!(limit("doubtful=1mm").is_err() && limit("residual").is_err());
    }

    #[test]
    fn a_target_is_what_is_no_recording() {
        for (path, is_target) in
            [("a.asf", true), ("a.bvh", true), ("preset:smpl", true), ("a.c3d", false), ("dir", false)]
        {
            assert_eq!(holds_skeleton(Path::new(path)), is_target, "{path}");
        }
    }
}
