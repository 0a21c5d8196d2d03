//! The surface of a terrain: heights over the ground, and normals.

use std::fmt;
use std::str::FromStr;

use mocap_model::{Length, Vector3};

use crate::EditError;

/// The most triangles of a mesh.
const MOST_TRIANGLES: usize = 5_000_000;
/// The most heights of a grid.
const MOST_HEIGHTS: usize = 50_000_000;
/// The most entries of the index of a mesh.
const MOST_ENTRIES: usize = 20_000_000;
/// Cells along each side of the index of a mesh, at most.
const MOST_CELLS: f64 = 512.0;

/// Why a place has no height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gap {
    /// Within the terrain.
    Hole,
    /// Beyond its edge.
    Outside,
}

/// The most steps of a staircase.
const MOST_STEPS: f64 = 1e6;

/// A staircase of infinite width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Height of a step; below 0 they go down \[m\].
    pub rise: f64,
    /// Depth of a step \[m\].
    pub run: f64,
    /// Number of steps.
    pub count: u32,
    /// The distance to the first one \[m\].
    pub from: f64,
}

impl FromStr for Steps {
    type Err = String;

    /// `RISE,RUN[,COUNT[,FROM]]`: by default 10 steps, the first of which is 1 m ahead.
    fn from_str(text: &str) -> Result<Steps, String> {
        let wrong = || {
            format!(
                "'{text}' is not RISE,RUN[,COUNT[,FROM]] in metres or with units, such as 17cm,29cm,8, with a run above 0"
            )
        };
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let (rise, run, count, from) = match parts[..] {
            [rise, run] => (rise, run, "10", "1"),
            [rise, run, count] => (rise, run, count, "1"),
            [rise, run, count, from] => (rise, run, count, from),
            _ => return Err(wrong()),
        };
        let metres = |part: &str| {
            let size = part.strip_prefix('-').unwrap_or(part).parse::<Length>().map_err(|_| wrong())?;
            Ok::<f64, String>(if part.starts_with('-') { -size.0 } else { size.0 })
        };
        // Programs may write whole numbers as 8.0.
        let count: f64 = count.parse().map_err(|_| wrong())?;
        if !((0.0..=MOST_STEPS).contains(&count) && count.fract() == 0.0) {
            return Err(wrong());
        }
        let steps =
            Steps { rise: metres(rise)?, run: metres(run)?, count: count as u32, from: metres(from)? };
        if steps.run > 0.0 { Ok(steps) } else { Err(wrong()) }
    }
}

mocap_model::text_values! {
    Steps "RISE,RUN[,COUNT[,FROM]]";
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{},{}", self.rise, self.run, self.count, self.from)
    }
}

/// Heights at the corners of square cells; between them they are bilinear. The middle of the grid is the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    columns: usize,
    cell: f64,
    /// Row after row, the farthest first, each from left to right \[m\]; NaN marks a hole.
    heights: Vec<f64>,
}

