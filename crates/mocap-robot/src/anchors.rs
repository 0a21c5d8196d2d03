//! Where feet are held on the floor: one place per contact, from a motion that does not hold them yet.

use std::ops::Range;

use mocap_model::{FrameRate, Isometry3, Vector3};
use nalgebra::Point3;

use crate::landmarks::Sole;
use crate::source::SourceFrame;

/// By frame, foot and corner of the sole: where it is held on the floor.
pub(crate) type Pins = Vec<[[Option<Point3<f64>>; 4]; 2]>;

/// Least height of a swinging sole \[m\].
const SWING: f64 = 0.025;

/// Sine of the angle to the floor from which a sole is upright: 60°.
const UPRIGHT: f64 = 0.87;

/// Least distance of soles that are on the floor at the same time \[m\].
const GAP: f64 = 0.012;

/// The contact of one foot over some frames: the middle of its sole, and its heading.
struct Contact {
    foot: usize,
    frames: Range<usize>,
    middle: Vector3<f64>,
    forward: Vector3<f64>,
    /// From the middle to the front and to the side; for a round sole, to the outermost balls \[m\].
    half_sizes: [f64; 2],
    /// Radii of the balls at the corners \[m\].
    radii: [f64; 4],
}

/// Holds every foot in contact at its mean place and heading, with the sole on the floor. Toe contact holds the
/// front corners, heel contact the back ones. A `stiff` foot, without an ankle, leans like its shank: it is
/// held at the corners that are lowest in each frame, and rolls from one edge to the other. Overlapping
/// footprints are moved apart.
pub(crate) fn hold(
    frames: &[SourceFrame],
    feet: &[Vec<Isometry3<f64>>; 2],
    soles: &[Sole; 2],
    stiff: [bool; 2],
) -> Pins {
    let mut contacts = [0, 1].map(|foot| contacts(frames, &feet[foot], &soles[foot], foot));
    part(&mut contacts);
    let mut pins: Pins = vec![[[None; 4]; 2]; frames.len()];
    for contact in contacts.iter().flatten() {
        let corners = contact.corners();
        for frame in contact.frames.clone() {
            let [toe, heel] = frames[frame].contacts[contact.foot];
            let held = match stiff[contact.foot] {
                true => lowest_corners(&soles[contact.foot], &feet[contact.foot][frame]),
                false => [toe, toe, heel, heel],
            };
            for (corner, held) in held.into_iter().enumerate() {
                pins[frame][contact.foot][corner] = held.then_some(corners[corner]);
            }
        }
    }
    pins
}

/// Which corners a foot in this pose stands on.
fn lowest_corners(sole: &Sole, foot: &Isometry3<f64>) -> [bool; 4] {
    /// Corners that are higher by at most this are held as well \[m\].
    const LEVEL: f64 = 0.005;
    let heights: [f64; 4] =
        std::array::from_fn(|corner| (foot * sole.corners[corner]).z - sole.radii[corner]);
    let lowest = heights.into_iter().fold(f64::INFINITY, f64::min);
    heights.map(|height| height < lowest + LEVEL)
}

/// The contacts of a foot, in order.
fn contacts(frames: &[SourceFrame], feet: &[Isometry3<f64>], sole: &Sole, foot: usize) -> Vec<Contact> {
    let touches = |frame: usize| frames[frame].contacts[foot] != [false; 2];
    let mut contacts = Vec::new();
    let mut start = 0;
    while start < frames.len() {
        if !touches(start) {
            start += 1;
            continue;
        }
        let end = (start..frames.len()).find(|frame| !touches(*frame)).unwrap_or(frames.len());
        let held = |part: usize| frames[start..end].iter().any(|frame| frame.contacts[foot][part]);
        contacts.push(Contact::of(foot, start..end, (&feet[start..end], [held(0), held(1)]), sole));
        start = end;
    }
    contacts
}

