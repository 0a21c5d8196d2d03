//! Copies weights from another character: from the nearest places of its surface, deformed to the pose of the mesh.
//!
//! Places without a counterpart, such as loose clothes, get their weights by diffusion from those with one.
//!
//! Based on: R. Abdrashitov, K. Raichstat, J. Monsen, D. Hill, "Robust skin weights transfer via weight inpainting", 2023.

use mocap_model::{JointId, Skeleton, Vector3};
use mocap_skin::{TriangleTree, barycentric};
use nalgebra::DMatrix;

use super::carried::carried;
use super::diffusion::Diffusion;
use super::near::thicknesses;
use super::symmetry::{self, Mirror};
use super::{Donor, MOST_NUMBERS, PlaceWeights, limit};
use crate::{BoneSegment, RigError, RigMesh, Voxels, segments};

/// A counterpart is at most this far away, as a share of the size of the mesh ...
const FURTHEST: f64 = 0.03;
/// ... and the cosine between the normals is at least this.
const LEANING: f64 = 0.5;
/// The width over which copied weights are smoothed, as a share of the size of the mesh.
const SMOOTH: f64 = 0.002;
/// Relative weight of a place without a counterpart.
const WEAK: f64 = 1e-4;
/// Joints that both skeletons have must move at least this share of the donor's surface.
const SHARED: f64 = 0.5;
/// Voxels along the longest side of the donor, to measure its thickness.
const VOXELS: usize = 100;

/// Weights that were copied.
#[derive(Clone, Debug, Default)]
pub struct CopiedWeights {
    /// By place of the mesh.
    pub weights: PlaceWeights,
    /// The share of the surface with a counterpart, 0 to 1.
    pub matched: f64,
    /// Joints of the donor whose weights went to a joint above, because the skeleton lacks their name and role.
    pub merged: Vec<String>,
}

/// Copies the weights of a donor to a mesh whose `skeleton` has its joints at `places` and its bones as `segments`.
///
/// # Errors
/// [`RigError::NoCommonJoints`], [`RigError::WeightBudget`], [`RigError::Singular`].
pub fn copy_weights(
    (mesh, bones): (&RigMesh, &[BoneSegment]),
    (skeleton, places): (&Skeleton, &[Vector3<f64>]),
    donor: &Donor,
    influences: usize,
) -> Result<CopiedWeights, RigError> {
    let (of_donor, merged) = counterparts(donor, skeleton)?;
    let mut joints: Vec<JointId> = of_donor.iter().flatten().copied().collect();
    joints.sort_unstable();
    joints.dedup();
    if joints.len().saturating_mul(mesh.places.len()) > MOST_NUMBERS {
        let (joints, places) = (joints.len(), mesh.places.len());
        return Err(RigError::WeightBudget { joints, places, most: MOST_NUMBERS });
    }
    let to = targets(donor, skeleton, places);
    let thickness = thickness_ratios(donor, mesh, bones, &of_donor);
    let surface = carried(donor, &to, &thickness);
    let found = matches(mesh, donor, &surface);
    let diffusion = Diffusion::new(mesh, |place| {
        let width = SMOOTH * mesh.size;
        (if found[place].is_sure { 1.0 } else { WEAK }) / (width * width)
    })?;
    let column = |joint: JointId| joints.binary_search(&joint).expect("each joint is listed");
    let mut sources: Vec<Vec<(usize, f64)>> = vec![Vec::new(); joints.len()];
    for (place, counterpart) in found.iter().enumerate() {
        for (corner, share) in counterpart.corners {
            for (joint, weight) in donor.weights.of(corner as usize) {
                if let Some(joint) = of_donor[joint.index()] {
                    sources[column(joint)].push((place, share * weight));
                }
            }
        }
    }
    let mut weights = DMatrix::zeros(mesh.places.len(), joints.len());
    for (at, source) in sources.iter().enumerate().filter(|(_, source)| !source.is_empty()) {
        let mut by_place = vec![0.0; mesh.places.len()];
        source.iter().for_each(|(place, weight)| by_place[*place] += weight);
        let diffused = diffusion.diffused(|place| by_place[place]);
        diffused.into_iter().enumerate().for_each(|(place, weight)| weights[(place, at)] = weight);
    }
    let mirror =
        Mirror::of(mesh).and_then(|mirror| Some((mirror.joints(bones, mesh.size, &joints)?, mirror)));
    if let Some((twins, mirror)) = &mirror {
        weights = symmetry::symmetric(&weights, &mirror.places, twins);
    }
    let meet = vec![true; joints.len() * joints.len()];
    let mut limited = limit::limited(&weights, &joints, &meet, influences);
    limited.mirrored = mirror.is_some();
    let areas = mesh.areas();
    let sure: f64 = areas.iter().zip(&found).filter(|(_, one)| one.is_sure).map(|(area, _)| area).sum();
    let matched = sure / areas.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    Ok(CopiedWeights { weights: limited, matched, merged })
}

/// By joint of the donor, the joint of a skeleton with its name, else with its role.
fn same_joint(donor: &Donor, skeleton: &Skeleton, joint: JointId) -> Option<JointId> {
    let joint = donor.skeleton.joint(joint);
    let by_role = || {
        let role = joint.role?;
        skeleton.iter().find(|(_, other)| other.role == Some(role)).map(|(id, _)| id)
    };
    skeleton.find(&joint.name).or_else(by_role)
}

