//! What every verb has: its arguments, what it does with them, and the rows that it prints.

use clap::Command;
use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};

use crate::batch::{ErrorRow, PlanRow, SummaryRow};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::Invocation;
use crate::output::Output;

/// The arguments of a verb. Its file in `commands` implements this, and the table there has a row for it.
pub(crate) trait VerbArgs: clap::Args {
    /// The schemas of what it prints as JSON; verbs that share one name it once.
    const SCHEMAS: &'static [RowSchema] = &[];

    /// The definition of its flags, where it differs from what they say themselves.
    fn defined(command: Command) -> Command {
        command
    }

    /// Settles what its outputs are, by the inputs.
    fn settle_outputs(&mut self) {}

    /// Does the work.
    ///
    /// # Errors
    /// Where the usage is wrong; what fails of one input is a row.
    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic>;
}

/// The schema of the lines that a command prints with `--json`.
pub(crate) struct RowSchema {
    /// As `mocap generate schema NAME` calls it.
    pub(crate) name: &'static str,
    /// What a line is.
    pub(crate) about: &'static str,
    /// A line is one of these.
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
