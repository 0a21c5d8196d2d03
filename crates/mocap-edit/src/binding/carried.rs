//! Detects what is carried in a scene, and when: props by people, riders by mounts, and second hands on a prop that
//! another hand carries.

use std::ops::Range;

use mocap_analysis::runs;
use mocap_model::{Clip, Isometry3, Joint, JointId, Role, Vector3};
use mocap_retarget::map_roles_in;

use super::contact::places;
use super::extent::Extent;

/// Joints of people that may carry something.
pub(super) const CARRIERS: [Role; 9] = [
    Role::LeftHand,
    Role::RightHand,
    Role::LeftFoot,
    Role::RightFoot,
    Role::Hips,
    Role::Chest,
    Role::Head,
    Role::LeftLowerArm,
    Role::RightLowerArm,
];
/// A thing is carried if its transform relative to the carrier varies by at most this \[m, rad\]: the rounding of
/// single precision and text files.
pub(super) const EXACT: (f64, f64) = (2e-4, 4e-4);
/// The same tolerances for hands that hold something in a recording, where it is less exact \[m, rad\].
const HELD: (f64, f64) = (0.03, 0.35);
/// The same for a second hand, which may rotate on its grip \[m, rad\].
const KEPT: (f64, f64) = (0.04, 1.0);
/// A second hand holds a thing for at least this time \[s\]: a hand that passes by is as steady for a few frames.
const HOLDS: f64 = 0.25;
/// A hand that slides along a thing stays as near to it, but for this much \[m\].
const SLIDES: f64 = 0.01;
/// A hand that moves on slowly stays for less than this at the turn of a swing \[s\].
const SWINGS: f64 = 0.5;
/// A thing is carried for at least this time \[s\].
const SHORTEST: f64 = 0.1;
/// The carrier moves by at least this much meanwhile \[m, rad\].
pub(super) const MOVES: (f64, f64) = (0.01, 0.05);
/// A prop with at least this many joints is a mount if it carries hips.
const MOUNT: usize = 5;
/// Largest distance of a hand from what it holds, as a share of an arm's length.
const NEAR: f64 = 0.75;
/// The same for a second hand from the box around the thing: bones of a thing lie within it, and are drawn without width.
const REACH: f64 = 0.5;

/// A joint that carries something in some frames.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// Who carries it, and by which joint.
    pub by: usize,
    pub role: Role,
    pub frames: Range<usize>,
    /// Whether its place in the frame of the joint does not change.
    pub exact: bool,
}

/// The joints of a person that may carry something.
pub(crate) struct Holder {
    /// By role of [`CARRIERS`] that it has: the places of its joint.
    pub joints: Vec<(Role, Vec<Isometry3<f64>>)>,
    /// Length of an arm \[m\].
    pub arm: f64,
}

impl Holder {
    pub(crate) fn of(clip: &Clip) -> Holder {
        let roles = map_roles_in(clip).certain();
        let joints =
            CARRIERS.into_iter().filter_map(|role| Some((role, places(clip, roles.joint(role)?)))).collect();
        let length = |role: Role| roles.joint(role).map(|joint| clip.skeleton().joint(joint).offset.norm());
        let arm = length(Role::RightLowerArm).zip(length(Role::RightHand));
        let arm = arm.or(length(Role::LeftLowerArm).zip(length(Role::LeftHand)));
        Holder { joints, arm: arm.map_or(0.0, |(upper, lower)| upper + lower) }
    }

    /// With lengths times a factor.
    pub(super) fn scaled(self, factor: f64) -> Holder {
        let all = |places: Vec<Isometry3<f64>>| places.iter().map(|place| scaled(place, factor)).collect();
        let joints = self.joints.into_iter().map(|(role, places)| (role, all(places))).collect();
        Holder { joints, arm: self.arm * factor }
    }

    /// The transforms of the joint with a role, by frame.
    pub(crate) fn places(&self, role: Role) -> Option<&[Isometry3<f64>]> {
        self.joints.iter().find(|(own, _)| *own == role).map(|(_, places)| places.as_slice())
    }
}

/// A transform with its translation times a factor.
pub(super) fn scaled(place: &Isometry3<f64>, factor: f64) -> Isometry3<f64> {
    Isometry3::from_parts((place.translation.vector * factor).into(), place.rotation)
}

pub(super) fn within(one: &Isometry3<f64>, other: &Isometry3<f64>, limits: (f64, f64)) -> bool {
    (one.translation.vector - other.translation.vector).norm() <= limits.0
        && one.rotation.angle_to(&other.rotation) <= limits.1
}

