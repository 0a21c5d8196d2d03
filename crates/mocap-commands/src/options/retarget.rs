//! `mocap retarget`, and the settings of the step `retarget`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args as ClapArgs;
use clap::builder::{OsStringValueParser, TypedValueParser};
use mocap_analysis::{Metric, ParseGateError, metres_per_unit};
use mocap_batch::path_of_bytes;
use mocap_formats::Format;
use mocap_model::{EulerOrder, SignedAxis, Skeleton};
use mocap_retarget::{
    Floor, FootLock, Hands, IkMethod, LimbSolver, RetargetGate, RetargetMethod, RetargetMetric,
    RetargetOptions, SurfaceFrames,
};
use mocap_robot::{RobotGate, RobotReport};
use serde::Deserialize;

use super::formats::writable;
use super::words::words;
use super::{
    BvhStyle, Length, Outputs, Reading, RobotFlags, SceneFlags, Selection, SourceEdits, UnitLength, setting,
};

/// Retarget motions to another skeleton and report quality
///
/// The last argument is the target, as for cp. Root and effectors are scaled by the ratio of limb lengths, feet keep
/// the contacts of the source, joint limits of the target are kept. Without -o the result of one source is written to
/// the current directory as SOURCE.TARGET.bvh.
#[derive(Debug, ClapArgs)]
#[command(override_usage = "mocap retarget [OPTIONS] <SOURCE>... <TARGET>")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap retarget walk.bvh robin.skel -o walk.robin.bvh\n\
    \x20 mocap retarget database/ robin.skel -o out/ --fail-above violations=0,slide=0.05\n\
    \x20 mocap retarget walk.bvh g1.xml -o walk.csv\n\
    \x20 mocap retarget --pair anna.bvh=woman.glb --pair bob.bvh=child.glb -o scene.glb\n\
    \x20 mocap retarget walk.bvh robin.skel --explain")]
pub(crate) struct Args {
    /// Motions (files, directories, globs, or - for stdin), and last the target skeleton: a .skel file, any motion or
    /// skeleton file, the model of a robot (URDF, MJCF), or preset:NAME (`mocap skel --preset list`)
    #[arg(value_name = "PATH", required_unless_present_any = ["pair", "print_config"], num_args = 1..)]
    pub(crate) paths: Vec<PathBuf>,
    /// A motion and its target, for people who are together, in one space and time; once for each
    ///
    /// Contacts of hands, distances and facing stay; nobody stands in the other. OUT is a directory, for a file each, or a
    /// file, for a scene of all.
    #[arg(
        long,
        value_name = "SOURCE=TARGET",
        value_parser = OsStringValueParser::new().try_map(PairPaths::of),
        help_heading = "Several people",
        conflicts_with_all = [
            "paths", "characters", "map", "explain", "write_map", "files_from", "shard", "resume", "manifest", "dry_run",
            "skip_existing",
        ]
    )]
    pub(crate) pair: Vec<PairPaths>,
    /// Targets of the characters of a scene, by name: a JSON object such as {"Anna": "woman.glb"}; all paths are scenes,
    /// and what is between people stays
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Several people",
        value_hint = clap::ValueHint::AnyPath,
        conflicts_with_all = ["map", "explain", "write_map"]
    )]
    pub(crate) characters: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) method: MethodSettings,
    #[command(flatten)]
    pub(crate) target: TargetSettings,
    #[command(flatten)]
    pub(crate) robot: RobotSettings,
    #[command(flatten)]
    pub(crate) mapping: MappingArgs,
    #[command(flatten)]
    pub(crate) gates: GateSettings,
    #[command(flatten)]
    pub(crate) edits: SourceEdits,
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
        help = format!(
            "Format: {} [default: by OUT, else bvh; of robots unitree-csv]",
            writable(Format::has_motion)
        )
    )]
    pub(crate) to: Option<Format>,
    /// Write results that cannot be right: limbs of two lengths, of another size than the target, or that move against the
    /// source
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Rotation order of BVH joints, such as ZXY [default: of the target]
    #[arg(long, value_name = "ORDER", help_heading = "Output")]
    pub(crate) euler: Option<EulerOrder>,
    #[command(flatten)]
    pub(crate) bvh: BvhStyle,
    #[command(flatten)]
    pub(crate) scene: SceneFlags,
    #[command(flatten)]
    pub(crate) robot_motion: RobotFlags,
}

