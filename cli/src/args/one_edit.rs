//! What `edit` shares with the commands that apply one edit.

use clap::Args as ClapArgs;
use mocap_edit::Edit;

use super::edit::{Args as EditArgs, EditArg, EditList};
use super::edit_gates::EditGates;
use super::formats::Written;
use super::{FirstFrame, Inputs, Outputs, Reading};

/// Inputs, outputs and gates of edits.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct OneEdit {
    #[command(flatten)]
    pub(crate) gates: EditGates,
    #[command(flatten)]
    pub(crate) written: Written,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

impl OneEdit {
    /// Settles what the output is, by the inputs.
    pub(crate) fn settle_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }
}

/// What the commands that apply one edit share.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct Alone {
    #[command(flatten)]
    pub(super) one: OneEdit,
    #[command(flatten)]
    first: FirstFrame,
}

impl Alone {
    /// As the arguments of `edit`.
    pub(super) fn with(self, edit: EditArg) -> EditArgs {
        let dropped = self.first.drop_first_frame.then_some(EditArg::Ready(Edit::DropFirstFrame));
        EditArgs { edits: EditList(dropped.into_iter().chain([edit]).collect()), one: self.one }
    }
}
