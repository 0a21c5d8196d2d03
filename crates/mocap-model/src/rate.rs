//! Frames per second, and the rate behind a rounded frame time.

use std::str::FromStr;

/// A constant frame rate [1/s]: finite and above zero.
///
/// ```
/// use mocap_model::FrameRate;
///
/// assert_eq!(FrameRate::from_frame_time(0.0083333).unwrap().fps(), 120.0);
/// assert_eq!(FrameRate::new(0.0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameRate(f64);

/// A frame time this close to that of a whole rate, relatively, is a rounded form of it.
const SNAP: f64 = 1e-4;
/// Largest relative distance between a usual rate and the rate of a frame time written in few digits.
const FAR: f64 = 0.02;
/// Largest error of the difference of two rounded numbers \[units of their last digit\], and what computing it loses.
const BOTH_ROUNDED: f64 = 1.001;
/// Rates that cameras and engines use.
const USUAL: [f64; 12] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 240.0];

impl FrameRate {
    /// A rate in frames per second; `None` unless it and its frame time are finite and above zero.
    pub fn new(fps: f64) -> Option<FrameRate> {
        (fps.is_finite() && fps > 0.0 && (1.0 / fps).is_finite()).then_some(FrameRate(fps))
    }

    /// The rate of a frame time \[s\] as files round it: `0.0083333` is 120, `.0417083750417` is 24000/1001.
    ///
    /// Snaps to the nearest whole rate N, or N·1000/1001, within a relative distance of 1e-4.
    pub fn from_frame_time(seconds: f64) -> Option<FrameRate> {
        let fps = FrameRate::new(1.0 / seconds)?.0;
        let whole = fps.round();
        let ntsc = (fps * 1.001).round() * 1000.0 / 1001.0;
        let off = |rate: f64| (fps / rate - 1.0).abs();
        let nearest = if off(ntsc) < off(whole) { ntsc } else { whole };
        FrameRate::new(if nearest > 0.0 && off(nearest) < SNAP { nearest } else { fps })
    }

    /// The rate of a frame time as it is written in a file, which may have few digits: `0.0333` is 30, `0.0167` is 60.
    ///
    /// As [`FrameRate::from_frame_time`] where that finds a whole rate, or N·1000/1001. Otherwise the nearest usual rate
    /// (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 240) whose frame time, rounded or cut, has the digits written,
    /// if it is within 2 %; otherwise as written.
    pub fn from_frame_time_text(text: &str) -> Option<FrameRate> {
        let seconds: f64 = text.trim().parse().ok()?;
        let rate = FrameRate::from_frame_time(seconds)?;
        let exact = FrameRate::new(1.0 / seconds)?;
        if rate != exact || exact.0.fract() == 0.0 {
            return Some(rate);
        }
        let Some(decimals) = decimals(text.trim()) else { return Some(rate) };
        let scale = 10f64.powi(decimals);
        let digits = (seconds * scale).round();
        let has_digits = |fps: &f64| {
            let scaled = scale / fps;
            (scaled.round() == digits || scaled.floor() == digits) && (fps / exact.0 - 1.0).abs() < FAR
        };
        let near = |a: &f64, b: &f64| (a - exact.0).abs().total_cmp(&(b - exact.0).abs());
        USUAL.into_iter().filter(has_digits).min_by(near).map_or(Some(rate), FrameRate::new)
    }

    /// The rate of frames with their times \[s\], in order, which a file rounds to multiples of `unit`.
    ///
    /// The nearest whole rate N, else N·1000/1001, if all times are its own up to rounding. Otherwise as
    /// [`FrameRate::from_frame_time`] of the mean frame time. `None` of less than two frames.
    ///
    /// ```
    /// use mocap_model::FrameRate;
    ///
    /// let rate = |times: &[f64]| {
    ///     let times: Vec<(u64, f64)> = (0..).zip(times.iter().copied()).collect();
    ///     FrameRate::of_times(&times, 1e-5).unwrap().fps()
    /// };
    /// assert_eq!(rate(&[0.0, 0.03333, 0.06667, 0.1]), 30.0);
    /// assert_eq!(rate(&[0.0, 0.03337, 0.06673, 0.1001]), 30000.0 / 1001.0);
    /// ```
    pub fn of_times(times: &[(u64, f64)], unit: f64) -> Option<FrameRate> {
        let ((first, start), (last, end)) = (times.first()?, times.last()?);
        let frames = last.checked_sub(*first).filter(|frames| *frames > 0)? as f64;
        let fps = FrameRate::new(frames / (end - start))?.0;
        // Both times of a difference are rounded.
        let fits = |rate: &f64| {
            let off = |(frame, time): &(u64, f64)| time - start - (*frame as f64 - *first as f64) / rate;
            *rate > 0.0 && times.iter().all(|time| off(time).abs() <= BOTH_ROUNDED * unit)
        };
        let rates = [fps.round(), (fps * 1.001).round() * 1000.0 / 1001.0];
        let exact = rates.into_iter().find(fits).and_then(FrameRate::new);
        exact.or_else(|| FrameRate::from_frame_time(1.0 / fps))
    }

    /// Frames per second.
    pub fn fps(self) -> f64 {
        self.0
    }

    /// Seconds per frame.
    pub fn frame_time(self) -> f64 {
        1.0 / self.0
    }
}

/// How many decimals a number is written with: 4 of `0.0333` and of `3.33e-2`. `None` if none exists.
fn decimals(text: &str) -> Option<i32> {
    places(text).filter(|decimals| (1..=15).contains(decimals))
}

/// As [`decimals`], and none or less: -1 of `3.3e2`.
fn places(text: &str) -> Option<i32> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let fraction = mantissa.split_once('.').map_or("", |(_, fraction)| fraction);
    i32::try_from(fraction.len()).ok()?.checked_sub(exponent.parse().ok()?)
}

