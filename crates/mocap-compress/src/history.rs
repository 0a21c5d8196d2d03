//! Predicts the magnitude of the next residual of a track from the residuals before it.

use crate::hierarchy::{LEVELS, Node};
use crate::lattice::Residual;

/// Weights of the estimate: the last residual of the level, the one before, the level's mean, and the mean
/// scaled by how large the neighbours' residuals are against the means of their levels.
const LAST: f32 = 0.2;
const EARLIER: f32 = 0.12;
const MEAN: f32 = 0.4;
const AROUND: f32 = 0.28;
/// The first guess of a level's mean, from that of the level above.
const NEXT_LEVEL: f32 = 0.35;
/// The rate at which a mean adapts.
const RATE: f32 = 0.03;

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    mean: [f32; 3],
    last: [[f32; 3]; 2],
    residual: [i32; 3],
    seen: u32,
}

/// The magnitudes of one track so far.
#[derive(Debug)]
pub(crate) struct History {
    magnitudes: Vec<[f32; 3]>,
    levels_of: Vec<u8>,
    levels: [Level; LEVELS],
}

impl History {
    /// An empty history; `first` is the expected magnitude of the first residuals.
    pub(crate) fn new(frames: usize, first: f32) -> History {
        let mut levels = [Level::default(); LEVELS];
        levels[0] = Level { mean: [first; 3], last: [[first; 3]; 2], residual: [0; 3], seen: 0 };
        History { magnitudes: vec![[0.0; 3]; frames], levels_of: vec![0; frames], levels }
    }

    /// The expected magnitudes of a node's residual, and the last residual of its level.
    #[inline]
    pub(crate) fn expected(&mut self, node: &Node) -> ([f32; 3], [i32; 3]) {
        let at = usize::from(node.level);
        if self.levels[at].seen == 0 && at > 0 {
            let mean = self.levels[at - 1].mean.map(|mean| mean * NEXT_LEVEL);
            self.levels[at] = Level { mean, last: [mean; 2], residual: [0; 3], seen: 0 };
        }
        let level = &self.levels[at];
        let [a, b] = [node.taps[0] as usize, node.taps[1] as usize];
        let [mean_a, mean_b] = [a, b].map(|tap| &self.levels[usize::from(self.levels_of[tap])].mean);
        let mut expected = [0.0; 3];
        for i in 0..3 {
            let ratio = if at == 0 {
                1.0
            } else {
                let found = self.magnitudes[a][i] + self.magnitudes[b][i] + 0.02;
                (found / (mean_a[i] + mean_b[i] + 0.02)).min(4.0)
            };
            expected[i] = LAST * level.last[0][i]
                + EARLIER * level.last[1][i]
                + level.mean[i] * (MEAN + AROUND * ratio);
        }
        (expected, level.residual)
    }

    /// Adds the residual of a node; returns its magnitudes.
    #[inline]
    pub(crate) fn learn(&mut self, node: &Node, residual: Residual) -> [f32; 3] {
        let frame = node.frame as usize;
        let magnitude = residual.k.map(|k| (k.unsigned_abs() >> residual.refine) as f32);
        self.magnitudes[frame] = magnitude;
        self.levels_of[frame] = node.level;
        let level = &mut self.levels[usize::from(node.level)];
        level.last = [magnitude, level.last[0]];
        level.residual = residual.k;
        level.seen += 1;
        let rate = (1.0 / (level.seen as f32 + 1.0)).max(RATE);
        for i in 0..3 {
            level.mean[i] += (magnitude[i] - level.mean[i]) * rate;
        }
        magnitude
    }
}