/// Ranges of frames in which a transform stays within `limits` of its first value.
fn fixed_ranges(places: &[Isometry3<f64>], limits: (f64, f64), shortest: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for frame in 1..=places.len() {
        if frame < places.len() && within(&places[start], &places[frame], limits) {
            continue;
        }
        if frame - start >= shortest.max(2) {
            found.push(start..frame);
        }
        start = frame;
    }
    found
}

fn moves(places: &[Isometry3<f64>], range: &Range<usize>) -> bool {
    places[range.clone()].iter().any(|place| !within(&places[range.start], place, MOVES))
}

/// A range of frames in which a joint may carry a thing.
struct Candidate {
    carried: Carried,
    /// Frames of the whole stay of the joint on the thing, those of an exact one twice.
    long: usize,
    /// The distance of both where the stay begins.
    distance: f64,
}

/// Ranges in which a joint may carry a thing exactly, or less so. A hand that turns on its grip stays there through several
/// ranges.
fn candidates(
    (by, role, joint): (usize, Role, &[Isometry3<f64>]),
    thing: &[Isometry3<f64>],
    nearest: f64,
    [shortest, holds]: [usize; 2],
) -> Vec<Candidate> {
    let seen: Vec<Isometry3<f64>> =
        joint.iter().zip(thing).map(|(joint, thing)| joint.inverse() * thing).collect();
    let on = |frame: usize| (thing[frame].inverse() * joint[frame]).translation.vector;
    let is_hand = matches!(role, Role::LeftHand | Role::RightHand);
    let mut found: Vec<Candidate> = Vec::new();
    for (limits, exact) in [(EXACT, true), (HELD, false)] {
        // Ranges of one stay, and where it begins.
        let mut stay: Vec<Range<usize>> = Vec::new();
        let mut ends = |stay: &mut Vec<Range<usize>>| {
            let Some(first) = stay.first().map(|range| range.start) else { return };
            let long = stay.iter().map(Range::len).sum::<usize>() * if exact { 2 } else { 1 };
            let distance = seen[first].translation.vector.norm();
            let all = stay.drain(..).map(|frames| Carried { by, role, frames, exact });
            found.extend(all.map(|carried| Candidate { carried, long, distance }));
        };
        for frames in fixed_ranges(&seen, limits, shortest) {
            let distance = seen[frames.start].translation.vector.norm();
            let is_held = exact || is_hand && distance < nearest;
            if !is_held || !moves(joint, &frames) || !moves(thing, &frames) {
                continue;
            }
            let goes_on = stay.first().zip(stay.last()).is_some_and(|(first, last)| {
                frames.start - last.end < holds && (on(frames.start) - on(first.start)).norm() <= limits.0
            });
            if !goes_on {
                ends(&mut stay);
            }
            stay.push(frames);
        }
        ends(&mut stay);
    }
    found
}

/// When a thing is carried and by whom, in order of frames without overlap. Where several joints qualify, the joint with
/// the longest stay carries it (exact stays count twice), then the nearest one. So noise does not pass a thing from hand to
/// hand. The rest of a range that another carrier overlaps is kept if it lasts at least [`HOLDS`].
pub(crate) fn carried(thing: &[Isometry3<f64>], people: &[&Holder], fps: f64) -> Vec<Carried> {
    let times @ [_, holds] = [SHORTEST, HOLDS].map(|seconds| ((seconds * fps).round() as usize).max(2));
    let mut all: Vec<Candidate> = Vec::new();
    for (by, person) in people.iter().enumerate() {
        for (role, places) in &person.joints {
            all.extend(candidates((by, *role, places), thing, NEAR * person.arm, times));
        }
    }
    let start = |one: &Candidate| one.carried.frames.start;
    all.sort_by(|a, b| {
        b.long.cmp(&a.long).then(a.distance.total_cmp(&b.distance)).then(start(a).cmp(&start(b)))
    });
    let mut taken = vec![false; thing.len()];
    let mut found: Vec<Carried> = Vec::new();
    for one in all.into_iter().map(|one| one.carried) {
        let free: Vec<bool> =
            (0..thing.len()).map(|frame| one.frames.contains(&frame) && !taken[frame]).collect();
        let is_long = |frames: &Range<usize>| *frames == one.frames || frames.len() >= holds;
        for frames in runs(&free).into_iter().filter(is_long) {
            taken[frames.clone()].fill(true);
            found.push(Carried { frames, ..one.clone() });
        }
    }
    found.sort_by_key(|one| one.frames.start);
    found
}

