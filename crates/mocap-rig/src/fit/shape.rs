//! Fits a skeleton of any shape (such as an animal) to a mesh of that shape.
//!
//! The ends of the skeleton are paired with the extremities of the mesh so that distances between them, along bones and
//! through the inside, have the same proportions, and their arrangement in space matches. A joint between two ends is
//! at the same share of the path between them.
//!
//! Based on: M. Hilaga et al., "Topology matching for fully automatic similarity estimation of 3D shapes", 2001
//! (geodesics do not change with the pose); rotations: B. K. P. Horn, "Closed-form solution of absolute orientation
//! using unit quaternions", 1987.

use std::collections::BTreeMap;

use mocap_model::{SignedAxis, Skeleton, Space, Vector3};
use nalgebra::{Matrix3, SVD};

use super::attached::FittedJoint;
use super::ends_of_tree::{Ends, ends};
use super::extremities;
use super::frame::{BodyFrame, any_level, snapped};
use super::template::{FittedSkeleton, placed};
use crate::geodesic::Ways;
use crate::{RigError, RigMesh, Voxels, rest_places};

/// Voxels along the longest side of a body.
const VOXELS: usize = 150;
/// The most ends that are paired: the number of permutations is factorial.
const MOST_ENDS: usize = 8;
/// A further branch longer than this share of the shortest limb is a limb that the skeleton lacks.
const ANOTHER: f64 = 0.6;
/// Largest root mean square difference of distances, as a share of their mean; beyond it the shapes
/// differ.
const UNLIKE: f64 = 0.25;
/// An axis of the file within this angle of that of the skeleton is used instead \[rad\].
const SNAP: f64 = 0.45;
/// Weight of the positions of ends relative to the distances between them.
const PLACES: f64 = 0.5;

/// A skeleton that was fitted by shape.
#[derive(Clone, Debug)]
pub struct FittedShape {
    /// The skeleton in the mesh.
    pub fitted: FittedSkeleton,
    /// The orientation of the body, from the axes of the skeleton.
    pub frame: BodyFrame,
    /// Units of the mesh per unit of the skeleton.
    pub scale: f64,
}

/// Fits a skeleton by its shape at rest. `fixed` has given places of joints by name, in the space
/// of the mesh; the fitted skeleton gets `space`, its unit and axes.
///
/// # Errors
/// [`RigError::OtherShape`], [`RigError::NoSolid`], [`RigError::SeveralBodies`],
/// [`RigError::NoJoint`], [`RigError::NoBones`].
pub fn fit_shape(
    template: &Skeleton,
    mesh: &RigMesh,
    fixed: &BTreeMap<String, Vector3<f64>>,
    space: Space,
) -> Result<FittedShape, RigError> {
    if let Some(joint) = fixed.keys().find(|name| template.find(name).is_none()) {
        return Err(RigError::NoJoint { joint: joint.clone() });
    }
    let rest = rest_places(template);
    let tree = ends(template, &rest);
    let count = tree.joints.len();
    if !(2..=MOST_ENDS).contains(&count) {
        let seen = format!("the skeleton has {count} limbs, and 2 to {MOST_ENDS} can be looked for");
        return Err(RigError::OtherShape { seen });
    }
    let voxels = extremities::largest_part(&Voxels::new(mesh, VOXELS))?;
    let tips = tips(&voxels, count)?;
    let ways: Vec<Ways> = tips.iter().map(|tip| Ways::new(&voxels, &[(*tip, 0.0)])).collect();
    let pose = paired(&tree, &rest, &voxels, &tips, &ways)?;
    let confidence = (1.0 - pose.unlike / UNLIKE).clamp(0.1, 0.9);
    let known: Vec<Option<FittedJoint>> = template
        .iter()
        .map(|(id, joint)| {
            if let Some(place) = fixed.get(&joint.name) {
                let reason = "fixed by the user".to_owned();
                return Some(FittedJoint { place: *place, confidence: 1.0, reason });
            }
            let at = id.index();
            tree.between[at].then(|| FittedJoint {
                place: place_of(at, &tree, (&voxels, &tips), &ways, &pose.of_end),
                confidence,
                reason: "at its share of the ways between the ends of limbs".to_owned(),
            })
        })
        .collect();
    let first = known.iter().position(Option::is_some).ok_or(RigError::NoBones)?;
    let below = known[first].as_ref().map_or_else(Vector3::zeros, |known| known.place);
    let root = FittedJoint {
        place: below + pose.turn * (rest[0] - rest[first]) * pose.scale,
        confidence,
        reason: format!("as the template has it from {}", template.joints()[first].name),
    };
    let fitted = placed(template, &known, root, space)?;
    let axes = [template.space().up, template.space().forward].map(SignedAxis::vector);
    let frame = frame(mesh, &pose.turn, axes, confidence);
    Ok(FittedShape { fitted, frame, scale: pose.scale })
}

