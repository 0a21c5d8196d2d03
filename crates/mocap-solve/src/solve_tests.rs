//! Takes that are made of a body that moves, with markers off their usual places.

use mocap_model::{
    ForwardKinematics, FrameRate, JointId, Markers, Role, Skeleton, Space, Unit, UnitSource, Vector3, exp,
};

use crate::frame::FrameSolver;
use crate::marker_set::{Landmark, MarkerSets};
use crate::subject::Subject;
use crate::{SolveError, SolveOptions, SolveWarning, Solved, fit, solve, template};

const FRAMES: usize = 48;

/// A take, and the places of joints in it.
struct Made {
    labels: Vec<String>,
    /// `frames × markers` [m].
    points: Vec<Option<Vector3<f64>>>,
    skeleton: Skeleton,
    /// By frame and joint [m].
    truth: Vec<Vec<(JointId, Vector3<f64>)>>,
}

/// A number between -1 and 1 that depends on two others only.
fn noise(a: usize, b: usize) -> f64 {
    let mixed = (a as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (b as u64 + 7).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed ^ (mixed >> 32)) & 0xFFFF_FFFF) as f64 / f64::from(u32::MAX) * 2.0 - 1.0
}

/// A body that swings its limbs, with the labels of a set; each marker is up to 15 mm off its usual place.
fn made() -> Made {
    let sets = MarkerSets::built_in();
    let (labels, landmarks): (Vec<String>, Vec<Landmark>) = sets.only("cmu-41").unwrap().into_iter().unzip();
    let skeleton = template::skeleton(1.04, |_| true);
    let subject = Subject::given(&skeleton, 1.0, &landmarks).unwrap();
    let mut solver = FrameSolver::new(&subject.body);
    let (mut points, mut truth) = (Vec::new(), Vec::new());
    for frame in 0..FRAMES {
        let time = frame as f64 / 30.0;
        let mut state = subject.body.rest();
        state.translation = Vector3::new(0.1 * time, 0.95, 0.8 * time);
        for (at, joint) in subject.body.joints.iter().enumerate() {
            let swing = |phase: f64| (std::f64::consts::TAU * time + phase).sin();
            let side = if skeleton.joints()[joint.source].name.starts_with("Left") { 1.0 } else { -1.0 };
            let turn = match skeleton.joints()[joint.source].role {
                Some(Role::LeftUpperLeg | Role::RightUpperLeg) => {
                    Vector3::new(0.5 * side * swing(0.0), 0.0, 0.1 * swing(1.0))
                }
                Some(Role::LeftLowerLeg | Role::RightLowerLeg) => {
                    Vector3::new(0.5 + 0.4 * side * swing(0.8), 0.0, 0.0)
                }
                Some(Role::LeftUpperArm | Role::RightUpperArm) => {
                    Vector3::new(0.3 * swing(0.5), 0.4 * side * swing(0.0), -1.1 * side)
                }
                Some(Role::LeftLowerArm | Role::RightLowerArm) => {
                    Vector3::new(0.0, -side * (0.6 + 0.3 * swing(0.3)), 0.0)
                }
                Some(Role::Spine | Role::Chest | Role::Head) => {
                    Vector3::new(0.05, 0.1 * swing(0.2), 0.04 * swing(2.0))
                }
                _ => Vector3::zeros(),
            };
            state.turns[at] = exp(&turn);
        }
        subject.body.place(&state, &mut solver.placed);
        for (marker, attached) in subject.attached.iter().enumerate() {
            let off = Vector3::from_fn(|axis, _| 0.015 * noise(marker, 100 + axis));
            let mut moved = *attached;
            moved.place += off;
            let shake = Vector3::from_fn(|axis, _| 0.001 * noise(frame * 64 + marker, axis));
            points.push(Some(fit::predicted(&solver, &moved) + shake));
        }
        let joints = subject.body.joints.iter().enumerate();
        truth.push(
            joints.map(|(at, joint)| (JointId::from(joint.source), solver.placed.position[at])).collect(),
        );
    }
    Made { labels, points, skeleton, truth }
}

fn markers(made: &Made, metres: f64, order: impl Fn(usize) -> usize) -> Markers {
    let count = made.labels.len();
    let names = (0..count).map(|at| made.labels[order(at)].clone()).collect();
    let points = (0..FRAMES)
        .flat_map(|frame| (0..count).map(move |at| (frame, at)))
        .map(|(frame, at)| made.points[frame * count + order(at)].map(|point| point / metres))
        .collect();
    let unit = Some(Unit { metres, source: UnitSource::File });
    Markers::new(Space { unit, ..Space::default() }, FrameRate::new(30.0).unwrap(), FRAMES, names, points)
        .unwrap()
}

