//! Options of a command line from four layers: flag > environment > TOML file > default.
//!
//! Everything comes from the definition of the command line: a variable of the environment belongs to an option, and
//! the file gives options other defaults before the arguments are parsed.
//!
//! ```
//! use clap::{Arg, Command};
//! use mocap_settings::{Layers, Settings, options_in_force};
//! use mocap_toml::Text;
//!
//! const LAYERS: Layers =
//!     Layers { program: "tool", file: "tool.toml", prefix: "TOOL_", fixed: &["output"], fixed_headings: &[], others: &[] };
//!
//! let build = Command::new("build").arg(Arg::new("jobs").long("jobs")).arg(Arg::new("output").long("output"));
//! let definition = LAYERS.with_variables(Command::new("tool").subcommand(build));
//!
//! let text = Text::new("tool.toml", b"[build]\njobs = 4\n".to_vec())?;
//! let settings = Settings::new(&text, &LAYERS, &definition)?;
//! let definition = settings.apply(definition);
//! let matches = definition.clone().try_get_matches_from(["tool", "build"]).unwrap();
//! let rows = options_in_force(&LAYERS, &definition, &matches, &settings);
//! assert_eq!(rows[0].text(), "jobs = \"4\"                         # tool.toml:2");
//!
//! // An option that only a flag sets, and a misspelt one.
//! let text = Text::new("tool.toml", b"jbos = 4\n".to_vec())?;
//! let error = Settings::new(&text, &LAYERS, &definition).unwrap_err();
//! assert_eq!(error.help.as_deref(), Some("did you mean 'jobs'?"));
//! # Ok::<(), mocap_toml::TomlError>(())
//! ```
//!
//! # Where to go next
//! - [`Layers`] names the file, the variables, and the options that only a flag sets.
//! - [`Settings`] are the values of a file, checked, with the line of each.
//! - [`options_in_force`] says what each option is, and which layer set it.

mod kind;
mod layers;
mod print;
mod settings;
mod values;

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use kind::Kind;
pub use layers::{Layers, commands, earlier_names};
pub use print::{PrintRow, options_in_force};
pub use settings::{Renamed, Settings};
pub use values::plain_words;
