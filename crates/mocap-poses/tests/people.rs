//! Poses by example on the fixtures: accuracy of goals, and invariances.

use mocap_model::{
    Clip, ForwardKinematics, JointId, Pose, Role, SignedAxis, Skeleton, Track, UnitQuaternion, Vector3, exp,
};
use mocap_poses::{
    Body, BodySolver, Examples, Followed, Goals, Lost, Mounting, Moved, PoseOptions, PosePrior, PosesError,
    Sampled, Solved, fill, follow, learn, solve, solve_with, unusual,
};
use std::sync::Arc;

const GIVEN: [Role; 6] =
    [Role::Hips, Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot, Role::Head];

fn clip(name: &str) -> Clip {
    let bytes = std::fs::read(mocap_corpus::fixture(&format!("clips/{name}.bvh"))).unwrap();
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
    let clip = mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value;
    let body = Body::of(clip.skeleton()).unwrap();
    clip.with_skeleton(Arc::clone(body.skeleton())).unwrap()
}

fn prior() -> PosePrior {
    learnt(&["alex_walk", "alex_wave", "alex_turn", "alex_jump"])
}

fn learnt(clips: &[&str]) -> PosePrior {
    let sampled: Vec<Sampled> = clips.iter().map(|name| Sampled::of(&clip(name)).unwrap()).collect();
    learn(&sampled).unwrap().0
}

fn metres(skeleton: &Skeleton) -> f64 {
    mocap_analysis::metres_per_unit(skeleton)
}

/// The points of some roles; all with orientations, or the hips only.
fn points(clip: &Clip, roles: &[Role], oriented: bool) -> Goals {
    let skeleton = clip.skeleton();
    let joints: Vec<JointId> = roles.iter().map(|role| skeleton.with_role(*role).unwrap()).collect();
    let mut kinematics = ForwardKinematics::new(clip);
    let (mut positions, mut orientations): (Vec<_>, Vec<Option<UnitQuaternion<f64>>>) = Default::default();
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        for (joint, role) in joints.iter().zip(roles) {
            positions.push(Some(kinematics.at(*joint).translation.vector));
            let turn = kinematics.at(*joint).rotation;
            orientations.push((oriented || *role == Role::Hips).then_some(turn));
        }
    }
    let names = roles.iter().map(|role| role.name().to_owned()).collect();
    Goals { rate: clip.rate(), names, positions, orientations, unit: None }
}

fn solved(prior: &PosePrior, goals: &Goals, skeleton: &Arc<Skeleton>) -> Solved {
    solve(prior, goals, skeleton, metres(skeleton), Mounting::Aligned).unwrap()
}

/// Places of all joints, by frame.
fn places(clip: &Clip) -> Vec<Vec<Vector3<f64>>> {
    let mut kinematics = ForwardKinematics::new(clip);
    let place = |frame: usize| {
        kinematics.place(frame);
        kinematics.pose().joints.iter().map(|joint| joint.translation.vector).collect()
    };
    (0..clip.frames()).map(place).collect()
}

/// Distances of joints [m], by frame and joint.
fn distances(a: &Clip, b: &Clip) -> Vec<f64> {
    let unit = metres(a.skeleton());
    let (a, b) = (places(a), places(b));
    assert_eq!(a.len(), b.len());
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).norm() * unit).collect()
}

fn apart(a: &Clip, b: &Clip) -> f64 {
    distances(a, b).into_iter().fold(0.0, f64::max)
}

/// The mean distance of the joint of a role [m].
fn off(a: &Clip, b: &Clip, role: Role) -> f64 {
    let (joint, count) = (a.skeleton().with_role(role).unwrap().index(), a.skeleton().len());
    let own: Vec<f64> = distances(a, b).into_iter().skip(joint).step_by(count).collect();
    own.iter().sum::<f64>() / own.len() as f64
}

fn assert_met(solved: &Solved) {
    for goal in &solved.report.goals {
        assert!(goal.max.is_some_and(|off| off < 1e-3) && goal.missed == 0, "{goal:?}");
        assert!(goal.angle_max.is_none_or(|angle| angle < 1e-3), "{goal:?}");
    }
}

