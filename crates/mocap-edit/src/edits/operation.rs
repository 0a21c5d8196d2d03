//! The properties of an edit. Flags of `mocap edit`, steps of pipelines, keywords of Python, schemas and the table in
//! the documentation are generated from these and from the fields of the edit.

use std::fmt::Debug;

use mocap_model::{Clip, Scene};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::Edit;
use super::source::{Files, Needed};
use crate::{EditError, EditReport, RootCurve};

/// The options of an edit, and its function. The doc comment of the type describes the edit, those of its fields their
/// values: help and schemas show both. A new edit is a file with such a type, and a line in the table of [`Edit`].
pub trait Operation: Clone + Debug + PartialEq + DeserializeOwned + JsonSchema + Flags + Into<Edit> {
    /// Its name: of the flag, the step and the report; with underscores of the keyword.
    const NAME: &'static str;
    /// What it is about.
    const GROUP: Group;
    /// What its flag takes.
    const VALUE: Value = Value::Nothing;
    /// Flags that may follow its flag, and the fields that they fill.
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[];
    /// Other names of switches, with the opposite meaning: for programs, where `lock_feet=False` reads better than
    /// `no_lock=True`.
    const OPPOSITES: &'static [(&'static str, &'static str)] = &[];
    /// What it does with lead-in frames at the start, which are a rest pose.
    const LEAD_IN: LeadIn = LeadIn::Kept;
    /// Which characters it edits in a scene of several.
    const TAKES: Takes = Takes::OneCharacter;
    /// Whether each frame that it makes is a pose of the motion, at another time or mirrored. Foot skate does not
    /// change with such an edit; any other edit must not increase it.
    const KEEPS_POSES: bool = false;
    /// Whether it brings joints to places in object space, which scale tracks stretch: such an edit works on the motion
    /// without them, and they are put back.
    const PLACES_JOINTS: bool = false;
    /// Whether it sets events itself. After any other edit, events stay at their frames.
    const MAKES_EVENTS: bool = false;

    /// The number of frames of its result, if it may be larger than that of the motion.
    fn frames_made(&self, _clip: &Clip) -> Option<f64> {
        None
    }

    /// Its inputs that come from files or from the program.
    fn needs(&mut self) -> Vec<Needed<'_>> {
        Vec::new()
    }

    /// Checks that its options do not contradict each other.
    ///
    /// # Errors
    /// [`EditError::Usage`] where they do.
    fn check(&self) -> Result<(), EditError> {
        Ok(())
    }

    /// Reads the files that it names. If each motion has its own root motion, this one is left unread while
    /// [`Files::curve_file`] returns `None`.
    ///
    /// # Errors
    /// Where options contradict each other, or the first file that cannot be read.
    fn read<F: Files>(&mut self, files: &F) -> Result<(), F::Error> {
        self.check()?;
        self.needs().into_iter().try_for_each(|needed| needed.read(files))
    }

    /// The edited motion, and the report.
    ///
    /// # Errors
    /// Where the options do not suit the motion.
    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError>;

    /// As [`Operation::apply`], for a whole scene: only for edits with [`Takes::Together`].
    ///
    /// # Errors
    /// Where the options do not suit the scene.
    fn apply_to_scene(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        let (clip, report) = self.apply(crate::only_character(scene, Self::NAME)?)?;
        Ok((scene.clone().map(|character| character.with_clip(clip.clone())), report))
    }

    /// The number of lead-in frames of the edited motion, given that of `clip`.
    fn lead_in_after(&self, _clip: &Clip, before: usize) -> usize {
        before
    }

    /// The root motion that is written beside the motion.
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

/// Groups of edits, by subject.
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
    /// The name for users.
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
    /// The field that its value fills, and the value that stands for no value.
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

/// What an edit does with lead-in frames at the start, which are not motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadIn {
    /// They are edited with the motion, as one.
    Edited,
    /// They stay unchanged before the edited motion.
    Kept,
    /// They are edited separately.
    Apart,
    /// They are dropped.
    Dropped,
}

/// Which characters an edit takes in a scene of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// All characters and props: it changes the space or time that they share.
    Scene,
    /// Each character by itself; props stay as they are.
    EachCharacter,
    /// Those that it names, in relation to each other.
    Together,
    /// Only a scene of one character: it would move characters relative to each other.
    OneCharacter,
}

impl Takes {
    /// The name for users.
    pub fn name(self) -> &'static str {
        match self {
            Takes::Scene => "all together",
            Takes::EachCharacter => "each character",
            Takes::Together => "those it names",
            Takes::OneCharacter => "one character",
        }
    }
}
