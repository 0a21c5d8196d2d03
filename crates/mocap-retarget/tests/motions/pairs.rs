//! Every skeleton onto every other, without a hand-made file: upright, sides right, knees forward, feet on the
//! floor. Prints the table of `docs/retargeting.md` (with `-- --nocapture`).

use crate::clip::{fixture, real};
use mocap_corpus::note;
use mocap_model::{Clip, Pose, Role, Vector3};
use mocap_retarget::{RetargetOptions, RetargetReport, Retargeter, estimate_rest_pose, map_roles};

/// Name, file, frames to skip.
const CLIPS: [(&str, &str, usize); 8] = [
    ("CMU", "cmu/12_01_walk.bvh", 1),
    ("CMU ASF", "cmu/01_01.amc", 0),
    ("iClone", "iclone/007_12.bvh", 0),
    ("Bandai", "bandai/dataset-1_walk_normal_001.bvh", 0),
    ("GAMES-105", "misc/games105_walk60.bvh", 0),
    ("Mixamo", "misc/games105_motion_65joints.bvh", 0),
    ("Xia", "misc/xia_neutral_01.bvh", 1),
    ("LAFAN1", "misc/lafan_geno_stance.bvh", 0),
];

/// Places of joints by role in some frames of a clip.
struct Looks {
    frames: Vec<Pose>,
    clip: Clip,
}

impl Looks {
    fn of(clip: &Clip) -> Looks {
        let frames = (0..clip.frames()).step_by(5).map(|frame| {
            let (mut local, mut object) = (Pose::default(), Pose::default());
            clip.local_pose(frame, &mut local);
            local.to_object(clip.skeleton(), &mut object);
            object
        });
        Looks { frames: frames.collect(), clip: clip.clone() }
    }

    /// The share of frames in which something holds.
    fn share(&self, holds: impl Fn(&dyn Fn(Role) -> Vector3<f64>) -> bool) -> f64 {
        let held = self.frames.iter().filter(|pose| {
            let skeleton = self.clip.skeleton();
            holds(&|role| pose.joints[skeleton.with_role(role).unwrap().index()].translation.vector)
        });
        held.count() as f64 / self.frames.len() as f64
    }

    fn upright(&self) -> f64 {
        self.share(|at| {
            let feet = at(Role::LeftFoot).y.min(at(Role::RightFoot).y);
            at(Role::Head).y > at(Role::Hips).y && at(Role::Hips).y > feet
        })
    }

    fn sides(&self) -> f64 {
        self.share(|at| {
            let left = at(Role::LeftUpperLeg) - at(Role::RightUpperLeg);
            (at(Role::LeftUpperArm) - at(Role::RightUpperArm)).dot(&left) > 0.0
        })
    }

    /// Knees that bend do so forward.
    fn knees(&self) -> f64 {
        self.share(|at| {
            let left = (at(Role::LeftUpperLeg) - at(Role::RightUpperLeg)).normalize();
            [[Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot]].into_iter().all(|left_leg| {
                [left_leg, left_leg.map(Role::mirrored)].into_iter().all(|[hip, knee, ankle]| {
                    let (below, above) =
                        ((at(ankle) - at(knee)).normalize(), (at(hip) - at(knee)).normalize());
                    // Sine of the bend about the body's left; a few degrees the wrong way are noise.
                    below.cross(&above).dot(&left) > -0.15
                })
            })
        })
    }
}

fn row(names: [&str; 2], report: &RetargetReport) -> String {
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let rms = |role: Role| {
        let angles = report.angles.iter().filter(|angle| angle.role == role || angle.role == role.mirrored());
        most(&mut angles.map(|angle| angle.rms))
    };
    let height = mean_height(report);
    format!(
        "| {} → {} | {:.4} | {:.1} / {:.1} | {:.1} / {:.1} | {:.2} | {:.1} | {:.1} | {:.1} | {:.2} |",
        names[0],
        names[1],
        report.scale.leg,
        rms(Role::LeftUpperLeg),
        rms(Role::LeftLowerLeg),
        rms(Role::LeftUpperArm),
        rms(Role::LeftLowerArm),
        most(&mut report.feet.iter().filter_map(|foot| foot.slide_ratio)),
        height * 100.0,
        most(&mut report.feet.iter().filter_map(|foot| foot.penetration_max)) * 100.0,
        report.largest_step.excess,
        report.jerk_ratio.unwrap_or(0.0),
    )
}

