//! The meshes of an MJCF: `<mesh>` elements of `<asset>`, with the defaults of their classes.

use std::collections::HashMap;

use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::Quaternion;

use super::element::Element;
use super::mesh::{Fit, LeftOut, MeshHull, Meshes, places_of_mjcf};
use crate::Finding;

/// The meshes of `<asset>`.
pub(super) struct Assets<'i> {
    meshes: &'i Meshes<'i>,
    /// The folder of meshes; may be empty.
    folder: &'i str,
    /// Whether only the last part of the path of a file counts.
    strip_path: bool,
    by_name: HashMap<String, Element>,
}

impl<'i> Assets<'i> {
    /// `stated` are the `<mesh>` elements with their defaults.
    pub(super) fn of(
        stated: Vec<Element>,
        meshes: &'i Meshes<'i>,
        (folder, strip_path): (&'i str, bool),
    ) -> Assets<'i> {
        let mut by_name = HashMap::new();
        for mesh in stated {
            let file = mesh.get("file").map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file));
            let of_file = || file.map(|file| file.rsplit_once('.').map_or(file, |(name, _)| name));
            if let Some(name) = mesh.get("name").or_else(of_file) {
                by_name.insert(name.to_owned(), mesh);
            }
        }
        Assets { meshes, folder, strip_path, by_name }
    }

    /// The hull of a mesh; else why there is none.
    pub(super) fn hull(
        &self,
        name: &str,
        warnings: &mut Vec<Finding>,
    ) -> Result<Result<MeshHull, LeftOut>, Finding> {
        let Some(mesh) = self.by_name.get(name) else {
            return Ok(Err(format!("no mesh is called '{name}'")));
        };
        let turn = mesh.numbers::<4>("refquat")?.map(|[w, x, y, z]| Quaternion::new(w, x, y, z));
        let turn = turn.and_then(|turn| UnitQuaternion::try_new(turn, 1e-12));
        let fit = Fit {
            origin: mesh.numbers::<3>("refpos")?.unwrap_or_default().into(),
            turn: turn.unwrap_or_else(UnitQuaternion::identity),
            scale: mesh.numbers::<3>("scale")?.unwrap_or([1.0; 3]).into(),
        };
        if let Some(file) = mesh.get("file") {
            let places = places_of_mjcf(file, self.folder, self.strip_path, mesh.file());
            return self.meshes.of_file(mesh, file, &places, &fit, warnings);
        }
        let Some(numbers) = mesh.get("vertex") else {
            return Ok(Err(format!("the mesh '{name}' has neither a file nor vertices")));
        };
        let points = || {
            let numbers = mesh.numbers_in("vertex", numbers)?;
            Ok(numbers.as_chunks::<3>().0.iter().map(|point| Vector3::from(*point)).collect())
        };
        self.meshes.of_points(mesh, name, points, &fit, warnings).map(Ok)
    }
}
