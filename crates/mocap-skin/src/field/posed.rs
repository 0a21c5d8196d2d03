//! A field in a pose: points are mapped back to rest.

use super::{CARRIERS, Field, MOST_SHARES, SEVERAL, STEPS, Shares};
use crate::Affine;
use mocap_model::{Bone, JointId, Pose, Vector3};
use nalgebra::Matrix4;

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
            let Some((rest, blend_back)) = self.to_rest(at, starts[best]) else { continue };
            let same = |other: &Vector3<f64>| (other - rest).norm_squared() < 0.25 * self.field.cell.powi(2);
            if tried.iter().any(same) {
                continue;
            }
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
    /// inverse map.
    fn to_rest(
        &self,
        at: &Vector3<f64>,
        start: Vector3<f64>,
    ) -> Option<(Vector3<f64>, nalgebra::Matrix3<f64>)> {
        let field = self.field;
        let mut rest = start;
        let mut moved = f64::INFINITY;
        let mut linear = nalgebra::Matrix3::identity();
        for _ in 0..STEPS {
            let blended = self.blend(&rest);
            linear = blended.linear.try_inverse()?;
            let next = Affine { linear, shift: Vector3::zeros() }.place(&(at - blended.shift));
            moved = (next - rest).norm();
            rest = next;
            if moved < 0.02 * field.cell {
                break;
            }
        }
        (moved < 0.5 * field.cell).then_some((rest, linear))
    }

    /// The blended transform of a point in the bind pose.
    #[inline]
    fn blend(&self, rest: &Vector3<f64>) -> Affine {
        let field = self.field;
        let (node, within, _) = field.locate(rest);
        let mut blended = Affine::zero();
        let sole = field.sole[node];
        if sole != SEVERAL {
            // Zero weights add as much as in the general case below, so that both give the same
            // bits.
            let parts = field.around(node, within).into_iter();
            let share = parts.fold(0.0, |sum, (_, part)| sum + (part + f64::MIN_POSITIVE));
            blended.add(&self.forward[sole as usize], share);
            return blended;
        }
        let mut sums = [0.0f64; CARRIERS];
        let mut held = [0u8; 8 * MOST_SHARES];
        let mut count = 0;
        for (node, part) in field.around(node, within) {
            let Shares { carriers, shares } = &field.shares[node];
            for i in 0..MOST_SHARES {
                // The largest shares come first.
                if shares[i] <= 0.0 {
                    break;
                }
                let sum = &mut sums[carriers[i] as usize];
                if *sum == 0.0 {
                    held[count] = carriers[i];
                    count += 1;
                }
                // A sum above 0 marks the carrier as listed, also if its share here is 0.
                *sum += f64::from(shares[i]) * part + f64::MIN_POSITIVE;
            }
        }
        for carrier in &held[..count] {
            blended.add(&self.forward[*carrier as usize], sums[*carrier as usize]);
        }
        blended
    }

    /// The joint with the largest share at a point in the bind pose.
    fn carried_by(&self, rest: &Vector3<f64>) -> JointId {
        let (node, _, _) = self.field.locate(rest);
        self.field.carriers[self.field.shares[node].carriers[0] as usize].bone.joint
    }

    /// Maps a point from the bind pose to the pose.
    pub fn place(&self, rest: &Vector3<f64>) -> Vector3<f64> {
        self.blend(rest).place(rest)
    }
}
