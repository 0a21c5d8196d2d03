//! Pipelines: a sequence of steps from a file, applied in one pass over each clip. The clip is read once, all
//! steps work on the motion in memory, and outputs are written from there.
//!
//! file → variables → steps with the overrides of an input (a plan) → work → row

mod explain;
mod file;
mod gate;
mod plan;
mod report;
mod row;
mod run;
mod same_format;
mod step;
mod work;

pub(crate) use explain::{ExplainRow, VariableRow};
pub(crate) use file::KEYS;
pub(crate) use row::Row;
pub(crate) use step::{COMMON, KINDS};
