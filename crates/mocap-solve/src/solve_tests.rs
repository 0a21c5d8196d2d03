//! Tests on synthetic takes: a moving body with markers off their usual places.

use std::sync::LazyLock;

use mocap_model::{
    ForwardKinematics, FrameRate, Joint, JointId, Markers, Role, Skeleton, Space, Unit, UnitQuaternion,
    UnitSource, Vector3, exp,
};

use crate::body::MOST_DOFS;
use crate::calibration::{Attachment, Bone, Calibration};
use crate::frame::FrameSolver;
use crate::marker_set::{Landmark, MarkerSets};
use crate::subject::Subject;
use crate::take::Take;
use crate::{SolveError, SolveOptions, SolveWarning, Solved, solve, template};

const FRAMES: usize = 48;
/// Frames of points without labels.
const POINTS: usize = 6;

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
    let skeleton = template::skeleton(1.04, |_| true).unwrap();
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
            points.push(Some(solver.placed.of(moved.joint, &moved.place) + shake));
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

/// The take unchanged, solved on its skeleton; used by several tests.
static AS_IT_IS: LazyLock<Solved> = LazyLock::new(|| {
    let made = made();
    solved(&markers(&made, 0.001, |at| at), Some(&made.skeleton)).unwrap()
});

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
    let first = &*AS_IT_IS;
    let errors = errors(&made, first);
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    // Elbows that turn about any axis are determined worst: a second and a half of motion leaves them to the prior.
    assert!(mean < 0.02 && errors[errors.len() * 95 / 100] < 0.045, "{mean} {:?}", errors.last());
    assert!(first.report.residual.mean.unwrap() < 0.004);
    let turned = solved(&markers(&made, 0.001, |at| count - 1 - at), Some(&made.skeleton)).unwrap();
    let mut kinematics = [first, &turned].map(|solved| ForwardKinematics::new(&solved.clip));
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

/// A ghost is in no residual: neither in that of its marker, nor in those of the segment and of the take.
#[test]
fn figures_of_a_report_agree_where_there_are_ghosts() {
    let mut made = made();
    let (count, ghost) = (made.labels.len(), made.labels.iter().position(|label| label == "LSHN").unwrap());
    for frame in [9, 21, 33] {
        *made.points[frame * count + ghost].as_mut().unwrap() += Vector3::new(0.1, 0.1, 0.08);
    }
    let report = solved(&markers(&made, 0.001, |at| at), Some(&made.skeleton)).unwrap().report;
    assert_eq!(report.repairs.ghosts, 3);
    let most = |all: &mut dyn Iterator<Item = Option<f64>>| all.flatten().reduce(f64::max);
    let of_markers = most(&mut report.markers.iter().filter(|marker| marker.used).map(|marker| marker.max));
    let of_segments = most(&mut report.segments.iter().map(|segment| segment.max));
    assert_eq!((of_markers, of_segments), (report.residual.max, report.residual.max));
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

#[test]
fn a_take_that_is_turned_gives_the_same_motion_turned() {
    let mut made = made();
    let first = &*AS_IT_IS;
    let quarter = exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2));
    for point in made.points.iter_mut().flatten() {
        *point = quarter * *point;
    }
    let turned = solved(&markers(&made, 0.001, |at| at), Some(&made.skeleton)).unwrap();
    let mut kinematics = [first, &turned].map(|solved| ForwardKinematics::new(&solved.clip));
    for frame in 0..FRAMES {
        kinematics.iter_mut().for_each(|kinematics| kinematics.place(frame));
        for joint in (0..made.skeleton.len()).map(JointId::from) {
            let [a, b] = [0, 1].map(|of: usize| kinematics[of].position(joint));
            assert!((quarter * a - b).norm() < 1e-6, "frame {frame}: {a} {b}");
        }
    }
}