/// The mean height of the feet whose contacts show one \[m\].
fn mean_height(report: &RetargetReport) -> f64 {
    let heights: Vec<f64> = report.feet.iter().filter_map(|foot| foot.height_mean).collect();
    heights.iter().sum::<f64>() / heights.len().max(1) as f64
}

pub(crate) fn every_skeleton_moves_every_other() {
    each_moves_the_others(&CLIPS.map(|(name, path, skip)| (name, real(path, skip))), 0.0);
}

pub(crate) fn every_fixture_moves_every_other() {
    let clips = [
        ("alex", "alex_walk.bvh"),
        ("alex ASF", "alex_walk.amc"),
        ("robin", "robin_walk.bvh"),
        ("robin ASF", "robin_walk.amc"),
    ];
    // Their feet slide by less than a tenth of a millimetre: a share of that says nothing.
    each_moves_the_others(&clips.map(|(name, path)| (name, fixture(path))), 1e-5);
}

/// Clips whose names end with "ASF" have limits. Feet that slide less than `still` \[m\] may slide by any share of
/// the source's.
fn each_moves_the_others(clips: &[(&str, Clip)], still: f64) {
    note!("| pair | α | thigh / knee ° | arm / elbow ° | slide | height cm | sunk cm | step ° | jerk |");
    note!("|---|---|---|---|---|---|---|---|---|");
    for (from, source) in clips {
        for (to, target) in clips.iter().filter(|(to, _)| to != from) {
            for target_rest in [None, Some(estimate_rest_pose(target).unwrap())] {
                let seen = target_rest.is_some();
                let options = RetargetOptions { target_rest, ..RetargetOptions::default() };
                let retargeter = Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap();
                let (motion, report) = retargeter.retarget(source).unwrap();
                if !seen {
                    note!("{}", row([from, to], &report));
                }
                let place = format!("{from} on {to}, rest pose seen in its motion: {seen}");
                let looks = Looks::of(&motion);
                assert_eq!((looks.upright(), looks.sides(), looks.knees()), (1.0, 1.0, 1.0), "{place}");
                // CMU's ASF has limits that real motions break: keeping them costs what these measure.
                let limited = to.ends_with("ASF");
                let height = mean_height(&report);
                // iClone's clips keep their hips at one height and hardly stand, so a rest pose
                // estimated from one has less exact feet.
                assert!(height.abs() < if seen { 0.03 } else { 0.01 }, "{place}: {:?}", report.feet);
                for foot in &report.feet {
                    assert!(
                        foot.penetration_max.unwrap() < if limited { 0.01 } else { 1e-4 },
                        "{place}: {foot:?}"
                    );
                    assert!(
                        foot.slide.is_none_or(|slide| slide < still)
                            || foot.slide_ratio.is_none_or(|ratio| ratio < if limited { 0.55 } else { 0.05 }),
                        "{place}: {foot:?}"
                    );
                }
                assert!(report.largest_step.excess <= 5.0, "{place}: {:?}", report.largest_step);
                assert_eq!(report.limits.violations, 0, "{place}: {:?}", report.limits);
            }
        }
    }
}

pub(crate) fn shape_shows_the_limbs_of_rest_poses_that_are_stances() {
    for name in ["CMU", "CMU ASF", "GAMES-105", "Mixamo", "Xia"] {
        let (_, path, skip) = CLIPS.into_iter().find(|(clip, ..)| *clip == name).unwrap();
        let clip = real(path, skip);
        let mut count = 0;
        let bare = clip.skeleton().with_joints(|joint| {
            count += 1;
            joint.name = format!("n{count}");
        });
        let (by_name, by_shape) = (map_roles(clip.skeleton()), map_roles(&bare.unwrap()));
        for role in [
            Role::Hips,
            Role::LeftUpperLeg,
            Role::LeftLowerLeg,
            Role::LeftFoot,
            Role::LeftUpperArm,
            Role::LeftLowerArm,
            Role::LeftHand,
        ] {
            for role in [role, role.mirrored()] {
                assert_eq!(by_shape.joint(role), by_name.joint(role), "{name}: {role}");
            }
        }
    }
}
