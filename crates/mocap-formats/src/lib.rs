//! Reads and writes motion capture files: bytes → document → clip → document → bytes.
//!
//! A *document* keeps what a file says (channel order, Euler degrees, names, the text of its frame time); a
//! [`Clip`](mocap_model::Clip) is what it means. Writing back an untouched document changes no value.
//!
//! The crate prints nothing and opens no file. What it repairs it lists as warnings in [`Parsed`]; what it
//! cannot read is an error that says what was found, what was expected, and where ([`Rejected`]).

pub mod amc;
pub mod asf;
pub mod bvh;
pub mod csv;
mod finding;
mod format;
mod gaps;
pub mod json;
mod limits;
pub mod map;
mod names;
mod nearest;
pub mod number;
mod place;
mod problem;
mod rejected;
pub mod skel;
pub mod tagged;
pub mod text;
mod warnings;

pub use finding::{Context, Finding, Parsed};
pub use format::Format;
pub use limits::{LimitExceeded, Limits};
pub use nearest::nearest_name;
pub use place::Place;
pub use problem::{Problem, Remedy};
pub use rejected::Rejected;
pub use warnings::Warnings;
