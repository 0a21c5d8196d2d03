//! A skeleton at rest in terms of the table of markers: joints of segments, and places of landmarks.

use mocap_model::{JointId, Role, Side, Skeleton, Vector3};
use nalgebra::Matrix3;

use crate::body::{rest_places, rest_rotations};
use crate::marker_set::{Landmark, Segment};

/// Leg length of the body that the table describes, hip to ankle \[m\].
const TABLE_LEGS: f64 = 0.85;

/// A skeleton at rest, in metres.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    places: Vec<Vector3<f64>>,
    rotations: Vec<mocap_model::UnitQuaternion<f64>>,
    pub(crate) left: Vector3<f64>,
    up: Vector3<f64>,
    front: Vector3<f64>,
    hips: Vector3<f64>,
    chest: Option<Vector3<f64>>,
    /// The joint that moves the whole body.
    pub(crate) root: JointId,
    chest_joint: Option<JointId>,
    roles: Vec<(Role, JointId)>,
    /// Size relative to the body of the table.
    pub(crate) size: f64,
}

/// The role of a segment on a side.
pub(crate) fn role_of(segment: Segment, side: Option<Side>) -> Role {
    let left = match segment {
        Segment::Hips => Role::Hips,
        Segment::Chest => Role::Chest,
        Segment::Head => Role::Head,
        Segment::UpperLeg => Role::LeftUpperLeg,
        Segment::LowerLeg => Role::LeftLowerLeg,
        Segment::Foot => Role::LeftFoot,
        Segment::Shoulder => Role::LeftShoulder,
        Segment::UpperArm => Role::LeftUpperArm,
        Segment::LowerArm => Role::LeftLowerArm,
        Segment::Hand => Role::LeftHand,
    };
    if side == Some(Side::Right) { left.mirrored() } else { left }
}

impl Geometry {
    /// `None` where the skeleton has neither two legs nor two arms by its roles, or no size.
    pub(crate) fn of(skeleton: &Skeleton, metres: f64) -> Option<Geometry> {
        let places: Vec<Vector3<f64>> =
            rest_places(skeleton).into_iter().map(|place| place * metres).collect();
        let roles: Vec<(Role, JointId)> =
            skeleton.iter().filter_map(|(id, joint)| Some((joint.role?, hand(skeleton, id)))).collect();
        let find = |role: Role| roles.iter().find(|(other, _)| *other == role).map(|(_, id)| *id);
        let place = |role: Role| find(role).map(|id| places[id.index()]);
        let pair = |role: Role| Some((place(role)?, place(role.mirrored())?));
        let (legs, arms) = (pair(Role::LeftUpperLeg), pair(Role::LeftUpperArm));
        let (left_end, right_end) = legs.or(arms)?;
        let middle = |pair: Option<(Vector3<f64>, Vector3<f64>)>| pair.map(|(a, b)| (a + b) / 2.0);
        let chest = middle(arms);
        let hips = middle(legs).or(place(Role::Hips))?;
        let above =
            chest.or(place(Role::Head)).or(place(Role::Neck)).or(place(Role::Chest)).or(place(Role::Spine));
        let feet = middle(pair(Role::LeftFoot)).or(middle(pair(Role::LeftLowerLeg)));
        let up = above.map(|above| above - hips).or(feet.map(|feet| hips - feet))?;
        let left = left_end - right_end;
        let left = left.try_normalize(1e-9)?;
        let up = (up - left * up.dot(&left)).try_normalize(1e-9)?;
        let join = |role: Role| {
            let (a, b) = (find(role)?, find(role.mirrored())?);
            let above = |id: JointId| std::iter::successors(Some(id), |id| skeleton.joint(*id).parent);
            above(a).find(|id| *id != a && above(b).any(|other| other == *id))
        };
        let chest_joint =
            join(Role::LeftUpperArm).or(find(Role::UpperChest)).or(find(Role::Chest)).or(find(Role::Spine));
        let root = join(Role::LeftUpperLeg).or(find(Role::Hips)).or(chest_joint)?;
        let chain = |roles: [Role; 3]| {
            let [a, b, c] = [place(roles[0])?, place(roles[1])?, place(roles[2])?];
            Some((b - a).norm() + (c - b).norm())
        };
        let legs = chain([Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot]);
        let arms = chain([Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand]).map(|arms| arms * 1.55);
        let size = (legs.or(arms)? / TABLE_LEGS).clamp(0.3, 2.0);
        let rotations = rest_rotations(skeleton);
        let front = left.cross(&up);
        Some(Geometry { places, rotations, left, up, front, hips, chest, root, chest_joint, roles, size })
    }

    pub(crate) fn find(&self, role: Role) -> Option<JointId> {
        self.roles.iter().find(|(other, _)| *other == role).map(|(_, id)| *id)
    }

    /// Upwards at rest, in object space: from the hips to the chest, perpendicular to left.
    pub(crate) fn up(&self) -> Vector3<f64> {
        self.up
    }

    /// The rotation of a joint at rest, in object space.
    pub(crate) fn rotation(&self, joint: JointId) -> mocap_model::UnitQuaternion<f64> {
        self.rotations[joint.index()]
    }

    fn place(&self, role: Role) -> Option<Vector3<f64>> {
        Some(self.places[self.find(role)?.index()])
    }

