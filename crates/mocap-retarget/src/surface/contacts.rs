//! Contacts of the source's arms, found on its surface: with trunk, head and legs, and with the other arm.
//!
//! A stand-in body replaces a source without a surface. It is not accurate to a centimetre: the joints decide
//! what the hands touch and when, and the nearest points of the stand-in show where.

use super::body_surface::{ArmPoint, ArmPoints, BodySurface, Touched};
use super::correspondence::{Correspondence, RegionTrees, SurfacePlace};
use super::nearby::each_near;
use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Pose, Vector3};
use mocap_skin::{Affine, Part, PosedField};
use std::ops::Range;

/// Surfaces nearer than this are in contact, for a person of 1.7 m \[m\].
const TOUCH: f64 = 0.012;
/// The same for trunk, head and legs of a stand-in body, in frames in which the joints show that
/// the hand touches \[m\].
const ABOUT: f64 = 0.05;
/// If the source's arm penetrates deeper than this, it is a fault of the source and not a contact, for a person
/// of 1.7 m \[m\].
const DEEPEST: f64 = 0.02;
/// Contacts with trunk, head and legs of a stand-in body last at least this long \[s\]. Claps may be shorter.
const SHORTEST: f64 = 0.1;
/// Hands and forearms that rest on trunk, head and legs do so for at least this long \[s\]: where an arm turns back in a
/// walk, it stands still beside the body for a moment, the forearm longer.
const HANDS_REST: f64 = 0.3;
const FOREARMS_REST: f64 = 0.8;
/// An arm rests on trunk, head and legs where its touching points move over them more slowly than this, for a person
/// of 1.7 m \[m/s\]: arms that swing past a thigh touch no place that a target could keep.
const RESTING: f64 = 0.15;
/// Time over which that speed is measured, before and after a frame \[s\].
const DURING: f64 = 0.05;
/// Number of points on a forearm and on a hand that are tested if the arm is near.
const FOREARM_POINTS: usize = 120;
const HAND_POINTS: usize = 240;
/// The points tested first are at most this far from the others, for a person of 1.7 m \[m\].
const BETWEEN: f64 = 0.04;
/// Greatest number of touching points in a frame.
const MOST_TOUCHES: usize = 24;

/// The contacts of one arm with one other part of the body.
#[derive(Clone, Debug)]
pub(crate) struct ArmContacts<T> {
    /// 0 left, 1 right.
    pub arm: usize,
    pub touched: Touched,
    /// By frame: the touching points; empty in frames without contact.
    pub touches: Vec<Vec<T>>,
    /// The part that is touched most often.
    pub part: Part,
    pub on: Part,
}

impl<T> ArmContacts<T> {
    /// The frames in contact.
    pub(crate) fn frames(&self) -> Vec<usize> {
        (0..self.touches.len()).filter(|frame| !self.touches[*frame].is_empty()).collect()
    }

    /// The touching points of a frame.
    pub(crate) fn at(&self, frame: usize) -> &[T] {
        self.touches.get(frame).map_or(&[], Vec::as_slice)
    }
}

/// A point on an arm of the source that touches another part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceTouch {
    vertex: u32,
    on: SurfacePlace,
    /// Its distance from that part, for a person of 1.7 m \[m\]; on a stand-in body, how much
    /// further it is than the nearest point.
    gap: f64,
    /// 1 for a distance of 0, falling to 0 at [`TOUCH`].
    weight: f64,
}

/// A point on an arm of the target, and its goal on the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub own: SurfacePlace,
    /// The goal: the mean of these three surface positions, weighted by the second values.
    pub on: [(SurfacePlace, f64); 3],
    pub gap: f64,
    pub weight: f64,
}

impl Touch {
    /// A vertex near the goal.
    pub(crate) fn on_corner(&self) -> usize {
        let most = self.on.iter().fold(&self.on[0], |most, next| if next.1 > most.1 { next } else { most });
        most.0.corner()
    }

    /// Position of the goal in a pose, and the unit normal there.
    pub(crate) fn posed(&self, body: &BodySurface, palette: &[Affine]) -> (Vector3<f64>, Vector3<f64>) {
        let (mut place, mut normal) = (Vector3::zeros(), Vector3::zeros());
        for (on, share) in self.on.iter().filter(|(_, share)| *share > 0.0) {
            place += on.posed(&body.surface, palette) * *share;
            normal += on.posed_normal(&body.surface, palette) * *share;
        }
        (place, normal.try_normalize(0.0).unwrap_or_default())
    }
}

