//! Bodies on their hands: the hands of other bodies are on the floor too, wherever their legs would put the hips.

use mocap_formats::{Limits, bvh};
use mocap_model::*;
use mocap_retarget::{
    HandReport, RetargetOptions, RetargetReport, RetargetWarning, Retargeter, RoleMap, map_roles,
};
use std::f64::consts::PI;
use std::path::Path;
use std::sync::Arc;

const FPS: f64 = 60.0;

fn skeleton(name: &str) -> Arc<Skeleton> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips").join(name);
    let document = bvh::parse(&std::fs::read(path).unwrap(), &Limits::default()).unwrap().value;
    Arc::clone(bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value.skeleton())
}

/// Angles of a body that is straight but for its hips, with raised arms \[rad\]: the trunk leans forward, and the legs
/// swing back.
#[derive(Clone, Copy)]
struct Bend {
    trunk: f64,
    legs: f64,
}

/// A body that bends forward, puts its hands on the floor, swings its legs up, stands on its hands and comes back.
struct Gymnast {
    skeleton: Arc<Skeleton>,
    roles: RoleMap,
}

impl Gymnast {
    fn new(skeleton: &Arc<Skeleton>) -> Gymnast {
        Gymnast { skeleton: Arc::clone(skeleton), roles: map_roles(skeleton) }
    }

    fn joint(&self, role: Role) -> JointId {
        self.roles.joint(role).unwrap()
    }

    /// Orientations of all joints in object space, and their places with the hips at the origin.
    fn pose(&self, bend: Bend) -> (Vec<UnitQuaternion<f64>>, Vec<Vector3<f64>>) {
        let pitch = |angle: f64| exp(&(Vector3::x() * angle));
        let (mut rotations, mut places) = (Vec::new(), Vec::new());
        let (mut rest, skeleton) = (Pose::default(), &self.skeleton);
        Pose::rest(skeleton).to_object(skeleton, &mut rest);
        let at = |joint: JointId| rest.joints[joint.index()].translation.vector;
        for (id, joint) in skeleton.iter() {
            let (above, place) = match joint.parent {
                Some(parent) => {
                    let (turn, place): (UnitQuaternion<f64>, Vector3<f64>) =
                        (rotations[parent.index()], places[parent.index()]);
                    (turn, place + turn * joint.offset)
                }
                None => (UnitQuaternion::identity(), Vector3::zeros()),
            };
            let turned = match self.roles.role(id) {
                Some(Role::Hips) => pitch(bend.trunk),
                // Knees are bent a little, as they are in captured motions.
                Some(Role::LeftUpperLeg | Role::RightUpperLeg) => pitch(bend.legs - 0.15),
                Some(Role::LeftLowerLeg | Role::RightLowerLeg) => pitch(bend.legs + 0.15),
                Some(Role::LeftFoot | Role::RightFoot) => pitch(bend.legs),
                Some(role @ (Role::LeftUpperArm | Role::RightUpperArm)) => {
                    let hand = if role == Role::LeftUpperArm { Role::LeftHand } else { Role::RightHand };
                    let arm = at(self.joint(hand)) - at(id);
                    let raised = UnitQuaternion::rotation_between(&arm, &Vector3::y()).unwrap();
                    pitch(bend.trunk) * raised * rest.joints[id.index()].rotation
                }
                _ => above * joint.rest_rotation,
            };
            rotations.push(turned);
            places.push(place);
        }
        (rotations, places)
    }

    /// The height of the wrists above the toes.
    fn reach(&self, bend: Bend) -> f64 {
        let (_, places) = self.pose(bend);
        places[self.joint(Role::LeftHand).index()].y - places[self.joint(Role::LeftToes).index()].y
    }

