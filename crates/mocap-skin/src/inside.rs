//! Share and depth of vertices inside the rest of a body, measured on the mesh.

use crate::occupancy_bounds::OccupancyBounds;
use crate::{Affine, Surface, TriangleTree};
use mocap_model::Vector3;

/// A vertex is inside if the winding number is above this.
const INSIDE: f64 = 0.5;

/// Measures which vertices are inside of a set of triangles, pose by pose.
#[derive(Clone, Debug)]
pub struct InsideMeter {
    tree: TriangleTree,
    bounds: OccupancyBounds,
    /// The vertices that are measured.
    measured: Vec<u32>,
    /// The vertices of the triangles.
    obstacle: Vec<u32>,
    places: Vec<Vector3<f64>>,
}

/// The measurement of one pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inside {
    /// Share of the vertices that are inside, 0 to 1.
    pub share: f64,
    /// Greatest distance of one of them from the surface [units of the skeleton]; 0 if none is inside.
    pub deepest: f64,
    /// The vertex that is deepest.
    pub vertex: Option<u32>,
}

/// A vertex near a set of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearVertex {
    /// Its distance, negative inside [units of the skeleton].
    pub distance: f64,
    /// The unit vector that leads it away from the triangles, or out of them.
    pub away: Vector3<f64>,
}

impl InsideMeter {
    /// Measures `measured` vertices against the triangles whose vertices all pass `is_obstacle`. `None` if
    /// there are none of either.
    pub fn new(
        surface: &Surface,
        measured: Vec<u32>,
        is_obstacle: impl Fn(usize) -> bool,
    ) -> Option<InsideMeter> {
        let triangles = surface.triangles.iter();
        let triangles: Vec<[u32; 3]> = triangles
            .filter(|triangle| triangle.iter().all(|corner| is_obstacle(*corner as usize)))
            .copied()
            .collect();
        if triangles.is_empty() || measured.is_empty() {
            return None;
        }
        let mut obstacle: Vec<u32> = triangles.iter().flatten().copied().collect();
        obstacle.sort_unstable();
        obstacle.dedup();
        let tree = TriangleTree::new(triangles, surface.positions());
        let places = surface.positions().to_vec();
        Some(InsideMeter { tree, bounds: OccupancyBounds::default(), measured, obstacle, places })
    }

    /// The vertices that are measured.
    pub fn measured(&self) -> &[u32] {
        &self.measured
    }

    /// Poses the measured vertices and those of the triangles, and fits the quick test to them; the
    /// tree is fitted by the callers.
    fn pose(&mut self, surface: &Surface, palette: &[Affine]) {
        for vertex in self.obstacle.iter().chain(&self.measured) {
            self.places[*vertex as usize] = surface.posed_vertex(palette, *vertex as usize);
        }
        self.bounds.refit(&self.tree.triangles, &self.obstacle, &self.places);
    }

    /// Sets the pose in which [`InsideMeter::near`] measures.
    pub fn set_pose(&mut self, surface: &Surface, palette: &[Affine]) {
        self.pose(surface, palette);
        self.tree.refit(&self.places);
    }

    /// The measured vertices, moved by `moved`, that are nearer to the triangles than `within`, or inside and less deep
    /// than `depth`.
    pub fn near(&self, moved: &Vector3<f64>, within: f64, depth: f64) -> Vec<NearVertex> {
        let each = self.measured.iter();
        each.filter_map(|vertex| self.near_vertex(*vertex, moved, within, depth)).collect()
    }

    /// The one of [`InsideMeter::near`] with the least distance.
    pub fn nearest(&self, moved: &Vector3<f64>, within: f64, depth: f64) -> Option<NearVertex> {
        let mut least: Option<NearVertex> = None;
        for vertex in &self.measured {
            let within = least.map_or(within, |least| least.distance.max(0.0).min(within));
            let found = self.near_vertex(*vertex, moved, within, depth);
            least = found.into_iter().chain(least).reduce(|a, b| if b.distance < a.distance { b } else { a });
        }
        least
    }

    fn near_vertex(&self, vertex: u32, moved: &Vector3<f64>, within: f64, depth: f64) -> Option<NearVertex> {
        let at = self.places[vertex as usize] + moved;
        let inside = self.bounds.may_hold(&at) && self.tree.winding(&at, &self.places).abs() > INSIDE;
        let closest = self.tree.closest(&at, &self.places, if inside { depth } else { within })?;
        let sign = if inside { -1.0 } else { 1.0 };
        let away = ((at - closest.place) * sign).try_normalize(1e-9)?;
        Some(NearVertex { distance: closest.distance * sign, away })
    }

