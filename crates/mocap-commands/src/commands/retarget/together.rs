//! `--pair` and `--characters`: retargets several people at once, each to its own target, and keeps contacts
//! and distances between them.

use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mocap::{Opening, RetargetedPeople, TargetOptions, TargetReport, Together};
use mocap_edit::PartnerReport;
use mocap_formats::{Finding, Format, Limits};
use mocap_model::{BoundBody, Character, Clip, Scene, Space};
use mocap_retarget::{RetargetOptions, TargetSurface, map_roles_in};

use super::row::{BetweenRow, Measures, Row, SubjectRow, figures};
use super::target::Target;
use super::{carried_props, check_gate, check_gates, edited, measure_again, without_repeats};
use crate::batch::{Failure, Job, JobContext, Report, Tally, json};
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::{self, EncodeOptions, Encoded, Origin};
use crate::options::{Edits, Reading, RetargetArgs as Args};
use crate::read::{self, Motion};
use crate::verdict;

/// A person who was read, and the target.
pub(super) struct Subject {
    pub name: String,
    pub clip: Clip,
    pub opening: Opening,
    pub target: Arc<Target>,
}

/// All people, retargeted.
pub(super) struct Subjects {
    pub scene: Scene,
    pub targets: Vec<Arc<Target>>,
    pub reports: Vec<TargetReport>,
    pub between: Vec<([usize; 2], PartnerReport)>,
    /// Notes on who carries which prop.
    pub bound: Vec<String>,
    /// Faults of the result because of which it is not written.
    pub impossible: Vec<Diagnostic>,
}

