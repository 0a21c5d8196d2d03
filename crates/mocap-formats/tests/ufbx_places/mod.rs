//! Where the library ufbx places the nodes of a file, by its own evaluation of the whole scene.

use mocap_model::{Clip, ForwardKinematics, Vector3};
use ufbx::{EvaluateOpts, LoadOpts};

/// The largest distance of a joint from the node of its name [units of the file], over at most 60 frames of a stack.
pub(crate) fn largest_difference(bytes: &[u8], stack: usize, clip: &Clip) -> f64 {
    let scene =
        ufbx::load_memory(bytes, LoadOpts::default()).unwrap_or_else(|_| panic!("ufbx reads the file"));
    let stack = &scene.anim_stacks[stack];
    let begin = if stack.time_end > stack.time_begin { stack.time_begin } else { 0.0 };
    let mut kinematics = ForwardKinematics::new(clip);
    let mut worst: f64 = 0.0;
    let mut compared = 0;
    for frame in (0..clip.frames()).step_by(clip.frames() / 60 + 1) {
        let time = begin + frame as f64 * clip.rate().frame_time();
        let evaluated = ufbx::evaluate_scene(&scene, &stack.anim, time, EvaluateOpts::default());
        let evaluated = evaluated.unwrap_or_else(|_| panic!("ufbx evaluates the file"));
        kinematics.place(frame);
        for (id, joint) in clip.skeleton().iter() {
            if let Some(node) = ufbx::find_node(&evaluated, &joint.name) {
                let world = &node.node_to_world;
                let place = Vector3::new(world.m03, world.m13, world.m23);
                worst = worst.max((kinematics.position(id) - place).norm());
                compared += 1;
            }
        }
    }
    assert!(compared >= clip.skeleton().len(), "{compared} joints were found");
    worst
}