    /// Measures a pose, given by the palette of the surface.
    pub fn measure(&mut self, surface: &Surface, palette: &[Affine]) -> Inside {
        self.pose(surface, palette);
        let near: Vec<u32> = self
            .measured
            .iter()
            .filter(|vertex| self.bounds.may_hold(&self.places[**vertex as usize]))
            .copied()
            .collect();
        if near.is_empty() {
            return Inside::default();
        }
        self.tree.refit(&self.places);
        let mut found = Inside::default();
        let mut count = 0;
        for vertex in near {
            let at = self.places[vertex as usize];
            // Faces may be oriented inwards.
            if self.tree.winding(&at, &self.places).abs() <= INSIDE {
                continue;
            }
            count += 1;
            let depth = self.tree.closest(&at, &self.places, f64::INFINITY);
            let depth = depth.map_or(0.0, |closest| closest.distance);
            if found.vertex.is_none() || depth > found.deepest {
                found.deepest = depth;
                found.vertex = Some(vertex);
            }
        }
        found.share = f64::from(count) / self.measured.len() as f64;
        found
    }

    /// The least distance of some vertices from the triangles in a pose [units of the skeleton],
    /// negative inside, and that vertex; `None` if all are further away than `within`.
    pub fn gap(
        &mut self,
        surface: &Surface,
        palette: &[Affine],
        vertices: &[u32],
        within: f64,
    ) -> Option<(f64, u32)> {
        self.pose(surface, palette);
        self.tree.refit(&self.places);
        let mut least: Option<(f64, u32)> = None;
        for vertex in vertices {
            let at = surface.posed_vertex(palette, *vertex as usize);
            let Some(closest) = self.tree.closest(&at, &self.places, within) else { continue };
            let inside = self.bounds.may_hold(&at) && self.tree.winding(&at, &self.places).abs() > INSIDE;
            let gap = if inside { -closest.distance } else { closest.distance };
            if least.is_none_or(|(other, _)| gap < other) {
                least = Some((gap, *vertex));
            }
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::spheres;
    use mocap_model::Pose;

    #[test]
    fn a_sphere_that_enters_another_is_inside_by_as_much() {
        let centres = [Vector3::zeros(), Vector3::new(1.0, 0.0, 0.0)];
        let (surface, skeleton) = spheres(centres, [0.5, 0.1]);
        let half = surface.positions().len() / 2;
        let small: Vec<u32> = (half as u32..2 * half as u32).collect();
        let mut meter = InsideMeter::new(&surface, small.clone(), |vertex| vertex < half).unwrap();
        let mut local = Pose::rest(&skeleton);
        let mut object = Pose::default();
        let mut measure = |x: f64| {
            local.joints[1].translation.vector.x = x;
            local.to_object(&skeleton, &mut object);
            let palette = surface.palette_of(&object);
            let gap = meter.gap(&surface, &palette, &small, 1.0).unwrap().0;
            (meter.measure(&surface, &palette), gap)
        };
        let (apart, gap) = measure(0.7);
        assert_eq!((apart.share, apart.deepest, apart.vertex), (0.0, 0.0, None));
        assert!((gap - 0.1).abs() < 0.005, "{gap}");
        let (half_inside, gap) = measure(0.5);
        // The small sphere was bound half a metre further away.
        let near =
            |vertex: &&u32| (surface.positions()[**vertex as usize] - Vector3::x() * 0.5).norm() < 0.4985;
        let expected = small.iter().filter(near).count() as f64 / small.len() as f64;
        assert!((half_inside.share - expected).abs() < 0.03, "{half_inside:?} {expected}");
        assert!((half_inside.deepest - 0.1).abs() < 0.01, "{half_inside:?}");
        assert!((gap + 0.1).abs() < 0.01, "{gap}");
        let (swallowed, _) = measure(0.0);
        assert!(swallowed.share == 1.0 && swallowed.deepest > 0.38, "{swallowed:?}");
        // Faces that look inwards enclose the same.
        let mut inverted = surface.clone();
        inverted.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        let mut of_inverted = InsideMeter::new(&inverted, small.clone(), |vertex| vertex < half).unwrap();
        assert_eq!(of_inverted.measure(&inverted, &inverted.palette_of(&object)).share, 1.0);
        assert!(InsideMeter::new(&surface, Vec::new(), |_| true).is_none());
        assert!(InsideMeter::new(&surface, small, |_| false).is_none());
    }
}
