//! Vertex caches: positions of a character's vertices over time, for programs that do not use its skeleton.
//!
//! | format | holds | for |
//! |---|---|---|
//! | `.npz` | `vertices` and `normals` (frames × vertices × 3, float32), `faces` (triangles × 3, int32), `fps`, and by mesh `mesh_names` and `mesh_starts` | Python |
//! | `.usda` | a mesh with points and normals as time samples for each mesh | USD programs |
//! | `.pc2` | places (frames × vertices × 3, float32) | Blender, Maya, 3ds Max, on the mesh of the character |
//! | `.png` | places and normals as textures of 16 bits, with a JSON file | engines (vertex animation textures) |
//!
//! Places are in metres or another unit, in the axes of the clip; all skinned meshes come one after the other, in the order of the file.
//! Content is computed while it is written: memory does not grow with the number of frames.

mod npz;
mod pc2;
mod sequence;
mod texture;
mod usda;

pub use sequence::{BakeError, BakeOptions, BakedMesh, VertexSequence};

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A format of vertex caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheFormat {
    /// Arrays for numpy.
    #[default]
    Npz,
    /// Point samples of USD, as text.
    Usda,
    /// Point cache 2.
    Pc2,
    /// Vertex animation textures.
    Png,
}

impl CacheFormat {
    /// All formats.
    pub const ALL: [CacheFormat; 4] =
        [CacheFormat::Npz, CacheFormat::Usda, CacheFormat::Pc2, CacheFormat::Png];

    /// The extension, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            CacheFormat::Npz => "npz",
            CacheFormat::Usda => "usda",
            CacheFormat::Pc2 => "pc2",
            CacheFormat::Png => "png",
        }
    }

    /// The format of a path, by its extension.
    pub fn of_path(path: &Path) -> Option<CacheFormat> {
        path.extension()?.to_str()?.to_ascii_lowercase().parse().ok()
    }

    /// The files beside the main one: of textures the normals and the description.
    pub fn beside(self, path: &Path) -> Vec<PathBuf> {
        match self {
            CacheFormat::Png => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                vec![path.with_file_name(format!("{stem}_normals.png")), path.with_extension("json")]
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for CacheFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

impl FromStr for CacheFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<CacheFormat, String> {
        let found = CacheFormat::ALL.into_iter().find(|format| format.extension() == text);
        found.ok_or_else(|| format!("'{text}' is not a vertex cache: npz, usda, pc2 or png"))
    }
}

/// One file of a cache.
#[derive(Clone, Copy, Debug)]
pub struct CacheFile<'s> {
    sequence: &'s VertexSequence,
    part: Part,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Npz,
    Usda,
    Pc2,
    Positions { bounds: texture::Bounds },
    Normals,
    Description { bounds: texture::Bounds },
}

/// The files of a cache with their paths, the main one last. Computes the bounds of textures.
///
/// # Errors
/// [`BakeError`] where the bounds of textures cannot be computed.
pub fn files<'s>(
    sequence: &'s VertexSequence,
    format: CacheFormat,
    path: &Path,
) -> Result<Vec<(PathBuf, CacheFile<'s>)>, BakeError> {
    let file = |part| CacheFile { sequence, part };
    let main = |part| vec![(path.to_owned(), file(part))];
    Ok(match format {
        CacheFormat::Npz => main(Part::Npz),
        CacheFormat::Usda => main(Part::Usda),
        CacheFormat::Pc2 => main(Part::Pc2),
        CacheFormat::Png => {
            let bounds = texture::Bounds::of(sequence)?;
            let mut files: Vec<(PathBuf, CacheFile<'s>)> = format
                .beside(path)
                .into_iter()
                .zip([file(Part::Normals), file(Part::Description { bounds })])
                .collect();
            files.extend(main(Part::Positions { bounds }));
            files
        }
    })
}

impl CacheFile<'_> {
    /// Writes the file, frame by frame; the same bytes on every call. `path` is that of the main file, which others name.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut io::BufWriter::with_capacity(1 << 16, out);
        match self.part {
            Part::Npz => npz::write(self.sequence, out)?,
            Part::Usda => usda::write(self.sequence, out)?,
            Part::Pc2 => pc2::write(self.sequence, out)?,
            Part::Positions { bounds } => texture::positions(self.sequence, &bounds, out)?,
            Part::Normals => texture::normals(self.sequence, out)?,
            Part::Description { bounds } => texture::description(self.sequence, &bounds, path, out)?,
        }
        out.flush()
    }
}

/// The bytes of some vectors, little-endian.
fn put(values: &[[f32; 3]], bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.extend(values.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
}