fn solved(markers: &Markers, target: Option<&Skeleton>) -> Result<Solved, SolveError> {
    let sets = MarkerSets::built_in();
    solve(markers, target, &SolveOptions { sets: &sets, set: None, static_trial: None, calibration: None })
}

/// Distances of hips, knees, ankles, shoulders, elbows, wrists from where they are [m].
fn errors(made: &Made, solved: &Solved) -> Vec<f64> {
    let mut kinematics = ForwardKinematics::new(&solved.clip);
    let mut found = Vec::new();
    let limbs = ["UpLeg", "Leg", "Foot", "Arm", "ForeArm", "Hand"];
    for (frame, truth) in made.truth.iter().enumerate() {
        kinematics.place(frame);
        for (joint, place) in truth {
            let name = &made.skeleton.joint(*joint).name;
            let same = solved.clip.skeleton().find(name);
            let is_limb = ["Left", "Right"]
                .iter()
                .any(|side| limbs.iter().any(|limb| *name == format!("{side}{limb}")));
            if let Some(same) = same.filter(|_| is_limb) {
                found.push((kinematics.position(same) - place).norm());
            }
        }
    }
    assert_eq!(found.len(), 12 * FRAMES);
    found.sort_by(f64::total_cmp);
    found
}

#[test]
fn joints_are_found_on_a_given_skeleton_whatever_the_order_of_markers() {
    let made = made();
    let count = made.labels.len();
    let first = solved(&markers(&made, 0.001, |at| at), Some(&made.skeleton)).unwrap();
    let errors = errors(&made, &first);
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    // Elbows that turn about any axis are determined worst: a second and a half of motion leaves them to the prior.
    assert!(mean < 0.02 && errors[errors.len() * 95 / 100] < 0.045, "{mean} {:?}", errors.last());
    assert!(first.report.residual.mean.unwrap() < 0.004);
    let turned = solved(&markers(&made, 0.001, |at| count - 1 - at), Some(&made.skeleton)).unwrap();
    let mut kinematics = [&first, &turned].map(|solved| ForwardKinematics::new(&solved.clip));
    for frame in 0..FRAMES {
        kinematics.iter_mut().for_each(|kinematics| kinematics.place(frame));
        for joint in (0..made.skeleton.len()).map(JointId::from) {
            let [a, b] = [0, 1].map(|of: usize| kinematics[of].position(joint));
            assert!((a - b).norm() < 1e-6);
        }
    }
}

#[test]
fn exchanged_labels_are_named_and_a_wrong_marker_is_left_out() {
    let mut made = made();
    let count = made.labels.len();
    let find = |made: &Made, label: &str| made.labels.iter().position(|other| other == label).unwrap();
    let (knee, shin, wrong) = (find(&made, "RKNE"), find(&made, "RSHN"), find(&made, "LUPA"));
    for frame in 0..FRAMES {
        if (30..38).contains(&frame) {
            made.points.swap(frame * count + knee, frame * count + shin);
        }
        if let Some(point) = &mut made.points[frame * count + wrong] {
            *point += Vector3::new(0.3, 0.2, -0.1);
        }
    }
    let found = solved(&markers(&made, 0.001, |at| at), Some(&made.skeleton)).unwrap();
    let is_swap = |warning: &SolveWarning| matches!(warning, SolveWarning::Swap { marker, other, first: 30, last: 37, count: 8 } if marker == "RKNE" && other == "RSHN");
    assert!(found.warnings.iter().any(is_swap), "{:?}", found.warnings);
    let is_wrong = |warning: &SolveWarning| matches!(warning, SolveWarning::WrongThroughout { marker, .. } if marker == "LUPA");
    assert!(found.warnings.iter().any(is_wrong), "{:?}", found.warnings);
    let errors = errors(&made, &found);
    assert!(errors[errors.len() * 95 / 100] < 0.045, "{:?}", errors.last());
}

#[test]
fn a_wrong_unit_is_named_and_a_hand_is_refused() {
    let made = made();
    let metres_said = markers(&made, 0.001, |at| at);
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let wrong = metres_said.with_space(Space { unit, ..Space::default() });
    let found = solved(&wrong, Some(&made.skeleton)).unwrap();
    let named =
        |warning: &SolveWarning| matches!(warning, SolveWarning::WrongUnit { used: "millimetres", .. });
    assert!(found.warnings.iter().any(named));
    let hand = wrong.with_only(|label| label.starts_with("LWR").then(|| label.to_owned())).unwrap();
    assert!(matches!(solved(&hand, None), Err(SolveError::TooFewLabels { found: 2, .. })));
    let empty = wrong.trim(0..0).unwrap();
    assert!(matches!(solved(&empty, None), Err(SolveError::NoFrames)));
}
