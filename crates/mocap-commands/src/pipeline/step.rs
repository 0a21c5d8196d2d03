//! The kinds of steps and their settings, which are those of the corresponding commands.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{Args, Command};
use mocap_edit::edits::{Operation, Visitor, visit_all};
use mocap_edit::{Edit, EditKind};
use mocap_toml::{Entry, Text, TomlError, TomlProblem, Value, settings};
use serde::Deserialize;

use crate::commands::face::FaceStep;
use crate::commands::solve::SolveStep;
use crate::options::{
    CompareStep, CompressStep, EditGates, Edits, KeepStep, Kind, Reading, RetargetStep, WriteStep,
};

/// The work of a step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Read(Reading),
    Edit(Edits),
    /// An edit of `mocap edit`.
    One(Box<EditStep>),
    Keep(KeepStep),
    Retarget(Box<RetargetStep>),
    Face(FaceStep),
    Solve(Box<SolveStep>),
    Compress(CompressStep),
    Write(WriteStep),
    Compare(CompareStep),
}

/// A kind of step.
pub(crate) struct StepKind {
    /// The value of `do`.
    pub(crate) name: &'static str,
    /// What it does, for people.
    pub(crate) about: &'static str,
    /// Its keys: names, values and help.
    pub(crate) flags: fn() -> Command,
    read: Reader,
}

type Reader = fn(&Text, &str, &[Entry]) -> Result<Step, TomlError>;

/// One edit and its gates.
#[derive(Clone, Debug)]
pub(super) struct EditStep {
    pub(super) edit: Edit,
    pub(super) gates: EditGates,
}

/// The settings of a step that is one edit.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Gated<T> {
    #[serde(rename = "..edit")]
    edit: T,
    #[serde(rename = "..gates")]
    gates: EditGates,
}

impl StepKind {
    fn new<Settings: Args + for<'de> Deserialize<'de>>(
        name: &'static str,
        about: &'static str,
        read: Reader,
    ) -> StepKind {
        StepKind { name, about, flags: || Settings::augment_args(Command::new("step")), read }
    }
}

/// Makes a kind from its settings type and the variant of `Step`.
macro_rules! kind {
    ($name:literal $settings:ty => $step:expr, $about:literal) => {
        StepKind::new::<$settings>($name, $about, |text, of, entries| {
            settings::<$settings>(text, of, entries).map($step)
        })
    };
}

/// All kinds of steps: each edit is one.
pub(crate) static KINDS: LazyLock<Vec<StepKind>> = LazyLock::new(|| {
    let mut kinds = EditKinds(vec![
        kind!("read" Reading => Step::Read, "How inputs are read; optional first step"),
        kind!("solve" SolveStep => |step| Step::Solve(Box::new(step)),
            "Solves recordings of optical markers onto a skeleton, with a report; the first step after read"),
        kind!("edit" Edits => Step::Edit, "Edits of the motion, in the order of `mocap convert`"),
    ]);
    visit_all(&mut kinds);
    let EditKinds(mut kinds) = kinds;
    kinds.extend([
        kind!("keep" KeepStep => Step::Keep,
            "Keeps the longest range with some labels; of a clip without one nothing is written"),
        kind!("retarget" RetargetStep => |step| Step::Retarget(Box::new(step)),
            "Retargets the motion to another skeleton, with a report of quality"),
        kind!("face" FaceStep => Step::Face,
            "Moves the face of a character by the shapes of the motion, as `mocap face` does"),
        kind!("compress" CompressStep => Step::Compress,
            "Compresses the motion, and continues with the decompressed motion"),
        kind!("write" WriteStep => Step::Write, "Writes the motion"),
        kind!("compare" CompareStep => Step::Compare,
            "Measures the error between the motion and the motion after an earlier step"),
    ]);
    kinds
});

/// Collects a kind of step for each edit.
struct EditKinds(Vec<StepKind>);

impl Visitor for EditKinds {
    fn visit<T: Operation>(&mut self) {
        let kind = EditKind::named(T::NAME).expect("every edit is in its table");
        self.0.push(StepKind {
            name: kind.name,
            about: &kind.about,
            flags: || EditGates::augment_args(T::augment_args(Command::new("step"))),
            read: |text, of, entries| {
                let Gated::<T> { edit, gates } = settings(text, of, entries)?;
                Ok(Step::One(Box::new(EditStep { edit: edit.into(), gates })))
            },
        });
    }
}

/// Keys of every step in addition to its settings.
pub(crate) const COMMON: [(&str, &str); 3] = [
    ("do", "The kind of step"),
    ("name", "Name of the step in overrides and reports [default: its kind; its format for a write step]"),
    ("enabled", "Whether the step runs [default: true]"),
];

impl StepKind {
    /// Checks each setting by itself; required ones may be missing.
    pub(super) fn check(&self, text: &Text, of: &str, entries: &[Entry]) -> Result<(), TomlError> {
        match (self.read)(text, of, entries) {
            Err(error) if !matches!(error.problem, TomlProblem::Missing(_)) => Err(error),
            _ => Ok(()),
        }
    }

    /// The step with these settings; `at` is the place of an error about a missing one.
    pub(super) fn step(
        &self,
        text: &Text,
        (of, at): (&str, Range<usize>),
        entries: &[Entry],
    ) -> Result<Step, TomlError> {
        (self.read)(text, of, entries).map_err(|error| {
            let TomlProblem::Missing(key) = error.problem else { return error };
            let error = text.error(error.problem, at, format!("{of} needs '{key}'"));
            let flags = (self.flags)();
            let flag = flags.get_arguments().find(|flag| flag.get_long() == Some(key));
            let help = flag.and_then(|flag| flag.get_help()).map(|help| format!("{key}: {help}"));
            help.into_iter().fold(error, TomlError::help)
        })
    }

    /// Settings as typed on a command line, without `--`.
    pub(super) fn typed(&self, entries: &[Entry]) -> Vec<String> {
        let flags = (self.flags)();
        let is_switch = |key: &str| {
            flags.get_arguments().any(|flag| flag.get_long() == Some(key) && Kind::of(flag) == Kind::Switch)
        };
        let typed = |entry: &Entry| -> Vec<String> {
            let key = &entry.key;
            match &entry.cell.value {
                value if is_switch(key) => {
                    value.switch().filter(|on| *on).map(|_| key.clone()).into_iter().collect()
                }
                Value::List(cells) => cells
                    .iter()
                    .filter_map(|cell| cell.value.scalar())
                    .map(|value| format!("{key}={value}"))
                    .collect(),
                value => value.scalar().map(|value| format!("{key}={value}")).into_iter().collect(),
            }
        };
        entries.iter().flat_map(typed).collect()
    }
}

impl Step {
    /// The folder of its files, below the output directory.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Step::Write(step) => step.folder.as_deref(),
            Step::Compress(step) => step.folder.as_deref(),
            _ => None,
        }
    }

    /// The format in which it writes the motion.
    pub(super) fn writes(&self) -> Option<mocap_formats::Format> {
        match self {
            Step::Write(step) => Some(step.to),
            _ => None,
        }
    }

    /// Files that it reads.
    pub(super) fn reads(&self) -> Vec<PathBuf> {
        match self {
            Step::Read(reading) => reading.skeleton.iter().cloned().collect(),
            Step::Retarget(step) => {
                std::iter::once(&step.target).chain(&step.map.map).map(PathBuf::clone).collect()
            }
            Step::Face(step) => step.files(),
            Step::Solve(step) => step.files(),
            Step::One(step) => step.edit.files().into_iter().filter(|file| !file.is_dir()).collect(),
            _ => Vec::new(),
        }
    }
}