/// The frame of a body whose skeleton has these up and forward axes before the rotation.
fn frame(
    mesh: &RigMesh,
    turn: &Matrix3<f64>,
    [up, forward]: [Vector3<f64>; 2],
    confidence: f64,
) -> BodyFrame {
    let up = snapped(&(turn * up), SNAP);
    let ahead = turn * forward;
    let level = (ahead - up * ahead.dot(&up)).try_normalize(1e-9);
    let forward = level.unwrap_or_else(|| any_level(&up));
    let (low, high) = mesh.span(&Matrix3::from_columns(&[up.cross(&forward), up, forward]));
    let middle = (low + high) * 0.5;
    let left = up.cross(&forward);
    let floor = left * middle.x + up * low.y + forward * middle.z;
    let height = high.y - low.y;
    BodyFrame { up, left, forward, floor, height, facing_confidence: confidence, is_mirrored: false }
}

/// The `count` extremities of a solid.
fn tips(voxels: &Voxels, count: usize) -> Result<Vec<usize>, RigError> {
    let depths = voxels.depths();
    if extremities::is_round(voxels, &depths) {
        let seen = "it is one round mass without limbs".to_owned();
        return Err(RigError::OtherShape { seen });
    }
    let root = (0..voxels.len()).reduce(|best, at| if depths[at] > depths[best] { at } else { best });
    let mut tips: Vec<(usize, f64)> = Vec::new();
    let mut ways = Ways::new(voxels, &[(root.unwrap_or_default(), 0.0)]);
    for _ in 0..=count {
        let Some(tip) = ways.furthest() else { break };
        tips.push((tip, ways.far[tip]));
        let branch: Vec<(usize, f64)> = ways.back(voxels, tip).into_iter().map(|at| (at, 0.0)).collect();
        ways.add(voxels, &branch);
    }
    if tips.len() <= count || tips[count].1 > ANOTHER * tips[count - 1].1 {
        let seen = format!("the mesh has other limbs than the {count} of the skeleton");
        return Err(RigError::OtherShape { seen });
    }
    Ok(tips[..count].iter().map(|tip| tip.0).collect())
}

/// The pairing of the mesh's extremities with the skeleton's ends.
struct Paired {
    /// By end of the skeleton: the index of the extremity of the mesh.
    of_end: Vec<usize>,
    turn: Matrix3<f64>,
    scale: f64,
    /// The root mean square difference of distances, as a share of their mean.
    unlike: f64,
}

fn paired(
    tree: &Ends,
    rest: &[Vector3<f64>],
    voxels: &Voxels,
    tips: &[usize],
    ways: &[Ways],
) -> Result<Paired, RigError> {
    let count = tips.len();
    let of_tree = |a: usize, b: usize| tree.far[tree.joints[a]][b];
    let of_mesh = |a: usize, b: usize| ways[a].far[tips[b]];
    let all = || (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let [old, new] = all().fold([0.0, 0.0], |[old, new], (a, b)| [old + of_tree(a, b), new + of_mesh(a, b)]);
    let (scale, mean) = (new / old, new / all().count().max(1) as f64);
    if !(scale.is_finite() && scale > 0.0) {
        return Err(RigError::NoBones);
    }
    let from: Vec<Vector3<f64>> = tree.joints.iter().map(|at| rest[*at]).collect();
    let mut best: Option<(f64, Paired)> = None;
    let mut order: Vec<usize> = (0..count).collect();
    loop {
        let off = |(a, b): (usize, usize)| (of_mesh(order[a], order[b]) - scale * of_tree(a, b)).powi(2);
        let unlike = (all().map(off).sum::<f64>() / all().count() as f64).sqrt() / mean;
        let to: Vec<Vector3<f64>> = order.iter().map(|at| voxels.middle(tips[*at])).collect();
        if best.as_ref().is_none_or(|(least, _)| unlike < *least) {
            let (turn, apart) = turned(&from, &to, scale);
            let cost = unlike + PLACES * apart / mean;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Paired { of_end: order.clone(), turn, scale, unlike }));
            }
        }
        if !next_order(&mut order) {
            break;
        }
    }
    let (_, found) = best.ok_or(RigError::NoBones)?;
    if found.unlike > UNLIKE {
        let percent = 100.0 * found.unlike;
        let seen =
            format!("ways between the ends of its limbs differ by {percent:.0} % from those of the skeleton");
        return Err(RigError::OtherShape { seen });
    }
    Ok(found)
}

