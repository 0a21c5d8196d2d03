//! What the commands that are one edit of their own share.

use clap::Args as ClapArgs;
use mocap_edit::Edit;
use mocap_formats::Format;
use mocap_model::EulerOrder;

use super::edit::{Args as EditArgs, EditArg, EditGates, EditList};
use super::formats::writable;
use super::{Inputs, Outputs, Reading};

/// Inputs, outputs and gates of an edit.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct OneEdit {
    #[command(flatten)]
    gates: EditGates,
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Conversion",
        help = format!("Output format: {} [default: by the extension of OUT, else that of the input]", writable(Format::has_motion))
    )]
    to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the input]
    #[arg(long, value_name = "ORDER", help_heading = "Conversion")]
    euler: Option<EulerOrder>,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    outputs: Outputs,
}

impl OneEdit {
    /// The same as `mocap edit`.
    pub(crate) fn with(self, edit: Edit) -> EditArgs {
        let OneEdit { gates, to, euler, inputs, reading, outputs } = self;
        EditArgs { edits: EditList(vec![EditArg::Ready(edit)]), gates, to, euler, inputs, reading, outputs }
    }
}
