//! Which joints move, judged by the effect of their motion.

use crate::plan::{ConstantRotation, JointState, Plan, TrackState};
use crate::quat::to_f32;
use mocap_model::{Clip, Skeleton, Track, Vector3, angle_between};

/// A joint whose motion moves nothing by more than this share of the tolerance does not move.
const STILL: f64 = 5e-4;

/// The plan of a clip whose skeleton is decoded as `stored`. What does not move is off by a distance `precise` at most;
/// this, `tolerance` and `shell` in units of the clip.
pub(crate) fn plan_of(clip: &Clip, stored: &Skeleton, tolerance: f64, precise: f64, shell: f64) -> Plan {
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
    let joints = skeleton.iter().map(|(id, joint)| {
        let tracks = clip.track(id);
        let rotations = tracks.rotation.values();
        let turn = STILL * tolerance / reach[id.index()];
        let rotation = match rotations.first() {
            Some(first) if rotations.iter().any(|q| angle_between(first, q) > turn) => TrackState::Moving,
            Some(first) if to_f32(first) != to_f32(&joint.rest_rotation) => {
                // As it will be decoded.
                let rest = to_f32(&stored.joints()[id.index()].rest_rotation);
                TrackState::Constant(ConstantRotation::near(rest, to_f32(first), precise / reach[id.index()]))
            }
            _ => TrackState::Rest,
        };
        let translation = match &tracks.translation {
            None => TrackState::Rest,
            Some(track) => match track.values().first() {
                Some(first) if moves(track, STILL * tolerance) => {
                    debug_assert!(first.iter().all(|value| value.is_finite()));
                    TrackState::Moving
                }
                Some(first) if (first - stored.joints()[id.index()].offset).norm() > precise => {
                    TrackState::Constant(first.map(|value| value as f32).into())
                }
                _ => TrackState::Rest,
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
