//! What can be wrong with an FBX file.

/// What a reader or writer of FBX finds. Paths are those inside the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors.
    #[error("{path}: the file ends inside this record, at byte {at}; it was cut off")]
    Truncated { path: String, at: usize },
    #[error("{path}: {what} at byte {at}")]
    Record { path: String, what: &'static str, at: usize },
    #[error("{path}: {count} values of {size} bytes are declared, the file has {bytes} bytes for them")]
    ArrayLength { path: String, count: usize, size: usize, bytes: usize },
    #[error("the file cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("the nodes form a cycle: a node is above itself")]
    Cycle,
    #[error("FBX version {version} is not supported: save the file as FBX 2014 or later")]
    Version { version: u32 },
    #[error("the file has no bones, and nothing in it moves")]
    NoJoints,
    #[error("{path}: a value is not a finite number")]
    NotFinite { path: String },
    #[error("{path}: the times of the stack are not finite")]
    StackTimes { path: String },
    #[error("{0}")]
    Clip(#[from] mocap_model::ModelError),

    // Warnings.
    #[error("{what}")]
    Repaired { what: String },
    #[error("the file has no animation: it is a skeleton at rest")]
    NoAnimation,
    #[error("layers of the animation are muted, or others are solo; they are left out: {}", names.join(", "))]
    SilentLayers { names: Vec<String> },
    #[error("several nodes are called '{name}'; they are kept apart")]
    DuplicateName { name: String },
    #[error(
        "{joints} of {all} bones have another length in the bind pose: the rest pose is that of the nodes"
    )]
    BindPose { joints: usize, all: usize },
    #[error("constant scale of {}", joints_below(*joints))]
    ConstantScale { joints: usize },
    #[error(
        "scales that differ between axes: joints keep their places by translations, by which lengths change by up to \
         {:.1} %", change * 100.0
    )]
    UnevenScale { change: f64 },
    #[error(
        "a scale below 0 mirrors the joints: {joints} of them are called after the other side, on which they are"
    )]
    Mirrored { joints: usize },
    #[error(
        "the bind pose is {size:.4} times as large as the nodes: it lies in another space; roots keep the pose of their \
         nodes"
    )]
    BindSpace { size: f64 },
    #[error("the axes of the file are left-handed: the motion is mirrored to right-handed axes, Y up")]
    LeftHanded,
    #[error("mesh '{mesh}': no joint moves it; it is left out")]
    MeshWithoutJoint { mesh: String },
    #[error("mesh '{mesh}': the weights of {count} vertices do not sum to 1; they were divided by their sum")]
    WeightSums { mesh: String, count: usize },
    #[error(
        "mesh '{mesh}': {count} vertices have no weights; they follow the joint above the mesh, or the first"
    )]
    Unbound { mesh: String, count: usize },
    #[error("mesh '{mesh}': only the first skin is read, {} left out", are(*count, "further skin"))]
    FurtherSkins { mesh: String, count: usize },
    #[error("a value is not a finite number; it was interpolated")]
    Interpolated,
    #[error(
        "{count} of {all} curves have closer keys, up to {highest} per second: they are sampled at {fps} frames per second"
    )]
    DenserKeys { count: usize, all: usize, highest: f64, fps: f64 },
    #[error(
        "the file states {stated} frames per second, but all its keys lie at frames of {keys} per second: that rate is used"
    )]
    RateOfKeys { stated: f64, keys: f64 },
    #[error("the unit of the clip is unknown: its numbers are written as centimetres")]
    UnitUnknown,
}

fn are(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what} is") } else { format!("{count} {what}s are") }
}

fn joints_below(joints: usize) -> String {
    let of = if joints == 1 { "1 joint".to_owned() } else { format!("{joints} joints") };
    format!("{of} is applied to the places of the joints below; it does not change the size of a skin")
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Truncated { .. } => "fbx::truncated",
            Problem::Record { .. } => "fbx::record",
            Problem::ArrayLength { .. } => "fbx::array-length",
            Problem::Unreadable { .. } => "fbx::unreadable",
            Problem::Cycle => "fbx::cycle",
            Problem::Version { .. } => "fbx::version",
            Problem::NoJoints => "fbx::no-joints",
            Problem::NotFinite { .. } => "fbx::not-finite",
            Problem::StackTimes { .. } => "fbx::stack-times",
            Problem::Clip(_) => "fbx::clip",
            Problem::Repaired { .. } => "fbx::repaired",
            Problem::NoAnimation => "fbx::no-animation",
            Problem::SilentLayers { .. } => "fbx::silent-layers",
            Problem::DuplicateName { .. } => "fbx::duplicate-name",
            Problem::BindPose { .. } => "fbx::bind-pose",
            Problem::ConstantScale { .. } => "fbx::constant-scale",
            Problem::UnevenScale { .. } => "fbx::uneven-scale",
            Problem::Mirrored { .. } => "fbx::mirrored",
            Problem::BindSpace { .. } => "fbx::bind-space",
            Problem::LeftHanded => "fbx::left-handed",
            Problem::MeshWithoutJoint { .. } => "fbx::mesh-without-joint",
            Problem::WeightSums { .. } => "fbx::weight-sums",
            Problem::Unbound { .. } => "fbx::unbound-vertices",
            Problem::FurtherSkins { .. } => "fbx::further-skins",
            Problem::Interpolated => "fbx::interpolated",
            Problem::DenserKeys { .. } => "fbx::denser-keys",
            Problem::RateOfKeys { .. } => "fbx::rate-of-keys",
            Problem::UnitUnknown => "fbx::unit-unknown",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::NotFinite { .. } => Some(crate::Remedy::Repair),
            Problem::UnitUnknown => Some(crate::Remedy::StateUnit),
            Problem::DenserKeys { .. } | Problem::RateOfKeys { .. } => Some(crate::Remedy::StateRate),
            _ => None,
        }
    }
}
