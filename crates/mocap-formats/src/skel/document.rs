//! The shape of a `.skel` file.

use super::robot::RobotField;
use crate::tagged::{Codes, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How files of the format name it.
pub(crate) static SHAPE: Shape = Shape {
    format: "mocap-skel",
    version: 1,
    holds: "a skeleton",
    codes: Codes {
        other_program: "skel::other-program",
        syntax: "skel::syntax",
        field: "skel::field",
        format: "skel::format",
        version: "skel::version",
    },
};

/// A skeleton of motion capture: a tree of joints.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "mocap skeleton")]
pub(crate) struct File {
    /// Always `mocap-skel`.
    #[schemars(extend("const" = SHAPE.format))]
    pub(crate) format: String,
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub(crate) version: u32,
    /// Name of the skeleton.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    /// The unit of all lengths: `m`, `cm`, `mm`, `in`, `ft`, `cmu` (that of the CMU database), or metres per
    /// unit. Left out: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<UnitField>,
    /// Whether the unit was inferred from the size of the skeleton.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) unit_guessed: bool,
    /// The axis that points away from the floor: `X`, `Y`, `Z`, with `-` for the opposite direction.
    #[serde(default = "default_up")]
    #[schemars(regex(pattern = r"^[+-]?[XYZxyz]$"))]
    pub(crate) up: String,
    /// The axis along which the character looks at rest.
    #[serde(default = "default_forward")]
    #[schemars(regex(pattern = r"^[+-]?[XYZxyz]$"))]
    pub(crate) forward: String,
    /// All joints and end sites, parents before their children.
    #[schemars(length(min = 1))]
    pub(crate) joints: Vec<JointField>,
    /// Named runs of joints, such as a leg.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) chains: Vec<ChainField>,
    /// Relations between angles of joints, such as those of a spine that shares its bend.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) couplings: Vec<CouplingField>,
    /// The model of the robot that the skeleton is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) robot: Option<RobotField>,
}

fn default_up() -> String {
    "Y".into()
}

fn default_forward() -> String {
    "Z".into()
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The length of one unit.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a unit is m, cm, mm, in, ft, cmu or a number of metres")]
#[schemars(rename = "Unit")]
pub(crate) enum UnitField {
    /// `m`, `cm`, `mm`, `in`, `ft`, `cmu`.
    Name(String),
    /// Metres per unit.
    Metres(f64),
}

/// One joint at rest.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Joint")]
pub(crate) struct JointField {
    /// Unique in the skeleton.
    pub(crate) name: String,
    /// Name of the parent; omitted for a root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
    /// Where the joint is in its parent's frame at rest: X, Y, Z.
    pub(crate) offset: [f64; 3],
    /// How the joint is turned against its parent at rest: a quaternion W, X, Y, Z. Left out: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rotation: Option<[f64; 4]>,
    /// Degrees of freedom of the joint. Default: rotation about all axes in the order ZXY; none for an end site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dofs: Option<DofsField>,
    /// The smallest and the greatest angle [degrees] about each axis; null: no limit on that side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limits: Option<LimitsField>,
    /// What the joint is in a body: Hips, LeftFoot and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = mocap_model::Role::ALL.iter().map(|role| role.name()).collect::<Vec<_>>()))]
    pub(crate) role: Option<String>,
    /// Whether this is only the end of a bone, which never moves.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) end_site: bool,
}

/// The degrees of freedom of a joint.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Dofs")]
pub(crate) struct DofsField {
    /// The order of its Euler angles: `ZXY` means Z · X · Y. Left out: ZXY.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[XYZxyz]{3}$"))]
    pub(crate) order: Option<String>,
    /// The rotation axes, such as `XZ`; empty: no rotation. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[XYZxyz]{0,3}$"))]
    pub(crate) rotation: Option<String>,
    /// The axes that it moves along. Left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[XYZxyz]{0,3}$"))]
    pub(crate) translation: Option<String>,
    /// Rotation of these axes relative to the joint at rest: a quaternion W, X, Y, Z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) frame: Option<[f64; 4]>,
}

/// Limits by axis.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limits")]
pub(crate) struct LimitsField {
    /// About X.
    #[serde(rename = "X", default, skip_serializing_if = "Option::is_none")]
    pub(crate) x: Option<[Option<f64>; 2]>,
    /// About Y.
    #[serde(rename = "Y", default, skip_serializing_if = "Option::is_none")]
    pub(crate) y: Option<[Option<f64>; 2]>,
    /// About Z.
    #[serde(rename = "Z", default, skip_serializing_if = "Option::is_none")]
    pub(crate) z: Option<[Option<f64>; 2]>,
}

/// A run of joints from a base down to a tip.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Chain")]
pub(crate) struct ChainField {
    /// Unique in the skeleton.
    pub(crate) name: String,
    /// The joint nearest the root.
    pub(crate) base: String,
    /// The joint furthest from the root.
    pub(crate) tip: String,
}

/// Angles of joints whose sum, times their factors, equals a value or is at most that.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Coupling")]
pub(crate) struct CouplingField {
    /// Unique in the skeleton.
    pub(crate) name: String,
    /// The angles, counted as their limits are.
    #[schemars(length(min = 1))]
    pub(crate) angles: Vec<CoupledAngleField>,
    /// The sum equals this [deg]. A coupling has either this or `at_most`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) equals: Option<f64>,
    /// The sum is at most this [deg].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at_most: Option<f64>,
}

/// An angle of a joint, and how much it counts.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CoupledAngle")]
pub(crate) struct CoupledAngleField {
    /// The joint.
    pub(crate) joint: String,
    /// The axis: `X`, `Y` or `Z`.
    #[schemars(regex(pattern = r"^[XYZxyz]$"))]
    pub(crate) axis: String,
    /// The factor of the angle; not 0.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(crate) factor: f64,
}

fn one() -> f64 {
    1.0
}

fn is_one(value: &f64) -> bool {
    *value == 1.0
}
