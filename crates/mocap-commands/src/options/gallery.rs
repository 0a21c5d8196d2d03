//! `mocap gallery`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_report::view::ViewOptions;

use super::{BodyArgs, FirstFrame, Inputs, MostFrames, Outputs, Reading};

/// Write a gallery of a database: an index with search and filters, and a page per clip
///
/// OUT is a folder of plain files. index.html works from a disk and from any static server; it loads nothing else.
/// --resume continues an earlier run, and processes only clips that are new or have changed.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap gallery database/ -o site/\n\
    \x20 mocap gallery database/ -o site/ --resume --title 'Locomotion, 2026'")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Title of the index [default: the inputs]
    #[arg(long, value_name = "TEXT", help_heading = "Page")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    most_frames: MostFrames,
    #[command(flatten)]
    pub(crate) bodies: BodyArgs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

impl Args {
    /// The options of the library.
    pub(crate) fn options(&self) -> ViewOptions {
        ViewOptions {
            most_frames: self.most_frames.most_frames as usize,
            colours: self.bodies.colours.0,
            ..ViewOptions::default()
        }
    }

    /// The title of the index.
    pub(crate) fn title(&self) -> String {
        let paths = || self.inputs.inputs.iter().map(|path| path.display().to_string());
        self.title.clone().unwrap_or_else(|| paths().collect::<Vec<_>>().join(", "))
    }

    /// The outputs of the clips: scripts below the site.
    pub(crate) fn scripts(&self, site: &std::path::Path) -> Outputs {
        let below: PathBuf = site.join("clips").join("");
        Outputs { output: Some(below), ..self.outputs.clone() }
    }
}
