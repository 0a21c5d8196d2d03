//! Joint-based faces: each shape is a pose of joints, and poses are added like displacements of vertices.
//!
//! Rotations of a joint are added as rotation vectors, which is exact about one axis or for a single pose.

use mocap_model::{Clip, JointId, JointTracks, ModelError, ScalarTrack, Track, Vector3, exp, log};

/// A shape of a joint-based face.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPose {
    /// The name of the shape.
    pub name: String,
    /// The displacements of joints at weight 1.
    pub moves: Vec<JointMove>,
}

/// The displacement of a joint at weight 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMove {
    /// The joint.
    pub joint: JointId,
    /// A rotation vector in the axes of the joint without the pose \[rad\].
    pub turn: Vector3<f64>,
    /// A displacement in the frame of its parent [units of the skeleton].
    pub shift: Vector3<f64>,
}

/// Rotations and displacements below this are rounding \[rad, shares of the displacement\].
const STILL: f64 = 1e-7;

impl JointPose {
    /// The pose of a frame of a clip relative to its frame `neutral`.
    ///
    /// # Panics
    /// If the clip does not have the frames.
    pub fn of(name: &str, clip: &Clip, neutral: usize, frame: usize) -> JointPose {
        JointPose::between(name, clip, neutral, clip, frame)
    }

    /// The pose of a frame of a clip relative to a frame of another one on the same joints.
    ///
    /// # Panics
    /// If a clip does not have the frame.
    pub fn between(name: &str, neutral: &Clip, at: usize, posed: &Clip, frame: usize) -> JointPose {
        let moved = |(joint, _): (JointId, _)| {
            let (from, to) = (neutral.local(joint, at), posed.local(joint, frame));
            let turn = log(&(from.rotation.inverse() * to.rotation));
            let shift = to.translation.vector - from.translation.vector;
            let still = turn.norm() < STILL && shift.norm() <= STILL * from.translation.vector.norm();
            (!still).then_some(JointMove { joint, turn, shift })
        };
        JointPose { name: name.to_owned(), moves: neutral.skeleton().iter().filter_map(moved).collect() }
    }
}

/// Moves the joints of a clip by the weights of poses; tracks of other names move nothing.
///
/// # Errors
/// Where a number overflows.
pub fn pose_joints(clip: &Clip, poses: &[JointPose], weights: &[ScalarTrack]) -> Result<Clip, ModelError> {
    let frames = clip.frames();
    let mut tracks: Vec<JointTracks> = clip.tracks().to_vec();
    let acting: Vec<(&JointPose, &Track<f64>)> = poses
        .iter()
        .filter_map(|pose| {
            let track = weights.iter().find(|track| track.name == pose.name)?;
            Some((pose, &track.values))
        })
        .collect();
    for (joint, rest) in clip.skeleton().iter() {
        let moves: Vec<(&JointMove, &Track<f64>)> = acting
            .iter()
            .flat_map(|(pose, weight)| pose.moves.iter().map(move |of| (of, *weight)))
            .filter(|(of, _)| of.joint == joint)
            .collect();
        if moves.is_empty() || frames == 0 {
            continue;
        }
        let sum = |frame: usize, part: fn(&JointMove) -> Vector3<f64>| -> Vector3<f64> {
            moves.iter().map(|(of, weight)| part(of) * weight.at(frame)).sum()
        };
        let own = &mut tracks[joint.index()];
        let rotation = own.rotation.clone();
        let turned = (0..frames).map(|frame| rotation.at(frame) * exp(&sum(frame, |of| of.turn)));
        own.rotation = Track::from_samples(turned.collect()).unwrap_or(rotation);
        if moves.iter().any(|(of, _)| of.shift != Vector3::zeros()) {
            let place = own.translation.take().unwrap_or(Track::Constant(rest.offset));
            let shifted = (0..frames).map(|frame| place.at(frame) + sum(frame, |of| of.shift));
            own.translation = Track::from_samples(shifted.collect());
        }
    }
    Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks)?
        .with_annotations(clip.annotations().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{FrameRate, Joint, Skeleton, Space};
    use std::sync::Arc;

    fn clip(frames: usize) -> Clip {
        let joints = vec![
            Joint::new("Head", None, Vector3::zeros()),
            Joint::new("Jaw", Some(JointId(0)), Vector3::new(0.0, -0.05, 0.02)),
        ];
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), frames, tracks).unwrap()
    }

    fn track(name: &str, values: Vec<f64>) -> ScalarTrack {
        ScalarTrack { name: name.into(), values: Track::from_samples(values).unwrap() }
    }

    fn pose(name: &str, turn: f64, shift: f64) -> JointPose {
        let jaw =
            JointMove { joint: JointId(1), turn: Vector3::x() * turn, shift: Vector3::new(0.0, 0.0, shift) };
        JointPose { name: name.into(), moves: vec![jaw] }
    }

    #[test]
    fn poses_add_up_and_unknown_shapes_move_nothing() {
        let poses = [pose("jawOpen", 0.4, 0.0), pose("jawForward", -0.1, 0.01)];
        let weights = [
            track("jawOpen", vec![0.0, 1.0, 1.0]),
            track("jawForward", vec![0.0, 0.0, 0.5]),
            track("x", vec![1.0; 3]),
        ];
        let moved = pose_joints(&clip(3), &poses, &weights).unwrap();
        let jaw = |frame| moved.local(JointId(1), frame);
        for (frame, turn, forward) in [(0, 0.0, 0.02), (1, 0.4, 0.02), (2, 0.35, 0.025)] {
            assert!((log(&jaw(frame).rotation) - Vector3::x() * turn).norm() < 1e-12, "{frame}");
            assert!((jaw(frame).translation.vector.z - forward).abs() < 1e-12, "{frame}");
        }
        assert_eq!(moved.track(JointId(0)), clip(3).track(JointId(0)));
    }

    /// Poses of a clip, put back with weight 1, are its frames.
    #[test]
    fn a_pose_of_a_frame_is_that_frame_at_weight_one() {
        let posed = pose_joints(&clip(2), &[pose("jawOpen", 0.4, 0.01)], &[track("jawOpen", vec![0.0, 1.0])])
            .unwrap();
        let found = JointPose::of("open", &posed, 0, 1);
        assert_eq!(found.moves.len(), 1);
        let again = pose_joints(&clip(1), &[found], &[track("open", vec![1.0])]).unwrap();
        let (a, b) = (again.local(JointId(1), 0), posed.local(JointId(1), 1));
        assert!(
            a.rotation.angle_to(&b.rotation) < 1e-9
                && (a.translation.vector - b.translation.vector).norm() < 1e-9
        );
        assert!(JointPose::of("none", &posed, 1, 1).moves.is_empty());
    }
}