#[test]
fn given_points_are_met_and_the_rest_is_near_the_truth() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    for oriented in [false, true] {
        let solved = solved(&prior, &points(&walk, &GIVEN, oriented), walk.skeleton());
        assert_met(&solved);
        for role in [Role::LeftLowerArm, Role::RightLowerArm, Role::LeftLowerLeg, Role::RightLowerLeg] {
            let off = off(&walk, &solved.clip, role);
            assert!(off < 0.02, "{role}: {off}");
        }
        assert_eq!(solved.report.unusual.len(), walk.frames());
    }
}

#[test]
fn the_other_solver_meets_points_as_well() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    for oriented in [false, true] {
        let goals = points(&walk, &GIVEN, oriented);
        let options = PoseOptions { solver: BodySolver::Xpbd, ..PoseOptions::default() };
        let unit = metres(walk.skeleton());
        let by_xpbd = solve_with(&prior, &goals, walk.skeleton(), unit, options).unwrap();
        assert_met(&by_xpbd);
        let plain = solved(&prior, &goals, walk.skeleton());
        assert!(apart(&plain.clip, &by_xpbd.clip) < 0.05, "{}", apart(&plain.clip, &by_xpbd.clip));
    }
    for solver in BodySolver::ALL {
        assert_eq!(solver.to_string().parse(), Ok(solver));
    }
    assert!("ccd".parse::<BodySolver>().is_err());
}

#[test]
fn a_file_gives_the_same_poses_back_and_the_same_bytes_again() {
    let known = prior();
    let bytes = known.to_bytes();
    let read = PosePrior::from_bytes(&bytes).unwrap();
    assert_eq!((read.poses(), read.clips(), read.frames()), (known.poses(), 4, known.frames()));
    assert_eq!(prior().to_bytes(), bytes);
    let walk = clip("alex_walk");
    let goals = points(&walk, &GIVEN, false);
    let [a, b] = [&known, &read].map(|prior| solved(prior, &goals, walk.skeleton()).clip);
    assert!(apart(&a, &b) < 2e-3, "{}", apart(&a, &b));
}

#[test]
fn damaged_files_are_refused() {
    let bytes = prior().to_bytes();
    for length in (0..bytes.len()).step_by(97) {
        assert!(PosePrior::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    for at in (0..bytes.len()).step_by(211) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        assert!(PosePrior::from_bytes(&damaged).is_err(), "byte {at}");
    }
    let error = PosePrior::from_bytes(b"HIERARCHY\nROOT").unwrap_err();
    assert_eq!(error.to_string(), "not a file of poses: it does not start with MOCAPPOS");
    let mut newer = bytes;
    newer[8] = 9;
    assert!(PosePrior::from_bytes(&newer).unwrap_err().to_string().contains("version 9"));
}

#[test]
fn where_the_points_stand_and_face_does_not_matter() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let goals = points(&walk, &GIVEN, true);
    let still = solved(&prior, &goals, walk.skeleton()).clip;
    let (turn, step) = (exp(&(Vector3::y() * 2.2)), Vector3::new(3.0, 0.4, -7.0));
    let mut moved = goals.clone();
    moved.positions.iter_mut().flatten().for_each(|place| *place = turn * *place + step);
    moved.orientations.iter_mut().flatten().for_each(|own| *own = turn * *own);
    let moved = solved(&prior, &moved, walk.skeleton()).clip;
    for (a, b) in places(&still).iter().flatten().zip(places(&moved).iter().flatten()) {
        let off = (turn * a + step - b).norm() * metres(walk.skeleton());
        assert!(off < 1e-4, "{off}");
    }
}

#[test]
fn the_order_of_the_points_and_their_axes_do_not_matter() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let goals = points(&walk, &GIVEN, true);
    let a = solved(&prior, &goals, walk.skeleton()).clip;
    let backwards: Vec<Role> = GIVEN.into_iter().rev().collect();
    let b = solved(&prior, &points(&walk, &backwards, true), walk.skeleton()).clip;
    assert!(apart(&a, &b) < 1e-9, "{}", apart(&a, &b));
    let turned = goals.with_up(SignedAxis::Y, SignedAxis::Z).with_up(SignedAxis::Z, SignedAxis::Y);
    let c = solved(&prior, &turned, walk.skeleton()).clip;
    assert!(apart(&a, &c) < 1e-6, "{}", apart(&a, &c));
}