/// The next permutation; false after the last one.
fn next_order(order: &mut [usize]) -> bool {
    let Some(at) = (1..order.len()).rev().find(|at| order[at - 1] < order[*at]) else { return false };
    let with = (at..order.len()).rev().find(|with| order[*with] > order[at - 1]).unwrap_or(at);
    order.swap(at - 1, with);
    order[at..].reverse();
    true
}

/// The rotation between two sets of places, and the remaining root mean square distance.
fn turned(from: &[Vector3<f64>], to: &[Vector3<f64>], scale: f64) -> (Matrix3<f64>, f64) {
    let count = from.len() as f64;
    let middle = |places: &[Vector3<f64>]| places.iter().sum::<Vector3<f64>>() / count;
    let (a, b) = (middle(from), middle(to));
    let covariance: Matrix3<f64> =
        from.iter().zip(to).map(|(from, to)| (to - b) * (from - a).transpose()).sum();
    let found = SVD::try_new(covariance, true, true, f64::EPSILON, 1000);
    let turn = found.and_then(|found| {
        let (u, v) = (found.u?, found.v_t?);
        // To exclude a reflection, the axis with the smallest singular value is negated.
        let order = found.singular_values.imin();
        let mut signs = Vector3::repeat(1.0);
        signs[order] = (u.determinant() * v.determinant()).signum();
        Some(u * Matrix3::from_diagonal(&signs) * v)
    });
    let turn = turn.unwrap_or_else(Matrix3::identity);
    let off =
        |(from, to): (&Vector3<f64>, &Vector3<f64>)| (turn * (from - a) * scale - (to - b)).norm_squared();
    (turn, (from.iter().zip(to).map(off).sum::<f64>() / count).sqrt())
}

/// The place of a joint: the middle of the cross-section at its share of the paths between ends.
fn place_of(
    at: usize,
    tree: &Ends,
    (voxels, tips): (&Voxels, &[usize]),
    ways: &[Ways],
    of_end: &[usize],
) -> Vector3<f64> {
    let pairs: Vec<(usize, usize, f64, f64)> = tree
        .around(at)
        .into_iter()
        .map(|[a, b]| {
            let (p, q) = (of_end[a], of_end[b]);
            let (first, second) = (tree.far[at][a], tree.far[at][b]);
            let share = first / (first + second).max(f64::MIN_POSITIVE);
            let way = ways[p].far[tips[q]];
            (p, q, share * way, (1.0 - share) * way)
        })
        .collect();
    let cost = |voxel: usize| {
        let off = |(p, q, first, second): &(usize, usize, f64, f64)| {
            (ways[*p].far[voxel] - first).powi(2) + (ways[*q].far[voxel] - second).powi(2)
        };
        (pairs.iter().map(off).sum::<f64>() / (2 * pairs.len()).max(1) as f64).sqrt()
    };
    let inside: Vec<(usize, f64)> =
        (0..voxels.len()).filter(|at| voxels.inside[*at]).map(|at| (at, cost(at))).collect();
    let Some(best) = inside.iter().copied().reduce(|best, next| if next.1 < best.1 { next } else { best })
    else {
        return Vector3::zeros();
    };
    // The middle of the cross-section there: connected voxels with nearly the same cost.
    let mut open = vec![best.0];
    let cheap: BTreeMap<usize, f64> =
        inside.into_iter().filter(|(_, cost)| *cost <= best.1 + 1.5 * voxels.side).collect();
    let mut seen = std::collections::BTreeSet::from([best.0]);
    let (mut sum, mut number) = (Vector3::zeros(), 0.0);
    while let Some(at) = open.pop() {
        sum += voxels.middle(at);
        number += 1.0;
        for next in voxels.around(at).filter(|next| cheap.contains_key(next)) {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    sum / number
}
