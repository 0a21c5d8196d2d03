//! `mocap join`: several motions, one after the other.

use mocap_edit::{JoinedScene, join_scenes};

use super::several::{Made, Row, one_of};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Invocation, JoinArgs};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

impl VerbArgs for JoinArgs {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "several",
        about: "A line of mocap join, blend or play --json",
        rows: &[of::<Row<'static>>, ERROR],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &JoinArgs, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    one_of(&args.one, &args.inputs, "joined.bvh", console, |scenes| {
        let JoinedScene { scene, characters } = join_scenes(&scenes, &args.transitions.options())?;
        Ok(Made { scene, characters })
    })
}
