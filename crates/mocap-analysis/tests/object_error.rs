//! The object-space error on motions whose error is known by hand.

use mocap_analysis::{AnalysisError, error_map, object_error};
use mocap_model::*;
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

fn joint(name: &str, parent: Option<u32>, offset: [f64; 3], end_site: bool) -> Joint {
    Joint { end_site, ..Joint::new(name, parent.map(JointId), offset.into()) }
}

fn skeleton(space: Space) -> Arc<Skeleton> {
    let joints = vec![
        joint("root", None, [0.0; 3], false),
        joint("arm", Some(0), [0.0, 1.0, 0.0], false),
        joint("hand", Some(1), [0.5, 0.0, 0.0], false),
        joint("tip", Some(2), [0.2, 0.0, 0.0], true),
    ];
    Arc::new(Skeleton::new("arm", space, joints).unwrap())
}

fn metres() -> Space {
    Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() }
}

/// `turns[frame]` about Z at the joint `turning`.
fn clip(skeleton: &Arc<Skeleton>, turning: usize, turns: &[f64]) -> Clip {
    let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    tracks[turning].rotation =
        Track::Sampled(turns.iter().map(|turn| exp(&Vector3::new(0.0, 0.0, *turn))).collect());
    Clip::new(skeleton.clone(), FrameRate::new(30.0).unwrap(), turns.len(), tracks).unwrap()
}

#[test]
fn the_same_motion_has_no_error() {
    let a = clip(&skeleton(metres()), 1, &[0.0, 0.3, 0.9]);
    let error = object_error(&a, &a, 0.03).unwrap();
    assert_eq!((error.max, error.p99, error.rms, error.mean), (0.0, 0.0, 0.0, 0.0));
    assert_eq!((error.between_frames_max, error.worst), (0.0, None));
    assert_eq!((error.joints, error.frames), (3, 3), "the end site is no joint");
}

#[test]
fn a_turn_is_seen_at_the_shell_and_at_what_hangs_on_the_joint() {
    let s = skeleton(metres());
    let a = clip(&s, 1, &[0.0, 0.0, 0.0]);
    // A half turn of the arm in frame 1: the arm's X point moves 2 · shell, the hand's 2 · (0.5 + shell).
    let b = clip(&s, 1, &[0.0, 2.0 * FRAC_PI_2, 0.0]);
    let error = object_error(&a, &b, 0.03).unwrap();
    assert!((error.max - 2.0 * 0.53).abs() < 1e-12, "{}", error.max);
    let worst = error.worst.unwrap();
    assert_eq!((worst.name.as_str(), worst.frame), ("hand", 1));
    // Samples: 0.06 and 1.06 in frame 1, seven zeros.
    assert!((error.mean - 1.12 / 9.0).abs() < 1e-12);
    assert!((error.rms - ((0.06f64.powi(2) + 1.06f64.powi(2)) / 9.0).sqrt()).abs() < 1e-12);
    assert!((error.p99 - error.max).abs() < 1e-12, "rank 9 of 9");
    // A twist about the bone shows only at the shell: no joint is off the hand's axis.
    let twisted = |turn: f64| {
        let mut tracks = a.tracks().to_vec();
        tracks[2].rotation = Track::Constant(exp(&Vector3::new(turn, 0.0, 0.0)));
        Clip::new(s.clone(), a.rate(), 3, tracks).unwrap()
    };
    let error = object_error(&a, &twisted(FRAC_PI_2), 0.03).unwrap();
    assert!((error.max - 0.03 * 2.0f64.sqrt()).abs() < 1e-12, "{}", error.max);
}

#[test]
fn errors_between_frames_are_found_where_the_frames_agree() {
    let s = skeleton(metres());
    let a = clip(&s, 1, &[0.0, 0.0]);
    // A whole turn either way looks alike on the frames; 1.5 · π and -0.5 · π are one rotation.
    let there = clip(&s, 1, &[0.0, 3.0]);
    let back = clip(&s, 1, &[0.0, -3.0]);
    assert!(object_error(&there, &back, 0.0).unwrap().between_frames_max > 0.9);
    assert_eq!(object_error(&a, &a, 0.0).unwrap().between_frames_max, 0.0);
}

#[test]
fn lengths_are_metres_whatever_the_unit() {
    let cm = Space { unit: Some(Unit { metres: 0.01, source: UnitSource::File }), ..Space::default() };
    let [a, b] = [0.0, 1.0].map(|turn| clip(&skeleton(metres()), 1, &[turn]));
    let in_metres = object_error(&a, &b, 0.03).unwrap();
    let in_cm = object_error(&a.in_space(cm).unwrap(), &b.in_space(cm).unwrap(), 0.03).unwrap();
    assert!((in_metres.max - in_cm.max).abs() < 1e-12);
    // Motions in different spaces are brought together first.
    let mixed = object_error(
        &a,
        &b.in_space(Space { up: SignedAxis::Z, forward: "X".parse().unwrap(), ..cm }).unwrap(),
        0.03,
    );
    assert!((in_metres.max - mixed.unwrap().max).abs() < 1e-12);
}

