//! Transfers the shapes of one head to another.
//!
//! Each vertex of the target corresponds to a place on the source: the vertex with the same index if both have the same
//! triangles, else the nearest place after registration of the heads. Displacements are transformed by the local
//! similarity (rotation and scale) that best maps the surroundings of that place on the source to those on the target,
//! weighted by how well it explains them: similar heads get copies, and larger, smaller or slanted ones adapted
//! displacements. Places that the shape brings together on the source (lids, lips) are brought together on the target,
//! too.
//!
//! R. W. Sumner, J. Popović, "Deformation transfer for triangle meshes", 2004, solves for the gradients of all
//! triangles at once; between similar heads this deviates more than copies, which are a special case of a local
//! similarity. The similarity is fitted as in S. Umeyama, "Least-squares estimation of transformation parameters
//! between two point patterns", 1991.

use mocap_model::Vector3;
use mocap_skin::TriangleTree;
use nalgebra::Matrix3;

use crate::meeting::meeting;

/// The most places to which a local similarity is fitted.
const ANCHORS: usize = 1200;
/// Radius of the surroundings of a place, relative to the root mean square distance from the centre of the head.
/// Muscles span long distances, so their effect depends on the size of a region, not of a fold.
const REACH: f64 = 0.5;
/// Iterations of the rigid registration.
const ROUNDS: usize = 30;
/// Largest distance of registered heads, relative to their size.
const UNLIKE: f64 = 0.25;
/// A shape brings two places together if it leaves less than this share of their distance.
const TOGETHER: f64 = 0.18;
/// Radii of the corrections of such places, as shares of their distance: first over their surroundings, then ever more
/// locally.
const RADII: [f64; 18] =
    [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.15, 0.15, 0.15, 0.15, 0.15, 0.15, 0.08, 0.08, 0.08, 0.08, 0.08, 0.08];
/// Radii of the smoothing in non-rigid registration, relative to the size of the head: coarse to fine.
const BENDS: [f64; 12] = [0.8, 0.6, 0.45, 0.35, 0.28, 0.22, 0.18, 0.15, 0.12, 0.1, 0.08, 0.06];
/// Least cosine of the normals of corresponding places: the inside of a lip is near its outside.
const FACING: f64 = 0.3;

/// A head without its shapes.
#[derive(Clone, Copy, Debug)]
pub struct Neutral<'a> {
    /// The positions of vertices.
    pub positions: &'a [Vector3<f64>],
    /// Their triangles.
    pub triangles: &'a [[u32; 3]],
}

/// Shapes of a source for a target.
#[derive(Clone, Debug, Default)]
pub struct Transferred {
    /// By shape: the displacement of each vertex of the target at weight 1.
    pub shapes: Vec<Vec<Vector3<f64>>>,
    /// Whether vertices with the same index correspond.
    pub same_topology: bool,
    /// The root mean square distance of the registered heads, relative to the size of the target.
    pub unlike: f64,
}

/// Why shapes cannot be transferred.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// A head has no triangles, or no size.
    #[error("a head has no surface")]
    NoSurface,
    /// The heads are not alike.
    #[error("the heads are not alike: once laid over each other, their surfaces are {:.0} % of the size apart", share * 100.0)]
    Unlike {
        /// Relative to the size of the target.
        share: f64,
    },
}

/// A similarity: rotation, scale and translation.
#[derive(Clone, Copy, Debug)]
struct Similarity {
    linear: Matrix3<f64>,
    offset: Vector3<f64>,
    /// The root mean square distance that remains, relative to the size of the target places.
    left: f64,
}

impl Similarity {
    /// The similarity that best maps the first places to the second ones, by weight; `None` if they have no extent.
    fn fitted(pairs: impl Iterator<Item = (Vector3<f64>, Vector3<f64>, f64)> + Clone) -> Option<Similarity> {
        let (mut sum, mut from, mut to) = (0.0, Vector3::zeros(), Vector3::zeros());
        for (a, b, weight) in pairs.clone() {
            sum += weight;
            from += a * weight;
            to += b * weight;
        }
        if sum <= 0.0 {
            return None;
        }
        let (from, to) = (from / sum, to / sum);
        let (mut cross, mut variance, mut wide) = (Matrix3::zeros(), 0.0, 0.0);
        for (a, b, weight) in pairs {
            cross += (b - to) * (a - from).transpose() * weight;
            variance += (a - from).norm_squared() * weight;
            wide += (b - to).norm_squared() * weight;
        }
        let svd = cross.svd(true, true);
        let (u, v_t) = (svd.u?, svd.v_t?);
        let mut signs = Vector3::repeat(1.0);
        if (u * v_t).determinant() < 0.0 {
            signs[2] = -1.0;
        }
        let along = svd.singular_values.dot(&signs);
        let scale = along / variance;
        if !(variance > 0.0 && scale.is_finite() && scale > 0.0) {
            return None;
        }
        let linear = u * Matrix3::from_diagonal(&signs) * v_t * scale;
        let left = (1.0 - along * along / (variance * wide)).max(0.0).sqrt();
        Some(Similarity { linear, offset: to - linear * from, left })
    }