impl HeightField {
    /// A grid of heights \[m\]: row after row, the farthest ahead first, each from left to right. NaN marks
    /// a hole. `cell` is the distance of neighbours \[m\].
    ///
    /// ```
    /// let ramp = mocap_edit::HeightField::new(2, vec![0.5, 0.5, 0.0, 0.0], 4.0)?;
    /// # let _ = ramp;
    /// # Ok::<(), mocap_edit::EditError>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::Surface`] for fewer than 2 × 2 heights, more than 50 million, rows of unlike
    /// lengths, an infinite height, or a cell that is not above 0.
    pub fn new(columns: usize, heights: Vec<f64>, cell: f64) -> Result<HeightField, EditError> {
        let wrong = |reason: String| Err(EditError::Surface { reason });
        if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
            let found = heights.len();
            return wrong(format!(
                "{found} heights do not form a grid of {columns} columns with at least 2 columns and 2 rows"
            ));
        }
        if heights.len() > MOST_HEIGHTS {
            return wrong(format!("it has {} heights, more than {MOST_HEIGHTS}", heights.len()));
        }
        if let Some(at) = heights.iter().position(|height| height.is_infinite()) {
            return wrong(format!(
                "the height in row {}, column {} is infinite",
                at / columns + 1,
                at % columns + 1
            ));
        }
        if !(cell.is_finite() && cell > 0.0) {
            return wrong(format!("its cells are {cell} m wide, but must be above 0"));
        }
        Ok(HeightField { columns, cell, heights })
    }

    /// The height, and its slopes ahead and to the left.
    fn at(&self, ahead: f64, left: f64) -> Result<(f64, [f64; 2]), Gap> {
        let rows = self.heights.len() / self.columns;
        let (row, column) =
            ((rows - 1) as f64 / 2.0 - ahead / self.cell, (self.columns - 1) as f64 / 2.0 - left / self.cell);
        if !(0.0..=(rows - 1) as f64).contains(&row) || !(0.0..=(self.columns - 1) as f64).contains(&column) {
            return Err(Gap::Outside);
        }
        let (r, c) = ((row as usize).min(rows - 2), (column as usize).min(self.columns - 2));
        let (y, x) = (row - r as f64, column - c as f64);
        let corner = |dr: usize, dc: usize| self.heights[(r + dr) * self.columns + c + dc];
        let [a, b, c, d] = [corner(0, 0), corner(0, 1), corner(1, 0), corner(1, 1)];
        if [a, b, c, d].iter().any(|height| height.is_nan()) {
            return Err(Gap::Hole);
        }
        let height = (a * (1.0 - x) + b * x) * (1.0 - y) + (c * (1.0 - x) + d * x) * y;
        let down = (c - a) * (1.0 - x) + (d - b) * x;
        let right = (b - a) * (1.0 - y) + (d - c) * y;
        Ok((height, [-down / self.cell, -right / self.cell]))
    }
}

/// A mesh as a height field: the highest triangle at a place counts.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainMesh {
    /// Corners as ahead, left, up \[m\].
    triangles: Vec<[[f64; 3]; 3]>,
    low: [f64; 2],
    cell: f64,
    cells: [usize; 2],
    /// By cell, the triangles over it.
    index: Vec<Vec<u32>>,
}

impl TerrainMesh {
    /// A mesh of triangles, whose corners are ahead, left and up \[m\].
    ///
    /// ```
    /// let corner = |ahead: f64, left: f64| [ahead, left, 0.1 * ahead];
    /// let ramp = [[corner(-9.0, -9.0), corner(9.0, -9.0), corner(0.0, 9.0)]];
    /// let mesh = mocap_edit::TerrainMesh::new(ramp.to_vec())?;
    /// # let _ = mesh;
    /// # Ok::<(), mocap_edit::EditError>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError::Surface`] without triangles, for more than 5 million of them, or for a corner that is not finite.
    pub fn new(triangles: Vec<[[f64; 3]; 3]>) -> Result<TerrainMesh, EditError> {
        let wrong = |reason: String| Err(EditError::Surface { reason });
        if triangles.is_empty() || triangles.len() > MOST_TRIANGLES {
            return wrong(format!("the mesh has {} triangles, not 1 to {MOST_TRIANGLES}", triangles.len()));
        }
        if let Some(at) = triangles.iter().position(|t| t.iter().flatten().any(|value| !value.is_finite())) {
            return wrong(format!("a corner of triangle {} of the mesh is not finite", at + 1));
        }
        let corners = || triangles.iter().flatten();
        let bound = |axis: usize, pick: fn(f64, f64) -> f64, start: f64| {
            corners().map(|corner| corner[axis]).fold(start, pick)
        };
        let low = [0, 1].map(|axis| bound(axis, f64::min, f64::INFINITY));
        let high = [0, 1].map(|axis| bound(axis, f64::max, f64::NEG_INFINITY));
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-6);
        let mut cell = extent / (triangles.len() as f64).sqrt().ceil().clamp(1.0, MOST_CELLS);
        let place = |value: f64, axis: usize, cell: f64| ((value - low[axis]) / cell) as usize;
        let covered = |triangle: &[[f64; 3]; 3], axis: usize, cell: f64| {
            let values = triangle.map(|corner| place(corner[axis], axis, cell));
            let (first, last) = (values.iter().min(), values.iter().max());
            *first.expect("corners")..=*last.expect("corners")
        };
        // Large triangles cover many cells: cells are enlarged until the index is small.
        let entries = |cell: f64| -> usize {
            triangles.iter().map(|t| covered(t, 0, cell).count() * covered(t, 1, cell).count()).sum()
        };
        while cell < extent && entries(cell) > MOST_ENTRIES {
            cell *= 2.0;
        }
        let cells = [0, 1].map(|axis| place(high[axis], axis, cell) + 1);
        let mut index = vec![Vec::new(); cells[0] * cells[1]];
        for (number, triangle) in triangles.iter().enumerate() {
            for x in covered(triangle, 0, cell) {
                for y in covered(triangle, 1, cell) {
                    index[x * cells[1] + y].push(number as u32);
                }
            }
        }
        let mesh = TerrainMesh { index, low, cell, cells, triangles };
        Ok(mesh)
    }

    fn at(&self, ahead: f64, left: f64) -> Result<(f64, [f64; 2]), Gap> {
        let [x, y] = [(ahead - self.low[0]) / self.cell, (left - self.low[1]) / self.cell];
        let inside = |place: f64, cells: usize| place >= 0.0 && place < cells as f64;
        if !inside(x, self.cells[0]) || !inside(y, self.cells[1]) {
            return Err(Gap::Outside);
        }
        let found = self.index[x as usize * self.cells[1] + y as usize]
            .iter()
            .filter_map(|number| over(&self.triangles[*number as usize], ahead, left));
        found.reduce(|a, b| if b.0 > a.0 { b } else { a }).ok_or(Gap::Hole)
    }
}