#[test]
fn what_cannot_be_compared_is_named() {
    let s = skeleton(metres());
    let a = clip(&s, 1, &[0.0, 1.0]);
    let other = Arc::new(
        s.with_joints(|j| {
            if j.name == "hand" {
                j.name = "fist".into()
            }
        })
        .unwrap(),
    );
    let error = object_error(&a, &a.clone().with_skeleton(other).unwrap(), 0.03).unwrap_err();
    assert_eq!(error.to_string(), "joint 2 is 'hand' in the reference and 'fist' in the other motion");
    let other = Arc::new(
        s.with_joints(|j| {
            if j.name == "hand" {
                j.parent = Some(JointId(0))
            }
        })
        .unwrap(),
    );
    let error = object_error(&a, &a.clone().with_skeleton(other).unwrap(), 0.03).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the parent of joint 'hand' is 'arm' in the reference and 'root' in the other motion"
    );
    let error = object_error(&a, &a.trimmed(0..1).unwrap(), 0.03).unwrap_err();
    assert_eq!(error, AnalysisError::FrameCount { reference: 2, other: 1 });
    assert!(object_error(&a, &a, f64::NAN).is_err());
    let none = a.trimmed(0..0).unwrap();
    assert_eq!(object_error(&none, &none, 0.03).unwrap().max, 0.0, "no frames, no error");
}

#[test]
fn the_map_has_the_errors_that_the_summary_sums_up() {
    let s = skeleton(metres());
    let a = clip(&s, 1, &[0.0, 0.1, 0.2]);
    let b = clip(&s, 1, &[0.0, 0.4, 0.3]);
    let (map, summary) = (error_map(&a, &b, 0.03).unwrap(), object_error(&a, &b, 0.03).unwrap());
    assert_eq!((map.joints.len(), map.frames, map.errors.len()), (3, 3, 9));
    let largest = map.errors.iter().copied().fold(0.0, f32::max);
    assert!((f64::from(largest) - summary.max).abs() < 1e-7);
    let worst = summary.worst.unwrap();
    assert_eq!(map.errors[worst.frame * 3 + worst.joint.index()], largest);
    let mean = map.errors.iter().map(|error| f64::from(*error)).sum::<f64>() / 9.0;
    assert!((mean - summary.mean).abs() < 1e-7);
    assert_eq!(
        error_map(&a, &a.trimmed(0..2).unwrap(), 0.03).unwrap_err(),
        AnalysisError::FrameCount { reference: 3, other: 2 }
    );
}

#[test]
fn the_farthest_numbers_have_finite_errors() {
    let joints = vec![joint("root", None, [0.0; 3], false), joint("arm", Some(0), [1e12, 0.0, 0.0], false)];
    let s = Arc::new(Skeleton::new("far", metres(), joints).unwrap());
    let at = |x: f64, turn: f64| {
        let mut moved = clip(&s, 0, &[turn, turn]).tracks().to_vec();
        moved[0].translation = Some(Track::Constant(Vector3::new(x, 1e12, 0.0)));
        Clip::new(s.clone(), FrameRate::new(30.0).unwrap(), 2, moved).unwrap()
    };
    let error = object_error(&at(1e12, 0.0), &at(1e12, 0.5), 0.03).unwrap();
    assert!(error.max > 4e11 && error.max < 1e13, "{}", error.max);
    assert_eq!(error.worst.unwrap().name, "arm");
    let map = error_map(&at(1e12, 0.0), &at(1e12, 0.5), 0.03).unwrap();
    assert!(map.errors.iter().all(|error| error.is_finite()));
}

#[test]
fn neither_the_order_of_joints_nor_a_root_in_other_axes_is_an_error() {
    let skeleton = skeleton(metres());
    let bent = clip(&skeleton, 1, &[0.0, 0.4, 0.9]);
    let space = Space { up: SignedAxis::Z, forward: SignedAxis::X, ..metres() };
    for other in [bent.in_space(space).unwrap(), bent.with_roots_in_space(space).unwrap()] {
        assert!(object_error(&bent, &other, 0.03).unwrap().max < 1e-12);
    }
    // A second child of the root, before and behind the arm.
    let branch = joint("branch", Some(0), [0.0, 0.0, 1.0], false);
    let with = |at: usize| {
        let shift = |id: JointId| if id.index() >= at { JointId(id.0 + 1) } else { id };
        let mut joints: Vec<Joint> = skeleton.joints().to_vec();
        joints.iter_mut().for_each(|joint| joint.parent = joint.parent.map(shift));
        joints.insert(at, branch.clone());
        let mut tracks = bent.tracks().to_vec();
        tracks.insert(at, JointTracks::at_rest(&branch));
        let skeleton = Skeleton::new("arm", metres(), joints).unwrap();
        Clip::new(Arc::new(skeleton), bent.rate(), bent.frames(), tracks).unwrap()
    };
    assert_eq!(object_error(&with(1), &with(4), 0.03).unwrap().max, 0.0);
    let other = clip(&skeleton, 1, &[0.0, 0.5, 0.9]);
    assert!(object_error(&bent, &other, 0.03).unwrap().max > 0.05);
}
