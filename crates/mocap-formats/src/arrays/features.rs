//! What a training set wants beside local rotations: heading, planar velocity, foot contacts.

use mocap_analysis::{ContactOptions, FootMotion, feet_of};
use mocap_model::{Clip, ForwardKinematics, JointId, Role, Side, Vector3};

/// A direction is known where at least this share of the line between left and right is horizontal.
const KNOWN: f64 = 0.2;

/// Positions of joints in object space [units of the clip], frame by frame.
pub(super) fn positions(clip: &Clip, joints: &[JointId]) -> Vec<Vector3<f64>> {
    let mut positions = Vec::with_capacity(clip.frames() * joints.len());
    let mut kinematics = ForwardKinematics::of_joints(clip, joints);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        positions.extend(joints.iter().map(|joint| kinematics.position(*joint)));
    }
    positions
}

/// Central differences [units of the values per second]; one-sided at both ends; not a number in a single frame.
///
/// `width` values belong to a frame.
pub(super) fn velocity(
    values: &[Vector3<f64>],
    width: usize,
    frame: usize,
    fps: f64,
    at: usize,
) -> Vector3<f64> {
    let frames = values.len() / width;
    let (from, to) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
    (values[to * width + at] - values[from * width + at]) * fps / (to - from) as f64
}

/// The heading of the body \[rad\] in every frame: the angle about the up axis from the forward axis of the space,
/// continuous over time. `positions` are those of `joints`.
///
/// It is the direction across hips and shoulders, by their roles; without these, that of the first root. Frames in
/// which it is not known (a body that lies on its side) keep that of the frame before.
pub(super) fn heading(clip: &Clip, joints: &[JointId], positions: &[Vector3<f64>]) -> Vec<f64> {
    let skeleton = clip.skeleton();
    let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
    let left = up.cross(&forward);
    let place = |role: Role| {
        let id = skeleton.with_role(role)?;
        joints.iter().position(|joint| *joint == id)
    };
    let pair = |a: Role, b: Role| place(a).zip(place(b));
    let pairs: Vec<(usize, usize)> =
        [pair(Role::LeftUpperLeg, Role::RightUpperLeg), pair(Role::LeftUpperArm, Role::RightUpperArm)]
            .into_iter()
            .flatten()
            .collect();
    let root = joints.first().copied();
    let rest = root.map(|root| skeleton.joint(root).rest_rotation.inverse() * forward);
    let facing = |frame: usize| -> Option<f64> {
        let row = &positions[frame * joints.len()..(frame + 1) * joints.len()];
        let direction = match pairs.is_empty() {
            false => {
                let across: Vector3<f64> = pairs.iter().map(|(left, right)| row[*left] - row[*right]).sum();
                across.cross(&up) / across.norm()
            }
            true => clip.local(root?, frame).rotation * rest?,
        };
        let (x, z) = (direction.dot(&left), direction.dot(&forward));
        (x.hypot(z) > KNOWN).then(|| x.atan2(z))
    };
    let mut headings: Vec<f64> = Vec::with_capacity(clip.frames());
    let mut first_known = 0;
    for frame in 0..clip.frames() {
        let before = headings.last().copied();
        let known = facing(frame);
        if known.is_some() && first_known == 0 {
            first_known = frame + 1;
        }
        headings.push(match (known, before) {
            (Some(angle), Some(before)) if first_known <= frame => {
                let turns = std::f64::consts::TAU;
                angle + turns * ((before - angle) / turns).round()
            }
            (Some(angle), _) => angle,
            (None, before) => before.unwrap_or(0.0),
        });
    }
    // Before the first frame in which it is known, it is that of this frame.
    if first_known > 1 {
        let known = headings[first_known - 1];
        headings[..first_known - 1].fill(known);
    }
    headings
}

/// A horizontal velocity as the body sees it: toward its left, and forward.
pub(super) fn planar(clip: &Clip, velocity: &Vector3<f64>, heading: f64) -> [f64; 2] {
    let space = clip.skeleton().space();
    let (up, forward) = (space.up.vector(), space.forward.vector());
    let left = up.cross(&forward);
    let (sine, cosine) = heading.sin_cos();
    [velocity.dot(&(left * cosine - forward * sine)), velocity.dot(&(left * sine + forward * cosine))]
}

/// Whether the left and the right foot are on the floor, by frame: heel or toes. `None` without both feet.
pub(super) fn contacts(clip: &Clip) -> Option<Vec<bool>> {
    let feet = feet_of(clip.skeleton());
    let [left, right] = feet.as_slice() else { return None };
    debug_assert_eq!((left.side, right.side), (Side::Left, Side::Right));
    let options = ContactOptions::default();
    let [left, right]: [_; 2] = FootMotion::of(clip, &feet)
        .into_iter()
        .map(|foot| foot.contacts(&options))
        .collect::<Vec<_>>()
        .try_into()
        .expect("two feet");
    let touches = |foot: &mocap_analysis::FootContacts, frame: usize| foot.toe[frame] || foot.heel[frame];
    Some((0..clip.frames()).flat_map(|frame| [touches(&left, frame), touches(&right, frame)]).collect())
}
