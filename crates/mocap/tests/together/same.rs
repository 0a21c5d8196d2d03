//! Two people who are exchanged, turned, moved, mirrored, or given at twice the rate come to the same motion, exchanged, turned,
//! moved, mirrored and at twice the rate.

use crate::bodies::{alone, capsules, pairs, raised_hands};
use crate::made::{Made, before_a_mirror, moved};
use crate::scene::{body, clip, put};
use mocap::model::{ForwardKinematics, JointId, Role};
use mocap::{Clip, FrameRate, Target, Vector3};

/// The largest difference of a joint \[m\]: rounding, of places at 500 m too.
const SAME: f64 = 1e-6;
/// The largest difference of a joint at twice the rate, beyond that of one person alone \[m\].
const RATE: f64 = 1e-4;

/// The largest distance between joints of two motions of one skeleton \[m\], every `step`-th frame of the second.
pub(crate) fn apart(one: &Clip, other: &Clip, step: usize) -> f64 {
    let [mut a, mut b] = [one, other].map(ForwardKinematics::new);
    let mut most = 0.0f64;
    for frame in 0..one.frames().min(other.frames().div_ceil(step)) {
        a.place(frame);
        b.place(frame * step);
        let joints = one.skeleton().iter().map(|(id, _)| (a.position(id) - b.position(id)).norm());
        most = joints.fold(most, f64::max);
    }
    most
}

/// What is done to a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Exchanged,
    Turned,
    /// Half a kilometre away, and turned by an angle between axes.
    Away,
    Mirrored,
    TwiceTheRate,
}

const CHANGES: [Change; 5] =
    [Change::Exchanged, Change::Turned, Change::Away, Change::Mirrored, Change::TwiceTheRate];

impl Change {
    /// How far people may be from the same. At twice the rate, each alone is not exactly the same, and so are both.
    fn most(self, alone: f64) -> f64 {
        if self == Change::TwiceTheRate { alone + RATE } else { SAME }
    }

    fn put(self, clip: &Clip) -> Clip {
        match self {
            Change::Exchanged => clip.clone(),
            Change::Turned => moved(clip, 90.0, Vector3::zeros()),
            Change::Away => moved(clip, 81.0, Vector3::new(4e4, 0.0, -3e4)),
            Change::Mirrored => mocap::edit::mirror(clip).expect("a body").0,
            Change::TwiceTheRate => {
                let rate = FrameRate::new(clip.rate().fps() * 2.0).expect("above 0");
                clip.resampled(rate).expect("it has a rate")
            }
        }
    }

    /// The largest distance \[m\] of joints of people from those of the changed scene, changed back. The way along the ground
    /// is scaled with the legs, so people who were moved are compared with the first of them at one place.
    fn apart(self, people: &[&Clip], changed: &[&Clip]) -> Vec<f64> {
        let back: Vec<Clip> = changed
            .iter()
            .map(|clip| match self {
                Change::Turned => moved(clip, -90.0, Vector3::zeros()),
                Change::Away => moved(clip, -81.0, Vector3::zeros()),
                Change::Mirrored => self.put(clip),
                Change::Exchanged | Change::TwiceTheRate => (*clip).clone(),
            })
            .collect();
        let way = match self {
            Change::Away => begin(people[0]) - begin(&back[0]),
            _ => Vector3::zeros(),
        };
        let step = if self == Change::TwiceTheRate { 2 } else { 1 };
        people.iter().zip(&back).map(|(one, other)| apart(one, &moved(other, 0.0, way), step)).collect()
    }
}

fn begin(clip: &Clip) -> Vector3<f64> {
    let mut placed = ForwardKinematics::new(clip);
    placed.place(0);
    placed.position(JointId(0))
}

/// How far both are from the same \[m\]: together, and each alone.
struct Off {
    change: Change,
    together: f64,
    alone: f64,
}

/// The differences of a pair on two bodies, by change.
fn differences(made: &Made, bodies: [&str; 2], changes: &[Change]) -> Vec<Off> {
    differences_on(made, bodies, &bodies.map(body), changes)
}