    /// `kicks`: whether it stands on its hands; else it stays bent, with feet on the floor.
    fn motion(&self, kicks: bool) -> Clip {
        // The trunk leans until the wrists are as high as flat hands have them, above the toes.
        let (mut low, mut high) = (0.6 * PI, 0.98 * PI);
        let arm = self.skeleton.joint(self.joint(Role::LeftHand)).offset.norm();
        for _ in 0..40 {
            let trunk = (low + high) / 2.0;
            let [more, less] =
                if self.reach(Bend { trunk, legs: 0.0 }) > 0.2 * arm { [trunk, high] } else { [low, trunk] };
            (low, high) = (more, less);
        }
        let down = Bend { trunk: low, legs: 0.0 };
        let ease = |t: f64| t * t * (3.0 - 2.0 * t);
        // 0 standing, 1 bent with hands on the floor, 2 on the hands.
        let phase = |time: f64| match time {
            t if t < 0.4 => 0.0,
            t if t < 1.4 => ease(t - 0.4),
            t if t < 1.8 => 1.0,
            t if t < 2.8 => 1.0 + ease(t - 1.8),
            t if t < 3.6 => 2.0,
            t if t < 4.6 => 2.0 - ease(t - 3.6),
            t if t < 5.0 => 1.0,
            t if t < 6.0 => 1.0 - ease(t - 5.0),
            _ => 0.0,
        };
        let frames = (6.4 * FPS) as usize;
        let (mut rotations, mut hips) = (vec![Vec::new(); self.skeleton.len()], Vec::new());
        let foot = |places: &[Vector3<f64>]| places[self.joint(Role::LeftToes).index()];
        let palm = |places: &[Vector3<f64>]| places[self.joint(Role::LeftHand).index()];
        let (_, bent) = self.pose(down);
        for frame in 0..frames {
            let phase: f64 = phase(frame as f64 / FPS);
            let phase = if kicks { phase } else { phase.min(1.0) };
            let up = (phase - 1.0).max(0.0);
            let bend = Bend { trunk: down.trunk * phase.min(1.0) + (PI - down.trunk) * up, legs: PI * up };
            let (turns, places) = self.pose(bend);
            for (id, joint) in self.skeleton.iter() {
                let above = joint.parent.map_or(UnitQuaternion::identity(), |parent| turns[parent.index()]);
                rotations[id.index()].push(above.inverse() * turns[id.index()]);
            }
            // Feet stay at the origin, then hands where they came down.
            hips.push(if phase <= 1.0 { -foot(&places) } else { palm(&bent) - foot(&bent) - palm(&places) });
        }
        let tracks = self.skeleton.iter().map(|(id, joint)| JointTracks {
            rotation: Track::Sampled(rotations[id.index()].clone()),
            translation: joint.parent.is_none().then(|| Track::Sampled(hips.clone())),
            scale: None,
        });
        let rate = FrameRate::new(FPS).unwrap();
        Clip::new(Arc::clone(&self.skeleton), rate, frames, tracks.collect()).unwrap()
    }
}

/// A skeleton with longer or shorter limbs.
fn with_limbs(skeleton: &Skeleton, arms: f64, legs: f64) -> Skeleton {
    let roles = map_roles(skeleton);
    let mut id = 0;
    let other = skeleton.with_joints(|joint| {
        joint.offset *= match roles.role(JointId(id)) {
            Some(Role::LeftLowerArm | Role::RightLowerArm | Role::LeftHand | Role::RightHand) => arms,
            Some(Role::LeftLowerLeg | Role::RightLowerLeg | Role::LeftFoot | Role::RightFoot) => legs,
            _ => 1.0,
        };
        id += 1;
    });
    other.unwrap()
}

fn retarget(source: &Clip, target: &Skeleton, self_contacts: bool) -> (Clip, RetargetReport) {
    let options = RetargetOptions { self_contacts, ..RetargetOptions::default() };
    Retargeter::new(source.skeleton(), target, &options).unwrap().retarget(source).unwrap()
}

fn is_off_floor(warning: &RetargetWarning) -> bool {
    matches!(warning, RetargetWarning::HandOffFloor { .. })
}

/// Hands are on the floor in so many frames, and feet where they were.
#[track_caller]
fn assert_on_hands(report: &RetargetReport, least: f64, name: &str) {
    assert_eq!(report.hands.len(), 2, "{name}");
    for hand in &report.hands {
        let kept = hand.contacts_kept.unwrap() * hand.contact_frames as f64;
        assert!(hand.contact_frames > 200 && kept > least, "{name}: {hand:?}");
    }
    for foot in &report.feet {
        assert!(foot.penetration_max.unwrap() < 0.005 && foot.contact_frames > 100, "{name}: {foot:?}");
    }
    assert!(report.largest_step.excess <= 5.0, "{name}: {:?}", report.largest_step);
}