/// Other hands that hold a thing while it is carried: who, which hand, in which frames. Of a thing whose extent is not
/// known, only its first joint is near or far.
pub(crate) fn other_hands(
    (thing, extent): (&[Isometry3<f64>], Option<&Extent>),
    people: &[&Holder],
    carried: &Carried,
    fps: f64,
) -> Vec<Carried> {
    let shortest = (SHORTEST * fps).round() as usize;
    let mut found = Vec::new();
    for (by, person) in people.iter().enumerate() {
        for (role, places) in &person.joints {
            let is_hand = matches!(role, Role::LeftHand | Role::RightHand);
            if !is_hand || (by, *role) == (carried.by, carried.role) {
                continue;
            }
            let seen: Vec<Isometry3<f64>> =
                carried.frames.clone().map(|frame| thing[frame].inverse() * places[frame]).collect();
            for frames in holds_of(&seen, extent, shortest, fps) {
                let is_near = match extent {
                    Some(extent) => places_near(extent, &seen, frames.clone(), REACH * person.arm),
                    None => seen[frames.start].translation.vector.norm() < 2.0 * NEAR * person.arm,
                };
                if is_near {
                    let frames = frames.start + carried.frames.start..frames.end + carried.frames.start;
                    found.push(Carried { by, role: *role, frames, exact: false });
                }
            }
        }
    }
    found
}

/// Whether a hand, seen from a thing, comes within reach of it in some frames.
fn places_near(extent: &Extent, seen: &[Isometry3<f64>], frames: Range<usize>, reach: f64) -> bool {
    seen[frames].iter().any(|place| extent.distance(&place.translation.vector) < reach)
}

/// Frames of little motion of a hand.
struct Calm {
    frames: Range<usize>,
    /// Where the present stay at one place begins.
    since: usize,
    /// The longest stay at one place.
    stay: Range<usize>,
}

/// Frames in which a second hand, seen from a thing, holds it. A hand that rotates on its grip, or comes to it slowly,
/// holds it: adjacent ranges of little motion are one hold, if it stays at one place for half of them, or for longer
/// than at the turn of a swing. One that only goes past slowly, as in a walk, does not hold it. While it comes, it does not
/// hold the thing yet.
fn holds_of(
    seen: &[Isometry3<f64>],
    extent: Option<&Extent>,
    shortest: usize,
    fps: f64,
) -> Vec<Range<usize>> {
    let place = |frame: usize| seen[frame].translation.vector;
    let mut found: Vec<Calm> = Vec::new();
    for frames in fixed_ranges(seen, KEPT, shortest) {
        match found.last_mut() {
            Some(calm) if frames.start <= calm.frames.end + 1 => {
                if (place(frames.start) - place(calm.since)).norm() > KEPT.0 {
                    calm.since = frames.start;
                }
                calm.frames.end = frames.end;
                if frames.end - calm.since > calm.stay.len() {
                    calm.stay = calm.since..frames.end;
                }
            }
            _ => found.push(Calm { since: frames.start, stay: frames.clone(), frames }),
        }
    }
    let frames_of = |seconds: f64| (seconds * fps).round() as usize;
    let holds =
        |calm: &Calm| 2 * calm.stay.len() >= calm.frames.len() || calm.stay.len() >= frames_of(SWINGS);
    let on_grip = |calm: Calm| on_grip(seen, extent, &calm);
    let is_long = |frames: &Range<usize>| frames.len() >= frames_of(HOLDS);
    let mut all: Vec<Range<usize>> = Vec::new();
    for frames in found.into_iter().filter(holds).filter_map(on_grip).filter(is_long) {
        match all.last_mut() {
            // A grip that loosens for an instant is not let go.
            Some(last) if frames.start < last.end + frames_of(HOLDS) => last.end = frames.end,
            _ => all.push(frames),
        }
    }
    all
}

/// The frames around the longest stay in which the hand is at its place there, or slides along the thing.
fn on_grip(seen: &[Isometry3<f64>], extent: Option<&Extent>, calm: &Calm) -> Option<Range<usize>> {
    let at = |frame: usize| seen[frame].translation.vector;
    let middle = |axis: usize| {
        let mut all: Vec<f64> = calm.stay.clone().map(|frame| at(frame)[axis]).collect();
        all.sort_by(f64::total_cmp);
        0.5 * (all[(all.len() - 1) / 2] + all[all.len() / 2])
    };
    let grip = Vector3::new(middle(0), middle(1), middle(2));
    let is_on = |frame: usize| {
        let slides = |extent: &Extent| extent.distance(&at(frame)) <= extent.distance(&grip) + SLIDES;
        (at(frame) - grip).norm() <= KEPT.0 || extent.is_some_and(slides)
    };
    let on: Vec<bool> = calm.frames.clone().map(is_on).collect();
    let first = calm.frames.start;
    let shared = |run: &Range<usize>| run.clone().filter(|frame| calm.stay.contains(frame)).count();
    // Of runs that share as much, the first.
    runs(&on).into_iter().map(|run| run.start + first..run.end + first).rev().max_by_key(shared)
}

