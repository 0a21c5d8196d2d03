//! Fits the prediction of a track and the basis of its lattice, before it is coded.

use crate::encode::predict::predict_rotation;
use crate::hierarchy::Node;
use crate::lattice::Column;
use crate::quat::{Quat, rodrigues, to_f32, to_f64};
use crate::track::{FLATNESS, MATRIX_UNIT, Reference, has_no_taps};
use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::{Matrix3, SymmetricEigen};

/// Estimated bits of residuals: the coder needs about one bit for each doubling.
fn bits(residuals: impl Iterator<Item = f64>) -> f64 {
    residuals.map(|square| (0.3 + square).log2()).sum::<f64>() * 0.75
}

/// The best flatness of each level among those at these indices, and the residuals that it leaves, by node.
pub(crate) fn flatness<R: Copy>(
    nodes: &[Node],
    levels: usize,
    tried: &[u8],
    residual: impl Fn(&Node, f32) -> R,
    square: impl Fn(R) -> f64,
) -> ([u8; 8], Vec<R>) {
    let mut flat = [1; 8];
    let mut all = Vec::with_capacity(nodes.len());
    for level in 0..levels {
        let mut best: Option<(f64, u8, Vec<R>)> = None;
        // Nodes are sorted by level.
        let from = nodes.partition_point(|node| usize::from(node.level) < level);
        let to = nodes.partition_point(|node| usize::from(node.level) <= level);
        let of_level = &nodes[from..to];
        let few = of_level.iter().all(has_no_taps);
        for &index in tried {
            if few && index != 1 {
                continue;
            }
            let value = FLATNESS[usize::from(index)];
            let residuals: Vec<R> = of_level.iter().map(|node| residual(node, value)).collect();
            let with_taps = |at: &usize| !has_no_taps(&of_level[*at]);
            let cost = match tried.len() {
                1 => 0.0,
                _ => bits((0..residuals.len()).filter(with_taps).map(|at| square(residuals[at]))),
            };
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, index, residuals));
            }
        }
        if let Some((_, index, residuals)) = best {
            flat[level] = index;
            all.extend(residuals);
        }
    }
    (flat, all)
}

/// The residuals of a rotation track against its own prediction, and the flatness that makes them small.
pub(crate) fn rotation_flatness(
    nodes: &[Node],
    levels: usize,
    tried: &[u8],
    targets: &[UnitQuaternion<f64>],
    metric: &Matrix3<f64>,
) -> ([u8; 8], Vec<Vector3<f64>>) {
    let rounded: Vec<Quat> = targets.iter().map(to_f32).collect();
    let residual = |node: &Node, flat: f32| {
        if has_no_taps(node) {
            return Vector3::zeros();
        }
        let predicted = to_f64(predict_rotation(&rounded, node, node.weights(flat)));
        rodrigues(&(predicted.inverse() * targets[node.frame as usize]))
    };
    flatness(nodes, levels, tried, residual, |r| r.dot(&(metric * r)))
}

/// Limits of the mean of s / (1 + s) over the last level, s being a squared residual relative to
/// the tolerance: below a limit, the steps of the other levels are finer, by this index into
/// [`FINER`](crate::track::FINER).
const FINER_BELOW: [(f64, u8); 2] = [(0.05, 2), (0.1, 1)];

/// How much finer the steps of all levels but the last are: the smaller the residuals of the last level, the
/// more of them become zero with a better prediction.
pub(crate) fn finer(nodes: &[Node], levels: usize, residuals: &[Vector3<f64>], metric: &Matrix3<f64>) -> u8 {
    let last = nodes.iter().zip(residuals).filter(|(node, _)| usize::from(node.level) + 1 == levels);
    let (count, sum) = last.fold((0, 0.0), |(count, sum), (_, r)| {
        let square = r.dot(&(metric * r));
        (count + 1, sum + square / (1.0 + square))
    });
    let mean = sum / f64::from(count.max(1));
    FINER_BELOW.iter().find(|(below, _)| mean < *below).map_or(0, |(_, finer)| *finer)
}

/// Greatest distance back to a reference track: all tracks of a character are within it, in a crowd the nearest
/// ones.
const NEAR: usize = 128;

/// The sums for least squares: of another track by itself, and of the residuals with it.
fn products<'a>(
    pairs: impl Iterator<Item = ((&'a Vector3<f64>, &'a Vector3<f64>), &'a f64)>,
) -> (Matrix3<f64>, Matrix3<f64>) {
    let mut own = Matrix3::identity() * 1e-12;
    let mut cross = Matrix3::zeros();
    for ((r, o), weight) in pairs {
        let weighted = o.transpose() * *weight;
        own += o * weighted;
        cross += r * weighted;
    }
    (own, cross)
}

