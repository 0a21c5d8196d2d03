//! Weights by heat: the surface is warm where a bone is near, and heat spreads.
//!
//! For each bone −Δw + h w = h p with h = c / d²: p is 1 where the bone is the nearest and d the distance of the nearest
//! bone. Weights are smooth, and spread over a width in proportion to the thickness of a limb.
//!
//! Based on: I. Baran, J. Popović, "Automatic rigging and animation of 3D characters", 2007, with nearest bones as
//! [`near`](super::near) finds them; cotangents: U. Pinkall, K. Polthier, "Computing discrete minimal surfaces and their
//! conjugates", 1993. Negative cotangents count as 0: then no weight is below 0 or above 1.

use nalgebra::DMatrix;
use nalgebra_sparse::factorization::CscCholesky;
use nalgebra_sparse::{CooMatrix, CscMatrix};

use super::near::Nearest;
use crate::{RigError, RigMesh};

/// How strongly a place is held at its nearest bone, against its neighbours.
const HEAT: f64 = 8.0;
/// The distance at which that holds, as a share of the size of the mesh: thick parts are held less, and bend over a longer
/// way; and the least and most of this.
const USUAL: f64 = 0.025;
const SOFTER: [f64; 2] = [1.0, 1.5];
/// The cotangent of the flattest corner that counts.
const FLATTEST: f64 = 50.0;
/// Places without area count as having this share of the mean.
const LEAST_AREA: f64 = 1e-6;
/// Bones nearer than this share of the mesh are as far as that.
const NEAREST: f64 = 1e-4;

/// By place and group of segments: the weights. `group` says to which of `groups` a segment belongs.
pub(crate) fn solve(
    mesh: &RigMesh,
    nearest: &[Nearest],
    group: &[usize],
    groups: usize,
) -> Result<DMatrix<f64>, RigError> {
    let count = mesh.places.len();
    let mut areas = mesh.areas();
    let least = LEAST_AREA * areas.iter().sum::<f64>() / count as f64;
    areas.iter_mut().for_each(|area| *area = area.max(least));
    let held: Vec<f64> = nearest
        .iter()
        .zip(&areas)
        .map(|(nearest, area)| {
            let distance = nearest.distance.max(NEAREST * mesh.size);
            let heat = HEAT * (USUAL * mesh.size / distance).clamp(SOFTER[0], SOFTER[1]);
            heat * area / (distance * distance)
        })
        .collect();
    let edges = edges(mesh);
    let order = ordering(count, &edges);
    let mut place_of = vec![0usize; count];
    order.iter().enumerate().for_each(|(at, place)| place_of[*place] = at);
    let mut diagonal = held.clone();
    let mut matrix = CooMatrix::new(count, count);
    for ([a, b], weight) in &edges {
        let (i, j) = (*a as usize, *b as usize);
        diagonal[i] += weight;
        diagonal[j] += weight;
        matrix.push(place_of[i], place_of[j], -weight);
        matrix.push(place_of[j], place_of[i], -weight);
    }
    (0..count).for_each(|at| matrix.push(place_of[at], place_of[at], diagonal[at]));
    let factor = CscCholesky::factor(&CscMatrix::from(&matrix)).map_err(|_| RigError::Singular)?;
    // Only bones that are nearest somewhere have heat.
    let mut used: Vec<usize> = nearest.iter().map(|nearest| group[nearest.segment]).collect();
    used.sort_unstable();
    used.dedup();
    let mut weights = DMatrix::zeros(count, groups);
    for one in used {
        let mut heat = DMatrix::zeros(count, 1);
        for (place, nearest) in nearest.iter().enumerate() {
            if group[nearest.segment] == one {
                heat[place_of[place]] = held[place];
            }
        }
        factor.solve_mut(&mut heat);
        for place in 0..count {
            weights[(place, one)] = heat[place_of[place]];
        }
    }
    Ok(weights)
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
