//! Data that all takes of a subject share (target, tables of labels, static trial, calibration, example poses),
//! and the solution of a take with it.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap::EditOptions;
use mocap::solve::{Calibration, MarkerSets, SolveOptions, Solved};
use mocap_formats::{Finding, Limits};
use mocap_model::{Character, Clip, Markers, Skeleton};
use mocap_poses::{Filled, MAX_BYTES, PosePrior};
use serde::{Deserialize, Serialize};

use super::gate::SolveGate;
use crate::batch::{Input, JobContext};
use crate::commands::poses::refused;
use crate::commands::retarget::Target;
use crate::diagnostic::Diagnostic;
use crate::options::{Reading, setting};
use crate::read;

/// What is known of the subject and of its markers, and what the result must keep to.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct SolveSettings {
    /// Trial of the subject standing still
    #[arg(long = "static", value_name = "FILE", help_heading = "Solving")]
    #[serde(rename = "static")]
    pub(crate) static_trial: Option<PathBuf>,
    /// Calibration of the subject, as --write-calibration writes it
    #[arg(long, value_name = "FILE", conflicts_with = "static_trial", help_heading = "Solving")]
    pub(crate) calibration: Option<PathBuf>,
    /// Labels that count: plug-in-gait, cmu-41, helen-hayes, rajagopal, gait2354, optitrack, or a table in TOML that
    /// adds labels [default: all known labels]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Solving")]
    pub(crate) marker_set: Option<PathBuf>,
    /// Example poses, as `mocap poses` writes them: TAKE may then hold points and trackers of joints, in a CSV with the
    /// columns frame, joint, x, y, z, qw, qx, qy, qz (orientation empty where unknown) or in a recording whose labels are
    /// names of joints. In takes of optical markers, joints that no marker shows are filled from the poses
    #[arg(long, value_name = "FILE", help_heading = "Solving")]
    pub(crate) poses: Option<PathBuf>,
    /// Gate: exit code 3 where a figure exceeds its limit, such as residual=20mm; the motion is not written then.
    /// Figures: residual, residual-rms, residual-p95, attachment [m, or with a unit], doubtful [share], ghosts [count]
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', help_heading = "Quality")]
    #[serde(deserialize_with = "setting::comma_list")]
    pub(crate) fail_above: Vec<SolveGate>,
}

impl SolveSettings {
    /// The files that they name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let named = [&self.static_trial, &self.calibration, &self.marker_set, &self.poses];
        named.into_iter().flatten().map(PathBuf::as_path)
    }
}

/// Data that all takes of a subject share.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(super) target: Option<Target>,
    pub(super) poses: Option<Given>,
    pub(super) sets: MarkerSets,
    set: Option<String>,
    /// The static trial, with the warnings of its file.
    trial: Option<(Markers, Vec<Diagnostic>)>,
    pub(super) calibration: Option<Calibration>,
}

/// Example poses that were given.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) prior: PosePrior,
    pub(super) path: String,
}

/// A take that is solved.
pub(crate) struct SolvedTake {
    pub(super) solved: Solved,
    /// Motion and props, in the requested unit.
    pub(super) clip: Clip,
    pub(super) props: Vec<Character>,
    pub(super) filled: Vec<FilledJoint>,
}

/// A joint that no marker shows for some time, filled from the example poses.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct FilledJoint {
    joint: String,
    /// The first frame, from 0.
    first: usize,
    /// The last one.
    last: usize,
}

impl FilledJoint {
    fn all(filled: &[Filled], skeleton: &Skeleton) -> Vec<FilledJoint> {
        let joint = |filled: &Filled| FilledJoint {
            joint: skeleton.joint(filled.joint).name.clone(),
            first: filled.first,
            last: filled.frames().end - 1,
        };
        filled.iter().map(joint).collect()
    }

    pub(super) fn warning(&self) -> Diagnostic {
        let FilledJoint { joint, first, last } = self;
        let message = format!(
            "no marker shows '{joint}' in frames {first} to {last}: its rotations were filled from the example poses"
        );
        Diagnostic::new("solve::filled", message)
    }
}

impl Setup {
    /// Reads the files that settings name.
    pub(super) fn open(
        settings: &SolveSettings,
        target: Option<Target>,
        (reading, context): (&Reading, &JobContext),
    ) -> Result<Setup, Diagnostic> {
        let poses = settings.poses.as_deref().map(|path| {
            let prior = read_poses(path, context)?;
            Ok::<_, Diagnostic>(Given { prior, path: path.display().to_string() })
        });
        let poses = poses.transpose()?;
        let (sets, set) = marker_sets(settings, reading, context)?;
        let trial =
            settings.static_trial.as_deref().map(|path| markers_of(path, reading, context)).transpose()?;
        let calibration =
            settings.calibration.as_deref().map(|path| calibration_of(path, reading, context)).transpose()?;
        Ok(Setup { target, poses, sets, set, trial, calibration })
    }

