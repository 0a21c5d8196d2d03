//! A quick test for points that cannot be inside: grids on three sides store, for each column, where triangles
//! begin and end.

use mocap_model::Vector3;

/// Number of cells along the longest side.
const CELLS: f64 = 96.0;

/// The extent of a surface seen from three sides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    min: Vector3<f64>,
    max: Vector3<f64>,
    cell: f64,
    size: [usize; 3],
    /// By axis, then by cell of the two others: lowest and highest coordinate.
    columns: [Vec<(f64, f64)>; 3],
}

impl Shadow {
    /// Fits it to triangles in a pose.
    pub(crate) fn refit(&mut self, triangles: &[[u32; 3]], places: &[Vector3<f64>]) {
        let corners = || triangles.iter().flatten().map(|corner| places[*corner as usize]);
        self.min = corners().fold(Vector3::repeat(f64::INFINITY), |min, at| min.inf(&at));
        self.max = corners().fold(Vector3::repeat(f64::NEG_INFINITY), |max, at| max.sup(&at));
        if triangles.is_empty() {
            return;
        }
        let extent = self.max - self.min;
        self.cell = (extent.max() / CELLS).max(f64::MIN_POSITIVE);
        self.size = [0, 1, 2].map(|axis| (extent[axis] / self.cell) as usize + 1);
        for axis in 0..3 {
            let [b, c] = others(axis);
            self.columns[axis].clear();
            self.columns[axis].resize(self.size[b] * self.size[c], (f64::INFINITY, f64::NEG_INFINITY));
        }
        for triangle in triangles {
            let [p, q, r] = triangle.map(|corner| places[corner as usize]);
            let (low, high) = (p.inf(&q).inf(&r), p.sup(&q).sup(&r));
            let (from, to) = (self.cells(&low), self.cells(&high));
            for axis in 0..3 {
                let [b, c] = others(axis);
                for i in from[b]..=to[b] {
                    for j in from[c]..=to[c] {
                        let column = &mut self.columns[axis][i * self.size[c] + j];
                        column.0 = column.0.min(low[axis]);
                        column.1 = column.1.max(high[axis]);
                    }
                }
            }
        }
    }

    /// The cell of a place within the bounds.
    fn cells(&self, at: &Vector3<f64>) -> [usize; 3] {
        [0, 1, 2].map(|axis| {
            let cell = ((at[axis] - self.min[axis]) / self.cell) as usize;
            cell.min(self.size[axis] - 1)
        })
    }

    /// Whether a point may be inside; false only if a closed surface cannot contain it.
    pub(crate) fn may_hold(&self, at: &Vector3<f64>) -> bool {
        if !(0..3).all(|axis| self.min[axis] <= at[axis] && at[axis] <= self.max[axis]) {
            return false;
        }
        let cells = self.cells(at);
        (0..3).all(|axis| {
            let [b, c] = others(axis);
            let (low, high) = self.columns[axis][cells[b] * self.size[c] + cells[c]];
            low <= at[axis] && at[axis] <= high
        })
    }
}

fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::sphere;

    #[test]
    fn nothing_inside_is_refused() {
        let (places, triangles) = sphere(Vector3::new(1.0, 2.0, 3.0), 0.7, 20);
        let mut shadow = Shadow::default();
        shadow.refit(&triangles, &places);
        let mut refused = 0;
        for i in 0..20 * 20 * 20 {
            let step = Vector3::new(f64::from(i % 20), f64::from(i / 20 % 20), f64::from(i / 400));
            let off = (step - Vector3::repeat(9.5)) * 0.1;
            let may = shadow.may_hold(&(Vector3::new(1.0, 2.0, 3.0) + off));
            assert!(may || off.norm() > 0.68, "{off}");
            refused += usize::from(!may);
        }
        assert!(refused > 4000, "{refused}");
    }
}
