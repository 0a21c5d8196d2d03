//! Contacts of the source's arms, found on its surface: with its trunk, head and legs, and with its other arm.
//!
//! A body that only stands in for that of the source has no surface to trust to a centimetre: what its hands touch, and
//! when, is then what the joints show, and its nearest places say where.

use super::body_surface::{ArmPoint, ArmPoints, BodySurface, Touched};
use super::correspondence::{Correspondence, RegionTrees, SurfacePlace};
use super::nearby::each_near;
use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Pose, Vector3};
use mocap_skin::{Affine, Part, PosedField};

/// An arm touches what is nearer than this, on a person \[m\].
const TOUCH: f64 = 0.012;
/// A body that stands in: what touches is nearer than this, where joints show that a hand touches, and arms anyway \[m\].
const ABOUT: f64 = 0.05;
/// A source whose arm is deeper inside than this shows no contact there, but a fault, on a person \[m\].
const DEEPEST: f64 = 0.02;
/// Trunk, head and legs are touched for at least this time \[s\]: arms that swing pass them. Hands clap faster.
const SHORTEST: f64 = 0.1;
/// Places on a forearm and on a hand that are looked at where the arm is near.
const FOREARM_POINTS: usize = 120;
const HAND_POINTS: usize = 240;
/// Those that are looked at first are no further from the others than this, on a person \[m\].
const BETWEEN: f64 = 0.04;
/// Touches of a frame at most.
const MOST_TOUCHES: usize = 24;

/// The contacts of one arm with one other thing.
#[derive(Clone, Debug)]
pub(crate) struct ArmContacts<T> {
    /// 0 left, 1 right.
    pub arm: usize,
    pub touched: Touched,
    /// By frame: where it touches; nowhere in frames without contact.
    pub touches: Vec<Vec<T>>,
    /// The parts that touch most often.
    pub part: Part,
    pub on: Part,
}

impl<T> ArmContacts<T> {
    /// The frames in contact.
    pub(crate) fn frames(&self) -> Vec<usize> {
        (0..self.touches.len()).filter(|frame| !self.touches[*frame].is_empty()).collect()
    }

    /// Where it touches in a frame.
    pub(crate) fn at(&self, frame: usize) -> &[T] {
        self.touches.get(frame).map_or(&[], Vec::as_slice)
    }
}

/// A place on an arm of the source that touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceTouch {
    vertex: u32,
    on: SurfacePlace,
    /// How far it is from what it touches, on a person \[m\].
    gap: f64,
    /// 1 of the nearest place, down to 0 of those that just do not touch.
    weight: f64,
}

/// A place on an arm of the target, and where it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub own: SurfacePlace,
    /// What it touches: between these places, by their shares.
    pub on: [(SurfacePlace, f64); 3],
    pub gap: f64,
    pub weight: f64,
}

impl Touch {
    /// A vertex near what it touches.
    pub(crate) fn on_corner(&self) -> usize {
        let most = self.on.iter().fold(&self.on[0], |most, next| if next.1 > most.1 { next } else { most });
        most.0.corner()
    }

    /// Where a pose puts what it touches, with the unit normal there.
    pub(crate) fn posed(&self, body: &BodySurface, palette: &[Affine]) -> (Vector3<f64>, Vector3<f64>) {
        let (mut place, mut normal) = (Vector3::zeros(), Vector3::zeros());
        for (on, share) in self.on.iter().filter(|(_, share)| *share > 0.0) {
            place += on.posed(&body.surface, palette) * *share;
            normal += on.posed_normal(&body.surface, palette) * *share;
        }
        (place, normal.try_normalize(0.0).unwrap_or_default())
    }
}

/// When the joints of a source show that its hands touch its own hips or head: by arm, then by frame.
pub(crate) type HandsOnBody = [Vec<bool>; 2];

/// The contacts that a motion shows on the surface of its body; `hands` of a body that stands in for that of the source.
pub(crate) fn find(
    body: &BodySurface,
    clip: &Clip,
    hands: Option<&HandsOnBody>,
) -> Vec<ArmContacts<SourceTouch>> {
    let frames = clip.frames();
    let Some(core) = body.core.as_ref().filter(|_| frames > 0) else { return Vec::new() };
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(0);
    let Some(mut field) = core.posed_by(|joint| kinematics.matrix(joint)) else { return Vec::new() };
    let kinds = [(0, Touched::Core), (1, Touched::Core), (0, Touched::Arm), (1, Touched::Arm)];
    let mut near: [Vec<Vec<Near>>; 4] = std::array::from_fn(|_| vec![Vec::new(); frames]);
    let mut looking = Looking { body, dense: [None, None], places: Vec::new() };
    for frame in 0..frames {
        kinematics.place(frame);
        let matrix = |joint| kinematics.matrix(joint);
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
            near[frame] = looking.near(arm, field, &palette, body.person(about));
        }
    }
    let fps = clip.rate().fps();
    let mut trees = None;
    let mut contacts = Vec::new();
    for ((arm, touched), mut near) in kinds.into_iter().zip(near) {
        let is: Vec<bool> = near.iter().map(|near| !near.is_empty()).collect();
        let shortest = if touched == Touched::Core { (SHORTEST * fps).ceil() as usize } else { 1 };
        for run in runs(&is).into_iter().filter(|run| run.len() < shortest) {
            near[run].iter_mut().for_each(Vec::clear);
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

/// A vertex of an arm that is near something.
#[derive(Clone, Copy, Debug)]
struct Near {
    vertex: u32,
    /// Among those that are looked at.
    rank: u32,
    distance: f64,
    /// The nearest place, brought to bind.
    rest: Vector3<f64>,
    joint: JointId,
}

/// Looks for what is near an arm, first at a few places, then at many.
struct Looking<'a> {
    body: &'a BodySurface,
    dense: [Option<ArmPoints>; 2],
    places: Vec<Vector3<f64>>,
}

impl Looking<'_> {
    /// The places on an arm nearer to a field than `within`, in the pose of a palette: the nearest ones, the nearest
    /// first.
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
        // Long clips have many frames with all of a hand near: no more is kept than is used. The nearest place, then some
        // that are spread over all that is near: a hand that rests flat turns about none of them.
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.vertex.cmp(&b.vertex)));
        if let [_, others @ ..] = &mut found[..] {
            others.sort_by_key(|near| (near.rank, near.vertex));
        }
        found.truncate(MOST_TOUCHES);
        found.shrink_to_fit();
        found
    }
}

/// What touches in a frame. Places that are inside touch; those of a body that stands in count from the one that is deepest.
fn touches(body: &BodySurface, trees: &RegionTrees, near: Vec<Near>, stands_in: bool) -> Vec<SourceTouch> {
    let Some(first) = near.first().map(|near| near.distance) else { return Vec::new() };
    if !stands_in && first < -body.person(DEEPEST) {
        return Vec::new();
    }
    let from = if stands_in { first } else { 0.0 };
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

/// The contacts of a source on the surface of a target.
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

/// The field of an arm in a pose.
pub(crate) fn other_field<'a>(body: &'a BodySurface, arm: usize, object: &Pose) -> Option<PosedField<'a>> {
    body.arms[arm].as_ref()?.field.as_ref()?.posed(object)
}

/// The value that is there most often; of several, the lowest.
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
