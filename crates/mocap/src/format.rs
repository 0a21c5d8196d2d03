//! All file formats for users: those of `mocap_formats`, and compressed clips.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use mocap_formats::{Finding, Format, FormatProblem, Limits, text};

use crate::Problem;

/// The length of the start of a file from which its format is detected \[bytes\].
pub(crate) const DETECTED: usize = 64 << 10;

/// The format of a file: an exchange format, or a compressed clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileFormat {
    /// A format of `mocap_formats`.
    Exchange(Format),
    /// A compressed clip (`.mocz`): read like any motion, written by [`compress`](crate::compress()).
    Mocz,
}

impl FileFormat {
    /// All formats.
    pub fn all() -> impl Iterator<Item = FileFormat> {
        Format::ALL.into_iter().map(FileFormat::Exchange).chain([FileFormat::Mocz])
    }

    /// The lower-case name, which is also the usual extension.
    pub fn extension(self) -> &'static str {
        match self {
            FileFormat::Exchange(format) => format.extension(),
            FileFormat::Mocz => "mocz",
        }
    }

    /// The content of a file of the format, in one line.
    pub fn about(self) -> &'static str {
        match self {
            FileFormat::Exchange(format) => format.about(),
            FileFormat::Mocz => "A compressed clip with a guaranteed error",
        }
    }

    /// The format of an extension without its dot, in any case.
    pub fn from_extension(extension: &str) -> Option<FileFormat> {
        let mocz = extension.eq_ignore_ascii_case(FileFormat::Mocz.extension());
        let exchange = || Format::from_extension(extension).map(FileFormat::Exchange);
        if mocz { Some(FileFormat::Mocz) } else { exchange() }
    }

    /// The format of a path by its extension.
    pub fn of_path(path: &Path) -> Option<FileFormat> {
        path.extension().and_then(|extension| extension.to_str()).and_then(FileFormat::from_extension)
    }

    /// The format by the first bytes of a file; `None` where they fit no format.
    pub fn detect(bytes: &[u8]) -> Option<FileFormat> {
        if is_compressed(bytes) {
            return Some(FileFormat::Mocz);
        }
        Format::detect(bytes).map(FileFormat::Exchange)
    }

    /// The format of a file: a compressed clip by its content; else as stated, by the extension, or by the
    /// content.
    ///
    /// # Errors
    /// If the file is empty, no format is found, or it should be a compressed clip but is not.
    pub fn of_file(
        path: Option<&Path>,
        bytes: &[u8],
        stated: Option<FileFormat>,
    ) -> Result<FileFormat, Finding> {
        if is_compressed(bytes) {
            return Ok(FileFormat::Mocz);
        }
        text::refuse_zeros(bytes)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Finding::new(text::Problem::Empty));
        }
        if stated == Some(FileFormat::Mocz) {
            return Err(Finding::new(Problem::NotCompressed { named: false }));
        }
        let named = path.and_then(FileFormat::of_path);
        let mocz = named == Some(FileFormat::Mocz);
        // Tables of several kinds share an extension.
        let named = named.filter(|format| *format != FileFormat::Mocz);
        let known = stated.or(named.filter(|format| format.readable().is_ok()));
        if let Some(known) = mocap_formats::foreign(bytes) {
            return Err(Finding::new(FormatProblem::Foreign { known }));
        }
        known.or_else(|| FileFormat::detect(bytes)).or(named).ok_or_else(|| match mocz {
            true => Finding::new(Problem::NotCompressed { named: true }),
            false => Finding::new(FormatProblem::Unknown),
        })
    }

    /// Checks the start of a file before the rest is read; `size` is the size of the file if it is
    /// known \[bytes\]. The other arguments are those of [`FileFormat::of_file`]. A file that is
    /// short enough is accepted, since [`open`] gets all of it.
    ///
    /// # Errors
    /// If the file cannot be a motion file, or its header states more than the limits allow.
    ///
    /// [`open`]: crate::open
    pub fn check_start(
        path: Option<&Path>,
        start: &[u8],
        size: Option<u64>,
        stated: Option<FileFormat>,
        limits: &Limits,
    ) -> Result<(), Finding> {
        text::refuse_zeros(start)?;
        // A longer start may still reveal the format.
        if start.len() < DETECTED || start.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match FileFormat::of_file(path, start, stated)? {
            FileFormat::Exchange(format) => format.check_start(start, size, limits),
            FileFormat::Mocz => Ok(()),
        }
    }

    /// The exchange format; `None` for a compressed clip.
    pub fn exchange(self) -> Option<Format> {
        match self {
            FileFormat::Exchange(format) => Some(format),
            FileFormat::Mocz => None,
        }
    }

    /// Whether files of the format hold a motion; the others hold only a skeleton.
    pub fn has_motion(self) -> bool {
        self.exchange().is_none_or(Format::has_motion)
    }

    /// Whether files of the format can be read; else the error is why not.
    ///
    /// # Errors
    /// One sentence, where they cannot.
    pub fn readable(self) -> Result<(), &'static str> {
        self.exchange().map_or(Ok(()), Format::readable)
    }

    /// Whether files of the format state their unit and axes.
    pub fn states_space(self) -> bool {
        self.exchange().is_none_or(Format::states_space)
    }

    /// Whether a search of folders for motion files takes files of the format.
    pub fn is_searched(self) -> bool {
        self.exchange().is_none_or(Format::is_searched)
    }
}

