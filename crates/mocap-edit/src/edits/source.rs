//! Inputs of edits that come from files: motions, curves, tables, terrains. Text names a file, programs pass the value.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap_model::{Character, Clip};
use mocap_poses::PosePrior;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::{EditError, HeightField, Path as PathOverGround, RootCurve, TerrainMesh, TimeMap, Warp};

/// A value, or the file in which it is.
#[derive(Debug)]
pub enum Source<T> {
    /// Its file, which is not read yet.
    File(PathBuf),
    /// The value.
    Held(Arc<T>),
}

impl<T> Source<T> {
    /// A value from a program.
    pub fn held(value: T) -> Source<T> {
        Source::Held(Arc::new(value))
    }

    /// The value.
    ///
    /// # Errors
    /// [`EditError::NotRead`] where it is still in its file.
    pub fn get(&self) -> Result<&T, EditError> {
        match self {
            Source::Held(value) => Ok(value),
            Source::File(file) => Err(EditError::NotRead { file: file.display().to_string() }),
        }
    }

    /// The file that is not read yet.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Source::File(file) => Some(file),
            Source::Held(_) => None,
        }
    }

    fn read<E>(&mut self, read: impl FnOnce(&Path) -> Result<T, E>) -> Result<(), E> {
        if let Source::File(file) = self {
            *self = Source::Held(Arc::new(read(file)?));
        }
        Ok(())
    }
}

impl<T> Clone for Source<T> {
    fn clone(&self) -> Source<T> {
        match self {
            Source::File(file) => Source::File(file.clone()),
            Source::Held(value) => Source::Held(value.clone()),
        }
    }
}

impl<T: PartialEq> PartialEq for Source<T> {
    fn eq(&self, other: &Source<T>) -> bool {
        match (self, other) {
            (Source::File(file), Source::File(other)) => file == other,
            (Source::Held(value), Source::Held(other)) => value == other,
            _ => false,
        }
    }
}

/// Arguments of a command line are files.
impl<T> From<OsString> for Source<T> {
    fn from(word: OsString) -> Source<T> {
        Source::File(word.into())
    }
}

impl<'de, T> Deserialize<'de> for Source<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source<T>, D::Error> {
        PathBuf::deserialize(deserializer).map(Source::File)
    }
}

/// The kind of value that a file holds.
pub trait FileValue {
    /// Its name: the `title` of the schema of its file.
    const NAME: &'static str;
}

macro_rules! held {
    ($($kind:ty, $name:literal;)+) => {
        $(impl FileValue for $kind {
            const NAME: &'static str = $name;
        })+
    };
}

held! {
    Clip, "motion";
    Character, "motion";
    TimeMap, "time-map";
    PathOverGround, "path";
    RootCurve, "root-curve";
    Warp, "keys";
    HeightField, "heights";
    TerrainMesh, "triangles";
    PosePrior, "poses";
}

impl<T: FileValue> JsonSchema for Source<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "path", "title": T::NAME })
    }
}

/// An input that an edit takes from a file.
#[derive(Debug)]
pub enum Needed<'a> {
    /// A motion, without a rest pose before it.
    Motion(&'a mut Source<Clip>),
    /// A prop with its mesh.
    Prop(&'a mut Source<Character>),
    /// Times of the output and of the input.
    TimeMap(&'a mut Source<TimeMap>),
    /// A path over the ground.
    Path(&'a mut Source<PathOverGround>),
    /// A root motion; each motion may have its own.
    RootCurve(&'a mut Source<RootCurve>),
    /// Keys, with the poses that they name.
    Warp(&'a mut Source<Warp>),
    /// A height field, and how its file is read.
    Heights(&'a mut Source<HeightField>, HeightOptions),
    /// A mesh to walk on.
    Mesh(&'a mut Source<TerrainMesh>),
    /// Example poses.
    Poses(&'a mut Source<PosePrior>),
}

/// How a file of heights is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeightOptions {
    /// The distance between neighbours \[m\]; `None`: what the file says.
    pub cell: Option<f64>,
    /// The height of white in a picture \[m\]; `None`: 1.
    pub white: Option<f64>,
}

/// Reads the files that edits name. Tables and curves come from text; the implementation reads motions and terrains.
pub trait Files {
    /// Why a file cannot be read.
    type Error: From<EditError>;

    /// The text of a file.
    ///
    /// # Errors
    /// Where the file cannot be read, or is no text.
    fn text(&self, file: &Path) -> Result<String, Self::Error>;

    /// An error in a file, with its name.
    fn in_file(&self, error: EditError, _file: &Path) -> Self::Error {
        error.into()
    }

    /// A motion, without a rest pose before it.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn motion(&self, file: &Path) -> Result<Clip, Self::Error>;

    /// A prop: its motion, and the mesh that shows it.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn prop(&self, file: &Path) -> Result<Character, Self::Error> {
        self.motion(file).map(Character::from)
    }

    /// Keys of a warp.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn warp(&self, file: &Path) -> Result<Warp, Self::Error>;

    /// A height field.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn heights(&self, file: &Path, options: HeightOptions) -> Result<HeightField, Self::Error>;

    /// A mesh to walk on, in the axes of a terrain: ahead, left, up.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn mesh(&self, file: &Path) -> Result<TerrainMesh, Self::Error>;

    /// Example poses.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn poses(&self, file: &Path) -> Result<PosePrior, Self::Error>;

    /// The file of a root motion; `None` while the motion that it belongs to is not known.
    fn curve_file(&self, file: &Path) -> Option<PathBuf> {
        Some(file.to_owned())
    }

    /// Times of the output and of the input.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn time_map(&self, file: &Path) -> Result<TimeMap, Self::Error> {
        self.text(file)?.parse().map_err(|error| self.in_file(error, file))
    }

    /// A path over the ground.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn path(&self, file: &Path) -> Result<PathOverGround, Self::Error> {
        self.text(file)?.parse().map_err(|error| self.in_file(error, file))
    }

    /// A root motion.
    ///
    /// # Errors
    /// Where the file cannot be read.
    fn root_curve(&self, file: &Path) -> Result<RootCurve, Self::Error> {
        RootCurve::parse(&self.text(file)?).map_err(|error| self.in_file(error, file))
    }
}

impl Needed<'_> {
    /// Reads it, unless it is held already.
    pub(super) fn read<F: Files>(self, files: &F) -> Result<(), F::Error> {
        match self {
            Needed::Motion(source) => source.read(|file| files.motion(file)),
            Needed::Prop(source) => source.read(|file| files.prop(file)),
            Needed::TimeMap(source) => source.read(|file| files.time_map(file)),
            Needed::Path(source) => source.read(|file| files.path(file)),
            Needed::Warp(source) => source.read(|file| files.warp(file)),
            Needed::Heights(source, options) => source.read(|file| files.heights(file, options)),
            Needed::Mesh(source) => source.read(|file| files.mesh(file)),
            Needed::Poses(source) => source.read(|file| files.poses(file)),
            Needed::RootCurve(source) => match source.file().and_then(|file| files.curve_file(file)) {
                Some(of_motion) => source.read(|_| files.root_curve(&of_motion)),
                None => Ok(()),
            },
        }
    }

    /// The file that is not read yet.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Needed::Motion(source) => source.file(),
            Needed::Prop(source) => source.file(),
            Needed::TimeMap(source) => source.file(),
            Needed::Path(source) => source.file(),
            Needed::RootCurve(source) => source.file(),
            Needed::Warp(source) => source.file(),
            Needed::Heights(source, _) => source.file(),
            Needed::Mesh(source) => source.file(),
            Needed::Poses(source) => source.file(),
        }
    }
}
