//! Contacts, feet and surfaces of pairs on all pairs of bodies.

use crate::made::{Made, before_a_mirror, hand_in_hand, right_to_right};
use crate::same::apart;
use crate::scene::{BODIES, body, clip, put};
use mocap::model::{ForwardKinematics, Joint, Pose, Space, Unit, UnitSource};
use mocap::retarget::{BodyPart, PeopleMeter, RetargetReport, Role, Side};
use mocap::{Clip, FrameRate, SurfaceChoice, Target, TargetReport};
use std::collections::BTreeSet;

/// Frames of a contact, and of the motion, that are measured on meshes.
const OF_CONTACT: usize = 30;
const OF_ALL: usize = 30;
/// Frames before and after hands meet or part, in which all are measured.
const COMING: usize = 6;

/// Nobody is deeper inside the other \[m\]: this much is left where arms would have to turn fast to come past each other.
const DEEP: f64 = 0.03;

/// The bodies that are measured; with `MOCAP_ALL_PAIRS` set all of them, which takes many minutes.
const SOME: [[&str; 2]; 3] = [["child", "strong_man"], ["heavy_man", "woman"], ["woman", "woman"]];

/// The pairs: a high five, a handshake, a walk hand in hand (who pull each other), and dances in hold.
pub(crate) fn pairs() -> Vec<Made> {
    let raised = slow(&clip("bandai2/dataset-2_raise-up-right-hand_active_001.bvh"), 4.0);
    let walk = clip("bandai/dataset-1_walk_normal_001.bvh");
    let salsa = clip("characters/ortiz_salsa.bvh");
    vec![
        right_to_right("high five", &raised, 0.01, 0.03, true),
        right_to_right("handshake", &raised, 0.01, 0.03, false),
        hand_in_hand("hand in hand", &walk, 0.01, 0.03),
        before_a_mirror("in hold", &salsa, Role::LeftHand, 0.01, 0.03),
    ]
}

/// A motion that takes so many times as long, so that hands that meet stay together for a while.
fn slow(clip: &Clip, times: f64) -> Clip {
    let rate = |fps: f64| FrameRate::new(fps).expect("above 0");
    let fps = clip.rate().fps();
    clip.resampled(rate(fps * times)).expect("it has a rate").with_rate(rate(fps))
}

struct Measured {
    within: usize,
    frames: usize,
    deepest: f64,
    /// Where: frame, person and part.
    at: String,
}

pub(crate) fn side(hand: Role) -> Side {
    if hand == Role::LeftHand { Side::Left } else { Side::Right }
}

/// What meshes show of two people.
fn measure(made: &Made, clips: [&Clip; 2], meter: &mut PeopleMeter) -> Measured {
    let mut placed = clips.map(ForwardKinematics::new);
    let mut poses = [Pose::default(), Pose::default()];
    let mut place = |frame: usize, poses: &mut [Pose; 2]| {
        for i in 0..2 {
            placed[i].place(frame);
            poses[i].joints = clips[i].skeleton().iter().map(|(id, _)| *placed[i].at(id)).collect();
        }
    };
    let mut found = Measured { within: 0, frames: 0, deepest: 0.0, at: String::new() };
    for (hands, frames) in &made.contacts {
        let step = frames.len().div_ceil(OF_CONTACT).max(1);
        for frame in frames.iter().step_by(step) {
            place(*frame, &mut poses);
            let parts = hands.map(|hand| BodyPart::Hand(side(hand)));
            let gap = meter.gap(parts, [&poses[0], &poses[1]], 0.3);
            found.frames += 1;
            found.within += usize::from(gap.is_some_and(|gap| gap.abs() <= 0.01));
        }
    }
    // Every frame in which hands come to each other or leave; the rest of the motion is only shown.
    let mut looked = BTreeSet::new();
    for (_, frames) in &made.contacts {
        let ends = frames.iter().filter(|frame| {
            let is_contact = |other: usize| frames.binary_search(&other).is_ok();
            !is_contact(frame.saturating_sub(1)) || !is_contact(*frame + 1)
        });
        looked.extend(ends.flat_map(|frame| frame.saturating_sub(COMING)..=frame + COMING));
    }
    let all = if mocap_corpus::shows_notes() { clips[0].frames() } else { 0 };
    looked.extend((0..all).step_by(all.div_ceil(OF_ALL).max(1)));
    for frame in looked.into_iter().filter(|frame| *frame < clips[0].frames()) {
        place(frame, &mut poses);
        let Some((depth, person, part)) = meter.deepest_part([&poses[0], &poses[1]]) else { continue };
        if depth > found.deepest {
            (found.deepest, found.at) = (depth, format!(" ({part:?} of {person}, frame {frame})"));
        }
    }
    found
}

