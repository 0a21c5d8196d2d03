//! Eight frames at once: vectors and rotations as structures of arrays, which compilers turn into SIMD instructions.
//! Each lane has the same bits as the computation of one frame.

use crate::renormalised;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// The number of frames in a block.
pub const LANES: usize = 8;

/// Eight vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(16))]
pub struct VectorLanes {
    coordinates: [[f64; LANES]; 3],
}

/// Eight rotations.
///
/// ```
/// use mocap_model::{LANES, RotationLanes, UnitQuaternion, Vector3, exp};
///
/// let turns: Vec<UnitQuaternion<f64>> = (0..LANES).map(|i| exp(&(Vector3::x() * i as f64))).collect();
/// let lanes = RotationLanes::gather(&turns);
/// assert_eq!(lanes.product(&lanes).at(3), turns[3] * turns[3]);
/// assert_eq!(lanes.turn(&Vector3::y()).at(3), turns[3] * Vector3::y());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(16))]
pub struct RotationLanes {
    /// i, j, k, w.
    coordinates: [[f64; LANES]; 4],
}

impl VectorLanes {
    /// The vector that `of` gives for each lane.
    #[inline(always)]
    pub fn each(of: impl Fn(usize) -> Vector3<f64>) -> VectorLanes {
        let mut lanes = VectorLanes { coordinates: [[0.0; LANES]; 3] };
        for lane in 0..LANES {
            lanes.set(lane, &of(lane));
        }
        lanes
    }

    /// Vectors with these coordinates: x, y, z.
    #[inline]
    pub fn of(coordinates: [[f64; LANES]; 3]) -> VectorLanes {
        VectorLanes { coordinates }
    }

    /// The same vector in all lanes.
    pub fn same(vector: &Vector3<f64>) -> VectorLanes {
        VectorLanes { coordinates: [[vector.x; LANES], [vector.y; LANES], [vector.z; LANES]] }
    }

    /// Up to eight vectors; missing lanes repeat the last.
    ///
    /// # Panics
    /// Without vectors.
    pub fn gather(vectors: &[Vector3<f64>]) -> VectorLanes {
        match vectors.first_chunk::<LANES>() {
            Some(vectors) => VectorLanes::each(|lane| vectors[lane]),
            None => VectorLanes::each(|lane| vectors[lane.min(vectors.len() - 1)]),
        }
    }

    /// One lane.
    #[inline(always)]
    pub fn at(&self, lane: usize) -> Vector3<f64> {
        let [x, y, z] = &self.coordinates;
        Vector3::new(x[lane], y[lane], z[lane])
    }

    /// Replaces one lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, vector: &Vector3<f64>) {
        for (lanes, value) in self.coordinates.iter_mut().zip(vector.iter()) {
            lanes[lane] = *value;
        }
    }

    /// The dot products with one vector.
    #[inline]
    pub fn dot(&self, other: &Vector3<f64>) -> [f64; LANES] {
        std::array::from_fn(|lane| self.at(lane).dot(other))
    }

    /// The dot products with other vectors, lane by lane.
    #[inline]
    pub fn dot_each(&self, other: &VectorLanes) -> [f64; LANES] {
        std::array::from_fn(|lane| self.at(lane).dot(&other.at(lane)))
    }

    /// The squared lengths.
    #[inline]
    pub fn norm_squared(&self) -> [f64; LANES] {
        std::array::from_fn(|lane| self.at(lane).norm_squared())
    }

    /// The sums with multiples of one vector.
    #[inline]
    pub fn plus_along(&self, direction: &Vector3<f64>, by: &[f64; LANES]) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane) + direction * by[lane])
    }

    /// The sums.
    pub fn plus(&self, other: &VectorLanes) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane) + other.at(lane))
    }

    /// Adds other vectors.
    pub fn add(&mut self, other: &VectorLanes) {
        (0..LANES).for_each(|lane| self.set(lane, &(self.at(lane) + other.at(lane))));
    }

    /// The differences.
    pub fn minus(&self, other: &VectorLanes) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane) - other.at(lane))
    }

    /// The multiples.
    pub fn times(&self, factor: f64) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane) * factor)
    }
}

impl RotationLanes {
    /// The rotation that `of` gives for each lane.
    #[inline(always)]
    pub fn each(of: impl Fn(usize) -> UnitQuaternion<f64>) -> RotationLanes {
        let mut lanes = RotationLanes { coordinates: [[0.0; LANES]; 4] };
        for lane in 0..LANES {
            lanes.set(lane, &of(lane));
        }
        lanes
    }

    /// The same rotation in all lanes.
    pub fn same(rotation: &UnitQuaternion<f64>) -> RotationLanes {
        RotationLanes { coordinates: [0, 1, 2, 3].map(|i| [rotation.coords[i]; LANES]) }
    }

    /// Up to eight rotations; missing lanes repeat the last.
    ///
    /// # Panics
    /// Without rotations.
    pub fn gather(rotations: &[UnitQuaternion<f64>]) -> RotationLanes {
        let mut lanes = RotationLanes::same(&UnitQuaternion::identity());
        lanes.set_all(rotations);
        lanes
    }

