//! Reads the nodes and the animation of a file.

use ufbx::{
    AllocatorOpts, AnimOpts, CoordinateAxes, ErrorType, EvaluateOpts, FileFormat, ListOpt, LoadOpts,
    MirrorAxis, SceneRoot, SpaceConversion, TransformOverride, WarningType,
};

use super::document::Document;
use super::tree::{Tree, axis};
use super::{Problem, scan};
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, Warnings, text};

/// Memory that the reader may use for any file \[bytes\].
const MEMORY: usize = 256 << 20;
/// Memory per byte of a file.
const MEMORY_PER_BYTE: usize = 256;

/// Reads an FBX file held in memory, binary or text. Meshes, images and files that it refers to are not read.
///
/// # Errors
/// Where the file is cut off or contradicts itself (with the path inside the file), its nodes form a cycle, it passes a
/// limit, or has no joints.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed<Document>, ReadError> {
    if bytes.len() > limits.bytes {
        let (found, limit) = (bytes.len(), limits.bytes);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }).into());
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(text::Problem::Empty.into());
    }
    scan::check(bytes, limits)?;
    let mut warnings = Warnings::default();
    let mut scene = load(bytes, limits, None, Extra::None)?;
    let mirrored = is_left_handed(&scene);
    if mirrored {
        scene = load(bytes, limits, Some(right_handed()), Extra::None)?;
        warnings.push(Finding::new(Problem::LeftHanded));
    }
    for warning in &scene.metadata.warnings {
        if is_about_motion(warning.type_) {
            let what = warning.description.to_string();
            warnings
                .push(Finding { count: warning.count.max(1), ..Finding::new(Problem::Repaired { what }) });
        }
    }
    let tree = match Tree::of(&scene, limits, &mut warnings) {
        Ok(tree) => tree,
        Err(error) => return Err(ReadError::from(error).behind(warnings.into_vec())),
    };
    Ok(Parsed { value: Document::new(bytes, scene, tree, mirrored), warnings: warnings.into_vec() })
}

/// The scene of a file, with the records that its objects come from.
pub(super) fn load_with_records(bytes: &[u8], limits: &Limits) -> Result<SceneRoot, Finding> {
    load(bytes, limits, None, Extra::Records)
}

/// The scene of a file with its meshes and images.
pub(super) fn load_with_geometry(
    bytes: &[u8],
    limits: &Limits,
    mirrored: bool,
) -> Result<SceneRoot, Finding> {
    load(bytes, limits, mirrored.then(right_handed), Extra::Geometry)
}

/// What is read besides nodes and animation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extra {
    None,
    Records,
    Geometry,
}

fn load(
    bytes: &[u8],
    limits: &Limits,
    axes: Option<CoordinateAxes>,
    extra: Extra,
) -> Result<SceneRoot, Finding> {
    let memory = memory(bytes, limits);
    let allocator = || AllocatorOpts { memory_limit: memory, ..AllocatorOpts::default() };
    let options = LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        ignore_geometry: extra != Extra::Geometry,
        ignore_embedded: extra != Extra::Geometry,
        retain_dom: extra == Extra::Records,
        // ufbx reads other formats too; these are not detected as FBX.
        file_format: FileFormat::Fbx,
        node_depth_limit: u32::try_from(limits.depth).unwrap_or(u32::MAX),
        handedness_conversion_axis: if axes.is_some() { MirrorAxis::X } else { MirrorAxis::None },
        target_axes: axes.unwrap_or_default(),
        space_conversion: SpaceConversion::AdjustTransforms,
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| unread(&error, bytes, limits))
}

/// A scene with other local transforms of some nodes.
pub(super) fn with_transforms(
    scene: SceneRoot,
    transforms: &[TransformOverride],
    bytes: &[u8],
    limits: &Limits,
) -> Result<SceneRoot, Finding> {
    let memory = memory(bytes, limits);
    let allocator = || AllocatorOpts { memory_limit: memory, ..AllocatorOpts::default() };
    let moved = AnimOpts {
        transform_overrides: ListOpt::Ref(transforms),
        result_allocator: allocator(),
        ..AnimOpts::default()
    };
    let options = EvaluateOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        ..EvaluateOpts::default()
    };
    let failed = |error: ufbx::Error| unread(&error, bytes, limits);
    let moved = ufbx::create_anim(&scene, moved).map_err(failed)?;
    ufbx::evaluate_scene(&scene, &moved, 0.0, options).map_err(failed)
}

/// The memory that the reader may use for a file.
fn memory(bytes: &[u8], limits: &Limits) -> usize {
    limits.bytes.min(MEMORY.saturating_add(bytes.len().saturating_mul(MEMORY_PER_BYTE)))
}

fn unread(error: &ufbx::Error, bytes: &[u8], limits: &Limits) -> Finding {
    let reason = error.description.to_string();
    let problem = match error.type_ {
        ErrorType::TruncatedFile => Problem::Truncated { path: "the last record".into(), at: bytes.len() },
        ErrorType::UnsupportedVersion => Problem::Version { version: version(bytes) },
        ErrorType::MemoryLimit | ErrorType::AllocationLimit => {
            let limit = memory(bytes, limits);
            return Finding::new(LimitExceeded { what: "bytes in memory, or more,", found: limit, limit });
        }
        ErrorType::NodeDepthLimit => return too_deep(limits),
        _ if reason.contains("Cyclic") => Problem::Cycle,
        _ if reason.contains("depth limit") => return too_deep(limits),
        _ => Problem::Unreadable { reason },
    };
    Finding::new(problem)
}

fn too_deep(limits: &Limits) -> Finding {
    Finding::new(LimitExceeded { what: "levels, or more,", found: limits.depth + 1, limit: limits.depth })
}

/// The version that a binary file states; 0 of others.
fn version(bytes: &[u8]) -> u32 {
    let number = bytes.get(super::MAGIC.len()..super::MAGIC.len() + 4);
    number.map_or(0, |number| u32::from_le_bytes(number.try_into().expect("four bytes")))
}

fn is_left_handed(scene: &SceneRoot) -> bool {
    let axes = &scene.settings.axes;
    let [Some(right), Some(up), Some(front)] = [axes.right, axes.up, axes.front].map(axis) else {
        return false;
    };
    right.vector().cross(&up.vector()).dot(&front.vector()) < 0.0
}

fn right_handed() -> CoordinateAxes {
    use ufbx::CoordinateAxis::{PositiveX, PositiveY, PositiveZ};
    CoordinateAxes { right: PositiveX, up: PositiveY, front: PositiveZ }
}

/// Whether a warning is about nodes or animation: the others are about meshes and materials.
fn is_about_motion(warning: WarningType) -> bool {
    use WarningType as W;
    matches!(
        warning,
        W::TruncatedArray
            | W::DuplicateConnection
            | W::UnsupportedVersion
            | W::BadElementConnectedToRoot
            | W::DuplicateObjectId
    )
}