#[test]
fn points_without_labels_are_the_markers_of_a_set() {
    let made = made();
    let labelled = markers(&made, 0.001, |at| at).trim(0..POINTS).unwrap();
    let names = (0..labelled.names().len()).map(|at| format!("*{at}")).collect();
    let points = (0..POINTS)
        .flat_map(|frame| (0..labelled.names().len()).map(move |at| (frame, at)))
        .map(|(frame, at)| labelled.position(frame, at))
        .collect();
    let nameless = Markers::new(*labelled.space(), labelled.rate(), POINTS, names, points).unwrap();
    let sets = MarkerSets::built_in();
    let set = sets.only("cmu-41").unwrap();
    let read = |markers: &Markers, warnings: &mut Vec<SolveWarning>| {
        Take::of(markers, &sets, (Some("cmu-41"), Some(&set)), UnitQuaternion::identity(), warnings)
    };
    let mut warnings = Vec::new();
    let take = read(&nameless, &mut warnings).unwrap();
    assert_eq!(take.names.len(), made.labels.len());
    let pairs = warnings.iter().find_map(|warning| match warning {
        SolveWarning::Identified { set, pairs } if set == "cmu-41" => Some(pairs.clone()),
        _ => None,
    });
    let pairs = pairs.unwrap();
    let right = made
        .labels
        .iter()
        .enumerate()
        .filter(|(at, label)| pairs.split(", ").any(|pair| pair == format!("*{at} is {label}")));
    assert_eq!(right.count(), made.labels.len(), "{pairs}");
    // Points that lie nowhere near a body are not taken for one.
    let scattered =
        (0..41).map(|at| Some(Vector3::from_fn(|axis, _| 900.0 * (1.0 + noise(at, axis))))).collect();
    let names = (0..41).map(|at| format!("*{at}")).collect();
    let cloud = Markers::new(*labelled.space(), labelled.rate(), 1, names, scattered).unwrap();
    assert!(matches!(read(&cloud, &mut Vec::new()), Err(SolveError::TooFewLabels { found: 0, .. })));
}

#[test]
fn arbitrary_labels_are_refused() {
    let made = made();
    let count = made.labels.len();
    let mut shuffled = markers(&made, 0.001, |at| at);
    shuffled = shuffled
        .with_only(|label| {
            let at = made.labels.iter().position(|other| other == label)?;
            Some(made.labels[(at * 7 + 3) % count].clone())
        })
        .unwrap();
    let refused = solved(&shuffled, Some(&made.skeleton));
    let Err(error @ SolveError::NoFit { share, .. }) = refused else {
        panic!("{:?}", refused.map(|found| found.warnings));
    };
    // The limit is that of the share which is stated.
    assert!(share > 40.0 && error.to_string().contains("at most 40 %"), "{error}");
}

#[test]
fn eight_wrong_markers_are_left_out() {
    let mut made = made();
    let count = made.labels.len();
    let wrong = ["LUPA", "RFRM", "LTHI", "RSHN", "LTOE", "RMT5", "LFHD", "RWRA"];
    for at in (0..count).filter(|at| wrong.contains(&made.labels[*at].as_str())) {
        for frame in 0..FRAMES {
            if let Some(point) = &mut made.points[frame * count + at] {
                *point += Vector3::from_fn(|axis, _| 0.4 * noise(at, axis).signum());
            }
        }
    }
    let found = solved(&markers(&made, 0.001, |at| at), Some(&made.skeleton)).unwrap();
    let left_out =
        found.warnings.iter().filter(|warning| matches!(warning, SolveWarning::WrongThroughout { .. }));
    assert_eq!(left_out.count(), wrong.len(), "{:?}", found.warnings);
}

#[test]
fn a_calibration_without_bones_needs_its_target_and_names_markers_that_it_lacks() {
    let made = made();
    let take = markers(&made, 0.001, |at| at);
    let (sets, joints) = (MarkerSets::built_in(), made.skeleton.joints());
    let attached = |label: &String| Attachment {
        name: sets.find(label).unwrap().name.clone(),
        joint: joints[0].name.clone(),
        place: [0.0; 3],
    };
    let markers = made.labels.iter().skip(1).map(attached).collect();
    let mut calibration = Calibration { version: 2, sigma: 0.01, bones: Vec::new(), markers };
    let solved = |target, calibration: &Calibration| {
        let calibration = Some(calibration);
        solve(&take, target, &SolveOptions { sets: &sets, set: None, static_trial: None, calibration })
    };
    assert_eq!(solved(None, &calibration).unwrap_err(), SolveError::NoBones);
    calibration.bones.push(Bone { name: "Spine".into(), offset: [0.0; 3] });
    assert_eq!(solved(None, &calibration).unwrap_err().code(), "solve::no-bones");
    let found = solved(Some(&made.skeleton), &calibration).unwrap();
    let names = vec![made.labels[0].clone()];
    assert!(found.warnings.contains(&SolveWarning::NotCalibrated { names: names.clone() }));
    assert!(found.report.markers.iter().all(|marker| marker.used != names.contains(&marker.name)));
}

#[test]
fn warnings_of_the_static_trial_name_it() {
    let made = made();
    let take = markers(&made, 0.001, |at| at);
    let trial = take.with_only(|label| Some(if label == "LUPA" { "?".into() } else { label.to_owned() }));
    let (sets, trial) = (MarkerSets::built_in(), trial.unwrap());
    let options = SolveOptions { sets: &sets, set: None, static_trial: Some(&trial), calibration: None };
    let found = solve(&take, Some(&made.skeleton), &options).unwrap();
    let warning = found.warnings.iter().find(|warning| warning.code() == "solve::unknown-labels").unwrap();
    assert_eq!(warning.to_string(), "static trial: unknown labels are left out: ?");
}