    /// Replaces all lanes, as [`RotationLanes::gather`].
    ///
    /// # Panics
    /// Without rotations.
    pub fn set_all(&mut self, rotations: &[UnitQuaternion<f64>]) {
        match rotations.first_chunk::<LANES>() {
            Some(rotations) => (0..LANES).for_each(|lane| self.set(lane, &rotations[lane])),
            None => (0..LANES).for_each(|lane| self.set(lane, &rotations[lane.min(rotations.len() - 1)])),
        }
    }

    /// Replaces each lane by the product of that lane of `others` and the rotation of `firsts`,
    /// which comes first: `others · firsts`. If there are fewer than eight, the last is repeated.
    ///
    /// # Panics
    /// Without rotations.
    pub fn set_products(&mut self, others: &RotationLanes, firsts: &[UnitQuaternion<f64>]) {
        match firsts.first_chunk::<LANES>() {
            Some(firsts) => (0..LANES).for_each(|lane| self.set(lane, &(others.at(lane) * firsts[lane]))),
            None => {
                self.set_all(firsts);
                *self = others.product(self);
            }
        }
    }

    /// Appends the first `count` lanes to rotations.
    pub fn append_to(&self, rotations: &mut Vec<UnitQuaternion<f64>>, count: usize) {
        let lanes: [_; LANES] = std::array::from_fn(|lane| self.at(lane));
        rotations.extend_from_slice(&lanes[..count]);
    }

    /// Appends the first `count` lanes relative to parents, renormalised: `parents⁻¹ · these`.
    pub fn append_seen_from(
        &self,
        parents: &RotationLanes,
        rotations: &mut Vec<UnitQuaternion<f64>>,
        count: usize,
    ) {
        let mut seen = [UnitQuaternion::identity(); LANES];
        for lane in 0..LANES {
            seen[lane] = renormalised(parents.at(lane).inverse() * self.at(lane));
        }
        rotations.extend_from_slice(&seen[..count]);
    }

    /// Replaces all lanes by those of other rotations after one rotation: `others · first`.
    pub fn set_product(&mut self, others: &RotationLanes, first: &UnitQuaternion<f64>) {
        (0..LANES).for_each(|lane| self.set(lane, &(others.at(lane) * first)));
    }

    /// Replaces all lanes by other rotations relative to parents, renormalised:
    /// `parents⁻¹ · others`.
    pub fn set_seen_from(&mut self, parents: &RotationLanes, others: &RotationLanes) {
        let local = |lane: usize| renormalised(parents.at(lane).inverse() * others.at(lane));
        (0..LANES).for_each(|lane| self.set(lane, &local(lane)));
    }

    /// Replaces as many rotations as there are, up to eight, by the lanes.
    pub fn copy_to(&self, rotations: &mut [UnitQuaternion<f64>]) {
        match rotations.first_chunk_mut::<LANES>() {
            Some(rotations) => (0..LANES).for_each(|lane| rotations[lane] = self.at(lane)),
            None => rotations.iter_mut().enumerate().for_each(|(lane, rotation)| *rotation = self.at(lane)),
        }
    }

    /// One lane.
    #[inline(always)]
    pub fn at(&self, lane: usize) -> UnitQuaternion<f64> {
        let [i, j, k, w] = &self.coordinates;
        UnitQuaternion::new_unchecked(Quaternion::new(w[lane], i[lane], j[lane], k[lane]))
    }

    /// Replaces one lane.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, rotation: &UnitQuaternion<f64>) {
        for (lanes, value) in self.coordinates.iter_mut().zip(rotation.coords.iter()) {
            lanes[lane] = *value;
        }
    }

    /// The products: first `other`, then these.
    pub fn product(&self, other: &RotationLanes) -> RotationLanes {
        RotationLanes::each(|lane| self.at(lane) * other.at(lane))
    }

    /// The products with one rotation, which comes first.
    pub fn product_with(&self, other: &UnitQuaternion<f64>) -> RotationLanes {
        RotationLanes::each(|lane| self.at(lane) * other)
    }

    /// The products of the inverses with others, which come first: the others as seen from these.
    pub fn inverse_product(&self, other: &RotationLanes) -> RotationLanes {
        RotationLanes::each(|lane| self.at(lane).inverse() * other.at(lane))
    }

    /// Renormalises the quaternions, as [`renormalised`].
    pub fn renormalise(&mut self) {
        (0..LANES).for_each(|lane| self.set(lane, &renormalised(self.at(lane))));
    }

    /// One vector, turned by each rotation.
    pub fn turn(&self, vector: &Vector3<f64>) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane) * vector)
    }

    /// Each vector, turned by the rotation of its lane.
    pub fn turn_each(&self, vectors: &VectorLanes) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane) * vectors.at(lane))
    }

    /// Each vector, turned by the inverse of the rotation of its lane.
    pub fn turn_back(&self, vectors: &VectorLanes) -> VectorLanes {
        VectorLanes::each(|lane| self.at(lane).inverse() * vectors.at(lane))
    }
}
