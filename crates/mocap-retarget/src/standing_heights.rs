//! Heights of the floor and of standing ankles on both bodies.

/// Heights of floors and standing ankles along the up axis. Each skeleton has its own unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StandingHeights {
    pub source_floor: f64,
    /// Of the source's ankles above its floor.
    pub source_ankle: f64,
    pub target_floor: f64,
    /// Of the target's ankles above its floor.
    pub target_ankle: f64,
}
