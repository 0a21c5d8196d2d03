//! The support polygon: the convex hull of the contact points on the floor.

use nalgebra::Vector2;

/// A convex polygon on the floor, counterclockwise \[m\]; it may be a point or a line.
///
/// ```
/// use mocap_analysis::Polygon;
/// use nalgebra::Vector2;
///
/// let sole = Polygon::around(&[[0.0, 0.0], [0.2, 0.0], [0.2, 0.1], [0.0, 0.1], [0.1, 0.05]].map(Vector2::from));
/// assert_eq!(sole.corners().len(), 4);
/// assert!((sole.margin(&Vector2::new(0.1, 0.03)) - 0.03).abs() < 1e-12);
/// assert!((sole.margin(&Vector2::new(0.3, 0.05)) + 0.1).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygon {
    corners: Vec<Vector2<f64>>,
}

impl Polygon {
    /// The convex hull of points. Based on: A. M. Andrew, "Another efficient algorithm for convex hulls in two
    /// dimensions", 1979.
    pub fn around(points: &[Vector2<f64>]) -> Polygon {
        let mut sorted = points.to_vec();
        sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        sorted.dedup();
        if sorted.len() < 3 {
            return Polygon { corners: sorted };
        }
        let half = |points: &mut dyn Iterator<Item = &Vector2<f64>>| {
            let mut chain: Vec<Vector2<f64>> = Vec::new();
            for point in points {
                while let [.., a, b] = chain[..]
                    && (b - a).perp(&(point - a)) <= 0.0
                {
                    chain.pop();
                }
                chain.push(*point);
            }
            chain.pop();
            chain
        };
        let mut corners = half(&mut sorted.iter());
        corners.extend(half(&mut sorted.iter().rev()));
        Polygon { corners }
    }

    /// Its corners, counterclockwise.
    pub fn corners(&self) -> &[Vector2<f64>] {
        &self.corners
    }

    /// Whether the polygon has no points, because nothing is on the floor.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    fn edges(&self) -> impl Iterator<Item = [Vector2<f64>; 2]> + '_ {
        let next = |index: usize| self.corners[(index + 1) % self.corners.len()];
        self.corners.iter().enumerate().map(move |(index, corner)| [*corner, next(index)])
    }

    fn contains(&self, point: &Vector2<f64>) -> bool {
        self.corners.len() > 2 && self.edges().all(|[a, b]| (b - a).perp(&(point - a)) >= 0.0)
    }

    /// The nearest point of its edge; `point` itself if the polygon is empty.
    fn nearest_of_edge(&self, point: &Vector2<f64>) -> Vector2<f64> {
        let on = |[a, b]: [Vector2<f64>; 2]| {
            let way = b - a;
            let square = way.norm_squared();
            let share = if square > 0.0 { ((point - a).dot(&way) / square).clamp(0.0, 1.0) } else { 0.0 };
            a + way * share
        };
        let away = |other: &Vector2<f64>| (other - point).norm_squared();
        self.edges().map(on).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(*point)
    }

    /// The nearest point of the polygon; `point` itself if it is inside.
    pub fn nearest(&self, point: &Vector2<f64>) -> Vector2<f64> {
        if self.contains(point) { *point } else { self.nearest_of_edge(point) }
    }

    /// Distance of a point from the edge \[m\]: positive inside, negative outside, minus infinity for an empty
    /// polygon.
    pub fn margin(&self, point: &Vector2<f64>) -> f64 {
        if self.corners.is_empty() {
            return f64::NEG_INFINITY;
        }
        let distance = (self.nearest_of_edge(point) - point).norm();
        if self.contains(point) { distance } else { -distance }
    }

    /// The polygon of all points further than `by` from its edge \[m\]; its centre if there are none.
    pub fn shrunk(&self, by: f64) -> Polygon {
        let middle = self.corners.iter().sum::<Vector2<f64>>() / self.corners.len().max(1) as f64;
        let mut inner = self.corners.clone();
        for [a, b] in self.edges().filter(|_| self.corners.len() > 2) {
            let Some(inwards) = Vector2::new(a.y - b.y, b.x - a.x).try_normalize(1e-12) else { continue };
            let height = |point: &Vector2<f64>| inwards.dot(&(point - a)) - by;
            let mut kept = Vec::with_capacity(inner.len() + 1);
            for (index, from) in inner.iter().enumerate() {
                let to = inner[(index + 1) % inner.len()];
                let (above, next) = (height(from), height(&to));
                if above >= 0.0 {
                    kept.push(*from);
                }
                if (above < 0.0) != (next < 0.0) {
                    kept.push(from + (to - from) * (above / (above - next)));
                }
            }
            inner = kept;
        }
        let whole = self.corners.len() > 2 && inner.len() > 2;
        Polygon { corners: if whole { inner } else { vec![middle; usize::from(!self.is_empty())] } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_lines_are_polygons() {
        let at = |x: f64, y: f64| Vector2::new(x, y);
        let line = Polygon::around(&[at(0.0, 0.0), at(1.0, 0.0), at(0.5, 0.0)]);
        assert_eq!(line.margin(&at(0.5, 0.2)), -0.2);
        assert_eq!(line.nearest(&at(2.0, 1.0)), at(1.0, 0.0));
        assert_eq!(Polygon::around(&[at(1.0, 1.0)]).margin(&at(1.0, 3.0)), -2.0);
        assert_eq!(Polygon::default().margin(&at(0.0, 0.0)), f64::NEG_INFINITY);
        assert!(Polygon::default().shrunk(0.1).is_empty());
    }

    #[test]
    fn a_shrunk_square_has_its_sides_further_in() {
        let square = Polygon::around(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vector2::from));
        let inner = square.shrunk(0.2);
        assert!((inner.margin(&Vector2::new(0.5, 0.5)) - 0.3).abs() < 1e-12, "{inner:?}");
        assert_eq!(inner.corners().len(), 4);
        assert_eq!(square.shrunk(0.6).corners(), [Vector2::new(0.5, 0.5)]);
    }
}