/// By joint of the donor: the joint that gets its weights; and the names of those that only have a counterpart above.
fn counterparts(donor: &Donor, skeleton: &Skeleton) -> Result<(Vec<Option<JointId>>, Vec<String>), RigError> {
    let mut found: Vec<Option<JointId>> = Vec::with_capacity(donor.skeleton.len());
    let mut merged = Vec::new();
    let mut shared = (0, 0.0);
    for (id, joint) in donor.skeleton.iter() {
        let own = same_joint(donor, skeleton, id);
        if own.is_some() {
            shared = (shared.0 + usize::from(donor.moves(id)), shared.1 + donor.shares[id.index()]);
        } else if donor.moves(id) {
            merged.push(joint.name.clone());
        }
        found.push(own.or_else(|| joint.parent.and_then(|parent| found[parent.index()])));
    }
    // Compares moved surface instead of numbers of joints, because many joints, such as those of fingers, move little.
    if shared.1 < SHARED {
        let moving = donor.shares.iter().filter(|share| **share > 0.0).count();
        return Err(RigError::NoCommonJoints { shared: shared.0, moving });
    }
    // Weights of joints above all shared joints go to the first shared joint.
    let first = found.iter().flatten().next().copied();
    found.iter_mut().for_each(|one| *one = one.or(first));
    Ok((found, merged))
}

/// By joint of the donor: its place in the mesh. Joints without a counterpart keep their offset from the joint above.
fn targets(donor: &Donor, skeleton: &Skeleton, places: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let own: Vec<Option<Vector3<f64>>> = (0..donor.skeleton.len())
        .map(|at| same_joint(donor, skeleton, JointId::from(at)).map(|joint| places[joint.index()]))
        .collect();
    let both = || own.iter().zip(&donor.places).filter_map(|(own, old)| Some((own.as_ref()?, old)));
    let reach = |all: Vec<&Vector3<f64>>| {
        let middle = all.iter().copied().sum::<Vector3<f64>>() / all.len().max(1) as f64;
        all.iter().map(|at| (**at - middle).norm_squared()).sum::<f64>().sqrt()
    };
    let scale = reach(both().map(|(own, _)| own).collect()) / reach(both().map(|(_, old)| old).collect());
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let mut found: Vec<Vector3<f64>> = Vec::with_capacity(own.len());
    for (id, joint) in donor.skeleton.iter() {
        let old = donor.places[id.index()];
        let carried = || match joint.parent {
            Some(parent) => found[parent.index()] + (old - donor.places[parent.index()]) * scale,
            None => both().next().map_or(old, |(own, first)| own + (old - first) * scale),
        };
        let place = own[id.index()].unwrap_or_else(carried);
        found.push(place);
    }
    found
}

/// By joint of the donor: the thickness of the mesh around its bones, relative to the donor.
fn thickness_ratios(
    donor: &Donor,
    mesh: &RigMesh,
    bones: &[BoneSegment],
    of_donor: &[Option<JointId>],
) -> Vec<Option<f64>> {
    let voxels = Voxels::new(&donor.mesh, VOXELS);
    let moves = |joint: JointId| donor.moves(joint);
    let own = segments(&donor.skeleton, &donor.places, &voxels, donor.mesh.size, moves);
    if own.is_empty() || bones.is_empty() {
        return vec![None; of_donor.len()];
    }
    let (of_mesh, of_own) = (thicknesses(mesh, bones), thicknesses(&donor.mesh, &own));
    let mean = |segments: &[BoneSegment], all: &[f64], joint: JointId| {
        let of_joint: Vec<f64> =
            segments.iter().zip(all).filter(|(one, _)| one.joint == joint).map(|(_, value)| *value).collect();
        (!of_joint.is_empty()).then(|| of_joint.iter().sum::<f64>() / of_joint.len() as f64)
    };
    let ratio = |(at, other): (usize, &Option<JointId>)| {
        let before = mean(&own, &of_own, JointId::from(at))?;
        Some((mean(bones, &of_mesh, (*other)?)? - before).exp())
    };
    of_donor.iter().enumerate().map(ratio).collect()
}

/// The counterpart of a place on the surface of the donor.
struct Counterpart {
    /// Corners of its triangle and their shares.
    corners: [(u32, f64); 3],
    /// Whether it is near and has a similar normal.
    is_sure: bool,
}

/// By place of a mesh: its counterpart on the deformed surface of the donor.
fn matches(mesh: &RigMesh, donor: &Donor, surface: &[Vector3<f64>]) -> Vec<Counterpart> {
    let tree = TriangleTree::new(donor.mesh.triangles.clone(), surface);
    let normals = mesh.normals();
    let within = FURTHEST * mesh.size;
    let find = |(at, normal): (&Vector3<f64>, &Vector3<f64>)| {
        let faces = |[a, b, c]: &[Vector3<f64>; 3]| {
            let own = (b - a).cross(&(c - a));
            own.dot(normal) > LEANING * own.norm()
        };
        let sure = tree.closest_where(at, surface, within, faces);
        let is_sure = sure.is_some();
        let nearest = sure.or_else(|| tree.closest(at, surface, f64::INFINITY));
        let corners = nearest.map_or([(0, 0.0); 3], |nearest| {
            let corners = donor.mesh.triangles[nearest.triangle];
            let shares = barycentric(corners.map(|corner| surface[corner as usize]), &nearest.place);
            [0, 1, 2].map(|at| (corners[at], shares[at]))
        });
        Counterpart { corners, is_sure }
    };
    mesh.places.iter().zip(&normals).map(find).collect()
}