#[test]
fn the_size_and_unit_of_the_skeleton_do_not_matter() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let large = walk.scaled(100.0).unwrap();
    let a = solved(&prior, &points(&walk, &GIVEN, false), walk.skeleton()).clip;
    let unit = metres(walk.skeleton()) / 100.0;
    let b = solve(&prior, &points(&large, &GIVEN, false), large.skeleton(), unit, Mounting::Aligned).unwrap();
    assert_met(&b);
    let back = b.clip.scaled(0.01).unwrap().with_skeleton(walk.skeleton().clone()).unwrap();
    assert!(apart(&a, &back) < 2e-3, "{}", apart(&a, &back));
}

#[test]
fn points_of_another_body_are_met_by_retargeted_examples() {
    let (prior, walk) = (prior(), clip("robin_walk"));
    let solved = solved(&prior, &points(&walk, &GIVEN, true), walk.skeleton());
    assert!(solved.report.retargeted);
    assert_met(&solved);
}

#[test]
fn any_points_are_enough_and_hips_are_estimated() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    for roles in [
        &[Role::Head, Role::LeftHand, Role::RightHand][..],
        &[Role::LeftFoot, Role::RightFoot],
        &[Role::LeftLowerLeg, Role::RightLowerArm, Role::Head],
    ] {
        let solved = solved(&prior, &points(&walk, roles, true), walk.skeleton());
        assert_met(&solved);
        assert_eq!(solved.report.hips_estimated, walk.frames());
        let off = off(&walk, &solved.clip, Role::Hips);
        assert!(off < 0.1, "{roles:?}: {off}");
    }
}

#[test]
fn a_point_that_comes_and_goes_makes_no_jump() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let mut goals = points(&walk, &GIVEN, false);
    let frames = walk.frames();
    for frame in frames / 3..2 * frames / 3 {
        goals.positions[frame * GIVEN.len() + 1] = None;
    }
    let solved = solved(&prior, &goals, walk.skeleton());
    assert_met(&solved);
    assert_eq!(solved.report.sets, 2);
    let step = |clip: &Clip| {
        let places = places(clip);
        let steps =
            places.windows(2).flat_map(|pair| pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).norm()));
        steps.fold(0.0, f64::max)
    };
    let (own, truth) = (step(&solved.clip), step(&walk));
    assert!(own < 2.0 * truth, "{own} {truth}");
}

#[test]
fn frames_without_points_lie_between_their_neighbours() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let mut goals = points(&walk, &GIVEN, false);
    let start = walk.frames() / 3 * GIVEN.len();
    for at in start..start + 20 * GIVEN.len() {
        (goals.positions[at], goals.orientations[at]) = (None, None);
    }
    let solved = solved(&prior, &goals, walk.skeleton());
    assert_eq!((solved.report.empty, solved.clip.frames()), (20, walk.frames()));
    assert_met(&solved);
}

#[test]
fn a_take_of_which_nothing_is_known_is_refused() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let mut goals = points(&walk, &GIVEN, false);
    goals.positions.fill(None);
    goals.orientations.fill(None);
    for mounting in [Mounting::Aligned, Mounting::Unknown] {
        let error = solve(&prior, &goals, walk.skeleton(), metres(walk.skeleton()), mounting).unwrap_err();
        assert_eq!(error, PosesError::NothingKnown);
    }
}

#[test]
fn points_out_of_reach_are_reported() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let mut goals = points(&walk, &GIVEN, false);
    let far = Vector3::x() * (5.0 / metres(walk.skeleton()));
    goals.positions[1].iter_mut().for_each(|place| *place += far);
    let solved = solved(&prior, &goals, walk.skeleton());
    let hand = &solved.report.goals[1];
    assert!(hand.missed >= 1 && hand.max.is_some_and(|off| off > 1.0), "{hand:?}");
    assert!(places(&solved.clip).iter().flatten().all(|place| place.iter().all(|value| value.is_finite())));
}