/// A motion and whom it is put on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairPaths {
    pub(crate) source: PathBuf,
    pub(crate) target: PathBuf,
}

impl PairPaths {
    /// Reads SOURCE=TARGET; paths need not be UTF-8.
    fn of(text: OsString) -> Result<PairPaths, String> {
        let bytes = text.as_encoded_bytes();
        let parts = bytes.iter().rposition(|byte| *byte == b'=').map(|at| (&bytes[..at], &bytes[at + 1..]));
        match parts {
            Some((source, target)) if !source.is_empty() && !target.is_empty() => {
                Ok(PairPaths { source: path_of_bytes(source), target: path_of_bytes(target) })
            }
            _ => Err(format!("'{}' names no target: a pair is SOURCE=TARGET", text.display())),
        }
    }
}

/// How the motion is retargeted.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Retargeting")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct MethodSettings {
    /// How to handle different proportions: scale (root and feet scaled by the ratio of leg lengths, arms copy
    /// rotations), limb-ratio (hands scaled, too, and all limbs solved by CCD, as Yang et al. 2002), copy (rotations
    /// only: feet float or penetrate), effectors (unscaled goals: limbs fold or overstretch)
    #[arg(long, value_name = "METHOD", default_value = "scale", hide_possible_values = true)]
    method: MethodWord,
    /// Goals of the hands: auto (arms copy rotations except during contacts of hands), scale (from the shoulder, by arm
    /// length), keep (from the hips, by leg length), off (arms copy rotations)
    #[arg(long, value_name = "HANDS", default_value = "auto", hide_possible_values = true)]
    hands: HandsWord,
    /// Solver of limbs: auto (two-bone, and CCD where joint limits keep it from the goal), ccd, fabrik, two-bone, dls,
    /// objective
    #[arg(long, value_name = "SOLVER", default_value = "auto", hide_possible_values = true)]
    ik: SolverWord,
    /// Ignore the degrees of freedom and joint limits of the target
    #[arg(long)]
    no_limits: bool,
    /// Contacts that are kept: hands (each other, head, hips, floor) and feet, or only feet
    #[arg(long, value_name = "WHICH", default_value = "hands", hide_possible_values = true)]
    contacts: ContactsWord,
    /// Turn off the foot lock: feet skate as those of the source do
    #[arg(long)]
    no_lock: bool,
    /// Floor of the target: auto (that of the source, scaled), off (feet keep their own height), or a height along the
    /// up axis [m, or with a unit, such as -2cm]
    #[arg(long, value_name = "HEIGHT", default_value = "auto", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::one")]
    floor: FloorChoice,
    /// Surface that arms are kept out of: auto (the mesh of the target, where it has one), off, capsules (of the
    /// proportions of the skeleton), or a character with a mesh and the joints of the target
    #[arg(long, value_name = "BODY", default_value = "auto")]
    #[serde(deserialize_with = "setting::one")]
    pub(crate) body: BodyChoice,
    /// Frames in which the surface is measured for the report: a number, evenly spaced, or all
    #[arg(long, value_name = "N", default_value = "20")]
    #[serde(deserialize_with = "setting::one")]
    pub(crate) surface_frames: SurfaceFrames,
    /// Frame of the source in which it stands upright, arms anywhere [from 0; default: its rest pose]
    #[arg(long, value_name = "FRAME")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) source_rest: Option<usize>,
    /// Frame of the target's own motion in which it stands upright [from 0; default: a rest pose at its start, else
    /// estimated from its motion]
    #[arg(long, value_name = "FRAME")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) target_rest: Option<usize>,
}

