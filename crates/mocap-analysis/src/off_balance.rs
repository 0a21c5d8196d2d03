//! When a body is out of balance: spans of frames, for lists of events.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runs;

/// What is where the floor cannot hold a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OffBalanceKind {
    /// The ground point of the centre of mass, while a body stands still.
    CentreOfMass,
    /// The zero-moment point, while a robot is on its soles.
    ZeroMomentPoint,
}

impl OffBalanceKind {
    /// What it is called.
    pub fn words(self) -> &'static str {
        match self {
            OffBalanceKind::CentreOfMass => "centre of mass",
            OffBalanceKind::ZeroMomentPoint => "zero-moment point",
        }
    }
}

/// A span of frames in which a body is out of balance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OffBalance {
    /// What is outside the soles.
    pub kind: OffBalanceKind,
    /// Time of the first frame (s).
    pub start: f64,
    /// Time of the last frame (s).
    pub end: f64,
    /// Time of the frame in which it is furthest outside (s).
    pub worst: f64,
    /// How far outside the soles it is then (m); `None` where nothing presses on the floor.
    pub distance: Option<f64>,
}

/// The spans of frames with more than `allowed` \[m\] outside the soles. `outside` is how far \[m\], by frame; `None` where
/// it does not count, infinite where nothing presses on the floor.
///
/// ```
/// use mocap_analysis::{OffBalanceKind, off_balance};
///
/// let outside = [Some(0.0), Some(0.03), Some(0.05), None, Some(f64::INFINITY)];
/// let spans = off_balance(OffBalanceKind::ZeroMomentPoint, &outside, 0.02, 10.0);
/// assert_eq!((spans[0].start, spans[0].end, spans[0].worst, spans[0].distance), (0.1, 0.2, 0.2, Some(0.05)));
/// assert_eq!((spans[1].start, spans[1].distance), (0.4, None));
/// ```
pub fn off_balance(kind: OffBalanceKind, outside: &[Option<f64>], allowed: f64, fps: f64) -> Vec<OffBalance> {
    let off: Vec<bool> = outside.iter().map(|outside| outside.is_some_and(|away| away > allowed)).collect();
    let span = |frames: std::ops::Range<usize>| {
        let away = |frame: &usize| outside[*frame].unwrap_or(0.0);
        let worst = frames.clone().max_by(|a, b| away(a).total_cmp(&away(b)))?;
        let time = |frame: usize| frame as f64 / fps;
        Some(OffBalance {
            kind,
            start: time(frames.start),
            end: time(frames.end - 1),
            worst: time(worst),
            distance: outside[worst].filter(|distance| distance.is_finite()),
        })
    };
    runs(&off).into_iter().filter_map(span).collect()
}
