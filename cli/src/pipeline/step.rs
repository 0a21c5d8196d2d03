//! The kinds of steps and what they take: the settings of the commands that do the same, and where their files go.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Command;
use mocap_toml::{Entry, Text, TomlError, TomlProblem, Value, settings};

use crate::args::{
    AddStep, AlongStep, ApplyRootStep, BandsStep, BlendStep, CompareStep, CompressStep, DenoiseStep,
    DurationStep, EditStep, Edits, ExtractRootStep, FixFeetStep, FourierStep, GroundStep, HeadingStep,
    InPlaceStep, JoinStep, Kind, LoopStep, MirrorStep, Reading, RepeatStep, RetargetStep, RootJointStep,
    SpeedStep, StartAtStep, StripStep, SyncStep, TerrainStep, TimeMapStep, TurnStep, WarpStep, WriteStep,
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

/// Kinds of steps: what `do` says, what they take, and what they do.
macro_rules! kinds {
    ($($name:literal $settings:ty => $step:expr, $about:literal;)+) => {
        &[$(StepKind {
            name: $name,
            about: $about,
            flags: || <$settings as clap::Args>::augment_args(Command::new("step")),
            read: |text, of, entries| settings::<$settings>(text, of, entries).map($step),
        }),+]
    };
}

/// All kinds of steps.
pub(crate) const KINDS: &[StepKind] = kinds! {
    "read" Reading => Step::Read, "How inputs are read; optional first step";
    "edit" Edits => Step::Edit, "Edits of the motion, in the order of `mocap convert`";
    "denoise" DenoiseStep => edit, "Removes jitter and spikes";
    "loop" LoopStep => edit, "Makes a loop";
    "repeat" RepeatStep => edit, "Plays a loop several times";
    "speed" SpeedStep => edit, "Plays faster or slower";
    "duration" DurationStep => edit, "Gives the motion another duration";
    "time-map" TimeMapStep => edit, "Retimes by a map of times";
    "sync" SyncStep => edit, "Retimes to the steps of another motion";
    "join" JoinStep => edit, "Lays a motion onto the end";
    "blend" BlendStep => edit, "Blends with another motion";
    "bands" BandsStep => edit, "Scales frequency bands";
    "warp" WarpStep => edit, "Brings joints to keys";
    "fourier" FourierStep => edit, "Smooths a cycle, or gives it a style";
    "terrain" TerrainStep => edit, "Puts the feet on steps, a height field or a mesh";
    "fix-feet" FixFeetStep => edit, "Locks planted feet";
    "mirror" MirrorStep => edit, "Swaps left and right";
    "turn" TurnStep => edit, "Bends the path";
    "along" AlongStep => edit, "Lays the motion along a path";
    "add" AddStep => edit, "Adds a pose or a motion";
    "strip" StripStep => edit, "Leaves fingers, twist joints or props out";
    "in-place" InPlaceStep => edit, "Takes the root motion out";
    "extract-root" ExtractRootStep => edit, "Writes the root motion as a curve";
    "apply-root" ApplyRootStep => edit, "Puts a root motion in";
    "root-joint" RootJointStep => edit, "Adds a joint on the ground that carries the root motion";
    "heading" HeadingStep => edit, "Turns the motion: at its start the body faces an axis";
    "start-at" StartAtStep => edit, "Moves the start of the motion above the origin";
    "ground" GroundStep => edit, "Moves the floor under the feet to height 0";
    "retarget" RetargetStep => |step| Step::Retarget(Box::new(step)),
        "Retargets the motion to another skeleton, with a report of quality";
    "compress" CompressStep => Step::Compress, "Compresses the motion, and continues with the decompressed motion";
    "write" WriteStep => Step::Write, "Writes the motion";
    "compare" CompareStep => Step::Compare,
        "Measures the error between the motion and the motion after an earlier step";
};

/// What a step takes beside its settings.
pub(crate) const COMMON: [(&str, &str); 3] = [
    ("do", "The kind of step"),
    ("name", "Name of the step in overrides and reports [default: its kind; its format for a write step]"),
    ("enabled", "Whether the step runs [default: true]"),
];

fn edit(step: impl Into<EditStep>) -> Step {
    Step::One(Box::new(step.into()))
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
            Step::One(step) => step.edit.files().into_iter().filter(|file| !file.is_dir()).cloned().collect(),
            _ => Vec::new(),
        }
    }
}
