//! Shows what limits two people who touch, on all pairs of bodies: contacts that are off, and who is inside whom, in all
//! frames. `MOCAP_PAIR` and `MOCAP_BODIES` choose a scene and two bodies, `MOCAP_ALL_PAIRS` takes all 15 pairs instead of one.
//! With `MOCAP_OUT`, motions are written into that folder, to be looked at.

use crate::bodies::{asked_bodies, asked_pair, pairs, side};
use crate::made::Made;
use crate::scene::{BODIES, body, put};
use mocap::Clip;
use mocap::model::{ForwardKinematics, Pose};
use mocap::retarget::{BodyPart, PeopleMeter, Side};
use std::ops::Range;

/// A contact is met within this, and nobody is deeper inside the other \[m\].
const MET: f64 = 0.01;
/// Distances are measured up to this \[m\].
const SEEN: f64 = 0.3;

const PARTS: [(BodyPart, &str); 5] = [
    (BodyPart::Core, "core"),
    (BodyPart::Hand(Side::Left), "left hand"),
    (BodyPart::Hand(Side::Right), "right hand"),
    (BodyPart::Arm(Side::Left), "left arm"),
    (BodyPart::Arm(Side::Right), "right arm"),
];

/// Two people in a frame.
struct Placed<'a> {
    people: [ForwardKinematics<'a>; 2],
    clips: [&'a Clip; 2],
}

impl Placed<'_> {
    fn poses(&mut self, frame: usize) -> [Pose; 2] {
        let mut poses = [Pose::default(), Pose::default()];
        for i in 0..2 {
            self.people[i].place(frame);
            let joints = self.clips[i].skeleton().iter().map(|(id, _)| *self.people[i].at(id));
            poses[i].joints = joints.collect();
        }
        poses
    }
}

/// Runs of frames with a value beyond a limit, and the frame of the largest one.
fn beyond(values: &[(usize, f64)], limit: f64) -> Vec<(Range<usize>, f64, usize)> {
    let mut runs: Vec<(Range<usize>, f64, usize)> = Vec::new();
    for (frame, value) in values.iter().copied().filter(|(_, value)| *value > limit) {
        match runs.last_mut() {
            Some((run, most, at)) if run.end == frame => {
                run.end += 1;
                if value > *most {
                    (*most, *at) = (value, frame);
                }
            }
            _ => runs.push((frame..frame + 1, value, frame)),
        }
    }
    runs
}

