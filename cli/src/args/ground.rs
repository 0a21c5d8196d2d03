//! The surface that pictures show below a motion.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap_edit::{Steps, TerrainOrigin};

use super::SurfaceArgs;
use super::finite::finite;

/// The surface, as `mocap terrain` was given it.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Terrain")]
pub(crate) struct GroundArgs {
    /// Draw the surface that the first motion was put on by `mocap terrain`: steps (RISE,RUN[,COUNT[,FROM]]), a height
    /// field (PNG, CSV or NPZ), or a mesh (OBJ, GLB or glTF)
    #[arg(long, value_name = "STEPS|FILE", value_parser = source, allow_hyphen_values = true)]
    terrain: Option<Source>,
    /// Distance between neighbouring heights [m, default 0.1, or cell of the NPZ]
    #[arg(long, value_name = "METRES", value_parser = finite, requires = "terrain")]
    cell: Option<f64>,
    /// Height of white in a PNG [m, default 1]
    #[arg(long, value_name = "METRES", value_parser = finite, requires = "terrain", allow_negative_numbers = true)]
    height: Option<f64>,
    /// Where the terrain lies: world or start [default: start with steps, else world]
    #[arg(long, value_name = "WHERE", requires = "terrain")]
    terrain_origin: Option<TerrainOrigin>,
}

#[derive(Clone, Debug)]
enum Source {
    Steps(Steps),
    Heights(PathBuf),
    Mesh(PathBuf),
}

fn source(text: &str) -> Result<Source, String> {
    let extension = Path::new(text).extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("obj" | "glb" | "gltf") => Ok(Source::Mesh(text.into())),
        Some("png" | "csv" | "npz") => Ok(Source::Heights(text.into())),
        _ => text.parse().map(Source::Steps).map_err(|error: String| {
            format!("{error}; a file of heights is .png, .csv or .npz, a mesh .obj, .glb or .gltf")
        }),
    }
}

impl GroundArgs {
    /// The surface, where one is named.
    pub(crate) fn surface(&self) -> Option<SurfaceArgs> {
        let plain = SurfaceArgs {
            cell: self.cell,
            height: self.height,
            terrain_origin: self.terrain_origin,
            ..SurfaceArgs::default()
        };
        Some(match self.terrain.clone()? {
            Source::Steps(steps) => SurfaceArgs { steps: Some(steps), ..plain },
            Source::Heights(file) => SurfaceArgs { heights: Some(file), ..plain },
            Source::Mesh(file) => SurfaceArgs { mesh: Some(file), ..plain },
        })
    }
}