#[test]
fn a_target_with_very_many_degrees_of_freedom_is_refused() {
    let body = template::skeleton(1.0, |_| true).unwrap();
    let spine = body.find("Spine").unwrap();
    let more = MOST_DOFS / 3;
    // A chain of joints that are no bones of a body, between the hips and the spine.
    let mut joints = vec![body.joints()[0].clone()];
    for at in 0..more {
        joints.push(Joint::new(format!("more{at}"), Some(JointId::from(at)), Vector3::zeros()));
    }
    joints.extend(body.joints()[1..].iter().cloned().enumerate().map(|(at, mut joint)| {
        joint.parent = joint.parent.map(|parent| match parent.index() {
            0 if at + 1 == spine.index() => JointId::from(more),
            0 => parent,
            index => JointId::from(index + more),
        });
        joint
    }));
    let long = Skeleton::new("long", *body.space(), joints).unwrap();
    let refused = solved(&markers(&made(), 0.001, |at| at), Some(&long)).unwrap_err();
    assert!(matches!(refused, SolveError::TargetSize { most: MOST_DOFS, .. }), "{refused}");
}

#[test]
fn markers_that_are_put_on_a_body_are_where_the_table_says() {
    let skeleton = template::skeleton(1.0, |_| true).unwrap();
    let tracks = skeleton.joints().iter().map(mocap_model::JointTracks::at_rest).collect();
    let rate = FrameRate::new(30.0).unwrap();
    let clip = mocap_model::Clip::new(skeleton.clone().into(), rate, 2, tracks).unwrap();
    let sets = MarkerSets::built_in();
    let made = crate::virtual_markers(&clip, &skeleton, &sets, "plug-in-gait").unwrap();
    assert!(made.without_segment.is_empty() && made.markers.names().len() == 39);
    let at = |name: &str| made.markers.position(1, made.markers.find(name).unwrap()).unwrap();
    let (left, right) = (at("LASI"), at("RASI"));
    assert!((left.x + right.x).abs() < 1e-9 && left.x > 0.1 && left.z > 0.04, "{left} {right}");
    assert!(at("LTOE").z > at("LHEE").z && at("LKNE").y > at("LANK").y);
    assert!(matches!(
        crate::virtual_markers(&clip, &skeleton, &sets, "no-such"),
        Err(SolveError::UnknownSet { .. })
    ));
}

/// The take with more columns: names, and their places by frame.
fn with_columns(made: &Made, names: &[&str], places: impl Fn(usize) -> Vec<Option<Vector3<f64>>>) -> Made {
    let count = made.labels.len();
    let labels = made.labels.iter().cloned().chain(names.iter().map(|name| (*name).to_owned())).collect();
    let points = (0..FRAMES)
        .flat_map(|frame| {
            let own = made.points[frame * count..(frame + 1) * count].iter().copied();
            own.chain(places(frame)).collect::<Vec<_>>()
        })
        .collect();
    Made { labels, points, skeleton: made.skeleton.clone(), truth: made.truth.clone() }
}

#[test]
fn rigid_bodies_that_fit_no_limb_are_props() {
    let made = made();
    let marker = |frame: usize, label: &str| {
        let at = made.labels.iter().position(|other| other == label).unwrap();
        made.points[frame * made.labels.len() + at].unwrap()
    };
    let shape = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.1]].map(Vector3::from);
    let turn = |frame: usize| exp(&(Vector3::new(0.3, 1.0, 0.0) * (0.05 * frame as f64)));
    let place = |frame: usize| Vector3::new(1.0, 0.5, 0.02 * frame as f64);
    // A moving box with a gap, a staff held in the hand, and two points that keep no distance.
    let taken = with_columns(
        &made,
        &["Box:1", "Box:2", "Box:3", "Box:4", "Staff1", "Staff2", "Staff3", "stray", "*7"],
        |frame| {
            let seen = !(20..26).contains(&frame);
            let of_box = shape.map(|at| seen.then(|| turn(frame) * at + place(frame)));
            let hand = marker(frame, "RWRA");
            let staff = [[0.0, 0.1, 0.0], [0.0, 0.9, 0.0], [0.1, 0.5, 0.0]];
            let staff = staff.map(|at| Some(hand + turn(2 * frame) * Vector3::from(at)));
            let stray = [0, 1].map(|of| Some(Vector3::from_fn(|axis, _| noise(frame, axis + 7 * of))));
            of_box.into_iter().chain(staff).chain(stray).collect()
        },
    );
    let found = solved(&markers(&taken, 0.001, |at| at), Some(&made.skeleton)).unwrap();
    let names: Vec<&str> = found.props.iter().map(|prop| prop.name.as_str()).collect();
    assert_eq!(names, ["Box", "Staff"]);
    let reports = &found.report.props;
    assert!(reports[0].residual.rms.unwrap() < 1e-6 && (reports[0].seen - 42.0 / 48.0).abs() < 1e-9);
    // It moves as the box: from one frame to another by the same turn and shift.
    let mut kinematics = ForwardKinematics::new(&found.props[0].clip);
    let middle = shape.iter().sum::<Vector3<f64>>() / 4.0;
    let mut poses = Vec::new();
    for frame in [0, 40] {
        kinematics.place(frame);
        let at = kinematics.at(JointId(0));
        assert!((at.translation.vector - (turn(frame) * middle + place(frame))).norm() < 1e-6);
        poses.push(at.rotation * turn(frame).inverse());
    }
    let own = [turn(0).inverse() * poses[0] * turn(0), turn(40).inverse() * poses[1] * turn(40)];
    assert!(own[0].angle_to(&own[1]) < 1e-6);
    // Gaps of the box are filled evenly.
    kinematics.place(23);
    assert!((kinematics.position(JointId(0)) - place(23)).norm() < 0.3);
}

