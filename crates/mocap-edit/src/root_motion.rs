//! The root-motion joint of a body: a root, or the hips below a root that does not travel.

use mocap_analysis::placements;
use mocap_model::{Clip, Isometry3, JointId, Vector3};
use nalgebra::Translation3;

use crate::EditError;
use crate::body::Body;
use crate::samples::Samples;

/// The joint whose local transform moves the body over the ground.
#[derive(Clone, Debug)]
pub(crate) struct RootMotionJoint {
    pub(crate) joint: JointId,
    /// From the roots down to the parent of the joint.
    above: Vec<JointId>,
}

impl RootMotionJoint {
    /// The first joint between root and hips that travels at least half as far as the hips.
    pub(crate) fn of(clip: &Clip, body: &Body) -> RootMotionJoint {
        let mut path = vec![body.hips];
        while let Some(parent) = clip.skeleton().joint(path[path.len() - 1]).parent {
            path.push(parent);
        }
        path.reverse();
        let extent = |places: &Vec<Isometry3<f64>>| {
            let first = places.first().map_or(Vector3::zeros(), |place| place.translation.vector);
            places
                .iter()
                .map(|place| body.on_ground(&(place.translation.vector - first)).norm())
                .fold(0.0, f64::max)
        };
        let extents: Vec<f64> = placements(clip, &path).iter().map(extent).collect();
        let whole = extents.last().copied().unwrap_or(0.0);
        let at = extents.iter().position(|extent| *extent >= 0.5 * whole).unwrap_or(0);
        RootMotionJoint { joint: path[at], above: path[..at].to_vec() }
    }

    /// The hips as the root_motion: joints above them are held in one pose.
    pub(crate) fn hips(clip: &Clip, body: &Body) -> RootMotionJoint {
        let mut above = Vec::new();
        let mut at = body.hips;
        while let Some(parent) = clip.skeleton().joint(at).parent {
            above.push(parent);
            at = parent;
        }
        above.reverse();
        RootMotionJoint { joint: body.hips, above }
    }

    /// The transform of the joint's parent in object space.
    fn base(&self, samples: &Samples, frame: usize) -> Isometry3<f64> {
        self.above.iter().fold(Isometry3::identity(), |base, joint| base * samples.local(*joint, frame))
    }

    /// The object transform of the joint.
    pub(crate) fn at(&self, samples: &Samples, frame: usize) -> Isometry3<f64> {
        self.base(samples, frame) * samples.local(self.joint, frame)
    }

    /// The transform of the joint's parent in the first frame, which is that of all frames if the joints above are
    /// held.
    pub(crate) fn above_at(&self, samples: &Samples) -> Isometry3<f64> {
        self.base(samples, 0)
    }

    /// Sets the transform of the joint in object space.
    pub(crate) fn put(&self, samples: &mut Samples, frame: usize, place: &Isometry3<f64>) {
        let local = self.base(samples, frame).inverse() * place;
        samples.set_local(self.joint, frame, &local);
    }

    /// Holds all joints above at their pose in `from`; the joint keeps its transform in object space.
    pub(crate) fn hold_above(&self, samples: &mut Samples, from: &Samples) {
        for frame in 0..samples.frames {
            let place = self.at(samples, frame);
            for joint in &self.above {
                let local = from.local(*joint, 0);
                samples.set_local(*joint, frame, &local);
            }
            self.put(samples, frame, &place);
        }
    }
}

impl Samples {
    pub(crate) fn local(&self, joint: JointId, frame: usize) -> Isometry3<f64> {
        let offset = self.skeleton.joint(joint).offset;
        let translation = self.translations[joint.index()].as_ref().map_or(offset, |values| values[frame]);
        Isometry3::from_parts(Translation3::from(translation), self.rotations[joint.index()][frame])
    }

    pub(crate) fn set_local(&mut self, joint: JointId, frame: usize, local: &Isometry3<f64>) {
        let (offset, frames) = (self.skeleton.joint(joint).offset, self.frames);
        self.rotations[joint.index()][frame] = local.rotation;
        let translations = &mut self.translations[joint.index()];
        if translations.is_some() || (local.translation.vector - offset).norm() > 0.0 {
            translations.get_or_insert_with(|| vec![offset; frames])[frame] = local.translation.vector;
        }
    }
}

/// A motion whose body is moved by a vector in each frame.
///
/// # Errors
/// Where a sum is too large, named after the edit.
pub(crate) fn shifted(
    clip: &Clip,
    body: &Body,
    ways: &[Vector3<f64>],
    edit: &'static str,
) -> Result<Clip, EditError> {
    let (mut samples, root_motion) = (Samples::of(clip), RootMotionJoint::of(clip, body));
    for (frame, way) in ways.iter().enumerate() {
        let mut place = root_motion.at(&samples, frame);
        place.translation.vector += way;
        root_motion.put(&mut samples, frame, &place);
    }
    samples.into_clip(edit)
}
