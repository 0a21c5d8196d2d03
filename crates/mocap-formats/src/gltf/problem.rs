//! What can be wrong with a glTF file. Every problem names the place by its path in the JSON.

/// What a glTF reader finds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    // Errors of the container.
    #[error("the GLB file is cut: {what} needs {expected} bytes, {found} are left")]
    Cut { what: &'static str, expected: usize, found: usize },
    #[error("the GLB file has version {found}, expected 2")]
    ContainerVersion { found: u32 },
    #[error("the first chunk of the GLB file is not JSON")]
    NoJsonChunk,
    #[error("{path}: {message}")]
    Json { path: String, message: String },
    #[error("asset.version is '{found}', expected 2.x")]
    Version { found: String },

    // Errors of references.
    #[error("{path} is {index}, but the file has {count} {what}")]
    Index { path: String, index: usize, what: &'static str, count: usize },
    #[error("{path}: the node is below itself")]
    Cycle { path: String },
    #[error("{path}: the node already has a parent, '{parent}'")]
    TwoParents { path: String, parent: String },
    #[error("{path}: the file '{uri}' is missing")]
    MissingFile { path: String, uri: String },
    #[error("{path}: '{uri}' is not a file beside this one: only such files are read")]
    Outside { path: String, uri: String },
    #[error("{path}: the data in the URI cannot be decoded: {what}")]
    DataUri { path: String, what: &'static str },
    #[error("{path}: the buffer has neither a URI nor data in the file")]
    NoData { path: String },

    // Errors of values.
    #[error("{path} needs bytes {from} to {to}, but {of} has {available}")]
    Range { path: String, from: usize, to: usize, of: String, available: usize },
    #[error("{path} is {found}, expected {expected}")]
    Unexpected { path: String, found: String, expected: String },
    #[error("{path}: value {index} is not a finite number")]
    NotFinite { path: String, index: usize },
    #[error("{path}: the times are not ascending at key {key}")]
    Times { path: String, key: usize },
    #[error(
        "glTF stores times in single precision, which cannot tell frame {frame} from the one before it at {fps:e} \
         frames per second"
    )]
    TimesTooFine { frame: usize, fps: f64 },
    #[error("{path}: the mesh has shapes but no POSITION, the neutral mesh that they displace")]
    NoNeutral { path: String },
    #[error("{path}: the shape '{name}' displaces {found} vertices, the mesh has {expected}")]
    ShapeCount { path: String, name: String, found: usize, expected: usize },
    #[error("{path}: {found} values for {keys} keys, expected {expected}")]
    KeyCount { path: String, found: usize, keys: usize, expected: usize },
    #[error("{path} needs the extension {name}, which is not supported")]
    Extension { path: String, name: String },
    #[error(
        "the rest pose is not a T-pose that faces along +Z, which a VRM animation needs: '{joint}' points \
         {degrees:.0}\u{b0} away from {expected}"
    )]
    NotTPose { joint: String, expected: &'static str, degrees: f64 },
    #[error("{path}: {error}")]
    Model { path: String, error: mocap_model::ModelError },

    // Warnings.
    #[error("the file has no animation: it is a skeleton without frames")]
    NoAnimation,
    #[error(
        "the file has no skin: other programs import its nodes as empties, not as bones; a drawn body adds one"
    )]
    NoSkin,
    #[error(
        "{path}: keys are not at a constant rate; they are resampled at {fps} frames per second, between which \
         rotations stray by up to {rotation_error:.2}\u{b0}"
    )]
    Resampled { path: String, fps: f64, rotation_error: f64 },
    #[error(
        "the clip has no hips: programs that move the body of a VRM character take only files that have them"
    )]
    NoHips,
    #[error(
        "expressions are left out, because they are gazes or share the name of another: {}", names.join(", ")
    )]
    ExpressionsLeftOut { names: Vec<String> },
    #[error(
        "{path}: a joint has an inverse bind matrix that has no inverse; its node is taken as its rest pose"
    )]
    NoInverse { path: String },
    #[error("several nodes are called '{name}'; their joints are numbered")]
    DuplicateName { name: String },
    #[error("{path}: several morph targets are called '{name}'; they are numbered")]
    DuplicateTarget { path: String, name: String },
    #[error("{path}: channels of {count} nodes that are not joints are left out")]
    OtherNodes { path: String, count: usize },
    #[error(
        "{path}: its scale differs between axes or changes over time; joints keep their places by translations, by \
         which lengths change by up to {:.1} %", change * 100.0
    )]
    UnevenScale { path: String, change: f64 },
    #[error(
        "a scale below 0 mirrors the joints: {joints} of them are called after the other side, on which they are"
    )]
    Mirrored { joints: usize },
    #[error("{path}: the file '{uri}' is missing; the reference stays")]
    MissingImage { path: String, uri: String },
    #[error("{path}: no joint moves the mesh; it is left out")]
    MeshWithoutJoint { path: String },
    #[error("{path}: points and lines are left out")]
    NoFaces { path: String },
    #[error("{path}: the weights of {count} vertices do not sum to 1; they were divided by their sum")]
    WeightSums { path: String, count: usize },
    #[error(
        "{path}: the weights cannot be read, and all vertices follow the only joint of the skin: {because}"
    )]
    UnreadWeights { path: String, because: String },
    #[error("{path}: {count} vertices have no weights; they follow the first joint of the skin")]
    Unbound { path: String, count: usize },
    #[error("the image '{name}' is neither PNG nor JPEG, or not there; its material is written without it")]
    ImageKind { name: String },
    #[error("{path}: the image is not there; its material is written without it")]
    NoImage { path: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Cut { .. } | Problem::NoJsonChunk => "gltf::container",
            Problem::ContainerVersion { .. } | Problem::Version { .. } => "gltf::version",
            Problem::Json { .. } => "gltf::json",
            Problem::Index { .. } => "gltf::index",
            Problem::Cycle { .. } | Problem::TwoParents { .. } => "gltf::tree",
            Problem::MissingFile { .. } | Problem::MissingImage { .. } => "gltf::missing-file",
            Problem::Outside { .. } => "gltf::outside",
            Problem::DataUri { .. } => "gltf::data-uri",
            Problem::NoData { .. } => "gltf::no-data",
            Problem::Range { .. } => "gltf::range",
            Problem::Unexpected { .. } => "gltf::value",
            Problem::NotFinite { .. } => "gltf::not-finite",
            Problem::Times { .. } | Problem::TimesTooFine { .. } => "gltf::times",
            Problem::KeyCount { .. } => "gltf::key-count",
            Problem::Extension { .. } => "gltf::extension",
            Problem::NotTPose { .. } => "gltf::not-t-pose",
            Problem::Model { .. } => "gltf::model",
            Problem::NoSkin => "gltf::no-skin",
            Problem::NoNeutral { .. } => "gltf::no-neutral",
            Problem::ShapeCount { .. } => "gltf::shape-count",
            Problem::NoHips => "gltf::no-hips",
            Problem::ExpressionsLeftOut { .. } => "gltf::expressions-left-out",
            Problem::NoAnimation => "gltf::no-animation",
            Problem::Resampled { .. } => "gltf::resampled",
            Problem::NoInverse { .. } => "gltf::no-inverse",
            Problem::DuplicateName { .. } => "gltf::duplicate-name",
            Problem::DuplicateTarget { .. } => "gltf::duplicate-target",
            Problem::OtherNodes { .. } => "gltf::other-nodes",
            Problem::UnevenScale { .. } => "gltf::uneven-scale",
            Problem::Mirrored { .. } => "gltf::mirrored",
            Problem::MeshWithoutJoint { .. } => "gltf::mesh-without-joint",
            Problem::NoFaces { .. } => "gltf::no-faces",
            Problem::WeightSums { .. } => "gltf::weight-sums",
            Problem::UnreadWeights { .. } => "gltf::unread-weights",
            Problem::Unbound { .. } => "gltf::unbound-vertices",
            Problem::ImageKind { .. } | Problem::NoImage { .. } => "gltf::no-image",
        }
    }

    fn remedy(&self) -> Option<crate::Remedy> {
        match self {
            Problem::Resampled { .. } => Some(crate::Remedy::StateRate),
            Problem::NoSkin => Some(crate::Remedy::DrawBody),
            Problem::NotTPose { .. } => Some(crate::Remedy::RetargetToTPose),
            _ => None,
        }
    }
}

/// An index of nothing.
pub(super) fn index(path: String, index: usize, what: &'static str, count: usize) -> crate::Finding {
    crate::Finding::new(Problem::Index { path, index, what, count })
}
