//! Quality of motions for `info` and `validate`: measured, compared with the other inputs, and checked against
//! gates.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use mocap::{FileFormat, with_roles};
use mocap_analysis::{
    Artifact, ContactOptions, FloorVote, Gate, GateResult, MissedGate, Quality, QualitySummary,
    floor_in_legs, quality,
};
use mocap_batch::{Input, JobContext, Source};
use mocap_model::{Body, Clip, Skeleton};
use mocap_robot::robot_balance;

use crate::diagnostic::Diagnostic;
use crate::options::{QualitySettings, Reading};
use crate::read::{self, Motion};

/// Number of inputs whose floors are compared: the first ones by path.
const VOTERS: usize = 256;

/// The floor heights of the inputs, by skeleton. They do not depend on shards.
#[derive(Debug, Default)]
pub(crate) struct Floors(BTreeMap<String, FloorVote>);

impl Floors {
    /// Measures the floors of motions with the same skeleton. Inputs that cannot be read are ignored.
    pub(crate) fn of(inputs: &[Input], reading: &Reading, jobs: Option<u16>) -> Floors {
        let mut files: Vec<&Input> =
            inputs.iter().filter(|input| matches!(input.source, Source::File(_))).collect();
        files.sort_by(|a, b| a.relative.cmp(&b.relative));
        files.dedup_by(|a, b| a.relative == b.relative);
        files.truncate(VOTERS);
        let mut by_skeleton: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        if files.len() > 1 {
            for (skeleton, floor) in floors(&files, reading, jobs).into_iter().flatten() {
                by_skeleton.entry(skeleton).or_default().push(floor);
            }
        }
        let votes =
            by_skeleton.into_iter().filter_map(|(name, floors)| Some((name, FloorVote::of(&floors)?)));
        Floors(votes.collect())
    }

    /// Measures the quality of a motion, and compares its floor with that of the other inputs.
    pub(crate) fn measure(&self, clip: Clip) -> (Quality, Clip) {
        let clip = with_roles(clip);
        let mut measured = quality(&clip, &ContactOptions::default());
        // The masses and soles of a robot are those of its model.
        if let Some(balance) = robot_balance(&clip) {
            measured.off_balance = Some(balance.off_balance());
            measured.balance = Some(balance.summary());
        }
        let vote = self.0.get(&name_of(clip.skeleton()));
        let floating = vote.and_then(|vote| vote.judge(&measured));
        measured.artifacts.splice(0..0, floating);
        (measured, clip)
    }
}

/// For each input, in order: its skeleton name and floor height [leg lengths]; `None` if it has no
/// floor.
fn floors(inputs: &[&Input], reading: &Reading, jobs: Option<u16>) -> Vec<Option<(String, f64)>> {
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = jobs.map_or_else(cores, usize::from).min(inputs.len());
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![None; inputs.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(input) = inputs.get(at) else { return };
                    let floor = floor(input, reading);
                    found.lock().unwrap_or_else(PoisonError::into_inner)[at] = floor;
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn floor(input: &Input, reading: &Reading) -> Option<(String, f64)> {
    let lenient = Reading { strict: false, ..reading.clone() };
    let has_motion = |path: &std::path::Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.and_then(FileFormat::from_extension).is_none_or(FileFormat::has_motion)
    };
    input.path().filter(|path| has_motion(path))?;
    let Motion { clip, .. } = read::motion(&JobContext::standalone(), input, &lenient).ok()?;
    let clip = with_roles(clip);
    Some((name_of(clip.skeleton()), floor_in_legs(&clip)?))
}

/// Identifies the skeleton of a database by the names of its joints.
fn name_of(skeleton: &Skeleton) -> String {
    skeleton.joints().iter().flat_map(|joint| [joint.name.as_str(), "\n"]).collect()
}

/// Each person of a motion with several, by name; otherwise the whole motion, without a name.
pub(crate) fn people_of(clip: Clip) -> Result<Vec<(Option<String>, Clip)>, Diagnostic> {
    if mocap::several_subjects(clip.skeleton()).is_empty() {
        return Ok(vec![(None, clip)]);
    }
    let scene = mocap::scene_of(clip).map_err(mocap::Error::from)?;
    Ok(scene.characters.into_iter().map(|one| (Some(one.name), one.clip)).collect())
}

/// What was measured of one input.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) summary: QualitySummary,
    pub(crate) gates: Vec<GateResult>,
    /// The gates that were missed.
    pub(crate) missed: Vec<Diagnostic>,
    /// The artifacts as diagnostics.
    pub(crate) findings: Vec<Diagnostic>,
    /// Severity of the worst artifact, relative to its limit; 0 without artifacts.
    pub(crate) severity: f64,
    /// The worst artifact, in words.
    pub(crate) worst: Option<String>,
    /// Height of the body \[m\]; `None` if the unit is unknown or there is no body.
    pub(crate) height: Option<f64>,
}

