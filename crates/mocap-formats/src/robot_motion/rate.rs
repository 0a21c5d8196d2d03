//! The rates that trainers expect.

use crate::Format;
use mocap_model::FrameRate;

/// Frames per second at which a motion is written in a format unless a user asks for others: those that its trainers
/// expect.
pub fn usual_rate(format: Format) -> FrameRate {
    let fps = if format == Format::MjlabNpz { 50.0 } else { 30.0 };
    FrameRate::new(fps).expect("a rate is above 0")
}
