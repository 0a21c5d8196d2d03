//! Errors and warnings for people and for programs.
//!
//! ```
//! use mocap_diagnostics::{Detail, Message, Renderer};
//!
//! let text = b"fps = -30\n";
//! let message = Message::new("rate::negative", "a rate is above 0").in_text(text, 6..9).help("leave out the sign");
//!
//! let renderer = Renderer::new(false);
//! let shown = renderer.error(Some("walk.toml"), &message);
//! assert!(shown.starts_with("error[rate::negative]: a rate is above 0") && shown.contains("walk.toml:1:7"));
//!
//! // Of many messages, one line each.
//! let line = renderer.warning("walk.toml", &message, Detail::Line);
//! assert_eq!(line, "warning[rate::negative]: walk.toml:1:7: a rate is above 0");
//!
//! let row = serde_json::to_value(&message)?;
//! assert_eq!((&row["line"], &row["help"]), (&1.into(), &"leave out the sign".into()));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Where to go next
//! - [`Message::from_finding`] takes what a reader of `mocap_formats` found.
//! - [`Message::in_text`] marks a span of a text; a long line is cut around it.
//! - [`Renderer`] makes text, coloured or plain.

mod excerpt;
mod json;
mod message;
mod render;
mod visible;

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use message::Message;
pub use render::{Detail, Renderer};
pub use visible::visible;
