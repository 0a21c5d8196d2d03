//! Decides which joints move, by the effect of their motion.

use crate::plan::{ConstantRotation, JointState, Plan, TrackState};
use crate::quat::{to_f32, to_f64};
use mocap_model::{Clip, Skeleton, Track, Vector3, angle_between};

/// A joint counts as still if its motion moves nothing by more than this share of the tolerance.
const STILL: f64 = 5e-4;

/// Precision of a plan, in units of the clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    pub(crate) tolerance: f64,
    /// Error that all still joints on a path from a root to a tip may cause together.
    pub(crate) constants: f64,
    /// The bound of local rotations \[rad\].
    pub(crate) turn: Option<f64>,
}

/// The plan of a clip whose skeleton is decoded as `stored`.
pub(crate) fn plan_of(clip: &Clip, stored: &Skeleton, precision: Precision, shell: f64) -> Plan {
    let skeleton = clip.skeleton();
    // The reach of the sub-tree of each joint.
    let mut reach = vec![shell; skeleton.len()];
    for (id, joint) in skeleton.iter().rev() {
        if let Some(parent) = joint.parent {
            let length = match &clip.track(id).translation {
                Some(track) => track.values().iter().fold(0.0f64, |max, v| max.max(v.norm())),
                None => joint.offset.norm(),
            };
            reach[parent.index()] = reach[parent.index()].max(reach[id.index()] + length);
        }
    }
    // The tolerance left for the joints below; each joint uses at most half of it.
    let mut left = vec![precision.constants; skeleton.len()];
    let still = STILL * precision.tolerance;
    let joints = skeleton.iter().map(|(id, joint)| {
        let at = id.index();
        left[at] = joint.parent.map_or(precision.constants, |parent| left[parent.index()]);
        let tracks = clip.track(id);
        let rotations = tracks.rotation.values();
        let rotation = match rotations.first() {
            Some(first) if rotations.iter().any(|q| angle_between(first, q) > still / reach[at]) => {
                TrackState::Moving
            }
            Some(first) if to_f32(first) != to_f32(&joint.rest_rotation) => {
                let error = left[at] / 2.0 / reach[at];
                let error = precision.turn.map_or(error, |turn| error.min(turn / 4.0));
                let rest = to_f32(&stored.joints()[at].rest_rotation);
                let decoded = ConstantRotation::near(rest, to_f32(first), error);
                left[at] = (left[at] - angle_between(first, &to_f64(decoded.value)) * reach[at]).max(0.0);
                if decoded.is_none() { TrackState::Rest } else { TrackState::Constant(decoded) }
            }
            _ => TrackState::Rest,
        };
        let translation = match &tracks.translation {
            None => TrackState::Rest,
            Some(track) => match track.values().first() {
                Some(first) if moves(track, still) => {
                    debug_assert!(first.iter().all(|value| value.is_finite()));
                    TrackState::Moving
                }
                Some(first) if (first - joint.offset).norm() > left[at] / 2.0 => {
                    TrackState::Constant(first.map(|value| value as f32).into())
                }
                Some(first) => {
                    left[at] -= (first - joint.offset).norm();
                    TrackState::Rest
                }
                None => TrackState::Rest,
            },
        };
        JointState { rotation, translation }
    });
    Plan::new(joints.collect())
}

fn moves(track: &Track<Vector3<f64>>, distance: f64) -> bool {
    let values = track.values();
    values.iter().any(|v| (v - values[0]).norm() > distance)
}