/// By arm, then by frame: whether the joints of the source show that its hand touches its own hips or head.
pub(crate) type HandsOnBody = [Vec<bool>; 2];

/// Finds the contacts that a motion shows on the surface of its body. `hands` is used for a stand-in body.
pub(crate) fn find(
    body: &BodySurface,
    clip: &Clip,
    hands: Option<&HandsOnBody>,
) -> Vec<ArmContacts<SourceTouch>> {
    let frames = clip.frames();
    let Some(core) = body.core.as_ref().filter(|_| frames > 0) else { return Vec::new() };
    let view = body.view();
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(0);
    let Some(mut field) = core.posed_by(|joint| kinematics.matrix(joint)) else { return Vec::new() };
    let kinds = [(0, Touched::Core), (1, Touched::Core), (0, Touched::Arm), (1, Touched::Arm)];
    let mut near: [Vec<Vec<Near>>; 4] = std::array::from_fn(|_| vec![Vec::new(); frames]);
    let mut search = ContactSearch { body, dense: [None, None], places: Vec::new() };
    for frame in 0..frames {
        kinematics.place(frame);
        let hips = *kinematics.at(view.joint());
        let matrix = |joint| view.see_matrix(&hips, &kinematics.matrix(joint));
        let palette = body.surface.palette(matrix);
        if !field.pose_by(matrix) {
            continue;
        }
        for ((arm, touched), near) in kinds.into_iter().zip(&mut near) {
            let about = match (touched, hands) {
                (Touched::Core, Some(hands)) if !hands[arm].get(frame).is_some_and(|is| *is) => continue,
                (Touched::Core, Some(_)) => ABOUT,
                _ => TOUCH,
            };
            let other;
            let field = match touched {
                Touched::Core => &field,
                Touched::Arm => {
                    let of_other = body.arms[1 - arm].as_ref().and_then(|arm| arm.field.as_ref());
                    let Some(found) = of_other.and_then(|field| field.posed_by(matrix)) else { continue };
                    other = found;
                    &other
                }
            };
            near[frame] = search.near(arm, field, &palette, body.person(about));
        }
    }
    let fps = clip.rate().fps();
    let mut trees = None;
    let mut contacts = Vec::new();
    for ((arm, touched), mut near) in kinds.into_iter().zip(near) {
        if touched == Touched::Core {
            let long = |time: f64| (time * fps).ceil() as usize;
            if hands.is_none() {
                keep_resting(&mut near, fps, body.person(RESTING));
                let on_hand = |vertex: u32| matches!(body.parts[vertex as usize], Part::Hand(_));
                keep_long(&mut near, long(HANDS_REST), on_hand);
                keep_long(&mut near, long(FOREARMS_REST), |vertex| !on_hand(vertex));
            } else {
                keep_long(&mut near, long(SHORTEST), |_| true);
            }
        }
        let nearest = near.iter().filter_map(|near| {
            let near = near.first()?;
            Some((body.parts[near.vertex as usize], body.part_of(near.joint)))
        });
        let Some((part, on)) = most_frequent(nearest) else { continue };
        let trees = trees.get_or_insert_with(|| RegionTrees::new(body, body.surface.positions()));
        let stands_in = hands.is_some();
        let touches = near.into_iter().map(|near| touches(body, trees, near, stands_in)).collect();
        contacts.push(ArmContacts { arm, touched, touches, part, on });
    }
    contacts
}

/// Clears the frames in which the points of an arm move over the part that they touch, faster than `most` [units of
/// the skeleton per second].
fn keep_resting(near: &mut [Vec<Near>], fps: f64, most: f64) {
    let ahead = (DURING * fps).ceil().max(1.0) as usize;
    let most = most * ahead as f64 / fps;
    let moves = |frame: usize, other: Option<usize>| {
        // Where the arm does not touch, the other side tells.
        let other = other.and_then(|other| near.get(other)).filter(|near| !near.is_empty())?;
        let places = |point: &Near| {
            let same = other.iter().find(|other| other.vertex == point.vertex)?;
            Some((same.rest - point.rest).norm())
        };
        let ways: Vec<f64> = near[frame].iter().filter_map(places).collect();
        // Other points of the arm have taken their place.
        Some(ways.is_empty() || ways.iter().sum::<f64>() > most * ways.len() as f64)
    };
    let rests = |frame: usize| {
        let sides = [moves(frame, frame.checked_sub(ahead)), moves(frame, Some(frame + ahead))];
        !near[frame].is_empty() && !sides.contains(&Some(true))
    };
    let rests: Vec<bool> = (0..near.len()).map(rests).collect();
    near.iter_mut().zip(rests).filter(|(_, rests)| !rests).for_each(|(near, _)| near.clear());
}

