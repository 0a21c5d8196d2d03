//! The plan of an input: the enabled steps, with the overrides that apply to it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Place;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use mocap_edit::Edit;
use mocap_formats::Format;
use mocap_retarget::SurfaceFrames;
use mocap_toml::{Entry, Table, TomlError, TomlProblem};

use super::file::{File, OVERRIDE, StepTable, enabled};
use super::step::{COMMON, Step};
use crate::batch::{Failure, Input, JobContext, RunOptions};
use crate::commands::edit::{EditFiles, tell};
use crate::commands::face::OpenFace;
use crate::commands::retarget::{MapFile, Target, check_kind, read_target};
use crate::commands::solve::OpenSolve;
use crate::diagnostic::{Detail, Diagnostic};
use crate::encode;
use crate::options::{BodyChoice, GateSettings, MapSettings, Reading, RobotSettings, TargetSettings};
use crate::output::Output;

const AGAINST: TomlProblem = TomlProblem::Other("pipeline::against");
const FOLDER: TomlProblem = TomlProblem::Other("pipeline::folder");

/// The steps of inputs with the same overrides.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) reading: Reading,
    pub(super) steps: Vec<PlannedStep>,
    /// Settings of the read step, as typed on a command line.
    pub(super) read_settings: Vec<String>,
}

/// An enabled step.
#[derive(Debug)]
pub(super) struct PlannedStep {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) step: Step,
    /// Settings, as typed on a command line.
    pub(super) settings: Vec<String>,
    /// For a comparison: the step whose motion is the reference; `None`: the motion as read.
    pub(super) reference: Option<usize>,
    /// For a step that retargets.
    pub(super) body: Option<Arc<Body>>,
    /// For a step that drives a face.
    pub(super) face: Option<OpenFace>,
    /// For a step that solves markers.
    pub(super) solve: Option<OpenSolve>,
    /// For an edit of `mocap edit`: the edit with the files that all inputs share, and warnings about these for rows.
    pub(super) edit: Option<(Edit, Vec<Diagnostic>)>,
}

/// The target of a retarget step, and its map if one is given.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) target: Target,
    pub(super) map: Option<MapFile>,
}

/// Everything that a target depends on; steps with equal settings share it.
#[derive(Clone, Debug, PartialEq)]
struct BodySettings {
    target: PathBuf,
    reading: TargetSettings,
    rest: Option<usize>,
    body: BodyChoice,
    surface_frames: SurfaceFrames,
    robot: RobotSettings,
    gates: GateSettings,
    map: MapSettings,
    inputs: Reading,
}

/// The plans of all inputs: one for each set of overrides.
#[derive(Debug)]
pub(crate) struct Plans {
    file: File,
    plans: BTreeMap<Vec<usize>, Plan>,
    /// Warnings about the pipeline.
    warnings: Vec<Diagnostic>,
}

impl Plans {
    /// Makes the plans for these inputs.
    ///
    /// # Errors
    /// If a step lacks a setting, settings exclude each other, or two steps write the same file.
    pub(crate) fn new(file: File, inputs: &[Input]) -> Result<Plans, Diagnostic> {
        let mut plans = BTreeMap::new();
        // The steps are checked even if overrides replace settings for every input.
        file.plan(&[])?;
        for input in inputs {
            let about = file.overrides_of(input);
            if let Place::Vacant(place) = plans.entry(about) {
                let plan = file.plan(place.key())?;
                place.insert(plan);
            }
        }
        let idle =
            |at: &usize| !file.overrides[*at].optional && !plans.keys().any(|about| about.contains(at));
        let warnings = (0..file.overrides.len()).filter(idle).map(|at| {
            let message = "no input matches the files of this override".to_owned();
            let span = file.overrides[at].span.clone();
            let help =
                "a glob without / is matched against the file name, with / against the path below the input";
            file.text.error(OVERRIDE, span, message).help(help).into()
        });
        let warnings = file.old_names.iter().cloned().chain(warnings).collect();
        Ok(Plans { file, plans, warnings })
    }

    /// The plan of an input; it was among those of [`Plans::new`].
    pub(crate) fn of(&self, input: &Input) -> &Plan {
        &self.plans[&self.file.overrides_of(input)]
    }

