//! Builds a skeleton and a clip in code: a pendulum of 1 m that swings for two seconds.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;

use mocap::prelude::*;

fn joint(name: &str, parent: Option<u32>, offset: Vector3<f64>, end_site: bool) -> Joint {
    let dofs = if end_site { Dofs::locked(EulerOrder::ZXY) } else { Dofs::ball(EulerOrder::ZXY) };
    let parent = parent.map(JointId);
    let rest_rotation = UnitQuaternion::identity();
    Joint { name: name.into(), parent, offset, rest_rotation, dofs, role: None, end_site }
}

fn main() -> Result<(), mocap::Error> {
    let space = Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() };
    let joints = vec![
        joint("pivot", None, Vector3::new(0.0, 2.0, 0.0), false),
        joint("bob", Some(0), Vector3::new(0.0, -1.0, 0.0), true),
    ];
    let skeleton = Arc::new(Skeleton::new("pendulum", space, joints)?);
    let rate = FrameRate::new(60.0).expect("a rate above 0");
    let swing = |frame: usize| 0.5 * (frame as f64 / 60.0 * std::f64::consts::PI).cos();
    let turns = (0..120).map(|frame| UnitQuaternion::from_axis_angle(&Axis::Z.unit(), swing(frame)));
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    tracks[0].rotation = Track::Sampled(turns.collect());
    let clip = Clip::new(skeleton, rate, 120, tracks)?;
    let output = std::env::temp_dir().join("mocap_10_pendulum.bvh");
    mocap::write(&output, &clip)?;
    println!("{} frames in {}", clip.frames(), output.display());
    Ok(())
}
