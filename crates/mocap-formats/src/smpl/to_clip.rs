//! The motion of an SMPL body as a clip.

use super::body::with_bones_of;
use super::{Model, Problem};
use crate::arrays::{self, Source};
use crate::{Finding, LimitExceeded, Parsed, ReadOptions};
use mocap_model::{Annotations, Clip, FrameRate, JointTracks, ScalarTrack, Track, Vector3, exp};
use std::sync::Arc;

/// A body counts as standing along an axis from this share of its height on (cosine of 37°).
const CLEAR: f64 = 0.8;

/// Arrays that state the frame rate, in the order in which they count.
const RATES: [&str; 3] = ["mocap_framerate", "mocap_frame_rate", "fps"];
/// Rates that differ by no more, as a share, are one that was rounded.
const ROUNDED_RATE: f64 = 1e-3;

/// The motion of `poses` and `trans` on the mean body, or on [`ReadOptions::body`]. Shape parameters (`betas`) are kept
/// as scalar tracks, the gender is part of the skeleton's name.
pub(crate) fn to_clip(source: &Source, options: &ReadOptions) -> Result<Parsed<Clip>, Finding> {
    let limits = &options.limits;
    let poses = source.need("poses")?;
    let frames = poses.shape.first().copied().unwrap_or(0);
    let width: usize = poses.shape.get(1..).unwrap_or_default().iter().product();
    let joints = width / 3;
    let model = Model::of_joints(joints).filter(|_| width.is_multiple_of(3) && poses.shape.len() > 1);
    let model = model.ok_or_else(|| {
        let (path, found) = (source.path("poses"), poses.shape.clone());
        Finding::new(Problem::Joints { path, found })
    })?;
    if frames > limits.frames {
        return Err(Finding::new(LimitExceeded { what: "frames", found: frames, limit: limits.frames }));
    }
    source.need("trans")?;
    let trans = source.shaped("trans", &[frames, 3])?.expect("it is there");
    let mut warnings = Vec::new();
    let rate = rate(source, options.fps, &mut warnings)?;
    let gender = source.texts("gender").ok().flatten().and_then(<[_]>::first).cloned().unwrap_or_default();
    let mean = model.skeleton(joints, &gender);
    let skeleton = match &options.body {
        Some(body) => with_bones_of(model, &mean, body)?,
        None => mean,
    };
    let skeleton = Arc::new(skeleton);
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let vector = |name: &str, array: &arrays::Array, at: usize| -> Result<Vector3<f64>, Finding> {
        let mut vector = Vector3::zeros();
        for axis in 0..3 {
            vector[axis] = source.finite(name, array, at + axis)?;
        }
        Ok(vector)
    };
    for (joint, tracks) in tracks.iter_mut().enumerate() {
        let name = &skeleton.joints()[joint].name;
        let turns: Result<Vec<_>, Finding> = (0..frames)
            .map(|frame| {
                let turn = vector("poses", poses, frame * width + 3 * joint);
                turn.map(|turn| exp(&turn)).map_err(|finding| finding.in_joint(name).in_frame(frame))
            })
            .collect();
        tracks.rotation = Track::from_samples(turns?).unwrap_or(tracks.rotation.clone());
    }
    let pelvis = skeleton.joints()[0].offset;
    let ways: Result<Vec<_>, Finding> = (0..frames)
        .map(|frame| {
            let way = vector("trans", trans, 3 * frame);
            way.map(|way| way + pelvis).map_err(|finding| finding.in_joint("pelvis").in_frame(frame))
        })
        .collect();
    tracks[0].translation = Track::from_samples(ways?);
    if stands_along_y(&tracks[0], frames) {
        warnings.push(Finding::new(Problem::YUp));
    }
    let clip = Clip::new(skeleton, rate, frames, tracks).map_err(|error| source.model("poses", error))?;
    let clip = clip.with_annotations(shape(source)?).map_err(|error| source.model("betas", error))?;
    Ok(Parsed { value: clip, warnings })
}

/// The frame rate: as the options state it, else the first one that the file states. Others that differ are a warning.
fn rate(source: &Source, fps: Option<f64>, warnings: &mut Vec<Finding>) -> Result<FrameRate, Finding> {
    let mut stated = Vec::new();
    for name in RATES {
        stated.extend(source.scalar(name)?.map(|found| (name, found)));
    }
    let first = stated.first().copied();
    if let (None, Some((name, used))) = (fps, first) {
        let is_same = |found: f64| (found / used - 1.0).abs() < ROUNDED_RATE;
        let differs = |(_, found): &&(&str, f64)| !is_same(*found);
        if let Some((other, found)) = stated.iter().find(differs) {
            let [path, other] = [name, other].map(|name| source.path(name));
            warnings.push(Finding::new(Problem::Rates { path, used, other, found: *found }));
        }
    }
    let Some(fps) = fps.or(first.map(|(_, fps)| fps)) else {
        return Err(source.need(RATES[0]).expect_err("no rate"));
    };
    let name = first.map_or(RATES[0], |(name, _)| name);
    FrameRate::new(fps).ok_or_else(|| source.value(name, String::new(), format!("{fps} is not a frame rate")))
}

/// Whether the body, which has Y up in its own axes, stands along the Y axis of the file over the whole motion.
fn stands_along_y(root: &JointTracks, frames: usize) -> bool {
    let sum: Vector3<f64> = (0..frames).map(|frame| root.rotation.at(frame) * Vector3::y()).sum();
    frames > 0 && sum.y / frames as f64 > CLEAR
}

/// The shape parameters as scalar tracks.
fn shape(source: &Source) -> Result<Annotations, Finding> {
    let mut annotations = Annotations::default();
    if let Some(betas) = source.arrays.get("betas") {
        for at in 0..betas.data.len() {
            let values = Track::Constant(source.finite("betas", betas, at)?);
            annotations.scalars.push(ScalarTrack { name: format!("betas[{at}]"), values });
        }
    }
    Ok(annotations)
}
