//! All formats of files, as users see them: the table of `mocap_formats`, and compressed clips.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use mocap_formats::{Finding, Format, FormatProblem, text};

use crate::Problem;

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

    /// What a file of the format holds, in one line.
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

    /// The format by the first bytes of a file; `None` where they fit no format.
    pub fn detect(bytes: &[u8]) -> Option<FileFormat> {
        if is_compressed(bytes) {
            return Some(FileFormat::Mocz);
        }
        Format::detect(bytes).map(FileFormat::Exchange)
    }

    /// The format of a file: compressed clips by their content; else as stated, by the extension, or by the
    /// content.
    ///
    /// # Errors
    /// Where the file is blank, none of these names a format, or it is not the compressed clip it should be.
    pub fn of_file(
        path: Option<&Path>,
        bytes: &[u8],
        stated: Option<FileFormat>,
    ) -> Result<FileFormat, Finding> {
        if is_compressed(bytes) {
            return Ok(FileFormat::Mocz);
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(Finding::new(text::Problem::Empty));
        }
        if stated == Some(FileFormat::Mocz) {
            return Err(Finding::new(Problem::NotCompressed { named: false }));
        }
        let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str());
        let named = extension.and_then(FileFormat::from_extension);
        let known = stated.or(named.filter(|format| *format != FileFormat::Mocz));
        known.or_else(|| FileFormat::detect(bytes)).ok_or_else(|| match named {
            Some(_) => Finding::new(Problem::NotCompressed { named: true }),
            None => Finding::new(FormatProblem::Unknown),
        })
    }

    /// The exchange format; `None` of a compressed clip.
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
pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MOCZ")
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
