//! Finds motions: ranges like an example, the same capture again, and what a body does, by measured rules.
//!
//! Plain functions on clips; they read no files and print nothing.
//!
//! - [`Motion`]: a clip as searches see it, a standard body in its own heading frame.
//! - [`Query`], [`find_in`], [`best`]: search by example, with [`warping`] of time.
//! - [`index`]: a database in few bytes, for searches in milliseconds.
//! - [`duplicates`]: the same capture, trimmed, mirrored, turned, resampled, faster, noisy, on another body.
//! - [`labels`]: idle, walk, run, turns, jumps, kicks and others, each with its numbers.

pub mod descriptor;
pub mod duplicates;
mod error;
mod find;
pub mod index;
pub mod labels;
mod motion;
pub mod warping;
mod widest;

pub use error::SearchError;
pub use find::{Entry, FindOptions, Hit, Query, SHORTEST, best, find_in};
pub use motion::{Motion, POINTS, RATE, Sample};