/// What a result must keep to.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Quality")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct GateSettings {
    // The help comes from the tables of figures.
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', help = gates_help(), long_help = all_gates_help())]
    #[serde(deserialize_with = "setting::comma_list")]
    pub(crate) fail_above: Vec<TargetGate>,
}

fn gates_help() -> String {
    let names = RetargetMetric::names();
    format!(
        "Gate: exit code 3 where a figure exceeds its limit, such as slide=0.05,step=30 [m or with a unit, m/s, degrees]; \
         the motion is not written then. Figures: {names}"
    )
}

fn all_gates_help() -> String {
    let names = Metric::<RobotReport>::names();
    format!("{}\n\nOn robots: {names} [m, m/s, rad; limbs in degrees]", gates_help())
}

/// A gate on the report of a body, of a robot, or of either where both have a figure of the name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TargetGate {
    pub(crate) body: Option<RetargetGate>,
    pub(crate) robot: Option<RobotGate>,
}

/// What counts where the target is a robot.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Robots as target")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct RobotSettings {
    /// Model of the same robot to take limits of joint velocities and accelerations from, such as its URDF: MJCF states
    /// none [default: those of the target]
    #[arg(long, value_name = "FILE")]
    pub(crate) limits_from: Option<PathBuf>,
    /// Do not keep parts of the robot apart (faster)
    #[arg(long)]
    pub(crate) no_separation: bool,
    /// Change the motion so that the robot can stand it: hips and trunk move as little as needed to keep the zero-moment
    /// point on the soles, and jumps fall freely
    #[arg(long)]
    pub(crate) balance: bool,
}

/// What the target means where its file does not state it.
#[derive(Clone, Copy, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Target")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct TargetSettings {
    /// Unit of the target, as --input-unit [default: stated, else guessed]
    #[arg(long, value_name = "UNIT")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) target_unit: Option<UnitLength>,
    /// Up axis of the target [default: stated in its file, else Y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) target_up: Option<SignedAxis>,
    /// Whether its unit is not needed: nothing is measured.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) unit_unneeded: bool,
}

/// Which joint drives which.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Mapping")]
pub(crate) struct MappingArgs {
    #[command(flatten)]
    pub(crate) map: MapSettings,
    /// Write the mapping as JSON, to edit and give to --map; - for stdout
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub(crate) write_map: Option<PathBuf>,
    /// Show the mapping with reasons and scores, and write nothing
    #[arg(long, conflicts_with = "output")]
    pub(crate) explain: bool,
}

/// A mapping that a user gives.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Mapping")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct MapSettings {
    /// Joint mapping as --write-map writes it; nothing else is mapped. Without legs in it, joints copy the rotation of
    /// their pair, on any kind of body
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
}

words! {
    /// How to handle different proportions.
    MethodWord(RetargetMethod) {
        "scale" => RetargetMethod::Scale,
        "limb-ratio" => RetargetMethod::LimbRatio,
        "copy" => RetargetMethod::Copy,
        "effectors" => RetargetMethod::Effectors,
    }
    /// Goals of the hands.
    HandsWord(Hands) {
        "auto" => Hands::Auto,
        "scale" => Hands::Scale,
        "keep" => Hands::Keep,
        "off" => Hands::Off,
    }
    /// How limbs are solved.
    SolverWord(LimbSolver) {
        "auto" => LimbSolver::Auto,
        "ccd" => LimbSolver::Named(IkMethod::Ccd),
        "fabrik" => LimbSolver::Named(IkMethod::Fabrik),
        "two-bone" => LimbSolver::Named(IkMethod::TwoBone),
        "dls" => LimbSolver::Named(IkMethod::Dls),
        "objective" => LimbSolver::Named(IkMethod::Objective),
    }
    /// Whose contacts are kept: whether those of the hands, too.
    ContactsWord(bool) { "feet" => false, "hands" => true }
}

