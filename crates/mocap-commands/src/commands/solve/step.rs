//! The step `solve` of pipelines.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap::solve::SolveReport;
use mocap_analysis::GateResult;
use mocap_batch::FileRecord;
use mocap_formats::Document;
use mocap_model::{Character, Scene};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::setup::{FilledJoint, Setup, SolveSettings, SolvedTake, no_markers};
use crate::batch::{Failure, Input, JobContext};
use crate::commands::retarget::read_target;
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::options::{Reading, TargetSettings, UnitLength, setting};
use crate::output::Output;
use crate::read::Loaded;

/// The step `solve`. Fields whose names begin with `..` are groups of keys of the same table.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct SolveStep {
    /// Skeleton of the subject: a .skel file, any motion or skeleton file, or preset:NAME [default: one is made]
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    target: Option<PathBuf>,
    #[command(flatten)]
    #[serde(rename = "..settings")]
    settings: SolveSettings,
    #[command(flatten)]
    #[serde(rename = "..reading")]
    reading: TargetSettings,
    /// Unit of the motion: m, cm, mm, in, ft, cmu or metres [default: cm]
    #[arg(long, value_name = "UNIT")]
    #[serde(default, deserialize_with = "setting::option")]
    unit: Option<UnitLength>,
}

/// What the takes of a step share.
#[derive(Debug)]
pub(crate) struct OpenSolve {
    setup: Setup,
    settings: SolveSettings,
    /// [m]
    unit: f64,
}

/// What a step `solve` measured, with the fields of `mocap solve --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SolveMeasures {
    /// The target; absent where a skeleton was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(flatten)]
    pub(crate) report: SolveReport,
    /// Joints that no marker shows, filled from the example poses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    filled: Vec<FilledJoint>,
}

/// A take that a step solved.
pub(crate) struct SolvedScene {
    pub(crate) scene: Scene,
    pub(crate) measures: SolveMeasures,
    pub(crate) gates: Vec<(GateResult, Option<Diagnostic>)>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A centimetre [m], the unit of most motion files.
const CENTIMETRE: f64 = 0.01;

impl SolveStep {
    /// Files that it reads.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.target.iter().cloned().chain(self.settings.files().map(Path::to_path_buf)).collect()
    }

    /// Reads the target and the files of the settings; what was read is a record for the manifest.
    pub(crate) fn open(
        &self,
        reading: &Reading,
        console: &dyn Output,
    ) -> Result<(OpenSolve, Vec<FileRecord>), Diagnostic> {
        let SolveStep { target, settings, reading: of_target, unit } = self;
        if settings.static_trial.is_some() && settings.calibration.is_some() {
            let message = "a step 'solve' takes 'static' or 'calibration', not both";
            return Err(Diagnostic::new("usage::calibration", message));
        }
        let context = JobContext::standalone();
        let target = target.as_deref().map(|path| {
            let read = read_target((&context, &Input::named(path)), of_target, None, reading);
            let target = read.map_err(|Failure { error, warnings }| {
                console.warnings(&path.display().to_string(), &warnings, Detail::Full);
                if error.path.is_some() { error } else { error.in_file(path) }
            })?;
            console.warnings(&target.path, &target.warnings, Detail::Line);
            Ok::<_, Diagnostic>(target)
        });
        let setup = Setup::open(settings, target.transpose()?, (reading, &context))?;
        let unit = unit.map_or(CENTIMETRE, |unit| unit.0);
        Ok((OpenSolve { setup, settings: settings.clone(), unit }, context.files_read().to_vec()))
    }
}

impl OpenSolve {
    /// Solves the markers of a file.
    pub(crate) fn take(&self, loaded: &Loaded, reading: &Reading) -> Result<SolvedScene, Failure> {
        let Some((markers, mut warnings)) = loaded.markers(reading)? else {
            return Err(no_markers().into());
        };
        let solved = self.setup.solve(&markers, (Some(self.unit), reading.limits()), &mut warnings);
        let SolvedTake { solved, clip, props, filled } = solved.behind(&mut warnings)?;
        let gates = self.settings.fail_above.iter().map(|gate| gate.check(&solved.report)).collect();
        let target = self.setup.target.as_ref().map(|target| target.path.clone());
        let scene = Scene { characters: vec![Character::from(clip)], props, ..Scene::default() };
        Ok(SolvedScene {
            scene,
            measures: SolveMeasures { target, report: solved.report, filled },
            gates,
            warnings,
        })
    }

    /// The file of the target, for outputs that keep its meshes.
    pub(crate) fn document(&self) -> Option<(Option<&dyn Document>, &Path)> {
        let target = self.setup.target.as_ref()?;
        Some((target.on.document.as_deref(), Path::new(&target.path)))
    }
}

impl SolveMeasures {
    /// In words, for people.
    pub(crate) fn line(&self) -> String {
        let millimetres = |metres: Option<f64>| {
            metres.map_or("not measured".to_owned(), |metres| format!("{:.1} mm", metres * 1e3))
        };
        let residual = &self.report.residual;
        format!(
            "residual mean {}, p95 {}, max {}; {:.1} % of frames solved",
            millimetres(residual.mean),
            millimetres(residual.p95),
            millimetres(residual.max),
            self.report.solved * 100.0
        )
    }
}
