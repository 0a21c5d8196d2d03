//! The names that most programs need: `use mocap::prelude::*`.

pub use crate::{
    Axis, Clip, CompressOptions, Compressed, Dofs, Error, EulerOrder, FileFormat, Finding, Format, FrameRate,
    Joint, JointId, JointTracks, Parsed, Pose, ReadOptions, RetargetOptions, Role, SignedAxis, Skeleton,
    Space, Track, Unit, UnitQuaternion, UnitSource, Vector3, WriteOptions,
};