/// Clears contacts of the points that `counts` selects where they last fewer than so many frames. A contact at an end of
/// the clip is taken to last as long beyond it; one that lasts all the clip is kept.
fn keep_long(near: &mut [Vec<Near>], shortest: usize, counts: impl Fn(u32) -> bool) {
    let is: Vec<bool> = near.iter().map(|near| near.iter().any(|near| counts(near.vertex))).collect();
    let is_long = |run: &Range<usize>| match (run.start == 0, run.end == is.len()) {
        (true, true) => true,
        (false, false) => run.len() >= shortest,
        _ => 2 * run.len() >= shortest,
    };
    for run in runs(&is).into_iter().filter(|run| !is_long(run)) {
        near[run].iter_mut().for_each(|near| near.retain(|near| !counts(near.vertex)));
    }
}

/// A vertex of an arm that is near another part.
#[derive(Clone, Copy, Debug)]
struct Near {
    vertex: u32,
    /// [`ArmPoint::rank`] among the tested points.
    rank: u32,
    distance: f64,
    /// The nearest position on that part, in the bind pose.
    rest: Vector3<f64>,
    joint: JointId,
}

/// Searches for points of an arm near another part, first with few points, then with many.
struct ContactSearch<'a> {
    body: &'a BodySurface,
    dense: [Option<ArmPoints>; 2],
    places: Vec<Vector3<f64>>,
}

impl ContactSearch<'_> {
    /// The points of an arm that are nearer to a field than `within`, in the pose of a palette, at
    /// most [`MOST_TOUCHES`]: the nearest one first, then others by rank.
    fn near(&mut self, arm: usize, field: &PosedField<'_>, palette: &[Affine], within: f64) -> Vec<Near> {
        let body = self.body;
        let Some(surface) = &body.arms[arm] else { return Vec::new() };
        let mut found = Vec::new();
        let around = within + body.person(BETWEEN);
        let Some(carriers) = surface.points.near(&body.surface, palette, field, around, &mut self.places)
        else {
            return found;
        };
        let mut is_near = false;
        each_near(&surface.points, &self.places, (field, &carriers), around, |_, _| is_near = true);
        if !is_near {
            return found;
        }
        let dense = self.dense[arm].get_or_insert_with(|| {
            ArmPoints::sampled(&body.surface, &body.parts, surface.side, [FOREARM_POINTS, HAND_POINTS])
        });
        if let Some(carriers) = dense.near(&body.surface, palette, field, within, &mut self.places) {
            each_near(dense, &self.places, (field, &carriers), within, |point, hit| {
                let ArmPoint { vertex, rank, .. } = dense.points[point];
                found.push(Near { vertex, rank, distance: hit.distance, rest: hit.rest, joint: hit.joint });
            });
        }
        // Keeps no more points than are used, since a whole hand is near in many frames of long
        // clips: the nearest one, then points that are spread over all that are near. A hand that
        // rests flat would turn about points that lie close together.
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.vertex.cmp(&b.vertex)));
        if let [_, others @ ..] = &mut found[..] {
            others.sort_by_key(|near| (near.rank, near.vertex));
        }
        found.truncate(MOST_TOUCHES);
        found.shrink_to_fit();
        found
    }
}

/// The touching points of a frame: those inside or nearer than [`TOUCH`]. On a stand-in body,
/// distances are measured from its nearest or deepest point.
fn touches(body: &BodySurface, trees: &RegionTrees, near: Vec<Near>, stands_in: bool) -> Vec<SourceTouch> {
    let nearest = near.iter().map(|near| near.distance).reduce(f64::min);
    let Some(nearest) = nearest else { return Vec::new() };
    if !stands_in && nearest < -body.person(DEEPEST) {
        return Vec::new();
    }
    let from = if stands_in { nearest } else { 0.0 };
    let metre = body.person(1.0);
    let touch = |near: &Near| {
        let gap = ((near.distance - from) / metre).max(0.0);
        if gap >= TOUCH {
            return None;
        }
        let places = body.surface.positions();
        let on = trees.nearest(&body.surface, places, (&near.rest, body.part_of(near.joint)), None)?;
        Some(SourceTouch { vertex: near.vertex, on, gap, weight: (1.0 - gap / TOUCH).powi(2) })
    };
    near.iter().filter_map(touch).collect()
}

