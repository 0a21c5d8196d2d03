//! Reads `.skel` files.

use super::document::{File, SHAPE};
use super::source::Source;
use super::to_skeleton::skeleton;
use crate::tagged::{deserialize, refuse_foreign};
use crate::{Limits, Parsed, ReadError, text};
use mocap_model::Skeleton;

/// Reads a `.skel` file held in memory.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin.skel"));
/// let robin = mocap_formats::skel::parse(bytes, &Default::default())?.value;
/// assert!(robin.with_role(mocap_model::Role::Hips).is_some());
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// A finding that names the field by its path, and its line and column.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed<Skeleton>, ReadError> {
    let text = text::open(bytes, limits)?;
    refuse_foreign(&text, &SHAPE)?;
    let file: File = deserialize(&text, &SHAPE)?;
    let mut source = Source::new(&text, &[]);
    let read = skeleton(file, &mut source, limits);
    let warnings = source.into_warnings();
    match read {
        Ok(value) => Ok(Parsed { value, warnings }),
        Err(error) => Err(ReadError::from(error).behind(warnings)),
    }
}
