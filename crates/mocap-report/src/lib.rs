//! Draws motion: contact sheets, a viewer page, error maps, plots.
//!
//! Plain functions from clips to the bytes of a file: SVG, PNG or HTML. The same clip gives the same bytes on
//! every run. Files are self-contained: the page loads nothing from elsewhere.
//!
//! ```
//! use mocap_report::sheet::{self, SheetInput, SheetOptions};
//! use mocap_report::view::{self, ViewInput, ViewOptions};
//! # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! // A contact sheet of twelve poses.
//! let input = SheetInput::new("wave", &clip);
//! let svg = sheet::svg(&[input], &SheetOptions { poses: 12, ..SheetOptions::default() });
//! assert!(svg.starts_with("<svg"));
//!
//! // A page that plays the motion in any browser.
//! let input = ViewInput::new("wave", &clip);
//! let page = view::html(&[input], &ViewOptions::default());
//! assert!(page.starts_with(b"<!doctype html>"));
//! ```
//!
//! Where next:
//! - [`sheet`]: poses side by side, one row or more for each motion;
//! - [`view`]: the viewer; motions after the first are compared with it;
//! - [`gallery`]: an index of many motions, each with a page;
//! - [`plot`]: curves of a joint over time;
//! - [`render`]: films and strobe pictures;
//! - [`heatmap`]: the object-space error by joint and frame.
//!
//! Sides, feet and facing come from the roles of the joints: give the skeletons roles first.

mod animated;
mod balance;
mod bars;
mod body;
mod bounds;
mod camera;
mod character;
mod coding;
mod compact;
mod curve;
mod difference;
mod drawing;
mod entry;
mod escape;
#[cfg(test)]
mod extremes;
mod face_strip;
mod film;
mod findings;
pub mod gallery;
mod glyphs;
pub mod heatmap;
mod human;
#[cfg(test)]
mod made;
mod mesh;
mod moment;
mod numbers;
mod only_numbers;
mod overview;
mod page;
mod paint;
mod palette;
mod picture;
pub mod plot;
mod ramp;
mod raster;
mod rename;
pub mod render;
mod residual;
pub mod sheet;
mod silhouette;
mod skin_data;
mod skinned_pose;
mod solid;
mod stage;
mod strobe;
mod style;
mod surface;
mod svg;
mod thumbnail;
mod ticks;
pub mod view;

pub use camera::View;
pub use drawing::Theme;
pub use mocap_analysis::AnalysisError;
pub use mocap_model::{Clip, JointId};
pub use only_numbers::has_only_numbers;
pub use surface::Colours;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