/// The track among `others` that predicts the residuals of this one best, and the remaining residuals. Tracks
/// are compared with every `sampled`-th residual.
pub(crate) fn reference(
    residuals: &[Vector3<f64>],
    others: &[Vec<Vector3<f64>>],
    metric: &Matrix3<f64>,
    sampled: usize,
) -> Option<(Reference, Vec<Vector3<f64>>)> {
    let squares: Vec<f64> = residuals.iter().map(|r| r.dot(&(metric * r))).collect();
    // The cost of a residual is its logarithm; these weights give least squares the same preference.
    let weights: Vec<f64> = squares.iter().map(|square| 1.0 / (1.0 + square)).collect();
    let mut best: Option<(f64, usize, Matrix3<f64>)> = None;
    for (track, other) in others.iter().enumerate().skip(others.len().saturating_sub(NEAR)) {
        let (own, cross) = products(residuals.iter().zip(other).zip(&weights).step_by(sampled));
        let Some(inverse) = own.try_inverse() else { continue };
        let map = cross * inverse;
        let gain = (metric * map * cross.transpose()).trace();
        if best.as_ref().is_none_or(|best| gain > best.0) {
            best = Some((gain, track, map));
        }
    }
    if sampled > 1
        && let Some((_, track, map)) = &mut best
    {
        let (own, cross) = products(residuals.iter().zip(&others[*track]).zip(&weights));
        *map = cross * own.try_inverse()?;
    }
    let (_, track, map) = best?;
    let unit = f64::from(MATRIX_UNIT);
    let stored = map.map(|entry| (entry * unit).round().clamp(-64.0, 64.0));
    let map = stored / unit;
    let left: Vec<Vector3<f64>> = residuals.iter().zip(&others[track]).map(|(r, o)| r - map * o).collect();
    let price = 4.0 + stored.iter().map(|entry| 0.6 + 1.2 * (1.0 + entry.abs()).log2()).sum::<f64>();
    let gain = bits(squares.into_iter()) - bits(left.iter().map(|r| r.dot(&(metric * r))));
    let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| stored[(i, j)] as i32));
    (gain > price).then_some((Reference { track, matrix }, left))
}

/// Estimated bits per residual, and the basis in which residuals are uncorrelated and steps as large as
/// `metric` allows: the columns span the ellipsoid `rᵀ M r <= 1`.
///
/// Both forms are diagonalised: the lever metric is mapped to a sphere first, then the covariance is rotated.
pub(crate) fn basis(metric: &Matrix3<f64>, residuals: &[Vector3<f64>]) -> (f64, Matrix3<f64>) {
    let (spread, turned) = axes(metric);
    let whiten = turned * Matrix3::from_diagonal(&spread) * turned.transpose();
    let unwhiten = turned * Matrix3::from_diagonal(&spread.map(|value| 1.0 / value)) * turned.transpose();
    let mut covariance = Matrix3::identity() * 1e-3;
    let mut cost = 0.0;
    for r in residuals {
        let y = whiten * r;
        covariance += y * y.transpose() / (1.0 + y.norm_squared());
        cost += bits(std::iter::once(y.norm_squared()));
    }
    let rate = cost / residuals.len().max(1) as f64;
    let basis = unwhiten * SymmetricEigen::new(covariance).eigenvectors;
    // If the tolerance allows far more along one axis, all columns may point along it, and coincide after
    // rounding.
    let bent = |basis: &Matrix3<f64>| {
        let stored = columns(basis).map(|column| Vector3::from(column.vector().map(f64::from)));
        let squares = (whiten * Matrix3::from_columns(&stored)).singular_values().map(|value| value * value);
        squares.max() / squares.min()
    };
    let straight = turned * Matrix3::from_diagonal(&spread.map(|value| 1.0 / value));
    let basis = if bent(&basis) > BENT && bent(&straight) < bent(&basis) { straight } else { basis };
    (rate, basis)
}

/// Greatest ratio of squares along the axes of a stored basis, relative to the tolerance; 1 for a sphere.
const BENT: f64 = 100.0;

/// The roots of the eigenvalues of a metric, and its eigenvectors.
fn axes(metric: &Matrix3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
    let eigen = SymmetricEigen::new(*metric);
    let largest = eigen.eigenvalues.max().max(1e-12);
    // A twist that moves no point at all still gets a step.
    (eigen.eigenvalues.map(|value| value.max(largest * 1e-4).sqrt()), eigen.eigenvectors)
}

/// The columns of a basis as they are stored.
pub(crate) fn columns(basis: &Matrix3<f64>) -> [Column; 3] {
    [0, 1, 2].map(|axis| Column::nearest([0, 1, 2].map(|i| basis[(i, axis)])))
}
