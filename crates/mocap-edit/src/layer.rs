//! Layers: adds the difference between a pose or motion and its reference to another motion.

use mocap_model::{Clip, Isometry3, JointId, Skeleton, UnitQuaternion, Vector3, exp, log};
use nalgebra::Translation3;

use crate::body::Body;
use crate::mask::Mask;
use crate::numbers::{self, Added};
use crate::one_space::in_space_of;
use crate::root::travel;
use crate::samples::Samples;
use crate::{EditError, EditReport};

/// A pose or motion that is added.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// A motion adds its difference from its first frame, a single pose its difference from the rest pose. Joints and
    /// numbers over time (weights of shapes) are matched by name; lengths and axes are brought to those of the motion. The
    /// layer is sampled by time; after its end the last frame holds.
    pub clip: Clip,
    /// The factor of the difference; negative values subtract. Default: 1.
    pub weight: f64,
    /// The joints to which it is added; `None`: all.
    pub mask: Option<Mask>,
    /// Where rotations are added. Default: local.
    pub space: LayerSpace,
}

impl Layer {
    /// A layer with weight 1 on all joints, in local space.
    pub fn new(clip: Clip) -> Layer {
        Layer { clip, weight: 1.0, mask: None, space: LayerSpace::Local }
    }
}

/// Where the rotations of a layer or an addition are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LayerSpace {
    /// Relative to the parent joint: joints below a changed joint move along.
    #[default]
    Local,
    /// Relative to the root: a masked joint rotates in the space of the body, independent of its parents' rotation.
    Mesh,
}

impl std::str::FromStr for LayerSpace {
    type Err = String;

    fn from_str(text: &str) -> Result<LayerSpace, String> {
        match text {
            "local" => Ok(LayerSpace::Local),
            "mesh" => Ok(LayerSpace::Mesh),
            _ => Err(format!("'{text}' is not local or mesh")),
        }
    }
}

mocap_model::text_values! {
    LayerSpace "local or mesh";
}

/// A joint of the motion, the joint of the layer with its name, and the weight with which it is added.
struct Part {
    joint: JointId,
    other: JointId,
    weight: f64,
}

/// The poses of a layer at the frames of a motion.
struct Source<'a> {
    clip: &'a Clip,
    last: usize,
    /// Frames of the layer per frame of the motion.
    step: f64,
}

impl Source<'_> {
    fn reference(&self, joint: JointId) -> Isometry3<f64> {
        let rest = self.clip.skeleton().joint(joint);
        match self.last {
            0 => Isometry3::from_parts(Translation3::from(rest.offset), rest.rest_rotation),
            _ => self.clip.local(joint, 0),
        }
    }

    fn posed(&self, joint: JointId, frame: usize) -> Isometry3<f64> {
        let at = (frame as f64 * self.step).min(self.last as f64);
        let from = at.floor() as usize;
        let (a, b) = (self.clip.local(joint, from), self.clip.local(joint, (from + 1).min(self.last)));
        crate::cycle::between(&a, &b, at - from as f64)
    }
}

/// A rotation, scaled by a weight.
fn part_of(turn: &UnitQuaternion<f64>, weight: f64) -> UnitQuaternion<f64> {
    exp(&(log(turn) * weight))
}

