//! A prop of another file, beside the characters of a scene.

use mocap_analysis::guess_unit;
use mocap_model::{
    BoundBody, Character, Clip, JointId, Pose, Role, Scene, Skeleton, Space, Unit, UnitSource, Vector3,
    name_of_tree,
};
use mocap_retarget::map_roles_in;

use crate::trim::of_length;
use crate::{EditError, EditReport};

const EDIT: &str = "attach";
/// A prop that is longer than a house, or shorter than a fingernail, is in another unit than assumed \[m\].
const HOUSE: f64 = 15.0;
const FINGERNAIL: f64 = 0.01;

/// Adds a prop with its mesh to a scene: converted to the space of the scene, resampled to its rate, cut or extended to its
/// length. `unit` is the length of the prop's unit \[m\], where the user states it. The report has a warning for each change.
pub(crate) fn with_prop(
    scene: &Scene,
    prop: &Character,
    unit_stated: Option<f64>,
    report: &mut EditReport,
) -> Result<Scene, EditError> {
    let failed = |error| EditError::model(EDIT, error);
    let Some(first) = scene.characters.first() else { return Ok(scene.clone()) };
    let name = name_of_tree(prop.skeleton(), JointId(0)).to_owned();
    let taken = |one: &Character| one.name == name || one.skeleton().find(&name).is_some();
    if scene.characters.iter().chain(&scene.props).any(taken) {
        return Err(EditError::PropExists { name });
    }
    let space = *first.skeleton().space();
    let own = *prop.skeleton().space();
    let flag = unit_stated.map(|metres| Unit { metres, source: UnitSource::Flag });
    let own = Space { unit: flag.or(own.unit), ..own };
    // A prop of an unknown unit has that of the scene; a body, such as a mount, shows its unit by its size.
    let unit = space.unit.or_else(|| of_body(&first.clip));
    let stated = Space { unit: own.unit.or_else(|| of_body(&prop.clip)).or(unit), ..own };
    if own.unit.is_none() && space.unit.is_some() {
        let assumed = match (of_body(&prop.clip), stated.unit.and_then(|unit| unit.name())) {
            (Some(_), Some(unit)) => format!("{unit} is assumed, from its size"),
            (Some(_), None) => "one is assumed, from its size".to_owned(),
            (None, _) => "that of the scene is assumed".to_owned(),
        };
        report.warn("edit::prop-unit", format!("'{name}' states no unit: {assumed}"));
    }
    let mut clip =
        prop.clip.clone().with_skeleton(prop.skeleton().with_space(stated).into()).map_err(failed)?;
    if unit.is_some() || (stated.up, stated.forward) != (space.up, space.forward) {
        clip = clip.in_space(Space { unit: unit.or(stated.unit), ..space }).map_err(failed)?;
    }
    let in_unit = clip.skeleton().clone();
    clip = clip.clone().with_skeleton(in_unit.with_space(space).into()).map_err(failed)?;
    let skeleton = clip.skeleton().clone();
    let body = prop.body.as_ref().map(|bound| {
        let own = *bound.skeleton.space();
        let from = bound.skeleton.with_space(Space { unit: flag.or(own.unit).or(stated.unit), ..own });
        BoundBody { body: bound.body.on(&from, &in_unit).into(), skeleton: skeleton.clone() }
    });
    if let Some(unit) = unit {
        warn_of_size(report, &name, size(&skeleton, body.as_ref()) * unit.metres);
    }
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
    scene.props.push(Character { name, clip, body });
    Ok(scene)
}

/// The diagonal of the box around joints and vertices at rest [units]; 0 of a single joint without a mesh.
fn size(skeleton: &Skeleton, body: Option<&BoundBody>) -> f64 {
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let joints: Vec<Vector3<f64>> = rest.joints.iter().map(|joint| joint.translation.vector).collect();
    let meshes = body.into_iter().flat_map(|bound| bound.body.meshes.iter());
    let vertices: Vec<Vector3<f64>> = meshes.flat_map(|mesh| mesh.at_rest(skeleton).positions).collect();
    let diagonal = |places: &[Vector3<f64>]| match places.first() {
        Some(first) => {
            let low = places.iter().fold(*first, |low, at| low.inf(at));
            let high = places.iter().fold(*first, |high, at| high.sup(at));
            (high - low).norm()
        }
        None => 0.0,
    };
    diagonal(&joints).max(diagonal(&vertices))
}

fn warn_of_size(report: &mut EditReport, name: &str, metres: f64) {
    let than = match metres {
        size if size > HOUSE => "longer than a house",
        size if size > 0.0 && size < FINGERNAIL => "shorter than a fingernail",
        _ => return,
    };
    let long = match metres {
        size if (0.1..1e6).contains(&size) => format!("{size:.1} m"),
        size if (1e-6..0.1).contains(&size) => format!("{:.3} mm", size * 1000.0),
        size => format!("{size:.1e} m"),
    };
    let message =
        format!("'{name}' is {long} long beside its holder, {than}: --prop-unit states the unit of its file");
    report.warn("edit::prop-size", message);
}

/// The unit guessed from the size of a body; `None` if the clip is not that of a body.
fn of_body(clip: &Clip) -> Option<Unit> {
    let roles = map_roles_in(clip).certain();
    roles.joint(Role::Hips)?;
    guess_unit(&roles.apply(clip.skeleton()))
}
