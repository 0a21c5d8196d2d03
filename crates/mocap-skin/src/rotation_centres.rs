//! Rotation centres of spherical blend skinning: for each set of bones, the point on which they agree most.
//!
//! Based on: L. Kavan, J. Žára, "Spherical blend skinning: a real-time deformation of articulated models",
//! 2005. The paper cuts off small singular values; here they are damped, so that centres do not jump while a
//! joint straightens.

use std::collections::BTreeMap;

use mocap_model::Vector3;
use nalgebra::Matrix3;

use crate::bound::BoundMesh;
use crate::palette::{RigidPalette, Rows};

/// Added to the squares of singular values: rotations of less than a thousandth of a radian have no centre.
const DAMPING: f64 = 1e-6;

/// The sets of bones of a mesh, and their centres in the pose last set.
#[derive(Clone, Debug, Default)]
pub(crate) struct RotationCentres {
    sets: Vec<Vec<u32>>,
    /// By vertex: its set.
    of: Vec<u32>,
    centres: Vec<Vector3<f64>>,
}

impl RotationCentres {
    pub(crate) fn new(mesh: &BoundMesh) -> RotationCentres {
        let mut known: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let of = (0..mesh.vertices()).map(|vertex| {
            let mut set = mesh.bones[mesh.range(vertex)].to_vec();
            set.sort_unstable();
            *known.entry(set).or_insert_with_key(|set| {
                sets.push(set.clone());
                sets.len() as u32 - 1
            })
        });
        let of = of.collect();
        RotationCentres { sets, of, centres: Vec::new() }
    }

    pub(crate) fn place(&mut self, rigid: &RigidPalette, joints: &[Vector3<f64>]) {
        self.centres.clear();
        self.centres.extend(self.sets.iter().map(|set| centre(set, &rigid.matrices, joints)));
    }

    pub(crate) fn of(&self, vertex: usize) -> Vector3<f64> {
        self.centres[self.of[vertex] as usize]
    }
}

/// The point r in the bind pose that minimises the sum of |K_a r − K_b r|² over all pairs of bones.
/// If there are several, the one nearest to the joint (of these bones) with the least sum.
fn centre(set: &[u32], maps: &[Rows], joints: &[Vector3<f64>]) -> Vector3<f64> {
    let linear = |bone: u32| Matrix3::from_fn(|row, column| maps[bone as usize][4 * row + column]);
    let shift = |bone: u32| Vector3::from_fn(|row, _| maps[bone as usize][4 * row + 3]);
    // The sum over all pairs is that over the differences to the mean, times the number of bones.
    let count = set.len() as f64;
    let mean = set.iter().map(|bone| linear(*bone)).sum::<Matrix3<f64>>() / count;
    let mean_shift = set.iter().map(|bone| shift(*bone)).sum::<Vector3<f64>>() / count;
    let mut normal = Matrix3::zeros();
    let mut right = Vector3::zeros();
    let mut constant = 0.0;
    for bone in set {
        let (turn, offset) = (linear(*bone) - mean, mean_shift - shift(*bone));
        normal += turn.transpose() * turn;
        right += turn.transpose() * offset;
        constant += offset.norm_squared();
    }
    let cost = |at: &Vector3<f64>| at.dot(&(normal * at)) - 2.0 * at.dot(&right) + constant;
    let candidates = set.iter().map(|bone| joints[*bone as usize]);
    let near = candidates.reduce(|best, next| if cost(&next) < cost(&best) { next } else { best });
    let near = near.unwrap_or_default();
    let damped = normal + Matrix3::identity() * DAMPING;
    let step = damped.cholesky().map(|it| it.solve(&(right - normal * near)));
    near + step.unwrap_or_default()
}