/// A motion with its edits, prepared for retargeting.
pub(super) fn someone(
    (name, clip): (String, Clip),
    mesh: Option<&BoundBody>,
    target: Arc<Target>,
    args: &Args,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Subject, Diagnostic> {
    let edits = Edits::from(args.edits);
    let limits = args.reading.limits();
    let (clip, mut opening) = edited(clip, (&edits, limits), &args.method, false, warnings)?;
    opening.surface = mesh.and_then(|mesh| {
        TargetSurface::new(&mesh.on(clip.skeleton()), clip.skeleton(), &map_roles_in(&clip))
    });
    Ok(Subject { name, clip, opening, target })
}

/// Retargets everyone, and keeps contacts and distances between people.
pub(super) fn put(
    people: Vec<Subject>,
    props: Vec<Character>,
    args: &Args,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Subjects, Diagnostic> {
    let (mut impossible, known) = (Vec::new(), warnings.len());
    for one in &people {
        verdict::sort(one.target.on.verdicts.clone(), args.force, &mut impossible, &mut Vec::new());
        impossible.iter_mut().for_each(|error| {
            if error.path.is_none() {
                *error = error.clone().in_file(Path::new(&one.target.path));
            }
        });
        verdict::sort(mocap::verdicts(&one.clip), args.force, &mut impossible, warnings);
    }
    let together = people.iter().map(|one| Together {
        name: one.name.clone(),
        clip: one.clip.clone(),
        opening: one.opening.clone(),
        target: &one.target.on,
        mapping: None,
        options: TargetOptions {
            body: RetargetOptions {
                balance: one.target.measures_balance,
                ..args.method.options(&one.target.on.skeleton)
            },
            ..TargetOptions::default()
        },
    });
    let clips: Vec<&Clip> = props.iter().map(|prop| &prop.clip).collect();
    let mut found: Vec<Finding> = Vec::new();
    let done = mocap::put_together(together.collect(), &clips, &mut found);
    warnings.extend(found.into_iter().map(Diagnostic::from));
    let RetargetedPeople { people: put, between, notes } = done?;
    warnings.extend(notes.into_iter().map(|note| Diagnostic::new("together::in-step", note)));
    for ([a, b], report) in &between {
        let (a, b) = (&people[*a].name, &people[*b].name);
        let said = |text: &String| Diagnostic::new("together::partners", format!("{a} and {b}: {text}"));
        warnings.extend(report.warnings.iter().map(said));
    }
    let (mut characters, mut reports) = (Vec::new(), Vec::new());
    let mut space: Option<Space> = None;
    for (one, (clip, report)) in people.iter().zip(put) {
        if let TargetReport::Body(report) = &report {
            let of = |warning| super::finding::warning(warning, &one.target);
            warnings.extend(report.warnings.iter().map(of));
        }
        verdict::sort(report.verdicts(&one.target.on, &clip), args.force, &mut impossible, warnings);
        let clip = in_one_space(clip, &mut space)?;
        let body = body_of(&one.target, &args.reading.limits(), warnings);
        characters.push(Character { name: one.name.clone(), clip, body });
        reports.push(report);
    }
    without_repeats(warnings, known);
    let source = people.first().map(|one| one.clip.skeleton().clone());
    let own =
        people.iter().map(|one| Character { name: one.name.clone(), ..Character::from(one.clip.clone()) });
    let before = Scene { characters: own.collect(), props: props.clone(), ..Scene::default() };
    let props = match characters.first() {
        Some(first) => {
            mocap::props_beside(props, source.as_deref(), first.skeleton()).map_err(mocap::Error::from)?
        }
        None => props,
    };
    let surfaces =
        || people.iter().map(|one| carried_props::surface_of(&one.target, &args.method.body)).collect();
    let kept = carried_props::kept(&before, Scene { characters, props, ..Scene::default() }, surfaces)?;
    warnings.extend(kept.warnings);
    for (at, report) in reports.iter_mut().enumerate().filter(|(at, _)| kept.moved[*at]) {
        let (one, both) = (&people[at], (&people[at].clip, &kept.scene.characters[at].clip));
        measure_again(report, both, &one.opening, &args.method, (&one.target, None))?;
    }
    carried_props::add_figures(reports.iter_mut(), &kept.arm_inside);
    let (scene, bound) = (kept.scene, kept.notes);
    let targets = people.into_iter().map(|one| one.target).collect();
    Ok(Subjects { scene, targets, reports, between, bound, impossible })
}

/// A motion in the space of the first person, if the units of both are known.
fn in_one_space(clip: Clip, first: &mut Option<Space>) -> Result<Clip, Diagnostic> {
    let own = *clip.skeleton().space();
    let known = Space { unit: mocap::known_unit(clip.skeleton()), ..own };
    let space = *first.get_or_insert(Space { unit: known.unit, ..own });
    let converted = own.up != space.up || own.forward != space.forward || known.metres() != space.metres();
    if !converted {
        return Ok(clip);
    }
    let stated = clip.skeleton().with_space(known);
    let clip = clip.with_skeleton(stated.into()).map_err(mocap::Error::from)?;
    Ok(clip.in_space(space).map_err(mocap::Error::from)?)
}

/// The body in the file of a target.
fn body_of(target: &Target, limits: &Limits, warnings: &mut Vec<Diagnostic>) -> Option<BoundBody> {
    match target.on.document.as_deref()?.body(limits) {
        Ok(found) => found.map(|found| found.value),
        Err(error) => {
            warnings.push(Diagnostic::from(error).in_file(Path::new(&target.path)));
            None
        }
    }
}

impl Subjects {
    /// The scene as one file.
    pub(super) fn encoded(&self, name: &str, format: Format, args: &Args) -> Result<Encoded, Diagnostic> {
        encode::scene_in(Origin::input(None), self.scene.clone(), format, options(args, name))
    }

    /// One person as a file, with the other contents of the target's file.
    pub(super) fn encoded_alone(
        &self,
        at: usize,
        format: Format,
        args: &Args,
    ) -> Result<Encoded, Diagnostic> {
        let target = &self.targets[at];
        let origin = Origin { document: target.on.document.as_deref(), file: Some(Path::new(&target.path)) };
        let Character { name, clip, .. } = &self.scene.characters[at];
        encode::scene_in(origin, Scene::from(clip.clone()), format, options(args, name))
    }

    /// The report of a run: `outputs` are the files by person, or the one of all.
    pub(super) fn report(
        &self,
        path: &str,
        outputs: &[String],
        args: &Args,
        (started, bytes): (Instant, [u64; 2]),
        warnings: Vec<Diagnostic>,
    ) -> Report {
        let (checked, mut errors) = check_gates(&args.gates.fail_above, self.reports.iter());
        errors.extend(self.impossible.iter().cloned());
        let subjects = self.scene.characters.iter().enumerate().map(|(at, character)| SubjectRow {
            name: &character.name,
            output: outputs.get(at).filter(|_| outputs.len() > 1).map(String::as_str),
            measures: Measures::new(&self.targets[at].path, &self.reports[at]),
        });
        let between = self.between.iter().map(|(pair, report)| BetweenRow {
            people: pair.map(|at| self.scene.characters[at].name.as_str()),
            report,
        });
        let row = Row {
            path,
            output: &outputs.join(", "),
            seconds: started.elapsed().as_secs_f64(),
            measures: Measures::new(&self.targets[0].path, &self.reports[0]),
            subjects: subjects.collect(),
            between: between.collect(),
            bound: &self.bound,
            gates: checked,
            warnings: &warnings,
        };
        let (json, text, line) = (json(&row), row.text(), row.line());
        let frames = self.scene.characters[0].clip.frames();
        let tally = Tally { frames, bytes_in: bytes[0], bytes_out: bytes[1] };
        Report {
            json,
            text,
            line,
            figures: figures(&self.reports[0]),
            errors,
            warnings,
            tally,
            ..Report::default()
        }
    }

    /// Whether a gate was missed or the result is impossible: then nothing is written.
    pub(super) fn is_refused(&self, args: &Args) -> bool {
        let gates = &args.gates.fail_above;
        let mut each = self.reports.iter().flat_map(|report| gates.iter().map(move |gate| (gate, report)));
        !self.impossible.is_empty()
            || each.any(|(gate, report)| matches!(check_gate(gate, report), Some((_, Some(_)))))
    }
}

fn options<'a>(args: &Args, name: &'a str) -> EncodeOptions<'a> {
    EncodeOptions {
        name,
        euler: args.euler,
        limits: args.reading.limits(),
        bvh: args.bvh,
        scene: args.scene,
        ..EncodeOptions::default()
    }
}

