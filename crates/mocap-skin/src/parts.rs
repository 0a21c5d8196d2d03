//! Parts of a body, by joint and by vertex.

use crate::Surface;
use mocap_model::{JointId, Role, Side, Skeleton};

/// A part of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Hips, spine, chest; also vertices that no joint with a role moves.
    Trunk,
    /// Neck and head.
    Head,
    /// Clavicle.
    Shoulder(Sided),
    /// From shoulder to elbow.
    UpperArm(Sided),
    /// From elbow to wrist.
    Forearm(Sided),
    /// Palm and fingers.
    Hand(Sided),
    /// From hip to knee.
    Thigh(Sided),
    /// From knee to ankle.
    Shank(Sided),
    /// From the ankle on.
    Foot(Sided),
}

/// A side, with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sided {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

impl Sided {
    /// Both, left first.
    pub const BOTH: [Sided; 2] = [Sided::Left, Sided::Right];
}

impl From<Side> for Sided {
    fn from(side: Side) -> Sided {
        if side == Side::Left { Sided::Left } else { Sided::Right }
    }
}

impl Part {
    /// The part that a role moves.
    pub fn of(role: Role) -> Part {
        use Role::*;
        let side = role.side().map_or(Sided::Left, Sided::from);
        match role {
            Hips | Spine | Chest | UpperChest => Part::Trunk,
            Neck | Head => Part::Head,
            LeftUpperLeg | RightUpperLeg => Part::Thigh(side),
            LeftLowerLeg | RightLowerLeg => Part::Shank(side),
            LeftFoot | RightFoot | LeftToes | RightToes => Part::Foot(side),
            LeftShoulder | RightShoulder => Part::Shoulder(side),
            LeftUpperArm | RightUpperArm => Part::UpperArm(side),
            LeftLowerArm | RightLowerArm => Part::Forearm(side),
            _ => Part::Hand(side),
        }
    }

    /// Whether it is trunk, head or leg: arms are kept out of these.
    pub fn is_core(self) -> bool {
        use Part::*;
        matches!(self, Trunk | Head | Thigh(_) | Shank(_) | Foot(_))
    }

    /// Whether it is the forearm or hand of a side.
    pub fn is_lower_arm_of(self, side: Sided) -> bool {
        self == Part::Forearm(side) || self == Part::Hand(side)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        use Sided::{Left, Right};
        match self {
            Part::Trunk => "Trunk",
            Part::Head => "Head",
            Part::Shoulder(Left) => "LeftShoulder",
            Part::Shoulder(Right) => "RightShoulder",
            Part::UpperArm(Left) => "LeftUpperArm",
            Part::UpperArm(Right) => "RightUpperArm",
            Part::Forearm(Left) => "LeftForearm",
            Part::Forearm(Right) => "RightForearm",
            Part::Hand(Left) => "LeftHand",
            Part::Hand(Right) => "RightHand",
            Part::Thigh(Left) => "LeftUpperLeg",
            Part::Thigh(Right) => "RightUpperLeg",
            Part::Shank(Left) => "LeftLowerLeg",
            Part::Shank(Right) => "RightLowerLeg",
            Part::Foot(Left) => "LeftFoot",
            Part::Foot(Right) => "RightFoot",
        }
    }
}

/// The part of each joint: that of its role, else that of the nearest joint above with a role.
pub fn parts_of_joints(skeleton: &Skeleton, role: impl Fn(JointId) -> Option<Role>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(skeleton.len());
    for (id, joint) in skeleton.iter() {
        let above = joint.parent.map_or(Part::Trunk, |parent| parts[parent.index()]);
        parts.push(role(id).map_or(above, Part::of));
    }
    parts
}

/// The part of each vertex: that of the joint with the largest share in it.
pub fn parts_of_vertices(surface: &Surface, joints: &[Part]) -> Vec<Part> {
    (0..surface.positions().len()).map(|vertex| joints[surface.dominant(vertex).index()]).collect()
}
