//! Trajectories: the positions of joints over time.

use mocap_model::{Clip, ForwardKinematics, Isometry3, JointId, Vector3};

/// The positions of one joint, one a frame, in object space [units of the clip].
pub type Trajectory = Vec<Vector3<f64>>;

/// The trajectories of some joints, in the order given.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let joints = ["RightHand", "LeftFoot"].map(|name| clip.skeleton().find(name).unwrap());
/// let [hand, foot] = &mocap_analysis::trajectories(&clip, &joints)[..] else { unreachable!() };
/// assert!(hand[0] != hand[30] && foot[0] == foot[30]);
/// ```
pub fn trajectories(clip: &Clip, joints: &[JointId]) -> Vec<Trajectory> {
    let mut found = vec![Trajectory::with_capacity(clip.frames()); joints.len()];
    let mut kinematics = ForwardKinematics::of_joints(clip, joints);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        for (trajectory, joint) in found.iter_mut().zip(joints) {
            trajectory.push(kinematics.position(*joint));
        }
    }
    found
}

/// The transforms of some joints in object space, by joint in the order given, then by frame.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let hand = clip.skeleton().find("RightHand").unwrap();
/// let placed = mocap_analysis::placements(&clip, &[hand]);
/// assert_eq!(placed[0][30].translation.vector, mocap_analysis::trajectory(&clip, hand)[30]);
/// ```
pub fn placements(clip: &Clip, joints: &[JointId]) -> Vec<Vec<Isometry3<f64>>> {
    let mut found = vec![Vec::with_capacity(clip.frames()); joints.len()];
    let mut kinematics = ForwardKinematics::of_joints(clip, joints);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        for (placed, joint) in found.iter_mut().zip(joints) {
            placed.push(*kinematics.at(*joint));
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