#[test]
fn what_is_no_body_or_too_little_is_refused() {
    let walk = clip("alex_walk");
    let short = Sampled::of(&walk.trimmed(0..20).unwrap()).unwrap();
    assert!(matches!(learn(&[short]), Err(PosesError::TooFew { least: 100, .. })));
    assert!(matches!(learn(&[]), Err(PosesError::TooFew { poses: 0, .. })));
    let mut goals = points(&walk, &GIVEN, false);
    goals.names.iter_mut().for_each(|name| *name = format!("marker {name}"));
    let error = solve(&prior(), &goals, walk.skeleton(), 1.0, Mounting::Aligned).unwrap_err();
    assert!(matches!(error, PosesError::NoGoals { count: 6, .. }), "{error}");
}

#[test]
fn trackers_that_are_mounted_anyhow_are_found_to_be() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let aligned = points(&walk, &GIVEN, true);
    let mut mounted = aligned.clone();
    for (at, turn) in mounted.orientations.iter_mut().enumerate() {
        let mounting = exp(&(Vector3::new(0.4, -1.1, 0.7) * (at % GIVEN.len()) as f64 * 0.4));
        turn.iter_mut().for_each(|turn| *turn *= mounting);
    }
    let truth = solved(&prior, &aligned, walk.skeleton()).clip;
    let found = solve(&prior, &mounted, walk.skeleton(), metres(walk.skeleton()), Mounting::Unknown).unwrap();
    let wrong = solved(&prior, &mounted, walk.skeleton()).clip;
    let mean = |clip: &Clip| {
        let all = distances(&truth, clip);
        all.iter().sum::<f64>() / all.len() as f64
    };
    // Orientations that are taken as given turn the body.
    assert!(mean(&found.clip) < 0.02 && mean(&wrong) > 0.03, "{} {}", mean(&found.clip), mean(&wrong));
}

/// Recordings differ in the rest rotations of hands, feet and head.
#[test]
fn another_rest_pose_of_the_ends_moves_no_elbow() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let mut other = points(&walk, &GIVEN, true);
    for (at, turn) in other.orientations.iter_mut().enumerate() {
        let [sign, size] = [[1.0, -1.0][at % 2], [0.0, 0.3][usize::from(at % GIVEN.len() > 0)]];
        turn.iter_mut().for_each(|turn| *turn *= exp(&(Vector3::new(0.5, -0.6, 0.6) * sign * size)));
    }
    let other = solved(&prior, &other, walk.skeleton());
    assert_met(&other);
    for role in [Role::LeftLowerArm, Role::RightLowerArm, Role::LeftUpperArm, Role::LeftLowerLeg, Role::Neck]
    {
        let off = off(&walk, &other.clip, role);
        assert!(off < 0.02, "{role}: {off}");
    }
}

#[test]
fn a_body_follows_a_hand_and_nothing_where_nothing_moves() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let examples = Examples::on(&prior, walk.skeleton()).unwrap();
    let (mut local, mut pose) = (Pose::default(), Pose::default());
    walk.local_pose(40, &mut local);
    local.to_object(walk.skeleton(), &mut pose);
    let role = |role| walk.skeleton().with_role(role).unwrap();
    let hand = role(Role::LeftHand);
    let followed = |by: f64| {
        let to = pose.joints[hand.index()].translation.vector + Vector3::y() * (by / metres(walk.skeleton()));
        let feet = [role(Role::LeftFoot), role(Role::RightFoot)];
        follow(&examples, &pose, &[Moved { joint: hand, to }], &feet, BodySolver::default()).unwrap()
    };
    let turned =
        |followed: &Followed| followed.turns.iter().map(|(_, turn)| turn.angle()).fold(0.0, f64::max);
    let still = followed(0.0);
    assert!(turned(&still) < 1e-6 && still.hips.norm() < 1e-9);
    assert!(turned(&followed(0.2)) > 0.05);
}