#[test]
fn points_that_are_worn_are_no_prop() {
    let made = made();
    let thigh = |frame: usize, at: [f64; 3]| {
        // Three more markers on the thigh, in the frame of its joint.
        let sets = MarkerSets::built_in();
        let landmarks: Vec<Landmark> =
            made.labels.iter().map(|label| sets.find(label).unwrap().clone()).collect();
        let subject = Subject::given(&made.skeleton, 1.0, &landmarks).unwrap();
        let joint = made.skeleton.find("LeftUpLeg").unwrap();
        let hip = made.truth[frame].iter().find(|(other, _)| *other == joint).unwrap().1;
        let knee = made.skeleton.find("LeftLeg").unwrap();
        let knee = made.truth[frame].iter().find(|(other, _)| *other == knee).unwrap().1;
        let down = (knee - hip).normalize();
        let side = down.cross(&Vector3::z()).normalize();
        assert!(subject.body.find(joint).is_some());
        hip + down * at[0] + side * at[1] + down.cross(&side) * at[2]
    };
    let places = [[0.2, 0.09, 0.0], [0.25, 0.09, 0.03], [0.3, 0.08, -0.03]];
    let taken = with_columns(&made, &["Patch1", "Patch2", "Patch3"], |frame| {
        places.iter().map(|at| Some(thigh(frame, *at))).collect()
    });
    let found = solved(&markers(&taken, 0.001, |at| at), Some(&made.skeleton)).unwrap();
    assert!(found.props.is_empty(), "{:?}", found.report.props);
}

#[test]
fn bare_limbs_a_still_body_and_jumps_are_named() {
    let made = made();
    let all = markers(&made, 0.001, |at| at);
    let legs_only = |label: &str| !["FRM", "WRA", "WRB", "FIN", "ELB", "UPA"].contains(&&label[1..]);
    let legs = all.with_only(|label| legs_only(label).then(|| label.to_owned())).unwrap();
    let found = solved(&legs, Some(&made.skeleton)).unwrap();
    let bare = found.warnings.iter().find_map(|warning| match warning {
        SolveWarning::Bare { joints } => Some(joints.join(" ")),
        _ => None,
    });
    assert_eq!(
        bare.as_deref(),
        Some("LeftArm LeftForeArm LeftHand RightArm RightForeArm RightHand"),
        "{:?}",
        found.warnings
    );
    let still = solved(&all.trim(3..4).unwrap(), Some(&made.skeleton)).unwrap();
    assert!(still.warnings.iter().any(|warning| warning.code() == "solve::still"));
    // Frames out of order.
    let names = all.names().to_vec();
    let order = |frame: usize| (frame * 29) % FRAMES;
    let points = (0..FRAMES)
        .flat_map(|frame| (0..names.len()).map(move |at| (frame, at)))
        .map(|(frame, at)| all.position(order(frame), at))
        .collect();
    let mixed = Markers::new(*all.space(), all.rate(), FRAMES, names, points).unwrap();
    let found = solved(&mixed, Some(&made.skeleton)).unwrap();
    assert!(found.warnings.iter().any(|warning| warning.code() == "solve::jumps"), "{:?}", found.warnings);
    let codes = ["solve::jumps", "solve::still", "solve::bare"];
    let whole = &AS_IT_IS.warnings;
    assert!(whole.iter().all(|warning| !codes.contains(&warning.code())), "{whole:?}");
}
