//! Capsules around the bones of a chain, and their depths of penetration.

use crate::{IkChain, IkError, Vec3};

/// A capsule that a joint carries: all points within `radius` of the segment from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The joint that carries it, by its place in the chain.
    pub joint: usize,
    /// Ends of the segment in the frame of the joint [units of the skeleton].
    pub from: Vec3,
    /// See `from`.
    pub to: Vec3,
    /// The radius [units of the skeleton], above 0.
    pub radius: f64,
}

/// Two capsules that must not overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) capsules: [usize; 2],
    /// The least distance of their segments: of the radii, or less where they are nearer in the rest pose or another pose
    /// that is allowed.
    pub(crate) apart: f64,
}

/// The nearest points of two segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) points: [Vec3; 2],
    /// From the second point to the first; unit length.
    pub(crate) normal: Vec3,
    /// Depth of penetration; negative if they are apart.
    pub(crate) depth: f64,
}

impl IkChain {
    /// Sets the capsules that [`crate::Xpbd`] keeps out of each other. Those of one joint, of a joint and its parent, and of
    /// joints with the same parent are not compared: they overlap where they are joined. Others that overlap in the rest pose
    /// of the chain may be as near as they are there; so may those of other poses, with [`IkChain::allow_overlaps`].
    ///
    /// # Errors
    /// [`IkError::Capsule`] if one is on no joint, has no radius, or a number is not finite.
    pub fn set_capsules(&mut self, capsules: &[Capsule]) -> Result<(), IkError> {
        for (index, capsule) in capsules.iter().enumerate() {
            let sum = capsule.from.sum() + capsule.to.sum() + capsule.radius;
            if capsule.joint >= self.len() || !(sum.is_finite() && capsule.radius > 0.0) {
                return Err(IkError::Capsule { capsule: index });
            }
        }
        self.capsules = capsules.to_vec();
        self.pairs.clear();
        let pose = std::mem::replace(&mut self.local, self.rest.clone());
        self.update();
        for b in 0..capsules.len() {
            for a in 0..b {
                let [one, other] = [a, b].map(|at| capsules[at].joint);
                let joined = one == other
                    || self.parent[one] == other as u32
                    || self.parent[other] == one as u32
                    || self.parent[one] == self.parent[other];
                if joined {
                    continue;
                }
                let wanted = capsules[a].radius + capsules[b].radius;
                let pair = Pair { capsules: [a, b], apart: wanted };
                let apart = wanted - self.near(&pair).depth.max(0.0);
                self.pairs.push(Pair { apart, ..pair });
            }
        }
        self.local = pose;
        self.update();
        Ok(())
    }

    /// Lets capsules be as near to each other as they are in the present pose of the chain: poses that a body
    /// has taken are allowed.
    pub fn allow_overlaps(&mut self) {
        for at in 0..self.pairs.len() {
            let pair = self.pairs[at];
            let over = self.near(&pair).depth.max(0.0);
            // Crossing bones get a least distance of 0, so they are never pushed apart: they have
            // no direction in which to separate.
            self.pairs[at].apart = pair.apart - over;
        }
    }

    /// Greatest depth of penetration [units of the skeleton].
    pub fn collision_depth(&self) -> f64 {
        self.pairs.iter().map(|pair| self.near(pair).depth).fold(0.0, f64::max)
    }

    /// The nearest points of a pair of capsules.
    pub(crate) fn near(&self, pair: &Pair) -> Near {
        let ends = pair.capsules.map(|at| {
            let Capsule { joint, from, to, .. } = self.capsules[at];
            [from, to].map(|end| self.position[joint] + self.frame[joint] * end)
        });
        let points = nearest(&ends[0], &ends[1]);
        let between = points[0] - points[1];
        let distance = between.norm();
        // Crossing segments are pushed apart along their common perpendicular.
        let across = (ends[0][1] - ends[0][0]).cross(&(ends[1][1] - ends[1][0]));
        let normal = between.try_normalize(1e-9 * pair.apart).or_else(|| across.try_normalize(1e-12));
        Near { points, normal: normal.unwrap_or_else(Vec3::x), depth: pair.apart - distance }
    }
}

/// The nearest points of two segments, by clamping the nearest points of their lines.
fn nearest(a: &[Vec3; 2], b: &[Vec3; 2]) -> [Vec3; 2] {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, vv, uv) = (u.norm_squared(), v.norm_squared(), u.dot(&v));
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let across = uu * vv - uv * uv;
    let unit = |value: f64| value.clamp(0.0, 1.0);
    let share = |part: f64, whole: f64| if whole > 0.0 { unit(part / whole) } else { 0.0 };
    // For parallel segments any pair of opposite points would do; the start of the first segment is used.
    let mut s = if across > 1e-12 * uu * vv { unit((uv * vw - vv * uw) / across) } else { 0.0 };
    let t = share(uv * s + vw, vv);
    s = share(uv * t - uw, uu);
    let t = share(uv * s + vw, vv);
    [a[0] + u * s, b[0] + v * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_points_are_nearer_than_all_others() {
        let cases = [
            ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.5, 1.0, -1.0], [0.5, 1.0, 1.0]]),
            ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[2.0, 0.3, 0.0], [3.0, 2.0, 1.0]]),
            ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.2, 0.5, 0.0], [0.7, 0.5, 0.0]]),
            ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[-1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]),
            ([[0.1, 0.4, 0.2], [1.0, -2.0, 0.3]], [[-0.5, 0.2, 2.0], [0.3, 1.0, -1.0]]),
        ];
        for (a, b) in cases {
            let [a, b] = [a, b].map(|ends| ends.map(Vec3::from));
            let [p, q] = nearest(&a, &b);
            let found = (p - q).norm();
            for i in 0..=50 {
                for j in 0..=50 {
                    let [s, t] = [i, j].map(|place| f64::from(place) / 50.0);
                    let other = (a[0] + (a[1] - a[0]) * s - b[0] - (b[1] - b[0]) * t).norm();
                    assert!(found <= other + 1e-12, "{found} {other}");
                }
            }
        }
    }
}