pub(crate) fn of(report: &TargetReport) -> &RetargetReport {
    match report {
        TargetReport::Body(report) => report,
        TargetReport::Robot(_) => panic!("a body"),
    }
}

/// The worst skate of both feet \[m/s\], the largest step beyond that of the source \[degrees\], and its joint.
pub(crate) fn feet(report: &RetargetReport) -> (f64, f64, String) {
    let skate = report.feet.iter().filter_map(|foot| foot.slide).fold(0.0, f64::max);
    let step = &report.largest_step;
    (skate, step.excess, format!("{:?}, most {} in {}", step.excess_role, step.joint, step.frame))
}

pub(crate) fn alone(clip: &Clip, target: &Target) -> (Clip, RetargetReport) {
    let done =
        mocap::put_on_target(clip, &Default::default(), target, None, &Default::default(), &mut Vec::new());
    let (motion, report) = done.expect("a person");
    (motion, of(&report).clone())
}

/// The pair of motions that `MOCAP_PAIR` asks for.
pub(crate) fn asked_pair(pairs: &[Made]) -> Option<String> {
    let only = std::env::var("MOCAP_PAIR").ok()?;
    let known: Vec<&str> = pairs.iter().map(|made| made.name).collect();
    assert!(known.contains(&only.as_str()), "MOCAP_PAIR is '{only}', not one of {known:?}");
    Some(only)
}

/// The two bodies that `MOCAP_BODIES` asks for.
pub(crate) fn asked_bodies() -> Option<String> {
    let some = std::env::var("MOCAP_BODIES").ok()?;
    let known = |name: &str| BODIES.contains(&name);
    let is_known = some.split_once('+').is_some_and(|(a, b)| known(a) && known(b));
    assert!(is_known, "MOCAP_BODIES is '{some}', not two of {BODIES:?} with '+' between");
    Some(some)
}

pub(crate) fn hands_that_meet_meet_on_all_pairs_of_bodies() {
    let all_pairs = std::env::var_os("MOCAP_ALL_PAIRS").is_some();
    let targets = BODIES.map(body);
    let pairs = pairs();
    let only = asked_pair(&pairs);
    let some = asked_bodies();
    for made in pairs.iter().filter(|made| only.as_ref().is_none_or(|only| made.name == only)) {
        mocap_corpus::note!(
            "{}: {} frames of {}",
            made.name,
            made.contacts[0].1.len(),
            made.people[0].frames()
        );
        // The figures of each person retargeted alone, for comparison: only if notes are shown,
        // since they take as long as all the rest.
        let sources = mocap_corpus::shows_notes()
            .then(|| [0, 1].map(|i| targets.each_ref().map(|target| alone(&made.people[i], target))));
        let (mut kept, mut copies, mut frames) = (0, 0, 0);
        let (mut deepest, mut deepest_alone): (f64, f64) = (0.0, 0.0);
        for (a, first) in targets.iter().enumerate() {
            for (b, second) in targets.iter().enumerate() {
                let pair = [BODIES[a], BODIES[b]];
                if !match &some {
                    Some(some) => *some == pair.join("+"),
                    None => all_pairs || SOME.contains(&pair),
                } {
                    continue;
                }
                let started = std::time::Instant::now();
                let done = put(&made.people, [first, second]);
                let took = started.elapsed().as_secs_f64();
                let surfaces = [first, second].map(|target| target.surface.as_ref().expect("a mesh"));
                let mut meter = PeopleMeter::new(surfaces[0], surfaces[1]).expect("two meshes");
                let are = measure(made, [&done.people[0].0, &done.people[1].0], &mut meter);
                (kept, frames) = (kept + are.within, frames + are.frames);
                deepest = deepest.max(are.deepest);
                let Some([one, other]) = &sources else { continue };
                let were = measure(made, [&one[a].0, &other[b].0], &mut meter);
                let before = [feet(&one[a].1), feet(&other[b].1)];
                let after = [0, 1].map(|i| feet(of(&done.people[i].1)));
                mocap_corpus::note!(
                    "{} on {} and {}: {}/{} within 1 cm (alone {}), inside by {:.1} mm{} (alone {:.1}), skate {:.3}/{:.3} was \
                     {:.3}/{:.3}, step {:+.1} ({})/{:+.1} ({}) was {:+.1}/{:+.1}, {took:.1} s; {}",
                    made.name,
                    BODIES[a],
                    BODIES[b],
                    are.within,
                    are.frames,
                    were.within,
                    1e3 * are.deepest,
                    are.at,
                    1e3 * were.deepest,
                    after[0].0,
                    after[1].0,
                    before[0].0,
                    before[1].0,
                    after[0].1,
                    after[0].2,
                    after[1].1,
                    after[1].2,
                    before[0].1,
                    before[1].1,
                    done.between.first().map(|(_, report)| report.to_string()).unwrap_or_default(),
                );
                copies += were.within;
                deepest_alone = deepest_alone.max(were.deepest);
            }
        }
        mocap_corpus::note!(
            "{}: {:.1} % of contact frames within 1 cm (alone {:.1} %), inside by {:.1} mm at most (alone {:.1})",
            made.name,
            100.0 * kept as f64 / frames.max(1) as f64,
            100.0 * copies as f64 / frames.max(1) as f64,
            1e3 * deepest,
            1e3 * deepest_alone,
        );
        assert!(frames > 0, "{}: no contact was made", made.name);
        assert!(kept as f64 >= 0.95 * frames as f64, "{}: {kept} of {frames} within 1 cm", made.name);
        assert!(deepest < DEEP, "{}: {:.1} mm inside", made.name, 1e3 * deepest);
    }
}

