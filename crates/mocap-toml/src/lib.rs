//! TOML for files that users write: every key and value keeps its place, so errors point at it.
//!
//! ```
//! use mocap_toml::{Text, Variables, settings};
//! use serde::Deserialize;
//!
//! #[derive(Debug, PartialEq, Deserialize)]
//! #[serde(rename_all = "kebab-case")]
//! struct Render<'a> {
//!     out_dir: &'a str,
//!     quiet: bool,
//! }
//!
//! let text = Text::new("render.toml", b"out-dir = '${db}/out'\nquiet = 'true'\n".to_vec())?;
//! let mut table = text.parse()?;
//! let mut variables = Variables::new(&text, &[], &[("db".into(), "clips".into())])?;
//! variables.fill(&text, &mut table)?;
//! let render: Render<'_> = settings(&text, "a rendering", &table)?;
//! assert_eq!(render, Render { out_dir: "clips/out", quiet: true });
//!
//! // An error has a code, a place, and help.
//! let text = Text::new("render.toml", b"out-dir = 'a'\nquite = true\n".to_vec())?;
//! let table = text.parse()?;
//! let error = settings::<Render<'_>>(&text, "a rendering", &table).unwrap_err();
//! assert_eq!((error.code(), error.place()), ("toml::unknown-key", Some((2, 1))));
//! assert_eq!(error.help.as_deref(), Some("did you mean 'quiet'?"));
//! # Ok::<(), mocap_toml::TomlError>(())
//! ```
//!
//! # Where to go next
//! - [`Text::parse`] gives the entries of a file; [`Entry`] reads lists, tables and switches.
//! - [`settings`](settings()) reads a struct of `serde` from entries. A variable is text, and one value may stand for
//!   a list.
//! - [`Variables`] replaces `${name}` in all texts of a table.
//! - [`TomlError`] has the text and the place that it is about.

mod error;
mod settings;
mod text;
mod value;
mod variables;

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use error::{TomlError, TomlProblem, did_you_mean};
pub use settings::settings;
pub use text::Text;
pub use value::{Cell, Entry, Table, Value, find};
pub use variables::Variables;
