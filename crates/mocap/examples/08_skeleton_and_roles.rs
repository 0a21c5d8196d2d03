//! Finds out which joint is which part of the body, by names and by the tree.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::retarget::map_roles_in;

fn main() -> Result<(), mocap::Error> {
    let walk = mocap::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"))?.value;
    let roles = map_roles_in(&walk);
    let body = roles.certain().apply(walk.skeleton());
    for joint in body.joints().iter().filter(|joint| !joint.end_site) {
        println!("{:16} {}", joint.name, joint.role.map_or("-", |role| role.name()));
    }
    let output = std::env::temp_dir().join("mocap_08_body.skel");
    mocap::write_skeleton(&output, &body)?;
    println!("wrote {}", output.display());
    Ok(())
}