    /// The variables of the pipeline: name, value, whether it was set.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.file.variables.iter()
    }

    /// Warnings about the pipeline, and its path.
    pub(crate) fn warnings(&self) -> (String, &[Diagnostic]) {
        (self.file.text.path().display().to_string(), &self.warnings)
    }

    /// How inputs are read.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &Reading> {
        self.plans.values().map(|plan| &plan.reading)
    }

    /// Whether any input has an output.
    pub(crate) fn write(&self) -> bool {
        self.plans.values().any(|plan| plan.outputs(Path::new("x")).next().is_some())
    }

    /// Files that are read in addition to the inputs.
    pub(crate) fn reads(&self) -> Vec<PathBuf> {
        let of_plan = |plan: &Plan| {
            let steps = plan.steps.iter().flat_map(|planned| planned.step.reads());
            plan.reading.skeleton.iter().cloned().chain(steps).collect::<Vec<_>>()
        };
        self.plans.values().flat_map(of_plan).collect()
    }

    /// Reads the target skeletons, each once, and the files of edits. Outputs depend on them.
    pub(crate) fn open_targets(
        &mut self,
        console: &dyn Output,
        mut options: RunOptions,
    ) -> Result<RunOptions, Diagnostic> {
        let mut bodies: Vec<(BodySettings, Arc<Body>)> = Vec::new();
        for plan in self.plans.values_mut() {
            let writes: Vec<Option<Format>> =
                plan.steps.iter().map(|planned| planned.step.writes()).collect();
            for (at, PlannedStep { step, body, face, solve, edit, .. }) in plan.steps.iter_mut().enumerate() {
                if let Step::One(step) = step {
                    let files = EditFiles::shared(&plan.reading);
                    let mut loaded = step.edit.clone();
                    loaded.read(&files)?;
                    *edit = Some((loaded, tell(files.into_warnings(), console)));
                    for file in step.edit.files().into_iter().filter(|file| file.is_file()) {
                        let context = JobContext::standalone();
                        context.read_file(&file, plan.reading.limits().bytes as u64)?;
                        let role = format!("edit {}", file.display());
                        options = options.depending_on(&role, "", &context.files_read());
                    }
                }
                if let Step::Face(step) = step {
                    let later: Vec<Format> = writes[at..].iter().copied().flatten().collect();
                    let (open, record) = step.open(&plan.reading, &later, console)?;
                    let role = format!("face {}", step.target.display());
                    options = options.depending_on(&role, "", &record);
                    *face = Some(open);
                }
                if let Step::Solve(step) = step {
                    let (open, record) = step.open(&plan.reading, console)?;
                    options = options.depending_on("solve", "", &record);
                    *solve = Some(open);
                }
                let Step::Retarget(step) = step else { continue };
                let settings = BodySettings {
                    target: step.target.clone(),
                    reading: step.reading,
                    rest: step.method.target_rest,
                    body: step.method.body.clone(),
                    surface_frames: step.method.surface_frames,
                    robot: step.robot.clone(),
                    gates: step.gates.clone(),
                    map: step.map.clone(),
                    inputs: plan.reading.clone(),
                };
                if let Some((_, open)) = bodies.iter().find(|(other, _)| *other == settings) {
                    *body = Some(open.clone());
                    continue;
                }
                let context = JobContext::standalone();
                let open = Arc::new(settings.open(&context, console)?);
                let role = format!("target {}", settings.target.display());
                options = options.depending_on(&role, "", &context.files_read());
                if let Some(map) = &open.map {
                    let role = format!("map {}", map.path().display());
                    options = options.depending_on(&role, "", map.files_read());
                }
                *body = Some(open.clone());
                bodies.push((settings, open));
            }
        }
        Ok(options)
    }
}

impl BodySettings {
    /// Reads the target and the map.
    fn open(&self, context: &JobContext, console: &dyn Output) -> Result<Body, Diagnostic> {
        let path = self.target.display().to_string();
        let input = Input::named(&self.target);
        let target = read_target((context, &input), &self.reading, self.rest, &self.inputs)
            .and_then(|target| Ok(target.on_robot((&self.robot, self.map.map.is_some()), context)?))
            .map(|target| target.judged_by(&self.gates.fail_above))
            .and_then(|target| target.with_surface((&self.body, self.surface_frames), context, &self.inputs));
        let target = target.map_err(|Failure { error, warnings }| {
            console.warnings(&path, &warnings, Detail::Full);
            if error.path.is_some() { error } else { error.in_file(&self.target) }
        })?;
        console.warnings(&path, &target.warnings, Detail::Line);
        check_kind(&self.gates.fail_above, &target)?;
        Ok(Body { target, map: MapFile::of(&self.map)? })
    }
}

impl File {
    /// The overrides that apply to an input.
    fn overrides_of(&self, input: &Input) -> Vec<usize> {
        let about = |at: &usize| self.overrides[*at].files.takes(&input.relative);
        (0..self.overrides.len()).filter(about).collect()
    }

    fn plan(&self, overrides: &[usize]) -> Result<Plan, TomlError> {
        let mut plan = Plan { reading: Reading::default(), steps: Vec::new(), read_settings: Vec::new() };
        for (at, table) in self.steps.iter().enumerate() {
            let settings = overrides.iter().flat_map(|i| &self.overrides[*i].settings);
            let settings = settings.filter(|(step, _)| *step == at).map(|(_, entries)| entries);
            let mut entries = settings.fold(table.entries.clone(), |entries, over| merged(&entries, over));
            if !enabled(&self.text, &entries)? {
                continue;
            }
            entries.retain(|entry| entry.key != COMMON[2].0);
            self.add(&mut plan, table, &entries)?;
        }
        if let Some(PlannedStep { step: Step::Edit(edits), .. }) = plan.steps.first() {
            plan.reading.rest_frame_dropped = edits.drop_first_frame;
        }
        self.check_outputs(&plan)?;
        Ok(plan)
    }

