//! The engine under every command: which inputs there are, where their results go, and the work itself, in
//! parallel and with results in the order of the inputs.

mod attempt;
mod collide;
pub(crate) mod hash;
mod inputs;
pub(crate) mod manifest;
mod options;
mod plan;
pub(crate) mod portable;
mod progress;
mod queue;
mod reads;
mod root;
mod run;
mod shard;
mod tell;

pub(crate) use inputs::{ALL, ANY_MOTIONS, COMPRESSED, Filter, Input, MOTIONS, Source, expand};
pub(crate) use options::RunOptions;
pub(crate) use plan::reports;
pub(crate) use plan::{Destination, Job, Names, is_directory, plan};
pub(crate) use progress::Meter;
pub(crate) use reads::Reads;
pub(crate) use run::{Failure, Report, Tally, run};
pub(crate) use shard::Shard;
pub(crate) use tell::{ErrorRow, PlanRow, Summary, fail, json};