/// Whether a thing is carried exactly by a person in some frames or less exactly in half of them, or carries the person.
/// `metres` is the length of a unit.
pub fn is_carried(person: &Clip, thing: &Clip, metres: f64) -> bool {
    let in_metres = |clip: &Clip| crate::metric::in_metres(clip, metres, "attach").ok();
    let (Some(person), Some(thing)) = (in_metres(person), in_metres(thing)) else { return false };
    let holder = Holder::of(&person);
    let own = places(&thing, JointId(0));
    let times = carried(&own, &[&holder], person.rate().fps());
    let held = times.iter().map(|one| one.frames.len()).sum::<usize>();
    times.iter().any(|one| one.exact)
        || 2 * held >= own.len() && held > 0
        || holder.places(Role::Hips).is_some_and(|hips| is_mount(&thing) && mount(hips, &thing).is_some())
}

/// Whether a thing has enough joints to be a mount.
pub(crate) fn is_mount(thing: &Clip) -> bool {
    are_of_a_mount(thing.skeleton().joints().iter())
}

/// Whether these joints (without end sites) are enough for a mount.
pub(super) fn are_of_a_mount<'a>(joints: impl Iterator<Item = &'a Joint>) -> bool {
    joints.filter(|joint| !joint.end_site).count() >= MOUNT
}