#[test]
fn frames_that_break_are_unusual() {
    let (prior, walk) = (prior(), clip("alex_walk"));
    let arm = walk.skeleton().with_role(Role::LeftUpperArm).unwrap();
    let mut tracks = walk.tracks().to_vec();
    let Track::Sampled(turns) = &mut tracks[arm.index()].rotation else { panic!("the arm swings") };
    turns[30..36].iter_mut().for_each(|turn| *turn *= exp(&Vector3::new(0.0, 2.5, 1.5)));
    let broken = Clip::new(walk.skeleton().clone(), walk.rate(), walk.frames(), tracks).unwrap();
    let unit = metres(walk.skeleton());
    let [usual, broken] = [&walk, &broken].map(|clip| unusual(&prior, clip, unit).unwrap());
    assert!(usual.far.is_empty() && usual.max.is_some_and(|max| max < 0.03), "{}", usual.text());
    assert!(broken.frame.is_some_and(|frame| (30..36).contains(&frame)), "{}", broken.text());
}

/// An arm that stops for a second while the body keeps walking: examples of other motions keep it swinging, without a step on
/// either side.
#[test]
fn an_arm_that_is_lost_swings_and_makes_no_step() {
    let (prior, walk) = (learnt(&["alex_wave", "alex_turn", "alex_jump"]), clip("alex_walk"));
    let examples = Examples::on(&prior, walk.skeleton()).unwrap();
    let arm = [Role::LeftUpperArm, Role::LeftLowerArm].map(|role| walk.skeleton().with_role(role).unwrap());
    let frames = 90..210;
    let with = |turn: &dyn Fn(JointId, usize) -> UnitQuaternion<f64>| {
        let mut tracks = walk.tracks().to_vec();
        for joint in arm {
            let own = (0..walk.frames()).map(|frame| match frames.contains(&frame) {
                true => turn(joint, frame),
                false => walk.local(joint, frame).rotation,
            });
            tracks[joint.index()].rotation = Track::Sampled(own.collect());
        }
        Clip::new(walk.skeleton().clone(), walk.rate(), walk.frames(), tracks).unwrap()
    };
    let held = with(&|joint, _| walk.local(joint, frames.start).rotation);
    let straight = with(&|joint, frame| {
        let share = (frame - frames.start) as f64 / frames.len() as f64;
        let [a, b] = [frames.start - 1, frames.end].map(|frame| walk.local(joint, frame).rotation);
        a.slerp(&b, share)
    });
    let lost: Vec<Lost> = arm.iter().map(|joint| Lost { joint: *joint, frames: frames.clone() }).collect();
    let found = fill(&examples, &held, &lost).unwrap();
    assert_eq!(
        found.iter().map(|own| (own.joint, own.frames())).collect::<Vec<_>>(),
        [(arm[0], frames.clone()), (arm[1], frames.clone())]
    );
    let filled = with(&|joint, frame| {
        let own = found.iter().find(|own| own.joint == joint).unwrap();
        own.rotations[frame - own.first]
    });
    let hand = |clip: &Clip| off(clip, &walk, Role::LeftHand);
    assert!(
        hand(&filled) < 0.253 * hand(&held) && hand(&filled) < 0.267 * hand(&straight),
        "{} {} {}",
        hand(&filled),
        hand(&held),
        hand(&straight)
    );
    // No step at the ends is longer than the arm's own.
    for joint in arm {
        let step = |clip: &Clip, frame: usize| {
            clip.local(joint, frame - 1).rotation.angle_to(&clip.local(joint, frame).rotation)
        };
        let most = (1..walk.frames()).map(|frame| step(&walk, frame)).fold(0.0, f64::max);
        assert!(frames.clone().chain([frames.end]).all(|frame| step(&filled, frame) < 2.0 * most));
    }
    // Gaps of fingers and hips are not filled.
    let hips = walk.skeleton().with_role(Role::Hips).unwrap();
    assert!(fill(&examples, &walk, &[Lost { joint: hips, frames: 3..9 }]).unwrap().is_empty());
}
