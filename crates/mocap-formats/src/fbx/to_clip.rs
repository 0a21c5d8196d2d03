//! From a file to the clip that one of its animation stacks means.

use std::collections::HashSet;
use std::sync::Arc;

use mocap_model::{
    Annotations, Clip, Dofs, Joint, JointId, JointTracks, Skeleton, Track, UnitQuaternion, Vector3,
};
use nalgebra::Matrix3;
use ufbx::{Anim, AnimStack, Scene, Transform};

use super::document::Document;
use super::rest::{Rest, at_rest_scales, rest};
use super::span::{Span, span, stated_rate};
use super::stack::{self, SINGLE, TRANSFORM};
use super::transforms::{SAME_SCALE, Stretch, Transforms, is_even};
use super::tree::{Tree, space};
use super::{Problem, scalars};
use crate::gaps::fill;
use crate::sides::swap_sides;
use crate::{Finding, FormatProblem, Parsed, ReadError, ReadOptions, Warnings};

/// Change of a unit quaternion up to which a rotation is constant.
const TURN: f64 = 1e-12;

/// The motion of one animation stack, by its number in [`Document::stacks`].
///
/// # Errors
/// If the stack does not exist, has more frames than the limit, or values that are not finite and are not to be
/// repaired.
pub fn to_clip(document: &Document, index: usize, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
    let stack = document.scene.anim_stacks.get(index);
    let stack = stack.ok_or_else(|| Finding::new(FormatProblem::NoMotion))?;
    let mut warnings = Warnings::default();
    match clip(document, stack, options, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec() }),
        Err(failed) => Err(failed.behind(warnings.into_vec())),
    }
}

/// The joints of a file at rest.
pub(super) fn to_skeleton(document: &Document, _: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
    let mut warnings = Warnings::default();
    let rest = rest(&document.scene, &document.tree, &mut warnings);
    let value = skeleton(document, &rest, &mut warnings)?;
    Ok(Parsed { value, warnings: warnings.into_vec() })
}

/// The joints of a file without animation, as a clip of no frames.
pub(super) fn at_rest(document: &Document, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
    let Parsed { value, mut warnings } = to_skeleton(document, options)?;
    warnings.push(Finding::new(Problem::NoAnimation));
    Ok(Parsed { value: Clip::at_rest(Arc::new(value), stated_rate(&document.scene, options)), warnings })
}

fn clip(
    document: &Document,
    stack: &AnimStack,
    options: &ReadOptions,
    warnings: &mut Warnings,
) -> Result<Clip, ReadError> {
    let (scene, tree) = (&document.scene, &document.tree);
    let span = span(scene, tree.joints.len(), stack, options, warnings)?;
    let silent = stack::silent_layers(stack);
    if !silent.is_empty() {
        warnings.push(Finding::new(Problem::SilentLayers { names: silent }));
    }
    let playing = stack::playing(scene, stack)?;
    let anim = playing.as_deref().unwrap_or(&stack.anim);
    let mut samples = sample(scene, tree, (stack, anim), &span);
    repair_samples(tree, stack, &mut samples, options.repair, warnings)?;
    let rest = rest(scene, tree, warnings);
    let scales = if scales_move(&samples) {
        separate_scales(tree, &mut samples)
    } else {
        let scaled = samples.iter().filter(|joint| joint.own_scale.iter().any(|scale| is_scaled(*scale)));
        let joints = scaled.count();
        if joints > 0 {
            warnings.push(Finding::new(Problem::ConstantScale { joints }));
        }
        None
    };
    let skeleton = Arc::new(skeleton(document, &rest, warnings)?);
    let uneven = samples.iter().any(|joint| joint.stretches.iter().any(|stretch| !is_even(stretch)));
    let mut scales = scales.map(Vec::into_iter);
    let joints = skeleton.joints().iter().zip(samples);
    let tracks = joints.map(|(joint, samples)| {
        let translation = lengths(samples.places);
        let translation = Some(translation).filter(|track| !is_at(track, joint.offset));
        JointTracks {
            rotation: turns(samples.turns, joint.rest_rotation),
            translation,
            scale: scales
                .as_mut()
                .and_then(Iterator::next)
                .map(lengths)
                .filter(|scale| !is_at(scale, Vector3::repeat(1.0))),
        }
    });
    let tracks: Vec<JointTracks> = tracks.collect();
    if uneven {
        let change = change_of_length(&skeleton, &tracks);
        if change > SAME_SCALE {
            warnings.push(Finding::new(Problem::UnevenScale { change }));
        }
    }
    let annotations = Annotations {
        name: stack.element.name.to_string(),
        scalars: scalars::tracks(&document.scalars, (stack, anim), &span),
        events: Vec::new(),
    };
    let clip = Clip::new(skeleton, span.rate, span.frames, tracks)
        .and_then(|clip| clip.with_annotations(annotations))
        .map_err(|error| Finding::new(Problem::Clip(error)))?;
    Ok(clip)
}

