//! The engine under every command: which inputs there are, where their results go, and the work itself, in
//! parallel and with results in the order of the inputs.

mod inputs;
mod plan;
mod progress;
mod root;
mod run;

pub(crate) use inputs::{ALL, COMPRESSED, Input, MOTIONS, Source, expand};
pub(crate) use plan::{Destination, Job, Names, is_directory, plan};
pub(crate) use progress::Meter;
pub(crate) use run::{Failure, Report, RunOptions, Tally, json, run};
