//! The shape of a map file.

use crate::tagged::{Codes, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How files of the format name it.
pub(super) static SHAPE: Shape = Shape {
    format: "mocap-map",
    version: 1,
    holds: "a map",
    codes: Codes {
        other_program: "map::other-program",
        syntax: "map::syntax",
        field: "map::field",
        format: "map::format",
        version: "map::version",
    },
};

/// Which joint of the source moves which joint of the target.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "mocap joint map")]
pub(super) struct File {
    /// Always `mocap-map`.
    #[schemars(extend("const" = SHAPE.format))]
    pub(super) format: String,
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub(super) version: u32,
    /// Joints by role. A role that is not listed is not mapped.
    #[serde(default)]
    pub(super) roles: Vec<RoleField>,
    /// Joints outside the body (tails, wings, ears), or all joints of a character that is not a biped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) pairs: Vec<PairField>,
}

/// A role and its joints.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Role")]
pub(super) struct RoleField {
    /// What the joints are in a body: Hips, LeftFoot and so on.
    #[schemars(extend("enum" = mocap_model::Role::ALL.iter().map(|role| role.name()).collect::<Vec<_>>()))]
    pub(super) role: String,
    /// Joint of the source; null or omitted: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    /// Joint of the target; null or omitted: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<String>,
    /// For people; not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// A joint of the target that copies the rotation of a joint of the source.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Pair")]
pub(super) struct PairField {
    /// The joint of the source.
    pub(super) source: String,
    /// The joint of the target.
    pub(super) target: String,
    /// For people; not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}