/// The rotations of all joints in object space.
fn in_object(
    skeleton: &Skeleton,
    local: impl Fn(JointId) -> UnitQuaternion<f64>,
) -> Vec<UnitQuaternion<f64>> {
    let mut all: Vec<UnitQuaternion<f64>> = Vec::with_capacity(skeleton.len());
    for (id, joint) in skeleton.iter() {
        let above = joint.parent.map_or_else(UnitQuaternion::identity, |parent| all[parent.index()]);
        all.push(above * local(id));
    }
    all
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
        Some(mask) => mask.shares_beside(&Body::of(clip).skeleton, &layer.clip.annotations().scalars)?,
        None => vec![1.0; clip.skeleton().len()],
    };
    let of_layer = in_space_of(clip, &layer.clip, "add")?;
    let skeleton = of_layer.skeleton();
    let (mut parts, mut missing) = (Vec::new(), Vec::new());
    for (id, joint) in clip.skeleton().iter().filter(|(id, joint)| taken[id.index()] > 0.0 && !joint.end_site)
    {
        match skeleton.find(&joint.name).filter(|_| of_layer.frames() > 0) {
            Some(other) => {
                parts.push(Part { joint: id, other, weight: layer.weight * taken[id.index()] });
            }
            None => missing.push(joint.name.as_str()),
        }
    }
    let mut samples = Samples::of(clip);
    let step = layer.clip.rate().fps() / clip.rate().fps();
    let numbers = Added { layer: &layer.clip, step, weight: layer.weight, mask: layer.mask.as_ref() };
    let numbers = numbers::add(&mut samples.annotations.scalars, samples.frames, &numbers);
    let added = parts.len();
    if added + numbers == 0 {
        let named = missing.first().map_or(String::new(), |name| format!(", such as '{name}'"));
        return Err(EditError::Skeletons { reason: format!("the layer has none of the joints{named}") });
    }
    let last = layer.clip.frames() - 1;
    let source = Source { clip: &of_layer, last, step };
    match layer.space {
        LayerSpace::Local => add_local(&mut samples, &source, &parts),
        LayerSpace::Mesh => add_mesh(&mut samples, &source, &parts, clip),
    }
    let (layered, held) = crate::held_feet::held(clip, samples.into_clip("add")?, "add")?;
    let mut report = EditReport::measured("add", clip, &layered)
        .feet_held(held)
        .note(format!("weight {}, {added} joints", layer.weight));
    if numbers > 0 {
        report.notes.push(format!("{numbers} shapes and other numbers over time"));
    }
    // A layer that only has scalar tracks need not have joints.
    if !missing.is_empty() && added > 0 {
        let names = missing.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let message = format!("{} joints are not in the layer and stay: {names}", missing.len());
        report.warn("edit::not-in-layer", message);
    }
    report.warn_of_skate();
    report.warn_of_limits(&[clip], &layered);
    Ok((layered, report))
}

/// base · (reference⁻¹ · pose)^weight, joint by joint.
fn add_local(samples: &mut Samples, source: &Source, parts: &[Part]) {
    for part in parts {
        let reference = source.reference(part.other);
        for frame in 0..samples.frames {
            let posed = source.posed(part.other, frame);
            let turn = part_of(&(reference.rotation.inverse() * posed.rotation), part.weight);
            let local = moved(samples, source, part, frame, &UnitQuaternion::identity());
            samples.set_local(
                part.joint,
                frame,
                &Isometry3::from_parts(local, samples.rotations[part.joint.index()][frame] * turn),
            );
        }
    }
}

/// (pose · reference⁻¹)^weight · base in object space, rotated by the difference in heading between the body and the
/// start of the layer. Joints outside the mask keep their local rotations.
fn add_mesh(samples: &mut Samples, source: &Source, parts: &[Part], clip: &Clip) {
    let body = Body::of(clip);
    let headings = travel(clip, &body).headings;
    // A rest pose faces forward.
    let start = if source.last == 0 { 0.0 } else { travel(source.clip, &Body::of(source.clip)).headings[0] };
    let theirs = source.clip.skeleton();
    let reference = in_object(theirs, |joint| source.reference(joint).rotation);
    let of_joint: Vec<Option<&Part>> =
        clip.skeleton().iter().map(|(id, _)| parts.iter().find(|part| part.joint == id)).collect();
    for frame in 0..samples.frames {
        let facing = body.turn(headings[frame] - start);
        let own = in_object(clip.skeleton(), |joint| samples.rotations[joint.index()][frame]);
        let posed = in_object(theirs, |joint| source.posed(joint, frame).rotation);
        let mut mesh: Vec<UnitQuaternion<f64>> = Vec::with_capacity(own.len());
        for (id, joint) in clip.skeleton().iter() {
            let above = joint.parent.map_or_else(UnitQuaternion::identity, |parent| mesh[parent.index()]);
            let local = samples.rotations[id.index()][frame];
            let Some(part) = of_joint[id.index()] else {
                mesh.push(above * local);
                continue;
            };
            let other = part.other.index();
            let turn = part_of(&(posed[other] * reference[other].inverse()), part.weight);
            mesh.push(facing * turn * facing.inverse() * own[id.index()]);
            let shift = if joint.parent.is_none() { facing } else { UnitQuaternion::identity() };
            let place = moved(samples, source, part, frame, &shift);
            samples.set_local(id, frame, &Isometry3::from_parts(place, above.inverse() * mesh[id.index()]));
        }
    }
}

