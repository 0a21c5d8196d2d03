//! What `edit` and the commands that apply one edit take beside the edits.

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
    /// Settles what the output is, by the inputs.
    pub(crate) fn settle_outputs(&mut self) {
        self.outputs.settle(&self.inputs.inputs);
    }
}
