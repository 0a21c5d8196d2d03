//! Correspondence between the surfaces of two bodies.
//!
//! Bodies with one topology correspond vertex by vertex. Otherwise the surface of the first body is fitted to the
//! skeleton of the second bone by bone (`fitted_body.rs`), and each point corresponds to the nearest one there
//! whose normal has about the same direction.

use super::body_surface::BodySurface;
use crate::fitted_body::Figure;
use mocap_model::Vector3;
use mocap_skin::{Affine, Part, Sided, Surface, TriangleTree, barycentric};
use std::collections::BTreeMap;

/// Normals have about the same direction if their cosine is at least this.
const ALIKE: f64 = 0.3;

/// A point on the surface of a body, moved by its skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfacePlace {
    pub corners: [u32; 3],
    /// Barycentric coordinates in the triangle of `corners`; they sum to 1.
    pub shares: [f64; 3],
    /// Unit normal in the bind pose, outwards; zero if the surface has none there.
    normal: Vector3<f64>,
}

impl SurfacePlace {
    /// The corner with the greatest share.
    pub(crate) fn corner(&self) -> usize {
        let best = (0..3).fold(0, |best, i| if self.shares[i] > self.shares[best] { i } else { best });
        self.corners[best] as usize
    }

    /// Its position in a pose.
    pub(crate) fn posed(&self, surface: &Surface, palette: &[Affine]) -> Vector3<f64> {
        let corner = |(corner, share): (&u32, f64)| match share > 0.0 {
            true => surface.posed_vertex(palette, *corner as usize) * share,
            false => Vector3::zeros(),
        };
        self.corners.iter().zip(self.shares).map(corner).sum()
    }

    /// Its normal in a pose, of any length.
    pub(crate) fn posed_normal(&self, surface: &Surface, palette: &[Affine]) -> Vector3<f64> {
        let influences = surface.influences(self.corner());
        influences.map(|(bone, share)| palette[bone as usize].linear * self.normal * share).sum()
    }
}

/// The region of a body; points correspond within the same region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Core,
    Arm(Sided),
}

impl Region {
    fn of(part: Part) -> Option<Region> {
        match part {
            Part::UpperArm(side) | Part::Forearm(side) | Part::Hand(side) => Some(Region::Arm(side)),
            part => part.is_core().then_some(Region::Core),
        }
    }

    const ALL: [Region; 3] = [Region::Core, Region::Arm(Sided::Left), Region::Arm(Sided::Right)];
}

/// The triangles of a region, in a pose.
#[derive(Debug)]
pub(crate) struct RegionTree {
    region: Region,
    triangles: Vec<[u32; 3]>,
    tree: TriangleTree,
}

/// Triangles of trunk, head and legs, and of each arm, in a pose.
#[derive(Debug)]
pub(crate) struct RegionTrees {
    trees: [RegionTree; 3],
    /// 1 if the faces of the mesh are oriented outwards, else -1.
    outwards: f64,
}

impl RegionTrees {
    pub(crate) fn new(body: &BodySurface, places: &[Vector3<f64>]) -> RegionTrees {
        let all = &body.surface.triangles;
        let trees = Region::ALL.map(|region| {
            let own = |corner: &u32| Region::of(body.parts[*corner as usize]) == Some(region);
            let triangles = all.iter().filter(|triangle| triangle.iter().all(own));
            let triangles: Vec<[u32; 3]> = triangles.copied().collect();
            RegionTree { region, tree: TriangleTree::new(triangles.clone(), places), triangles }
        });
        let six = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| places[corner as usize]);
            a.cross(&b).dot(&c)
        };
        let outwards = if all.iter().map(six).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        RegionTrees { trees, outwards }
    }

    /// The nearest point of the region that a part belongs to. If `normal` is given, only faces with about that
    /// normal count.
    pub(crate) fn nearest(
        &self,
        surface: &Surface,
        places: &[Vector3<f64>],
        (at, part): (&Vector3<f64>, Part),
        normal: Option<&Vector3<f64>>,
    ) -> Option<SurfacePlace> {
        let region = Region::of(part)?;
        let RegionTree { tree, triangles, .. } = self.trees.iter().find(|tree| tree.region == region)?;
        let looks = |corners: &[Vector3<f64>; 3]| match normal {
            Some(normal) => {
                let own = normal_of(corners) * self.outwards;
                own.dot(normal) >= ALIKE * own.norm() * normal.norm()
            }
            None => true,
        };
        let found = tree
            .closest_where(at, places, f64::INFINITY, looks)
            .or_else(|| tree.closest(at, places, f64::INFINITY))?;
        let corners = triangles[found.triangle];
        let shares = barycentric(corners.map(|corner| places[corner as usize]), &found.place);
        let at_bind = normal_of(&corners.map(|corner| surface.positions()[corner as usize])) * self.outwards;
        let normal = at_bind.try_normalize(0.0).unwrap_or_default();
        Some(SurfacePlace { corners, shares, normal })
    }
}

