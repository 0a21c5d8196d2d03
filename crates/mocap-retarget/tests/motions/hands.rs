//! Contacts of hands: what they pull, beside arms that only copy rotations.

use crate::pops::corpus;
use mocap_analysis::trajectories;
use mocap_corpus::note;
use mocap_model::{Clip, Role, Vector3};
use mocap_retarget::{RetargetOptions, Retargeter, estimate_rest_pose};

/// An arm turns by at most this for a contact [deg]; interpolation and softening take up to a degree more.
const MOST_TURN: f64 = 26.0;

/// Figures of the pulls on arms, summed over pairs.
#[derive(Debug, Default)]
struct Pulls {
    frames: usize,
    moved: usize,
    beyond: usize,
    straight: usize,
    /// Frames of contact, and those whose palm misses by more than 2 cm.
    contact: usize,
    squares: f64,
    largest: f64,
    /// Mean errors of contacts, weighted by frames \[m\].
    errors: f64,
}

fn arm(clip: &Clip, retargeter: &Retargeter, left: bool) -> Option<Vec<Vec<Vector3<f64>>>> {
    let roles = [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand];
    let roles = if left { roles } else { roles.map(Role::mirrored) };
    let joints: Option<Vec<_>> = roles.iter().map(|role| retargeter.target_roles().joint(*role)).collect();
    Some(trajectories(clip, &joints?))
}

pub(crate) fn contacts_pull_no_arm_far() {
    let clips = corpus();
    let mut sum = Pulls::default();
    for (to, target) in &clips {
        let rest = estimate_rest_pose(target).unwrap();
        let mut own = Pulls::default();
        for (from, source) in clips.iter().filter(|(from, _)| from != to) {
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
                own.contact += frames;
                own.errors += contact.error * frames as f64;
                if std::env::var("SHOW").is_ok() {
                    note!(
                        "{from} → {to}: {} on {} {} frames, off by {:.1} cm {:?}",
                        contact.role,
                        contact.on,
                        frames,
                        contact.error * 1e2,
                        contact.contacts
                    );
                }
            }
            for left in [true, false] {
                let (Some(free), Some(kept)) = (arm(&free, &retargeter, left), arm(&kept, &retargeter, left))
                else {
                    continue;
                };
                let length = (free[0][0] - free[1][0]).norm() + (free[1][0] - free[2][0]).norm();
                let mut pair_largest = (0.0f64, 0);
                for frame in 0..source.frames() {
                    let bone = |arm: &[Vec<Vector3<f64>>], i: usize| arm[i + 1][frame] - arm[i][frame];
                    let turns = [0, 1].map(|i| bone(&free, i).angle(&bone(&kept, i)).to_degrees());
                    let turn = turns[0].max(turns[1]);
                    let reach = |arm: &[Vec<Vector3<f64>>]| (arm[2][frame] - arm[0][frame]).norm() / length;
                    own.frames += 1;
                    own.moved += usize::from(turn > 0.1);
                    own.beyond += usize::from(turn > MOST_TURN);
                    own.straight += usize::from(reach(&kept) > 0.985 && reach(&free) < 0.97);
                    own.squares += (kept[2][frame] - free[2][frame]).norm_squared() / (length * length);
                    own.largest = own.largest.max(turn);
                    if turn > pair_largest.0 {
                        pair_largest = (turn, frame);
                    }
                }
                if std::env::var("SHOW").is_ok() && pair_largest.0 > 1.0 {
                    note!("   {from} → {to}: left {left} turns {:.1} at {}", pair_largest.0, pair_largest.1);
                }
            }
        }
        note!("{to}: {own:?}");
        sum.frames += own.frames;
        sum.moved += own.moved;
        sum.beyond += own.beyond;
        sum.straight += own.straight;
        sum.contact += own.contact;
        sum.squares += own.squares;
        sum.errors += own.errors;
        sum.largest = sum.largest.max(own.largest);
    }
    note!(
        "{sum:?}, errors {:.1} mm, rms pull {:.4} arms",
        sum.errors / sum.contact as f64 * 1e3,
        (sum.squares / sum.frames as f64).sqrt()
    );
    assert!(sum.beyond == 0 && sum.straight == 0, "{sum:?}");
}
