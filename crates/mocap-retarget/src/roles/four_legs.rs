//! Detects bodies on four legs. Animal rigs use the joint names of people, with forelegs as arms.
//!
//! Neither rest pose nor motion is enough: a person may crawl, fall or turn cartwheels, and a rest pose may be a
//! frame of any motion. An animal stands on four straight legs at rest and moves on them most of the time. Both
//! are required.

use super::RoleMap;
use mocap_model::{Clip, JointId, Pose, Role, Skeleton, Vector3};

/// Number of frames sampled over the clip.
const FRAMES: usize = 128;
/// The trunk is level if it rises by less than this (sine of 30°).
const LEVEL: f64 = 0.5;
/// Legs are straight if the hips are at least this far above the feet \[leg lengths\].
const STRAIGHT: f64 = 0.6;
/// Hands are on the floor if they are less than this above the feet at rest \[leg lengths\].
const AT_REST: f64 = 0.25;
/// The same in motion.
const IN_MOTION: f64 = 0.35;
/// Least share of frames on four legs.
const MOSTLY: f64 = 0.8;

/// Joints of trunk and limbs, left and right.
pub(super) struct Limbs {
    thighs: [JointId; 2],
    knees: [JointId; 2],
    feet: [JointId; 2],
    arms: [JointId; 2],
    hands: [JointId; 2],
}

impl Limbs {
    /// `None` where a limb is missing.
    pub(super) fn of(map: &RoleMap) -> Option<Limbs> {
        let pair = |left: Role| Some([map.joint(left)?, map.joint(left.mirrored())?]);
        Some(Limbs {
            thighs: pair(Role::LeftUpperLeg)?,
            knees: pair(Role::LeftLowerLeg)?,
            feet: pair(Role::LeftFoot)?,
            arms: pair(Role::LeftUpperArm)?,
            hands: pair(Role::LeftHand)?,
        })
    }

    /// Whether the body stands on four straight legs at rest.
    pub(super) fn rest_on_four(&self, skeleton: &Skeleton) -> bool {
        let mut object = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut object);
        let shape = self.shape(&object, skeleton.space().up.vector());
        shape.is_some_and(|shape| {
            shape.trunk_rise < LEVEL
                && shape.hands < AT_REST
                && shape.legs_up >= STRAIGHT
                && shape.arms_up >= STRAIGHT
        })
    }

    /// Whether a motion is on four legs most of the time.
    pub(super) fn moves_on_four(&self, clip: &Clip) -> bool {
        let up = clip.skeleton().space().up.vector();
        let count = clip.frames().min(FRAMES);
        let (mut local, mut object) = (Pose::default(), Pose::default());
        let on_four = (0..count).filter(|i| {
            clip.local_pose(i * clip.frames() / count, &mut local);
            local.to_object(clip.skeleton(), &mut object);
            let shape = self.shape(&object, up);
            shape.is_some_and(|shape| shape.trunk_rise < LEVEL && shape.hands < IN_MOTION)
        });
        on_four.count() as f64 >= MOSTLY * count as f64
    }

    fn shape(&self, pose: &Pose, up: Vector3<f64>) -> Option<Shape> {
        let at = |joint: JointId| pose.joints[joint.index()].translation.vector;
        let middle = |pair: [JointId; 2]| (at(pair[0]) + at(pair[1])) / 2.0;
        let height = |pair: [JointId; 2]| middle(pair).dot(&up);
        let length: f64 = (0..2)
            .map(|i| {
                (at(self.thighs[i]) - at(self.knees[i])).norm()
                    + (at(self.knees[i]) - at(self.feet[i])).norm()
            })
            .sum();
        let leg = length / 2.0;
        let trunk = (middle(self.arms) - middle(self.thighs)).try_normalize(0.0)?;
        (leg > 0.0).then(|| Shape {
            trunk_rise: trunk.dot(&up),
            hands: (height(self.hands) - height(self.feet)) / leg,
            legs_up: (height(self.thighs) - height(self.feet)) / leg,
            arms_up: (height(self.arms) - height(self.hands)) / leg,
        })
    }
}

