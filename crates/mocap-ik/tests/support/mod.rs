//! Random chains, poses and goals for the tests, from a seed.
#![allow(dead_code, reason = "each test uses its share")]

use mocap_ik::{Constraint, Freedom, IkChain, Link};
use mocap_model::{EulerOrder, Isometry3, Limit, UnitQuaternion, Vector3, exp};
use nalgebra::Unit;

/// SplitMix64: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn range(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }

    pub(crate) fn direction(&mut self) -> Unit<Vector3<f64>> {
        loop {
            let v = self.vector();
            if v.norm() > 0.1 && v.norm() < 1.0 {
                return Unit::new_normalize(v);
            }
        }
    }

    /// Uniform over all rotations.
    pub(crate) fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let q = nalgebra::Quaternion::new(
                self.range(-1.0, 1.0),
                self.range(-1.0, 1.0),
                self.range(-1.0, 1.0),
                self.range(-1.0, 1.0),
            );
            if q.norm() > 0.1 && q.norm() < 1.0 {
                return UnitQuaternion::new_normalize(q);
            }
        }
    }

    pub(crate) fn rotations(&mut self, n: usize) -> Vec<UnitQuaternion<f64>> {
        (0..n).map(|_| self.rotation()).collect()
    }

    pub(crate) fn base(&mut self) -> Isometry3<f64> {
        Isometry3::from_parts((self.vector() * 3.0).into(), self.rotation())
    }

    /// A chain of `n` joints with bones from 0.1 to 1, without limits.
    pub(crate) fn chain(&mut self, n: usize) -> IkChain {
        self.chain_of(n, |_| Constraint::free())
    }

    pub(crate) fn chain_of(
        &mut self,
        n: usize,
        mut constraint: impl FnMut(&mut Random) -> Constraint,
    ) -> IkChain {
        let base = self.base();
        let links = (0..n).map(|i| {
            let offset = match i {
                0 => Vector3::zeros(),
                _ => self.direction().into_inner() * self.range(0.1, 1.0),
            };
            let constraint = constraint(self);
            let rotation = constraint.project(&self.rotation()).0;
            Link { offset, rotation, constraint }
        });
        let links = links.collect();
        let tip = self.direction().into_inner() * self.range(0.1, 1.0);
        IkChain::serial(base, links, tip).unwrap()
    }

    /// A constraint of any kind with ranges from narrow to beyond a whole turn.
    pub(crate) fn constraint(&mut self) -> Constraint {
        let freedom = match self.below(8) {
            0 => Freedom::Free,
            1 => Freedom::Locked,
            2 | 3 => Freedom::Hinge { axis: self.direction(), range: self.limit() },
            4 | 5 => {
                Freedom::Ball { axis: self.direction(), swing: self.range(0.1, 3.0), twist: self.limit() }
            }
            _ => {
                let order = ["XYZ", "ZXY", "ZYX", "YXZ", "ZXZ", "XYX"][self.below(6)];
                let order: EulerOrder = order.parse().unwrap();
                Freedom::Euler { order, ranges: [self.limit(), self.limit(), self.limit()] }
            }
        };
        let (pre, post) = (self.rotation(), self.rotation());
        Constraint { inverted: self.below(4) == 0, ..Constraint::new(freedom).in_frame(pre, post) }
    }

    fn limit(&mut self) -> Limit {
        match self.below(6) {
            0 => Limit { min: 0.0, max: 0.0 },
            1 => Limit { min: -4.0, max: 4.0 },
            _ => {
                let min = self.range(-4.0, 4.0);
                Limit { min, max: min + self.range(0.2, 3.0) }
            }
        }
    }

    pub(crate) fn small_turn(&mut self, angle: f64) -> UnitQuaternion<f64> {
        let vector = self.vector() * angle;
        exp(&vector)
    }
}

/// The lengths of all bones of the chain as posed, by joint: to its parent, then of the effectors.
pub(crate) fn bone_lengths(chain: &IkChain, parents: &[Option<usize>]) -> Vec<f64> {
    let at = chain.positions();
    let joints = (0..chain.len())
        .map(|i| (at[i] - parents[i].map_or(chain.base().translation.vector, |parent| at[parent])).norm());
    let tips = chain
        .effectors()
        .iter()
        .enumerate()
        .map(|(e, effector)| (chain.tip(e).0 - at[effector.joint]).norm());
    joints.chain(tips).collect()
}