/// A joint over all frames of a stack.
struct Samples {
    turns: Vec<UnitQuaternion<f64>>,
    places: Vec<Vector3<f64>>,
    /// The stretch that scales apply to the joints below; empty where nothing is scaled.
    stretches: Vec<Matrix3<f64>>,
    /// The smallest and the greatest scale of the joint, without those above it.
    own_scale: [Vector3<f64>; 2],
}

/// The joints in every frame.
fn sample(scene: &Scene, tree: &Tree, (stack, anim): (&AnimStack, &Anim), span: &Span) -> Vec<Samples> {
    let moved: HashSet<u32> = stack::props(stack)
        .filter(|prop| TRANSFORM.contains(&&*prop.prop_name))
        .map(|prop| prop.element.element_id)
        .collect();
    let mut transforms: Vec<Transform> = at_rest_scales(scene, tree);
    let one = Vector3::repeat(1.0);
    let mut samples: Vec<Samples> = tree
        .joints
        .iter()
        .map(|_| Samples {
            turns: Vec::with_capacity(span.frames),
            places: Vec::with_capacity(span.frames),
            stretches: Vec::new(),
            own_scale: [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)],
        })
        .collect();
    let mut placed = Transforms::default();
    for frame in 0..span.frames {
        let time = span.time(frame);
        for (node, transform) in tree.nodes.iter().zip(&mut transforms) {
            if moved.contains(&node.element) {
                *transform = ufbx::evaluate_transform(anim, &scene.nodes[node.node], time);
            }
        }
        placed.place(tree, scene, &transforms);
        for (i, joint) in tree.joints.iter().enumerate() {
            let samples = &mut samples[i];
            let local = placed.of_joint(tree, i);
            let stretch = &placed.stretches[joint.place];
            let turn = nearer(local.rotation, samples.turns.last());
            samples.turns.push(turn);
            samples.places.push(local.translation.vector);
            let scale = &transforms[joint.place].scale;
            let scale = Vector3::new(scale.x, scale.y, scale.z);
            samples.own_scale = [samples.own_scale[0].inf(&scale), samples.own_scale[1].sup(&scale)];
            keep_stretch(samples, stretch, frame, one);
        }
    }
    samples
}

/// Records the stretch of a frame, unless all frames so far are unstretched.
fn keep_stretch(samples: &mut Samples, stretch: &Stretch, frame: usize, one: Vector3<f64>) {
    let rigid = stretch.full == Matrix3::from_diagonal(&one);
    if samples.stretches.is_empty() && rigid {
        return;
    }
    samples.stretches.resize(frame, Matrix3::identity());
    samples.stretches.push(stretch.full);
}

/// Of the two quaternions of a rotation, the one nearer to that of the frame before.
fn nearer(turn: UnitQuaternion<f64>, before: Option<&UnitQuaternion<f64>>) -> UnitQuaternion<f64> {
    match before {
        Some(before) if before.coords.dot(&turn.coords) < 0.0 => {
            UnitQuaternion::new_unchecked(-turn.into_inner())
        }
        _ => turn,
    }
}