/// The parts of both that are deepest in each other in a pose.
fn parts_inside(meter: &mut PeopleMeter, poses: [&Pose; 2]) -> String {
    let mut found: Vec<(f64, String)> = Vec::new();
    for (one, own) in PARTS {
        for (other, their) in PARTS {
            let gap = meter.gap([one, other], poses, SEEN).unwrap_or(SEEN);
            if gap < -MET / 2.0 {
                found.push((-gap, format!("{own} of 0 and {their} of 1 {:.1} mm", -1e3 * gap)));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", ")
}

/// Contact frames, those within 1 cm, and the deepest place \[m\].
#[derive(Default)]
struct Total {
    frames: usize,
    met: usize,
    deepest: f64,
    deep_pairs: usize,
}

fn show(made: &Made, clips: [&Clip; 2], meter: &mut PeopleMeter, total: &mut Total) {
    let mut placed = Placed { people: clips.map(ForwardKinematics::new), clips };
    for (hands, frames) in &made.contacts {
        let parts = hands.map(|hand| BodyPart::Hand(side(hand)));
        let mut off = Vec::new();
        for frame in frames {
            let poses = placed.poses(*frame);
            let gap = meter.gap(parts, [&poses[0], &poses[1]], SEEN).unwrap_or(SEEN);
            total.frames += 1;
            total.met += usize::from(gap.abs() <= MET);
            off.push((*frame, gap.abs()));
        }
        for (run, most, at) in beyond(&off, MET) {
            mocap_corpus::note!("    hands off in {run:?}: {:.1} mm in {at}", 1e3 * most);
        }
    }
    let mut depths = Vec::new();
    for frame in 0..clips[0].frames() {
        let poses = placed.poses(frame);
        depths.push((frame, meter.deepest([&poses[0], &poses[1]])));
    }
    for (run, most, at) in beyond(&depths, MET) {
        let poses = placed.poses(at);
        let parts = parts_inside(meter, [&poses[0], &poses[1]]);
        mocap_corpus::note!("    inside in {run:?}: {:.1} mm in {at}: {parts}", 1e3 * most);
    }
    let deepest = depths.iter().map(|(_, depth)| *depth).fold(0.0, f64::max);
    total.deepest = total.deepest.max(deepest);
    total.deep_pairs += usize::from(deepest > MET);
}

/// The pair of bodies that is measured unless others are asked for.
const USUAL: &str = "heavy_man+woman";

pub(crate) fn contacts_of_people_together_are_kept_in_all_frames() {
    let pairs = pairs();
    let all_pairs = std::env::var_os("MOCAP_ALL_PAIRS").is_some();
    let (only, some) = (asked_pair(&pairs), asked_bodies());
    let targets = BODIES.map(body);
    for made in pairs.iter().filter(|made| only.as_ref().is_none_or(|only| made.name == only)) {
        let of = made.contacts.iter().map(|(_, frames)| {
            let numbered: Vec<(usize, f64)> = frames.iter().map(|frame| (*frame, 1.0)).collect();
            beyond(&numbered, 0.0).into_iter().map(|(run, ..)| run).collect::<Vec<_>>()
        });
        let of: Vec<_> = of.collect();
        mocap_corpus::note!("{}: {} frames, contacts in {of:?}", made.name, made.people[0].frames());
        let mut total = Total::default();
        // The second person is an image of the first: the other order is the same scene, turned or mirrored.
        for (a, first) in targets.iter().enumerate() {
            for (b, second) in targets.iter().enumerate().skip(a) {
                let names = [BODIES[a], BODIES[b]].join("+");
                let is_asked = match &some {
                    Some(some) => *some == names,
                    None => all_pairs || names == USUAL,
                };
                if !is_asked {
                    continue;
                }
                let done = put(&made.people, [first, second]);
                let surfaces = [first, second].map(|target| target.surface.as_ref().expect("a mesh"));
                let mut meter = PeopleMeter::new(surfaces[0], surfaces[1]).expect("two meshes");
                let mut own = Total::default();
                let clips = [&done.people[0].0, &done.people[1].0];
                mocap_corpus::note!("  {} on {names}", made.name);
                if let Some(folder) = std::env::var_os("MOCAP_OUT").map(std::path::PathBuf::from) {
                    for (clip, who) in clips.into_iter().zip(["a", "b"]) {
                        mocap::write(folder.join(format!("{who}.bvh")), clip).expect("a folder");
                    }
                }
                show(made, clips, &mut meter, &mut own);
                let steps = [0, 1].map(|i| {
                    let (_, step, place) = crate::bodies::feet(crate::bodies::of(&done.people[i].1));
                    format!("{step:+.1} ({place})")
                });
                mocap_corpus::note!(
                    "  = {} on {names}: {}/{} within 1 cm, inside by {:.1} mm, steps {}",
                    made.name,
                    own.met,
                    own.frames,
                    1e3 * own.deepest,
                    steps.join(", ")
                );
                total.frames += own.frames;
                total.met += own.met;
                total.deepest = total.deepest.max(own.deepest);
                total.deep_pairs += own.deep_pairs;
            }
        }
        mocap_corpus::note!(
            "{}: {:.1} % of {} contact frames within 1 cm, {} pairs inside by more than 1 cm, {:.1} mm at most",
            made.name,
            100.0 * total.met as f64 / total.frames.max(1) as f64,
            total.frames,
            total.deep_pairs,
            1e3 * total.deepest
        );
        assert!(20 * total.met >= 19 * total.frames, "{}: {} of {}", made.name, total.met, total.frames);
    }
}
