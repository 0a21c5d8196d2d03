//! Whether the joint limits of a skeleton are the same on both sides.

use std::sync::Arc;

use mocap_ik::Constraint;
use mocap_model::{Clip, FrameRate, JointTracks, Skeleton, Track, UnitQuaternion};

use super::NAME;
use crate::EditError;
use crate::mirror::mirrored;

/// Number of poses that are tried.
const TRIED: usize = 60;
/// Results that differ by less are alike \[rad\].
const ALIKE: f64 = 1e-3;

/// Whether limits give the mirrored pose for a mirrored one: tried on poses of all joints, within and beyond them.
///
/// # Errors
/// Where a number overflows.
pub fn limits_are_symmetric(skeleton: &Arc<Skeleton>) -> Result<bool, EditError> {
    if !skeleton.joints().iter().any(|joint| joint.dofs.has_limits()) {
        return Ok(true);
    }
    let turned = |pose: usize| {
        let angle = |factor: f64| (pose as f64 * factor).sin();
        UnitQuaternion::from_euler_angles(angle(1.1), angle(1.7), angle(0.6))
    };
    let tracks = skeleton.joints().iter().map(|joint| JointTracks {
        rotation: Track::Sampled((0..TRIED).map(|pose| joint.rest_rotation * turned(pose)).collect()),
        translation: None,
        scale: None,
    });
    let failed = |error| EditError::model(NAME, error);
    let rate = FrameRate::new(1.0).expect("above 0");
    let poses = Clip::new(Arc::clone(skeleton), rate, TRIED, tracks.collect()).map_err(failed)?;
    let [one, other] = [mirrored(&limited(&poses)?)?.0, limited(&mirrored(&poses)?.0)?];
    let alike = |(one, other): (&JointTracks, &JointTracks)| {
        (0..TRIED).all(|pose| one.rotation.at(pose).angle_to(&other.rotation.at(pose)) < ALIKE)
    };
    Ok(one.tracks().iter().zip(other.tracks()).all(alike))
}

/// Poses whose joints are turned back to their limits.
fn limited(clip: &Clip) -> Result<Clip, EditError> {
    let skeleton = clip.skeleton();
    let tracks = skeleton.joints().iter().zip(clip.tracks()).map(|(joint, track)| {
        let limits = Constraint::of(joint);
        JointTracks { rotation: track.rotation.map(|rotation| limits.project(rotation).0), ..track.clone() }
    });
    let limited = Clip::new(Arc::clone(skeleton), clip.rate(), clip.frames(), tracks.collect());
    limited.map_err(|error| EditError::model(NAME, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::Limit;

    #[test]
    fn limits_of_one_elbow_have_a_side() {
        let clip = crate::fixtures::clip("robin_walk.bvh");
        let changed = |names: &[&str], limit: Limit| {
            let skeleton = clip.skeleton().with_joints(|joint| {
                if names.contains(&joint.name.as_str()) {
                    joint.dofs.limits[0] = Some(limit);
                }
            });
            limits_are_symmetric(&Arc::new(skeleton.unwrap())).unwrap()
        };
        let names = ["lowerarm_l", "lowerarm_r"];
        assert!(names.iter().all(|name| clip.skeleton().find(name).is_some()));
        let even = Limit { min: -0.3, max: 0.3 };
        assert!(changed(&[], even) && changed(&names, even));
        assert!(!changed(&names[..1], even) && !changed(&names[1..], even));
    }
}