/// Interpolates over values that are not finite, or reports the first of every joint.
fn repair_samples(
    tree: &Tree,
    stack: &AnimStack,
    samples: &mut [Samples],
    repair: bool,
    warnings: &mut Warnings,
) -> Result<(), ReadError> {
    let mut errors = Vec::new();
    for (joint, samples) in tree.joints.iter().zip(samples) {
        let finite = |(turn, place): (&UnitQuaternion<f64>, &Vector3<f64>)| {
            turn.coords.iter().chain(place.iter()).all(|value| value.is_finite())
        };
        let frames = samples.turns.iter().zip(&samples.places);
        let Some(frame) = frames.clone().position(|values| !finite(values)) else { continue };
        let count = frames.filter(|values| !finite(*values)).count();
        let problem = match repair {
            true => Problem::Interpolated,
            false => {
                let node = tree.node(joint);
                let path = stack::wrong_value(stack, node.element);
                let above = || format!("AnimationStack[{}]/Model[{}]", stack.element.name, joint.name);
                Problem::NotFinite { path: path.unwrap_or_else(above) }
            }
        };
        let finding = Finding { count, ..Finding::new(problem) }.in_joint(&joint.name).in_frame(frame);
        if repair {
            bridge(samples);
            warnings.push(finding);
        } else {
            errors.push(finding);
        }
    }
    let unlisted = errors.len().saturating_sub(ReadError::MOST_LISTED);
    errors.truncate(ReadError::MOST_LISTED);
    let mut errors = errors.into_iter();
    match errors.next() {
        None => Ok(()),
        Some(error) => {
            let (error, more) = (Box::new(error), errors.collect());
            Err(ReadError { error, more, unlisted, warnings: Vec::new() })
        }
    }
}

/// Interpolates linearly over values that are not finite.
fn bridge(samples: &mut Samples) {
    let mut turns: Vec<f64> =
        samples.turns.iter().flat_map(|turn| [turn.w, turn.i, turn.j, turn.k]).collect();
    let mut places: Vec<f64> = samples.places.iter().flat_map(|place| [place.x, place.y, place.z]).collect();
    for component in 0..4 {
        fill(&mut turns[component..], 4, None, if component == 0 { 1.0 } else { 0.0 });
    }
    for component in 0..3 {
        fill(&mut places[component..], 3, None, 0.0);
    }
    for (turn, values) in samples.turns.iter_mut().zip(turns.chunks_exact(4)) {
        let mixed = nalgebra::Quaternion::new(values[0], values[1], values[2], values[3]);
        *turn = UnitQuaternion::try_new(mixed, 1e-12).unwrap_or_else(UnitQuaternion::identity);
    }
    for (place, values) in samples.places.iter_mut().zip(places.chunks_exact(3)) {
        *place = Vector3::new(values[0], values[1], values[2]);
    }
}

/// Whether the scale of any joint changes over time.
fn scales_move(samples: &[Samples]) -> bool {
    samples.iter().any(|joint| {
        let [low, high] = joint.own_scale;
        (high - low).amax() > SAME_SCALE * high.amax().max(low.amax())
    })
}

/// Whether a scale is another than 1.
fn is_scaled(scale: Vector3<f64>) -> bool {
    (scale - Vector3::repeat(1.0)).amax() > SAME_SCALE
}

/// Divides the translations by scales that become scale tracks; returns these, by joint. The scale of a root in the
/// first frame stays in the translations, so bones have the size of the body. `None` if a scale flattens a joint and
/// the position of one below cannot be expressed by a scale: then translations keep it.
fn separate_scales(tree: &Tree, samples: &mut [Samples]) -> Option<Vec<Vec<Vector3<f64>>>> {
    let frames = samples.first().map_or(0, |joint| joint.turns.len());
    let mut size = vec![1.0; samples.len()];
    let mut below: Vec<Vec<Matrix3<f64>>> = Vec::with_capacity(samples.len());
    let (mut scales, mut places) = (Vec::with_capacity(samples.len()), Vec::with_capacity(samples.len()));
    for (i, joint) in tree.joints.iter().enumerate() {
        size[i] = match joint.parent {
            Some(parent) => size[parent],
            None => samples[i].stretches.first().map_or(1.0, |full| full.determinant().cbrt()),
        };
        let unit = if size[i] != 0.0 && size[i].is_finite() { size[i] } else { 1.0 };
        let mut own = Vec::with_capacity(frames);
        let mut place = Vec::with_capacity(frames);
        let mut stretches = Vec::with_capacity(frames);
        for frame in 0..frames {
            let above = joint.parent.map_or_else(Matrix3::identity, |parent| below[parent][frame]);
            let turn = samples[i].turns[frame].to_rotation_matrix();
            let turned = turn.inverse().matrix() * above * turn.matrix();
            let full = samples[i].stretches.get(frame).copied().unwrap_or_else(Matrix3::identity) / unit;
            let scale = turned.try_inverse().map_or(full, |inverse| inverse * full).diagonal();
            place.push(match joint.parent {
                Some(_) => unscaled(&above, &samples[i].places[frame])?,
                None => samples[i].places[frame],
            });
            own.push(scale);
            stretches.push(turned * Matrix3::from_diagonal(&scale));
        }
        below.push(stretches);
        scales.push(own);
        places.push(place);
    }
    samples.iter_mut().zip(places).for_each(|(joint, places)| joint.places = places);
    Some(scales)
}

