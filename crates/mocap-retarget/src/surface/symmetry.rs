//! Whether the surface of a body is its own mirror image.

use super::TargetSurface;
use super::body_surface::BodySurface;
use mocap_model::Vector3;
use std::collections::HashMap;

/// The mirror image of a vertex is this near to another one, for a person of 1.7 m \[m\] ...
const ALIKE: f64 = 0.002;
/// ... or to the surface, of meshes whose vertices are not in pairs: about the accuracy of the distance fields.
const ON_SURFACE: f64 = 0.006;
/// This share of the vertices has to be so.
const SHARE: f64 = 0.98;
/// At most so many vertices are looked at.
const LOOKED: usize = 4000;

impl TargetSurface {
    /// Whether left and right of trunk, head, legs, forearms and hands are alike in the bind pose.
    pub fn is_symmetric(&self) -> bool {
        self.body.is_symmetric()
    }
}

impl BodySurface {
    fn is_symmetric(&self) -> bool {
        let places = self.surface.positions();
        let lateral = self.skeleton.space().up.vector().cross(&self.skeleton.rest_facing());
        let ends = [f64::INFINITY, f64::NEG_INFINITY];
        let ends = places
            .iter()
            .map(|place| place.dot(&lateral))
            .fold(ends, |[low, high], at| [low.min(at), high.max(at)]);
        let middle = (ends[0] + ends[1]) / 2.0;
        let (vertices, near) = (Vertices::of(places, self.person(ALIKE)), self.person(ON_SURFACE));
        let is_alike = |vertex: usize| {
            let place = places[vertex];
            let image = place - lateral * (2.0 * (place.dot(&lateral) - middle));
            let distance = self.distance_of_twin(vertex, &image)?;
            Some(distance.abs() <= near || vertices.has_near(&image))
        };
        let found: Vec<bool> =
            (0..places.len()).step_by(places.len().div_ceil(LOOKED).max(1)).filter_map(is_alike).collect();
        let alike = found.iter().filter(|alike| **alike).count();
        alike as f64 >= SHARE * found.len() as f64
    }

    /// The distance of the mirror image of a vertex from the other forearm and hand, or from trunk, head and legs; infinite
    /// if there are none. `None` of other vertices.
    fn distance_of_twin(&self, vertex: usize, image: &Vector3<f64>) -> Option<f64> {
        let part = self.parts[vertex];
        let own = |side: usize| self.arms[side].as_ref().is_some_and(|arm| part.is_lower_arm_of(arm.side));
        let arm = |side: usize| self.arms[side].as_ref().and_then(|arm| arm.field.as_ref());
        let field = match (part.is_core(), own(0), own(1)) {
            (true, ..) => self.core.as_ref(),
            (_, true, _) => arm(1),
            (_, _, true) => arm(0),
            _ => return None,
        };
        Some(field.map_or(f64::INFINITY, |field| field.at_rest(image).0))
    }
}

/// Vertices by cells of the size in which others are looked for.
struct Vertices<'a> {
    places: &'a [Vector3<f64>],
    near: f64,
    cells: HashMap<[i64; 3], Vec<usize>>,
}

impl Vertices<'_> {
    fn of(places: &[Vector3<f64>], near: f64) -> Vertices<'_> {
        let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
        for (at, place) in places.iter().enumerate() {
            cells.entry(cell(place, near)).or_default().push(at);
        }
        Vertices { places, near, cells }
    }

    fn has_near(&self, place: &Vector3<f64>) -> bool {
        let [x, y, z] = cell(place, self.near);
        let around = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
        let mut found = around.filter_map(|[i, j, k]| self.cells.get(&[x + i, y + j, z + k])).flatten();
        found.any(|other| (self.places[*other] - place).norm() <= self.near)
    }
}

fn cell(place: &Vector3<f64>, size: f64) -> [i64; 3] {
    place.map(|value| (value / size).floor() as i64).into()
}
