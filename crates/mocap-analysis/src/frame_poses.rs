//! The poses at which an error is measured: in each frame, and half-way from the frame before.

use mocap_model::{Isometry3, Pose, Skeleton, slerp};

/// The poses of one motion, frame by frame.
#[derive(Clone, Debug, Default)]
pub struct FramePoses {
    local: Pose,
    before: Pose,
    object: Pose,
    half_way: Pose,
    between: Pose,
}

impl FramePoses {
    /// Advances to the next frame. `fill` replaces the joints of a pose by their local transforms.
    pub fn next(&mut self, skeleton: &Skeleton, fill: impl FnOnce(&mut Pose)) {
        std::mem::swap(&mut self.local, &mut self.before);
        fill(&mut self.local);
        self.local.to_object(skeleton, &mut self.object);
    }

    /// The local pose of the frame.
    pub fn local(&self) -> &Pose {
        &self.local
    }

    /// The pose of the frame in object space.
    pub fn object(&self) -> &Pose {
        &self.object
    }

    /// The pose half-way from the frame before, in object space: local rotations by slerp, translations linear.
    pub fn half_way(&mut self, skeleton: &Skeleton) -> &Pose {
        self.half_way.joints.clear();
        self.half_way.joints.extend(self.before.joints.iter().zip(&self.local.joints).map(|(a, b)| {
            let middle = a.translation.vector * 0.5 + b.translation.vector * 0.5;
            Isometry3::from_parts(middle.into(), slerp(&a.rotation, &b.rotation, 0.5))
        }));
        self.half_way.to_object(skeleton, &mut self.between);
        &self.between
    }
}
