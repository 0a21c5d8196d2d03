//! `mocap view`: motions as a page that plays them.

use std::path::Path;
use std::sync::Arc;

use mocap_model::Body;
use mocap_report::view::{Character, ViewInput, ViewOptions, html};

use super::picture::{self, Drawn};
use crate::args::{Invocation, ViewArgs as Args};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let mesh = args.mesh.as_deref().map(read_mesh).transpose()?;
    let options = ViewOptions { mesh, ..args.options() };
    let terrain = picture::terrain(&args.ground)?;
    picture::run(&args.pictures, "html", (invocation, console), |drawn| {
        let ground = picture::ground(terrain.as_ref(), drawn)?;
        let bodies = picture::bodies(drawn, &args.bodies);
        page(drawn, &bodies, &ViewOptions { ground, ..options.clone() })
    })
}

fn page(drawn: &[Drawn], bodies: &[Option<Body>], options: &ViewOptions) -> Result<Vec<u8>, Diagnostic> {
    if let Some(mesh) = &options.mesh
        && !drawn.iter().any(|drawn| mesh.fits(drawn.clip.skeleton()))
    {
        let message = "--mesh: no motion has half of the joints that move the mesh";
        return Err(Diagnostic::new("view::mesh", message).help(
            "joints are paired by name; `mocap retarget IN character.glb` puts a motion on its skeleton",
        ));
    }
    let inputs: Vec<ViewInput<'_>> = drawn
        .iter()
        .zip(bodies)
        .map(|(drawn, body)| ViewInput { body: body.as_ref(), ..ViewInput::new(&drawn.name, &drawn.clip) })
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
