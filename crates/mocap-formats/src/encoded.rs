//! What is written: one file, and for some formats a second one beside it.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Finding;

/// A clip or skeleton as a file, or as two files of which neither is complete without the other.
#[derive(Debug)]
pub struct Encoded<'c> {
    /// The file.
    pub main: Content<'c>,
    /// The file beside it, such as the ASF of an AMC, and its name.
    pub beside: Option<(Beside, Content<'c>)>,
    /// Warnings about what the format cannot hold.
    pub warnings: Vec<Finding>,
}

/// How the name of a second file follows from the name of the first.
///
/// ```
/// use mocap_formats::Beside;
/// use std::path::Path;
///
/// assert_eq!(Beside::Extension("asf").path(Path::new("walk.amc")), Path::new("walk.asf"));
/// assert_eq!(Beside::Behind("joints.json").path(Path::new("walk.csv")), Path::new("walk.csv.joints.json"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// This extension replaces the extension of the first file.
    Extension(&'static str),
    /// This extension follows the whole name of the first file, so files of two formats do not share one.
    Behind(&'static str),
}

impl Beside {
    /// The path of the second file.
    pub fn path(self, file: &Path) -> PathBuf {
        match self {
            Beside::Extension(extension) => file.with_extension(extension),
            Beside::Behind(extension) => {
                let mut path = file.as_os_str().to_owned();
                path.push(".");
                path.push(extension);
                path.into()
            }
        }
    }
}

/// The content of a file, made at once or while it is written.
pub struct Content<'c>(Source<'c>);

enum Source<'c> {
    Bytes(Vec<u8>),
    Stream(Box<Stream<'c>>),
}

type Stream<'c> = dyn Fn(&mut dyn Write) -> io::Result<()> + Send + Sync + 'c;

impl<'c> Content<'c> {
    /// Content that is computed while it is written: it may be several times as large as its clip.
    pub fn stream(write: impl Fn(&mut dyn Write) -> io::Result<()> + Send + Sync + 'c) -> Content<'c> {
        Content(Source::Stream(Box::new(write)))
    }

    /// Writes the content.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.0 {
            Source::Bytes(bytes) => out.write_all(bytes),
            Source::Stream(write) => write(out),
        }
    }

    /// The content in memory.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.0 {
            Source::Bytes(bytes) => bytes,
            Source::Stream(write) => {
                let mut bytes = Vec::new();
                write(&mut bytes).expect("writing to memory does not fail");
                bytes
            }
        }
    }
}

impl From<Vec<u8>> for Content<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Content(Source::Bytes(bytes))
    }
}

impl fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Bytes(bytes) => write!(f, "Content({} bytes)", bytes.len()),
            Source::Stream(_) => f.write_str("Content(stream)"),
        }
    }
}

impl<'c> From<Content<'c>> for Encoded<'c> {
    fn from(main: Content<'c>) -> Self {
        Encoded { main, beside: None, warnings: Vec::new() }
    }
}

impl From<Vec<u8>> for Encoded<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Content::from(bytes).into()
    }
}