/// Whether these are the bytes of a compressed clip.
///
/// ```
/// assert!(!mocap::is_compressed(b"HIERARCHY"));
/// ```
pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MOCZ")
}

/// The format of an output: as stated, else by the extension of its path; `None` where neither names one.
///
/// ```
/// use mocap::{Format, output_format};
///
/// assert_eq!(output_format(None, Some("walk.csv".as_ref()))?, Some(Format::Csv));
/// assert!(output_format(None, Some("walk.mp4".as_ref())).is_err());
/// # Ok::<(), mocap::Finding>(())
/// ```
///
/// # Errors
/// Where the extension is that of a compressed clip, or of no format.
pub fn output_format(stated: Option<Format>, output: Option<&Path>) -> Result<Option<Format>, Finding> {
    let extension = output.and_then(Path::extension).and_then(|extension| extension.to_str());
    let (None, Some(extension)) = (stated, extension) else { return Ok(stated) };
    match FileFormat::from_extension(extension) {
        Some(FileFormat::Exchange(format)) => Ok(Some(format)),
        Some(FileFormat::Mocz) => Err(Finding::new(Problem::CompressedOutput)),
        None => Err(Finding::new(Problem::UnsupportedOutput { extension: extension.to_owned() })),
    }
}

/// The path with another extension, in place of that of a motion or skeleton; any other is part of the name.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(mocap::with_extension(Path::new("walk.bvh"), "csv"), Path::new("walk.csv"));
/// assert_eq!(mocap::with_extension(Path::new("take.01"), "csv"), Path::new("take.01.csv"));
/// ```
pub fn with_extension(path: &Path, extension: &str) -> PathBuf {
    if FileFormat::of_path(path).is_some() {
        return path.with_extension(extension);
    }
    add_extension(path, extension)
}

/// The name of the compressed clip of a motion file. A compressed clip does not become itself.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(mocap::compressed_name(Path::new("walk.bvh")), Path::new("walk.mocz"));
/// ```
pub fn compressed_name(path: &Path) -> PathBuf {
    match FileFormat::of_path(path) {
        Some(FileFormat::Mocz) => add_extension(path, "mocz"),
        _ => with_extension(path, "mocz"),
    }
}

fn add_extension(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

impl From<Format> for FileFormat {
    fn from(format: Format) -> FileFormat {
        FileFormat::Exchange(format)
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

impl FromStr for FileFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<FileFormat, String> {
        FileFormat::from_extension(text).ok_or_else(|| {
            let known: Vec<&str> = FileFormat::all().map(FileFormat::extension).collect();
            format!("'{text}' is not a format; formats are {}", known.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_clips_are_named_after_motions() {
        assert_eq!(compressed_name(Path::new("a/walk.bvh")), Path::new("a/walk.mocz"));
        assert_eq!(compressed_name(Path::new("stdin")), Path::new("stdin.mocz"));
        assert_eq!(compressed_name(Path::new("take.01")), Path::new("take.01.mocz"));
        assert_eq!(compressed_name(Path::new("walk.mocz")), Path::new("walk.mocz.mocz"));
    }
}