fn normal_of([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

/// From the surface of one body to that of another.
#[derive(Debug)]
pub(crate) struct Correspondence<'a> {
    source: &'a BodySurface,
    target: &'a BodySurface,
    /// Unit normals by vertex of the source, outwards, in the pose of `fitted`.
    normals: Vec<Vector3<f64>>,
    /// `None` for bodies with one topology.
    fit: Option<Fit>,
    known: BTreeMap<u32, Option<SurfacePlace>>,
}

#[derive(Debug)]
struct Fit {
    /// The vertices of the source, fitted to the skeleton of the target.
    places: Vec<Vector3<f64>>,
    /// The vertices of the target at rest.
    rest: Vec<Vector3<f64>>,
    trees: RegionTrees,
}

impl<'a> Correspondence<'a> {
    pub(crate) fn new(source: &'a BodySurface, target: &'a BodySurface) -> Correspondence<'a> {
        let (a, b) = (&source.surface, &target.surface);
        let is_one = a.triangles == b.triangles && source.parts == target.parts;
        Correspondence::with(source, target, is_one)
    }

    /// `is_one`: whether both have the same topology.
    fn with(source: &'a BodySurface, target: &'a BodySurface, is_one: bool) -> Correspondence<'a> {
        let fit = (!is_one).then(|| {
            let own = Figure::new(&source.skeleton, &source.roles);
            let other = Figure::new(&target.skeleton, &target.roles);
            let fits = own.fits(&other);
            let put: Vec<Affine> = source
                .surface
                .bones()
                .iter()
                .map(|bone| {
                    let posed = own.rest.joints[bone.joint.index()].to_homogeneous() * bone.inverse_bind;
                    Affine::of(&(fits[bone.joint.index()].0.matrix() * posed))
                })
                .collect();
            let (mut places, mut rest) = (Vec::new(), Vec::new());
            source.surface.pose_into(&put, &mut places);
            target.surface.pose_into(&target.surface.palette_of(&other.rest), &mut rest);
            let trees = RegionTrees::new(target, &rest);
            Fit { places, rest, trees }
        });
        // With one topology, the normals are those of the target.
        let normals = match &fit {
            Some(fit) => normals(&source.surface, &fit.places),
            None => normals(&target.surface, target.surface.positions()),
        };
        Correspondence { source, target, normals, fit, known: BTreeMap::new() }
    }

    /// The point that corresponds to a vertex of the source.
    pub(crate) fn of_vertex(&mut self, vertex: u32) -> Option<SurfacePlace> {
        if let Some(known) = self.known.get(&vertex) {
            return *known;
        }
        let normal = self.normals[vertex as usize];
        let found = match &self.fit {
            None => Some(SurfacePlace { corners: [vertex; 3], shares: [1.0, 0.0, 0.0], normal }),
            Some(Fit { places, rest, trees }) => {
                let at = (&places[vertex as usize], self.source.parts[vertex as usize]);
                trees.nearest(&self.target.surface, rest, at, Some(&normal))
            }
        };
        self.known.insert(vertex, found);
        found
    }
}

/// Unit normals by vertex, outwards; zero for vertices without a triangle.
fn normals(surface: &Surface, places: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); places.len()];
    let mut volume = 0.0;
    for triangle in &surface.triangles {
        let corners = triangle.map(|corner| places[corner as usize]);
        let [a, b, c] = corners;
        volume += a.cross(&b).dot(&c);
        triangle.iter().for_each(|corner| sums[*corner as usize] += normal_of(&corners));
    }
    let outwards = if volume < 0.0 { -1.0 } else { 1.0 };
    sums.into_iter().map(|sum| sum.try_normalize(0.0).unwrap_or_default() * outwards).collect()
}
