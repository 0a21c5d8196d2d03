//! The limbs of a mesh as solids, whose volume in a pose is compared with that at rest.

use mocap_model::{Role, Skeleton, Vector3};

use crate::{BoundMesh, Solid};

/// A part of the body whose volume is compared with that at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limb {
    /// Hips, spine and chest, with the shoulders.
    Trunk,
    /// Neck and head.
    Head,
    /// From the left upper arm to the fingers.
    LeftArm,
    /// From the right upper arm to the fingers.
    RightArm,
    /// From the left thigh to the toes.
    LeftLeg,
    /// From the right thigh to the toes.
    RightLeg,
}

impl Limb {
    /// All limbs.
    pub const ALL: [Limb; 6] =
        [Limb::Trunk, Limb::Head, Limb::LeftArm, Limb::RightArm, Limb::LeftLeg, Limb::RightLeg];

    /// The name, as reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Limb::Trunk => "trunk",
            Limb::Head => "head",
            Limb::LeftArm => "left-arm",
            Limb::RightArm => "right-arm",
            Limb::LeftLeg => "left-leg",
            Limb::RightLeg => "right-leg",
        }
    }

    /// By joint: the limb to which it belongs; `None` above the hips and of skeletons without roles.
    pub fn of_joints(skeleton: &Skeleton) -> Vec<Option<Limb>> {
        let mut limbs: Vec<Option<Limb>> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let begun = joint.role.and_then(|role| match role {
                Role::Hips => Some(Limb::Trunk),
                Role::Neck | Role::Head => Some(Limb::Head),
                Role::LeftUpperArm => Some(Limb::LeftArm),
                Role::RightUpperArm => Some(Limb::RightArm),
                Role::LeftUpperLeg => Some(Limb::LeftLeg),
                Role::RightUpperLeg => Some(Limb::RightLeg),
                _ => None,
            });
            limbs.push(begun.or_else(|| joint.parent.and_then(|parent| limbs[parent.index()])));
        }
        limbs
    }
}

/// The limbs of a mesh, each closed where it was cut off.
#[derive(Clone, Debug)]
pub struct LimbSolids {
    solids: Vec<(Limb, Solid)>,
    rest: Vec<f64>,
}

impl LimbSolids {
    /// Cuts a mesh into limbs: a triangle belongs to a limb where the strongest joints of its three
    /// vertices do. `rest` are the vertices in the pose with which volumes are compared. Limbs
    /// without a volume at rest are left out.
    ///
    /// # Panics
    /// If the lists are of another mesh.
    pub fn new(
        mesh: &BoundMesh,
        triangles: &[[u32; 3]],
        skeleton: &Skeleton,
        rest: &[Vector3<f64>],
    ) -> LimbSolids {
        let joints = Limb::of_joints(skeleton);
        let limbs: Vec<Option<Limb>> =
            (0..mesh.vertices()).map(|vertex| joints[mesh.strongest_joint(vertex).index()]).collect();
        let mut found = LimbSolids { solids: Vec::new(), rest: Vec::new() };
        for limb in Limb::ALL {
            let own = |it: &&[u32; 3]| it.iter().all(|at| limbs[*at as usize] == Some(limb));
            let own: Vec<[u32; 3]> = triangles.iter().filter(own).copied().collect();
            let solid = Solid::new(&mesh.positions, &own);
            let volume = solid.volume(rest);
            if volume > 0.0 {
                found.solids.push((limb, solid));
                found.rest.push(volume);
            }
        }
        found
    }

    /// The volume of each limb in a pose as a share of that at rest.
    ///
    /// # Panics
    /// If a vertex is missing.
    pub fn shares(&self, positions: &[Vector3<f64>]) -> impl Iterator<Item = (Limb, f64)> {
        self.solids
            .iter()
            .zip(&self.rest)
            .map(move |((limb, solid), rest)| (*limb, solid.volume(positions) / rest))
    }
}