/// The height and slopes of a triangle at a place, if it covers the place.
fn over([a, b, c]: &[[f64; 3]; 3], ahead: f64, left: f64) -> Option<(f64, [f64; 2])> {
    let (ab, ac) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
    let area = ab[0] * ac[1] - ab[1] * ac[0];
    if area.abs() < 1e-14 {
        return None;
    }
    let (x, y) = (ahead - a[0], left - a[1]);
    let (s, t) = ((x * ac[1] - y * ac[0]) / area, (ab[0] * y - ab[1] * x) / area);
    let slack = -1e-9;
    if s < slack || t < slack || 1.0 - s - t < slack {
        return None;
    }
    let slope = [(ab[2] * ac[1] - ac[2] * ab[1]) / area, (ab[0] * ac[2] - ac[0] * ab[2]) / area];
    Some((a[2] + s * ab[2] + t * ac[2], slope))
}

/// A terrain. Heights are relative to the floor of the motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Terrain {
    /// Steps ahead.
    Steps(Steps),
    /// A grid of heights.
    Heights(HeightField),
    /// A mesh.
    Mesh(TerrainMesh),
}

impl Terrain {
    /// The height over a place, and the direction away from the surface, both along ahead, left, up \[m\].
    pub(super) fn at(&self, ahead: f64, left: f64) -> Result<(f64, Vector3<f64>), Gap> {
        let (height, [forward, sideways]) = match self {
            Terrain::Steps(Steps { rise, run, count, from }) => {
                let step = ((ahead - from) / run).floor() + 1.0;
                (rise * step.clamp(0.0, f64::from(*count)), [0.0, 0.0])
            }
            Terrain::Heights(field) => field.at(ahead, left)?,
            Terrain::Mesh(mesh) => mesh.at(ahead, left)?,
        };
        Ok((height, Vector3::new(-forward, -sideways, 1.0).normalize()))
    }

