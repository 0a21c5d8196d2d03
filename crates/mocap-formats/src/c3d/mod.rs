//! C3D: the markers of an optical system, as biomechanics laboratories exchange them.
//!
//! Read with integers and floats of Intel, DEC and MIPS machines, names in LABELS, LABELS2 …, and more than 65,535
//! frames; written as Intel floats with a residual of -1 in gaps.
//!
//! Based on: Motion Lab Systems, "The C3D File Format User Guide", 2008.

mod analog;
mod events;
mod format;
mod header;
mod number;
mod parameters;
mod parse;
mod problem;
mod write;

pub use analog::{Analog, Channel, ForcePlate, analog};
pub use number::Processor;
pub use parse::{Options, parse};
pub use problem::Problem;

pub(crate) use format::FORMAT;
