//! Clips as one self-contained JSON file: the skeleton in the shape of a `.skel` file and one set of tracks a
//! joint. Every number is kept to the last bit.

mod file;
mod problem;
mod read;
mod write;

pub use problem::Problem;
pub use read::parse;
pub use write::{to_bytes, write};