/// Moves soles apart that overlap while both are on the floor.
fn part([left, right]: &mut [Vec<Contact>; 2]) {
    /// Several passes, because moving a sole may make it overlap the next one.
    const PASSES: usize = 4;
    for _ in 0..PASSES {
        for one in left.iter_mut() {
            let from = right.partition_point(|other| other.frames.end <= one.frames.start);
            let during = right[from..].iter_mut().take_while(|other| other.frames.start < one.frames.end);
            for other in during {
                let push = one.overlap(other) / 2.0;
                one.middle -= push;
                other.middle += push;
            }
        }
    }
}

impl Contact {
    /// A sole on the floor, at the mean place and heading of a foot. Where only its toe or its heel is `held`, that is
    /// where it is on the mean: the sole may be upright.
    fn of(
        foot: usize,
        frames: Range<usize>,
        (feet, held): (&[Isometry3<f64>], [bool; 2]),
        sole: &Sole,
    ) -> Contact {
        let mut middle = Vector3::zeros();
        let share = match held {
            [true, false] => [0.5, 0.0],
            [false, true] => [0.0, 0.5],
            _ => [0.25; 2],
        };
        let mut forward = Vector3::zeros();
        let mut left = Vector3::zeros();
        for foot in feet {
            let [a, b, c, d] = sole.corners.map(|corner| foot * corner);
            let [toe, heel] = [a.coords + b.coords, c.coords + d.coords];
            middle += (toe * share[0] + heel * share[1]) / feet.len() as f64;
            forward += (a - c) + (b - d);
            left += (a - b) + (c - d);
        }
        let flat = |v: Vector3<f64>| Vector3::new(v.x, v.y, 0.0).try_normalize(1e-9);
        let across = || flat(left).map(|left| left.cross(&Vector3::z()));
        // An upright sole heads where its breadth shows: its length points to either side of the vertical.
        let forward = match forward.z.abs() > UPRIGHT * forward.norm() {
            true => across().or_else(|| flat(forward)),
            false => flat(forward).or_else(across),
        };
        let forward = forward.unwrap_or_else(Vector3::x);
        let [a, b, c, d] = sole.corners;
        let half_sizes = [((a - c).norm() + (b - d).norm()) / 4.0, ((a - b).norm() + (c - d).norm()) / 4.0];
        let ahead = forward * (2.0 * half_sizes[0] * (share[0] - share[1]));
        let middle = Vector3::new(middle.x, middle.y, 0.0) - ahead;
        Contact { foot, frames, middle, forward, half_sizes, radii: sole.radii }
    }

    fn axes(&self) -> [Vector3<f64>; 2] {
        [self.forward, Vector3::z().cross(&self.forward)]
    }

    fn corners(&self) -> [Point3<f64>; 4] {
        let [x, y] = self.axes();
        let [length, width] = self.half_sizes;
        let [a, b, c, d] = self.radii;
        [(1.0, 1.0, a), (1.0, -1.0, b), (-1.0, 1.0, c), (-1.0, -1.0, d)].map(|(along, across, radius)| {
            let flat = self.middle + x * (along * length) + y * (across * width);
            Point3::from(flat + Vector3::z() * radius)
        })
    }

    /// The shortest displacement of the other sole that separates both; 0 if they do not overlap.
    fn overlap(&self, other: &Contact) -> Vector3<f64> {
        let between = other.middle - self.middle;
        let reach = |contact: &Contact, axis: &Vector3<f64>| -> f64 {
            let round = contact.radii.iter().copied().fold(0.0, f64::max);
            let halves = contact.axes().into_iter().zip(contact.half_sizes);
            halves.map(|(own, half)| own.dot(axis).abs() * half).sum::<f64>() + round
        };
        let overlap_along = |axis: Vector3<f64>| {
            let axis = if axis.dot(&between) < 0.0 { -axis } else { axis };
            axis * (reach(self, &axis) + reach(other, &axis) + GAP - axis.dot(&between)).max(0.0)
        };
        let ways = self.axes().into_iter().chain(other.axes()).map(overlap_along);
        ways.min_by(|a, b| a.norm().total_cmp(&b.norm())).expect("rectangles have sides")
    }
}

