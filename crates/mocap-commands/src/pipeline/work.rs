//! Runs one scene through all steps: read once, changed and measured in memory, and written at the end if it
//! passed all gates.

use std::mem::take;
use std::path::Path;
use std::time::Instant;

use mocap::{SummarizedCompression, in_one_unit};
use mocap_analysis::object_error;
use mocap_edit::{AppliedScene, ApplyOptions};
use mocap_formats::robot_motion::usual_rate;
use mocap_formats::{Document, Format, Remedy};
use mocap_model::{BoundBody, Clip, Scene};
use mocap_report::gallery::Outcome;

use super::gate::{self, Gate};
use super::plan::{Plan, PlannedStep};
use super::report::{self, Site};
use super::row::{Measured, OutputRow, Row, StepRow};
use super::same_format;
use super::step::{EditStep, Step};
use crate::batch::{Destination, Failure, Job, JobContext, Report, Tally, json};
use crate::commands::edit::{EditFiles, curve_file, warning, write_curve};
use crate::commands::find::refused;
use crate::commands::solve::{OpenSolve, SolvedScene};
use crate::commands::{compress, convert::only_joints, retarget};
use crate::diagnostic::{Behind, Diagnostic};
use crate::edit;
use crate::encode::{self, EncodeOptions, Encoded, Origin};
use crate::options::{KeepStep, RetargetStep};
use crate::read::{self, Loaded, Motion};
use crate::verdict;

/// State of the steps of a plan, in addition to the motion.
struct Progress<'a> {
    plan: &'a Plan,
    job: &'a Job,
    /// The input, for outputs that keep its meshes.
    document: Option<Box<dyn Document>>,
    /// Number of lead-in frames, which are a rest pose and not part of the motion.
    lead_in: usize,
    /// Rounding error that text formats may add to a guaranteed error [m].
    tolerance: Option<f64>,
    /// Scenes kept for comparisons, by step; `None`: as read.
    kept: Vec<(Option<usize>, Scene)>,
    encoded: Vec<(usize, Encoded)>,
    measured: Vec<(usize, Measured)>,
    gates: Vec<Gate>,
    /// Faults of the motion because of which it is not written.
    impossible: Vec<Diagnostic>,
    /// Why nothing is written for the clip: a step left it out.
    left_out: Option<String>,
    /// Whether results with such faults are written all the same.
    force: bool,
    warnings: Vec<Diagnostic>,
}

