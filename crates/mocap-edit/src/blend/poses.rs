//! Poses of a motion at any time as point clouds, and the distance of two of them.

use mocap_model::{Clip, Isometry3, Vector3};

use crate::body::Body;
use crate::pose_cloud::{Cloud, align, clouds};

/// A cloud contains the poses at these offsets from its time \[s\], so that velocities count too.
const WINDOW: [f64; 5] = [-0.1, -0.05, 0.0, 0.05, 0.1];

/// The positions of the joints of a motion at any time.
pub(super) struct Poses {
    frames: Vec<Cloud>,
    fps: f64,
}

impl Poses {
    pub(super) fn of(clip: &Clip) -> Poses {
        Poses { frames: clouds(clip), fps: clip.rate().fps() }
    }

    /// The positions around a time \[s\].
    fn at(&self, seconds: f64) -> Cloud {
        let last = self.frames.len() - 1;
        let mut cloud = Vec::with_capacity(WINDOW.len() * self.frames[0].len());
        for offset in WINDOW {
            let place = ((seconds + offset) * self.fps).clamp(0.0, last as f64);
            let (from, share) = (place.floor() as usize, place - place.floor());
            let to = (from + 1).min(last);
            cloud.extend(self.frames[from].iter().zip(&self.frames[to]).map(|(a, b)| a.lerp(b, share)));
        }
        cloud
    }

    /// The placement that aligns the cloud of another motion with the one here.
    pub(super) fn placement(&self, body: &Body, here: f64, other: &Poses, there: f64) -> Isometry3<f64> {
        align(body, &self.at(here), &other.at(there)).0
    }

    /// The cloud at a time, ready to be compared.
    pub(super) fn centred(&self, body: &Body, seconds: f64) -> Centred {
        let cloud = self.at(seconds);
        let mean = body.on_ground(&(cloud.iter().sum::<Vector3<f64>>() / cloud.len() as f64));
        let points = cloud.iter().map(|point| {
            let point = point - mean;
            [point.dot(&body.forward), point.dot(&body.lateral), point.dot(&body.up)]
        });
        Centred { points: points.collect() }
    }
}

/// A cloud relative to its centroid on the ground.
#[derive(Clone)]
pub(super) struct Centred {
    /// Ahead, to the left, up.
    points: Vec<[f64; 3]>,
}

impl Centred {
    /// The interpolated cloud.
    pub(super) fn between(&self, other: &Centred, share: f64) -> Centred {
        let points = self.points.iter().zip(&other.points);
        Centred { points: points.map(|(a, b)| [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * share)).collect() }
    }

    /// The rms distance of the points after the best rotation of the other cloud about the up axis.
    pub(super) fn distance(&self, other: &Centred) -> f64 {
        let (mut along, mut across, mut rest) = (0.0, 0.0, 0.0);
        for (p, q) in self.points.iter().zip(&other.points) {
            along += p[0] * q[0] + p[1] * q[1];
            across += p[1] * q[0] - p[0] * q[1];
            rest += p[0] * p[0] + p[1] * p[1] + q[0] * q[0] + q[1] * q[1] + (p[2] - q[2]).powi(2);
        }
        let squares = rest - 2.0 * along.hypot(across);
        (squares.max(0.0) / self.points.len() as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn distances_are_those_of_the_alignment() {
        let (walk, turn) = (clip("alex_walk.bvh"), clip("alex_turn.bvh"));
        let body = Body::of(&walk);
        let (a, b) = (Poses::of(&walk), Poses::of(&turn));
        for (here, there) in [(0.5, 0.7), (1.0, 0.2), (0.33, 1.2)] {
            let expected = align(&body, &a.at(here), &b.at(there)).1;
            let found = a.centred(&body, here).distance(&b.centred(&body, there));
            assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
        }
        assert!(a.centred(&body, 0.4).distance(&a.centred(&body, 0.4)) < 1e-6);
    }
}
