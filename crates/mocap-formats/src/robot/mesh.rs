//! Collision meshes of a robot: where their files are, and the convex hulls that collide in their place, as in MuJoCo.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use mocap_mesh::MeshFormat;
use mocap_model::{Hull, Isometry3, Primitive, UnitQuaternion, Vector3};

use super::Problem;
use super::element::{Element, Include};
use crate::{Finding, LFS_POINTER};

/// Larger mesh files are refused: 1.3 million triangles of a binary STL.
const MOST_BYTES: usize = 1 << 26;
/// A hull that leaves points further out than this is said to be cut short \[m\].
const CUT: f64 = 1e-4;

/// How the points of a file become those of a shape: moved by `origin`, turned back by `turn`, then scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    pub(super) origin: Vector3<f64>,
    pub(super) turn: UnitQuaternion<f64>,
    pub(super) scale: Vector3<f64>,
}

impl Fit {
    pub(super) fn scaled(scale: [f64; 3]) -> Fit {
        Fit { origin: Vector3::zeros(), turn: UnitQuaternion::identity(), scale: scale.into() }
    }

    fn apply(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.turn.inverse_transform_vector(&(point - self.origin)).component_mul(&self.scale)
    }
}

/// A hull about its centre of volume, and where that is in the frame of the mesh \[m\].
#[derive(Clone, Debug)]
pub(super) struct MeshHull {
    hull: Arc<Hull>,
    centre: Vector3<f64>,
}

impl MeshHull {
    /// The shape of a mesh that is placed there.
    pub(super) fn placed(self, placement: &Isometry3<f64>) -> (Isometry3<f64>, Primitive) {
        (placement * nalgebra::Translation3::from(self.centre), Primitive::Hull(self.hull))
    }
}

/// Finds meshes and keeps their hulls: many shapes have the same.
pub(super) struct Meshes<'i> {
    include: Include<'i>,
    known: RefCell<HashMap<String, MeshHull>>,
}

/// Why a shape is left out.
pub(super) type LeftOut = String;