    fn add(&self, plan: &mut Plan, table: &StepTable, entries: &[Entry]) -> Result<(), TomlError> {
        let (text, shown, at) = (&self.text, table.shown(), table.span.clone());
        let kind = table.kind();
        let settings = kind.typed(entries);
        let step = kind.step(text, (&shown, at.clone()), entries)?;
        let reference = match &step {
            Step::Read(reading) => {
                plan.reading = reading.clone();
                plan.read_settings = settings;
                return Ok(());
            }
            Step::Compare(step) => reference(plan, step.against.as_deref())
                .map_err(|message| text.error(AGAINST, at.clone(), format!("{shown}: {message}")))?,
            _ => None,
        };
        if let Some(folder) = step.folder()
            && !folder.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            let message = format!("{shown}: folder '{}' is not below the output directory", folder.display());
            return Err(text.error(FOLDER, at, message));
        }
        let name = table.name.clone();
        plan.steps.push(PlannedStep {
            name,
            kind: kind.name,
            step,
            settings,
            reference,
            body: None,
            face: None,
            solve: None,
            edit: None,
        });
        Ok(())
    }

    /// Two steps must not write the same file.
    fn check_outputs(&self, plan: &Plan) -> Result<(), TomlError> {
        let mut written: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for output in plan.outputs(Path::new("x")) {
            for path in std::iter::once(output.path.clone()).chain(output.beside()) {
                let Some(other) = written.insert(path, output.step) else { continue };
                let [one, two] = [other, output.step].map(|at| &plan.steps[at].name);
                let message = format!("steps '{one}' and '{two}' write the same files");
                let span = self.steps.iter().find(|step| step.name == *two).map(|step| step.span.clone());
                return Err(self
                    .text
                    .error(FOLDER, span.unwrap_or_default(), message)
                    .help("give one of them another folder: folder = '...'"));
            }
        }
        Ok(())
    }
}

/// The entries of a step, replaced by those of an override.
fn merged(entries: &Table, over: &Table) -> Table {
    let kept = entries.iter().filter(|entry| !over.iter().any(|other| other.key == entry.key));
    kept.chain(over).cloned().collect()
}

/// The step whose motion is the reference of a comparison.
fn reference(plan: &Plan, named: Option<&str>) -> Result<Option<usize>, String> {
    let position = |wanted: &dyn Fn(&PlannedStep) -> bool| plan.steps.iter().rposition(wanted);
    match named {
        Some("read") => Ok(None),
        Some(name) => position(&|step| step.name == name)
            .map(Some)
            .ok_or_else(|| format!("no earlier step is called '{name}'")),
        None => position(&|planned| matches!(planned.step, Step::Compress(_)))
            .map(|at| at.checked_sub(1))
            .ok_or_else(|| "no compress step precedes it, so 'against' must name a step".into()),
    }
}

/// A file that a plan writes.
pub(super) struct OutputFile {
    /// Index of its step in the plan.
    pub(super) step: usize,
    /// Below the output directory.
    pub(super) path: PathBuf,
    /// `None`: compressed (`.mocz`).
    pub(super) format: Option<Format>,
}

impl OutputFile {
    /// The path of the skeleton beside a motion.
    pub(super) fn beside(&self) -> Option<PathBuf> {
        self.format.and_then(|format| encode::beside(&self.path, format))
    }
}

impl Plan {
    /// The files of an input, by its path below the input.
    pub(super) fn outputs(&self, relative: &Path) -> impl Iterator<Item = OutputFile> {
        self.steps.iter().enumerate().filter_map(move |(at, planned)| {
            let (name, folder, format) = match &planned.step {
                Step::Write(step) => (encode::renamed(relative, step.to), &step.folder, Some(step.to)),
                Step::Compress(step) if !step.discard => {
                    (mocap::compressed_name(relative), &step.folder, None)
                }
                _ => return None,
            };
            let path = folder.as_ref().map_or(name.clone(), |folder| folder.join(&name));
            Some(OutputFile { step: at, path, format })
        })
    }

    /// All files of an input below the output directory; the job is named by the first one.
    pub(crate) fn files(&self, relative: &Path) -> Vec<PathBuf> {
        let outputs: Vec<OutputFile> = self.outputs(relative).collect();
        let paths = outputs.iter().map(|output| output.path.clone());
        paths.chain(outputs.iter().filter_map(OutputFile::beside)).collect()
    }

    /// Whether a step writes the motion. Then the meshes of inputs matter, because outputs keep or lose them.
    pub(super) fn writes_motions(&self) -> bool {
        self.steps.iter().any(|planned| planned.step.writes().is_some())
    }

    /// The step that solves markers, and its index.
    pub(super) fn solve(&self) -> Option<(usize, &OpenSolve)> {
        self.steps.iter().enumerate().find_map(|(at, planned)| Some((at, planned.solve.as_ref()?)))
    }

    /// Whether the motion after a step is needed later for a comparison.
    pub(super) fn compared(&self, step: Option<usize>) -> bool {
        let compares =
            |other: &PlannedStep| matches!(other.step, Step::Compare(_)) && other.reference == step;
        self.steps.iter().any(compares)
    }
}
