//! Where joints go that no landmark shows and that are not between two joints with a place: twists along a bone, ends of
//! chains, props, targets of inverse kinematics.
//!
//! In the template such a joint is at another joint, on a bone, or beside one; it keeps that relation on the body. All
//! offsets are scaled with the body, because units and axes of a template are not those of the mesh.

use mocap_model::{JointId, Skeleton, UnitQuaternion, Vector3};
use nalgebra::Matrix3;

use crate::bones::share_of_bone;
use crate::weights::{nearest_rotation, similarity};

/// A joint of a fitted skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedJoint {
    /// Where it is, in the space of the mesh.
    pub place: Vector3<f64>,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// The reason for the place.
    pub reason: String,
}

/// Places that are closer together than this share of the template's size are the same.
const SAME: f64 = 1e-3;
/// Weight of the rotation of the bone above where several bones begin at a joint.
const ABOVE: f64 = 0.2;
/// Largest stretch of a bone relative to the whole body; the least is its inverse.
const STRETCH: f64 = 2.5;

/// A template of which some joints have a place on a body.
pub(super) struct Attached<'a> {
    template: &'a Skeleton,
    rest: &'a [Vector3<f64>],
    known: &'a [Option<FittedJoint>],
    /// By joint: the nearest joint above that has a place.
    above: Vec<Option<usize>>,
    /// By joint: the nearest joints below that have a place.
    below: Vec<Vec<usize>>,
    /// The rotation and scale from the template to the body.
    whole: (UnitQuaternion<f64>, f64),
    /// By joint: the same for the bones at it, where it has a place.
    of_bones: Vec<(UnitQuaternion<f64>, f64)>,
    /// The largest distance between a joint of the template and their middle.
    size: f64,
}

impl<'a> Attached<'a> {
    pub(super) fn new(
        template: &'a Skeleton,
        rest: &'a [Vector3<f64>],
        known: &'a [Option<FittedJoint>],
    ) -> Attached<'a> {
        let both = known.iter().zip(rest).filter_map(|(known, old)| Some((*old, known.as_ref()?.place)));
        let (old, new): (Vec<_>, Vec<_>) = both.unzip();
        let whole = similarity(&old, &new);
        let middle = rest.iter().sum::<Vector3<f64>>() / rest.len().max(1) as f64;
        let size = rest.iter().map(|at| (at - middle).norm()).fold(0.0, f64::max);
        let mut above: Vec<Option<usize>> = Vec::with_capacity(known.len());
        let mut below = vec![Vec::new(); known.len()];
        for (id, joint) in template.iter() {
            let parent = joint.parent.map(JointId::index);
            let nearest = parent.and_then(|at| if known[at].is_some() { Some(at) } else { above[at] });
            if let Some(nearest) = nearest.filter(|_| known[id.index()].is_some()) {
                below[nearest].push(id.index());
            }
            above.push(nearest);
        }
        let mut made = Attached { template, rest, known, above, below, whole, of_bones: Vec::new(), size };
        for at in 0..known.len() {
            let of_bones = made.bones_at(at);
            made.of_bones.push(of_bones);
        }
        made
    }

    /// The place of a joint, and why it is there; `root` is that of the template's root on the body.
    pub(super) fn place(&self, at: JointId, root: &Vector3<f64>) -> (Vector3<f64>, String) {
        let at = at.index();
        if let Some((same, place)) = self.at_another(at) {
            return (place, format!("at {}, as the template has it", self.name(same)));
        }
        let (from, place, (turn, scale)) = match self.above[at] {
            Some(above) => match self.on_bone(at, above) {
                Some((next, place)) => {
                    return (place, format!("on the bone from {} to {}", self.name(above), self.name(next)));
                }
                None => (above, self.placed(above), self.of_bones[above]),
            },
            None => {
                // Joints beside the body, such as targets of inverse kinematics, go along with what is nearest.
                let far = |joint: usize| (self.rest[joint] - self.rest[at]).norm();
                let placed = (0..self.rest.len()).filter(|joint| self.known[*joint].is_some());
                let nearest = placed.fold(0, |best, next| if far(next) < far(best) { next } else { best });
                (nearest, if nearest == 0 { *root } else { self.placed(nearest) }, self.whole)
            }
        };
        let place = place + turn * (self.rest[at] - self.rest[from]) * scale;
        (place, format!("as the template has it from {}", self.name(from)))
    }

    /// The joint with a place at which the template has another joint, and that place.
    pub(super) fn at_another(&self, at: usize) -> Option<(usize, Vector3<f64>)> {
        // A template without lengths says nothing about distances.
        let is_near = |other: &usize| (self.rest[*other] - self.rest[at]).norm() <= SAME * self.size;
        let mut same = (0..self.rest.len()).filter(|other| self.size > 0.0 && is_near(other));
        same.find_map(|other| Some((other, self.known[other].as_ref()?.place)))
    }

    /// Where the template has a joint on a bone that begins at the joint `above`: where that bone ends, and the place.
    fn on_bone(&self, at: usize, above: usize) -> Option<(usize, Vector3<f64>)> {
        let off = self.rest[at] - self.rest[above];
        self.below[above].iter().find_map(|next| {
            let share = share_of_bone(&off, &(self.rest[*next] - self.rest[above]))?;
            let start = self.placed(above);
            (0.0..=1.0).contains(&share).then(|| (*next, start + (self.placed(*next) - start) * share))
        })
    }

    fn name(&self, joint: usize) -> &str {
        &self.template.joints()[joint].name
    }

    /// The place of a joint that has one.
    fn placed(&self, joint: usize) -> Vector3<f64> {
        self.known[joint].as_ref().map_or_else(Vector3::zeros, |known| known.place)
    }

    /// The rotation and scale of the bones that begin at a joint, else of the one that ends at it; the joints above it
    /// are done.
    fn bones_at(&self, at: usize) -> (UnitQuaternion<f64>, f64) {
        let turn = self.above[at].map_or(self.whole.0, |above| self.of_bones[above].0);
        if self.known[at].is_none() {
            return (turn, self.whole.1);
        }
        let bone = |from: usize, to: usize| {
            let bone = [self.rest[to] - self.rest[from], self.placed(to) - self.placed(from)];
            bone.iter().all(|side| side.norm() > 0.0).then_some(bone)
        };
        let begin: Vec<[Vector3<f64>; 2]> =
            self.below[at].iter().filter_map(|next| bone(at, *next)).collect();
        let end = || self.above[at].and_then(|above| bone(above, at)).into_iter().collect();
        let measured: Vec<[Vector3<f64>; 2]> = if begin.is_empty() { end() } else { begin.clone() };
        let length = |side: usize| measured.iter().map(|bone| bone[side].norm()).sum::<f64>();
        let scale = if measured.is_empty() { self.whole.1 } else { length(1) / length(0) };
        let scale = scale.max(self.whole.1 / STRETCH).min(self.whole.1 * STRETCH);
        let turn = match &begin[..] {
            [] => turn,
            [[old, new]] => UnitQuaternion::rotation_between(&(turn * old), new).map_or(turn, |by| by * turn),
            many => {
                let sum: Matrix3<f64> =
                    many.iter().map(|[old, new]| new.normalize() * old.normalize().transpose()).sum();
                nearest_rotation(&(sum + turn.to_rotation_matrix().matrix() * ABOVE))
            }
        };
        (turn, scale)
    }
}
