//! What each command of `mocap` does, from its options to its rows, for any front end: a terminal or a package for
//! Python.
//!
//! # How it works
//! 1. A [`Verb`] is declared once, in its file in `commands`: its options with their names, help, defaults and bounds,
//!    what it does, and the rows that it gives. Flags, steps of pipelines, keywords and schemas come from that.
//! 2. The options come from the words of a command line ([`Verb`] is a `clap` subcommand), or from names and values of
//!    a program ([`call`]). Both give the same options, with the same checks, defaults and settings.
//! 3. [`Verb::run`] does the work over all inputs. It prints nothing: rows, notes and progress go to an [`Output`].
//!
//! ```
//! use mocap_commands::{Exit, Given, Rows, call};
//!
//! let (sender, rows) = std::sync::mpsc::channel();
//! let paths = ["../../fixtures/clips/alex_walk.bvh".into()];
//! let options = [("config".to_owned(), Given::One("none".into()))];
//! assert_eq!(call("info", &paths, &options, &mut Rows::new(sender)), Exit::Success);
//! assert!(rows.recv()?.contains("\"frames\":301"));
//!
//! // A name that the command does not know: the nearest one is in the row.
//! let (sender, rows) = std::sync::mpsc::channel();
//! let options = [("qualty".to_owned(), Given::Switch(true))];
//! assert_eq!(call("info", &paths, &options, &mut Rows::new(sender)), Exit::Usage);
//! assert!(rows.recv()?.contains("did you mean 'quality'?"));
//! # Ok::<(), std::sync::mpsc::RecvError>(())
//! ```
//!
//! # Where to go next
//! - Rows as text, messages, a progress bar: implement [`Output`].
//! - What a command takes and gives, as JSON Schema: [`schemas`].
//! - Options from files and variables of the environment: [`settings`].

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "units stand in brackets, and help texts cannot escape them"
)]

mod batch;
mod call;
mod commands;
mod diagnostic;
mod edit;
mod encode;
mod exit;
mod options;
mod output;
mod pipeline;
mod read;
mod rest;
mod rows;
pub mod schemas;
pub mod settings;
mod verb;
mod verdict;

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use call::{Given, call, old_keywords, sentence};
pub use commands::Verb;
pub use diagnostic::Diagnostic;
pub use exit::Exit;
pub use mocap_diagnostics::Detail;
pub use options::{ColorWhen, Global, Invocation, ProgressWhen};
pub use output::{JobResult, JobState, Meter, Output, Progress, Rows};
pub use rows::{ErrorRow, json, usage_error};
