//! Keys: the frames of a motion that are examined, enough to follow the arms, whatever the frame rate.

use super::arm::{Change, PARTS};
use mocap_model::FrameRate;
use std::ops::Range;

/// Least number of keys per second, for motions with that many frames: between two keys, an arm with an
/// acceleration of 2 g deviates from the interpolated path by 3 mm.
const RATE: f64 = 30.0;

/// Frames of a range that are evenly spaced, and its last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    start: usize,
    frames: usize,
    /// Frames from one key to the next.
    pub stride: usize,
    /// Keys per second.
    pub fps: f64,
}

impl Keys {
    /// The keys of a range of frames; `all`: every frame is a key.
    pub(crate) fn of(range: &Range<usize>, rate: FrameRate, all: bool) -> Keys {
        let fps = rate.fps();
        // Frame rates such as 29.97 or 119.88 are treated as 30 and 120.
        let stride = if all { 1 } else { (fps / RATE + 0.01).floor().max(1.0) as usize };
        Keys { start: range.start, frames: range.len(), stride, fps: fps / stride as f64 }
    }

    /// The same range with every frame as a key.
    pub(crate) fn of_frames(&self) -> Keys {
        Keys { stride: 1, fps: self.fps * self.stride as f64, ..*self }
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        match self.frames {
            0 => 0,
            frames => (frames - 1).div_ceil(self.stride) + 1,
        }
    }

    /// Frame of a key, counted from the start of the range.
    pub(crate) fn offset(&self, key: usize) -> usize {
        (key * self.stride).min(self.frames - 1)
    }

    /// The frame of a key.
    pub(crate) fn frame(&self, key: usize) -> usize {
        self.start + self.offset(key)
    }

    /// Number of keys to each side over which a change that fades in within `seconds` is smoothed. Maximum and
    /// mean take half each, and the fade ends before the next key.
    pub(crate) fn ahead(&self, seconds: f64) -> usize {
        (((seconds * self.fps + 1e-6).floor() - 1.0) / 2.0).floor().max(1.0) as usize
    }

    /// Changes of all frames of the range, interpolated between keys by cubics with the slopes of parabolas; zero
    /// beside keys without a change.
    pub(crate) fn interpolated(&self, keys: &[Change]) -> Vec<Change> {
        let mut all = vec![Change::zeros(); self.frames];
        let time = |key: usize| self.offset(key) as f64;
        let slope = |key: usize| -> Change {
            if key == 0 || key + 1 >= keys.len() || keys[key] == Change::zeros() {
                return Change::zeros();
            }
            let (before, after) = (time(key) - time(key - 1), time(key + 1) - time(key));
            let (came, goes) = ((keys[key] - keys[key - 1]) / before, (keys[key + 1] - keys[key]) / after);
            (came * after + goes * before) / (before + after)
        };
        for key in 0..keys.len() {
            let first = self.offset(key);
            all[first] = keys[key];
            let Some(next) = keys.get(key + 1) else { break };
            let last = self.offset(key + 1);
            if last <= first + 1 || (keys[key] == Change::zeros() && *next == Change::zeros()) {
                continue;
            }
            let span = (last - first) as f64;
            let (from, to) = (slope(key) * span, slope(key + 1) * span);
            for at in first + 1..last {
                let t = (at - first) as f64 / span;
                let (square, cube) = (t * t, t * t * t);
                all[at] = keys[key] * (2.0 * cube - 3.0 * square + 1.0)
                    + from * (cube - 2.0 * square + t)
                    + next * (3.0 * square - 2.0 * cube)
                    + to * (cube - square);
            }
        }
        debug_assert!(all.iter().all(|change| change.len() == PARTS));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(frames: usize, fps: f64) -> Keys {
        Keys::of(&(10..10 + frames), FrameRate::new(fps).unwrap(), false)
    }

    #[test]
    fn keys_are_as_frequent_at_any_frame_rate() {
        for (fps, stride) in
            [(24.0, 1), (29.97, 1), (30.0, 1), (59.94, 2), (100.0, 3), (119.88, 4), (240.0, 8)]
        {
            assert_eq!(keys(100, fps).stride, stride, "{fps}");
        }
        assert_eq!(Keys::of(&(0..100), FrameRate::new(240.0).unwrap(), true).stride, 1);
        let keys = keys(10, 120.0);
        let frames: Vec<usize> = (0..keys.len()).map(|key| keys.frame(key)).collect();
        assert_eq!(frames, [10, 14, 18, 19]);
        assert_eq!(super::Keys { frames: 0, ..keys }.len(), 0);
        // A fade ends within its time at any frame rate.
        for fps in [25.0, 30.0, 50.0, 60.0, 100.0, 120.0, 240.0, 1000.0] {
            let keys = super::Keys { fps: fps / keys.stride as f64, ..keys };
            let seconds = (2 * keys.ahead(0.3) + 1) as f64 / keys.fps;
            assert!(keys.ahead(0.3) == 1 || seconds <= 0.3 + 1e-6, "{fps}: {seconds}");
        }
    }

    #[test]
    fn frames_between_keys_follow_parabolas_and_end_with_the_change() {
        let keys = keys(41, 120.0);
        let parabola = |at: f64| Change::repeat(at * at - 50.0 * at + 700.0);
        let values: Vec<Change> = (0..keys.len()).map(|key| parabola(keys.offset(key) as f64)).collect();
        let all = keys.interpolated(&values);
        for at in 4..=36 {
            assert!((all[at] - parabola(at as f64)).norm() < 1e-9, "{at}");
        }
        let mut one = vec![Change::zeros(); keys.len()];
        one[5] = Change::repeat(1.0);
        let all = keys.interpolated(&one);
        for (at, change) in all.iter().enumerate() {
            assert_eq!(*change != Change::zeros(), (17..24).contains(&at), "{at}");
        }
        assert_eq!(all[20], one[5]);
    }
}