/// Maps the contacts of a source to the surface of a target.
pub(crate) fn on_target(
    source: &BodySurface,
    target: &BodySurface,
    contacts: &[ArmContacts<SourceTouch>],
) -> Vec<ArmContacts<Touch>> {
    if contacts.is_empty() {
        return Vec::new();
    }
    let mut places = Correspondence::new(source, target);
    let mut touch = |touch: &SourceTouch| {
        let own = places.of_vertex(touch.vertex)?;
        let [a, b, c] = touch.on.corners.map(|corner| places.of_vertex(corner));
        let [x, y, z] = touch.on.shares;
        Some(Touch { own, on: [(a?, x), (b?, y), (c?, z)], gap: touch.gap, weight: touch.weight })
    };
    let put = |contact: &ArmContacts<SourceTouch>| ArmContacts {
        arm: contact.arm,
        touched: contact.touched,
        touches: contact
            .touches
            .iter()
            .map(|touches| touches.iter().filter_map(&mut touch).collect())
            .collect(),
        part: contact.part,
        on: contact.on,
    };
    contacts.iter().map(put).collect()
}

/// Distance field of an arm in a pose; `None` if no part of it is in a ball.
pub(crate) fn other_field<'a>(
    body: &'a BodySurface,
    arm: usize,
    object: &Pose,
    (middle, radius): (&Vector3<f64>, f64),
) -> Option<PosedField<'a>> {
    let field = body.arms[arm].as_ref()?.field.as_ref()?;
    if !field.reaches(object, middle, radius) {
        return None;
    }
    field.posed(object)
}

/// The most frequent value; the lowest of several.
fn most_frequent<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    let groups = values.chunk_by(|a, b| a == b);
    groups.reduce(|most, next| if next.len() > most.len() { next } else { most }).map(|group| group[0])
}

impl BodySurface {
    /// The part of a joint.
    pub(crate) fn part_of(&self, joint: JointId) -> Part {
        self.joint_parts[joint.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point that touches in some frames, at a place that moves with `speed` [m/s] in a run of 100 frames per
    /// second.
    fn touching(vertex: u32, frames: std::ops::Range<usize>, speed: f64) -> Vec<Vec<Near>> {
        let at = |frame: usize| Near {
            vertex,
            rank: 0,
            distance: 0.0,
            rest: Vector3::x() * speed * frame as f64 / 100.0,
            joint: JointId::from(0),
        };
        (0..100).map(|frame| if frames.contains(&frame) { vec![at(frame)] } else { Vec::new() }).collect()
    }

    fn frames(near: &[Vec<Near>]) -> Vec<usize> {
        (0..near.len()).filter(|frame| !near[*frame].is_empty()).collect()
    }

    #[test]
    fn arms_that_swing_past_do_not_rest() {
        for (speed, kept) in [(0.1, 30), (0.2, 0), (1.0, 0)] {
            let mut near = touching(7, 20..50, speed);
            keep_resting(&mut near, 100.0, RESTING);
            assert_eq!(frames(&near).len(), kept, "{speed}");
        }
        // Points of the arm that take each other's place roll over it.
        let mut rolling: Vec<Vec<Near>> =
            (0..100).map(|frame| touching(frame as u32, 0..100, 0.0).swap_remove(frame)).collect();
        keep_resting(&mut rolling, 100.0, RESTING);
        assert!(frames(&rolling).is_empty());
        // A contact that is shorter than the time of the measurement tells nothing about its speed.
        let mut short = touching(7, 20..23, 1.0);
        keep_resting(&mut short, 100.0, RESTING);
        assert_eq!(frames(&short), [20, 21, 22]);
    }

    #[test]
    fn short_contacts_of_some_points_are_cleared() {
        let (hand, forearm) = (touching(1, 10..30, 0.0), touching(2, 10..90, 0.0));
        let mut both: Vec<Vec<Near>> = hand.into_iter().zip(forearm).map(|(a, b)| [a, b].concat()).collect();
        keep_long(&mut both, 50, |vertex| vertex == 1);
        assert!(both.iter().flatten().all(|near| near.vertex == 2));
        assert_eq!(frames(&both), (10..90).collect::<Vec<_>>());
        keep_long(&mut both, 80, |_| true);
        assert_eq!(frames(&both).len(), 80);
        keep_long(&mut both, 81, |_| true);
        assert!(frames(&both).is_empty());
    }
}