/// The translation of a joint plus that of the layer, rotated first. Only a motion adds translations to the root: that
/// of a pose is its placement.
fn moved(
    samples: &Samples,
    source: &Source,
    part: &Part,
    frame: usize,
    turn: &UnitQuaternion<f64>,
) -> Translation3<f64> {
    let own = samples.local(part.joint, frame).translation;
    if source.last == 0 && samples.skeleton.joint(part.joint).parent.is_none() {
        return own;
    }
    let [from, to]: [Vector3<f64>; 2] =
        [source.reference(part.other), source.posed(part.other, frame)].map(|place| place.translation.vector);
    Translation3::from(own.vector + turn * (to - from) * part.weight)
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
            add(&walk, &Layer { weight: 0.5, mask: Some(mask.clone()), ..Layer::new(walk.clone()) }).unwrap();
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

    /// A motion that stays in the reference pose becomes the layer.
    #[test]
    fn on_its_reference_a_layer_gives_itself() {
        let wave = clip("alex_wave.bvh");
        let mut held = Samples::of(&wave);
        for values in &mut held.rotations {
            *values = vec![values[0]; wave.frames()];
        }
        for values in held.translations.iter_mut().flatten() {
            *values = vec![values[0]; wave.frames()];
        }
        let held = held.into_clip("test").unwrap();
        for space in [LayerSpace::Local, LayerSpace::Mesh] {
            let (whole, _) = add(&held, &Layer { space, ..Layer::new(wave.clone()) }).unwrap();
            for (id, _) in wave.skeleton().iter() {
                for frame in 0..wave.frames() {
                    let (a, b) = (wave.local(id, frame), whole.local(id, frame));
                    assert!(angle_between(&a.rotation, &b.rotation) < 1e-12, "{space:?}");
                    assert!((a.translation.vector - b.translation.vector).norm() < 1e-10, "{space:?}");
                }
            }
        }
    }

    /// A head that nods in a layer nods about the same axis of a body that faces elsewhere and bends its trunk.
    #[test]
    fn in_mesh_space_a_joint_turns_in_the_space_of_the_body() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let head = body.skeleton.with_role(mocap_model::Role::Head).unwrap();
        let nod = UnitQuaternion::new(body.lateral * 0.3);
        let start = walk.trimmed(0..1).unwrap();
        let mut nodding = Samples::of(&start);
        nodding.append(Samples::of(&start));
        let place = |samples: &Samples, frame: usize| {
            in_object(&samples.skeleton, |joint| samples.rotations[joint.index()][frame])
        };
        let above = body.skeleton.joint(head).parent.unwrap();
        let parent = place(&nodding, 1)[above.index()];
        let heading = body.turn(travel(&walk, &body).headings[0]);
        let turn = heading * nod * heading.inverse();
        nodding.rotations[head.index()][1] =
            parent.inverse() * turn * parent * nodding.rotations[head.index()][0];
        let layer = Layer {
            mask: Some("Head".parse().unwrap()),
            space: LayerSpace::Mesh,
            ..Layer::new(nodding.into_clip("test").unwrap())
        };
        let bent = crate::turn(&walk, 1.0).unwrap().0;
        let (nodded, _) = add(&bent, &layer).unwrap();
        let headings = travel(&bent, &body).headings;
        let (before, after) = (Samples::of(&bent), Samples::of(&nodded));
        for frame in 1..bent.frames() {
            let facing = body.turn(headings[frame]);
            let expected = facing * nod * facing.inverse() * place(&before, frame)[head.index()];
            assert!(angle_between(&place(&after, frame)[head.index()], &expected) < 1e-9, "{frame}");
            assert_eq!(bent.local(body.hips, frame), nodded.local(body.hips, frame));
        }
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
