//! Options of commands that apply a single edit.

use clap::Args as ClapArgs;
use mocap_edit::Edit;
use mocap_edit::edits::DropFirstFrame;

use super::FirstFrame;
use super::edit::{Args as EditArgs, EditList};
use super::one_edit::OneEdit;

/// What the commands that apply one edit share.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct Alone {
    #[command(flatten)]
    pub(super) one: OneEdit,
    #[command(flatten)]
    first: FirstFrame,
}

impl Alone {
    /// As arguments of `edit`.
    pub(super) fn with(self, edit: impl Into<Edit>) -> EditArgs {
        let dropped = self.first.drop_first_frame.then(|| DropFirstFrame::default().into());
        EditArgs { edits: EditList(dropped.into_iter().chain([edit.into()]).collect()), one: self.one }
    }
}
