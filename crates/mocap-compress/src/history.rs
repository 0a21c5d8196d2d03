//! Predicts the magnitude of the next residual of a track from the residuals before it.

use crate::hierarchy::{LEVELS, Node};
use crate::lattice::Residual;
use wide::f32x4;

/// Weights of the estimate: the last residual of the level, the one before it, the level's mean, and that mean
/// scaled by the ratio of the neighbours' residuals to the means of their levels.
const LAST: f32 = 0.2;
const EARLIER: f32 = 0.12;
const MEAN: f32 = 0.4;
const AROUND: f32 = 0.28;
/// The first guess of a level's mean, from that of the level above.
const NEXT_LEVEL: f32 = 0.35;
/// The rate at which a mean adapts.
const RATE: f32 = 0.03;

/// The three axes in a SIMD vector; the fourth number stays 0.
type Axes = f32x4;

fn each(value: f32) -> Axes {
    Axes::new([value, value, value, 0.0])
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    mean: Axes,
    last: [Axes; 2],
    residual: [i32; 3],
    seen: u32,
}

/// The magnitudes found in a frame, and its level.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    magnitude: Axes,
    level: u8,
}

/// The magnitudes of one track so far.
#[derive(Debug)]
pub(crate) struct History {
    found: Vec<Found>,
    levels: [Level; LEVELS],
}

impl History {
    /// An empty history; `first` is the expected magnitude of the first residuals.
    pub(crate) fn new(frames: usize, first: f32) -> History {
        let mut levels = [Level::default(); LEVELS];
        levels[0] = Level { mean: each(first), last: [each(first); 2], ..Level::default() };
        History { found: vec![Found::default(); frames], levels }
    }

    /// The expected magnitudes of a node's residual, and the last residual of its level.
    #[inline]
    pub(crate) fn expected(&mut self, node: &Node) -> ([f32; 3], [i32; 3]) {
        let at = usize::from(node.level) % LEVELS;
        if self.levels[at].seen == 0 && at > 0 {
            let mean = self.levels[at - 1].mean * NEXT_LEVEL;
            self.levels[at] = Level { mean, last: [mean; 2], ..Level::default() };
        }
        let level = &self.levels[at];
        let mut ratio = Axes::splat(1.0);
        if at > 0 {
            let [a, b] = [node.taps[0], node.taps[1]].map(|tap| &self.found[tap as usize]);
            let [mean_a, mean_b] = [a, b].map(|found| self.levels[usize::from(found.level) % LEVELS].mean);
            ratio = (a.magnitude + b.magnitude + 0.02) / (mean_a + mean_b + 0.02);
            ratio = ratio.fast_min(Axes::splat(4.0));
        }
        let expected = level.last[0] * LAST + level.last[1] * EARLIER + level.mean * (ratio * AROUND + MEAN);
        let [x, y, z, _] = expected.to_array();
        ([x, y, z], level.residual)
    }

    /// Adds the residual of a node; returns its magnitudes.
    #[inline]
    pub(crate) fn learn(&mut self, node: &Node, residual: Residual) -> [f32; 3] {
        let [x, y, z] = residual.k.map(|k| (k.unsigned_abs() >> residual.refine) as f32);
        let magnitude = Axes::new([x, y, z, 0.0]);
        self.found[node.frame as usize] = Found { magnitude, level: node.level };
        let level = &mut self.levels[usize::from(node.level) % LEVELS];
        level.last = [magnitude, level.last[0]];
        level.residual = residual.k;
        level.seen += 1;
        let rate = (1.0 / (level.seen as f32 + 1.0)).max(RATE);
        level.mean += (magnitude - level.mean) * rate;
        [x, y, z]
    }
}
