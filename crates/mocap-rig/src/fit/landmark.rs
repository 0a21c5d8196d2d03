//! Landmarks: places of joints in a body, by role.

use std::collections::BTreeMap;

use mocap_model::{Role, Vector3};

/// The place of a joint, with its confidence and reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// The place.
    pub place: Vector3<f64>,
    /// 0 to 1.
    pub confidence: f64,
    /// The observation behind it.
    pub reason: String,
}

/// The landmarks of a body, by role.
pub(crate) type Landmarks = BTreeMap<Role, Landmark>;

/// Adds a landmark.
pub(super) fn put(
    found: &mut Landmarks,
    role: Role,
    place: Vector3<f64>,
    confidence: f64,
    reason: impl Into<String>,
) {
    found.insert(role, Landmark { place, confidence, reason: reason.into() });
}
