//! The error type of this crate.

use std::io;
use std::path::{Path, PathBuf};

use mocap_formats::{Finding, ReadError};

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reported an error.
    #[error("cannot {doing} '{}': {source}", path.display())]
    Io {
        /// The attempted action, such as "read".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is invalid: all errors with their places, and the warnings before them.
    #[error("'{}': {failed}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error, with further errors and warnings.
        failed: Box<ReadError>,
    },
    /// A motion or skeleton cannot be used as requested.
    #[error(transparent)]
    Finding(Box<Finding>),
    /// The name of an output does not denote a format that can be written.
    #[error("unsupported output format '{}'", path.display())]
    OutputFormat {
        /// The output.
        path: PathBuf,
    },
    /// A motion cannot be retargeted.
    #[error(transparent)]
    Retarget(#[from] mocap_retarget::RetargetError),
    /// A motion cannot be put on a robot.
    #[error(transparent)]
    Robot(#[from] mocap_robot::RobotError),
    /// A motion cannot be compressed, or a compressed clip cannot be opened.
    #[error(transparent)]
    Compress(#[from] mocap_compress::CompressError),
    /// Two motions cannot be compared.
    #[error(transparent)]
    Compare(#[from] mocap_analysis::AnalysisError),
    /// Markers cannot be solved onto a skeleton.
    #[error("{0}")]
    Solve(mocap_solve::SolveError),
    /// Example poses cannot be used.
    #[error(transparent)]
    Poses(mocap_poses::PosesError),
    /// A motion cannot be edited.
    #[error(transparent)]
    Edit(#[from] mocap_edit::EditError),
    /// A mesh cannot be moved by its joints.
    #[error(transparent)]
    Skin(#[from] mocap_skin::SkinError),
    /// Parts do not form a valid skeleton or clip.
    #[error(transparent)]
    Model(#[from] mocap_model::ModelError),
}

impl Error {
    /// The stable code, such as `io::not-found`; of a file, that of its first error.
    ///
    /// ```
    /// assert_eq!(mocap::read("no/such.bvh").unwrap_err().code(), "io::not-found");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Error::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "io::not-found",
                io::ErrorKind::PermissionDenied => "io::permission",
                io::ErrorKind::StorageFull => "io::disk-full",
                _ => "io::error",
            },
            Error::File { failed, .. } => failed.error.code(),
            Error::Finding(finding) => finding.code(),
            Error::OutputFormat { .. } => "usage::format",
            Error::Retarget(error) => error.code(),
            Error::Robot(error) => error.code(),
            Error::Compress(error) => error.code(),
            Error::Compare(_) => "compare::different",
            Error::Solve(error) => error.code(),
            Error::Poses(error) => error.code(),
            Error::Edit(error) => error.code(),
            Error::Skin(_) => "surface::damaged",
            Error::Model(_) => "model::invalid",
        }
    }

    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { doing, path, source }
    }

    pub(crate) fn file(path: &Path, failed: impl Into<ReadError>) -> Error {
        Error::File { path: path.to_owned(), failed: Box::new(failed.into()) }
    }
}

impl From<Finding> for Error {
    fn from(finding: Finding) -> Error {
        Error::Finding(Box::new(finding))
    }
}
