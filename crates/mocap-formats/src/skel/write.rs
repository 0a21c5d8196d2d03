//! Writes `.skel` files.

use super::from_skeleton::file_of;
use crate::tagged::emit;
use mocap_model::Skeleton;

/// The file of a skeleton: one joint per line, without values that are the default.
///
/// Reading it gives the same skeleton, except that the source of a unit that the user stated is then the file.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let bytes = mocap_formats::skel::to_bytes(clip.skeleton());
/// assert_eq!(mocap_formats::skel::parse(&bytes, &Default::default())?.value, *clip.skeleton().as_ref());
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
pub fn to_bytes(skeleton: &Skeleton) -> Vec<u8> {
    emit(&file_of(skeleton), 2)
}
