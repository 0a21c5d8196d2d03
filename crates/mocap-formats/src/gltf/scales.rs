//! Scales that differ between axes: constant ones go into the places of the joints below, at rest as in every frame.

use mocap_model::{
    Clip, FrameRate, Joint, JointId, JointTracks, ModelError, Skeleton, Track, UnitQuaternion, Vector3,
};
use nalgebra::Matrix3;

use super::problem::Problem;
use super::tree::Source;
use super::trs::SAME_SCALE;
use crate::Finding;

/// Changes of length that are worth a warning, relative.
const CHANGE: f64 = 1e-4;

fn one() -> Vector3<f64> {
    Vector3::repeat(1.0)
}

/// What scales do to the places below a joint, by what those above it do: see `mocap_model::Clip::without_scale`.
fn stretch(above: &Matrix3<f64>, turn: &UnitQuaternion<f64>, scale: &Vector3<f64>) -> Matrix3<f64> {
    let turn = turn.to_rotation_matrix();
    turn.inverse().matrix() * above * turn.matrix() * Matrix3::from_diagonal(scale)
}

/// Puts scales that differ between axes into the offsets at rest.
pub(super) fn stretched_offsets(joints: &mut [Joint], sources: &[Source]) {
    if sources.iter().all(|source| source.scale == one()) {
        return;
    }
    let mut stretches: Vec<Matrix3<f64>> = Vec::with_capacity(joints.len());
    for (joint, source) in joints.iter_mut().zip(sources) {
        let above = joint.parent.map_or_else(Matrix3::identity, |parent| stretches[parent.index()]);
        joint.offset = above * joint.offset;
        stretches.push(stretch(&above, &joint.rest_rotation, &source.scale));
    }
}

/// Takes scale tracks away that say what the rest skeleton has in its offsets: places have it too. Where a scale
/// changes over time, all stay tracks, and offsets only are those of the rest pose.
pub(super) fn without_constant_scale(
    mut tracks: Vec<JointTracks>,
    sources: &[Source],
    skeleton: &Skeleton,
    rate: FrameRate,
    frames: usize,
    warnings: &mut Vec<Finding>,
) -> Result<Vec<JointTracks>, ModelError> {
    let is = |track: &Track<Vector3<f64>>, scale: &Vector3<f64>| {
        track.values().iter().all(|value| (value - scale).amax() <= SAME_SCALE * scale.amax())
    };
    let held = |(tracks, source): (&JointTracks, &Source)| {
        tracks.scale.as_ref().is_none_or(|track| is(track, &source.scale))
    };
    let constant = tracks.iter().zip(sources).all(held);
    for (track, source) in tracks.iter_mut().zip(sources) {
        let scale = track.scale.take().unwrap_or(Track::Constant(one()));
        let scale = if is(&scale, &source.scale) { Track::Constant(source.scale) } else { scale };
        track.scale = Some(scale).filter(|scale| *scale != Track::Constant(one()));
    }
    if !constant || sources.iter().all(|source| source.scale == one()) {
        return Ok(tracks);
    }
    let still: Vec<bool> =
        tracks.iter().map(|track| matches!(track.translation, Some(Track::Constant(_)))).collect();
    let skeleton_of = std::sync::Arc::new(skeleton.clone());
    let clip = Clip::new(skeleton_of, rate, frames, tracks)?;
    let tracks = clip.without_scale()?.tracks().to_vec();
    if let Some((joint, change)) = largest_change(&tracks, skeleton, &still) {
        warnings.push(Finding::new(Problem::UnevenScale { change }).in_joint(&skeleton.joint(joint).name));
    }
    Ok(tracks)
}

/// The bone whose length differs most from that at rest, of those that the file does not move, and by how much of it.
fn largest_change(tracks: &[JointTracks], skeleton: &Skeleton, still: &[bool]) -> Option<(JointId, f64)> {
    let bones = skeleton.iter().filter(|(id, joint)| joint.parent.is_some() && still[id.index()]);
    let changes = bones.filter_map(|(id, joint)| {
        let rest = joint.offset.norm();
        let places = tracks[id.index()].translation.as_ref().filter(|_| rest > 1e-9)?;
        let change =
            places.values().iter().map(|place| (place.norm() / rest - 1.0).abs()).fold(0.0, f64::max);
        (change > CHANGE).then_some((id, change))
    });
    changes.reduce(|most, other| if other.1 > most.1 { other } else { most })
}

/// The clip with the scales of the nodes as tracks, where they are in its places; `None` of one that needs none.
pub(super) fn unbaked(clip: &Clip, sources: &[Source]) -> Result<Option<Clip>, ModelError> {
    if clip.has_scale() || sources.iter().all(|source| source.scale == one()) {
        return Ok(None);
    }
    let scales =
        sources.iter().map(|source| (source.scale != one()).then_some(Track::Constant(source.scale)));
    clip.with_scale(scales.collect()).map(Some)
}