impl Measured {
    /// Measures a motion and checks its gates. `body` are its meshes, bound to its joints.
    pub(crate) fn of(
        clip: Clip,
        body: Option<&Body>,
        floors: &Floors,
        settings: &QualitySettings,
    ) -> Measured {
        let (quality, clip) = floors.measure(clip);
        let skeleton = clip.skeleton();
        let gates: Vec<GateResult> = settings.fail_above.iter().map(|gate| gate.check(&quality)).collect();
        let both = settings.fail_above.iter().zip(&gates);
        let missed = both.filter_map(|(gate, result)| missed(gate, result, &quality)).collect();
        let unit = quality.lengths.unit;
        let words = |artifact: &Artifact| artifact.summary(unit, skeleton).size();
        let known = skeleton.space().unit.or_else(|| mocap_analysis::guess_unit(skeleton));
        Measured {
            summary: quality.summary(skeleton),
            gates,
            missed,
            findings: quality.artifacts.iter().map(|found| finding(found, &quality, skeleton)).collect(),
            severity: quality.worst().map_or(0.0, Artifact::severity),
            worst: quality.worst().map(words),
            height: known.and_then(|unit| Some(mocap_analysis::body_height(skeleton, body)? * unit.metres)),
        }
    }

    /// The same with the name of the person before what was found.
    pub(crate) fn of_person(mut self, name: &str) -> Measured {
        for found in self.missed.iter_mut().chain(&mut self.findings) {
            found.message = format!("{name}: {}", found.message);
        }
        self.worst = self.worst.map(|worst| format!("{name}: {worst}"));
        self
    }
}

/// The error of a gate that was missed.
fn missed(gate: &Gate<Quality>, result: &GateResult, quality: &Quality) -> Option<Diagnostic> {
    let missed = gate.missed(result)?;
    let diagnostic = Diagnostic::gate(missed.code(), missed.to_string());
    Some(match missed {
        MissedGate::Above { .. } => diagnostic,
        MissedGate::NotMeasured { .. } => diagnostic.help(match quality.lengths.unit {
            mocap_analysis::LengthUnit::Metres => {
                "feet are measured where the skeleton has legs and a foot is in contact; a motion needs frames"
            }
            _ => "the unit of the file is not known, so no limit in metres holds: --input-unit states it",
        }),
    })
}

/// An artifact as a diagnostic.
fn finding(artifact: &Artifact, quality: &Quality, skeleton: &Skeleton) -> Diagnostic {
    let summary = artifact.summary(quality.lengths.unit, skeleton);
    let over = match summary.first == summary.last {
        true => String::new(),
        false => format!(", frames {} to {}", summary.first, summary.last),
    };
    let mut diagnostic = Diagnostic::new(artifact.kind.code(), format!("{}{over}", summary.size()));
    diagnostic.context.joint.clone_from(&summary.joint);
    diagnostic.context.frame = Some(summary.first);
    diagnostic
}