    /// The surface over a range of places from `low` to `high`, both ahead and left: triangles whose corners are ahead,
    /// left and up \[m\], anticlockwise seen from the open side.
    pub(super) fn patch(&self, low: [f64; 2], high: [f64; 2]) -> Vec<Triangle> {
        let exact = match self {
            Terrain::Steps(steps) => steps.patch(low, high),
            Terrain::Heights(field) => field.patch(low, high),
            Terrain::Mesh(mesh) => mesh.patch(low, high),
        };
        exact.unwrap_or_else(|| {
            let (axis, cell) = ([0, 1].map(|axis| high[axis] - low[axis]), f64::from(SAMPLED));
            let at = |row: u32, column: u32| {
                let place =
                    [low[0] + axis[0] * f64::from(row) / cell, low[1] + axis[1] * f64::from(column) / cell];
                self.at(place[0], place[1]).ok().map(|(height, _)| [place[0], place[1], height])
            };
            let cells = (0..SAMPLED).flat_map(|row| (0..SAMPLED).map(move |column| (row, column)));
            let corners = |(row, column)| {
                Some([at(row, column)?, at(row + 1, column)?, at(row + 1, column + 1)?, at(row, column + 1)?])
            };
            cells.filter_map(corners).flat_map(quad).collect()
        })
    }
}

/// A triangle of a surface; its corners are ahead, left and up \[m\].
pub(super) type Triangle = [[f64; 3]; 3];

/// The most triangles of a patch; a surface of more is sampled.
const MOST_PATCH: usize = 20_000;
/// Cells along each side of a patch that is sampled.
const SAMPLED: u32 = 100;
/// The longest side of a piece of a flat step \[m\], where not too many of them are needed.
const PIECE: f64 = 1.0;

fn quad([a, b, c, d]: [[f64; 3]; 4]) -> [Triangle; 2] {
    [[a, b, c], [a, c, d]]
}

/// Places from `from` to `to`, at most `longest` apart.
fn pieces(from: f64, to: f64, longest: f64) -> impl Iterator<Item = [f64; 2]> {
    let count = ((to - from) / longest).ceil().clamp(1.0, MOST_PATCH as f64);
    let at = move |i: f64| from + (to - from) * i / count;
    (0..count as u32).map(move |i| [at(f64::from(i)), at(f64::from(i) + 1.0)])
}

impl Steps {
    /// `None` for steps too many to draw.
    fn patch(&self, low: [f64; 2], high: [f64; 2]) -> Option<Vec<Triangle>> {
        let Steps { rise, run, count, from } = *self;
        let first = ((low[0] - from) / run).ceil().clamp(0.0, f64::from(count));
        let last = ((high[0] - from) / run).floor().min(f64::from(count) - 1.0);
        let steps = (last - first).max(-1.0) + 2.0;
        let [along, across] = [0, 1].map(|axis| high[axis] - low[axis]);
        // Each step has a front, two sides, and its length in pieces, rounded up.
        let few = |longest: &f64| {
            let pieces = (across / longest + 1.0) * (along / longest + 2.0 * steps);
            2.0 * (pieces + 2.0 * steps) <= MOST_PATCH as f64
        };
        let longest = std::iter::successors(Some(PIECE), |longest| Some(longest * 2.0)).take(40).find(few)?;
        let pieces = |from, to| pieces(from, to, longest);
        let edges = 0..=(last - first).max(-1.0) as i64;
        let mut edges: Vec<f64> = edges.map(|i| from + run * (first + i as f64)).collect();
        edges.push(high[0]);
        let (mut start, mut step) = (low[0], first);
        let base = (rise * step).min(rise * (step + edges.len() as f64 - 1.0));
        let mut triangles = Vec::new();
        for edge in edges {
            let height = rise * step;
            // The sides of the staircase.
            for (left, [from, to]) in [(low[1], [edge, start]), (high[1], [start, edge])] {
                let wall = [[from, base], [from, height], [to, height], [to, base]];
                triangles.extend(quad(wall.map(|[ahead, up]| [ahead, left, up])));
            }
            for [l0, l1] in pieces(low[1], high[1]) {
                for [a0, a1] in pieces(start, edge) {
                    triangles.extend(quad([
                        [a0, l0, height],
                        [a1, l0, height],
                        [a1, l1, height],
                        [a0, l1, height],
                    ]));
                }
                if edge < high[0] {
                    let next = height + rise;
                    triangles.extend(quad([
                        [edge, l0, height],
                        [edge, l0, next],
                        [edge, l1, next],
                        [edge, l1, height],
                    ]));
                }
            }
            (start, step) = (edge, step + 1.0);
        }
        Some(triangles)
    }
}

