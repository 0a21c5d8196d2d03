//! A field in a pose: points are mapped back to rest.

use super::{CARRIERS, Field, STEPS};
use crate::Affine;
use crate::surface::inverted;
use mocap_model::{Bone, JointId, Pose, Vector3};
use nalgebra::{Matrix3, Matrix4};

/// A field in a pose.
#[derive(Clone, Debug)]
pub struct PosedField<'a> {
    field: &'a Field,
    forward: Vec<Affine>,
    back: Vec<Affine>,
}

/// Carriers that may be near a place.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    list: [u8; CARRIERS],
    count: usize,
}

impl Near {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The field's values at a point.
#[derive(Clone, Copy, Debug)]
pub struct FieldHit {
    /// Signed distance from the surface, negative inside [units of the skeleton].
    pub distance: f64,
    /// Unit vector away from the surface, in object space.
    pub normal: Vector3<f64>,
    /// The place at bind.
    pub rest: Vector3<f64>,
    /// The joint that carries most of it.
    pub joint: JointId,
}

impl<'a> PosedField<'a> {
    /// A field without a pose.
    pub(super) fn new(field: &'a Field) -> PosedField<'a> {
        let count = field.carriers.len();
        PosedField { field, forward: Vec::with_capacity(count), back: Vec::with_capacity(count) }
    }
}

impl PosedField<'_> {
    /// Sets another object-space pose; false if a joint scales the field to zero thickness.
    pub fn pose(&mut self, object: &Pose) -> bool {
        self.place_bones(|bone| Affine::of_bone(&object.joints[bone.joint.index()], &bone.inverse_bind))
    }

    /// Sets another pose, given by the matrix of each joint in object space; false if a joint scales the field
    /// to zero thickness.
    pub fn pose_by(&mut self, frame: impl Fn(JointId) -> Matrix4<f64>) -> bool {
        self.place_bones(|bone| Affine::of(&(frame(bone.joint) * bone.inverse_bind)))
    }

    fn place_bones(&mut self, map: impl Fn(&Bone) -> Affine) -> bool {
        self.forward.clear();
        self.back.clear();
        for carrier in &self.field.carriers {
            let forward = map(&carrier.bone);
            let Some(back) = forward.inverse() else { return false };
            self.forward.push(forward);
            self.back.push(back);
        }
        true
    }

    /// Distance of a point from the box of the nearest carrier: 0 in a box.
    pub fn nearness(&self, at: &Vector3<f64>) -> f64 {
        let boxes = self.field.carriers.iter().zip(&self.back);
        boxes.map(|(carrier, back)| carrier.off_box(&back.place(at))).fold(f64::INFINITY, f64::min)
    }

    /// The carriers that points in a ball may be near to.
    pub fn near(&self, middle: &Vector3<f64>, radius: f64) -> Near {
        let mut near = Near { list: [0; CARRIERS], count: 0 };
        for (i, (carrier, back)) in self.field.carriers.iter().zip(&self.back).enumerate() {
            if carrier.off_box(&back.place(middle)) <= radius {
                near.list[near.count] = i as u8;
                near.count += 1;
            }
        }
        near
    }

    /// Of some carriers, those that points in a ball may be near to.
    pub fn near_of(&self, carriers: &Near, middle: &Vector3<f64>, radius: f64) -> Near {
        let mut near = Near { list: [0; CARRIERS], count: 0 };
        for carrier in &carriers.list[..carriers.count] {
            let at = self.back[*carrier as usize].place(middle);
            if self.field.carriers[*carrier as usize].off_box(&at) <= radius {
                near.list[near.count] = *carrier;
                near.count += 1;
            }
        }
        near
    }

    /// The field's values at a point that is at most `within` from the boxes of the carriers.
    pub fn at(&self, at: &Vector3<f64>, within: f64) -> Option<FieldHit> {
        self.at_near(at, within, &self.near(at, within))
    }

