//! Draws a contact sheet (SVG) and a viewer page (HTML) of a motion.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::report::{sheet, view};
use mocap::retarget::map_roles_in;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let walk = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"))?.value;
    // Sides, feet and facing come from the roles of the joints.
    let body = map_roles_in(&walk).certain().apply(walk.skeleton());
    let walk = mocap::upright(walk.with_skeleton(body.into())?);

    let inputs = [sheet::SheetInput::new("walk", &walk)];
    let picture = std::env::temp_dir().join("mocap_09_sheet.svg");
    std::fs::write(&picture, sheet::svg(&inputs, &sheet::SheetOptions::default()))?;

    let inputs = [view::ViewInput::new("walk", &walk)];
    let page = std::env::temp_dir().join("mocap_09_page.html");
    std::fs::write(&page, view::html(&inputs, &view::ViewOptions::default()))?;
    println!("wrote {} and {}", picture.display(), page.display());
    Ok(())
}