/// A scene of several characters, each on the target of a cast.
pub(super) fn retarget_scene(
    job: &Job,
    context: &JobContext,
    args: &Args,
    cast: &super::cast::Cast,
    format: Format,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let reading = Reading { rest_frame_dropped: args.edits.drop_first_frame(), ..args.reading.clone() };
    let (Motion { clip, mut warnings, bytes }, mesh) =
        super::read_source(job, context, &reading, format.holds_meshes())?;
    context.check()?;
    let made = scene_on((clip, mesh), args, cast, &mut warnings).behind(&mut warnings)?;
    let delivered = match made.is_refused(args) {
        true => Ok((0, String::new())),
        false => {
            made.encoded(&encode::clip_name(job), format, args).map_err(Failure::from).and_then(|encoded| {
                warnings.extend_from_slice(&encoded.warnings);
                warnings = read::strict(&reading, take(&mut warnings))?;
                encode::deliver(&encoded, job, context)
            })
        }
    };
    let (written, output) = delivered.behind(&mut warnings)?;
    let path = job.input.shown();
    Ok(made.report(&path, &[output], args, (started, [bytes, written]), warnings))
}

fn scene_on(
    (clip, mesh): (Clip, Option<BoundBody>),
    args: &Args,
    cast: &super::cast::Cast,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Subjects, Diagnostic> {
    let mut scene = mocap::scene_of(clip).map_err(mocap::Error::from)?;
    // A mount keeps its own motion, so it is treated as a prop.
    let is_mount = |one: &Character| !cast.names(&one.name) && map_roles_in(&one.clip).on_four_legs;
    let (mounts, people): (Vec<_>, Vec<_>) = scene.characters.into_iter().partition(is_mount);
    scene.characters = people;
    scene.props.extend(mounts);
    let targets = cast.of(&scene)?;
    let mut people = Vec::with_capacity(targets.len());
    for (character, target) in scene.characters.into_iter().zip(targets) {
        people.push(someone((character.name, character.clip), None, target, args, warnings)?);
    }
    put(people, super::carried_props::shown(scene.props, mesh.as_ref()), args, warnings)
}
