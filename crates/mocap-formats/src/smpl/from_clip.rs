//! A clip on an SMPL body as arrays.

use super::Problem;
use super::body::{above, axes, joints, pelvis, relative, to_z_up};
use crate::Finding;
use crate::arrays::{Array, Arrays, Data};
use mocap_model::{Clip, Track, log};

/// The least number of shape parameters that are written.
const BETAS: usize = 16;

/// The arrays of a clip whose joints are those of an SMPL body: `poses`, `trans`, `betas`, `gender`,
/// `mocap_framerate`, all with 64 bits. Joints are found by the names of the models, or by `L_Hip` and the like.
///
/// # Errors
/// Where a joint of the body is missing or below another than in the models, or its rest pose is not that of the models.
pub fn of_clip(clip: &Clip) -> Result<Arrays, Finding> {
    let skeleton = clip.skeleton();
    let (model, joints) = joints(skeleton)?;
    let axes = axes(skeleton, &joints)?;
    let metres = skeleton.space().metres().ok_or_else(|| Finding::new(Problem::NoUnit))?;
    let turn = to_z_up(skeleton);
    let pelvis = pelvis(model, skeleton, &joints, metres);
    let parents = above(skeleton, &joints);
    let frames = clip.frames();
    let (mut poses, mut trans) =
        (Vec::with_capacity(frames * joints.len() * 3), Vec::with_capacity(frames * 3));
    for frame in 0..frames {
        for (place, joint) in joints.iter().enumerate() {
            let Some(joint) = joint else {
                poses.extend_from_slice(&[0.0; 3]);
                continue;
            };
            let local = relative(skeleton, *joint, parents[place], |joint| clip.local(joint, frame));
            let before = if place == 0 { turn } else { axes.inverse() };
            let rotation = before * local.rotation * axes;
            poses.extend_from_slice(log(&rotation).as_slice());
            if place == 0 {
                let way = turn * local.translation.vector * metres - pelvis;
                trans.extend_from_slice(way.as_slice());
            }
        }
    }
    let mut arrays = Arrays::default();
    arrays.insert("poses", Array::new([frames, joints.len() * 3], Data::F64(poses)));
    arrays.insert("trans", Array::new([frames, 3], Data::F64(trans)));
    let betas = betas(clip);
    arrays.insert("betas", Array::new([betas.len()], Data::F64(betas)));
    let gender = ["neutral", "male", "female"]
        .into_iter()
        .find(|gender| skeleton.name().ends_with(&format!(" {gender}")));
    arrays.insert("gender", Array::text(gender.unwrap_or("neutral")));
    let rate = if model == super::Model::SmplX { "mocap_frame_rate" } else { "mocap_framerate" };
    arrays.insert(rate, Array::scalar(clip.rate().fps()));
    arrays.insert("surface_model_type", Array::text(model.name()));
    Ok(arrays)
}

/// The number of scalar tracks of a clip that files do not hold: those that are not shape parameters.
pub(super) fn other_scalars(clip: &Clip) -> usize {
    clip.annotations().scalars.len() - stated_betas(clip).len()
}

/// The shape parameters that a clip has.
fn stated_betas(clip: &Clip) -> Vec<f64> {
    let scalars = &clip.annotations().scalars;
    let betas = (0..).map_while(|at| {
        let track = scalars.iter().find(|track| track.name == format!("betas[{at}]"))?;
        match &track.values {
            Track::Constant(value) => Some(*value),
            Track::Sampled(values) => values.first().copied(),
        }
    });
    betas.collect()
}

/// The shape parameters of a clip; zeros are the mean body.
fn betas(clip: &Clip) -> Vec<f64> {
    let mut betas = stated_betas(clip);
    if betas.is_empty() {
        betas.resize(BETAS, 0.0);
    }
    betas
}
