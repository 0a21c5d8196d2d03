//! Safetensors files: [arrays](crate::arrays) of a motion as tensors; names and other texts are in `__metadata__`.
//!
//! Based on: Hugging Face, "Safetensors", format version of 2023.

mod format;
mod parse;
mod problem;
mod write;

pub use parse::parse;
pub use problem::Problem;
pub use write::{to_bytes, write};

pub(crate) use format::FORMAT;
#[cfg(test)]
pub(crate) use write::write_parts;
