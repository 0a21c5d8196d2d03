//! How BVH files are written.

use clap::Args;
use mocap_formats::bvh::{NameStyle, PositionMode};
use serde::Deserialize;

use super::words::words;

/// What readers of BVH disagree about.
#[derive(Clone, Copy, Debug, PartialEq, Args, Deserialize)]
#[command(next_help_heading = "Output")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct BvhStyle {
    /// Names of BVH joints: kept (blanks included) or safe (with _ for blanks and brackets) [default: kept]
    #[arg(
        long,
        value_name = "STYLE",
        default_value = "kept",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) names: NamesArg,
    /// Positions of BVH joints below the root: replace (Blender) or add to OFFSET (three.js) [default: replace]
    ///
    /// Only joints that translate have them. The root has OFFSET 0 0 0, which both kinds of readers take alike.
    #[arg(
        long,
        value_name = "STYLE",
        default_value = "replace",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(crate) position_style: PositionStyleArg,
}

impl Default for BvhStyle {
    fn default() -> BvhStyle {
        super::defaults()
    }
}

words! {
    /// How names are written.
    NamesArg(NameStyle) {
        /// As they are
        "kept" => NameStyle::Kept,
        /// Without blanks and brackets
        "safe" => NameStyle::Safe,
    }
    /// What positions of joints below the root mean.
    PositionStyleArg(PositionMode) {
        /// They replace OFFSET
        "replace" => PositionMode::Replace,
        /// They are added to OFFSET
        "add" => PositionMode::Add,
    }
}

impl BvhStyle {
    /// The style of names of the library.
    pub(crate) fn names(self) -> NameStyle {
        self.names.0
    }

    /// The meaning of positions of the library.
    pub(crate) fn positions(self) -> PositionMode {
        self.position_style.0
    }
}
