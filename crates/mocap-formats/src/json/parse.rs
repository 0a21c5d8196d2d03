//! Reads JSON clips.

use super::Problem;
use super::document::{File, SHAPE, ScalarField};
use crate::skel::{Source, rotation, skeleton};
use crate::tagged::{Step, deserialize, locate, refuse_foreign};
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, text};
use mocap_model::{Annotations, Clip, Event, FrameRate, JointTracks, ScalarTrack, Track, Vector3};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads a JSON clip held in memory.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let bytes = mocap_formats::json::to_bytes(&clip);
/// assert_eq!(mocap_formats::json::parse(&bytes, &Default::default())?.value.frames(), 120);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// A finding that names the field by its path, and its line and column.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed<Clip>, ReadError> {
    let text = text::open(bytes, limits)?;
    refuse_foreign(&text, &SHAPE)?;
    let mut warnings = Vec::new();
    match clip(&text, limits, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings }),
        Err(error) => Err(ReadError::from(error).behind(warnings)),
    }
}

fn clip(text: &[u8], limits: &Limits, warnings: &mut Vec<Finding>) -> Result<Clip, Finding> {
    let file: File = deserialize(text, &SHAPE)?;
    if file.frames > limits.frames {
        let (found, limit) = (file.frames, limits.frames);
        return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
    }
    let error = |steps: &[Step], problem: Problem| Finding::new(problem).at(text, locate(text, steps));
    let rate = FrameRate::new(file.fps)
        .ok_or_else(|| error(&[Step::Key("fps")], Problem::Rate { fps: file.fps }))?;
    let mut source = Source::new(text, &[Step::Key("skeleton")]);
    let skeleton = skeleton(file.skeleton, &mut source, limits);
    warnings.extend(source.into_warnings());
    let skeleton = Arc::new(skeleton?);
    let mut source = Source::new(text, &[]);
    let places: HashMap<&str, usize> =
        skeleton.iter().map(|(id, joint)| (joint.name.as_str(), id.index())).collect();
    let mut tracks: Vec<Option<JointTracks>> = vec![None; skeleton.len()];
    let mut fields = vec![0; skeleton.len()];
    for (i, field) in file.tracks.into_iter().enumerate() {
        let at = [Step::Key("tracks"), Step::Index(i)];
        let below = |key: &'static str| [at[0], at[1], Step::Key(key)];
        let name = field.joint;
        let path = format!("tracks[{i}].joint");
        let Some(&place) = places.get(name.as_str()) else {
            return Err(error(&below("joint"), Problem::UnknownJoint { path, name }));
        };
        if tracks[place].is_some() {
            return Err(error(&below("joint"), Problem::RepeatedTrack { path, name }));
        }
        let check = |key: &'static str, found: usize| match found {
            1 => Ok(()),
            found if found == file.frames => Ok(()),
            found => {
                let path = format!("tracks[{i}].{key}");
                let problem = Problem::Length { path, found, frames: file.frames };
                Err(error(&below(key), problem).in_joint(name.clone()))
            }
        };
        let mut joint = JointTracks::at_rest(&skeleton.joints()[place]);
        if let Some(values) = field.rotation {
            check("rotation", values.len())?;
            let mut rotations = Vec::with_capacity(values.len());
            for (frame, value) in values.into_iter().enumerate() {
                let steps = [at[0], at[1], Step::Key("rotation"), Step::Index(frame)];
                rotations.push(rotation(Some(value), &steps, &mut source)?);
            }
            joint.rotation = track(rotations, joint.rotation);
        }
        if let Some(values) = field.translation {
            check("translation", values.len())?;
            let rest = Track::Constant(skeleton.joints()[place].offset);
            joint.translation = Some(track(values.into_iter().map(Vector3::from).collect(), rest));
        }
        if let Some(values) = field.scale {
            check("scale", values.len())?;
            let rest = Track::Constant(Vector3::repeat(1.0));
            joint.scale = Some(track(values.into_iter().map(Vector3::from).collect(), rest));
        }
        tracks[place] = Some(joint);
        fields[place] = i;
    }
    let tracks = tracks.into_iter().zip(skeleton.joints());
    let tracks: Vec<JointTracks> =
        tracks.map(|(tracks, joint)| tracks.unwrap_or_else(|| JointTracks::at_rest(joint))).collect();
    warnings.extend(source.into_warnings());
    let clip = Clip::new(skeleton, rate, file.frames, tracks)
        .map_err(|error| Finding::new(Problem::Clip { path: "tracks".into(), error }))?;
    let events = file.events.into_iter().map(|event| Event { time: event.time, name: event.name }).collect();
    let annotations =
        Annotations { name: file.name, scalars: scalars(file.scalars, text, file.frames)?, events };
    let clip = clip
        .with_annotations(annotations)
        .map_err(|error| Finding::new(Problem::Clip { path: "scalars, events".into(), error }))?;
    super::writable(&clip, limits)?;
    Ok(clip)
}

/// The numbers over time.
fn scalars(fields: Vec<ScalarField>, text: &[u8], frames: usize) -> Result<Vec<ScalarTrack>, Finding> {
    let mut scalars = Vec::with_capacity(fields.len());
    for (i, ScalarField { name, values }) in fields.into_iter().enumerate() {
        let values = match values.as_slice() {
            [only] => Track::Constant(*only),
            all if all.len() == frames => Track::Sampled(values),
            all => {
                let problem =
                    Problem::Length { path: format!("scalars[{i}].values"), found: all.len(), frames };
                let steps = [Step::Key("scalars"), Step::Index(i), Step::Key("values")];
                return Err(Finding::new(problem).at(text, locate(text, &steps)));
            }
        };
        scalars.push(ScalarTrack { name, values });
    }
    Ok(scalars)
}

/// One value is a constant track; an empty list is the same as no track.
fn track<T: Copy>(values: Vec<T>, rest: Track<T>) -> Track<T> {
    match values.as_slice() {
        [] => rest,
        [only] => Track::Constant(*only),
        _ => Track::Sampled(values),
    }
}
