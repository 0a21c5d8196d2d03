//! Legs of a skeleton, as retargeting uses them: taken from a pose, solved, and put back.

use mocap_ik::{Goal, IkError, IkMethod, PosedChain, SolveOptions, SolveStatus, Solver};
use mocap_model::{Dofs, EulerOrder, Isometry3, Joint, JointId, Limit, Pose, Skeleton, Space, Vector3, exp};
use nalgebra::Unit;

const THIGH: f64 = 0.45;
const SHANK: f64 = 0.42;

/// Hips, a leg whose knee turns about X, an ankle and a toe.
fn skeleton(knee: Dofs) -> Skeleton {
    let joint = |name: &str, parent: Option<u32>, offset: [f64; 3]| {
        Joint::new(name, parent.map(JointId), Vector3::from(offset))
    };
    let mut joints = vec![
        joint("hips", None, [0.0, 0.9, 0.0]),
        joint("thigh", Some(0), [0.1, -0.05, 0.0]),
        joint("knee", Some(1), [0.0, -THIGH, 0.0]),
        joint("ankle", Some(2), [0.0, -SHANK, 0.0]),
        joint("toe", Some(3), [0.0, -0.05, 0.15]),
    ];
    joints[2].dofs = knee;
    Skeleton::new("leg", Space::default(), joints).unwrap()
}

fn hinge(min: f64, max: f64) -> Dofs {
    Dofs {
        rotation: [true, false, false],
        limits: [Some(Limit { min, max }), None, None],
        ..Dofs::ball(EulerOrder::ZXY)
    }
}

/// The flexion of the knee, positive where the foot is behind.
fn knee(pose: &Pose) -> f64 {
    let q = pose.joints[2].rotation;
    2.0 * q.i.atan2(q.w)
}

/// A step: the leg swings to and fro, and is straight to a tenth of a millimetre in the middle of it.
fn ankle(t: f64) -> Vector3<f64> {
    let angle = t * std::f64::consts::TAU;
    let length = THIGH + SHANK - 1e-4 - 0.02 * (1.0 - angle.cos());
    let swing = 0.5 * (2.0 * angle).sin();
    Vector3::new(0.1, 0.85 - length * swing.cos(), length * swing.sin())
}

#[test]
fn a_leg_is_taken_from_a_pose_and_put_back() {
    let skeleton = skeleton(Dofs::ball(EulerOrder::ZXY));
    for method in [IkMethod::Ccd, IkMethod::TwoBone] {
        let mut pose = Pose::rest(&skeleton);
        pose.joints[0] = Isometry3::new(Vector3::new(1.0, 0.9, -2.0), Vector3::new(0.1, 0.7, 0.0));
        pose.joints[2].rotation = exp(&Vector3::new(0.3, 0.0, 0.0));
        let untouched = pose.clone();
        let mut leg = PosedChain::limb(&skeleton, JointId(1), JointId(3)).unwrap();
        leg.read(&skeleton, &pose).unwrap();
        let mut object = Pose::default();
        pose.to_object(&skeleton, &mut object);
        assert!((leg.chain.tip(0).0 - object.joints[3].translation.vector).norm() < 1e-15);
        let wished = object.joints[0] * nalgebra::Point3::new(0.15, -0.7, 0.2);
        let outcome =
            method.solve(&mut leg.chain, &[Goal::at(wished.coords)], &SolveOptions::default()).unwrap();
        assert_eq!(outcome.status, SolveStatus::Reached, "{method}");
        leg.write(&mut pose).unwrap();
        pose.to_object(&skeleton, &mut object);
        assert!((object.joints[3].translation.vector - wished.coords).norm() < 1e-4);
        for joint in [0, 3, 4] {
            assert_eq!(pose.joints[joint], untouched.joints[joint]);
        }
    }
}

#[test]
fn nearly_straight_legs_follow_without_a_flip() {
    let straight_axis = Unit::new_normalize(Vector3::x());
    for (dofs, axis) in [
        (Dofs::ball(EulerOrder::ZXY), Some(straight_axis)),
        (hinge(0.0, 2.6), None),
        (hinge(-0.2, 2.6), Some(straight_axis)),
    ] {
        let skeleton = skeleton(dofs);
        for method in [IkMethod::Ccd, IkMethod::TwoBone] {
            let mut leg = PosedChain::limb(&skeleton, JointId(1), JointId(3)).unwrap();
            leg.chain.set_bend(1, axis);
            let mut pose = Pose::rest(&skeleton);
            let mut previous: Option<Pose> = None;
            let options = SolveOptions { position_tolerance: 1e-6, ..SolveOptions::default() };
            for frame in 0..=500 {
                leg.read(&skeleton, &pose).unwrap();
                let goal = Goal::at(ankle(f64::from(frame) / 100.0));
                let outcome = method.solve(&mut leg.chain, &[goal], &options).unwrap();
                assert_eq!(outcome.status, SolveStatus::Reached, "{method} {axis:?} {frame} {outcome:?}");
                leg.write(&mut pose).unwrap();
                assert!(knee(&pose) > 0.0, "{method} {axis:?} {frame}: {}", knee(&pose));
                if let Some(previous) = &previous {
                    for joint in [1, 2] {
                        let step = previous.joints[joint].rotation.angle_to(&pose.joints[joint].rotation);
                        assert!(step < 0.2, "{method} {axis:?} {frame}: {step}");
                    }
                }
                previous = Some(pose.clone());
            }
        }
    }
}

