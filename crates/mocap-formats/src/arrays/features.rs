//! Features for training beside local rotations: heading, planar velocity, foot contacts.

use mocap_analysis::{ContactOptions, FootMotion, feet_of};
use mocap_model::{Clip, JointId, Side, Vector3};

/// Frames count for the heading where at least this share of the line between left and right is horizontal.
const KNOWN: f64 = 0.2;

/// Central differences of three frames [units of the values per second]: the one before, this one and the next; one-sided
/// where one of them is missing; not a number in a single frame.
pub(super) fn velocity(
    before: Option<&Vector3<f64>>,
    here: &Vector3<f64>,
    next: Option<&Vector3<f64>>,
    fps: f64,
) -> Vector3<f64> {
    let apart = usize::from(before.is_some()) + usize::from(next.is_some());
    (next.unwrap_or(here) - before.unwrap_or(here)) * fps / apart as f64
}

/// The heading of the body \[rad\] in every frame: the angle about the up axis from the forward axis of the space,
/// continuous over time.
///
/// It is perpendicular to the line across hips and shoulders, which are found by their roles; without these, it is that
/// of the first root. Frames without a horizontal direction (a body that lies on its side) keep the heading of the
/// frame before.
pub(super) struct Heading<'c> {
    clip: &'c Clip,
    up: Vector3<f64>,
    forward: Vector3<f64>,
    /// Left and right joints, as indices into the row of positions.
    pairs: Vec<(usize, usize)>,
    root: Option<JointId>,
    /// The forward direction in the frame of the root at rest.
    rest: Option<Vector3<f64>>,
    first_known: usize,
    headings: Vec<f64>,
}

impl<'c> Heading<'c> {
    /// Of a clip, from positions of these joints.
    pub(super) fn new(clip: &'c Clip, joints: &[JointId]) -> Heading<'c> {
        let skeleton = clip.skeleton();
        let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
        let place = |id: JointId| joints.iter().position(|joint| *joint == id);
        let pairs = skeleton.lateral_pairs().into_iter();
        let pairs = pairs.filter_map(|[left, right]| place(left).zip(place(right))).collect();
        let root = joints.first().copied();
        let rest = root.map(|root| skeleton.joint(root).rest_rotation.inverse() * forward);
        let headings = Vec::with_capacity(clip.frames());
        Heading { clip, up, forward, pairs, root, rest, first_known: 0, headings }
    }

    /// The next frame: `row` has the positions of its joints.
    pub(super) fn add(&mut self, row: &[Vector3<f64>]) {
        let frame = self.headings.len();
        let before = self.headings.last().copied();
        let known = self.facing(frame, row);
        if known.is_some() && self.first_known == 0 {
            self.first_known = frame + 1;
        }
        self.headings.push(match (known, before) {
            (Some(angle), Some(before)) if self.first_known <= frame => {
                let turns = std::f64::consts::TAU;
                angle + turns * ((before - angle) / turns).round()
            }
            (Some(angle), _) => angle,
            (None, before) => before.unwrap_or(0.0),
        });
    }

    /// Of all frames.
    pub(super) fn finish(mut self) -> Vec<f64> {
        // Frames before the first known heading get that heading.
        if self.first_known > 1 {
            let known = self.headings[self.first_known - 1];
            self.headings[..self.first_known - 1].fill(known);
        }
        self.headings
    }

    fn facing(&self, frame: usize, row: &[Vector3<f64>]) -> Option<f64> {
        let Heading { up, forward, .. } = self;
        let direction = match self.pairs.is_empty() {
            false => {
                let across: Vector3<f64> =
                    self.pairs.iter().map(|(left, right)| row[*left] - row[*right]).sum();
                across.cross(up) / across.norm()
            }
            true => self.clip.local(self.root?, frame).rotation * self.rest?,
        };
        let (x, z) = (direction.dot(&up.cross(forward)), direction.dot(forward));
        (x.hypot(z) > KNOWN).then(|| x.atan2(z))
    }
}

/// A horizontal velocity in the frame of the body: to its left, and forward.
pub(super) fn planar(clip: &Clip, velocity: &Vector3<f64>, heading: f64) -> [f64; 2] {
    let space = clip.skeleton().space();
    let (up, forward) = (space.up.vector(), space.forward.vector());
    let left = up.cross(&forward);
    let (sine, cosine) = heading.sin_cos();
    [velocity.dot(&(left * cosine - forward * sine)), velocity.dot(&(left * sine + forward * cosine))]
}

/// Whether the left and the right foot are on the floor, by frame: heel or toes. `None` without both feet.
pub(super) fn contacts(clip: &Clip) -> Option<Vec<bool>> {
    let feet = feet_of(clip.skeleton());
    let [left, right] = feet.as_slice() else { return None };
    debug_assert_eq!((left.side, right.side), (Side::Left, Side::Right));
    let options = ContactOptions::default();
    let [left, right]: [_; 2] = FootMotion::of(clip, &feet)
        .into_iter()
        .map(|foot| foot.contacts(&options))
        .collect::<Vec<_>>()
        .try_into()
        .expect("two feet");
    let touches = |foot: &mocap_analysis::FootContacts, frame: usize| foot.toe[frame] || foot.heel[frame];
    Some((0..clip.frames()).flat_map(|frame| [touches(&left, frame), touches(&right, frame)]).collect())
}
