//! TRC: the markers of an optical system as a table of text, Y up, as OpenSim reads it.
//!
//! Read with tabs or commas between the columns; a gap is an empty cell, NaN, or a row that is missing. Written with tabs and empty cells.
//!
//! Based on: OpenSim documentation, "Marker (.trc) Files", 2023.

mod format;
mod parse;
mod problem;
mod timeline;
mod write;

pub use parse::{Options, parse};
pub use problem::Problem;

pub(crate) use format::FORMAT;
