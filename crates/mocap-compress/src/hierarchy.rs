//! Coding order of the frames of a block, and their predictions.
//!
//! First every `top`-th frame and the last one, each predicted from the ones before; then, level by level, the
//! frames midway between known ones, each from the two known neighbours on either side. For even spacing these
//! are the Catmull-Rom weights -1/16, 9/16, 9/16, -1/16: a frame with residual zero is a dropped key, so this
//! is a Catmull-Rom fit by bisection down to single frames. Based on: E. Catmull, R. Rom, "A class of local
//! interpolating splines", 1974.

/// The largest number of levels.
pub(crate) const LEVELS: usize = 8;
/// Distance of the frames that are coded first, if a block is decoded as a whole.
pub(crate) const BLOCK_TOP: u32 = 64;

/// How one frame is predicted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// The frame, counted from the start of the block.
    pub(crate) frame: u32,
    /// 0 for the frames that are coded first.
    pub(crate) level: u8,
    /// The known frames that predict it, the nearest first; unused ones have weight 0.
    pub(crate) taps: [u32; 4],
    /// Weights of a curve through all four.
    pub(crate) cubic: [f32; 4],
    /// Weights of a line through the two nearest.
    pub(crate) linear: [f32; 4],
}

impl Node {
    /// The weights between (or beyond) curve, 0, and line, 1.
    #[inline]
    pub(crate) fn weights(&self, flat: f32) -> [f32; 4] {
        let mut weights = self.cubic;
        for (weight, line) in weights.iter_mut().zip(self.linear) {
            *weight += flat * (line - *weight);
        }
        weights
    }
}

/// The number of levels of a block with this spacing of first frames.
pub(crate) fn levels(top: u32) -> usize {
    top.trailing_zeros() as usize + 1
}

/// Which frames may be used for predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Any frame that is coded before.
    Block,
    /// First frames are not predicted from others. Other frames use the first frames and frames of their own
    /// segment, so that a segment can be decoded independently.
    Segment,
}

/// All frames of a block in the order of coding. `top` is a power of two.
pub(crate) fn schedule(frames: u32, top: u32, reach: Reach) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(frames as usize);
    let Some(last) = frames.checked_sub(1) else { return nodes };
    let mut known: Vec<u32> = (0..=last).step_by(top as usize).collect();
    if known[known.len() - 1] != last {
        known.push(last);
    }
    for (i, &frame) in known.iter().enumerate() {
        let taps = [i.saturating_sub(1), i.saturating_sub(2)].map(|at| known[at]);
        let weight = if i == 0 || reach == Reach::Segment { 0.0 } else { 1.0 };
        // A line through two earlier frames; the second frame has only one.
        let line = match taps[0] - taps[1] {
            _ if weight == 0.0 => [0.0; 4],
            0 => [weight, 0.0, 0.0, 0.0],
            span => {
                let ahead = (frame - taps[0]) as f32 / span as f32;
                [1.0 + ahead, -ahead, 0.0, 0.0]
            }
        };
        nodes.push(Node {
            frame,
            level: 0,
            taps: [taps[0], taps[1], taps[0], taps[0]],
            cubic: [weight, 0.0, 0.0, 0.0],
            linear: line,
        });
    }
    let mut stride = top / 2;
    let mut level = 1;
    while stride > 0 {
        let mut next = Vec::with_capacity(known.len() * 2);
        for (i, &left) in known.iter().enumerate() {
            next.push(left);
            let frame = left + stride;
            if let Some(&right) = known.get(i + 1)
                && frame < right
            {
                let window = match reach {
                    Reach::Segment if level > 1 => {
                        // The first frames of this segment and of the next one.
                        let start = frame / top * top;
                        let from = known.partition_point(|known| *known < start);
                        from..known.partition_point(|known| *known <= start + top)
                    }
                    _ => 0..known.len(),
                };
                nodes.push(between(frame, level, &known[window.clone()], i - window.start));
                next.push(frame);
            }
        }
        known = next;
        stride /= 2;
        level += 1;
    }
    nodes
}

/// The node of a frame between `known[left]` and `known[left + 1]`.
fn between(frame: u32, level: u8, known: &[u32], left: usize) -> Node {
    // Two on either side; near an end more from the other side.
    let first = left.saturating_sub(1).min(known.len().saturating_sub(4));
    let window = &known[first..known.len().min(first + 4)];
    let mut taps = [known[left]; 4];
    taps[1] = known[left + 1];
    let mut count = 2;
    for &tap in window.iter().filter(|tap| **tap != known[left] && **tap != known[left + 1]) {
        taps[count] = tap;
        count += 1;
    }
    let mut cubic = [0.0; 4];
    for i in 0..count {
        let mut weight = 1.0;
        for j in (0..count).filter(|j| *j != i) {
            weight *= (f64::from(frame) - f64::from(taps[j])) / (f64::from(taps[i]) - f64::from(taps[j]));
        }
        cubic[i] = weight as f32;
    }
    let span = f64::from(taps[1] - taps[0]);
    let right = (f64::from(frame - taps[0]) / span) as f32;
    Node { frame, level, taps, cubic, linear: [1.0 - right, right, 0.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_frames_have_catmull_rom_weights() {
        let nodes = schedule(17, 4, Reach::Block);
        let node = nodes.iter().find(|node| node.frame == 7).unwrap();
        assert_eq!(node.taps, [6, 8, 4, 10]);
        assert_eq!(node.cubic, [0.5625, 0.5625, -0.0625, -0.0625]);
        assert_eq!(node.linear, [0.5, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn every_frame_is_coded_once_after_its_taps() {
        for frames in 0..150 {
            for (top, reach) in
                [(1, Reach::Block), (2, Reach::Block), (64, Reach::Block), (16, Reach::Segment)]
            {
                let nodes = schedule(frames, top, reach);
                let mut known = vec![false; frames as usize];
                for node in &nodes {
                    for (tap, weight) in node.taps.iter().zip(node.cubic) {
                        assert!(weight == 0.0 || known[*tap as usize]);
                        let segment = node.frame / top * top;
                        let near = (segment..=segment + top).contains(tap);
                        assert!(reach == Reach::Block || node.level < 2 || near, "{node:?}");
                    }
                    assert!(!std::mem::replace(&mut known[node.frame as usize], true));
                    assert!((node.level as usize) < levels(top));
                    if node.level > 0 {
                        assert!((node.cubic.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                        assert!((node.linear.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                    }
                }
                assert!(known.iter().all(|known| *known));
            }
        }
    }
}