#[test]
fn out_of_reach_the_leg_is_stretched() {
    let skeleton = skeleton(hinge(0.0, 2.6));
    for method in [IkMethod::Ccd, IkMethod::TwoBone] {
        let mut leg = PosedChain::limb(&skeleton, JointId(1), JointId(3)).unwrap();
        let mut pose = Pose::rest(&skeleton);
        pose.joints[2].rotation = exp(&Vector3::new(0.8, 0.0, 0.0));
        leg.read(&skeleton, &pose).unwrap();
        let goal = Vector3::new(0.1, -0.3, 0.0);
        let outcome = method.solve(&mut leg.chain, &[Goal::at(goal)], &SolveOptions::default()).unwrap();
        assert_eq!(outcome.status, SolveStatus::Unreachable, "{method}");
        leg.write(&mut pose).unwrap();
        let missing = 0.85 + 0.3 - THIGH - SHANK;
        assert!((outcome.position - missing).abs() < 1e-4, "{method} {} {missing}", outcome.position);
        assert_eq!(outcome.limit_contacts, u32::from(knee(&pose) < 1e-9), "{method}");
    }
}

#[test]
fn the_pole_says_where_the_knee_shows() {
    let skeleton = skeleton(Dofs::ball(EulerOrder::ZXY));
    for method in [IkMethod::Ccd, IkMethod::TwoBone] {
        for pole in [[1.0, 0.4, 0.0], [-1.0, 0.5, 0.3], [0.0, 0.5, -2.0]] {
            let mut leg = PosedChain::limb(&skeleton, JointId(1), JointId(3)).unwrap();
            let mut pose = Pose::rest(&skeleton);
            pose.joints[2].rotation = exp(&Vector3::new(0.8, 0.0, 0.0));
            leg.read(&skeleton, &pose).unwrap();
            let (goal, pole) = (Vector3::new(0.1, 0.15, 0.1), Vector3::from(pole));
            let goals = [Goal::at(goal).with_pole(pole)];
            let outcome = method.solve(&mut leg.chain, &goals, &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Reached);
            let hip = leg.chain.positions()[0];
            let line = (goal - hip).normalize();
            let side = |p: Vector3<f64>| ((p - hip) - line * (p - hip).dot(&line)).normalize();
            let off = side(leg.chain.positions()[1]).angle(&side(pole));
            assert!(off < 1e-3, "{method} {pole:?}: {off}");
        }
    }
}

/// A foot that stands while the hips go down: the knee gives, the foot keeps its place and orientation.
#[test]
fn a_pinned_foot_stays_while_the_hips_move() {
    let skeleton = skeleton(hinge(0.0, 2.6));
    for method in [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::TwoBone, IkMethod::Dls, IkMethod::Objective] {
        let mut pose = Pose::rest(&skeleton);
        pose.joints[2].rotation = exp(&Vector3::new(0.3, 0.0, 0.0));
        let mut before = Pose::default();
        pose.to_object(&skeleton, &mut before);
        for tip in [1, 0] {
            let mut pose = pose.clone();
            let mut leg = PosedChain::limb(&skeleton, JointId(3), JointId(tip)).unwrap();
            assert!(leg.is_pinned());
            leg.read(&skeleton, &pose).unwrap();
            let at = before.joints[tip as usize].translation.vector;
            assert!((leg.chain.tip(0).0 - at).norm() < 1e-14);
            let goal = at + Vector3::new(0.05, -0.15, 0.1);
            let outcome = method.solve(&mut leg.chain, &[Goal::at(goal)], &SolveOptions::default()).unwrap();
            assert_eq!(outcome.status, SolveStatus::Reached, "{method} {tip}");
            leg.write(&mut pose).unwrap();
            let mut after = Pose::default();
            pose.to_object(&skeleton, &mut after);
            assert!((after.joints[tip as usize].translation.vector - goal).norm() < 2e-4, "{method} {tip}");
            for joint in [3, 4] {
                let moved = before.joints[joint].inverse() * after.joints[joint];
                assert!(moved.translation.vector.norm() < 1e-12 && moved.rotation.angle() < 1e-7, "{method}");
            }
            assert!(knee(&pose) >= -1e-9, "{method} {tip}: {}", knee(&pose));
            assert_eq!(pose.joints[1].translation, Pose::rest(&skeleton).joints[1].translation);
        }
    }
}

#[test]
fn chains_that_do_not_fit_are_reported() {
    let skeleton = skeleton(hinge(0.0, 2.6));
    assert!(matches!(
        PosedChain::limb(&skeleton, JointId(1), JointId(1)),
        Err(IkError::EffectorIsBase { .. })
    ));
    let mut leg = PosedChain::limb(&skeleton, JointId(1), JointId(3)).unwrap();
    let bad = [Goal::at(Vector3::new(0.0, f64::NAN, 0.0))];
    for method in IkMethod::ALL {
        let before = leg.chain.rotations().to_vec();
        assert_eq!(
            method.solve(&mut leg.chain, &bad, &SolveOptions::default()),
            Err(IkError::GoalNotFinite { effector: 0 })
        );
        assert_eq!(
            method.solve(&mut leg.chain, &[], &SolveOptions::default()),
            Err(IkError::GoalCount { found: 0, expected: 1 })
        );
        assert_eq!(leg.chain.rotations(), before);
    }
}