/// Two people of a fixture whose raised hands meet.
pub(crate) fn raised_hands() -> Made {
    let wave = mocap::read(mocap_corpus::fixture("clips/alex_wave.bvh")).expect("a sound file").value;
    right_to_right("wave", &wave, 0.01, 0.03, true)
}

/// A skeleton of the fixtures with capsules, after its joints are changed.
pub(crate) fn capsules(name: &str, change: impl FnMut(&mut Joint)) -> Target {
    let read =
        mocap::read_target(mocap_corpus::fixture(name), &Default::default()).expect("a sound file").value;
    let metres = Some(Unit { metres: 1.0, source: UnitSource::Flag });
    let skeleton = read.skeleton.in_space(Space { unit: metres, ..*read.skeleton.space() });
    let skeleton = skeleton.expect("small numbers").with_joints(change).expect("a tree");
    Target::new(std::sync::Arc::new(skeleton))
        .with_surface(&SurfaceChoice::Capsules, &Default::default())
        .expect("a person")
        .value
}

/// Hands at a wave on a tall body and on one with short legs, both with capsules.
pub(crate) fn raised_hands_of_fixtures_meet_on_unlike_bodies() {
    let made = raised_hands();
    let targets = ["clips/robin.skel", "bodies/short_legs.skel"].map(|name| capsules(name, |_| ()));
    let surfaces = targets.each_ref().map(|target| target.surface.as_ref().expect("capsules"));
    let mut meter = PeopleMeter::new(surfaces[0], surfaces[1]).expect("two surfaces");
    let copies = [0, 1].map(|i| alone(&made.people[i], &targets[i]).0);
    let were = measure(&made, [&copies[0], &copies[1]], &mut meter);
    let done = put(&made.people, [&targets[0], &targets[1]]);
    let are = measure(&made, [&done.people[0].0, &done.people[1].0], &mut meter);
    let figures = |found: &Measured| (found.within, found.frames, found.deepest);
    assert!(were.within < were.frames / 2, "copies meet already: {:?}", figures(&were));
    let said = done.between.first().map(|(_, report)| report.to_string()).unwrap_or_default();
    assert!(are.within as f64 >= 0.95 * are.frames as f64, "{:?}; {said}", figures(&are));
    assert!(are.deepest < DEEP, "{:?}{}", figures(&are), are.at);
    let exchanged = [1, 0].map(|i| made.people[i].clone());
    let exchanged = put(&exchanged, [&targets[1], &targets[0]]);
    for i in 0..2 {
        assert!(apart(&done.people[i].0, &exchanged.people[1 - i].0, 1) < 1e-6);
    }
}
