//! The verb `edit`, and verbs that apply a single edit.

use super::edit;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{BandsArgs, EditArgs, FourierArgs, Invocation, TerrainArgs, WarpArgs};
use crate::output::Output;
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

impl VerbArgs for EditArgs {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "edit",
        about: "A line of mocap edit or bands --json",
        rows: &[of::<edit::Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn run(mut self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        self.one.complete_outputs();
        edit::run(&self, invocation, console)
    }
}

/// Verbs that apply a single edit.
macro_rules! one_edit {
    ($($args:ident)+) => {$(
        impl VerbArgs for $args {
            fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
                EditArgs::from(self).run(invocation, console)
            }
        }
    )+};
}

one_edit!(BandsArgs WarpArgs FourierArgs TerrainArgs);
