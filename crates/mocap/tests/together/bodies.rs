//! Contacts, feet and surfaces of pairs on all pairs of bodies.

use crate::made::{Made, before_a_mirror, hand_in_hand, right_to_right};
use crate::scene::{BODIES, body, clip, put};
use mocap::model::{ForwardKinematics, Pose};
use mocap::retarget::{BodyPart, PeopleMeter, RetargetReport, Role, Side};
use mocap::{Clip, FrameRate, Target, TargetReport};

/// Frames of a contact, and of the motion, that are measured on meshes.
const OF_CONTACT: usize = 30;
const OF_ALL: usize = 30;

/// The pairs: a high five, a handshake, a walk hand in hand (who pull each other), and dances in hold.
fn pairs() -> Vec<Made> {
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
}

fn side(hand: Role) -> Side {
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
    let mut found = Measured { within: 0, frames: 0, deepest: 0.0 };
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
    let frames = clips[0].frames();
    for frame in (0..frames).step_by(frames.div_ceil(OF_ALL).max(1)) {
        place(frame, &mut poses);
        found.deepest = found.deepest.max(meter.deepest([&poses[0], &poses[1]]));
    }
    if std::env::var("MOCAP_DEBUG").is_ok() {
        let parts = [Side::Left, Side::Right].map(|s| [BodyPart::Hand(s), BodyPart::Arm(s)]).concat();
        let parts: Vec<BodyPart> = parts.into_iter().chain([BodyPart::Core]).collect();
        let mut deep: Vec<(f64, BodyPart, BodyPart, usize)> = Vec::new();
        for frame in (0..frames).step_by(frames.div_ceil(OF_ALL).max(1)) {
            place(frame, &mut poses);
            for a in &parts {
                for b in &parts {
                    let gap = meter.gap([*a, *b], [&poses[0], &poses[1]], 0.01).unwrap_or(1.0);
                    deep.push((gap, *a, *b, frame));
                }
            }
        }
        deep.sort_by(|a, b| a.0.total_cmp(&b.0));
        mocap_corpus::note!("   deepest {:?}", &deep[..deep.len().min(6)]);
    }
    found
}

fn of(report: &TargetReport) -> &RetargetReport {
    match report {
        TargetReport::Body(report) => report,
        TargetReport::Robot(_) => panic!("a body"),
    }
}

/// The worst skate of both feet \[m/s\], and the largest step \[degrees\].
fn feet(report: &RetargetReport) -> (f64, f64) {
    let skate = report.feet.iter().filter_map(|foot| foot.slide).fold(0.0, f64::max);
    (skate, report.largest_step.excess)
}

fn alone(clip: &Clip, target: &Target) -> (Clip, RetargetReport) {
    let done =
        mocap::put_on_target(clip, &Default::default(), target, None, &Default::default(), &mut Vec::new());
    let (motion, report) = done.expect("a person");
    (motion, of(&report).clone())
}

pub(crate) fn hands_that_meet_meet_on_all_pairs_of_bodies() {
    let of_bodies = std::env::var("MOCAP_BODIES").unwrap_or_default();
    let targets = BODIES.map(body);
    let mut all = (0, 0);
    let chosen = std::env::var("MOCAP_PAIRS").unwrap_or_default();
    for made in pairs().iter().filter(|made| made.name.contains(&chosen)) {
        mocap_corpus::note!(
            "{}: {} frames of {}",
            made.name,
            made.contacts[0].1.len(),
            made.people[0].frames()
        );
        if let Ok(folder) = std::env::var("MOCAP_DEBUG") {
            for (i, clip) in made.people.iter().enumerate() {
                let path = format!("{folder}/{}_{i}.bvh", made.name.replace(' ', "_"));
                mocap::write(path, clip).expect("a folder");
            }
        }
        let sources = [0, 1].map(|i| targets.each_ref().map(|target| alone(&made.people[i], target)));
        let (mut kept, mut copies, mut frames) = (0, 0, 0);
        let (mut deepest, mut deepest_alone): (f64, f64) = (0.0, 0.0);
        for (a, first) in targets.iter().enumerate() {
            for (b, second) in targets.iter().enumerate() {
                if !of_bodies.is_empty() && !of_bodies.contains(&format!("{}+{}", BODIES[a], BODIES[b])) {
                    continue;
                }
                let started = std::time::Instant::now();
                let done = put(&made.people, [first, second]);
                let took = started.elapsed().as_secs_f64();
                let surfaces = [first, second].map(|target| target.surface.as_ref().expect("a mesh"));
                let mut meter = PeopleMeter::new(surfaces[0], surfaces[1]).expect("two meshes");
                let were = measure(made, [&sources[0][a].0, &sources[1][b].0], &mut meter);
                let are = measure(made, [&done.people[0].0, &done.people[1].0], &mut meter);
                if std::env::var("MOCAP_DEBUG").is_ok() {
                    mocap_corpus::note!(
                        "   {:?} {:?}",
                        of(&done.people[0].1).largest_step,
                        of(&done.people[1].1).largest_step
                    );
                    mocap_corpus::note!("   {:?}", done.between.first().map(|(_, report)| &report.touches));
                }
                let before = [feet(&sources[0][a].1), feet(&sources[1][b].1)];
                let after = [0, 1].map(|i| feet(of(&done.people[i].1)));
                mocap_corpus::note!(
                    "{} on {} and {}: {}/{} within 1 cm (alone {}), inside by {:.1} mm (alone {:.1}), skate {:.3}/{:.3} was \
                     {:.3}/{:.3}, step {:+.1}/{:+.1} was {:+.1}/{:+.1}, {took:.1} s; {}",
                    made.name,
                    BODIES[a],
                    BODIES[b],
                    are.within,
                    are.frames,
                    were.within,
                    1e3 * are.deepest,
                    1e3 * were.deepest,
                    after[0].0,
                    after[1].0,
                    before[0].0,
                    before[1].0,
                    after[0].1,
                    after[1].1,
                    before[0].1,
                    before[1].1,
                    done.between.first().map(|(_, report)| report.to_string()).unwrap_or_default(),
                );
                (kept, copies, frames) = (kept + are.within, copies + were.within, frames + are.frames);
                deepest = deepest.max(are.deepest);
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
        all = (all.0 + kept, all.1 + frames);
    }
    assert!(all.0 as f64 >= 0.95 * all.1 as f64, "{} of {}", all.0, all.1);
}

pub(crate) fn turned_swapped_mirrored_and_resampled_people_are_the_same() {}
