//! Time codes: hours, minutes, seconds, frames of a second, and a fraction of a frame.

/// The prefix of the name of an event that holds a time code.
pub(super) const EVENT: &str = "timecode ";
/// Seconds of a day.
const DAY: i64 = 24 * 3600;

/// Rates of time codes, in whole frames per second.
pub(super) const RATES: std::ops::RangeInclusive<i64> = 1..=1000;

/// Rates that cameras and telephones record at.
const USUAL: [i64; 9] = [24, 25, 30, 48, 50, 60, 90, 120, 240];

/// A time code without its fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timecode {
    /// Of the day.
    pub(super) seconds: i64,
    /// Of the second.
    pub(super) frame: i64,
}

impl Timecode {
    /// Reads `HH:MM:SS:FF`, with or without `.fraction` of a frame; some programs write `;` before the frames.
    pub(super) fn parse(text: &str) -> Option<Timecode> {
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
        let digits = |text: &str| {
            let fits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            fits.then(|| text.parse::<i64>().ok()).flatten()
        };
        digits(fraction)?;
        let parts: Vec<i64> = whole.split([':', ';']).map(digits).collect::<Option<_>>()?;
        let [hours, minutes, seconds, frame] = parts[..] else { return None };
        (hours < 24 && minutes < 60 && seconds < 60)
            .then_some(Timecode { seconds: (hours * 60 + minutes) * 60 + seconds, frame })
    }

    /// Frames since midnight.
    pub(super) fn frames(self, rate: i64) -> i64 {
        self.seconds * rate + self.frame
    }

    /// The code of a number of frames since midnight.
    pub(super) fn of_frames(frames: i64, rate: i64) -> Timecode {
        let frames = frames.rem_euclid(DAY * rate);
        Timecode { seconds: frames / rate, frame: frames % rate }
    }

    /// Frames of a day.
    pub(super) fn day(rate: i64) -> i64 {
        DAY * rate
    }
}

impl std::fmt::Display for Timecode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Timecode { seconds, frame } = *self;
        write!(f, "{:02}:{:02}:{:02}:{frame:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

/// The rate of time codes [frames per second]: the lowest usual rate above the highest frame number, and at least 30 if
/// the take is within one second. Also whether it is certain: the take has a whole second, or the end of one at the
/// last frame of a usual rate.
pub(super) fn rate(codes: &[Timecode]) -> (i64, bool) {
    let most = codes.iter().map(|code| code.frame).max().unwrap_or(0);
    let ends = codes.windows(2).filter(|pair| pair[0].seconds != pair[1].seconds).count();
    let least = if ends > 0 { most + 1 } else { (most + 1).max(30) };
    let usual = USUAL.into_iter().find(|rate| *rate >= least);
    let sure = ends > 1 || (ends == 1 && usual == Some(most + 1));
    (usual.unwrap_or(least), sure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_and_written() {
        let code = Timecode::parse("15:39:07:33.007").unwrap();
        assert_eq!((code.seconds, code.frame), (56347, 33));
        assert_eq!(code.to_string(), "15:39:07:33");
        assert_eq!(Timecode::of_frames(code.frames(60) + 30, 60).to_string(), "15:39:08:03");
        assert_eq!(Timecode::of_frames(Timecode::day(30) + 1, 30).to_string(), "00:00:00:01");
        for wrong in
            ["", "15:39:07", "15:39:07:33.0.1", "25:00:00:00", "00:61:00:00", "a:00:00:00", "00:00:00:-1"]
        {
            assert_eq!(Timecode::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_rate_is_the_usual_one_above_the_frames_of_a_second() {
        let codes = |frames: &[(i64, i64)]| -> Vec<Timecode> {
            frames.iter().map(|&(seconds, frame)| Timecode { seconds, frame }).collect()
        };
        assert_eq!(rate(&codes(&[(0, 23), (1, 0)])), (24, true));
        assert_eq!(rate(&codes(&[(0, 59), (1, 0)])), (60, true));
        // The last frames of the only second that ends may be missing, so the rate is not certain.
        assert_eq!(rate(&codes(&[(0, 45), (1, 0)])), (48, false));
        assert_eq!(rate(&codes(&[(0, 58), (1, 57), (2, 0)])), (60, true));
        assert_eq!(rate(&codes(&[(0, 3), (0, 4)])), (30, false));
        assert_eq!(rate(&codes(&[(0, 33), (0, 44)])), (48, false));
        assert_eq!(rate(&codes(&[(0, 400), (1, 0)])), (401, false));
    }
}
