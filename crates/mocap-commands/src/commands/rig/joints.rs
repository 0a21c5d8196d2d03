//! Reads positions of joints that the user states.

use std::collections::BTreeMap;
use std::path::Path;

use mocap_model::Vector3;
use mocap_rig::RigMesh;

use crate::batch::JobContext;
use crate::diagnostic::Diagnostic;

/// The most bytes of such a file.
const LARGEST: u64 = 1 << 20;

/// Positions by joint name [m].
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Vector3<f64>>, Diagnostic> {
    let bytes = JobContext::standalone().read_file(path, LARGEST)?;
    let places: BTreeMap<String, [f64; 3]> = serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("line {}, column {}: {error}", error.line(), error.column());
        Diagnostic::new("rig::joints", message)
            .in_file(path)
            .help("an object of joints, each with three metres: {\"LeftArm\": [0.15, 1.27, 0.02]}")
    })?;
    Ok(places.into_iter().map(|(name, place)| (name, Vector3::from(place))).collect())
}

/// Rejects positions further from a mesh than its size; positions are in units of the mesh.
pub(super) fn check(mesh: &RigMesh, places: &BTreeMap<String, Vector3<f64>>) -> Result<(), Diagnostic> {
    for (name, place) in places {
        let far = mesh.far_from_box(place);
        if far > mesh.size {
            let times = far / mesh.size;
            let message = format!("joint '{name}' is {times:.1} times the size of the mesh away from it");
            return Err(Diagnostic::new("rig::joints", message).help("places are in metres of the output"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_far_from_the_mesh_are_refused() {
        let places = vec![Vector3::zeros(), Vector3::y()];
        let mesh = RigMesh { places, size: 1.0, ..RigMesh::default() };
        let at = |x: f64| BTreeMap::from([("Hips".to_owned(), Vector3::new(x, 0.5, 0.0))]);
        assert!(check(&mesh, &at(0.9)).is_ok());
        assert!(check(&mesh, &at(1e15)).is_err());
    }
}