fn differences_on(made: &Made, bodies: [&str; 2], targets: &[Target; 2], changes: &[Change]) -> Vec<Off> {
    let both = |people: &[Clip; 2]| {
        let done = put(people, [&targets[0], &targets[1]]).people;
        [done[0].0.clone(), done[1].0.clone()]
    };
    let here = both(&made.people);
    let were = [0, 1].map(|i| alone(&made.people[i], &targets[i]).0);
    let most = |found: Vec<f64>| found.into_iter().fold(0.0, f64::max);
    changes
        .iter()
        .map(|change| {
            let people = made.people.each_ref().map(|clip| change.put(clip));
            let there = match change {
                Change::Exchanged => {
                    let [a, b] = people.clone();
                    let done = put(&[b, a], [&targets[1], &targets[0]]).people;
                    [done[1].0.clone(), done[0].0.clone()]
                }
                _ => both(&people),
            };
            let each = [0, 1].map(|i| {
                let are = alone(&people[i], &targets[i]).0;
                most(change.apart(&[&were[i]], &[&are]))
            });
            let together = most(change.apart(&[&here[0], &here[1]], &[&there[0], &there[1]]));
            let off = Off { change: *change, together, alone: each[0].max(each[1]) };
            mocap_corpus::note!(
                "{} on {bodies:?}, {change:?}: {:.6} mm apart (alone {:.6} mm)",
                made.name,
                1e3 * off.together,
                1e3 * off.alone
            );
            off
        })
        .collect()
}

/// Raised hands of fixtures, in all changes.
pub(crate) fn changed_pairs_of_fixtures_are_the_same() {
    let made = raised_hands();
    let bodies = ["clips/robin.skel", "bodies/short_legs.skel"];
    let targets = bodies.map(|name| capsules(name, |_| ()));
    for Off { change, together, alone } in differences_on(&made, bodies, &targets, &CHANGES) {
        assert!(together < change.most(alone), "{change:?}: {together} m apart, alone {alone} m");
    }
}

/// A body with a longer forearm is not its own mirror image.
pub(crate) fn bodies_of_fixtures_are_symmetric() {
    let is_symmetric = |target: Target| target.surface.expect("capsules").is_symmetric();
    assert!(is_symmetric(capsules("clips/robin.skel", |_| ())));
    let longer = |joint: &mut mocap::model::Joint| {
        joint.offset *= if joint.name == "hand_l" { 1.3 } else { 1.0 };
    };
    assert!(!is_symmetric(capsules("clips/robin.skel", longer)));
}

/// A dance in hold on a child and a tall man gives the same with both people exchanged, turned,
/// mirrored, and at twice the rate.
pub(crate) fn turned_swapped_mirrored_and_resampled_people_are_the_same() {
    let made = before_a_mirror("in hold", &clip("characters/ortiz_salsa.bvh"), Role::LeftHand, 0.01, 0.03);
    are_the_same(&made, ["child", "strong_man"], &CHANGES, false);
}

/// A pair at a rate at which twice as many frames are looked at in the same poses.
fn at_30(made: Made) -> Made {
    let rate = FrameRate::new(30.0).expect("above 0");
    Made { people: made.people.map(|clip| clip.resampled(rate).expect("it has a rate")), ..made }
}

/// The same of a handshake, whose hands go around arms.
pub(crate) fn a_handshake_is_the_same_in_all_changes() {
    let made = pairs().swap_remove(1);
    assert_eq!(made.name, "handshake");
    are_the_same(&at_30(made), ["heavy_man", "woman"], &CHANGES, true);
}

/// The same of a walk hand in hand.
pub(crate) fn a_walk_hand_in_hand_is_the_same_turned_moved_and_swapped() {
    let made = pairs().swap_remove(2);
    assert_eq!(made.name, "hand in hand");
    are_the_same(&at_30(made), ["child", "old_thin_woman"], &CHANGES[..3], false);
}

/// `is_exact`: also of mirrored people and at twice the rate. Skeletons that are not their own mirror images are not
/// mirrored, and of motions with more poses than are looked at, those between differ as one alone.
fn are_the_same(made: &Made, bodies: [&str; 2], changes: &[Change], is_exact: bool) {
    for Off { change, together, alone } in differences(made, bodies, changes) {
        let most = match change {
            Change::Mirrored | Change::TwiceTheRate if !is_exact => 0.01 + alone,
            _ => change.most(alone),
        };
        let about = format!("{} on {bodies:?}, {change:?}", made.name);
        assert!(together < most, "{about}: {together} m apart, alone {alone} m");
    }
}