    /// Shrinks the map towards another one according to its residual: unchanged where it explains much more than the
    /// residual, fully shrunk where it is smaller than the residual. Similar faces move alike, and their local
    /// similarities are mostly noise.
    fn shrunk(&self, from: &Matrix3<f64>) -> Matrix3<f64> {
        let (step, size) = (self.linear - from, from.norm());
        let explained = (step.norm() / size).powi(4);
        let whole = explained + self.left.powi(4);
        if whole > 0.0 { from + step * (explained / whole) } else { self.linear }
    }

    /// Only the rotation.
    fn turn(&self) -> Similarity {
        let scale = self.linear.determinant().cbrt();
        Similarity { linear: self.linear / scale, ..*self }
    }

    fn place(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.linear * at + self.offset
    }
}

/// Transfers the shapes of a head to another one.
///
/// # Errors
/// Where a head has no surface, or they are not alike.
pub fn transfer_shapes(
    source: Neutral<'_>,
    shapes: &[Vec<Vector3<f64>>],
    target: Neutral<'_>,
) -> Result<Transferred, TransferError> {
    let (Some(size), Some(_)) = (size(target.positions), size(source.positions)) else {
        return Err(TransferError::NoSurface);
    };
    if source.triangles.is_empty() || target.triangles.is_empty() {
        return Err(TransferError::NoSurface);
    }
    let same = source.positions.len() == target.positions.len() && source.triangles == target.triangles;
    let places =
        if same { Places::same(source.positions.len()) } else { Places::nearest(source, target, size)? };
    // The source resampled at the vertices of the target.
    let rest = places.of(source.positions, source.triangles);
    let pairs = || rest.iter().zip(target.positions).map(|(a, b)| (*a, *b, 1.0));
    let whole = Similarity::fitted(pairs()).ok_or(TransferError::NoSurface)?;
    let square: f64 = pairs().map(|(a, b, _)| (whole.place(&a) - b).norm_squared()).sum();
    let unlike = (square / target.positions.len() as f64).sqrt() / size;
    if unlike > UNLIKE {
        return Err(TransferError::Unlike { share: unlike });
    }
    let local = surroundings(&rest, target.positions, size, &whole);
    let made = shapes.iter().map(|shape| {
        let moved = places.of(shape, source.triangles);
        let mut made: Vec<Vector3<f64>> =
            moved.iter().zip(&local).map(|(moved, local)| local * moved).collect();
        bring_together(&rest, &moved, (target.positions, &local), &mut made);
        made
    });
    Ok(Transferred { shapes: made.collect(), same_topology: same, unlike })
}

/// The root mean square distance from the middle; `None` without extent.
fn size(positions: &[Vector3<f64>]) -> Option<f64> {
    let count = positions.len().max(1) as f64;
    let middle = positions.iter().sum::<Vector3<f64>>() / count;
    let size = (positions.iter().map(|at| (at - middle).norm_squared()).sum::<f64>() / count).sqrt();
    (size.is_finite() && size > 0.0).then_some(size)
}

/// The places on the source that correspond to the vertices of the target.
enum Places {
    /// The vertex with the same index; the number of vertices.
    Same(usize),
    /// On a triangle, by the weights of its corners.
    On(Vec<(u32, [f64; 3])>),
}

impl Places {
    fn same(count: usize) -> Places {
        Places::Same(count)
    }

