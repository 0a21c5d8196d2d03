//! Markers put on a body: the recording that an optical system would make of a motion.

use mocap_model::{Clip, ForwardKinematics, JointId, Markers, Skeleton, Vector3};

use crate::SolveError;
use crate::geometry::Geometry;
use crate::marker_set::MarkerSets;

/// A recording of virtual markers.
#[derive(Clone, Debug)]
pub struct VirtualMarkers {
    /// In the space and at the rate of the clip, without gaps.
    pub markers: Markers,
    /// Labels of the set for which the skeleton has no segment.
    pub without_segment: Vec<String>,
}

/// Puts the markers of a set on a body, each at its usual place, rigidly on its joint.
///
/// `body` is the skeleton of the clip with the roles of its joints ([`mocap_model::Joint::role`]) and its unit.
///
/// # Panics
/// If `body` has other joints than the clip.
///
/// # Errors
/// [`SolveError::UnknownSet`]; [`SolveError::NotABody`] where roles show neither legs nor arms, or no label has a
/// segment; [`SolveError::TargetUnit`] without a unit.
pub fn virtual_markers(
    clip: &Clip,
    body: &Skeleton,
    sets: &MarkerSets,
    set: &str,
) -> Result<VirtualMarkers, SolveError> {
    assert_eq!(body.len(), clip.skeleton().len(), "the joints of the clip");
    let only = sets.only(set).ok_or_else(|| SolveError::UnknownSet {
        name: set.to_owned(),
        known: sets.names().collect::<Vec<_>>().join(", "),
    })?;
    let metres = body.space().metres().ok_or(SolveError::TargetUnit)?;
    let missing = SolveError::NotABody { missing: "pair of legs or arms" };
    let geometry = Geometry::of(body, metres).ok_or(missing)?;
    let mut without_segment = Vec::new();
    let mut names = Vec::new();
    let mut attached: Vec<(JointId, Vector3<f64>)> = Vec::new();
    for (label, landmark) in only {
        match geometry.attachment(&landmark) {
            Some((joint, place)) => {
                names.push(label);
                attached.push((joint, place / metres));
            }
            None => without_segment.push(label),
        }
    }
    if names.is_empty() {
        return Err(SolveError::NotABody { missing: "segment of the marker set" });
    }
    let mut kinematics = ForwardKinematics::new(clip);
    let mut positions = Vec::with_capacity(clip.frames() * names.len());
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        let place = |(joint, place): &(JointId, Vector3<f64>)| {
            let at = kinematics.at(*joint);
            Some(at.rotation * place + at.translation.vector)
        };
        positions.extend(attached.iter().map(place));
    }
    let markers = Markers::new(*body.space(), clip.rate(), clip.frames(), names, positions)?;
    Ok(VirtualMarkers { markers, without_segment })
}
