//! Meshes without a skeleton in files: OBJ, PLY, STL.
//!
//! Number and order of vertices are those of the file. Attributes of face corners (normal, texture coordinate) are kept
//! by corner, so that vertices are not split. None of these formats states a unit.
//!
//! ```
//! use mocap_mesh::{MeshFormat, read};
//!
//! let read = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MeshFormat::Obj)?;
//! assert_eq!((read.body.meshes[0].positions.len(), read.body.meshes[0].faces.len()), (3, 1));
//! # Ok::<(), mocap_mesh::MeshError>(())
//! ```

mod error;
mod obj;
mod ply;
mod stl;
mod words;

use std::path::Path;

use mocap_model::Body;

pub use error::{MeshError, Place};

/// The most corners of a face: the time of its triangulation grows at least with their square.
pub(crate) const MOST_CORNERS: usize = 1000;

/// A format of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// Polygon file format (Stanford), as text or binary.
    Ply,
    /// Stereolithography, as text or binary.
    Stl,
}

impl MeshFormat {
    /// All of them.
    pub const ALL: [MeshFormat; 3] = [MeshFormat::Obj, MeshFormat::Ply, MeshFormat::Stl];

    /// The usual extension.
    pub fn extension(self) -> &'static str {
        match self {
            MeshFormat::Obj => "obj",
            MeshFormat::Ply => "ply",
            MeshFormat::Stl => "stl",
        }
    }

    /// The format that the extension of a file names.
    pub fn of_path(path: &Path) -> Option<MeshFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        MeshFormat::ALL.into_iter().find(|format| format.extension() == extension)
    }
}

/// A mesh that was read, with notes on what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadMesh {
    /// One mesh without a skin.
    pub body: Body,
    /// Sentences about what is left out or was repaired.
    pub notes: Vec<String>,
}

/// Reads a mesh.
///
/// # Errors
/// [`MeshError`] with line and column of a text, or the byte.
pub fn read(bytes: &[u8], format: MeshFormat) -> Result<ReadMesh, MeshError> {
    match format {
        MeshFormat::Obj => obj::read(bytes),
        MeshFormat::Ply => ply::read(bytes),
        MeshFormat::Stl => stl::read(bytes),
    }
}
