//! Reads and writes motion capture files: bytes → document → clip → document → bytes.
//!
//! A *document* keeps what a file says (channel order, Euler degrees, names, the text of its frame time); a
//! [`Clip`] is what it means. Writing an untouched document changes no value.
//!
//! ```
//! use mocap_formats::{Format, ReadOptions, WriteOptions, read, write};
//!
//! # let bytes = b"HIERARCHY ROOT Hips { OFFSET 0 90 0 CHANNELS 6 Xposition Yposition Zposition Zrotation \
//! #     Xrotation Yrotation } MOTION Frames: 2 Frame Time: 0.01 0 90 0 1 2 3 0 91 0 4 5 6";
//! // The format is detected; options say what the file does not.
//! let options = ReadOptions::default();
//! let document = read(bytes, &options)?;
//! let motion = document.value.to_clip(&options)?;
//! for warning in document.warnings.iter().chain(&motion.warnings) {
//!     eprintln!("{}: {warning}", warning.code());
//! }
//! let table = write(&motion.value, Format::Csv, &WriteOptions::default())?.main.into_bytes();
//! assert!(table.starts_with(b"frame,time,joint,x,y,z\n0,0,Hips,0,90,0\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate prints nothing and opens no file. Repairs are listed as warnings in [`Parsed`]; an error says what
//! was found, what was expected, and where ([`Rejected`]).
//!
//! Where to go next: [`Format`] is the table of formats; [`Document`] is what every file has. Each format has a
//! module with its own document and options, such as [`bvh`] or [`amc`]; each of these has the same parts:
//! `document`, `parse`, `to_clip`, `from_clip`, `write`, `problem`, and its entry in the table, `format`.

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod amc;
mod any;
pub mod arrays;
pub mod asf;
pub mod body;
pub mod bvh;
pub mod c3d;
mod choice;
pub mod csv;
mod document;
mod encoded;
mod entry;
pub mod fbx;
mod files_beside;
mod finding;
mod format;
mod gaps;
pub mod gltf;
pub mod json;
mod keys;
mod left_out;
mod limits;
pub mod map;
mod markers;
mod metres;
mod names;
mod nearest;
pub mod npz;
pub mod number;
mod options;
mod place;
mod problem;
mod rejected;
pub mod robot;
pub mod robot_motion;
pub mod safetensors;
pub mod skel;
pub mod smpl;
pub mod tagged;
pub mod text;
pub mod trc;
pub mod usd;
mod warnings;

pub use any::{
    read, read_shared, write, write_clips, write_kept, write_owned, write_skeleton, write_with_body,
};
pub use choice::{ChoiceProblem, ClipChoice};
pub use document::{Document, Kept, Stated};
pub use encoded::{Beside, Content, Encoded};
pub use files_beside::{FileBeside, FilesBeside};
pub use finding::{Context, Finding, Parsed};
pub use format::{Format, FormatProblem};
pub use left_out::{LeftOut, transforms_only, without_scale};
pub use limits::{LimitExceeded, Limits};
pub use markers::write_markers;
pub use metres::MetresProblem;
pub use nearest::nearest_name;
pub use options::{ReadOptions, WriteOptions};
pub use place::Place;
pub use problem::{Problem, Remedy};
pub use rejected::Rejected;
pub use warnings::Warnings;

pub use mocap_model::{Clip, Skeleton};
