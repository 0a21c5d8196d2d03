//! Reads and writes motion capture files: bytes → document → clip → document → bytes.
//!
//! A *document* keeps what a file says (channel order, Euler degrees, names, the text of its frame time); a
//! [`Clip`](mocap_model::Clip) is what it means. Writing back an untouched document changes no value.
//!
//! The crate prints nothing and opens no file. What it repairs it lists as warnings in [`Parsed`]; what it
//! cannot read is an error that says what was found, what was expected, and where.

#![allow(clippy::result_large_err, reason = "an error ends the reading of a file: its size costs nothing")]

pub mod bvh;
mod finding;
mod limits;
pub mod number;
pub mod text;

pub use finding::{Context, Finding, Kind, Parsed, Place, Warnings};
pub use limits::{LimitExceeded, Limits};
