//! NPZ files: [arrays](crate::arrays) of a motion as `numpy.load` reads them.
//!
//! Written with stored members, beyond 4 GB in the zip64 form; read with stored and deflated members, as
//! `numpy.savez` and `numpy.savez_compressed` write them. Python objects are never read.

mod archive;
mod format;
mod npy;
mod problem;
mod write;
mod zip;

pub use archive::Archive;
pub use problem::Problem;
pub use write::{to_bytes, write};

pub(crate) use format::{FORMAT, read};
pub(crate) use npy::values;
pub(crate) use write::{write_members, write_parts};
