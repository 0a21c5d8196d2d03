//! Puts a motion on a robot: `robot_retarget walk.bvh robot.xml out.csv`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::path::Path;
use std::time::Instant;

use mocap_formats::{Limits, robot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [source, model, output] =
        std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "SOURCE MODEL OUT")?;
    let folder = Path::new(&model).parent().unwrap_or(Path::new("")).to_owned();
    let include = |file: &str| std::fs::read(folder.join(file)).map_err(|error| error.to_string());
    let (_, robot) = robot::parse(&std::fs::read(&model)?, &include, &Limits::default())?.value;
    let clip = mocap::with_roles(mocap::read(&source)?.value);
    let metres = mocap::known_unit(clip.skeleton()).map_or(0.01, |unit| unit.metres);
    let mut options = mocap_robot::RobotOptions::default();
    if let Ok(limits) = std::env::var("LIMITS") {
        let (_, other) = robot::parse(&std::fs::read(&limits)?, &include, &Limits::default())?.value;
        let of = |name: &str| other.find_joint(name).and_then(|joint| other.joints()[joint].velocity);
        options.velocities = robot.joints().iter().map(|joint| of(&joint.name)).collect();
    }
    let start = Instant::now();
    let (motion, report) = mocap_robot::retarget(&clip, metres, &robot, &options)?;
    println!(
        "{} frames, {:.0} frames/s",
        motion.poses().len(),
        motion.poses().len() as f64 / start.elapsed().as_secs_f64()
    );
    println!("{report:#.3?}");
    std::fs::write(output, motion.to_unitree_csv())?;
    Ok(())
}
