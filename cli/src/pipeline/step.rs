//! The kinds of steps and what they take: the settings of the commands that do the same, and where their files go.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Command;
use mocap_toml::{Entry, Text, TomlError, TomlProblem, Value, settings};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::args::{
    CompareStep, CompressStep, DenoiseStep, EditStep, Edits, FixFeetStep, GroundStep, HeadingStep,
    InPlaceStep, Kind, LoopStep, MirrorStep, Reading, RetargetStep, RootJointStep, SpeedStep, StartAtStep,
    WriteStep,
};

/// What a step is to do.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Read(Reading),
    Edit(Edits),
    /// One of the edits of `mocap edit`.
    One(Box<EditStep>),
    Retarget(Box<RetargetStep>),
    Compress(CompressStep),
    Write(WriteStep),
    Compare(CompareStep),
}

/// A kind of step.
pub(crate) struct StepKind {
    /// What `do` says.
    pub(crate) name: &'static str,
    /// What it does, for people.
    pub(crate) about: &'static str,
    /// What it takes: names, words and help of its keys.
    pub(crate) flags: fn() -> Command,
    read: Reader,
}

type Reader = fn(&Text, &str, &[Entry]) -> Result<Step, TomlError>;

/// All kinds of steps.
pub(crate) const KINDS: &[StepKind] = &[
    StepKind {
        name: "read",
        about: "How inputs are read; optional first step",
        flags: flags::<Reading>,
        read: |text, of, entries| read(text, of, entries, Step::Read),
    },
    StepKind {
        name: "edit",
        about: "Edits of the motion, in the order of `mocap convert`",
        flags: flags::<Edits>,
        read: |text, of, entries| read(text, of, entries, Step::Edit),
    },
    StepKind {
        name: "denoise",
        about: "Removes jitter and spikes",
        flags: flags::<DenoiseStep>,
        read: edit::<DenoiseStep>,
    },
    StepKind { name: "loop", about: "Makes a loop", flags: flags::<LoopStep>, read: edit::<LoopStep> },
    StepKind {
        name: "speed",
        about: "Plays faster or slower",
        flags: flags::<SpeedStep>,
        read: edit::<SpeedStep>,
    },
    StepKind {
        name: "fix-feet",
        about: "Locks planted feet",
        flags: flags::<FixFeetStep>,
        read: edit::<FixFeetStep>,
    },
    StepKind {
        name: "mirror",
        about: "Swaps left and right",
        flags: flags::<MirrorStep>,
        read: edit::<MirrorStep>,
    },
    StepKind {
        name: "in-place",
        about: "Takes the root motion out",
        flags: flags::<InPlaceStep>,
        read: edit::<InPlaceStep>,
    },
    StepKind {
        name: "root-joint",
        about: "Adds a joint on the ground that carries the root motion",
        flags: flags::<RootJointStep>,
        read: edit::<RootJointStep>,
    },
    StepKind {
        name: "heading",
        about: "Turns the motion: at its start the body faces an axis",
        flags: flags::<HeadingStep>,
        read: edit::<HeadingStep>,
    },
    StepKind {
        name: "start-at",
        about: "Moves the start of the motion above the origin",
        flags: flags::<StartAtStep>,
        read: edit::<StartAtStep>,
    },
    StepKind {
        name: "ground",
        about: "Moves the floor under the feet to height 0",
        flags: flags::<GroundStep>,
        read: edit::<GroundStep>,
    },
    StepKind {
        name: "retarget",
        about: "Retargets the motion to another skeleton, with a report of quality",
        flags: flags::<RetargetStep>,
        read: |text, of, entries| read(text, of, entries, |step| Step::Retarget(Box::new(step))),
    },
    StepKind {
        name: "compress",
        about: "Compresses the motion, and continues with the decompressed motion",
        flags: flags::<CompressStep>,
        read: |text, of, entries| read(text, of, entries, Step::Compress),
    },
    StepKind {
        name: "write",
        about: "Writes the motion",
        flags: flags::<WriteStep>,
        read: |text, of, entries| read(text, of, entries, Step::Write),
    },
    StepKind {
        name: "compare",
        about: "Measures the error between the motion and the motion after an earlier step",
        flags: flags::<CompareStep>,
        read: |text, of, entries| read(text, of, entries, Step::Compare),
    },
];

/// What a step takes beside its settings.
pub(crate) const COMMON: [(&str, &str); 3] = [
    ("do", "The kind of step"),
    ("name", "Name of the step in overrides and reports [default: its kind; its format for a write step]"),
    ("enabled", "Whether the step runs [default: true]"),
];

fn flags<A: clap::Args>() -> Command {
    A::augment_args(Command::new("step"))
}

fn read<'a, T: Deserialize<'a>>(
    text: &'a Text,
    of: &str,
    entries: &'a [Entry],
    step: fn(T) -> Step,
) -> Result<Step, TomlError> {
    settings(text, of, entries).map(step)
}

fn edit<T: DeserializeOwned + Into<EditStep>>(
    text: &Text,
    of: &str,
    entries: &[Entry],
) -> Result<Step, TomlError> {
    read(text, of, entries, |step: T| Step::One(Box::new(step.into())))
}

impl StepKind {
    /// Checks settings, each by itself: some may be missing.
    pub(super) fn check(&self, text: &Text, of: &str, entries: &[Entry]) -> Result<(), TomlError> {
        match (self.read)(text, of, entries) {
            Err(error) if !matches!(error.problem, TomlProblem::Missing(_)) => Err(error),
            _ => Ok(()),
        }
    }

    /// The step that settings describe; `at` is where a missing one is shown.
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

    /// Settings as they would be typed, without `--`.
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

    /// Files that it reads.
    pub(super) fn reads(&self) -> Vec<PathBuf> {
        match self {
            Step::Read(reading) => reading.skeleton.iter().cloned().collect(),
            Step::Retarget(step) => {
                std::iter::once(&step.target).chain(&step.map.map).map(PathBuf::clone).collect()
            }
            _ => Vec::new(),
        }
    }
}
