//! Frames per second, and the rate behind a rounded frame time.

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

/// A frame time this close to that of a usual rate, relatively, is a rounded form of it.
const SNAP: f64 = 1e-4;

impl FrameRate {
    /// A rate in frames per second; `None` unless finite and above zero.
    pub fn new(fps: f64) -> Option<FrameRate> {
        (fps.is_finite() && fps > 0.0).then_some(FrameRate(fps))
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

    /// Frames per second.
    pub fn fps(self) -> f64 {
        self.0
    }

    /// Seconds per frame.
    pub fn frame_time(self) -> f64 {
        1.0 / self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // No usual rate: kept as it is.
        assert_eq!(rate(0.0343), 1.0 / 0.0343);
        assert_eq!(rate(2.0), 0.5);
    }

    #[test]
    fn rates_are_positive_and_finite() {
        for seconds in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(FrameRate::from_frame_time(seconds), None);
        }
    }
}