/// The place that `stretch` maps to `place`; `None` where there is none.
fn unscaled(stretch: &Matrix3<f64>, place: &Vector3<f64>) -> Option<Vector3<f64>> {
    // The inverse of a nearly singular matrix may be noise, so its result is verified.
    let fits = |unscaled: &Vector3<f64>| (stretch * unscaled - place).norm() <= 1e-12 * place.norm();
    let by_inverse = stretch.try_inverse().map(|inverse| inverse * place).filter(fits);
    let by_nearest = || stretch.pseudo_inverse(1e-9).ok().map(|inverse| inverse * place).filter(fits);
    by_inverse.or_else(by_nearest)
}

/// The largest relative change of a bone's length from rest.
fn change_of_length(skeleton: &Skeleton, tracks: &[JointTracks]) -> f64 {
    let size = skeleton.joints().iter().map(|joint| joint.offset.norm()).fold(0.0, f64::max);
    let bones = skeleton.joints().iter().zip(tracks);
    let bones = bones.filter(|(joint, _)| joint.parent.is_some() && joint.offset.norm() > 1e-6 * size);
    let changes = bones.flat_map(|(joint, tracks)| {
        let places = tracks.translation.as_ref().map_or(&[][..], Track::values);
        places.iter().map(|place| (place.norm() / joint.offset.norm() - 1.0).abs())
    });
    changes.fold(0.0, f64::max)
}

fn skeleton(document: &Document, rest: &Rest, warnings: &mut Warnings) -> Result<Skeleton, Finding> {
    let (scene, tree) = (&document.scene, &document.tree);
    let moved: HashSet<u32> = scene.anim_stacks.iter().flat_map(|stack| stack::translated(stack)).collect();
    let joints = tree.joints.iter().zip(&rest.joints).map(|(joint, rest)| {
        let moves = joint.parent.is_none() || moved.contains(&tree.node(joint).element);
        Joint {
            name: joint.name.clone(),
            parent: joint.parent.map(JointId::from),
            offset: rest.translation.vector,
            rest_rotation: rest.rotation,
            dofs: match (joint.end_site, moves) {
                (true, _) => Dofs::locked(joint.order),
                (false, true) => Dofs::free(joint.order),
                (false, false) => Dofs::ball(joint.order),
            },
            role: None,
            end_site: joint.end_site,
        }
    });
    let mut joints: Vec<Joint> = joints.collect();
    if rest.mirrored {
        let joints = swap_sides(&mut joints);
        warnings.push(Finding::new(Problem::Mirrored { joints }));
    }
    Skeleton::new("", space(scene), joints).map_err(|error| Finding::new(Problem::Clip(error)))
}

/// A track of lengths or scales, constant where they change by less than 32-bit numbers can tell.
fn lengths(values: Vec<Vector3<f64>>) -> Track<Vector3<f64>> {
    let first = values[0];
    let slack = SINGLE * first.amax();
    match values.iter().all(|value| (value - first).amax() <= slack) {
        true => Track::Constant(first),
        false => Track::Sampled(values),
    }
}

/// A track of rotations; one that stays at rest has the exact bits of the rest rotation.
fn turns(values: Vec<UnitQuaternion<f64>>, rest: UnitQuaternion<f64>) -> Track<UnitQuaternion<f64>> {
    let first = values[0];
    if values.iter().any(|value| (value.coords - first.coords).amax() > TURN) {
        return Track::Sampled(values);
    }
    let off = (first.coords - rest.coords).amax().min((first.coords + rest.coords).amax());
    Track::Constant(if off <= TURN { rest } else { first })
}

/// Whether a track is constant and has this value, up to 32-bit rounding.
fn is_at(track: &Track<Vector3<f64>>, value: Vector3<f64>) -> bool {
    matches!(track, Track::Constant(found) if (found - value).amax() <= SINGLE * value.amax())
}