    /// Solves markers. `unit` is the unit of the result [m]. `warnings` is filled even if it fails.
    pub(super) fn solve(
        &self,
        markers: &Markers,
        (unit, limits): (Option<f64>, Limits),
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<SolvedTake, Diagnostic> {
        let options = SolveOptions {
            sets: &self.sets,
            set: self.set.as_deref(),
            static_trial: self.trial.as_ref().map(|(trial, _)| trial),
            calibration: self.calibration.as_ref(),
        };
        let target = self.target.as_ref().map(|target| &*target.on.skeleton);
        warnings.extend(self.trial.iter().flat_map(|(_, warnings)| warnings.iter().cloned()));
        let mut found = Vec::new();
        let solved = match &self.poses {
            Some(given) => {
                mocap::solve_markers_with_poses(markers, target, &options, &given.prior, &mut found)
            }
            None => {
                mocap::solve_markers(markers, target, &options, &mut found).map(|solved| (solved, Vec::new()))
            }
        };
        let solved = solved.map_err(|error| advised(Diagnostic::from(error)));
        let solved = solved.and_then(|(solved, filled)| {
            let filled = FilledJoint::all(&filled, solved.clip.skeleton());
            let (clip, props) = edited(&solved, (unit, limits), &mut found).map_err(Diagnostic::from)?;
            Ok(SolvedTake { solved, clip, props, filled })
        });
        warnings.extend(found.into_iter().map(Diagnostic::from));
        let solved = solved?;
        warnings.extend(solved.filled.iter().map(FilledJoint::warning));
        Ok(solved)
    }
}

/// Motion and props in a unit.
fn edited(
    solved: &Solved,
    (unit, limits): (Option<f64>, Limits),
    found: &mut Vec<Finding>,
) -> Result<(Clip, Vec<Character>), mocap::Error> {
    let edits = EditOptions { unit, limits, ..EditOptions::default() };
    let clip = mocap::edit(solved.clip.clone(), &edits, found)?;
    let props = solved.props.iter().map(|prop| {
        let clip = mocap::edit(prop.clip.clone(), &edits, found)?;
        Ok(Character { name: prop.name.clone(), clip, body: None })
    });
    let props = props.collect::<Result<Vec<Character>, mocap::Error>>()?;
    Ok((clip, props))
}

/// The tables of labels, and the requested set.
fn marker_sets(
    settings: &SolveSettings,
    reading: &Reading,
    context: &JobContext,
) -> Result<(MarkerSets, Option<String>), Diagnostic> {
    let sets = MarkerSets::built_in();
    let Some(path) = &settings.marker_set else { return Ok((sets, None)) };
    if let Some(name) = path.to_str().filter(|name| sets.names().any(|known| known == *name)) {
        return Ok((sets, Some(name.to_owned())));
    }
    if !path.exists() {
        let known: Vec<&str> = sets.names().collect();
        let message = format!("'{}' is neither a marker set nor a file", path.display());
        return Err(Diagnostic::new("usage::marker-set", message)
            .help(format!("marker sets are {}", known.join(", "))));
    }
    let bytes = context.read_file(path, reading.limits().bytes as u64)?;
    let text = String::from_utf8_lossy(&bytes);
    let sets =
        sets.with(&text).map_err(|error| Diagnostic::new(error.code(), error.to_string()).in_file(path))?;
    Ok((sets, None))
}

/// The markers of another file, such as the static trial, with the warnings of the file.
fn markers_of(
    path: &Path,
    reading: &Reading,
    context: &JobContext,
) -> Result<(Markers, Vec<Diagnostic>), Diagnostic> {
    let loaded = read::load(context, &Input::named(path), reading);
    let markers = loaded.and_then(|loaded| loaded.markers(reading));
    match markers.map_err(|failure| failure.error.in_file(path))? {
        Some((markers, warnings)) => {
            Ok((markers, warnings.into_iter().map(|warning| warning.in_file(path)).collect()))
        }
        None => Err(no_markers().in_file(path)),
    }
}

/// Adds advice to an error.
fn advised(error: Diagnostic) -> Diagnostic {
    let help = match error.code {
        "solve::labels" => {
            "--marker-set FILE says where other labels sit on the body; points without labels need the right --input-up"
        }
        "solve::subjects" => "--subject NAME chooses one",
        "solve::no-trunk" => "a marker set of a body has markers on hips or chest",
        "solve::one-side" | "solve::no-pair" | "solve::no-bones" => {
            "a target skeleton comes last: `mocap solve TAKE... TARGET`"
        }
        "solve::no-frame" => "trim the take to frames that show the body",
        "solve::no-fit" => "check labels, unit and up axis: `mocap info TAKE`",
        "solve::other-calibration" => "solve without --calibration, or write one of a take with these labels",
        _ => return error,
    };
    error.help(help)
}

pub(super) fn no_markers() -> Diagnostic {
    Diagnostic::new("solve::no-markers", "the file holds no markers")
        .help("solve reads recordings of markers; a target skeleton comes last, after at least one take")
}

fn calibration_of(path: &Path, reading: &Reading, context: &JobContext) -> Result<Calibration, Diagnostic> {
    let bytes = context.read_file(path, reading.limits().bytes as u64)?;
    let wrong = |message: String| {
        Diagnostic::new("solve::calibration", message)
            .in_file(path)
            .help("`mocap solve TAKE -o OUT --write-calibration FILE` writes one")
    };
    let calibration: Calibration = serde_json::from_slice(&bytes)
        .map_err(|error| wrong(format!("the file is not a calibration: {error}")))?;
    if !calibration.is_known() {
        let version = calibration.version;
        return Err(wrong(format!(
            "the calibration has version {version}, or no σ above 0; version 2 is read"
        )));
    }
    Ok(calibration)
}

/// Reads a file of example poses.
pub(crate) fn read_poses(path: &Path, context: &JobContext) -> Result<PosePrior, Diagnostic> {
    let bytes = context.read_file(path, MAX_BYTES as u64)?;
    PosePrior::from_bytes(&bytes).map_err(|error| refused(&error).in_file(path))
}
