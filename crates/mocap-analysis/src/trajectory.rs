//! Trajectories: the positions of joints over time.

use mocap_model::{Clip, Isometry3, JointId, LANES, PlacedJoints, PlacedWindows, Vector3};

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
    // Blocks are appended whole.
    let frames = clip.frames().next_multiple_of(LANES);
    let mut places: Vec<Trajectory> = joints.iter().map(|_| Vec::with_capacity(frames)).collect();
    PlacedWindows::new(clip.into(), joints.iter().copied(), []).each(|placed| {
        joints.iter().zip(&mut places).for_each(|(joint, places)| placed.append_positions(*joint, places));
    });
    places
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
    let placed = PlacedJoints::of(clip, joints.iter().copied());
    let transform = |joint: JointId, frame: usize| {
        Isometry3::from_parts(placed.position(joint, frame).into(), placed.rotation(joint, frame))
    };
    joints.iter().map(|joint| (0..clip.frames()).map(|frame| transform(*joint, frame)).collect()).collect()
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
