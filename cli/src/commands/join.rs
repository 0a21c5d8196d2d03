//! `mocap join`: several motions, one after the other.

use mocap_edit::join;

use super::several::one_of;
use crate::args::JoinArgs;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &JoinArgs, console: &mut Console) -> Result<Exit, Diagnostic> {
    one_of(&args.one, &args.inputs, "joined.bvh", console, |clips| join(clips, &args.transitions.options()))
}
