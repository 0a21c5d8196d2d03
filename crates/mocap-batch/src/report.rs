//! The result of a job.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::Serialize;

/// Amounts that a job processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tally {
    /// Frames of motion; 0 for work on other files.
    pub frames: usize,
    /// Bytes of the input.
    pub bytes_in: u64,
    /// Bytes of all outputs.
    pub bytes_out: u64,
}

/// The result of a job, as far as a run uses it.
pub trait JobReport: Send {
    /// What the job processed.
    fn tally(&self) -> Tally {
        Tally::default()
    }

    /// Whether the job left its input out as requested, and so produced nothing.
    fn is_left_out(&self) -> bool {
        false
    }

    /// Memory that the report takes while it waits for its turn in the order of the jobs (bytes).
    fn size(&self) -> usize {
        0
    }
}

impl JobReport for () {}

impl JobReport for Tally {
    fn tally(&self) -> Tally {
        *self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.frames += other.frames;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
    }
}
