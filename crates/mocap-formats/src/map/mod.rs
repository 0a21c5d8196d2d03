//! Which joint of one skeleton moves which joint of another, as a file that a person can edit: JSON, one role a
//! line.

mod document;
mod parse;
mod problem;
mod write;

pub use parse::parse;
pub use problem::Problem;
pub use write::to_bytes;

use mocap_model::{JointId, Role};

/// What a map says about two skeletons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JointMap {
    /// Roles of the source's joints, in the order of the file.
    pub source: Vec<(Role, JointId)>,
    /// Roles of the target's joints.
    pub target: Vec<(Role, JointId)>,
    /// Joints beside the roles: the second, of the target, turns like the first, of the source.
    pub pairs: Vec<(JointId, JointId)>,
}

/// The JSON Schema of map files, for editors that check and complete while one writes.
pub fn json_schema() -> String {
    crate::tagged::json_schema::<document::File>()
}
