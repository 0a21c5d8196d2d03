//! Greatest speeds and accelerations of joints.

/// Limits by joint; `None` if none is stated.
pub(crate) struct Highest {
    /// [rad/s or m/s]
    pub(crate) speeds: Vec<Option<f64>>,
    /// [rad/s² or m/s²]
    pub(crate) accelerations: Vec<Option<f64>>,
}
