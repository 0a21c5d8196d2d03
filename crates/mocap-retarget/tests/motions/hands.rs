//! Contacts of hands: they are kept, and pull arms only as far as is comfortable. The pull is
//! measured against the same retarget without contacts.

use crate::clip::fixture;
use crate::pops::corpus;
use mocap_analysis::trajectories;
use mocap_corpus::note;
use mocap_model::{Clip, Role, Vector3};
use mocap_retarget::{RetargetOptions, Retargeter, estimate_rest_pose};

/// An arm turns by at most this for a contact that is no clap [deg].
const MOST_TURN: f64 = 26.0;
/// The share of frames that may exceed it: claps may, and so does an arm whose step limit delays it.
const MOST_BEYOND: f64 = 0.001;

/// What contacts do to arms, summed over pairs of clips.
#[derive(Debug, Default)]
struct Pulls {
    /// Frames of arms, those in which an arm is pulled, and those in which it turns by more than [`MOST_TURN`].
    frames: usize,
    moved: usize,
    beyond: usize,
    /// Frames in which an arm is stretched that is bent without contacts.
    straight: usize,
    /// Frames of contact, and the sum of their errors \[m\].
    contact: usize,
    errors: f64,
    /// Squared distances of wrists, in arms.
    squares: f64,
}

/// Shoulder, elbow and wrist by frame.
fn arm(clip: &Clip, retargeter: &Retargeter, left: bool) -> Option<Vec<Vec<Vector3<f64>>>> {
    let roles = [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand];
    let roles = if left { roles } else { roles.map(Role::mirrored) };
    let joints: Option<Vec<_>> = roles.iter().map(|role| retargeter.target_roles().joint(*role)).collect();
    Some(trajectories(clip, &joints?))
}

impl Pulls {
    fn add(&mut self, free: &[Vec<Vector3<f64>>], kept: &[Vec<Vector3<f64>>]) {
        let length = (free[0][0] - free[1][0]).norm() + (free[1][0] - free[2][0]).norm();
        for frame in 0..free[0].len() {
            let bone = |arm: &[Vec<Vector3<f64>>], i: usize| arm[i + 1][frame] - arm[i][frame];
            let [upper, lower] = [0, 1].map(|i| bone(free, i).angle(&bone(kept, i)).to_degrees());
            let turn = upper.max(lower);
            let reach = |arm: &[Vec<Vector3<f64>>]| (arm[2][frame] - arm[0][frame]).norm() / length;
            self.frames += 1;
            self.moved += usize::from(turn > 0.1);
            self.beyond += usize::from(turn > MOST_TURN);
            self.straight += usize::from(reach(kept) > 0.985 && reach(free) < 0.97);
            self.squares += (kept[2][frame] - free[2][frame]).norm_squared() / (length * length);
        }
    }

    fn of_pairs(clips: &[(&str, Clip)]) -> Pulls {
        let mut pulls = Pulls::default();
        for (to, target) in clips {
            let rest = estimate_rest_pose(target).unwrap();
            for (_, source) in clips.iter().filter(|(from, _)| from != to) {
                let run = |self_contacts: bool| {
                    let options = RetargetOptions {
                        target_rest: Some(rest.clone()),
                        self_contacts,
                        limits: false,
                        ..RetargetOptions::default()
                    };
                    let retargeter = Retargeter::new(source.skeleton(), target.skeleton(), &options).unwrap();
                    let (motion, report) = retargeter.retarget(source).unwrap();
                    (motion, report, retargeter)
                };
                let ((free, ..), (kept, report, retargeter)) = (run(false), run(true));
                for contact in &report.self_contacts {
                    let frames: usize = contact.contacts.iter().map(|range| range.len()).sum();
                    pulls.contact += frames;
                    pulls.errors += contact.error * frames as f64;
                }
                for left in [true, false] {
                    let arms = (arm(&free, &retargeter, left), arm(&kept, &retargeter, left));
                    if let (Some(free), Some(kept)) = arms {
                        pulls.add(&free, &kept);
                    }
                }
            }
        }
        note!(
            "{pulls:?}: mean error {:.2} mm, rms pull {:.4} arms",
            pulls.errors / pulls.contact.max(1) as f64 * 1e3,
            (pulls.squares / pulls.frames as f64).sqrt()
        );
        pulls
    }
}

pub(crate) fn contacts_are_met_and_pull_no_arm_far() {
    let pulls = Pulls::of_pairs(&corpus());
    assert!(pulls.contact > 10_000 && pulls.moved > 10_000, "{pulls:?}");
    assert!(pulls.errors < 0.002 * pulls.contact as f64, "{pulls:?}");
    assert_eq!(pulls.straight, 0, "{pulls:?}");
    assert!((pulls.beyond as f64) < MOST_BEYOND * pulls.frames as f64, "{pulls:?}");
}

pub(crate) fn hands_of_fixtures_that_touch_nothing_are_left_alone() {
    let names = ["alex_walk.bvh", "robin_walk.bvh", "robin_turn.bvh"];
    let pulls = Pulls::of_pairs(&names.map(|name| (name, fixture(name))));
    assert_eq!((pulls.contact, pulls.moved, pulls.frames > 0), (0, 0, true), "{pulls:?}");
}