/// By frame and foot: least height of a swinging sole \[m\]. It rises over two frames at 30 per second, because
/// a low pass over the floor looks like skating.
pub(crate) fn clearances(frames: &[SourceFrame], fps: FrameRate) -> Vec<[f64; 2]> {
    let rising = 2.0 * fps.fps() / 30.0;
    let mut clearances = vec![[0.0; 2]; frames.len()];
    for foot in 0..2 {
        let mut since = usize::MAX / 2;
        let mut distance = vec![usize::MAX / 2; frames.len()];
        for (frame, source) in frames.iter().enumerate() {
            since = if source.contacts[foot] == [false; 2] { since + 1 } else { 0 };
            distance[frame] = since;
        }
        since = usize::MAX / 2;
        for (frame, source) in frames.iter().enumerate().rev() {
            since = if source.contacts[foot] == [false; 2] { since + 1 } else { 0 };
            let nearest = distance[frame].min(since);
            clearances[frame][foot] = SWING * (nearest as f64 / rising).min(1.0);
        }
    }
    clearances
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::UnitQuaternion;

    /// A flat sole, 20 cm long and 6 cm broad, 5 cm below its ankle.
    fn sole() -> Sole {
        let corner = |x: f64, y: f64| Point3::new(x, y, -0.05);
        Sole {
            body: 0,
            corners: [corner(0.1, 0.03), corner(0.1, -0.03), corner(-0.1, 0.03), corner(-0.1, -0.03)],
            radii: [0.0; 4],
            level: UnitQuaternion::identity(),
            ankle_height: 0.05,
        }
    }

    #[test]
    fn a_foot_without_an_ankle_stands_on_what_is_lowest() {
        let sole = sole();
        let leaning = |angle: f64| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
            lowest_corners(&sole, &Isometry3::from_parts(Vector3::zeros().into(), turn))
        };
        assert_eq!(leaning(0.2), [true, true, false, false]);
        assert_eq!(leaning(-0.2), [false, false, true, true]);
        assert_eq!(leaning(0.01), [true; 4]);
    }

    #[test]
    fn upright_soles_stand_on_their_toes_and_head_one_way() {
        let sole = sole();
        let contact = |pitch: f64| {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), pitch);
            let foot = Isometry3::from_parts(Vector3::zeros().into(), turn);
            (Contact::of(0, 0..1, (&[foot], [true, false]), &sole), foot * sole.corners[0])
        };
        for pitch in [1.4, 1.75] {
            let (contact, toe) = contact(pitch);
            assert!((contact.forward - Vector3::x()).norm() < 1e-9, "{pitch}: {}", contact.forward);
            assert!((contact.corners()[0] - toe).xy().norm() < 1e-9, "{pitch}: {}", contact.corners()[0]);
        }
    }

    #[test]
    fn soles_on_each_other_go_apart_the_short_way() {
        let sole = |foot: usize, frames: Range<usize>, x: f64, y: f64| Contact {
            foot,
            frames,
            middle: Vector3::new(x, y, 0.0),
            forward: Vector3::x(),
            half_sizes: [0.1, 0.04],
            radii: [0.0; 4],
        };
        let mut both =
            [vec![sole(0, 0..9, 0.0, 0.03)], vec![sole(1, 5..12, 0.02, -0.03), sole(1, 12..20, 0.0, 0.03)]];
        part(&mut both);
        let [left, right] = &both;
        let apart = left[0].middle - right[0].middle;
        assert!((apart.y - 0.08 - GAP).abs() < 1e-12 && (apart.x + 0.02).abs() < 1e-12, "{apart}");
        // A contact at another time is not moved.
        assert_eq!(right[1].middle, Vector3::new(0.0, 0.03, 0.0));
    }
}