    /// The nearest places after registration of the target to the source.
    fn nearest(source: Neutral<'_>, target: Neutral<'_>, size: f64) -> Result<Places, TransferError> {
        let tree = TriangleTree::new(source.triangles.to_vec(), source.positions);
        let from = self::size(source.positions).ok_or(TransferError::NoSurface)?;
        let middle = |all: &[Vector3<f64>]| all.iter().sum::<Vector3<f64>>() / all.len() as f64;
        let linear = Matrix3::identity() * (from / size);
        let offset = middle(source.positions) - linear * middle(target.positions);
        let mut over = Similarity { linear, offset, left: 0.0 };
        let step = target.positions.len().div_ceil(ANCHORS);
        for _ in 0..ROUNDS {
            let anchors: Vec<(Vector3<f64>, Vector3<f64>, f64)> = (target.positions.iter().step_by(step))
                .filter_map(|at| {
                    Some((*at, tree.closest(&over.place(at), source.positions, f64::INFINITY)?.place, 1.0))
                })
                .collect();
            let Some(next) = Similarity::fitted(anchors.iter().copied()) else { break };
            let moved = (next.linear - over.linear).norm() + (next.offset - over.offset).norm() / from;
            over = next;
            if moved < 1e-9 {
                break;
            }
        }
        let laid: Vec<Vector3<f64>> = target.positions.iter().map(|at| over.place(at)).collect();
        let laid = bent(laid, target.triangles, source, &tree, from);
        let place = |at: &Vector3<f64>| {
            let found = tree.closest(at, source.positions, f64::INFINITY)?;
            let corners = source.triangles[found.triangle].map(|corner| source.positions[corner as usize]);
            Some((found.triangle as u32, barycentric(corners, &found.place)))
        };
        let all: Option<Vec<_>> = laid.iter().map(place).collect();
        all.map(Places::On).ok_or(TransferError::NoSurface)
    }

    /// Values of the source's vertices at the target's.
    fn of(&self, values: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Vec<Vector3<f64>> {
        match self {
            Places::Same(count) => values[..*count].to_vec(),
            Places::On(places) => {
                let at = |(triangle, weights): &(u32, [f64; 3])| {
                    let corners = triangles[*triangle as usize];
                    corners
                        .iter()
                        .zip(weights)
                        .map(|(corner, weight)| values[*corner as usize] * *weight)
                        .sum()
                };
                places.iter().map(at).collect()
            }
        }
    }
}

/// Non-rigid registration, coarse to fine: each vertex moves by the smoothed displacements to the nearest places with a
/// similar normal.
fn bent(
    mut laid: Vec<Vector3<f64>>,
    triangles: &[[u32; 3]],
    onto: Neutral<'_>,
    tree: &TriangleTree,
    size: f64,
) -> Vec<Vector3<f64>> {
    let step = laid.len().div_ceil(ANCHORS);
    for bend in BENDS {
        let reach = bend * size;
        let normals = normals(&laid, triangles);
        let anchors: Vec<(Vector3<f64>, Vector3<f64>)> = (0..laid.len())
            .step_by(step)
            .filter_map(|at| {
                let found = tree.closest(&laid[at], onto.positions, f64::INFINITY)?;
                let [a, b, c] = onto.triangles[found.triangle].map(|corner| onto.positions[corner as usize]);
                let facing = (b - a).cross(&(c - a)).try_normalize(0.0)?.dot(&normals[at]);
                (facing > FACING).then(|| (laid[at], found.place - laid[at]))
            })
            .collect();
        for at in &mut laid {
            let (mut sum, mut weights) = (Vector3::zeros(), 0.0);
            for (from, way) in &anchors {
                let off = (from - *at).norm_squared() / (2.0 * reach * reach);
                if off < 8.0 {
                    let weight = (-off).exp();
                    sum += way * weight;
                    weights += weight;
                }
            }
            if weights > 0.0 {
                *at += sum / weights;
            }
        }
    }
    laid
}

/// Unit normals of vertices; zero of those without a surface.
fn normals(positions: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros(); positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
        let normal = (b - a).cross(&(c - a));
        triangle.iter().for_each(|corner| sums[*corner as usize] += normal);
    }
    sums.iter().map(|sum| sum.try_normalize(0.0).unwrap_or_default()).collect()
}

/// The barycentric coordinates of a place on a triangle.
fn barycentric([a, b, c]: [Vector3<f64>; 3], at: &Vector3<f64>) -> [f64; 3] {
    let normal = (b - a).cross(&(c - a));
    let area = normal.norm_squared();
    if area <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let of = |p: Vector3<f64>, q: Vector3<f64>| (p - at).cross(&(q - at)).dot(&normal) / area;
    let (first, second) = (of(b, c), of(c, a));
    [first, second, 1.0 - first - second]
}

