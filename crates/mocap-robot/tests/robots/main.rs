//! Robots of many constructions.

#[path = "../../../mocap-retarget/tests/motions/clip.rs"]
mod clip;

mod constructions;
mod landmarks;
mod unlike_sides;
