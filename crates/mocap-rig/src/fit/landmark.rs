//! A place of a joint in a body, and all of them by role.

use std::collections::BTreeMap;

use mocap_model::{Role, Vector3};

/// Where a joint is, how sure that is, and why it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// The place.
    pub place: Vector3<f64>,
    /// 0 to 1.
    pub confidence: f64,
    /// What was seen.
    pub reason: String,
}

/// The landmarks of a body, by role.
pub(crate) type Landmarks = BTreeMap<Role, Landmark>;

/// Notes a landmark.
pub(super) fn put(
    found: &mut Landmarks,
    role: Role,
    place: Vector3<f64>,
    confidence: f64,
    reason: impl Into<String>,
) {
    found.insert(role, Landmark { place, confidence, reason: reason.into() });
}