#[test]
fn hands_of_a_handstand_are_on_the_floor_on_every_body() {
    let motion = Gymnast::new(&skeleton("alex_walk.bvh")).motion(true);
    let robin = skeleton("robin_walk.bvh");
    for (arms, legs) in [(1.0, 1.0), (1.2, 1.0), (1.0, 0.9)] {
        let (_, report) = retarget(&motion, &with_limbs(&robin, arms, legs), true);
        let name = format!("arms × {arms}, legs × {legs}");
        assert_on_hands(&report, 200.0, &name);
        let near = |hand: &HandReport| {
            hand.float.unwrap() < 0.02 && hand.penetration.unwrap() < 0.02 && hand.slide.unwrap() < 0.05
        };
        assert!(report.hands.iter().all(near), "{name}: {:?}", report.hands);
        assert!(!report.warnings.iter().any(is_off_floor), "{name}: {:?}", report.warnings);
    }
    // Bodies that would have to squat while their feet stand: their hands are on the floor when they alone carry.
    for (arms, legs) in [(0.8, 1.0), (0.85, 1.2), (1.0, 0.75)] {
        let (_, report) = retarget(&motion, &with_limbs(&robin, arms, legs), true);
        assert_on_hands(&report, 100.0, &format!("arms × {arms}, legs × {legs}"));
    }
}

#[test]
fn a_handstand_is_the_same_turned_and_in_another_unit() {
    let motion = Gymnast::new(&skeleton("alex_walk.bvh")).motion(true);
    let target = with_limbs(&skeleton("robin_walk.bvh"), 0.85, 1.2);
    let plain = retarget(&motion, &target, true).1;
    for (turn, scale) in [(0.5 * PI, 1.0), (0.0, 0.01), (-2.0, 40.0)] {
        let about = exp(&(Vector3::y() * turn));
        let seen = motion.skeleton().with_joints(|joint| joint.offset *= scale).unwrap();
        let tracks = motion.skeleton().iter().zip(motion.tracks()).map(|((_, joint), tracks)| JointTracks {
            rotation: tracks.rotation.map(|q| if joint.parent.is_none() { about * q } else { *q }),
            translation: tracks.translation.as_ref().map(|track| track.map(|v| about * v * scale)),
            scale: None,
        });
        let turned = Clip::new(seen.into(), motion.rate(), motion.frames(), tracks.collect()).unwrap();
        let report = retarget(&turned, &target, true).1;
        for (a, b) in plain.hands.iter().zip(&report.hands) {
            assert_eq!((&a.contacts, a.contacts_kept), (&b.contacts, b.contacts_kept), "{turn} {scale}");
            assert!((a.float.unwrap() - b.float.unwrap()).abs() < 1e-6, "{turn} {scale}: {a:?} {b:?}");
        }
    }
}

#[test]
fn a_handstand_on_its_own_body_is_unchanged() {
    let motion = Gymnast::new(&skeleton("alex_walk.bvh")).motion(true);
    let (same, report) = retarget(&motion, &motion.skeleton().clone(), true);
    assert!(report.hands.iter().all(|hand| hand.float.unwrap() < 1e-9 && hand.penetration.unwrap() < 1e-9));
    for (a, b) in motion.tracks().iter().zip(same.tracks()) {
        assert!(a.rotation.at(200).angle_to(&b.rotation.at(200)) < 1e-9);
    }
}

#[test]
fn hands_that_cannot_reach_the_floor_are_named() {
    let motion = Gymnast::new(&skeleton("alex_walk.bvh")).motion(false);
    let short = with_limbs(&skeleton("robin_walk.bvh"), 0.5, 1.3);
    let (_, report) = retarget(&motion, &short, true);
    let off = report.warnings.iter().filter(|warning| is_off_floor(warning)).count();
    assert_eq!(off, 2, "{:?}", report.warnings);
    assert!(report.hands.iter().all(|hand| hand.float.unwrap() > 0.05 && hand.contacts_kept.unwrap() < 0.5));
    // Contacts that are not kept are not measured.
    let (_, free) = retarget(&motion, &short, false);
    assert!(
        free.hands.iter().all(|hand| hand.float.is_none() && hand.contacts.is_empty()),
        "{:?}",
        free.hands
    );
}
