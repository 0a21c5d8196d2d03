//! How the process ends.

use std::process::ExitCode;

/// The exit codes that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All right.
    Success,
    /// At least one clip failed; the others are done.
    ClipFailed,
    /// The arguments make no sense, or nothing could be started.
    Usage,
    /// A quality gate was missed.
    Gate,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::ClipFailed => 1,
            Exit::Usage => 2,
            Exit::Gate => 3,
        })
    }
}