impl HeightField {
    /// `None` for cells too many to draw.
    fn patch(&self, low: [f64; 2], high: [f64; 2]) -> Option<Vec<Triangle>> {
        let rows = self.heights.len() / self.columns;
        let cells = [rows - 1, self.columns - 1];
        let middle = cells.map(|cells| cells as f64 / 2.0);
        let range = |axis: usize| {
            let from = (middle[axis] - high[axis] / self.cell).floor().max(0.0) as usize;
            from..((middle[axis] - low[axis] / self.cell).ceil().max(0.0) as usize).min(cells[axis])
        };
        if 2 * range(0).len() * range(1).len() > MOST_PATCH {
            return None;
        }
        let at = |row: usize, column: usize| {
            let height = self.heights[row * self.columns + column];
            let place = [(middle[0] - row as f64) * self.cell, (middle[1] - column as f64) * self.cell];
            height.is_finite().then_some([place[0], place[1], height])
        };
        let cells = range(0).flat_map(|row| range(1).map(move |column| (row, column)));
        let corners = |(row, column)| {
            Some([at(row + 1, column + 1)?, at(row, column + 1)?, at(row, column)?, at(row + 1, column)?])
        };
        Some(cells.filter_map(corners).flat_map(quad).collect())
    }
}

impl TerrainMesh {
    /// `None` for triangles too many to draw.
    fn patch(&self, low: [f64; 2], high: [f64; 2]) -> Option<Vec<Triangle>> {
        let over = |triangle: &&Triangle, axis: usize| {
            let values = triangle.map(|corner| corner[axis]);
            values.iter().any(|v| *v >= low[axis]) && values.iter().any(|v| *v <= high[axis])
        };
        let found = self.triangles.iter().filter(|it| over(it, 0) && over(it, 1));
        let upward = |[a, b, c]: Triangle| {
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            if area < 0.0 { [a, c, b] } else { [a, b, c] }
        };
        let found: Vec<Triangle> = found.take(MOST_PATCH + 1).map(|it| upward(*it)).collect();
        (found.len() <= MOST_PATCH).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_of_steps_of_any_size_have_few_triangles() {
        for [run, far] in [[0.3, 2.0], [0.3, 1e3], [1e3, 1e6], [0.001, 1e9], [0.3, 1e300]] {
            let steps = Steps { rise: 0.15, run, count: u32::MAX, from: 0.0 };
            let patch = Terrain::Steps(steps).patch([-far; 2], [far; 2]);
            assert!(!patch.is_empty() && patch.len() <= MOST_PATCH, "{run} {far}: {}", patch.len());
        }
    }

    #[test]
    fn heights_lie_between_their_corners() {
        let ramp = HeightField::new(3, vec![1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0], 2.0).unwrap();
        let terrain = Terrain::Heights(ramp);
        let (height, normal) = terrain.at(1.0, -0.7).unwrap();
        assert!((height - 0.75).abs() < 1e-12);
        assert!((normal - Vector3::new(-0.25, 0.0, 1.0).normalize()).norm() < 1e-12);
        assert_eq!(terrain.at(2.5, 0.0), Err(Gap::Outside));
        let holed = HeightField::new(2, vec![0.0, f64::NAN, 0.0, 0.0], 1.0).unwrap();
        assert_eq!(Terrain::Heights(holed).at(0.0, 0.0), Err(Gap::Hole));
        assert!(HeightField::new(3, vec![0.0; 7], 1.0).is_err());
        assert!(HeightField::new(2, vec![0.0; 4], 0.0).is_err());
    }

    #[test]
    fn all_cells_of_a_height_field_are_drawn() {
        for (rows, columns) in [(2, 2), (2, 3), (3, 2), (4, 5), (5, 4), (6, 6), (5, 7)] {
            let heights = (0..rows * columns).map(|at| (at * at % 7) as f64 / 10.0).collect();
            let terrain = Terrain::Heights(HeightField::new(columns, heights, 0.5).unwrap());
            let patch = terrain.patch([-10.0; 2], [10.0; 2]);
            assert_eq!(patch.len(), 2 * (rows - 1) * (columns - 1), "{rows} rows, {columns} columns");
            // What is drawn reaches as far as what is stood on.
            for (axis, count) in [(0, rows), (1, columns)] {
                let half = 0.5 * (count - 1) as f64 / 2.0;
                let ends = patch.iter().flatten().map(|corner| corner[axis]);
                let (low, high) =
                    ends.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
                assert_eq!((low, high), (-half, half), "{rows} rows, {columns} columns");
            }
        }
    }

    #[test]
    fn the_highest_triangle_counts() {
        let triangle = |height: f64, slope: f64| {
            [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]].map(|[x, y]| [x, y, height + slope * x])
        };
        let terrain = Terrain::Mesh(TerrainMesh::new(vec![triangle(0.0, 0.0), triangle(0.5, 0.2)]).unwrap());
        let (height, normal) = terrain.at(0.25, 0.0).unwrap();
        assert!((height - 0.55).abs() < 1e-12);
        assert!((normal - Vector3::new(-0.2, 0.0, 1.0).normalize()).norm() < 1e-12);
        assert_eq!(terrain.at(-0.95, 0.9), Err(Gap::Hole));
        assert_eq!(terrain.at(3.0, 0.0), Err(Gap::Outside));
        assert!(TerrainMesh::new(Vec::new()).is_err());
    }

