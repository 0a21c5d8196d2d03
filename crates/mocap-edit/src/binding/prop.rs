//! A prop of another file, beside the characters of a scene.

use mocap_model::{BoundBody, Character, JointId, Scene, Space, name_of_tree};

use crate::trim::of_length;
use crate::{EditError, EditReport};

const EDIT: &str = "attach";

/// The scene with a prop and its mesh, in its space and time: resampled to its rate, as long as it is. What was done is noted.
pub(crate) fn with_prop(
    scene: &Scene,
    prop: &Character,
    report: &mut EditReport,
) -> Result<Scene, EditError> {
    let failed = |error| EditError::model(EDIT, error);
    let Some(first) = scene.characters.first() else { return Ok(scene.clone()) };
    let name = name_of_tree(prop.skeleton(), JointId(0)).to_owned();
    let taken = |one: &Character| one.name == name || one.skeleton().find(&name).is_some();
    if scene.characters.iter().chain(&scene.props).any(taken) {
        return Err(EditError::JointExists { name });
    }
    let space = *first.skeleton().space();
    let own = *prop.skeleton().space();
    // A prop without a stated unit has the unit of the scene.
    let stated = Space { unit: own.unit.or(space.unit), ..own };
    let mut clip =
        prop.clip.clone().with_skeleton(prop.skeleton().with_space(stated).into()).map_err(failed)?;
    if space.unit.is_some() || (stated.up, stated.forward) != (space.up, space.forward) {
        clip = clip.in_space(Space { unit: space.unit.or(stated.unit), ..space }).map_err(failed)?;
    }
    clip = clip.clone().with_skeleton(clip.skeleton().with_space(space).into()).map_err(failed)?;
    let (fps, frames) = (first.clip.rate().fps(), first.clip.frames());
    if (clip.rate().fps() / fps - 1.0).abs() > 1e-6 && clip.frames() > 1 {
        report.warn(
            "edit::prop-resampled",
            format!("'{name}' has {:.3} frames per second, resampled to {fps:.3}", clip.rate().fps()),
        );
        clip = clip.resampled(first.clip.rate()).map_err(failed)?;
    }
    if clip.frames() != frames {
        if clip.frames() > 1 {
            let what =
                if clip.frames() > frames { "its end is left out" } else { "it stays as it is in the end" };
            report.warn(
                "edit::prop-length",
                format!("'{name}' has {} frames, the scene has {frames}: {what}", clip.frames()),
            );
        }
        clip = of_length(&clip, frames, EDIT)?;
    }
    let clip = clip.with_rate(first.clip.rate());
    let mut scene = scene.clone();
    // A mesh stays bound to its own skeleton, in whose units it is.
    let body = prop.body.as_ref().map(|bound| BoundBody {
        skeleton: bound
            .skeleton
            .with_space(Space {
                unit: bound.skeleton.space().unit.or(stated.unit),
                ..*bound.skeleton.space()
            })
            .into(),
        ..bound.clone()
    });
    scene.props.push(Character { name, clip, body });
    Ok(scene)
}
