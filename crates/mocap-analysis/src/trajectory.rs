//! Trajectories: the positions of joints over time.

use mocap_model::{Clip, Isometry3, JointId, Vector3};

/// The positions of one joint, one a frame, in object space [units of the clip].
pub type Trajectory = Vec<Vector3<f64>>;

/// The trajectories of some joints, in the order given.
pub fn trajectories(clip: &Clip, joints: &[JointId]) -> Vec<Trajectory> {
    let mut found = vec![Trajectory::with_capacity(clip.frames()); joints.len()];
    let mut placer = Placer::new(clip, joints);
    for frame in 0..clip.frames() {
        placer.place(frame);
        for (trajectory, joint) in found.iter_mut().zip(joints) {
            trajectory.push(placer.at(*joint).translation.vector);
        }
    }
    found
}

/// The transforms of some joints in object space, by joint in the order given, then by frame.
pub fn placements(clip: &Clip, joints: &[JointId]) -> Vec<Vec<Isometry3<f64>>> {
    let mut found = vec![Vec::with_capacity(clip.frames()); joints.len()];
    let mut placer = Placer::new(clip, joints);
    for frame in 0..clip.frames() {
        placer.place(frame);
        for (placed, joint) in found.iter_mut().zip(joints) {
            placed.push(*placer.at(*joint));
        }
    }
    found
}

/// The trajectory of one joint.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let hand = clip.skeleton().find("RightHand").unwrap();
/// let places = mocap_analysis::trajectory(&clip, hand);
/// assert_eq!(places.len(), clip.frames());
/// ```
pub fn trajectory(clip: &Clip, joint: JointId) -> Trajectory {
    trajectories(clip, &[joint]).swap_remove(0)
}

/// Forward kinematics of some joints of a clip and of those above them, frame by frame.
#[derive(Clone, Debug)]
pub struct Placer<'a> {
    clip: &'a Clip,
    /// Parents first.
    joints: Vec<JointId>,
    object: Vec<Isometry3<f64>>,
}

impl<'a> Placer<'a> {
    /// For these joints; others are never placed.
    pub fn new(clip: &'a Clip, joints: &[JointId]) -> Placer<'a> {
        let skeleton = clip.skeleton();
        let mut needed = vec![false; skeleton.len()];
        joints.iter().for_each(|joint| needed[joint.index()] = true);
        for (id, joint) in skeleton.iter().rev() {
            if let (true, Some(parent)) = (needed[id.index()], joint.parent) {
                needed[parent.index()] = true;
            }
        }
        Placer {
            clip,
            joints: skeleton.iter().map(|(id, _)| id).filter(|id| needed[id.index()]).collect(),
            object: vec![Isometry3::identity(); skeleton.len()],
        }
    }

    /// Places the joints as they are in a frame.
    ///
    /// # Panics
    /// Where there is no such frame.
    pub fn place(&mut self, frame: usize) {
        for id in &self.joints {
            let (joint, tracks) = (self.clip.skeleton().joint(*id), self.clip.track(*id));
            let translation = tracks.translation.as_ref().map_or(joint.offset, |track| track.at(frame));
            let local = Isometry3::from_parts(translation.into(), tracks.rotation.at(frame));
            self.object[id.index()] = match joint.parent {
                Some(parent) => self.object[parent.index()] * local,
                None => local,
            };
        }
    }

    /// Where a joint is, in object space.
    pub fn at(&self, joint: JointId) -> &Isometry3<f64> {
        &self.object[joint.index()]
    }
}
