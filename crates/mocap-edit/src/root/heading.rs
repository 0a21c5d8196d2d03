//! The heading and position of a body on the ground.

use mocap_analysis::placements;
use mocap_model::{Clip, JointId, Vector3, swing_twist};

use crate::body::Body;
use crate::smoothing::{gaussian, unwrapped};

/// The smoothing that separates root motion from the sway and steps of the body \[s\].
const SMOOTH: f64 = 0.2;

/// The travel of a body over the ground, smoothed without a shift in time.
#[derive(Clone, Debug)]
pub(crate) struct Travel {
    /// The position of the hips, with their height \[units of the clip\].
    pub(crate) places: Vec<Vector3<f64>>,
    /// The heading about the up axis, 0 along forward \[rad\].
    pub(crate) headings: Vec<f64>,
}

/// The heading in each frame: across hips and shoulders; without these, the turn of the hips joint about the up axis.
pub(crate) fn headings(clip: &Clip, body: &Body) -> Vec<f64> {
    let pairs = body.skeleton.lateral_pairs();
    let joints: Vec<JointId> = pairs.iter().flatten().copied().chain([body.hips]).collect();
    let placed = placements(clip, &joints);
    let hips = &placed[joints.len() - 1];
    let mut headings = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        let mut across = Vector3::zeros();
        for pair in 0..pairs.len() {
            let position = |at: usize| placed[2 * pair + at][frame].translation.vector;
            let between = position(0) - position(1);
            across += between / between.norm().max(f64::MIN_POSITIVE);
        }
        let ahead = body.on_ground(&across.cross(&body.up));
        let heading = match pairs.is_empty() {
            true => {
                let (_, twist) = swing_twist(&hips[frame].rotation, &body.up);
                Some(2.0 * twist.imag().dot(&body.up).atan2(twist.w))
            }
            false => body.heading_of(&ahead).filter(|_| ahead.norm() > 0.1),
        };
        // While the body lies on its side, the last heading holds.
        headings.push(heading.or(headings.last().copied()).unwrap_or(0.0));
    }
    unwrapped(&mut headings);
    headings
}

pub(crate) fn travel(clip: &Clip, body: &Body) -> Travel {
    let sigma = SMOOTH * clip.rate().fps();
    let places: Vec<Vector3<f64>> = mocap_analysis::trajectory(clip, body.hips);
    Travel { places: gaussian(&places, sigma), headings: gaussian(&headings(clip, body), sigma) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mocap_model::{FrameRate, Joint, JointTracks, Role, Skeleton, Space, Track, exp};

    use super::*;

    #[test]
    fn a_stride_of_a_robot_does_not_turn_its_heading() {
        let joint = |name: &str, parent: Option<usize>, at: [f64; 3], role: Option<Role>| Joint {
            role,
            ..Joint::new(name, parent.map(JointId::from), Vector3::from(at))
        };
        let joints = vec![
            joint("pelvis", None, [0.0, 0.8, 0.0], Some(Role::Hips)),
            joint("left_hip_pitch", Some(0), [0.06, -0.1, 0.0], None),
            joint("left_hip_yaw", Some(1), [0.05, -0.15, 0.0], Some(Role::LeftUpperLeg)),
            joint("right_hip_pitch", Some(0), [-0.06, -0.1, 0.0], None),
            joint("right_hip_yaw", Some(3), [-0.05, -0.15, 0.0], Some(Role::RightUpperLeg)),
        ];
        let skeleton = Arc::new(Skeleton::new("robot", Space::default(), joints).unwrap());
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        for (at, side) in [(1, 1.0), (3, -1.0)] {
            let turns = (0..20).map(|frame| exp(&Vector3::new(side * 0.05 * f64::from(frame), 0.0, 0.0)));
            tracks[at].rotation = Track::Sampled(turns.collect());
        }
        let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 20, tracks).unwrap();
        let body = Body::of(&clip);
        assert!(headings(&clip, &body).iter().all(|heading| heading.abs() < 1e-9));
    }
}
