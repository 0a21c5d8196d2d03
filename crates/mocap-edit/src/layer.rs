//! Layers: adds the difference between a pose or motion and its reference to another motion.

use mocap_model::{Clip, Isometry3, Vector3, exp, log};
use nalgebra::Translation3;

use crate::body::Body;
use crate::mask::Mask;
use crate::samples::Samples;
use crate::{EditError, EditReport};

/// A pose or motion that is added.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// A motion adds its difference from its first frame, a single pose its difference from its rest pose. Joints
    /// belong together by name; it is sampled by time, and its last frame holds.
    pub clip: Clip,
    /// How much of it is added, 1 for all; less than 0 takes away. Default: 1.
    pub weight: f64,
    /// The joints to which it is added; `None`: all.
    pub mask: Option<Mask>,
}

impl Layer {
    /// A layer with weight 1 on all joints.
    pub fn new(clip: Clip) -> Layer {
        Layer { clip, weight: 1.0, mask: None }
    }
}

/// Adds a layer to a motion.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{Layer, add};
///
/// let half = Layer { weight: 0.5, ..Layer::new(clip.clone()) };
/// let (more, report) = add(&clip, &half)?;
/// assert_eq!(more.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Mask`] where the mask takes no joint, [`EditError::Skeletons`] where none of its joints is in the layer,
/// [`EditError::Option`] where the weight is not finite.
pub fn add(clip: &Clip, layer: &Layer) -> Result<(Clip, EditReport), EditError> {
    if !layer.weight.is_finite() {
        let (name, expected) = ("the weight", "finite");
        return Err(EditError::Option { edit: "add", name, value: layer.weight, expected });
    }
    let taken = match &layer.mask {
        Some(mask) => mask.shares(&Body::of(clip).skeleton)?,
        None => vec![1.0; clip.skeleton().len()],
    };
    let (source, last) = (layer.clip.skeleton(), layer.clip.frames().saturating_sub(1));
    let step = layer.clip.rate().fps() / clip.rate().fps();
    let mut samples = Samples::of(clip);
    let (mut added, mut missing) = (0, Vec::new());
    for (id, joint) in clip.skeleton().iter().filter(|(id, joint)| taken[id.index()] > 0.0 && !joint.end_site)
    {
        let Some(other) = source.find(&joint.name).filter(|_| layer.clip.frames() > 0) else {
            missing.push(joint.name.as_str());
            continue;
        };
        let (rest, weight) = (source.joint(other), layer.weight * taken[id.index()]);
        let reference = match last {
            0 => Isometry3::from_parts(Translation3::from(rest.offset), rest.rest_rotation),
            _ => layer.clip.local(other, 0),
        };
        for frame in 0..samples.frames {
            let at = (frame as f64 * step).min(last as f64);
            let from = at.floor() as usize;
            let (a, b) = (layer.clip.local(other, from), layer.clip.local(other, (from + 1).min(last)));
            let posed = crate::cycle::between(&a, &b, at - from as f64);
            let turn = exp(&(log(&(reference.rotation.inverse() * posed.rotation)) * weight));
            let own = samples.local(id, frame);
            // A pose places the body; only a motion moves it.
            let moves = last > 0 || joint.parent.is_some();
            let shift: Vector3<f64> = match moves {
                true => (posed.translation.vector - reference.translation.vector) * weight,
                false => Vector3::zeros(),
            };
            let local = Isometry3::from_parts(
                Translation3::from(own.translation.vector + shift),
                own.rotation * turn,
            );
            samples.set_local(id, frame, &local);
        }
        added += 1;
    }
    if added == 0 {
        let named = missing.first().map_or(String::new(), |name| format!(", such as '{name}'"));
        return Err(EditError::Skeletons { reason: format!("the layer has none of the joints{named}") });
    }
    let layered = samples.into_clip("add")?;
    let mut report =
        EditReport::measured("add", clip, &layered).note(format!("weight {}, {added} joints", layer.weight));
    if !missing.is_empty() {
        let names = missing.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let message = format!("{} joints are not in the layer and stay: {names}", missing.len());
        report.warn("edit::not-in-layer", message);
    }
    report.warn_of_skate();
    report.warn_of_limits(&[clip], &layered);
    Ok((layered, report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::angle_between;

    #[test]
    fn a_motion_is_added_by_weight_and_mask() {
        let walk = clip("alex_walk.bvh");
        let mask: Mask = "LeftUpperArm/**".parse().unwrap();
        let (none, _) = add(&walk, &Layer { weight: 0.0, ..Layer::new(walk.clone()) }).unwrap();
        let (half, report) =
            add(&walk, &Layer { clip: walk.clone(), weight: 0.5, mask: Some(mask.clone()) }).unwrap();
        let taken = mask.shares(&Body::of(&walk).skeleton).unwrap();
        let frame = walk.frames() / 2;
        let mut changed = 0;
        for (id, joint) in walk.skeleton().iter().filter(|(_, joint)| !joint.end_site) {
            let turn = |clip: &Clip, frame: usize| clip.track(id).rotation.at(frame);
            assert!(angle_between(&turn(&none, frame), &turn(&walk, frame)) < 1e-9);
            let added = angle_between(&turn(&half, frame), &turn(&walk, frame));
            let own = angle_between(&turn(&walk, 0), &turn(&walk, frame));
            let expected = if taken[id.index()] > 0.0 { 0.5 * own } else { 0.0 };
            assert!((added - expected).abs() < 1e-9, "{}", joint.name);
            changed += usize::from(added > 1e-3);
        }
        assert!(changed > 0 && report.max_deg.unwrap() > 0.1);
    }

    #[test]
    fn other_bodies_and_empty_masks_are_refused() {
        let walk = clip("alex_walk.bvh");
        let mask = |text: &str| Some(text.parse().unwrap());
        let layer = Layer { mask: mask("Tail/**"), ..Layer::new(walk.clone()) };
        assert_eq!(add(&walk, &layer).unwrap_err().code(), "edit::mask");
        let layer = Layer { weight: f64::NAN, ..Layer::new(walk.clone()) };
        assert_eq!(add(&walk, &layer).unwrap_err().code(), "edit::option");
    }
}
