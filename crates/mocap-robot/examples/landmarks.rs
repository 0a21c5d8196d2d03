//! Prints the limbs found in each robot: `cargo run -p mocap-robot --example landmarks -- MODEL...`

#![allow(clippy::print_stdout, missing_docs, reason = "an example")]

use std::path::Path;

use mocap_formats::{Limits, robot};
use mocap_model::Robot;
use mocap_robot::{Humanoid, Limb};

fn main() {
    for path in std::env::args().skip(1) {
        match found(Path::new(&path)) {
            Ok(text) => println!("{path}\n{text}"),
            Err(error) => println!("{path}: {error}"),
        }
    }
}

fn found(path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let include = |name: &str| std::fs::read(folder.join(name)).map_err(|error| error.to_string());
    let (_, robot) = robot::parse(&std::fs::read(path)?, &include, &Limits::default())?.value;
    let found = Humanoid::find(&robot)?;
    let Humanoid { legs, arms, lone_arms, pelvis, torso, head, soles, upright, facing_is_assumed } = found;
    let body = |index: usize| &robot.bodies()[index].name;
    let mut text = format!("  pelvis {}, torso {}", body(pelvis), body(torso));
    if upright.angle() > 0.0 {
        text += &format!(", turned upright by {:.0}°", upright.angle().to_degrees());
    }
    if facing_is_assumed {
        text += ", nothing shows which way it faces";
    }
    for (name, limbs) in [("leg", Some(&legs)), ("arm", arms.as_ref())] {
        for (side, limb) in ["left", "right"].iter().zip(limbs.into_iter().flatten()) {
            text += &format!("\n  {side} {name}: {}", shown(&robot, limb));
        }
    }
    if lone_arms > 0 {
        text += &format!("\n  arms that are not a pair: {lone_arms}");
    }
    if let Some(head) = head {
        text += &format!("\n  head: {}", body(head.body));
    }
    let heights = soles.map(|sole| format!("{} {:.3} m", body(sole.body), sole.ankle_height));
    Ok(format!("{text}\n  soles: {}", heights.join(", ")))
}

fn shown(robot: &Robot, limb: &Limb) -> String {
    let names: Vec<&str> = limb.joints.iter().map(|joint| robot.joints()[*joint].name.as_str()).collect();
    let bend = &robot.bodies()[limb.middle.body].name;
    let [upper, lower] = limb.lengths;
    format!("{upper:.3} + {lower:.3} m, bends at {bend}; {}", names.join(" "))
}
