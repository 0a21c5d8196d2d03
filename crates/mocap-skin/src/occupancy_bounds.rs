//! A quick test for points that cannot be inside: grids on three sides store, for each column, where triangles
//! begin and end.

use mocap_model::Vector3;

/// Cells along the longest side; their numbers fit into a byte.
const CELLS: f64 = 96.0;

/// A cell of a grid.
type Cell = [u8; 3];

/// The extent of a surface seen from three sides.
#[derive(Clone, Debug, Default)]
pub(crate) struct OccupancyBounds {
    min: Vector3<f64>,
    max: Vector3<f64>,
    /// Cells per length.
    per_length: f64,
    size: [usize; 3],
    /// By axis, then by cell of the two others: the lowest and the highest cell with a triangle.
    columns: [Vec<[u8; 2]>; 3],
    /// By vertex, of those of the triangles.
    cells: Vec<Cell>,
}

impl OccupancyBounds {
    /// Fits it to triangles in a pose; `vertices` are those that they have.
    pub(crate) fn refit(&mut self, triangles: &[[u32; 3]], vertices: &[u32], places: &[Vector3<f64>]) {
        let (mut min, mut max) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for vertex in vertices {
            let at = &places[*vertex as usize];
            min = min.inf(at);
            max = max.sup(at);
        }
        (self.min, self.max) = (min, max);
        if triangles.is_empty() {
            return;
        }
        let extent = max - min;
        self.per_length = 1.0 / (extent.max() / CELLS).max(f64::MIN_POSITIVE);
        for axis in 0..3 {
            self.size[axis] = (extent[axis] * self.per_length) as usize + 1;
        }
        for axis in 0..3 {
            let [b, c] = OTHERS[axis];
            self.columns[axis].clear();
            self.columns[axis].resize(self.size[b] * self.size[c], [u8::MAX, 0]);
        }
        self.cells.resize(places.len(), Cell::default());
        for vertex in vertices {
            self.cells[*vertex as usize] = self.cell(&places[*vertex as usize]);
        }
        for [p, q, r] in triangles {
            let [p, q, r] = [self.cells[*p as usize], self.cells[*q as usize], self.cells[*r as usize]];
            let (mut low, mut high) = (p, p);
            for axis in 0..3 {
                low[axis] = p[axis].min(q[axis]).min(r[axis]);
                high[axis] = p[axis].max(q[axis]).max(r[axis]);
            }
            for axis in 0..3 {
                let [b, c] = OTHERS[axis];
                for i in low[b]..=high[b] {
                    let row = usize::from(i) * self.size[c];
                    let (first, last) = (row + usize::from(low[c]), row + usize::from(high[c]));
                    for column in &mut self.columns[axis][first..=last] {
                        column[0] = column[0].min(low[axis]);
                        column[1] = column[1].max(high[axis]);
                    }
                }
            }
        }
    }

    /// The cell of a place within the bounds.
    fn cell(&self, at: &Vector3<f64>) -> Cell {
        let mut cell = Cell::default();
        for axis in 0..3 {
            let along = ((at[axis] - self.min[axis]) * self.per_length) as usize;
            cell[axis] = along.min(self.size[axis] - 1) as u8;
        }
        cell
    }

    /// Whether a point may be inside; false only if a closed surface cannot contain it.
    pub(crate) fn may_hold(&self, at: &Vector3<f64>) -> bool {
        if !(0..3).all(|axis| self.min[axis] <= at[axis] && at[axis] <= self.max[axis]) {
            return false;
        }
        let cell = self.cell(at);
        (0..3).all(|axis| {
            let [b, c] = OTHERS[axis];
            let [low, high] = self.columns[axis][usize::from(cell[b]) * self.size[c] + usize::from(cell[c])];
            low <= cell[axis] && cell[axis] <= high
        })
    }
}

/// By axis: the two others.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::sphere;

    #[test]
    fn nothing_inside_is_refused() {
        let (places, triangles) = sphere(Vector3::new(1.0, 2.0, 3.0), 0.7, 20);
        let mut bounds = OccupancyBounds::default();
        let vertices: Vec<u32> = (0..places.len() as u32).collect();
        bounds.refit(&triangles, &vertices, &places);
        let mut refused = 0;
        for i in 0..20 * 20 * 20 {
            let step = Vector3::new(f64::from(i % 20), f64::from(i / 20 % 20), f64::from(i / 400));
            let off = (step - Vector3::repeat(9.5)) * 0.1;
            let may = bounds.may_hold(&(Vector3::new(1.0, 2.0, 3.0) + off));
            assert!(may || off.norm() > 0.68, "{off}");
            refused += usize::from(!may);
        }
        assert!(refused > 4000, "{refused}");
    }
}