/// The unit of the last digit of a number as it is written: 0.001 of `0.330`, 1 of `33`.
pub fn last_digit(text: &str) -> f64 {
    // A double has no more than 15 digits.
    10f64.powi(-places(text.trim()).unwrap_or(15).min(15))
}

/// The lowest rate that can be asked for \[1/s\]: a frame in 1000 s, where no motion is left between two frames.
const SLOWEST: f64 = 1e-3;

impl FromStr for FrameRate {
    type Err = String;

    /// Reads frames per second: a number above 0, at least one frame in 1000 s, or a fraction such as `30000/1001`.
    fn from_str(text: &str) -> Result<FrameRate, String> {
        let (over, under) = text.split_once('/').unwrap_or((text, "1"));
        let parsed = over.parse::<f64>().ok().zip(under.parse::<f64>().ok());
        parsed
            .and_then(|(over, under)| FrameRate::new(over / under))
            .ok_or_else(|| "a frame rate is a number above 0, or a fraction such as 30000/1001".to_owned())
            .and_then(|rate| match rate.0 >= SLOWEST {
                true => Ok(rate),
                false => Err(format!("{:e} frames per second is too low: the least is {SLOWEST}", rate.0)),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_numbers_or_fractions() {
        let rate = |text: &str| text.parse().map(FrameRate::fps);
        assert_eq!(rate("30"), Ok(30.0));
        assert_eq!(rate("30000/1001"), Ok(30000.0 / 1001.0));
        assert_eq!((rate("0.001"), rate("1/1000")), (Ok(0.001), Ok(0.001)));
        for wrong in ["0", "-30", "30/0", "thirty", "", "1e-12", "1/2000"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rounded_frame_times_mean_usual_rates() {
        let rate = |seconds| FrameRate::from_frame_time(seconds).unwrap().fps();
        assert_eq!(rate(0.0083333), 120.0);
        assert_eq!(rate(0.008333), 120.0);
        assert_eq!(rate(0.016667), 60.0);
        assert_eq!(rate(0.0333333), 30.0);
        assert_eq!(rate(0.0333667), 30000.0 / 1001.0);
        assert_eq!(rate(0.0417083750417), 24000.0 / 1001.0);
        assert_eq!(rate(0.04), 25.0);
        // Not near a usual rate: kept as it is.
        assert_eq!(rate(0.0343), 1.0 / 0.0343);
        assert_eq!(rate(2.0), 0.5);
    }

    #[test]
    fn few_digits_mean_usual_rates() {
        let rate = |text| FrameRate::from_frame_time_text(text).unwrap().fps();
        let usual = [
            ("0.0333", 30.0),
            ("0.033", 30.0),
            ("3.33e-2", 30.0),
            ("0.0167", 60.0),
            ("0.0166", 60.0),
            ("0.00833", 120.0),
            ("0.0417", 24.0),
            ("0.0416", 24.0),
            ("0.0069", 144.0),
            ("0.00416", 240.0),
            // Whole rates take precedence over usual ones.
            ("0.01", 100.0),
            ("0.04", 25.0),
            (".0417083750417", 24000.0 / 1001.0),
            ("0.0333667", 30000.0 / 1001.0),
            ("0.008333", 120.0),
        ];
        for (text, expected) in usual {
            assert_eq!(rate(text), expected, "{text}");
        }
        // Kept as written: no usual rate has these digits.
        for text in ["0.0343", "0.0191", "2.0", "0.0351", "0.006", "0.016"] {
            assert_eq!(rate(text), 1.0 / text.parse::<f64>().unwrap(), "{text}");
        }
        for text in ["", "nan", "0", "-0.1", "x"] {
            assert_eq!(FrameRate::from_frame_time_text(text), None, "{text}");
        }
    }

    #[test]
    fn rounded_times_mean_the_rate_that_they_were_rounded_from() {
        for whole in [24.0, 25.0, 30.0, 48.0, 59.0, 60.0, 120.0, 240.0] {
            for rate in [whole, whole * 1000.0 / 1001.0] {
                for (digits, frames) in [(6, 2), (6, 40), (4, 400), (3, 4000)] {
                    let unit = 0.1f64.powi(digits);
                    let time = |frame: u64| ((frame as f64 / rate + 1.25) / unit).round() * unit;
                    let times: Vec<(u64, f64)> = (0..frames).map(|frame| (frame + 7, time(frame))).collect();
                    let found = FrameRate::of_times(&times, unit).unwrap().fps();
                    assert!((found - rate).abs() < 1e-9, "{rate} {digits} {frames}: {found}");
                }
            }
        }
        // No such rate: as measured.
        let times: Vec<(u64, f64)> = (0..100).map(|frame| (frame, frame as f64 * 0.0343)).collect();
        assert!((FrameRate::of_times(&times, 1e-6).unwrap().fps() - 1.0 / 0.0343).abs() < 1e-9);
        for times in
            [&[][..], &[(0, 0.0)], &[(0, 0.0), (0, 1.0)], &[(0, 1.0), (1, 1.0)], &[(0, 0.0), (1, f64::NAN)]]
        {
            assert_eq!(FrameRate::of_times(times, 1e-3), None, "{times:?}");
        }
    }

    #[test]
    fn the_last_digit_has_a_unit() {
        for (text, unit) in [("0.330", 1e-3), ("33", 1.0), (" 3.3e-2 ", 1e-3), ("3.3e2", 10.0)] {
            assert!((last_digit(text) / unit - 1.0).abs() < 1e-12, "{text}");
        }
    }

    #[test]
    fn rates_are_positive_and_finite() {
        for seconds in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(FrameRate::from_frame_time(seconds), None);
        }
    }
}
