//! Puts clips on robots, and prints the figures of each: `cargo run -p mocap-robot --example onto -- OUT MODEL... -- CLIP.bvh...`
//! `OUT` is a folder for tables of the motions, with the columns of Unitree's, or `-`. With `BALANCE` in the environment, motions are made to
//! stand.

#![allow(clippy::print_stdout, missing_docs, reason = "an example")]

use std::path::Path;
use std::sync::Arc;

use mocap_analysis::metres_per_unit;
use mocap_formats::{Limits, bvh, robot};
use mocap_model::{Clip, Robot, RobotMotion};
use mocap_retarget::map_roles;
use mocap_robot::{RobotOptions, retarget};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = RobotOptions { balance: std::env::var_os("BALANCE").is_some(), ..RobotOptions::default() };
    let mut groups = arguments.split(|argument| argument == "--");
    let (Some([out, models @ ..]), Some(clips)) = (groups.next(), groups.next()) else {
        return Err("usage: onto OUT MODEL... -- CLIP...".into());
    };
    for model in models {
        let robot = read_robot(Path::new(model))?;
        for path in clips {
            let name = format!("{}-{}", stem(model), stem(path));
            let clip = read_clip(Path::new(path))?;
            let unit = metres_per_unit(clip.skeleton());
            let start = std::time::Instant::now();
            match retarget(&clip, unit, &robot, &options) {
                Ok((motion, report)) => {
                    let speed = motion.poses.len() as f64 / start.elapsed().as_secs_f64();
                    let json = serde_json::to_string(&report)?;
                    println!("{{\"name\":\"{name}\",\"speed\":{speed:.0},\"robot\":{json}}}");
                    if out != "-" {
                        std::fs::write(Path::new(out).join(format!("{name}.csv")), table(&motion))?;
                    }
                }
                Err(error) => println!("{{\"name\":\"{name}\",\"error\":\"{error}\"}}"),
            }
        }
    }
    Ok(())
}

fn stem(path: &str) -> String {
    Path::new(path).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn read_robot(path: &Path) -> Result<Robot, Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let include = |name: &str| std::fs::read(folder.join(name)).map_err(|error| error.to_string());
    Ok(robot::parse(&std::fs::read(path)?, &include, &Limits::default())?.value.1)
}

fn read_clip(path: &Path) -> Result<Clip, Failure> {
    let document = bvh::parse(&std::fs::read(path)?, &Limits::default())?.value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default())?.value;
    let skeleton = map_roles(clip.skeleton()).apply(clip.skeleton());
    Ok(clip.with_skeleton(Arc::new(skeleton))?)
}

fn table(motion: &RobotMotion) -> String {
    let row = |pose: &mocap_model::RobotPose| {
        let (at, turn) = (pose.base.translation.vector, pose.base.rotation.coords);
        let numbers = at.iter().chain(turn.iter()).chain(&pose.values);
        numbers.map(|number| format!("{number:.9}")).collect::<Vec<_>>().join(",")
    };
    motion.poses.iter().map(row).collect::<Vec<_>>().join("\n")
}
