//! Time codes: hours, minutes, seconds, frames of a second, and a fraction of a frame.

use mocap_model::Event;

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
    /// Written with `;` before the frames, which marks drop-frame codes.
    pub(super) semicolon: bool,
}

impl Timecode {
    /// Reads `HH:MM:SS:FF` or `HH:MM:SS;FF`, with or without `.fraction` of a frame.
    pub(super) fn parse(text: &str) -> Option<Timecode> {
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
        let digits = |text: &str| {
            let fits = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
            fits.then(|| text.parse::<i64>().ok()).flatten()
        };
        digits(fraction)?;
        let parts: Vec<i64> = whole.split([':', ';']).map(digits).collect::<Option<_>>()?;
        let [hours, minutes, seconds, frame] = parts[..] else { return None };
        let seconds =
            (hours < 24 && minutes < 60 && seconds < 60).then_some((hours * 60 + minutes) * 60 + seconds)?;
        let semicolon = whole.rfind([':', ';']).is_some_and(|at| whole.as_bytes()[at] == b';');
        Some(Timecode { seconds, frame, semicolon })
    }
}

impl std::fmt::Display for Timecode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Timecode { seconds, frame, semicolon } = *self;
        let mark = if semicolon { ';' } else { ':' };
        write!(f, "{:02}:{:02}:{:02}{mark}{frame:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}

/// How codes count frames. Drop-frame codes of 29.97 fps (SMPTE ST 12-1:2014) leave out the codes of the first two frames
/// of every minute but each tenth, so that they stay with the clock; those of 59.94 fps leave out four.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    /// Frames in a second of the codes.
    rate: i64,
    /// Codes that are left out at the start of a minute.
    left_out: i64,
}

impl Counting {
    /// The counting of codes at a whole rate: drop-frame if all are written with `;`, the rate has drop-frame codes, and
    /// no code is one of those that are left out.
    pub(super) fn of(codes: &[Timecode], rate: i64) -> Counting {
        let left_out = if rate % 30 == 0 { rate / 15 } else { 0 };
        let drops = !codes.is_empty() && Counting::not_drop_frame(codes, rate).is_none();
        Counting { rate, left_out: if drops { left_out } else { 0 } }
    }

    /// The counting whose codes are read at a rate of frames: drop-frame at rates such as 29.97 and 59.94 fps.
    pub(super) fn at(fps: f64) -> Counting {
        let rate = fps.round() as i64;
        let drops = rate % 30 == 0 && same_rate(fps * 1.001, rate as f64);
        Counting { rate, left_out: if drops { rate / 15 } else { 0 } }
    }

    /// A code of the same label, or the next one that is counted.
    pub(super) fn counted(self, code: Timecode) -> Timecode {
        let is_absent = code.seconds % 60 == 0 && code.seconds % 600 != 0 && code.frame < self.left_out;
        Timecode { frame: if is_absent { self.left_out } else { code.frame }, ..code }
    }

    /// The index of the first code that is not a drop-frame code of a whole rate: it has no `;`, or
    /// drop-frame counting leaves it out.
    pub(super) fn not_drop_frame(codes: &[Timecode], rate: i64) -> Option<usize> {
        let left_out = rate / 15;
        let absent =
            |code: &Timecode| code.seconds % 60 == 0 && code.seconds % 600 != 0 && code.frame < left_out;
        codes.iter().position(|code| !code.semicolon || absent(code))
    }

    /// The rate of frames [1/s].
    pub(super) fn fps(self) -> f64 {
        if self.left_out > 0 { self.rate as f64 * 1000.0 / 1001.0 } else { self.rate as f64 }
    }

    /// Frames of a day.
    pub(super) fn day(self) -> i64 {
        DAY * self.rate - self.left_out * 9 * (DAY / 600)
    }

    /// Frames since midnight.
    pub(super) fn frames(self, code: Timecode) -> i64 {
        let minutes = code.seconds / 60;
        code.seconds * self.rate + code.frame - self.left_out * (minutes - minutes / 10)
    }

    /// The code of a number of frames since midnight.
    pub(super) fn code(self, frames: i64) -> Timecode {
        let Counting { rate, left_out } = self;
        let frames = frames.rem_euclid(self.day());
        let minute = rate * 60 - left_out;
        let (tens, rest) = (frames / (minute * 10 + left_out), frames % (minute * 10 + left_out));
        // The first of ten minutes has all its codes.
        let minutes = ((rest - left_out) / minute).max(0);
        let at = frames + left_out * (9 * tens + minutes);
        Timecode { seconds: at / rate, frame: at % rate, semicolon: left_out > 0 }
    }
}

/// Whether rates are the same but for the digits of texts.
pub(super) fn same_rate(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-4 * other
}

