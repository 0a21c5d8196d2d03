//! One file a command: arguments become options, a library call does the work, a row reports it.

pub(crate) mod blend;
pub(crate) mod compare;
pub(crate) mod compress;
pub(crate) mod convert;
pub(crate) mod decompress;
pub(crate) mod edit;
pub(crate) mod gallery;
pub(crate) mod info;
mod info_table;
pub(crate) mod join;
pub(crate) mod manifest;
pub(crate) mod picture;
pub(crate) mod plausible;
pub(crate) mod play;
pub(crate) mod plot;
mod quality;
pub(crate) mod render;
pub(crate) mod retarget;
pub(crate) mod several;
pub(crate) mod sheet;
pub(crate) mod skel;
pub(crate) mod split;
pub(crate) mod validate;
pub(crate) mod view;