/// Which surface the target has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BodyChoice {
    Auto,
    Off,
    Capsules,
    File(PathBuf),
}

impl FromStr for BodyChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<BodyChoice, std::convert::Infallible> {
        Ok(match text {
            "auto" => BodyChoice::Auto,
            "off" => BodyChoice::Off,
            "capsules" => BodyChoice::Capsules,
            path => BodyChoice::File(path.into()),
        })
    }
}

/// Where the target's floor is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FloorChoice {
    Auto,
    Off,
    /// [m]
    At(f64),
}

impl Default for MethodSettings {
    fn default() -> MethodSettings {
        super::defaults()
    }
}

impl MethodSettings {
    /// The options of the library that do not depend on the source.
    pub(crate) fn options(&self, target: &Skeleton) -> RetargetOptions {
        RetargetOptions {
            method: self.method.0,
            hands: self.hands.0,
            solver: self.ik.0,
            limits: !self.no_limits,
            foot_lock: if self.no_lock { FootLock::Off } else { FootLock::Auto },
            self_contacts: self.contacts.0,
            floor: match self.floor {
                FloorChoice::Auto => Floor::Auto,
                FloorChoice::Off => Floor::Off,
                FloorChoice::At(height) => Floor::At(height / metres_per_unit(target)),
            },
            ..RetargetOptions::default()
        }
    }
}

impl FromStr for TargetGate {
    type Err = ParseGateError;

    fn from_str(text: &str) -> Result<TargetGate, ParseGateError> {
        match (text.parse(), text.parse()) {
            (Ok(body), robot) => Ok(TargetGate { body: Some(body), robot: robot.ok() }),
            (Err(_), Ok(robot)) => Ok(TargetGate { body: None, robot: Some(robot) }),
            // Of an unknown figure, the list of both.
            (Err(body), Err(robot)) => Err(match (body, robot) {
                (
                    ParseGateError::UnknownMetric { name, known: bodies },
                    ParseGateError::UnknownMetric { known: robots, .. },
                ) => ParseGateError::UnknownMetric { name, known: format!("{bodies}; of robots {robots}") },
                (ParseGateError::UnknownMetric { .. }, robot) => robot,
                (body, _) => body,
            }),
        }
    }
}

impl MappingArgs {
    /// Whether no motion is written.
    pub(crate) fn shows_only(&self) -> bool {
        self.explain || self.write_map.is_some()
    }
}

impl MapSettings {
    /// The file of the map.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.map.as_deref()
    }
}

/// The height of a floor, above or below the origin, is at most this \[m\]: farther away, files in single precision
/// cannot hold a body.
const FARTHEST_FLOOR: f64 = 1e6;

impl FromStr for FloorChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<FloorChoice, String> {
        match text {
            "auto" => Ok(FloorChoice::Auto),
            "off" => Ok(FloorChoice::Off),
            _ => {
                let (sign, height) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
                let Length(height) =
                    height.parse().map_err(|error| format!("auto, off, or a height: {error}"))?;
                if height > FARTHEST_FLOOR {
                    return Err(format!("a floor is at most {FARTHEST_FLOOR:e} m above or below the origin"));
                }
                Ok(FloorChoice::At(sign * height))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_words_or_heights() {
        let floor = |text: &str| text.parse::<FloorChoice>();
        assert_eq!(floor("auto"), Ok(FloorChoice::Auto));
        assert_eq!(floor("off"), Ok(FloorChoice::Off));
        assert_eq!(floor("-2cm"), Ok(FloorChoice::At(-0.02)));
        assert_eq!(floor("1e6"), Ok(FloorChoice::At(1e6)));
        assert!(floor("1e9").is_err() && floor("-1e9").unwrap_err().contains("at most 1e6 m"));
        assert_eq!(floor("0.1"), Ok(FloorChoice::At(0.1)));
        assert!(floor("on").unwrap_err().starts_with("auto, off, or a height"));
    }
}
