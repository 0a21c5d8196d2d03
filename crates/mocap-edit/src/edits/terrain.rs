//! `terrain`.

use mocap_model::{Clip, Finite};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, HeightOptions, Needed, Operation, Source, Value};
use crate::{
    EditError, EditReport, HeightField, OnTerrain, Steps, Terrain as Surface, TerrainMesh, TerrainOrigin,
};

/// Put the feet on steps, RISE,RUN[,COUNT[,FROM]]: see `mocap terrain --help`, which takes height fields and meshes too
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(feature = "clap", command(next_help_heading = "Terrain"))]
pub struct Terrain {
    /// Steps ahead: RISE,RUN[,COUNT[,FROM]] [m, or with a unit: 15cm; default 10 steps, the first 1 m ahead]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RISE,RUN", allow_hyphen_values = true))]
    pub steps: Option<Steps>,
    /// Height field: a PNG (black is 0, white is --height, transparent is a hole), a CSV (rows of heights [m]; empty is
    /// a hole), or an NPZ with an array heights [m]. The first row is the farthest ahead, the first column the leftmost;
    /// the middle is the origin
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, conflicts_with = "steps"))]
    pub heights: Option<Source<HeightField>>,
    /// Distance between neighbouring heights [m, default 0.1, or cell of the NPZ]
    #[cfg_attr(feature = "clap", arg(long, value_name = "METRES", requires = "heights"))]
    pub cell: Option<Finite>,
    /// Height of white in a PNG [m, default 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "METRES", requires = "heights", allow_negative_numbers = true))]
    pub height: Option<Finite>,
    /// Mesh: OBJ, GLB or glTF in metres, Y up, Z ahead; the highest triangle counts
    #[cfg_attr(feature = "clap", arg(long = "terrain-mesh", value_name = "FILE", value_hint = clap::ValueHint::AnyPath, conflicts_with_all = ["steps", "heights"]))]
    #[serde(rename = "terrain-mesh", alias = "mesh")]
    pub mesh: Option<Source<TerrainMesh>>,
    /// Where the terrain lies. world: its origin and axes are those of the motion; start: below the first frame, ahead as
    /// the body faces there [default: start with --steps, else world]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHERE"))]
    #[serde(alias = "origin")]
    pub terrain_origin: Option<TerrainOrigin>,
}

impl Terrain {
    fn unclear() -> EditError {
        EditError::Usage { edit: Self::NAME, reason: "name one of steps, heights and mesh".into() }
    }

    /// The surface, once its file is read.
    ///
    /// # Errors
    /// Where not exactly one of steps, heights and mesh is named, or its file is not read.
    pub fn surface(&self) -> Result<OnTerrain, EditError> {
        let (terrain, usual) = match (&self.steps, &self.heights, &self.mesh) {
            (Some(steps), None, None) => (Surface::Steps(*steps), TerrainOrigin::Start),
            (None, Some(heights), None) => (Surface::Heights(heights.get()?.clone()), TerrainOrigin::World),
            (None, None, Some(mesh)) => (Surface::Mesh(mesh.get()?.clone()), TerrainOrigin::World),
            _ => return Err(Terrain::unclear()),
        };
        Ok(OnTerrain { terrain, origin: self.terrain_origin.unwrap_or(usual) })
    }
}

impl Operation for Terrain {
    const NAME: &'static str = "terrain";
    const GROUP: Group = Group::Place;
    const PLACES_JOINTS: bool = true;
    const VALUE: Value = Value::Field("steps");

    fn needs(&mut self) -> Vec<Needed<'_>> {
        let options = HeightOptions { cell: self.cell.map(|cell| cell.0), white: self.height.map(|it| it.0) };
        let heights = self.heights.iter_mut().map(|heights| Needed::Heights(heights, options));
        heights.chain(self.mesh.iter_mut().map(Needed::Mesh)).collect()
    }

    fn check(&self) -> Result<(), EditError> {
        let named = [self.steps.is_some(), self.heights.is_some(), self.mesh.is_some()];
        match named.into_iter().filter(|named| *named).count() {
            1 => Ok(()),
            _ => Err(Terrain::unclear()),
        }
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        crate::on_terrain(clip, &self.surface()?)
    }
}
