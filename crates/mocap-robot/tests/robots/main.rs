//! Robots of many constructions.

#[path = "../../../mocap-retarget/tests/motions/clip.rs"]
mod clip;

mod constructions;
mod facing;
mod frames;
mod hinges;
mod landmarks;
mod lying;
mod on_hands;
mod own_motion;
mod sizes;
mod unlike_sides;