/// Runs an input through its plan. Files go below `folder`, its page to the site of the report.
pub(crate) fn work(
    job: &Job,
    context: &JobContext,
    plan: &Plan,
    folder: &Path,
    force: bool,
    site: Option<&Site>,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let loaded = read::load(context, &job.input, &plan.reading)?;
    let input_bytes = loaded.size();
    let (mut progress, source) = match plan.solve() {
        Some(solve) => Progress::of_take((job, plan), &loaded, solve, force)?,
        None => Progress::of_motion((job, plan), loaded, force)?,
    };
    context.check()?;
    let shown = site.map(|_| source.clone());
    let scene = progress.all_steps(context, source).behind(&mut progress.warnings)?;
    let Progress { encoded, measured, gates, impossible, left_out, mut warnings, .. } = progress;
    let is_left_out = left_out.is_some();
    let passed = !is_left_out && impossible.is_empty() && gates.iter().all(Gate::passed);
    warnings.extend(left_out.clone().map(|why| Diagnostic::new("pipeline::left-out", why)));
    let outputs = match passed {
        true => deliver(job, context, plan, folder, &encoded),
        false => Ok(Vec::new()),
    };
    let outputs = outputs.behind(&mut warnings)?;
    let bytes = outputs.iter().map(|output| output.bytes).sum();
    if let (Some(site), Some(source)) = (site, &shown) {
        let outcome = Outcome {
            bytes_in: input_bytes,
            bytes_out: bytes,
            figures: report::figures(plan, &measured, &gates),
            missed: gates
                .iter()
                .filter_map(|gate| gate.error.as_ref())
                .chain(&impossible)
                .map(|error| error.message.clone())
                .collect(),
        };
        page(site, (job, plan), [source, &scene], &outcome).behind(&mut warnings)?;
    }
    let steps = measured.iter().map(|(at, measured)| {
        let step = &plan.steps[*at];
        StepRow { step: &step.name, r#do: step.kind, measures: measured.row() }
    });
    let clip = &scene.characters[0].clip;
    let row = Row {
        path: job.input.shown(),
        outputs,
        frames: clip.frames(),
        fps: clip.rate().fps(),
        joints: crate::rows::joints(&scene),
        steps: steps.collect(),
        gates: &gates,
        passed,
        left_out,
        input_bytes,
        bytes,
        seconds: started.elapsed().as_secs_f64(),
        warnings: &warnings,
    };
    let figures = measured.iter().flat_map(|(_, measured)| measured.worst_figures()).collect();
    let (json, text, line) = (json(&row), row.text(), row.line());
    let tally = Tally { frames: clip.frames(), bytes_in: input_bytes, bytes_out: bytes };
    let errors =
        gates.iter().filter_map(|gate| gate.error.clone()).chain(impossible.iter().cloned()).collect();
    Ok(Report {
        json,
        text,
        line,
        figures,
        errors,
        warnings,
        tally,
        left_out: is_left_out,
        ..Report::default()
    })
}

/// Adds the page of a clip to the site of the report: the motion as read, and the result.
fn page(
    site: &Site,
    (job, plan): (&Job, &Plan),
    scenes: [&Scene; 2],
    outcome: &Outcome,
) -> Result<(), Diagnostic> {
    let [read, made] = scenes.map(|scene| whole(scene.clone()));
    site.add(job, plan, [&read?, &made?], outcome)
}

/// The characters of a motion. In a file with one character, everything belongs to it.
fn scene_of(clip: Clip) -> Result<Scene, Diagnostic> {
    Ok(mocap::scene_of(clip).map_err(mocap::Error::from)?)
}

/// All characters of a scene as one motion.
fn whole(scene: Scene) -> Result<Clip, Diagnostic> {
    Ok(scene.into_one().map_err(mocap::Error::from)?.clip)
}

impl<'a> Progress<'a> {
    /// Start of a file that holds a motion, with its scene.
    fn of_motion(
        (job, plan): (&'a Job, &'a Plan),
        loaded: Loaded,
        force: bool,
    ) -> Result<(Progress<'a>, Scene), Failure> {
        let mut changed = Vec::new();
        let files = same_format::files(plan, &loaded, &encode::clip_name(job), &mut changed)?;
        let (Motion { clip, warnings, .. }, document) = match plan.writes_motions() {
            true => loaded.into_motion_and_document(&plan.reading)?,
            false => (loaded.into_motion(&plan.reading)?, None),
        };
        let mut progress = Progress::new((job, plan), document, warnings, force);
        progress.warnings.extend(changed);
        progress.encoded = files;
        progress.judge(mocap::verdicts(&clip));
        let scene = scene_of(clip).behind(&mut progress.warnings)?;
        Ok((progress, scene))
    }

    /// Start of a file that holds markers, with the scene that the step at `at` solves.
    fn of_take(
        (job, plan): (&'a Job, &'a Plan),
        loaded: &Loaded,
        (at, solve): (usize, &OpenSolve),
        force: bool,
    ) -> Result<(Progress<'a>, Scene), Failure> {
        let name = &plan.steps[at].name;
        let solved = solve.take(loaded, &plan.reading).map_err(|mut failure| {
            failure.error.message = format!("step '{name}': {}", failure.error.message);
            failure
        });
        let SolvedScene { scene, measures, gates, warnings } = solved?;
        let mut progress = Progress::new((job, plan), None, warnings, force);
        progress.judge(mocap::verdicts(&scene.characters[0].clip));
        progress.gates.extend(gate::of_solve(name, gates));
        progress.measured.push((at, Measured::Solve(Box::new(measures))));
        Ok((progress, scene))
    }

    /// The state before the first step.
    fn new(
        (job, plan): (&'a Job, &'a Plan),
        document: Option<Box<dyn Document>>,
        warnings: Vec<Diagnostic>,
        force: bool,
    ) -> Progress<'a> {
        Progress {
            plan,
            job,
            document,
            lead_in: usize::from(
                warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame)),
            ),
            tolerance: None,
            kept: Vec::new(),
            encoded: Vec::new(),
            measured: Vec::new(),
            gates: Vec::new(),
            impossible: Vec::new(),
            left_out: None,
            force,
            warnings,
        }
    }

    /// Adds faults of the motion to the errors or the warnings.
    fn judge(&mut self, verdicts: Vec<mocap_analysis::Verdict>) {
        verdict::sort(verdicts, self.force, &mut self.impossible, &mut self.warnings);
    }

    /// Runs all steps.
    fn all_steps(&mut self, context: &JobContext, mut scene: Scene) -> Result<Scene, Diagnostic> {
        self.keep(None, &scene);
        for (at, planned) in self.plan.steps.iter().enumerate() {
            context.check()?;
            scene = self.step(at, planned, scene, context).map_err(|mut error| {
                error.message = format!("step '{}': {}", planned.name, error.message);
                error
            })?;
            self.keep(Some(at), &scene);
            if self.left_out.is_some() {
                break;
            }
        }
        Ok(scene)
    }

    /// Keeps the scene if a later comparison needs it.
    fn keep(&mut self, step: Option<usize>, scene: &Scene) {
        if self.plan.compared(step) {
            self.kept.push((step, scene.clone()));
        }
    }

    /// Runs one step.
    fn step(
        &mut self,
        at: usize,
        planned: &PlannedStep,
        scene: Scene,
        context: &JobContext,
    ) -> Result<Scene, Diagnostic> {
        match &planned.step {
            // A take was solved when it was read.
            Step::Read(_) | Step::Solve(_) => Ok(scene),
            Step::Edit(edits) => {
                let before = (self.plan.reading.limits(), self.lead_in);
                self.lead_in = edit::lead_in(edits, &scene.characters[0].clip, self.lead_in);
                self.tolerance = None;
                scene.try_map_all(|character| {
                    let clip = edit::apply_after(edits, before, character.clip.clone(), &mut self.warnings)?;
                    Ok(character.with_clip(clip))
                })
            }
            Step::One(step) => self.edit((at, planned), step, scene, context),
            Step::Keep(step) => self.longest(step, scene),
            Step::Retarget(step) => self.retarget(at, planned, step, scene),
            Step::Face(_) => {
                let face = planned.face.as_ref().expect("faces are opened before work");
                let (clip, measures) = face.moved(&whole(scene)?)?;
                self.tolerance = None;
                self.measured.push((at, Measured::Face(measures)));
                Ok(Scene::from(clip))
            }
            Step::Compress(step) => {
                let several = scene.clip().is_none();
                let clip = whole(scene)?;
                let skeleton = clip.skeleton().clone();
                let SummarizedCompression { bytes, summary } =
                    compress::compress(clip, &step.bounds, &mut self.warnings, &|_| {})?;
                self.tolerance = Some(step.bounds.options().tolerance * encode::TEXT_SHARE);
                let clip = read::open_compressed(&bytes, Some(&skeleton))?.to_clip();
                if !step.discard {
                    self.encoded.push((at, Encoded::from(bytes)));
                }
                self.measured.push((at, Measured::Compress(Box::new(summary))));
                if several { scene_of(clip) } else { Ok(Scene::from(clip)) }
            }
            // The file keeps the values of the input.
            Step::Write(_) if self.encoded.iter().any(|(step, _)| *step == at) => Ok(scene),
            Step::Write(step) => {
                let name = encode::clip_name(self.job);
                let options = EncodeOptions {
                    name: &name,
                    tolerance: self.tolerance,
                    ..same_format::options(step, &self.plan.reading)
                };
                let written = match step.arrays.joints.is_empty() {
                    true => scene.clone(),
                    false => Scene::from(only_joints(whole(scene.clone())?, &step.arrays.joints)?),
                };
                let mut encoded = encode::scene_in(self.origin(at), written, step.to, options)?;
                self.warnings.append(&mut encoded.warnings);
                self.encoded.push((at, encoded));
                Ok(scene)
            }
            Step::Compare(step) => {
                let kept = self.kept.iter().find(|(step, _)| *step == planned.reference);
                let reference = whole(kept.expect("what is compared was kept").1.clone())?;
                let clip = whole(scene.clone())?;
                let [reference, other] = in_one_unit([&reference, &clip])?;
                let summary = object_error(&reference, &other, step.measure.shell.0)?;
                self.gates.extend(gate::of_error(&planned.name, &step.measure, &summary));
                self.measured.push((at, Measured::Compare(Box::new(summary))));
                Ok(scene)
            }
        }
    }

    /// The file that holds the skeleton of the motion at a step: the target of the last step `retarget`, `face` or `solve` before
    /// it, else the input.
    fn origin(&self, at: usize) -> Origin<'_> {
        let put_on = self.plan.steps[..at].iter().rev().find_map(|planned| {
            match (&planned.body, &planned.face, &planned.solve) {
                (Some(body), ..) => Some((body.target.on.document.as_deref(), Path::new(&body.target.path))),
                (None, Some(face), _) => Some(face.document()),
                (None, None, Some(solve)) => solve.document(),
                (None, None, None) => None,
            }
        });
        match put_on {
            Some((document, file)) => Origin { document, file: Some(file) },
            None => Origin::input(self.document.as_deref()),
        }
    }

    /// Applies an edit of `mocap edit`.
    fn edit(
        &mut self,
        (at, planned): (usize, &PlannedStep),
        step: &EditStep,
        scene: Scene,
        context: &JobContext,
    ) -> Result<Scene, Diagnostic> {
        let (mut edit, of_files) = planned.edit.clone().expect("edits are loaded before work");
        self.warnings.extend(of_files);
        let files = EditFiles::of_input(&self.plan.reading, &self.job.input, context);
        edit.read(&files)?;
        self.warnings.extend(files.into_warnings());
        self.tolerance = None;
        let options = ApplyOptions { lead_in: self.lead_in, max_samples: self.plan.reading.limits().samples };
        let AppliedScene { scene, characters } =
            mocap_edit::apply_to_scene(scene, std::slice::from_ref(&edit), &options)?;
        for done in characters {
            if let (Some(file), [curve], Destination::File { replace, .. }) =
                (curve_file(&edit, &self.job.input), &done.curves[..], &self.job.destination)
            {
                write_curve(&file, curve, context, *replace).map_err(|failure| failure.error)?;
            }
            self.lead_in = done.lead_in;
            for report in done.reports {
                self.warnings.extend(report.warnings.iter().map(warning));
                self.gates.extend(gate::of_edit(&planned.name, &step.gates, &report));
                self.measured.push((at, Measured::Edit(Box::new(report))));
            }
        }
        Ok(scene)
    }

    /// Keeps the longest range with the labels of a step. For several characters, the labels of the first one
    /// found count.
    fn longest(&mut self, step: &KeepStep, scene: Scene) -> Result<Scene, Diagnostic> {
        let all = whole(scene.clone())?;
        let (frames, fps) = (all.frames(), all.rate().fps());
        let lead_in = self.lead_in.min(frames.saturating_sub(1));
        let motion = all.trimmed(lead_in..frames).map_err(mocap::Error::from)?;
        let ranges = step.keep.ranges(&motion).map_err(|error| refused(&error))?;
        // The first of equally long ranges.
        let longest = ranges.into_iter().rev().max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)));
        let Some(range) = longest else {
            self.left_out = Some(format!("no range is '{}': nothing is written", step.keep));
            return Ok(scene);
        };
        let frame = |time: f64| lead_in + (time * fps).round() as usize;
        let kept = frame(range.start)..frame(range.end).clamp(frame(range.start) + 1, frames);
        self.lead_in = 0;
        self.tolerance = None;
        scene.try_map_all(|character| {
            let clip = character.clip.trimmed(kept.clone()).map_err(mocap::Error::from)?;
            Ok(character.with_clip(clip))
        })
    }

    /// Retargets every character; if the file holds several and none was selected, the first one found. What one
    /// character carries stays in its hands.
    fn retarget(
        &mut self,
        at: usize,
        planned: &PlannedStep,
        step: &RetargetStep,
        scene: Scene,
    ) -> Result<Scene, Diagnostic> {
        let body = planned.body.as_ref().expect("targets are opened before work");
        let (target, map) = (&body.target, body.map.as_ref());
        let mut scene = match self.plan.reading.subject.as_deref() {
            Some("all") => scene,
            subject => retarget::who(whole(scene)?, subject)?,
        };
        let source = scene.characters[0].skeleton().clone();
        let mut before = Scene::default();
        let mut openings = Vec::with_capacity(scene.characters.len());
        let mut outcomes = Vec::with_capacity(scene.characters.len());
        for character in &mut scene.characters {
            let rest = retarget::reference_pose(&step.method, &character.clip)?;
            let opening = mocap::Opening { rest, lead_in: self.lead_in, ..mocap::Opening::default() };
            let fps = usual_rate(Format::UnitreeCsv);
            if !scene.props.is_empty() {
                before.characters.push(character.clone());
            }
            let (clip, outcome) = retarget::put_on_target(
                character.clip.take(),
                &opening,
                &step.method,
                (target, map),
                fps,
                &mut self.warnings,
            )?;
            let (verdicts, known) = (outcome.verdicts(&target.on, &clip), self.impossible.len());
            self.judge(target.on.verdicts.iter().cloned().chain(verdicts).collect());
            for error in &mut self.impossible[known..] {
                error.message = format!("step '{}': {}", planned.name, error.message);
            }
            outcomes.push(outcome);
            openings.push(opening);
            character.clip = clip;
        }
        let on = scene.characters[0].skeleton().clone();
        let props = retarget::shown(take(&mut scene.props), self.mesh().as_ref());
        scene.props = mocap::props_beside(props.clone(), Some(&source), &on).map_err(mocap::Error::from)?;
        before.props = props;
        let kept = retarget::kept(&before, scene, target, &step.method.body)?;
        let (reports, motions, on) = (outcomes.iter_mut(), (&before, &kept), (target, map));
        retarget::measure_people_again(reports, motions, &openings, &step.method, on)?;
        self.warnings.extend(kept.warnings);
        for outcome in outcomes {
            self.gates.extend(gate::of_report(&planned.name, &step.gates, &outcome));
            self.measured.push((at, Measured::Retarget(target.path.clone(), outcome)));
        }
        self.tolerance = None;
        Ok(kept.scene)
    }

    /// The mesh of the input, from which props get their parts. A mesh that cannot be read is
    /// reported when outputs are written.
    fn mesh(&self) -> Option<BoundBody> {
        let document = self.document.as_deref()?;
        Some(document.body(&self.plan.reading.limits()).ok()??.value)
    }
}

/// Writes all files of a clip. The first file is written last, because it marks the job as complete.
fn deliver(
    job: &Job,
    context: &JobContext,
    plan: &Plan,
    folder: &Path,
    encoded: &[(usize, Encoded)],
) -> Result<Vec<OutputRow>, Failure> {
    let Destination::File { replace, .. } = job.destination else { return Ok(Vec::new()) };
    let outputs: Vec<_> = plan.outputs(&job.input.output_name()).collect();
    let mut rows = Vec::new();
    for output in outputs.iter().rev() {
        let (_, encoded) =
            encoded.iter().find(|(step, _)| *step == output.step).expect("every output was made");
        let destination = Destination::File { path: folder.join(&output.path), replace };
        let one = Job { destination, ..job.clone() };
        let (bytes, path) = encode::deliver(encoded, &one, context)?;
        let format = output.format.map_or("mocz", Format::extension);
        rows.push(OutputRow { step: plan.steps[output.step].name.clone(), path, format, bytes });
    }
    rows.reverse();
    Ok(rows)
}