    /// The joint that carries a segment. If the skeleton has no joint for a head, shoulder, hand or
    /// foot, the next one towards the trunk.
    pub(crate) fn joint(&self, segment: Segment, side: Option<Side>) -> Option<JointId> {
        let role = |segment| self.find(role_of(segment, side));
        match segment {
            Segment::Hips => Some(self.root),
            Segment::Chest => self.chest_joint,
            Segment::Head => role(segment).or(self.find(Role::Neck)),
            Segment::Shoulder => role(segment).or(self.chest_joint),
            Segment::Hand => role(segment).or(role(Segment::LowerArm)),
            Segment::Foot => role(segment).or(role(Segment::LowerLeg)),
            Segment::UpperLeg | Segment::LowerLeg | Segment::UpperArm | Segment::LowerArm => role(segment),
        }
    }

    /// Where a landmark is at rest [m], in object space.
    fn rest_place(&self, landmark: &Landmark) -> Option<Vector3<f64>> {
        let at = landmark.at;
        let side = landmark.side;
        let role = |segment| self.place(role_of(segment, side));
        // Lateral; for arms, the side that points up in a T-pose.
        let outer = |bone: &Vector3<f64>, front: &Vector3<f64>| {
            if side == Some(Side::Right) { bone.cross(front) } else { front.cross(bone) }
        };
        let trunk = |anchor: Vector3<f64>| {
            anchor + (self.left * at.x + self.up * at.y + self.front * at.z) * self.size
        };
        let lateral = if side == Some(Side::Right) { -self.left } else { self.left };
        let bone = |from: Segment, to: Segment, origin: Segment, share: bool| {
            let (from, to) = (role(from)?, role(to)?);
            let (bone, length) = ((to - from).try_normalize(1e-6)?, (to - from).norm());
            let front = (self.front - bone * bone.dot(&self.front)).try_normalize(0.1)?;
            let along = if share { at.x * length } else { at.x * self.size };
            let outer = outer(&bone, &front);
            Some(role(origin)? + bone * along + (outer * at.y + front * at.z) * self.size)
        };
        match landmark.segment {
            Segment::Hips => Some(trunk(self.hips)),
            Segment::Chest => Some(trunk(self.chest?)),
            Segment::Head => Some(trunk(self.place(Role::Head).or(self.place(Role::Neck))?)),
            Segment::Shoulder => {
                let origin = role(Segment::UpperArm)?;
                Some(origin + (lateral * at.x + self.up * at.y + self.front * at.z) * self.size)
            }
            Segment::Foot => {
                let origin = role(Segment::Foot)?;
                Some(origin + (self.front * at.x + self.up * at.y + lateral * at.z) * self.size)
            }
            Segment::UpperLeg => bone(Segment::UpperLeg, Segment::LowerLeg, Segment::UpperLeg, true),
            Segment::LowerLeg => bone(Segment::LowerLeg, Segment::Foot, Segment::LowerLeg, true),
            Segment::UpperArm => bone(Segment::UpperArm, Segment::LowerArm, Segment::UpperArm, true),
            Segment::LowerArm => bone(Segment::LowerArm, Segment::Hand, Segment::LowerArm, true),
            Segment::Hand => bone(Segment::LowerArm, Segment::Hand, Segment::Hand, false),
        }
    }

    /// The precision (inverse of the covariance) of a landmark's place at rest, in object space
    /// [1/m²]: from its standard deviations along the three axes of its segment.
    pub(crate) fn precision(&self, landmark: &Landmark) -> Option<Matrix3<f64>> {
        let place = self.rest_place(landmark)?;
        let mut sum = Matrix3::zeros();
        for axis in 0..3 {
            let mut moved = landmark.clone();
            moved.at[axis] += 1.0;
            let direction = (self.rest_place(&moved)? - place).try_normalize(1e-9)?;
            sum += direction * direction.transpose() / landmark.sigma[axis].powi(2);
        }
        Some(sum)
    }

    /// The joint of a landmark, and its place in the frame of that joint [m].
    pub(crate) fn attachment(&self, landmark: &Landmark) -> Option<(JointId, Vector3<f64>)> {
        let joint = self.joint(landmark.segment, landmark.side)?;
        Some((joint, self.in_joint(joint, &self.rest_place(landmark)?)))
    }

    /// A place at rest in the frame of a joint.
    pub(crate) fn in_joint(&self, joint: JointId, place: &Vector3<f64>) -> Vector3<f64> {
        self.rotations[joint.index()].inverse() * (place - self.places[joint.index()])
    }

    /// A place in the frame of a joint, at rest in object space.
    pub(crate) fn at_rest(&self, joint: JointId, place: &Vector3<f64>) -> Vector3<f64> {
        self.places[joint.index()] + self.rotations[joint.index()] * place
    }
}

/// The joint itself; for a hand that only twists, the joint below, which bends: Acclaim skeletons twist the
/// forearm between elbow and wrist.
fn hand(skeleton: &Skeleton, id: JointId) -> JointId {
    let joint = skeleton.joint(id);
    let is_hand = matches!(joint.role, Some(Role::LeftHand | Role::RightHand));
    let turns = joint.dofs.rotation.iter().filter(|turns| **turns).count();
    if !is_hand || turns != 1 {
        return id;
    }
    let below = skeleton.children(id).iter().find(|child| !skeleton.joint(**child).end_site);
    below.copied().unwrap_or(id)
}
