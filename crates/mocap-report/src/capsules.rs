//! Collision shapes of robots: what a page draws around bones.

use std::sync::Arc;

use mocap_model::{Clip, Joint, JointTracks, Skeleton};

/// A capsule between two joints of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capsule {
    /// Indices of the joints at its ends.
    pub ends: [usize; 2],
    /// In units of the clip.
    pub radius: f64,
}

/// The clip of a robot with the ends of its capsules as end sites behind all joints; `None` of other skeletons and of
/// robots without shapes.
pub(crate) fn with_capsules(clip: &Clip) -> Option<(Clip, Vec<Capsule>)> {
    let skeleton = clip.skeleton();
    let robot = skeleton.robot().filter(|robot| !robot.shapes().is_empty())?;
    let bodies = robot.body_joints();
    let mut joints = skeleton.joints().to_vec();
    let mut tracks = clip.tracks().to_vec();
    let mut capsules = Vec::with_capacity(robot.shapes().len());
    for (index, shape) in robot.shapes().iter().enumerate() {
        let (joint, origin) = bodies[shape.body];
        let (ends, radius) = shape.capsule();
        capsules.push(Capsule { ends: [joints.len(), joints.len() + 1], radius });
        for (end, place) in ends.into_iter().enumerate() {
            // Names that no joint of a model has.
            let name = format!("shape {index} end {end}\u{1}");
            let site = Joint { end_site: true, ..Joint::new(name, Some(joint), origin + place) };
            tracks.push(JointTracks::at_rest(&site));
            joints.push(site);
        }
    }
    let skeleton = Skeleton::new(skeleton.name(), *skeleton.space(), joints).ok()?;
    let with = Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).ok()?;
    Some((with, capsules))
}
