//! Text of the error between two motions.

use crate::{ErrorSummary, WorstSample};

impl ErrorSummary {
    /// The largest error, its place, and the 99th percentile, in one line; lengths in millimetres.
    pub fn line(&self) -> String {
        format!("error max {}, p99 {}", self.max_text(), millimetres(self.p99))
    }

    /// All errors by name, in the order in which they are shown; lengths in millimetres.
    pub fn lines(&self) -> [(&'static str, String); 6] {
        let shell = millimetres(self.shell);
        [
            ("max", self.max_text()),
            ("p99", millimetres(self.p99)),
            ("rms", millimetres(self.rms)),
            ("mean", millimetres(self.mean)),
            ("between frames", format!("max {}", millimetres(self.between_frames_max))),
            (
                "measured on",
                format!("{} joints, {} frames, {shell} from each joint", self.joints, self.frames),
            ),
        ]
    }

    fn max_text(&self) -> String {
        let max = millimetres(self.max);
        match &self.worst {
            Some(WorstSample { name, frame, .. }) => format!("{max} (joint '{name}', frame {frame})"),
            None => max,
        }
    }
}

/// A length \[m\] as text with a suitable number of digits, such as `1.2345 mm`.
///
/// ```
/// assert_eq!(mocap_analysis::millimetres(0.00125), "1.25 mm");
/// ```
pub fn millimetres(metres: f64) -> String {
    let value = metres * 1000.0;
    if value != 0.0 && value.abs() < 1e-4 {
        return format!("{value:.1e} mm");
    }
    let text = format!("{value:.4}");
    format!("{} mm", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_shown_in_millimetres() {
        assert_eq!(millimetres(0.0), "0 mm");
        assert_eq!(millimetres(0.03), "30 mm");
        assert_eq!(millimetres(0.0012345), "1.2345 mm");
        assert_eq!(millimetres(3.2e-9), "3.2e-6 mm");
    }
}