/// The joint of a mount that carries the hips of a person throughout, and where the hips are in its frame.
pub(crate) fn mount(hips: &[Isometry3<f64>], mount: &Clip) -> Option<(JointId, Vector3<f64>)> {
    let all = 0..hips.len();
    let joints = mount.skeleton().iter().map(|(joint, _)| joint);
    let mut nearest: Option<(JointId, Vector3<f64>)> = None;
    for joint in joints {
        let own = places(mount, joint);
        let seen = |frame: usize| own[frame].inverse() * hips[frame];
        let first = seen(0);
        let keeps = all.clone().all(|frame| within(&first, &seen(frame), HELD));
        let place = first.translation.vector;
        if keeps && moves(&own, &all) && nearest.is_none_or(|(_, other)| place.norm() < other.norm()) {
            nearest = Some((joint, place));
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::UnitQuaternion;

    /// Seconds in which a hand holds a bar that the other hand carries, at some frames per second in a scene turned by an
    /// angle \[rad\]. `on_bar` is its place and turn on the bar at a time \[m, rad\].
    fn holds(
        on_bar: impl Fn(f64) -> (f64, f64),
        extent: Option<&Extent>,
        [carrier, other]: [Role; 2],
        (fps, turned): (f64, f64),
    ) -> Vec<[f64; 2]> {
        let time = |frame: usize| frame as f64 / fps;
        let frames = (2.0 * fps) as usize;
        let scene = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), turned);
        let thing: Vec<Isometry3<f64>> =
            (0..frames).map(|frame| scene * Isometry3::translation(0.0, 1.0, 0.5 * time(frame))).collect();
        let hand = |frame: usize| {
            let (place, turn) = on_bar(time(frame));
            let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), turn);
            thing[frame] * Isometry3::from_parts(Vector3::new(place, 0.0, 0.0).into(), turn)
        };
        let joints = vec![(carrier, thing.clone()), (other, (0..frames).map(hand).collect())];
        let holder = Holder { joints, arm: 0.5 };
        let times = carried(&thing, &[&holder], fps);
        assert_eq!((times.len(), times[0].role, times[0].exact), (1, carrier, true));
        let found = other_hands((&thing, extent), &[&holder], &times[0], fps);
        found.iter().map(|hand| [time(hand.frames.start), time(hand.frames.end)]).collect()
    }

    #[test]
    fn a_thing_between_two_hands_does_not_change_hands_with_every_unevenness() {
        let fps = 30.0;
        let hand = |side: f64, noise: f64, frame: usize| {
            let time = frame as f64 / fps;
            let place = Vector3::new(side + noise * (frame as f64 * 1.7).sin(), 1.0, 0.4 * time);
            let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), time);
            Isometry3::from_parts(place.into(), turn)
        };
        let all = |side, noise, turns: f64| -> Vec<Isometry3<f64>> {
            let turn = |frame: usize| Vector3::x() * (turns * frame as f64 / fps);
            let at = |frame| hand(side, noise, frame) * UnitQuaternion::new(turn(frame));
            (0..100).map(at).collect()
        };
        // The right hand is further away; the left one is not exact, or turns on its grip.
        let carriers = |left: Vec<Isometry3<f64>>, right: Vec<Isometry3<f64>>| {
            let holder = Holder { joints: vec![(Role::LeftHand, left), (Role::RightHand, right)], arm: 0.6 };
            let times = carried(&all(0.0, 0.0, 0.0), &[&holder], fps);
            times.into_iter().map(|one| (one.role, one.frames)).collect::<Vec<_>>()
        };
        assert_eq!(carriers(all(0.1, 1e-3, 0.0), all(-0.3, 0.0, 0.0)), [(Role::RightHand, 0..100)]);
        assert_eq!(carriers(all(0.1, 1e-4, 0.0), all(-0.3, 1e-4, 0.0)), [(Role::LeftHand, 0..100)]);
        let turning = carriers(all(0.1, 0.0, 0.9), all(-0.3, 0.0, 0.7));
        assert!(turning.iter().all(|(role, _)| *role == turning[0].0), "{turning:?}");
        assert_eq!(turning.iter().map(|(_, frames)| frames.len()).sum::<usize>(), 100, "{turning:?}");
    }

    #[test]
    fn a_hand_that_turns_on_its_grip_holds_and_one_that_moves_along_does_not() {
        let right_carries = [Role::RightHand, Role::LeftHand];
        let left_carries = [Role::LeftHand, Role::RightHand];
        for (hands, form) in [
            (right_carries, (60.0, 0.0)),
            (left_carries, (60.0, 0.0)),
            (right_carries, (60.0, 2.0)),
            (right_carries, (30.0, 0.0)),
            (right_carries, (120.0, 0.0)),
        ] {
            assert_eq!(
                holds(|time| (0.3, 2.0 * time), None, hands, form),
                [[0.0, 2.0]],
                "{hands:?}, {form:?}"
            );
            // Slow enough to be steady for a fifth of a second anywhere.
            let along = |time: f64| (0.2 + 0.2 * time, 0.0);
            assert!(holds(along, None, hands, form).is_empty(), "{hands:?}, {form:?}");
            // It comes, stays for a second, and goes.
            let visit = |time: f64| (0.3 + (0.5 - time).max(0.0) + (time - 1.5).max(0.0), 0.0);
            let [[start, end]] = holds(visit, None, hands, form)[..] else {
                panic!("one hold: {hands:?}, {form:?}")
            };
            assert!((0.4..=0.5).contains(&start) && (1.5..=1.6).contains(&end), "{form:?}: {start}, {end}");
            // It comes slowly to where it stays, and holds it from 4 cm beside that place.
            let slowly = |time: f64| (0.3 + 0.2 * (1.0 - time).max(0.0), 0.0);
            let [[start, end]] = holds(slowly, None, hands, form)[..] else {
                panic!("one hold: {hands:?}, {form:?}")
            };
            assert!((0.79..=0.85).contains(&start) && end == 2.0, "{hands:?}, {form:?}: {start}, {end}");
            // It stays, then slides along the bar.
            let bar = Extent::new(Vector3::zeros(), Vector3::new(0.8, 0.0, 0.0));
            let slides = |time: f64| (0.3 + 0.2 * (time - 1.0).max(0.0), 0.0);
            assert_eq!(holds(slides, Some(&bar), hands, form), [[0.0, 2.0]], "{hands:?}, {form:?}");
        }
    }

    #[test]
    fn a_hand_that_swings_beside_a_thing_holds_it_only_where_it_comes_to_it() {
        let hands = [Role::RightHand, Role::LeftHand];
        let bar = Extent::new(Vector3::zeros(), Vector3::new(0.8, 0.0, 0.0));
        // Its swing turns for a quarter of a second, 0.4 m from the end of the bar.
        let swing = |time: f64| (-0.5 - 0.1 * (time * std::f64::consts::TAU).cos(), 0.0);
        assert!(!holds(swing, None, hands, (60.0, 0.0)).is_empty(), "steady enough at its turns");
        assert!(holds(swing, Some(&bar), hands, (60.0, 0.0)).is_empty());
        // The far end of a long thing is further from its first joint than an arm reaches.
        let pole = Extent::new(Vector3::zeros(), Vector3::new(1.5, 0.0, 0.0));
        assert_eq!(holds(|_| (1.4, 0.0), Some(&pole), hands, (60.0, 0.0)), [[0.0, 2.0]]);
    }
}
