//! How a command ends.

/// How a command ended, with the exit codes that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Success,
    /// At least one clip failed; all others were processed.
    ClipFailed,
    /// The arguments are invalid, or nothing could be started.
    Usage,
    /// A quality gate was missed.
    Gate,
    /// Ended by Ctrl-C: 128 + SIGINT, as shells have it.
    Interrupted,
}

impl Exit {
    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::ClipFailed => 1,
            Exit::Usage => 2,
            Exit::Gate => 3,
            Exit::Interrupted => 130,
        }
    }
}