impl<'i> Meshes<'i> {
    pub(super) fn new(include: Include<'i>) -> Meshes<'i> {
        Meshes { include, known: RefCell::default() }
    }

    /// The hull of the first of these files that is there; else why there is none. `stated` is the name of the file in
    /// the `element` that refers to it.
    pub(super) fn of_file(
        &self,
        element: &Element,
        stated: &str,
        places: &[String],
        fit: &Fit,
        warnings: &mut Vec<Finding>,
    ) -> Result<Result<MeshHull, LeftOut>, Finding> {
        let name = stated.rsplit(['/', '\\']).next().unwrap_or(stated);
        let Some(format) = MeshFormat::of_path(Path::new(name)) else {
            return Ok(Err(format!("'{stated}' is not STL, OBJ or PLY")));
        };
        if places.is_empty() {
            return Ok(Err(format!("'{stated}' is not in the folder of the model or beside it")));
        }
        let key = format!("{places:?} {fit:?}");
        if let Some(hull) = self.known.borrow().get(&key) {
            return Ok(Ok(hull.clone()));
        }
        let found = places.iter().find_map(|place| Some((place, (self.include)(place).ok()?)));
        let Some((place, bytes)) = found else {
            return Ok(Err(format!("'{stated}' is not there")));
        };
        if bytes.starts_with(LFS_POINTER) {
            return Ok(Err(format!("'{stated}' is a Git LFS pointer: `git lfs pull` downloads the file")));
        }
        let refused = |why: String| element.error(Problem::Mesh { mesh: place.clone(), why });
        if bytes.len() > MOST_BYTES {
            let why = format!("has {} bytes; at most {MOST_BYTES} are read", bytes.len());
            return Err(refused(why));
        }
        let read = mocap_mesh::read(&bytes, format);
        let read = read.map_err(|error| refused(format!("cannot be read: {error}")))?;
        let points: Vec<_> = read.body.meshes.iter().flat_map(|mesh| &mesh.positions).copied().collect();
        let hull = hull(element, place, &points, fit, warnings)?;
        self.known.borrow_mut().insert(key, hull.clone());
        Ok(Ok(hull))
    }

    /// The hull of the points that the model itself states for a mesh of this name.
    pub(super) fn of_points(
        &self,
        element: &Element,
        name: &str,
        points: impl FnOnce() -> Result<Vec<Vector3<f64>>, Finding>,
        fit: &Fit,
        warnings: &mut Vec<Finding>,
    ) -> Result<MeshHull, Finding> {
        let key = format!("the points of {name} {fit:?}");
        if let Some(hull) = self.known.borrow().get(&key) {
            return Ok(hull.clone());
        }
        let hull = hull(element, name, &points()?, fit, warnings)?;
        self.known.borrow_mut().insert(key, hull.clone());
        Ok(hull)
    }
}

/// The hull of points; `mesh` names where they are from.
fn hull(
    element: &Element,
    mesh: &str,
    points: &[Vector3<f64>],
    fit: &Fit,
    warnings: &mut Vec<Finding>,
) -> Result<MeshHull, Finding> {
    let fitted: Vec<_> = points.iter().map(|point| fit.apply(point)).collect();
    let flat = || element.error(Problem::FlatMesh { mesh: mesh.to_owned(), points: points.len() });
    let hull = Hull::of(&fitted).ok_or_else(flat)?;
    if hull.left_out() > CUT {
        let (corners, left_out) = (hull.corners().len(), hull.left_out());
        warnings.push(element.error(Problem::CutHull { mesh: mesh.to_owned(), corners, left_out }));
    }
    let centre = hull.centre();
    Ok(MeshHull { hull: Arc::new(hull.moved(&-centre)), centre })
}

/// Most folders and names at the end of a path that are looked for beside a model.
const DEEP: usize = 6;

/// Where a file of a URDF may be: in the package that it names, whether the model is in the package, in a folder of it,
/// in one beside the file's or beside the package; in the folder for meshes; beside the model.
pub(super) fn places_of_urdf(stated: &str, folder: Option<&str>) -> Vec<String> {
    let path = stated.replace('\\', "/");
    let package = ["package://", "model://"].iter().find_map(|scheme| path.strip_prefix(scheme));
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut places = Vec::new();
    match package.map(|package| (package, package.split_once('/'))) {
        Some((whole, Some((_, rest)))) => {
            places.extend([rest.to_owned(), format!("../{rest}"), whole.to_owned(), format!("../{whole}")]);
            // The model may be deeper in its package, beside the folders of its files.
            let parts: Vec<&str> = rest.split('/').collect();
            for count in (2..parts.len().min(DEEP + 1)).rev() {
                let rest = parts[parts.len() - count..].join("/");
                places.extend([rest.clone(), format!("../{rest}")]);
            }
        }
        Some((whole, None)) => places.push(whole.to_owned()),
        None => places.push(path.clone()),
    }
    places.extend(folder.map(|folder| format!("{folder}/{name}")));
    places.push(name.to_owned());
    inside(places)
}

/// Where a file of an MJCF may be: in the folder for meshes, of the model or of the file that is included.
pub(super) fn places_of_mjcf(stated: &str, folder: &str, strip: bool, included: Option<&str>) -> Vec<String> {
    let path = stated.replace('\\', "/");
    let path = if strip { path.rsplit('/').next().unwrap_or_default() } else { &path };
    let main = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let of_included =
        included.and_then(|file| file.rsplit_once('/')).map(|(folder, _)| format!("{folder}/{main}"));
    // A path from the root stays one.
    let main = if path.starts_with('/') { path.to_owned() } else { main };
    inside(std::iter::once(main).chain(of_included).collect())
}

/// Paths without detours; those that are neither in the folder of the model nor in the one above it are left out.
fn inside(places: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for place in places {
        let mut parts: Vec<&str> = Vec::new();
        for part in place.split('/').filter(|part| !part.is_empty() && *part != ".") {
            match part {
                ".." if parts.last().is_some_and(|last| *last != "..") => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        let up = parts.iter().filter(|part| **part == "..").count();
        let leaves = up > 1 || parts.len() == up || place.starts_with('/') || place.contains([':', '\0']);
        let place = parts.join("/");
        if !leaves && !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_may_be_around_the_model_or_beside_it() {
        let places = places_of_urdf("package://g1/meshes/hip.STL", None);
        assert_eq!(
            places,
            ["meshes/hip.STL", "../meshes/hip.STL", "g1/meshes/hip.STL", "../g1/meshes/hip.STL", "hip.STL"]
        );
        assert_eq!(
            places_of_urdf("../meshes/./hip.stl", Some("m/")),
            ["../meshes/hip.stl", "m/hip.stl", "hip.stl"]
        );
        assert_eq!(places_of_urdf("file:///home/a/hip.stl", None), ["hip.stl"]);
        assert_eq!(places_of_urdf("package://hip.stl", None), ["hip.stl"]);
        // A model in robots/g1/urdf of its package.
        let deep = places_of_urdf("package://all/robots/g1/meshes/hip.stl", None);
        assert!(deep.contains(&"../meshes/hip.stl".to_owned()), "{deep:?}");
        // Of long paths, few ends are looked for.
        let long = places_of_urdf(&format!("package://{}h.stl", "a/".repeat(10_000)), None);
        assert!(long.len() < 20, "{}", long.len());
    }

    #[test]
    fn meshes_of_mjcf_are_in_their_folder() {
        assert_eq!(places_of_mjcf("a/b.obj", "", false, None), ["a/b.obj"]);
        assert_eq!(places_of_mjcf("a\\b.obj", "assets", true, None), ["assets/b.obj"]);
        let included = places_of_mjcf("b.obj", "../meshes", false, Some("xml/parts.xml"));
        assert_eq!(included, ["../meshes/b.obj", "meshes/b.obj"]);
    }

    #[test]
    fn no_path_leads_further_up_than_one_folder() {
        for path in
            ["../../a.stl", "/etc/a.stl", "a/../../../b.stl", "c:/a.stl", "..", "../", "", "http://a/b.stl"]
        {
            assert!(places_of_mjcf(path, "", false, None).is_empty(), "{path}");
        }
        assert_eq!(places_of_mjcf("/etc/a.stl", "m", false, None), Vec::<String>::new());
    }
}
