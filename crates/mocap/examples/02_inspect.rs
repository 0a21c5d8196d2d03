//! Shows a file twice: its values as written, and the motion that they describe.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mocap::prelude::*;

fn main() -> Result<(), mocap::Error> {
    let options = ReadOptions::default();
    let file =
        mocap::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"), &options)?
            .value;
    let stated = file.stated(&options);
    println!("{} file: {} channels, frame time {:?} s", file.format(), stated.channels, stated.frame_time);

    let clip = file.into_clip(&options).expect("the fixture is a motion").value;
    let mut pose = Pose::default();
    let mut object = Pose::default();
    clip.local_pose(10, &mut pose);
    pose.to_object(clip.skeleton(), &mut object);
    for (joint, place) in clip.skeleton().joints().iter().zip(&object.joints).take(5) {
        println!("{:12} {:8.2?}", joint.name, place.translation.vector.as_slice());
    }
    println!("unit: {:?}", mocap::known_unit(clip.skeleton()));
    Ok(())
}
