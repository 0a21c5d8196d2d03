//! Motion made visible: contact sheets, a viewer page, error maps, curves.
//!
//! Plain functions from clips to the bytes of a file: SVG, PNG or HTML. The same clip gives the same bytes on
//! every run. Nothing is fetched, neither here nor by the page.
//!
//! Sides, feet and facing come from the roles of the joints; give skeletons with roles.

mod camera;
mod coding;
mod difference;
mod drawing;
mod escape;
#[cfg(test)]
mod extremes;
mod glyphs;
pub mod heatmap;
#[cfg(test)]
mod made;
pub mod plot;
mod ramp;
mod raster;
pub mod sheet;
mod stage;
mod svg;
mod ticks;
pub mod view;

pub use camera::View;
pub use drawing::Theme;
