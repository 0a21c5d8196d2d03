//! Options that `edit` shares with the commands that apply one edit.

use clap::Args as ClapArgs;

use super::edit_gates::EditGates;
use super::formats::Written;
use super::{Inputs, Outputs, Reading};

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
    /// Completes the outputs from the inputs.
    pub(crate) fn complete_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }
}
