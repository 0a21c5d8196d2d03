//! World positions of all joints as a table (CSV): `frame,time,joint,x,y,z`.
//!
//! One row per joint and frame, frames counted from 0, time in seconds, positions in the units of the clip with
//! six decimals. An end site is called `<parent>_End`, or `<parent>_End_2` and so on where that name is taken.
//! Names are quoted as in RFC 4180. Tables are not read as motions: positions do not define
//! rotations.

mod format;
mod markers;
mod write;

pub use markers::write_markers;
pub use write::write;

pub(crate) use format::FORMAT;