    #[test]
    fn steps_rise_one_after_the_other() {
        let steps: Steps = "0.2,0.3,2".parse().unwrap();
        let terrain = Terrain::Steps(steps);
        let heights = [0.9, 1.05, 1.35, 9.0].map(|ahead| terrain.at(ahead, 5.0).unwrap().0);
        assert_eq!(heights, [0.0, 0.2, 0.4, 0.4]);
        for wrong in ["", "1", "1,0", "1,2,3,4,5", "1,x", "0.1,0.2,1.5", "inf,1"] {
            assert!(wrong.parse::<Steps>().is_err(), "{wrong}");
        }
        assert_eq!(steps.to_string().parse::<Steps>().unwrap(), steps);
    }

    #[test]
    fn patches_are_the_surface() {
        let field =
            HeightField::new(41, (0..41 * 41).map(|i| f64::from(i % 7) * 0.1).collect(), 0.1).unwrap();
        let large =
            HeightField::new(301, (0..301 * 301).map(|i| f64::from(i / 301) * 1e-3).collect(), 0.02).unwrap();
        let ramp = [[-9.0, -9.0, -1.0], [0.0, 9.0, 0.0], [9.0, -9.0, 1.0]];
        let terrains = [
            Terrain::Steps("0.2,0.3,4".parse().unwrap()),
            Terrain::Steps("-0.2,0.3,4,-0.5".parse().unwrap()),
            Terrain::Steps("0.001,0.0001,100000".parse().unwrap()),
            Terrain::Heights(field),
            Terrain::Heights(large),
            Terrain::Mesh(TerrainMesh::new(vec![ramp]).unwrap()),
        ];
        for terrain in terrains {
            let triangles = terrain.patch([-1.0, -1.5], [2.5, 1.0]);
            assert!((1..=2 * MOST_PATCH).contains(&triangles.len()), "{}", triangles.len());
            for [a, b, c] in triangles {
                let [p, q] = [b, c].map(|to| [0, 1, 2].map(|axis| to[axis] - a[axis]));
                let up = p[0] * q[1] - p[1] * q[0];
                assert!(up > -1e-12, "{a:?} {b:?} {c:?}");
                // The middle lies on the surface; that of a riser lies between two steps.
                let middle = [0, 1, 2].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0);
                if up > 1e-9
                    && let Ok((height, _)) = terrain.at(middle[0], middle[1])
                {
                    assert!((height - middle[2]).abs() < 0.11, "{height} {middle:?}");
                }
            }
        }
    }
}
