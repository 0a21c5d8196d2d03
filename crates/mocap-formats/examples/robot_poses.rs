//! Places the bodies of a robot for joint values that come as lines of numbers: the base as x y z qw qx qy qz, then one
//! value per joint. Prints names first, then per line x y z qw qx qy qz of each body. Other programs check kinematics so.
//!
//! `cargo run -p mocap-formats --example robot_poses -- robot.xml < values.txt`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]

use std::io::{BufRead, BufWriter, Write, stdin, stdout};
use std::path::Path;

use mocap_formats::{Limits, robot};
use mocap_model::{Isometry3, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: robot_poses MODEL < VALUES")?;
    let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
    let include = |file: &str| std::fs::read(folder.join(file)).map_err(|error| error.to_string());
    let parsed = robot::parse(&std::fs::read(&path)?, &include, &Limits::default())?;
    for warning in &parsed.warnings {
        eprintln!("{warning}");
    }
    let (_, robot) = parsed.value;
    let mut out = BufWriter::new(stdout().lock());
    writeln!(
        out,
        "{}",
        robot.joints().iter().map(|joint| joint.name.as_str()).collect::<Vec<_>>().join("\t")
    )?;
    writeln!(out, "{}", robot.bodies().iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join("\t"))?;
    for line in stdin().lock().lines() {
        let values: Vec<f64> = line?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [x, y, z, qw, qx, qy, qz] = values[..7].try_into()?;
        let turn = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
        let base = Isometry3::from_parts(Vector3::new(x, y, z).into(), turn);
        for body in robot.place(&base, &values[7..]) {
            let (p, q) = (body.translation.vector, body.rotation);
            write!(out, "{} {} {} {} {} {} {} ", p.x, p.y, p.z, q.w, q.i, q.j, q.k)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
