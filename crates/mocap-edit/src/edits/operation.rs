//! What every edit states about itself. Flags of `mocap edit`, steps of pipelines, keywords of Python, schemas and the
//! table in the documentation are made from this and from the fields of the edit.

use std::fmt::Debug;

use mocap_model::{Clip, Scene};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::Edit;
use super::source::{Files, Needed};
use crate::{EditError, EditReport, RootCurve};

/// The options of an edit, and what it does. The doc comment of the type says what it does, those of its fields what they
/// take: help and schemas show both. A new edit is a file with such a type, and a line in the table of [`Edit`].
pub trait Operation: Clone + Debug + PartialEq + DeserializeOwned + JsonSchema + Flags + Into<Edit> {
    /// Its name: of the flag, the step and the report; with underscores of the keyword.
    const NAME: &'static str;
    /// What it is about.
    const GROUP: Group;
    /// What its flag takes.
    const VALUE: Value = Value::Nothing;
    /// Flags that may follow its flag, and the fields that they fill.
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[];
    /// Other names of switches, which say the opposite: for programs, where `lock_feet=False` reads better than
    /// `no_lock=True`.
    const OPPOSITES: &'static [(&'static str, &'static str)] = &[];
    /// What it does with frames at the start that are a rest pose and no motion.
    const LEAD_IN: LeadIn = LeadIn::Kept;
    /// Whom it edits in a scene of several characters.
    const TAKES: Takes = Takes::OneCharacter;
    /// Whether each frame that it makes is a pose of the motion, at another time or mirrored. Such an edit can be undone,
    /// and feet slide as they did; any other must not make feet worse.
    const KEEPS_POSES: bool = false;
    /// Whether it says what happens when: events of the motion are those of its result. After any other edit, events stay
    /// with the frames that they were at.
    const MAKES_EVENTS: bool = false;

    /// How many frames it makes of a motion, where it may make more of them.
    fn frames_made(&self, _clip: &Clip) -> Option<f64> {
        None
    }

    /// What it takes from files, or is given.
    fn needs(&mut self) -> Vec<Needed<'_>> {
        Vec::new()
    }

    /// Whether its options fit each other.
    ///
    /// # Errors
    /// [`EditError::Usage`] where they do not.
    fn check(&self) -> Result<(), EditError> {
        Ok(())
    }

    /// Reads the files that it names. A root motion of which each motion has its own stays to be read where
    /// [`Files::curve_file`] does not know it yet.
    ///
    /// # Errors
    /// Where options do not fit each other; of the first file that cannot be read.
    fn read<F: Files>(&mut self, files: &F) -> Result<(), F::Error> {
        self.check()?;
        self.needs().into_iter().try_for_each(|needed| needed.read(files))
    }

    /// The edited motion, and what changed.
    ///
    /// # Errors
    /// Where the motion cannot be edited as asked.
    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError>;

    /// As [`Operation::apply`], of a whole scene: only of edits that take characters and props [`Takes::Together`].
    ///
    /// # Errors
    /// Where the scene cannot be edited as asked.
    fn apply_to_scene(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        let (clip, report) = self.apply(crate::only_character(scene, Self::NAME)?)?;
        Ok((scene.clone().map(|character| character.with_clip(clip.clone())), report))
    }

    /// Frames at the start of the edited motion that are no motion, where `before` of `clip` are.
    fn lead_in_after(&self, _clip: &Clip, before: usize) -> usize {
        before
    }

    /// The curve that is kept beside the motion.
    fn curve(&self, _motion: &Clip) -> Option<RootCurve> {
        None
    }
}

/// Options that are flags of a command line.
#[cfg(feature = "clap")]
pub trait Flags: clap::Args {}
#[cfg(feature = "clap")]
impl<T: clap::Args> Flags for T {}

/// Options that are flags of a command line, with the feature `clap`.
#[cfg(not(feature = "clap"))]
pub trait Flags {}
#[cfg(not(feature = "clap"))]
impl<T> Flags for T {}

/// What edits are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Frames and rates.
    Frames,
    /// Noise, bands, cycles.
    Signal,
    /// When things happen.
    Time,
    /// Feet, paths and places.
    Place,
    /// Other poses and motions.
    Layers,
    /// The skeleton.
    Skeleton,
    /// The motion of the root.
    Root,
    /// Props and partners.
    Together,
}

impl Group {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Group::Frames => "Frames",
            Group::Signal => "Signal",
            Group::Time => "Time",
            Group::Place => "Place",
            Group::Layers => "Layers",
            Group::Skeleton => "Skeleton",
            Group::Root => "Root motion",
            Group::Together => "Props",
        }
    }
}

/// What the flag of an edit takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is a switch.
    Nothing,
    /// It is a switch on the command line; the field that takes a value in a program.
    Switch(&'static str),
    /// The field that its value fills.
    Field(&'static str),
    /// The same, and the value that stands for none.
    Default(&'static str, &'static str),
}

impl Value {
    /// The field that takes the value.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Value::Nothing => None,
            Value::Switch(field) | Value::Field(field) | Value::Default(field, _) => Some(field),
        }
    }
}

/// What an edit does with frames at the start that are not motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadIn {
    /// They are edited with the others, as one motion.
    Edited,
    /// They stay as they are before the edited motion.
    Kept,
    /// They are edited by themselves.
    Apart,
    /// They are dropped.
    Dropped,
}

/// Whom an edit edits in a scene of several characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// All characters and props alike: it changes the space or the time in which they all are.
    Scene,
    /// Each character by itself; props stay as they are.
    EachCharacter,
    /// Those that it names, in relation to each other.
    Together,
    /// Only one: it would move characters that are together apart.
    OneCharacter,
}

impl Takes {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Takes::Scene => "all together",
            Takes::EachCharacter => "each character",
            Takes::Together => "those it names",
            Takes::OneCharacter => "one character",
        }
    }
}
