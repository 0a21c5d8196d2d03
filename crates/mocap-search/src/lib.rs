//! Finds motions: ranges similar to an example, duplicates of a capture, and labels of actions by geometric rules.
//!
//! Plain functions on clips; they read no files and print nothing.
//!
//! - [`Motion`]: the form of a clip that searches use, a standard body in its own heading frame.
//! - [`Query`], [`find_in`], [`best`]: search by example, with [`warping`] of time.
//! - [`index`]: compact codes of a database, for searches in milliseconds.
//! - [`duplicates`]: the same capture, trimmed, mirrored, rotated, resampled, faster, noisy, or on another body.
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