/// Measures of how a body stands in a pose.
struct Shape {
    /// The sine of the angle by which the trunk rises from the hips to the shoulders.
    trunk_rise: f64,
    /// Heights in lengths of the leg: hands above feet, hip joints above feet, shoulders above hands.
    hands: f64,
    legs_up: f64,
    arms_up: f64,
}

#[cfg(test)]
mod tests {
    use super::super::{map_roles, map_roles_in};
    use mocap_model::{
        Dofs, EulerOrder, FrameRate, Joint, JointId, JointTracks, Skeleton, Space, Track, UnitQuaternion,
        Vector3, exp,
    };
    use std::f64::consts::FRAC_PI_2;

    /// A skeleton with the names of Biped: on two legs, or on four. The last value turns the trunk.
    fn skeleton(on_four: bool) -> Skeleton {
        let trunk = if on_four { [0.0, 0.05, 0.7] } else { [0.0, 0.5, 0.0] };
        let arm = |side: f64| if on_four { [0.0, -0.45, 0.0] } else { [0.3 * side, 0.0, 0.0] };
        let mut joints = vec![("Bip01 Pelvis".to_owned(), None, [0.0, 1.0, 0.0])];
        joints.push(("Bip01 Spine".into(), Some(0), trunk.map(|value: f64| value / 2.0)));
        joints.push(("Bip01 Neck".into(), Some(1), trunk.map(|value| value / 2.0)));
        joints.push(("Bip01 Head".into(), Some(2), [0.0, 0.2, 0.05]));
        for (side, sign) in [("L", 1.0), ("R", -1.0)] {
            let first = joints.len() as u32;
            joints.push((format!("Bip01 {side} Thigh"), Some(0), [0.1 * sign, 0.0, 0.0]));
            joints.push((format!("Bip01 {side} Calf"), Some(first), [0.0, -0.48, 0.0]));
            joints.push((format!("Bip01 {side} Foot"), Some(first + 1), [0.0, -0.48, 0.0]));
            joints.push((format!("Bip01 {side} UpperArm"), Some(2), [0.12 * sign, 0.0, 0.0]));
            joints.push((format!("Bip01 {side} Forearm"), Some(first + 3), arm(sign)));
            joints.push((format!("Bip01 {side} Hand"), Some(first + 4), arm(sign)));
        }
        let joints = joints.into_iter().map(|(name, parent, offset)| Joint {
            name,
            parent: parent.map(JointId),
            offset: offset.into(),
            rest_rotation: UnitQuaternion::identity(),
            dofs: Dofs::ball(EulerOrder::ZXY),
            role: None,
            end_site: false,
        });
        Skeleton::new("", Space::default(), joints.collect()).unwrap()
    }

    /// A motion with the whole body bent forward, arms in front.
    fn clip(skeleton: Skeleton, bent: f64) -> mocap_model::Clip {
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let turn = |axis: Vector3<f64>, angle: f64| Track::Constant(exp(&(axis * angle)));
        for (joint, track) in skeleton.joints().iter().zip(&mut tracks) {
            match joint.name.as_str() {
                "Bip01 Spine" => track.rotation = turn(Vector3::x(), bent),
                name if name.ends_with("UpperArm") => {
                    let side = if name.contains(" L ") { 1.0 } else { -1.0 };
                    track.rotation =
                        Track::Constant(exp(&(Vector3::x() * -bent)) * exp(&(Vector3::z() * (-side * bent))));
                }
                _ => {}
            }
        }
        mocap_model::Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 10, tracks).unwrap()
    }

    #[test]
    fn an_animal_with_the_names_of_a_person_is_in_doubt_and_a_crawling_person_is_not() {
        let doubt = |map: &super::RoleMap| map.rows.iter().any(|row| !row.is_certain());
        assert!(doubt(&map_roles(&skeleton(true))));
        assert!(doubt(&map_roles_in(&clip(skeleton(true), 0.0))));
        assert!(!doubt(&map_roles(&skeleton(false))));
        // On hands and feet, from a T-pose.
        let crawling = clip(skeleton(false), FRAC_PI_2);
        assert!(!doubt(&map_roles_in(&crawling)));
        // The rest pose is on all fours, but the body stands up in the motion.
        assert!(!doubt(&map_roles_in(&clip(skeleton(true), -FRAC_PI_2))));
    }
}