    /// Like [`PosedField::at`], if only some carriers may be near.
    pub fn at_near(&self, at: &Vector3<f64>, within: f64, near: &Near) -> Option<FieldHit> {
        let mut found: Option<FieldHit> = None;
        let mut starts = [Vector3::zeros(); CARRIERS];
        let mut offs = [f64::INFINITY; CARRIERS];
        let count = near.count;
        for (i, carrier) in near.list[..count].iter().enumerate() {
            let carrier = *carrier as usize;
            starts[i] = self.back[carrier].place(at);
            offs[i] = self.field.carriers[carrier].off_box(&starts[i]);
        }
        if count == 0 {
            return None;
        }
        let mut tried: [Vector3<f64>; 4] = [Vector3::repeat(f64::INFINITY); 4];
        for trial in 0..4 {
            let best = (0..count).fold(0, |best, i| if offs[i] < offs[best] { i } else { best });
            // The surface is not nearer than its box.
            let most = found.map_or(within, |found| found.distance.max(0.0).min(within));
            if offs[best] > most {
                break;
            }
            offs[best] = f64::INFINITY;
            let Some((rest, blend_back)) = self.to_rest(at, starts[best], &tried[..trial]) else { continue };
            tried[trial] = rest;
            let (distance, gradient) = self.field.at_rest(&rest);
            if found.is_none_or(|other| distance < other.distance) {
                let normal = blend_back.transpose() * gradient;
                let Some(normal) = normal.try_normalize(0.0) else { continue };
                found = Some(FieldHit { distance, normal, rest, joint: self.carried_by(&rest) });
            }
        }
        found
    }

    /// The point in the bind pose that the joints map to `at`, from a start near it, and the linear part of the
    /// inverse map; `None` if none is found, or one of those that are known.
    fn to_rest(
        &self,
        at: &Vector3<f64>,
        start: Vector3<f64>,
        known: &[Vector3<f64>],
    ) -> Option<(Vector3<f64>, Matrix3<f64>)> {
        let cell = self.field.cell;
        let mut rest = start;
        for step in 1..=STEPS {
            let (next, linear) = self.step_back(at, &rest)?;
            let moved = (next - rest).norm_squared();
            rest = next;
            // Steps from near a known one lead there.
            if known.iter().any(|known| (known - rest).norm_squared() < (0.5 * cell).powi(2)) {
                return None;
            }
            let enough = if step < STEPS { 0.02 * cell } else { 0.5 * cell };
            if moved < enough * enough {
                return Some((rest, linear));
            }
        }
        None
    }

    /// A step of the search for the point that the joints map to `at`: back by the blend of the joints at `rest`. Also
    /// returns the linear part of that map.
    #[inline]
    fn step_back(&self, at: &Vector3<f64>, rest: &Vector3<f64>) -> Option<(Vector3<f64>, Matrix3<f64>)> {
        let (cell, within) = self.field.locate(rest);
        if let [only] = self.field.cells.carriers(cell) {
            let back = &self.back[only.carrier as usize];
            return Some((back.place(at), back.linear));
        }
        let blended = self.blend(cell, within);
        let linear = inverted(&blended.linear)?;
        Some((Affine { linear, shift: Vector3::zeros() }.place(&(at - blended.shift)), linear))
    }

    /// The blended transform of a place in a cell.
    #[inline]
    fn blend(&self, cell: usize, [x, y, z]: [f64; 3]) -> Affine {
        let (a, b, c) = (1.0 - x, 1.0 - y, 1.0 - z);
        let corners =
            [a * b * c, x * b * c, a * y * c, x * y * c, a * b * z, x * b * z, a * y * z, x * y * z];
        let mut blended = Affine::zero();
        for own in self.field.cells.carriers(cell) {
            blended.add(&self.forward[own.carrier as usize], own.share(&corners));
        }
        blended
    }

    /// The joint with the largest share at the first corner of the cell of a point in the bind pose.
    fn carried_by(&self, rest: &Vector3<f64>) -> JointId {
        let own = self.field.cells.carriers(self.field.locate(rest).0);
        let largest =
            own.iter().max_by(|a, b| a.shares[0].total_cmp(&b.shares[0]).then(b.carrier.cmp(&a.carrier)));
        self.field.carriers[largest.map_or(0, |own| own.carrier as usize)].bone.joint
    }

    /// Maps a point from the bind pose to the pose.
    pub fn place(&self, rest: &Vector3<f64>) -> Vector3<f64> {
        let (cell, within) = self.field.locate(rest);
        self.blend(cell, within).place(rest)
    }
}
