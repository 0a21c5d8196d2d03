//! The surface that pictures show below a motion.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap_edit::edits::Terrain;
use mocap_edit::{Source, Steps, TerrainOrigin};
use mocap_model::Finite;

/// The surface, as `mocap terrain` was given it.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Terrain")]
pub(crate) struct GroundArgs {
    /// Draw the surface that the first motion was put on by `mocap terrain`: steps (RISE,RUN[,COUNT[,FROM]]), a height
    /// field (PNG, CSV or NPZ), or a mesh (OBJ, GLB or glTF)
    #[arg(long = "draw-terrain", value_name = "STEPS|FILE", value_parser = surface, allow_hyphen_values = true)]
    terrain: Option<Surface>,
    /// Distance between neighbouring heights [m, default 0.1, or cell of the NPZ]
    #[arg(long, value_name = "METRES", requires = "terrain")]
    cell: Option<Finite>,
    /// Height of white in a PNG [m, default 1]
    #[arg(long, value_name = "METRES", requires = "terrain", allow_negative_numbers = true)]
    height: Option<Finite>,
    /// Where the terrain lies: world or start [default: start with steps, else world]
    #[arg(long, value_name = "WHERE", requires = "terrain")]
    terrain_origin: Option<TerrainOrigin>,
}

#[derive(Clone, Debug)]
enum Surface {
    Steps(Steps),
    Heights(PathBuf),
    Mesh(PathBuf),
}

fn surface(text: &str) -> Result<Surface, String> {
    let extension = Path::new(text).extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("obj" | "glb" | "gltf") => Ok(Surface::Mesh(text.into())),
        Some("png" | "csv" | "npz") => Ok(Surface::Heights(text.into())),
        _ => text.parse().map(Surface::Steps).map_err(|error: String| {
            format!("{error}; a file of heights is .png, .csv or .npz, a mesh .obj, .glb or .gltf")
        }),
    }
}

impl GroundArgs {
    /// The surface, if one is given.
    pub(crate) fn surface(&self) -> Option<Terrain> {
        let plain = Terrain {
            cell: self.cell,
            height: self.height,
            terrain_origin: self.terrain_origin,
            ..Terrain::default()
        };
        Some(match self.terrain.clone()? {
            Surface::Steps(steps) => Terrain { steps: Some(steps), ..plain },
            Surface::Heights(file) => Terrain { heights: Some(Source::File(file)), ..plain },
            Surface::Mesh(file) => Terrain { mesh: Some(Source::File(file)), ..plain },
        })
    }
}