/// The name of the event that states a time code, with the rate at which it counts frames: `timecode 15:39:07:33@60`.
pub(super) fn event_name(code: Timecode, rate: i64) -> String {
    format!("{}{code}@{rate}", Event::TIMECODE)
}

/// The code that the name of an event states, and how codes at a whole rate count from it. A code that counts at another
/// rate is converted; one without a rate counts at this one.
pub(super) fn of_event(name: &str, rate: i64) -> Option<(Timecode, Counting)> {
    let stated = name.strip_prefix(Event::TIMECODE)?;
    let (code, own) = match stated.split_once('@') {
        Some((code, own)) => (code, own.parse().ok().filter(|own| RATES.contains(own))?),
        None => (stated, rate),
    };
    let code = Timecode::parse(code)?;
    let frame = (code.frame as f64 * rate as f64 / own as f64).round() as i64;
    let code = Timecode { seconds: code.seconds + frame / rate, frame: frame % rate, ..code };
    Some((code, Counting::of(&[code], rate)))
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
        let at = |rate| Counting::of(&[code], rate);
        assert_eq!(at(60).code(at(60).frames(code) + 30).to_string(), "15:39:08:03");
        assert_eq!(at(30).code(at(30).day() + 1).to_string(), "00:00:00:01");
        for wrong in
            ["", "15:39:07", "15:39:07:33.0.1", "25:00:00:00", "00:61:00:00", "a:00:00:00", "00:00:00:-1"]
        {
            assert_eq!(Timecode::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn drop_frame_codes_leave_out_two_codes_a_minute_but_each_tenth() {
        let read = |text: &str| Timecode::parse(text).unwrap();
        let last = read("00:00:59;29");
        let counting = Counting::of(&[last], 30);
        let next = |text: &str| counting.code(counting.frames(read(text)) + 1).to_string();
        assert_eq!(next("00:00:59;29"), "00:01:00;02");
        assert_eq!(next("00:09:59;29"), "00:10:00;00");
        assert_eq!(next("23:59:59;29"), "00:00:00;00");
        assert_eq!((counting.frames(read("01:00:00;00")), counting.day()), (107_892, 2_589_408));
        assert!((0..20_000).all(|frame| counting.frames(counting.code(frame)) == frame));
        let double = Counting::of(&[last], 60);
        assert_eq!(double.code(double.frames(read("00:00:59;59")) + 1).to_string(), "00:01:00;04");
        assert_eq!(Counting::not_drop_frame(&[last, read("00:01:00;02")], 30), None);
        assert_eq!(Counting::not_drop_frame(&[last, read("00:01:00;01")], 30), Some(1));
        assert_eq!(Counting::not_drop_frame(&[last, last, read("00:01:00:02")], 30), Some(2));
        // A code that drop-frame codes do not have, a rate without them, and plain codes.
        assert_eq!(Counting::of(&[last, read("00:01:00;01")], 30).fps(), 30.0);
        assert_eq!(Counting::of(&[last], 25).fps(), 25.0);
        assert_eq!(Counting::of(&[read("00:00:59:29")], 30).fps(), 30.0);
    }

    #[test]
    fn codes_of_events_count_at_the_rate_of_the_clip() {
        let first = |name: &str, rate: i64| {
            let (code, counting) = of_event(name, rate)?;
            Some(counting.code(counting.frames(code)).to_string())
        };
        let name = event_name(Timecode::parse("01:01:01:55").unwrap(), 60);
        assert_eq!(name, "timecode 01:01:01:55@60");
        for (rate, code) in
            [(60, "01:01:01:55"), (30, "01:01:01:28"), (24, "01:01:01:22"), (120, "01:01:01:110")]
        {
            assert_eq!(first(&name, rate).as_deref(), Some(code), "{rate}");
        }
        assert_eq!(first("timecode 00:00:01:59@60", 24).as_deref(), Some("00:00:02:00"));
        assert_eq!(first("timecode 00:01:00;02@30", 60).as_deref(), Some("00:01:00;04"));
        assert_eq!(first("timecode 01:01:01:55", 60).as_deref(), Some("01:01:01:55"));
        for wrong in ["walk", "timecode ", "timecode 01:01:01:55@", "timecode 01:01:01:55@0", "timecode 1@60"]
        {
            assert_eq!(first(wrong, 60), None, "{wrong}");
        }
    }

    #[test]
    fn the_rate_is_the_usual_one_above_the_frames_of_a_second() {
        let codes = |frames: &[(i64, i64)]| -> Vec<Timecode> {
            frames.iter().map(|&(seconds, frame)| Timecode { seconds, frame, semicolon: false }).collect()
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
