//! A range of a motion as people type it: `A:B`, each side a frame or a time.

use std::ops::Range;
use std::str::FromStr;

/// A range of a clip, end excluded: frames from 0 (`10:250`), seconds (`0.5s:2s`), or open (`1:`).
///
/// ```
/// use mocap_model::FrameRange;
///
/// let range: FrameRange = "0.5s:".parse().unwrap();
/// assert_eq!(range.frames(100, 30.0), Some(15..100));
/// let range: FrameRange = "10:250".parse().unwrap();
/// assert!(range.ends_after(182, 60.0) && !range.ends_after(250, 60.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameRange {
    start: Option<Mark>,
    end: Option<Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Frame(usize),
    Seconds(f64),
}

impl FrameRange {
    /// The part of a clip of `frames` frames at `fps` \[1/s\] that lies in the range; `None` where that is empty.
    pub fn frames(&self, frames: usize, fps: f64) -> Option<Range<usize>> {
        let place = |mark: Mark| match mark {
            Mark::Frame(frame) => frame,
            // The first frame at or after the time. The tolerance accepts a frame that rounding puts just before it.
            Mark::Seconds(seconds) => (seconds * fps - 1e-6).ceil().max(0.0) as usize,
        };
        let start = self.start.map_or(0, place);
        let end = self.end.map_or(frames, place).min(frames);
        (start < end).then_some(start..end)
    }

    /// Whether the range ends after a clip of `frames` frames at `fps` \[1/s\]. A time may be within a frame after its end.
    pub fn ends_after(&self, frames: usize, fps: f64) -> bool {
        match self.end {
            Some(Mark::Frame(end)) => end > frames,
            Some(Mark::Seconds(seconds)) => seconds * fps > frames as f64 + 1e-6,
            None => false,
        }
    }
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<FrameRange, String> {
        let wrong = || {
            "a range is A:B, each side a frame from 0 (10:250) or a time in seconds (0.5s:2s) or open (1:)"
                .to_string()
        };
        let side = |text: &str| -> Result<Option<Mark>, String> {
            if text.is_empty() {
                return Ok(None);
            }
            let mark = match text.strip_suffix('s') {
                Some(seconds) => seconds
                    .parse()
                    .ok()
                    .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
                    .map(Mark::Seconds),
                None => text.parse().ok().map(Mark::Frame),
            };
            mark.map(Some).ok_or_else(wrong)
        };
        let (start, end) = text.split_once(':').ok_or_else(wrong)?;
        let range = FrameRange { start: side(start.trim())?, end: side(end.trim())? };
        // A frame and a time can be compared only where the rate is known.
        let empty = match (range.start, range.end) {
            (Some(Mark::Frame(start)), Some(Mark::Frame(end))) => start >= end,
            (Some(Mark::Seconds(start)), Some(Mark::Seconds(end))) => start >= end,
            _ => false,
        };
        if empty {
            return Err("the range ends before it starts: its end is not included".into());
        }
        Ok(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Option<Range<usize>> {
        text.parse::<FrameRange>().unwrap().frames(100, 30.0)
    }

    #[test]
    fn sides_are_frames_or_seconds_or_open() {
        assert_eq!(frames("10:20"), Some(10..20));
        assert_eq!(frames("1:"), Some(1..100));
        assert_eq!(frames(":5"), Some(0..5));
        assert_eq!(frames("1s:2s"), Some(30..60));
        assert_eq!(frames("0.1s:0.2s"), Some(3..6));
        assert_eq!(frames("30:2s"), Some(30..60));
        assert_eq!(frames("90:500"), Some(90..100));
        assert_eq!(frames("100:"), None);
        assert_eq!(frames("20:0.5s"), None);
    }

    #[test]
    fn other_text_is_refused() {
        for wrong in ["", "5", "a:b", "-1:3", "1.5:3", "infs:", "1:2:3", "20:10", "20:20", "2s:1s"] {
            assert!(wrong.parse::<FrameRange>().is_err(), "{wrong}");
        }
    }
}
