//! Diffusion on a surface.
//!
//! Solves −Δw + h w = h s: the smoothest weights w that are attached to the sources s with a strength h at each place.
//! Cotangents: U. Pinkall, K. Polthier, "Computing discrete minimal surfaces and their conjugates", 1993. Negative ones
//! count as 0, so that weights stay within the range of their sources.

use nalgebra::DMatrix;
use nalgebra_sparse::factorization::CscCholesky;
use nalgebra_sparse::{CooMatrix, CscMatrix};

use crate::{RigError, RigMesh};

/// Upper bound of cotangents, for degenerate triangles.
const FLATTEST: f64 = 50.0;
/// Least area of a place, as a share of the mean.
const LEAST_AREA: f64 = 1e-6;

/// The equations of a surface, solved for any sources.
pub(crate) struct Diffusion {
    factor: CscCholesky<f64>,
    /// By place: its row.
    row_of: Vec<usize>,
    /// By place: its strength times its area.
    held: Vec<f64>,
}

impl Diffusion {
    /// Those of a mesh whose places are held by `strength` \[1 / length²\].
    ///
    /// # Errors
    /// [`RigError::Singular`].
    pub(crate) fn new(mesh: &RigMesh, strength: impl Fn(usize) -> f64) -> Result<Diffusion, RigError> {
        let count = mesh.places.len();
        let areas = mesh.areas();
        let least = LEAST_AREA * areas.iter().sum::<f64>() / count as f64;
        let held: Vec<f64> =
            areas.iter().enumerate().map(|(at, area)| area.max(least) * strength(at)).collect();
        let edges = edges(mesh);
        let order = ordering(count, &edges);
        let mut row_of = vec![0usize; count];
        order.iter().enumerate().for_each(|(at, place)| row_of[*place] = at);
        let mut diagonal = held.clone();
        let mut matrix = CooMatrix::new(count, count);
        for ([a, b], weight) in &edges {
            let (i, j) = (*a as usize, *b as usize);
            diagonal[i] += weight;
            diagonal[j] += weight;
            matrix.push(row_of[i], row_of[j], -weight);
            matrix.push(row_of[j], row_of[i], -weight);
        }
        (0..count).for_each(|at| matrix.push(row_of[at], row_of[at], diagonal[at]));
        let factor = CscCholesky::factor(&CscMatrix::from(&matrix)).map_err(|_| RigError::Singular)?;
        Ok(Diffusion { factor, row_of, held })
    }

    /// The solution for given sources, by place.
    pub(crate) fn diffused(&self, source: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut heat = DMatrix::zeros(self.held.len(), 1);
        for (place, held) in self.held.iter().enumerate() {
            heat[self.row_of[place]] = held * source(place);
        }
        self.factor.solve_mut(&mut heat);
        self.row_of.iter().map(|row| heat[*row]).collect()
    }
}

/// The edges of the mesh with their weights, half the sum of the cotangents of the corners across them; sorted.
fn edges(mesh: &RigMesh) -> Vec<([u32; 2], f64)> {
    let mut all: Vec<([u32; 2], f64)> = Vec::with_capacity(3 * mesh.triangles.len());
    for at in 0..mesh.triangles.len() {
        let (corners, places) = (mesh.triangles[at], mesh.corners(at));
        for corner in 0..3 {
            let [i, j, k] = [corner, (corner + 1) % 3, (corner + 2) % 3];
            let (a, b) = (places[j] - places[i], places[k] - places[i]);
            let cotangent = a.dot(&b) / a.cross(&b).norm().max(f64::MIN_POSITIVE);
            let weight = 0.5 * cotangent.clamp(-FLATTEST, FLATTEST);
            let edge = [corners[j].min(corners[k]), corners[j].max(corners[k])];
            all.push((edge, weight));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut merged: Vec<([u32; 2], f64)> = Vec::with_capacity(all.len() / 2);
    for (edge, weight) in all {
        match merged.last_mut() {
            Some((last, sum)) if *last == edge => *sum += weight,
            _ => merged.push((edge, weight)),
        }
    }
    merged.iter_mut().for_each(|(_, weight)| *weight = weight.max(0.0));
    merged
}

/// An order of the places in which the factor stays sparse.
///
/// Based on: P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm", 1996.
fn ordering(count: usize, edges: &[([u32; 2], f64)]) -> Vec<usize> {
    let mut pairs: Vec<(usize, usize)> = Vec::with_capacity(2 * edges.len() + count);
    for ([a, b], _) in edges {
        pairs.extend([(*a as usize, *b as usize), (*b as usize, *a as usize)]);
    }
    pairs.extend((0..count).map(|at| (at, at)));
    pairs.sort_unstable();
    let mut starts = vec![0isize; count + 1];
    pairs.iter().for_each(|(column, _)| starts[column + 1] += 1);
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    let rows: Vec<isize> = pairs.into_iter().map(|(_, row)| row as isize).collect();
    match amd::order(count as isize, &starts, &rows, &amd::Control::default()) {
        Ok((order, ..)) => order.into_iter().map(|at| at as usize).collect(),
        Err(_) => (0..count).collect(),
    }
}
