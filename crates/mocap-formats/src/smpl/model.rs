//! The three bodies, and their skeletons.

use super::joints::{FINGERS, Row, SMPL_BODY, SMPL_HANDS, SMPLX_BODY, SMPLX_FACE};
use mocap_model::{
    Dofs, EulerOrder, Joint, JointId, SignedAxis, Skeleton, Space, Unit, UnitQuaternion, UnitSource, Vector3,
    exp,
};

/// A body model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// 24 joints.
    Smpl,
    /// 52 joints, with fingers.
    SmplH,
    /// 55 joints, with fingers, jaw and eyes.
    SmplX,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 3] = [Model::Smpl, Model::SmplH, Model::SmplX];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Smpl => "smpl",
            Model::SmplH => "smplh",
            Model::SmplX => "smplx",
        }
    }

    /// The model of that many joints; of the 22 that all models share, SMPL.
    pub fn of_joints(count: usize) -> Option<Model> {
        match count {
            22 | 24 => Some(Model::Smpl),
            52 => Some(Model::SmplH),
            55 => Some(Model::SmplX),
            _ => None,
        }
    }

    /// Its joints in the order of files.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static Row> {
        let parts: [&[Row]; 3] = match self {
            Model::Smpl => [SMPL_BODY, SMPL_HANDS, &[]],
            Model::SmplH => [SMPL_BODY, FINGERS, &[]],
            Model::SmplX => [SMPLX_BODY, SMPLX_FACE, FINGERS],
        };
        parts.into_iter().flatten()
    }

    /// Where the pelvis of the body at rest is \[m\]: a file states its way from there.
    pub fn pelvis(self) -> Vector3<f64> {
        Vector3::from(self.rows().next().expect("a body has a pelvis").3)
    }

    /// The first joints of the mean body as a skeleton: Z up, looking along -Y, metres. The bones of a rest pose run as
    /// in the model, which has Y up; the rest rotation of the pelvis sets it upright.
    pub(super) fn skeleton(self, joints: usize, gender: &str) -> Skeleton {
        let rows: Vec<&Row> = self.rows().take(joints).collect();
        let place = |name: &str| rows.iter().position(|(known, ..)| *known == name).map(JointId::from);
        let joint = |(name, parent, role, offset): &&Row| Joint {
            role: *role,
            dofs: match parent.is_empty() {
                true => Dofs::free(EulerOrder::ZXY),
                false => Dofs::ball(EulerOrder::ZXY),
            },
            rest_rotation: if parent.is_empty() { upright() } else { UnitQuaternion::identity() },
            ..Joint::new(*name, place(parent), Vector3::from(*offset))
        };
        let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
        let forward = SignedAxis { negative: true, ..SignedAxis::Y };
        let space = Space { up: SignedAxis::Z, forward, unit };
        let name = format!("{} {gender}", self.name());
        Skeleton::new(name.trim(), space, rows.iter().map(joint).collect()).expect("the joints are a tree")
    }
}

/// The turn from the axes of the model (Y up, looking along Z) to those of files (Z up, looking along -Y).
pub(super) fn upright() -> UnitQuaternion<f64> {
    exp(&(Vector3::x() * std::f64::consts::FRAC_PI_2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Pose, Role};

    #[test]
    fn left_and_right_mirror_each_other() {
        for model in Model::ALL {
            let rows: Vec<&Row> = model.rows().collect();
            let lefts =
                rows.iter().filter_map(|(name, _, _, offset)| Some((name.strip_prefix("left_")?, offset)));
            let mut pairs = 0;
            for (name, [x, y, z]) in lefts {
                let (_, parent, _, right) =
                    rows.iter().find(|(other, ..)| *other == format!("right_{name}")).unwrap();
                // People are not symmetric: arms of the mean body of SMPL-X hang 4 cm differently.
                let off = (Vector3::new(-x, *y, *z) - Vector3::from(*right)).amax();
                assert!(off < 0.04, "{} {name}: {off} m", model.name());
                assert!(x.abs() < 0.02 || x.signum() == -right[0].signum(), "{} {name}", model.name());
                assert!(!parent.starts_with("left_"), "{} {name}", model.name());
                pairs += 1;
            }
            assert!(pairs >= 9, "{}: {pairs} pairs", model.name());
        }
    }

    #[test]
    fn bodies_stand_upright_and_have_the_size_of_people() {
        for (model, joints) in [(Model::Smpl, 24), (Model::SmplH, 52), (Model::SmplX, 55)] {
            let skeleton = model.skeleton(usize::MAX, "neutral");
            assert_eq!(skeleton.len(), joints);
            let mut object = Pose::default();
            Pose::rest(&skeleton).to_object(&skeleton, &mut object);
            let at = |role: Role| object.joints[skeleton.with_role(role).unwrap().index()].translation.vector;
            let height = at(Role::Head).z - at(Role::LeftFoot).z;
            assert!((1.3..1.6).contains(&height), "{}: {height} m", model.name());
            // The left hand is on the left side for a body that faces -Y, and the toes point there.
            assert!(at(Role::LeftHand).x > 0.6 && at(Role::RightHand).x < -0.6);
            assert!(at(Role::LeftToes).y < at(Role::LeftFoot).y - 0.1);
        }
    }
}
