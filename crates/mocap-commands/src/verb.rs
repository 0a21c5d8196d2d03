//! Interface of every verb: its arguments, its work, and the rows that it prints.

use clap::Command;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};

use crate::batch::{ErrorRow, PlanRow, SummaryRow};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::Invocation;
use crate::output::Output;

/// The arguments of a verb. Implemented in its file in `commands`, and listed in the table there.
pub(crate) trait VerbArgs: clap::Args {
    /// The schemas of its JSON output; verbs that share one list it once.
    const SCHEMAS: &'static [RowSchema] = &[];

    /// Changes to the definition of its flags.
    fn defined(command: Command) -> Command {
        command
    }

    /// Completes its outputs from the inputs.
    fn complete_outputs(&mut self) {}

    /// Does the work.
    ///
    /// # Errors
    /// If the usage is wrong. The failure of an input is reported as a row.
    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic>;
}

/// The schema of the lines that a command prints with `--json`.
pub(crate) struct RowSchema {
    /// Its name in `mocap generate schema NAME`.
    pub(crate) name: &'static str,
    /// Its description.
    pub(crate) about: &'static str,
    /// A line is one of these types.
    pub(crate) rows: &'static [RowType],
}

/// The schema of one type.
pub(crate) type RowType = fn(&mut SchemaGenerator) -> Schema;

pub(crate) const ERROR: RowType = of::<ErrorRow<'static>>;
pub(crate) const SUMMARY: RowType = of::<SummaryRow<'static>>;
/// What `--dry-run` prints.
pub(crate) const PLAN: RowType = of::<PlanRow>;

pub(crate) fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
