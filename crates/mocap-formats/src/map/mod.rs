//! Which joint of one skeleton moves which joint of another, as a file that a person can edit: JSON, one role a
//! line.

mod file;
mod problem;
mod read;
mod write;

pub use problem::Problem;
pub use read::parse;
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
    let schema = schemars::schema_for!(file::File);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema has string keys");
    text.push('\n');
    text
}