/// By vertex: the local similarity (rotation and scale) from the surroundings on the source to those on the target.
fn surroundings(
    rest: &[Vector3<f64>],
    target: &[Vector3<f64>],
    size: f64,
    whole: &Similarity,
) -> Vec<Matrix3<f64>> {
    let step = target.len().div_ceil(ANCHORS);
    let reach = REACH * size;
    // The heads may have different axes, so local maps shrink towards the global rotation; a difference in size shows
    // in the local maps.
    let turned = whole.turn().shrunk(&Matrix3::identity());
    let of = |at: &Vector3<f64>| {
        let anchors = rest.iter().zip(target).step_by(step).filter_map(|(from, to)| {
            let off = (to - at).norm_squared() / (2.0 * reach * reach);
            (off < 8.0).then(|| (*from, *to, (-off).exp()))
        });
        Similarity::fitted(anchors).map_or(whole.linear, |local| local.shrunk(&turned))
    };
    target.iter().map(of).collect()
}

/// A pair of vertices of the target that a shape brings together.
struct Pair {
    one: usize,
    other: usize,
    /// The remaining vector between them on the target.
    left: Vector3<f64>,
    /// The share of a correction for the first one.
    share: f64,
    /// Their distance at rest.
    apart: f64,
}

/// Moves vertices of the target so that pairs that meet on the source meet.
fn bring_together(
    rest: &[Vector3<f64>],
    moved: &[Vector3<f64>],
    (target, local): (&[Vector3<f64>], &[Matrix3<f64>]),
    made: &mut [Vector3<f64>],
) {
    let pairs = pairs(rest, moved, local);
    if pairs.is_empty() {
        return;
    }
    for radius in RADII {
        let mut corrections: Vec<(usize, Vector3<f64>, f64)> = Vec::with_capacity(2 * pairs.len());
        for Pair { one, other, left, share, apart } in &pairs {
            let now = target[*one] + made[*one] - target[*other] - made[*other];
            let off = left - now;
            corrections.push((*one, off * *share, *apart));
            corrections.push((*other, off * (*share - 1.0), *apart));
        }
        for vertex in 0..made.len() {
            if made[vertex] == Vector3::zeros() {
                continue;
            }
            let (mut sum, mut weights) = (Vector3::zeros(), 0.0);
            for (at, correction, apart) in &corrections {
                let reach = radius * apart;
                let off = (target[vertex] - target[*at]).norm_squared() / (2.0 * reach * reach);
                if off < 8.0 {
                    let weight = (-off).exp();
                    sum += correction * weight;
                    weights += weight;
                }
            }
            made[vertex] += sum / f64::max(weights, 1.0);
        }
    }
}

