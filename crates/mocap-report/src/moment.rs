//! Times in clips that a sheet shows.

use mocap_model::Clip;
use std::fmt;
use std::str::FromStr;

/// A time in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// Since the first frame \[s\].
    Seconds(f64),
    /// Counted from 0.
    Frame(usize),
}

impl FromStr for Moment {
    type Err = String;

    /// Reads a time (`1.2s`) or a frame from 0 (`120`).
    fn from_str(text: &str) -> Result<Moment, String> {
        let moment = match text.trim().strip_suffix('s') {
            Some(seconds) => {
                seconds.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0).map(Moment::Seconds)
            }
            None => text.trim().parse().ok().map(Moment::Frame),
        };
        moment.ok_or_else(|| format!("'{text}' is neither a time such as 1.2s nor a frame from 0"))
    }
}

impl Moment {
    /// The nearest frame; `None` outside the clip.
    pub fn frame_in(self, clip: &Clip) -> Option<usize> {
        let frame = match self {
            Moment::Frame(frame) => frame,
            Moment::Seconds(seconds) => {
                let frame = (seconds * clip.rate().fps()).round();
                // Half a frame before the first is still the first.
                (frame >= 0.0).then_some(frame as usize)?
            }
        };
        (frame < clip.frames()).then_some(frame)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Frame(frame) => write!(f, "frame {frame}"),
            Moment::Seconds(seconds) => write!(f, "{seconds} s"),
        }
    }
}

/// The reason why a sheet would show less than requested.
#[derive(Clone, Debug, PartialEq)]
pub enum MomentError {
    /// A motion has none of the requested times.
    EmptyRow {
        /// The name of the motion.
        name: String,
        /// Its frames.
        frames: usize,
        /// Its duration \[s\].
        seconds: f64,
    },
    /// No motion has this time.
    AfterTheEnd {
        /// The moment.
        moment: Moment,
        /// The frames of the longest motion.
        frames: usize,
        /// Its duration \[s\].
        seconds: f64,
    },
}

impl fmt::Display for MomentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MomentError::EmptyRow { name, frames, seconds } => {
                write!(f, "'{name}' has none of these moments: it has {frames} frames, {seconds:.2} s")
            }
            MomentError::AfterTheEnd { moment, frames, seconds } => {
                write!(f, "{moment} is after the end: there are {frames} frames, {seconds:.2} s")
            }
        }
    }
}

impl std::error::Error for MomentError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_seconds_or_frames() {
        assert_eq!("1.2s".parse(), Ok(Moment::Seconds(1.2)));
        assert_eq!("120".parse(), Ok(Moment::Frame(120)));
        for wrong in ["", "s", "1.2", "-1", "-1s", "infs", "1m"] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }
}
