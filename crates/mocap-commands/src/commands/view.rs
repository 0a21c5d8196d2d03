//! `mocap view`: motions as a page that plays them.

use std::path::Path;
use std::sync::Arc;

use mocap_analysis::BodyBalance;
use mocap_report::view::{Character, ViewInput, ViewOptions, html};

use super::picture::{self, Drawn};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Invocation, ViewArgs as Args};
use crate::output::Output;
use crate::verb::{ERROR, PLAN, RowSchema, SUMMARY, VerbArgs, of};

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "picture",
        about: "A line of mocap view, sheet, plot, render or gallery --json",
        rows: &[of::<picture::Row<'static>>, PLAN, ERROR, SUMMARY],
    }];

    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    if args.mesh.is_some() && args.shown.weights_of.is_some() {
        let message = "--weights-of shows the mesh of each file, and --character replaces it";
        return Err(
            Diagnostic::new("usage::conflict", message).help("view the character itself with --weights-of")
        );
    }
    let mesh = args.mesh.as_deref().map(read_mesh).transpose()?;
    let options = ViewOptions { mesh, ..args.options() };
    let terrain = picture::terrain(&args.ground)?;
    picture::run(&args.pictures, "html", (invocation, console), |drawn| {
        let ground = picture::ground(terrain.as_ref(), drawn)?;
        page(drawn, args, &ViewOptions { ground, ..options.clone() })
    })
}

fn page(drawn: &[Drawn], args: &Args, options: &ViewOptions) -> Result<Vec<u8>, Diagnostic> {
    let Args { bodies, shown, .. } = args;
    if let Some(mesh) = &options.mesh
        && !drawn.iter().any(|drawn| mesh.fits(drawn.clip.skeleton()))
    {
        let message = "--mesh: no motion has half of the joints that move the mesh";
        return Err(Diagnostic::new("view::mesh", message).help(
            "joints are paired by name; `mocap retarget IN character.glb` puts a motion on its skeleton",
        ));
    }
    if options.mesh.is_none() {
        drawn.iter().try_for_each(|drawn| drawn.check_seen(bodies))?;
    }
    drawn.iter().try_for_each(|drawn| drawn.check_weights(bodies, shown))?;
    let titles: Vec<String> = drawn.iter().map(|drawn| drawn.title(shown)).collect();
    let balances: Vec<Option<BodyBalance>> = drawn
        .iter()
        .map(|drawn| args.balance.then(|| drawn.balance()).transpose())
        .collect::<Result<_, Diagnostic>>()?;
    let inputs: Vec<ViewInput<'_>> = drawn
        .iter()
        .zip(titles.iter().zip(&balances))
        .map(|(drawn, (title, balance))| ViewInput {
            body: drawn.body(bodies),
            balance: balance.as_ref(),
            ..ViewInput::new(title, &drawn.clip)
        })
        .collect();
    Ok(html(&inputs, options))
}

fn read_mesh(path: &Path) -> Result<Arc<Character>, Diagnostic> {
    let wrong = |why: &dyn std::fmt::Display| {
        let message = format!("--mesh: '{}': {why}", path.display());
        Diagnostic::new("view::mesh", message)
            .help("`mocap convert character.fbx -o character.glb` makes a GLB file")
    };
    let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
    Ok(Arc::new(Character::from_glb(&bytes).map_err(|error| wrong(&error))?))
}