/// The pairs that a shape brings together on the source.
fn pairs(rest: &[Vector3<f64>], moved: &[Vector3<f64>], local: &[Matrix3<f64>]) -> Vec<Pair> {
    let posed = |at: usize| rest[at] + moved[at];
    let pair = |[one, other]: [usize; 2]| {
        let (a, b) = (moved[one].norm(), moved[other].norm());
        // The threshold scales with the head, so that larger heads close their eyes as completely as smaller ones.
        let grows = local[one].determinant().abs().cbrt().max(1.0);
        let left = local[one] * (posed(one) - posed(other)) / grows;
        Pair { one, other, left, share: a / (a + b), apart: (local[one] * (rest[one] - rest[other])).norm() }
    };
    meeting(rest, moved, TOGETHER).into_iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    type Head = (Vec<Vector3<f64>>, Vec<[u32; 3]>, Vec<Vec<Vector3<f64>>>);

    /// An egg of rings of points, and a shape that moves a part of it.
    fn egg(rings: usize, around: usize) -> Head {
        let mut positions = Vec::new();
        for ring in 0..rings {
            let polar = 0.1 + 2.9 * ring as f64 / (rings - 1) as f64;
            for at in 0..around {
                let angle = std::f64::consts::TAU * at as f64 / around as f64;
                positions.push(Vector3::new(
                    0.08 * polar.sin() * angle.sin(),
                    0.11 * polar.cos(),
                    0.09 * polar.sin() * angle.cos(),
                ));
            }
        }
        let mut triangles = Vec::new();
        for ring in 0..rings - 1 {
            for at in 0..around {
                let corner = |ring: usize, at: usize| (ring * around + at % around) as u32;
                let [a, b, c, d] =
                    [corner(ring, at), corner(ring, at + 1), corner(ring + 1, at), corner(ring + 1, at + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        let bulge = positions.iter().map(|at: &Vector3<f64>| {
            let share = (1.0 - (at - Vector3::new(0.0, 0.03, 0.085)).norm() / 0.06).max(0.0);
            Vector3::new(0.0, -0.01, 0.002) * share
        });
        let shapes = vec![bulge.collect()];
        (positions, triangles, shapes)
    }

    fn worst(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn a_head_that_is_turned_and_scaled_gets_its_shapes_turned_and_scaled() {
        let (positions, triangles, shapes) = egg(24, 32);
        let source = Neutral { positions: &positions, triangles: &triangles };
        let turn = Rotation3::from_euler_angles(0.4, -0.3, 0.2).into_inner() * 1.7;
        let other: Vec<Vector3<f64>> =
            positions.iter().map(|at| turn * at + Vector3::new(1.0, 2.0, 3.0)).collect();
        let made =
            transfer_shapes(source, &shapes, Neutral { positions: &other, triangles: &triangles }).unwrap();
        let wanted: Vec<Vector3<f64>> = shapes[0].iter().map(|by| turn * by).collect();
        assert!(made.same_topology && made.unlike < 1e-9);
        assert!(worst(&made.shapes[0], &wanted) < 1e-9);
    }

    #[test]
    fn another_topology_gets_nearly_the_same_displacements() {
        let (positions, triangles, shapes) = egg(40, 48);
        let (coarse, fewer, wanted) = egg(21, 30);
        let source = Neutral { positions: &positions, triangles: &triangles };
        let made =
            transfer_shapes(source, &shapes, Neutral { positions: &coarse, triangles: &fewer }).unwrap();
        assert!(!made.same_topology);
        assert!(worst(&made.shapes[0], &wanted[0]) < 0.05 * 0.0102, "{}", worst(&made.shapes[0], &wanted[0]));
    }

    #[test]
    fn heads_without_surface_and_unlike_ones_are_refused() {
        let (positions, triangles, shapes) = egg(12, 16);
        let source = Neutral { positions: &positions, triangles: &triangles };
        let flat = vec![Vector3::zeros(); positions.len()];
        let made = transfer_shapes(source, &shapes, Neutral { positions: &flat, triangles: &triangles });
        assert_eq!(made.unwrap_err(), TransferError::NoSurface);
        let mut other = positions.clone();
        other.reverse();
        other.iter_mut().enumerate().for_each(|(at, place)| place.x += if at % 2 == 0 { 0.2 } else { -0.2 });
        let made = transfer_shapes(source, &shapes, Neutral { positions: &other, triangles: &triangles });
        assert!(matches!(made, Err(TransferError::Unlike { .. })));
    }

    /// Two rows of points that a shape brings together on one head are brought together on a wider one.
    #[test]
    fn lids_that_meet_on_the_source_meet_on_the_target() {
        let row = |y: f64, z: f64| (0..9).map(move |at| Vector3::new(f64::from(at) * 0.004 - 0.016, y, z));
        let rows = |gap: f64| -> Vec<Vector3<f64>> {
            let all = row(0.03, 0.0).chain(row(gap, 0.004)).chain(row(0.0, 0.004)).chain(row(-0.03, 0.0));
            all.collect()
        };
        let strip = |from: u32| {
            (0..8).flat_map(move |at| {
                let [a, b, c, d] = [from + at, from + at + 1, from + 9 + at, from + 10 + at];
                [[a, b, d], [a, d, c]]
            })
        };
        let triangles: Vec<[u32; 3]> = strip(0).chain(strip(18)).collect();
        let (source, target) = (rows(0.01), rows(0.0125));
        let blink: Vec<Vector3<f64>> = (0..36)
            .map(|at| if (9..18).contains(&at) { Vector3::new(0.0, -0.01, 0.0) } else { Vector3::zeros() })
            .collect();
        let made = transfer_shapes(
            Neutral { positions: &source, triangles: &triangles },
            &[blink],
            Neutral { positions: &target, triangles: &triangles },
        )
        .unwrap();
        let gaps = (0..9).map(|at| {
            let (upper, lower) = (9 + at, 18 + at);
            (target[upper] + made.shapes[0][upper] - target[lower] - made.shapes[0][lower]).norm()
        });
        assert!(gaps.fold(0.0, f64::max) < 1e-4);
    }
}
