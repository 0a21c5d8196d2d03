//! Mappings of the joints of one skeleton to those of another, as a file that a person can edit: JSON, one role per
//! line.

mod document;
mod parse;
mod problem;
mod write;

pub use parse::parse;
pub use problem::Problem;
pub use write::to_bytes;

use mocap_model::{JointId, Role};

/// A mapping between two skeletons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JointMap {
    /// Roles of the source's joints, in the order of the file.
    pub source: Vec<(Role, JointId)>,
    /// Roles of the target's joints.
    pub target: Vec<(Role, JointId)>,
    /// Pairs of joints without roles: the second, of the target, copies the rotation of the first, of the source.
    pub pairs: Vec<(JointId, JointId)>,
}

/// The JSON Schema of map files, for editors that check and complete while one writes.
pub fn json_schema() -> String {
    crate::tagged::json_schema::<document::File>()
}
