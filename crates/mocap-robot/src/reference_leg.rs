//! The length of leg for which lengths of the fit are given.

/// Hip to ankle along both segments \[m\]: near those of Unitree's G1 (0.63) and Booster's T1 (0.51).
pub(crate) const LEG: f64 = 0.6;
